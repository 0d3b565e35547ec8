//! `Ledger`: an open database of datasets, budgets and what was spent, and the transactions on it.

use crate::address::Address;
use crate::chain::{BEGINNING, Saying, Sealed, tampered};
use crate::check;
use crate::entry::{Entry, Event};
use crate::fingerprint::Fingerprint;
use crate::guard::Guard;
use crate::head::{HeadFile, Line, State};
use crate::key::Key;
use crate::step::Hook;
use crate::store::{self, Access, Store, Value};
use crate::text;
use declare::Problem;
use loss::Amount;
use zeroize::Zeroize;

/// The version of the schema that this program writes; a ledger of an earlier one becomes one of this when it is first written to.
/// From version 3 on fingerprints are noted as tokens, and those of entries are encrypted.
pub(crate) const VERSION: u32 = 3;

/// From this version on a head is kept outside the database, and a ledger without one pays for nothing.
pub(crate) const VERSION_WITH_HEADS: i64 = 2;

/// An open ledger.
///
/// Its key lies in the database, so whoever can read the database can make fingerprints, and whoever can write to it
/// and knows this program can rewrite all of it. Keep it where only curators can reach it.
pub struct Ledger {
    pub(crate) store: Box<dyn Store>,
    pub(crate) key: Key,
    pub(crate) hook: Option<Hook>,
    address: Address,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ledger({})", self.address)
    }
}

impl Ledger {
    /// Creates a ledger in the name of a person, or opens the one that is there.
    pub fn create(address: &Address, by: &str) -> Result<Ledger, Problem> {
        let by = text::name("the name of the person", by)?;
        if let Some(file) = address.file()
            && std::fs::metadata(file).map_or(0, |found| found.len()) == 0
            && !HeadFile::beside(file).may_begin()?
        {
            let head = HeadFile::beside(file).0;
            return Err(headless(file, &head));
        }
        let mut store = store::open(address, true)?;
        store.begin(Access::Create)?;
        if let Err(problem) = create_ledger(store.as_mut(), by) {
            store.rollback();
            return Err(problem);
        }
        Ledger::of(store, address, false)
    }

    /// Opens a ledger that is there.
    pub fn open(address: &Address) -> Result<Ledger, Problem> {
        Ledger::open_as(address, false)
    }

    /// Opens a ledger that is there for somebody who only looks at it: its file may be read-only, and on a server the key of the
    /// ledger may be out of reach. Without the key no seal can be checked, and fingerprints recognise nothing.
    pub fn open_to_read(address: &Address) -> Result<Ledger, Problem> {
        Ledger::open_as(address, true)
    }

    /// Whether seals can be checked: a reader of a database may not be allowed to see the key.
    pub fn knows_its_key(&self) -> bool {
        self.key.is_known()
    }

    fn open_as(address: &Address, to_read: bool) -> Result<Ledger, Problem> {
        let mut store = store::open(address, false)?;
        if !store.has_ledger()? {
            return Err(Problem::bad(format!("the database `{address}` holds no ledger"))
                .hint("`congenial ledger open` creates a ledger and opens a dataset in it; or correct the address"));
        }
        Ledger::of(store, address, to_read)
    }

    fn of(mut store: Box<dyn Store>, address: &Address, to_read: bool) -> Result<Ledger, Problem> {
        let version = one_row(store.as_mut(), "SELECT version FROM congenial_state WHERE id = 1")?.number(0)?;
        if !(1..=i64::from(VERSION)).contains(&version) {
            return Err(if version > i64::from(VERSION) {
                Problem::refused(format!(
                    "the ledger `{address}` has a schema of version {version}, this program knows version {VERSION}"
                ))
                .hint("a newer version of congenial wrote it: use that one")
            } else {
                tampered(format_args!("it has a schema of version {version}, which no program wrote"))
            });
        }
        if to_read && !store.may_read_key()? {
            return Ok(Ledger { store, key: Key::unknown()?, hook: None, address: address.clone() });
        }
        let mut digits = one_row(store.as_mut(), "SELECT key FROM congenial_state WHERE id = 1")?.text(0)?;
        let key = Key::from_text(&digits);
        digits.zeroize();
        let key = key.ok_or_else(|| tampered("its key is not a key"))?;
        Ok(Ledger { store, key, hook: None, address: address.clone() })
    }

