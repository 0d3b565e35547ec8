//! Goodness of fit where tapes cannot reach, against exact marginals computed by other means.

use crate::grids::{Grid, full, gaussian, geometric};
use draw::{Divide, Ladder, NoiseLaw};
use exact::{Seeded, Source};
use testkit::goodness_of_fit;

#[test]
fn timing_scratch() {
    for (grid, law) in [
        (full(2, 4), geometric("1/4")),
        (full(3, 3), geometric("1/4")),
        (full(4, 4), geometric("1/4")),
        (full(6, 6), geometric("1/4")),
        (full(8, 8), geometric("1/4")),
        (full(4, 4), gaussian("32")),
        (full(8, 8), gaussian("32")),
        (full(4, 4), geometric("1/50")),
        (full(4, 4), gaussian("5000")),
        (full(40, 4), geometric("1/4")),
        (full(10, 10), geometric("1/4")),
        (full(11, 11), geometric("1/4")),
        (full(8, 8), geometric("1/50")),
    ] {
        let start = std::time::Instant::now();
        let divide = match Divide::new(grid.columns, &grid.positions, &law, Ladder::Standard) {
            Ok(d) => d,
            Err(e) => {
                println!("{e}");
                continue;
            }
        };
        let made = start.elapsed();
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut noise = vec![0; grid.cells()];
        let start = std::time::Instant::now();
        let (mut n, mut ok) = (0, 0);
        while start.elapsed().as_millis() < 1000 {
            n += 1;
            if divide.attempt(&mut entropy, &mut noise) {
                ok += 1;
                assert!(grid.margins(&noise).iter().all(|m| *m == 0));
            }
        }
        println!(
            "{}x{} {law:?}: new {made:?}, expected {:.1}, found {:.1}, {:?} per draw, {:?} per attempt",
            grid.rows(),
            grid.columns,
            divide.expected_attempts(),
            n as f64 / ok as f64,
            start.elapsed() / ok.max(1),
            start.elapsed() / n
        );
    }
}
