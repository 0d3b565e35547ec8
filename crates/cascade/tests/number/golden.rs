//! Golden draws of one number.

use super::laws::laws;
use exact::{Seeded, Source};

#[test]
fn golden_draws() {
    let mut entropy = Seeded::new(2024).stream(7).unwrap();
    let drawn: Vec<i64> = laws().iter().map(|law| law.draw(&mut entropy)).collect();
    assert_eq!(drawn, [-1, 0, 4, 0, -3, 1, 3, 0, 0, 28, 0, 0, 21, -8]);
}
