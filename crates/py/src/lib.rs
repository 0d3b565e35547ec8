//! The module `congenial._congenial` of the Python package: frames in, answers and frames out, problems as exceptions.
//!
//! It is thin: what it does is done by the facade, on a thread of its own, so that the interpreter goes on and Ctrl-C is heard.

mod answers;
mod books;
mod crew;
mod inference;
mod problem;
mod running;
mod specs;
mod stream;

use pyo3::prelude::*;

/// The functions behind `import congenial`.
#[pymodule]
mod _congenial {
    #[pymodule_export]
    use crate::answers::{audit, check, check_data, compare, demo, explain, main, release, simulate, table, verify};
    #[pymodule_export]
    use crate::books::{
        ledger_approve, ledger_ask, ledger_history, ledger_note, ledger_open, ledger_status, ledger_verify,
    };
    #[pymodule_export]
    use crate::inference::infer;
    #[pymodule_export]
    use crate::problem::panic_for_tests;
    #[pymodule_export]
    use crate::specs::{commit, read_spec, schema, version};
    #[pymodule_export]
    use crate::stream::{Stream, read_table, stream_of};

    use super::*;

    #[pymodule_init]
    fn init(_: &Bound<'_, PyModule>) -> PyResult<()> {
        // A panic becomes an exception that says where, and nothing else; nothing is printed.
        congenial::silence_panics(|_| {});
        if let Some(folder) = congenial_cli::cache() {
            congenial::remember_evidence_in(folder.join("evidence"));
        }
        Ok(())
    }
}
