//! `Lattice`: the integer tables that change no total, by a basis that is verified before anyone
//! sees it.
//!
//! `Λ = {z ∈ Z^d : A·z = 0}`. A basis must generate all of Λ: vectors that generate a part of it
//! only, say the even multiples, look right and make a walk miss tables. Three facts together show
//! a basis (`proofs/lattice.md`): `A·b = 0` for each vector; some integer matrix W has `W·B`
//! unimodular, so that B is *saturated*; and there are as many vectors as cells less the rank of A,
//! which is at least the rank modulo a prime. All three are checked exactly, on what is returned
//! and with the rows that came in.

pub(crate) mod core;
mod modular;
mod pair;
pub(crate) mod pivots;
mod product;
mod reduce;
mod verify;

use self::core::{Core, Large};
use crate::fibre::Fibre;
use declare::Problem;
use pivots::{Echelon, Sums, TooLarge};
use verify::{Claim, Group, How, verify};

/// Places of cells, increasing, with values that are not zero.
pub(crate) type Vector = Vec<(u32, i64)>;

/// The largest dimension in which a basis is reduced by LLL; beyond, vectors are reduced by each
/// other in pairs.
pub(crate) const MOST_REDUCED: usize = 300;

/// All integer tables whose sums are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    cells: usize,
    basis: Vec<Vector>,
}

impl Lattice {
    /// The integer kernel of sparse rows over this many cells: of all z with `Σ times·z = 0` in
    /// every row.
    ///
    /// Pivots of ±1 first, the Smith normal form where none are left. The vectors are as short as
    /// this leaves them.
    ///
    /// # Errors
    /// Refused when an entry of a vector has more than 18 digits.
    pub fn kernel(cells: usize, rows: &[&[(u32, i64)]]) -> Result<Lattice, Problem> {
        let Kernel { basis, group, rank_columns } = Kernel::new(cells, rows).map_err(too_large)?;
        verify(cells, rows, &basis, &Claim { groups: vec![group], rank_columns })?;
        Ok(Lattice { cells, basis })
    }

    /// The lattice of a block, by short vectors: differences of cells that no total tells apart,
    /// products of differences in tables with margins (2×2 swaps when there are two dimensions),
    /// and otherwise a kernel that is reduced.
    ///
    /// # Errors
    /// Refused when an entry of a vector has more than 18 digits.
    pub fn of_fibre(fibre: &Fibre) -> Result<Lattice, Problem> {
        let rows: Vec<&[(u32, i64)]> = fibre.equalities().map(|(entries, _)| entries).collect();
        let (basis, claim) = reduce::short(fibre.cells.len(), &rows)?;
        verify(fibre.cells.len(), &rows, &basis, &claim)?;
        Ok(Lattice { cells: fibre.cells.len(), basis })
    }

    /// The vectors: places of cells, increasing, with values that are not zero.
    pub fn basis(&self) -> &[Vec<(u32, i64)>] {
        &self.basis
    }

    /// For every cell the numbers of the vectors that move it.
    pub fn vectors_at(&self) -> Vec<Vec<u32>> {
        let mut vectors_at: Vec<Vec<u32>> = vec![Vec::new(); self.cells];
        for (number, vector) in self.basis.iter().enumerate() {
            vector.iter().for_each(|(cell, _)| vectors_at[*cell as usize].push(number as u32));
        }
        vectors_at
    }

    /// The number of vectors.
    pub fn dimension(&self) -> usize {
        self.basis.len()
    }

    /// The rank of the rows: cells less dimension.
    pub fn rank(&self) -> usize {
        self.cells - self.basis.len()
    }
}

/// A kernel with what shows it to be one.
pub(crate) struct Kernel {
    pub(crate) basis: Vec<Vector>,
    pub(crate) group: Group,
    pub(crate) rank_columns: Vec<(u32, Option<u32>)>,
}

impl Kernel {
    pub(crate) fn new(cells: usize, rows: &[&[(u32, i64)]]) -> Result<Kernel, TooLarge> {
        let echelon = Echelon::new(cells, rows);
        let core = Core::new(&echelon.core);
        let mut sums = Sums::new(&echelon);
        let mut is_free: Vec<bool> = echelon.is_pivot().iter().map(|pivot| !pivot).collect();
        core.cells().for_each(|cell| is_free[cell as usize] = false);
        let (mut basis, mut group) = (Vec::new(), Group { how: How::Steps(Vec::new()), ..Group::default() });
        for cell in (0..cells as u32).filter(|cell| is_free[*cell as usize]) {
            basis.push(echelon.complete(&[(cell, 1)], &mut sums)?);
            group.leads.push(cell);
        }
        for (cell, vector) in core.combinations() {
            basis.push(echelon.complete(&small(&vector)?, &mut sums)?);
            group.leads.push(cell);
        }
        for (vector, dual) in core.kernel() {
            basis.push(echelon.complete(&small(&vector)?, &mut sums)?);
            group.duals.push(dual);
        }
        let pivots = echelon.pivots.iter().map(|pivot| (pivot.cell, Some(pivot.row as u32)));
        let rank_columns = pivots.chain(core.independent().iter().map(|cell| (*cell, None))).collect();
        Ok(Kernel { basis, group, rank_columns })
    }
}

/// In machine integers.
fn small(vector: &Large) -> Result<Vector, TooLarge> {
    vector.iter().map(|(cell, value)| i64::try_from(value).map(|value| (*cell, value)).map_err(|_| TooLarge)).collect()
}

pub(crate) fn too_large(_: TooLarge) -> Problem {
    Problem::refused("the totals take cells so many times that steps between tables have more than 18 digits")
        .hint("divide the coefficients of `terms` or `matrix` by what they have in common, or declare fewer of them")
}
