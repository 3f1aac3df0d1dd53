//! The environment variables: one table, read in one place when a session starts. `cargo xtask
//! generate` prints it as `docs/reference/environment.md`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use gt_client::Options;
use gt_core::event::EventSink;
use gt_core::{Error, Result};
use gt_native::cpu::Cpu;
use gt_worker::Window;
use gt_worker::engine::registry::Backend;

use crate::folder::Folder;
use crate::{engines, limits, log_file, verbose};

mod table;
mod variable;

pub use table::ALL;
pub use variable::{Variable, parse_bytes};

/// Where a session of this process can be watched, if there is a place for a socket. If the user
/// has named a folder that cannot be one, it is said once.
fn monitor_socket() -> Option<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static SAID: Once = Once::new();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{number}.process", std::process::id());
    let socket = Folder::own().and_then(|folder| folder.socket(&name));
    if let Err(error) = &socket
        && runtime_folder().is_ok_and(|folder| folder.is_some())
    {
        // There is nobody else to tell if even this cannot be written.
        SAID.call_once(|| {
            drop(writeln!(io::stderr(), "gt: nobody can watch this program: {error}"));
        });
    }
    socket.ok()
}

/// The address of the server that the environment names.
pub fn server() -> Result<Option<String>> {
    table::SERVER.text()
}

/// The key file that the environment names.
pub(crate) fn key_file() -> Result<Option<PathBuf>> {
    Ok(table::KEY.text()?.map(PathBuf::from))
}

/// The folder of keys that the environment names, or the one in the user's own configuration.
pub(crate) fn key_folder() -> Result<PathBuf> {
    if let Some(folder) = table::KEYS.path()? {
        return Ok(folder);
    }
    let above = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    above.map(|above| above.join("gt").join("keys")).ok_or_else(|| {
        Error::value("there is no place for keys, because HOME is not set; set GT_KEYS to a folder")
    })
}

/// The runtime folder that the environment names.
pub(crate) fn runtime_folder() -> Result<Option<PathBuf>> {
    table::RUNTIME_DIR.path()
}

/// The runtime folder of the user's login, if there is one.
pub(crate) fn login_folder() -> Option<PathBuf> {
    absolute("XDG_RUNTIME_DIR")
}

/// Whether people want colours, as <https://no-color.org> has it.
pub fn wants_colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// What the user is called.
pub(crate) fn user() -> String {
    let name = |variable| std::env::var(variable).ok().filter(|name| !name.is_empty());
    // SAFETY: geteuid only reads a number.
    name("USER")
        .or_else(|| name("LOGNAME"))
        .unwrap_or_else(|| unsafe { libc::geteuid() }.to_string())
}

fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// What the environment asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The address at which sessions are opened; in this process if absent.
    pub server: Option<String>,
    /// What says where the values of signals should be.
    pub config: Option<PathBuf>,
    /// Whether what a config does not define is an error.
    pub config_strict: bool,
    /// Whether what no config speaks of is cut where that pays.
    pub auto_shard: bool,
    /// What says what work and messages cost.
    pub costs: Option<PathBuf>,
    /// Where to write a line for each event.
    pub instruction_log: Option<PathBuf>,
    /// How large that may be.
    pub instruction_log_size: Option<usize>,
    /// How many threads large kernels use; all cores if zero.
    pub threads: usize,
    /// How many bytes the workers may use; most of what there is if absent.
    pub memory: Option<usize>,
    /// What computes; the native engine if absent.
    pub backend: Option<Backend>,
    /// Which instructions the native engine uses; the best if absent.
    pub cpu: Option<Cpu>,
    /// How many commands go into one plan; automatic if zero.
    pub worker_batch_size: usize,
    /// Whether every operation waits for its result.
    pub sync: bool,
    /// Whether copies are compared.
    pub check_replicas: bool,
    /// Whether results that are not finite fail, if their inputs are.
    pub check_nan: bool,
    /// Whether the first wait of each line is told.
    pub warn_sync: bool,
    /// Whether what is decided is kept from the beginning.
    pub explain: bool,
    /// Whether other processes can watch sessions of this one.
    pub monitor: bool,
    /// Who speaks.
    pub voices: verbose::LogFilter,
}

