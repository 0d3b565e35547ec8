//! Plans do not depend on knowing the nearest pair of tables.

use crate::small::{epsilon, list, rho, small};
use declare::{Grouping, Noise, Per, Problem};
use draw::Exactness;

/// Passengers of the Titanic by class, sex, age and survival (Dawson 1995), 24 cells: class × sex,
/// age and survival exact.
const PASSENGERS: [i64; 24] =
    [0, 5, 118, 57, 0, 1, 4, 140, 0, 11, 154, 14, 0, 13, 13, 80, 35, 13, 387, 75, 17, 14, 89, 76];

fn titanic() -> crate::small::Small {
    let (class, sex) = (list(&["1st", "2nd", "3rd"]), list(&["Male", "Female"]));
    let (age, survived) = (list(&["Child", "Adult"]), list(&["No", "Yes"]));
    let mut titanic = small("Titanic", vec![("class", class), ("sex", sex), ("age", age), ("survived", survived)]);
    let pairs = Grouping {
        label: "by class, sex".into(),
        names: (0..6).map(|group| format!("class, sex = {group}")).collect(),
        group_of: (0..24).map(|cell| cell / 4).collect(),
        times: None,
    };
    titanic.totals.push(pairs.totals(&PASSENGERS).into_iter().map(|total| total as i64).collect());
    titanic.groupings.push(pairs);
    titanic.keep("age", &PASSENGERS, |_| true).keep("survived", &PASSENGERS, |_| true)
}

/// Refused once, with the advice to accept a walk, though messages draw it exactly.
#[test]
fn crossing_totals_of_three_families_are_drawn_without_accepting_a_walk() -> Result<(), Problem> {
    let mut titanic = titanic().mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Unit);
    titanic.declaration.constraints.nonnegative = true;
    let plan = titanic.plan()?;
    assert!(plan.blocks.iter().all(|block| *block.exactness() == Exactness::Exact), "{:?}", plan.exactness());
    assert!(plan.blocks.iter().any(|block| block.operator() == "messages"));
    let nearest = &plan.loss.nearest;
    assert!(nearest.known && nearest.at_least <= nearest.distance, "{nearest:?}");
    // One record moves from one age to another, and another one back, with the same survival.
    assert_eq!((nearest.distance, nearest.at_least), (4, 4));
    Ok(())
}

/// What one unit and the nearest pair are told apart by comes from the law of the noise, and is
/// less than ρ implies.
#[test]
fn gaussian_noise_is_stated_by_its_law() -> Result<(), Problem> {
    let plan = titanic().mechanism(Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Record).plan()?;
    let delta = "1e-6".parse().unwrap();
    let through_rho = |rho: &Option<exact::Rational>| loss::epsilon_at(rho.as_ref().unwrap(), &delta).to_f64();
    let (unit, pair) = (through_rho(&plan.loss.rho().cloned()), through_rho(&plan.loss.nearest.amount.rho().cloned()));
    let stated = |epsilon: &Option<exact::Rational>| epsilon.as_ref().unwrap().to_f64();
    let found =
        (stated(&plan.loss.implied.map(|implied| implied.epsilon)) / unit, stated(&plan.loss.nearest.implied) / pair);
    assert!((0.85..0.96).contains(&found.0) && (0.85..0.96).contains(&found.1), "{found:?}");
    Ok(())
}
