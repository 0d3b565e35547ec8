//! Evidence does not depend on when and on how many threads it is made.

use super::evidence_of::evidence;
use crate::tables::fibres::{norm, two_way};

#[test]
fn evidence_is_the_same_whenever_it_is_made() {
    let small = two_way();
    assert_eq!(evidence(&small, 4, 150), evidence(&small, 4, 150));
    let one = rayon_threads(1, || evidence(&norm(), 4, 150));
    assert_eq!(one, rayon_threads(3, || evidence(&norm(), 4, 150)));
}

fn rayon_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}
