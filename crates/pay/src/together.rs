//! What the exact totals of all releases of one dataset say together, before another one is made
//! (theorem G6).

use crate::past::{Paid, Past, entry_name};
use certify::{EarlierRelease, Joint, Together, View, are_disjoint, emptied, enforce_cells, joint};
use declare::{Declaration, Domain, Grouping, Kind, NO_GROUP, Problem};
use disclose::{End, Known, Range, Ranges};
use ledger::Print;
use plan::{Case, ReleaseMethod};
use prepare::{Analysed, ColumnPrint};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The most releases that a certificate lists as not joined, by name.
const MOST_LISTED: usize = 20;

/// Tables with more cells are not looked at cell by cell.
const MOST_SEEN: usize = 1 << 20;

/// Who is told how many more cells and sums have a range that is known.
type Searching<'a> = &'a (dyn Fn(u64) + Sync);

/// The releases that a dataset has paid for.
#[derive(Debug, Clone)]
pub struct Earlier<'a> {
    /// All of them; what was paid for and never completed may have been seen.
    paid: Vec<Group>,
    /// Which of them were completed: the others are not spoken of in public.
    completed: &'a BTreeSet<u64>,
    /// Entries whose totals are not known to say anything about these data.
    apart: Vec<Apart>,
    /// What the specs of all of them call sensitive.
    guards: Vec<Guard>,
    /// The tables that they are of, with the release that was the first of each.
    tables: Vec<Guard>,
}

/// Earlier releases that say the same: named by the first.
#[derive(Debug, Clone)]
struct Group {
    /// The entries that paid for them, in order.
    entries: Vec<u64>,
    release: EarlierRelease,
}

/// An entry that is not joined, and why.
#[derive(Debug, Clone)]
struct Apart {
    entry: u64,
    reason: Arc<str>,
    /// Whether it may say something about these data.
    dangerous: bool,
}

/// The release that is about to be made.
#[derive(Clone, Copy)]
pub struct Current<'a> {
    /// Its spec.
    pub declaration: &'a Declaration,
    /// Its live cells.
    pub domain: &'a Domain,
    /// The totals that it keeps.
    pub totals: &'a [Vec<i64>],
    /// The fingerprints of its data.
    pub prints: &'a [Print],
    /// What its columns count, whatever they are called.
    pub columns: &'a [ColumnPrint],
}

impl<'a> Current<'a> {
    /// Of a table that was read.
    pub fn of(analysed: &'a Analysed, prints: &'a [Print], columns: &'a [ColumnPrint]) -> Current<'a> {
        let Case { declaration, domain, .. } = &analysed.opened.case;
        Current { declaration, domain, totals: &analysed.totals, prints, columns }
    }
}

/// A table that must not be given away: all of it, or the cells that its spec calls sensitive.
#[derive(Debug, Clone)]
struct Guard {
    origin: String,
    declaration: Declaration,
    domain: Domain,
    /// The cells that its filter leaves empty: that they are says nothing about the data.
    emptied: Option<Vec<bool>>,
}

/// The totals of several releases, and what they confine.
#[derive(Debug)]
pub struct Joined {
    joint: Joint,
    counted: Counted,
    ranges: Ranges,
    /// The cells of the release itself; `None` when the common table cannot tell them.
    own: Option<Seen>,
    /// The cells of every table with sensitive cells, this release's first; `None` when the common
    /// table cannot tell them.
    guarded: Vec<(Guard, Option<Seen>)>,
    /// The cells of the tables of earlier releases.
    tables: Vec<(String, Seen)>,
}

/// Which entries the groups that were joined, and those that were not, are.
#[derive(Debug)]
struct Counted {
    /// How many are joined.
    joined: usize,
    /// Those that are not, in order, and why.
    left_out: Vec<(u64, Arc<str>)>,
}

impl Counted {
    fn of(joint: &Joint, groups: &[Group]) -> Counted {
        let joined: BTreeSet<&str> = joint.joined.iter().map(String::as_str).collect();
        let left_out: HashMap<&str, &str> =
            joint.left_out.iter().map(|left_out| (left_out.name.as_str(), left_out.reason.as_str())).collect();
        let mut counted = Counted { joined: 0, left_out: Vec::new() };
        for Group { entries, release } in groups {
            if joined.contains(release.name.as_str()) {
                counted.joined += entries.len();
            } else if let Some(reason) = left_out.get(release.name.as_str()) {
                let reason: Arc<str> = Arc::from(*reason);
                counted.left_out.extend(entries.iter().map(|entry| (*entry, reason.clone())));
            }
        }
        counted.left_out.sort_by_key(|(entry, _)| *entry);
        counted
    }
}

/// The cells of one table, as the common table shows them.
#[derive(Debug)]
struct Seen {
    view: View,
    /// How many cells are, or are parts of, each sum.
    cells_of_group: Vec<u32>,
    ranges: Vec<Range>,
}

impl Seen {
    fn new(view: View) -> Seen {
        let mut cells_of_group = vec![0; view.groups];
        view.group_of_cell.iter().for_each(|group: &u32| cells_of_group[*group as usize] += 1);
        Seen { view, cells_of_group, ranges: Vec::new() }
    }

