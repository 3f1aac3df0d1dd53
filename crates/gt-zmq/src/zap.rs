//! Who may enter a port with CURVE: libzmq asks a socket inside the process (ZAP, RFC 27), and a
//! thread answers from the allow lists.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;

use crate::context::Context;
use crate::fork::Home;
use crate::socket::Socket;
use crate::{AllowList, Error, PublicKey, Result, error, ffi, keys};

const ADDRESS: &CStr = c"inproc://zeromq.zap.01";
const VERSION: &[u8] = b"1.0";

/// The domain of addresses without keys. Only a socket that has been given another domain needs it,
/// because libzmq does not take a domain back.
pub const OPEN: &[u8] = b"open";

/// Answers libzmq's questions about keys until its context ends.
pub struct Guard(Arc<Book>);

struct Book {
    lists: Mutex<HashMap<String, AllowList>>,
    next: AtomicU64,
    /// Stands before the key in the `User-Id` of messages. A peer without CURVE may claim any
    /// `User-Id` in its greeting, but cannot know this.
    seal: String,
}

/// Connections for which one allow list decides, until this is dropped.
pub struct Domain {
    name: String,
    book: Arc<Book>,
    home: Home,
}

impl Guard {
    /// Starts the thread, which ends with the context.
    pub fn start(context: &Context) -> Result<Guard> {
        let seal = keys::random::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        let book = Arc::new(Book { lists: Mutex::default(), next: AtomicU64::new(0), seal });
        let socket = Socket::of_context(context, ffi::ZMQ_REP)?;
        socket.bind(ADDRESS).map_err(|code| Error::System {
            operation: "decide about keys",
            reason: error::reason(code),
        })?;
        let guard = Guard(book.clone());
        thread::Builder::new()
            .name("zmq-guard".to_string())
            .spawn(move || answer(&socket, &book))
            .map_err(|error| Error::system("start a thread", &error))?;
        Ok(guard)
    }

    /// From now on the list decides about connections of the domain that is returned.
    pub fn protect(&self, allowed: AllowList, home: Home) -> Domain {
        let name = self.0.next.fetch_add(1, Ordering::Relaxed).to_string();
        let mut lists = self.0.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.insert(name.clone(), allowed);
        Domain { name, book: self.0.clone(), home }
    }

    /// The key in a `User-Id`, if this guard has written it.
    pub fn key_of(&self, user: &str) -> Option<PublicKey> {
        let (seal, key) = user.split_at_checked(self.0.seal.len())?;
        keys::equal(seal.as_bytes(), self.0.seal.as_bytes()).then(|| key.parse().ok())?
    }
}

impl Domain {
    /// What sockets of the domain tell libzmq.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        // The parent's thread may have held the lock when it forked.
        if self.home.is_here() {
            let mut lists = self.book.lists.lock().unwrap_or_else(PoisonError::into_inner);
            lists.remove(&self.name);
        }
    }
}

fn answer(socket: &Socket, book: &Book) {
    while let Ok(Some(request)) = socket.receive_blocking() {
        let reply = book.reply(&request);
        // Whoever asked may have gone meanwhile.
        let _ = socket.send_all(&reply, None);
    }
}

impl Book {
    fn reply(&self, request: &[Bytes]) -> Vec<Bytes> {
        let number = request.get(1).cloned().unwrap_or_default();
        let user = self.admitted(request);
        let (status, text) = match user {
            Some(_) => (&b"200"[..], &b"OK"[..]),
            None => (&b"400"[..], &b"the key is not on the list"[..]),
        };
        let metadata = Bytes::new();
        let words = [VERSION, status, text].map(Bytes::from_static);
        let [version, status, text] = words;
        vec![version, number, status, text, user.unwrap_or_default().into(), metadata]
    }

    /// The `User-Id` of whoever may enter. A request is version, number, domain, address, identity,
    /// mechanism, and with CURVE a key.
    fn admitted(&self, request: &[Bytes]) -> Option<String> {
        let [version, _, domain, _, _, mechanism, key @ ..] = request else { return None };
        match (&version[..], &mechanism[..], key) {
            (VERSION, b"NULL", []) if domain == OPEN => Some(String::new()),
            (VERSION, b"CURVE", [key]) => self.admitted_key(domain, key),
            _ => None,
        }
    }

    fn admitted_key(&self, domain: &[u8], key: &[u8]) -> Option<String> {
        let key = PublicKey(key.try_into().ok()?);
        let domain = std::str::from_utf8(domain).ok()?;
        // Reading a list again takes a while, in which sockets may open and close.
        let list = {
            let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
            lists.get(domain)?.clone()
        };
        list.admits(key).then(|| format!("{}{key}", self.seal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Label;

    fn request(domain: &str, mechanism: &str, key: &[u8]) -> Vec<Bytes> {
        ["1.0", "7", domain, "10.0.0.1", "", mechanism]
            .map(|word| Bytes::copy_from_slice(word.as_bytes()))
            .into_iter()
            .chain([Bytes::copy_from_slice(key)])
            .collect()
    }

    #[test]
    fn the_list_of_the_domain_decides() {
        let (ours, other) = (PublicKey([1; 32]), PublicKey([2; 32]));
        let book = Book {
            lists: Mutex::new(HashMap::from([
                ("0".to_string(), AllowList::new([(ours, Label(1))])),
                ("1".to_string(), AllowList::anyone(Label(2))),
            ])),
            next: AtomicU64::new(2),
            seal: "seal".to_string(),
        };
        let guard = Guard(Arc::new(book));
        let status = |request: &[Bytes]| guard.0.reply(request)[2].clone();
        assert_eq!(status(&request("0", "CURVE", &ours.0)), "200");
        assert_eq!(status(&request("0", "CURVE", &other.0)), "400");
        assert_eq!(status(&request("1", "CURVE", &other.0)), "200");
        assert_eq!(status(&request("2", "CURVE", &ours.0)), "400");
        assert_eq!(status(&request("0", "PLAIN", &ours.0)), "400");
        assert_eq!(status(&request("0", "CURVE", &ours.0[1..])), "400");
        assert_eq!(status(&[]), "400");
        assert_eq!(status(&request("open", "NULL", b"")[..6]), "200");
        assert_eq!(status(&request("0", "NULL", b"")[..6]), "400");
        assert_eq!(status(&request("open", "CURVE", &ours.0)), "400");

        let reply = guard.0.reply(&request("0", "CURVE", &ours.0));
        assert_eq!((reply.len(), &reply[1][..]), (6, &b"7"[..]));
        let user = std::str::from_utf8(&reply[4]).unwrap();
        assert_eq!(guard.key_of(user), Some(ours));
        assert_eq!(guard.key_of(&ours.to_string()), None);
    }
}
