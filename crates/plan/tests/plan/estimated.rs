//! Walks in plans: when they are chosen, what lattice Laplace noise loses, and the δ of theorem G5.

use crate::small::{CHILDREN, Small, delinquent, epsilon, list, rho, small};
use declare::{Kind, Method, Noise, Per, Problem, Strength};
use draw::Exactness;
use exact::{Enclosure, Rational};
use insta::assert_snapshot;
use loss::Definition;
use plan::Plan;
use walk::{Diagnostics, Evidence, Family, MoveCount, Tried};

fn number(text: &str) -> Rational {
    text.parse().unwrap()
}

/// Both margins of a 4 × 4 table, with a limit on δ.
fn both_margins(noise: Noise, strength: Strength, per: Per) -> Small {
    let mut small = delinquent().keep("county", &CHILDREN, |_| true).keep("education", &CHILDREN, |_| true);
    small.declaration.mechanism.max_delta = Some(number("1e-6"));
    small.mechanism(noise, strength, per)
}

/// Evidence as a walk might give it, with so many blocks of 20 steps: of five families and 20
/// rounds a fifth does not meet.
fn evidence(blocks: u64) -> Evidence {
    let mut meetings: Vec<u64> = (0..800u64).map(|pair| 1 + pair % 20).collect();
    meetings.sort_unstable();
    let moves = vec![
        MoveCount { kind: "single vectors".into(), proposed: 900, accepted: 300 },
        MoveCount { kind: "all vectors at once".into(), proposed: 100, accepted: 4 },
    ];
    let diagnostics =
        Diagnostics { moves, trace: vec![0.0, 1.5, 2.25], every: 3, chains: 4, effective: 812.4, r_hat: 1.0012 };
    let families = (0..5).map(|family| Family { apart: family > 0, tried: Tried { pairs: 200, unmet: 40 } }).collect();
    let rounds = vec![Tried { pairs: 200, unmet: 38 }; 20];
    Evidence { steps: 20 * blocks, block: 20, attempt: 0, families, rounds, meetings, starts: 1, diagnostics }
}

/// The fewest blocks that come so close.
fn blocks_for(distance: f64) -> u64 {
    (1..100).find(|blocks| evidence(*blocks).bound(20 * blocks) <= distance).unwrap()
}

fn problem<T: std::fmt::Debug>(result: Result<T, Problem>) -> (Kind, String) {
    let problem = result.unwrap_err();
    (problem.kind, problem.to_string())
}

fn operators(plan: &Plan) -> Vec<&'static str> {
    plan.blocks.iter().map(|block| block.operator()).collect()
}

#[test]
fn an_exact_operator_wins_unless_a_walk_is_asked_for() -> Result<(), Problem> {
    let mut margins = both_margins(Noise::DOUBLE_GEOMETRIC, epsilon("1"), Per::Record);
    let exact = margins.plan()?;
    assert_eq!(operators(&exact), ["divide"]);
    assert_eq!((exact.loss.definition(), exact.needs_evidence()), (Definition::Pure, false));
    for name in ["lattice-walk", "independence-walk", "hierarchy-walk"] {
        margins.declaration.mechanism.sampler = Some(name.into());
        let Ok(plan) = margins.plan() else { continue };
        assert_eq!(operators(&plan), [name]);
        assert!(plan.needs_evidence() && plan.loss.delta().is_none());
        assert_eq!(*plan.blocks[0].exactness(), Exactness::Estimated { distance: Rational::integer(1), percent: 99 });
        assert!(plan.refused.iter().all(|refused| refused.operator != name));
        assert!(plan.refused.iter().any(|refused| refused.reason == format!("the spec asks for `{name}`")));
    }
    margins.declaration.mechanism.sampler = Some("lattice-walk".into());
    margins.declaration.mechanism.max_delta = None;
    let (kind, message) = problem(margins.plan());
    assert_eq!(kind, Kind::Refused);
    assert_snapshot!(message);
    Ok(())
}

