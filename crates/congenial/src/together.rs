//! What the exact totals of all releases of one dataset say together, before another one is made (theorem G6).

use crate::payment::Details;
use analyse::{End, Known, Range, Ranges};
use certify::{EarlierRelease, Joint, Together, enforce_cells, joint, part_of};
use declare::{Declaration, Disclosure, Domain, Grouping, Kind, NO_GROUP, Problem};
use ledger::{Entry, Event, Print};
use std::collections::{BTreeSet, HashMap};

/// The most releases that a certificate lists as not joined, by name.
const MOST_LISTED: usize = 20;

/// Tables with more cells are not looked at cell by cell.
const MOST_SEEN: usize = 1 << 20;

/// The releases that a dataset has paid for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Earlier {
    /// All of them; what was paid for and never completed may have been seen.
    paid: Vec<EarlierRelease>,
    /// Which of them were completed: the others are not spoken of in public.
    completed: BTreeSet<String>,
    /// Those whose totals are not known to say anything about these data, with the reason; and whether that is dangerous.
    apart: Vec<(String, String, bool)>,
    /// What the specs of all of them call sensitive.
    guards: Vec<Guard>,
    /// The entry that paid last; 0 when none has.
    pub(crate) last: u64,
}

/// The release that is about to be made.
#[derive(Clone, Copy)]
pub(crate) struct Current<'a> {
    pub(crate) declaration: &'a Declaration,
    pub(crate) domain: &'a Domain,
    pub(crate) totals: &'a [Vec<i64>],
    /// The fingerprints of its data.
    pub(crate) prints: &'a [Print],
    /// The column whose values are parts of the dataset.
    pub(crate) partition: Option<&'a str>,
}

/// Cells that a spec calls sensitive, of its own table.
#[derive(Debug, Clone)]
struct Guard {
    origin: String,
    disclosure: Disclosure,
    domain: Domain,
}

/// The totals of several releases, and what they confine.
#[derive(Debug)]
pub(crate) struct Joined {
    joint: Joint,
    ranges: Ranges,
    /// The cells of the release itself; `None` when the common table cannot tell them.
    own: Option<Seen>,
    /// The cells of every guarded table, this release's first; `None` when the common table cannot tell them.
    guarded: Vec<(Guard, Option<Seen>)>,
}

/// The cells of one table, as the common table shows them.
#[derive(Debug)]
struct Seen {
    /// The sum of cells of the common table that a cell is, or is a part of.
    group_of_cell: Vec<u32>,
    /// Whether cells are parts of these sums, which no total tells apart from the other parts.
    are_parts: bool,
    /// How many cells are, or are parts of, each sum.
    cells_of_group: Vec<u32>,
    ranges: Vec<Range>,
}

impl Seen {
    fn range(&self, cell: usize) -> Range {
        let group = self.group_of_cell[cell] as usize;
        let whole = self.ranges[group];
        // Any of several parts may have all of a sum, or nothing.
        if self.are_parts && self.cells_of_group[group] > 1 { Range { low: End::Exact(0), ..whole } } else { whole }
    }
}

impl Earlier {
    /// The releases in the history of a dataset.
    pub(crate) fn of(history: &[Entry], current: Current<'_>) -> Earlier {
        let mut earlier = Earlier::default();
        let name = |number: u64| format!("entry {number}");
        for entry in history {
            match &entry.event {
                Event::Reserved { details, prints, .. } => {
                    earlier.last = entry.number;
                    earlier.add(name(entry.number), details, prints, current);
                }
                Event::Completed { reservation, .. } => {
                    earlier.completed.insert(name(*reservation));
                }
                _ => {}
            }
        }
        earlier
    }

    fn add(&mut self, name: String, details: &str, prints: &[Print], current: Current<'_>) {
        let Ok(Details { spec, totals }) = serde_json::from_str::<Details>(details) else {
            return self.apart.push((name, "the ledger does not say what it kept".to_string(), true));
        };
        let declaration = Declaration::parse_alone(&spec, &name).ok();
        if let Some(guard) = declaration.as_ref().and_then(|known| Guard::of(name.clone(), known))
            && !self.guards.iter().any(|known| known.is_like(&guard))
        {
            self.guards.push(guard);
        }
        if !prints.iter().any(|print| current.prints.contains(print)) {
            return self.apart.push((name, "its data were others than these".to_string(), false));
        }
        let part = |known: &Declaration| current.partition.and_then(|column| part_of(known, column));
        let parts = (declaration.as_ref().and_then(part), part(current.declaration));
        if let (Some(one), Some(other)) = parts
            && one != other
        {
            return self.apart.push((name, "it is of another part of the data".to_string(), false));
        }
        match totals {
            Some(totals) => self.paid.push(EarlierRelease { name, spec, totals }),
            None => self.apart.push((name, "it has too many exact totals to be kept in the ledger".to_string(), true)),
        }
    }

