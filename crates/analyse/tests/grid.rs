//! Two-way tables are found behind margins, totals and nested families, and nowhere else.

use analyse::{Block, Grid, Structure, analyse, grid};
use declare::{Conditions, Grouping, NO_GROUP};
use testkit::Random;

fn grouping(label: &str, group_of: &[u32]) -> Grouping {
    let groups = group_of.iter().filter(|group| **group != NO_GROUP).max().map_or(0, |group| group + 1);
    let names = (0..groups).map(|group| format!("{label} = {group}")).collect();
    Grouping { times: None, label: label.into(), names, group_of: group_of.to_vec() }
}

/// Every block of the fibre of the zero table that crosses.
fn crossing(cells: usize, groupings: &[Grouping]) -> Vec<Block> {
    let totals: Vec<Vec<i64>> = groupings.iter().map(|grouping| vec![0; grouping.groups()]).collect();
    let conditions = Conditions::of_totals(cells, groupings.to_vec());
    let Ok(analysis) = analyse(&conditions, &totals) else { return Vec::new() };
    analysis.blocks.into_iter().filter(|block| matches!(block.structure, Structure::Crossing { .. })).collect()
}

/// The only block that crosses, as a grid.
fn found(cells: usize, groupings: &[Grouping]) -> Option<Grid> {
    let blocks = crossing(cells, groupings);
    assert_eq!(blocks.len(), 1);
    grid(&blocks[0], groupings)
}

/// Groups of cells in a table of this shape by some of its axes.
fn by(shape: &[u32], axes: &[usize]) -> Grouping {
    let cells: u32 = shape.iter().product();
    let code = |cell: u32, axis: usize| cell / shape[axis + 1..].iter().product::<u32>() % shape[axis];
    let group = |cell: u32| axes.iter().fold(0, |group, axis| group * shape[*axis] + code(cell, *axis));
    grouping(&format!("by {axes:?}"), &(0..cells).map(group).collect::<Vec<u32>>())
}

fn singles(cells: u32) -> Vec<Vec<u32>> {
    (0..cells).map(|cell| vec![cell]).collect()
}

#[test]
fn two_margins_are_a_grid() {
    let shape = [3, 4];
    let margins = [by(&shape, &[0]), by(&shape, &[1])];
    assert_eq!(found(12, &margins), Some(Grid { rows: 3, columns: 4, cells: singles(12) }));
    // A total, a margin declared twice, a coarser margin and the order of declaration change
    // nothing.
    let halves = grouping("halves", &[0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]);
    let more = [by(&shape, &[]), halves, by(&shape, &[1]), by(&shape, &[0]), by(&shape, &[1])];
    assert_eq!(found(12, &more), found(12, &margins));
}

#[test]
fn classes_share_a_position() {
    // Two margins of a three-way table: the third dimension is inside the positions.
    let shape = [2, 2, 3];
    let grid = found(12, &[by(&shape, &[0]), by(&shape, &[1])]).unwrap();
    assert_eq!(grid.cells, [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8], vec![9, 10, 11]]);
}

#[test]
fn totals_of_subsets_are_completed_by_the_whole() {
    // Total, female, voting age: two rows and two columns.
    let none = NO_GROUP;
    let total = grouping("total", &[0; 6]);
    let female = grouping("female", &[0, 0, 0, none, none, none]);
    let voting = grouping("voting", &[none, 0, 0, none, 0, 0]);
    let grid = found(6, &[total, female.clone(), voting.clone()]).unwrap();
    assert_eq!((grid.rows, grid.columns), (2, 2));
    let mut positions = grid.cells;
    positions.sort();
    assert_eq!(positions, [vec![0], vec![1, 2], vec![3], vec![4, 5]]);
    // Without the total nobody knows the sum of the men who may not vote.
    assert_eq!(found(6, &[female, voting]), None);
}

#[test]
fn structural_zeros_leave_positions_empty() {
    // A 3 × 3 table without its diagonal.
    let rows = grouping("rows", &[0, 0, 1, 1, 2, 2]);
    let columns = grouping("columns", &[1, 2, 0, 2, 0, 1]);
    let grid = found(6, &[rows, columns]).unwrap();
    assert_eq!((grid.rows, grid.columns), (3, 3));
    assert_eq!(grid.cells.iter().filter(|cells| cells.is_empty()).count(), 3);
}

