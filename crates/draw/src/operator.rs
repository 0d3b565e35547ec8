//! `Operator`: attempts a task and answers with planned work, or with the reason why not.
//!
//! An operator sees the structure of a block, the law and public values, nothing else. One file per
//! operator in [`crate::operators`]; the registry of `plan` lists those that specs may name.

use crate::exactness::Exactness;
use crate::law::NoiseLaw;
use crate::listing::Listing;
use crate::planned::{PlannedWork, Prospect};
use crate::table_list::TableList;
use analyse::{Block, Grid, Ground, Network, Structure};
use declare::{Conditions, GIVEN, Limits, Method};
use exact::Rational;
use std::sync::Arc;

/// What an operator is called, and when it is tried.
#[derive(Debug)]
pub struct Role {
    /// The name scripts rely on.
    pub name: &'static str,
    /// What it draws and how, in a few words for the schema of specs and the documentation.
    pub in_words: &'static str,
    /// The methods that use it.
    pub methods: &'static [Method],
    /// When it is tried.
    pub turn: Turn,
    /// For operators of the turn [`Turn::WhereSlow`]: how many seconds the fastest of the others
    /// may take without their being tried.
    pub slow_seconds: f64,
    /// Why it draws nothing in a plan that did not try it, if there is more to say than that others
    /// draw.
    pub untried: Option<&'static str>,
    /// Whether `explain` tells in its text why it draws nothing. What steps in where nothing else
    /// draws says nothing about a table that others draw.
    pub is_told: bool,
    /// Whether it draws tables that are weighted by a base measure; others are never asked about
    /// such a law.
    pub takes_base: bool,
}

impl Role {
    /// An operator for noise given what must hold that is always tried.
    pub const fn new(name: &'static str, in_words: &'static str) -> Role {
        Role {
            name,
            in_words,
            methods: GIVEN,
            turn: Turn::Fastest,
            slow_seconds: 60.0,
            untried: None,
            is_told: true,
            takes_base: false,
        }
    }

    /// This operator, tried where others need longer than this, or draw nothing.
    pub(crate) const fn where_slower_than(self, slow_seconds: f64) -> Role {
        Role { turn: Turn::WhereSlow, slow_seconds, untried: Some(OTHERS_DRAW), ..self }
    }
}

/// What draws blocks.
pub trait Operator: Sync {
    /// What it is called, and when it is tried.
    fn role(&self) -> &Role;

    /// The name scripts rely on.
    fn name(&self) -> &'static str {
        self.role().name
    }

    /// How many seconds the fastest of the others may take, for this task, without its being tried.
    fn slow_seconds(&self, _task: &Task) -> f64 {
        self.role().slow_seconds
    }

    /// Why it draws nothing in a plan that did not try it; the spec may ask for an operator by
    /// name.
    fn untried(&self, _asked_for: Option<&str>) -> Option<&'static str> {
        self.role().untried
    }

    /// How it would draw the block.
    ///
    /// # Errors
    /// The reason, in words that follow `because`, when it cannot draw the block under this law.
    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String>;
}

/// Why an operator does not draw tables that are weighted by a base measure.
pub const WEIGHTED: &str = "its draws know noise alone, and tables are weighted by a base measure";

/// Why an operator that is only tried where others draw nothing was not tried.
pub const OTHERS_DRAW: &str = "other operators draw every block";

/// When an operator is tried on a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Always: of those that accept a block the one with the least predicted time draws it.
    Fastest,
    /// Where none of these draws the block, or all would take long.
    WhereSlow,
    /// Where none before it in the registry draws the block.
    WhereNothing,
    /// When the spec asks for it by name.
    ByName,
}

/// A block, and what an operator may know to judge it. All of it is public.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The block.
    pub block: &'a Block,
    /// The noise on every cell; with queries, that of the first of them.
    pub law: &'a NoiseLaw,
    /// The rate of the noise of every query; none: every cell has noise.
    pub rates: &'a [Rational],
    /// Whether every cell must be at least zero.
    pub nonnegative: bool,
    /// Whether totals are pinned to values that are not the table's own.
    pub pinned: bool,
    /// The block as a network, if noise alone cannot draw it.
    pub network: Option<&'a Arc<Network>>,
    /// The block as a two-way table, if it is one.
    pub grid: Option<&'a Grid>,
    /// All tables of the block, if they are few and already listed.
    pub list: Option<&'a Arc<TableList>>,
    /// Whether a sampler is accepted whose law is only estimated to be close.
    pub accepts_estimated: bool,
    /// How much memory and time a block may be predicted to need.
    pub limits: Limits,
    /// The levels of the table above its cells, coarse to fine: the group of every cell; for
    /// `topdown` alone.
    pub levels: &'a [Vec<u32>],
    /// What every released table satisfies.
    pub conditions: &'a Conditions,
    /// What the totals say of the cells around the block.
    pub ground: &'a Ground,
}

