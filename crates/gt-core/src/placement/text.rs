//! Placements and signatures in words, as logs and tapes have them.

use std::fmt;

use super::{At, Layout, Placement, Signature};

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cut")?;
        for cut in &self.cuts {
            match cut {
                None => f.write_str(" none")?,
                Some((letter, At::Even)) => write!(f, " {letter}")?,
                Some((letter, At::Points(points))) => {
                    write!(f, " {letter} at")?;
                    points.iter().try_for_each(|point| write!(f, " {point}"))?;
                }
                Some((letter, At::InBlocks(blocks, points))) => {
                    write!(f, " {letter} in {blocks} blocks at")?;
                    points.iter().try_for_each(|point| write!(f, " {point}"))?;
                }
            }
        }
        f.write_str(" on")?;
        self.mesh.workers.iter().try_for_each(|worker| write!(f, " {worker}"))
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Layout::Replicate => f.write_str("replicate"),
            Layout::Shard(cut) => {
                write!(f, "shard({}", cut.axis)?;
                if cut.blocks > 1 {
                    write!(f, " in {} blocks", cut.blocks)?;
                }
                if let At::Points(points) = &cut.at {
                    write!(f, " at")?;
                    points.iter().try_for_each(|point| write!(f, " {point}"))?;
                }
                f.write_str(")")
            }
            Layout::Partial(how) => write!(f, "partial({})", format!("{how:?}").to_lowercase()),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on", self.describe())?;
        self.mesh.workers.iter().try_for_each(|worker| write!(f, " {worker}"))
    }
}
