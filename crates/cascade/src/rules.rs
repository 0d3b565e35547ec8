//! Rules by cell, such as deaths ≤ cases: the greater counts are drawn first, then the lesser ones
//! below them.
//!
//! The lesser counts of a block with an exact total need room: the greater counts beside them must
//! add up to at least that total, which is public. So this sum becomes a lower bound of a part of
//! the greater block, and the cells that it is over become a group of the tree. Where these groups
//! cross others, or where lesser cells have upper bounds of their own, the room would not be one
//! sum any more, and the rule is refused.

use crate::bell::NO_HIGH;
use crate::forest::Forest;
use crate::laminar::{Family, Kind, Tree, tree};
use crate::outline::Outline;
use crate::peel::Question;
use declare::{NO_GROUP, Problem};

/// The forest of an outline with rules, and the lower bounds of its cells; `first` is the tree of
/// its exact totals and noisy sums, which do not cross.
pub(crate) fn forest(
    outline: &Outline<'_>,
    question: &Question<'_>,
    first: &Tree,
) -> Result<(Vec<i64>, Forest), Problem> {
    let cells = outline.cells;
    let (mut lesser, mut greater) = (vec![false; cells], vec![false; cells]);
    for (one, other) in &outline.rules {
        lesser[*one as usize] = true;
        greater[*other as usize] = true;
    }
    if lesser.iter().zip(&greater).any(|(one, other)| *one && *other) {
        return Err(Problem::refused("a chain of rules: a cell is compared with a smaller and with a larger one")
            .hint("a cascade keeps rules between two counts, such as deaths and cases"));
    }
    let (block_of, exact) = first.blocks_of();
    mixed(&block_of, &lesser, exact.len())?;
    // The greater cells beside the lesser ones of every block with an exact total.
    let mut beside = vec![NO_GROUP; cells];
    let mut paired = vec![false; cells];
    let mut low: Vec<i64> = (0..cells).map(|cell| outline.bounds_of(cell).0).collect();
    for (one, other) in &outline.rules {
        let (one, other) = (*one as usize, *other as usize);
        low[other] = low[other].max(low[one]);
        if outline.bounds_of(one).1 != NO_HIGH && exact[block_of[one] as usize] {
            return Err(Problem::refused("a rule whose lesser count has an upper bound of its own and an exact total"));
        }
        if outline.bounds_of(other).1 < low[other] {
            return Err(Problem::bad("a rule leaves a cell no value between its bounds"));
        }
        if exact[block_of[one] as usize] {
            if beside[other] != NO_GROUP || std::mem::replace(&mut paired[one], true) {
                return Err(Problem::refused("rules between counts with exact totals that do not come in pairs")
                    .hint("a count with an exact total is compared with one other count, and that with no third"));
            }
            beside[other] = block_of[one];
        }
    }
    let mut all = question.families();
    all.push(Family { labels: &beside, kind: Kind::SplitTree });
    let tree = tree(cells, &all).ok_or_else(|| {
        Problem::refused("rules between cells whose exact totals or noisy sums cross")
            .hint("a cascade keeps rules where totals are disjoint or nested")
    })?;
    let (mut forest, shaped) = tree.forest(&question.leafing(None), &|cell| lesser[cell])?;
    // Blocks got other numbers when they were laid out.
    let mut number_of = vec![u32::MAX; exact.len()];
    for (number, block) in forest.blocks.iter().enumerate() {
        number_of[block_of[forest.leaf(block.places.start)] as usize] = number as u32;
    }
    for found in shaped {
        if found.leaves.is_empty() {
            continue;
        }
        if found.leaves.len() != found.size as usize {
            return Err(Problem::refused("a rule between counts whose exact totals are not nested alike"));
        }
        forest.blocks[found.block].floors.push((found.leaves, number_of[found.group as usize]));
    }
    forest.greater.clone_from(&outline.rules);
    Ok((low, forest))
}

/// Refuses blocks that hold lesser cells and others.
fn mixed(block_of: &[u32], lesser: &[bool], blocks: usize) -> Result<(), Problem> {
    let mut kind: Vec<Option<bool>> = vec![None; blocks];
    for (block, lesser) in block_of.iter().zip(lesser) {
        if *kind[*block as usize].get_or_insert(*lesser) != *lesser {
            return Err(Problem::refused("a total or noisy sum that adds counts of which only some have a rule")
                .hint("sum the lesser counts and the greater ones apart, and give every cell of a sum its rule"));
        }
    }
    Ok(())
}
