//! The coin of a factory is that of c times p.

use super::coins::coins;
use exact::{Rational, Seeded, Source, integer};
use exponential::Factory;
use testkit::deviations;

#[test]
fn the_coin_is_that_of_c_times_p() {
    for (to_atom, published) in [("0.75", 0.40), ("0.4", 0.75), ("0.3", 0.8235), ("0.12", 0.9362)] {
        let (p, factor) = coins(to_atom);
        let wanted = (&p * &factor).to_f64();
        assert!((wanted - published).abs() < 5e-5);
        let factory = Factory::new(factor.clone(), &Rational::integer(1) - &(&p * &factor)).unwrap();
        let mut stream = Seeded::new(7).stream(0).unwrap();
        let rounds = 20_000;
        let (mut heads, mut tosses) = (0, 0);
        for _ in 0..rounds {
            let tossed = factory.toss(&mut stream, |stream| integer::bernoulli(stream, &p));
            heads += u64::from(tossed.heads);
            tosses += tossed.tosses;
        }
        let deviation = (wanted * (1.0 - wanted) / rounds as f64).sqrt();
        let seen = heads as f64 / rounds as f64;
        assert!((seen - wanted).abs() < deviations(4) * deviation, "{to_atom}: {seen} for {wanted}");
        let mean = tosses as f64 / rounds as f64;
        assert!((mean - 6.0).abs() < 0.5, "Cp = {wanted:.4}: {mean:.2} tosses");
    }
}
