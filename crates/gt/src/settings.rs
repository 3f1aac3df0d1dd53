//! The environment variables: one table, read in one place when a session starts. `cargo xtask
//! generate` prints it as `docs/reference/environment.md`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use gt_client::Options;
use gt_core::event::EventSink;
use gt_core::{Error, Result};
use gt_worker::Window;
use gt_worker::engine::backend::Backend;
use gt_worker::engine::native::cpu::Cpu;

use crate::folder::Folder;
use crate::{limits, log_file, verbose};

mod variable;

pub use variable::{Variable, parse_bytes};

const OFF: &str = "off";

static SERVER: Variable = Variable {
    name: "GT_SERVER",
    default: "none",
    meaning: "The address of a server, such as `node7:12345`, that sessions are opened at if \
              nothing else is asked for. Without it they live in the program's own process.",
};
static KEY: Variable = Variable {
    name: "GT_KEY",
    default: "`cluster.key` in the folder of keys, if it is there",
    meaning: "The key file that a client or a worker shows to a server on another host.",
};
static KEYS: Variable = Variable {
    name: "GT_KEYS",
    default: "`gt/keys` in `$XDG_CONFIG_HOME` or `~/.config`",
    meaning: "The folder of keys. Nobody but its owner may enter it.",
};
static RUNTIME_DIR: Variable = Variable {
    name: "GT_RUNTIME_DIR",
    default: "`gt` in `$XDG_RUNTIME_DIR`, or `/tmp/gt-UID`",
    meaning: "The folder of the sockets by which processes of one host find each other. Nobody but \
              its owner may enter it; sockets for a group are in a folder beside it whose name \
              ends in `-GROUP`.",
};

static CONFIG: Variable = Variable {
    name: "GT_CONFIG",
    default: "none",
    meaning: "A YAML file that says where the values of signals, modules and parameters should \
              be; [the guide](../guide/signals.md) has its words. Each session reads it when it \
              starts.",
};
static CONFIG_STRICT: Variable = Variable {
    name: "GT_CONFIG_STRICT",
    default: OFF,
    meaning: "With 1, a signal that the config does not define and a worker that does not exist \
              are errors, and not warnings.",
};
static AUTO_SHARD: Variable = Variable {
    name: "GT_AUTO_SHARD",
    default: OFF,
    meaning: "With 1, what no config speaks of is cut over the workers where that pays, or where \
              it does not fit one of them: it is decided once, after the first step; \
              [the guide](../guide/sharding.md#without-a-file) says how.",
};
static COSTS: Variable = Variable {
    name: "GT_COSTS",
    default: "constants of the engine",
    meaning: "A file that `gt measure` has written: what work and messages cost, by which \
              `GT_AUTO_SHARD` and `gt.explain()` reckon.",
};
static INSTRUCTION_LOG: Variable = Variable {
    name: "GT_INSTRUCTION_LOG",
    default: "no log",
    meaning: "A file that gets one line for each event, at its end; \
              [the guide](../guide/seeing.md) explains it. A program that is connected to a \
              server gets the events of its own session, a server those of all.",
};
static INSTRUCTION_LOG_SIZE: Variable = Variable {
    name: "GT_INSTRUCTION_LOG_SIZE",
    default: "no limit",
    meaning: "How large the log may be, such as `1G`. A larger one is renamed, with `.1` at its \
              end, and another one is begun, so that the log takes twice as much at most.",
};
static THREADS: Variable = Variable {
    name: "GT_THREADS",
    default: "all cores",
    meaning: "How many threads large kernels use; all workers of a process share them.",
};
static MEMORY: Variable = Variable {
    name: "GT_MEMORY",
    default: "80 % of what the process may use",
    meaning: "How much memory the workers of a process may use together, in bytes or with a unit: \
              `512M`, `2GiB`. Limits of a container and of the shell count for the default.",
};
static BACKEND: Variable = Variable {
    name: "GT_BACKEND",
    default: "native",
    meaning: "What computes: `native`, or `reference` (also `numpy`), which is slow and plain, and \
              what the other is compared with.",
};
static CPU: Variable = Variable {
    name: "GT_CPU",
    default: "the most that the processor has",
    meaning: "Which instructions the native engine uses in this process: `avx512`, `avx2`, or \
              `portable`, which every processor has. For comparing them: results may differ in \
              their last bits.",
};
static WORKER_BATCH_SIZE: Variable = Variable {
    name: "GT_WORKER_BATCH_SIZE",
    default: "0",
    meaning: "How many commands a worker plans at once; 0 is automatic, 1 is one at a time.",
};
static SYNC: Variable = Variable {
    name: "GT_SYNC",
    default: OFF,
    meaning: "With 1, every operation waits for its result, so that an error that depends on data \
              is raised at its own line. Slow; for debugging.",
};
static CHECK_REPLICAS: Variable = Variable {
    name: "GT_CHECK_REPLICAS",
    default: OFF,
    meaning: "With 1, the copies of every tensor that is read or updated in place on several \
              workers are compared; if their bits differ, the next read raises an error that names \
              the tensor, its line and the workers. Slow; for debugging.",
};
static CHECK_NAN: Variable = Variable {
    name: "GT_CHECK_NAN",
    default: OFF,
    meaning: "With 1, an operation whose result is not finite although its inputs are fails: the \
              next read raises an error with its name, its line and the worker. Slow; for \
              debugging.",
};
static WARN_SYNC: Variable = Variable {
    name: "GT_WARN_SYNC",
    default: OFF,
    meaning: "With 1, each line of the program that waits for a value is told once, as a warning; \
              `gt.debug.reads()` says how often they do.",
};
static EXPLAIN: Variable = Variable {
    name: "GT_EXPLAIN",
    default: OFF,
    meaning: "With 1, sessions keep account of what is decided from their beginning, for \
              `gt.explain()`.",
};
static MONITOR: Variable = Variable {
    name: "GT_MONITOR",
    default: "1",
    meaning: "With 0, sessions in the program's own process leave no socket in the runtime \
              folder: `gt top` and `gt trace` do not find them, and they have no dashboard.",
};
static VERBOSE: Variable = Variable {
    name: "GT_VERBOSE",
    default: OFF,
    meaning: "With 1, sessions say on the standard error stream when they start and end.",
};
static DEBUG_CLIENT: Variable = Variable {
    name: "GT_DEBUG_CLIENT",
    default: OFF,
    meaning: "With 1, the client tells of its waits.",
};
static DEBUG_DISPATCHER: Variable = Variable {
    name: "GT_DEBUG_DISPATCHER",
    default: OFF,
    meaning: "With 1, the dispatcher tells of every message, and for each instruction where its \
              inputs are, how it is shared, and what moves for it.",
};
static DEBUG_WORKER: Variable = Variable {
    name: "GT_DEBUG_WORKER",
    default: OFF,
    meaning: "With 1, workers tell of every plan.",
};
static DEBUG_COMPILE: Variable = Variable {
    name: "GT_DEBUG_COMPILE",
    default: OFF,
    meaning: "With 1, workers tell what they compile; the native engine compiles nothing.",
};

