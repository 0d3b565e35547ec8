//! `congenial ledger open`: a dataset and its total budget.

use super::Person;
use crate::output::print;
use clap::Args;
use congenial::ledgers::Address;
use congenial::{DatasetWords, Problem};
use std::path::PathBuf;

/// Open a dataset with a total budget; the ledger is made if there is none
#[derive(Args)]
#[command(after_help = "\
The budget is decided before anybody looks at the data, and never raised: other data need another name.
Its unit must be that of the releases: `record` for per = \"record\", `unit` for per = \"unit\" (l1 distance), `l2` for
lattice-laplace or rho per unit of distance, `owner=COLUMN` for a spec with `unit = \"COLUMN\"`.

Examples:
  congenial ledger open fcsm-2005 --epsilon 2
  congenial ledger open census --rho 1/2 --approval
  congenial ledger open visits --epsilon 1 --delta 1e-6 --per owner=person_id")]
pub struct Open {
    /// The name of the dataset, as [budget] in its specs names it
    dataset: String,
    /// The total ε: a decimal or a fraction
    #[arg(long, value_name = "NUMBER", required_unless_present = "rho")]
    epsilon: Option<String>,
    /// The total δ, beside ε
    #[arg(long, value_name = "NUMBER", requires = "epsilon")]
    delta: Option<String>,
    /// The total ρ, for zero-concentrated differential privacy
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["epsilon", "delta"])]
    rho: Option<String>,
    /// What the budget is per: record, unit, l2 or owner=COLUMN
    #[arg(long, value_name = "UNIT", default_value = "record")]
    per: String,
    /// A column whose values are parts of the data: what is spent on different parts counts by the
    /// largest
    #[arg(long, value_name = "COLUMN")]
    partition: Option<String>,
    /// A second place for the head of the ledger: a file that only grows, on another disk or where
    /// others watch it
    #[arg(long, value_name = "FILE")]
    head: Option<PathBuf>,
    /// Demand that a second person approves every release
    #[arg(long)]
    approval: bool,
    /// Demand that every approval is signed, with the secret key that belongs to this public one
    /// (`congenial key new` makes both)
    #[arg(long, value_name = "FILE", requires = "approval")]
    approver_key: Option<PathBuf>,
    /// Open it once more with another budget or unit, where nothing was paid or asked for yet
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    person: Person,
}

impl Open {
    /// Opens it.
    pub fn run(self, address: &Address) -> Result<(), Problem> {
        let words = DatasetWords {
            name: self.dataset,
            epsilon: self.epsilon,
            delta: self.delta,
            rho: self.rho,
            per: self.per,
            partition: self.partition,
            approval: self.approval,
            by: self.person.name()?,
        };
        let dataset = words.understood()?;
        let (key, head) = (self.approver_key.as_deref(), self.head.as_deref());
        let (entry, key) = congenial::open_dataset(address, &dataset, key, head, self.again)?;
        print(&format!(
            "Opened dataset {} with a budget of {} (entry {entry} of {address})\n{}\nIn the spec of a release:\n\n  [budget]\n  \
             dataset = \"{}\"\n  ledger  = \"{address}\"\n",
            dataset.name,
            dataset.budget,
            match (&key, dataset.approval) {
                (Some(key), _) =>
                    format!("Every release must be approved by a second person, signed with key {key}.\n"),
                (None, true) => "Every release must be approved by a second person.\n".to_string(),
                (None, false) => String::new(),
            },
            dataset.name
        ))
    }
}
