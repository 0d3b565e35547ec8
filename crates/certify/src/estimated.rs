//! Evidence of coupled chains: when it is accepted, how a certificate states it, and how it is read
//! again from one.

use crate::certificate::{Certificate, CertifiedEvidence, CertifiedFamily, CertifiedMoves, CertifiedRound, Mixing};
use crate::check::changed;
use declare::{Declaration, Mechanism, Problem};
use loss::Estimated;
use plan::{Plan, assumption_in_words, decimal, decimals};
use walk::{CONFIDENCE_PERCENT, Diagnostics, Evidence, Family, MoveCount, PlannedWalk, Tried};

/// Refuses walks that the declaration does not accept, or whose δ is above its limit.
pub(crate) fn accepted(plan: &Plan, mechanism: &Mechanism) -> Result<(), Problem> {
    let hint = "write accept = \"estimated\" and max_delta = \"1e-6\" under [mechanism]";
    let Some(max_delta) = &mechanism.max_delta else {
        return Err(Problem::refused("the spec does not accept a sampler whose law is only estimated").hint(hint));
    };
    match plan.loss.estimated() {
        Some(Estimated { delta, .. }) if delta <= max_delta => Ok(()),
        Some(Estimated { delta, .. }) => {
            Err(Problem::refused(format!("δ = {} is above max_delta = {max_delta}", delta.digits())))
        }
        None => Err(Problem::refused("a walk without evidence of how close it is to its law cannot be certified")),
    }
}

/// What a walk means for the guarantee, in English.
pub(crate) fn walked(plan: &Plan, estimated: &Estimated) -> String {
    let evidence = || plan.walks().filter_map(|walk| walk.evidence.as_ref());
    let pairs: u64 = evidence().map(Evidence::pairs).sum();
    let starts = evidence().map(|found| found.starts).max().unwrap_or(1);
    let walks = plan.walks().count();
    let (subject, each) = match walks {
        1 => ("a walk whose law is only estimated to be close to the stated one".to_owned(), ""),
        _ => {
            (format!("{walks} walks whose laws are only estimated to be close to the stated ones"), " for each of them")
        }
    };
    let (alpha, epsilon, delta) = (estimated.distance.digits(), decimals(&estimated.epsilon), estimated.delta.digits());
    let converted = match estimated.converted.is_positive() {
        true => format!("{} + ", estimated.converted.digits()),
        false => String::new(),
    };
    let stand_ins = match starts {
        1 => String::new(),
        _ => format!(
            " How fast a walk forgets its start depends on the table here; the chains walked around {starts} stand-in tables made from the \
             public totals, not around the confidential one, which makes the evidence weaker."
        ),
    };
    format!(
        " The release was drawn by {subject}. Its steps are proved to join all tables that keep what is exact. {pairs} pairs of coupled \
         chains, many of which began far apart, say by how they met that the total variation distance is at most {alpha}, with {} \
         percent confidence{each}. As far as this holds, whatever is looked for in the release is at most exp({epsilon}) times as likely \
         to be found with one of the two tables as with the other, plus {delta}, whenever the loss between them is at most {epsilon}; at \
         any other loss e the addition is {converted}{alpha} (1 + exp(e)). This is evidence, not proof: it assumes that two chains that \
         have not met yet meet, wherever they are, no more seldom than the pairs that were tried.{stand_ins}",
        estimated.percent
    )
}

/// The evidence of a plan as its certificate states it.
pub fn evidence_of(plan: &Plan) -> Vec<CertifiedEvidence> {
    let walked =
        plan.blocks.iter().filter_map(|block| Some((block, PlannedWalk::of(&*block.work)?.evidence.as_ref()?)));
    let certified = walked.map(|(block, evidence)| {
        let diagnostics = &evidence.diagnostics;
        let families = evidence.families.iter().map(|family| CertifiedFamily {
            apart: family.apart,
            pairs: family.tried.pairs,
            unmet: family.tried.unmet,
        });
        let rounds = evidence.rounds.iter().map(|round| CertifiedRound { pairs: round.pairs, unmet: round.unmet });
        let moves = diagnostics.moves.iter().map(|count| CertifiedMoves {
            kind: count.kind.clone(),
            proposed: count.proposed,
            accepted: count.accepted,
        });
        CertifiedEvidence {
            operator: block.operator().to_string(),
            cells: block.block.size,
            steps: evidence.steps,
            distance: evidence.distance().digits(),
            confidence: CONFIDENCE_PERCENT,
            block: evidence.block,
            attempt: evidence.attempt,
            starts: evidence.starts,
            families: families.collect(),
            rounds: rounds.collect(),
            pairs: evidence.pairs(),
            meetings: runs(&evidence.meetings),
            mean_meeting: mean(&evidence.meetings),
            unmet: decimal(evidence.unmet()),
            assumption: assumption_in_words(evidence),
            moves: moves.collect(),
            mixing: Mixing {
                chains: diagnostics.chains,
                effective: format!("{:.1}", diagnostics.effective),
                r_hat: format!("{:.4}", diagnostics.r_hat),
                trace: diagnostics.trace.iter().map(|energy| format!("{energy:.2}")).collect::<Vec<_>>().join(" "),
                every: diagnostics.every,
            },
        }
    });
    certified.collect()
}

