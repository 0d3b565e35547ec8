//! Datasets: opened with a budget, recognised by fingerprints, with overrides that the next
//! certificate names.

use crate::answers::{ANSWERS, MOST_ANSWERS};
use crate::chain::Saying;
use crate::entry::{Entry, Event, Override, kind};
use crate::fingerprint::{Claim, Print};
use crate::head::Paid;
use crate::ledger::Ledger;
use crate::read::Balance;
use crate::session::Session;
use crate::signed;
use crate::store::Value::Text;
use crate::text;
use declare::Problem;
use loss::{Charge, composes_by_maximum};

/// The safeguard that data with the counts of another dataset, which are too few to be told apart,
/// are taken for those.
pub const RECOGNITION: &str = "recognition";

/// A dataset that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDataset {
    /// Its name.
    pub name: String,
    /// What its releases may cost in all.
    pub budget: Charge,
    /// Whether a second person must approve every release.
    pub approval: bool,
    /// A column of its rows whose values are parts: what is spent on different parts counts by the
    /// largest.
    pub partition: Option<String>,
    /// Who opens it.
    pub by: String,
}

impl Ledger {
    /// Opens a dataset with a total budget; says which entry that is.
    pub fn open_dataset(&mut self, dataset: &NewDataset) -> Result<u64, Problem> {
        self.open_dataset_with(dataset, None)
    }

    /// Opens a dataset whose approvals must be signed with a key, the public one of which is given
    /// in hexadecimal.
    pub fn open_dataset_with(&mut self, dataset: &NewDataset, approver_key: Option<&str>) -> Result<u64, Problem> {
        self.enter_opened(dataset, approver_key, false)
    }

    /// Opens a dataset once more with another budget, where nothing was paid or asked for yet.
    pub fn reopen_dataset(&mut self, dataset: &NewDataset, approver_key: Option<&str>) -> Result<u64, Problem> {
        self.enter_opened(dataset, approver_key, true)
    }

    fn enter_opened(&mut self, dataset: &NewDataset, approver_key: Option<&str>, again: bool) -> Result<u64, Problem> {
        let name = text::name("the name of the dataset", &dataset.name)?;
        let by = text::name("the name of the person", &dataset.by)?;
        let partition = dataset.partition.as_deref().map(|column| text::name("the column of the partition", column));
        let partition = partition.transpose()?.map(str::to_string);
        dataset.budget.amount.check()?;
        if !dataset.budget.amount.is_a_budget() {
            return Err(Problem::bad(format!("a budget must be positive: {}", dataset.budget.amount)));
        }
        if partition.is_some() && !composes_by_maximum(&dataset.budget) {
            return Err(Problem::bad(format!("losses of parts add up where the budget is {}", dataset.budget))
                .hint("open the dataset without a partition, or with a budget of pure ε or ρ per record"));
        }
        if let Some(key) = approver_key
            && (!dataset.approval || !signed::is_key(key))
        {
            return Err(Problem::bad("the key of the approver is no Ed25519 public key, or nobody must approve")
                .hint("`congenial key new FILE` makes a pair of keys; --approver-key FILE.pub demands approvals signed with it"));
        }
        let mut session = self.writing()?;
        let before = session.balance_of(name)?;
        let is_again = before.is_some();
        if let Some(balance) = before {
            session.check_reopened(dataset, approver_key, &balance, again)?;
        } else if let Some(alike) = session.alike(name)? {
            return Err(Problem::refused(format!("`{name}` looks like dataset `{alike}`, and is not the same name"))
                .hint(
                    "the same data have one name and one budget; other data need a name that nobody mistakes for it",
                ));
        }
        let spent = dataset.budget.amount.nothing_of();
        let approver_key = approver_key.map(str::to_string);
        let (budget, approval) = (dataset.budget.clone(), dataset.approval);
        let event = Event::Opened { budget, approval, partition, approver_key };
        let entry = session.append(Saying { dataset: name, by, spent: Some(spent.clone()), event })?;
        let opened = session.count;
        session.put_balance(name, opened, &spent)?;
        if is_again {
            session.put_opened(name, opened)?;
        }
        session.put_end()?;
        session.commit()?;
        Ok(entry.number)
    }

