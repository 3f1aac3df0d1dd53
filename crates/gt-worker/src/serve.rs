//! A worker in a process of its own: its connection to the dispatcher, the data plane, the
//! executor's thread, and the clock.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gt_core::{Result, WorkerId};
use gt_transport::hello::WorkerInfo;
use gt_transport::stop::Stop;
use gt_zmq::Endpoint;

use self::worker_loop::{Parting, WorkerLoop};
use crate::buffer::Pool;
use crate::engine::HostEngine;
use crate::panic_hook;
use crate::queue::Window;
use crate::spill::Spill;

mod executing;
mod inbox;
mod pool_source;
mod progress;
mod worker_loop;

/// How long a worker waits before it looks for a dispatcher again.
const PAUSE: Duration = Duration::from_millis(500);

/// How a worker is set up.
pub struct Options {
    /// Where the dispatcher listens.
    pub endpoint: Endpoint,
    /// What it tells of itself; where it listens is filled in.
    pub info: WorkerInfo,
    /// Where tensor data reaches it.
    pub data: DataPlace,
    /// How much of a queue goes into one plan.
    pub window: Window,
    /// What computes.
    pub engine: Arc<HostEngine>,
    /// The memory that it computes in.
    pub pool: Arc<Pool>,
    /// Where values go when memory is short; they stay if absent.
    pub spill: Option<Arc<Spill>>,
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
    Registered(WorkerId),
    /// It is not connected, and tries again.
    Waiting(String),
}

/// Works until it is asked to stop. If the dispatcher goes away it waits for the next one, as a new
/// worker with empty hands; an error means that trying again does not help.
pub fn run(options: Options, notice: &mut dyn FnMut(Notice), stop: &Stop) -> Result<()> {
    panic_hook::kernel_panics();
    let mut said = None;
    while !stop.is_stopped() {
        let mut worker_loop = WorkerLoop::open(&options)?;
        let parting = worker_loop.work(&mut |worker| notice(Notice::Registered(worker)), stop)?;
        let Parting::Apart { reason, was_registered } = parting else { return Ok(()) };
        if was_registered || said.as_ref() != Some(&reason) {
            notice(Notice::Waiting(reason.clone()));
            said = Some(reason);
        }
        drop(worker_loop);
        if !stop.is_stopped() {
            gt_zmq::wait(&[], &[stop.waker()], PAUSE).map_err(inbox::cannot_wait)?;
        }
    }
    Ok(())
}
