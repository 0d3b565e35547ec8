//! The refined bounds R1 to R5 of `G3.md`: never below the truth, and attained where that is
//! claimed.

use crate::enumerated::price;
use crate::enumerated::{Laws, fibre, grouping, largest_part, margins, mechanism, moves, noise, nonnegative, rational};
use crate::summed::{cell, times};
use analyse::Bounds;
use declare::{Conditions, Footprint, Grouping, NO_GROUP, Per, QueryRows, Relation, RuleRows};
use loss::Attained;
use plan::Priced;

fn priced(conditions: &Conditions, table: &[i64], epsilon: &str) -> Priced {
    price(&moves(conditions, table).unwrap(), &mechanism(epsilon, Per::Unit), false).unwrap()
}

fn per_unit(priced: &Priced) -> f64 {
    priced.loss.epsilon().unwrap().to_f64()
}

/// The largest loss of two of these tables that one step parts, and the certified loss of that
/// step.
fn along(conditions: &Conditions, tables: Vec<Vec<i64>>, epsilon: &str) -> (f64, f64) {
    let priced = priced(conditions, &tables[0], epsilon);
    let laws = Laws::new(tables.clone(), &tables, &noise(conditions, &priced), |_| 1.0);
    let part = largest_part(&laws, &priced.loss, "one direction");
    let step = laws.distance(0, 1) as f64;
    (part * per_unit(&priced) * step, per_unit(&priced) * step)
}

/// R1: with two rows the cell beneath moves with the one that is bounded.
#[test]
fn two_rows_tie_the_noise_of_both_to_the_bounded_cell() {
    for (epsilon, expected) in [("1", 4.684), ("1/2", 2.623), ("1/10", 0.685)] {
        let rate = rational(epsilon).to_f64();
        for columns in [6, 70] {
            let conditions = nonnegative(2 * columns as usize, margins(2, columns));
            let found = priced(&conditions, &vec![1; 2 * columns as usize], epsilon);
            let swap = 4.0 * per_unit(&found);
            assert!((swap - (4.0 * rate + (2.0 - (-4.0 * rate).exp()).ln())).abs() < 1e-11, "{swap}");
            assert!((swap - expected).abs() < 5e-4 && found.loss.because.contains("R1"), "{}", found.loss.because);
        }
        for table in [[3, 0, 2, 0, 3, 1], [4, 1, 0, 0, 0, 4], [1, 2, 2, 1, 0, 2]] {
            let conditions = nonnegative(6, margins(2, 3));
            let found = priced(&conditions, &table, epsilon);
            let tables = fibre(&conditions, &table, 6);
            let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &found), |_| 1.0);
            let part = largest_part(&laws, &found.loss, "two rows");
            let Attained::AtLeast(known) = &found.loss.attained else { panic!("{:?}", found.loss.attained) };
            assert!(part >= known.to_f64() && known.to_f64() > 0.5, "{part} of {known}");
        }
    }
}

/// R1 on two layers: γ of a step of n cells tends to 1 − 4/n and not to 1 − 2/n.
#[test]
fn two_layers_tie_the_noise_of_both() {
    let codes = |cell: u32| [cell / 9, cell / 3 % 3, cell % 3];
    let sizes = [2, 3, 3];
    let margin = |one: usize, other: usize| {
        let group_of = (0..18).map(|cell| codes(cell)[one] * sizes[other] + codes(cell)[other]).collect();
        grouping((sizes[one] * sizes[other]) as usize, group_of)
    };
    let conditions = nonnegative(18, vec![margin(0, 1), margin(1, 2), margin(0, 2)]);
    let found = priced(&conditions, &[3; 18], "5").loss;
    // Cycles of six cells in both layers are the worst, swaps in both the nearest.
    let gamma = found.gamma.to_f64();
    assert!((1.0 - 4.0 / 12.0..0.667).contains(&gamma), "{gamma}");
    let nearest = found.nearest.amount.epsilon().unwrap().to_f64() / 40.0 - 1.0;
    assert!(found.nearest.distance == 8 && (0.5..0.501).contains(&nearest), "{nearest}");
}

