//! `Prepared`: an analysed table and the plan to release it.

use crate::analysed::Analysed;
use crate::given::{Given, Opened};
use crate::memory::{check_memory, has_memory, too_large};
use crate::progress::{Progress, Stage};
use crate::remembered::Remembered;
use crate::sampling::{NoisySums, Sampling, sampling, sampling_once};
use crate::suggest::leading_on;
use analyse::some_table;
use certify::emptied;
use declare::Problem;
use draw::BlockDraw;
use exact::Rational;
use plan::{Case, ErrorProfile, Plan, PlannedBlock, error_profile};
use publish::STREAM_ABOVE;

/// An analysed table and the plan to release it.
#[derive(Debug)]
pub struct Prepared {
    /// The table and its totals.
    pub analysed: Analysed,
    /// The plan.
    pub plan: Plan,
}

impl Analysed {
    /// Plans the release.
    pub fn plan(self) -> Result<Prepared, Problem> {
        let plan = self.opened.case.plan(&self.analysis).map_err(|problem| leading_on(problem, &self))?;
        Ok(Prepared { analysed: self, plan })
    }
}

impl Prepared {
    /// Opens a spec, reads and analyses its table, and plans its release.
    pub fn open(spec: impl Into<Given>, progress: &dyn Progress) -> Result<Prepared, Problem> {
        spec.into().open(usize::MAX)?.analyse(progress)?.plan()
    }

    /// Opens a spec whose table may be too large for memory, as `release` does it.
    pub fn open_streaming(spec: impl Into<Given>, progress: &dyn Progress) -> Result<Prepared, Problem> {
        spec.into().open(STREAM_ABOVE)?.analyse(progress)?.plan()
    }

    /// With all cells in the plan that are disclosed, where the filter of the data leaves some
    /// empty: a plan alone knows what the totals show.
    ///
    /// # Errors
    /// As [`certify::confined`] says.
    pub fn with_disclosed(mut self, progress: &dyn Progress) -> Result<Prepared, Problem> {
        let Case { declaration, domain, .. } = &self.opened().case;
        if emptied(declaration, domain, true)?.is_some() {
            let confined = self.analysed.confined(progress)?;
            self.plan.disclosed = confined.ranges.disclosed(usize::MAX);
        }
        Ok(self)
    }

    /// Runs coupled chains for the walks of the plan, if it has some, and adds what they say to it:
    /// how many steps a release takes, how close it comes to its law and the δ that costs. The
    /// chains start from public values and use bits of a fixed seed, so the same plan gets the same
    /// evidence: that of an earlier command is used again, where it is kept. `progress` is told of
    /// every pair of chains that has met.
    ///
    /// # Errors
    /// Refused when chains do not meet, or when δ is above the limit of the spec.
    pub fn supported(mut self, progress: &dyn Progress) -> Result<Prepared, Problem> {
        let max_delta = self.opened().declaration.mechanism.max_delta.clone();
        let Some(max_delta) = max_delta.filter(|_| self.plan.needs_evidence()) else { return Ok(self) };
        let remembered = Remembered::of(&self.opened().declaration, &self.analysed.totals);
        if let Some(plan) = remembered.recall(&self.plan, &max_delta) {
            self.plan = plan;
            return Ok(self);
        }
        let plan = supported(self.plan, Some(&max_delta), progress);
        self.plan = plan.map_err(|problem| leading_on(problem, &self.analysed))?;
        remembered.keep(&self.plan);
        Ok(self)
    }

    /// How many pairs of chains must meet before a release; none where every block is drawn
    /// exactly.
    pub fn pairs_of_chains(&self) -> u64 {
        self.plan.walks().filter(|planned| planned.evidence.is_none()).count() as u64 * plan::PAIRS
    }

    /// Refuses a release that needs more memory than the machine has.
    ///
    /// # Errors
    /// Refused with the ways out.
    pub fn check_memory(&self) -> Result<(), Problem> {
        check_memory(self.plan.bytes())
    }

    /// Why this machine cannot carry out the plan, and the ways out, in one line; nothing where it
    /// can.
    pub fn too_large(&self) -> Option<String> {
        self.check_memory().err().map(too_large)
    }

    /// The spec.
    pub fn opened(&self) -> &Opened {
        &self.analysed.opened
    }

    /// The confidential counts, in cell order; of a streamed table those of the small one.
    pub fn counts(&self) -> &[i64] {
        self.analysed.tabulated.table.counts()
    }

    /// The blocks to draw.
    pub fn blocks(&self) -> Vec<BlockDraw<'_>> {
        self.plan.blocks.iter().map(PlannedBlock::to_draw).collect()
    }

    /// Refuses noise that no release can have.
    pub fn certifiable(&self) -> Result<(), Problem> {
        certify::check_law(&self.plan)
    }

    /// What stands in for a confidential table that breaks the rules it was declared to satisfy,
    /// where the law of the noise is one around a table that does: one that follows from public
    /// values. `None`: the table itself.
    ///
    /// # Errors
    /// Refused when none is found. Only a table that breaks them comes to that, so it must not be
    /// asked before it is paid for.
    pub fn stand_in(&self) -> Result<Option<Vec<i64>>, Problem> {
        let Case { declaration, conditions, fold, .. } = &self.opened().case;
        let trusted = !declaration.data.public && fold.is_none() && !self.plan.is_projected();
        if !trusted || conditions.check_table(self.counts()).is_ok() {
            return Ok(None);
        }
        some_table(conditions, &self.analysed.totals).map(Some).ok_or_else(|| {
            Problem::refused("no table was drawn")
                .hint("`congenial check SPEC --data` tells the curator whether the data are as declared")
        })
    }

    /// The noise on sums of cells of the table.
    pub fn noisy_sums(&self) -> Result<NoisySums, Problem> {
        self.noisy_sums_of(self.counts())
    }

    /// The noise on sums of cells, around other counts.
    pub fn noisy_sums_of(&self, counts: &[i64]) -> Result<NoisySums, Problem> {
        NoisySums::of(&self.plan, &self.opened().conditions, counts)
    }

    /// The table, ready to be drawn: the samplers around its confidential counts, or its
    /// measurements and their projections.
    pub fn sampling<'a>(&'a self, noisy: &'a NoisySums) -> Result<Sampling<'a>, Problem> {
        sampling(&self.plan, self.counts(), noisy)
    }

    /// The table, ready to be drawn; blocks keep between draws what the machine has memory for.
    pub fn sampling_within_memory<'a>(&'a self, noisy: &'a NoisySums) -> Result<Sampling<'a>, Problem> {
        match has_memory(self.plan.bytes_of_draws()) {
            true => self.sampling(noisy),
            false => sampling_once(&self.plan, self.counts(), noisy),
        }
    }

    /// Exact quantiles of the noise, by kind of cell and margin: for plans with nothing but totals
    /// that nest.
    pub fn error_profile(&self) -> ErrorProfile {
        let Case { domain, fold, .. } = &self.opened().case;
        error_profile(&self.plan, domain, fold.as_ref())
    }
}

/// A plan with what coupled chains say about its walks, if it has some.
pub fn supported(plan: Plan, max_delta: Option<&Rational>, progress: &dyn Progress) -> Result<Plan, Problem> {
    let Some(max_delta) = max_delta.filter(|_| plan.needs_evidence()) else {
        return Ok(plan);
    };
    let wanted = plan.wanted(max_delta)?;
    let told = progress.of(Stage::Gathering);
    let evidence = plan.walks().map(|planned| planned.walk.gather(&wanted, &told)).collect::<Result<_, _>>()?;
    plan.supported_by(evidence, max_delta)
}
