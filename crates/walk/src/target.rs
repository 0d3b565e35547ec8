//! `Target`: the law that a walk leaves as it is, weight `e^{−energy}`, and exact decisions between
//! two tables.
//!
//! Energies of the laws of this project are whole units times a few rates: ε times ℓ₁ distance,
//! 1/2σ² times squared distance, and the rate of each noisy query times its distance. Of the ℓ₂
//! norm it is ε times a root. A change of energy is computed in whole units first; machine numbers
//! with a bound of their error decide almost always, an enclosure decides the rest.

use super::space::{Space, State, Step, Tracked};
use draw::{Growth, NoiseLaw};
use exact::lazy::Shared;
use exact::{Enclosure, Entropy, Rational, decay_bounds};
use std::fmt::Debug;
use std::sync::Arc;

/// Minus the logarithm of a weight on tables, for laws of one's own.
pub trait Energy: Debug + Send + Sync {
    /// The energy of the values of a block's cells, enclosed with about this many bits after the
    /// point.
    fn energy(&self, values: &[i64], bits: usize) -> Enclosure;
}

/// How the energy depends on the cells themselves.
#[derive(Debug, Clone)]
pub(crate) enum OnCells {
    /// Rate times the ℓ₁ distance to the centre.
    Absolute,
    /// Rate times the squared distance to the centre.
    Squares,
    /// Rate times the distance to the centre.
    Norm,
    /// Not at all: noise sits on sums.
    Bare,
    /// In a way of its own.
    Any(Arc<dyn Energy>),
}

/// The law of a block around a centre.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) cells: OnCells,
    /// The rate of the cells, those of the queries, and the fine one of proposals.
    pub(crate) rates: Vec<Rational>,
    /// These rates as machine numbers.
    pub(crate) quick: Vec<f64>,
    pub(crate) centre: Vec<i64>,
    /// The centre of every tracked row; zero where it carries no noise.
    pub(crate) row_centres: Vec<i64>,
}

/// Proposals have energies of their own, in units of 2 to minus this.
pub(crate) const FINE_BITS: u32 = 60;

fn fine_rate() -> Rational {
    Rational::new(1, 1u64 << FINE_BITS)
}

/// Bits of a change of energy before it is known more precisely.
const FIRST_BITS: usize = 96;

/// A change of energy between two tables.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// By how much each rate's units change; with a norm, the squared distance in front.
    units: Vec<i128>,
    /// The squared distance before, where the law needs it.
    before: i128,
    quick: f64,
    error: f64,
    /// The two tables, for laws that are not made of units.
    tables: Option<Box<(Vec<i64>, Vec<i64>)>>,
}

impl Target {
    /// The law of a block's noise around `centre` (values of the block's cells), with noisy sums
    /// around `sums[query][group]`.
    pub(crate) fn new(
        space: &Space,
        law: Option<&NoiseLaw>,
        rates: &[Rational],
        centre: Vec<i64>,
        sums: &[Vec<i64>],
    ) -> Target {
        let cells = match law.map(NoiseLaw::growth) {
            Some(Growth::Absolute | Growth::Other) => OnCells::Absolute,
            Some(Growth::Square) => OnCells::Squares,
            Some(Growth::Norm) => OnCells::Norm,
            None => OnCells::Bare,
        };
        let rate = law.map_or(Rational::integer(0), NoiseLaw::rate);
        let rates: Vec<Rational> = std::iter::once(rate).chain(rates.iter().cloned()).chain([fine_rate()]).collect();
        let row_centre = |row: &Tracked| match row {
            Tracked::Noisy { query, group, fixed } => sums[*query as usize][*group as usize] - fixed,
            _ => 0,
        };
        let row_centres = space.rows.iter().map(row_centre).collect();
        Target { cells, quick: rates.iter().map(Rational::to_f64).collect(), rates, centre, row_centres }
    }

    /// A law of one's own: whatever noise sits on sums does not count.
    pub fn of_energy(energy: Arc<dyn Energy>, cells: usize) -> Target {
        Target {
            cells: OnCells::Any(energy),
            rates: vec![Rational::integer(0), fine_rate()],
            quick: vec![0.0, fine_rate().to_f64()],
            centre: vec![0; cells],
            // Comparisons of sums have no centre, and noisy sums no place in such a law.
            row_centres: Vec::new(),
        }
    }

    /// The discrete Gaussian law of this rate around the same centre, noise on sums as it is.
    pub(crate) fn squared(&self, rate: Rational) -> Target {
        let mut squared = Target { cells: OnCells::Squares, ..self.clone() };
        squared.quick[0] = rate.to_f64();
        squared.rates[0] = rate;
        squared
    }

    /// A state with these values.
    pub(crate) fn state(&self, space: &Space, values: Vec<i64>) -> State {
        let squares = match self.cells {
            OnCells::Norm => {
                values.iter().zip(&self.centre).map(|(value, centre)| i128::from(value - centre).pow(2)).sum()
            }
            _ => 0,
        };
        State { sums: space.sums(&values), values, squares }
    }