impl Task<'_> {
    /// What work by this operator says of itself, needing no memory of its own.
    pub fn prospect(&self, operator: &'static str, seconds: f64, because: &'static str) -> Prospect {
        // Real numbers are rounded to machine numbers without a bound: nothing is proved about that
        // law.
        let exactness = if self.law.is_integer() { Exactness::Exact } else { Exactness::Unproven };
        Prospect {
            operator,
            exactness,
            seconds,
            draw_seconds: seconds,
            again_seconds: seconds,
            bytes: 0.0,
            draw_bytes: 0.0,
            listing: Listing::NOTHING,
            because,
        }
    }

    /// The end of a refusal of work that is predicted to need more than the limits: the keys to
    /// raise, where a spec may have such limits.
    pub(crate) fn key_to_raise(&self, bytes: f64, seconds: f64) -> String {
        let raised = self.limits.raised_to(bytes, seconds);
        match raised.and_then(|raised| self.limits.lines_to(raised)) {
            Some(lines) => format!("; allowed by [limits] {}", lines.join(" and ")),
            None => String::new(),
        }
    }

    /// Refuses noise that is not a product over cells.
    pub(crate) fn is_product(&self) -> Result<(), String> {
        match self.law.is_product() {
            true => Ok(()),
            false => Err(format!("{} is one norm over all cells: no part of it is drawn alone", self.law.in_words())),
        }
    }

    /// Refuses noise that is not integer-valued.
    pub fn is_integer(&self) -> Result<(), String> {
        match self.law.is_integer() {
            true => Ok(()),
            false => Err(format!("it draws integers, not {}", self.law.in_words())),
        }
    }

    /// Why an operator whose noise does not depend on the table cannot draw the block, if that is
    /// so.
    pub(crate) fn depends_on_table(&self) -> Option<&'static str> {
        match () {
            () if self.nonnegative => {
                Some("its noise is the same whatever the table, so released counts could fall below zero")
            }
            () if !self.rates.is_empty() => Some("noise sits on sums of cells, not on every cell alone"),
            () if self.pinned => Some("totals are pinned to values that are not the table's own"),
            () => None,
        }
    }
}

/// Why an operator for blocks with one total does not take a block of another structure.
pub(crate) fn not_one_total(block: &Block) -> String {
    match &block.structure {
        Structure::Free => "the cells are in no total: there is nothing to condition on".to_owned(),
        Structure::OneTotal { name, .. } => format!("`{name}` is one total"),
        Structure::Crossing { .. } => {
            format!("{}, and it draws one total per block", crossing(&block.structure))
        }
        Structure::Linked { by } => format!("the cells are tied together by {}", tied(by)),
    }
}

/// What crosses in a block, in words.
pub fn crossing(structure: &Structure) -> String {
    match structure {
        Structure::Crossing { invariants, .. } if invariants.is_empty() => {
            "one equality takes cells unequally".to_owned()
        }
        Structure::Crossing { invariants, .. } => format!("the totals {} cross", all(invariants)),
        _ => "no totals cross".to_owned(),
    }
}

/// What ties all cells together under a law that is no product.
pub const ONE_NORM: &str = "one norm over all cells";

/// What ties all cells together under `topdown`.
pub const LEVELS: &str = "the levels of the table";

/// What ties cells together, in words: the first few of many.
pub fn tied(by: &[String]) -> String {
    match by {
        [all] if all == ONE_NORM || all == LEVELS => all.clone(),
        [one, two, rest @ ..] if rest.len() > 1 => format!("`{one}`, `{two}` and {} more", rest.len()),
        some => all(&some.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>()),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn all(labels: &[String]) -> String {
    match labels {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
