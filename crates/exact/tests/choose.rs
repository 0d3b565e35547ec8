//! The exact law of `choose` by replaying every bit tape, and what its levels may and may not say.

use exact::lazy::Uniform;
use exact::{Decision, Enclosure, Entropy, Positive, Rational, Seeded, Source, Weighted, Wide, choose};
use testkit::{TapeLaw, tape_law};

/// The true weight of index i is `e^{−exponents[i]}`: heavy and light ones mixed, so that what a
/// level leaves out lies before, between and after what it lists.
fn exponents() -> Vec<Rational> {
    [7, 1, 9, 0, 3, 12, 2, 5].map(|halves| Rational::new(halves, 2u8)).to_vec()
}

/// Level n knows weights of at least e^{−2^{n−1}}, to few bits.
fn level<T: Positive>(number: usize, bits: u32, alter: impl Fn(&mut Weighted<T>)) -> (Weighted<T>, Vec<usize>) {
    let least = Rational::new(1i64 << number, 2u8);
    let (mut listed, mut weights, mut missing) = (Vec::new(), Vec::new(), T::zero());
    for (index, exponent) in exponents().iter().enumerate() {
        let weight = T::exp_minus(exponent, bits);
        if *exponent <= least {
            listed.push(index);
            weights.push(weight);
        } else {
            missing = missing.plus(&weight);
        }
    }
    let mut level = Weighted { weights, roundings: 1, missing: missing.increased(20), bits };
    alter(&mut level);
    (level, listed)
}

fn decided<T: Positive>((level, listed): &(Weighted<T>, Vec<usize>), uniform: &Uniform) -> Decision {
    match level.decide(uniform) {
        Decision::Index(index) => Decision::Index(listed[index]),
        undecided => undecided,
    }
}

fn tapes(alter: impl Fn(usize, &mut Weighted<Wide>)) -> TapeLaw<usize> {
    let levels: Vec<_> =
        (0..12).map(|number| level(number, 9 << number.min(8), |level| alter(number, level))).collect();
    tape_law(18, |tape| choose(tape, |number, uniform| decided(&levels[number.min(11)], uniform)))
}

fn claim(index: &usize) -> Enclosure {
    let weight = |exponent: &Rational| Enclosure::exp_rational(&-exponent.clone(), 128);
    let whole = exponents().iter().fold(Enclosure::from_integer(0, 128), |sum, exponent| &sum + &weight(exponent));
    weight(&exponents()[*index]).checked_div(&whole).expect("weights are positive")
}

#[test]
fn an_index_is_drawn_with_its_share() {
    let law = tapes(|_, _| ());
    law.agrees_with(claim).unwrap();
    assert_eq!(law.finished.len(), 8);
    assert!(law.unresolved_share() < 1e-4, "{}", law.unresolved_share());
}

#[test]
fn mutants_are_rejected() {
    // Nothing is said to be missing, at the first level or the second; a weight is off by 5 %;
    // levels forget an index; the order changes.
    let understated = tapes(|number, level| {
        if number == 0 {
            level.missing = Wide::zero()
        }
    });
    let later = tapes(|number, level| {
        if number == 1 {
            level.missing = Wide::zero()
        }
    });
    let off =
        tapes(|_, level| level.weights[0] = level.weights[0].plus(&level.weights[0].times(&Wide::ratio(1, 20, 64))));
    let forgotten = tapes(|number, level| {
        if number < 6 {
            level.weights[1] = Wide::zero()
        }
    });
    let swapped = tapes(|number, level| {
        if number < 6 {
            level.weights.swap(0, 1)
        }
    });
    for (name, mutant) in
        [("understated", understated), ("later", later), ("off", off), ("forgotten", forgotten), ("swapped", swapped)]
    {
        assert!(mutant.agrees_with(claim).is_err(), "{name}");
    }
}

#[test]
fn what_precedes_the_first_index_is_not_given_to_it() {
    let missing = Wide::ratio(1, 16, 30);
    let weights = vec![Wide::integer(1, 30), Wide::integer(1, 30)];
    let level = Weighted { weights, roundings: 1, missing, bits: 30 };
    // The first 1/32 may belong to an index that is not listed; just beyond it cannot.
    assert_eq!(level.decide(&Uniform::from_bits(0, 40)), Decision::MorePrecision);
    assert_eq!(level.decide(&Uniform::from_bits(1 << 34, 40)), Decision::MorePrecision);
    assert_eq!(level.decide(&Uniform::from_bits((1 << 35) + (1 << 30), 40)), Decision::Index(0));
    assert_eq!(level.decide(&Uniform::from_bits(0, 1)), Decision::MoreBits);
}

#[test]
fn weights_that_are_worth_nothing_decide_nothing() {
    let level = |roundings| Weighted { weights: vec![1.0f64, 1.0], roundings, missing: 0.0, bits: 53 };
    let word = Uniform::from_bits(1 << 62, 64);
    assert_eq!(level(1).decide(&word), Decision::Index(0));
    assert_eq!(level(1 << 50).decide(&word), Decision::MorePrecision);
    let nothing = Weighted { weights: vec![0.0f64], roundings: 0, missing: 1.0, bits: 53 };
    assert_eq!(nothing.decide(&word), Decision::MorePrecision);
}

#[test]
fn machine_numbers_say_what_wide_ones_say() {
    let (machine, wide) = (level::<f64>(6, 53, |_| ()), level::<Wide>(6, 300, |_| ()));
    let (few, coarse) = (level::<f64>(2, 53, |_| ()), level::<Wide>(2, 9, |_| ()));
    let mut entropy = Seeded::new(4).stream(0).unwrap();
    let mut said = [0; 3];
    for _ in 0..20_000 {
        let word = Uniform::from_bits(entropy.bits(64), 64);
        let truth = decided(&wide, &word);
        for (number, found) in
            [decided(&machine, &word), decided(&few, &word), decided(&coarse, &word)].iter().enumerate()
        {
            if let Decision::Index(_) = found {
                said[number] += 1;
                assert_eq!(*found, truth);
            }
        }
    }
    assert!(said[0] > 19_990 && said[1] > 10_000 && said[2] > 3_000, "{said:?}");
}
