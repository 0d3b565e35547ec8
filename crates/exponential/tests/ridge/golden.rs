//! A seed gives its draw.

use super::settings::example;
use exact::Seeded;

#[test]
fn a_seed_gives_its_draw() {
    let target = example("8", 4);
    let once = target.draw(&Seeded::new(1)).unwrap();
    let again = target.draw(&Seeded::new(1)).unwrap();
    assert_eq!(once.point(), again.point());
    assert_eq!(format!("{once:?} {target:?}"), "Chosen(withheld) Ridge(withheld)");
    assert_eq!(once.exactness().to_string(), "perfect");
}
