//! The analysis as the proof states it: classes, peeling, elimination, reasons, blocks.

use crate::analysis::{Analysis, Block, Kept, Nearest, Structure};
use crate::assemble::assemble;
use crate::classes::Classes;
use crate::eliminate::{MOST_STEPS, eliminate};
use crate::peel::peel;
use crate::reason::redundant;
use crate::system::System;
use declare::{Grouping, NO_GROUP, Problem};

/// The structure of the fibre of all integer tables over `cells` cells with these totals (`totals[g][group]`).
///
/// # Errors
/// Infeasible when the totals contradict each other; refused when one table alone has these totals, or when crossing
/// totals are too many to analyse; bad when the arguments do not fit each other.
pub fn analyse(cells: usize, groupings: &[Grouping], totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
    check_shapes(cells, groupings, totals)?;
    let classes = Classes::new(cells, groupings);
    let system = System::new(groupings, totals, &classes);
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
    let kept = |grouping: &Grouping| Kept { label: grouping.label.clone(), totals: grouping.groups() };
    Ok(Analysis {
        cells,
        kept: groupings.iter().map(kept).collect(),
        invariants: system.rows(),
        rank: peeled.order.len() + eliminated.rank(),
        redundant,
        fixed: assembled.fixed,
        nearest: nearest(&assembled.blocks),
        blocks: assembled.blocks,
    })
}

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
            grouping.groups() == totals.len() && grouping.group_of.len() == cells && grouping.group_of.iter().all(known)
        });
    if fits { Ok(()) } else { Err(Problem::bad("the totals do not fit the invariants")) }
}

/// The shortest move: one unit alone in a free cell, or from one cell to another of the same class.
///
/// Where totals cross and every class is one cell, the shortest move is longer and not looked for.
fn nearest(blocks: &[Block]) -> Option<Nearest> {
    let distance = |block: &Block| match block.structure {
        Structure::Free => Some(1),
        Structure::OneTotal { .. } => Some(2),
        Structure::Crossing { .. } => (block.classes < block.cells.len()).then_some(2),
    };
    let smallest = blocks.iter().filter_map(distance).min()?;
    Some(Nearest { l1: smallest, l2_squared: smallest })
}
