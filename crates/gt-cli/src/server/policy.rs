//! The file that says what users and keys may have, and SIGHUP, which reads it again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use gt::folder::number_of_user;
use gt::keys::KeyRing;
use gt::settings::parse_bytes;
use gt_client::config::source;
use gt_core::{Error, Result};
use gt_dispatcher::policy::{Allowance, Policy, PolicyUpdate};
use gt_transport::share::{MemoryLimit, Weight};
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};
use signal_hook::consts::SIGHUP;
use signal_hook::iterator::{Handle, Signals};

use crate::say::{complain, say};

/// A policy that is read again at SIGHUP, until this is dropped.
pub struct PolicyFile {
    update: PolicyUpdate,
    listening: Option<(Handle, JoinHandle<()>)>,
}

impl PolicyFile {
    /// Reads the file, if there is one. Without one everybody may have everything.
    pub fn open(path: Option<PathBuf>) -> Result<PolicyFile> {
        let update = PolicyUpdate::default();
        let Some(path) = path else { return Ok(PolicyFile { update, listening: None }) };
        update.leave(read(&path)?);
        let wrong = |error| Error::runtime(format!("cannot listen to signals: {error}"));
        let mut signals = Signals::new([SIGHUP]).map_err(wrong)?;
        let (handle, own) = (signals.handle(), update.clone());
        let hear = move || {
            for _ in signals.forever() {
                match read(&path) {
                    Ok(policy) => {
                        own.leave(policy);
                        say(format_args!("the policy was read again from {}", path.display()));
                    }
                    // The one before stays.
                    Err(error) => complain(format_args!("gt server: {error}")),
                }
            }
        };
        let thread = thread::Builder::new().name("gt-policy".to_string()).spawn(hear);
        let listening = Some((handle, thread.map_err(wrong)?));
        Ok(PolicyFile { update, listening })
    }

    /// What brings it to the server.
    pub fn update(&self) -> PolicyUpdate {
        self.update.clone()
    }
}

impl Drop for PolicyFile {
    fn drop(&mut self) {
        if let Some((handle, thread)) = self.listening.take() {
            handle.close();
            let _ = thread.join();
        }
    }
}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    default: Words,
    users: HashMap<String, Spanned<Words>>,
    keys: HashMap<String, Spanned<Words>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Words {
    weight: Option<Spanned<u16>>,
    sessions: Option<u32>,
    workers: Option<Spanned<u32>>,
    bytes: Option<Spanned<String>>,
    session_bytes: Option<Spanned<String>>,
}

fn read(path: &Path) -> Result<Policy> {
    let wrong = |error| Error::value(format!("{} cannot be read: {error}", path.display()));
    let text = source::read_text(path).map_err(wrong)?;
    let keys = |name: &str| -> Result<Option<[u8; 32]>> {
        let allowed = KeyRing::of_user()?.allowed()?;
        Ok(allowed.iter().find(|one| one.name == name).map(|one| one.key.0))
    };
    parse(&path.display().to_string(), &text, number_of_user, keys)
}

fn parse(
    file: &str,
    text: &str,
    user: impl Fn(&str) -> Result<u32>,
    key: impl Fn(&str) -> Result<Option<[u8; 32]>>,
) -> Result<Policy> {
    if text.trim().is_empty() {
        return Ok(Policy::default());
    }
    let wrong = |at: &Location, what: String| {
        Error::value(format!("{file}:{}:{}: {what}", at.line(), at.column()))
    };
    let options = source::options(text);
    let written: Written = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let at = error.location().unwrap_or(Location::UNKNOWN);
        let text = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
        wrong(&at, text.lines().next().unwrap_or_default().to_string())
    })?;
    let allowance = |words: &Words| -> Result<Allowance> {
        let weight = match &words.weight {
            Some(weight) => Weight::new(weight.value)
                .ok_or_else(|| wrong(&weight.referenced, "a weight is at least 1".into()))?,
            None => Weight::ONE,
        };
        let workers = match &words.workers {
            Some(workers) if workers.value == 0 => {
                return Err(wrong(&workers.referenced, "a session has at least 1 worker".into()));
            }
            workers => workers.as_ref().map(|workers| workers.value),
        };
        let limit = |words: &Option<Spanned<String>>| match words {
            Some(text) => memory_limit(&text.value).ok_or_else(|| {
                wrong(&text.referenced, "memory is written as 512M, 8GiB or 50%".into())
            }),
            None => Ok(MemoryLimit::NONE),
        };
        let (memory, session_memory) = (limit(&words.bytes)?, limit(&words.session_bytes)?);
        Ok(Allowance { weight, workers, sessions: words.sessions, memory, session_memory })
    };
    let mut policy = Policy { default: allowance(&written.default)?, ..Policy::default() };
    for (name, words) in &written.users {
        let number = name.parse().or_else(|_| user(name));
        let number = number.map_err(|error| wrong(&words.referenced, error.to_string()))?;
        policy.users.insert(number, allowance(&words.value)?);
    }
    for (name, words) in &written.keys {
        let unknown = || wrong(&words.referenced, format!("there is no key '{name}'"));
        policy.keys.insert(key(name)?.ok_or_else(unknown)?, allowance(&words.value)?);
    }
    Ok(policy)
}

