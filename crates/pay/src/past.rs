//! What the history of a dataset says of the releases that it paid for, read entry by entry, each
//! thing kept once: most releases differ in their noise alone.

use crate::seed::Details;
use certify::sha256;
use declare::{Choice, Declaration, Problem, Regression};
use ledger::{Entry, Event, Ledger, Print};
use prepare::ColumnPrint;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// So many texts are recognised without being read again.
const MOST_KNOWN: usize = 1 << 14;

/// What a dataset has paid for.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// What was paid for, in the order of the first entries; releases that say the same are one.
    pub(crate) paid: Vec<Paid>,
    /// Entries of which nobody knows what they paid for, with the reason.
    pub(crate) unread: Vec<(u64, &'static str)>,
    /// The entries whose releases were completed.
    pub(crate) completed: BTreeSet<u64>,
    /// The entry that paid last; 0 when none has.
    pub(crate) last: u64,
    /// An entry that is not looked at: it pays for the release in question.
    except: Option<u64>,
    /// The last entry that was read, and its seal.
    read: Option<(u64, String)>,
    /// The places of what has these totals, by their hash.
    by_totals: HashMap<u64, Vec<usize>>,
    /// The places of what these texts say, by their hash; `None`: nothing.
    known: HashMap<u128, Option<usize>>,
}

/// What entries paid for.
#[derive(Debug)]
pub(crate) struct Paid {
    /// The entries, in order.
    pub(crate) entries: Vec<u64>,
    /// The spec of the first, and its declaration; those of the others say the same of the true
    /// table.
    pub(crate) spec: String,
    pub(crate) declaration: Declaration,
    pub(crate) totals: Option<Vec<Vec<i64>>>,
    pub(crate) shapes: Vec<ColumnPrint>,
    pub(crate) prints: Vec<Print>,
    /// Whether a safeguard was overridden.
    pub(crate) overridden: bool,
}

/// What messages call the release that an entry paid for.
pub(crate) fn entry_name(entry: u64) -> String {
    format!("entry {entry}")
}

impl Paid {
    /// What messages call the first of them.
    pub(crate) fn name(&self) -> String {
        entry_name(self.entries.first().copied().unwrap_or_default())
    }

    /// Whether another release says the same: of the true table, and of what must stay open in it.
    fn says_what(&self, other: &Paid) -> bool {
        let Declaration { data, schema, invariants, constraints, mechanism, disclosure, .. } = &self.declaration;
        let theirs = &other.declaration;
        self.totals == other.totals
            && self.shapes == other.shapes
            && self.prints == other.prints
            && self.overridden == other.overridden
            && *data == theirs.data
            && *schema == theirs.schema
            && *invariants == theirs.invariants
            && *constraints == theirs.constraints
            && *disclosure == theirs.disclosure
            && mechanism.method == theirs.mechanism.method
    }
}

impl Past {
    /// Nothing yet; this entry will not be looked at.
    pub(crate) fn without(entry: u64) -> Past {
        Past { except: Some(entry), ..Past::default() }
    }

    /// Reads what was entered since the last time.
    pub(crate) fn read_on(&mut self, ledger: &mut Ledger, dataset: &str) -> Result<(), Problem> {
        // Another history than the one that was read is read from its beginning.
        if let Some((entry, seal)) = &self.read
            && !ledger.holds(*entry, seal)?
        {
            *self = Past { except: self.except, ..Past::default() };
        }
        let after = self.read.as_ref().map_or(0, |(entry, _)| *entry);
        ledger.visit_history(Some(dataset), after, &mut |entry| {
            self.take(&entry);
            self.read = Some((entry.number, entry.seal));
            Ok(())
        })
    }

    fn take(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Reserved { details, prints, overrides, .. } if self.except != Some(entry.number) => {
                self.last = entry.number;
                self.take_paid(entry.number, details, prints, !overrides.is_empty());
            }
            Event::Completed { reservation, .. } => {
                self.completed.insert(*reservation);
            }
            _ => {}
        }
    }

    fn take_paid(&mut self, entry: u64, details: &str, prints: &[Print], overridden: bool) {
        let Ok(Details { spec, totals, shapes, .. }) = serde_json::from_str::<Details>(details) else {
            return self.unread.push((entry, "the ledger does not say what it kept"));
        };
        let hash = hash_of(&(&spec, &totals, &shapes, prints, overridden));
        if let Some(known) = hash.and_then(|hash| self.known.get(&hash)) {
            if let Some(place) = *known {
                self.paid[place].entries.push(entry);
            }
            return;
        }
        let name = entry_name(entry);
        // An exponential mechanism tells nothing for certain.
        let place = if Regression::parse(&spec, &name).is_ok() || Choice::parse(&spec, &name).is_ok() {
            None
        } else {
            let Ok(declaration) = Declaration::parse_alone(&spec, &name) else {
                return self.unread.push((entry, "its spec cannot be read"));
            };
            let (entries, prints) = (vec![entry], prints.to_vec());
            Some(self.add(Paid { entries, spec, declaration, totals, shapes, prints, overridden }))
        };
        if let Some(hash) = hash.filter(|_| self.known.len() < MOST_KNOWN) {
            self.known.insert(hash, place);
        }
    }

    /// Says where what is paid for stands.
    fn add(&mut self, paid: Paid) -> usize {
        let mut hasher = DefaultHasher::new();
        paid.totals.hash(&mut hasher);
        let places = self.by_totals.entry(hasher.finish()).or_default();
        if let Some(place) = places.iter().copied().find(|place| self.paid[*place].says_what(&paid)) {
            self.paid[place].entries.extend(paid.entries);
            return place;
        }
        places.push(self.paid.len());
        self.paid.push(paid);
        self.paid.len() - 1
    }
}

/// A hash that nobody makes two texts for.
fn hash_of(what: &impl serde::Serialize) -> Option<u128> {
    let digits = sha256(&serde_json::to_vec(what).ok()?);
    u128::from_str_radix(digits.get(..32)?, 16).ok()
}
