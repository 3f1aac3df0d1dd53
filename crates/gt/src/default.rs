//! The session that programs use without saying so: the one they connected last, or one that starts
//! with the first operation.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::sync::{MutexGuard, Once};

use gt_client::config::Config;
use gt_client::config::costs::MeasuredCosts;
use gt_client::remote::RemoteOptions;
use gt_client::{Session, WeakSession, fork};
use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

use crate::address::{self, Address, Trust};
use crate::settings::{self, Settings};
use crate::signals;

/// What a session should be like. The default is one that the first operation would start.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    /// Where its server is. Without it the session is at `GT_SERVER`, or in this process if that is
    /// not set.
    pub address: Option<String>,
    /// What people call it; user, host and process if absent.
    pub name: Option<String>,
    /// How many workers it has; as many as [`workers`] said, or else one in this process and all
    /// that a server has.
    pub workers: Option<usize>,
    /// How many bytes it may hold on each worker of a server at most; what the server allows if
    /// absent.
    pub memory_bytes: Option<u64>,
    /// Whether it is another one even if the default session has the same address.
    pub new: bool,
    /// What to show to a server on another host.
    pub trust: Trust,
}

struct Defaults {
    current: Option<Session>,
    /// Every session of this process, in the order they were opened.
    all: Vec<Known>,
    /// How many workers a session has that does not say it.
    workers: Option<usize>,
    /// What the program said of signals before there was a session.
    config: Config,
}

struct Known {
    session: WeakSession,
    /// Where its server is, if that is another process.
    address: Option<Address>,
}

static DEFAULTS: Mutex<Defaults> = Mutex::new(Defaults {
    current: None,
    all: Vec::new(),
    workers: None,
    config: Config { signals: Vec::new(), meshes: Vec::new(), params: Vec::new() },
});

thread_local! {
    /// The sessions that this thread uses instead, the innermost last.
    static USED: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

fn defaults() -> MutexGuard<'static, Defaults> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&DEFAULTS));
    DEFAULTS.lock()
}

impl Defaults {
    /// The session that is the default, if one is open.
    fn current(&mut self) -> Option<Session> {
        if self.loss().is_some() {
            return None;
        }
        if !self.current.as_ref().is_some_and(Session::is_open) {
            self.current = self.all.iter().rev().find_map(|known| known.session.upgrade());
        }
        self.current.clone()
    }

    /// Why the default session is lost, if it is. Nothing takes its place until the program says
    /// what: it may have meant the cluster, and not this process.
    fn loss(&self) -> Option<Error> {
        self.current.as_ref().and_then(Session::loss)
    }

    /// The default session, if its server is at this address.
    fn current_at(&mut self, address: &Address) -> Option<Session> {
        let session = self.current()?;
        self.address(&session).filter(|known| known.is_same(address))?;
        Some(session)
    }

    fn address(&self, session: &Session) -> Option<&Address> {
        let is_it = |known: &&Known| known.session.upgrade().is_some_and(|open| open.is(session));
        self.all.iter().find(is_it)?.address.as_ref()
    }

    fn start(&mut self, settings: &Settings, workers: usize, config: Config) -> Result<Started> {
        let session = Session::embedded(settings.embedded(workers)?)?;
        begin(&session, settings)?;
        let complaint = signals::configure(&session, config.clone(), &config, settings)?;
        self.adopt(&session, None);
        Ok(Started { session, complaint })
    }

    /// Makes a session the default.
    fn adopt(&mut self, session: &Session, address: Option<Address>) {
        // As in PyTorch, numbers differ from run to run until a program chooses its seed.
        session.manual_seed(RandomState::new().hash_one(std::process::id()));
        self.all.retain(|known| known.session.upgrade().is_some());
        self.all.push(Known { session: session.downgrade(), address });
        self.current = Some(session.clone());
    }
}

/// What the environment asks for before a session says anything.
fn begin(session: &Session, settings: &Settings) -> Result<()> {
    if let Some(path) = &settings.costs {
        let costs = MeasuredCosts::read_file(path).map_err(|error| error.within("GT_COSTS"))?;
        session.set_costs(costs);
    }
    if settings.explain {
        session.begin_explaining();
    }
    if settings.auto_shard {
        session.begin_auto_shard();
    }
    Ok(())
}

/// A session that was just opened, and what does not fit it.
struct Started {
    session: Session,
    complaint: Option<String>,
}

impl Started {
    /// The session, after the user was told. No lock is held here.
    fn told(self) -> Result<Session> {
        signals::tell(self.complaint)?;
        Ok(self.session)
    }
}

/// The session that operations without inputs use; one starts now if there is none.
pub fn session() -> Result<Session> {
    if let Some(session) = open_session() {
        return Ok(session);
    }
    if let Some(loss) = defaults().loss() {
        return Err(loss);
    }
    let settings = Settings::from_environment()?;
    if let Some(server) = &settings.server {
        return connect_remote(
            &settings,
            &server.parse()?,
            &ConnectOptions::default(),
            Rival::Wins,
        );
    }
    let config = signals::initial(&settings)?;
    let mut defaults = defaults();
    if let Some(faster) = defaults.current() {
        // Another thread has started one.
        return Ok(faster);
    }
    let workers = defaults.workers.unwrap_or(1);
    let started = defaults.start(&settings, workers, config)?;
    drop(defaults);
    started.told()
}

