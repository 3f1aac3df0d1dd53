//! Which connections are served at a time. Places are divided so that connections from one address,
//! or from other hosts, cannot keep a probe on this host waiting: a new connection takes the place
//! of the oldest one of its share that has not sent its request yet.

use std::collections::BTreeMap;
use std::net::IpAddr;

/// Connections from other hosts that are served at a time …
const FROM_OTHER_HOSTS: usize = 32;
/// … and those from one address.
const FROM_ONE_ADDRESS: usize = 8;
/// Places that are reserved for this host.
const FROM_THIS_HOST: usize = 16;

/// Connections that have a place, the oldest first.
#[derive(Debug, Default)]
pub struct Places {
    next: u64,
    taken: BTreeMap<u64, Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    origin: Origin,
    progress: Progress,
}

/// Whose share a connection takes a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    ThisHost,
    Address(IpAddr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    AwaitsRequest,
    IsAnswered,
}

/// A connection that has a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// Its number.
    pub number: u64,
    /// The connection that loses its place.
    pub displaced: Option<u64>,
}

impl Places {
    /// Gives a place to a connection; none if all places of its share are being answered.
    pub fn admit(&mut self, address: IpAddr) -> Option<Admitted> {
        let origin = Origin::of(address);
        let displaced = match origin {
            Origin::ThisHost => self.room(FROM_THIS_HOST, |other| other == origin)?,
            Origin::Address(_) => match self.room(FROM_ONE_ADDRESS, |other| other == origin)? {
                Some(displaced) => Some(displaced),
                None => self.room(FROM_OTHER_HOSTS, |other| other != Origin::ThisHost)?,
            },
        };
        if let Some(number) = displaced {
            self.taken.remove(&number);
        }
        let number = self.next;
        self.next += 1;
        self.taken.insert(number, Place { origin, progress: Progress::AwaitsRequest });
        Some(Admitted { number, displaced })
    }

    /// The request of a connection has arrived.
    pub fn begin_answer(&mut self, number: u64) {
        if let Some(place) = self.taken.get_mut(&number) {
            place.progress = Progress::IsAnswered;
        }
    }

    /// A connection is over.
    pub fn leave(&mut self, number: u64) {
        self.taken.remove(&number);
    }

    /// What has to be displaced before another connection of a share of this size is admitted; none
    /// if nothing may be.
    fn room(&self, share: usize, shares: impl Fn(Origin) -> bool) -> Option<Option<u64>> {
        let those = || self.taken.iter().filter(|(_, place)| shares(place.origin));
        if those().count() < share {
            return Some(None);
        }
        let mut idle = those().filter(|(_, place)| place.progress == Progress::AwaitsRequest);
        idle.next().map(|(&number, _)| Some(number))
    }
}

impl Origin {
    fn of(address: IpAddr) -> Origin {
        match address.to_canonical() {
            address if address.is_loopback() => Origin::ThisHost,
            // A host with version 6 has a whole network of addresses.
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Origin::Address(IpAddr::from([a, b, c, d, 0, 0, 0, 0]))
            }
            address => Origin::Address(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn admit(places: &mut Places, from: &str) -> Option<Option<u64>> {
        places.admit(address(from)).map(|admitted| admitted.displaced)
    }

    #[test]
    fn one_address_has_a_share_and_its_oldest_silent_connection_gives_way() {
        let mut places = Places::default();
        for _ in 0..FROM_ONE_ADDRESS {
            assert_eq!(admit(&mut places, "10.0.0.7"), Some(None));
        }
        places.begin_answer(0);
        assert_eq!(admit(&mut places, "::ffff:10.0.0.7"), Some(Some(1)));
        assert_eq!(admit(&mut places, "10.0.0.8"), Some(None));
        places.leave(0);
        assert_eq!(admit(&mut places, "10.0.0.7"), Some(None));
        (0..40).for_each(|number| places.begin_answer(number));
        assert_eq!(admit(&mut places, "10.0.0.7"), None, "all of its share are being answered");
    }

    #[test]
    fn a_host_with_version_6_is_one_address() {
        let mut places = Places::default();
        for number in 0..FROM_ONE_ADDRESS {
            assert_eq!(admit(&mut places, &format!("2001:db8::{number}")), Some(None));
        }
        assert_eq!(admit(&mut places, "2001:db8::ffff"), Some(Some(0)));
        assert_eq!(admit(&mut places, "2001:db8:0:1::1"), Some(None));
    }

    #[test]
    fn other_hosts_cannot_take_the_places_of_this_host() {
        let mut places = Places::default();
        for number in 0..200 {
            let admitted = places.admit(address(&format!("10.0.{number}.1")));
            admitted.iter().for_each(|admitted| places.begin_answer(admitted.number));
            assert_eq!(admitted.is_some(), number < FROM_OTHER_HOSTS, "{number}");
        }
        for _ in 0..FROM_THIS_HOST {
            assert_eq!(admit(&mut places, "127.0.0.1"), Some(None));
        }
        // Addresses of the loopback network are all this host.
        assert_eq!(admit(&mut places, "127.0.0.2"), Some(Some(FROM_OTHER_HOSTS as u64)));
        assert_eq!(admit(&mut places, "::1"), Some(Some(FROM_OTHER_HOSTS as u64 + 1)));
    }
}
