//! The module `congenial._congenial` of the Python package: frames in, answers and frames out,
//! problems as exceptions.
//!
//! It is thin: what it does is done by the facade, on a thread of its own, so that the interpreter
//! goes on and Ctrl-C is heard.

mod alone;
mod answers;
mod books;
mod crew;
mod inference;
mod problem;
mod program;
mod releases;
mod running;
mod specs;
mod stream;
mod studies;

use pyo3::prelude::*;

/// The functions behind `import congenial`.
#[pymodule]
mod _congenial {
    #[pymodule_export]
    use crate::answers::{check, check_data, explain, plan_card};
    #[pymodule_export]
    use crate::books::{
        ledger_approve, ledger_ask, ledger_history, ledger_note, ledger_open, ledger_status, ledger_verify,
    };
    #[pymodule_export]
    use crate::inference::infer;
    #[pymodule_export]
    use crate::program::{commit, main, schema, version};
    #[pymodule_export]
    use crate::releases::{demo, release, table, verify};
    #[pymodule_export]
    use crate::running::panic_for_tests;
    #[pymodule_export]
    use crate::specs::read_spec;
    #[pymodule_export]
    use crate::stream::{Stream, read_table, stream_of};
    #[pymodule_export]
    use crate::studies::{audit, compare, simulate};

    use super::*;

    #[pymodule_init]
    fn init(_: &Bound<'_, PyModule>) -> PyResult<()> {
        // A panic becomes an exception that says where, and nothing else; nothing is printed.
        congenial::silence_panics(|_| {});
        // The thread that imports the package is the one that answers short questions itself.
        alone::alone(|| ());
        if let Some(folder) = congenial_cli::cache() {
            congenial::remember_evidence_in(folder.join("evidence"));
        }
        Ok(())
    }
}
