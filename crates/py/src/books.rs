//! The ledger of confidential datasets.

use crate::running::{answered, run};
use crate::specs::Handed;
use congenial::ledgers::{Address, Ledger};
use congenial::{Card, DatasetWords, Override, Paying, card_html};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Safeguards that are overridden, all for one reason.
pub(crate) fn overridden(safeguards: Vec<String>, because: Option<String>) -> Vec<Override> {
    let reason = because.unwrap_or_default();
    safeguards.into_iter().map(|safeguard| Override { safeguard, reason: reason.clone() }).collect()
}

/// Opens a dataset with a total budget; the ledger is made if there is none.
#[pyfunction]
#[pyo3(signature = (address, dataset, per = "record", epsilon = None, rho = None, delta = None, approval = false, partition = None, by = None, approver_key = None, head = None, again = false))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn ledger_open(
    py: Python<'_>,
    address: &str,
    dataset: &str,
    per: &str,
    epsilon: Option<String>,
    rho: Option<String>,
    delta: Option<String>,
    approval: bool,
    partition: Option<String>,
    by: Option<String>,
    approver_key: Option<PathBuf>,
    head: Option<PathBuf>,
    again: bool,
) -> PyResult<u64> {
    run(py, None, move |_| {
        let (name, per, by) = (dataset.to_owned(), per.to_owned(), congenial::person(by.as_deref())?);
        let dataset = DatasetWords { name, epsilon, delta, rho, per, partition, approval, by }.understood()?;
        let address = Address::parse(address)?;
        congenial::open_dataset(&address, &dataset, approver_key.as_deref(), head.as_deref(), again)
            .map(|(entry, _)| entry)
    })
}

/// What every dataset may spend, has spent and has left.
#[pyfunction]
pub(crate) fn ledger_status<'py>(py: Python<'py>, address: &str) -> PyResult<Bound<'py, PyAny>> {
    answered(py, None, move |_| {
        let mut books = Ledger::open_to_read(&Address::parse(address)?)?;
        let status = books.status()?;
        let mut value = congenial::status_json(&status);
        let mut rows =
            vec![["dataset", "budget", "spent", "left", "completed", "unfinished"].map(str::to_owned).to_vec()];
        rows.extend(status.datasets.iter().map(|dataset| {
            vec![
                dataset.name.clone(),
                dataset.budget.to_string(),
                dataset.spent.to_string(),
                dataset.left.to_string(),
                dataset.completed.to_string(),
                dataset.unfinished.to_string(),
            ]
        }));
        let title = format!("Ledger {}, {} entries", books.address(), status.entries);
        value["html"] = json!(card_html(&Card { title: &title, facts: &[], rows: &rows, bars: ("", &[]) }));
        value["text"] = json!(rows.iter().map(|row| row.join("  ")).collect::<Vec<_>>().join("\n"));
        Ok(value)
    })
}

/// Everything that happened, oldest first.
#[pyfunction]
#[pyo3(signature = (address, dataset = None))]
pub(crate) fn ledger_history<'py>(
    py: Python<'py>,
    address: &str,
    dataset: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    answered(py, None, move |_| {
        let mut history = Vec::new();
        Ledger::open_to_read(&Address::parse(address)?)?.visit_history(dataset, 0, &mut |entry| {
            history.push(congenial::entry_json(&entry));
            Ok(())
        })?;
        Ok(Value::Array(history))
    })
}

/// Asks a second person to approve a release.
#[pyfunction]
#[pyo3(signature = (spec, by = None, overrides = Vec::new(), because = None, progress = None))]
pub(crate) fn ledger_ask<'py>(
    py: Python<'py>,
    spec: Handed<'py>,
    by: Option<String>,
    overrides: Vec<String>,
    because: Option<String>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = spec.given(py)?;
    answered(py, progress, move |watch| {
        let by = Some(congenial::person(by.as_deref())?);
        let paying = Paying { by, again: false, overrides: overridden(overrides, because) };
        let asked = congenial::ask(given, &paying, watch)?;
        Ok(json!({"entry": asked.entry, "loss": asked.loss.to_string(), "ledger": asked.ledger.to_string()}))
    })
}

/// Approves what another person asked for.
#[pyfunction]
#[pyo3(signature = (address, entry, by = None, sign = None))]
pub(crate) fn ledger_approve(
    py: Python<'_>,
    address: &str,
    entry: u64,
    by: Option<String>,
    sign: Option<PathBuf>,
) -> PyResult<u64> {
    run(py, None, move |_| {
        let (address, by) = (Address::parse(address)?, congenial::person(by.as_deref())?);
        match sign {
            Some(key) => Ok(congenial::approve_signed(&address, entry, &by, &key)?.0),
            None => Ledger::open(&address)?.approve(entry, &by),
        }
    })
}

/// Notes data as those of their dataset.
#[pyfunction]
#[pyo3(signature = (spec, by = None))]
pub(crate) fn ledger_note(py: Python<'_>, spec: Handed<'_>, by: Option<String>) -> PyResult<String> {
    let given = spec.given(py)?;
    run(py, None, move |watch| congenial::note_data(given, &congenial::person(by.as_deref())?, watch))
}

/// Checks every entry, every seal, every balance and the head; and what was published, if folders
/// are given.
#[pyfunction]
#[pyo3(signature = (address, against = Vec::new()))]
pub(crate) fn ledger_verify<'py>(py: Python<'py>, address: &str, against: Vec<PathBuf>) -> PyResult<Bound<'py, PyAny>> {
    answered(py, None, move |_| {
        let address = Address::parse(address)?;
        let mut books = Ledger::open_to_read(&address)?;
        let whole = books.verify_chain()?;
        let against = match against.is_empty() {
            true => None,
            false => Some(congenial::verify_against(&address, &against, &perfect::read_release)?.found),
        };
        Ok(json!({
            "entries": whole.entries, "head": whole.head, "seals_checked": books.knows_its_key(), "against": against,
        }))
    })
}
