//! The last two rows over every bit tape: acceptances and conditional laws, against enumeration.

use super::super::spectrum::Spectrum;
use super::*;
use crate::sums::Message;
use exact::{Enclosure, Seeded, Source};
use std::collections::BTreeMap;
use testkit::{TapeLaw, tape_law};

fn geometric(epsilon: &str) -> NoiseLaw {
    NoiseLaw::double_geometric(epsilon.parse().unwrap())
}

fn gaussian(variance: &str) -> NoiseLaw {
    NoiseLaw::discrete_gaussian(variance.parse().unwrap())
}

/// The weights of the sum of n cells on ±radius, by definition.
fn sums(law: &NoiseLaw, cells: u32, radius: i64) -> BTreeMap<i64, Enclosure> {
    let one: Vec<(i64, Enclosure)> =
        (-radius..=radius).map(|z| (z, Enclosure::exp_rational(&-law.energy(z), 128))).collect();
    let mut sums = BTreeMap::from([(0, Enclosure::from_integer(1, 128))]);
    for _ in 0..cells {
        let mut more: BTreeMap<i64, Enclosure> = BTreeMap::new();
        for (sum, weight) in &sums {
            for (z, factor) in one.iter().filter(|(z, _)| (sum + z).abs() <= radius) {
                let entry = more.entry(sum + z).or_insert_with(|| Enclosure::from_integer(0, 128));
                *entry = &*entry + &(weight * factor);
            }
        }
        sums = more;
    }
    sums
}

/// The weight of every upper row with the given column sums.
fn rows(law: &NoiseLaw, columns: &[[u32; 2]], sums_wanted: &[i64], radius: i64) -> BTreeMap<Vec<i64>, Enclosure> {
    let mut rows: BTreeMap<Vec<i64>, Enclosure> = BTreeMap::from([(Vec::new(), Enclosure::from_integer(1, 128))]);
    for (cells, d) in columns.iter().zip(sums_wanted) {
        let [upper, lower] = cells.map(|cells| sums(law, cells, radius));
        let mut longer = BTreeMap::new();
        for (row, weight) in &rows {
            for (u, factor) in &upper {
                if let Some(other) = lower.get(&(d - u)) {
                    longer.insert([&row[..], &[*u]].concat(), &(weight * factor) * other);
                }
            }
        }
        rows = longer;
    }
    rows.retain(|row, _| row.iter().sum::<i64>() == 0);
    rows
}

fn total(rows: &BTreeMap<Vec<i64>, Enclosure>) -> Enclosure {
    rows.values().fold(Enclosure::from_integer(0, 128), |sum, weight| &sum + weight)
}

/// Columns of single cells, of classes, and with structural zeros; and column sums near and far.
fn cases() -> Vec<(Vec<[u32; 2]>, Vec<i64>)> {
    let single = vec![[1, 1]; 3];
    let classes = vec![[1, 1], [2, 1], [1, 3]];
    let zeros = vec![[1, 0], [1, 1], [0, 1], [1, 1]];
    vec![
        (vec![[1, 1]; 2], vec![1, -1]),
        (vec![[1, 1]; 2], vec![-4, 4]),
        (single.clone(), vec![0, 2, -2]),
        (single, vec![3, -1, -2]),
        (classes.clone(), vec![1, 0, -1]),
        (classes, vec![-2, 3, -1]),
        (zeros.clone(), vec![0, 1, 0, -1]),
        (zeros, vec![1, -2, 1, 0]),
    ]
}

#[test]
fn proposals_are_accepted_with_their_exact_probability() {
    for law in [geometric("1"), gaussian("1")] {
        for (columns, d) in cases() {
            let zero = vec![0; d.len()];
            let truth = |law: &NoiseLaw| {
                total(&rows(law, &columns, &d, 14)).checked_div(&total(&rows(law, &columns, &zero, 14))).unwrap()
            };
            for ladder in [Ladder::Standard, Ladder::Coarse] {
                let pair = Pair::new(columns.clone(), &law, ladder);
                let tapes = tape_law(14, |tape| pair.accept(tape, &mut pair.chains(d.clone())));
                let agrees = |p: &Enclosure| {
                    let one = Enclosure::from_integer(1, p.bits());
                    tapes.agrees_with(|accepted| if *accepted { p.clone() } else { &one - p })
                };
                agrees(&truth(&law)).unwrap();
                assert!(tapes.unresolved <= 2, "{columns:?}, {d:?}: {}", tapes.unresolved);
                assert!((pair.acceptance(&d) - truth(&law).to_f64()).abs() < 1e-5 || ladder == Ladder::Coarse);
                // A wrong Z is seen: a scale off by five per cent, one unit too many, a forgotten
                // Z(0).
                let off = [geometric("1.05"), geometric("0.95")];
                if law == geometric("1") {
                    off.iter().for_each(|wrong| assert!(agrees(&truth(wrong)).is_err(), "{columns:?}, {d:?}"));
                }
                let mut moved = d.clone();
                (moved[0], moved[1]) = (moved[0] + 1, moved[1] - 1);
                let moved = total(&rows(&law, &columns, &moved, 14));
                assert!(agrees(&moved.checked_div(&total(&rows(&law, &columns, &zero, 14))).unwrap()).is_err());
            }
        }
    }
}

