//! The quick way and the careful way give the same draw from the same bits, above all where a word
//! falls on a boundary.

use exact::lazy::{Bounds, coin};
use exact::unimodal::{Unimodal, UnimodalLaw};
use exact::{
    DiscreteGaussian, Enclosure, Entropy, Geometric, Powers, Rational, Seeded, Source, Stream, Survival, SurvivalTable,
};

fn rational(text: &str) -> Rational {
    text.parse().unwrap()
}

/// A first word that is prescribed, then the bits of a seed.
struct Scripted {
    first: Option<u64>,
    rest: Stream,
}

fn scripted(word: u64) -> Scripted {
    Scripted { first: Some(word), rest: Seeded::new(word).stream(0).unwrap() }
}

impl Entropy for Scripted {
    fn bits(&mut self, count: u32) -> u64 {
        match self.first.take() {
            Some(word) => word >> (64 - count),
            None => self.rest.bits(count),
        }
    }
}

/// The words on and next to the ends of these bounds, and of the range of a word.
fn boundary_words(entries: &[Bounds]) -> Vec<u64> {
    let mut words = vec![0, 1, 2, u64::MAX - 1, u64::MAX];
    for entry in entries {
        for end in [entry.floor, entry.last] {
            words.extend([end.wrapping_sub(1), end, end.wrapping_add(1)]);
        }
    }
    // The ends of the ranges that the guide of a table knows.
    for lead in 0..1u64 << 10 {
        words.extend([lead << 54, (lead << 54).wrapping_sub(1)]);
    }
    words
}

struct Tail(Rational);

impl Survival for Tail {
    fn survival(&self, index: u64, bits: usize) -> Enclosure {
        Enclosure::exp_rational(&-(&self.0 * &Rational::integer(index)), bits)
    }
}

#[test]
fn a_table_is_searched_as_if_there_were_none() {
    let none = SurvivalTable::new(vec![Bounds::UNKNOWN]);
    for (rate, length, slack) in [("3", 30, 0), ("1/5", 60, 0), ("1/5", 60, 1 << 40), ("1/50", 300, 0)] {
        let law = Tail(rational(rate));
        // With slack the table is needlessly vague, and every word within is settled by enclosures.
        let entries: Vec<Bounds> = (0..length)
            .map(|index| Bounds::of(&law.survival(index, 96)))
            .map(|bounds| Bounds { floor: bounds.floor.saturating_sub(slack), last: bounds.last.saturating_add(slack) })
            .collect();
        let table = SurvivalTable::new(entries.clone());
        for word in boundary_words(&entries) {
            let (quick, careful) = (table.draw(&mut scripted(word), &law), none.draw(&mut scripted(word), &law));
            assert_eq!(quick, careful, "rate {rate}, word {word}");
        }
    }
}

#[test]
fn a_coin_with_bounds_falls_like_one_without() {
    let powers = Powers::new(rational("1/1000"), 3);
    for r in [1, 2, 255, 256, 257, 5_000, 40_000, 65_536, 1_000_000] {
        let tight = Bounds::of(&powers.refine(r, 96));
        let words = [tight.floor, tight.last, 0, u64::MAX]
            .into_iter()
            .flat_map(|end| (0..13).map(move |near| end.wrapping_add(near).wrapping_sub(6)));
        for word in words {
            let careful = coin(&mut scripted(word), Bounds::UNKNOWN, |bits| powers.refine(r, bits));
            for bounds in [tight, powers.bounds(r)] {
                let quick = coin(&mut scripted(word), bounds, |bits| powers.refine(r, bits));
                assert_eq!(quick, careful, "r = {r}, word {word}");
            }
            assert_eq!(powers.coin(&mut scripted(word), r), careful);
        }
    }
}

/// The discrete Gaussian as a unimodal law, with quick bounds and without.
struct Bell {
    powers: Powers,
    quick: bool,
}

impl UnimodalLaw for Bell {
    fn mode(&self) -> i64 {
        0
    }

    fn bounds(&self, offset: i64) -> Bounds {
        if self.quick { self.powers.bounds(offset.unsigned_abs().pow(2)) } else { Bounds::UNKNOWN }
    }

    fn ratio(&self, offset: i64, bits: usize) -> Enclosure {
        self.powers.refine(offset.unsigned_abs().pow(2), bits)
    }
}

#[test]
fn blocks_with_quick_bounds_are_blocks_without() {
    for variance in ["2", "20000", "1000000"] {
        let bell = |quick| {
            let powers = Powers::new(&rational("1/2") / &rational(variance), 8);
            Unimodal::new(Bell { powers, quick })
        };
        let (quick, careful) = (bell(true), bell(false));
        let [mut one, mut two] = [0, 0].map(|stream| Seeded::new(1).stream(stream).unwrap());
        for _ in 0..3_000 {
            assert_eq!(quick.attempt(&mut one), careful.attempt(&mut two));
        }
    }
}

#[test]
fn geometric_and_gaussian_draws_do_not_depend_on_their_tables() {
    // The same laws without tables, by inversion of enclosures alone.
    let none = SurvivalTable::new(vec![Bounds::UNKNOWN]);
    for epsilon in ["1/60", "1/4", "2"] {
        let (law, tail) = (Geometric::new(rational(epsilon)), Tail(rational(epsilon)));
        let [mut one, mut two] = [0, 0].map(|stream| Seeded::new(2).stream(stream).unwrap());
        for _ in 0..1_000 {
            assert_eq!(law.draw(&mut one), none.draw(&mut two, &tail));
        }
    }
    // Words that no table decides still give finite draws, of the size their probability says.
    for (epsilon, least) in [("1/4", 40.0 / 0.25), ("1/60", 40.0 * 60.0), ("1/1000", 40.0 * 1000.0)] {
        let far = Geometric::new(rational(epsilon)).draw(&mut scripted(0)) as f64;
        assert!(far >= least && far < 4.0 * least, "ε = {epsilon}: {far}");
    }
    for (variance, sigma) in [("1/10", 0.316), ("10", 3.162), ("16000", 126.5)] {
        let far = DiscreteGaussian::new(&rational(variance)).draw(&mut scripted(0)) as f64;
        assert!(far.abs() > 7.5 * sigma && far.abs() < 20.0 * sigma + 1.0, "σ² = {variance}: {far}");
    }
}