    /// The sums of the common table that its cells are, or are parts of.
    fn grouping(&self) -> Grouping {
        Grouping {
            label: "cells of a release".to_string(),
            names: vec![String::new(); self.view.groups],
            group_of: self.view.group_of.clone(),
            times: None,
        }
    }

    /// Takes the ranges of its sums; one that no row can be in is zero.
    fn learn(&mut self, ranges: &[Range]) {
        self.ranges = vec![Range::exact(0, 0); self.view.groups];
        for group in self.view.group_of.iter().filter(|group| **group != NO_GROUP) {
            self.ranges[*group as usize] = ranges[*group as usize];
        }
    }

    fn cells(&self) -> usize {
        self.view.group_of_cell.len()
    }

    fn range(&self, cell: usize) -> Range {
        let group = self.view.group_of_cell[cell] as usize;
        let whole = self.ranges[group];
        // Any of several parts may have all of a sum, or nothing.
        if self.view.are_parts && self.cells_of_group[group] > 1 {
            Range { low: End::Exact(0), ..whole }
        } else {
            whole
        }
    }

    /// Whether every cell has one value.
    fn is_one_table(&self) -> bool {
        (0..self.cells()).all(|cell| self.range(cell).value().is_some())
    }
}

/// Whether the data of two releases have a fingerprint of a kind in common.
fn shares(is: fn(&Print) -> bool, one: &[Print], other: &[Print]) -> bool {
    one.iter().any(|print| is(print) && other.contains(print))
}

/// Which releases may have rows in common with this one, or with one that has: what they tell of
/// certain rows is told together. Of all others it says nothing, as they say nothing of its rows.
fn tied(paid: &[Paid], current: Current<'_>) -> Vec<bool> {
    let apart = |one: &Paid, declaration: &Declaration, prints: &[Print]| {
        shares(Print::is_of_source, &one.prints, prints) && are_disjoint(&one.declaration, declaration)
    };
    let mut tied: Vec<bool> = paid.iter().map(|one| !apart(one, current.declaration, current.prints)).collect();
    let ties = |one: &Paid| says_something(&one.declaration) || !one.declaration.disclosure.sensitive.is_empty();
    let mut next: Vec<usize> = (0..paid.len()).filter(|place| tied[*place] && ties(&paid[*place])).collect();
    let mut loose: Vec<usize> = (0..paid.len()).filter(|place| !tied[*place]).collect();
    while let Some(one) = next.pop().filter(|_| !loose.is_empty()) {
        let Paid { declaration, prints, .. } = &paid[one];
        loose.retain(|place| {
            tied[*place] = !apart(&paid[*place], declaration, prints);
            next.extend((tied[*place] && ties(&paid[*place])).then_some(*place));
            !tied[*place]
        });
    }
    tied
}

impl<'a> Earlier<'a> {
    /// The releases in the history of a dataset.
    pub fn of(past: &'a Past, current: Current<'_>) -> Earlier<'a> {
        let unread = |(entry, reason): &(u64, &'static str)| Apart {
            entry: *entry,
            reason: Arc::from(*reason),
            dangerous: true,
        };
        let mut earlier = Earlier {
            paid: Vec::new(),
            completed: &past.completed,
            apart: past.unread.iter().map(unread).collect(),
            guards: Vec::new(),
            tables: Vec::new(),
        };
        let read = earlier.apart.len();
        let tied = tied(&past.paid, current);
        for (paid, tied) in past.paid.iter().zip(tied) {
            match tied {
                true => earlier.add(paid, current),
                false => earlier.set_apart(paid, "it is of another part of the data", false),
            }
        }
        earlier.apart[read..].sort_by_key(|apart| apart.entry);
        earlier
    }