    /// Says whether data may be what a caller claims: refuses those of another dataset, and those
    /// of any when they are claimed to be public or another ledger's. [`Ledger::reserve`] asks this
    /// itself.
    ///
    /// A refusal is an answer about the data of a dataset: it is entered before it is given, and
    /// when no more may be answered, data are refused whatever they are. So the ledger must be one
    /// that can be written to, whatever the answer is.
    pub fn recognise(&mut self, prints: &[Print], claim: Claim<'_>, by: &str) -> Result<(), Problem> {
        let by = text::name("the name of the person", by)?;
        let mut session = self.writing()?;
        // Refuses a database that could not be written to, whatever is to be written: nothing is
        // changed.
        session.store.execute("UPDATE congenial_state SET count = count WHERE id = 1", &[])?;
        match session.weigh(prints, claim, &[])? {
            Ok(_) => Ok(()),
            Err(refused) => Err(session.answered(*refused, by)?),
        }
    }

    /// Refuses data of another dataset, as [`Ledger::reserve`] does with these overrides, before
    /// anything else is said of them.
    pub fn check_whose(
        &mut self,
        dataset: &str,
        prints: &[Print],
        overrides: &[Override],
        by: &str,
    ) -> Result<(), Problem> {
        let by = text::name("the name of the person", by)?;
        let mut session = self.writing()?;
        match session.weigh(prints, Claim::Dataset(dataset), overrides)? {
            Ok(_) => Ok(()),
            Err(refused) => Err(session.answered(*refused, by)?),
        }
    }

    /// Notes the fingerprints of data as those of a dataset, before anything is released.
    /// [`Ledger::reserve`] notes them itself.
    pub fn note_prints(&mut self, dataset: &str, prints: &[Print], by: &str) -> Result<(), Problem> {
        let by = text::name("the name of the person", by)?;
        let mut session = self.writing()?;
        let balance = session.balance(dataset)?;
        match session.weigh(prints, Claim::Dataset(dataset), &[])? {
            Err(refused) => return Err(session.answered(*refused, by)?),
            Ok(tokens) => session.note(dataset, &balance, &tokens, by)?,
        }
        session.put_end()?;
        session.commit()
    }

