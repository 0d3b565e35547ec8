//! Thousands of random small declarations against dense elimination.

mod oracle;

use analyse::{Analysis, Structure};
use declare::{Conditions, Grouping, Kind, NO_GROUP, Problem};
use exact::Rational;
use testkit::Random;

fn analyse(cells: usize, groupings: &[Grouping], totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
    analyse::analyse(&Conditions::of_totals(cells, groupings.to_vec()), totals)
}

fn grouping(number: usize, groups: u32, group_of: Vec<u32>) -> Grouping {
    let names = (0..groups).map(|group| format!("g{number} = {group}")).collect();
    Grouping { times: None, label: format!("by g{number}"), names, group_of }
}

/// Random groupings: partial, nested in or coarser than an earlier one, repeated, with empty
/// groups; cells may be taken twice or negatively.
fn declaration(random: &mut Random, with_times: bool) -> (usize, Vec<Grouping>) {
    let cells = 1 + random.below(13) as usize;
    let mut groupings: Vec<Grouping> = Vec::new();
    for number in 0..random.below(7) as usize {
        let groups = 1 + random.below(4) as u32;
        let holes = random.below(3);
        let group = |random: &mut Random| match random.below(4) < holes {
            true => NO_GROUP,
            false => random.below(u64::from(groups)) as u32,
        };
        let earlier = (number > 0).then(|| groupings[random.below(number as u64) as usize].clone());
        let group_of = match (random.below(4), earlier) {
            (0, Some(earlier)) => {
                groupings.push(grouping(number, earlier.groups() as u32, earlier.group_of));
                continue;
            }
            (1, Some(earlier)) => {
                let merged: Vec<u32> = (0..earlier.groups()).map(|_| group(random)).collect();
                let merge = |of: &u32| merged.get(*of as usize).copied().unwrap_or(NO_GROUP);
                earlier.group_of.iter().map(merge).collect()
            }
            _ => (0..cells).map(|_| group(random)).collect(),
        };
        let mut grouping = grouping(number, groups, group_of);
        if with_times && random.below(2) == 0 {
            let times = [-2, -1, 1, 2];
            grouping.times = Some((0..cells).map(|_| times[random.below(4) as usize]).collect());
        }
        groupings.push(grouping);
    }
    (cells, groupings)
}

fn totals(groupings: &[Grouping], table: &[i64]) -> Vec<Vec<i64>> {
    let narrow = |totals: Vec<i128>| totals.into_iter().map(|total| total as i64).collect();
    groupings.iter().map(|grouping| narrow(grouping.totals(table))).collect()
}

fn is_free(groupings: &[Grouping], cell: usize) -> bool {
    groupings.iter().all(|grouping| grouping.group_of[cell] == NO_GROUP)
}

#[test]
fn structure_equals_dense_elimination() {
    let mut random = Random(20);
    let mut crossing = 0;
    let mut refused = 0;
    for round in 0..6000 {
        let (cells, groupings) = declaration(&mut random, round % 3 == 0);
        let table: Vec<i64> = (0..cells).map(|_| random.below(40) as i64 - 10).collect();
        let totals = totals(&groupings, &table);
        let truth = oracle::solve(cells, &groupings, &totals);
        let analysis = match analyse(cells, &groupings, &totals) {
            Ok(analysis) => analysis,
            Err(problem) => {
                assert_eq!(problem.kind, Kind::Refused, "{problem}");
                assert_eq!(truth.rank, cells, "{problem}");
                refused += 1;
                continue;
            }
        };
        assert_eq!(analysis.rank, truth.rank);
        assert_eq!(analysis.free_dimension(), truth.kernel.len());
        let fixed: Vec<(usize, i64)> =
            (0..cells).filter(|cell| truth.is_fixed(*cell)).map(|cell| (cell, table[cell])).collect();
        assert_eq!(analysis.fixed, fixed);
        let redundant: usize = analysis.redundant.iter().map(|redundant| redundant.totals).sum();
        assert_eq!(redundant, analysis.invariants - analysis.rank);

        // Free cells are independent of each other but drawn as one block.
        let (free, tied): (Vec<_>, Vec<_>) = truth.parts().into_iter().partition(|part| is_free(&groupings, part[0]));
        let mut expected = tied;
        if !free.is_empty() {
            expected.push(free.concat());
        }
        expected.sort();
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut rank = fixed.len();
        for block in &analysis.blocks {
            let own: Vec<usize> = block.cells.iter().map(|cell| *cell as usize).collect();
            match &block.structure {
                Structure::Free => assert!(own.iter().all(|cell| is_free(&groupings, *cell))),
                Structure::OneTotal { total, .. } => {
                    assert_eq!(*total, own.iter().map(|cell| table[*cell]).sum::<i64>());
                    assert_eq!(truth.determined(&own), Some(Rational::from(*total)));
                    rank += 1;
                }
                Structure::Linked { .. } => panic!("nothing links blocks here"),
                Structure::Crossing { invariants, rank: own_rank } => {
                    let plain = groupings.iter().all(|grouping| grouping.times.is_none());
                    let least = if plain { 2 } else { 1 };
                    assert!(invariants.len() >= least);
                    assert!(*own_rank >= least && *own_rank < block.classes);
                    crossing += 1;
                    rank += own_rank;
                }
            }
            found.push(own);
        }
        assert_eq!(found.iter().map(|cells| cells[0]).collect::<Vec<_>>(), {
            let mut firsts: Vec<usize> = expected.iter().map(|cells| cells[0]).collect();
            firsts.sort();
            firsts
        });
        found.sort();
        assert_eq!(found, expected);
        assert_eq!(rank, analysis.rank);
    }
    assert!(crossing > 300 && refused > 300, "{crossing} crossing blocks, {refused} refused");
}

#[test]
fn a_perturbed_total_is_a_contradiction_exactly_when_no_table_has_it() {
    let mut random = Random(7);
    let mut contradictions = 0;
    let mut fractions = 0;
    for round in 0..6000 {
        let (cells, groupings) = declaration(&mut random, round % 3 == 0);
        if groupings.is_empty() {
            continue;
        }
        let table: Vec<i64> = (0..cells).map(|_| random.below(40) as i64).collect();
        let mut totals = totals(&groupings, &table);
        let changed = random.below(groupings.len() as u64) as usize;
        let group = random.below(totals[changed].len() as u64) as usize;
        totals[changed][group] += 1;
        let truth = oracle::solve(cells, &groupings, &totals);
        let outcome = analyse(cells, &groupings, &totals).map_err(|problem| problem.kind);
        if !truth.consistent {
            assert_eq!(outcome, Err(Kind::Infeasible));
            contradictions += 1;
            continue;
        }
        let classes = (0..cells).map(|cell| {
            let key = |g: &Grouping, cell: usize| match g.group_of[cell] {
                NO_GROUP => (NO_GROUP, 0),
                group => (group, g.taken(cell)),
            };
            let same = |other: &usize| groupings.iter().all(|g| key(g, *other) == key(g, cell));
            (0..cells).filter(same).collect::<Vec<usize>>()
        });
        let mut sums = classes.filter_map(|class| truth.determined(&class));
        if sums.any(|sum| !sum.denominator().is_one()) {
            assert_eq!(outcome, Err(Kind::Infeasible));
            fractions += 1;
        } else {
            assert_ne!(outcome, Err(Kind::Infeasible));
        }
    }
    assert!(contradictions > 1000 && fractions > 0, "{contradictions}, {fractions}");
}
