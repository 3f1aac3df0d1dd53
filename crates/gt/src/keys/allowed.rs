//! The list of keys that may connect: a line for each, with its role, when it expires and its name.

use std::path::Path;

use gt_core::{Error, Result};
use gt_dispatcher::role::Role;
use gt_zmq::PublicKey;

use super::expiry::Expiry;

const ROLES: [Role; 4] = [Role::Client, Role::Worker, Role::Both, Role::Operator];

/// A key that may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The key.
    pub key: PublicKey,
    /// What it may be.
    pub role: Role,
    /// From when on it may not connect any more.
    pub expiry: Option<Expiry>,
    /// What it is called; empty for a line without a name.
    pub name: String,
}

impl Allowed {
    /// The line of the list.
    pub(super) fn line(&self) -> String {
        let role = role_name(self.role);
        let expiry = self.expiry.map_or(String::new(), |expiry| format!(" expires={expiry}"));
        format!("{} role={role}{expiry} {}", self.key, self.name).trim_end().to_string()
    }

    /// The key in a line of the list, if it is not a remark. Keys have `#` inside, but none begins
    /// with it: that would be a number of more than 32 bits.
    pub(super) fn parse(path: &Path, number: usize, line: &str) -> Result<Option<Allowed>> {
        let wrong =
            |what: String| Error::value(format!("{}, line {number}: {what}", path.display()));
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (word, mut rest) = first_word(line);
        let key = word.parse().map_err(|error| wrong(format!("no key: {error}")))?;
        // A key without a role is a client: a worker sees the values of all sessions.
        let (mut role, mut expiry) = (Role::Client, None);
        loop {
            let (word, others) = first_word(rest);
            if let Some(name) = word.strip_prefix("role=") {
                let found = ROLES.into_iter().find(|known| role_name(*known) == name);
                role = found.ok_or_else(|| {
                    wrong(format!(
                        "'{word}' is none of role=client, role=worker, role=both and role=operator"
                    ))
                })?;
            } else if let Some(text) = word.strip_prefix("expires=") {
                expiry = Some(text.parse().map_err(|reason| wrong(format!("'{word}': {reason}")))?);
            } else {
                break;
            }
            rest = others;
        }
        let name = rest.trim_start_matches('#').trim().to_string();
        Ok(Some(Allowed { key, role, expiry, name }))
    }
}

/// What a role is called in the list of keys and to people.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Client => "client",
        Role::Worker => "worker",
        Role::Both => "both",
        Role::Operator => "operator",
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}
