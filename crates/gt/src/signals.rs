//! The config of signals as programs use it: that of the session a thread uses, or, before there is
//! one, what the next session will start with.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use gt_client::config::{Config, Resolved, SignalConfig};
use gt_client::{Session, Tensor, fork, host, scope};
use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

use crate::default;
use crate::settings::Settings;

/// Counts the configs that sessions were given. Zero means that no name has a meaning.
static EPOCH: AtomicU64 = AtomicU64::new(0);

/// What users were warned of, so that each is said once.
static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
/// After so many warnings nobody reads another one.
const MOST_WARNINGS: usize = 1000;

/// How many configs sessions of this process were given; another number means that names may have
/// another meaning, and zero that none has one.
pub fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}

/// What is configured for the session that this thread uses, or for the next one.
pub fn config() -> Result<Config> {
    match default::open_session() {
        Some(session) => Ok(session.config().config.clone()),
        None => initial(&Settings::from_environment()?),
    }
}

/// What a session starts with: the file that the environment names, and what the program said
/// before there was a session.
pub(crate) fn initial(settings: &Settings) -> Result<Config> {
    let mut config = match &settings.config {
        Some(path) => {
            Config::default().read_file(path).map_err(|error| error.within("GT_CONFIG"))?
        }
        None => Config::default(),
    };
    config.merge(default::config_to_come());
    Ok(config)
}

/// Gives a session a config. What does not fit its workers in the part that it did not have is a
/// warning that the caller passes on, or an error if the user wants it to be one.
pub(crate) fn configure(
    session: &Session,
    config: Config,
    part: &Config,
    settings: &Settings,
) -> Result<Option<String>> {
    let workers = u32::try_from(session.status().workers).unwrap_or(u32::MAX);
    // What was decided automatically stays where the config says nothing.
    let auto = session.config().auto.clone();
    let resolved = Resolved { config, workers, strict: settings.config_strict, auto };
    let complaint = resolved.complaint(part);
    if let Some(text) = complaint.clone().filter(|_| resolved.strict) {
        return Err(Error::value(text));
    }
    if !resolved.config.is_empty() || session.is_auto_recording() {
        EPOCH.fetch_add(1, Ordering::Relaxed);
    }
    session.configure(Arc::new(resolved));
    Ok(complaint)
}

/// Adds what `text` says, which stands in a file of that name, to the config of the session that
/// this thread uses, or to what the next one starts with.
pub fn load_config(text: &str, file: &str) -> Result<()> {
    change(|config| config.read(text, file))
}

/// The same for one signal or module.
pub fn register_config(name: &str, signal: SignalConfig) -> Result<()> {
    change(|config| config.checked(name, signal))
}

/// Adds what `more` gives to what is configured.
fn change(more: impl FnOnce(&Config) -> Result<Config>) -> Result<()> {
    let settings = Settings::from_environment()?;
    let mut config = config()?;
    let more = more(&config)?;
    let Some(session) = default::open_session() else {
        default::add_config_to_come(more);
        return Ok(());
    };
    config.merge(more.clone());
    tell(configure(&session, config, &more, &settings)?)
}

/// Tells the host what came of a config. No lock is held here.
pub(crate) fn tell(complaint: Option<String>) -> Result<()> {
    if epoch() > 0 {
        host::configured();
    }
    match complaint {
        Some(text) if is_first("the workers", &text) => host::warn(&text),
        _ => Ok(()),
    }
}

/// Whether a config of a session has an entry about one of these names, or automatic sharding has
/// to know them: those of modules that are called by themselves.
pub fn is_configured(names: &[&str]) -> bool {
    let is_root = names.len() == 1;
    default::sessions().iter().any(|session| {
        let resolved = session.config();
        let auto = || resolved.auto.as_ref().is_some_and(|auto| auto.config.names(names));
        resolved.config.names(names) || auto() || is_root && session.is_auto_recording()
    })
}

/// What is configured, with what automatic sharding has decided where that says nothing.
pub fn effective_config() -> Result<Config> {
    let own = config()?;
    let auto = default::open_session().and_then(|session| session.config().auto.clone());
    let mut all = auto.map_or_else(Config::default, |auto| auto.config.clone());
    all.merge(own);
    Ok(all)
}

/// A module is about to be called by itself; see [`Session::auto_shard_before`]. Says whether names
/// have another meaning from here on.
pub fn before_call(name: &str, params: &[(String, Tensor)], learns: bool) -> Result<bool> {
    let Some(session) = default::open_session() else { return Ok(false) };
    let decided = session.auto_shard_before(name, params, learns)?;
    if decided {
        EPOCH.fetch_add(1, Ordering::Relaxed);
    }
    Ok(decided)
}

/// Whether the session that this thread uses waits for its first step.
pub fn is_auto_recording() -> bool {
    default::open_session().is_some_and(|session| session.is_auto_recording())
}

/// Begins a signal in this thread; see [`scope::exit`] and [`scope::restore`]. Names that the
/// config does not define are ignored with one warning each.
pub fn enter(name: &str, backward: Option<&str>) -> Result<()> {
    check_name("the signal", name)?;
    let configured = default::open_session().and_then(|session| session.backward_of(name));
    if let Some(backward) = backward.or(configured.as_deref()) {
        check_name("the backward signal", backward)?;
    }
    scope::enter(name, backward);
    Ok(())
}

/// Says so if the config does not define a signal. Where nothing is configured, no name has a
/// meaning, which is no mistake.
pub fn check_name(what: &str, name: &str) -> Result<()> {
    let resolved = match default::open_session() {
        Some(session) => session.config(),
        None => {
            let settings = Settings::from_environment()?;
            let (config, strict) = (initial(&settings)?, settings.config_strict);
            Arc::new(Resolved { config, strict, ..Resolved::default() })
        }
    };
    let Resolved { config, strict, .. } = &*resolved;
    if !strict && config.is_empty() || config.names(&[name]) {
        return Ok(());
    }
    let text = || config.unknown(what, name);
    match strict {
        true => Err(Error::value(text())),
        false if is_first(what, name) => host::warn(&format!("{}; it is ignored", text())),
        false => Ok(()),
    }
}

fn is_first(what: &str, name: &str) -> bool {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&WARNED));
    let mut warned = WARNED.lock();
    warned.len() < MOST_WARNINGS && warned.insert(format!("{what} {name}"))
}