    fn set_apart(&mut self, paid: &Paid, reason: &str, dangerous: bool) {
        let reason: Arc<str> = Arc::from(reason);
        let apart = |entry: &u64| Apart { entry: *entry, reason: reason.clone(), dangerous };
        self.apart.extend(paid.entries.iter().map(apart));
    }

    fn add(&mut self, paid: &Paid, current: Current<'_>) {
        let Paid { entries, spec, declaration, totals, shapes, prints, overridden } = paid;
        let (mut spec, mut declaration) = (spec.clone(), declaration.clone());
        let shared = |is: fn(&Print) -> bool| shares(is, prints, current.prints);
        // Filters that keep the same rows are the same, whatever they say.
        if shared(Print::is_of_all_rows) && declaration.data.filter != current.declaration.data.filter {
            declaration.data.filter = current.declaration.data.filter.clone();
            spec = declaration.to_toml();
        }
        let guard = Guard::of(paid.name(), &declaration);
        if let Some(guard) = &guard
            && !declaration.disclosure.sensitive.is_empty()
            && !self.guards.iter().any(|known| known.is_like(guard))
        {
            self.guards.push(guard.clone());
        }
        if !says_something(&declaration) {
            return;
        }
        if !shared(Print::says_whose) {
            return self.set_apart(paid, "nothing shows that its data were these, or others", true);
        }
        if let Some((theirs, ours)) = renamed(&declaration, shapes, current) {
            let reason = format!("its {theirs} counts what {ours} counts here: the same values under another name");
            return self.set_apart(paid, &reason, true);
        }
        // What was overridden then is known.
        if let Some(guard) = guard.filter(|_| !overridden)
            && !self.tables.iter().any(|known| known.is_of_the_same_rows(&guard))
        {
            self.tables.push(guard);
        }
        match totals.clone() {
            Some(totals) => {
                let release = EarlierRelease { name: paid.name(), spec, totals };
                self.paid.push(Group { entries: entries.clone(), release });
            }
            None => self.set_apart(paid, "it has too many exact totals to be kept in the ledger", true),
        }
    }

    /// What all of them say together with a release that is about to be made, and what a
    /// certificate may say of that; `None` where nothing was released before.
    pub fn told(&self, current: Current<'_>, progress: Searching<'_>) -> Option<(Result<Joined, Problem>, Together)> {
        if self.paid.is_empty() && self.apart.is_empty() && self.guards.is_empty() {
            return None;
        }
        let joined = self.with(current, progress);
        let stated = self.stated(current, joined.as_ref(), progress);
        Some((joined, stated))
    }