    /// Whether nothing was released before.
    pub(crate) fn is_empty(&self) -> bool {
        self.paid.is_empty() && self.apart.is_empty()
    }

    /// Those that were completed.
    fn published(&self) -> Earlier {
        let kept = |name: &String| self.completed.contains(name);
        let mut published = self.clone();
        published.paid.retain(|release| kept(&release.name));
        published.apart.retain(|(name, ..)| kept(name));
        published
    }

    /// What all of them say together with a release that is about to be made.
    ///
    /// # Errors
    /// Refused when it cannot be known: the common table is too large, or the totals contradict each other because the data
    /// have changed.
    pub(crate) fn with(&self, current: Current<'_>, progress: &(dyn Fn(u64) + Sync)) -> Result<Joined, Problem> {
        let joint = joint((current.declaration, current.totals), &self.paid)?;
        let known = Known::counts(&joint.conditions, &joint.totals);
        let first = Guard::of("this spec".to_string(), current.declaration);
        let guards: Vec<Guard> = first.into_iter().chain(self.guards.iter().cloned()).collect();
        let domains = [current.domain].into_iter().chain(guards.iter().map(|guard| &guard.domain));
        let views: Vec<Option<(Grouping, Seen)>> = domains.map(|domain| view(&joint.domain, domain)).collect();
        let asked: Vec<Grouping> = views.iter().flatten().map(|(grouping, _)| grouping.clone()).collect();
        let ranges = known.ranges(&asked, progress).map_err(|problem| match problem.kind {
            Kind::Infeasible => Problem::refused(
                "what this release discloses with others is not known: their exact totals contradict each other, so the data have changed",
            ),
            _ => problem,
        })?;
        let mut found = ranges.margins.iter().map(|margin| margin.ranges.clone());
        let mut seen = views
            .into_iter()
            .map(|view| view.map(|(_, seen)| Seen { ranges: found.next().unwrap_or_default(), ..seen }));
        let own = seen.next().flatten().filter(|own| !own.are_parts);
        let guarded = guards.iter().cloned().zip(seen).collect();
        Ok(Joined { joint, ranges, own, guarded })
    }

    /// Why the totals of all of them together are refused, if so: they leave one table, they confine a cell that this spec or an
    /// earlier one calls sensitive, or it is not known whether they do.
    pub(crate) fn confined(&self, current: Current<'_>, joined: &Result<Joined, Problem>) -> Option<Problem> {
        let guarded = !self.guards.is_empty() || !current.declaration.disclosure.sensitive.is_empty();
        let unknown = |message: String| {
            let hint = "it can be released where that is known, or with fewer exact totals";
            guarded.then(|| Problem::refused(message).hint(hint))
        };
        let Joined { joint, own, guarded: guards, .. } = match joined {
            Ok(joined) => joined,
            Err(problem) => return unknown(problem.message.clone()),
        };
        let with = match joint.joined.len() {
            1 => "those of 1 earlier release".to_string(),
            joined => format!("those of {joined} earlier releases"),
        };
        if let Some(own) = own
            && !joint.joined.is_empty()
            && (0..current.domain.len()).all(|cell| own.range(cell).value().is_some())
        {
            let message = format!(
                "the exact totals, together with {with}, leave one table only: every count is disclosed, whatever the noise"
            );
            return Some(Problem::refused(message).hint("declare fewer or coarser invariants"));
        }
        let apart = self.apart.iter().filter(|(.., dangerous)| *dangerous).map(|(name, reason, _)| (name, reason));
        let left_out = joint.left_out.iter().map(|left_out| (&left_out.name, &left_out.reason));
        if let Some((name, reason)) = apart.chain(left_out).next() {
            return unknown(format!(
                "whether sensitive cells are disclosed together with {name} is not known: {reason}"
            ));
        }
        guards.iter().find_map(|(guard, seen)| {
            let Guard { origin, disclosure, domain } = guard;
            let Some(seen) = seen else {
                let message = format!("whether cells that {origin} calls sensitive are disclosed together is not known: the values of its dimensions are others");
                return Some(Problem::refused(message));
            };
            let problem = enforce_cells(disclosure, domain, &joint.conditions, &|cell| seen.range(cell)).err()?;
            let message = problem.message.replacen("the exact totals alone", &format!("the exact totals, together with {with},"), 1);
            Some(Problem { message, ..problem })
        })
    }

