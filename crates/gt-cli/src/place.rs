//! The options by which a server is found.

use std::path::PathBuf;

use clap::Args;
use gt::address::{Address, DEFAULT_PORT, Trust};
use gt::folder::{Folder, Running};
use gt::settings;
use gt_core::{Error, Result};

/// Where a server is, and what to show to it.
#[derive(Args)]
pub struct Place {
    /// The host of the server; localhost if absent.
    #[arg(long)]
    host: Option<String>,
    /// The port of the server; 12345 if absent.
    #[arg(short, long)]
    port: Option<u16>,
    /// The key file to show to a server on another host.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    key: Option<PathBuf>,
    /// Connect to a server that asks for no keys; everybody on the way can read along.
    #[arg(long)]
    insecure: bool,
}

/// The server that a command speaks to. Without options it is that of `GT_SERVER`, or the only one
/// that the user runs on this host.
#[derive(Args)]
pub struct Which {
    #[command(flatten)]
    place: Place,
}

/// A server that was found.
pub struct Target {
    /// Where it is.
    pub address: Address,
    /// What to show to it.
    pub trust: Trust,
}

impl Place {
    /// Where the server is.
    pub fn address(&self) -> Result<Address> {
        let host = self.host.as_deref().unwrap_or("localhost");
        let port = self.port.unwrap_or(DEFAULT_PORT);
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

impl Which {
    /// Finds the server.
    pub fn find(&self) -> Result<Target> {
        let Which { place } = self;
        let named = place.host.is_some() || place.port.is_some();
        let variable = settings::server()?.filter(|_| !named);
        let address = match variable {
            Some(text) => text.parse().map_err(|error: Error| error.within("GT_SERVER"))?,
            None if named => place.address()?,
            None => only_server(&Folder::running()?)?
                .map_or_else(|| place.address(), |port| Ok(Address::new("localhost", port)))?,
        };
        Ok(Target { address, trust: place.trust()? })
    }
}

/// The port of the only server that runs; none if none does.
fn only_server(running: &[Running]) -> Result<Option<u16>> {
    let servers = running.iter().filter_map(|one| match one {
        Running::Server { port, record } => Some((*port, record.as_ref())),
        Running::Process { .. } => None,
    });
    let servers: Vec<_> = servers.collect();
    match servers.as_slice() {
        [] => Ok(None),
        [(port, _)] => Ok(Some(*port)),
        several => {
            let line = |(port, record): &(u16, Option<&gt::folder::Record>)| {
                let pid =
                    record.map_or(String::new(), |record| format!("   process {}", record.pid));
                format!("  --port {port}{pid}")
            };
            let lines: Vec<String> = several.iter().map(line).collect();
            Err(Error::value(format!(
                "several servers of yours run here; choose one:\n{}",
                lines.join("\n")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_server_is_found_and_several_are_listed() {
        let server = |port| Running::Server { port, record: None };
        let program = Running::Process { pid: 7, socket: PathBuf::from("/nowhere") };
        assert_eq!(only_server(&[]).expect("there is none"), None);
        let one = [server(9000), program.clone()];
        assert_eq!(only_server(&one).expect("there is one"), Some(9000));
        let error = only_server(&[server(9000), server(9001), program]).unwrap_err().to_string();
        assert!(error.ends_with("choose one:\n  --port 9000\n  --port 9001"), "{error}");
    }
}
