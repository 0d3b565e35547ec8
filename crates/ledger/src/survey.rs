//! `HeadSurvey`: what the heads of a ledger that was set back say, and what somebody knows of it,
//! taken together. What is wrong, what was lost, and whether that is all of it.
//!
//! A head that can be read to its end and knows the end of the history, or more, proves what was
//! paid. Where there are second places, one of these must: whoever can put back the database can
//! put back the file beside it. Why that is enough, and what it does not find: `proofs/ledger.md`.

use crate::entry::LostHead;
use crate::guard::Trouble;
use crate::head::{Ending, HeadFile, Line, Paid, Said, State};
use crate::session::Session;
use declare::Problem;
use loss::Charge;

/// A payment that somebody knows of from elsewhere: a certificate names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// The dataset that paid.
    pub dataset: String,
    /// The entry that paid.
    pub entry: u64,
    /// Its seal.
    pub seal: String,
    /// What was paid; absent for what cost nothing.
    pub charged: Option<Charge>,
    /// Where that is known from, in words.
    pub source: String,
}

/// How a payment stands in a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is an entry of the history.
    Entered,
    /// Its entry is lost; it was booked again in this one.
    Booked(u64),
    /// The history ends before it: the ledger was set back.
    Beyond,
    /// Another entry stands in its place: another ledger paid, or there are two histories of this
    /// one.
    Elsewhere,
}

/// What becomes of what nobody can know: payments that no head and no certificate lists, though
/// there may have been some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// The ledger is left as it is, and pays for nothing.
    #[default]
    Refused,
    /// All that is left of every dataset is booked as spent.
    Booked,
    /// Nothing: whoever recovers vouches that nothing else was paid, and the history and the status
    /// say so for ever.
    Vouched,
}

/// How somebody goes on with a ledger that was set back, copied, or whose head is lost.
#[derive(Debug, Clone, Copy)]
pub struct Adopting<'a> {
    /// Payments that are known from elsewhere.
    pub payments: &'a [Payment],
    /// Second places of the head that cannot be reached any more.
    pub given_up: &'a [String],
    /// What becomes of payments that nobody lists.
    pub unknown: Unknown,
    /// What happened.
    pub reason: &'a str,
    /// Who recovers.
    pub by: &'a str,
}

/// What is known of the lost part of a history.
#[derive(Debug, Default)]
pub(crate) struct HeadSurvey {
    /// What is wrong, each in words.
    pub(crate) found: Vec<String>,
    /// Ends of the history that heads know and the history does not have.
    pub(crate) heads: Vec<LostHead>,
    /// Lines that list what was lost.
    pub(crate) lines: Vec<Line>,
    /// Why more may have been paid than anybody lists.
    pub(crate) unknown: Option<String>,
}

/// One head, as it was found.
struct Witness {
    /// Whether it can be read to its end, and lists all that was paid up to there.
    whole: bool,
    /// Whether it knows the end of the history, or more.
    current: bool,
    beside: bool,
    /// The last end that it knows.
    newest: Option<(u64, u64)>,
}

impl HeadSurvey {
    /// Refuses to go on where nobody can know what was paid, unless somebody says what becomes of
    /// that.
    pub(crate) fn check(&self, choice: Unknown) -> Result<(), Problem> {
        let Some(why) = self.unknown.as_ref().filter(|_| choice == Unknown::Refused) else { return Ok(()) };
        let found = self.found.join("; ");
        Err(Problem::refused(format!("what this ledger has paid cannot be known: {why} ({found})")).hint(
            "put the newest copy of the ledger and its head back, if there is one; else `--book-all` books all that is left \
             of every dataset as spent, and `--vouch` goes on in your name as if nothing else had been paid, which the \
             history and the status say for ever",
        ))
    }
}

