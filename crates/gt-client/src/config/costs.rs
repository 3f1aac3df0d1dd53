//! What `gt measure` writes: the constants by which automatic sharding compares ways to run a
//! program. What a file leaves out is what the arrangement of the workers suggests.

use std::path::Path;

use gt_core::{Error, Result};
use gt_dispatcher::costs::Costs;
use serde::Deserialize;

use super::source;

/// The file. Each of its words may be absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeasuredCosts {
    /// Floating-point operations a second of one worker, in products.
    pub flops: Option<f64>,
    /// Bytes a second that its other kernels read and write.
    pub memory_bytes: Option<f64>,
    /// Bytes a second from one worker to another.
    pub link_bytes: Option<f64>,
    /// What a message costs besides its bytes.
    pub message_seconds: Option<f64>,
    /// How many times as much all workers together do as one of them alone.
    pub workers_at_once: Option<f64>,
    /// How many bytes of values one worker has room for.
    pub worker_memory_bytes: Option<f64>,
}

impl MeasuredCosts {
    /// What a file says.
    pub fn read_file(path: &Path) -> Result<Self> {
        let wrong = |error: String| {
            Error::value(format!("cannot read the costs '{}': {error}", path.display()))
        };
        let text = source::read_text(path).map_err(|error| wrong(error.to_string()))?;
        Self::read(&text).map_err(wrong)
    }

    fn read(text: &str) -> std::result::Result<Self, String> {
        let costs: Self = serde_saphyr::from_str_with_options(text, source::options(text))
            .map_err(|error| error.to_string())?;
        let wrong = |(_, value): &(&str, Option<f64>)| {
            value.is_some_and(|value| !(value.is_finite() && value > 0.0))
        };
        match costs.words().into_iter().find(wrong) {
            Some((word, _)) => Err(format!("{word} is a number above zero")),
            None => Ok(costs),
        }
    }

    fn words(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("flops", self.flops),
            ("memory_bytes", self.memory_bytes),
            ("link_bytes", self.link_bytes),
            ("message_seconds", self.message_seconds),
            ("workers_at_once", self.workers_at_once),
            ("worker_memory_bytes", self.worker_memory_bytes),
        ]
    }

    /// The same as a file.
    pub fn to_yaml(&self) -> String {
        let line = |(word, value): (&str, Option<f64>)| Some(format!("{word}: {:e}\n", value?));
        self.words().into_iter().filter_map(line).collect()
    }

    /// The constants with what was measured in the place of what was supposed.
    pub(crate) fn over(&self, supposed: Costs) -> Costs {
        Costs {
            flops: self.flops.unwrap_or(supposed.flops),
            memory_bytes: self.memory_bytes.unwrap_or(supposed.memory_bytes),
            link_bytes: self.link_bytes.unwrap_or(supposed.link_bytes),
            message_seconds: self.message_seconds.unwrap_or(supposed.message_seconds),
            workers_at_once: self.workers_at_once.unwrap_or(supposed.workers_at_once),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_nonsense_is_refused() {
        let costs = MeasuredCosts {
            flops: Some(1.25e11),
            workers_at_once: Some(1.9),
            ..MeasuredCosts::default()
        };
        let text = costs.to_yaml();
        assert_eq!(text, "flops: 1.25e11\nworkers_at_once: 1.9e0\n");
        assert_eq!(MeasuredCosts::read(&text), Ok(costs));
        let whole = costs.over(Costs::apart(2, 1));
        assert_eq!((whole.flops, whole.workers_at_once), (1.25e11, 1.9));
        assert_eq!(whole.link_bytes, Costs::apart(2, 1).link_bytes);
        assert_eq!(MeasuredCosts::read("# nothing\n"), Ok(MeasuredCosts::default()));
        for text in ["flops: 0", "flops: .nan", "flops: many", "speed: 1"] {
            assert!(MeasuredCosts::read(text).is_err(), "{text}");
        }
    }
}
