//! Tests of the ring of keys.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A ring in a folder that does not exist yet and is removed at the end.
struct Scratch(KeyRing);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gtk-{}-{number}", std::process::id());
        Scratch(KeyRing { folder: std::env::temp_dir().join(name).join("keys") })
    }

    fn names(&self) -> Vec<String> {
        self.0.allowed().unwrap().into_iter().map(|allowed| allowed.name).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.folder.parent().unwrap());
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn keys_are_made_once_for_their_owner_alone() {
    let scratch = Scratch::new();
    let made = scratch.0.server().unwrap();
    assert_eq!(made.origin, Origin::Made);
    let found = scratch.0.server().unwrap();
    assert_eq!((found.origin, found.pair.public), (Origin::Found, made.pair.public));
    assert_eq!(mode(&scratch.0.folder), 0o700);
    let entries = fs::read_dir(&scratch.0.folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["allowed", "client.key", "cluster.key", "server.secret"]);
    names.iter().for_each(|name| assert_eq!(mode(&scratch.0.folder.join(name)), 0o600, "{name:?}"));
    let cluster = KeyFile::read(&scratch.0.cluster_key()).unwrap();
    assert_eq!(cluster.server, made.pair.public);
    let client = KeyFile::read(&scratch.0.client_key()).unwrap();
    let allowed = |file: KeyFile, role, name: &str| {
        let key = file.pair.public;
        Allowed { key, role, expiry: None, name: name.into() }
    };
    let both = [allowed(cluster, Role::Both, "cluster"), allowed(client, Role::Client, "client")];
    assert_eq!(found.allowed, both);
}

#[test]
fn servers_that_start_at_once_have_the_same_keys() {
    let scratch = Scratch::new();
    let server = || scratch.0.server().unwrap();
    let all: Vec<ServerKeys> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(server)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|keys| keys.pair.public == all[0].pair.public));
    assert!(all.iter().all(|keys| keys.allowed == all[0].allowed));
    assert_eq!(all.iter().filter(|keys| keys.origin == Origin::Made).count(), 1);
}

#[test]
fn named_keys_come_and_go() {
    let scratch = Scratch::new();
    let path = scratch.0.add("ann", Role::Client, None).unwrap();
    scratch.0.add("bob", Role::Worker, None).unwrap();
    assert_eq!(scratch.names(), ["cluster", "client", "ann", "bob"]);
    assert_eq!(mode(&path), 0o600);
    let again = scratch.0.add("ann", Role::Worker, None).unwrap_err().to_string();
    assert!(again.contains("keys remove ann"), "{again}");
    for name in ["", "../ann", ".ann", "a b", "cluster", "client"] {
        assert!(scratch.0.add(name, Role::Client, None).is_err(), "{name:?}");
    }
    scratch.0.remove("ann").unwrap();
    assert!(!path.exists() && mode(&scratch.0.allowed_list()) == 0o600);
    let bob = KeyFile::read(&scratch.0.key_file("bob")).unwrap().pair.public;
    assert_eq!(scratch.0.remove(&bob.to_string()).unwrap().name, "bob");
    assert_eq!(scratch.names(), ["cluster", "client"]);
    assert!(scratch.0.remove("bob").unwrap_err().to_string().contains("no key 'bob'"));
}

#[test]
fn a_list_has_remarks_and_keys_have_names() {
    let path = Path::new("allowed");
    let key = format!("0#{}", "0".repeat(38));
    let parse = |line: &str| Allowed::parse(path, 3, line);
    let hers = parse(&format!("{key}  # ann's own")).unwrap().unwrap();
    assert_eq!((hers.key.to_string(), hers.name), (key, "ann's own".to_string()));
    for remark in ["", "  ", "# a remark", "#remark"] {
        assert_eq!(parse(remark).unwrap(), None);
    }
    assert!(parse("abc ann").unwrap_err().to_string().contains("allowed, line 3"));
}

