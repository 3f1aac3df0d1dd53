//! `gt keys`: who may connect to the servers that use a ring of keys.

use clap::Subcommand;
use gt::keys::{Expiry, KeyRing, role_name};
use gt_core::Result;
use gt_dispatcher::role::Role;

use crate::say::say;
use crate::table::table;

/// What `gt keys` is told.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a key file that may connect as a client, to give to somebody.
    New {
        /// What the key is called.
        name: String,
        /// The key is for a worker, which computes for everybody and sees their values.
        #[arg(long, conflicts_with = "operator")]
        worker: bool,
        /// The key is for whoever runs the server: it may be anything, and watch all sessions.
        #[arg(long)]
        operator: bool,
        /// From when on the key may not connect any more: after a time such as 12h or 30d, or at a
        /// date such as 2027-01-31 (UTC).
        #[arg(long, value_name = "WHEN", value_parser = expiry)]
        expires: Option<Expiry>,
    },
    /// Show the keys that may connect.
    List,
    /// Take a key off the list, and end the sessions and workers that use it.
    Remove {
        /// The name of the key, or the key itself.
        #[arg(value_name = "NAME|KEY")]
        which: String,
    },
}

fn expiry(text: &str) -> std::result::Result<Expiry, String> {
    Expiry::asked(text, Expiry::now())
}

/// Does what is asked.
pub fn run(args: &Args) -> Result<()> {
    let ring = KeyRing::of_user()?;
    match &args.action {
        Action::New { name, worker, operator, expires } => {
            let role = match (*worker, *operator) {
                (true, _) => Role::Worker,
                (_, true) => Role::Operator,
                (false, false) => Role::Client,
            };
            say(ring.add(name, role, *expires)?.display());
        }
        Action::List => say(list(&ring)?),
        Action::Remove { which } => {
            let removed = ring.remove(which)?;
            let name = if removed.name.is_empty() { removed.key.to_string() } else { removed.name };
            say(format_args!("{name} may not connect any more, and its connections are ended"));
        }
    }
    Ok(())
}

fn list(ring: &KeyRing) -> Result<String> {
    let allowed = if ring.allowed_list().exists() { ring.allowed()? } else { Vec::new() };
    let file = |name: &str| {
        let path = ring.key_file(name);
        if path.exists() { path.display().to_string() } else { "-".to_string() }
    };
    let rows: Vec<_> = allowed
        .iter()
        .map(|one| {
            let (role, key) = (role_name(one.role).to_string(), one.key.to_string());
            let expiry = match one.expiry {
                None => "never".to_string(),
                Some(expiry) if expiry <= Expiry::now() => format!("{expiry} (expired)"),
                Some(expiry) => expiry.to_string(),
            };
            [one.name.clone(), role, key, expiry, file(&one.name)]
        })
        .collect();
    Ok(match rows.as_slice() {
        [] => format!("no keys in {}", ring.allowed_list().display()),
        rows => table(["name", "role", "key", "expires", "file"], rows),
    })
}
