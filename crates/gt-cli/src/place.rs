//! The options by which a server is found.

use std::path::PathBuf;

use clap::Args;
use gt::address::{Address, DEFAULT_PORT, Trust};
use gt_core::Result;

/// Where a server is, and what to show to it.
#[derive(Args)]
pub struct Place {
    /// The host of the server.
    #[arg(long, default_value = "localhost")]
    host: String,
    /// The port of the server.
    #[arg(short, long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// The key file to show to a server on another host.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    key: Option<PathBuf>,
    /// Connect to a server that asks for no keys; everybody on the way can read along.
    #[arg(long)]
    insecure: bool,
}

impl Place {
    /// Where the server is.
    pub fn address(&self) -> Result<Address> {
        let Place { host, port, .. } = self;
        if host.contains(':') && !host.starts_with('[') && !host.starts_with("tcp://") {
            return format!("[{host}]:{port}").parse();
        }
        format!("{host}:{port}").parse()
    }

    /// What to show to it.
    pub fn trust(&self) -> Result<Trust> {
        Trust::asked(self.key.clone(), self.insecure)
    }
}
