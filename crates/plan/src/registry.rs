//! The registry: every operator that specs may name. One line each.

use crate::cascade::CascadeOperator;
use crate::projection::{ProjectL1, ProjectL2, ProjectNonnegative, TopDown};
use declare::{Method, Problem};
use draw::Operator;
use draw::operators::{
    ClosedForm, Divide, Enumerate, HierarchyWalk, IndependenceWalk, Independent, LatticeWalk, Messages,
};
use std::fmt;
use std::sync::OnceLock;

/// The operators that plans choose from, in the order in which they are tried and told of.
pub struct Registry {
    operators: Vec<&'static dyn Operator>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.operators.iter().map(|operator| operator.name())).finish()
    }
}

impl Registry {
    /// The operators of this version.
    pub fn standard() -> Registry {
        let operators: Vec<&'static dyn Operator> = vec![
            &Independent,
            &ClosedForm,
            &Messages,
            &Divide,
            &Enumerate,
            &LatticeWalk,
            &IndependenceWalk,
            &HierarchyWalk,
            &ProjectL2,
            &ProjectNonnegative,
            &ProjectL1,
            &TopDown,
            &CascadeOperator,
        ];
        Registry { operators }
    }

    /// The same with one more operator.
    pub fn with(mut self, operator: &'static dyn Operator) -> Registry {
        self.operators.push(operator);
        self
    }

    /// Makes this the registry of the process: every plan is chosen from it.
    ///
    /// # Errors
    /// Refused when one was installed or used before: plans of one process must not differ.
    pub fn install(self) -> Result<(), Problem> {
        REGISTRY.set(self).map_err(|_| Problem::refused("the registry of operators is in use already"))
    }

    /// All operators.
    pub fn operators(&self) -> impl Iterator<Item = &'static dyn Operator> {
        self.operators.iter().copied()
    }

    /// The operators that a method uses.
    pub fn of(&self, method: Method) -> impl Iterator<Item = &'static dyn Operator> {
        self.operators().filter(move |operator| operator.methods().contains(&method))
    }

    /// The operator with this name.
    pub fn named(&self, name: &str) -> Option<&'static dyn Operator> {
        self.operators().find(|operator| operator.name() == name)
    }

    /// The operators that specs may name and a later version will have.
    pub fn later(&self) -> impl Iterator<Item = &'static str> {
        declare::OPERATORS.into_iter().filter(|name| self.named(name).is_none())
    }
}

static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// The registry of the process: the standard one, unless another was installed.
pub fn registry() -> &'static Registry {
    REGISTRY.get_or_init(Registry::standard)
}
