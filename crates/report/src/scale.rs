//! `Scale`: released counts as a few steps of colour, with the range of every step in words.

use crate::markup::Markup;
use crate::tally::Tally;
use crate::words::number;

/// The steps of colour of one table: blue for counts above zero, another hue below.
pub(crate) struct Scale {
    /// The largest count of every step above zero, increasing.
    above: Vec<u64>,
    /// The largest magnitude of every step below zero, increasing.
    below: Vec<u64>,
}

const ABOVE: [&str; 7] = ["p1", "p2", "p3", "p4", "p5", "p6", "p7"];
const BELOW: [&str; 3] = ["n1", "n2", "n3"];

impl Scale {
    /// The scale on which these counts spread over the steps.
    pub fn new(values: &[i64]) -> Self {
        let mut tallies = [Tally::default(), Tally::default()];
        for value in values.iter().filter(|value| **value != 0) {
            tallies[usize::from(*value < 0)].add(value.unsigned_abs());
        }
        let [above, below] = &tallies;
        Scale::of(above, below)
    }

    /// The scale of counts whose sizes above and below zero are these.
    pub fn of(above: &Tally, below: &Tally) -> Self {
        // Slightly negative counts are the rule among zeros: they are marked, but must not shout
        // down the table.
        let shades = if below.largest() < above.largest() / 8 { 1 } else { BELOW.len() };
        Scale { above: steps(above, ABOVE.len()), below: steps(below, shades) }
    }

    /// The class of a count.
    pub fn class(&self, value: i64) -> &'static str {
        let step = |ends: &[u64]| ends.partition_point(|end| *end < value.unsigned_abs());
        match value {
            0 => "z",
            1.. => {
                // Few steps use the whole palette, so that two counts are still told apart.
                let place = match self.above.len() {
                    0 | 1 => ABOVE.len() / 2,
                    several => step(&self.above) * (ABOVE.len() - 1) / (several - 1),
                };
                ABOVE[place.min(ABOVE.len() - 1)]
            }
            _ => BELOW[step(&self.below).min(BELOW.len() - 1)],
        }
    }

    /// The legend: every colour with its range of counts.
    pub fn legend(&self, page: &mut Markup, zero: bool, structural: bool) {
        page.element("ul", &[("class", "legend"), ("aria-label", "Legend of colours")], |page| {
            let mut entry = |class: &str, text: &str| {
                page.element("li", &[], |page| {
                    page.leaf("span", &[("class", &format!("swatch {class}")), ("aria-hidden", "true")], "");
                    page.text(text);
                });
            };
            for (step, end) in self.below.iter().enumerate().rev() {
                let start = step.checked_sub(1).map_or(1, |before| self.below[before] + 1);
                entry(self.class(negative(*end)), &format!("{} (negative)", range(negative(*end), negative(start))));
            }
            if zero {
                entry("z", "0");
            }
            for (step, end) in self.above.iter().enumerate() {
                let start = step.checked_sub(1).map_or(1, |before| self.above[before] + 1);
                entry(self.class(*end as i64), &range(start as i64, *end as i64));
            }
            if structural {
                entry("x", "not part of the table");
            }
        });
    }
}

fn negative(magnitude: u64) -> i64 {
    0i64.saturating_sub_unsigned(magnitude)
}

fn range(first: i64, last: i64) -> String {
    if first == last { number(first) } else { format!("{} to {}", number(first), number(last)) }
}

/// Ends of at most `count` steps up to the largest magnitude. Skewed counts get steps that grow
/// with a power of the position, chosen so that the median falls in the upper half: otherwise one
/// large cell bleaches all others.
fn steps(magnitudes: &Tally, count: usize) -> Vec<u64> {
    let Some(median) = magnitudes.median() else {
        return Vec::new();
    };
    let (median, largest) = (u128::from(median), u128::from(magnitudes.largest()));
    let power = (1u32..8).find(|power| largest >> power <= median).unwrap_or(8);
    let whole = (count as u128).pow(power);
    let mut ends: Vec<u64> =
        (1..=count as u128).map(|step| (largest * step.pow(power)).div_ceil(whole) as u64).collect();
    ends.dedup();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_chooses_the_hue_and_the_size_the_step() {
        let scale = Scale::new(&[-9, -1, 0, 1, 3, 70]);
        assert_eq!([scale.class(-9), scale.class(-1)], ["n3", "n1"]);
        assert_eq!([scale.class(0), scale.class(1), scale.class(70)], ["z", "p1", "p7"]);
    }

    #[test]
    fn small_negative_counts_are_marked_lightly() {
        let scale = Scale::new(&[-3, -1, 2, 3_000]);
        assert_eq!([scale.class(-3), scale.class(-1)], ["n1", "n1"]);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let scale = Scale::new(&[i64::MIN, i64::MAX]);
        assert_eq!([scale.class(i64::MIN), scale.class(i64::MAX)], ["n3", "p7"]);
        let mut page = Markup::default();
        scale.legend(&mut page, false, false);
        assert!(page.finish().contains("−9,223,372,036,854,775,808"));
    }

    #[test]
    fn every_step_starts_above_the_one_before() {
        let mut tally = Tally::default();
        [1, 2, 3, 1_000_000].into_iter().for_each(|size| tally.add(size));
        let ends = steps(&tally, 7);
        assert!(ends.windows(2).all(|pair| pair[0] < pair[1]), "{ends:?}");
        assert_eq!(ends.last(), Some(&1_000_000));
    }
}
