//! Independent noise over every bit tape is a product.

use crate::tables::numbers::rational;
use crate::tables::one_total::{assert_law, draw};
use draw::{Independent, NoiseLaw};
use std::collections::BTreeMap;
use testkit::{Fibre, tape_law};

#[test]
fn independent_noise_is_a_product() {
    let (epsilon, variance) = (rational("3"), rational("1/4"));
    let geometric = NoiseLaw::double_geometric(epsilon.clone());
    let gaussian = NoiseLaw::discrete_gaussian(variance.clone());
    for (sampler, law) in
        [(Independent::double_geometric(&epsilon), geometric), (Independent::discrete_gaussian(&variance), gaussian)]
    {
        let fibre = Fibre::enumerate(2, &[], 20);
        let weights = fibre.law(128, |z| law.energy(z));
        let claimed: BTreeMap<_, _> = fibre
            .tables
            .iter()
            .cloned()
            .zip((0..).map(|index| weights.probability(index)))
            .take(fibre.tables.len())
            .collect();
        assert_law(&tape_law(18, |tape| draw(&sampler, tape, 2, 0)), 0.05, &claimed);
    }
}
