//! `Listing`: what listing the laws of the cells of a block is predicted to take, and of which
//! blocks they are listed.
//!
//! Beside the prediction of its draw every block has one of its laws, from public values alone: how
//! many values the noise of a cell can take at the precision used, cells, block sizes, operator. So
//! the decision is made before anything is listed, it is the same whatever the machine does
//! meanwhile, and whoever verifies a release comes to the same one. What is not listed is found by
//! rank among draws, or not told.

use crate::block_quantities::{FARTHEST, FARTHEST_EXPONENT};
use crate::law::NoiseLaw;
use crate::sums::{ShapeSize, seconds_of_laws};

/// What listing laws is predicted to take.
///
/// Constants and limits decide which releases have intervals from laws: they are the same in every
/// version.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listing {
    /// Seconds on one core.
    pub seconds: f64,
    /// Bytes of memory while a block is listed.
    pub bytes: f64,
    /// Bytes of the laws themselves.
    pub kept_bytes: f64,
}

/// The laws of one table are listed as long as all together are predicted to take no more.
///
/// Releases whose laws take more took longer than half a minute of processor time in every version
/// before there was a limit: those listed the laws four times.
pub(crate) const MOST_SECONDS: f64 = 30.0;
const MOST_BYTES: f64 = 4e9;

/// Why laws above the limit are not told.
pub(crate) const ABOVE_LIMIT: &str = "listing their laws is predicted to take more than 30 s or 4 GB";

/// A value of a law with the energy of its noise.
const VALUE_SECONDS: f64 = 0.2e-6;
const VALUE_BYTES: f64 = 8.0;

impl Listing {
    /// Nothing is listed, or next to nothing.
    pub const NOTHING: Listing = Listing { seconds: 0.0, bytes: 0.0, kept_bytes: 0.0 };

    /// This and another block, listed one after the other.
    pub fn and(self, other: Listing) -> Listing {
        Listing {
            seconds: self.seconds + other.seconds,
            bytes: self.bytes.max(other.bytes),
            kept_bytes: self.kept_bytes + other.kept_bytes,
        }
    }

    /// The bytes while the last block is listed.
    pub fn peak_bytes(&self) -> f64 {
        self.bytes + self.kept_bytes
    }

    pub(crate) fn is_affordable(&self) -> bool {
        self.seconds <= MOST_SECONDS && self.peak_bytes() <= MOST_BYTES
    }

    /// So many laws of one cell's noise each. Noise that reaches farther than laws is not listed.
    pub(crate) fn of_noise(law: &NoiseLaw, laws: f64) -> Listing {
        if law.reach(FARTHEST_EXPONENT) > FARTHEST {
            return Listing::NOTHING;
        }
        let values = laws * listed_values(law);
        let (seconds, bytes) = (VALUE_SECONDS * values, VALUE_BYTES * values);
        Listing { seconds, bytes, kept_bytes: bytes }
    }

    /// The one law of the cells of a block whose noise adds up to zero.
    pub(crate) fn of_total(law: &NoiseLaw, cells: usize) -> Listing {
        let size = ShapeSize {
            count: cells as f64,
            length: 2.0 * law.reach(WEIGHED_EXPONENT) + 1.0,
            slides: law.geometric().is_some(),
            deviation: law.variance().unwrap_or(f64::INFINITY).sqrt(),
        };
        let seconds = seconds_of_laws(size, 1.0, 1.0);
        let values = if seconds > 0.0 { listed_values(law) } else { 0.0 };
        let kept_bytes = VALUE_BYTES * values;
        Listing { seconds, bytes: MESSAGES * VALUE_BYTES * size.length.min(values), kept_bytes }
    }
}

/// Weights of one cell are listed down to e^{−62} of the largest.
const WEIGHED_EXPONENT: f64 = 62.0;
/// Lines of weights that there are at once.
const MESSAGES: f64 = 8.0;

