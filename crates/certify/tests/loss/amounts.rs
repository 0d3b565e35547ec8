//! Losses add, convert and are written as they should be, and only round up.

use crate::reference;
use exact::Rational;
use loss::{Amount, Charge, Reach, Unit};

fn pure(text: &str) -> Amount {
    Amount::Pure { epsilon: text.parse().expect("a number") }
}

fn concentrated(text: &str) -> Amount {
    Amount::ZeroConcentrated { rho: text.parse().expect("a number") }
}

fn approximate(epsilon: &str, delta: &str) -> Amount {
    Amount::Approximate { epsilon: epsilon.parse().expect("a number"), delta: delta.parse().expect("a number") }
}

#[test]
fn losses_count_as_theorem_g6_says() {
    assert_eq!(pure("1/3").counted_in(&pure("1")), Ok(pure("1/3")));
    assert_eq!(pure("1/3").counted_in(&concentrated("1")), Ok(concentrated("1/18")));
    assert_eq!(pure("1/3").counted_in(&approximate("1", "0")), Ok(approximate("1/3", "0")));
    assert_eq!(approximate("1/3", "0").counted_in(&pure("1")), Ok(pure("1/3")));
    for (loss, budget) in [
        (concentrated("1"), pure("1")),
        (approximate("1", "0.1"), pure("1")),
        (approximate("1", "0.1"), concentrated("1")),
        (concentrated("1"), approximate("1", "0.1")),
    ] {
        let problem = loss.counted_in(&budget).expect_err("another definition");
        assert!(problem.hint.is_some() && problem.message.contains(budget.definition().name()), "{problem}");
    }
}

#[test]
fn three_thirds_are_one_and_no_more() {
    let third = pure("1/3");
    let sum = third.plus(&third).and_then(|sum| sum.plus(&third)).expect("one definition");
    assert_eq!(pure("1").left_after(&sum), Some(pure("0")));
    assert_eq!(pure("1").left_after(&sum.plus(&pure("1e-50")).expect("one definition")), None);
    assert_eq!(approximate("1", "0.1").left_after(&approximate("0.5", "0.2")), None, "δ is counted too");
    assert_eq!(pure("1").plus(&concentrated("1")), None);
}

#[test]
fn another_unit_is_refused_and_so_is_less_than_nothing() {
    let budget = Charge { amount: pure("1"), per: Unit::Record };
    for per in [Unit::L1, Unit::L2, Unit::Owner("person".to_string())] {
        let problem = budget.counted(&Charge { amount: pure("1"), per: per.clone() }).expect_err("another unit");
        assert!(problem.message.contains(&per.to_string()), "{problem}");
    }
    assert!(budget.counted(&Charge { amount: pure("-1"), per: Unit::Record }).is_err());
    assert!(approximate("1", "2").check().is_err());
    assert!(budget.counted(&Charge { amount: pure("0"), per: Unit::Record }).is_ok(), "suppression costs nothing");
    assert!(!pure("0").is_a_budget() && approximate("1", "0").is_a_budget());
}

