//! The keys of servers and of those who may connect to them, in files that only their
//! owner can read.
//!
//! A server's ring has `server.secret`, the server's own keys; `allowed`, the public keys that may
//! connect, one to a line, each with its role and a name behind it; and key files: `client.key`,
//! `cluster.key` and those that `gt keys new` makes. A key file is what a client or a worker on
//! another host is given.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use gt_core::{Error, Result};
use gt_dispatcher::role::Role;
use gt_zmq::{ClientSecurity, KeyPair, PublicKey, SecretKey, SecretText};

use crate::settings;

mod allowed;
mod expiry;

pub use allowed::{Allowed, role_name};
pub use expiry::Expiry;

const SERVER: &str = "server.secret";
/// The key of programs, which may be a client only.
const CLIENT: &str = "client";
/// The key of hosts with workers, which may be a client, too.
const CLUSTER: &str = "cluster";
const ALLOWED: &str = "allowed";
const ABOUT_SERVER: &str = "# The keys of a GT server. Nobody else may have them.";
const ABOUT_KEY: &str = "# Lets a client or a worker connect to a GT server: GT_KEY, or --key.";
const ABOUT_ALLOWED: &str =
    "# Public keys that may connect, what they may be there, and what they are called.";

/// A folder of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRing {
    folder: PathBuf,
}

/// What a server needs to admit others.
#[derive(Debug)]
pub struct ServerKeys {
    /// The server's own keys.
    pub pair: KeyPair,
    /// Who may connect.
    pub allowed: Vec<Allowed>,
    /// Whether they were made just now.
    pub origin: Origin,
}

/// Where keys come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// They were made just now.
    Made,
    /// They were there.
    Found,
}

/// What a client or a worker shows to a server.
#[derive(Clone, Debug)]
pub struct KeyFile {
    /// The server's public key.
    pub server: PublicKey,
    /// The client's own keys.
    pub pair: KeyPair,
}

impl KeyRing {
    /// The ring that the environment names, or the user's own.
    pub fn of_user() -> Result<KeyRing> {
        Ok(KeyRing { folder: settings::key_folder()? })
    }

    /// The keys of the server, made on first use. Several servers may ask at once: each file
    /// appears whole, and all of them use what the first has written.
    pub fn server(&self) -> Result<ServerKeys> {
        self.make_folder()?;
        let origin = self.place_once(SERVER, || server_text(&KeyPair::generate()))?;
        let pair = self.server_pair()?;
        if !self.allowed_list().exists() {
            self.make_first_keys(pair.public)?;
        }
        for path in [CLUSTER, CLIENT].map(|name| self.key_file(name)) {
            if path.exists() && KeyFile::read(&path)?.server != pair.public {
                let (path, server) = (path.display(), self.folder.join(SERVER));
                return Err(Error::runtime(format!(
                    "{path} belongs to another server than {}; remove it, and make other keys \
                     with `gt keys new` if there are none",
                    server.display()
                )));
            }
        }
        Ok(ServerKeys { pair, allowed: self.allowed()?, origin })
    }

    /// Makes a key for programs and one for hosts with workers, and a list of both.
    fn make_first_keys(&self, server: PublicKey) -> Result<()> {
        let mut list = format!("{ABOUT_ALLOWED}\n");
        for (name, role) in [(CLUSTER, Role::Both), (CLIENT, Role::Client)] {
            let file = KeyFile { server, pair: KeyPair::generate() };
            self.place_once(&format!("{name}.key"), || file.text())?;
            let key = KeyFile::read(&self.key_file(name))?.pair.public;
            let line = Allowed { key, role, expiry: None, name: name.to_string() }.line();
            list.push_str(&line);
            list.push('\n');
        }
        self.place_once(ALLOWED, || list).map(drop)
    }

    /// The keys of the list, those that have expired included.
    pub fn allowed(&self) -> Result<Vec<Allowed>> {
        self.check_folder()?;
        let path = self.allowed_list();
        let text = read_private(&path)?;
        let lines = text.as_str().lines().enumerate();
        let parsed = lines.map(|(number, line)| Allowed::parse(&path, number + 1, line));
        parsed.filter_map(Result::transpose).collect()
    }

    /// The list of keys that may connect.
    pub fn allowed_list(&self) -> PathBuf {
        self.folder.join(ALLOWED)
    }

