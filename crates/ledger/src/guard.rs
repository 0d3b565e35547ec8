//! Nobody pays from a ledger that was set back: before every write its end is compared with the
//! heads that are kept outside it, and nothing is acknowledged before they know it.
//!
//! The file beside a SQLite database gets two lines for every transaction: `writing` before the
//! commit, `kept` after it. So it tells three things apart. A ledger that ends at `writing` was
//! committed and not acknowledged: a crash. One that ends before `kept` was set back. And a
//! `writing` without its `kept` says that a transaction was interrupted, so that the whole database
//! is checked before it is used. Second places get `kept` alone. Why that is enough:
//! `proofs/ledger.md`.

use crate::check;
use crate::entry::{Event, kind};
use crate::head::{Ending, HeadFile, HeadWriter, Line, OpenedThen, Paid, Said, State, file_number, names_of};
use crate::portions::Portions;
use crate::read::Balance;
use crate::session::{Heads, Session, VERSION_WITH_HEADS};
use crate::store::Value::Text;
use declare::Problem;

/// What is wrong between a ledger and one of its heads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// There is no file.
    Missing,
    /// The file says nothing about this ledger.
    Silent,
    /// The head is beyond the end of the history.
    Behind(Line),
    /// The head is of another history than this one.
    Forked(Line),
    /// The head is further behind than a crash leaves it.
    Old(Line),
    /// The end of the head cannot be read, and no crash left it so: it may have known more.
    Torn,
    /// The database is a copy that `backup` made.
    Backup,
}

/// What a head says about a ledger.
pub(crate) struct HeadFinding {
    pub(crate) trouble: Option<Trouble>,
    /// Whether it knows the end of the history, or more.
    pub(crate) current: bool,
    /// The entry up to which the head lists what was paid.
    after: u64,
    /// Whether a transaction was interrupted, or the database is another file than before.
    unsettled: bool,
}

impl Trouble {
    /// What is wrong, in words.
    pub(crate) fn words(&self, place: &HeadFile, session: &Session<'_>) -> String {
        let (place, count) = (place.0.display(), session.count);
        match self {
            Trouble::Missing => {
                format!("its head, `{place}`, is missing: nobody can tell whether this is all of the history")
            }
            Trouble::Silent => format!("its head, `{place}`, is damaged: it says nothing about this ledger"),
            Trouble::Behind(line) if line.epoch > session.epoch => {
                format!("it was set back: `{place}` knows that it recovered since, up to entry {}", line.entry)
            }
            Trouble::Behind(line) => {
                format!("it was set back: it ends with entry {count}, and `{place}` knows entry {}", line.entry)
            }
            Trouble::Forked(line) => {
                format!("there are two of it: entry {} is not the one that `{place}` knows", line.entry)
            }
            Trouble::Old(line) => {
                format!(
                    "its head, `{place}`, was set back: it ends with entry {}, and the ledger with entry {count}",
                    line.entry
                )
            }
            Trouble::Torn => {
                format!("the end of its head, `{place}`, cannot be read: it may have known more than the ledger does")
            }
            Trouble::Backup => format!("it is a backup, as `{place}` says"),
        }
    }

    /// What is wrong, as a refusal.
    pub(crate) fn problem(&self, place: &HeadFile, session: &Session<'_>) -> Problem {
        let hint = match self {
            Trouble::Backup => {
                "nothing is paid from a backup: `congenial ledger restore FILE` puts it in the ledger's place"
            }
            Trouble::Behind(_) | Trouble::Forked(_) => {
                "find the newest copy of the ledger and put it back, with its head; where there is none, \
                 `congenial ledger recover --adopt --because TEXT` books what was lost as spent and goes on"
            }
            _ => {
                "put the file back; where it is lost, compare the ledger with what was published \
                 (`congenial ledger verify --against DIR…`); `congenial ledger recover --adopt --because TEXT` goes on, \
                 and says what it costs that nobody knows what was paid"
            }
        };
        Problem::refused(format!("this ledger pays for nothing: {}", self.words(place, session))).hint(hint)
    }
}

