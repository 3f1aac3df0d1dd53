//! Whose memory it is: what sessions and users hold on a worker, and how much they may.
//!
//! A thread that works for a session does so [`within`] its account, and every buffer that the pool
//! gives it meanwhile is charged to that, until the buffer is dropped, by whomever. So nobody has
//! to ask anybody, and whoever exceeds a limit fails alone.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gt_core::{Error, SessionId};
use gt_transport::lock::Mutex;
use gt_transport::share::{Share, UserId};

thread_local! {
    static CURRENT: RefCell<Option<Arc<Account>>> = const { RefCell::new(None) };
}

/// What somebody holds, and may hold.
#[derive(Debug)]
pub struct Account {
    used: AtomicUsize,
    limit: AtomicUsize,
    /// Whose it is; `None` if this is the account of a user.
    owner: Option<Owner>,
}

#[derive(Debug)]
struct Owner {
    session: SessionId,
    user: Arc<Account>,
}

impl Account {
    fn new(owner: Option<Owner>) -> Arc<Self> {
        Arc::new(Account { used: AtomicUsize::new(0), limit: AtomicUsize::new(usize::MAX), owner })
    }

    #[cfg(test)]
    pub(crate) fn unlimited() -> Arc<Self> {
        Account::new(None)
    }

    /// Whose account it is; `None` if it is a user's.
    pub fn session(&self) -> Option<SessionId> {
        self.owner.as_ref().map(|owner| owner.session)
    }

    /// The account that this thread works for, if there is one.
    pub fn current() -> Option<Arc<Account>> {
        CURRENT.with_borrow(Option::clone)
    }

    /// The bytes it holds.
    pub fn used_bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Counts so many more bytes, for the session and for its user, or says whose limit that is
    /// over.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), Excess> {
        self.reserve(bytes).map_err(|limit| Excess::Session { limit })?;
        let Some(Owner { user, .. }) = &self.owner else { return Ok(()) };
        user.reserve(bytes).map_err(|limit| {
            self.used.fetch_sub(bytes, Relaxed);
            Excess::User { used: user.used_bytes(), limit }
        })
    }

    /// Counts bytes that are there already, whatever the limits are.
    pub(crate) fn charge_anyway(&self, bytes: usize) {
        self.used.fetch_add(bytes, Relaxed);
        if let Some(Owner { user, .. }) = &self.owner {
            user.used.fetch_add(bytes, Relaxed);
        }
    }

    /// So many bytes are free again.
    pub(crate) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
        if let Some(Owner { user, .. }) = &self.owner {
            user.used.fetch_sub(bytes, Relaxed);
        }
    }

    /// Counts so many more bytes as held, unless that is over the limit, which is given then.
    fn reserve(&self, bytes: usize) -> Result<(), usize> {
        let limit = self.limit.load(Relaxed);
        let more = |used: usize| used.checked_add(bytes).filter(|&used| used <= limit);
        self.used.fetch_update(Relaxed, Relaxed, more).map(drop).map_err(|_| limit)
    }

    /// Whether so many more bytes are over a limit, as things are.
    pub(crate) fn lacks(&self, bytes: usize) -> bool {
        let is_over = |account: &Account| {
            account.used_bytes().saturating_add(bytes) > account.limit.load(Relaxed)
        };
        is_over(self) || self.owner.as_ref().is_some_and(|owner| is_over(&owner.user))
    }

    /// What somebody is told who asked for `len` bytes.
    pub(crate) fn out_of_memory(&self, len: usize, excess: Excess) -> Error {
        let own = self.used_bytes();
        Error::OutOfMemory(match excess {
            Excess::Session { limit } => format!(
                "out of memory: {len} bytes were asked for, and this session holds {own} of the \
                 {limit} bytes that it may hold on a worker; free tensors, or have \
                 gt.connect(memory=…) and the server's policy allow more"
            ),
            Excess::User { used, limit } => format!(
                "out of memory: {len} bytes were asked for, and the sessions of this user hold \
                 {used} of the {limit} bytes that the server's policy allows them on a worker, \
                 {own} of these by this session; free tensors here or in another session"
            ),
        })
    }
}

/// Whose limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// That of the session.
    Session { limit: usize },
    /// That of its user, whose sessions hold so much together.
    User { used: usize, limit: usize },
}

