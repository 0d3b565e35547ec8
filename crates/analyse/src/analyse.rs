//! The analysis as the proof states it: classes, peeling, elimination, reasons, blocks.

use crate::analysis::{Analysis, Kept};
use crate::assemble::{Assembled, assemble};
use crate::block::Structure;
use crate::classes::Classes;
use crate::confine::confine;
use crate::disclosed::Disclosed;
use crate::eliminate::{Eliminated, MOST_STEPS, eliminate};
use crate::feasible::Feasibility;
use crate::fibre::Fibre;
use crate::lattice::Lattice;
use crate::link::link;
use crate::listing::hold_every_direction;
use crate::moves::{Moves, moves, pinned};
use crate::peel::{Peeled, peel};
use crate::reason::redundant;
use crate::system::System;
use declare::{Cell, Conditions, Grouping, Kind, NO_GROUP, Problem, Relation};
use exact::Rational;
use std::borrow::Cow;

/// The structure of the fibre of all integer tables that satisfy the equalities, with these totals
/// (`totals[g][group]`, those of pinned invariants included).
///
/// # Errors
/// Infeasible when the totals contradict each other; refused when one table alone has these totals,
/// or when crossing totals are too many to analyse; bad when the arguments do not fit each other.
pub fn analyse(conditions: &Conditions, totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
    let cells = conditions.cells;
    let (groupings, totals) = equalities(conditions, totals);
    check_shapes(cells, &groupings, &totals)?;
    check_magnitude(&groupings, &totals)?;
    let classes = Classes::new(cells, groupings.iter());
    let system = System::new(&groupings, &totals, &classes);
    let peeled = peel(&system)?;
    let eliminated = eliminate(&system, &peeled, MOST_STEPS)?;
    let redundant = redundant(&system, &peeled, &eliminated)?;
    let assembled = assemble(&system, &peeled, &eliminated)?;
    if assembled.blocks.is_empty() {
        return Err(Problem::refused(format!(
            "the invariants alone determine all {cells} cells: only one table has these totals, so noise would protect \
             nothing"
        ))
        .hint("declare fewer or coarser invariants"));
    }
    check_feasible(conditions, &totals, &assembled.fixed)?;
    let (disclosed, moves) = if conditions.pinned.iter().any(Option::is_some) {
        let without_pins = without_pins(conditions, &totals)?;
        (without_pins.disclosed, pinned(conditions, &system, without_pins.moves))
    } else {
        (disclosed(conditions, &totals, &assembled), moves(conditions, &system, &assembled.blocks))
    };
    let moves = Moves { proper: is_proper(conditions, &groupings, &totals[..conditions.invariants.len()])?, ..moves };
    let kept = |grouping: &Grouping| Kept { label: grouping.label.clone(), totals: grouping.groups() };
    Ok(Analysis {
        cells,
        kept: conditions.invariants.iter().map(kept).collect(),
        invariants: system.rows(),
        rank: peeled.order.len() + eliminated.rank(),
        redundant,
        fixed: assembled.fixed,
        disclosed,
        blocks: link(conditions, assembled.blocks),
        particular: particular(&system, &peeled, &eliminated),
        moves,
    })
}

/// The sums of classes in one solution of all totals, on their first cells.
fn particular(system: &System, peeled: &Peeled, eliminated: &Eliminated) -> Vec<(Cell, Rational)> {
    let first = |class: u32| system.classes.first_cell[class as usize] as usize;
    let peeled = peeled.order.iter().map(|class| (first(*class), Rational::integer(peeled.value[*class as usize])));
    let solved = eliminated.basis().map(|(class, value)| (first(class), value.rational()));
    peeled.chain(solved).filter(|(_, value)| !value.is_zero()).collect()
}

