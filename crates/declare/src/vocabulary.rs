//! The vocabulary: the noise laws and samplers that specs may name. What is registered beside the
//! standard ones extends it.

use crate::declaration::{Method, Noise};
use crate::problem::Problem;
use std::sync::OnceLock;

/// A sampler as specs name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplerWord {
    /// Its name.
    pub name: &'static str,
    /// The methods that use it.
    pub methods: &'static [Method],
}

/// The words that specs may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// The noise laws, in the order in which messages list them.
    pub noises: Vec<Noise>,
    /// The samplers, in the order in which messages list them.
    pub samplers: Vec<SamplerWord>,
}

/// The methods that draw noise given what must hold.
pub const GIVEN: &[Method] = &[Method::Condition, Method::Unconstrained];

impl Vocabulary {
    /// The words of this version, and those that a later one will have.
    pub fn standard() -> Vocabulary {
        let given = [
            "independent",
            "closed-form",
            "messages",
            "divide",
            "enumerate",
            "klein",
            "mixture",
            "thin",
            "reject",
            "atom",
            "lattice-walk",
            "hierarchy-walk",
            "independence-walk",
        ];
        let of = |methods: &'static [Method]| move |name: &&'static str| SamplerWord { name, methods };
        let projections = ["project-l2", "project-nonnegative", "project-l1"];
        let samplers = given.iter().map(of(GIVEN)).chain(projections.iter().map(of(&[Method::Project])));
        let samplers = samplers.chain(["topdown"].iter().map(of(&[Method::TopDown])));
        let noises = vec![
            Noise::DOUBLE_GEOMETRIC,
            Noise::DISCRETE_GAUSSIAN,
            Noise::LATTICE_LAPLACE,
            Noise::LAPLACE,
            Noise::GAUSSIAN,
        ];
        Vocabulary { noises, samplers: samplers.chain(["cascade"].iter().map(of(&[Method::Cascade]))).collect() }
    }

    /// Makes these the words of the process.
    ///
    /// # Errors
    /// Refused when a spec was read before, or other words were installed.
    pub fn install(self) -> Result<(), Problem> {
        VOCABULARY.set(self).map_err(|_| Problem::refused("the words of specs are in use already"))
    }

    /// The samplers that a method uses, by name.
    pub(crate) fn of(&self, method: Method) -> impl Iterator<Item = &'static str> {
        self.samplers.iter().filter(move |sampler| sampler.methods.contains(&method)).map(|sampler| sampler.name)
    }
}

static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();

/// The words of the process: the standard ones, unless others were installed.
pub fn vocabulary() -> &'static Vocabulary {
    VOCABULARY.get_or_init(Vocabulary::standard)
}
