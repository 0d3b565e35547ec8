//! Noise on lattices and counts in two-way tables: when the exact operators are chosen, and why
//! they are not.

use declare::{Declaration, Kind, Problem};
use draw::{BlockDraw, Exactness, draw_table};
use exact::{Rational, Seeded};
use loss::Definition;
use plan::{Case, Plan, PlannedBlock};

pub fn planned(spec: &str, counts: &[i64]) -> Result<Plan, Problem> {
    let case = Case::of(Declaration::parse_alone(spec, "spec.toml")?)?;
    case.plan(&case.analyse(&case.totals(counts)?)?)
}

/// A table of these sizes with all margins that sum out one dimension.
pub fn margins(sizes: &[usize], nonnegative: bool, mechanism: &str) -> String {
    let names = ["a", "b", "c"];
    let mut text = "title = \"T\"\n[data]\npath = \"x.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\n".to_owned();
    for (name, size) in names.iter().zip(sizes) {
        let values: Vec<String> = (0..*size).map(|value| format!("\"{name}{value}\"")).collect();
        text.push_str(&format!("{name} = [{}]\n", values.join(", ")));
    }
    for out in 0..sizes.len() {
        let by: Vec<String> =
            (0..sizes.len()).filter(|axis| *axis != out).map(|axis| format!("\"{}\"", names[axis])).collect();
        text.push_str(&format!("[[invariant]]\nby = [{}]\n", by.join(", ")));
    }
    format!("{text}[constraints]\nnonnegative = {nonnegative}\n[mechanism]\n{mechanism}\n")
}

fn counts(sizes: &[usize]) -> Vec<i64> {
    (0..sizes.iter().product::<usize>() as i64).map(|cell| 5 + cell * 7 % 11).collect()
}

const GAUSSIAN: &str = "noise = \"discrete-gaussian\"\nrho = \"1/8\"\nper = \"record\"";
const LAPLACE: &str = "noise = \"lattice-laplace\"\nepsilon = \"1/4\"\nper = \"unit\"";
const GEOMETRIC: &str = "noise = \"double-geometric\"\nepsilon = \"1/4\"\nper = \"unit\"";

#[test]
fn lattices_without_bounds_are_drawn_exactly() -> Result<(), Problem> {
    for (sizes, mechanism, operator, definition) in [
        (vec![5, 5, 4], GAUSSIAN, "klein", Definition::ZeroConcentrated),
        (vec![4, 4], LAPLACE, "mixture", Definition::Pure),
        (vec![5, 5, 4], LAPLACE, "mixture", Definition::Pure),
        (vec![3, 3, 3], GEOMETRIC, "thin", Definition::Pure),
    ] {
        let plan = planned(&margins(&sizes, false, mechanism), &counts(&sizes))?;
        assert_eq!(plan.blocks[0].operator(), operator, "{sizes:?} {mechanism}");
        assert_eq!((plan.blocks[0].exactness(), plan.loss.definition()), (&Exactness::Exact, definition));
        assert_eq!((plan.loss.gamma.clone(), plan.needs_evidence()), (Rational::integer(0), false));
        assert!(plan.explain_text("T").contains(&format!("{operator}, exact")), "{}", plan.explain_text("T"));
        assert_eq!(plan.explain_json()["blocks"][0]["exactness"], "exact");
        assert_eq!(plan.explain_json()["blocks"][0]["operator"], operator);
    }
    Ok(())
}

#[test]
fn exact_operators_come_before_walks_that_are_accepted() -> Result<(), Problem> {
    let accepted = |mechanism: &str| format!("{mechanism}\naccept = \"estimated\"\nmax_delta = \"1e-6\"");
    for (sizes, mechanism, operator) in
        [(vec![5, 5, 4], GAUSSIAN, "klein"), (vec![4, 4], LAPLACE, "mixture"), (vec![3, 3, 3], GEOMETRIC, "thin")]
    {
        let plan = planned(&margins(&sizes, false, &accepted(mechanism)), &counts(&sizes))?;
        assert_eq!(plan.blocks[0].operator(), operator);
        let named = accepted(&format!("{mechanism}\nsampler = \"lattice-walk\""));
        assert_eq!(planned(&margins(&sizes, false, &named), &counts(&sizes))?.blocks[0].operator(), "lattice-walk");
    }
    Ok(())
}

