//! Fair queueing of device time: between users by their weights, and the part of a user between
//! their sessions.
//!
//! Each user and session has an account of device time divided by its weight, and the one with the
//! least is scheduled next. A plan is charged by its estimate when it is made, and paid by its
//! measured time when it has run. An account that was idle continues from the virtual time of the
//! active ones, less a small credit: unused time is not saved up, and a session that wakes goes
//! before those that were served all along.

use std::collections::{BTreeMap, BTreeSet};

use gt_core::SessionId;
use gt_transport::share::{Share, UserId, Weight};

/// The price of a nanosecond at weight one, so that large weights do not round to zero.
const UNIT: u64 = 64;

/// How far a session whose client waits for an answer may run ahead of others of its user.
const READ_AHEAD: u64 = 2_000_000 * UNIT;

/// The credit of an account that was idle: a client that refills its queue when it is empty is idle
/// for a moment, in which a long kernel of another session may begin.
const CREDIT: u64 = 200_000_000 * UNIT;

/// The owner of an account. A session without a known user has one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A user.
    User(UserId),
    /// Nobody else.
    Session(SessionId),
}

/// The accounts of all sessions of a worker.
#[derive(Debug, Default)]
pub struct Shares {
    owners: BTreeMap<Owner, Group>,
    sessions: BTreeMap<SessionId, Member>,
    /// The sessions that may have something to do.
    awake: BTreeSet<SessionId>,
    /// The plans that have not run.
    plans: BTreeMap<u64, Charged>,
    /// Virtual time: the least account among active users.
    clock: u64,
}

/// Device time of a user or a session.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    weight: Weight,
    paid: u64,
    /// For plans that have not run.
    charged: u64,
}

#[derive(Debug, Default)]
struct Group {
    account: Account,
    /// How many sessions it has, and how many of them are awake.
    sessions: usize,
    awake: usize,
    /// Virtual time among its active sessions.
    clock: u64,
}

#[derive(Debug)]
struct Member {
    owner: Owner,
    account: Account,
    paused: bool,
    /// Whether its client waits for an answer.
    reads: bool,
    /// How many of its plans have not run.
    plans: usize,
}

/// A plan that has not run.
#[derive(Clone, Copy, Debug)]
struct Charged {
    session: SessionId,
    owner: Owner,
    /// What it was charged in either account.
    by_session: u64,
    by_owner: u64,
}

impl Account {
    fn served(&self) -> u64 {
        self.paid.saturating_add(self.charged)
    }

    fn price(&self, cost_ns: u64) -> u64 {
        cost_ns.saturating_mul(UNIT) / u64::from(self.weight.get())
    }

    fn charge(&mut self, cost_ns: u64) -> u64 {
        let price = self.price(cost_ns);
        self.charged = self.charged.saturating_add(price);
        price
    }

    fn pay(&mut self, charged: u64, busy_ns: u64) {
        self.charged = self.charged.saturating_sub(charged);
        self.paid = self.paid.saturating_add(self.price(busy_ns));
    }

    /// Becomes active at the virtual time, less the credit.
    fn begin(&mut self, clock: u64) {
        self.paid = self.paid.max(clock.saturating_sub(CREDIT));
    }
}

/// The place of a plan among those that wait: the accounts before it and with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    owner: Owner,
    session: Span,
    user: Span,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    from: u64,
    to: u64,
}

impl Turn {
    /// The place of a plan without competition.
    pub fn alone(session: SessionId) -> Self {
        let (user, span) = (Span::default(), Span::default());
        Turn { owner: Owner::Session(session), session: span, user }
    }

    /// Whether this plan is due before another one that waits.
    pub fn is_before(&self, other: &Turn) -> bool {
        let (own, others) = self.against(other);
        own.from < others.from
    }

    /// Whether this plan is due before the end of another one that runs.
    pub fn is_due_beside(&self, running: &Turn) -> bool {
        let (own, others) = self.against(running);
        own.from < others.to
    }

    /// The accounts in which the two compete.
    fn against(&self, other: &Turn) -> (Span, Span) {
        if self.owner == other.owner {
            return (self.session, other.session);
        }
        (self.user, other.user)
    }
}

impl Shares {
    /// A session is there. One that is there already keeps its account.
    pub fn join(&mut self, session: SessionId) {
        if !self.sessions.contains_key(&session) {
            self.enter(session, Owner::Session(session), Share::default());
        }
    }

    /// A session has this part from now on.
    pub fn assign(&mut self, session: SessionId, share: Share) {
        let owner = Owner::User(share.user);
        let was_awake = self.awake.contains(&session);
        self.rest(session);
        if self.sessions.get(&session).is_none_or(|member| member.owner != owner) {
            self.leave(session);
            self.enter(session, owner, share);
        }
        if let Some(member) = self.sessions.get_mut(&session) {
            (member.account.weight, member.paused) = (share.weight, share.paused);
        }
        if let Some(group) = self.owners.get_mut(&owner) {
            group.account.weight = share.user_weight;
        }
        // A paused session resumes like an idle one.
        if was_awake {
            self.wake(session);
        }
    }

