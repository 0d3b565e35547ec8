//! The kinds of steps against the Graver basis itself, enumerated on small declarations.

use analyse::{Bounds, Element, StepKind, analyse};
use declare::{Conditions, Footprint, Grouping, NO_GROUP, QueryRows, Relation, RuleRows};
use exact::Rational;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn grouping(groups: u32, group_of: Vec<u32>, times: Option<Vec<i64>>) -> Grouping {
    let names = (0..groups).map(|group| format!("g = {group}")).collect();
    Grouping { label: "by g".into(), names, group_of, times }
}

fn random_grouping(random: &mut Random, cells: usize, with_times: bool) -> Grouping {
    let groups = 1 + random.below(3) as u32;
    let mut group = || match random.below(6) {
        0 => NO_GROUP,
        _ => random.below(u64::from(groups)) as u32,
    };
    let group_of = (0..cells).map(|_| group()).collect();
    let mut times = || [-1, 1, 2][random.below(3) as usize];
    let times = with_times.then(|| (0..cells).map(|_| times()).collect());
    grouping(groups, group_of, times)
}

/// All non-zero vectors with entries within ±radius on which the sums vanish.
fn kernel(cells: usize, groupings: &[Grouping], radius: i64) -> Vec<Vec<i64>> {
    let side = 2 * radius + 1;
    (0..side.pow(cells as u32))
        .map(|number| (0..cells as u32).map(|cell| number / side.pow(cell) % side - radius).collect::<Vec<i64>>())
        .filter(|vector| vector.iter().any(|entry| *entry != 0))
        .filter(|vector| groupings.iter().all(|grouping| grouping.totals(vector).iter().all(|total| *total == 0)))
        .collect()
}

/// Those that are no sum of two others with the same signs.
fn graver(mut kernel: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let inside = |small: &[i64], large: &[i64]| small.iter().zip(large).all(|(s, l)| s * l >= 0 && s.abs() <= l.abs());
    kernel.sort_by_key(|vector| vector.iter().map(|entry| entry.abs()).sum::<i64>());
    let mut minimal: Vec<Vec<i64>> = Vec::new();
    for vector in kernel {
        if !minimal.iter().any(|known| inside(known, &vector)) {
            minimal.push(vector);
        }
    }
    minimal
}

fn length(step: &[i64]) -> u64 {
    step.iter().map(|entry| entry.unsigned_abs()).sum()
}

/// What a step does, by the definitions.
struct Truth {
    moved: Vec<u64>,
    own: Vec<u64>,
    bounds: Bounds,
}

/// The sums of a grouping, one after another, of every one of these vectors.
fn sums(grouping: &Grouping, vectors: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let totals: Vec<Vec<i128>> = vectors.iter().map(|vector| grouping.totals(vector)).collect();
    (0..grouping.groups()).map(|group| totals.iter().map(|totals| totals[group] as i64).collect()).collect()
}

