//! Parts of the lattice walk on bit tapes: their exact laws, without a p-value.

use super::kernel::Kernel;
use super::lattice_kernel::{LatticeKernel, Proposal, WalkMoves};
use super::line::{Present, Tree, kept, redraw, redraw_both};
use super::space::Space;
use super::target::Target;
use super::{Steps, Walk};
use analyse::{Demand, Fibre, FibreRow, Lattice};
use draw::NoiseLaw;
use exact::lazy::Shared;
use exact::{Enclosure, Integer, Rational, Seeded, Source};
use testkit::{goodness_of_fit, tape_law};

/// An enclosure of a machine number, a hair wide.
fn near(value: f64) -> Enclosure {
    let units = |value: f64| Integer::from((value * 2f64.powi(60)) as i64);
    Enclosure::from_bounds(units(value - 1e-9), units(value + 1e-9), 60)
}

/// A two-way table with both margins, counts at least zero, around itself.
fn walk(rows: usize, columns: usize, table: &[i64], law: NoiseLaw) -> Walk {
    let row = |cells: Vec<u32>| FibreRow {
        demand: Demand::Equal(cells.iter().map(|cell| table[*cell as usize]).sum()),
        entries: cells.into_iter().map(|cell| (cell, 1)).collect(),
    };
    let across = (0..rows).map(|i| row((0..columns).map(|j| (i * columns + j) as u32).collect()));
    let down = (0..columns).map(|j| row((0..rows).map(|i| (i * columns + j) as u32).collect()));
    let fibre = Fibre {
        cells: (0..(rows * columns) as u32).collect(),
        bounds: vec![(Some(0), None); rows * columns],
        rows: across.chain(down).collect(),
        noise_on_cells: true,
    };
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    Walk::new(Steps::Lattice, fibre, lattice, &law, &[]).unwrap()
}

fn geometric() -> NoiseLaw {
    NoiseLaw::double_geometric(Rational::new(1, 2u8))
}

fn kernel<'a>(walk: &Walk, ready: &'a WalkMoves, table: &[i64]) -> LatticeKernel<'a> {
    walk.kernel(ready, table.to_vec(), &[])
}

#[test]
fn coupled_proposals_have_their_joint_law() {
    let proposal = Proposal::new(Rational::integer(1));
    let a = (-1f64).exp();
    let single = |units: i64| (1.0 - a) / (1.0 + a) * a.powi(units.unsigned_abs() as i32);
    for gap in [0i64, 1, -3] {
        let law = tape_law(20, |tape| proposal.coupled(gap, tape));
        let shared = |first: i64| single(first).min(single(first + gap));
        let apart: f64 = 1.0 - (-200..200).map(shared).sum::<f64>();
        let joint = |(first, second): &(i64, i64)| {
            let together = if *second == first + gap { shared(*first) } else { 0.0 };
            let left = single(*first) - shared(*first);
            let right = single(*second) - shared(second - gap);
            near(together + if apart > 1e-9 { left * right / apart } else { 0.0 })
        };
        law.agrees_with(joint).unwrap();
        assert!(law.unresolved_share() < 0.25, "{}", law.unresolved_share());
        // A coupling that always puts the second where the first is would be found.
        let forced = tape_law(20, |tape| {
            let first = proposal.coupled(0, tape).0;
            (first, first + gap)
        });
        assert!(gap == 0 || forced.agrees_with(joint).is_err());
    }
}

#[test]
fn acceptance_is_metropolis_rule() {
    let table = [2, 1, 1, 2];
    let walk = walk(2, 2, &table, geometric());
    let ready = walk.ready();
    let kernel = kernel(&walk, &ready, &table);
    for units in [1i64, -1] {
        let law = tape_law(24, |tape| {
            let mut state = kernel.start(table.to_vec());
            kernel.metropolis(&mut state, &kernel.moves.basis[0], units, &mut Shared::new(), tape)
        });
        // One swap moves four cells by one: e^{−4/2}.
        law.agrees_with(|accepted| near(if *accepted { (-2f64).exp() } else { 1.0 - (-2f64).exp() })).unwrap();
    }
}

