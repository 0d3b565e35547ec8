//! `Fold`: a small table with the structure of a large one, whose cells differ only in dimensions
//! that no total looks at.
//!
//! Totals by the first dimensions cannot tell apart cells that differ in later ones alone. So two
//! cells stand for all that agree on the dimensions up to the last one that a total uses: two,
//! because what matters is whether a group has one cell or several. Rank, blocks, steps between
//! tables and their prices are the same for both tables; sizes are not, and are unfolded. Every
//! total is then a range of cells in cell order, so such a table can be released without holding
//! it. Proof: `crates/analyse/proofs/folding.md`.

use crate::declaration::{Declaration, Method, Policy};
use crate::domain::{Cell, Domain};
use crate::invariant::Sums;
use crate::schema::{Cleaning, Dimension, Record, Schema, Values};
use std::ops::Range;

/// The most combinations of values that a table may have which is released without being in memory
/// whole.
pub const MOST_STREAMED: usize = 1 << 32;

/// The most cells of the small table, which is analysed in memory.
const MOST_FOLDED: usize = 1 << 24;

/// The most cells that a cascade splits a total over at once, in memory.
const MOST_SPLIT: usize = 1 << 20;

/// How many cells of the small table stand for those that no total tells apart.
const KEPT: usize = 2;

/// The small table, and how many cells of the large one lie behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// The cells of the small table.
    pub domain: Domain,
    /// How many cells of the large table agree on all dimensions that totals use.
    each: usize,
}

impl Fold {
    /// The cell of the small table whose count a cell of the large one is added to: the totals stay
    /// the same.
    #[inline]
    pub fn place(&self, cell: Cell) -> Cell {
        cell / self.each * KEPT
    }

    /// How many consecutive cells of the large table, from a multiple of this on, have the same
    /// place.
    pub fn each(&self) -> usize {
        self.each
    }

    /// The number of cells of the large table.
    pub fn cells(&self) -> usize {
        self.domain.len() / KEPT * self.each
    }

    /// The cells of the large table that consecutive cells of the small one stand for; `None` when
    /// these cut a place in two.
    pub fn unfold(&self, cells: Range<Cell>) -> Option<Range<Cell>> {
        let whole = cells.start.is_multiple_of(KEPT) && cells.end.is_multiple_of(KEPT);
        whole.then(|| cells.start / KEPT * self.each..cells.end / KEPT * self.each)
    }

    /// How many cells of the large table a number of cells of the small one stand for.
    pub fn size(&self, cells: usize) -> usize {
        cells / KEPT * self.each
    }
}

impl Declaration {
    /// The small table with the same structure, if the large one has more combinations of values
    /// than this and there is one.
    pub fn fold_above(&self, combinations: usize) -> Option<Fold> {
        let large = self.schema.combinations().is_some_and(|all| all > combinations);
        if large { self.fold().ok() } else { None }
    }

