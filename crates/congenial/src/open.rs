//! Opens a spec, reads the table it names and analyses it: the steps that every command shares.

use crate::verify::earlier;
use analyse::{Analysis, analyse};
use certify::{DisclosedCell, disclosed, totals_of};
use declare::{Conditions, Declaration, Domain, Grouping, Kind, Outside, Problem};
use draw::{BlockDraw, TableNoise, TableSampler};
use exact::Rational;
use plan::{ErrorProfile, Plan, PlannedBlock, error_profile, plan};
use std::path::{Path, PathBuf};
use tabulate::{Tabulated, public_table, tabulate};

/// A spec and what follows from it alone.
#[derive(Debug)]
pub struct Opened {
    /// The folder of the spec: the data file is relative to it.
    pub folder: PathBuf,
    /// The declaration.
    pub declaration: Declaration,
    /// The live cells.
    pub domain: Domain,
    /// What the release must satisfy.
    pub conditions: Conditions,
}

/// An opened spec with its table, the public totals and what they say. The table is confidential; all the rest is public.
#[derive(Debug)]
pub struct Analysed {
    /// The spec.
    pub opened: Opened,
    /// The table and what was left out of it. Shows nothing when printed.
    pub tabulated: Tabulated,
    /// The totals that the release keeps, by invariant.
    pub totals: Vec<Vec<i64>>,
    /// What the totals that are kept say about the fibre.
    pub analysis: Analysis,
}

/// An analysed table and the plan to release it.
#[derive(Debug)]
pub struct Prepared {
    /// The table and its totals.
    pub analysed: Analysed,
    /// The plan.
    pub plan: Plan,
}

/// The noise on sums of cells. Confidential.
pub(crate) struct NoisySums {
    pub(crate) rates: Vec<Rational>,
    pub(crate) sums: Vec<Vec<i64>>,
}

impl Opened {
    /// Reads and validates a spec.
    pub fn open(spec: &Path) -> Result<Opened, Problem> {
        let declaration = Declaration::load_with(spec, Outside { earlier: &earlier, tables: &public_table })?;
        let domain = declaration.domain()?;
        let conditions = declaration.conditions(&domain)?;
        let folder = spec.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        Ok(Opened { folder, declaration, domain, conditions })
    }

    /// Reads the table, checks that it satisfies its own rules, computes the public totals and analyses them.
    pub fn analyse(self, progress: &mut dyn FnMut(u64)) -> Result<Analysed, Problem> {
        let path = self.folder.join(&self.declaration.data.path);
        let tabulated = tabulate(&self.declaration, &self.domain, &path, progress)?;
        let counts = tabulated.table.counts();
        let totals = self.conditions.totals(counts)?;
        // What no table satisfies is said before this table is blamed for it.
        let analysis = analyse(&self.conditions, &totals);
        if !analysis.as_ref().is_err_and(|problem| problem.kind == Kind::Infeasible) {
            self.conditions.check_table(counts)?;
        }
        let analysis = analysis?;
        Ok(Analysed { opened: self, tabulated, totals, analysis })
    }
}

impl Analysed {
    /// Plans the release.
    pub fn plan(self) -> Result<Prepared, Problem> {
        let plan = plan(&self.opened.declaration, &self.opened.conditions, &self.analysis)?;
        Ok(Prepared { analysed: self, plan })
    }

    /// Cells whose value the totals alone disclose, the first of them by name, and how many there are.
    pub fn disclosed(&self) -> (Vec<DisclosedCell>, usize) {
        disclosed(&self.analysis.disclosed, &self.opened.domain)
    }

    /// How many rows of the data file were left out, by reason, if any: for the curator's eyes only.
    pub fn left_out(&self) -> Vec<(u64, &'static str)> {
        let tabulated = &self.tabulated;
        [
            (tabulated.rows_filtered, "not selected by [data] where"),
            (tabulated.rows_dropped_missing, "with a missing value (missing = \"drop\")"),
            (tabulated.rows_dropped_outside, "outside the declared domain (outside = \"drop\")"),
        ]
        .into_iter()
        .filter(|(rows, _)| *rows > 0)
        .collect()
    }
}

impl Prepared {
    /// Opens a spec, reads and analyses its table, and plans its release.
    pub fn open(spec: &Path, progress: &mut dyn FnMut(u64)) -> Result<Prepared, Problem> {
        Opened::open(spec)?.analyse(progress)?.plan()
    }

    /// The spec.
    pub fn opened(&self) -> &Opened {
        &self.analysed.opened
    }

    /// The confidential counts, in cell order.
    pub(crate) fn counts(&self) -> &[i64] {
        self.analysed.tabulated.table.counts()
    }

    /// The blocks to draw.
    pub fn blocks(&self) -> Vec<BlockDraw<'_>> {
        self.plan.blocks.iter().map(PlannedBlock::to_draw).collect()
    }

    /// What a sampler must know of the noise on sums of cells: the rate of every query, and its sums in the table.
    pub(crate) fn noisy_sums(&self) -> Result<NoisySums, Problem> {
        let rates = self.plan.queries.iter().map(|query| query.rate.clone()).collect();
        let queries: Vec<Grouping> =
            self.opened().conditions.queries.iter().map(|query| query.grouping.clone()).collect();
        Ok(NoisySums { rates, sums: totals_of(&queries, self.counts())? })
    }

    /// The samplers of the table, around its confidential counts.
    pub(crate) fn sampler<'a>(&'a self, noisy: &NoisySums) -> Result<TableSampler<'a>, Problem> {
        let noise = TableNoise { law: &self.plan.law, rates: &noisy.rates, sums: &noisy.sums };
        Ok(TableSampler::new(noise, &self.blocks(), self.counts())?.keeping(&self.plan.fixed))
    }

    /// Exact quantiles of the noise, by kind of cell and margin: for plans with nothing but totals that nest.
    pub(crate) fn error_profile(&self) -> ErrorProfile {
        error_profile(&self.plan, &self.opened().domain)
    }
}
