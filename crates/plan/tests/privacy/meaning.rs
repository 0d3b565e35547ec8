//! The pair of tables whose loss is given a meaning can exist, and loses no more than is said.

use crate::enumerated::price;
use crate::enumerated::{Laws, fibre, grouping, mechanism, moves, noise, nonnegative};
use declare::{Grouping, NO_GROUP, Per};
use testkit::Random;

fn random_totals(random: &mut Random, cells: usize) -> Grouping {
    let groups = 1 + random.below(3);
    let group_of = (0..cells).map(|_| match random.below(6) {
        0 => NO_GROUP,
        _ => random.below(groups) as u32,
    });
    let group_of = group_of.collect();
    grouping(groups as usize, group_of)
}

/// Random totals on few cells, per unit, record and privacy unit: among all
/// pairs of tables none that is spoken of is missing, and none of them loses more.
#[test]
fn the_pair_that_is_spoken_of_exists_and_loses_no_more() {
    let (mut of_unit, mut of_nearest) = (0, 0);
    for seed in 0..400 {
        let random = &mut Random(seed * 7 + 1);
        let cells = 2 + random.below(4) as usize;
        let table: Vec<i64> = (0..cells).map(|_| random.below(3) as i64).collect();
        let totals: Vec<Grouping> = (0..random.below(4)).map(|_| random_totals(random, cells)).collect();
        let conditions = nonnegative(cells, totals);
        let per = if random.below(2) == 0 { Per::Unit } else { Per::Record };
        let Ok(moves) = moves(&conditions, &table) else { continue };
        let Ok(priced) = price(&moves, &mechanism("1/2", per), false) else { continue };
        let rows = random.below(4);
        let loss = if rows == 0 { priced.loss.clone() } else { priced.loss.clone().owned("person", rows, per) };
        // The box changes nothing but for classes bounded from below alone.
        let is_class = moves.elements.iter().any(|element| element.class.is_some());
        let tables = fibre(&conditions, &table, if is_class { table.iter().sum::<i64>().max(4) } else { 4 });
        if tables.len() > 60 || tables.len() < 2 {
            continue;
        }
        let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &priced), |_| 1.0);
        let pairs: Vec<(u64, f64)> = (0..tables.len())
            .flat_map(|one| (0..one).map(move |other| (one, other)))
            .map(|(one, other)| (laws.distance(one, other), laws.loss(one, other)))
            .collect();
        let nearest = pairs.iter().map(|(distance, _)| *distance).min().unwrap();
        let meaning = loss.meaning().unwrap();
        let about = format!("seed {seed}, {per:?}, {rows} rows: {}", meaning.sentence());
        let says_unit = meaning.between.contains("differ by one replaced");
        let reach = match (per, rows) {
            (Per::Unit, 0) => None,
            (_, rows) => Some(2 * rows.max(1)),
        };
        match reach.filter(|reach| nearest <= *reach) {
            Some(_) => {
                of_unit += 1;
                assert!(says_unit && !meaning.between.contains("if there are"), "{about}");
                assert!(meaning.between.contains(if rows == 0 {
                    "one replaced record"
                } else {
                    "one replaced person, of which at most"
                }));
            }
            None => {
                of_nearest += 1;
                assert!(!says_unit, "no two tables are so near: {about}");
                assert!(loss.nearest.distance == nearest, "{about}");
            }
        }
        let odds = meaning.posterior.at_most.to_f64();
        let odds = odds / (1.0 - odds);
        let spoken_of = reach.unwrap_or(nearest).max(nearest);
        for (distance, lost) in &pairs {
            assert!(*distance > spoken_of || lost.exp() <= odds * (1.0 + 1e-6), "{about}: a pair loses {lost}");
        }
        assert_eq!(meaning.others_move, nearest > 2 && !says_unit, "{about}");
    }
    assert!(of_unit > 80 && of_nearest > 20, "{of_unit} of units, {of_nearest} of nearest pairs");
}