    /// Where it is kept.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Begins a fingerprint of data under the key of this ledger.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::new(&self.key)
    }

    /// Calls a function with the name of each step that `reserve` and `complete` reach: for tests that crash there.
    #[doc(hidden)]
    pub fn at_each_step(&mut self, hook: Hook) {
        self.hook = Some(hook);
    }

    pub(crate) fn reached(hook: &mut Option<Hook>, step: &'static str) {
        if let Some(hook) = hook {
            hook(step);
        }
    }

    /// Begins to read one consistent state.
    pub(crate) fn reading(&mut self) -> Result<Session<'_>, Problem> {
        Session::begin(self.store.as_mut(), &self.key, Access::Read)
    }

    /// Begins to write after the latest entry; nobody else writes meanwhile, and no head outside the database contradicts it.
    pub(crate) fn writing(&mut self) -> Result<Session<'_>, Problem> {
        let mut session = self.writing_unguarded()?;
        session.guard()?;
        Ok(session)
    }

    /// A session whatever the heads say: for recovery alone.
    pub(crate) fn writing_unguarded(&mut self) -> Result<Session<'_>, Problem> {
        if !self.key.is_known() {
            return Err(Problem::bad(format!("the ledger `{}` was opened to be read", self.address)));
        }
        Session::begin(self.store.as_mut(), &self.key, Access::Write)
    }
}

fn one_row(store: &mut dyn Store, statement: &str) -> Result<store::Row, Problem> {
    store.query(statement, &[])?.pop().ok_or_else(|| tampered("the row that says where the history ends is missing"))
}

fn create_ledger(store: &mut dyn Store, by: &str) -> Result<(), Problem> {
    if store.has_ledger()? {
        store.rollback();
        return Ok(());
    }
    store.create_tables()?;
    let key = Key::random()?;
    let saying = Saying { dataset: "", by, spent: None, event: Event::Created { version: VERSION } };
    let first = Sealed::new(&key, 1, BEGINNING, saying)?;
    first.insert(store)?;
    let digits = key.to_text();
    let seal = state_seal(&key, VERSION.into(), 1, &first.seal);
    let statement = "INSERT INTO congenial_state (id, version, key, count, head, seal) VALUES (1, $1, $2, $3, $4, $5)";
    let values = [
        Value::Number(VERSION.into()),
        Value::Text(&digits),
        Value::Number(1),
        Value::Text(&first.seal),
        Value::Text(&seal),
    ];
    store.execute(statement, &values)?;
    let Some(file) = store.file().map(std::path::Path::to_path_buf) else { return store.commit() };
    let number = crate::head::file_number(&file);
    let line = |state| Line { after: 0, ..Line::new(&key, state, (0, 1, &first.seal), number) };
    let mut head = HeadFile::beside(&file).writer(true)?;
    head.append(&line(State::Writing), &key)?;
    store.commit()?;
    head.append(&line(State::Kept), &key)
}

/// A head without its ledger.
pub(crate) fn headless(file: &std::path::Path, head: &std::path::Path) -> Problem {
    Problem::refused(format!(
        "there is no ledger at `{}`, but `{}` is the head of one: it was moved, renamed or deleted",
        file.display(),
        head.display()
    ))
    .hint("put it back, or restore it: `congenial ledger restore BACKUP`; a new ledger needs another name")
}

/// The seal on where the history ends.
pub(crate) fn state_seal(key: &Key, version: i64, count: i64, head: &str) -> String {
    key.seal("state", &[&version.to_string(), &count.to_string(), head])
}

/// The seal on what a dataset has spent.
pub(crate) fn balance_seal(key: &Key, dataset: &str, opened: i64, last: i64, spent: &str) -> String {
    key.seal("balance", &[dataset, &opened.to_string(), &last.to_string(), spent])
}

