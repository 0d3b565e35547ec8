//! Laws are listed and noise is drawn once for all that a release tells of errors, and what is
//! predicted to be too much is decided before anything is listed.

use crate::making::{free, spec};
use declare::{Conditions, Declaration, Problem};
use draw::{Around, BlockQuantities, PlannedWork, Prospect, Ready};
use exact::Stream;
use infer::{cell_reaches, group_reaches};
use plan::{Case, Plan};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Work that counts what is asked of it.
#[derive(Debug, Clone)]
struct Counting {
    work: Arc<dyn PlannedWork>,
    listed: Arc<AtomicUsize>,
    drawn: Arc<AtomicUsize>,
}

impl PlannedWork for Counting {
    fn prospect(&self) -> &Prospect {
        self.work.prospect()
    }

    fn rank(&self) -> u32 {
        self.work.rank()
    }

    fn ready<'a>(&'a self, around: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Ok(Box::new(CountingReady { ready: self.work.ready(around)?, drawn: &self.drawn }))
    }

    fn quantities(&self, around: Around<'_>) -> Result<BlockQuantities, Problem> {
        self.listed.fetch_add(1, Ordering::Relaxed);
        self.work.quantities(around)
    }

    fn under(&self, conditions: &Conditions, cells: &[u32]) -> Result<Option<Arc<dyn PlannedWork>>, Problem> {
        let work = self.work.under(conditions, cells)?;
        Ok(work.map(|work| -> Arc<dyn PlannedWork> { Arc::new(Counting { work, ..self.clone() }) }))
    }

    fn lists_laws(&self) -> bool {
        self.work.lists_laws()
    }
}

#[derive(Debug)]
struct CountingReady<'a> {
    ready: Box<dyn Ready + 'a>,
    drawn: &'a AtomicUsize,
}

impl Ready for CountingReady<'_> {
    fn exactness(&self) -> draw::Exactness {
        self.ready.exactness()
    }

    fn cells(&self, task: usize) -> usize {
        self.ready.cells(task)
    }

    fn draw(&self, task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        self.drawn.fetch_add(1, Ordering::Relaxed);
        self.ready.draw(task, stream)
    }
}

/// A table of both margins without bounds, its plan with work that counts, and what it counted.
fn counted(rows: usize, columns: usize, epsilon: &str, more: &str) -> (Case, Plan, Counting) {
    let margins = "[[invariant]]\nby = [\"row\"]\n[[invariant]]\nby = [\"column\"]";
    let text = spec(rows, columns, &format!("{}{more}", free(margins, epsilon)));
    let case = Case::of(Declaration::parse(&text, "spec", Path::new(".")).unwrap()).unwrap();
    let counts: Vec<i64> = (0..(rows * columns) as i64).map(|cell| cell * 7 % 11).collect();
    let mut plan = case.plan(&case.analyse(&case.totals(&counts).unwrap()).unwrap()).unwrap();
    let counting = Counting { work: plan.blocks[0].work.clone(), listed: Arc::default(), drawn: Arc::default() };
    plan.blocks[0].work = Arc::new(counting.clone());
    (case, plan, counting)
}

fn told(counting: &Counting) -> (usize, usize) {
    (counting.listed.load(Ordering::Relaxed), counting.drawn.load(Ordering::Relaxed))
}

#[test]
fn ranks_of_cells_and_of_all_sums_come_from_one_set_of_draws() {
    let (case, plan, counting) = counted(3, 3, "3/7", "");
    assert_eq!(plan.blocks[0].operator(), "divide");
    let draws = plan.ranked_draws().unwrap();
    let work = plan.interval_work().unwrap();
    assert_eq!(work.draws, Some(draws));
    for _ in 0..3 {
        let cells = cell_reaches(&plan, &case.conditions).unwrap();
        assert_eq!(cells.draws, Some(draws));
        // Two cells of a row, of a column, and so on: as many families as a report and outputs ask
        // for.
        for family in 0..8u32 {
            let group_of: Vec<u32> = (0..9).map(|cell| (cell + family) % (2 + family % 3)).collect();
            let found = group_reaches(&plan, &case.conditions, 4, &group_of).unwrap();
            assert_eq!(found.draws, Some(draws));
        }
        let alone: Vec<u32> = (0..9).collect();
        assert_eq!(group_reaches(&plan, &case.conditions, 9, &alone).unwrap().reach, cells.reach);
    }
    assert_eq!(told(&counting), (1, draws as usize));
}

#[test]
fn laws_are_listed_once() {
    let (case, plan, counting) = counted(2, 2, "1/1003", "");
    assert_eq!(plan.blocks[0].operator(), "messages");
    let work = plan.interval_work().unwrap();
    assert!(work.draws.is_none() && work.listing_seconds > 0.1 && work.bytes > 3e7, "{work:?}");
    let first = cell_reaches(&plan, &case.conditions).unwrap();
    for _ in 0..3 {
        assert_eq!(cell_reaches(&plan, &case.conditions), Some(first.clone()));
    }
    assert_eq!(told(&counting), (1, 0));
}

#[test]
fn laws_above_the_limit_are_not_begun() {
    let more = "sampler = \"messages\"\n";
    let (case, plan, counting) = counted(2, 2, "1/100003", more);
    assert_eq!((plan.listing().seconds, plan.interval_work().unwrap().listing_seconds), (0.0, 0.0));
    assert_eq!(cell_reaches(&plan, &case.conditions), None);
    assert_eq!(told(&counting), (0, 0));
    // Half as wide noise is listed, as it was before there was a limit.
    let (_, plan, _) = counted(2, 2, "1/50003", more);
    let listing = plan.listing();
    assert!((5.0..30.0).contains(&listing.seconds) && (1e9..4e9).contains(&listing.peak_bytes()), "{listing:?}");
}
