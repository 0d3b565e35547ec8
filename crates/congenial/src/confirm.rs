//! Tells the curator whether confidential data are as a spec declares them: entered in the ledger,
//! and limited.

use certify::sha256;
use declare::{Declaration, Problem};
use ledger::MOST_ANSWERS;
use pay::{check_whose, ledger_of};
use plan::Case;
use prepare::{Given, Opened, Progress, Stage, check_public, left_out, prints};
use publish::STREAM_ABOVE;
use tabulate::{Reading, Survey, survey, tabulate_as, tabulate_sorted};

/// Data that are as declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    /// Rows that were left out or changed as the spec says, by reason; for the curator's eyes only.
    pub left_out: Vec<(u64, &'static str)>,
    /// How many more questions about the data may be answered; `None` for public data, of which
    /// anybody may ask anything.
    pub left: Option<u64>,
}

/// Reads the data of a spec strictly, and checks them against everything that it declares of them.
///
/// Every other command trusts the declaration. This one answers a question about the interior of
/// the table: the answer is the curator's, is entered in the ledger before it is given, and of one
/// dataset there are at most [`MOST_ANSWERS`].
///
/// # Errors
/// What is wrong with the data, if something is: it may show a row, and comes after `surveyed` was
/// told what stands in the columns. Refused when nothing more is answered.
pub fn confirm(
    spec: impl Into<Given>,
    by: &str,
    progress: &dyn Progress,
    surveyed: &mut dyn FnMut(&Survey, Option<u64>),
) -> Result<Confirmed, Problem> {
    let given = spec.into();
    let opened = given.open(STREAM_ABOVE)?;
    let Case { declaration, domain, conditions, fold, .. } = &opened.case;
    let Opened { folder, .. } = &opened;
    let origin = opened.origin();
    let mut left = None;
    if declaration.data.public {
        check_public(&opened.case, folder, opened.origin(), &mut |_| {})?;
    } else {
        let (mut ledger, dataset) = ledger_of(&opened)?;
        check_whose(&mut ledger, &dataset, &given.open(STREAM_ABOVE)?.load(progress)?, &[], by)?;
        let files = prints(&ledger, declaration, domain, folder, None)?;
        let files: String = files.iter().map(|print| format!("{print}\n")).collect();
        let question = sha256(format!("{}\n{files}", asked(declaration)).as_bytes());
        let about = "whether the data are as declared";
        left = Some(ledger.answer(&dataset, &question, about, by, false)?.min(MOST_ANSWERS));
    }
    let reading = &mut progress.of(Stage::Reading);
    let survey = survey(declaration, domain, origin, reading)?;
    surveyed(&survey, left);
    let tabulated = match fold {
        None => tabulate_as(Reading::Strict, declaration, domain, origin, reading)?,
        Some(fold) => tabulate_sorted(Reading::Strict, declaration, domain, fold, origin, reading)?.0,
    };
    conditions.check_table(tabulated.table.counts())?;
    Ok(Confirmed { left_out: left_out(&tabulated), left })
}

/// What a spec says of the data, and nothing else: other titles, noise and outputs ask the same
/// question.
fn asked(declaration: &Declaration) -> String {
    let Declaration { data, schema, constraints, .. } = declaration;
    format!("{data:?}\n{schema:?}\n{constraints:?}")
}