/// The invariants with the rules that are equalities, and the value of every sum.
fn equalities<'a>(conditions: &'a Conditions, totals: &'a [Vec<i64>]) -> (Cow<'a, [Grouping]>, Cow<'a, [Vec<i64>]>) {
    let mut groupings = Cow::Borrowed(conditions.invariants.as_slice());
    let mut values = Cow::Borrowed(totals);
    for rule in conditions.rules.iter().filter(|rule| rule.relation == Relation::Equal) {
        groupings.to_mut().push(rule.grouping.clone());
        values.to_mut().push(vec![rule.bound; rule.grouping.groups()]);
    }
    (groupings, values)
}

/// Whether the noise on the queries holds every direction that totals and bounds leave open, as far
/// as is known.
///
/// Counts that are not negative are held when each is in a total or a query, because a sum of them
/// is; without bounds the totals and queries together must determine the table. Where neither is
/// so, linear programs decide whether a direction without end is left that changes no noisy sum.
fn is_proper(conditions: &Conditions, groupings: &[Grouping], totals: &[Vec<i64>]) -> Result<bool, Problem> {
    if conditions.queries.is_empty() {
        return Ok(true);
    }
    let queries = conditions.queries.iter().map(|query| &query.grouping);
    let sums: Vec<Grouping> = groupings.iter().chain(queries).cloned().collect();
    let held = |cell: usize| sums.iter().any(|sum| sum.times.is_none() && sum.group_of[cell] != NO_GROUP);
    if conditions.nonnegative && (0..conditions.cells).all(held) {
        return Ok(true);
    }
    let zeros: Vec<Vec<i64>> = sums.iter().map(|sum| vec![0; sum.groups()]).collect();
    check_shapes(conditions.cells, &sums, &zeros)?;
    let classes = Classes::new(conditions.cells, &sums);
    let system = System::new(&sums, &zeros, &classes);
    let peeled = peel(&system)?;
    if peeled.order.len() + eliminate(&system, &peeled, MOST_STEPS)?.rank() == conditions.cells {
        return Ok(true);
    }
    Ok(conditions.has_inequalities() && hold_every_direction(&Fibre::with_noisy_sums(conditions, totals)))
}

/// The analysis of the totals that come from the table, whatever the pinned ones are.
fn without_pins(conditions: &Conditions, totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
    let own: Vec<usize> = (0..conditions.invariants.len()).filter(|at| conditions.pinned[*at].is_none()).collect();
    let conditions = Conditions {
        invariants: own.iter().map(|at| conditions.invariants[*at].clone()).collect(),
        pinned: vec![None; own.len()],
        ..conditions.clone()
    };
    let totals: Vec<Vec<i64>> = own.iter().map(|at| totals[*at].clone()).collect();
    analyse(&conditions, &totals)
}

/// Larger tables are not searched for cells that bounds confine to one value.
const MOST_CONFINED: usize = 1 << 21;

/// Contradictions of larger tables are not put into words.
const MOST_WORDED: usize = 1000;

/// A contradiction that anyone can check, in words, if one is found.
fn contradiction(conditions: &Conditions, totals: &[Vec<i64>]) -> Option<String> {
    if conditions.cells > MOST_WORDED {
        return None;
    }
    let fibre = Fibre::of_table(conditions, totals);
    match fibre.first_table(&Lattice::of_fibre(&fibre).ok()?) {
        Feasibility::Impossible(witness) => Some(witness.in_words(&fibre, &fibre.row_names(conditions))),
        Feasibility::Table(_) | Feasibility::NotFound(_) => None,
    }
}

/// What is impossible for a reason that one sum after another shows; cells that the totals
/// determine included.
fn check_feasible(conditions: &Conditions, totals: &[Vec<i64>], fixed: &[(Cell, i64)]) -> Result<(), Problem> {
    let nothing = || {
        let why = contradiction(conditions, totals).map_or(String::new(), |why| format!(": {why}"));
        Problem::new(Kind::Infeasible, format!("no table satisfies all totals, bounds and rules together{why}"))
            .hint("rules, bounds, or values pinned with `values` or `from` contradict each other")
    };
    if conditions.nonnegative && fixed.iter().any(|(_, value)| *value < 0) {
        return Err(nothing());
    }
    if conditions.rules.is_empty() && !conditions.nonnegative || conditions.cells > MOST_CONFINED {
        return Ok(());
    }
    let least = conditions.nonnegative.then_some(0);
    let Some(cells) = confine(conditions, &totals[..conditions.invariants.len()], least) else {
        return Err(nothing());
    };
    let outside = |(cell, value): &(Cell, i64)| {
        let (low, high) = cells[*cell];
        low.is_some_and(|low| *value < low) || high.is_some_and(|high| *value > high)
    };
    if fixed.iter().any(outside) { Err(nothing()) } else { Ok(()) }
}

