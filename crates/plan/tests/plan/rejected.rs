//! Bounds that seldom bind: when they are relaxed, when not, and what is the same whatever the
//! interior.

use super::lattices::{margins, planned};
use declare::{Kind, Problem};
use draw::{BlockDraw, Exactness, draw_table};
use exact::Seeded;
use loss::Definition;
use plan::{Plan, PlannedBlock};

const GEOMETRIC: &str = "noise = \"double-geometric\"\nepsilon = \"2\"\nper = \"unit\"";
const LAPLACE: &str = "noise = \"lattice-laplace\"\nepsilon = \"2\"\nper = \"unit\"";

/// Counts from `near − 8` to `near + 8`.
fn around(near: i64, cells: usize) -> Vec<i64> {
    (0..cells as i64).map(|cell| near + cell * 7 % 17 - 8).collect()
}

fn named(mechanism: &str) -> String {
    format!("{mechanism}\nsampler = \"reject\"")
}

/// A draw of the plan keeps totals and bounds.
fn drawn(plan: &Plan, counts: &[i64]) -> Vec<i64> {
    let blocks: Vec<BlockDraw> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    let drawn = draw_table(&plan.law, &blocks, counts, &Seeded::new(9), &|_| {}).unwrap();
    assert_eq!(*drawn.exactness(), Exactness::Exact);
    drawn.values().to_vec()
}

#[test]
fn lattice_laplace_noise_with_bounds_is_drawn_exactly() -> Result<(), Problem> {
    for sizes in [vec![4, 4], vec![5, 20], vec![10, 10]] {
        let counts = around(400, sizes.iter().product());
        let plan = planned(&margins(&sizes, true, LAPLACE), &counts)?;
        assert_eq!((plan.blocks[0].operator(), plan.blocks[0].exactness()), ("reject", &Exactness::Exact));
        assert_eq!(plan.loss.definition(), Definition::Pure);
        assert!(plan.seconds() < 1.0, "{}", plan.seconds());
        let values = drawn(&plan, &counts);
        assert!(values != counts && values.iter().all(|value| *value >= 0));
        assert_eq!(values.iter().sum::<i64>(), counts.iter().sum::<i64>());
    }
    Ok(())
}

#[test]
fn tables_of_large_counts_are_drawn_without_their_bounds() -> Result<(), Problem> {
    let counts = around(400, 16);
    let plan = planned(&margins(&[4, 4], true, &named(GEOMETRIC)), &counts)?;
    assert_eq!(plan.blocks[0].operator(), "reject");
    assert!(plan.explain_text("T").contains("reject, exact"), "{}", plan.explain_text("T"));
    assert!(drawn(&plan, &counts).iter().all(|value| *value >= 0));
    // Three-way tables that no other operator draws: `thin` without bounds, and few tables are
    // thrown away.
    let counts = around(4000, 27);
    let plan = planned(&margins(&[3, 3, 3], true, &GEOMETRIC.replace('2', "1/4")), &counts)?;
    assert_eq!((plan.blocks[0].operator(), plan.blocks[0].exactness()), ("reject", &Exactness::Exact));
    assert!(drawn(&plan, &counts) != counts);
    Ok(())
}

#[test]
fn the_decision_is_that_of_the_totals() -> Result<(), Problem> {
    let spec = margins(&[4, 4], true, LAPLACE);
    let one = around(40, 16);
    let mut other = one.clone();
    for (cell, change) in [(0, 20), (1, -20), (4, -20), (5, 20)] {
        other[cell] += change;
    }
    assert_eq!(planned(&spec, &one)?.explain_text("T"), planned(&spec, &other)?.explain_text("T"));
    Ok(())
}

#[test]
fn bounds_that_bind_are_not_relaxed() {
    let crowded = planned(&margins(&[10, 10], true, LAPLACE), &around(8, 100)).unwrap_err();
    assert_eq!(crowded.kind, Kind::Refused);
    let text = crowded.to_string();
    assert!(text.contains("reject: bounds are near what the totals let expect of the counts"), "{text}");
    let free = planned(&margins(&[3, 3], false, &named(GEOMETRIC)), &around(8, 9)).unwrap_err();
    assert!(free.to_string().contains("no bound or rule holds: there is nothing to reject"), "{free}");
    let large = planned(&margins(&[74, 16], true, GEOMETRIC), &around(400, 74 * 16)).unwrap_err().to_string();
    assert!(large.contains("reject: without bounds the totals") && large.contains("attempts a draw"), "{large}");
}