    /// By how much so many units of a direction change the energy.
    #[inline]
    pub(crate) fn change(&self, space: &Space, state: &State, step: &Step, units: i64) -> Change {
        let mut change = vec![0i128; self.rates.len()];
        for (place, times) in &step.cells {
            let offset = state.values[*place as usize] - self.centre[*place as usize];
            let moved = offset + units * times;
            change[0] += match self.cells {
                OnCells::Absolute => i128::from(moved.abs() - offset.abs()),
                OnCells::Squares | OnCells::Norm => i128::from(moved - offset) * i128::from(moved + offset),
                OnCells::Bare | OnCells::Any(_) => 0,
            };
        }
        for (row, times) in &step.rows {
            if let Tracked::Noisy { query, .. } = space.rows[*row as usize]
                && !matches!(self.cells, OnCells::Any(_))
            {
                let offset = state.sums[*row as usize] - self.row_centres[*row as usize];
                change[1 + query as usize] += i128::from((offset + units * times).abs() - offset.abs());
            }
        }
        let tables = matches!(self.cells, OnCells::Any(_)).then(|| {
            let mut after = state.values.clone();
            step.cells.iter().for_each(|(place, times)| after[*place as usize] += units * times);
            Box::new((state.values.clone(), after))
        });
        self.measured(change, state.squares, tables)
    }

    /// A change with these units.
    pub(crate) fn measured(&self, units: Vec<i128>, before: i128, tables: Option<Box<(Vec<i64>, Vec<i64>)>>) -> Change {
        let (mut quick, mut size) = (0.0f64, 0.0f64);
        for (index, (rate, units)) in self.quick.iter().zip(&units).enumerate() {
            let part = match self.cells {
                OnCells::Norm if index == 0 && *units != 0 => {
                    rate * *units as f64 / ((before as f64).sqrt() + ((before + units) as f64).sqrt())
                }
                _ => rate * *units as f64,
            };
            quick += part;
            size += part.abs();
        }
        // Some eight roundings of each part, and one of the sum for every part.
        let mut error = size * (24 + units.len()) as f64 * 2f64.powi(-52);
        if let (OnCells::Any(energy), Some(tables)) = (&self.cells, &tables) {
            let difference = &energy.energy(&tables.1, FIRST_BITS) - &energy.energy(&tables.0, FIRST_BITS);
            quick += difference.to_f64();
            let width = Enclosure::from_bounds(difference.width(), difference.width(), difference.bits()).to_f64();
            error += width + difference.to_f64().abs() * 2f64.powi(-48) + 2f64.powi(-60);
        }
        Change { units, before, quick, error, tables }
    }

    /// An enclosure of `e^{−change}`.
    fn enclosure(&self, change: &Change, bits: usize) -> Enclosure {
        let bits = bits + 32;
        let mut sum = Enclosure::from_integer(0, bits);
        for (index, (rate, units)) in self.rates.iter().zip(&change.units).enumerate() {
            let part = match self.cells {
                OnCells::Norm if index == 0 => {
                    let root = |square: i128| Enclosure::from_integer(square, bits).sqrt();
                    match (root(change.before), root(change.before + units)) {
                        (Some(before), Some(after)) => &Enclosure::from_rational(rate, bits) * &(&after - &before),
                        _ => Enclosure::from_integer(0, bits),
                    }
                }
                _ => Enclosure::from_rational(&(rate * &Rational::integer(*units)), bits),
            };
            sum = &sum + &part;
        }
        if let (OnCells::Any(energy), Some(tables)) = (&self.cells, &change.tables) {
            sum = &sum + &(&energy.energy(&tables.1, bits) - &energy.energy(&tables.0, bits)).with_bits(bits);
        }
        (-&sum).exp()
    }

    /// Whether a shared uniform number is below `min(1, e^{−change})`: Metropolis' decision,
    /// exactly.
    #[inline]
    pub(crate) fn accepts<E: Entropy>(&self, change: &Change, uniform: &mut Shared, entropy: &mut E) -> bool {
        if change.quick < -change.error || change.tables.is_none() && change.units.iter().all(|units| *units == 0) {
            return true;
        }
        let bounds = decay_bounds(change.quick, change.error);
        uniform.below(entropy, bounds, |bits| self.enclosure(change, bits))
    }

    /// The energy, for reading.
    pub(crate) fn energy(&self, space: &Space, state: &State) -> f64 {
        let offsets = || state.values.iter().zip(&self.centre).map(|(value, centre)| (value - centre) as f64);
        let cells = match &self.cells {
            OnCells::Absolute => self.quick[0] * offsets().map(f64::abs).sum::<f64>(),
            OnCells::Squares => self.quick[0] * offsets().map(|offset| offset * offset).sum::<f64>(),
            OnCells::Norm => self.quick[0] * offsets().map(|offset| offset * offset).sum::<f64>().sqrt(),
            OnCells::Bare => 0.0,
            OnCells::Any(energy) => energy.energy(&state.values, FIRST_BITS).to_f64(),
        };
        let noisy = |(row, tracked): (usize, &Tracked)| match tracked {
            Tracked::Noisy { query, .. } if !self.row_centres.is_empty() => {
                self.quick[1 + *query as usize] * (state.sums[row] - self.row_centres[row]).abs() as f64
            }
            _ => 0.0,
        };
        cells + space.rows.iter().enumerate().map(noisy).sum::<f64>()
    }

    /// Moves a state so many units along a direction.
    #[inline]
    pub(crate) fn apply(&self, state: &mut State, step: &Step, units: i64) {
        for (place, times) in &step.cells {
            let value = &mut state.values[*place as usize];
            if matches!(self.cells, OnCells::Norm) {
                let offset = *value - self.centre[*place as usize];
                let moved = units * times;
                state.squares += i128::from(moved) * i128::from(2 * offset + moved);
            }
            *value += units * times;
        }
        step.rows.iter().for_each(|(row, times)| state.sums[*row as usize] += units * times);
    }
}
