//! The whole chain, entry by entry: what was edited, deleted, inserted, reordered or cut off, each in its own words.

use crate::account::{Amount, Charge};
use crate::chain::{BEGINNING, Sealed, edited, tampered};
use crate::entry::{Entry, Event, in_words};
use crate::ledger::{Ledger, Session};
use crate::store::Value;
use declare::Problem;
use std::collections::BTreeMap;

/// Entries read at a time.
const PORTION: i64 = 1000;

/// What a whole ledger amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Its number of entries.
    pub entries: u64,
    /// The seal of the last one. Noted elsewhere, it tells an older copy of the ledger from this one.
    pub head: String,
}

impl Ledger {
    /// Checks every seal, every link between neighbours, where the history ends, and what every dataset has spent.
    ///
    /// Somebody who holds the key, which lies in the database, and who knows this program can make a history that
    /// passes; so can an older copy of the whole database.
    pub fn verify_chain(&mut self) -> Result<Verified, Problem> {
        let mut session = self.reading()?;
        verify(&mut session)?;
        Ok(Verified { entries: u64::try_from(session.count).unwrap_or_default(), head: session.head.clone() })
    }
}

/// Checks everything, given where the history should end.
pub(crate) fn verify(session: &mut Session<'_>) -> Result<(), Problem> {
    let mut head = BEGINNING.to_string();
    let (mut number, mut read) = (0, i64::MIN);
    let mut accounts = BTreeMap::new();
    loop {
        let values = [Value::Number(read), Value::Number(PORTION)];
        let portion = session.sealed("WHERE number > $1 ORDER BY number LIMIT $2", &values)?;
        let Some(last) = portion.last().map(|last| last.number) else { break };
        for sealed in portion {
            number += 1;
            check_link(session, &sealed, number, &head)?;
            head.clone_from(&sealed.seal);
            let reference = sealed.reference;
            let entry = sealed.opened(session.key)?;
            check_account(&mut accounts, &entry, reference)?;
        }
        read = last;
    }
    let missing = session.count - number;
    if missing > 0 {
        let which = if missing == 1 {
            format!("its last entry, {}, is", session.count)
        } else {
            format!("its last {missing} entries, {} to {}, are", number + 1, session.count)
        };
        return Err(tampered(format_args!("{which} cut off")));
    }
    if head != session.head {
        return Err(tampered(format_args!("entry {number} is not the one that the ledger wrote last")));
    }
    check_balances(session, accounts)
}

/// Checks one entry: its place, its seal, and that it follows the one before.
fn check_link(session: &mut Session<'_>, sealed: &Sealed, number: i64, head: &str) -> Result<(), Problem> {
    if sealed.number != number {
        return Err(tampered(if sealed.number < number {
            format!("there is an entry {}, before the first", sealed.number)
        } else if sealed.number - number == 1 {
            format!("entry {number} was deleted")
        } else {
            format!("entries {number} to {} were deleted", sealed.number - 1)
        }));
    }
    if sealed.is_whole(session.key) && sealed.previous == head {
        return if number > session.count { Err(added(number)) } else { Ok(()) };
    }
    if sealed.is_whole(session.key) {
        return Err(tampered(format_args!("entry {number} comes from another history than entry {}", number - 1)));
    }
    if number > session.count {
        return Err(added(number));
    }
    if let Some(place) = (1..=session.count).find(|place| sealed.seal == sealed.true_seal(session.key, *place)) {
        return Err(tampered(format_args!("the entries were reordered: entry {place} stands at place {number}")));
    }
    // Where the next entry follows the one before, this one was put between.
    let next = session.sealed("WHERE number = $1", &[Value::Number(number + 1)])?.pop();
    if next.is_some_and(|next| next.previous == head && next.previous != sealed.previous) {
        return Err(tampered(format_args!("entry {number}, {}, was inserted", in_words(&sealed.kind))));
    }
    Err(edited(sealed))
}

fn added(number: i64) -> Problem {
    tampered(format_args!("entry {number} was added after the last one that the ledger wrote"))
}

/// What the entries say of a dataset.
struct Account {
    opened: u64,
    budget: Charge,
    spent: Amount,
}

/// Checks that an entry fits those before: amounts add up, and stay within the budget.
fn check_account(accounts: &mut BTreeMap<String, Account>, entry: &Entry, reference: i64) -> Result<(), Problem> {
    let number = entry.number;
    let wrong = |what: &str| Err(tampered(format_args!("entry {number} {what}")));
    if entry.event.reference().map_or(0, |number| i64::try_from(number).unwrap_or(-1)) != reference
        || reference >= number as i64
    {
        return wrong("is about an entry that it cannot be about");
    }
    match &entry.event {
        Event::Created { .. } => return if number == 1 { Ok(()) } else { wrong("begins the history once more") },
        Event::Opened { budget, .. } => {
            let (budget, spent) = (budget.clone(), budget.amount.nothing_of());
            let account = Account { opened: number, budget, spent };
            if accounts.insert(entry.dataset.clone(), account).is_some() {
                return wrong("opens a dataset once more");
            }
        }
        _ => {}
    }
    let Some(account) = accounts.get_mut(&entry.dataset) else {
        return wrong("is about a dataset that was not opened");
    };
    if let Event::Reserved { loss, charged, .. } = &entry.event {
        let counted = account.budget.counted(loss).ok();
        let Some(total) = counted.filter(|counted| counted == charged).and_then(|counted| account.spent.plus(&counted))
        else {
            return wrong("charges another amount than its release costs");
        };
        account.spent = total;
        if account.budget.amount.left_after(&account.spent).is_none() {
            return wrong("spends more than the budget");
        }
    }
    if entry.spent.as_ref() != Some(&account.spent) {
        return wrong("states another sum than the entries before it add up to");
    }
    Ok(())
}

/// Checks that the balances are those of the history.
fn check_balances(session: &mut Session<'_>, accounts: BTreeMap<String, Account>) -> Result<(), Problem> {
    if let Some(stranger) = session.datasets()?.into_iter().find(|name| !accounts.contains_key(name)) {
        return Err(tampered(format_args!("it has a balance of a dataset `{stranger}` that was never opened")));
    }
    for (dataset, account) in accounts {
        let edited = || tampered(format_args!("the balance of dataset `{dataset}` was edited"));
        let balance = session.balance_of(&dataset)?.ok_or_else(edited)?;
        if u64::try_from(balance.opened) != Ok(account.opened)
            || balance.spent != account.spent
            || balance.budget != account.budget
        {
            return Err(edited());
        }
    }
    Ok(())
}
