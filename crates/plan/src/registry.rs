//! The registry: every noise law and every operator that specs may name. One line each.

use crate::cascade::CascadeOperator;
use crate::projection::operators::{PROJECT_L1, PROJECT_L2, PROJECT_NONNEGATIVE, TOPDOWN};
use declare::{Method, Problem, SamplerWord, Vocabulary, vocabulary};
use draw::law::{DISCRETE_GAUSSIAN, DOUBLE_GEOMETRIC, GAUSSIAN, LAPLACE, LATTICE_LAPLACE};
use draw::operators::{ClosedForm, Divide, Enumerate, Independent, KLEIN, MIXTURE, Messages, Reject, THIN};
use draw::{LawFamily, NoiseLaw, Operator};
use std::fmt;
use std::sync::OnceLock;
use walk::{HIERARCHY_WALK, INDEPENDENCE_WALK, LatticeWalk};

/// The noise laws, and the operators that plans choose from, in the order in which they are tried
/// and told of.
pub struct Registry {
    laws: Vec<&'static LawFamily>,
    operators: Vec<&'static dyn Operator>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let laws = self.laws.iter().map(|law| law.name);
        f.debug_list().entries(laws).entries(self.operators.iter().map(|operator| operator.name())).finish()
    }
}

impl Registry {
    /// The laws and operators of this version.
    pub fn standard() -> Registry {
        let operators: Vec<&'static dyn Operator> = vec![
            &Independent,
            &ClosedForm,
            &Messages,
            &Divide,
            &KLEIN,
            &MIXTURE,
            &THIN,
            &Reject,
            &Enumerate,
            &LatticeWalk,
            &INDEPENDENCE_WALK,
            &HIERARCHY_WALK,
            &PROJECT_L2,
            &PROJECT_NONNEGATIVE,
            &PROJECT_L1,
            &TOPDOWN,
            &CascadeOperator,
        ];
        let laws: Vec<&'static LawFamily> =
            vec![&DOUBLE_GEOMETRIC, &DISCRETE_GAUSSIAN, &LATTICE_LAPLACE, &LAPLACE, &GAUSSIAN];
        Registry { laws, operators }
    }

    /// This registry with one more noise law.
    pub fn with_law(mut self, law: &'static LawFamily) -> Registry {
        self.laws.push(law);
        self
    }

    /// This registry with one more operator.
    pub fn with(mut self, operator: &'static dyn Operator) -> Registry {
        self.operators.push(operator);
        self
    }

    /// Makes this the registry of the process: every plan is chosen from it.
    ///
    /// # Errors
    /// Refused when one was installed or used before: plans of one process must not differ.
    pub fn install(self) -> Result<(), Problem> {
        self.words().install()?;
        REGISTRY.set(self).map_err(|_| Problem::refused("the registry of operators is in use already"))
    }

    /// The words that specs may use with it: those of the standard vocabulary, and what is
    /// registered beside them.
    pub fn words(&self) -> Vocabulary {
        let mut words = Vocabulary::standard();
        for word in self.laws.iter().map(|law| NoiseLaw::word(law)) {
            if words.noises.iter().all(|known| known.name != word.name) {
                words.noises.push(word);
            }
        }
        for operator in &self.operators {
            let word = SamplerWord { name: operator.name(), methods: operator.role().methods };
            if words.samplers.iter().all(|known| known.name != word.name) {
                words.samplers.push(word);
            }
        }
        words
    }

    /// The noise law with this name.
    pub fn law(&self, name: &str) -> Option<&'static LawFamily> {
        self.laws.iter().copied().find(|law| law.name == name)
    }

    /// All operators.
    pub fn operators(&self) -> impl Iterator<Item = &'static dyn Operator> {
        self.operators.iter().copied()
    }

    /// The operators that a method uses.
    pub fn of(&self, method: Method) -> impl Iterator<Item = &'static dyn Operator> {
        self.operators().filter(move |operator| operator.role().methods.contains(&method))
    }

    /// The operator with this name.
    pub fn named(&self, name: &str) -> Option<&'static dyn Operator> {
        self.operators().find(|operator| operator.name() == name)
    }

    /// The operators that specs may name and a later version will have.
    pub fn later(&self) -> impl Iterator<Item = &'static str> {
        vocabulary().samplers.iter().map(|word| word.name).filter(|name| self.named(name).is_none())
    }
}

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// The registry of the process: the standard one, unless another was installed.
pub fn registry() -> &'static Registry {
    REGISTRY.get_or_init(Registry::standard)
}

#[cfg(test)]
mod tests {
    use super::Registry;
    use declare::Vocabulary;

    #[test]
    fn specs_may_name_every_law_and_every_operator_for_its_methods() {
        let (registry, standard) = (Registry::standard(), Vocabulary::standard());
        assert_eq!(registry.words(), standard, "a law or an operator that specs cannot name");
        for noise in &standard.noises {
            assert_eq!(draw::NoiseLaw::word(registry.law(noise.name).unwrap()), *noise);
        }
        for operator in registry.operators() {
            let word = standard.samplers.iter().find(|word| word.name == operator.name()).unwrap();
            assert_eq!(word.methods, operator.role().methods, "{}", word.name);
        }
        assert_eq!(registry.later().collect::<Vec<_>>(), ["atom"]);
    }

    #[test]
    fn the_documentation_lists_every_operator_in_its_words() {
        let spec = include_str!("../../../docs/spec.md");
        for operator in Registry::standard().operators() {
            let methods: Vec<String> =
                operator.role().methods.iter().map(|method| format!("`{}`", method.name())).collect();
            let line = format!("| `{}` | {} | {} |", operator.name(), methods.join(", "), operator.role().in_words);
            assert!(spec.contains(&line), "docs/spec.md lacks the line\n{line}");
        }
    }
}
