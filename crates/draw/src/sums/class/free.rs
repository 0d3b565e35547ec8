//! Draws cells freely from their own laws: a coin chooses a run of a slope, a geometric number the
//! place in it.
//!
//! A geometric number modulo the length of a run is a geometric number cut at that length: nothing
//! is rejected.

use super::shape::{Cell, CellShape, Form, Run, Tilted};
use super::table::FreeTable;
use super::weighted::NoiseSteps;
use exact::attention::look;
use exact::lazy::{Bounds, coin};
use exact::{Enclosure, Entropy, Geometric, Integer, Rational, Survival, SurvivalTable, integer};
use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::Deref;

/// Cells to be drawn freely.
#[derive(Debug)]
pub(super) struct FreeCells {
    tilted: Tilted,
    /// The samplers of the two rates of slopes; none for a rate of zero.
    geometric: [Option<Geometric>; 2],
    kinds: Vec<Kind>,
    /// The kind of every cell.
    of_cell: Vec<u32>,
}

#[derive(Debug)]
enum Kind {
    /// One or two runs, and bounds of the probability of the first.
    Runs { runs: [Option<Run>; 2], first: Bounds },
    /// A part of a bell: drawn from the table of a law that is at least as wide, until it is within
    /// the part.
    Bell { table: usize, below: u64, above: u64 },
    /// A table, for the kinds that use it.
    Table(BellLaw, SurvivalTable),
    /// A cell with a factor.
    Weighted(FreeTable),
}

impl FreeCells {
    pub(super) fn new(tilted: &Tilted, cells: &[Cell]) -> Self {
        let geometric = [0, 1].map(|index| {
            let rate = tilted.rate(index);
            let used = cells.iter().any(|cell| match &cell.shape {
                CellShape::Runs(runs) => runs[index].is_some_and(|run| run.length > 1),
                CellShape::Bell { .. } | CellShape::Weighted { .. } => false,
            });
            (used && rate.is_positive()).then(|| Geometric::new(rate))
        });
        let steps = LazyCell::new(|| NoiseSteps::new(tilted, 53));
        let mut free = FreeCells { tilted: tilted.clone(), geometric, kinds: Vec::new(), of_cell: Vec::new() };
        let mut known: HashMap<CellShape, u32> = HashMap::new();
        let mut tables: HashMap<CellShape, usize> = HashMap::new();
        for cell in cells {
            look();
            let kind = *known.entry(cell.shape).or_insert_with(|| {
                let kind = free.kind(&cell.shape, &steps, &mut tables);
                free.kinds.push(kind);
                free.kinds.len() as u32 - 1
            });
            free.of_cell.push(kind);
        }
        free
    }

    fn kind(
        &mut self,
        shape: &CellShape,
        steps: &impl Deref<Target = NoiseSteps<f64>>,
        tables: &mut HashMap<CellShape, usize>,
    ) -> Kind {
        match shape {
            CellShape::Weighted { x, factor, mode } => {
                Kind::Weighted(FreeTable::new(&self.tilted, *x, *factor, *mode, steps))
            }
            CellShape::Runs(runs) => {
                let first = match runs {
                    [Some(one), Some(two)] => Bounds::of(&self.share(one, two, 96)),
                    _ => Bounds::UNKNOWN,
                };
                Kind::Runs { runs: *runs, first }
            }
            CellShape::Bell { mode, below, above } => {
                let Form::Bell { shift, .. } = &self.tilted.form else { unreachable!("bells have the form of a bell") };
                // Where the top of the bell is inside, at least a part as large as the smaller half
                // is kept.
                let whole = (shift - &Rational::integer(*mode)).abs() <= Rational::new(1, 2u8);
                let wide = |count: u64| if whole { u64::MAX } else { count };
                let shape = CellShape::Bell { mode: *mode, below: wide(*below), above: wide(*above) };
                let table = *tables.entry(shape).or_insert_with(|| {
                    let law = BellLaw { tilted: self.tilted.clone(), shape };
                    let table = law.table();
                    self.kinds.push(Kind::Table(law, table));
                    self.kinds.len() - 1
                });
                Kind::Bell { table, below: *below, above: *above }
            }
        }
    }

    /// Encloses the probability of the first of two runs.
    fn share(&self, one: &Run, two: &Run, bits: usize) -> Enclosure {
        // So many more bits as the smaller rate takes away from 1 − e^{−rate}.
        let small = [one, two].map(|run| self.tilted.rate(run.rate).to_f64()).into_iter().fold(1.0, f64::min);
        let working = bits + 64 + if small > 0.0 { (1.0 / small).log2().ceil() as usize * 2 } else { 0 };
        let mass = |run: &Run| {
            let head = Enclosure::exp_rational(&-self.tilted.lag(run), working);
            &head * &self.sum_of_powers(run, working)
        };
        let (one, two) = (mass(one), mass(two));
        let whole = &one + &two;
        one.checked_div(&whole).map_or_else(
            || Enclosure::from_bounds(Integer::ZERO, Integer::ONE << bits, bits),
            |share| share.with_bits(bits),
        )
    }

