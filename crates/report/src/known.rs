//! `Known`: what is known of the errors of the released counts, from the plan alone.

use crate::grid::down;
use crate::overview::{Shown, shown};
use crate::table::SHOWN_FULLY;
use declare::Domain;

/// What is known of the errors of the released counts. Equal plans give equal knowledge.
#[derive(Debug, Clone)]
pub struct Known {
    /// How far the noise of counts reaches nine times in ten, or why that is not told: the end of a
    /// sentence with `because`.
    pub cells: Result<CellReach, String>,
    /// How far the noise of sums reaches, for those of [`wanted_sums`] of which it is told.
    pub sums: Vec<SumReach>,
    /// The law of the noise of one count, as far as it is one of single counts.
    pub noise: Option<Noise>,
}

/// How far the noise of counts reaches nine times in ten.
#[derive(Debug, Clone)]
pub struct CellReach {
    /// That of the first cells: as many as a page shows.
    pub first: Vec<u32>,
    /// The smallest and the largest of all cells.
    pub ends: (u32, u32),
}

/// How far the noise of the sums along some dimensions reaches nine times in ten.
#[derive(Debug, Clone)]
pub struct SumReach {
    /// The dimensions, by their places.
    pub dimensions: Vec<usize>,
    /// The reaches, in the order of the codes: that of the last dimension changes first.
    pub reach: Vec<u32>,
}

/// The law of the noise of one count.
#[derive(Debug, Clone)]
pub struct Noise {
    /// The probabilities of 0, 1, …; that of −j is that of j.
    pub half: Vec<f64>,
    /// Whether it is the noise before totals, bounds or rules changed it.
    pub before: bool,
}

impl Known {
    /// Nothing is known, and this is why.
    pub fn nothing(why: &str) -> Known {
        Known { cells: Err(why.to_owned()), sums: Vec::new(), noise: None }
    }

    /// How far the noise of a cell reaches, if that is told.
    pub(crate) fn of_cell(&self, cell: usize) -> Option<u32> {
        self.cells.as_ref().ok()?.first.get(cell).copied()
    }

    /// How far the noise of sums along dimensions reaches, if that is told.
    pub(crate) fn of_sums(&self, dimensions: &[usize]) -> Option<&[u32]> {
        self.sums.iter().find(|sums| sums.dimensions == dimensions).map(|sums| sums.reach.as_slice())
    }
}

impl Noise {
    /// The smallest q with P(|noise| ≤ q) at least this.
    pub(crate) fn quantile(&self, level: f64) -> usize {
        let mut within = 0.0;
        for (size, probability) in self.half.iter().enumerate() {
            within += if size == 0 { *probability } else { 2.0 * probability };
            // The probabilities are machine numbers that add up to one but for rounding.
            if within >= level - 1e-12 {
                return size;
            }
        }
        self.half.len().saturating_sub(1)
    }
}

/// The most cells of which a page shows the counts.
pub const MOST_SHOWN: usize = SHOWN_FULLY;

/// The sums that a page shows, by the places of their dimensions: along each that is short, along
/// those that go down and those that stand across, and all together.
pub fn wanted_sums(domain: &Domain) -> Vec<Vec<usize>> {
    let dimensions = &domain.schema.dimensions;
    if domain.len() > SHOWN_FULLY || dimensions.is_empty() {
        return Vec::new();
    }
    let short = |place: &usize| shown(&dimensions[*place]) == Some(Shown::Values);
    let mut wanted: Vec<Vec<usize>> = (0..dimensions.len()).filter(short).map(|place| vec![place]).collect();
    // The rows and the columns of the grid, and all cells together.
    let split = down(domain);
    for places in [(0..split).collect(), (split..dimensions.len()).collect(), Vec::new()] {
        if !wanted.contains(&places) {
            wanted.push(places);
        }
    }
    wanted
}
