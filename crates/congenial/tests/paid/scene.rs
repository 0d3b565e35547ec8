//! Confidential tables, their specs and ledgers to release them from.

use congenial::ledgers::{Address, Amount, Charge, DatasetStatus, Ledger, NewDataset, Unit};
use congenial::{Format, Number, Options, Override, Paying, Problem, Progress, Quiet, Released, Stage, release};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What every release here costs, per unit of ℓ₁ distance. So little that two draws of one table
/// differ: the noise of each of its three rows is s in one cell and -s in the other with the weight
/// exp(-|s| / 1000), which comes out equal twice with the probability 1/4000, and of all three with
/// 1.6e-11.
pub const EACH: &str = "1/2000";

/// A folder with confidential data and a ledger somewhere.
pub struct Scene {
    pub folder: TempDir,
    /// The address of the ledger as a spec may have it: without a password.
    pub address: String,
    /// The address with the password, for another program.
    pub with_password: String,
    pub name: &'static str,
}

/// Rows that nobody else may know.
const DATA: &str =
    "county,education,children\nAlpha,Low,15\nAlpha,High,4\nBeta,Low,17\nBeta,High,38\nGamma,Low,1\nGamma,High,24\n";

/// A scene with its ledger in a file.
pub fn sqlite() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("sqlite:{}", folder.path().join("books.db").display());
    fs::write(folder.path().join("data.csv"), DATA).unwrap();
    Scene { folder, with_password: address.clone(), address, name: "SQLite" }
}

/// A scene with its ledger on the server.
pub fn postgres() -> Option<Scene> {
    let with_password = testkit::new_database()?;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.csv"), DATA).unwrap();
    let address = with_password.replace(":secret@", "@");
    Some(Scene { folder, address, with_password, name: "PostgreSQL" })
}

/// Every place that there is.
pub fn everywhere() -> Vec<Scene> {
    let mut scenes = vec![sqlite()];
    scenes.extend(postgres());
    scenes
}

impl Scene {
    /// Opens the dataset `children` with this budget.
    pub fn open(&self, epsilon: &str, approval: bool) -> Ledger {
        let mut ledger = Ledger::create(&Address::parse(&self.with_password).unwrap(), "ann").unwrap();
        let budget = Charge { amount: Amount::Pure { epsilon: epsilon.parse().unwrap() }, per: Unit::L1 };
        ledger
            .open_dataset(&NewDataset { name: "children".into(), budget, approval, partition: None, by: "ann".into() })
            .unwrap();
        ledger
    }

    /// The ledger, opened once more.
    pub fn ledger(&self) -> Ledger {
        Ledger::open(&Address::parse(&self.with_password).unwrap()).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a spec with this title, and more lines at its end; says where.
    pub fn spec_with(&self, title: &str, more: &str) -> PathBuf {
        let path = self.path(&format!("{title}.toml"));
        fs::write(&path, spec_text(title, &self.address) + more).unwrap();
        path
    }

    /// Writes a spec with this title; says where.
    pub fn spec(&self, title: &str) -> PathBuf {
        self.spec_with(title, "")
    }

    /// How the dataset stands.
    pub fn status(&self) -> DatasetStatus {
        self.ledger().status().unwrap().datasets.pop().unwrap()
    }

    /// How many releases were paid for.
    pub fn paid(&self) -> usize {
        let Amount::Pure { epsilon } = self.status().spent else { panic!("pure") };
        let each: Number = EACH.parse().unwrap();
        (&epsilon / &each).to_string().parse().expect("a whole number of releases")
    }
}

/// A spec of a confidential table that keeps the totals by county. Every title has a law of its
/// own: it accepts another δ, of which its exact draw needs none.
pub fn spec_text(title: &str, address: &str) -> String {
    let number =
        title.bytes().fold(0xcbf2_9ce4u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0193) >> 3);
    let accepted = 1_000_000 + number % 1_000_000_000;
    format!(
        "title = \"{title}\"\n[data]\npath = \"data.csv\"\ncount = \"children\"\n\
         [dimensions]\ncounty = [\"Alpha\", \"Beta\", \"Gamma\"]\neducation = [\"Low\", \"High\"]\n\
         [[invariant]]\nby = [\"county\"]\n[constraints]\nnonnegative = false\n\
         [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"{EACH}\"\nper = \"unit\"\n\
         accept = \"estimated\"\nmax_delta = \"1/{accepted}\"\n\
         [budget]\ndataset = \"children\"\nledger = \"{address}\"\n"
    )
}

/// Ann's options.
pub fn by_ann() -> Options {
    Options { paying: Paying { by: Some("ann".into()), ..Paying::default() }, ..Format::CSV.into() }
}

/// Ann's options when she overrides a safeguard.
pub fn overriding(safeguard: &str, reason: &str) -> Options {
    let mut options = by_ann();
    options.paying.overrides.push(Override { safeguard: safeguard.into(), reason: reason.into() });
    options
}

/// Ann releases.
pub fn releasing(spec: &Path, folder: &Path, options: Options) -> Result<Released, Problem> {
    release(spec, folder, options, &Quiet)
}

/// Watches a release and does something at one of its steps.
pub fn at(step: &'static str, act: impl Fn() + Send + Sync + 'static) -> congenial::Hook {
    std::sync::Arc::new(move |reached| {
        if reached == step {
            act();
        }
    })
}

/// Calls somebody at every step.
struct Stepping(congenial::Hook);

impl Progress for Stepping {
    fn told(&self, _: Stage, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn steps(&self) -> Option<congenial::Hook> {
        Some(self.0.clone())
    }
}

/// Ann releases, and something happens at a step.
pub fn releasing_with(
    spec: &Path,
    folder: &Path,
    options: Options,
    steps: congenial::Hook,
) -> Result<Released, Problem> {
    release(spec, folder, options, &Stepping(steps))
}
