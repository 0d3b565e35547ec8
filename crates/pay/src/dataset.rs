//! `DatasetWords`: a dataset and its budget as people write them.

use declare::{Declaration, Mechanism, Method, Noise, Per, Problem, Strength};
use exact::Rational;
use ledger::{Address, Amount, Charge, Ledger, NewDataset, Unit};
use publish::public_key;
use std::path::Path;

/// A new dataset, in words.
#[derive(Debug, Clone, Default)]
pub struct DatasetWords {
    /// Its name.
    pub name: String,
    /// The total ε …
    pub epsilon: Option<String>,
    /// … the δ beside it …
    pub delta: Option<String>,
    /// … or the total ρ.
    pub rho: Option<String>,
    /// What the budget is per: `record`, `unit`, `l2` or `owner=COLUMN`.
    pub per: String,
    /// A column whose values are parts of the data.
    pub partition: Option<String>,
    /// Whether a second person must approve.
    pub approval: bool,
    /// Who acts.
    pub by: String,
}

impl DatasetWords {
    /// What they mean.
    ///
    /// # Errors
    /// Bad numbers or units.
    pub fn understood(self) -> Result<NewDataset, Problem> {
        let number = |name: &str, text: &str| -> Result<Rational, Problem> {
            text.parse().map_err(|fault| Problem::bad(format!("--{name} must be a number: {fault}")))
        };
        let amount = match (&self.epsilon, &self.delta, &self.rho) {
            (Some(_), _, Some(_)) => {
                return Err(Problem::bad("both ε and ρ are given").hint("a budget is one of them"));
            }
            (None, Some(_), _) => return Err(Problem::bad("a δ stands beside an ε").hint("give --epsilon too")),
            (Some(epsilon), None, None) => Amount::Pure { epsilon: number("epsilon", epsilon)? },
            (Some(epsilon), Some(delta), None) => {
                Amount::Approximate { epsilon: number("epsilon", epsilon)?, delta: number("delta", delta)? }
            }
            (None, None, Some(rho)) => Amount::ZeroConcentrated { rho: number("rho", rho)? },
            (None, None, None) => return Err(Problem::bad("no budget is given").hint("give --epsilon or --rho")),
        };
        let per = match (self.per.as_str(), self.per.split_once('=')) {
            ("record", _) => Unit::Record,
            ("unit" | "l1", _) => Unit::L1,
            ("l2", _) => Unit::L2,
            (_, Some(("owner", column))) if !column.is_empty() => Unit::Owner(column.to_string()),
            _ => {
                return Err(Problem::bad(format!("--per `{}` is not a unit of loss", self.per))
                    .hint("one of record, unit, l2, owner=COLUMN"));
            }
        };
        let budget = Charge { amount, per };
        Ok(NewDataset { name: self.name, budget, approval: self.approval, partition: self.partition, by: self.by })
    }
}

/// Opens a dataset, or opens it again with another budget where nothing was paid from it; the
/// ledger is made if there is none. `approver_key` is the file of a public key
/// that must sign approvals, `head` a second place for the head of the ledger. Says the entry and
/// the key.
///
/// # Errors
/// What cannot be used, before anything is made; what the ledger refuses.
pub fn open_dataset(
    address: &Address,
    dataset: &NewDataset,
    approver_key: Option<&Path>,
    head: Option<&Path>,
    again: bool,
) -> Result<(u64, Option<String>), Problem> {
    let place = |head: &Path| {
        std::path::absolute(head)
            .map_err(|error| Problem::bad(format!("--head `{}` cannot be used: {error}", head.display())))
    };
    let head = head.map(place).transpose()?;
    if let Some(head) = &head {
        Ledger::check_head(address, head, &[])?;
    }
    let key = approver_key.map(public_key).transpose()?;
    let mut ledger = Ledger::create(address, &dataset.by)?;
    let entry = match again {
        true => ledger.reopen_dataset(dataset, key.as_deref())?,
        false => ledger.open_dataset_with(dataset, key.as_deref())?,
    };
    if let Some(head) = &head {
        ledger.keep_head(head, &dataset.by)?;
    }
    Ok((entry, key))
}

/// The options of `congenial ledger open` that give a dataset a budget for releases of a spec: of
/// its definition and in its unit.
pub fn budget_words(declaration: &Declaration) -> String {
    let Mechanism { noise, strength, per, max_delta, method, .. } = &declaration.mechanism;
    let data = &declaration.data;
    if *method == Method::Suppress {
        return "--epsilon 1".to_string();
    }
    let rows = Rational::integer(if *per == Per::Record { data.rows_per_unit } else { 1 });
    let (word, needed) = match strength {
        Strength::Epsilon(epsilon) => ("epsilon", epsilon * &rows),
        Strength::Rho(rho) => ("rho", &(rho * &rows) * &rows),
    };
    let needed = Rational::integer(needed.ceil()).max(Rational::integer(1));
    let delta = if max_delta.is_some() { " --delta 1e-6" } else { "" };
    let word = if max_delta.is_some() { "epsilon" } else { word };
    let unit = match (per, &data.unit) {
        (Per::Record, None) => String::new(),
        (Per::Record, Some(column)) => format!(" --per {}", quoted(&format!("owner={column}"))),
        (Per::Unit, _) if noise.takes_rho || *noise == Noise::LATTICE_LAPLACE => " --per l2".to_string(),
        (Per::Unit, _) => " --per unit".to_string(),
    };
    format!("--{word} {needed}{delta}{unit}")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "=_-.".contains(letter);
    if word.chars().all(is_plain) { word.to_string() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Who acts: the name that is given, or that of the environment.
///
/// # Errors
/// When nobody is named.
pub fn person(named: Option<&str>) -> Result<String, Problem> {
    let known = || ["CONGENIAL_USER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = named.map(str::to_owned).or_else(known).filter(|name| !name.trim().is_empty());
    name.ok_or_else(|| {
        Problem::bad("nobody is named").hint("give a name with --by, or in the environment variable CONGENIAL_USER")
    })
}