/// Whether a sum moves as a cell does, in every one of the vectors.
fn moves_as(sum: &[i64], cell: usize, kernel: &[Vec<i64>]) -> bool {
    let Some(known) = kernel.iter().position(|vector| vector[cell] != 0) else { return false };
    let pairs = kernel.iter().zip(sum);
    sum[known] != 0
        && pairs.into_iter().all(|(vector, sum_of)| sum_of * kernel[known][cell] == sum[known] * vector[cell])
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// By the definitions of the theorem. The Graver basis generates all steps, so sums and cells are
/// compared on it alone.
fn truth(conditions: &Conditions, step: &[i64], kernel: &[Vec<i64>]) -> Truth {
    let queries = conditions.queries.iter().map(|query| &query.grouping);
    let moved = |query: &Grouping| query.totals(step).iter().map(|total| total.unsigned_abs() as u64).sum();
    let rules: Vec<Vec<i64>> = conditions.rules.iter().flat_map(|rule| sums(&rule.grouping, kernel)).collect();
    let has_bound = |cell: usize| conditions.nonnegative || rules.iter().any(|rule| moves_as(rule, cell, kernel));
    let touched: Vec<usize> = (0..step.len()).filter(|cell| step[*cell] != 0 && has_bound(*cell)).collect();
    let own = |query: &Grouping| {
        let rows = sums(query, kernel);
        let tied = |cell: &usize| {
            let least = kernel.iter().fold(0, |least, vector| gcd(least, vector[*cell].unsigned_abs()));
            let one = kernel.iter().position(|vector| vector[*cell] != 0).unwrap();
            let each = rows.iter().filter(|row| moves_as(row, *cell, kernel)).map(|row| row[one].unsigned_abs());
            each.sum::<u64>() * least / kernel[one][*cell].unsigned_abs()
        };
        touched.iter().map(tied).min().unwrap_or(u64::MAX)
    };
    let at = kernel.iter().position(|vector| vector == step).unwrap();
    let ties = |rule: &Vec<i64>| rule[at] != 0 && (0..step.len()).all(|cell| !moves_as(rule, cell, kernel));
    let bounds = match (rules.iter().any(ties), touched.is_empty()) {
        (true, _) => Bounds::Tied,
        (false, false) => Bounds::Cells,
        (false, true) => Bounds::Free,
    };
    Truth { moved: queries.clone().map(moved).collect(), own: queries.map(own).collect(), bounds }
}

/// Whether a kind of steps is at least as bad, unit for unit, as a step.
fn covers(element: &Element, step: &[i64], truth: &Truth) -> bool {
    let length = length(step);
    let dearer = |(said, true_one): (&u64, &u64)| said * length >= true_one * element.length;
    // Twice the cost needs no length: it is the same for any sum of steps.
    let long_enough = element.length >= length || element.bounds != Bounds::Cells;
    long_enough
        && element.bounds >= truth.bounds
        && element.moved.iter().zip(&truth.moved).all(dearer)
        && (element.bounds != Bounds::Cells || element.own.iter().zip(&truth.own).all(|(said, own)| said <= own))
}

#[test]
fn every_element_of_the_graver_basis_is_covered() {
    let mut random = Random(11);
    let mut seen = [0; 6];
    for round in 0..1500 {
        let cells = 2 + random.below(5) as usize;
        let invariants: Vec<Grouping> =
            (0..1 + random.below(3)).map(|_| random_grouping(&mut random, cells, round % 4 == 0)).collect();
        let mut conditions = Conditions::of_totals(cells, invariants.clone());
        conditions.nonnegative = random.below(2) == 0;
        for _ in 0..random.below(3) {
            let grouping = random_grouping(&mut random, cells, false);
            conditions.queries.push(QueryRows { grouping, strength: Rational::integer(1) });
        }
        let every_cell = grouping(cells as u32, (0..cells as u32).collect(), None);
        conditions.queries.push(QueryRows { grouping: every_cell, strength: Rational::integer(1) });
        if random.below(3) == 0 {
            let grouping = random_grouping(&mut random, cells, false);
            conditions.rules.push(RuleRows { grouping, relation: Relation::AtMost, bound: 3 });
        }
        let totals: Vec<Vec<i64>> = invariants
            .iter()
            .map(|grouping| grouping.totals(&vec![1; cells]).iter().map(|total| *total as i64).collect())
            .collect();
        let Ok(analysis) = analyse(&conditions, &totals) else {
            continue;
        };
        let kernel = kernel(cells, &invariants, 2);
        let shortest = kernel.iter().map(|step| length(step)).min();
        if let Some(l1) = analysis.moves.nearest.first().map(|element| element.length) {
            // A step with an entry above 2 lies outside the box, and such steps are longer than 4
            // here.
            assert!(shortest == Some(l1) || l1 > 4 && shortest.is_none_or(|found| l1 <= found), "round {round}: {l1}");
        }
        for element in &analysis.moves.elements {
            seen[element.shape as usize] += 1;
        }
        let steps = graver(kernel);
        for step in steps.clone() {
            let truth = truth(&conditions, &step, &steps);
            assert!(
                analysis.moves.elements.iter().any(|element| covers(element, &step, &truth)),
                "round {round}: {step:?} in {conditions:?} by {:?}",
                analysis.moves.elements
            );
        }
    }
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

fn margins(rows: u32, columns: u32) -> Vec<Grouping> {
    let cells = rows * columns;
    vec![
        grouping(rows, (0..cells).map(|cell| cell / columns).collect(), None),
        grouping(columns, (0..cells).map(|cell| cell % columns).collect(), None),
    ]
}

#[test]
fn margins_step_along_cycles() -> Result<(), declare::Problem> {
    for (rows, columns, longest) in [(2, 2, 4), (3, 3, 6), (4, 7, 8)] {
        let mut conditions = Conditions::of_totals((rows * columns) as usize, margins(rows, columns));
        conditions.nonnegative = true;
        let totals = [vec![i64::from(columns); rows as usize], vec![i64::from(rows); columns as usize]];
        let moves = analyse(&conditions, &totals)?.moves;
        let lengths: Vec<(StepKind, u64, Bounds)> =
            moves.elements.iter().map(|e| (e.shape, e.length, e.bounds)).collect();
        assert_eq!(lengths, [(StepKind::Circuit, longest, Bounds::Cells)]);
        assert_eq!(moves.nearest.iter().map(|e| e.length).collect::<Vec<_>>(), [4]);
    }
    Ok(())
}

/// All two-way margins of a table with two layers, by which of its dimensions has them.
fn two_layers(rows: u32, columns: u32, last: bool) -> Vec<Grouping> {
    let cells = 2 * rows * columns;
    let codes = |cell: u32| match last {
        false => [cell / (rows * columns), cell / columns % rows, cell % columns],
        true => [cell % 2, cell / (2 * columns), cell / 2 % columns],
    };
    let margin = |one: usize, other: usize| {
        let sizes = [2, rows, columns];
        let group_of = (0..cells).map(|cell| codes(cell)[one] * sizes[other] + codes(cell)[other]).collect();
        grouping(sizes[one] * sizes[other], group_of, None)
    };
    vec![margin(0, 1), margin(1, 2), margin(0, 2)]
}

#[test]
fn two_layers_step_along_cycles_in_both() -> Result<(), declare::Problem> {
    for (rows, columns, longest) in [(2, 3, 8), (3, 3, 12), (4, 7, 16)] {
        for last in [false, true] {
            let cells = (2 * rows * columns) as usize;
            let mut conditions = Conditions::of_totals(cells, two_layers(rows, columns, last));
            conditions.nonnegative = true;
            let own =
                |grouping: &Grouping| grouping.totals(&vec![1; cells]).iter().map(|total| *total as i64).collect();
            let totals: Vec<Vec<i64>> = conditions.invariants.iter().map(own).collect();
            let moves = analyse(&conditions, &totals)?.moves;
            let found: Vec<(u64, u64, Bounds)> =
                moves.elements.iter().map(|e| (e.length, e.squared, e.bounds)).collect();
            assert_eq!(found, [(longest, longest, Bounds::Cells)]);
            assert_eq!(moves.nearest.iter().map(|e| e.length).collect::<Vec<_>>(), [8]);
        }
    }
    Ok(())
}

/// Random totals on two layers beside the sums of the layers: whatever is found covers the whole
/// Graver basis.
#[test]
fn every_element_of_two_layers_is_covered() {
    let mut random = Random(5);
    let mut known = 0;
    for round in 0..400 {
        let pairs = 4 + random.below(2) as usize;
        let cells = 2 * pairs;
        let mut invariants =
            vec![grouping(pairs as u32, (0..cells as u32).map(|cell| cell % pairs as u32).collect(), None)];
        for _ in 0..1 + random.below(3) {
            let small = random_grouping(&mut random, pairs, false);
            let group = |cell: usize| small.group_of[cell % pairs];
            let layer = random.below(4);
            let group_of = (0..cells).map(|cell| match layer {
                // In one layer, in the other, in both together, or in both apart.
                0 if cell >= pairs => NO_GROUP,
                1 if cell < pairs => NO_GROUP,
                3 if cell >= pairs && group(cell) != NO_GROUP => group(cell) + small.groups() as u32,
                _ => group(cell),
            });
            invariants.push(grouping(2 * small.groups() as u32, group_of.collect(), None));
        }
        let mut conditions = Conditions::of_totals(cells, invariants.clone());
        conditions.nonnegative = true;
        let every_cell = grouping(cells as u32, (0..cells as u32).collect(), None);
        conditions.queries.push(QueryRows { grouping: every_cell, strength: Rational::integer(1) });
        let own = |grouping: &Grouping| grouping.totals(&vec![1; cells]).iter().map(|total| *total as i64).collect();
        let totals: Vec<Vec<i64>> = invariants.iter().map(own).collect();
        let Ok(analysis) = analyse(&conditions, &totals) else { continue };
        known += u32::from(analysis.moves.elements.iter().any(|element| element.shape == StepKind::Kernel));
        let steps = graver(kernel(cells, &invariants, 1));
        let shortest = steps.iter().map(|step| length(step)).min();
        let known = analysis.moves.nearest.first().map(|element| element.length);
        if let (Some(l1), Some(shortest)) = (known, shortest) {
            assert_eq!(l1, shortest, "round {round}");
        }
        for step in steps.clone() {
            let truth = truth(&conditions, &step, &steps);
            let covered = analysis.moves.elements.iter().any(|element| covers(element, &step, &truth));
            assert!(covered, "round {round}: {step:?} in {invariants:?} by {:?}", analysis.moves.elements);
        }
    }
    assert!(known > 10, "{known} of two layers");
}

#[test]
fn pinned_totals_do_not_bind_the_table() -> Result<(), declare::Problem> {
    let total = grouping(1, vec![0; 3], None);
    let mut conditions = Conditions::of_totals(3, vec![total]);
    conditions.footprint = Footprint::EveryMeasure { measures: 3, place: vec![0; 3] };
    let free = analyse(&conditions, &[vec![7]])?.moves;
    assert_eq!(
        (free.pinned, free.nearest[0].length, free.nearest[0].bounds, free.measures),
        (false, 2, Bounds::Free, 3)
    );
    conditions.pinned = vec![Some(vec![7])];
    let pinned = analyse(&conditions, &[vec![7]])?.moves;
    assert_eq!((pinned.pinned, pinned.nearest[0].length, pinned.nearest[0].bounds), (true, 1, Bounds::Tied));
    assert_eq!(
        pinned.elements.iter().map(|e| (e.shape, e.bounds)).collect::<Vec<_>>(),
        [(StepKind::Any, Bounds::Tied)]
    );
    Ok(())
}

#[test]
fn a_law_needs_noise_or_totals_on_every_cell() -> Result<(), declare::Problem> {
    let query =
        |group_of: Vec<u32>| QueryRows { grouping: grouping(3, group_of, None), strength: Rational::integer(1) };
    let total = |nonnegative: bool, query: QueryRows| {
        let mut conditions = Conditions::of_totals(4, vec![grouping(1, vec![0, 0, NO_GROUP, NO_GROUP], None)]);
        conditions.queries.push(query);
        conditions.nonnegative = nonnegative;
        analyse(&conditions, &[vec![3]]).map(|analysis| analysis.moves.proper)
    };
    // Both free cells in one noisy sum: their difference runs away, unless counts are bounded
    // below.
    assert!(!total(false, query(vec![1, NO_GROUP, 0, 0]))?);
    assert!(total(true, query(vec![1, NO_GROUP, 0, 0]))?);
    assert!(!total(true, query(vec![0, 1, 0, NO_GROUP]))?);
    assert!(!total(false, query(vec![NO_GROUP, 0, 0, 1]))?);
    assert!(total(false, query(vec![NO_GROUP, 0, 1, 2]))?);
    Ok(())
}

#[test]
fn a_rule_that_is_an_equality_is_a_total() -> Result<(), declare::Problem> {
    let mut conditions = Conditions::of_totals(4, Vec::new());
    let balance = grouping(1, vec![0, 0, 0, NO_GROUP], Some(vec![1, 1, -1, 1]));
    conditions.rules.push(RuleRows { grouping: balance, relation: Relation::Equal, bound: 0 });
    let analysis = analyse(&conditions, &[])?;
    assert_eq!((analysis.rank, analysis.invariants), (1, 1));
    let shapes: Vec<(StepKind, u64)> = analysis.moves.elements.iter().map(|e| (e.shape, e.length)).collect();
    assert_eq!(shapes, [(StepKind::Alone, 1), (StepKind::Pair, 2), (StepKind::Kernel, 2)]);
    Ok(())
}