/// All tables with the margins of a table of counts.
fn tables(walk: &Walk, table: &[i64]) -> Vec<Vec<i64>> {
    let most = table.iter().sum::<i64>();
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in table {
        all = all.iter().flat_map(|table| (0..=most).map(move |value| [table.as_slice(), &[value]].concat())).collect();
        all.retain(|table| table.iter().sum::<i64>() <= most);
    }
    all.retain(|table| walk.fibre.contains(table));
    all
}

#[test]
fn lines_are_redrawn_by_their_law_alone_or_coupled() {
    for law in [geometric(), NoiseLaw::discrete_gaussian(Rational::new(3, 2u8))] {
        let table = [1, 1, 0, 0, 1, 1];
        let walk = walk(2, 3, &table, law.clone());
        let ready = walk.ready();
        let kernel = kernel(&walk, &ready, &table);
        let line = ready.lines.iter().find(|line| line.columns.len() == 3).unwrap();
        let all = tables(&walk, &table);
        let weight = |values: &[i64]| {
            let offsets = values.iter().zip(&table).map(|(value, centre)| value - centre);
            (-offsets.map(|offset| law.energy(offset).to_f64()).sum::<f64>()).exp()
        };
        let sum: f64 = all.iter().map(|values| weight(values)).sum();
        let claimed = |values: &Vec<i64>| near(weight(values) / sum);
        let other = all.iter().find(|values| *values != &table).unwrap().clone();
        let after = |from: &[i64], units: &[i64]| {
            let mut state = kernel.start(from.to_vec());
            line.columns.iter().zip(units).for_each(|(column, units)| kernel.target.apply(&mut state, column, *units));
            state.values
        };
        let present = |from: &[i64]| Present::new(&ready.space, &kernel.target, line, &kernel.start(from.to_vec()));
        let (one, two) = (present(&table), present(&other));
        let alone = tape_law(18, |tape| after(&table, &redraw(&one, &Tree::plain(3), None, tape)));
        alone.agrees_with(claimed).unwrap();
        let both = tape_law(18, |tape| {
            let (first, second) = redraw_both(&one, &two, None, tape);
            (after(&table, &first), after(&other, &second))
        });
        // Rows of two chains with the same sums of columns have the same law: they meet at once.
        assert!(both.finished.keys().all(|(first, second)| first == second));
        both.agrees_with(|(first, _)| claimed(first)).unwrap();
    }
}

#[test]
fn whole_tables_are_proposed_with_the_probability_that_scores_say() {
    let table = [1, 0, 1, 1, 0, 1, 0, 1, 1];
    let walk = walk(3, 3, &table, geometric());
    let ready = walk.ready();
    let kernel = kernel(&walk, &ready, &table);
    let whole = kernel.whole.as_ref().unwrap();
    let state = kernel.start(table.to_vec());
    let law = tape_law(20, |tape| kernel.proposed(whole, &state, tape).map(|(values, _)| values));
    let all = tables(&walk, &table);
    let probability = |values: &[i64]| {
        let energy = kernel.energy(&kernel.start(values.to_vec()));
        kernel.log_score(whole, values).map_or(0.0, |score| (-energy - score).exp())
    };
    let sum: f64 = all.iter().map(|values| probability(values)).sum();
    assert!(sum > 0.3 && sum < 1.0 + 1e-9, "{sum}");
    law.agrees_with(|values| near(values.as_ref().map_or(1.0 - sum, |values| probability(values)))).unwrap();
}

#[test]
fn wide_scores_enclose_what_machine_numbers_say() {
    let table = [2, 0, 1, 1, 0, 3, 0, 1, 1];
    let walk = walk(3, 3, &table, NoiseLaw::discrete_gaussian(Rational::new(7, 3u8)));
    let ready = walk.ready();
    let kernel = kernel(&walk, &ready, &table);
    let whole = kernel.whole.as_ref().unwrap();
    for values in tables(&walk, &table).iter().step_by(7) {
        let (Some(one), Some(two)) = (kernel.log_score(whole, values), kernel.log_score(whole, &table)) else {
            continue;
        };
        let ratio = whole.precise_ratio(&ready.space, &kernel.target, values, &table, 100);
        assert!((ratio.to_f64().ln() - (one - two)).abs() < 1e-9, "{values:?}");
        assert!(ratio.width() < (Integer::ONE << 20));
    }
}

