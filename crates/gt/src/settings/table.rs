//! Every environment variable that is read, with its meaning.

use super::Variable;

const OFF: &str = "off";

pub(super) static SERVER: Variable = Variable {
    name: "GT_SERVER",
    default: "none",
    meaning: "The address of a server, such as `node7:12345`, that sessions are opened at if \
              nothing else is asked for. Without it they live in the program's own process.",
};
pub(super) static KEY: Variable = Variable {
    name: "GT_KEY",
    default: "`cluster.key` in the folder of keys, if it is there",
    meaning: "The key file that a client or a worker shows to a server on another host.",
};
pub(super) static KEYS: Variable = Variable {
    name: "GT_KEYS",
    default: "`gt/keys` in `$XDG_CONFIG_HOME` or `~/.config`",
    meaning: "The folder of keys. Nobody but its owner may enter it.",
};
pub(super) static RUNTIME_DIR: Variable = Variable {
    name: "GT_RUNTIME_DIR",
    default: "`gt` in `$XDG_RUNTIME_DIR`, or `/tmp/gt-UID`",
    meaning: "The folder in which processes of one host find each other: the sockets are in `gt` \
              inside of it, and nothing else there is touched. Only its owner may enter it; \
              sockets for a group are in a second folder next to it whose name ends in `-GROUP`.",
};

pub(super) static CONFIG: Variable = Variable {
    name: "GT_CONFIG",
    default: "none",
    meaning: "A YAML file that says where the values of signals, modules and parameters should \
              be; [the guide](../guide/signals.md) has its words. Each session reads it when it \
              starts.",
};
pub(super) static CONFIG_STRICT: Variable = Variable {
    name: "GT_CONFIG_STRICT",
    default: OFF,
    meaning: "With 1, a signal that the config does not define and a worker that does not exist \
              are errors, and not warnings.",
};
pub(super) static AUTO_SHARD: Variable = Variable {
    name: "GT_AUTO_SHARD",
    default: OFF,
    meaning: "With 1, what no config speaks of is cut over the workers where that pays, or where \
              it does not fit one of them: it is decided once, after the first step; \
              [the guide](../guide/sharding.md#without-a-file) says how.",
};
pub(super) static COSTS: Variable = Variable {
    name: "GT_COSTS",
    default: "constants of the engine",
    meaning: "A file that `gt measure` has written: what work and messages cost, by which \
              `GT_AUTO_SHARD` and `gt.explain()` reckon.",
};
pub(super) static INSTRUCTION_LOG: Variable = Variable {
    name: "GT_INSTRUCTION_LOG",
    default: "no log",
    meaning: "A file that gets one line for each event, at its end; \
              [the guide](../guide/seeing.md) explains it. A program that is connected to a \
              server gets the events of its own session, a server those of all.",
};
pub(super) static INSTRUCTION_LOG_SIZE: Variable = Variable {
    name: "GT_INSTRUCTION_LOG_SIZE",
    default: "no limit",
    meaning: "How large the log may be, such as `1G`. A larger one is renamed, with `.1` at its \
              end, and another one is begun, so that the log takes twice as much at most.",
};
pub(super) static THREADS: Variable = Variable {
    name: "GT_THREADS",
    default: "all cores",
    meaning: "How many threads large kernels use; all workers of a process share them.",
};
pub(super) static MEMORY: Variable = Variable {
    name: "GT_MEMORY",
    default: "80 % of what the process may use",
    meaning: "How much memory the workers of a process may use together, in bytes or with a unit: \
              `512M`, `2GiB`. Limits of a container and of the shell count for the default.",
};
pub(super) static BACKEND: Variable = Variable {
    name: "GT_BACKEND",
    default: "native",
    meaning: "What computes: `native`, or `reference` (also `numpy`), which is slow and plain, and \
              what the other is compared with.",
};
pub(super) static CPU: Variable = Variable {
    name: "GT_CPU",
    default: "the most that the processor has",
    meaning: "Which instructions the native engine uses in this process: `avx512`, `avx2`, or \
              `portable`, which every processor has. For comparing them: results may differ in \
              their last bits.",
};
pub(super) static WORKER_BATCH_SIZE: Variable = Variable {
    name: "GT_WORKER_BATCH_SIZE",
    default: "0",
    meaning: "How many commands a worker plans at once; 0 is automatic, 1 is one at a time.",
};
pub(super) static SYNC: Variable = Variable {
    name: "GT_SYNC",
    default: OFF,
    meaning: "With 1, every operation waits for its result, so that an error that depends on data \
              is raised at its own line. Slow; for debugging.",
};
pub(super) static CHECK_REPLICAS: Variable = Variable {
    name: "GT_CHECK_REPLICAS",
    default: OFF,
    meaning: "With 1, the copies of every tensor that is read or updated in place on several \
              workers are compared; if their bits differ, the next read raises an error that names \
              the tensor, its line and the workers. Slow; for debugging.",
};
pub(super) static CHECK_NAN: Variable = Variable {
    name: "GT_CHECK_NAN",
    default: OFF,
    meaning: "With 1, an operation whose result is not finite although its inputs are fails: the \
              next read raises an error with its name, its line and the worker. Slow; for \
              debugging.",
};
pub(super) static WARN_SYNC: Variable = Variable {
    name: "GT_WARN_SYNC",
    default: OFF,
    meaning: "With 1, each line of the program that waits for a value is told once, as a warning; \
              `gt.debug.reads()` says how often they do.",
};
pub(super) static EXPLAIN: Variable = Variable {
    name: "GT_EXPLAIN",
    default: OFF,
    meaning: "With 1, sessions keep account of what is decided from their beginning, for \
              `gt.explain()`.",
};
pub(super) static MONITOR: Variable = Variable {
    name: "GT_MONITOR",
    default: "1",
    meaning: "With 0, sessions in the program's own process leave no socket in the runtime \
              folder: `gt top` and `gt trace` do not find them, and they have no dashboard.",
};
pub(super) static VERBOSE: Variable = Variable {
    name: "GT_VERBOSE",
    default: OFF,
    meaning: "With 1, sessions say on the standard error stream when they start and end.",
};
pub(super) static DEBUG_CLIENT: Variable = Variable {
    name: "GT_DEBUG_CLIENT",
    default: OFF,
    meaning: "With 1, the client tells of its waits.",
};
pub(super) static DEBUG_DISPATCHER: Variable = Variable {
    name: "GT_DEBUG_DISPATCHER",
    default: OFF,
    meaning: "With 1, the dispatcher tells of every message, and for each instruction where its \
              inputs are, how it is shared, and what moves for it.",
};
pub(super) static DEBUG_WORKER: Variable = Variable {
    name: "GT_DEBUG_WORKER",
    default: OFF,
    meaning: "With 1, workers tell of every plan.",
};
pub(super) static DEBUG_COMPILE: Variable = Variable {
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
