//! What is no number, leaves nothing or contradicts itself is refused in words.

use analyse::{Demand, Fibre, FibreRow};
use declare::{Kind, Problem};
use project::{Norm, Projector, TopDown, round};

fn row(places: &[u32], demand: Demand) -> FibreRow {
    FibreRow { entries: places.iter().map(|place| (*place, 1)).collect(), demand }
}

fn fibre(cells: u32, rows: Vec<FibreRow>) -> Fibre {
    Fibre { cells: (0..cells).collect(), bounds: vec![(Some(0), None); cells as usize], rows, noise_on_cells: true }
}

/// Every way to project, onto integers.
fn all(fibre: &Fibre, measured: &[i64]) -> Vec<Result<Vec<i64>, Problem>> {
    let mut results: Vec<Result<Vec<i64>, Problem>> =
        Norm::ALL.into_iter().map(|norm| Projector::new(fibre, &[], norm)?.integer(measured)).collect();
    results.push(TopDown::new(fibre, &[], &[vec![0; fibre.cells.len()]]).and_then(|topdown| topdown.integer(measured)));
    results.push(TopDown::new(fibre, &[], &[]).and_then(|topdown| topdown.integer(measured)));
    results
}

#[test]
fn numbers_that_are_none_are_refused() {
    let fibre = fibre(2, vec![row(&[0, 1], Demand::Equal(3))]);
    for norm in Norm::ALL {
        let projector = Projector::new(&fibre, &[], norm).unwrap();
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            let problem = projector.real(&[1.0, wrong]).unwrap_err();
            assert_eq!(problem.kind, Kind::Bad);
            assert_eq!(problem.message, "the noisy measurement number 2 is not a number between -2^52 and 2^52");
        }
        assert_eq!(projector.integer(&[1, i64::MAX]).unwrap_err().kind, Kind::Bad);
        assert_eq!(projector.integer(&[1]).unwrap_err().message, "2 numbers are measured with noise, but 1 were given");
    }
    assert_eq!(round(&fibre, &[f64::NAN, 1.0]).unwrap_err().kind, Kind::Bad);
    assert_eq!(round(&fibre, &[1.0]).unwrap_err().kind, Kind::Bad);
}

#[test]
fn weights_must_be_positive_numbers() {
    let noisy = fibre(1, vec![row(&[0], Demand::Noisy { query: 1, group: 0, fixed: 0 })]);
    for weights in [&[][..], &[1.0], &[1.0, 0.0], &[1.0, -1.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY]] {
        for norm in Norm::ALL {
            assert_eq!(Projector::new(&noisy, weights, norm).unwrap_err().kind, Kind::Bad);
        }
        assert_eq!(TopDown::new(&noisy, weights, &[]).unwrap_err().kind, Kind::Bad);
    }
}

#[test]
fn huge_public_values_are_refused() {
    let huge = fibre(2, vec![row(&[0, 1], Demand::Equal(1 << 53))]);
    for result in all(&huge, &[1, 2]) {
        assert_eq!(result.unwrap_err().kind, Kind::Refused);
    }
    assert_eq!(round(&huge, &[1.0, 2.0]).unwrap_err().kind, Kind::Refused);
}

#[test]
fn large_numbers_are_still_exact() {
    let large = 1i64 << 50;
    for result in all(&fibre(2, vec![row(&[0, 1], Demand::Equal(large + 1))]), &[large, 0]) {
        let table = result.unwrap();
        assert_eq!(table[0] + table[1], large + 1);
    }
}