    fn enter(&mut self, session: SessionId, owner: Owner, share: Share) {
        let group = self.owners.entry(owner).or_default();
        group.sessions += 1;
        let account = Account { weight: share.weight, paid: group.clock, charged: 0 };
        self.sessions
            .insert(session, Member { owner, account, paused: false, reads: false, plans: 0 });
    }

    /// A session is gone.
    pub fn leave(&mut self, session: SessionId) {
        self.rest(session);
        let Some(member) = self.sessions.remove(&session) else { return };
        if let Some(group) = self.owners.get_mut(&member.owner) {
            group.sessions -= 1;
        }
        // A user cannot drop a debt by connecting again.
        let clock = self.clock;
        let is_ahead = |owner: &Owner, account: &Account| {
            matches!(owner, Owner::User(_)) && account.served() > clock
        };
        self.owners.retain(|owner, group| group.sessions > 0 || is_ahead(owner, &group.account));
    }

    /// A session may have something to do.
    pub fn wake(&mut self, session: SessionId) {
        let Some(owner) = self.sessions.get(&session).map(|member| member.owner) else { return };
        if self.awake.contains(&session) {
            return;
        }
        self.advance(owner);
        self.awake.insert(session);
        let group = self.owners.entry(owner).or_default();
        if group.awake == 0 {
            group.account.begin(self.clock);
        }
        group.awake += 1;
        if let Some(member) = self.sessions.get_mut(&session) {
            member.account.begin(group.clock);
        }
    }

    /// Advances the virtual times to the least accounts of active users and sessions.
    fn advance(&mut self, owner: Owner) {
        let awake = self.awake.iter().filter_map(|session| self.sessions.get(session));
        let awake = awake.filter(|member| !member.paused);
        let owners = awake.clone().filter_map(|member| self.owners.get(&member.owner));
        let least = owners.map(|group| group.account.paid).min();
        self.clock = self.clock.max(least.unwrap_or(0));
        let siblings = awake.filter(|member| member.owner == owner);
        let least = siblings.map(|member| member.account.paid).min();
        if let Some(group) = self.owners.get_mut(&owner) {
            group.clock = group.clock.max(least.unwrap_or(0));
        }
    }

    /// The client of a session waits for an answer.
    pub fn hurry(&mut self, session: SessionId) {
        if let Some(member) = self.sessions.get_mut(&session) {
            member.reads = true;
        }
    }

    /// A session has nothing to do.
    pub fn rest(&mut self, session: SessionId) {
        let Some(member) = self.sessions.get_mut(&session) else { return };
        member.reads = false;
        if self.awake.remove(&session)
            && let Some(group) = self.owners.get_mut(&member.owner)
        {
            group.awake -= 1;
        }
    }

    /// The session that has had the least, among those that have fewer plans under way than this.
    pub fn next(&self, most_plans: usize) -> Option<SessionId> {
        let key = |&session: &SessionId| {
            let member = self.sessions.get(&session)?;
            let group = self.owners.get(&member.owner)?;
            let may = !member.paused && member.plans < most_plans;
            may.then_some((group.account.served(), member.owner, member.due(), session))
        };
        self.awake.iter().filter_map(key).min().map(|(.., session)| session)
    }

    /// Charges a session for a plan that is estimated to take so long; gives the plan's place.
    pub fn charge(&mut self, number: u64, session: SessionId, cost_ns: u64) -> Turn {
        let Some(member) = self.sessions.get_mut(&session) else { return Turn::alone(session) };
        let (owner, from) = (member.owner, member.due());
        let account = &mut self.owners.entry(owner).or_default().account;
        let user = account.served();
        let charged = Charged {
            session,
            owner,
            by_session: member.account.charge(cost_ns),
            by_owner: account.charge(cost_ns),
        };
        member.plans += 1;
        self.plans.insert(number, charged);
        Turn {
            owner,
            session: Span { from, to: member.account.served() },
            user: Span { from: user, to: account.served() },
        }
    }

    /// A plan has run for so long.
    pub fn pay(&mut self, number: u64, busy_ns: u64) {
        let Some(Charged { session, owner, by_session, by_owner }) = self.plans.remove(&number)
        else {
            return;
        };
        if let Some(member) = self.sessions.get_mut(&session)
            && member.owner == owner
        {
            member.account.pay(by_session, busy_ns);
            member.plans -= 1;
        }
        if let Some(group) = self.owners.get_mut(&owner) {
            group.account.pay(by_owner, busy_ns);
        }
        self.advance(owner);
    }
}

impl Member {
    /// What it has had, as far as its turn is concerned.
    fn due(&self) -> u64 {
        let ahead = if self.reads { READ_AHEAD } else { 0 };
        self.account.served().saturating_sub(ahead)
    }
}
