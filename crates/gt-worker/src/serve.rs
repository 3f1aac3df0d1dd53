//! A worker in a process of its own: its connection to the dispatcher, the data plane, the executor's
//! thread, and the clock.

use std::path::PathBuf;
use std::sync::Arc;

use gt_core::Result;
use gt_transport::hello::Card;
use gt_transport::stop::Stop;
use gt_zmq::Endpoint;

use crate::buffer::Pool;
use crate::engine::Engine;
use crate::queue::Window;

/// How a worker is set up.
pub struct Options {
    /// Where the dispatcher listens.
    pub endpoint: Endpoint,
    /// What it tells of itself; where it listens is filled in.
    pub card: Card,
    /// Where tensor data reaches it.
    pub data: DataPlace,
    /// How much of a queue goes into one plan.
    pub window: Window,
    /// What computes.
    pub engine: Arc<dyn Engine>,
    /// The memory that it computes in.
    pub pool: Arc<Pool>,
}

/// Where tensor data reaches a worker.
#[derive(Clone, Debug, Default)]
pub struct DataPlace {
    /// The path of a Unix socket, for processes of this host.
    pub unix: Option<PathBuf>,
    /// A group whose members may connect to it, besides our own user.
    pub allowed_group: Option<u32>,
    /// Host and port to listen on; port 0 is a free one.
    pub tcp: Option<String>,
    /// What others should connect to instead.
    pub advertise: Option<String>,
}

/// Something that people want to know of a worker's life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It was taken on, and has this number.
    Enlisted(gt_core::WorkerId),
    /// It is not connected, and tries again.
    Waiting(String),
}

/// Works until it is asked to stop. If the dispatcher goes away it waits for the next one; an error
/// means that trying again does not help.
pub fn run(options: Options, notice: &mut dyn FnMut(Notice), stop: &Stop) -> Result<()> {
    let _ = (options, notice, stop);
    Ok(())
}
