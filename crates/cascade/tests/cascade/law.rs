//! Every factor of the joint law is the one it should be, and the probabilities of a fibre add up
//! to one.

use super::oracle::{agrees, expected};
use super::samples::{STRUCTURES, Sample, trials, without_bounds};
use exact::{Enclosure, Rational, Seeded};
use testkit::Random;

/// Rounded weights of groups change variances by less than this.
const TOLERANCE: f64 = 1e-5;

pub fn log_probability(sample: &Sample, cascade: &cascade::Cascade, table: &[i64]) -> f64 {
    cascade.log_likelihood(&sample.counts, table).unwrap()
}

#[test]
fn every_factor_is_the_one_it_should_be_and_no_prefix_is_a_dead_end() {
    for (name, make) in STRUCTURES {
        let mut random = Random(7);
        let (mut done, mut tables) = (0, 0);
        while done < trials(300) {
            let sample = make(&mut random);
            let Some(fibre) = sample.fibre(150) else { continue };
            let cascade = sample.cascade().unwrap_or_else(|problem| panic!("{name}: {}\n{sample:?}", problem.message));
            assert!(cascade.is_feasible(&sample.counts), "{name}: {sample:?}");
            let mut total = 0.0;
            for table in &fibre {
                let mut steps = Vec::new();
                cascade.steps(&sample.counts, table, |step| steps.push(step)).unwrap();
                let expected = expected(&sample, &fibre, table);
                assert_eq!(steps.len(), expected.len(), "{name}: {sample:?}");
                for (step, expected) in steps.iter().zip(&expected) {
                    agrees(step, expected, TOLERANCE, true)
                        .unwrap_or_else(|fault| panic!("{name}: {fault}\n{sample:?}\n{table:?}"));
                }
                total += steps.iter().map(|step| step.log_probability()).sum::<f64>().exp();
            }
            assert!((total - 1.0).abs() < 1e-9, "{name}: the fibre has probability {total}\n{sample:?}");
            assert_eq!(cascade.numbers() as usize, sample.sums.len());
            done += 1;
            tables += fibre.len();
        }
        assert!(tables > done as usize * 3, "{name}: {tables} tables in {done} fibres");
    }
}

#[test]
fn without_bounds_centres_and_variances_are_those_of_the_gaussian() {
    let mut random = Random(70);
    for _ in 0..trials(100) {
        let sample = without_bounds(&mut random);
        let cascade = sample.cascade().unwrap();
        let release = cascade.draw(&sample.counts, &Seeded::new(random.0)).unwrap();
        assert!(sample.keeps(&release));
        let mut steps = Vec::new();
        cascade.steps(&sample.counts, &release, |step| steps.push(step)).unwrap();
        let expected = expected(&sample, &[], &release);
        assert_eq!(steps.len(), expected.len());
        for (step, expected) in steps.iter().zip(&expected) {
            agrees(step, expected, TOLERANCE, false).unwrap_or_else(|fault| panic!("{fault}\n{sample:?}"));
            assert_eq!((step.low, step.high), (cascade::NO_LOW, cascade::NO_HIGH));
        }
    }
}

#[test]
fn the_probabilities_of_a_fibre_add_up_to_one_in_enclosures() {
    for (name, make) in STRUCTURES {
        let mut random = Random(23);
        let mut done = 0;
        while done < 5 {
            let sample = make(&mut random);
            let Some(fibre) = sample.fibre(25) else { continue };
            let cascade = sample.cascade().unwrap();
            let mut total = Enclosure::from_integer(0, 128);
            for table in &fibre {
                let mut product = Enclosure::from_integer(1, 128);
                cascade.steps(&sample.counts, table, |step| product = &product * &step.probability(128)).unwrap();
                total = &total + &product;
            }
            assert!(total.contains(&Rational::integer(1)), "{name}: {total}");
            assert!(total.upper_rational().to_f64() - total.lower_rational().to_f64() < 1e-25);
            done += 1;
        }
    }
}

#[test]
fn tables_outside_the_fibre_have_no_likelihood() {
    for (name, make) in STRUCTURES {
        let mut random = Random(31);
        let sample = make(&mut random);
        let cascade = sample.cascade().unwrap();
        let mut table = sample.counts.clone();
        table[0] += 100;
        table[1] -= 100;
        assert_eq!(log_probability(&sample, &cascade, &table), f64::NEG_INFINITY, "{name}");
    }
}
