//! Memory of a value that was read, as Python's buffer protocol gives it to an array.

use std::ffi::c_int;

use gt::HostMemory;
use pyo3::ffi;
use pyo3::prelude::*;

/// Memory of a value that was read, for the array that has it.
#[pyclass]
pub struct Memory(pub HostMemory);

#[pymethods]
impl Memory {
    /// # Safety
    /// Python calls it with a view that is to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (start, len) = {
            let memory = &mut slf.borrow_mut().0;
            (memory.start().as_ptr().cast(), memory.len() as isize)
        };
        // SAFETY: the memory is writable and lives as long as the object, which the view holds.
        let status = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, len, 0, flags) };
        if status == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
