//! `Measured`: noisy measurements of a table, drawn exactly and independently; whatever is made of
//! them is post-processing.
//!
//! A block is measured by its cells, where every cell carries noise, and by its noisy sums, in the
//! order of the rows of its fibre. A measurement is the value in the confidential table plus noise;
//! that of a sum is over its whole group, cells outside the block included. What is computed from
//! measurements and public values alone loses no more than the measurements do (theorem G7,
//! `crates/certify/proofs/G7.md`).

use crate::drawn::Drawn;
use crate::exactness::Exactness;
use crate::independent::Independent;
use crate::network::TableNoise;
use crate::table::{ReadyPart, draw_parts};
use analyse::{Demand, Fibre};
use declare::{Cell, Problem};
use exact::Source;
use rayon::prelude::*;
use std::collections::HashSet;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// The noisy measurements of all blocks of a table, drawn with bits of the source `S`.
///
/// They can be made by [`measure`] alone, so the type parameter tells the truth, and so does that
/// of what is made of them:
///
/// ```compile_fail
/// # use draw::{Exactness, Measured};
/// # use exact::SystemEntropy;
/// let forged: Measured<'_, SystemEntropy> =
///     Measured { blocks: vec![], values: vec![], exactness: Exactness::Exact, source: Default::default() };
/// ```
///
/// Measurements of seeded bits never become a table that can be certified:
///
/// ```compile_fail
/// # use draw::{Drawn, Measured};
/// # use exact::{Seeded, SystemEntropy};
/// # fn forge(measured: Measured<'_, Seeded>) -> Drawn<SystemEntropy> {
/// measured.project(4, &[], |_, values| Ok(values.to_vec())).unwrap()
/// # }
/// ```
///
/// The same lines with the other source of bits:
/// ```
/// # use draw::{Drawn, Measured};
/// # use exact::{Seeded, SystemEntropy};
/// # fn honest(measured: Measured<'_, SystemEntropy>) -> Drawn<SystemEntropy> {
/// measured.project(4, &[], |_, values| Ok(values.to_vec())).unwrap()
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Measured<'a, S> {
    /// Every block and where its measurements stand.
    blocks: Vec<(&'a Fibre, Range<usize>)>,
    values: Vec<i64>,
    exactness: Exactness,
    source: PhantomData<fn() -> S>,
}

/// Measures every block of a table: integer noise, independent in every measurement.
///
/// `progress` is told how many measurements were drawn, in steps that depend on the blocks alone.
///
/// # Errors
/// Refused when the noise is no product over cells, when it does not fit 64 bits, or when two
/// blocks share a noisy sum.
pub fn measure<'a, S: Source>(
    noise: TableNoise<'_>,
    fibres: &[&'a Fibre],
    centre: &[i64],
    source: &S,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Measured<'a, S>, Problem> {
    let mut values = Vec::new();
    let (mut on_cells, mut on_sums): (Vec<u32>, Vec<Vec<u32>>) = (Vec::new(), vec![Vec::new(); noise.rates.len()]);
    let blocks = layout(fibres, |number, measured| {
        match measured {
            Measurement::Cell(cell) => {
                on_cells.push(number);
                values.push(centre[cell as usize]);
            }
            Measurement::Sum { query, group } => {
                on_sums[query as usize].push(number);
                values.push(noise.sums[query as usize][group as usize]);
            }
        };
    })?;
    let mut parts: Vec<ReadyPart<'_>> = Vec::new();
    if !on_cells.is_empty() {
        let sampler = Independent::of(noise.law)
            .ok_or_else(|| Problem::refused(format!("{} noise is not drawn cell by cell", noise.law.name())))?;
        parts.push(ReadyPart::Noise(Arc::new(sampler), vec![on_cells.as_slice()]));
    }
    for (rate, sums) in noise.rates.iter().zip(&on_sums).filter(|(_, sums)| !sums.is_empty()) {
        parts.push(ReadyPart::Noise(Arc::new(Independent::double_geometric(rate)), vec![sums.as_slice()]));
    }
    draw_parts(&parts, source, progress, &mut values)?;
    Ok(Measured { blocks, values, exactness: Exactness::Exact, source: PhantomData })
}

