//! What releases tell: `congenial infer`.

use crate::running::answered;
use crate::specs::stand_in;
use congenial::inferences::model::Sampler;
use congenial::inferences::{Best, Cancel};
use congenial::{InferOptions, ModelOptions, TestOptions};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::path::PathBuf;

/// Reads releases, answers what is asked and writes what is asked for. The options are those of the
/// program.
#[pyfunction]
#[pyo3(signature = (folders, options, progress = None))]
pub(crate) fn infer<'py>(
    py: Python<'py>,
    folders: Vec<PathBuf>,
    options: &Bound<'py, PyDict>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = understood(py, options)?;
    answered(py, progress, move |_| {
        let inferred = congenial::infer(&folders, &options)?;
        let mut value = inferred.json();
        value["text"] = json!(inferred.text());
        value["html"] = json!(inferred.html());
        Ok(value)
    })
}

/// The options by their names; an unknown one is an error.
fn understood(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<InferOptions> {
    let mut asked = InferOptions::default();
    let mut model = ModelOptions::default();
    for (key, value) in options {
        if value.is_none() {
            continue;
        }
        match key.extract::<String>()?.as_str() {
            "by" => asked.by = value.extract()?,
            "where" => asked.filter = value.extract()?,
            "output" => asked.output = value.extract()?,
            "query" => asked.query = value.extract()?,
            "rate" => asked.rate = value.extract()?,
            "compare" => asked.compare = value.extract()?,
            "regress" => asked.regress = value.extract()?,
            "open" => asked.open = value.extract()?,
            "model" => model.name = value.extract()?,
            "exposures" => model.exposures = value.extract()?,
            "against" => model.against = value.extract()?,
            "terms" => model.terms = value.extract()?,
            "prior_shape" => model.shape = value.extract()?,
            "prior_rate" => model.rate = value.extract()?,
            "prior_deviation" => model.deviation = value.extract()?,
            "sampler" => {
                model.sampler = match value.extract::<String>()?.as_str() {
                    "gibbs" => Sampler::Gibbs,
                    "rejection" => Sampler::Rejection,
                    "importance" => Sampler::Importance,
                    "constrained" => Sampler::Constrained,
                    other => return Err(PyValueError::new_err(format!("sampler cannot be {other:?}"))),
                };
            }
            "level" => asked.level = value.extract()?,
            "posterior" => asked.posterior = value.extract()?,
            "prior" => asked.prior = value.extract()?,
            "nonnegative" => asked.nonnegative = value.extract()?,
            "rule" => asked.rules = value.extract()?,
            "total" => asked.totals = value.extract()?,
            "draws" => asked.draws = value.extract()?,
            "seed" => asked.seed = value.extract()?,
            "table" => asked.table = value.extract()?,
            "impute" => asked.impute = value.extract()?,
            "out" => asked.out = value.extract()?,
            "likelihood" => {
                let tables: Vec<Bound<'_, PyAny>> = value.extract()?;
                for table in &tables {
                    asked.likelihood.extend(stand_in(py, Some(table))?);
                }
            }
            "cancel" => {
                asked.cancel = match value.extract::<String>()?.as_str() {
                    "automatic" => Cancel::Automatic,
                    "importance" => Cancel::Importance,
                    "exchange" => Cancel::Exchange,
                    other => return Err(PyValueError::new_err(format!("cancel cannot be {other:?}"))),
                };
            }
            "best" => {
                asked.best = match value.extract::<String>()?.as_str() {
                    "median" => Best::Median,
                    "mean" => Best::Mean,
                    "consistent" => Best::Consistent,
                    other => return Err(PyValueError::new_err(format!("best cannot be {other:?}"))),
                };
            }
            "test" => asked.test = Some(tested(&value)?),
            other => return Err(PyTypeError::new_err(format!("`{other}` is no option of infer"))),
        }
    }
    asked.model = (!model.name.is_empty()).then_some(model);
    Ok(asked)
}

/// A test by its name and its own options; names that it does not know are errors of the library.
fn tested(value: &Bound<'_, PyAny>) -> PyResult<TestOptions> {
    let options = value.cast::<PyDict>()?;
    let mut asked = TestOptions::default();
    for (key, value) in options {
        if value.is_none() {
            continue;
        }
        match key.extract::<String>()?.as_str() {
            "test" => asked.test = value.extract()?,
            "rows" => asked.rows = value.extract()?,
            "columns" => asked.columns = value.extract()?,
            "strata" => asked.strata = value.extract()?,
            "margins" => asked.margins = value.extract()?,
            "scores" => asked.scores = value.extract()?,
            "row_scores" => asked.row_scores = value.extract()?,
            "distribution" => asked.distribution = value.extract()?,
            "statistic" => asked.statistic = value.extract()?,
            "approximate" => asked.approximate = value.extract()?,
            "significance" => asked.significance = value.extract()?,
            other => return Err(PyTypeError::new_err(format!("`{other}` is no option of a test"))),
        }
    }
    Ok(asked)
}