impl Settings {
    /// What the environment of this process asks for.
    pub fn from_environment() -> Result<Self> {
        engines::register();
        Ok(Settings {
            server: table::SERVER.text()?,
            config: table::CONFIG.text()?.map(PathBuf::from),
            config_strict: table::CONFIG_STRICT.switch()?,
            auto_shard: table::AUTO_SHARD.switch()?,
            costs: table::COSTS.text()?.map(PathBuf::from),
            instruction_log: table::INSTRUCTION_LOG.text()?.map(PathBuf::from),
            instruction_log_size: table::INSTRUCTION_LOG_SIZE.bytes()?,
            threads: table::THREADS.number()?,
            memory: table::MEMORY.bytes()?,
            backend: table::BACKEND.backend()?,
            cpu: table::CPU.cpu()?,
            worker_batch_size: table::WORKER_BATCH_SIZE.number()?,
            sync: table::SYNC.switch()?,
            check_replicas: table::CHECK_REPLICAS.switch()?,
            check_nan: table::CHECK_NAN.switch()?,
            warn_sync: table::WARN_SYNC.switch()?,
            explain: table::EXPLAIN.switch()?,
            monitor: table::MONITOR.text()?.as_deref() != Some("0"),
            voices: verbose::LogFilter {
                sessions: table::VERBOSE.switch()?,
                client: table::DEBUG_CLIENT.switch()?,
                dispatcher: table::DEBUG_DISPATCHER.switch()?,
                worker: table::DEBUG_WORKER.switch()?,
                compile: table::DEBUG_COMPILE.switch()?,
            },
        })
    }

    /// How to set up an embedded system with so many workers.
    pub fn embedded(&self, workers: usize) -> Result<Options> {
        self.voices.listen();
        self.select_cpu()?;
        gt_client::reads::warn(self.warn_sync);
        let (threads, memory, window) = (self.thread_count(), self.memory_bytes(), self.window());
        Ok(Options {
            workers,
            threads,
            memory,
            backend: self.backend(),
            window,
            sync: self.sync,
            compare_copies: self.check_replicas,
            check_nan: self.check_nan,
            sink: self.sink()?,
            monitor: self.monitor.then(monitor_socket).flatten(),
        })
    }

    /// What computes.
    pub fn backend(&self) -> Backend {
        self.backend.unwrap_or(gt_native::BACKEND)
    }

    /// Has the native engine of this process use the instructions that are asked for.
    pub fn select_cpu(&self) -> Result<()> {
        let select = |cpu: Cpu| cpu.select().map_err(|error| error.within(table::CPU.name));
        self.cpu.map_or(Ok(()), select)
    }

    /// How many threads large kernels use.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// How many bytes the workers of a process may use.
    pub fn memory_bytes(&self) -> usize {
        self.memory.unwrap_or_else(limits::memory_bytes)
    }

    /// How much of a queue a worker plans at once.
    pub fn window(&self) -> Window {
        let automatic = Window::default();
        match self.worker_batch_size {
            0 => automatic,
            commands => Window { commands, ..automatic },
        }
    }

    /// The instruction log, if one is wanted.
    pub fn sink(&self) -> Result<Option<Box<dyn EventSink>>> {
        self.sink_that(log_file::Overflow::Waits(log_file::PATIENCE))
    }

    /// The same for a server, where nobody waits for its disk.
    pub fn server_sink(&self) -> Result<Option<Box<dyn EventSink>>> {
        self.sink_that(log_file::Overflow::IsCounted)
    }

    fn sink_that(&self, overflow: log_file::Overflow) -> Result<Option<Box<dyn EventSink>>> {
        let Some(path) = self.instruction_log.clone() else { return Ok(None) };
        let place = log_file::LogPlace { path, most_bytes: self.instruction_log_size };
        log_file::create(&place, overflow).map(Some)
    }
}
