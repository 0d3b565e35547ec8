//! Draws fit the joint law.

use super::law::log_probability;
use super::samples::{STRUCTURES, trials};
use exact::Seeded;
use testkit::{Random, goodness_of_fit, level};

#[test]
fn draws_fit_the_joint_law() {
    let draws = 400;
    let (mut tests, mut least) = (0, 1.0f64);
    for (name, make) in STRUCTURES {
        let mut random = Random(11);
        let mut done = 0;
        while done < trials(300) {
            let sample = make(&mut random);
            let Some(fibre) = sample.fibre(60) else { continue };
            let cascade = sample.cascade().unwrap();
            let mut observed = vec![0u64; fibre.len()];
            for draw in 0..draws {
                let table = cascade.draw(&sample.counts, &Seeded::draw(done as u64, draw)).unwrap();
                let place = fibre.binary_search(&table);
                observed[place.unwrap_or_else(|_| panic!("{name}: {table:?} is outside the fibre\n{sample:?}"))] += 1;
            }
            let claimed: Vec<f64> = fibre.iter().map(|table| log_probability(&sample, &cascade, table).exp()).collect();
            done += 1;
            if claimed.iter().filter(|p| **p * draws as f64 >= 10.0).count() < 2 {
                continue;
            }
            least = least.min(goodness_of_fit(&observed, &claimed, draws).p_value);
            tests += 1;
        }
    }
    assert!(least > level(tests as usize), "{least} of {tests}");
    assert!(tests > trials(300) * 3);
}