impl Session<'_> {
    /// What the heads say, and the certificates. `beside` is the head of the place where the ledger
    /// is, or will be.
    pub(crate) fn survey(&mut self, beside: Option<&HeadFile>, adopting: &Adopting<'_>) -> Result<HeadSurvey, Problem> {
        let mut survey = HeadSurvey::default();
        let mut witnesses = Vec::new();
        let seconds = self.second_places()?;
        let places = beside.into_iter().map(|place| (place, true)).chain(seconds.iter().map(|place| (place, false)));
        for (place, beside) in places {
            let given_up = adopting.given_up.iter().any(|given_up| place.0.as_os_str() == given_up.as_str());
            let said = match place.all_lines(self.key) {
                // What cannot be read any more is why it is given up.
                Err(_) if given_up => None,
                said => said?,
            };
            let judged = self.judge(beside, said.clone(), false)?;
            match (&judged.trouble, given_up) {
                (_, true) => survey.found.push(format!("the head at `{}` is given up", place.0.display())),
                (Some(trouble), false) => survey.found.push(trouble.words(place, self)),
                (None, false) => {}
            }
            let ahead = matches!(judged.trouble, Some(Trouble::Behind(_) | Trouble::Forked(_)));
            let (whole, newest) = match said {
                Some(said) => self.lost_in(beside, said, &mut survey)?,
                None => (false, None),
            };
            let current = ahead || (judged.trouble.is_none() && judged.current);
            witnesses.push(Witness { whole, current, beside, newest });
        }
        let top = witnesses.iter().filter_map(|witness| witness.newest).max();
        let trusted = |witness: &&Witness| !witness.beside || witnesses.iter().all(|witness| witness.beside);
        let proved = |witness: &Witness| witness.whole && witness.current && witness.newest >= top;
        if !witnesses.iter().filter(trusted).any(proved) {
            survey.unknown = Some(match witnesses.len() {
                0 => "no head of it is kept".to_string(),
                1 => "its head does not tell, and there is no other".to_string(),
                _ => "no second head that is whole knows the end of the history".to_string(),
            });
        }
        for payment in adopting.payments {
            if matches!(self.standing_of(payment)?, Standing::Entered | Standing::Booked(_)) {
                continue;
            }
            survey.found.push(format!("{} is not in the history", payment.source));
            let same = |paid: &Paid| paid.entry == payment.entry && paid.seal == payment.seal;
            if !survey.lines.iter().flat_map(|line| &line.paid).any(same) {
                survey.unknown = Some(format!("no head knows {}", payment.source));
            }
        }
        Ok(survey)
    }

    /// How a payment stands.
    pub(crate) fn standing_of(&mut self, payment: &Payment) -> Result<Standing, Problem> {
        if self.holds(payment.entry, &payment.seal)? {
            return Ok(Standing::Entered);
        }
        if let Some(booked) = self.booked(&payment.dataset, &payment.seal)? {
            return Ok(Standing::Booked(booked));
        }
        Ok(if payment.entry > self.end() { Standing::Beyond } else { Standing::Elsewhere })
    }

    /// Adds what one head knows and the history does not. Says whether it is whole, and the last
    /// end that it knows.
    fn lost_in(
        &mut self,
        beside: bool,
        said: Said,
        survey: &mut HeadSurvey,
    ) -> Result<(bool, Option<(u64, u64)>), Problem> {
        let Said { lines, ending } = said;
        let kept = |line: &&Line| line.state == State::Kept;
        let newest = lines.iter().filter(kept).map(Line::place).max();
        // A copy that says so does not know what was paid since.
        let copy = lines.iter().max_by_key(|line| line.place()).is_some_and(|line| line.state == State::Backup);
        let last_is_kept = lines.last().is_some_and(|line| line.state == State::Kept);
        let readable = ending == Ending::Whole || (ending == Ending::Torn && beside && last_is_kept);
        // What was announced after the last line that was kept may have been committed and
        // acknowledged.
        let settled = lines.iter().rposition(|line| line.state != State::Writing);
        let (mut unknown, mut ours) = (Vec::new(), vec![0]);
        for (place, line) in lines.into_iter().enumerate() {
            let open = line.state == State::Writing && settled.is_none_or(|settled| place > settled);
            match self.accounts_for(&line)? {
                true => ours.push(line.entry),
                false if line.state == State::Kept || open => unknown.push(line),
                false => {}
            }
        }
        unknown.sort_by_key(Line::place);
        // Each line lists what was paid since the one before, so a missing line leaves a gap.
        let gap = unknown.first().is_some_and(|line| !ours.contains(&line.after))
            || unknown.windows(2).any(|lines| lines[1].after > lines[0].entry);
        if let Some(newest) = unknown.last() {
            let head = LostHead { epoch: newest.epoch, entry: newest.entry, seal: newest.seal.clone() };
            if !survey.heads.contains(&head) {
                survey.heads.push(head);
            }
        }
        survey.lines.append(&mut unknown);
        Ok((readable && !copy && !gap, newest))
    }
}
