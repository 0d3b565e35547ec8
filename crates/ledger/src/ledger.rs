//! `Ledger`: an open database of datasets, budgets and what was spent, and the transactions on it.

use crate::address::Address;
use crate::chain::{BEGINNING, Saying, Sealed, tampered};
use crate::check;
use crate::databases;
use crate::entry::Event;
use crate::fingerprint::Fingerprint;
use crate::head::{HeadFile, Line, State, headless};
use crate::key::Key;
use crate::session::{Heads, Session, VERSION, VERSION_WITH_HEADS, one_row, state_seal};
use crate::step::{Hook, Steps};
use crate::store::Value::{Number, Text};
use crate::store::{Access, Store};
use crate::text;
use declare::Problem;
use zeroize::Zeroize;

/// An open ledger.
///
/// Its key lies in the database, so whoever can read the database can make fingerprints, and
/// whoever can write to it and knows this program can rewrite all of it. Keep it where only
/// curators can reach it.
pub struct Ledger {
    pub(crate) store: Box<dyn Store>,
    pub(crate) key: Key,
    pub(crate) hook: Option<Hook>,
    address: Address,
}

/// What a whole ledger amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Its number of entries.
    pub entries: u64,
    /// The seal of the last one. Noted elsewhere, it tells an older copy of the ledger from this
    /// one.
    pub head: String,
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
            return Err(headless(file));
        }
        let mut store = databases::open(address, true)?;
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

    /// Opens a ledger that is there for somebody who only looks at it: its file may be read-only,
    /// and on a server the key of the ledger may be out of reach. Without the key no seal can be
    /// checked, and fingerprints recognise nothing.
    pub fn open_to_read(address: &Address) -> Result<Ledger, Problem> {
        Ledger::open_as(address, true)
    }

    /// Whether seals can be checked: a reader of a database may not be allowed to see the key.
    pub fn knows_its_key(&self) -> bool {
        self.key.is_known()
    }

    fn open_as(address: &Address, to_read: bool) -> Result<Ledger, Problem> {
        let mut store = databases::open(address, false)?;
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

    /// Calls a function with the name of each step that `reserve` and `complete` reach: for tests
    /// that crash there.
    #[doc(hidden)]
    pub fn at_each_step(&mut self, hook: Hook) {
        self.hook = Some(hook);
    }

    /// Begins to read one consistent state.
    pub(crate) fn reading(&mut self) -> Result<Session<'_>, Problem> {
        Session::begin(self.store.as_mut(), &self.key, Access::Read)
    }

    /// Begins to write after the latest entry; nobody else writes meanwhile, and no head outside
    /// the database contradicts it.
    pub(crate) fn writing(&mut self) -> Result<Session<'_>, Problem> {
        let mut session = self.writing_unguarded()?;
        session.guard()?;
        Ok(session)
    }

    /// Begins to write after the latest entry, whatever the heads say: for recovery alone.
    pub(crate) fn writing_unguarded(&mut self) -> Result<Session<'_>, Problem> {
        if !self.key.is_known() {
            return Err(Problem::bad(format!("the ledger `{}` was opened to be read", self.address)));
        }
        let mut session = Session::begin(self.store.as_mut(), &self.key, Access::Write)?;
        session.steps.hook = self.hook.as_mut();
        Ok(session)
    }

    /// What is wrong between this ledger and its heads, in words; nothing, if it may pay.
    pub(crate) fn why_refused(&mut self) -> Result<Option<Problem>, Problem> {
        if !self.key.is_known() {
            return Ok(None);
        }
        let places = {
            let mut session = self.reading()?;
            if session.version < VERSION_WITH_HEADS {
                return Ok(None);
            }
            session.places()?
        };
        // Heads first, the ledger after: it only grows, so a head that is beyond it was beyond it.
        let read: Vec<_> = places.into_iter().map(|place| (place.last_lines(&self.key), place)).collect();
        let mut session = self.reading()?;
        let beside = session.beside();
        for (said, place) in read {
            let judged = session.judge(beside.as_ref() == Some(&place), said?, true)?;
            if let Some(trouble) = judged.trouble {
                return Ok(Some(trouble.problem(&place, &session)));
            }
        }
        Ok(None)
    }

    /// Checks every seal, every link between neighbours, where the history ends, and what every
    /// dataset has spent.
    ///
    /// And that no head outside the database knows more than it. Somebody who holds the key, which
    /// lies in the database, and who knows this program can make a history that passes; so can an
    /// older copy of the database with all of its heads.
    pub fn verify_chain(&mut self) -> Result<Verified, Problem> {
        if let Some(problem) = self.why_refused()? {
            return Err(problem);
        }
        let mut session = self.reading()?;
        session.store.check_pages()?;
        check::verify(&mut session)?;
        Ok(Verified { entries: session.end(), head: session.head.clone() })
    }
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
    let values = [Number(VERSION.into()), Text(&digits), Number(1), Text(&first.seal), Text(&seal)];
    store.execute(statement, &values)?;
    let Some(file) = store.file().map(std::path::Path::to_path_buf) else { return store.commit() };
    let number = crate::head::file_number(&file);
    let line = |state| Line { after: 0, ..Line::new(&key, state, (0, 1, &first.seal), number) };
    let mut head = HeadFile::beside(&file).writer(true)?;
    head.append(&line(State::Writing), &key)?;
    store.commit()?;
    head.append(&line(State::Kept), &key)
}

impl<'a> Session<'a> {
    pub(crate) fn begin(store: &'a mut dyn Store, key: &'a Key, access: Access) -> Result<Session<'a>, Problem> {
        store.begin(access)?;
        let (heads, steps) = (Heads::default(), Steps::default());
        let (head, finished) = (String::new(), false);
        let mut session =
            Session { store, key, count: 0, head, began: 0, version: 0, epoch: 0, heads, steps, finished };
        session.check_end()?;
        session.began = session.count;
        session.epoch = session.recoveries()?;
        Ok(session)
    }

    /// Checks that the history ends where the ledger left it; the whole chain is checked on demand
    /// alone.
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
}