/// What one measurement is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measurement {
    /// A cell of the table.
    Cell(u32),
    /// The sum of a group of a query.
    Sum {
        /// The query.
        query: u32,
        /// The group.
        group: u32,
    },
}

/// Where the measurements of every block stand; `visit` is told of each, in order.
fn layout<'a>(
    fibres: &[&'a Fibre],
    mut visit: impl FnMut(u32, Measurement),
) -> Result<Vec<(&'a Fibre, Range<usize>)>, Problem> {
    let mut blocks = Vec::with_capacity(fibres.len());
    let (mut seen, mut count) = (HashSet::new(), 0);
    for fibre in fibres {
        let start = count;
        if fibre.noise_on_cells {
            for cell in &fibre.cells {
                visit(place(count)?, Measurement::Cell(*cell));
                count += 1;
            }
        }
        for row in &fibre.rows {
            let Demand::Noisy { query, group, .. } = row.demand else { continue };
            // A sum that two blocks measured would lose twice what is stated.
            if !seen.insert((query, group)) {
                return Err(Problem::refused("two blocks share a noisy sum"));
            }
            visit(place(count)?, Measurement::Sum { query, group });
            count += 1;
        }
        blocks.push((*fibre, start..count));
    }
    Ok(blocks)
}

fn place(place: usize) -> Result<u32, Problem> {
    u32::try_from(place).map_err(|_| Problem::refused("a table has too many measurements"))
}

impl<'a, S: Source> Measured<'a, S> {
    /// Measurements of these blocks that were made before; `None` when they are not as many.
    pub(crate) fn again(fibres: &[&'a Fibre], values: Vec<i64>, exactness: Exactness) -> Option<Measured<'a, S>> {
        let blocks = layout(fibres, |_, _| {}).ok()?;
        let count = blocks.last().map_or(0, |(_, range)| range.end);
        (count == values.len()).then_some(Measured { blocks, values, exactness, source: PhantomData })
    }

    /// All measurements, in the order of the blocks.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// What every measurement is of, in the same order.
    pub fn measurements(&self) -> Vec<Measurement> {
        let fibres: Vec<&Fibre> = self.blocks.iter().map(|(fibre, _)| *fibre).collect();
        let mut found = Vec::with_capacity(self.values.len());
        // They were laid out once already.
        let _ = layout(&fibres, |_, measured| found.push(measured));
        found
    }

    /// How exactly they were drawn.
    pub fn exactness(&self) -> &Exactness {
        &self.exactness
    }

    /// The measurements of every block, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &[i64]> {
        self.blocks.iter().map(|(_, range)| &self.values[range.clone()])
    }

    /// The table that `nearest` makes of the measurements, block by block; the cells in no block
    /// get their public values.
    ///
    /// Contract, on which theorem G7 rests: `nearest` is a function of the number of the block, its
    /// measurements and public values. It must never look at the confidential table.
    ///
    /// # Errors
    /// That of `nearest`; refused when what it returns does not keep what the block must keep, or
    /// when a cell has no value.
    pub fn project(
        self,
        cells: usize,
        fixed: &[(Cell, i64)],
        nearest: impl Fn(usize, &[i64]) -> Result<Vec<i64>, Problem> + Sync,
    ) -> Result<Drawn<S>, Problem> {
        let project = |(number, (fibre, range)): (usize, &(&Fibre, Range<usize>))| {
            let counts = nearest(number, &self.values[range.clone()])?;
            fibre.contains(&counts).then_some(counts).ok_or_else(|| {
                Problem::refused("a projection left the tables that it must keep to: a bug in this program")
            })
        };
        let projected: Vec<Vec<i64>> = self.blocks.par_iter().enumerate().map(project).collect::<Result<_, _>>()?;
        let mut values: Vec<Option<i64>> = vec![None; cells];
        fixed.iter().for_each(|(cell, value)| values[*cell] = Some(*value));
        for ((fibre, _), counts) in self.blocks.iter().zip(projected) {
            fibre.cells.iter().zip(counts).for_each(|(cell, count)| values[*cell as usize] = Some(count));
        }
        let values = values.into_iter().collect::<Option<Vec<i64>>>().ok_or_else(|| {
            Problem::refused("a cell is in no block and no total determines it: a bug in this program")
        })?;
        Ok(Drawn::new(values, self.exactness))
    }
}
