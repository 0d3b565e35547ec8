//! `Mechanism`: a declaration around a table in memory, planned: what comparisons, audits and
//! experiments draw from.

use crate::prepared::supported;
use crate::progress::Progress;
use crate::sampling::{NoisySums, Sampling, sampling};
use analyse::{Analysis, Fibre, Ground};
use declare::{Conditions, Declaration, NO_GROUP, Problem};
use draw::Growth;
use plan::{CascadeLevel, Case, Plan, PlannedQuery, decimal};

/// A planned table. It holds the counts: for public tables, or the curator's eyes.
#[derive(Debug)]
pub struct Mechanism {
    /// The declaration and what follows from it.
    pub case: Case,
    /// What its totals say.
    pub analysis: Analysis,
    /// How it is drawn.
    pub plan: Plan,
    /// The table.
    pub counts: Vec<i64>,
}

impl Mechanism {
    /// Analyses and plans.
    ///
    /// # Errors
    /// As those of a release.
    pub fn new(declaration: Declaration, counts: Vec<i64>) -> Result<Mechanism, Problem> {
        let case = Case::of(declaration)?;
        let analysis = case.analyse(&case.totals(&counts)?)?;
        case.conditions.check_table(&counts)?;
        let plan = case.plan(&analysis)?;
        Ok(Mechanism { case, analysis, plan, counts })
    }

    /// With coupled chains for its walks, if it has some.
    pub fn supported(mut self, progress: &dyn Progress) -> Result<Mechanism, Problem> {
        self.plan = supported(self.plan, self.case.declaration.mechanism.max_delta.as_ref(), progress)?;
        Ok(self)
    }

    /// The noise on sums of cells.
    pub fn noisy_sums(&self) -> Result<NoisySums, Problem> {
        NoisySums::of(&self.plan, &self.case.conditions, &self.counts)
    }

    /// The table, ready to be drawn.
    pub fn sampling<'a>(&'a self, noisy: &'a NoisySums) -> Result<Sampling<'a>, Problem> {
        sampling(&self.plan, &self.counts, noisy)
    }

    /// With what coupled chains said about the walks of the same mechanism around another table of
    /// the fibre.
    pub fn with_evidence_of(mut self, other: &Mechanism) -> Result<Mechanism, Problem> {
        let evidence: Vec<_> = other.plan.walks().filter_map(|planned| planned.evidence.clone()).collect();
        if let Some(max_delta) = self.case.declaration.mechanism.max_delta.clone().filter(|_| !evidence.is_empty()) {
            self.plan = self.plan.supported_by(evidence, &max_delta)?;
        }
        Ok(self)
    }

    /// The blocks as fibres.
    pub fn fibres(&self) -> Result<Vec<Fibre>, Problem> {
        let ground = Ground::new(&self.case.conditions, &self.analysis.particular, &self.analysis.fixed);
        self.analysis.blocks.iter().map(|block| Fibre::new(&self.case.conditions, &ground, &block.cells)).collect()
    }

    /// The noise before conditioning or projecting, in words.
    pub fn noise_in_words(&self) -> String {
        if !self.plan.queries.is_empty() {
            let one = |query: &PlannedQuery| format!("{} at rate {}", query.label, decimal(query.rate.to_f64()));
            return format!(
                "double geometric on sums: {}",
                self.plan.queries.iter().map(one).collect::<Vec<_>>().join(", ")
            );
        }
        if let Some(levels) =
            self.plan.cascade.as_ref().map(|cascaded| &cascaded.levels).filter(|levels| levels.len() > 1)
        {
            let one = |level: &CascadeLevel| format!("{}, σ² = {}", level.label, decimal(level.variance.to_f64()));
            return format!("discrete Gaussian on sums: {}", levels.iter().map(one).collect::<Vec<_>>().join("; "));
        }
        let law = &self.plan.law;
        let (title, parameter) = (law.family().title, decimal(law.parameter().to_f64()));
        match law.growth() {
            Growth::Square => format!("{title}, σ² = {parameter}"),
            Growth::Absolute | Growth::Norm | Growth::Other => format!("{title}, rate {parameter} per unit"),
        }
    }
}

/// For every cell how many share the smallest exact total that it is in; 0 for cells in none.
pub fn group_sizes(conditions: &Conditions) -> Vec<u64> {
    let mut sizes = vec![0u64; conditions.cells];
    for grouping in &conditions.invariants {
        let mut members = vec![0u64; grouping.groups()];
        let grouped = || grouping.group_of.iter().enumerate().filter(|(_, group)| **group != NO_GROUP);
        grouped().for_each(|(_, group)| members[*group as usize] += 1);
        for (cell, group) in grouped() {
            let size = members[*group as usize];
            sizes[cell] = if sizes[cell] == 0 { size } else { sizes[cell].min(size) };
        }
    }
    sizes
}