/// How many values the law of one cell's noise lists, about.
pub(crate) fn listed_values(law: &NoiseLaw) -> f64 {
    2.0 * law.reach(FARTHEST_EXPONENT) + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_quantities::COSTLY;
    use crate::operators::{ClosedForm, Independent};
    use crate::planned::{PlannedNoise, Prospect};
    use crate::{BlockDraw, PlannedWork, TableNoise, listed, quantities};
    use exact::Rational;

    fn work_of(seconds: f64) -> PlannedNoise {
        let listing = Listing { seconds, ..Listing::NOTHING };
        Independent::noise(Prospect { listing, ..Prospect::exact("independent") })
    }

    #[test]
    fn blocks_above_the_limit_are_told_as_such_and_the_others_are_listed() {
        let law = NoiseLaw::double_geometric(Rational::new(1, 2u8));
        let (light, heavy) = (work_of(1.0), work_of(31.0));
        let blocks =
            [BlockDraw { cells: &[0, 2], work: &heavy }, BlockDraw { cells: &[1], work: &light as &dyn PlannedWork }];
        let found = quantities(TableNoise::from(&law), &blocks, &[5, 5, 5]).unwrap();
        assert_eq!(found.cells.iter().map(|(cell, _)| *cell).collect::<Vec<_>>(), [1]);
        assert_eq!(found.log_normaliser, None);
        assert_eq!(
            found.not_available.iter().map(|missing| (missing.cells, missing.reason)).collect::<Vec<_>>(),
            [(2, ABOVE_LIMIT)]
        );
    }

    /// The weights of one cell alone would take 100 GB.
    #[test]
    fn laws_of_a_class_that_cost_too_much_are_refused_before_a_weight_is_made() {
        let law = NoiseLaw::double_geometric(Rational::new(1, 100_000_000u32));
        assert_eq!(Listing::of_total(&law, 4), Listing::NOTHING);
        let work = ClosedForm::noise(Prospect::exact("closed-form"));
        let found = quantities(TableNoise::from(&law), &[BlockDraw { cells: &[0, 1, 2, 3], work: &work }], &[0; 4]);
        let missing = found.unwrap().not_available;
        assert_eq!(missing.iter().map(|missing| (missing.cells, missing.reason)).collect::<Vec<_>>(), [(4, COSTLY)]);
    }

    #[test]
    fn noise_of_a_total_is_predicted_to_be_listed_where_it_is() {
        for (denominator, cells, told) in [(2u32, 5, true), (100, 4, true), (300, 4, true), (3_000, 4, false)] {
            let law = NoiseLaw::double_geometric(Rational::new(1, denominator));
            let work = ClosedForm::noise(Prospect::exact("closed-form"));
            let all: Vec<u32> = (0..cells).collect();
            let found =
                quantities(TableNoise::from(&law), &[BlockDraw { cells: &all, work: &work }], &vec![0; cells as usize]);
            let listing = Listing::of_total(&law, cells as usize);
            assert_eq!(
                (found.unwrap().not_available.is_empty(), listing.seconds > 0.0),
                (told, told),
                "1/{denominator}"
            );
            assert!(listing.seconds <= 4.0 && listing.peak_bytes() < 1e8, "{listing:?}");
        }
    }

    #[test]
    fn blocks_are_listed_in_order_as_long_as_all_are_within_the_limit() {
        let work = |seconds: f64, bytes: f64, kept_bytes: f64| {
            let listing = Listing { seconds, bytes, kept_bytes };
            Independent::noise(Prospect { listing, ..Prospect::exact("independent") })
        };
        let works = [
            work(20.0, 3e9, 1e8),
            work(11.0, 0.0, 0.0),
            work(1.0, 3.95e9, 0.0),
            work(1.0, 3.8e9, 0.0),
            work(f64::NAN, 0.0, 0.0),
            work(0.0, 0.0, 1e8),
            work(0.0, 0.0, 1e6),
            work(9.0, 0.0, 0.0),
        ];
        let (fits, all) = listed(works.iter().map(|work| work as &dyn PlannedWork));
        assert_eq!(fits, [true, false, false, true, false, true, false, true]);
        assert_eq!(all, Listing { seconds: 30.0, bytes: 3.8e9, kept_bytes: 2e8 });
    }
}
