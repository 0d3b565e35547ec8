//! Ledgers to try things on, and requests to them.

use crate::server;
use ledger::{Address, Amount, Answer, Charge, Ledger, NewDataset, Outcome, Request, Reservation, Unit};
use tempfile::TempDir;

/// A place for a ledger.
pub struct Scene {
    pub address: Address,
    /// What to call it in failures.
    pub name: &'static str,
    /// Removed with the scene.
    pub folder: Option<TempDir>,
}

/// A place for a ledger in a new file.
pub fn sqlite() -> Scene {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("sqlite:{}", folder.path().join("ledger.db").display());
    Scene { address: Address::parse(&text).expect("an address"), name: "SQLite", folder: Some(folder) }
}

/// A place for a ledger in a new database of the server.
pub fn postgres() -> Option<Scene> {
    let text = server::new_database()?;
    Some(Scene { address: Address::parse(&text).expect("an address"), name: "PostgreSQL", folder: None })
}

/// Every place that there is.
pub fn everywhere() -> Vec<Scene> {
    let mut scenes = vec![sqlite()];
    scenes.extend(postgres());
    scenes
}

impl Scene {
    /// A ledger with the dataset `census`, whose budget is a pure ε per replaced record.
    pub fn with_census(&self, epsilon: &str) -> Ledger {
        let mut ledger = Ledger::create(&self.address, "ann").expect("a ledger");
        ledger.open_dataset(&dataset("census", pure(epsilon))).expect("a dataset");
        ledger
    }

    /// The ledger, opened once more.
    pub fn again(&self) -> Ledger {
        Ledger::open(&self.address).unwrap_or_else(|problem| panic!("{}: {problem}", self.name))
    }
}

/// A pure ε per replaced record.
pub fn pure(epsilon: &str) -> Charge {
    Charge { amount: Amount::Pure { epsilon: epsilon.parse().expect("a number") }, per: Unit::Record }
}

/// A ρ per replaced record.
pub fn concentrated(rho: &str) -> Charge {
    Charge { amount: Amount::ZeroConcentrated { rho: rho.parse().expect("a number") }, per: Unit::Record }
}

/// A dataset that needs no approval.
pub fn dataset(name: &str, budget: Charge) -> NewDataset {
    NewDataset { name: name.to_string(), budget, approval: false, partition: None, by: "ann".to_string() }
}

/// A request of Ann's to the dataset `census`.
pub fn request(spec: &str, loss: Charge) -> Request {
    Request {
        dataset: "census".to_string(),
        spec: spec.to_string(),
        law: None,
        place: None,
        loss,
        by: "ann".to_string(),
        prints: Vec::new(),
        priced_by_totals: false,
        again: false,
        overrides: Vec::new(),
        part: None,
        details: String::new(),
    }
}

/// What became of a release in a folder.
pub fn outcome(folder: &str) -> Outcome {
    Outcome { certificate: "c0ffee".to_string(), table: "7ab1e".to_string(), folder: folder.to_string() }
}

/// Reserves what must be affordable and new.
pub fn reserved(ledger: &mut Ledger, request: &Request) -> Reservation {
    match ledger.reserve(request) {
        Ok(Answer::Reserved(reservation)) => *reservation,
        other => panic!("{other:?}"),
    }
}

/// What the dataset `census` has spent and has left.
pub fn spent_and_left(ledger: &mut Ledger) -> (Amount, Amount) {
    let status = ledger.status().expect("a status");
    let census = status.datasets.into_iter().find(|dataset| dataset.name == "census").expect("a dataset");
    (census.spent, census.left)
}
