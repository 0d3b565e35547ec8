//! Names, reasons and contradictions in words, on small declarations; and a large nested one.

use analyse::{Analysis, Structure};
use declare::{Conditions, Grouping, Kind, NO_GROUP, Problem};

const NONE: u32 = NO_GROUP;

fn analyse(cells: usize, groupings: &[Grouping], totals: &[Vec<i64>]) -> Result<Analysis, Problem> {
    analyse::analyse(&Conditions::of_totals(cells, groupings.to_vec()), totals)
}

fn by(dimension: &str, values: &[&str], group_of: &[u32]) -> Grouping {
    Grouping {
        times: None,
        label: format!("by {dimension}"),
        names: values.iter().map(|value| format!("{dimension} = {value}")).collect(),
        group_of: group_of.to_vec(),
    }
}

fn total(group_of: &[u32]) -> Grouping {
    Grouping { times: None, label: "total".into(), names: vec!["total".into()], group_of: group_of.to_vec() }
}

fn county() -> Grouping {
    by("county", &["Alpha", "Beta", "Gamma", "Delta"], &[0, 0, 1, 1, 2, 2, 3, 3])
}

fn education() -> Grouping {
    by("education", &["Low", "High"], &[0, 1, 0, 1, 0, 1, 0, 1])
}

fn names(analysis: &Analysis) -> Vec<&str> {
    let mut names = Vec::new();
    for block in &analysis.blocks {
        if let Structure::OneTotal { name, .. } = &block.structure {
            names.push(name.as_str());
        }
    }
    names
}

fn reasons(analysis: &Analysis) -> Vec<String> {
    let words = |redundant: &analyse::Redundant| format!("{}: {}", redundant.name, redundant.because);
    analysis.redundant.iter().map(words).collect()
}

fn message(cells: usize, groupings: &[Grouping], totals: &[Vec<i64>]) -> (Kind, String) {
    match analyse(cells, groupings, totals) {
        Ok(analysis) => panic!("expected a problem, found {analysis:?}"),
        Err(problem) => (problem.kind, problem.message),
    }
}

#[test]
fn nested_totals_are_one_block_per_smallest_group() -> Result<(), Problem> {
    let groupings = [total(&[0; 8]), county()];
    let analysis = analyse(8, &groupings, &[vec![135], vec![30, 40, 50, 15]])?;
    assert_eq!(analysis.rank, 4);
    assert_eq!(names(&analysis), ["county = Alpha", "county = Beta", "county = Gamma", "county = Delta"]);
    assert_eq!(reasons(&analysis), ["total: it is the sum of the 4 totals by county"]);
    Ok(())
}

#[test]
fn what_is_left_of_a_total_is_named_after_it() -> Result<(), Problem> {
    let partial = by("county", &["Alpha", "Beta"], &[0, 0, 1, 1, NONE, NONE, NONE, NONE]);
    let one = by("county", &["Alpha"], &[0, 0, NONE, NONE, NONE, NONE, NONE, NONE]);
    let analysis = analyse(8, &[total(&[0; 8]), partial], &[vec![135], vec![30, 40]])?;
    assert_eq!(names(&analysis), ["county = Alpha", "county = Beta", "total minus county = Alpha, …"]);
    assert_eq!(
        analysis.blocks[2].structure,
        Structure::OneTotal { total: 65, name: "total minus county = Alpha, …".into() }
    );
    let analysis = analyse(8, &[total(&[0; 8]), one], &[vec![135], vec![30]])?;
    assert_eq!(names(&analysis), ["county = Alpha", "total minus county = Alpha"]);
    Ok(())
}

#[test]
fn crossing_margins_name_the_invariants_that_cross() -> Result<(), Problem> {
    let groupings = [total(&[0; 8]), county(), education()];
    let analysis = analyse(8, &groupings, &[vec![135], vec![30, 40, 50, 15], vec![100, 35]])?;
    assert_eq!(analysis.rank, 5);
    assert_eq!(analysis.blocks.len(), 1);
    assert_eq!(
        analysis.blocks[0].structure,
        Structure::Crossing { invariants: vec!["by county".into(), "by education".into()], rank: 5 }
    );
    assert_eq!(
        reasons(&analysis),
        [
            "total: it is the sum of the 2 totals by education",
            "education = Low: the sum of the 2 totals by education equals the sum of the 4 totals by county",
        ]
    );
    Ok(())
}

#[test]
fn many_redundant_totals_are_reported_together() -> Result<(), Problem> {
    let again = Grouping { label: "by county again".into(), ..county() };
    let totals = vec![30, 40, 50, 15];
    let analysis = analyse(8, &[county(), again], &[totals.clone(), totals])?;
    assert_eq!(reasons(&analysis), ["the 4 totals by county again: each sums the same cells as a total by county"]);
    assert_eq!(analysis.redundant[0].totals, 4);
    Ok(())
}

