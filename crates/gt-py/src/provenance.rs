//! Where in the user's program a call comes from. The key is a code object and a position in it,
//! which costs little; the line is looked up once for each key.

use std::cell::RefCell;
use std::ffi::{CString, c_int};
use std::ptr::NonNull;
use std::sync::Arc;

use gt::Provenance;
use gt::provenance::{Place, place, register, set_current};
use gt::scope::{self, Maker};
use pyo3::exceptions::PyUserWarning;
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
    /// Inside GT, in a function that users call by its name: the caller's position counts.
    Named(Maker),
    /// The same in one that they do not.
    Unnamed(Maker),
}

impl Known {
    /// Who asks for what is called there.
    fn maker(self) -> Maker {
        match self {
            Known::User(_) => Maker::User,
            Known::Named(maker) | Known::Unnamed(maker) => maker,
        }
    }
}

/// Files whose functions pass a call on to the layer that it is for.
const PASSING: [&str; 3] = ["nn/module.py", "nn/container.py", "nn/scopes.py"];

/// Folders of what makes tensors for itself. Other parts of ours make what users ask for.
const MAKING: [&str; 4] = ["amp/", "autograd/", "nn/", "optim/"];

/// So many positions are known at a time. Programs that make code as they run, such as notebooks,
/// come by others for ever.
const MOST_KNOWN: usize = 4096;

/// A code object, a position in it, and the code object of the function of ours that was called
/// from there, by their addresses; the last is zero for an operation.
type Key = (usize, c_int, usize);

/// What is known of each position. The code object is kept, so that its address stays its own;
/// that of a function of ours is kept by its own position.
type Positions = FxHashMap<Key, (Known, Py<PyAny>)>;

thread_local! {
    static KNOWN: RefCell<Positions> = RefCell::default();
}

/// Sets that this thread's next instructions come from the innermost line of the user's program.
pub fn mark(py: Python<'_>) {
    // SAFETY: Python is attached. The frame is borrowed from the interpreter, and is a frame.
    let frame = unsafe { ffi::PyEval_GetFrame() };
    match NonNull::new(frame) {
        Some(frame) => set_current(find(py, Frame::borrowed(frame))),
        None => set_current(Provenance::UNKNOWN),
    }
}

/// Warns of something at the innermost line of the user's program.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    // SAFETY: as in `mark`.
    let frame = NonNull::new(unsafe { ffi::PyEval_GetFrame() });
    let place = frame.and_then(|frame| place(find(py, Frame::borrowed(frame))));
    let (file, line) = place.map_or(("gt".into(), 0), |place| (place.file, place.line));
    let (text, file) = (CString::new(text)?, CString::new(file)?);
    let category = py.get_type::<PyUserWarning>();
    PyErr::warn_explicit(py, &category, &text, &file, line as i32, None, None)
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
    let (mut called, mut is_innermost): (Option<Py<PyAny>>, _) = (None, true);
    loop {
        let code = frame.code(py);
        let callee = called.as_ref().map_or(0, |called| called.as_ptr() as usize);
        let key = (code.as_ptr() as usize, frame.position(), callee);
        let known = KNOWN.with_borrow(|known| known.get(&key).map(|(known, _)| *known));
        let known = known.unwrap_or_else(|| {
            let learned = learn(py, &frame, &code, called.as_ref());
            remember(key, learned, code.clone_ref(py));
            learned
        });
        if std::mem::take(&mut is_innermost) {
            scope::set_maker(known.maker());
        }
        match known {
            Known::User(provenance) => return provenance,
            Known::Named(_) => called = Some(code),
            Known::Unnamed(_) => {}
        }
        match frame.caller() {
            Some(caller) => frame = caller,
            None => return Provenance::UNKNOWN,
        }
    }
}

fn remember(key: Key, learned: Known, code: Py<PyAny>) {
    let forgotten = KNOWN.with_borrow_mut(|known| {
        let full = known.len() >= MOST_KNOWN;
        let forgotten = if full { std::mem::take(known) } else { Positions::default() };
        known.insert(key, (learned, code));
        forgotten
    });
    // A code object that goes may run anything, so that nothing is borrowed.
    drop(forgotten);
}

fn learn(py: Python<'_>, frame: &Frame, code: &Py<PyAny>, called: Option<&Py<PyAny>>) -> Known {
    let (file, function) = (text(py, code, "co_filename"), text(py, code, "co_qualname"));
    if let Some(file) = package(py).and_then(|folder| file.strip_prefix(folder)) {
        let passes = PASSING.contains(&file) || public_name(&function).is_none();
        let makes = MAKING.iter().any(|folder| file.starts_with(folder));
        let maker = if makes { Maker::Library } else { Maker::User };
        return if passes { Known::Unnamed(maker) } else { Known::Named(maker) };
    }
    let called = called.and_then(|called| public_name(&text(py, called, "co_qualname")));
    Known::User(register(Place { file, line: frame.line(), function }, called.map(Arc::from)))
}

fn text(py: Python<'_>, code: &Py<PyAny>, attribute: &str) -> String {
    let value = code.bind(py).getattr(attribute).and_then(|value| value.extract::<String>());
    value.unwrap_or_else(|_| "?".to_string())
}

/// What users call a function by: a layer's `forward` by the name of the layer. `None` for what
/// they do not call themselves.
fn public_name(qualified: &str) -> Option<String> {
    let is_special = |word: &str| word.starts_with("__") && word.ends_with("__");
    let mut words: Vec<&str> = qualified.split('.').collect();
    if words.len() > 1 {
        words.pop_if(|last| *last == "forward" || is_special(last));
    }
    let hidden = |word: &&str| word.starts_with(['_', '<']);
    (!words.iter().any(hidden)).then(|| words.join("."))
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