    /// The key file for hosts with workers.
    pub fn cluster_key(&self) -> PathBuf {
        self.key_file(CLUSTER)
    }

    /// The key file for programs.
    pub fn client_key(&self) -> PathBuf {
        self.key_file(CLIENT)
    }

    /// The key file of this name, which need not be there.
    pub fn key_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.key"))
    }

    /// Makes a key file, lets its key connect in a role until it expires, and returns the path.
    pub fn add(&self, name: &str, role: Role, expiry: Option<Expiry>) -> Result<PathBuf> {
        check_name(name)?;
        let ServerKeys { pair, allowed, .. } = self.server()?;
        let path = self.key_file(name);
        let file = KeyFile { server: pair.public, pair: KeyPair::generate() };
        let taken = allowed.iter().any(|allowed| allowed.name == name);
        if taken || self.place_once(&format!("{name}.key"), || file.text())? == Origin::Found {
            return Err(Error::value(format!(
                "there is a key '{name}' already; `gt keys remove {name}` removes it"
            )));
        }
        let (key, name) = (file.pair.public, name.to_string());
        let line = format!("{}\n", Allowed { key, role, expiry, name }.line());
        let list = self.allowed_list();
        // One write to the end of a file is whole, whoever else writes there.
        let append = || OpenOptions::new().append(true).open(&list)?.write_all(line.as_bytes());
        append().map_err(|error| cannot("written", &list, &error))?;
        Ok(path)
    }

    /// Takes a key off the list, by name or by the key itself, and removes its file. Gives what
    /// it was.
    pub fn remove(&self, which: &str) -> Result<Allowed> {
        let allowed = self.allowed()?;
        let is_meant = |one: &&Allowed| {
            one.key.to_string() == which || (one.name == which && !which.is_empty())
        };
        let meant = allowed.iter().find(is_meant).cloned().ok_or_else(|| {
            Error::value(format!("there is no key '{which}'; `gt keys list` shows those there are"))
        })?;
        let rest = allowed.iter().filter(|one| one.key != meant.key);
        let rest: String = rest.map(|one| format!("{}\n", one.line())).collect();
        let path = self.allowed_list();
        let draft = self.draft(ALLOWED);
        write_private(&draft, &format!("{ABOUT_ALLOWED}\n{rest}"))?;
        fs::rename(&draft, &path).map_err(|error| cannot("written", &path, &error))?;
        if check_name(&meant.name).is_ok() {
            // A key that was entered by hand has no file here.
            let _ = fs::remove_file(self.key_file(&meant.name));
        }
        Ok(meant)
    }

    fn server_pair(&self) -> Result<KeyPair> {
        let path = self.folder.join(SERVER);
        let words = Words::read(&path)?;
        Ok(KeyPair { public: words.public("public")?, secret: words.secret("secret")? })
    }

    /// Writes a file unless it is there; it appears whole or not at all.
    fn place_once(&self, name: &str, text: impl FnOnce() -> String) -> Result<Origin> {
        let path = self.folder.join(name);
        if path.exists() {
            return Ok(Origin::Found);
        }
        let draft = self.draft(name);
        write_private(&draft, SecretText::new(text()).as_str())?;
        // Unlike a rename, a link does not replace what somebody else has put there.
        let linked = fs::hard_link(&draft, &path);
        let _ = fs::remove_file(&draft);
        match linked {
            Ok(()) => Ok(Origin::Made),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Origin::Found),
            Err(error) => Err(cannot("written", &path, &error)),
        }
    }

    /// A name that nobody else uses at the moment.
    fn draft(&self, name: &str) -> PathBuf {
        let thread = format!("{:?}", std::thread::current().id());
        let number: String = thread.chars().filter(char::is_ascii_digit).collect();
        self.folder.join(format!(".{name}.{}.{number}", std::process::id()))
    }

    fn make_folder(&self) -> Result<()> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.map_err(|error| cannot("made", &self.folder, &error))?;
        self.check_folder()
    }

    fn check_folder(&self) -> Result<()> {
        let found = fs::metadata(&self.folder);
        let found = found.map_err(|error| cannot("read", &self.folder, &error))?;
        check_owner(&self.folder, &found, "700")
    }
}

