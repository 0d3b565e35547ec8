//! Messages of random classes keep their promises: every weight within its roundings, all missing
//! weight within its bound.

use draw::{CellNoise, ClassLaw, Ladder, Message, Precision};
use exact::{Natural, Positive, Rational, Wide};
use std::collections::BTreeMap;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % n
    }

    fn rate(&mut self) -> Rational {
        Rational::new(1 + self.below(8), 1u32 + self.below(4) as u32)
    }
}

#[derive(Debug, Clone)]
struct Class {
    noise: CellNoise,
    low: Option<i64>,
    high: Option<i64>,
    centres: Vec<i64>,
}

const BITS: u32 = 200;

/// Beyond so far from a centre no level that is tested lists a value, with rates of at least 1.
const REACH: i64 = 230;

impl Class {
    fn random(dice: &mut Dice) -> Self {
        let noise = match dice.below(5) {
            0 | 1 => CellNoise::Geometric { up: dice.rate(), down: dice.rate() },
            2 => CellNoise::Gaussian { variance: Rational::new(1 + dice.below(8), 2u8) },
            3 => CellNoise::Flat,
            _ => {
                let rate = dice.rate();
                CellNoise::Geometric { up: rate.clone(), down: rate }
            }
        };
        let flat = noise == CellNoise::Flat;
        let low = (flat || dice.below(3) > 0).then(|| dice.below(9) - 6);
        let high = (flat || dice.below(3) == 0).then(|| low.unwrap_or(-6) + dice.below(9));
        let kinds = 1 + dice.below(3);
        let most = if flat { 12 } else { 4 };
        let centres = (0..1 + dice.below(most)).map(|_| dice.below(1 + 6 * kinds) - 6).collect();
        Class { noise, low, high, centres }
    }

    /// With rates of at least 1, so that the truth needs fewer values.
    fn steeper(mut self) -> Self {
        if let CellNoise::Geometric { up, down } = &mut self.noise {
            *up = &*up + &Rational::integer(1);
            *down = &*down + &Rational::integer(1);
        }
        self
    }

    fn law(&self) -> ClassLaw {
        ClassLaw::new(self.noise.clone(), self.low, self.high, self.centres.clone(), Ladder::Standard)
    }

    fn exponent(&self, x: i64, y: i64) -> Rational {
        let distance = Rational::integer(y - x);
        match &self.noise {
            CellNoise::Geometric { up, .. } if y >= x => up * &distance,
            CellNoise::Geometric { down, .. } => -(down * &distance),
            CellNoise::Gaussian { variance } => &(&distance * &distance) / &(variance * &Rational::integer(2)),
            CellNoise::Flat => Rational::integer(0),
        }
    }

    /// The weights of the sum, by going through all values of all cells, as they are without any
    /// bound of precision.
    fn truth(&self, reach: i64) -> BTreeMap<i64, Wide> {
        let mut sums = BTreeMap::from([(0, Wide::integer(1, BITS))]);
        for x in &self.centres {
            let first = self.low.unwrap_or_else(|| x.min(&self.high.unwrap_or(*x)) - reach);
            let last = self.high.unwrap_or_else(|| x.max(&self.low.unwrap_or(*x)) + reach);
            let weights: Vec<(i64, Wide)> =
                (first..=last).map(|y| (y, Wide::exp_minus(&self.exponent(*x, y), BITS))).collect();
            let mut next: BTreeMap<i64, Wide> = BTreeMap::new();
            for (sum, weight) in &sums {
                for (value, own) in &weights {
                    let entry = next.entry(sum + value).or_insert_with(Wide::zero);
                    *entry = entry.plus(&weight.times(own));
                }
            }
            sums = next;
        }
        sums
    }

    /// The exponent of the most likely value of every cell.
    fn peak(&self) -> Rational {
        self.centres.iter().fold(Rational::integer(0), |sum, x| {
            let mode = self.low.map_or(*x, |low| low.max(*x));
            &sum + &self.exponent(*x, self.high.map_or(mode, |high| high.min(mode)))
        })
    }
}