#[test]
fn contradictions_are_told_in_words() {
    let negative = fibre(2, vec![row(&[0, 1], Demand::Equal(-1))]);
    let problem = Projector::new(&negative, &[], Norm::Nonnegative).unwrap().named(vec!["the total".into()]);
    let problem = problem.integer(&[1, 2]).unwrap_err();
    assert_eq!(problem.kind, Kind::Infeasible);
    assert_words(&problem.message, "no table keeps all totals, bounds and rules together: ", "the total");
    for (number, result) in all(&negative, &[1, 2]).into_iter().enumerate() {
        // Least squares under equalities alone ignore bounds.
        assert_eq!(result.is_ok(), number == 0);
        assert!(result.is_ok_and(|table| table == [-1, 0] || table == [0, -1]) || number > 0);
    }
    let contradicting =
        fibre(3, vec![row(&[0, 1, 2], Demand::Equal(5)), row(&[0, 1], Demand::Equal(2)), row(&[2], Demand::Equal(4))]);
    for result in all(&contradicting, &[1, 2, 3]) {
        assert_eq!(result.unwrap_err().kind, Kind::Infeasible);
    }
    assert_eq!(round(&contradicting, &[1.0, 1.0, 3.0]).unwrap_err().kind, Kind::Infeasible);
    let twice = fibre(2, vec![row(&[0, 1], Demand::Equal(5)), row(&[0, 1], Demand::Equal(6))]);
    for result in all(&twice, &[1, 2]) {
        assert_eq!(result.unwrap_err().kind, Kind::Infeasible);
    }
}

fn assert_words(message: &str, start: &str, part: &str) {
    assert!(message.starts_with(start) && message.contains(part), "{message}");
}

#[test]
fn fractions_have_no_integers() {
    // A triangle: each pair of three cells sums to one.
    let pairs = [[0, 1], [1, 2], [0, 2]];
    let triangle = fibre(3, pairs.iter().map(|pair| row(pair, Demand::Equal(1))).collect());
    let real = Projector::new(&triangle, &[], Norm::Nonnegative).unwrap().real(&[1.0, 0.0, 0.0]).unwrap();
    assert!(real.iter().all(|value| (value - 0.5).abs() < 1e-9));
    for result in all(&triangle, &[1, 0, 0]) {
        assert_eq!(result.unwrap_err().kind, Kind::Infeasible);
    }
    assert_eq!(round(&triangle, &real).unwrap_err().kind, Kind::Infeasible);
}

#[test]
fn bounds_that_cross_leave_nothing() {
    let mut crossed = fibre(2, vec![row(&[0, 1], Demand::Equal(3))]);
    crossed.bounds[1] = (Some(2), Some(1));
    for result in all(&crossed, &[1, 2]).into_iter().skip(1) {
        assert_eq!(result.unwrap_err().kind, Kind::Infeasible);
    }
}

#[test]
fn degenerate_fibres_have_their_answer() {
    for result in all(&fibre(0, Vec::new()), &[]) {
        assert_eq!(result.unwrap(), Vec::<i64>::new());
    }
    for result in all(&fibre(0, vec![row(&[], Demand::Equal(1))]), &[]) {
        assert_eq!(result.unwrap_err().kind, Kind::Infeasible);
    }
    for result in all(&fibre(1, vec![row(&[0], Demand::Equal(4))]), &[9]) {
        assert_eq!(result.unwrap(), [4]);
    }
    let total = || row(&[0, 1, 2], Demand::Equal(6));
    for result in all(&fibre(3, vec![total(), total(), total()]), &[2, 2, 5]) {
        assert_eq!(result.unwrap(), [1, 1, 4]);
    }
    let zeros =
        vec![row(&[0, 1, 2, 3], Demand::Equal(0)), row(&[0, 2], Demand::Equal(0)), row(&[1, 2], Demand::AtMost(0))];
    for result in all(&fibre(4, zeros), &[5, -2, 3, 8]).into_iter().skip(1) {
        assert_eq!(result.unwrap(), [0, 0, 0, 0]);
    }
    let free = fibre(3, Vec::new());
    for norm in [Norm::Nonnegative, Norm::L1] {
        assert_eq!(Projector::new(&free, &[], norm).unwrap().integer(&[5, -2, 0]).unwrap(), [5, 0, 0]);
    }
    assert_eq!(Projector::new(&free, &[], Norm::L2).unwrap().integer(&[5, -2, 0]).unwrap(), [5, -2, 0]);
}
