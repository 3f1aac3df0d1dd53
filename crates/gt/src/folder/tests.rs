//! Tests of the runtime folder that need no environment variable.

use super::*;
use std::os::unix::fs::symlink;

/// A folder that is removed with everything in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gtf-{}-{number}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&path).unwrap();
        Scratch(path)
    }

    fn folder(&self) -> Folder {
        Folder { path: self.0.clone(), access: IpcAccess::SameUser }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn record() -> Record {
    Record { pid: 7, address: None, version: "1".to_string(), started: 3 }
}

#[test]
fn a_port_has_one_server_and_is_free_after_it() {
    let scratch = Scratch::new();
    let folder = scratch.folder();
    assert!(!claim::is_held(&scratch.0, 5));
    let mut claim = folder.claim(5).unwrap();
    claim.publish(&record()).unwrap();
    assert!(claim::is_held(&scratch.0, 5) && !claim::is_held(&scratch.0, 6));
    assert_eq!(folder.record(5), Some(record()));
    let error = folder.claim(5).unwrap_err().to_string();
    assert!(error.contains("a server (7) listens at port 5 already"), "{error}");
    drop(claim);
    assert!(!claim::is_held(&scratch.0, 5));
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 0);
    assert!(folder.claim(5).is_ok());
}

/// No process has the highest number that there can be.
const DEAD: u32 = i32::MAX as u32;

/// Leaves a socket without a listener, as a process does that was killed.
fn abandon_socket(path: PathBuf) {
    drop(std::os::unix::net::UnixListener::bind(path).unwrap());
}

fn signature(pid: u32) -> String {
    format!(r#"{{"format":"{}","pid":{pid}}}"#, leftover::FORMAT)
}

#[test]
fn leftovers_of_dead_processes_are_removed() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.0.join(name);
    let (dead_data, own_data) =
        (format!("6.{DEAD}.data"), format!("5.{}.data", std::process::id()));
    let dead = ["6.ipc", "6.watch", "6.relay", &dead_data];
    dead.iter().chain([&"7.ipc", &own_data.as_str()]).for_each(|name| abandon_socket(path(name)));
    fs::write(path("6.json"), signature(DEAD)).unwrap();
    let _claim = scratch.folder().claim(5).unwrap();
    assert!(!claim::is_held(&scratch.0, 6) && !path("6.json").exists());
    dead.iter().for_each(|name| assert!(!path(name).exists(), "{name}"));
    assert!(path("7.ipc").exists(), "there is no record that says whose it was");
    assert!(path(&own_data).exists(), "its process is alive");
}

#[test]
fn files_that_only_have_the_names_of_leftovers_stay() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.0.join(name);
    let data = [format!("ckpt.{DEAD}.data"), format!("6.{DEAD}.data"), format!("{DEAD}-0.process")];
    let named = ["config.json", "tokenizer.json", "6.json", "7.json", "9.ipc", "notes.txt"];
    let names: Vec<&str> = data.iter().map(String::as_str).chain(named).collect();
    names.iter().for_each(|name| fs::write(path(name), r#"{"pid": 2147483647}"#).unwrap());
    fs::write(path("8.json"), signature(std::process::id())).unwrap();
    fs::write(path("9.json"), signature(DEAD)).unwrap();
    let _claim = scratch.folder().claim(5).unwrap();
    for name in names.into_iter().chain(["8.json"]) {
        assert!(path(name).exists(), "{name}");
    }
    assert!(!path("9.json").exists());
    let error = scratch.folder().claim(7).unwrap_err().to_string();
    assert!(error.contains("7.json is in the way and is not the record of a server"), "{error}");
    assert_eq!(fs::read_to_string(path("7.json")).unwrap(), r#"{"pid": 2147483647}"#);
}

#[test]
fn a_folder_that_others_can_enter_is_refused() {
    let scratch = Scratch::new();
    check_private(&scratch.0).unwrap();
    for mode in [0o701, 0o710, 0o740, 0o777] {
        fs::set_permissions(&scratch.0, Permissions::from_mode(mode)).unwrap();
        let error = check_private(&scratch.0).unwrap_err().to_string();
        assert!(error.contains("others can enter it"), "{mode:o}: {error}");
    }
    let link = scratch.0.join("link");
    symlink(&scratch.0, &link).unwrap();
    assert!(check_private(&link).unwrap_err().to_string().contains("symbolic link"));
    assert!(check_private(Path::new("/dev/null")).unwrap_err().to_string().contains("no folder"));
}

#[test]
fn a_groups_folder_is_entered_only_if_its_owner_keeps_it() {
    let scratch = Scratch::new();
    let found = fs::metadata(&scratch.0).unwrap();
    let fits = |mode, owner| {
        fs::set_permissions(&scratch.0, Permissions::from_mode(mode)).unwrap();
        group_folder(scratch.0.clone(), owner).is_some()
    };
    assert!(fits(0o750, None) && fits(0o750, Some(found.uid())));
    assert!(!fits(0o750, Some(found.uid() + 1)));
    for mode in [0o700, 0o755, 0o770, 0o751] {
        assert!(!fits(mode, None), "{mode:o}");
    }
}

#[test]
fn groups_have_names_and_numbers() {
    assert_eq!(group_name(group_number("root").unwrap()).unwrap(), "root");
    for name in ["", "no such group", "a/b", "a\0b"] {
        assert!(group_number(name).is_err(), "{name:?}");
    }
}

#[test]
fn a_long_path_is_an_error_with_advice() {
    let folder =
        Folder { path: format!("/{}", "a".repeat(101)).into(), access: IpcAccess::SameUser };
    assert!(folder.socket("1.ipc").is_err());
    assert!(folder.socket("1.i").is_ok());
    let error = folder.sockets(12345).unwrap_err().to_string();
    assert!(error.contains("112 bytes") && error.contains("GT_RUNTIME_DIR"), "{error}");
}