/// R2: one direction is left, so all kinks coincide; attained when the line is long.
#[test]
fn one_direction_attains_its_bound() {
    let many = 40;
    let square = nonnegative(4, margins(2, 2));
    let faces = [(0, 1), (0, 2), (1, 2)].map(|(one, two): (u32, u32)| {
        grouping(4, (0..8u32).map(|cell| (cell >> one & 1) * 2 + (cell >> two & 1)).collect())
    });
    let cube = nonnegative(8, faces.to_vec());
    let sign = |cell: u32| if cell.count_ones().is_multiple_of(2) { 1 } else { -1 };
    // 3a + 2b is exact: steps of 2 up and 3 down.
    let weighted = Grouping { times: Some(vec![3, 2]), ..grouping(1, vec![0, 0]) };
    let weighted = nonnegative(2, vec![weighted]);
    let two = nonnegative(2, vec![grouping(1, vec![0, 0])]);
    let line = |from: Vec<i64>, step: Vec<i64>| -> Vec<Vec<i64>> {
        (0..=many).map(|k| from.iter().zip(&step).map(|(from, step)| from + k * step).collect()).collect()
    };
    for (conditions, tables, length) in [
        (&square, line(vec![0, many, many, 0], vec![1, -1, -1, 1]), 4.0),
        (
            &cube,
            line((0..8).map(|cell| if sign(cell) > 0 { 0 } else { many }).collect(), (0..8).map(sign).collect()),
            8.0,
        ),
        (&weighted, line(vec![0, 3 * many], vec![2, -3]), 5.0),
        (&two, line(vec![0, many], vec![1, -1]), 2.0),
    ] {
        for epsilon in ["1", "1/2", "1/4"] {
            let e = rational(epsilon).to_f64() * length;
            let (lost, certified) = along(conditions, tables.clone(), epsilon);
            let formula = e + (1.0 + (-e).exp() - (-2.0 * e).exp()).ln();
            assert!((certified - formula).abs() < 1e-10, "{certified} is not {formula}");
            assert!(lost > certified - 1e-3, "{lost} of {certified}");
            assert_eq!(priced(conditions, &tables[0], epsilon).loss.attained, Attained::Approached);
        }
    }
    assert!((4.0 * per_unit(&priced(&square, &[1; 4], "1")) - 4.018).abs() < 1e-3);
    assert!((8.0 * per_unit(&priced(&cube, &[1; 8], "1")) - 8.0003).abs() < 1e-4);
}

/// R3: n cells with one total; the largest loss over all tables, and the one far cell that attains
/// it.
#[test]
fn classes_attain_their_bound() {
    for epsilon in ["1/4", "1/2", "1"] {
        let rate = rational(epsilon).to_f64();
        let (a2, total) = ((-2.0 * rate).exp(), 160);
        for cells in [3usize, 4, 5, 8] {
            let conditions = nonnegative(cells, vec![grouping(1, vec![0; cells])]);
            let found = priced(&conditions, &vec![2; cells], epsilon);
            let certified = 2.0 * per_unit(&found);
            let formula = 2.0 * rate + (2.0 - a2 - (1.0 - a2).powi(cells as i32)).ln();
            assert!((certified - formula).abs() < 1e-10, "{certified} is not {formula}");
            assert_eq!(found.loss.attained, Attained::Approached);
            let zero = cell(0, total, rate);
            let others = (3..cells).fold(zero.clone(), |product, _| times(&product, &zero));
            let normaliser = |moved: usize| {
                let pair = times(&cell(moved, total, rate), &cell(total - moved, total, rate));
                times(&others, &pair)[total]
            };
            let lost = 2.0 * rate + (normaliser(1) / normaliser(0)).ln().abs();
            assert!(lost <= certified + 1e-9 && lost > certified - 1e-3, "ε' = {rate}: {lost} of {certified}");
        }
        for (cells, table) in [(3, vec![5, 4, 0]), (4, vec![3, 0, 2, 1])] {
            let conditions = nonnegative(cells, vec![grouping(1, vec![0; cells])]);
            let found = priced(&conditions, &table, epsilon);
            let tables = fibre(&conditions, &table, table.iter().sum());
            let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &found), |_| 1.0);
            assert!(largest_part(&laws, &found.loss, "a class") > 0.95);
        }
    }
}