/// The mean to three decimals, in whole numbers.
fn mean(numbers: &[u64]) -> String {
    let sum: u128 = numbers.iter().map(|number| u128::from(*number)).sum();
    let thousandths = (1000 * sum) / (numbers.len().max(1) as u128);
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// Increasing numbers, repeated ones once with their count.
fn runs(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|one, next| one == next).map(|run| match run.len() {
        1 => run[0].to_string(),
        times => format!("{}*{times}", run[0]),
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// The plan of a certificate with the evidence that it states, computed again from the meeting
/// times.
pub(crate) fn supported(plan: Plan, certificate: &Certificate, declaration: &Declaration) -> Result<Plan, Problem> {
    if !plan.needs_evidence() {
        return Ok(plan);
    }
    let Some(max_delta) = &declaration.mechanism.max_delta else { return Ok(plan) };
    let evidence = certificate.evidence.iter().map(CertifiedEvidence::restored);
    let evidence = evidence.collect::<Option<Vec<_>>>().ok_or_else(|| {
        changed("the certificate does not follow from its spec and the table: the evidence of coupled chains")
    })?;
    plan.supported_by(evidence, max_delta).map_err(|problem| changed(problem.message))
}

/// The most pairs that a certificate is read with.
const MOST_PAIRS: usize = 1 << 20;

impl CertifiedEvidence {
    /// The evidence; `None` when its numbers cannot be read.
    pub fn restored(&self) -> Option<Evidence> {
        let moves = self.moves.iter().map(|moves| MoveCount {
            kind: moves.kind.clone(),
            proposed: moves.proposed,
            accepted: moves.accepted,
        });
        let meetings = from_runs(&self.meetings).filter(|times| times.is_sorted())?;
        let tried = |pairs: u64, unmet: u64| (unmet <= pairs).then_some(Tried { pairs, unmet });
        let families = self
            .families
            .iter()
            .map(|family| tried(family.pairs, family.unmet).map(|tried| Family { apart: family.apart, tried }));
        let rounds = self.rounds.iter().map(|round| tried(round.pairs, round.unmet));
        let trace = self.mixing.trace.split_ascii_whitespace().map(|energy| energy.parse().ok());
        Some(Evidence {
            steps: self.steps,
            block: Some(self.block).filter(|block| *block > 0)?,
            attempt: self.attempt,
            families: families.collect::<Option<_>>()?,
            rounds: rounds.collect::<Option<_>>()?,
            meetings,
            starts: self.starts,
            diagnostics: Diagnostics {
                moves: moves.collect(),
                trace: trace.collect::<Option<_>>()?,
                every: self.mixing.every,
                chains: self.mixing.chains,
                effective: self.mixing.effective.parse().ok()?,
                r_hat: self.mixing.r_hat.parse().ok()?,
            },
        })
    }
}

fn from_runs(text: &str) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for run in text.split_ascii_whitespace() {
        let (number, times) = run.split_once('*').unwrap_or((run, "1"));
        let times: usize = times.parse().ok()?;
        if times > MOST_PAIRS - numbers.len().min(MOST_PAIRS) {
            return None;
        }
        numbers.extend(std::iter::repeat_n(number.parse::<u64>().ok()?, times));
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::{from_runs, runs};

    #[test]
    fn meeting_times_survive_being_written() {
        let times = vec![1, 1, 1, 4, 9, 9, 1_000_000];
        assert_eq!(runs(&times), "1*3 4 9*2 1000000");
        assert_eq!(from_runs(&runs(&times)), Some(times));
        assert_eq!(from_runs(""), Some(Vec::new()));
        for bad in ["1*99999999999", "x", "1*-2", "-3", "1*1048577"] {
            assert_eq!(from_runs(bad), None, "{bad}");
        }
    }
}
