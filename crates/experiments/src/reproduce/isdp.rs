//! What the experiments of the ISDP paper (Dharangutte, Gao, Gong, Yu 2023) share: both norms, both
//! walks, exact draws beside.

use super::Rehearsal;
use super::agree;
use super::curves::{Curve, measure};
use super::findings::Findings;
use super::spaces::{norms, walk};
use analyse::Fibre;
use declare::Problem;
use exact::Rational;

/// Distance curves of the ℓ₁ and the ℓ₂ law by single vectors, as published, and of the ℓ₁ law by
/// all moves. The ℓ₁ walks are compared with exact draws for `spec`.
pub fn both_norms(
    run: &Rehearsal<'_>,
    findings: &mut Findings,
    fibre: &Fibre,
    epsilon: &Rational,
    published: [&str; 2],
    spec: &str,
) -> Result<(), Problem> {
    for ((key, norm, law), published) in norms(epsilon).into_iter().zip(published) {
        let all = walk(fibre, &law)?;
        let single = all.clone().without_lines();
        let mut walks = vec![("single", "single vectors", single, published)];
        if law.is_product() {
            walks.push(("all", "all moves", all, ""));
        }
        for (ending, name, walk, published) in walks {
            let title = format!("{norm}, {name}");
            let key = format!("{key}-{ending}");
            let case = Curve { key: &key, title: title.clone(), published, walk: &walk, several: true };
            // The exact operators draw the ℓ₁ law alone.
            if let (Some(evidence), true) = (measure(run, findings, &case)?, law.is_product()) {
                agree::check(run, findings, &title, &walk, &evidence, spec)?;
            }
        }
    }
    Ok(())
}
