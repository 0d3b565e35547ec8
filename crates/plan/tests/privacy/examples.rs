//! The example specs whose certified loss the refined bounds lower, by their declarations alone.

use crate::enumerated::price;
use declare::Declaration;
use plan::Priced;
use plan::analysis_of;
use std::path::Path;

/// The price of an example, with the totals of a table of ones: the steps do not depend on their
/// values.
fn priced(name: &str) -> Priced {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let declaration = Declaration::parse(&text, name, path.parent().unwrap()).unwrap();
    let domain = declaration.domain().unwrap();
    let conditions = declaration.conditions(&domain).unwrap();
    let totals = conditions.totals(&vec![1; domain.len()]).unwrap();
    price(&analysis_of(&conditions, &totals).unwrap().moves, &declaration.mechanism, false).unwrap()
}

/// The loss of the noise alone at which a release with this certified loss is drawn: the more, the
/// less noise.
fn of_noise(priced: &Priced) -> f64 {
    priced.loss.plain.as_ref().unwrap().to_f64() / 2.0
}

#[test]
fn examples_lose_less_or_get_less_noise() {
    // ε per unit was 0.231173: one direction is left.
    let bartlett = priced("bartlett/spec.toml").loss.epsilon().unwrap().to_f64();
    assert!((bartlett - 0.151135).abs() < 1e-6, "{bartlett}");
    // ε = 1 per record bought noise of rate 1/8 in every cell.
    for name in ["cases-and-deaths/spec.toml", "pennsylvania/deaths-at-most-cases.toml"] {
        let found = priced(name);
        assert!((of_noise(&found) - 4.0 * 0.138590).abs() < 1e-5, "{name}: {}", of_noise(&found));
        assert_eq!(found.loss.epsilon().unwrap().to_f64(), 1.0);
    }
    // Nothing is tied to cells of classes of many, and cycles of eight cells stay as they were.
    for (name, before) in [("sex-by-age/spec.toml", 0.802270), ("delinquent-children/nonnegative.toml", 0.448019)] {
        let found = priced(name).loss.epsilon().unwrap().to_f64();
        assert!((found - before).abs() < 1e-6, "{name}: {found}");
    }
}