    /// What a certificate may say: of releases that were completed alone.
    pub(crate) fn stated(
        &self,
        current: Current<'_>,
        all: Result<&Joined, &Problem>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Together {
        let published = self.published();
        let again;
        let joined = if published.paid.len() == self.paid.len() {
            all
        } else {
            again = published.with(current, progress);
            again.as_ref()
        };
        let mut left_out: Vec<String> =
            published.apart.iter().map(|(name, reason, _)| format!("{name}: {reason}")).collect();
        let (releases, table, cells, disclosed_cells) = match joined {
            Ok(Joined { joint, ranges, own, .. }) => {
                left_out
                    .extend(joint.left_out.iter().map(|left_out| format!("{}: {}", left_out.name, left_out.reason)));
                let (cells, disclosed) = match own {
                    Some(own) => {
                        let cells = own.group_of_cell.len();
                        (cells, (0..cells).filter(|cell| !own.range(*cell).is_wider_than(0)).count())
                    }
                    None => (ranges.cells(), ranges.summary(0).cells.disclosed),
                };
                (joint.joined.len(), Some(joint.description.clone()), Some(cells), Some(disclosed))
            }
            Err(problem) => {
                left_out.insert(0, problem.message.clone());
                (0, None, None, None)
            }
        };
        let count = left_out.len();
        left_out.truncate(MOST_LISTED);
        if count > MOST_LISTED {
            left_out.push(format!("and {} more", count - MOST_LISTED));
        }
        Together { releases, table, cells, disclosed_cells, left_out }
    }
}

impl Guard {
    fn of(origin: String, declaration: &Declaration) -> Option<Guard> {
        let disclosure = declaration.disclosure.clone();
        (!disclosure.sensitive.is_empty()).then_some(())?;
        Some(Guard { origin, disclosure, domain: declaration.domain().ok()? })
    }

    fn is_like(&self, other: &Guard) -> bool {
        self.disclosure == other.disclosure && self.domain.schema == other.domain.schema
    }
}

/// The cells of a table as sums of cells of the common table, or as parts of such sums where that lacks some of its dimensions;
/// `None` when a dimension has other values there, or when the table is too large to look at.
fn view(common: &Domain, own: &Domain) -> Option<(Grouping, Seen)> {
    if own.len() > MOST_SEEN {
        return None;
    }
    let mut places = Vec::new();
    for (number, dimension) in own.schema.dimensions.iter().enumerate() {
        if let Some(place) = common.schema.position(&dimension.name) {
            (common.schema.dimensions[place].values == dimension.values).then_some(())?;
            places.push((number, place));
        }
    }
    let are_parts = places.len() < own.schema.dimensions.len();
    let mut groups: HashMap<Vec<usize>, u32> = HashMap::new();
    let mut group_of_cell = Vec::with_capacity(own.len());
    let mut walk = own.walk();
    while let Some((_, codes)) = walk.advance() {
        let key = places.iter().map(|(number, _)| codes[*number]).collect();
        let next = groups.len() as u32;
        group_of_cell.push(*groups.entry(key).or_insert(next));
    }
    let mut cells_of_group = vec![0; groups.len()];
    group_of_cell.iter().for_each(|group: &u32| cells_of_group[*group as usize] += 1);
    let mut group_of = Vec::with_capacity(common.len());
    let mut walk = common.walk();
    while let Some((_, codes)) = walk.advance() {
        let key: Vec<usize> = places.iter().map(|(_, place)| codes[*place]).collect();
        group_of.push(groups.get(&key).copied().unwrap_or(NO_GROUP));
    }
    let names = vec![String::new(); groups.len()];
    let grouping = Grouping { label: "cells of a release".to_string(), names, group_of, times: None };
    Some((grouping, Seen { group_of_cell, are_parts, cells_of_group, ranges: Vec::new() }))
}