    /// Those that were completed, each in the place of the first of them that was.
    fn published(&self) -> Earlier<'a> {
        let mut published = self.clone();
        published.paid.iter_mut().for_each(|group| group.entries.retain(|entry| self.completed.contains(entry)));
        published.paid.retain(|group| !group.entries.is_empty());
        published.apart.retain(|apart| self.completed.contains(&apart.entry));
        published
    }

    /// What all of them say together with a release that is about to be made.
    ///
    /// # Errors
    /// Refused when it cannot be known: the common table is too large, or the totals contradict
    /// each other because the data have changed.
    fn with(&self, current: Current<'_>, progress: Searching<'_>) -> Result<Joined, Problem> {
        let releases: Vec<EarlierRelease> = self.paid.iter().map(|group| group.release.clone()).collect();
        let joint = joint((current.declaration, current.totals), &releases)?;
        let counted = Counted::of(&joint, &self.paid);
        let known = Known::counts(&joint.conditions, &joint.totals);
        let sensitive = !current.declaration.disclosure.sensitive.is_empty();
        let first = Guard::of("this spec".to_string(), current.declaration).filter(|_| sensitive);
        let guards: Vec<Guard> = first.into_iter().chain(self.guards.iter().cloned()).collect();
        let view = |declaration: &Declaration, domain: &Domain| {
            (domain.len() <= MOST_SEEN).then(|| joint.view(declaration, domain)).flatten().map(Seen::new)
        };
        let of = |guard: &Guard| view(&guard.declaration, &guard.domain);
        let mut own = view(current.declaration, current.domain);
        let mut guarded: Vec<(Guard, Option<Seen>)> = guards.iter().map(|guard| (guard.clone(), of(guard))).collect();
        let mut tables: Vec<(String, Seen)> =
            self.tables.iter().filter_map(|guard| Some((guard.origin.clone(), of(guard)?))).collect();
        let mut seen: Vec<&mut Seen> = own.iter_mut().collect();
        seen.extend(guarded.iter_mut().filter_map(|(_, seen)| seen.as_mut()));
        seen.extend(tables.iter_mut().map(|(_, seen)| seen));
        let asked: Vec<Grouping> = seen.iter().map(|seen| seen.grouping()).collect();
        let ranges = known.ranges(&asked, progress).map_err(|problem| match problem.kind {
            Kind::Infeasible => Problem::refused(
                "what this release discloses with others is not known: their exact totals contradict each other, so the data have changed",
            ),
            _ => problem,
        })?;
        for (seen, margin) in seen.into_iter().zip(&ranges.margins) {
            seen.learn(&margin.ranges);
        }
        own = own.filter(|own| !own.view.are_parts);
        tables.retain(|(_, table)| !table.view.are_parts);
        Ok(Joined { joint, counted, ranges, own, guarded, tables })
    }

    /// Why the totals of all of them together are refused, if so: they leave one table, they
    /// confine a cell that this spec or an earlier one calls sensitive, or it is not known whether
    /// they do.
    pub fn confined(&self, current: Current<'_>, joined: &Result<Joined, Problem>) -> Option<Problem> {
        let guarded = !self.guards.is_empty() || !current.declaration.disclosure.sensitive.is_empty();
        // What keeps nothing exact tells nothing that was not known before.
        if !guarded && !says_something(current.declaration) {
            return None;
        }
        let unknown = |message: String| {
            let hint = "give columns, values and filters the names they had, or keep fewer totals exact";
            Some(Problem::refused(message).hint(hint))
        };
        let Joined { joint, counted, own, guarded: guards, tables, .. } = match joined {
            Ok(joined) => joined,
            Err(problem) => return unknown(problem.message.clone()),
        };
        let with = match counted.joined {
            1 => "those of 1 earlier release".to_string(),
            joined => format!("those of {joined} earlier releases"),
        };
        let whole = own.iter().map(|own| (None, own)).chain(tables.iter().map(|(name, table)| (Some(name), table)));
        let whole = whole.filter(|_| counted.joined > 0).find(|(_, table)| table.is_one_table());
        if let Some((name, _)) = whole {
            let of = name.map_or(String::new(), |name| format!(" of {name}"));
            let message = format!(
                "the exact totals, together with {with}, leave one table only{of}: every count is disclosed, whatever the noise"
            );
            return Some(Problem::refused(message).hint("declare fewer or coarser invariants"));
        }
        let apart = self.apart.iter().filter(|apart| apart.dangerous).map(|apart| (apart.entry, &apart.reason));
        let left_out = counted.left_out.iter().map(|(entry, reason)| (*entry, reason));
        if let Some((entry, reason)) = apart.chain(left_out).next() {
            let name = entry_name(entry);
            return unknown(format!("what this release discloses together with {name} is not known: {reason}"));
        }
        guards.iter().find_map(|(guard, seen)| {
            let Guard { origin, declaration: Declaration { disclosure, .. }, domain, emptied } = guard;
            let Some(seen) = seen else {
                let message = format!("whether cells that {origin} calls sensitive are disclosed together is not known: the values of its dimensions are others");
                return Some(Problem::refused(message));
            };
            // Totals around a cell are named where the common table has the cells of the guarded
            // one.
            let around = (joint.domain.len() == domain.len()).then_some(&joint.conditions);
            let range = |cell: usize| match emptied.as_ref().is_some_and(|emptied| emptied[cell]) {
                true => Range { low: End::Endless, high: End::Endless },
                false => seen.range(cell),
            };
            let problem = enforce_cells(disclosure, domain, around, &range).err()?;
            let message = problem.message.replacen("the exact totals alone", &format!("the exact totals, together with {with},"), 1);
            Some(Problem { message, ..problem })
        })
    }

    /// What a certificate may say: of releases that were completed alone.
    fn stated(&self, current: Current<'_>, all: Result<&Joined, &Problem>, progress: Searching<'_>) -> Together {
        let mut published = self.published();
        // What is said of the same groups in the same order is the same, however many each has.
        let same = published.paid.len() == self.paid.len() && published.paid.is_sorted_by_key(|group| group.entries[0]);
        let again;
        let joined = if same {
            all
        } else {
            published.paid.sort_by_key(|group| group.entries[0]);
            published.paid.iter_mut().for_each(|group| group.release.name = entry_name(group.entries[0]));
            again = published.with(current, progress);
            again.as_ref()
        };
        let said = |(entry, reason): (u64, &Arc<str>)| format!("{}: {reason}", entry_name(entry));
        let first = |left_out: &mut dyn Iterator<Item = (u64, &Arc<str>)>| -> Vec<String> {
            left_out.take(MOST_LISTED).map(said).collect()
        };
        let mut left_out = first(&mut published.apart.iter().map(|apart| (apart.entry, &apart.reason)));
        let mut count = published.apart.len();
        let (releases, table, cells, disclosed_cells) = match joined {
            Ok(Joined { joint, ranges, own, .. }) => {
                let counted = Counted::of(joint, &published.paid);
                left_out.extend(first(&mut counted.left_out.iter().map(|(entry, reason)| (*entry, reason))));
                count += counted.left_out.len();
                let (cells, disclosed) = match own {
                    Some(own) => {
                        let cells = own.cells();
                        (cells, (0..cells).filter(|cell| !own.range(*cell).is_wider_than(0)).count())
                    }
                    None => (ranges.cells(), ranges.summary(0).cells.disclosed),
                };
                (counted.joined, Some(joint.description.clone()), Some(cells), Some(disclosed))
            }
            Err(problem) => {
                left_out.insert(0, problem.message.clone());
                count += 1;
                (0, None, None, None)
            }
        };
        left_out.truncate(MOST_LISTED);
        if count > MOST_LISTED {
            left_out.push(format!("and {} more", count - MOST_LISTED));
        }
        Together { releases, table, cells, disclosed_cells, left_out }
    }
}

