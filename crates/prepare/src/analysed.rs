//! `LoadedTable`: a table that was read. `Analysed`: its public totals and what they say.

use crate::given::Opened;
use crate::progress::{Progress, Stage};
use crate::recognise::check_public;
use analyse::Analysis;
use certify::{Confined, confined, enforce};
use declare::{Kind, Problem};
use plan::Case;
use tabulate::{FirstReading, Reading, Tabulated, tabulate_as, tabulate_sorted};

/// An opened spec with its table, of which nothing was told yet. All of it is confidential but the
/// spec.
#[derive(Debug)]
pub struct LoadedTable {
    /// The spec.
    pub opened: Opened,
    /// The table and what was left out of it; of a table that is streamed, the small table with the
    /// same totals. Shows nothing when printed.
    pub tabulated: Tabulated,
    /// What the second reading of a streamed table must find again.
    pub first_reading: Option<FirstReading>,
}

/// An opened spec with its table, the public totals and what they say. The table is confidential;
/// all the rest is public.
#[derive(Debug)]
pub struct Analysed {
    /// The spec.
    pub opened: Opened,
    /// The table and what was left out of it; of a table that is streamed, the small table with the
    /// same totals. Shows nothing when printed.
    pub tabulated: Tabulated,
    /// What the second reading of a streamed table must find again.
    pub first_reading: Option<FirstReading>,
    /// The totals that the release keeps, by invariant.
    pub totals: Vec<Vec<i64>>,
    /// What the totals that are kept say about the fibre.
    pub analysis: Analysis,
}

impl Opened {
    /// Reads the table. A public table is read once no ledger knows it as a confidential one, and
    /// is checked to satisfy what is declared; of a confidential one that is trusted, and
    /// `congenial::confirm` tells the curator.
    pub fn load(self, progress: &dyn Progress) -> Result<LoadedTable, Problem> {
        let progress = &mut progress.of(Stage::Reading);
        if self.declaration.data.public {
            check_public(&self.case, &self.folder, self.origin(), progress)?;
        }
        let Case { declaration, domain, .. } = &self.case;
        let (origin, reading) = (self.origin(), self.reading());
        let (tabulated, first_reading) = match &self.fold {
            None => (tabulate_as(reading, declaration, domain, origin, progress)?, None),
            Some(fold) => {
                let (tabulated, first) = tabulate_sorted(reading, declaration, domain, fold, origin, progress)?;
                (tabulated, Some(first))
            }
        };
        // A file of a header alone is no table, whatever is declared.
        if tabulated.rows.read == 0 && self.counts.is_none() {
            let name = declaration.data.frame.as_ref().unwrap_or(&declaration.data.path);
            return Err(Problem::bad(format!("`{name}` has no rows: nothing stands below its header"))
                .hint("is it the right file? A table of no records at all tells nothing but that"));
        }
        Ok(LoadedTable { opened: self, tabulated, first_reading })
    }

    /// Reads the table, computes the public totals and analyses them.
    pub fn analyse(self, progress: &dyn Progress) -> Result<Analysed, Problem> {
        self.load(progress)?.analyse()
    }
}

impl LoadedTable {
    /// Computes the public totals and analyses them.
    ///
    /// # Errors
    /// Infeasible when no table has these totals: of confidential data that is an answer about
    /// them.
    pub fn analyse(self) -> Result<Analysed, Problem> {
        let LoadedTable { opened, tabulated, first_reading } = self;
        let counts = tabulated.table.counts();
        let totals = opened.totals(counts)?;
        // What no table satisfies is said before this table is blamed for it.
        let analysis = opened.case.analyse(&totals);
        let infeasible = analysis.as_ref().is_err_and(|problem| problem.kind == Kind::Infeasible);
        if opened.reading() == Reading::Strict && !infeasible {
            opened.conditions.check_table(counts)?;
        }
        Ok(Analysed { tabulated, first_reading, totals, analysis: analysis?, opened })
    }
}

impl Analysed {
    /// What the totals say about all cells and sums; `progress` is told of those that are done.
    ///
    /// # Errors
    /// As [`certify::confined`] says.
    pub fn confined(&self, progress: &dyn Progress) -> Result<Confined, Problem> {
        confined(&self.opened.case, &self.totals, &progress.of(Stage::Searching))
    }

    /// Whether the totals alone leave more than one table, and confine no cell that the spec calls
    /// sensitive.
    ///
    /// # Errors
    /// Refused when they do.
    pub fn enforce(&self, confined: &Confined) -> Result<(), Problem> {
        confined.check_open(&self.opened.case)?;
        enforce(&self.opened.case, &confined.ranges, confined.emptied.as_deref())
    }

    /// How many rows of public data were left out or changed, and why, if any. Of confidential data
    /// nothing is said.
    pub fn left_out(&self) -> Vec<(u64, &'static str)> {
        if self.opened.declaration.data.public { left_out(&self.tabulated) } else { Vec::new() }
    }
}

/// How many rows were left out or changed, and why, if any: of confidential data for the curator's
/// eyes only.
pub fn left_out(tabulated: &Tabulated) -> Vec<(u64, &'static str)> {
    let rows = &tabulated.rows;
    [
        (rows.filtered, "left out: not selected by [data] where"),
        (rows.dropped_missing, "left out: with a missing value (missing = \"drop\")"),
        (rows.dropped_outside, "left out: outside the declared domain (outside = \"drop\")"),
        (rows.dropped_beyond, "left out: beyond the rows that are counted of a unit (beyond = \"drop\")"),
        (rows.negative, "counted as 0: with a count below zero (negative = \"zero\")"),
    ]
    .into_iter()
    .filter(|(rows, _)| *rows > 0)
    .collect()
}
