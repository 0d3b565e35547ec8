//! The closed form: one total, and a law whose sum can be drawn without tables of weights.

use crate::closed_form::ClosedForm as Sampler;
use crate::law::{Growth, NoiseLaw};
use crate::listing::Listing;
use crate::operator::{Operator, Role, Task, not_one_total};
use crate::planned::{PlannedNoise, PlannedWork, Prospect};
use analyse::Structure;
use std::sync::Arc;

/// The closed form of the double geometric and of the continuous laws.
#[derive(Debug)]
pub struct ClosedForm;

static ROLE: Role = Role::new(
    "closed-form",
    "one total per block and double-geometric noise: two uniform compositions of one random sum",
);

impl Operator for ClosedForm {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_product()?;
        let Structure::OneTotal { .. } = &task.block.structure else {
            return Err(not_one_total(task.block));
        };
        if let Some(reason) = task.depends_on_table() {
            return Err(reason.to_owned());
        }
        let because = match (task.law.growth(), task.law.is_integer()) {
            (Growth::Absolute, true) => {
                "one total and double-geometric noise: two uniform compositions of one random sum"
            }
            (Growth::Absolute, false) => {
                "one total and Laplace noise: two uniform points of a simplex, times one random sum"
            }
            (Growth::Square, false) => "one total and Gaussian noise: subtracting the mean conditions it",
            _ => return Err(format!("sums of {} have no closed form", task.law.in_words())),
        };
        let seconds = 4e-6 + 32e-9 * task.block.size as f64;
        let listing = Listing::of_total(task.law, task.block.size);
        let prospect = Prospect { listing, ..task.prospect(self.name(), seconds, because) };
        Ok(Arc::new(ClosedForm::noise(prospect)))
    }
}

impl ClosedForm {
    /// Noise that adds up to zero in every block.
    pub const fn noise(prospect: Prospect) -> PlannedNoise {
        PlannedNoise { prospect, rank: 1, keeps_total: true, sampler }
    }
}

fn sampler(law: &NoiseLaw) -> Option<Arc<dyn crate::Noise>> {
    Some(Arc::new(Sampler::new(law.geometric()?)))
}
