//! `Limits`: how much memory and time the weights and attempts of a block may be predicted to need.

/// The units of memory in a spec, with their bytes, the largest first.
pub const MEMORY_UNITS: [(&str, u64); 3] = [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000)];

/// The units of time in a spec, with their seconds, the largest first. One of them may be written
/// without its `s`.
pub const TIME_UNITS: [(&str, u64); 4] = [("days", 86_400), ("hours", 3600), ("minutes", 60), ("seconds", 1)];

/// The largest limits that a spec may have: a thousand terabytes and a thousand days.
pub const LARGEST_LIMITS: Limits = Limits { bytes: 1_000_000_000_000_000, seconds: 86_400_000 };

/// The `[limits]` section: beyond these a planner refuses.
///
/// They are part of the spec and not those of a machine, so that a plan is the same wherever it is
/// made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most memory that what is prepared for a block may take, in bytes.
    pub bytes: u64,
    /// The longest that a draw of a block may take, in seconds.
    pub seconds: u64,
}

impl Default for Limits {
    /// 6 GB and 20 minutes.
    fn default() -> Limits {
        Limits { bytes: 6_000_000_000, seconds: 1200 }
    }
}

impl Limits {
    /// The larger of both, each by itself.
    pub fn or_larger(self, other: Limits) -> Limits {
        Limits { bytes: self.bytes.max(other.bytes), seconds: self.seconds.max(other.seconds) }
    }

    /// The memory as specs write it, in the largest unit of which it is a whole number; else in MB,
    /// with decimals.
    pub fn memory(self) -> String {
        match MEMORY_UNITS.iter().find(|(_, bytes)| self.bytes.is_multiple_of(*bytes)) {
            Some((unit, bytes)) => format!("{} {unit}", self.bytes / bytes),
            None => {
                let decimals = format!("{:06}", self.bytes % 1_000_000);
                format!("{}.{} MB", self.bytes / 1_000_000, decimals.trim_end_matches('0'))
            }
        }
    }

    /// The time as specs write it, in the largest unit of which it is a whole number.
    pub fn time(self) -> String {
        let whole = TIME_UNITS.iter().find(|(_, seconds)| self.seconds.is_multiple_of(*seconds));
        let (unit, seconds) = whole.copied().unwrap_or(("seconds", 1));
        match self.seconds / seconds {
            1 => format!("1 {}", unit.trim_end_matches('s')),
            number => format!("{number} {unit}"),
        }
    }

    /// The limits that let a block be drawn that is predicted to need so much, rounded up to what
    /// people write and never below these; `None` where no spec may have them.
    pub fn raised_to(self, bytes: f64, seconds: f64) -> Option<Limits> {
        let raised = |needed: f64, known: u64, units: &[(&str, u64)], most: u64| {
            if needed > known as f64 { rounded(needed, units, most) } else { Some(known) }
        };
        let bytes = raised(bytes, self.bytes, &MEMORY_UNITS, LARGEST_LIMITS.bytes)?;
        Some(Limits { bytes, seconds: raised(seconds, self.seconds, &TIME_UNITS, LARGEST_LIMITS.seconds)? })
    }

    /// The lines of `[limits]` that raise these to others, to be pasted into a spec; `None` where
    /// they are the same.
    pub fn lines_to(self, raised: Limits) -> Option<Vec<String>> {
        let memory = (raised.bytes != self.bytes).then(|| format!("memory = \"{}\"", raised.memory()));
        let time = (raised.seconds != self.seconds).then(|| format!("time = \"{}\"", raised.time()));
        let lines: Vec<String> = memory.into_iter().chain(time).collect();
        (!lines.is_empty()).then_some(lines)
    }
}

/// The next whole number of a unit above what is needed, in the largest unit of which it takes at
/// least two.
fn rounded(needed: f64, units: &[(&str, u64)], most: u64) -> Option<u64> {
    if needed.is_nan() || needed > most as f64 {
        return None;
    }
    let fits = units.iter().find(|(_, unit)| needed >= 2.0 * *unit as f64).or(units.last());
    let (_, unit) = fits?;
    let number = (needed / *unit as f64).floor() as u64 + 1;
    Some((number * unit).min(most))
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_LIMITS, Limits};

    #[test]
    fn limits_are_raised_to_the_next_whole_number() {
        let limits = Limits::default();
        assert_eq!((limits.memory().as_str(), limits.time().as_str()), ("6 GB", "20 minutes"));
        assert_eq!(limits.lines_to(limits.raised_to(1.0, 1.0).unwrap()), None);
        let raised = limits.raised_to(13.2e9, 5000.0).unwrap();
        assert_eq!(limits.lines_to(raised).unwrap(), ["memory = \"14 GB\"", "time = \"84 minutes\""]);
        assert_eq!(limits.raised_to(1.0, 9000.0).unwrap().time(), "3 hours");
        assert_eq!(limits.raised_to(2e15, 1.0), None);
        assert_eq!(limits.raised_to(1.0, f64::NAN).map(|limits| limits.seconds), Some(1200));
        assert_eq!(limits.raised_to(1e15, 8.64e7), Some(LARGEST_LIMITS));
    }
}