#[test]
fn contradictions_are_spelled_out() {
    let totals = [vec![135], vec![30, 40, 50, 14]];
    assert_eq!(
        message(8, &[total(&[0; 8]), county()], &totals),
        (
            Kind::Infeasible,
            "the totals contradict each other: `total` is 135, but the 4 totals by county add up to 134".into()
        )
    );
    let totals = [vec![30, 40, 50, 15], vec![100, 34]];
    assert_eq!(message(8, &[county(), education()], &totals), (
        Kind::Infeasible,
        "the totals contradict each other: the 2 totals by education add up to 134, but the 4 totals by county add up \
         to 135"
            .into()
    ));
    assert_eq!(
        message(8, &[total(&[0; 8]), total(&[0; 8])], &[vec![1], vec![2]]),
        (
            Kind::Infeasible,
            "the totals contradict each other: `total` is 2, but `total`, which sums the same cells, is 1".into()
        )
    );
    assert_eq!(
        message(2, &[by("x", &["a", "b"], &[0, 0])], &[vec![1, 2]]),
        (Kind::Infeasible, "the totals contradict each other: `x = b` is 2, but no cell belongs to it".into())
    );
}

/// Three classes of two cells, tied by the totals of their pairwise unions: peeling stalls,
/// elimination does not.
#[test]
fn pairwise_unions_determine_their_classes() -> Result<(), Problem> {
    let unions = [
        by("x", &["ab"], &[0, 0, 0, 0, NONE, NONE]),
        by("y", &["bc"], &[NONE, NONE, 0, 0, 0, 0]),
        by("z", &["ac"], &[0, 0, NONE, NONE, 0, 0]),
    ];
    let analysis = analyse(6, &unions, &[vec![3], vec![5], vec![4]])?;
    let totals: Vec<&Structure> = analysis.blocks.iter().map(|block| &block.structure).collect();
    assert!(matches!(
        totals[..],
        [
            Structure::OneTotal { total: 1, .. },
            Structure::OneTotal { total: 2, .. },
            Structure::OneTotal { total: 3, .. }
        ]
    ));
    assert_eq!(names(&analysis)[0], "x = ab and z = ac");
    assert_eq!(message(6, &unions, &[vec![3], vec![5], vec![5]]), (
        Kind::Infeasible,
        "the totals contradict each other: together they say that the cells shared by `x = ab` and `z = ac` add up to \
         3/2, which no table of counts does"
            .into()
    ));
    Ok(())
}

#[test]
fn a_single_table_is_refused() {
    let each = by("cell", &["a", "b"], &[0, 1]);
    assert_eq!(message(2, &[each], &[vec![4, 5]]), (
        Kind::Refused,
        "the invariants alone determine all 2 cells: only one table has these totals, so noise would protect nothing"
            .into()
    ));
}

#[test]
fn a_free_cell_adds_a_dimension() -> Result<(), Problem> {
    let analysis = analyse(3, &[total(&[0, 0, NONE])], &[vec![7]])?;
    assert_eq!(analysis.free_dimension(), 2);
    Ok(())
}

/// A million cells in three nested levels: linear work, every leaf group a block, everything above
/// redundant.
#[test]
fn a_million_nested_cells() -> Result<(), Problem> {
    let cells = 1_000_000u32;
    let level = |label: &str, size: u32| Grouping {
        times: None,
        label: format!("by {label}"),
        names: (0..cells / size).map(|group| format!("{label} = {group}")).collect(),
        group_of: (0..cells).map(|cell| cell / size).collect(),
    };
    let groupings = [level("state", 20_000), level("county", 500), level("tract", 10)];
    let totals: Vec<Vec<i64>> =
        [20_000, 500, 10].iter().map(|size| vec![3 * i64::from(*size); (cells / size) as usize]).collect();
    let analysis = analyse(cells as usize, &groupings, &totals)?;
    assert_eq!(analysis.rank, 100_000);
    assert_eq!(analysis.blocks.len(), 100_000);
    assert!(analysis.fixed.is_empty());
    assert_eq!(
        reasons(&analysis),
        [
            "the 50 totals by state: each is the sum of the totals by county in it",
            "the 2000 totals by county: each is the sum of the totals by tract in it",
        ]
    );
    Ok(())
}

/// Large two-way margins stay linear: every column closes a short circuit.
#[test]
fn large_crossing_margins() -> Result<(), Problem> {
    let (rows, columns) = (500u32, 600u32);
    let group = |label: &str, count: u32, of: &dyn Fn(u32) -> u32| Grouping {
        times: None,
        label: format!("by {label}"),
        names: (0..count).map(|group| format!("{label} = {group}")).collect(),
        group_of: (0..rows * columns).map(of).collect(),
    };
    let groupings = [group("row", rows, &|cell| cell / columns), group("column", columns, &|cell| cell % columns)];
    let totals = [vec![i64::from(columns); rows as usize], vec![i64::from(rows); columns as usize]];
    let analysis = analyse((rows * columns) as usize, &groupings, &totals)?;
    assert_eq!(analysis.rank, 1099);
    assert_eq!(analysis.blocks.len(), 1);
    Ok(())
}