    /// Whether data that are new to a dataset have the counts of another, and are too few to be
    /// told apart by them.
    pub fn has_counts_of_another(&mut self, dataset: &str, prints: &[Print]) -> Result<bool, Problem> {
        let mut session = self.reading()?;
        for print in prints.iter().filter(|print| print.is_of_few()) {
            if session.seen(print, Some(dataset))?.is_none() && session.seen(print, None)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses data that a dataset was not known to have, when nothing more may be answered about
    /// those of another one: whatever they are, so that it tells nothing.
    pub fn check_guess(&mut self, dataset: &str, prints: &[Print]) -> Result<(), Problem> {
        self.reading()?.check_guess(prints, Claim::Dataset(dataset))
    }
}

/// What [`Session::weigh`] found. If data may be what they are claimed to be, the tokens that are
/// to be noted: all of them if one is new, for how many are new would tell how much of the data
/// changed.
pub(crate) type Weighing = Result<Result<Vec<Print>, Box<Refusal>>, Problem>;

/// Why data are refused, and what must be entered before that is told.
pub(crate) struct Refusal {
    problem: Problem,
    /// The dataset whose data they are, and the question; absent where the answer tells nothing
    /// new.
    answer: Option<(String, String)>,
}

impl Session<'_> {
    /// A dataset whose name looks like this one.
    fn alike(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let look = text::look(name);
        // Entries of earlier versions are found by nothing.
        let values = [Text(kind::OPENED), Text(&look), Text("")];
        let opened = self.entries("WHERE kind = $1 AND subject IN ($2, $3)", &values)?;
        Ok(opened.into_iter().map(|entry| entry.dataset).find(|known| text::look_alike(known, name)))
    }

    /// The first entry that noted data by a print: of a dataset, or of any.
    fn seen(&mut self, print: &Print, of: Option<&str>) -> Result<Option<Entry>, Problem> {
        let token = print.token(self.key);
        let mut values = vec![Text(kind::SEEN), Text(&print.0), Text(&token.0)];
        let mut rest = "WHERE kind = $1 AND subject IN ($2, $3)".to_string();
        if let Some(dataset) = of {
            values.push(Text(dataset));
            rest += " AND dataset = $4";
        }
        Ok(self.entries(&(rest + " ORDER BY number LIMIT 1"), &values)?.pop())
    }

    /// Refuses data that are new, when nothing more may be answered about those of a dataset that
    /// they might be.
    fn check_guess(&mut self, prints: &[Print], claim: Claim<'_>) -> Result<(), Problem> {
        let own = if let Claim::Dataset(name) = claim { Some(name) } else { None };
        let Some(exhausted) = self.exhausted(own)? else { return Ok(()) };
        if let Some(own) = own {
            let mut new = false;
            for print in prints.iter().filter(|print| print.is_noted()) {
                new |= self.seen(print, Some(own))?.is_none();
            }
            if !new {
                return Ok(());
            }
        }
        Err(Problem::refused(format!(
            "{MOST_ANSWERS} questions about the data of `{exhausted}` were answered that nothing paid for, so it is not told \
             whether other data are recognised: all that are new are refused"
        ))
        .hint(
            "`congenial ledger history` lists the questions; a confidential release goes on with --override answers --because TEXT",
        ))
    }

    /// Whether data may be what they are claimed to be.
    pub(crate) fn weigh(&mut self, prints: &[Print], claim: Claim<'_>, overrides: &[Override]) -> Weighing {
        let overridden = |safeguard: &str| overrides.iter().any(|named| named.safeguard == safeguard);
        let refused = |problem, answer| Ok(Err(Box::new(Refusal { problem, answer })));
        let (mut new, mut noted) = (false, Vec::new());
        // What tells more is asked first.
        let (few, telling): (Vec<_>, Vec<_>) =
            prints.iter().filter(|print| print.is_noted()).partition(|print| print.is_of_few());
        for print in telling.into_iter().chain(few) {
            // A release may have published sums, and few counts may be anybody's.
            if !matches!(claim, Claim::Dataset(_)) && (print.is_of_sums() || print.is_of_few()) {
                continue;
            }
            noted.push(print.token(self.key));
            let own = if let Claim::Dataset(name) = claim { self.seen(print, Some(name))? } else { None };
            if own.is_some() {
                continue;
            }
            new = true;
            let Some(seen) = self.seen(print, None)? else { continue };
            if print.is_of_few() && overridden(RECOGNITION) {
                continue;
            }
            let question = self.question(prints);
            let problem = recognised(&seen, claim, print.is_of_few());
            if self.was_answered(&seen.dataset, &question)? {
                return refused(problem, None);
            }
            if !overridden(ANSWERS)
                && let Err(problem) = self.check_guess(prints, claim)
                && self.answers(&seen.dataset)? >= MOST_ANSWERS
            {
                return refused(problem, None);
            }
            return refused(problem, Some((seen.dataset, question)));
        }
        // What a spec reads beside its data may be new: releases that were paid for go on.
        if new
            && claim != Claim::Named
            && !overridden(ANSWERS)
            && let Err(problem) = self.check_guess(prints, claim)
        {
            return refused(problem, None);
        }
        noted.sort();
        Ok(Ok(if new { noted } else { Vec::new() }))
    }

    /// Enters the answer that a refusal is, makes that durable, and hands the refusal over.
    pub(crate) fn answered(mut self, refused: Refusal, by: &str) -> Result<Problem, Problem> {
        let Refusal { problem, answer } = refused;
        if let Some((dataset, question)) = answer {
            let balance = self.balance(&dataset)?;
            let about = "that other data are recognised as those of the dataset".to_string();
            self.enter(&dataset, by, &balance, Event::Answered { question, about })?;
        }
        Ok(problem)
    }

    /// What names a question about data: the same data ask the same.
    fn question(&self, prints: &[Print]) -> String {
        let mut all: Vec<&str> = prints.iter().filter(|print| print.is_noted()).map(|print| print.0.as_str()).collect();
        all.sort_unstable();
        self.key.seal("question", &all)
    }

    /// What names a question about a spec and data.
    pub(crate) fn question_about(&self, spec: &str, prints: &[Print]) -> String {
        self.key.seal("question", &[spec, &self.question(prints)])
    }

    /// Enters tokens as those of a dataset.
    pub(crate) fn note(&mut self, dataset: &str, balance: &Balance, tokens: &[Print], by: &str) -> Result<(), Problem> {
        for print in tokens {
            self.record(dataset, by, balance, Event::Seen { print: print.clone() })?;
        }
        Ok(())
    }

    /// Enters what a lost payment noted, unless somebody noted it since.
    pub(crate) fn note_lost(&mut self, paid: &Paid, balance: &Balance, by: &str) -> Result<(), Problem> {
        for print in paid.prints.iter().filter(|print| print.is_noted()) {
            if self.seen(print, None)?.is_none() {
                let token = print.token(self.key);
                self.note(&paid.dataset, balance, &[token], by)?;
            }
        }
        Ok(())
    }
}

/// What is said of data that are not what they are claimed to be.
fn recognised(seen: &Entry, claim: Claim<'_>, few: bool) -> Problem {
    let (dataset, number) = (&seen.dataset, seen.number);
    match claim {
        Claim::Public => Problem::refused(format!(
            "these data are declared public, but they are those of the confidential dataset `{dataset}` (entry {number})"
        ))
        .hint(format!("remove `public = true` and release them from the budget of `{dataset}`")),
        Claim::Named => Problem::refused(format!(
            "this file is read as a public one, but it is that of the confidential dataset `{dataset}` (entry {number})"
        ))
        .hint("what is read from it would be published: give a file that is public"),
        Claim::Elsewhere => Problem::refused("another ledger knows these data already: they would get a second budget")
            .hint("name that ledger and its dataset in [budget]"),
        Claim::Dataset(name) if few => Problem::refused(format!(
            "these data have the counts of dataset `{dataset}` (entry {number}), and are too few to be told apart by them: \
             nothing shows that they are those of `{name}`"
        ))
        .hint("the same data have one budget; where they are others, --override recognition --because TEXT says so, and the certificate names it"),
        Claim::Dataset(name) => Problem::refused(format!(
            "these data are those of dataset `{dataset}` (entry {number}), not of `{name}`"
        ))
        .hint(format!("write dataset = \"{dataset}\": the same data have one budget")),
    }
}

impl Session<'_> {
    /// Whether nothing was ever paid or asked for from a dataset, so that its budget binds nobody.
    pub(crate) fn is_unused(&mut self, dataset: &str) -> Result<bool, Problem> {
        for kind in [kind::RESERVED, kind::BOOKED, kind::ASKED] {
            if self.latest_of(dataset, kind)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses to open a dataset a second time, unless it is meant to be opened again, nothing
    /// happened in between and nobody who must approve is passed over.
    fn check_reopened(
        &mut self,
        dataset: &NewDataset,
        approver_key: Option<&str>,
        balance: &Balance,
        again: bool,
    ) -> Result<(), Problem> {
        let (name, Balance { budget, spent, .. }) = (&dataset.name, balance);
        let is_unused = self.is_unused(name)?;
        let refused = |what: &str| {
            Problem::refused(format!("dataset `{name}` is open already, with a budget of {budget} {what}"))
        };
        match () {
            () if !is_unused && *spent == spent.nothing_of() => Err(refused("from which a release was asked for")
                .hint("`congenial ledger history` shows it; other data need another name")),
            () if !is_unused => Err(refused(&format!("of which {spent} is spent"))
                .hint("`congenial ledger status` shows it; other data need another name")),
            () if !again => Err(refused("of which nothing is spent")
                .hint("`congenial ledger open` with --again opens it with another one; other data need another name")),
            () if balance.approval && (!dataset.approval || balance.approver_key.as_deref() != approver_key) => {
                Err(refused("and approval by a second person").hint("what is opened again demands the same approval"))
            }
            () => Ok(()),
        }
    }
}
