//! What the exact totals of all releases of one dataset say together, before another one is made (theorem G6).

use crate::payment::Details;
use analyse::{Known, Ranges};
use certify::{EarlierRelease, Joint, Together, enforce, joint};
use declare::{Declaration, Kind, Problem};
use ledger::{Entry, Event};
use std::collections::BTreeSet;

/// The most releases that a certificate lists as not joined, by name.
const MOST_LISTED: usize = 20;

/// The releases that a dataset has paid for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Earlier {
    /// All of them; what was paid for and never completed may have been seen.
    pub(crate) paid: Vec<EarlierRelease>,
    /// Which of them were completed: the others are not spoken of in public.
    completed: BTreeSet<String>,
    /// Those of which nothing is known but that they were paid for.
    unknown: Vec<(String, String)>,
    /// The entry that paid last; 0 when none has.
    pub(crate) last: u64,
}

/// The totals of several releases, and what they confine.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) joint: Joint,
    pub(crate) ranges: Ranges,
}

impl Earlier {
    /// The releases in the history of a dataset.
    pub(crate) fn of(history: &[Entry]) -> Earlier {
        let mut earlier = Earlier::default();
        for entry in history {
            let name = |number: u64| format!("entry {number}");
            match &entry.event {
                Event::Reserved { details, .. } => {
                    earlier.last = entry.number;
                    match serde_json::from_str::<Details>(details) {
                        Ok(Details { spec, totals: Some(totals) }) => {
                            earlier.paid.push(EarlierRelease { name: name(entry.number), spec, totals });
                        }
                        Ok(Details { totals: None, .. }) => {
                            let reason = "it has too many exact totals to be kept in the ledger";
                            earlier.unknown.push((name(entry.number), reason.to_string()));
                        }
                        Err(_) => earlier
                            .unknown
                            .push((name(entry.number), "the ledger does not say what it kept".to_string())),
                    }
                }
                Event::Completed { reservation, .. } => {
                    earlier.completed.insert(name(*reservation));
                }
                _ => {}
            }
        }
        earlier
    }

    /// Whether nothing was released before.
    pub(crate) fn is_empty(&self) -> bool {
        self.paid.is_empty() && self.unknown.is_empty()
    }

    /// Those that were completed.
    fn published(&self) -> Earlier {
        let kept = |name: &String| self.completed.contains(name);
        Earlier {
            paid: self.paid.iter().filter(|release| kept(&release.name)).cloned().collect(),
            completed: self.completed.clone(),
            unknown: self.unknown.iter().filter(|(name, _)| kept(name)).cloned().collect(),
            last: self.last,
        }
    }

    /// What all of them say together with a release that is about to be made.
    ///
    /// # Errors
    /// Refused when it cannot be known: the common table is too large, or the totals contradict each other because the data
    /// have changed.
    pub(crate) fn with(
        &self,
        declaration: &Declaration,
        totals: &[Vec<i64>],
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Joined, Problem> {
        let joint = joint((declaration, totals), &self.paid)?;
        let known = Known::counts(&joint.conditions, &joint.totals);
        let ranges = known.ranges(&[], progress).map_err(|problem| match problem.kind {
            Kind::Infeasible => Problem::refused(
                "what this release discloses with others is not known: their exact totals contradict each other, so the data have changed",
            ),
            _ => problem,
        })?;
        Ok(Joined { joint, ranges })
    }

    /// Why the totals of all of them together are refused, if so: they confine a sensitive cell, or it is not known whether they
    /// do.
    pub(crate) fn confined(&self, declaration: &Declaration, joined: &Result<Joined, Problem>) -> Option<Problem> {
        let unknown = |message: String| {
            Some(Problem::refused(message).hint("leave `sensitive` out of [disclosure] only if that is right"))
        };
        let Joined { joint, ranges } = match joined {
            Ok(joined) => joined,
            Err(problem) => return unknown(problem.message.clone()),
        };
        let left_out = joint.left_out.iter().map(|left_out| (&left_out.name, &left_out.reason));
        if let Some((name, reason)) = self.unknown.iter().map(|(name, reason)| (name, reason)).chain(left_out).next() {
            return unknown(format!(
                "whether sensitive cells are disclosed together with {name} is not known: {reason}"
            ));
        }
        let problem = enforce(declaration, &joint.domain, &joint.conditions, ranges).err()?;
        let with = match joint.joined.len() {
            1 => "with those of 1 earlier release".to_string(),
            joined => format!("with those of {joined} earlier releases"),
        };
        let message =
            problem.message.replacen("the exact totals alone", &format!("the exact totals, together {with},"), 1);
        Some(Problem { message, ..problem })
    }

    /// What a certificate may say: of releases that were completed alone.
    pub(crate) fn stated(
        &self,
        declaration: &Declaration,
        totals: &[Vec<i64>],
        all: Result<&Joined, &Problem>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Together {
        let published = self.published();
        let own;
        let joined = if published.paid.len() == self.paid.len() {
            all
        } else {
            own = published.with(declaration, totals, progress);
            own.as_ref()
        };
        let mut left_out: Vec<String> =
            published.unknown.iter().map(|(name, reason)| format!("{name}: {reason}")).collect();
        match joined {
            Ok(Joined { joint, ranges }) => {
                left_out
                    .extend(joint.left_out.iter().map(|left_out| format!("{}: {}", left_out.name, left_out.reason)));
                let count = left_out.len();
                left_out.truncate(MOST_LISTED);
                if count > MOST_LISTED {
                    left_out.push(format!("and {} more", count - MOST_LISTED));
                }
                Together {
                    releases: joint.joined.len(),
                    table: Some(joint.description.clone()),
                    cells: Some(ranges.cells()),
                    disclosed_cells: Some(ranges.summary(0).cells.disclosed),
                    left_out,
                }
            }
            Err(problem) => {
                left_out.insert(0, problem.message.clone());
                Together { releases: 0, table: None, cells: None, disclosed_cells: None, left_out }
            }
        }
    }
}
