//! `Case`: what is public of a release, from its declaration to its plan. Every command starts from
//! it.
//!
//! ```
//! use declare::Declaration;
//! use plan::Case;
//!
//! let spec = r#"
//!     title = "Two by two"
//!     [data]
//!     path = "rows.csv"
//!     public = true
//!     [dimensions]
//!     county = ["Alpha", "Beta"]
//!     sex = ["F", "M"]
//!     [[invariant]]
//!     by = ["county"]
//!     [constraints]
//!     nonnegative = false
//!     [mechanism]
//!     noise = "double-geometric"
//!     epsilon = "1/4"
//!     per = "unit"
//! "#;
//! let case = Case::of(Declaration::parse_alone(spec, "spec.toml")?)?;
//! let totals = case.totals(&[5, 3, 8, 1])?;
//! let analysis = case.analyse(&totals)?;
//! let plan = case.plan(&analysis)?;
//! assert_eq!(plan.blocks.len(), 2);
//! # Ok::<(), declare::Problem>(())
//! ```

use analyse::{Analysis, analyse};
use declare::{Conditions, Declaration, Domain, Fold, MOST_CELLS, Problem};
use disclose::with_nearest;

/// A declaration and what follows from it alone.
#[derive(Debug, Clone)]
pub struct Case {
    /// The declaration.
    pub declaration: Declaration,
    /// The live cells.
    pub domain: Domain,
    /// What the release must satisfy; of a table that is streamed, that of the small table with the
    /// same structure.
    pub conditions: Conditions,
    /// The small table with the same structure, when the table is streamed: never in memory whole.
    pub fold: Option<Fold>,
}

impl Case {
    /// Of a table that is in memory whole.
    ///
    /// # Errors
    /// As [`Case::streamed_above`].
    pub fn of(declaration: Declaration) -> Result<Case, Problem> {
        Case::streamed_above(declaration, usize::MAX)
    }

    /// Of a table that is streamed if it has more than so many combinations of values and its
    /// totals allow that.
    ///
    /// # Errors
    /// Bad when the declaration contradicts itself, or when the table fits neither memory nor a
    /// stream.
    pub fn streamed_above(declaration: Declaration, cells: usize) -> Result<Case, Problem> {
        let domain = declaration.domain()?;
        let fold = declaration.fold_above(cells);
        if fold.is_none() && domain.len() > MOST_CELLS {
            let message = format!("the table has {} cells: here at most {MOST_CELLS} fit in memory", domain.len());
            return Err(Problem::bad(message)
                .hint("`check`, `explain` and `release` stream such a table; or use coarser values"));
        }
        let conditions = declaration.conditions(fold.as_ref().map_or(&domain, |fold| &fold.domain))?;
        Ok(Case { declaration, domain, conditions, fold })
    }

    /// The public totals of a table, or of the small table when it is streamed.
    ///
    /// # Errors
    /// Bad when one does not fit machine integers.
    pub fn totals(&self, counts: &[i64]) -> Result<Vec<Vec<i64>>, Problem> {
        self.conditions.totals(counts)
    }

    /// What totals say about the tables that have them, with the sizes of the table itself.
    ///
    /// # Errors
    /// When no table has them.
    pub fn analyse(&self, totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
        let analysis = analysis_of(&self.conditions, totals)?;
        Ok(match &self.fold {
            Some(fold) => analysis.unfolded(fold),
            None => analysis,
        })
    }
}

/// What totals say about the tables that have them, as a plan needs it: with how near two of them
/// are known to be.
///
/// # Errors
/// When no table has them.
pub fn analysis_of(conditions: &Conditions, totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
    Ok(with_nearest(analyse(conditions, totals)?, conditions, totals))
}
