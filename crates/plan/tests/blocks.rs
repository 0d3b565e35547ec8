//! Thousands of random small declarations against brute-force enumeration: blocks are independent
//! and complete.
//!
//! A product law conditioned on the totals factors over the blocks exactly when the fibre is the
//! product of what each block allows on its own. Both sides are enumerated and counted.

use analyse::{Analysis, Structure};
use declare::{Conditions, Grouping};
use exact::{Seeded, Source};
use plan::analysis_of;
use testkit::{Fibre, random_structure};

const RADIUS: i64 = 2;

fn structure(seed: u64, nested: bool) -> (usize, Vec<Grouping>) {
    let mut entropy = Seeded::new(seed).stream(0).unwrap();
    let structure = random_structure(&mut entropy, 5, nested);
    (structure.cells, structure.groupings)
}

/// The number of noise tables within the radius that a block allows on its own.
fn allowed(analysis: &Analysis, groupings: &[Grouping]) -> u128 {
    analysis
        .blocks
        .iter()
        .map(|block| {
            let cells = block.cells.len();
            match &block.structure {
                Structure::Free => (2 * RADIUS as u128 + 1).pow(cells as u32),
                Structure::OneTotal { .. } => {
                    let total = Grouping {
                        times: None,
                        label: String::new(),
                        names: vec![String::new()],
                        group_of: vec![0; cells],
                    };
                    Fibre::enumerate(cells, &[total], RADIUS).tables.len() as u128
                }
                Structure::Crossing { .. } | Structure::Linked { .. } => {
                    let inside: Vec<Grouping> = groupings
                        .iter()
                        .map(|grouping| Grouping {
                            times: None,
                            label: grouping.label.clone(),
                            names: grouping.names.clone(),
                            group_of: block.cells.iter().map(|cell| grouping.group_of[*cell as usize]).collect(),
                        })
                        .collect();
                    Fibre::enumerate(cells, &inside, RADIUS).tables.len() as u128
                }
            }
        })
        .product()
}

#[test]
fn the_fibre_is_the_product_of_its_blocks() {
    let (mut seen, mut crossing) = (0, 0);
    for seed in 0..8000 {
        let (cells, groupings) = structure(seed, seed % 2 != 0);
        let totals: Vec<Vec<i64>> = groupings.iter().map(|grouping| vec![0; grouping.groups()]).collect();
        let fibre = Fibre::enumerate(cells, &groupings, RADIUS);
        let analysis = match analysis_of(&Conditions::of_totals(cells, groupings.clone()), &totals) {
            Ok(analysis) => analysis,
            Err(problem) => {
                assert_eq!(fibre.tables.len(), 1, "seed {seed}: {problem}");
                continue;
            }
        };
        seen += 1;
        crossing += usize::from(analysis.blocks.iter().any(|b| matches!(b.structure, Structure::Crossing { .. })));
        assert_eq!(fibre.tables.len() as u128, allowed(&analysis, &groupings), "seed {seed}");
        for table in &fibre.tables {
            assert!(analysis.fixed.iter().all(|(cell, _)| table[*cell] == 0), "seed {seed}");
            for block in &analysis.blocks {
                if let Structure::OneTotal { .. } = block.structure {
                    assert_eq!(block.cells.iter().map(|cell| table[*cell as usize]).sum::<i64>(), 0, "seed {seed}");
                }
            }
        }
        let nearest =
            fibre.tables.iter().map(|t| t.iter().map(|z| z.unsigned_abs()).sum::<u64>()).filter(|l1| *l1 > 0).min();
        if let (Some(found), Some(claimed)) = (nearest, analysis.moves.nearest.first()) {
            assert_eq!(found, claimed.length, "seed {seed}");
        }
    }
    assert!(seen > 6000 && crossing > 100, "{seen} structures, {crossing} with crossing totals");
}
