//! Conditioning is rejection; margins and bounds are kept.

use super::counts::Counts;
use crate::divide::grids::{full, geometric};
use draw::{Divide, Ladder};
use exact::{Seeded, Source};
use testkit::deviations;

/// Draws without bounds of which the tables that break one are drawn again are draws with bounds.
#[test]
fn conditioning_is_rejection_of_free_draws() {
    // Counts near 400 never come near a bound; counts from 0 to 16 do.
    for (rows, columns, near, known) in
        [(4usize, 4usize, 400i64, 1.0), (5, 20, 400, 1.0), (5, 5, 8, 0.62), (5, 20, 8, 0.17)]
    {
        let values: Vec<i64> = (0..(rows * columns) as i64).map(|cell| near + cell * 7 % 17 - 8).collect();
        let counts = Counts::new(columns, &values);
        let free = Divide::new(columns, &full(rows, columns).positions, &geometric("1"), Ladder::Standard).unwrap();
        let mut entropy = Seeded::new(31).stream(0).unwrap();
        let mut noise = vec![0; rows * columns];
        let (mut kept, mut distances) = (0u32, Vec::new());
        // The larger tables take more attempts, and are drawn less often.
        let large = columns == 20;
        let draws = if large { 250 } else { 600 };
        for _ in 0..draws {
            free.draw(&mut entropy, &mut noise);
            if noise.iter().zip(&values).all(|(noise, centre)| noise + centre >= 0) {
                kept += 1;
                distances.push(noise.iter().map(|noise| noise.abs()).sum::<i64>() as f64);
            }
        }
        let share = f64::from(kept) / f64::from(draws);
        assert!((share - known).abs() < 0.15, "{rows}×{columns} near {near}: {share}");
        let samplers = counts.samplers("1", Ladder::Standard);
        let bounded = &samplers[usize::from(large)];
        let with_bounds: Vec<f64> = (0..if large { 15 } else { 100 })
            .map(|_| {
                bounded.draw(&mut entropy, &mut noise);
                counts.distance(&noise) as f64
            })
            .collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let error = |values: &[f64]| {
            let centre = mean(values);
            (values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (values.len() as f64).powi(2)).sqrt()
        };
        let (one, other) = (mean(&distances), mean(&with_bounds));
        let deviation = error(&distances).hypot(error(&with_bounds));
        assert!((one - other).abs() < deviations(4) * deviation, "{rows}×{columns} near {near}: {one} and {other}");
    }
}

#[test]
fn margins_and_bounds_are_kept() {
    let counts = Counts::new(5, &[0, 0, 3, 1, 0, 7, 0, 0, 0, 2, 1, 1, 1, 1, 1, 0, 90, 0, 0, 4]);
    for divide in counts.samplers("1/3", Ladder::Standard) {
        let mut entropy = Seeded::new(1).stream(0).unwrap();
        let mut values = vec![0; 20];
        for _ in 0..200 {
            divide.draw(&mut entropy, &mut values);
            assert!(values.iter().all(|value| *value >= 0));
            assert_eq!(Counts::new(5, &values).totals(), counts.totals());
        }
    }
}