fn exactly<T: Positive>(number: &T) -> Rational {
    let (mantissa, power) = number.parts();
    let two = Natural::ONE << power.unsigned_abs() as usize;
    if power >= 0 { Rational::integer(mantissa * two) } else { Rational::new(mantissa, two) }
}

/// `Err` says which promise is broken.
fn kept<T: Positive>(
    message: &Message<T>,
    truth: &BTreeMap<i64, Rational>,
    precision: Precision,
) -> Result<(), String> {
    let scale = match message.scale {
        scale @ 0.. => Rational::integer(Natural::ONE << scale as usize),
        scale => Rational::new(1, Natural::ONE << scale.unsigned_abs() as usize),
    };
    // (1 + u)^k is at least 1 + ku, and at most 1/(1 − ku).
    let error = Rational::new(message.roundings, Natural::ONE << T::precision(precision.bits) as usize);
    if error > Rational::new(1, 4u8) {
        return Ok(());
    }
    let larger = (&Rational::integer(1) - &error).reciprocal().ok_or("no bits")?;
    let mut missing = Rational::integer(0);
    for value in message.first..message.end() {
        let weight = &exactly(message.weight(value).ok_or("a hole")?) * &scale;
        if !weight.is_zero() && !truth.contains_key(&value) {
            return Err(format!("{value} has a weight"));
        }
    }
    for (value, truth) in truth {
        let weight = message.weight(*value).map_or_else(|| Rational::integer(0), |weight| &exactly(weight) * &scale);
        if &(&weight / &larger) > truth {
            return Err(format!("{value} is too heavy: {} for {}", weight.to_f64(), truth.to_f64()));
        }
        // What is certainly not accounted for.
        let upper = &weight * &larger;
        if truth > &upper {
            missing = &missing + &(truth - &upper);
        }
    }
    let bound = &exactly(&message.missing) * &scale;
    if missing > bound {
        return Err(format!("{} is missing, {} was said", missing.to_f64(), bound.to_f64()));
    }
    Ok(())
}

fn rationals(class: &Class, truth: &BTreeMap<i64, Wide>) -> BTreeMap<i64, Rational> {
    // Weights relative to the modes: e^{+peak} by its reciprocal.
    let peak = exactly(&Wide::exp_minus(&class.peak(), BITS)).reciprocal().expect("positive");
    // The truth itself is rounded a few thousand times in 200 bits: nothing at these precisions.
    truth.iter().map(|(value, weight)| (*value, &exactly(weight) * &peak)).collect()
}

#[test]
fn random_classes_keep_their_promises() {
    let mut dice = Dice(1);
    let mut clipped = 0;
    for _ in 0..1_000 {
        let class = Class::random(&mut dice);
        let law = class.law();
        let truth = rationals(&class, &class.truth(40));
        // So little precision that what lies beyond the reach of the truth is nothing.
        for level in 0..2 {
            let precision = Ladder::Coarse.level(level);
            let message = law.message::<Wide>(precision);
            kept(&message, &truth, precision).unwrap_or_else(|error| panic!("{class:?} {level}: {error}"));
            clipped += usize::from(!message.missing.is_zero());
            let machine = law.message::<f64>(Precision { machine: true, bits: 53, trim: 6 });
            kept(&machine, &truth, Precision { machine: true, bits: 53, trim: 6 })
                .unwrap_or_else(|error| panic!("{class:?}: {error}"));
        }
    }
    assert!(clipped > 500, "{clipped}");
}

#[test]
fn the_standard_levels_keep_their_promises() {
    let mut dice = Dice(2);
    for _ in 0..12 {
        let mut class = Class::random(&mut dice).steeper();
        class.centres.truncate(2);
        let (law, truth) = (class.law(), rationals(&class, &class.truth(REACH)));
        for level in 0..3 {
            let precision = Ladder::Standard.level(level);
            let result = if precision.machine {
                kept(&law.message::<f64>(precision), &truth, precision)
            } else {
                kept(&law.message::<Wide>(precision), &truth, precision)
            };
            result.unwrap_or_else(|error| panic!("{class:?} {level}: {error}"));
        }
    }
}

