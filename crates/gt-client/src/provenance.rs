//! Places in the user's program. Instructions carry the number of a place; errors name the place.

use std::cell::Cell;
use std::fmt;
use std::sync::Once;

use gt_core::Provenance;
use gt_transport::lock::Mutex;

use crate::fork;

/// A line of the user's program.
#[derive(Clone, Debug, PartialEq, Eq)]
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

static PLACES: Mutex<Vec<Place>> = Mutex::new(Vec::new());

thread_local! {
    static CURRENT: Cell<Provenance> = const { Cell::new(Provenance::UNKNOWN) };
}

fn places() -> std::sync::MutexGuard<'static, Vec<Place>> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&PLACES));
    PLACES.lock()
}

/// Gives a place its number. Whoever calls this remembers the number: places are not compared.
pub fn register(place: Place) -> Provenance {
    let mut places = places();
    places.push(place);
    Provenance(places.len() as u32)
}

/// The place with this number.
pub fn place(provenance: Provenance) -> Option<Place> {
    let index = (provenance.0 as usize).checked_sub(1)?;
    places().get(index).cloned()
}

/// Says where in the user's program this thread is.
pub fn set_current(provenance: Provenance) {
    CURRENT.set(provenance);
}

/// Where in the user's program this thread is.
pub fn current() -> Provenance {
    CURRENT.get()
}
