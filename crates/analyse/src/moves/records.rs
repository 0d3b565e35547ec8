//! What one replaced record changes where one measure is part of another, as deaths are of cases:
//! R4 of `G3.md`.
//!
//! With deaths at most cases in every place a table is one of people who died and people who did
//! not. Where totals keep cases alone, a replaced record is one step between these counts, and
//! tables so many replaced records apart are joined by as many steps that keep both at or above
//! zero. Proof: `crates/certify/proofs/G3.md`, "Records under a rule".

use super::{Bounds, Element, StepKind};
use crate::block::{Block, Structure};
use declare::{Conditions, Footprint, NO_GROUP, Relation, RuleRows};

/// The steps of one replaced record, in units of the noise on single cells; none where the
/// conditions are others.
pub(super) fn replaced(conditions: &Conditions, blocks: &[Block]) -> Vec<Element> {
    if !is_part_of_another(conditions, blocks).unwrap_or(false) {
        return Vec::new();
    }
    let step = |length: u64, own: u64, bounds: Bounds| Element {
        moved: vec![length],
        own: vec![own],
        bounds,
        from_below: bounds == Bounds::Cells,
        is_exact: true,
        ..Element::new(StepKind::Record, length, length)
    };
    vec![
        // One who died, in another place: no rule moves, only deaths at or above zero stop it.
        step(4, 1, Bounds::Cells),
        // One who did not die, in another place one who died, or the other way round.
        step(3, 0, Bounds::Tied),
        // One who did not die, in another place; or a death counted in another place.
        step(2, 0, Bounds::Tied),
        // One more or less who died of the same cases.
        step(1, 0, Bounds::Tied),
    ]
}

/// Whether every place has two measures of which a rule says that one is at most the other, nothing
/// else bounds or ties them but that counts are not negative, and the smaller is in no total while
/// the larger shares one with others, or is determined.
fn is_part_of_another(conditions: &Conditions, blocks: &[Block]) -> Option<bool> {
    let Footprint::EveryMeasure { measures: 2, place } = &conditions.footprint else { return None };
    let plain =
        conditions.nonnegative && conditions.queries.is_empty() && conditions.pinned.iter().all(Option::is_none);
    let mut rules = conditions.rules.iter().filter(|rule| rule.relation != Relation::Equal);
    let (Some(rule), None) = (rules.next(), rules.next()) else { return None };
    if !plain || rule.bound != 0 {
        return None;
    }
    let smaller = smaller(rule, place)?;
    // Deaths are in no total; cases share one total with others, or are determined.
    let mut is_free = vec![false; conditions.cells];
    for block in blocks {
        match block.structure {
            Structure::Free => block.cells.iter().for_each(|cell| is_free[*cell as usize] = true),
            Structure::OneTotal { .. } => {}
            Structure::Crossing { .. } | Structure::Linked { .. } => return None,
        }
    }
    let shares = blocks.iter().any(|block| matches!(block.structure, Structure::OneTotal { .. }));
    Some(shares && is_free.iter().zip(&smaller).all(|(free, smaller)| free == smaller))
}

/// For every cell whether it is the smaller one of its place, if the rule says so of every place.
fn smaller(rule: &RuleRows, place: &[u32]) -> Option<Vec<bool>> {
    let sums = &rule.grouping;
    let sign = if rule.relation == Relation::AtMost { 1 } else { -1 };
    let places = place.iter().copied().max().map_or(0, |last| last as usize + 1);
    // For every place its rule, and whether it has a smaller and a larger cell.
    let mut known: Vec<(u32, [bool; 2])> = vec![(NO_GROUP, [false; 2]); places];
    let mut of_group = vec![u32::MAX; sums.groups()];
    let mut smaller = vec![false; place.len()];
    for (cell, place) in place.iter().enumerate() {
        let group = sums.group_of[cell];
        let is_smaller = match sums.taken(cell) * sign {
            1 => true,
            -1 => false,
            _ => return None,
        };
        let (rule, seen) = &mut known[*place as usize];
        let side = &mut seen[usize::from(is_smaller)];
        if group == NO_GROUP || *side || *rule != NO_GROUP && *rule != group {
            return None;
        }
        (*rule, *side) = (group, true);
        let owner = &mut of_group[group as usize];
        if *owner != u32::MAX && *owner != *place {
            return None;
        }
        *owner = *place;
        smaller[cell] = is_smaller;
    }
    known.iter().all(|(_, seen)| *seen == [true, true]).then_some(smaller)
}
