//! Whether all that a block asks of sums, and all that is noisy in it, are differences of
//! potentials on one set of points.
//!
//! Theorem G13 is about fibres on which every noisy cell and every bounded sum is `p_b − p_a` for
//! whole numbers p on the vertices of a graph, all choices of p allowed. With classes of cells as
//! elements that is a question about a matrix: solve the equalities for some classes, write
//! everything in the others, and look for a tree with these as edges in which every row is a path
//! with the right signs. Cells of one class are edges in a row, so they need no rows of their own.
//! The tree that a search finds is checked here, sign by sign. Proof:
//! `crates/certify/proofs/G13.md`.

mod realise;

use crate::block::{Block, Structure};
use crate::ground::members;
use crate::number::gcd;
use crate::sums::columns;
use crate::union::Union;
use declare::{Conditions, Relation};
use realise::{Work, realise};
use std::collections::{BTreeMap, HashMap};

/// Beyond this many classes in one block nothing is searched.
const MOST_CLASSES: usize = 4096;

/// The most steps of a search.
const MOST_WORK: u64 = 200_000_000;

/// Why a block is not covered by theorem G13.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPotentials {
    /// A sum takes cells with coefficients other than 1 and −1, given the totals.
    Coefficients,
    /// No order makes every bounded or noisy sum a difference of two running sums.
    Crossing,
    /// The block has too many classes to look for one.
    TooLarge,
}

impl NoPotentials {
    /// The reason in words.
    pub fn in_words(self) -> &'static str {
        match self {
            NoPotentials::Coefficients => {
                "bounds or rules take cells with coefficients other than 1 and -1, given the totals"
            }
            NoPotentials::Crossing => {
                "its sums are no tree: totals that cross in three or more rows and columns, or rules that tie two exact totals \
                 together, are not covered"
            }
            NoPotentials::TooLarge => "the block has too many classes of cells for its sums to be checked",
        }
    }
}

