//! The word about run time, held against the bits that draws of two very different tables consume.

use declare::{Declaration, Grouping, RunTime};
use draw::{BlockDraw, TableNoise, TableSampler};
use exact::{Entropy, Rational, Seeded, Source};
use plan::{Case, Plan, PlannedBlock};
use std::path::Path;

/// A table of 3 × 4 cells with the given invariants and mechanism.
fn spec(invariants: &[&str], nonnegative: bool, mechanism: &str) -> Declaration {
    let invariants: String = invariants.iter().map(|by| format!("[[invariant]]\nby = [{by}]\n")).collect();
    let text = format!(
        "[data]\npath = \"t.csv\"\ncount = \"n\"\npublic = true\n[dimensions]\na = [\"x\", \"y\", \"z\"]\nb = [\"p\", \"q\", \"r\", \"s\"]\n{invariants}[constraints]\nnonnegative = {nonnegative}\n[mechanism]\n{mechanism}\nper = \"unit\"\n"
    );
    Declaration::parse(&text, "spec.toml", Path::new(".")).unwrap()
}

struct Planned {
    plan: Plan,
    rates: Vec<Rational>,
    queries: Vec<Grouping>,
}

fn planned(declaration: &Declaration, counts: &[i64]) -> Planned {
    let case = Case::of(declaration.clone()).unwrap();
    let plan = case.plan(&case.analyse(&case.totals(counts).unwrap()).unwrap()).unwrap();
    let rates = plan.queries.iter().map(|query| query.rate.clone()).collect();
    let queries = case.conditions.queries.iter().map(|query| query.grouping.clone()).collect();
    Planned { plan, rates, queries }
}

/// What a seed gives: the noise, and the word that every stream of its own would give next.
fn drawn(planned: &Planned, counts: &[i64], seed: u64) -> (Vec<i64>, Vec<u64>) {
    let Planned { plan, rates, queries } = planned;
    assert!(queries.is_empty());
    let noise = TableNoise { law: &plan.law, rates, sums: &[] };
    let blocks: Vec<BlockDraw> = plan.blocks.iter().map(PlannedBlock::to_draw).collect();
    let sampler = TableSampler::new(noise, &blocks, counts).unwrap();
    let values = sampler.draw(&Seeded::new(seed), &|_| {}).unwrap().into_values();
    let mut left = Vec::new();
    for block in &blocks {
        let Ok(ready) = block.work.ready(block.around(noise, counts)) else { continue };
        for task in 0..block.work.tasks(block.cells.len()) {
            let mut stream = Seeded::new(seed).stream(task as u64).unwrap();
            ready.draw(task, &mut stream).unwrap();
            left.push(stream.bits(64));
        }
    }
    (values.iter().zip(counts).map(|(value, count)| value - count).collect(), left)
}

/// Two tables with the same margins.
const FLAT: [i64; 12] = [500; 12];
const STEEP: [i64; 12] = [1000, 0, 1000, 0, 0, 1000, 0, 1000, 500, 500, 500, 500];

fn word(planned: &Planned) -> RunTime {
    let words = planned.plan.blocks.iter().map(PlannedBlock::run_time);
    words.fold(RunTime::Independent, |all, word| if word == RunTime::Independent { all } else { word })
}

#[test]
fn what_is_called_independent_consumes_the_same_bits_for_every_table() {
    let (a, b) = ("\"a\"", "\"b\"");
    let geometric = "noise = \"double-geometric\"\nepsilon = \"1/4\"";
    let gaussian = "noise = \"discrete-gaussian\"\nrho = \"1/8\"";
    for (invariants, mechanism, operator) in [
        (vec![], geometric, "independent"),
        (vec![a], geometric, "closed-form"),
        (vec![a], gaussian, "messages"),
        (vec![a, b], geometric, "divide"),
        (vec![a, b], gaussian, "divide"),
    ] {
        let declaration = spec(&invariants, false, mechanism);
        let (flat, steep) = (planned(&declaration, &FLAT), planned(&declaration, &STEEP));
        assert!(
            flat.plan.blocks.iter().all(|block| block.operator() == operator),
            "{:?}",
            flat.plan.blocks[0].operator()
        );
        assert_eq!(word(&flat), RunTime::Independent, "{operator}");
        for seed in 0..100 {
            assert_eq!(drawn(&flat, &FLAT, seed), drawn(&steep, &STEEP, seed), "{operator}, seed {seed}");
        }
    }
}

#[test]
fn what_depends_on_the_table_is_said_to() {
    let geometric = "noise = \"double-geometric\"\nepsilon = \"1/4\"";
    for invariants in [vec![], vec!["\"a\"", "\"b\""]] {
        let declaration = spec(&invariants, true, geometric);
        let (flat, steep) = (planned(&declaration, &FLAT), planned(&declaration, &STEEP));
        assert_eq!(word(&flat), RunTime::DependsOnTheTable);
        let differs = (0..200).any(|seed| drawn(&flat, &FLAT, seed).1 != drawn(&steep, &STEEP, seed).1);
        assert!(differs, "{invariants:?}: the control");
    }
}