/// How much memory a text means: bytes, or hundredths of what a worker has.
fn memory_limit(text: &str) -> Option<MemoryLimit> {
    let limit = match text.strip_suffix('%') {
        Some(percent) => {
            let percent = percent.trim().parse().ok().filter(|percent| *percent <= 100)?;
            MemoryLimit { percent, ..MemoryLimit::NONE }
        }
        None => MemoryLimit { bytes: parse_bytes(text)? as u64, ..MemoryLimit::NONE },
    };
    (limit.percent > 0 && limit.bytes > 0).then_some(limit)
}

#[cfg(test)]
mod tests {
    use gt_dispatcher::role::Identity;

    use super::*;

    fn parsed(text: &str) -> Result<Policy> {
        let user = |name: &str| match name {
            "ada" => Ok(7),
            _ => Err(Error::value(format!("there is no user '{name}'"))),
        };
        parse("policy.yaml", text, user, |name| Ok((name == "lab").then_some([1; 32])))
    }

    #[test]
    fn who_is_not_named_has_the_default() {
        let policy = parsed(
            "default: {sessions: 2, session_bytes: 50%}\nusers:\n  \
             ada: {weight: 3, workers: 4, bytes: 2GiB}\n  1000: {}\n\
             keys:\n  lab: {sessions: 9, bytes: 4096}\n",
        );
        let policy = policy.expect("it is a policy");
        let weight = Weight::new(3).expect("it is not zero");
        let memory = MemoryLimit { bytes: 2 << 30, ..MemoryLimit::NONE };
        let of_ada = Allowance { weight, workers: Some(4), memory, ..Allowance::default() };
        assert_eq!(policy.of(Identity::User(7)), of_ada);
        assert_eq!(policy.of(Identity::User(1000)), Allowance::default());
        assert_eq!(policy.of(Identity::Key([1; 32])).sessions, Some(9));
        assert_eq!(policy.of(Identity::Key([2; 32])).sessions, Some(2));
        assert_eq!(policy.of(Identity::Key([1; 32])).memory.of(1 << 20), 4096);
        let unnamed = policy.of(Identity::Anonymous);
        assert_eq!((unnamed.sessions, unnamed.session_memory.of(1000)), (Some(2), 500));
    }

    #[test]
    fn mistakes_are_told_with_their_places() {
        for (text, want) in [
            ("default: {weight: 0}", "policy.yaml:1:19: a weight is at least 1"),
            ("users:\n  eve: {weight: 2}", "policy.yaml:2:8: there is no user 'eve'"),
            ("users: {}\nkeys:\n  x: {}", "policy.yaml:3:6: there is no key 'x'"),
            ("default: {wieght: 2}", "policy.yaml:1:11: "),
            ("default: [", "policy.yaml:1:"),
            ("default: {bytes: 0%}", "policy.yaml:1:18: memory is written as"),
            ("default: {bytes: 101%}", "policy.yaml:1:18: memory is written as"),
            ("default: {session_bytes: much}", "policy.yaml:1:26: memory is written as"),
            ("default: {weight: 70000}", "policy.yaml:1:19: "),
        ] {
            let error = parsed(text).expect_err("it is no policy").to_string();
            assert!(error.contains(want), "{text:?}: {error}");
        }
    }
}
