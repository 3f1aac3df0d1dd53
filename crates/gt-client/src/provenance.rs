//! Places in the user's program. Instructions carry the number of a place; errors name the place.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Once};

use gt_core::Provenance;
use gt_transport::lock::Mutex;

use crate::fork;

/// A line of the user's program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function around it.
    pub function: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} in {}", self.file, self.line, self.function)
    }
}

/// A line of the user's program, and what of ours it calls if that is not one operation.
type Origin = (Place, Option<Arc<str>>);

/// Every origin that was ever registered.
struct Places {
    /// The origin with number one comes first.
    all: Vec<Arc<Origin>>,
    numbers: BTreeMap<Arc<Origin>, Provenance>,
}

static PLACES: Mutex<Places> = Mutex::new(Places { all: Vec::new(), numbers: BTreeMap::new() });

thread_local! {
    static CURRENT: Cell<Provenance> = const { Cell::new(Provenance::UNKNOWN) };
}

fn places() -> std::sync::MutexGuard<'static, Places> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&PLACES));
    PLACES.lock()
}

/// Gives a place and the function or layer called there its number, the same each time: a line that
/// every new thread comes by takes the memory of one.
pub fn register(place: Place, called: Option<Arc<str>>) -> Provenance {
    let mut places = places();
    let origin = Arc::new((place, called));
    if let Some(&known) = places.numbers.get(&origin) {
        return known;
    }
    places.all.push(origin.clone());
    let number = Provenance(places.all.len() as u32);
    places.numbers.insert(origin, number);
    number
}

/// The place with this number.
pub fn place(provenance: Provenance) -> Option<Place> {
    origin(provenance).map(|origin| origin.0.clone())
}

/// The function or layer that was called there, if it is not one operation.
pub fn called(provenance: Provenance) -> Option<Arc<str>> {
    origin(provenance)?.1.clone()
}

fn origin(provenance: Provenance) -> Option<Arc<Origin>> {
    let index = (provenance.0 as usize).checked_sub(1)?;
    places().all.get(index).cloned()
}

/// Says where in the user's program this thread is.
pub fn set_current(provenance: Provenance) {
    CURRENT.set(provenance);
}

/// Where in the user's program this thread is.
pub fn current() -> Provenance {
    CURRENT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_one_number_and_a_number_one_place() {
        let line = |line| Place { file: "a.py".into(), line, function: "train".into() };
        let register = |at, called: Option<&str>| register(line(at), called.map(Arc::from));
        let (first, second) = (register(1, None), register(2, Some("loss")));
        assert_eq!((register(1, None), register(2, Some("loss"))), (first, second));
        assert_eq!((place(first), place(second)), (Some(line(1)), Some(line(2))));
        assert_eq!((called(first), called(second)), (None, Some("loss".into())));
        assert_ne!(register(2, Some("layer")), second);
        assert_eq!(place(Provenance::UNKNOWN), None);
    }
}
