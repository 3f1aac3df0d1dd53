//! `gt keys`: who may connect to the servers that use a ring of keys.

use clap::Subcommand;
use gt::keys::KeyRing;
use gt_core::Result;

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
    /// Make a key file that may connect, to give to somebody.
    New {
        /// What the key is called.
        name: String,
    },
    /// Show the keys that may connect.
    List,
    /// Take a key off the list.
    Remove {
        /// The name of the key, or the key itself.
        #[arg(value_name = "NAME|KEY")]
        which: String,
    },
}

/// Does what is asked.
pub fn run(args: &Args) -> Result<()> {
    let ring = KeyRing::of_user()?;
    match &args.action {
        Action::New { name } => say(ring.add(name)?.display()),
        Action::List => say(list(&ring)?),
        Action::Remove { which } => {
            let removed = ring.remove(which)?;
            let name = if removed.name.is_empty() { removed.key.to_string() } else { removed.name };
            say(format_args!("{name} may not connect any more; connections that it has go on"));
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
        .map(|one| [one.name.clone(), one.key.to_string(), file(&one.name)])
        .collect();
    Ok(match rows.as_slice() {
        [] => format!("no keys in {}", ring.allowed_list().display()),
        rows => table(["name", "key", "file"], rows),
    })
}