#[test]
fn three_ways_are_no_grid() {
    let shape = [2, 2, 2];
    let one_way = [by(&shape, &[0]), by(&shape, &[1]), by(&shape, &[2])];
    assert_eq!(found(8, &one_way), None);
    let two_way = [by(&shape, &[0, 1]), by(&shape, &[0, 2]), by(&shape, &[1, 2])];
    assert_eq!(found(8, &two_way), None);
    // Two two-way margins that share a dimension are a grid for each of its values.
    for block in crossing(8, &two_way[..2]) {
        assert_eq!(grid(&block, &two_way[..2]).map(|grid| (grid.rows, grid.columns)), Some((2, 2)));
    }
    // A table in which a total takes cells unequally is none.
    let mut weighted = by(&[2, 2], &[0]);
    weighted.times = Some(vec![1, 2, 1, 1]);
    let block = &crossing(4, &[by(&[2, 2], &[0]), by(&[2, 2], &[1])])[0];
    assert_eq!(grid(block, &[weighted, by(&[2, 2], &[1])]), None);
}

/// The rank of the totals modulo a prime above every determinant that so few zeros and ones can
/// have.
fn rank(cells: usize, groupings: &[Grouping]) -> usize {
    const PRIME: u64 = (1 << 31) - 1;
    let row = |grouping: &Grouping, group: u32| -> Vec<u64> {
        grouping.group_of.iter().map(|of| u64::from(*of == group)).collect()
    };
    let mut rows: Vec<Vec<u64>> = groupings
        .iter()
        .flat_map(|grouping| (0..grouping.groups() as u32).map(move |group| row(grouping, group)))
        .collect();
    let mut rank = 0;
    for column in 0..cells {
        let Some(found) = (rank..rows.len()).find(|row| rows[*row][column] != 0) else { continue };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let (factor, other) = (pivot[column], row[column]);
            for (entry, above) in row.iter_mut().zip(&pivot) {
                *entry = (*entry * factor + (PRIME - other) * above) % PRIME;
            }
        }
        rank += 1;
    }
    rank
}

/// The groupings restricted to a block.
fn inside(block: &Block, groupings: &[Grouping]) -> Vec<Grouping> {
    let restricted = |grouping: &Grouping| {
        let group_of: Vec<u32> = block.cells.iter().map(|cell| grouping.group_of[*cell as usize]).collect();
        Grouping { group_of, ..grouping.clone() }
    };
    groupings.iter().map(restricted).collect()
}

/// Whether two sets of totals say the same.
fn same(cells: usize, one: &[Grouping], other: &[Grouping]) -> bool {
    let both = [one, other].concat();
    let rank_of_both = rank(cells, &both);
    rank(cells, one) == rank_of_both && rank(cells, other) == rank_of_both
}

/// All partitions of some cells.
fn partitions(cells: usize) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    for _ in 0..cells {
        let longer = |partition: &Vec<u32>| {
            let next = partition.iter().max().map_or(0, |most| most + 1);
            (0..=next).map(|group| [&partition[..], &[group]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn a_grid_says_what_the_totals_say_and_none_is_missed() {
    let mut random = Random(7);
    let (mut grids, mut others) = (0, 0);
    for _ in 0..3000 {
        let cells = 4 + random.below(4) as usize;
        let groupings: Vec<Grouping> = (0..2 + random.below(3))
            .map(|_| {
                let (groups, holes) = (1 + random.below(3), random.below(2));
                let group = |random: &mut Random| match random.below(4) < holes {
                    true => NO_GROUP,
                    false => random.below(groups) as u32,
                };
                grouping("random", &(0..cells).map(|_| group(&mut random)).collect::<Vec<u32>>())
            })
            .collect();
        for block in crossing(cells, &groupings) {
            let (size, own) = (block.cells.len(), inside(&block, &groupings));
            match grid(&block, &groupings) {
                Some(grid) => {
                    grids += 1;
                    let (mut rows, mut columns) = (vec![0; size], vec![0; size]);
                    let mut seen = vec![0; size];
                    for (position, cells) in grid.cells.iter().enumerate() {
                        for cell in cells {
                            rows[*cell as usize] = (position / grid.columns) as u32;
                            columns[*cell as usize] = (position % grid.columns) as u32;
                            seen[*cell as usize] += 1;
                        }
                    }
                    assert!(seen.iter().all(|times| *times == 1) && grid.rows > 1 && grid.columns > 1);
                    assert!(
                        same(size, &own, &[grouping("rows", &rows), grouping("columns", &columns)]),
                        "{groupings:?}"
                    );
                }
                None if size <= 4 => {
                    others += 1;
                    let partitions = partitions(size);
                    for (index, one) in partitions.iter().enumerate() {
                        for other in &partitions[..index] {
                            let two = [grouping("one", one), grouping("other", other)];
                            assert!(!same(size, &own, &two), "{own:?} is {two:?}");
                        }
                    }
                }
                None => others += 1,
            }
        }
    }
    assert!(grids > 200 && others > 100, "{grids} grids, {others} others");
}