#[test]
fn a_key_has_the_role_that_its_line_says_and_is_a_client_without_one() {
    let scratch = Scratch::new();
    scratch.0.add("node8", Role::Worker, None).unwrap();
    let text = fs::read_to_string(scratch.0.allowed_list()).unwrap();
    let roles = |text: &str| {
        fs::write(scratch.0.allowed_list(), text).unwrap();
        let allowed = scratch.0.allowed().unwrap();
        allowed.into_iter().map(|one| (one.name, one.role)).collect::<Vec<_>>()
    };
    let expected = |cluster, node8| {
        let named = [("cluster", cluster), ("client", Role::Client), ("node8", node8)];
        named.map(|(name, role)| (name.to_string(), role))
    };
    assert_eq!(roles(&text), expected(Role::Both, Role::Worker));
    // The key of the cluster is no exception.
    let clients = text.replace("role=both", "role=client");
    assert_eq!(roles(&clients), expected(Role::Client, Role::Worker));
    let bare = text.replace("role=both ", "").replace("role=worker ", "");
    assert_eq!(roles(&bare), expected(Role::Client, Role::Client));
    fs::write(scratch.0.allowed_list(), &text).unwrap();
    scratch.0.add("ann", Role::Client, None).unwrap();
    scratch.0.remove("ann").unwrap();
    assert_eq!(fs::read_to_string(scratch.0.allowed_list()).unwrap(), text);
    fs::write(scratch.0.allowed_list(), text.replace("role=worker", "role=boss")).unwrap();
    let error = scratch.0.allowed().unwrap_err().to_string();
    assert!(error.contains("line 4: 'role=boss' is none of"), "{error}");
}

#[test]
fn a_key_may_expire() {
    let scratch = Scratch::new();
    let expiry = Some(Expiry(1_830_297_599));
    scratch.0.add("guest", Role::Client, expiry).unwrap();
    let text = fs::read_to_string(scratch.0.allowed_list()).unwrap();
    assert!(text.contains(" role=client expires=2027-12-31T23:59:59Z guest\n"), "{text}");
    scratch.0.add("ann", Role::Client, None).unwrap();
    scratch.0.remove("ann").unwrap();
    let guest = scratch.0.allowed().unwrap().pop().unwrap();
    assert_eq!((guest.name.as_str(), guest.expiry), ("guest", expiry));
    fs::write(scratch.0.allowed_list(), text.replace("2027-12-31T", "2027-12-32T")).unwrap();
    let error = scratch.0.allowed().unwrap_err().to_string();
    assert!(error.contains("line 4: 'expires=2027-12-32T23:59:59Z': "), "{error}");
}

#[test]
fn a_removed_key_is_not_made_again() {
    let scratch = Scratch::new();
    scratch.0.server().unwrap();
    scratch.0.remove("cluster").unwrap();
    scratch.0.remove("client").unwrap();
    assert!(scratch.0.server().unwrap().allowed.is_empty());
    assert!(!scratch.0.cluster_key().exists() && !scratch.0.client_key().exists());
}

#[test]
fn loose_permissions_are_refused() {
    let scratch = Scratch::new();
    scratch.0.server().unwrap();
    for name in ["server.secret", "cluster.key", "allowed", ""] {
        let path = scratch.0.folder.join(name);
        let before = mode(&path);
        chmod(&path, before | 0o040);
        let error = scratch.0.server().unwrap_err().to_string();
        assert!(error.contains("can be read by others") && error.contains("chmod"), "{error}");
        chmod(&path, before);
    }
    scratch.0.server().unwrap();
}

#[test]
fn a_file_without_keys_says_what_is_missing() {
    let scratch = Scratch::new();
    scratch.0.server().unwrap();
    let path = scratch.0.cluster_key();
    fs::write(&path, "server nonsense\npublic x\n").unwrap();
    assert!(KeyFile::read(&path).unwrap_err().to_string().contains("line 'public …' has no key"));
    fs::write(&path, "server nonsense\n").unwrap();
    assert!(KeyFile::read(&path).unwrap_err().to_string().contains("no line 'public …'"));
    assert!(KeyFile::read(Path::new("/nowhere.key")).is_err());
}
