//! One environment variable: its name, its meaning, and its text as what it stands for.

use std::path::PathBuf;

use gt_core::{Error, Result};
use gt_native::cpu::Cpu;
use gt_worker::engine::registry::Backend;

/// An environment variable.
#[derive(Debug)]
pub struct Variable {
    /// What it is called.
    pub name: &'static str,
    /// What holds if it is not set, or empty.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Variable {
    pub(super) fn text(&self) -> Result<Option<String>> {
        match std::env::var(self.name) {
            Ok(text) if text.is_empty() => Ok(None),
            Ok(text) => Ok(Some(text)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(_) => Err(Error::value(format!("{} is not Unicode", self.name))),
        }
    }

    pub(super) fn path(&self) -> Result<Option<PathBuf>> {
        let Some(path) = self.text()?.map(PathBuf::from) else { return Ok(None) };
        if !path.is_absolute() {
            let (name, path) = (self.name, path.display());
            return Err(Error::value(format!("{name} must be an absolute path, not '{path}'")));
        }
        Ok(Some(path))
    }

    pub(super) fn number(&self) -> Result<usize> {
        let wrong =
            |text| Error::value(format!("{} must be a whole number, not '{text}'", self.name));
        self.text()?.map_or(Ok(0), |text| text.parse().map_err(|_| wrong(text)))
    }

    pub(super) fn backend(&self) -> Result<Option<Backend>> {
        let parse = |text: String| text.parse::<Backend>().map_err(|error| error.within(self.name));
        self.text()?.map(parse).transpose()
    }

    pub(super) fn cpu(&self) -> Result<Option<Cpu>> {
        let parse = |text: String| text.parse::<Cpu>().map_err(|error| error.within(self.name));
        self.text()?.map(parse).transpose()
    }

    pub(super) fn switch(&self) -> Result<bool> {
        match self.text()?.as_deref() {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(text) => Err(Error::value(format!("{} must be 0 or 1, not '{text}'", self.name))),
        }
    }

    pub(super) fn bytes(&self) -> Result<Option<usize>> {
        let Some(text) = self.text()? else { return Ok(None) };
        let wrong = || {
            let name = self.name;
            Error::value(format!("{name} must be a size like 512M or 2GiB, not '{text}'"))
        };
        parse_bytes(&text).map(Some).ok_or_else(wrong)
    }
}

/// A size with or without a unit; `K`, `KB` and `KiB` are all 1,024 bytes.
pub fn parse_bytes(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_uppercase();
    let shift = match unit.trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    number.parse::<usize>().ok()?.checked_mul(1 << shift).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = ["1", "2K", "3MB", "4GiB", "5 t", "0", "", "1.5G", "G", "-1", "9999999999999T"];
        let expected = [Some(1), Some(2 << 10), Some(3 << 20), Some(4 << 30), Some(5 << 40)];
        let found = sizes.map(parse_bytes);
        assert_eq!(found[..5], expected);
        assert!(found[5..].iter().all(Option::is_none), "{found:?}");
    }
}