/// R3 is about bounds from below and noise that is alike: other classes get R1, and no less than
/// the truth.
#[test]
fn other_classes_are_not_priced_like_one() {
    let total = || vec![grouping(1, vec![0; 4])];
    let plain = nonnegative(4, total());
    let bound = |cell: usize, bound: i64| {
        let group_of = (0..4).map(|at| if at == cell { 0 } else { NO_GROUP }).collect();
        RuleRows { grouping: grouping(1, group_of), relation: Relation::AtMost, bound }
    };
    let mut limited = plain.clone();
    limited.rules = vec![bound(0, 2), bound(1, 3)];
    let query = |groups: usize, group_of: Vec<u32>, strength: &str| QueryRows {
        grouping: grouping(groups, group_of),
        strength: rational(strength),
    };
    let mut summed = plain.clone();
    summed.queries = vec![query(4, vec![0, 1, 2, 3], "1/2"), query(1, vec![0, 0, NO_GROUP, NO_GROUP], "1/3")];
    let mut uneven = plain.clone();
    uneven.queries = vec![query(4, vec![0, 1, 2, 3], "1/2"), query(1, vec![0, NO_GROUP, NO_GROUP, NO_GROUP], "1")];
    for (name, conditions) in [("limited", limited), ("summed", summed), ("uneven", uneven)] {
        let table = [1, 2, 0, 3];
        let steps = moves(&conditions, &table).unwrap();
        assert!(steps.elements.iter().all(|element| element.class.is_none()), "{name}");
        let found = priced(&conditions, &table, "1/2");
        let tables = fibre(&conditions, &table, 6);
        let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &found), |_| 1.0);
        largest_part(&laws, &found.loss, name);
        assert!(found.loss.attained != Attained::Approached, "{name}");
    }
}

/// R5: with strong noise the release is often the table itself, or on the line through it.
#[test]
fn small_parts_with_strong_noise_lose_less() {
    let conditions = nonnegative(9, margins(3, 3));
    for (epsilon, least, most) in [("1", 5.0, 5.5), ("2", 8.0, 8.6), ("1/10", 0.73, 0.74)] {
        for table in [[1; 9], [2, 0, 0, 0, 1, 1, 0, 2, 0], [3, 0, 0, 0, 3, 0, 0, 0, 3]] {
            let found = priced(&conditions, &table, epsilon);
            let swap = found.loss.nearest.amount.epsilon().unwrap().to_f64();
            assert!((least..most).contains(&swap), "{swap}");
            let tables = fibre(&conditions, &table, 3);
            let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &found), |_| 1.0);
            assert!(largest_part(&laws, &found.loss, "a small part") > 0.5);
        }
    }
}

/// Sums that several totals give together do not move, whatever each of them says alone.
#[test]
fn sums_that_several_totals_give_together_cost_nothing() {
    let row = |row: u32| grouping(1, (0..9).map(|cell| if cell / 3 == row { 0 } else { NO_GROUP }).collect());
    let columns = grouping(3, (0..9).map(|cell| cell % 3).collect());
    let mut conditions = nonnegative(9, vec![row(0), row(1), columns]);
    let query = |grouping: Grouping| QueryRows { grouping, strength: rational("1") };
    conditions.queries = vec![query(grouping(9, (0..9).collect()))];
    let alone = per_unit(&priced(&conditions, &[1; 9], "1"));
    // The first two rows, and the last, are what rows and columns leave.
    conditions.queries.push(query(grouping(2, (0..9).map(|cell| u32::from(cell / 3 == 2)).collect())));
    assert_eq!(per_unit(&priced(&conditions, &[1; 9], "1")), alone);
    // Noise on every row but the cells of one of them: what is left of that row is a cell.
    conditions.queries.push(query(grouping(1, (0..9).map(|cell| if cell < 2 { 0 } else { NO_GROUP }).collect())));
    let elements = moves(&conditions, &[1; 9]).unwrap().elements;
    assert!(elements.iter().all(|element| element.moved[1] == 0 && element.moved[2] > 0));
}

/// A rule on a sum that is a cell modulo the totals is a bound of that cell.
#[test]
fn rules_on_what_totals_turn_into_a_cell_are_bounds() {
    let table = [3, 1, 2, 4];
    let mut conditions = nonnegative(4, margins(2, 2));
    let three = grouping(1, vec![0, 0, 0, NO_GROUP]);
    conditions.rules.push(RuleRows { grouping: three, relation: Relation::AtMost, bound: 7 });
    let found = priced(&conditions, &table, "1/2");
    assert!(moves(&conditions, &table).unwrap().elements.iter().all(|element| element.bounds == Bounds::Cells));
    let tables = fibre(&conditions, &table, 7);
    let laws = Laws::new(tables.clone(), &tables, &noise(&conditions, &found), |_| 1.0);
    assert!(tables.len() > 2 && largest_part(&laws, &found.loss, "a rule") < 1.0);
    // It bounds from above, so that the line is short: the bound is not said to be attained.
    assert!(matches!(found.loss.attained, Attained::AtLeast(_)));
    // Under one total all cells but one say what that one is.
    let mut class = Conditions::of_totals(4, vec![grouping(1, vec![0; 4])]);
    let all_but_one = grouping(1, vec![0, 0, 0, NO_GROUP]);
    class.rules.push(RuleRows { grouping: all_but_one, relation: Relation::AtLeast, bound: 3 });
    assert!(priced(&class, &table, "1/2").loss.gamma < rational("1/2"));
}