    /// The small table with the same structure.
    ///
    /// # Errors
    /// Why there is none, in words that follow `because`.
    pub fn fold(&self) -> Result<Fold, String> {
        let schema = &self.schema;
        let conditioned = self.mechanism.method != Method::Unconstrained;
        let cascaded = self.mechanism.method == Method::Cascade;
        let reason = match () {
            () if self.mechanism.order.is_some() => "a public table orders its cells (`order_by`)",
            () if self.mechanism.method.projects() => "a projection needs all cells of a total at once",
            () if self.data.beyond == Policy::Drop => "which rows of a unit are counted is known when all are read",
            () if !self.constraints.zero.is_empty() => "it has structural zeros",
            () if conditioned && !cascaded && self.constraints.nonnegative => {
                "counts are kept at or above zero (`nonnegative = true`)"
            }
            () if conditioned && !self.constraints.rules.is_empty() => "rules bind its counts",
            () if !cascaded && !self.mechanism.queries.is_empty() => "noise sits on sums of cells",
            () if !self.outputs.is_empty() => "tables are derived from it (`[[output]]`)",
            () if matches!(schema.measures(), Some((_, columns, Record::Any)) if columns.len() > 1) => {
                "a record may be counted in several measures"
            }
            () => "",
        };
        if !reason.is_empty() {
            return Err(reason.to_string());
        }
        let mut used = 0;
        // Whether some totals, or some noise, are those of the places themselves: all that agree on
        // the dimensions that are used.
        let mut of_places = false;
        let mut use_of = |by: &[String]| {
            let Some(Leading { dimensions, whole }) = leading(schema, by) else {
                let by = by.join(", ");
                return Err(format!(
                    "the totals by {by} are not sums of neighbouring cells: `by` must be the first dimensions"
                ));
            };
            of_places = (of_places && used >= dimensions) || (whole && dimensions >= used);
            used = used.max(dimensions);
            Ok(())
        };
        for invariant in self.invariants.iter().filter(|_| conditioned) {
            if invariant.pinned.is_some() || !matches!(invariant.sums, Sums::Cells(None)) {
                return Err("an invariant is more than plain totals of the table".to_string());
            }
            use_of(&invariant.by)?;
        }
        for query in self.mechanism.queries.iter().filter(|query| !is_by_cells(schema, &query.by)) {
            if query.filter.is_some() {
                return Err("noise sits on sums of some cells only".to_string());
            }
            use_of(&query.by)?;
        }
        let each = schema.dimensions[used..].iter().try_fold(1usize, |each, d| each.checked_mul(d.values.len()));
        let kept = schema.dimensions[..used].iter().try_fold(KEPT, |kept, d| kept.checked_mul(d.values.len()));
        let (Some(each), Some(kept)) = (each, kept) else {
            return Err("its cells cannot be numbered".to_string());
        };
        if each < KEPT {
            return Err("its totals use every dimension".to_string());
        }
        if cascaded && !(of_places && used > 0) {
            return Err("a cascade is streamed where the finest totals, or the finest noise above the cells, are those of the first \
                        dimensions whole: give a share of rho to these"
                .to_string());
        }
        if cascaded && each > MOST_SPLIT {
            return Err(format!("a cascade is streamed by groups of at most {MOST_SPLIT} cells"));
        }
        if kept > MOST_FOLDED {
            return Err(format!("its totals have more than {} groups", MOST_FOLDED / KEPT));
        }
        let rest = Dimension {
            // No name of a spec is empty, so no total can ask for it.
            name: String::new(),
            column: String::new(),
            values: Values::Integers { first: 0, last: KEPT as i64 - 1 },
            cleaning: Cleaning::default(),
        };
        let dimensions = schema.dimensions[..used].iter().cloned().chain([rest]).collect();
        Ok(Fold { domain: Domain::new(Schema { dimensions }, kept, None), each })
    }
}

/// Whether sums by these names are the cells themselves.
fn is_by_cells(schema: &Schema, by: &[String]) -> bool {
    let all = schema.dimensions.len();
    leading(schema, by).is_some_and(|leading| leading.whole && leading.dimensions == all)
}

/// The first dimensions that the names of some sums use.
struct Leading {
    /// How many.
    dimensions: usize,
    /// Whether the last one is used whole, as the others are.
    whole: bool,
}

/// How many of the first dimensions these names use, if their groups are ranges of cells: all but
/// the last of them whole, the last whole or by a level whose nodes are neighbours.
fn leading(schema: &Schema, by: &[String]) -> Option<Leading> {
    let mut finest: Vec<Option<Option<usize>>> = vec![None; schema.dimensions.len()];
    for name in by {
        let (dimension, level) = schema.resolve(name)?;
        finest[dimension] = Some(match (finest[dimension], level) {
            (Some(None), _) | (_, None) => None,
            (Some(Some(other)), Some(level)) => Some(other.max(level)),
            (None, level) => level,
        });
    }
    let used = finest.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let whole = |dimension: usize| match (finest[dimension], &schema.dimensions[dimension].values) {
        (Some(None), _) => true,
        // The finest level may be the leaves themselves.
        (Some(Some(level)), Values::Hierarchy(levels)) => levels.labels[level].len() == levels.keys.len(),
        _ => false,
    };
    let ordered = |dimension: usize| match (finest[dimension], &schema.dimensions[dimension].values) {
        (Some(Some(level)), Values::Hierarchy(levels)) => {
            let codes = &levels.codes[level];
            let starts = codes.windows(2).filter(|pair| pair[0] != pair[1]).count() + 1;
            starts == levels.labels[level].len()
        }
        _ => true,
    };
    let ranges = (0..used).all(|dimension| whole(dimension) || (dimension + 1 == used && ordered(dimension)));
    ranges.then(|| Leading { dimensions: used, whole: (0..used).all(whole) })
}