impl Guard {
    fn of(origin: String, declaration: &Declaration) -> Option<Guard> {
        let domain = declaration.domain().ok()?;
        let looked_at = !declaration.disclosure.sensitive.is_empty();
        let emptied = looked_at.then(|| emptied(declaration, &domain, false).ok().flatten()).flatten();
        Some(Guard { origin, declaration: declaration.clone(), domain, emptied })
    }

    /// Whether the same cells of the same rows are sensitive.
    fn is_like(&self, other: &Guard) -> bool {
        self.declaration.disclosure == other.declaration.disclosure && self.is_of_the_same_rows(other)
    }

    fn is_of_the_same_rows(&self, other: &Guard) -> bool {
        self.domain == other.domain && self.declaration.data == other.declaration.data
    }
}

/// Whether a release tells anything for certain: totals of the table, rules, or combinations that
/// do not exist.
fn says_something(declaration: &Declaration) -> bool {
    let constraints = &declaration.constraints;
    let keeps = declaration.invariants.iter().any(|invariant| invariant.pinned.is_none())
        || !constraints.rules.is_empty()
        || !constraints.zero.is_empty();
    keeps && ReleaseMethod::of(declaration.mechanism.method).keeps
}

/// Columns of an earlier release and of this one that neither has by name in common and that count
/// the same.
fn renamed(theirs: &Declaration, their_shapes: &[ColumnPrint], current: Current<'_>) -> Option<(String, String)> {
    fn columns(declaration: &Declaration) -> BTreeSet<&str> {
        let columns = declaration.schema.dimensions.iter().map(|dimension| dimension.column.as_str());
        columns.chain(declaration.schema.names()).collect()
    }
    let (their_columns, our_columns) = (columns(theirs), columns(current.declaration));
    let foreign = |shape: &ColumnPrint, known: &BTreeSet<&str>| {
        !shape.columns.iter().any(|column| known.contains(column.as_str()))
    };
    let words = |shape: &ColumnPrint| format!("`{}`", shape.columns.join("` × `"));
    their_shapes.iter().filter(|shape| foreign(shape, &our_columns)).find_map(|theirs| {
        let same = |ours: &&ColumnPrint| ours.print == theirs.print && foreign(ours, &their_columns);
        current.columns.iter().find(same).map(|ours| (words(theirs), words(ours)))
    })
}