/// The noise of lattices is drawn before any count is seen: with the same bits it is the same
/// around every table.
#[test]
fn a_shift_of_the_table_changes_no_noise() -> Result<(), Problem> {
    for (sizes, mechanism) in [(vec![5, 5, 4], GAUSSIAN), (vec![4, 4], LAPLACE), (vec![3, 3, 3], GEOMETRIC)] {
        let plan = planned(&margins(&sizes, false, mechanism), &counts(&sizes))?;
        let blocks: Vec<BlockDraw> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
        let drawn = |centre: &[i64]| {
            let drawn = draw_table(&plan.law, &blocks, centre, &Seeded::new(9), &|_| {}).unwrap();
            drawn.values().iter().zip(centre).map(|(value, centre)| value - centre).collect::<Vec<i64>>()
        };
        let (one, other) = (counts(&sizes), vec![1000; counts(&sizes).len()]);
        assert_eq!(drawn(&one), drawn(&other));
        assert!(drawn(&one).iter().any(|noise| *noise != 0), "{sizes:?}");
    }
    Ok(())
}

fn refusal(spec: &str, sizes: &[usize]) -> String {
    let problem = planned(spec, &counts(sizes)).unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    problem.to_string()
}

#[test]
fn what_lattices_cannot_draw_is_refused_with_the_reason() {
    let by_name = |mechanism: &str, name: &str| format!("{mechanism}\nsampler = \"{name}\"");
    let bounded = refusal(&margins(&[3, 3], true, &by_name(GEOMETRIC, "thin")), &[3, 3]);
    assert!(bounded.contains("could fall below zero"), "{bounded}");
    let counted = refusal(&margins(&[2, 3], true, &by_name(GAUSSIAN, "klein")), &[2, 3]);
    assert!(counted.contains("could fall below zero"), "{counted}");
    let law = refusal(&margins(&[3, 3], false, &by_name(GEOMETRIC, "klein")), &[3, 3]);
    assert!(law.contains("it draws discrete Gaussian noise, not double-geometric noise"), "{law}");
    let law = refusal(&margins(&[3, 3], false, &by_name(GAUSSIAN, "mixture")), &[3, 3]);
    assert!(law.contains("it draws lattice Laplace noise, not discrete Gaussian noise"), "{law}");
    let narrow = GAUSSIAN.replace("1/8", "2");
    let vanishing = refusal(&margins(&[6, 6, 5], false, &narrow), &[6, 6, 5]);
    assert!(
        vanishing.contains("klein: `klein` would accept about") && vanishing.contains("(at least 5.6e-5)"),
        "{vanishing}"
    );
    assert!(vanishing.contains("accept = \"estimated\""), "{vanishing}");
    let many = refusal(&margins(&[4, 4, 4], false, GEOMETRIC), &[4, 4, 4]);
    assert!(many.contains("thin: `thin` tries all circuits") && many.contains("accept = \"estimated\""), "{many}");
}

#[test]
fn counts_of_two_way_tables_are_divided() -> Result<(), Problem> {
    for sizes in [vec![4, 4], vec![4, 8], vec![8, 8]] {
        let plan = planned(&margins(&sizes, true, GEOMETRIC), &counts(&sizes))?;
        assert_eq!((plan.blocks[0].operator(), plan.blocks[0].exactness()), ("divide", &Exactness::Exact), "{sizes:?}");
        assert_eq!(plan.loss.definition(), Definition::Pure);
    }
    // Which operator, which way round and at what cost does not depend on the interior: two tables
    // with the same totals.
    let spec = margins(&[3, 4], true, GEOMETRIC);
    let one = planned(&spec, &[9, 1, 0, 5, 2, 8, 7, 3, 4, 6, 5, 9])?;
    let other = planned(&spec, &[8, 2, 0, 5, 3, 7, 7, 3, 4, 6, 5, 9])?;
    assert_eq!(one.explain_text("T"), other.explain_text("T"));
    Ok(())
}
