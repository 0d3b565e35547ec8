//! Hundreds of random declarations: totals, queries, rules, measures and units, pair by pair.

use crate::enumerated::price;
use crate::enumerated::{Laws, fibre, grouping, largest_part, mechanism, moves, noise, nonnegative};
use declare::{Footprint, Grouping, NO_GROUP, Per, QueryRows, Relation, RuleRows};
use exact::{Entropy, Rational, Seeded, Source, integer::below};
use loss::Attained;

fn random_grouping<E: Entropy>(entropy: &mut E, cells: usize) -> Grouping {
    let groups = 1 + below(entropy, 3) as usize;
    let mut group = || match below(entropy, 5) {
        0 => NO_GROUP,
        _ => below(entropy, groups as u64) as u32,
    };
    let group_of = (0..cells).map(|_| group()).collect();
    grouping(groups, group_of)
}

#[test]
fn random_declarations_never_lose_more_than_certified() {
    let (mut seen, mut tied, mut with_queries, mut largest) = (0, 0, 0, 0.0f64);
    for seed in 0..900 {
        let mut entropy = Seeded::new(seed).stream(0).unwrap();
        let entropy = &mut entropy;
        let cells = 2 + below(entropy, 4) as usize;
        let table: Vec<i64> = (0..cells).map(|_| below(entropy, 3) as i64).collect();
        let invariants: Vec<Grouping> = (0..below(entropy, 3)).map(|_| random_grouping(entropy, cells)).collect();
        let mut conditions = nonnegative(cells, invariants);
        if below(entropy, 2) == 0 {
            for _ in 0..1 + below(entropy, 2) {
                let strength = Rational::new(1 + below(entropy, 4), 3u32);
                conditions.queries.push(QueryRows { grouping: random_grouping(entropy, cells), strength });
            }
            if below(entropy, 3) > 0 {
                let every = grouping(cells, (0..cells as u32).collect());
                conditions.queries.push(QueryRows { grouping: every, strength: Rational::new(1, 2u32) });
            }
        }
        if below(entropy, 3) == 0 {
            let mut sums = random_grouping(entropy, cells);
            sums.times = Some((0..cells).map(|_| if below(entropy, 2) == 0 { 1 } else { -1 }).collect());
            let bound = sums.totals(&table).into_iter().max().unwrap_or(0) as i64;
            conditions.rules.push(RuleRows { grouping: sums, relation: Relation::AtMost, bound });
        }
        if below(entropy, 4) == 0 {
            let place = (0..cells as u32).map(|cell| cell / 2).collect();
            conditions.footprint = Footprint::EveryMeasure { measures: 2, place };
        }
        let per = if below(entropy, 2) == 0 { Per::Unit } else { Per::Record };
        let Ok(moves) = moves(&conditions, &table) else {
            continue;
        };
        let Ok(priced) = price(&moves, &mechanism("3/4", per), false) else {
            continue;
        };
        // A loss by records says nothing about distances; `refined.rs` has those.
        if !moves.replaced.is_empty() {
            continue;
        }
        // The box is a bound of single cells, which changes nothing in the theorem but for classes
        // bounded from below alone.
        let is_class = moves.elements.iter().any(|element| element.class.is_some());
        let most = if is_class { table.iter().sum::<i64>().max(4) } else { 4 };
        let mut fibre = fibre(&conditions, &table, most);
        if fibre.len() > 700 {
            continue;
        }
        seen += 1;
        tied += usize::from(!conditions.rules.is_empty());
        with_queries += usize::from(!conditions.queries.is_empty());
        let noise = noise(&conditions, &priced);
        let all = fibre.clone();
        if fibre.len() > 60 {
            let keep = fibre.len().div_ceil(60);
            fibre = fibre.into_iter().step_by(keep).collect();
        }
        let laws = Laws::new(fibre, &all, &noise, |_| 1.0);
        if laws.centres.len() > 1 && moves.elements.iter().any(|element| element.moved.iter().any(|moved| *moved > 0)) {
            let part = largest_part(&laws, &priced.loss, &format!("seed {seed}"));
            // With noise on single cells every pair of tables loses the part that is said to be
            // known.
            if let (Attained::AtLeast(known), true) = (&priced.loss.attained, conditions.queries.is_empty()) {
                assert!(part + 1e-9 >= known.to_f64(), "seed {seed}: {part}, said to be {known} at least");
            }
            largest = largest.max(part);
        }
    }
    assert!(seen > 500 && tied > 100 && with_queries > 150, "{seen} declarations, {tied} with rules, {with_queries}");
    assert!(largest > 0.95 && largest <= 1.0 + 1e-9, "{largest}");
}