/// Whether the cells, bounded sums and noisy sums of a block are differences of potentials.
///
/// # Errors
/// The reason why not, as far as is known.
pub fn potentials(conditions: &Conditions, block: &Block) -> Result<(), NoPotentials> {
    let alone = conditions.queries.is_empty() && conditions.rules.is_empty();
    if alone && matches!(block.structure, Structure::Free | Structure::OneTotal { .. }) {
        return Ok(());
    }
    let (equalities, others) = rows(conditions, &block.cells);
    let (classes, columns) = classes(block.cells.len(), &equalities, &others);
    if classes > MOST_CLASSES {
        return Err(NoPotentials::TooLarge);
    }
    let (equal, other) = columns.split_at(equalities.len());
    let solved = solve(equal.to_vec())?;
    let elements = (0..classes as u32).map(|class| BTreeMap::from([(class, 1)]));
    let mut sets: HashMap<Vec<u32>, Vec<i64>> = HashMap::new();
    let mut edges = Vec::new();
    for row in elements.chain(other.iter().cloned()) {
        let mut row = reduced(row, &solved);
        // A bound of a multiple is a bound, and noise on a multiple is noise: both stay
        // log-concave.
        let common = row.values().fold(0, |common, times| gcd(common, times.unsigned_abs())).max(1);
        row.values_mut().for_each(|times| *times /= common as i64);
        if row.values().any(|times| times.abs() > 1) {
            return Err(NoPotentials::Coefficients);
        }
        let (set, mut signs): (Vec<u32>, Vec<i64>) = row.into_iter().unzip();
        if set.len() < 2 {
            edges.extend(set);
            continue;
        }
        let first = signs[0];
        signs.iter_mut().for_each(|sign| *sign *= first);
        if *sets.entry(set).or_insert_with(|| signs.clone()) != signs {
            return Err(NoPotentials::Crossing);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let mut sets: Vec<(Vec<u32>, Vec<i64>)> = sets.into_iter().collect();
    sets.sort_unstable();
    let supports: Vec<Vec<u32>> = sets.iter().map(|(set, _)| set.clone()).collect();
    let mut work = Work(MOST_WORK);
    let tree = realise(&edges, &supports, &mut work).ok_or(match work.0 {
        0 => NoPotentials::TooLarge,
        _ => NoPotentials::Crossing,
    })?;
    if is_forest(&tree, &edges) && signed_paths(&tree, &sets) { Ok(()) } else { Err(NoPotentials::Crossing) }
}

type Row = BTreeMap<u32, i64>;

type Entries = Vec<Vec<(u32, i64)>>;

/// The equalities, and the other sums that something is asked of, over positions in the block;
/// single cells are elements anyway.
fn rows(conditions: &Conditions, cells: &[u32]) -> (Entries, Entries) {
    let (mut equalities, mut others) = (Vec::new(), Vec::new());
    let invariants = conditions.invariants.iter().map(|grouping| (grouping, true));
    let rules = conditions.rules.iter().map(|rule| (&rule.grouping, rule.relation == Relation::Equal));
    let queries = conditions.queries.iter().map(|query| (&query.grouping, false));
    for (grouping, is_equal) in invariants.chain(rules).chain(queries) {
        let found =
            members(grouping, cells).into_iter().map(|(_, entries)| entries).filter(|entries| entries.len() > 1);
        if is_equal { equalities.extend(found) } else { others.extend(found) }
    }
    (equalities, others)
}

/// Cells with the same coefficients everywhere are one class: how many there are, and every row
/// over them.
fn classes(cells: usize, equalities: &Entries, others: &Entries) -> (usize, Vec<Row>) {
    let column = columns(cells, equalities.iter().chain(others).map(Vec::as_slice));
    let mut numbers: HashMap<Vec<(u32, i64)>, u32> = HashMap::new();
    let mut rows: Vec<Row> = vec![Row::new(); equalities.len() + others.len()];
    for column in column.into_iter().filter(|column| !column.is_empty()) {
        let next = numbers.len() as u32;
        if let std::collections::hash_map::Entry::Vacant(entry) = numbers.entry(column) {
            for (row, times) in entry.key() {
                rows[*row as usize].insert(next, *times);
            }
            entry.insert(next);
        }
    }
    (numbers.len(), rows)
}

/// The equalities solved: every solved class as a sum of classes that are not.
fn solve(mut rows: Vec<Row>) -> Result<BTreeMap<u32, Row>, NoPotentials> {
    let mut solved: BTreeMap<u32, Row> = BTreeMap::new();
    // Short rows first: what they give keeps the others short.
    rows.sort_by_key(Row::len);
    for row in rows {
        let mut row = reduced(row, &solved);
        let common = row.values().fold(0, |common, times| gcd(common, times.unsigned_abs()));
        if common == 0 {
            continue;
        }
        row.values_mut().for_each(|times| *times /= common as i64);
        // Without a coefficient of 1 some whole values of the others would give no whole value of
        // this one.
        let pivot = row.iter().find(|(_, times)| times.abs() == 1).map(|(class, times)| (*class, *times));
        let Some((pivot, sign)) = pivot else { return Err(NoPotentials::Coefficients) };
        row.remove(&pivot);
        row.values_mut().for_each(|times| *times *= -sign);
        for known in solved.values_mut() {
            if let Some(times) = known.remove(&pivot) {
                add(known, &row, times);
            }
            if known.values().any(|times| times.abs() > 1 << 20) {
                return Err(NoPotentials::Coefficients);
            }
        }
        solved.insert(pivot, row);
    }
    Ok(solved)
}

fn reduced(row: Row, solved: &BTreeMap<u32, Row>) -> Row {
    let mut result = Row::new();
    for (class, times) in row {
        match solved.get(&class) {
            Some(known) => add(&mut result, known, times),
            None => add(&mut result, &Row::from([(class, 1)]), times),
        }
    }
    result
}

fn add(row: &mut Row, other: &Row, times: i64) {
    for (class, value) in other {
        let entry = row.entry(*class).or_default();
        *entry = entry.saturating_add(value.saturating_mul(times));
        if *entry == 0 {
            row.remove(class);
        }
    }
}

/// Whether these edges, each with its two ends, close no cycle: then every choice of whole numbers
/// on them is one of potentials.
fn is_forest(tree: &realise::Ends, edges: &[u32]) -> bool {
    let mut tied = Union::new(realise::last_vertex(tree) as usize + 1);
    edges.iter().all(|edge| tree.get(edge).is_some_and(|(one, two)| tied.join(*one, *two)))
}

/// Whether the edges of a tree can be directed so that every set is a path whose signs are those of
/// its edges' directions.
fn signed_paths(tree: &realise::Ends, sets: &[(Vec<u32>, Vec<i64>)]) -> bool {
    // For every edge another one and whether the two are turned alike, relative to how the tree
    // lists them.
    let mut parent: HashMap<u32, (u32, bool)> = tree.keys().map(|edge| (*edge, (*edge, true))).collect();
    let find = |parent: &HashMap<u32, (u32, bool)>, edge: u32| {
        let (mut at, mut alike) = (edge, true);
        while let Some((next, same)) = parent.get(&at).filter(|(next, _)| *next != at) {
            (at, alike) = (*next, alike == *same);
        }
        (at, alike)
    };
    for (set, signs) in sets {
        let Some(directions) = walk(tree, set) else { return false };
        // Along the path an edge goes up by its sign, turned as the walk met it.
        let up = |place: usize| (signs[place] > 0) == directions[place];
        for place in 1..set.len() {
            let alike = up(0) == up(place);
            let ((one, first), (two, second)) = (find(&parent, set[0]), find(&parent, set[place]));
            let wanted = (first == second) == alike;
            if one != two {
                parent.insert(two, (one, wanted));
            } else if !wanted {
                return false;
            }
        }
    }
    true
}

/// Whether a walk along a path meets each of its edges in the order in which the tree lists its
/// ends; `None` if it is no path.
fn walk(tree: &realise::Ends, set: &[u32]) -> Option<Vec<bool>> {
    let mut at: HashMap<u32, Vec<usize>> = HashMap::new();
    for (place, edge) in set.iter().enumerate() {
        let (one, two) = tree.get(edge)?;
        at.entry(*one).or_default().push(place);
        at.entry(*two).or_default().push(place);
    }
    let mut vertex = *at.iter().filter(|(_, places)| places.len() == 1).map(|(vertex, _)| vertex).min()?;
    let mut directions: Vec<Option<bool>> = vec![None; set.len()];
    for _ in 0..set.len() {
        let place = *at.get(&vertex)?.iter().find(|place| directions[**place].is_none())?;
        let (one, two) = *tree.get(&set[place])?;
        directions[place] = Some(one == vertex);
        vertex = if one == vertex { two } else { one };
    }
    (at.get(&vertex)?.len() == 1).then_some(())?;
    directions.into_iter().collect()
}