#[test]
fn amounts_are_kept_as_exact_text() {
    let charge = Charge { amount: approximate("1/3", "1e-9"), per: Unit::Owner("person_id".to_string()) };
    let text = serde_json::to_string(&charge).expect("JSON");
    assert_eq!(
        text,
        r#"{"amount":{"approximate":{"epsilon":"1/3","delta":"1/1000000000"}},"per":{"owner":"person_id"}}"#
    );
    assert_eq!(serde_json::from_str::<Charge>(&text).expect("the same"), charge);
    assert!(serde_json::from_str::<Amount>(r#"{"pure":{"epsilon":0.5}}"#).is_err(), "no machine numbers");
}

fn charge(amount: Amount, per: Unit) -> Charge {
    Charge { amount, per }
}

#[test]
fn units_are_restated_where_a_distance_bounds_another() {
    let person = || Unit::Owner("person".to_string());
    let reach = Reach { record: 4, owner: Some(("person".to_string(), 3)) };
    for (from, to, expected) in [
        (charge(pure("1/4"), Unit::L1), Unit::Record, Some(pure("1"))),
        (charge(pure("1/4"), Unit::L1), person(), Some(pure("3"))),
        (charge(pure("1/4"), Unit::Record), person(), Some(pure("3/4"))),
        (charge(concentrated("1/8"), Unit::Record), person(), Some(concentrated("9/8"))),
        (charge(concentrated("1/8"), Unit::L2), Unit::Record, Some(concentrated("1/2"))),
        (charge(concentrated("1/8"), Unit::L2), person(), Some(concentrated("9/2"))),
        (charge(pure("1/4"), Unit::L2), person(), Some(pure("3/2"))),
        (charge(pure("1/4"), Unit::L2), Unit::L1, Some(pure("1/4"))),
        (charge(pure("1/4"), Unit::L1), Unit::L2, None),
        (charge(pure("1/4"), Unit::Record), Unit::L1, None),
        (charge(pure("1/4"), person()), Unit::Record, None),
        (charge(pure("1/4"), Unit::L1), Unit::Owner("household".to_string()), None),
    ] {
        let found = from.in_unit(&to, &reach).map(|charge| charge.amount);
        match expected {
            Some(expected) => assert_eq!(found, Ok(expected), "{from} per {to}"),
            None => assert!(found.expect_err("no bound").hint.is_some(), "{from} per {to}"),
        }
    }
    let two = Reach { record: 2, owner: None };
    let Ok(Amount::Pure { epsilon }) =
        charge(pure("1"), Unit::L2).in_unit(&Unit::Record, &two).map(|charge| charge.amount)
    else {
        panic!("pure")
    };
    assert!(&epsilon * &epsilon > Rational::integer(2), "√2, rounded up");
    assert!(epsilon < "1.4142135624".parse().expect("a number"));
}

#[test]
fn groups_lose_more_and_delta_grows_as_in_definition_2() {
    let three = Rational::integer(3);
    assert_eq!(pure("1/4").at_distance(&three), Some(pure("3/4")));
    assert_eq!(concentrated("1/4").at_distance(&three), Some(concentrated("9/4")));
    assert_eq!(approximate("0", "1/100").at_distance(&three), Some(approximate("0", "3/100")));
    assert_eq!(approximate("2", "0").at_distance(&Rational::integer(10_000)), Some(approximate("20000", "0")));
    assert_eq!(approximate("2", "1e-9").at_distance(&Rational::integer(10_000)), Some(approximate("20000", "1")));
    assert_eq!(approximate("1", "1e-9").at_distance(&Rational::new(1, 2u8)), None, "no smaller than a unit");
    for (epsilon, delta) in [("1", "1e-6"), ("1/100", "1e-9"), ("1e-30", "1e-12"), ("5", "1e-20")] {
        let Some(Amount::Approximate { epsilon: whole, delta: grown }) =
            approximate(epsilon, delta).at_distance(&three)
        else {
            panic!("three units")
        };
        let (one, tiny) =
            (epsilon.parse::<Rational>().expect("a number"), delta.parse::<Rational>().expect("a number"));
        assert_eq!(whole, &one * &three);
        // δ(1 + e^ε + e^{2ε}) for three units, by another library.
        let expected = reference::geometric(&one, 3);
        let factor = &grown / &tiny;
        assert!(factor >= expected.0, "δ grows by {factor}, less than {}", expected.0);
        assert!(factor <= &expected.1 + &Rational::new(1, 1_000_000_000u32), "δ grows by {factor}");
    }
}

#[test]
fn conversions_only_round_up() {
    assert_eq!(pure("1/3").concentrated(), Some(concentrated("1/18")));
    assert_eq!(approximate("1", "1e-6").concentrated(), None);
    assert_eq!(concentrated("0").implied_at(&"1e-6".parse().expect("a number")), None, "no loss implies none");
    let epsilon = concentrated("1/8").implied_at(&"1e-6".parse().expect("a number")).expect("an ε");
    let formula = |a: f64| a / 8.0 + (1.0 - 1.0 / a).ln() - (1e-6f64.ln() + a.ln()) / (a - 1.0);
    let minimum = (1..200_000).map(|step| formula(1.0 + f64::from(step) / 1000.0)).fold(f64::INFINITY, f64::min);
    assert!(epsilon.to_f64() >= minimum - 1e-9 && epsilon.to_f64() < minimum + 2e-6, "{epsilon} against {minimum}");
}

fn at_integer_orders(text: &str) -> Amount {
    Amount::IntegerOrder { rho: text.parse().expect("a number") }
}

/// Theorem G13: such losses add up with ρ and with ε²/2, and whatever they are added to is of their
/// kind from then on.
#[test]
fn losses_at_integer_orders_make_the_sum_one_at_integer_orders() {
    let whole = at_integer_orders("1/8");
    assert_eq!(whole.counted_in(&concentrated("1")), Ok(whole.clone()), "a budget of ρ pays it, and says the kind");
    assert_eq!(concentrated("1/8").counted_in(&at_integer_orders("1")), Ok(whole.clone()));
    assert_eq!(pure("1/2").counted_in(&at_integer_orders("1")), Ok(whole.clone()));
    assert!(whole.counted_in(&pure("1")).is_err() && whole.counted_in(&approximate("1", "0.1")).is_err());
    assert_eq!(whole.concentrated(), None, "it is not zero-concentrated");
    for (one, two) in [(&whole, &concentrated("1/4")), (&concentrated("1/4"), &whole)] {
        assert_eq!(one.plus(two), Some(at_integer_orders("3/8")));
    }
    assert_eq!(concentrated("1").left_after(&whole), Some(concentrated("7/8")));
    assert_eq!(concentrated("1/9").left_after(&whole), None);
    assert_eq!(whole.at_distance(&Rational::integer(3)), Some(at_integer_orders("9/8")));
    let per_unit = Charge { amount: whole.clone(), per: Unit::L2 };
    let reach = Reach { record: 4, owner: Some(("person".to_string(), 3)) };
    let owner = per_unit.in_unit(&Unit::Owner("person".to_string()), &reach).expect("squares bound squares");
    assert_eq!(owner.amount, at_integer_orders("9/2"));
    let record = |amount: &Amount| Charge { amount: amount.clone(), per: Unit::Record };
    let losses = [record(&pure("1/2")), record(&whole), record(&concentrated("1/8"))];
    let together = loss::sequential(&losses).expect("they add up");
    assert_eq!(together.charge.amount, at_integer_orders("3/8"));
    let apart = loss::parallel(&losses).expect("the largest counts");
    assert_eq!(apart.charge.amount, whole);
    let implied = whole.implied_at(&"1e-6".parse().expect("a number")).expect("an ε");
    let all_orders = concentrated("1/8").implied_at(&"1e-6".parse().expect("a number")).expect("an ε");
    assert!(implied > all_orders, "{implied} and {all_orders}");
    assert_eq!(serde_json::to_string(&whole).expect("JSON"), r#"{"integer-order":{"rho":"1/8"}}"#);
    assert_eq!(whole.to_string(), "ρ = 1/8 at integer orders");
}