/// Does something for whoever has this account.
pub fn within<T>(account: Option<Arc<Account>>, act: impl FnOnce() -> T) -> T {
    /// Puts the account before back, also after a panic.
    struct Before(Option<Arc<Account>>);
    impl Drop for Before {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _before = Before(CURRENT.replace(account));
    act()
}

/// The accounts of a worker's sessions. A session of which nobody has said how much it may hold has
/// none, and no limit but the worker's own.
#[derive(Debug, Default)]
pub struct Accounts(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<SessionId, Arc<Account>>,
    users: HashMap<UserId, Arc<Account>>,
}

impl Accounts {
    /// The account of a session.
    pub fn of(&self, session: SessionId) -> Option<Arc<Account>> {
        self.0.lock().sessions.get(&session).cloned()
    }

    /// A session may hold so much from now on, of the `total` bytes of the worker. What it holds
    /// already stays.
    pub fn assign(&self, session: SessionId, share: &Share, total: usize) {
        let mut known = self.0.lock();
        let user = known.users.entry(share.user).or_insert_with(|| Account::new(None)).clone();
        user.limit.store(share.user_memory.of(total), Relaxed);
        let account = known.sessions.entry(session);
        let account = account.or_insert_with(|| Account::new(Some(Owner { session, user })));
        account.limit.store(share.memory.of(total), Relaxed);
    }

    /// A session is over. What is left of it is counted for its user until it is dropped.
    pub fn forget(&self, session: SessionId) {
        let mut known = self.0.lock();
        known.sessions.remove(&session);
        known.users.retain(|_, user| Arc::strong_count(user) > 1);
    }
}

#[cfg(test)]
mod tests {
    use gt_transport::share::MemoryLimit;

    use super::*;
    use crate::buffer::Pool;

    const SESSIONS: [SessionId; 2] = [SessionId(1), SessionId(2)];

    fn limited(bytes: u64, percent: u8) -> Share {
        let memory = MemoryLimit { bytes, ..MemoryLimit::NONE };
        Share {
            memory,
            user_memory: MemoryLimit { percent, ..MemoryLimit::NONE },
            ..Share::default()
        }
    }

    #[test]
    fn a_session_and_its_user_hold_no_more_than_they_may() {
        let (pool, accounts) = (Pool::new(1 << 20), Accounts::default());
        for session in SESSIONS {
            accounts.assign(session, &limited(4096, 1), 600 << 10);
        }
        let take = |session, bytes| within(accounts.of(session), || pool.take(bytes));
        let own = take(SESSIONS[0], 4096).expect("it may hold as much");
        let error = take(SESSIONS[0], 64).expect_err("it may not hold more").to_string();
        assert!(error.contains("holds 4096 of the 4096 bytes"), "{error}");
        // The user may hold 6144 bytes, and 2048 are left.
        let error = take(SESSIONS[1], 4096).expect_err("it is over the limit").to_string();
        assert!(error.contains("hold 4096 of the 6144 bytes"), "{error}");
        let other = take(SESSIONS[1], 2048).expect("so much is left");
        pool.take(64).expect("who has no account has no limit");
        drop((own, other));
        let held = |session| accounts.of(session).map(|account| account.used_bytes());
        assert_eq!(SESSIONS.map(held), [Some(0), Some(0)], "what failed was not charged");
        take(SESSIONS[0], 4096).expect("it is free again");
    }

    #[test]
    fn what_is_dropped_after_the_end_of_its_session_is_counted_for_the_user_until_then() {
        let (pool, accounts) = (Pool::new(1 << 20), Accounts::default());
        accounts.assign(SESSIONS[0], &limited(4096, 1), 600 << 10);
        let late = within(accounts.of(SESSIONS[0]), || pool.take(4096)).expect("there is room");
        accounts.forget(SESSIONS[0]);
        accounts.assign(SESSIONS[1], &limited(4096, 1), 600 << 10);
        let take = || within(accounts.of(SESSIONS[1]), || pool.take(4096));
        take().expect_err("the user still holds it");
        drop(late);
        take().expect("it is gone");
        accounts.forget(SESSIONS[1]);
        assert!(accounts.0.lock().users.is_empty());
    }

    #[test]
    fn the_pool_says_how_much_of_it_is_the_session_s_own() {
        let (pool, accounts) = (Pool::new(4096), Accounts::default());
        accounts.assign(SESSIONS[0], &Share::default(), 4096);
        let _others = pool.take(3072).expect("there is room");
        let error = within(accounts.of(SESSIONS[0]), || {
            let _own = pool.take(1024).expect("there is room");
            pool.take(64).expect_err("there is none").to_string()
        });
        assert!(
            error.contains("4096 of 4096 are in use, 1024 of these by this session"),
            "{error}"
        );
        assert!(Account::current().is_none());
    }
}