impl Session<'_> {
    /// The file beside the database, where there is one.
    pub(crate) fn beside(&self) -> Option<HeadFile> {
        self.store.file().map(HeadFile::beside)
    }

    /// All places of the head, the one beside the database first.
    pub(crate) fn places(&mut self) -> Result<Vec<HeadFile>, Problem> {
        Ok(self.beside().into_iter().chain(self.second_places()?).collect())
    }

    /// Whether a head is that of an entry of this history, or was adopted and all that it lists is
    /// booked.
    pub(crate) fn accounts_for(&mut self, line: &Line) -> Result<bool, Problem> {
        if self.holds(line.entry, &line.seal)? {
            return Ok(true);
        }
        if !self.adopted()?.iter().any(|lost| lost.epoch == line.epoch && lost.entry >= line.entry) {
            return Ok(false);
        }
        // Another history of the same epoch, of which nobody knew then, is not accounted for by its
        // number alone.
        for paid in &line.paid {
            if !self.holds(paid.entry, &paid.seal)? && self.booked(&paid.dataset, &paid.seal)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares the end of the history with a head.
    pub(crate) fn judge(&mut self, beside: bool, said: Option<Said>, reading: bool) -> Result<HeadFinding, Problem> {
        let found = |trouble| Ok(HeadFinding { trouble: Some(trouble), current: false, after: 0, unsettled: true });
        let fine = |current, after, unsettled| Ok(HeadFinding { trouble: None, current, after, unsettled });
        let Some(Said { lines, ending }) = said else { return found(Trouble::Missing) };
        let end = (self.epoch, self.end());
        let announced =
            lines.iter().any(|line| line.state == State::Writing && line.place() == end && line.seal == self.head);
        let Some(newest) = lines.iter().filter(|line| line.state != State::Writing).max_by_key(|line| line.place())
        else {
            // The ledger was being made.
            let made = beside && announced && self.count == 1;
            return if made { fine(true, 0, true) } else { found(Trouble::Silent) };
        };
        if newest.state == State::Backup {
            return if reading { fine(false, 0, true) } else { found(Trouble::Backup) };
        }
        if newest.place() > end {
            return found(Trouble::Behind(newest.clone()));
        }
        if !self.accounts_for(newest)? {
            return found(Trouble::Forked(newest.clone()));
        }
        let after = if self.holds(newest.entry, &newest.seal)? { newest.entry } else { 0 };
        // Who begins to write `kept` has committed: then the history ends there, or it was set back
        // since.
        let other_end = |line: &Line| line.place() != end || line.seal != self.head;
        let was_kept = match beside {
            true => lines.last().is_some_and(|line| line.state == State::Writing && other_end(line)),
            false => newest.place() == end,
        };
        if ending == Ending::Unreadable || (ending == Ending::Torn && was_kept) {
            return found(Trouble::Torn);
        }
        if newest.place() == end {
            let position = lines.iter().rposition(|line| line == newest).unwrap_or(0);
            let interrupted = lines[position..].iter().any(|line| line.state == State::Writing);
            let moved = newest.file != self.store.file().and_then(file_number);
            return fine(true, after, beside && (interrupted || moved));
        }
        if beside && !announced && !reading {
            return found(Trouble::Old(newest.clone()));
        }
        fine(announced, after, beside)
    }

    /// Refuses to go on where the ledger was set back or a head is lost, and checks all of it after
    /// an interruption.
    pub(crate) fn guard(&mut self) -> Result<(), Problem> {
        if let Some(file) = self.store.file()
            && names_of(file) > 1
        {
            let message = format!("the ledger `{}` has several names (hard links)", file.display());
            return Err(Problem::refused(message).hint(
                "a crash under one name is not seen under another: remove all names but one; `congenial ledger backup` makes a copy",
            ));
        }
        let migrating = self.version < VERSION_WITH_HEADS;
        let (mut unsettled, mut guard) = (migrating, Heads::default());
        if let Some(beside) = self.beside() {
            // Locked before it is read: whoever has committed and not yet kept its head is waited
            // for.
            if beside.0.exists() {
                let writer = beside.writer(false)?;
                writer.lock()?;
                guard.writer = Some(writer);
            }
            let judged = self.judge(true, beside.last_lines(self.key)?, false)?;
            match judged.trouble {
                Some(Trouble::Missing | Trouble::Silent) if migrating => {}
                Some(trouble) => return Err(trouble.problem(&beside, self)),
                None => {}
            }
            unsettled |= judged.unsettled;
            guard.after = judged.after;
        }
        for place in self.second_places()? {
            let judged = self.judge(false, place.last_lines(self.key)?, false)?;
            if let Some(trouble) = judged.trouble {
                return Err(trouble.problem(&place, self));
            }
            guard.seconds.push((place, judged.after));
        }
        if unsettled {
            self.store.check_pages()?;
            check::verify(self)?;
            if let Some(writer) = &mut guard.writer {
                let line = self.line(State::Kept, guard.after)?;
                writer.append(&line, self.key)?;
                guard.after = self.end();
            }
        }
        self.heads = guard;
        Ok(())
    }

    /// A line about the end of the history, which lists what was paid and opened after an entry.
    pub(crate) fn line(&mut self, state: State, after: u64) -> Result<Line, Problem> {
        let file = self.store.file().and_then(file_number);
        let mut line = Line::new(self.key, state, (self.epoch, self.end(), &self.head), file);
        line.after = after;
        let values = [Text(kind::RESERVED), Text(kind::BOOKED), Text(kind::OPENED)];
        let mut listed = Portions::after(after, "kind IN ($1, $2, $3)", &values);
        while let Some(entry) = listed.next(self)? {
            let dataset = entry.dataset;
            match entry.event {
                Event::Opened { budget, approval, partition, approver_key } => {
                    line.opened.push(OpenedThen { dataset, budget, approval, partition, approver_key });
                }
                Event::Reserved { charged, prints, .. } => {
                    let noted = prints.iter().filter(|print| print.is_noted());
                    let mut prints: Vec<_> = noted.map(|print| print.token(self.key)).collect();
                    // In an order that tells nothing either.
                    prints.sort();
                    line.paid.push(Paid { dataset, entry: entry.number, seal: entry.seal, charged, prints });
                }
                // Under the entry that was lost: whoever loses this one too knows that they are the
                // same payment.
                Event::Booked { entry, seal, charged, .. } => {
                    line.paid.push(Paid { dataset, entry, seal, charged, prints: Vec::new() });
                }
                _ => {}
            }
        }
        Ok(line)
    }

    /// Makes all of it durable, in the database and then in every head.
    pub(crate) fn commit(mut self) -> Result<(), Problem> {
        self.steps.reached("written");
        if self.count == self.began {
            return self.commit_database();
        }
        let mut heads: Vec<(HeadWriter, Line)> = Vec::new();
        let mut guard = std::mem::take(&mut self.heads);
        if let Some(beside) = self.beside() {
            let mut writer = guard.writer.take().map_or_else(|| beside.writer(true), Ok)?;
            writer.lock()?;
            let writing = self.line(State::Writing, guard.after)?;
            writer.append(&writing, self.key)?;
            let kept = Line { state: State::Kept, ..writing };
            heads.push((writer, kept));
        }
        for place in self.second_places()? {
            let known = guard.seconds.iter().find(|(known, _)| *known == place).map(|(_, after)| *after);
            let line = self.line(State::Kept, known.unwrap_or(0))?;
            heads.push((place.writer(known.is_none())?, line));
        }
        let (key, entry, mut steps) = (self.key, self.count, std::mem::take(&mut self.steps));
        steps.reached("announced");
        self.commit_database()?;
        steps.reached("committed");
        for (writer, line) in &mut heads {
            writer.append(line, key).map_err(|problem| {
                Problem::system(format!("{}; what was written up to entry {entry} stands", problem.message))
                    .hint("what it paid is spent and nothing was drawn for it: `congenial ledger recover` shows it")
            })?;
        }
        steps.reached("head kept");
        Ok(())
    }

    /// Writes one entry about a dataset and makes it durable; says which entry that is.
    pub(crate) fn enter(mut self, dataset: &str, by: &str, balance: &Balance, event: Event) -> Result<u64, Problem> {
        let entry = self.record(dataset, by, balance, event)?;
        self.put_end()?;
        self.commit()?;
        Ok(entry.number)
    }
}