/// The session that operations without inputs use, if there is one.
pub fn open_session() -> Option<Session> {
    USED.with_borrow(|used| used.last().cloned()).or_else(|| defaults().current())
}

/// Opens a session and makes it the default. If the default session is at the address that is
/// wished for, that is the one, unless another one is wanted.
pub fn connect(options: &ConnectOptions) -> Result<Session> {
    options.workers.map_or(Ok(()), check_workers)?;
    let settings = Settings::from_environment()?;
    if let Some(address) = &options.address {
        let address: Address = address.parse().map_err(|error: Error| error.within("connect"))?;
        if !options.new
            && let Some(session) = defaults().current_at(&address)
        {
            return Ok(session);
        }
        return connect_remote(&settings, &address, options, Rival::Loses);
    }
    if let Some(server) = &settings.server {
        return connect_remote(&settings, &server.parse()?, options, Rival::Loses);
    }
    if options.memory_bytes.is_some() {
        return Err(Error::value(
            "connect: memory= limits a session at a server, and this one is in the program itself; \
             set GT_MEMORY",
        ));
    }
    let config = signals::initial(&settings)?;
    let mut defaults = defaults();
    let workers = options.workers.or(defaults.workers).unwrap_or(1);
    let started = defaults.start(&settings, workers, config)?;
    drop(defaults);
    started.told()
}

/// What the program said of signals before there was a session.
pub(crate) fn config_to_come() -> Config {
    defaults().config.clone()
}

/// Adds to that.
pub(crate) fn add_config_to_come(more: Config) {
    defaults().config.merge(more);
}

/// Every session of this process that is open.
pub(crate) fn sessions() -> Vec<Session> {
    defaults().all.iter().filter_map(|known| known.session.upgrade()).collect()
}

/// Where the server of a session is, if that is another process.
pub fn server_of(session: &Session) -> Option<String> {
    defaults().address(session).map(Address::to_string)
}

/// Which session is the default if another thread opened one meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rival {
    Wins,
    Loses,
}

fn connect_remote(
    settings: &Settings,
    address: &Address,
    options: &ConnectOptions,
    rival: Rival,
) -> Result<Session> {
    settings.voices.listen();
    gt_client::reads::warn(settings.warn_sync);
    let config = signals::initial(settings)?;
    let workers = options.workers.or(defaults().workers);
    let session = Session::remote(RemoteOptions {
        endpoint: address.endpoint(&options.trust).map_err(|error| error.within("connect"))?,
        address: address.to_string(),
        name: options.name.clone().unwrap_or_else(own_name),
        workers: workers.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        memory_bytes: options.memory_bytes,
        sync: settings.sync,
        compare_copies: settings.check_replicas,
        check_nan: settings.check_nan,
    })?;
    if let Some(sink) = settings.sink()? {
        session.observe(sink);
    }
    let mut defaults = defaults();
    match defaults.current() {
        Some(faster) if rival == Rival::Wins => {
            drop(defaults);
            session.close();
            Ok(faster)
        }
        _ => {
            begin(&session, settings)?;
            let complaint = signals::configure(&session, config.clone(), &config, settings)?;
            defaults.adopt(&session, Some(address.clone()));
            drop(defaults);
            Started { session, complaint }.told()
        }
    }
}

/// What people call a session that has no other name.
fn own_name() -> String {
    format!("{}@{}:{}", settings::user(), address::host_name(), std::process::id())
}

/// Asks for so many workers, before the first operation.
pub fn workers(count: usize) -> Result<()> {
    check_workers(count)?;
    let mut defaults = defaults();
    if let Some(session) = defaults.current()
        && session.status().workers != count
    {
        return Err(Error::runtime("workers: must be called before the first operation"));
    }
    defaults.workers = Some(count);
    Ok(())
}

fn check_workers(count: usize) -> Result<()> {
    if count == 0 {
        return Err(Error::value("workers: at least one is needed"));
    }
    Ok(())
}

/// Makes `session` the one that this thread uses, until [`leave`].
pub fn enter(session: &Session) {
    USED.with_borrow_mut(|used| used.push(session.clone()));
}

/// Ends the innermost [`enter`] of this thread.
pub fn leave() {
    USED.with_borrow_mut(|used| drop(used.pop()));
}

/// Ends the default session, if there is one. The one before it is the default then; without one,
/// the next operation starts another.
pub fn close() {
    let session = {
        let mut defaults = defaults();
        defaults.current();
        defaults.current.take()
    };
    if let Some(session) = session {
        session.close();
    }
}

/// Ends every session of this process.
pub fn close_all() {
    let all = std::mem::take(&mut defaults().all);
    all.iter().filter_map(|known| known.session.upgrade()).for_each(|session| session.close());
}
