//! Rules between counts whose exact totals cross: the lesser counts are drawn first, the greater
//! ones above them.
//!
//! Lesser counts d and greater counts c come in pairs, and the same sums are exact for both. With
//! e = c − d the tables that keep everything are pairs of tables, d at least zero with its totals
//! and e at least zero with its own, that have nothing to do with each other: whatever d was drawn,
//! c has its totals and the lower bounds d, and every structure that is drawn with lower bounds
//! goes on from there (`proofs/G11.md`).

use crate::bell::{NO_HIGH, NO_LOW};
use crate::labels::dense;
use crate::law::Step;
use crate::outline::Outline;
use crate::peel::Question;
use crate::split::Limits;
use crate::tower::Tower;
use declare::{NO_GROUP, Problem};
use exact::{Rational, Source};

/// Lesser and greater counts.
#[derive(Debug, Clone)]
pub(crate) struct Pairs {
    lesser: Tower,
    greater: Tower,
    /// The bounds of the lesser counts.
    low: Vec<i64>,
    high: Vec<i64>,
    /// The cells of both, pair by pair.
    cells: Vec<(u32, u32)>,
}

impl Pairs {
    /// Makes both ready, or says why not.
    pub(crate) fn new(outline: &Outline<'_>, question: &Question<'_>) -> Result<Self, Problem> {
        let refuse = |why: &str| {
            Problem::refused(format!("rules where exact totals cross: {why}"))
                .hint("a cascade keeps such rules between two counts of every place that have the same exact totals")
        };
        let mut cells = outline.rules.clone();
        // Pairs in the order of their greater cells.
        let mut rank: Vec<u32> = (0..outline.cells as u32).collect();
        for (place, cell) in outline.order.unwrap_or_default().iter().enumerate() {
            rank[*cell as usize] = place as u32;
        }
        cells.sort_by_key(|(_, greater)| rank[*greater as usize]);
        let mut seen = vec![false; outline.cells];
        let mut is_seen = |cell: &u32| std::mem::replace(&mut seen[*cell as usize], true);
        if cells.iter().any(|(one, other)| is_seen(one) || is_seen(other)) {
            return Err(refuse("a cell has more than one rule"));
        }
        if seen.contains(&false) {
            return Err(refuse("some cells have no rule"));
        }
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (one, other) in &cells {
            let (lesser, greater) = (outline.bounds_of(*one as usize), outline.bounds_of(*other as usize));
            if greater.1 != NO_HIGH || lesser.0 == NO_LOW || (greater.0 != NO_LOW && greater.0 > lesser.0) {
                return Err(refuse("the greater counts have bounds of their own"));
            }
            low.push(lesser.0);
            high.push(lesser.1);
        }
        let side = |labels: &[u32], greater: bool| -> Option<Vec<u32>> {
            let own = cells.iter().map(|(one, other)| labels[if greater { *other } else { *one } as usize]);
            let own: Vec<u32> = own.collect();
            if own.iter().all(|label| *label == NO_GROUP) {
                return None;
            }
            let (dense, _) = dense(own.iter().map(|label| u64::from(*label)));
            let labels =
                dense.iter().zip(&own).map(|(dense, label)| if *label == NO_GROUP { NO_GROUP } else { *dense });
            Some(labels.collect())
        };
        let exact = |greater: bool| -> Vec<Vec<u32>> {
            question.exact.iter().filter_map(|family| side(family, greater)).collect()
        };
        let (below, above) = (exact(false), exact(true));
        let same = |one: &[Vec<u32>], other: &[Vec<u32>]| one.iter().all(|family| other.contains(family));
        if !same(&below, &above) || !same(&above, &below) || apart(question, &cells) {
            return Err(refuse("the two counts do not have the same exact totals"));
        }
        let tower = |greater: bool, exact: &[Vec<u32>], limits: Limits<'_>| -> Result<Tower, Problem> {
            let noise: Vec<(Vec<u32>, Rational)> = question
                .noise
                .iter()
                .filter_map(|(labels, variance)| Some((side(labels, greater)?, variance.clone())))
                .collect();
            let weights =
                cells.iter().map(|(one, other)| question.weights[if greater { *other } else { *one } as usize]);
            let weights: Vec<u64> = weights.collect();
            let own = Question {
                exact: exact.iter().map(|labels| &labels[..]).collect(),
                noise: &noise,
                weights: &weights,
                unit: question.unit,
                order: None,
                flows: false,
            };
            Tower::new(&own, limits)
        };
        let lesser = tower(false, &below, Limits::Each(&low, &high))?;
        let greater = tower(true, &above, Limits::Same(0, NO_HIGH))?;
        Ok(Pairs { lesser, greater, low, high, cells })
    }

    pub(crate) fn towers(&self) -> [&Tower; 2] {
        [&self.lesser, &self.greater]
    }

    fn parts(&self, table: &[i64]) -> (Vec<i64>, Vec<i64>) {
        self.cells.iter().map(|(one, other)| (table[*one as usize], table[*other as usize])).unzip()
    }

    /// Whether the totals of the lesser counts leave any table.
    pub(crate) fn is_feasible(&self, counts: &[i64]) -> bool {
        self.lesser.is_feasible(&self.parts(counts).0, Limits::Each(&self.low, &self.high))
    }

    pub(crate) fn draw<S: Source + ?Sized>(
        &self,
        counts: &[i64],
        source: &S,
        number: &mut u64,
    ) -> Result<Vec<i64>, Problem> {
        let (lesser, greater) = self.parts(counts);
        let lesser = self.lesser.draw(&lesser, Limits::Each(&self.low, &self.high), source, number)?;
        let none = vec![NO_HIGH; lesser.len()];
        let greater = self.greater.draw(&greater, Limits::Each(&lesser, &none), source, number)?;
        let mut out = vec![0; counts.len()];
        for ((one, other), (lesser, greater)) in self.cells.iter().zip(lesser.into_iter().zip(greater)) {
            (out[*one as usize], out[*other as usize]) = (lesser, greater);
        }
        Ok(out)
    }

    pub(crate) fn steps<F: FnMut(Step)>(&self, counts: &[i64], release: &[i64], told: &mut F) -> Result<(), Problem> {
        let ((lesser, greater), (below, above)) = (self.parts(counts), self.parts(release));
        self.lesser.steps(&lesser, &below, Limits::Each(&self.low, &self.high), told)?;
        let none = vec![NO_HIGH; below.len()];
        self.greater.steps(&greater, &above, Limits::Each(&below, &none), told)
    }

    pub(crate) fn keeps(&self, counts: &[i64], release: &[i64]) -> bool {
        let ((lesser, greater), (below, above)) = (self.parts(counts), self.parts(release));
        let none = vec![NO_HIGH; below.len()];
        self.lesser.keeps(&lesser, &below, Limits::Each(&self.low, &self.high))
            && self.greater.keeps(&greater, &above, Limits::Each(&below, &none))
    }
}

/// Whether some group holds lesser and greater counts.
fn apart(question: &Question<'_>, cells: &[(u32, u32)]) -> bool {
    let families = question.exact.iter().copied().chain(question.noise.iter().map(|(labels, _)| &labels[..]));
    families.into_iter().any(|labels| {
        let lesser: std::collections::HashSet<u32> = cells.iter().map(|(one, _)| labels[*one as usize]).collect();
        cells.iter().any(|(_, other)| labels[*other as usize] != NO_GROUP && lesser.contains(&labels[*other as usize]))
    })
}
