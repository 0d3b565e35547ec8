//! The PostgreSQL server of these tests.

use crate::scene::Scene;
pub use testkit::{new_database, server as address, server_client as client};

/// The address of a scene's database, password included.
pub fn address_of(scene: &Scene) -> String {
    let shown = scene.address.to_string();
    let (_, name) = shown.rsplit_once('/').expect("an address names a database");
    let (server, _) = address().and_then(|address| address.rsplit_once('/')).expect("a server");
    format!("{server}/{name}")
}

#[test]
fn a_server_is_there_where_it_must_be() {
    assert!(!testkit::server_is_required() || address().is_some());
}
