//! Answers about data that nothing pays for: entered, counted, and limited for every dataset.
//!
//! Whether data are as a spec declares them, and whether the exact totals of a spec stand in the
//! way of its release, are answers that depend on the data. Each is one of two. Why a limited
//! number of them is enough: `proofs/answers.md`.

use crate::entry::{Event, kind};
use crate::ledger::Ledger;
use crate::portions::Portions;
use crate::session::Session;
use crate::store::Value::Text;
use crate::text;
use declare::Problem;

/// The most answers about one dataset.
pub const MOST_ANSWERS: u64 = 16;

/// The safeguard that answers are limited.
pub const ANSWERS: &str = "answers";

impl Ledger {
    /// Refuses a question about a spec that was not answered before, when no more may be answered.
    pub fn check_answers(&mut self, dataset: &str, question: &str, spec: &str) -> Result<(), Problem> {
        self.reading()?.check_answers(dataset, question, Some(spec))
    }

    /// Whether a dataset has paid for a release of this law: another presentation of it tells
    /// nothing.
    pub fn has_paid_for(&mut self, dataset: &str, law: &str) -> Result<bool, Problem> {
        let values = [Text(kind::RESERVED), Text(law), Text(dataset)];
        let mut paid = Portions::latest_first("kind = $1 AND subject = $2 AND dataset = $3", &values);
        Ok(paid.next(&mut self.reading()?)?.is_some())
    }

    /// Enters that a question about the data of a dataset is answered, before it is; the same
    /// question is entered once. Says how many more may be answered.
    ///
    /// # Errors
    /// Refused when that is one too many, unless `overridden`.
    pub fn answer(
        &mut self,
        dataset: &str,
        question: &str,
        about: &str,
        by: &str,
        overridden: bool,
    ) -> Result<u64, Problem> {
        let by = text::name("the name of the person", by)?;
        let question = text::name("the question", question)?;
        let about = text::sentence("what the question is about", about)?;
        let mut session = self.writing()?;
        let balance = session.balance(dataset)?;
        if !session.was_answered(dataset, question)? {
            if !overridden {
                session.check_answers(dataset, question, None)?;
            }
            let event = Event::Answered { question: question.to_string(), about: about.to_string() };
            session.record(dataset, by, &balance, event)?;
            session.put_end()?;
        }
        let left = MOST_ANSWERS.saturating_sub(session.answers(dataset)?);
        session.commit()?;
        Ok(left)
    }
}

impl Session<'_> {
    /// A dataset about whose data nothing more may be answered, other than one's own; the first by
    /// name.
    pub(crate) fn exhausted(&mut self, own: Option<&str>) -> Result<Option<String>, Problem> {
        let statement =
            "SELECT dataset, count(*) FROM congenial_history WHERE kind = $1 GROUP BY dataset ORDER BY dataset";
        for mut row in self.store.query(statement, &[Text(kind::ANSWERED)])? {
            let (dataset, count) = (row.text(0)?, row.number(1)?);
            if u64::try_from(count).unwrap_or_default() >= MOST_ANSWERS && own != Some(dataset.as_str()) {
                return Ok(Some(dataset));
            }
        }
        Ok(None)
    }

    /// How many questions were answered.
    pub(crate) fn answers(&mut self, dataset: &str) -> Result<u64, Problem> {
        Ok(self.entries_of(dataset, kind::ANSWERED)?.len() as u64)
    }

    pub(crate) fn was_answered(&mut self, dataset: &str, question: &str) -> Result<bool, Problem> {
        Ok(!self.with_subject(dataset, kind::ANSWERED, question)?.is_empty())
    }

    pub(crate) fn check_answers(&mut self, dataset: &str, question: &str, spec: Option<&str>) -> Result<(), Problem> {
        if self.answers(dataset)? < MOST_ANSWERS || self.was_answered(dataset, question)? {
            return Ok(());
        }
        // A spec that was paid for is handed back, whatever was asked since.
        let mut paid = Portions::of_kind(dataset, kind::RESERVED);
        while let Some(entry) = paid.next(self)? {
            if matches!(&entry.event, Event::Reserved { spec: paid, .. } if Some(paid.as_str()) == spec) {
                return Ok(());
            }
        }
        Err(Problem::refused(format!(
            "{MOST_ANSWERS} questions about the data of `{dataset}` were answered that nothing paid for: no other one is"
        ))
        .hint(
            "`congenial ledger history` lists them; a release goes on with --override answers --because TEXT, and its \
             certificate names that",
        ))
    }
}
