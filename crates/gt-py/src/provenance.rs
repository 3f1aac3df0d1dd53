//! Where in the user's program a call comes from. The key is a code object and a position in it,
//! which costs little; the line is looked up once for each key.

use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr::NonNull;

use gt::Provenance;
use gt::provenance::{Place, register, set_current};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use rustc_hash::FxHashMap;

unsafe extern "C" {
    // Every CPython since 3.11 exports these two, though they are not part of the stable interface.
    fn PyFrame_GetLasti(frame: *mut ffi::PyFrameObject) -> c_int;
    fn PyFrame_GetBack(frame: *mut ffi::PyFrameObject) -> *mut ffi::PyFrameObject;
}

/// What is known of a position in a code object.
#[derive(Clone, Copy)]
enum Known {
    User(Provenance),
    /// Inside GT: the caller's position counts.
    Ours,
}

/// So many positions are known at a time. Programs that make code as they run, such as notebooks,
/// come by others for ever.
const MOST_KNOWN: usize = 4096;

/// What is known by the address of a code object and the position in it. The code object is kept,
/// so that its address stays its own.
type Positions = FxHashMap<(usize, c_int), (Known, Py<PyAny>)>;

thread_local! {
    static KNOWN: RefCell<Positions> = RefCell::default();
}

/// Says that this thread's next instructions come from the innermost line of the user's program.
pub fn mark(py: Python<'_>) {
    // SAFETY: Python is attached. The frame is borrowed from the interpreter, and is a frame.
    let frame = unsafe { ffi::PyEval_GetFrame() };
    match NonNull::new(frame) {
        Some(frame) => set_current(find(py, Frame::borrowed(frame))),
        None => set_current(Provenance::UNKNOWN),
    }
}

/// A frame that is kept alive.
struct Frame(NonNull<ffi::PyFrameObject>);

impl Frame {
    fn borrowed(frame: NonNull<ffi::PyFrameObject>) -> Self {
        // SAFETY: Python is attached wherever a frame is at hand, and the pointer is a frame's.
        unsafe { ffi::Py_INCREF(frame.as_ptr().cast()) };
        Frame(frame)
    }

    fn caller(&self) -> Option<Self> {
        // SAFETY: as above; the result is a reference of our own.
        NonNull::new(unsafe { PyFrame_GetBack(self.0.as_ptr()) }).map(Frame)
    }

    fn position(&self) -> c_int {
        // SAFETY: as above.
        unsafe { PyFrame_GetLasti(self.0.as_ptr()) }
    }

    fn line(&self) -> u32 {
        // SAFETY: as above.
        let line = unsafe { ffi::PyFrame_GetLineNumber(self.0.as_ptr()) };
        u32::try_from(line).unwrap_or(0)
    }

    fn code(&self, py: Python<'_>) -> Py<PyAny> {
        // SAFETY: as above; the result is a reference of our own and never null.
        unsafe {
            let code = ffi::PyFrame_GetCode(self.0.as_ptr());
            Bound::from_owned_ptr(py, code.cast()).unbind()
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // SAFETY: the reference is our own, and frames live only while Python is attached.
        unsafe { ffi::Py_DECREF(self.0.as_ptr().cast()) };
    }
}

fn find(py: Python<'_>, mut frame: Frame) -> Provenance {
    loop {
        let code = frame.code(py);
        let key = (code.as_ptr() as usize, frame.position());
        let known = KNOWN.with_borrow(|known| known.get(&key).map(|(known, _)| *known));
        let known = known.unwrap_or_else(|| {
            let learned = learn(py, &frame, &code);
            remember(key, learned, code);
            learned
        });
        match (known, known_caller(&known, &frame)) {
            (Known::User(provenance), _) => return provenance,
            (Known::Ours, Some(caller)) => frame = caller,
            (Known::Ours, None) => return Provenance::UNKNOWN,
        }
    }
}

fn remember(key: (usize, c_int), learned: Known, code: Py<PyAny>) {
    let forgotten = KNOWN.with_borrow_mut(|known| {
        let full = known.len() >= MOST_KNOWN;
        let forgotten = if full { std::mem::take(known) } else { Positions::default() };
        known.insert(key, (learned, code));
        forgotten
    });
    // A code object that goes may run anything, so that nothing is borrowed.
    drop(forgotten);
}

fn known_caller(known: &Known, frame: &Frame) -> Option<Frame> {
    match known {
        Known::Ours => frame.caller(),
        Known::User(_) => None,
    }
}

fn learn(py: Python<'_>, frame: &Frame, code: &Py<PyAny>) -> Known {
    let text = |name: &str| {
        let value = code.bind(py).getattr(name).and_then(|value| value.extract::<String>());
        value.unwrap_or_else(|_| "?".to_string())
    };
    let file = text("co_filename");
    if package(py).is_some_and(|folder| file.starts_with(folder)) {
        return Known::Ours;
    }
    Known::User(register(Place { file, line: frame.line(), function: text("co_qualname") }))
}

/// The folder of the package `gt`.
fn package(py: Python<'_>) -> Option<&'static str> {
    static FOLDER: PyOnceLock<Option<String>> = PyOnceLock::new();
    let folder = FOLDER.get_or_init(py, || {
        let file: String = py.import("gt").ok()?.getattr("__file__").ok()?.extract().ok()?;
        file.strip_suffix("__init__.py").map(String::from)
    });
    folder.as_deref()
}
