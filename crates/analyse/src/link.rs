//! Blocks that rules and noisy sums tie together: independent given the totals, but not given all
//! conditions.

use crate::block::{Block, Structure};
use crate::union::Union;
use declare::{Conditions, Grouping, NO_GROUP, Relation};
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// The blocks, those that a rule or a noisy sum of several cells touches joined into one where it
/// touches several.
pub(crate) fn link(conditions: &Conditions, blocks: Vec<Block>) -> Vec<Block> {
    let rules =
        conditions.rules.iter().filter(|rule| rule.relation != Relation::Equal).map(|rule| (&rule.grouping, true));
    let queries = conditions.queries.iter().map(|query| (&query.grouping, false));
    let rows: Vec<(&Grouping, bool)> = rules.chain(queries).collect();
    if rows.is_empty() {
        return blocks;
    }
    let mut block_of = vec![NONE; conditions.cells];
    for (number, block) in blocks.iter().enumerate() {
        block.cells.iter().for_each(|cell| block_of[*cell as usize] = number as u32);
    }
    let mut tied = Union::new(blocks.len());
    let mut labels: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (grouping, even_alone) in rows {
        // For every group its first block, and how many of its cells can move.
        let mut seen = vec![(NONE, 0u32); grouping.groups()];
        for (cell, group) in grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP) {
            let block = block_of[cell];
            if block == NONE {
                continue;
            }
            let (first, cells) = &mut seen[*group as usize];
            if *first == NONE {
                *first = block;
            } else {
                tied.join(*first, block);
            }
            *cells += 1;
        }
        for (first, cells) in seen {
            if first != NONE && (cells > 1 || even_alone) {
                let known = labels.entry(first).or_default();
                if known.last() != Some(&grouping.label) {
                    known.push(grouping.label.clone());
                }
            }
        }
    }
    let mut linked: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (block, found) in labels {
        let known = linked.entry(tied.top(block)).or_default();
        found.into_iter().for_each(|label| {
            if !known.contains(&label) {
                known.push(label);
            }
        });
    }
    let mut joined: BTreeMap<u32, Vec<Block>> = BTreeMap::new();
    for (number, block) in blocks.into_iter().enumerate() {
        joined.entry(tied.top(number as u32)).or_default().push(block);
    }
    joined.into_iter().map(|(root, members)| together(members, linked.remove(&root))).collect()
}

fn together(mut members: Vec<Block>, labels: Option<Vec<String>>) -> Block {
    let Some(by) = labels else { return members.swap_remove(0) };
    let classes = members.iter().map(|block| block.classes).sum();
    let mut cells: Vec<u32> = members.into_iter().flat_map(|block| block.cells).collect();
    cells.sort_unstable();
    Block::new(cells, classes, Structure::Linked { by })
}