#[test]
fn many_equal_cells_are_the_same_one_by_one() {
    // Closed form, repeated squaring, and one by one: told apart by the bounds.
    let noise = CellNoise::Geometric { up: Rational::new(1, 3u8), down: Rational::new(1, 2u8) };
    let precision = Ladder::Standard.level(0);
    for (low, high, centre) in [(Some(0), None, 0), (None, Some(2), 5), (Some(0), None, 3), (Some(0), Some(9), 0)] {
        let law = |count| ClassLaw::new(noise.clone(), low, high, vec![centre; count], Ladder::Standard);
        let (many, most): (Message<f64>, Message<f64>) = (law(300).message(precision), law(299).message(precision));
        let one: Message<f64> = law(1).message(precision);
        let stepped = most.convolved(&one, precision);
        assert!(many.missing < 2f64.powi(-60) && stepped.missing < 2f64.powi(-60));
        let mut compared = 0;
        for value in many.first..many.end() {
            let (Some(found), Some(expected)) = (many.weight(value), stepped.weight(value)) else { continue };
            if *found > 2f64.powi(-20) {
                let ratio = found / expected * 2f64.powi((many.scale - stepped.scale) as i32);
                assert!((ratio - 1.0).abs() < 1e-9, "{low:?} {high:?} {value}: {ratio}");
                compared += 1;
            }
        }
        assert!(compared > 100, "{compared}");
    }
}

#[test]
fn logarithms_and_marginals_are_those_of_the_enumeration() {
    let mut dice = Dice(3);
    let mut compared = 0;
    for _ in 0..150 {
        let class = Class::random(&mut dice).steeper();
        let (law, truth) = (class.law(), class.truth(40));
        let (least, most) = law.range();
        for sum in [least.unwrap_or(-6), most.unwrap_or(7), 0, 2] {
            let near = truth.get(&sum).filter(|_| law.feasible(sum));
            let Some(weight) = near else {
                assert_eq!(law.log_weight(sum), None);
                assert!(law.marginal(sum, 0).is_empty());
                continue;
            };
            let found = law.log_weight(sum).expect("feasible");
            assert!((found - weight.to_f64().ln()).abs() < 1e-6, "{class:?} {sum}: {found}");
            let others = Class { centres: class.centres[1..].to_vec(), ..class.clone() }.truth(40);
            for (value, share) in law.marginal(sum, 0) {
                let Some(rest) = others.get(&(sum - value)) else { continue };
                let own = Wide::exp_minus(&class.exponent(class.centres[0], value), BITS);
                let expected = own.times(rest).to_f64() / weight.to_f64();
                assert!((share - expected).abs() < 1e-6, "{class:?} {sum} {value}: {share}, not {expected}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn mutants_are_rejected() {
    let class = Class {
        noise: CellNoise::Geometric { up: Rational::new(1, 2u8), down: Rational::integer(1) },
        low: Some(0),
        high: None,
        centres: vec![0, 2, 3],
    };
    let truth = rationals(&class, &class.truth(80));
    let precision = Precision { machine: true, bits: 53, trim: 12 };
    let message = || class.law().message::<f64>(precision);
    kept(&message(), &truth, precision).unwrap();
    // A missing term, an understated bound, a weight off by 5 % either way, an off-by-one bound,
    // another scale.
    let mut mutants = vec![message(), message(), message(), message()];
    mutants[0].weights[5] = 0.0;
    mutants[1].missing /= 16.0;
    mutants[2].weights[5] *= 1.05;
    mutants[3].weights[5] *= 0.95;
    mutants.push(Class { low: Some(1), ..class.clone() }.law().message(precision));
    let noise = CellNoise::Geometric { up: Rational::new(21, 40u8), down: Rational::integer(1) };
    mutants.push(Class { noise, ..class.clone() }.law().message(precision));
    for (number, mutant) in mutants.iter().enumerate() {
        assert!(kept(mutant, &truth, precision).is_err(), "{number}");
    }
}