/// How many tables of a small fibre the walk along these vectors alone reaches.
fn reached(walk: &Walk, table: &[i64], basis: &[Vec<(u32, i64)>]) -> (usize, usize) {
    let rates = vec![Rational::integer(1); basis.len()];
    let moves = WalkMoves::new(Space::new(&walk.fibre), basis, rates, (Vec::new(), Vec::new(), Vec::new()), (0.0, 0.0));
    let kernel = LatticeKernel::new(&moves, Target::new(&moves.space, Some(&geometric()), &[], table.to_vec(), &[]));
    let all = tables(walk, table);
    let rows: Vec<Vec<f64>> = all.iter().map(|from| kernel.row(from, &all)).collect();
    let mut seen = vec![false; all.len()];
    let mut waiting: Vec<usize> = all.iter().position(|known| known == table).into_iter().collect();
    waiting.iter().for_each(|place| seen[*place] = true);
    while let Some(from) = waiting.pop() {
        for (to, seen) in seen.iter_mut().enumerate() {
            if rows[from][to] > 0.0 && !*seen {
                *seen = true;
                waiting.push(to);
            }
        }
    }
    (seen.iter().filter(|seen| **seen).count(), all.len())
}

#[test]
fn a_missing_vector_and_a_doubled_one_leave_tables_unreached() {
    let table = [2, 0, 1, 0, 1, 1, 1, 2, 0];
    let walk = walk(3, 3, &table, geometric());
    let basis = walk.lattice.basis().to_vec();
    let (whole, all) = reached(&walk, &table, &basis);
    assert!(whole == all && all > 10, "{whole} of {all}");
    let (missing, _) = reached(&walk, &table, &basis[1..]);
    assert!(missing < all);
    let mut doubled = basis;
    doubled[0].iter_mut().for_each(|(_, times)| *times *= 2);
    let (index_two, _) = reached(&walk, &table, &doubled);
    assert!(index_two < all);
}

/// Three cells with one total and no bounds: a free line.
fn free(law: NoiseLaw) -> Walk {
    let row = FibreRow { demand: Demand::Equal(0), entries: (0..3).map(|cell| (cell, 1)).collect() };
    let fibre = Fibre { cells: vec![0, 1, 2], bounds: vec![(None, None); 3], rows: vec![row], noise_on_cells: true };
    let lattice = Lattice::of_fibre(&fibre).unwrap();
    Walk::new(Steps::Lattice, fibre, lattice, &law, &[]).unwrap()
}

/// The probability of every noise table of three cells, from energies.
fn law_of(energy: impl Fn(i64) -> f64) -> impl Fn(&Vec<i64>) -> Enclosure {
    let weight = move |values: &[i64]| (-values.iter().map(|value| energy(value * value)).sum::<f64>()).exp();
    let far = -60..=60i64;
    let all = far.clone().flat_map(|one| far.clone().map(move |two| [one, two, -one - two]));
    let sum: f64 = all.map(|values| weight(&values)).sum();
    move |values| near(weight(values) / sum)
}

#[test]
fn free_lines_are_redrawn_by_their_law_from_weights_that_are_kept() {
    let walk = free(NoiseLaw::double_geometric(Rational::integer(1)));
    let ready = walk.ready();
    let kernel = kernel(&walk, &ready, &[0; 3]);
    let line = &ready.lines[0];
    assert!(line.free && ready.lines.len() == 1);
    let state = kernel.start(vec![4, -1, -3]);
    let present = Present::new(&ready.space, &kernel.target, line, &state);
    let weights = kept(&present);
    let other = kernel.start(vec![0, 7, -7]);
    let elsewhere = Present::new(&ready.space, &kernel.target, line, &other);
    let drawn = |units: Vec<i64>| units.iter().zip([4, -1, -3]).map(|(units, from)| units + from).collect();
    let claimed = law_of(|square| (square as f64).sqrt());
    let law = tape_law(18, |tape| -> Vec<i64> { drawn(redraw(&present, &Tree::plain(3), Some(&weights), tape)) });
    law.agrees_with(&claimed).unwrap();
    let narrower = law_of(|square| 1.05 * (square as f64).sqrt());
    assert!(law.agrees_with(&narrower).is_err());
    let both = tape_law(14, |tape| {
        let (one, two) = redraw_both(&present, &elsewhere, Some(&weights), tape);
        (one[0] + 4, two[0])
    });
    assert!(both.finished.keys().all(|(one, two)| one == two));
    // The same bits give the same table, whether weights are kept or made again.
    let mut made = Seeded::new(5).stream(0).unwrap();
    let mut found = Seeded::new(5).stream(0).unwrap();
    for _ in 0..500 {
        let again = redraw(&present, &Tree::plain(3), None, &mut made);
        assert_eq!(redraw(&present, &Tree::plain(3), Some(&weights), &mut found), again);
    }
}