/// A transaction; forgotten unless it is committed.
pub(crate) struct Session<'a> {
    pub(crate) store: &'a mut dyn Store,
    pub(crate) key: &'a Key,
    /// How many entries there are.
    pub(crate) count: i64,
    /// The seal of the last one.
    pub(crate) head: String,
    /// How many there were when the session began.
    pub(crate) began: i64,
    /// The version of the schema when it began.
    pub(crate) version: i64,
    /// How often the ledger has recovered.
    pub(crate) epoch: u64,
    /// What the heads outside the database say; of a session that writes.
    pub(crate) guard: Guard,
    finished: bool,
}

impl<'a> Session<'a> {
    fn begin(store: &'a mut dyn Store, key: &'a Key, access: Access) -> Result<Session<'a>, Problem> {
        store.begin(access)?;
        let guard = Guard::default();
        let (head, finished) = (String::new(), false);
        let mut session = Session { store, key, count: 0, head, began: 0, version: 0, epoch: 0, guard, finished };
        session.check_end()?;
        session.began = session.count;
        session.epoch = session.recoveries()?;
        Ok(session)
    }

    /// Checks that the history ends where the ledger left it; the whole chain is checked on demand alone.
    fn check_end(&mut self) -> Result<(), Problem> {
        let state = "SELECT version, count, head, seal FROM congenial_state WHERE id = 1";
        let mut row = one_row(self.store, state)?;
        let (version, seal) = (row.number(0)?, row.text(3)?);
        self.version = version;
        self.count = row.number(1)?;
        self.head = row.text(2)?;
        let there = one_row(self.store, "SELECT count(*) FROM congenial_history")?.number(0)?;
        let last = self.sealed("ORDER BY number DESC LIMIT 1", &[])?.pop();
        if self.key.is_known() && seal != state_seal(self.key, version, self.count, &self.head) {
            // Under another key no seal fits.
            let fits = last.is_some_and(|last| last.is_whole(self.key));
            let edited = "the row that says where the history ends was edited";
            return Err(tampered(if fits { edited } else { "its key was replaced, or its end was edited" }));
        }
        let as_left =
            last.is_some_and(|last| last.number == self.count && last.seal == self.head && last.is_whole(self.key));
        if there == self.count && as_left {
            return Ok(());
        }
        // Something is wrong: say exactly what.
        check::verify(self)?;
        Err(tampered("its history does not end where it was left"))
    }

    /// Writes an entry after the last one.
    pub(crate) fn append(&mut self, saying: Saying<'_>) -> Result<Entry, Problem> {
        let sealed = Sealed::new(self.key, self.count + 1, &self.head, saying)?;
        sealed.insert(self.store)?;
        self.count = sealed.number;
        self.head.clone_from(&sealed.seal);
        sealed.opened(self.key)
    }

    /// Writes what a dataset has spent after the last entry.
    pub(crate) fn put_balance(&mut self, dataset: &str, opened: i64, spent: &Amount) -> Result<(), Problem> {
        let spent = serde_json::to_string(spent)
            .map_err(|error| Problem::bad(format!("an amount could not be written as text: {error}")))?;
        let seal = balance_seal(self.key, dataset, opened, self.count, &spent);
        let statement = "INSERT INTO congenial_balance (dataset, opened, last, spent, seal) VALUES ($1, $2, $3, $4, $5) \
                         ON CONFLICT (dataset) DO UPDATE SET last = excluded.last, spent = excluded.spent, seal = excluded.seal";
        let values = [
            Value::Text(dataset),
            Value::Number(opened),
            Value::Number(self.count),
            Value::Text(&spent),
            Value::Text(&seal),
        ];
        self.store.execute(statement, &values).map(|_| ())
    }

    /// Writes where the history ends now.
    pub(crate) fn put_end(&mut self) -> Result<(), Problem> {
        let seal = state_seal(self.key, VERSION.into(), self.count, &self.head);
        let statement = "UPDATE congenial_state SET count = $1, head = $2, seal = $3, version = $4 WHERE id = 1";
        let values =
            [Value::Number(self.count), Value::Text(&self.head), Value::Text(&seal), Value::Number(VERSION.into())];
        match self.store.execute(statement, &values)? {
            1 => Ok(()),
            _ => Err(tampered("the row that says where the history ends is missing")),
        }
    }

    /// Makes all of it durable in the database.
    pub(crate) fn commit_database(mut self) -> Result<(), Problem> {
        self.store.commit()?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.store.rollback();
        }
    }
}