#[test]
fn the_upper_row_has_its_conditional_law() {
    for law in [geometric("1"), gaussian("1")] {
        for (columns, d) in cases() {
            let pair = Pair::new(columns.clone(), &law, Ladder::Standard);
            let tapes: TapeLaw<Vec<i64>> = tape_law(16, |tape| pair.draw(tape, &mut pair.chains(d.clone())));
            let agrees = |law: &NoiseLaw, d: &[i64]| {
                let truth = rows(law, &columns, d, 12);
                let whole = total(&truth);
                let none = Enclosure::from_integer(0, 128);
                tapes.agrees_with(|row| truth.get(row).map_or(none.clone(), |w| w.checked_div(&whole).unwrap()))
            };
            agrees(&law, &d).unwrap();
            assert!(tapes.unresolved_share() < 0.05, "{columns:?}, {d:?}: {}", tapes.unresolved_share());
            let mut moved = d.clone();
            (moved[1], moved[0]) = (moved[1] + 1, moved[0] - 1);
            assert!(agrees(&law, &moved).is_err(), "{columns:?}, {d:?}");
        }
    }
}

#[test]
fn no_column_sums_weigh_more_than_zeros() {
    let mut entropy = Seeded::new(3).stream(0).unwrap();
    for law in [geometric("1/4"), geometric("3"), gaussian("20"), gaussian("1/3")] {
        let pair = Pair::new(vec![[1, 1], [2, 1], [1, 0], [1, 3], [1, 1]], &law, Ladder::Standard);
        for _ in 0..200 {
            let mut sums: Vec<i64> = (0..4).map(|_| entropy.bits(3) as i64 - 4).collect();
            sums.push(-sums.iter().sum::<i64>());
            let acceptance = pair.acceptance(&sums);
            assert!((0.0..=1.0 + 1e-6).contains(&acceptance), "{sums:?}: {acceptance}");
        }
    }
}

#[test]
fn far_sums_are_decided_and_drawn() {
    // Nothing of the true weight is inside the first windows: only bounds are, and they suffice or
    // the next level does.
    for law in [geometric("1"), gaussian("2")] {
        let pair = Pair::new(vec![[1, 1]; 3], &law, Ladder::Standard);
        for far in [60, 2_000] {
            let mut entropy = Seeded::new(4).stream(0).unwrap();
            let mut chains = pair.chains(vec![far, -far, 0]);
            assert!(!pair.accept(&mut entropy, &mut chains));
        }
        let row = pair.draw(&mut Seeded::new(4).stream(0).unwrap(), &mut pair.chains(vec![60, -60, 0]));
        assert!(row.iter().sum::<i64>() == 0 && row[0].abs() < 80);
    }
}

#[test]
fn quick_columns_are_the_slow_ones() {
    // The recurrences of the double geometric against products of weights: no farther apart than
    // what both say is missing, on machine numbers and wide ones.
    fn compare<T: Positive>(precision: Precision) {
        let law = geometric("1/3");
        let weights: Weights<T> = Weights::new(&law, precision, [1].into_iter());
        let start: Message<T> = weights.column([1, 1], 2);
        for d in [0, 1, -1, 7, -13] {
            let (quick, slow) =
                (weights.after(&start, [1, 1], d), start.convolved(&weights.product([1, 1], d), precision));
            let scaled = |message: &Message<T>, value: &T| value.shifted(message.scale - quick.scale).to_f64();
            let allowed = scaled(&quick, &quick.missing) + scaled(&slow, &slow.missing);
            for s in quick.first - 5..quick.end() + 5 {
                let [one, two] =
                    [&quick, &slow].map(|message| message.weight(s).map_or(0.0, |weight| scaled(message, weight)));
                assert!((one - two).abs() <= allowed + 1e-12 * one, "d = {d}, s = {s}: {one} and {two}");
            }
            assert!(quick.missing.to_f64() < 1e-6 && quick.end() - quick.first > 30);
        }
    }
    compare::<f64>(Precision { machine: true, bits: 53, trim: 60 });
    compare::<Wide>(Precision { machine: false, bits: 80, trim: 60 });
}

#[test]
fn frequencies_tell_the_shares_of_messages_and_accept_with_the_same_bits() {
    let mut entropy = Seeded::new(11).stream(0).unwrap();
    for (epsilon, columns) in [("1", 3), ("1/3", 4), ("1/20", 4), ("1/20", 7), ("1/150", 5)] {
        let law = geometric(epsilon);
        let pair = Pair::new(vec![[1, 1]; columns], &law, Ladder::Standard);
        let spectrum = Spectrum::new(law.geometric().unwrap(), columns).unwrap();
        let width = (1.0 / law.geometric().unwrap().to_f64()).ceil() as u64;
        for round in 0..30 {
            let far = 2 * width * (1 + round / 10);
            let mut draw = || (entropy.bits(32) % (2 * far + 1)) as i64 - far as i64;
            let mut sums: Vec<i64> = (1..columns).map(|_| if round == 0 { 0 } else { draw() }).collect();
            sums.push(-sums.iter().sum::<i64>());
            // The second level of messages is as good as machine numbers.
            let mut chains = pair.chains(sums.clone());
            let AnyChain::Machine(chain) = pair.chain(1, &mut chains) else { unreachable!() };
            let Level::Machine(known) = pair.level(1) else { unreachable!() };
            let truth = quotient(&chain.whole, &known.at_zero.whole);
            assert!((spectrum.share(&sums) - truth).abs() < 1e-9, "{epsilon}, {sums:?}: {truth}");
            let mut bits = [0, 1].map(|_| Seeded::new(round).stream(columns as u64).unwrap());
            let by_messages = choose(&mut bits[0], |level, uniform| {
                pair.compare(level, uniform, pair.chain(level, &mut pair.chains(sums.clone())))
            });
            let accepted = pair.accept(&mut bits[1], &mut pair.chains(sums.clone()));
            assert_eq!((accepted, bits[1].bits(64)), (by_messages == 0, bits[0].bits(64)), "{epsilon}, {sums:?}");
        }
    }
}