/// Cases and deaths in three counties, deaths at most cases, all cases together exact; a record may
/// be both.
fn counties() -> Conditions {
    let cases = grouping(1, (0..6).map(|cell| if cell % 2 == 0 { 0 } else { NO_GROUP }).collect());
    let place: Vec<u32> = (0..6).map(|cell| cell / 2).collect();
    let times = Some((0..6).map(|cell| if cell % 2 == 0 { -1 } else { 1 }).collect());
    let rule = Grouping { times, ..grouping(3, place.clone()) };
    let mut conditions = nonnegative(6, vec![cases]);
    conditions.rules.push(RuleRows { grouping: rule, relation: Relation::AtMost, bound: 0 });
    conditions.footprint = Footprint::EveryMeasure { measures: 2, place };
    conditions
}

/// How many records must be replaced to make one table of another: people who died and people who
/// did not, by county.
fn records(one: &[i64], other: &[i64]) -> u64 {
    let change = |county: usize| {
        let (cases, deaths) = (other[2 * county] - one[2 * county], other[2 * county + 1] - one[2 * county + 1]);
        deaths.unsigned_abs() + (cases - deaths).unsigned_abs()
    };
    (0..3).map(change).sum::<u64>() / 2
}

/// R4: a replaced record under deaths ≤ cases; every pair of tables, by the records that part them.
#[test]
fn records_under_a_rule_lose_less_than_their_units() {
    let conditions = counties();
    let table = [3, 2, 1, 0, 1, 1];
    let tables = fibre(&conditions, &table, 5);
    for (epsilon, least, most) in [("3.2091", 0.5, 0.50001), ("1", 0.13, 0.15)] {
        let steps = moves(&conditions, &table).unwrap();
        let found = price(&steps, &mechanism(epsilon, Per::Record), false).unwrap();
        let rates = noise(&conditions, &found);
        assert!((least..most).contains(&rates[0].1), "ε = {epsilon} per record buys the rate {}", rates[0].1);
        assert!(found.loss.because.contains("R4"), "{}", found.loss.because);
        let laws = Laws::new(tables.clone(), &tables, &rates, |_| 1.0);
        let certified = rational(epsilon).to_f64();
        let mut largest: f64 = 0.0;
        for one in 0..tables.len() {
            for other in 0..one {
                let apart = records(&tables[one], &tables[other]) as f64;
                let lost = laws.loss(one, other);
                assert!(lost <= certified * apart + 1e-9, "{:?}, {:?}: {lost}", tables[one], tables[other]);
                largest = largest.max(lost / (certified * apart));
            }
        }
        let Some(known) = found.loss.attained.part() else { panic!("{:?}", found.loss.attained) };
        assert!(largest >= known.to_f64() && largest > 0.7, "{largest} of {known}");
    }
}

/// R4 asks for deaths in no total and for no other rule or query.
#[test]
fn records_under_other_rules_are_charged_by_units() {
    let table = [3, 2, 1, 0, 1, 1];
    let known = |conditions: &Conditions| !moves(conditions, &table).unwrap().replaced.is_empty();
    let conditions = counties();
    assert!(known(&conditions));
    let mut both = conditions.clone();
    both.invariants.push(grouping(1, (0..6).map(|cell| if cell % 2 == 1 { 0 } else { NO_GROUP }).collect()));
    both.pinned.push(None);
    let mut loose = conditions.clone();
    loose.rules[0].bound = 1;
    let mut partial = conditions.clone();
    partial.rules[0].grouping.group_of[4] = NO_GROUP;
    let mut signed = conditions.clone();
    signed.nonnegative = false;
    let mut single = conditions.clone();
    single.footprint = Footprint::OneCell;
    let mut queried = conditions.clone();
    queried.queries.push(QueryRows { grouping: grouping(6, (0..6).collect()), strength: rational("1") });
    let mut open = conditions.clone();
    open.invariants.clear();
    open.pinned.clear();
    for (number, other) in [both, loose, partial, signed, single, queried, open].iter().enumerate() {
        assert!(!known(other), "case {number}");
    }
}