impl KeyFile {
    /// The file to show to a server on another host: the one that is asked for, or the one that the
    /// environment names, or that of the cluster or of its clients, whichever is there.
    pub fn find(asked: Option<&Path>) -> Result<Option<KeyFile>> {
        if let Some(path) = asked.map(Path::to_path_buf).or(settings::key_file()?) {
            return KeyFile::read(&path).map(Some);
        }
        let ring = KeyRing::of_user()?;
        let found = [ring.cluster_key(), ring.client_key()].into_iter().find(|path| path.exists());
        found.map(|path| KeyFile::read(&path)).transpose()
    }

    /// Reads a key file.
    pub fn read(path: &Path) -> Result<KeyFile> {
        let words = Words::read(path)?;
        let pair = KeyPair { public: words.public("public")?, secret: words.secret("secret")? };
        Ok(KeyFile { server: words.public("server")?, pair })
    }

    /// What it proves.
    pub fn security(self) -> ClientSecurity {
        let KeyPair { public, secret } = self.pair;
        ClientSecurity::Curve { server: self.server, public, secret }
    }

    fn text(&self) -> String {
        let KeyPair { public, secret } = &self.pair;
        format!("{ABOUT_KEY}\nserver {}\npublic {public}\nsecret {secret}\n", self.server)
    }
}

/// The lines of a file, each a word and what stands behind it.
struct Words<'a> {
    path: &'a Path,
    lines: HashMap<String, SecretText>,
}

impl<'a> Words<'a> {
    fn read(path: &'a Path) -> Result<Words<'a>> {
        let text = read_private(path)?;
        let pairs = text.as_str().lines().filter_map(|line| line.trim().split_once(' '));
        let secret = |rest: &str| SecretText::new(rest.trim().to_string());
        let lines = pairs.map(|(word, rest)| (word.to_string(), secret(rest))).collect();
        Ok(Words { path, lines })
    }

    fn get(&self, word: &str) -> Result<&str> {
        self.lines.get(word).map(SecretText::as_str).ok_or_else(|| {
            let path = self.path.display();
            Error::value(format!("{path} is no key file of GT: it has no line '{word} …'"))
        })
    }

    fn public(&self, word: &str) -> Result<PublicKey> {
        self.get(word)?.parse().map_err(|error| self.wrong(word, &error))
    }

    fn secret(&self, word: &str) -> Result<SecretKey> {
        self.get(word)?.parse().map_err(|error| self.wrong(word, &error))
    }

    fn wrong(&self, word: &str, error: &gt_zmq::Error) -> Error {
        Error::value(format!("{}: the line '{word} …' has no key: {error}", self.path.display()))
    }
}

fn server_text(pair: &KeyPair) -> String {
    format!("{ABOUT_SERVER}\npublic {}\nsecret {}\n", pair.public, pair.secret)
}

fn check_name(name: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > 60 || name.starts_with(['.', '-']) || !name.chars().all(fits)
    {
        return Err(Error::value(format!(
            "'{name}' cannot be the name of a key; letters, digits, '.', '_' and '-' make a name"
        )));
    }
    Ok(())
}

/// Reads a file that nobody else can.
fn read_private(path: &Path) -> Result<SecretText> {
    let found = fs::metadata(path).map_err(|error| cannot("read", path, &error))?;
    check_owner(path, &found, "600")?;
    let text = fs::read_to_string(path).map_err(|error| cannot("read", path, &error))?;
    Ok(SecretText::new(text))
}

fn write_private(path: &Path, text: &str) -> Result<()> {
    let write = || {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| cannot("written", path, &error))
}

/// An error if others can read keys.
fn check_owner(path: &Path, found: &fs::Metadata, mode: &str) -> Result<()> {
    // SAFETY: geteuid only reads a number.
    let user = unsafe { libc::geteuid() };
    let path = path.display();
    if found.uid() != user && found.uid() != 0 {
        return Err(Error::runtime(format!(
            "{path} belongs to user {}, who could have put other keys there; copy it",
            found.uid()
        )));
    }
    if found.mode() & 0o077 != 0 {
        return Err(Error::runtime(format!(
            "{path} can be read by others (its mode is {:o}), and keys must not be; `chmod {mode}` \
             it, and replace the keys if somebody may have read them",
            found.mode() & 0o777
        )));
    }
    Ok(())
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::runtime(format!("{} cannot be {what}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
