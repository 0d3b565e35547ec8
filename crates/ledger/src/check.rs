//! The whole chain, entry by entry: what was edited, deleted, inserted, reordered or cut off, each
//! in its own words.

use crate::chain::{BEGINNING, Sealed, edited, tampered};
use crate::entry::{Entry, Event, in_words, kind};
use crate::portions::Portions;
use crate::read::{PartSpent, charged_to_part, counts_by_part};
use crate::session::Session;
use crate::signed;
use crate::store::Value::Number;
use declare::Problem;
use loss::{Amount, Charge};
use std::collections::BTreeMap;

/// Checks everything, given where the history should end.
pub(crate) fn verify(session: &mut Session<'_>) -> Result<(), Problem> {
    let mut head = BEGINNING.to_string();
    let (mut number, mut accounts) = (0, BTreeMap::new());
    let mut portions = Portions::from_the_first();
    while let Some(sealed) = portions.next_sealed(session.store)? {
        number += 1;
        check_link(session, &sealed, number, &head)?;
        head.clone_from(&sealed.seal);
        let reference = sealed.reference;
        let entry = sealed.opened(session.key)?;
        check_account(&mut accounts, &entry, reference)?;
        check_approval(session, &accounts, &entry)?;
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
    let next = session.sealed("WHERE number = $1", &[Number(number + 1)])?.pop();
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
    approval: bool,
    approver_key: Option<String>,
    partition: bool,
    /// What was spent on every part, and on the part on which most was.
    parts: BTreeMap<String, Amount>,
    largest: Amount,
    /// The reservation whose part must be stated next.
    stating: Option<(u64, String)>,
    /// Whether something was paid or asked for.
    is_used: bool,
}

impl Account {
    /// Adds a loss, to a part or to the whole; `None` where no ledger would.
    fn charge(&mut self, loss: &Charge, counted: &Amount, part: Option<&str>, number: u64) -> Option<()> {
        let Some(part) = part else {
            self.spent = self.spent.plus(counted)?;
            return Some(());
        };
        if !self.partition || !counts_by_part(&self.budget, loss) {
            return None;
        }
        let spent = self.parts.get(part).cloned().unwrap_or_else(|| self.budget.amount.nothing_of());
        let before = PartSpent { spent, largest: self.largest.clone() };
        let (total, after) = charged_to_part(&self.spent, &before, counted)?;
        self.spent = total;
        self.largest = after.largest;
        self.parts.insert(part.to_string(), after.spent);
        self.stating = Some((number, part.to_string()));
        Some(())
    }
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
        Event::Opened { budget, partition, approver_key, approval } => {
            let (budget, nothing) = (budget.clone(), budget.amount.nothing_of());
            let before = accounts.get(&entry.dataset);
            // What is opened again demands the approval that it demanded before.
            let demands_less =
                |before: &&Account| before.approval && (!approval || before.approver_key != *approver_key);
            if before.filter(demands_less).is_some() {
                return wrong("opens a dataset once more without its approval");
            }
            let account = Account {
                opened: number,
                budget,
                spent: nothing.clone(),
                approval: *approval,
                approver_key: approver_key.clone(),
                partition: partition.is_some(),
                parts: BTreeMap::new(),
                largest: nothing,
                stating: None,
                is_used: false,
            };
            if accounts.insert(entry.dataset.clone(), account).is_some_and(|before| before.is_used) {
                return wrong("opens a dataset once more");
            }
        }
        // These are about the ledger.
        Event::HeadKept { .. } | Event::HeadDropped { .. } | Event::Recovered { .. } => {
            return if entry.dataset.is_empty() { Ok(()) } else { wrong("is about the ledger, and names a dataset") };
        }
        _ => {}
    }
    let Some(account) = accounts.get_mut(&entry.dataset) else {
        return wrong("is about a dataset that was not opened");
    };
    let stating = account.stating.take();
    account.is_used |= matches!(entry.event, Event::Reserved { .. } | Event::Booked { .. } | Event::Asked { .. });
    match &entry.event {
        Event::Reserved { loss, charged, part, .. } => {
            let counted = account.budget.counted(loss).ok().filter(|counted| counted == charged);
            let Some(()) = counted.and_then(|counted| account.charge(loss, &counted, part.as_deref(), number)) else {
                return wrong("charges another amount than its release costs");
            };
            if account.budget.amount.left_after(&account.spent).is_none() {
                return wrong("spends more than the budget");
            }
        }
        // What was lost is spent, even beyond the budget.
        Event::Booked { charged, .. } => match account.spent.plus(charged) {
            Some(spent) => account.spent = spent,
            None => return wrong("books an amount in another definition than the budget"),
        },
        Event::PartSpent { reservation, part, spent, largest }
            if stating.as_ref() != Some(&(*reservation, part.clone()))
                || account.parts.get(part) != Some(spent)
                || account.largest != *largest =>
        {
            return wrong("states another amount than was spent on a part");
        }
        Event::PartSpent { .. } => {}
        _ if stating.is_some() => return wrong("stands where an entry should say what a part has spent"),
        _ => {}
    }
    if entry.spent.as_ref() != Some(&account.spent) {
        return wrong("states another sum than the entries before it add up to");
    }
    Ok(())
}

/// Checks the signature of an approval, where there is one, and that there is one where the dataset
/// demands it.
fn check_approval(
    session: &mut Session<'_>,
    accounts: &BTreeMap<String, Account>,
    entry: &Entry,
) -> Result<(), Problem> {
    let Event::Approved { asked: number, signed, .. } = &entry.event else { return Ok(()) };
    let demanded = accounts.get(&entry.dataset).and_then(|account| account.approver_key.as_deref());
    // It stands before this one, and was checked there.
    let asked = session.sealed("WHERE number = $1", &[Number(i64::try_from(*number).unwrap_or(i64::MAX))])?.pop();
    let asked = asked.filter(|asked| asked.kind == kind::ASKED && *number < entry.number);
    let seal = asked.as_ref().map_or("", |asked| asked.seal.as_str());
    match signed::fault(signed.as_ref(), seal, demanded) {
        None => Ok(()),
        Some(fault) => Err(Problem::refused(format!("entry {}, which approves entry {number}, {fault}", entry.number))
            .hint("ask who approved it; what was released with it was paid for all the same")),
    }
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