#[test]
fn what_only_a_walk_can_draw_says_how_to_accept_it() -> Result<(), Problem> {
    let mut laplace = both_margins(Noise::LATTICE_LAPLACE, epsilon("1/100"), Per::Record);
    laplace.declaration.mechanism.max_delta = None;
    laplace.declaration.constraints.nonnegative = true;
    let (kind, message) = problem(laplace.plan());
    assert_eq!(kind, Kind::Refused);
    assert_snapshot!("lattice_laplace_not_accepted", message);
    // A 12 × 12 table with both margins and no count below zero.
    let labels: Vec<String> = (0..12).map(|value| format!("v{value}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let counts = vec![9; 144];
    let mut large = small("Large", vec![("county", list(&labels)), ("education", list(&labels))])
        .keep("county", &counts, |_| true)
        .keep("education", &counts, |_| true);
    large.declaration.constraints.nonnegative = true;
    let (kind, message) = problem(large.plan());
    assert_eq!(kind, Kind::Refused);
    assert!(message.contains("accept = \"estimated\" and max_delta"), "{message}");
    large.declaration.mechanism.max_delta = Some(number("1e-6"));
    assert_eq!(operators(&large.plan()?), ["lattice-walk"]);
    Ok(())
}

#[test]
fn one_norm_makes_one_block_of_all_cells_that_are_not_fixed() -> Result<(), Problem> {
    let mut by_county = delinquent().keep("county", &CHILDREN, |codes| codes[0] > 0 || codes[1] == 0).mechanism(
        Noise::LATTICE_LAPLACE,
        epsilon("1"),
        Per::Unit,
    );
    by_county.declaration.mechanism.max_delta = Some(number("1e-6"));
    let plan = by_county.plan()?;
    // Of Alpha one cell is fixed by its total and three are free.
    assert_eq!((plan.fixed.len(), plan.blocks.len(), plan.blocks[0].block.size), (1, 1, 15));
    assert_eq!(operators(&plan), ["mixture"]);
    by_county.declaration.mechanism.sampler = Some("lattice-walk".into());
    let plan = by_county.plan()?;
    assert_eq!(operators(&plan), ["lattice-walk"]);
    let walk = walk::PlannedWalk::of(&*plan.blocks[0].work).unwrap();
    assert_eq!(walk.walk.cells(), (1..16).collect::<Vec<u32>>());
    by_county.declaration.mechanism.sampler = None;
    by_county.declaration.mechanism.method = Method::Unconstrained;
    assert_eq!(by_county.plan()?.blocks[0].block.size, 16);
    Ok(())
}

#[test]
fn lattice_laplace_is_priced_in_the_l2_norm() -> Result<(), Problem> {
    let plan = |strength, per, nonnegative| {
        let mut small = both_margins(Noise::LATTICE_LAPLACE, strength, per);
        small.declaration.constraints.nonnegative = nonnegative;
        small.plan()
    };
    let rate = |plan: &Plan| {
        assert_eq!(plan.law.name(), "lattice-laplace");
        plan.law.parameter().clone()
    };
    // A swap of two records is ℓ₂ distance 2.
    let unit = plan(epsilon("1/4"), Per::Unit, false)?;
    assert_eq!((rate(&unit), unit.loss.unit.name()), (number("1/4"), "unit of l2 distance"));
    assert_eq!(
        (unit.loss.epsilon().cloned(), unit.loss.nearest.amount.epsilon().cloned()),
        (Some(number("1/4")), Some(number("1/2")))
    );
    assert_eq!((unit.loss.theorems(), unit.loss.gamma.clone()), ("G1".to_owned(), Rational::integer(0)));
    let record = plan(epsilon("1"), Per::Record, false)?;
    assert_eq!(rate(&record), number("0.707106781186"));
    assert_eq!(
        (record.loss.epsilon().cloned(), record.loss.nearest.amount.epsilon().cloned()),
        (Some(number("1")), Some(number("1.414213562372")))
    );
    // Twice where bounds cut the norm.
    let bounded = plan(epsilon("1/4"), Per::Unit, true)?;
    assert_eq!((rate(&bounded), bounded.loss.epsilon().cloned()), (number("1/4"), Some(number("1/2"))));
    assert_eq!((bounded.loss.theorems(), bounded.loss.gamma.clone()), ("G3".to_owned(), Rational::integer(1)));
    assert_eq!(operators(&bounded), ["reject"]);
    let bounded = plan(epsilon("1"), Per::Record, true)?;
    assert_eq!(rate(&bounded), number("0.3535533905932"));
    let mut owned = both_margins(Noise::LATTICE_LAPLACE, epsilon("1"), Per::Record);
    owned.declaration.data.unit = Some("person".into());
    owned.declaration.data.rows_per_unit = 3;
    assert_eq!(owned.plan()?.loss.epsilon().cloned(), Some(number("3")));
    Ok(())
}

/// The largest |log-ratio| over all releases, divided by the ℓ₂ distance, over all pairs of tables.
fn worst(tables: &[Vec<i64>], outputs: &[Vec<i64>], rate: f64) -> f64 {
    let distance = |one: &[i64], two: &[i64]| {
        let squared: i64 = one.iter().zip(two).map(|(a, b)| (a - b) * (a - b)).sum();
        (squared as f64).sqrt()
    };
    let law = |x: &Vec<i64>| {
        let weights: Vec<f64> = outputs.iter().map(|y| (-rate * distance(x, y)).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| (weight / sum).ln()).collect::<Vec<f64>>()
    };
    let laws: Vec<Vec<f64>> = tables.iter().map(law).collect();
    let mut worst = 0.0f64;
    for (one, x) in tables.iter().enumerate() {
        for (two, other) in tables.iter().enumerate().filter(|(two, _)| *two != one) {
            let ratio = laws[one].iter().zip(&laws[two]).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
            worst = worst.max(ratio / distance(x, other));
        }
    }
    worst
}

/// All tables of three cells with entries within bounds and a sum.
fn tables(low: i64, high: i64, sum: i64) -> Vec<Vec<i64>> {
    let pairs = (low..=high).flat_map(|one| (low..=high).map(move |two| (one, two)));
    let tables = pairs.map(|(one, two)| vec![one, two, sum - one - two]);
    tables.filter(|table| (low..=high).contains(&table[2])).collect()
}

#[test]
fn lattice_laplace_never_loses_more_than_is_certified() -> Result<(), Problem> {
    let one_total =
        |counts: &[i64], nonnegative: bool| {
            let mut small = small("Three", vec![("cell", list(&["a", "b", "c"]))])
                .keep("", counts, |_| true)
                .mechanism(Noise::LATTICE_LAPLACE, epsilon("3/4"), Per::Unit);
            small.declaration.mechanism.max_delta = Some(number("1e-6"));
            small.declaration.constraints.nonnegative = nonnegative;
            small.plan()
        };
    // Equalities alone: the window is so wide that what it leaves out does not show.
    let certified = one_total(&[1, 1, 1], false)?.loss.epsilon().unwrap().to_f64();
    let found = worst(&tables(0, 2, 3), &tables(-45, 45, 3), 0.75);
    assert!(found <= certified + 1e-6 && found > certified * 0.99, "{found} and {certified}");
    // Bounds: the normaliser moves, so the rate alone is too little, and twice the rate is enough.
    let certified = one_total(&[2, 1, 1], true)?.loss.epsilon().unwrap().to_f64();
    let found = worst(&tables(0, 4, 4), &tables(0, 4, 4), 0.75);
    assert!(found <= certified && found > 0.75 * 1.1, "{found} and {certified}");
    Ok(())
}

#[test]
fn delta_is_alpha_times_one_plus_the_factor_rounded_up() -> Result<(), Problem> {
    let mut margins = both_margins(Noise::DOUBLE_GEOMETRIC, epsilon("1"), Per::Record);
    margins.declaration.mechanism.sampler = Some("lattice-walk".into());
    let max = number("1e-6");
    let plan = margins.plan()?;
    let wanted = plan.wanted(&max)?;
    // The nearest pair loses twice what a record does: ε = 2.
    let power = Enclosure::exp_rational(&Rational::integer(2), 200);
    let factor = |power: Rational| &Rational::integer(1) + &power;
    assert!(&wanted.distance * &factor(power.upper_rational()) <= max);
    assert!(&wanted.distance * &factor(power.lower_rational()) >= &max * &number("0.998"));
    let steps = blocks_for(wanted.distance.to_f64());
    let supported = plan.clone().supported_by(vec![evidence(steps)], &max)?;
    let (delta, alpha) = (supported.loss.delta().unwrap(), evidence(steps).distance());
    let exact = &alpha * &factor(power.upper_rational());
    assert!(delta >= exact && delta <= &exact * &number("1.000002") && delta <= max, "{delta} and {exact}");
    let estimated = supported.loss.estimated().cloned().unwrap();
    assert_eq!((estimated.distance, estimated.epsilon), (alpha.clone(), Rational::integer(2)));
    assert_eq!(supported.loss.definition(), Definition::Approximate);
    assert_eq!(*supported.blocks[0].exactness(), Exactness::Estimated { distance: alpha, percent: 99 });
    assert!(!supported.needs_evidence() && supported.exactness() == *supported.blocks[0].exactness());
    // A block less is too little.
    let (kind, message) = problem(plan.clone().supported_by(vec![evidence(steps - 1)], &max));
    assert_eq!(kind, Kind::Refused);
    assert!(message.starts_with("the walk is not close enough to its law: δ would be"), "{message}");
    assert!(plan.clone().supported_by(Vec::new(), &max).is_err());
    let good = evidence(steps);
    let tried = |pairs, unmet| Tried { pairs, unmet };
    let family = |apart, pairs, unmet| Family { apart, tried: tried(pairs, unmet) };
    let with = |change: &dyn Fn(&mut Evidence)| {
        let mut evidence = good.clone();
        change(&mut evidence);
        evidence
    };
    let wrong = [
        ("order", with(&|evidence| evidence.meetings.reverse())),
        ("a pair less", with(&|evidence| evidence.meetings.truncate(799))),
        ("few pairs", with(&|evidence| evidence.families[0] = family(false, 99, 3))),
        ("none apart", with(&|evidence| evidence.families.iter_mut().for_each(|family| family.apart = false))),
        ("half a block", with(&|evidence| evidence.steps += 10)),
        ("starts", with(&|evidence| evidence.starts = 2)),
        ("more unmet than met", with(&|evidence| evidence.rounds[3] = tried(200, 101))),
        ("more blocks than were seen", with(&|evidence| evidence.rounds.truncate(3))),
        ("chains that do not move", with(&|evidence| evidence.diagnostics.effective = 0.0)),
        ("chains that disagree", with(&|evidence| evidence.diagnostics.r_hat = 1.2)),
        ("no number", with(&|evidence| evidence.diagnostics.r_hat = f64::NAN)),
        // A slower round makes q larger, and the same steps too few.
        ("a slow round", with(&|evidence| evidence.rounds[17] = tried(200, 90))),
    ];
    assert!(plan.clone().supported_by(vec![good.clone()], &max).is_ok());
    for (name, evidence) in wrong {
        assert!(plan.clone().supported_by(vec![evidence], &max).is_err(), "{name}");
    }
    Ok(())
}

/// A walk with bounds is planned only where its steps are proved to join all tables, whatever is
/// asked for.
#[test]
fn walks_with_bounds_need_a_proof() -> Result<(), Problem> {
    let labels = |size: usize| -> Vec<String> { (0..size).map(|value| format!("v{value}")).collect() };
    let (two, four) = (labels(2), labels(4));
    let text = |labels: &[String]| list(&labels.iter().map(String::as_str).collect::<Vec<_>>());
    let counts = [1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1];
    let mut cube = small("Cube", vec![("a", text(&two)), ("b", text(&four)), ("c", text(&four))]);
    for a in 0..2 {
        cube = cube.keep("b", &counts, |codes| codes[0] == a).keep("c", &counts, |codes| codes[0] == a);
    }
    for b in 0..4 {
        cube = cube.keep("c", &counts, |codes| codes[1] == b);
    }
    let mut cube = cube.mechanism(Noise::LATTICE_LAPLACE, epsilon("1/10"), Per::Unit);
    cube.declaration.mechanism.max_delta = Some(number("1e-4"));
    assert_eq!(operators(&cube.plan()?), ["mixture"]);
    cube.declaration.constraints.nonnegative = true;
    // Two tables are left, and both are listed: nothing need be walked.
    let listed = cube.plan()?;
    assert_eq!(operators(&listed), ["enumerate"]);
    assert!(listed.loss.estimated().is_none() && listed.loss.delta() == Some(number("0")));
    cube.declaration.mechanism.sampler = Some("lattice-walk".to_owned());
    let problem = cube.plan().unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert!(problem.message.contains("nothing proves that its steps join all tables"), "{}", problem.message);
    assert!(problem.hint.unwrap().contains("cross in two ways"));
    // Two-way margins are a graph, whose cycles are among the steps.
    let mut margins = both_margins(Noise::LATTICE_LAPLACE, epsilon("1/4"), Per::Unit);
    margins.declaration.constraints.nonnegative = true;
    margins.declaration.mechanism.sampler = Some("lattice-walk".to_owned());
    assert_eq!(operators(&margins.plan()?), ["lattice-walk"]);
    Ok(())
}

#[test]
fn concentrated_loss_is_converted_first() -> Result<(), Problem> {
    let mut margins = both_margins(Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Record);
    margins.declaration.mechanism.sampler = Some("lattice-walk".into());
    for (limit, converted) in [("1e-6", "5e-7"), ("1e-5", "1e-6")] {
        let (max, converted) = (number(limit), number(converted));
        let plan = margins.plan()?;
        let steps = blocks_for(plan.wanted(&max)?.distance.to_f64());
        let loss = plan.supported_by(vec![evidence(steps)], &max)?.loss;
        let estimated = loss.estimated().unwrap().clone();
        let pair = loss.nearest.amount.rho().unwrap();
        assert_eq!(estimated.epsilon, loss::epsilon_at(pair, &converted));
        assert_eq!((estimated.converted, loss.nearest.implied.clone()), (converted.clone(), Some(estimated.epsilon)));
        let delta = loss.delta().unwrap();
        assert!(delta > converted && delta <= max);
        assert_eq!(
            (loss.rho().cloned(), loss.epsilon().cloned(), loss.definition()),
            (Some(number("1/8")), None, Definition::Approximate)
        );
    }
    Ok(())
}

#[test]
fn a_walk_is_explained_with_its_evidence() -> Result<(), Problem> {
    let mut small = both_margins(Noise::LATTICE_LAPLACE, epsilon("1"), Per::Record);
    small.declaration.mechanism.sampler = Some("lattice-walk".into());
    let plan = small.plan()?;
    assert_eq!(plan.blocks[0].operator(), "lattice-walk");
    assert_snapshot!("walk_before_evidence", plan.explain_text("Delinquent children"));
    let max = number("1e-6");
    let steps = blocks_for(plan.wanted(&max)?.distance.to_f64());
    let supported = plan.supported_by(vec![evidence(steps)], &max)?;
    // The predicted time is that of a machine.
    let without_time =
        |text: String| text.lines().filter(|line| !line.contains("on one core")).collect::<Vec<_>>().join("\n");
    assert_snapshot!("walk_with_evidence", without_time(supported.explain_text("Delinquent children")));
    let json = supported.explain_json();
    assert_snapshot!("walk_block_json", format!("{:#}\n{:#}", json["blocks"][0]["evidence"], json["loss"]));
    assert_eq!(json["blocks"][0]["exactness"], "estimated");
    assert_eq!(json["blocks"][0]["confidence_percent"], 99);
    Ok(())
}
