//! What the tests share: a folder of their own, and waiting with a deadline.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_zmq::{
    Arrival, ClientSecurity, Context, Dealer, DealerEvent, Endpoint, IpcAccess, Options, PeerId,
    Pollable, Router, wait,
};

/// Longer than anything takes that works; a test that waits so long has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gt-zmq-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("it works here");
        Folder(path)
    }

    pub fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asks again and again, waiting in between, until there is an answer.
pub fn until<S: Pollable, T>(socket: &mut S, mut ask: impl FnMut(&mut S) -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask(socket) {
            return answer;
        }
        assert!(Instant::now() < end, "nothing happens");
        wait(&[socket], &[], Duration::from_secs(1)).expect("it works here");
    }
}

pub fn arrival(router: &mut Router) -> Arrival {
    until(router, |router| router.receive().expect("it works here"))
}

/// The next message of anybody.
pub fn message(router: &mut Router) -> (PeerId, Vec<Bytes>) {
    match arrival(router) {
        Arrival::Message { from, frames } => (from, frames),
        Arrival::Gone { from } => panic!("{from:?} is gone"),
    }
}

pub fn event(dealer: &mut Dealer) -> DealerEvent {
    until(dealer, |dealer| dealer.receive().expect("it works here"))
}

pub fn frames(words: &[&str]) -> Vec<Bytes> {
    words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())).collect()
}

pub fn ipc(folder: &Folder) -> Endpoint {
    Endpoint::Ipc(folder.socket())
}

pub fn insecure(address: &str) -> Endpoint {
    Endpoint::Tcp { address: address.to_string(), security: ClientSecurity::Insecure }
}

/// A router at a Unix socket.
pub fn router(context: &Context, folder: &Folder, options: &Options) -> Router {
    let mut router = Router::new(context, options).expect("it works here");
    router.bind_ipc(&folder.socket(), IpcAccess::SameUser).expect("it works here");
    router
}

pub fn dealer(context: &Context, endpoint: &Endpoint) -> Dealer {
    Dealer::connect(context, endpoint, &Options::default()).expect("it works here")
}

/// A dealer whose peer has introduced itself.
pub fn connected(context: &Context, endpoint: &Endpoint) -> Dealer {
    let mut dealer = dealer(context, endpoint);
    assert_eq!(event(&mut dealer), DealerEvent::Connected);
    dealer
}