    /// `Σ_{j < length} e^{−rate·j}`.
    fn sum_of_powers(&self, run: &Run, bits: usize) -> Enclosure {
        let rate = self.tilted.rate(run.rate);
        if rate.is_zero() {
            return Enclosure::from_integer(run.length, bits);
        }
        let one = Enclosure::from_integer(1, bits);
        let power = |count: u64| Enclosure::exp_rational(&-(&rate * &Rational::integer(count)), bits);
        let cut = if run.length == u64::MAX { one.clone() } else { &one - &power(run.length) };
        cut.checked_div(&(&one - &power(1))).unwrap_or(one)
    }

    /// Draws the offset of a cell from its mode.
    #[inline]
    pub(super) fn draw<E: Entropy>(&self, entropy: &mut E, cell: usize) -> i64 {
        match &self.kinds[self.of_cell[cell] as usize] {
            Kind::Runs { runs: [Some(one), Some(two)], first } => {
                let run = if coin(entropy, *first, |bits| self.share(one, two, bits)) { one } else { two };
                self.place(entropy, run)
            }
            Kind::Runs { runs: [Some(run), None] | [None, Some(run)], .. } => self.place(entropy, run),
            Kind::Bell { table, below, above } => self.bell(entropy, *table, *below, *above),
            Kind::Weighted(table) => table.draw(entropy, &self.tilted),
            Kind::Runs { runs: [None, None], .. } | Kind::Table(..) => 0,
        }
    }

    #[inline]
    fn place<E: Entropy>(&self, entropy: &mut E, run: &Run) -> i64 {
        if run.length == 1 {
            return run.head;
        }
        let steps = match &self.geometric[run.rate] {
            Some(geometric) => {
                let steps = geometric.draw(entropy);
                if steps < run.length { steps } else { steps % run.length }
            }
            None => integer::below(entropy, run.length),
        };
        if run.downward { run.head - steps as i64 } else { run.head + steps as i64 }
    }

    fn bell<E: Entropy>(&self, entropy: &mut E, table: usize, below: u64, above: u64) -> i64 {
        let Kind::Table(law, table) = &self.kinds[table] else { return 0 };
        loop {
            let offset = super::chain::offset_of(table.draw(entropy, law) as usize);
            if offset.unsigned_abs() <= if offset < 0 { below } else { above } {
                return offset;
            }
        }
    }
}

/// The law of the rank of an offset of a bell: 0, 1, −1, 2, …
#[derive(Debug)]
struct BellLaw {
    tilted: Tilted,
    shape: CellShape,
}

impl BellLaw {
    /// Encloses `P(rank ≥ i)` for i = 0, 1, …, as far as it is not negligible at this precision.
    fn survivals(&self, bits: usize) -> Vec<Enclosure> {
        let working = bits + 32;
        let precision = crate::Precision { machine: false, bits: 64, trim: working as u32 };
        let (CellShape::Bell { mode, below, above }, beyond) = self.tilted.clipped(&self.shape, precision) else {
            return vec![Enclosure::from_integer(1, bits)];
        };
        let rest = Integer::from(beyond) >> super::shape::GUARD as usize;
        let mut tail = Enclosure::from_bounds(Integer::ZERO, rest + Integer::ONE, working);
        let mut tails = vec![tail.clone()];
        for rank in (0..2 * below.max(above) as usize + 1).rev() {
            let offset = super::chain::offset_of(rank);
            if offset.unsigned_abs() <= if offset < 0 { below } else { above } {
                tail = &tail + &Enclosure::exp_rational(&-self.tilted.bell_exponent(mode, offset), working);
            }
            tails.push(tail.clone());
        }
        tails.reverse();
        let unit = || Enclosure::from_bounds(Integer::ZERO, Integer::ONE << working, working);
        tails.iter().map(|part| part.checked_div(&tails[0]).unwrap_or_else(unit)).collect()
    }

    fn table(&self) -> SurvivalTable {
        let mut entries: Vec<Bounds> = self.survivals(80).iter().map(Bounds::of).collect();
        // Bounds of what does not increase can be made so.
        for index in 1..entries.len() {
            entries[index].last = entries[index].last.min(entries[index - 1].last);
        }
        for index in (1..entries.len()).rev() {
            entries[index - 1].floor = entries[index - 1].floor.max(entries[index].floor);
        }
        SurvivalTable::new(entries)
    }
}

impl Survival for BellLaw {
    fn survival(&self, index: u64, bits: usize) -> Enclosure {
        let survivals = self.survivals(bits);
        let last = survivals.len() - 1;
        match usize::try_from(index) {
            Ok(index) if index < last => survivals[index].clone(),
            // Beyond the window: between nothing and what the window left over.
            _ => Enclosure::from_bounds(Integer::ZERO, survivals[last].upper().clone(), survivals[last].bits()),
        }
    }
}