/// The cells of the confidential table that its totals and rules give away: fixed ones, those under
/// a total of zero, and those that one sum after another confines to one value, because counts are
/// not negative.
fn disclosed(conditions: &Conditions, totals: &[Vec<i64>], assembled: &Assembled) -> Disclosed {
    let zeros = assembled.blocks.iter().filter(|block| matches!(block.structure, Structure::OneTotal { total: 0, .. }));
    let zeros = zeros.flat_map(|block| block.cells.iter().map(|cell| (*cell as usize, 0)));
    let mut found: Vec<(Cell, i64)> = assembled.fixed.iter().copied().chain(zeros).collect();
    let crosses = assembled.blocks.iter().any(|block| matches!(block.structure, Structure::Crossing { .. }));
    if (crosses || !conditions.rules.is_empty())
        && conditions.cells <= MOST_CONFINED
        && let Some(cells) = confine(conditions, &totals[..conditions.invariants.len()], Some(0))
    {
        let pinned = cells.iter().enumerate().filter(|(_, (low, high))| low.is_some() && low == high);
        found.extend(pinned.filter_map(|(cell, (low, _))| low.map(|low| (cell, low))));
    }
    found.sort_unstable();
    found.dedup_by_key(|(cell, _)| *cell);
    found.into_iter().collect()
}

/// Refuses totals so large that sums with noise, or differences of them, could leave 62-bit
/// integers.
fn check_magnitude(groupings: &[Grouping], totals: &[Vec<i64>]) -> Result<(), Problem> {
    let named = groupings.iter().zip(totals).flat_map(|(grouping, totals)| grouping.names.iter().zip(totals));
    match named.into_iter().find(|(_, total)| total.unsigned_abs() > 1 << 61) {
        None => Ok(()),
        Some((name, total)) => {
            Err(Problem::refused(format!("the total `{name}` is {total}: with noise it could leave 62-bit integers")))
        }
    }
}

/// The largest coefficient of a cell in a total: sums of products with 64-bit counts then fit 128
/// bits.
const LARGEST_TIMES: u64 = 1 << 31;

fn check_shapes(cells: usize, groupings: &[Grouping], totals: &[Vec<i64>]) -> Result<(), Problem> {
    let rows: usize = groupings.iter().map(Grouping::groups).sum();
    if cells >= NO_GROUP as usize || rows >= NO_GROUP as usize {
        return Err(Problem::refused(format!(
            "{cells} cells with {rows} totals are more than the {} this version can number",
            NO_GROUP - 1
        )));
    }
    let fits = groupings.len() == totals.len()
        && groupings.iter().zip(totals).all(|(grouping, totals)| {
            let known = |group: &u32| *group == NO_GROUP || (*group as usize) < totals.len();
            let small = |times: &i64| (1..=LARGEST_TIMES).contains(&times.unsigned_abs());
            let times = grouping.times.as_ref().is_none_or(|times| {
                let inside = times.iter().zip(&grouping.group_of).filter(|(_, group)| **group != NO_GROUP);
                times.len() == cells && inside.map(|(times, _)| times).all(small)
            });
            let groups = grouping.group_of.len() == cells && grouping.group_of.iter().all(known);
            grouping.groups() == totals.len() && groups && times
        });
    if fits { Ok(()) } else { Err(Problem::bad("the totals do not fit the invariants")) }
}