#[test]
fn stand_ins_for_a_norm_redraw_by_their_law_and_are_corrected() {
    let walk = free(NoiseLaw::lattice_laplace(Rational::integer(2)));
    let ready = walk.ready();
    let kernel = kernel(&walk, &ready, &[0; 3]);
    let from = vec![1, 0, -1];
    let state = kernel.start(from.clone());
    assert!(kernel.stand_ins.len() > 3);
    for stand_in in kernel.stand_ins.iter().step_by(3) {
        let present = Present::new(&ready.space, &stand_in.target, &ready.lines[0], &state);
        let weights = kept(&present);
        let rate = stand_in.target.rates[0].to_f64();
        let claimed = law_of(|square| rate * square as f64);
        let law = tape_law(16, |tape| -> Vec<i64> {
            let units = redraw(&present, &Tree::plain(3), Some(&weights), tape);
            units.iter().zip(&from).map(|(units, from)| units + from).collect()
        });
        law.agrees_with(claimed).unwrap();
        for after in [0i128, 6, 14, 24] {
            let change = stand_in.change(&kernel.target, state.squares, after);
            let law = tape_law(30, |tape| kernel.target.accepts(&change, &mut Shared::new(), tape));
            let root = |square: i128| (square as f64).sqrt();
            let norm = 2.0 * (root(2) - root(after));
            let chance = |exponent: f64| exponent.exp().min(1.0);
            let claimed = |exponent: f64| {
                let chance = chance(exponent);
                move |accepted: &bool| near(if *accepted { chance } else { 1.0 - chance })
            };
            let corrected = norm - rate * (2 - after) as f64;
            law.agrees_with(claimed(corrected)).unwrap();
            // A redraw that forgot what stood in for the norm would be found.
            let forgotten = (chance(norm) - chance(corrected)).abs() > 1e-6;
            assert!(!forgotten || law.agrees_with(claimed(norm)).is_err());
        }
    }
}

#[test]
fn free_lines_of_a_norm_lead_to_its_law() {
    let walk = free(NoiseLaw::lattice_laplace(Rational::integer(1)));
    let ready = walk.ready();
    let kernel = kernel(&walk, &ready, &[0; 3]);
    let energy = |values: &[i64]| (values.iter().map(|value| (value * value) as f64).sum::<f64>()).sqrt();
    let tables: Vec<[i64; 3]> = (-40..=40).flat_map(|one| (-40..=40).map(move |two| [one, two, -one - two])).collect();
    let sum: f64 = tables.iter().map(|table| (-energy(table)).exp()).sum();
    let law: Vec<f64> = tables.iter().map(|table| (-energy(table)).exp() / sum).collect();
    let mut bits = Seeded::new(61).stream(0).unwrap();
    let mut counts = vec![0u64; tables.len()];
    for _ in 0..4000 {
        let mut state = kernel.start(vec![0; 3]);
        (0..40).for_each(|_| {
            kernel.step(&mut state, &mut bits);
        });
        let place = tables.iter().position(|table| *table == state.values[..]).unwrap();
        counts[place] += 1;
    }
    let fit = goodness_of_fit(&counts, &law, 4000);
    assert!(fit.p_value > testkit::level(1), "{fit:?}");
}
