//! `LevelProfile`: how large the noise of a cascade will be, level by level, from the plan alone.
//!
//! Without bounds the law of a cascade is the same around every table, so it is drawn around a
//! table of zeros with a fixed seed, and the sums of a level are taken together. With bounds these
//! are the errors of counts far from them.

use crate::prepared::Prepared;
use declare::Problem;
use exact::Seeded;
use plan::{Case, decimal, free_cascade};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The probabilities at which quantiles of |noise| are given.
const LEVELS: [f64; 4] = [0.5, 0.9, 0.95, 0.99];
/// About so many cells are drawn in all, between the fewest and the most draws.
const CELLS: usize = 8_000_000;
const FEWEST: usize = 5;
const MOST: usize = 2_000;
/// A larger table is not drawn for this.
const MOST_CELLS: usize = 1 << 24;
/// The seed: public, and that of no release.
const SEED: u64 = 0x1eae_15ed;

/// The noise of a cascade by level.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelProfile {
    /// The draws that it was measured by.
    pub draws: u64,
    /// Whether bounds or rules bind the release: then this is the noise far from them.
    pub bounded: bool,
    /// The levels, from coarse to fine.
    pub levels: Vec<LevelSpread>,
}

/// The noise of the sums of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSpread {
    /// How messages call it.
    pub name: String,
    /// How many sums it has.
    pub sums: usize,
    /// The root of the mean square over all sums; 0 where they are exact.
    pub standard_deviation: f64,
    /// The 50 %, 90 %, 95 % and 99 % quantiles of |noise| over all sums.
    pub quantiles: [f64; 4],
}

impl Prepared {
    /// The noise of a cascade by level.
    ///
    /// # Errors
    /// Refused for tables that are too large to be drawn for this.
    pub(super) fn level_profile(&self) -> Result<LevelProfile, Problem> {
        let case = &self.opened().case;
        let Case { declaration, domain, fold, .. } = case;
        let cells = domain.len();
        if fold.is_some() || cells > MOST_CELLS {
            return Err(Problem::refused("the table is too large to be drawn for this").hint(
                "explain the same spec with coarser values: noise by level does not depend on how many there are",
            ));
        }
        let cascade = free_cascade(case, &self.plan)?;
        let margins = declaration.margins(domain)?;
        let draws = (CELLS / cells.max(1)).clamp(FEWEST, MOST) as u64;
        let zeros = vec![0i64; cells];
        // The last one is that of the cells themselves.
        let mut found: Vec<Vec<u64>> = vec![Vec::new(); margins.len() + 1];
        for draw in 0..draws {
            let noise = cascade.draw(&zeros, &Seeded::draw(SEED, draw))?;
            for (margin, found) in margins.iter().zip(&mut found) {
                found.extend(margin.totals(&noise).into_iter().map(|sum| sum.unsigned_abs() as u64));
            }
            found[margins.len()].extend(noise.iter().map(|noise| noise.unsigned_abs()));
        }
        let names = margins.into_iter().map(|margin| margin.label).chain(["each cell".to_owned()]);
        let levels = names.zip(found).map(|(name, found)| spread(name, found, draws));
        let bounded = self.plan.nonnegative || !self.plan.rules.is_empty();
        Ok(LevelProfile { draws, bounded, levels: levels.collect() })
    }
}

/// The size of the noise of a level, from what all its sums were in all draws.
fn spread(name: String, mut found: Vec<u64>, draws: u64) -> LevelSpread {
    let count = found.len().max(1);
    let squares: f64 = found.iter().map(|noise| (*noise as f64).powi(2)).sum();
    found.sort_unstable();
    let at = |level: f64| found.get((level * count as f64).ceil() as usize - 1).map_or(0.0, |noise| *noise as f64);
    LevelSpread {
        name,
        sums: count / draws.max(1) as usize,
        standard_deviation: (squares / count as f64).sqrt(),
        quantiles: LEVELS.map(at),
    }
}

impl LevelProfile {
    /// For a curator.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Noise in the release, by level: {} draws of the noise around a table of zeros, the same for every table\n\n",
            self.draws
        );
        let wide = self.levels.iter().map(|level| level.name.chars().count()).max().unwrap_or(0);
        // Writing to a String cannot fail.
        let titles = LEVELS.map(|level| format!("{:>8}", format!("{} %", level * 100.0))).concat();
        let _ = writeln!(text, "  {:wide$}{:>12}{:>12}{titles}", "", "sums", "std. dev.");
        for LevelSpread { name, sums, standard_deviation, quantiles } in &self.levels {
            let spread = match *standard_deviation == 0.0 {
                true => ("exact".to_owned(), String::new()),
                false => (decimal(*standard_deviation), quantiles.map(|quantile| format!("{quantile:>8}")).concat()),
            };
            let _ = writeln!(text, "  {name:wide$}{sums:>12}{:>12}{}", spread.0, spread.1);
        }
        if self.bounded {
            text += "\n  Bounds and rules are left out here: counts near them err less towards them and more away from them, by how much\n  \
                     depends on the confidential counts. `congenial compare --on FILE` measures it on a public stand-in.\n";
        }
        text
    }

    /// For a script.
    pub fn json(&self) -> Value {
        let level = |level: &LevelSpread| {
            let quantiles: serde_json::Map<String, Value> =
                LEVELS.iter().zip(level.quantiles).map(|(level, value)| (level.to_string(), json!(value))).collect();
            json!({
                "level": level.name, "sums": level.sums,
                "standard_deviation": level.standard_deviation, "quantiles": quantiles,
            })
        };
        json!({
            "given": "any table", "draws": self.draws, "bounds_left_out": self.bounded,
            "levels": self.levels.iter().map(level).collect::<Vec<Value>>(),
        })
    }
}
