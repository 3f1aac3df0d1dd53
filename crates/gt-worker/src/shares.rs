//! Whose turn it is. Device time is shared between users by their weights, and the part of a user
//! between their sessions.
//!
//! Everybody has an account of the time they were given, divided by their weight, and whoever has
//! had the least is next. A plan is charged when it is made, by what it is estimated to take, and
//! paid when it has run, by what it took. Whoever had nothing to do begins again about where the
//! others are, so that time which was not used is not saved up. A session that wakes is served
//! before those that were served all along, and need not wait for a round of turns.

use std::collections::{BTreeMap, BTreeSet};

use gt_core::SessionId;
use gt_transport::share::{Share, UserId, Weight};

/// What a nanosecond costs somebody of weight one, so that large weights do not round to nothing.
const UNIT: u64 = 64;

/// A session whose client waits for an answer goes before others of its user that have had less by
/// no more than this.
const READ_AHEAD: u64 = 2_000_000 * UNIT;

/// So much may be saved up: a client that fills its queue again when it is empty has nothing to do
/// for a moment, and a long kernel of another one begins in it.
const CREDIT: u64 = 200_000_000 * UNIT;

/// Who shares time among sessions. A session of which nobody has said whose it is stands alone.
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
    /// What everybody who has something to do has had at least.
    clock: u64,
}

/// What somebody was given.
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
    /// What its sessions that have something to do have had at least.
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

    /// Begins about where others are.
    fn begin(&mut self, clock: u64) {
        self.paid = self.paid.max(clock.saturating_sub(CREDIT));
    }
}

/// The place of a plan among those that wait: what its session had had before it was made, and
/// with it.
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
    /// The place of a plan that nobody else competes with.
    pub fn alone(session: SessionId) -> Self {
        let (user, span) = (Span::default(), Span::default());
        Turn { owner: Owner::Session(session), session: span, user }
    }

    /// Whether this plan is due before another one that waits.
    pub fn is_before(&self, other: &Turn) -> bool {
        let (own, others) = self.against(other);
        own.from < others.from
    }

    /// Whether this plan is due before another one, which runs, would be over.
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
        // One that was paused begins about where the others are, as one that had nothing to do.
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
        // A user who has had more than others does not get rid of that by connecting again.
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

    /// The clocks are where those are who have something to do and have had the least.
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