/// Every variable that is read.
pub static ALL: &[&Variable] = &[
    &SERVER,
    &KEY,
    &KEYS,
    &RUNTIME_DIR,
    &CONFIG,
    &CONFIG_STRICT,
    &AUTO_SHARD,
    &COSTS,
    &INSTRUCTION_LOG,
    &INSTRUCTION_LOG_SIZE,
    &THREADS,
    &MEMORY,
    &BACKEND,
    &CPU,
    &WORKER_BATCH_SIZE,
    &SYNC,
    &CHECK_REPLICAS,
    &CHECK_NAN,
    &WARN_SYNC,
    &EXPLAIN,
    &MONITOR,
    &VERBOSE,
    &DEBUG_CLIENT,
    &DEBUG_DISPATCHER,
    &DEBUG_WORKER,
    &DEBUG_COMPILE,
];

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

/// The key file that the environment names.
pub(crate) fn key_file() -> Result<Option<PathBuf>> {
    Ok(KEY.text()?.map(PathBuf::from))
}

/// The folder of keys that the environment names, or the one in the user's own configuration.
pub(crate) fn key_folder() -> Result<PathBuf> {
    if let Some(folder) = KEYS.path()? {
        return Ok(folder);
    }
    let above = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    above.map(|above| above.join("gt").join("keys")).ok_or_else(|| {
        Error::value("there is no place for keys, because HOME is not set; set GT_KEYS to a folder")
    })
}

/// The runtime folder that the environment names.
pub(crate) fn runtime_folder() -> Result<Option<PathBuf>> {
    RUNTIME_DIR.path()
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
    /// What computes.
    pub backend: Backend,
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
        Ok(Settings {
            server: SERVER.text()?,
            config: CONFIG.text()?.map(PathBuf::from),
            config_strict: CONFIG_STRICT.switch()?,
            auto_shard: AUTO_SHARD.switch()?,
            costs: COSTS.text()?.map(PathBuf::from),
            instruction_log: INSTRUCTION_LOG.text()?.map(PathBuf::from),
            instruction_log_size: INSTRUCTION_LOG_SIZE.bytes()?,
            threads: THREADS.number()?,
            memory: MEMORY.bytes()?,
            backend: BACKEND.backend()?,
            cpu: CPU.cpu()?,
            worker_batch_size: WORKER_BATCH_SIZE.number()?,
            sync: SYNC.switch()?,
            check_replicas: CHECK_REPLICAS.switch()?,
            check_nan: CHECK_NAN.switch()?,
            warn_sync: WARN_SYNC.switch()?,
            explain: EXPLAIN.switch()?,
            monitor: MONITOR.text()?.as_deref() != Some("0"),
            voices: verbose::LogFilter {
                sessions: VERBOSE.switch()?,
                client: DEBUG_CLIENT.switch()?,
                dispatcher: DEBUG_DISPATCHER.switch()?,
                worker: DEBUG_WORKER.switch()?,
                compile: DEBUG_COMPILE.switch()?,
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
            backend: self.backend,
            window,
            sync: self.sync,
            compare_copies: self.check_replicas,
            check_nan: self.check_nan,
            sink: self.sink()?,
            monitor: self.monitor.then(monitor_socket).flatten(),
        })
    }

    /// Has the native engine of this process use the instructions that are asked for.
    pub fn select_cpu(&self) -> Result<()> {
        let select = |cpu: Cpu| cpu.select().map_err(|error| error.within(CPU.name));
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
