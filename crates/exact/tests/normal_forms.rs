//! Smith, Hermite and LLL against an independent library's answers, and against their own
//! definitions.

use exact::{Integer, Matrix, Rational, hermite, lll, nearest_plane, smith};
use num_bigint::BigInt;
use proptest::prelude::*;

/// One matrix of `golden/matrices.txt`, which `golden/make.py` made with python-flint.
struct Golden {
    name: String,
    matrix: Matrix,
    smith: Vec<Integer>,
    hermite: Matrix,
    reduced: Matrix,
}

fn golden() -> Vec<Golden> {
    let parse = |part: &str| {
        let of = |kind: &str| -> Vec<Vec<Integer>> {
            let lines = part.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
            lines.map(|line| line.split(' ').map(|entry| entry.parse().expect("an integer")).collect()).collect()
        };
        let matrix = |kind: &str| {
            let (rows, columns) = (of(kind), of("row")[0].len());
            Matrix::from_fn(rows.len(), columns, |row, column| rows[row][column].clone())
        };
        Golden {
            name: part.lines().next().expect("a name").to_owned(),
            matrix: matrix("row"),
            smith: of("smith").remove(0),
            hermite: matrix("hermite"),
            reduced: matrix("reduced"),
        }
    };
    include_str!("golden/matrices.txt").split("matrix ").skip(1).map(parse).collect()
}

/// The determinant by fraction-free elimination in another library's integers.
fn determinant(matrix: &Matrix) -> BigInt {
    assert_eq!(matrix.rows(), matrix.columns());
    let entry = |entry: &Integer| entry.to_string().parse::<BigInt>().expect("an integer");
    let mut rows: Vec<Vec<BigInt>> =
        (0..matrix.rows()).map(|row| matrix.row(row).iter().map(entry).collect()).collect();
    let (mut sign, mut last) = (1, BigInt::from(1));
    for pivot in 0..rows.len() {
        let Some(found) = (pivot..rows.len()).find(|row| rows[*row][pivot] != BigInt::ZERO) else {
            return BigInt::ZERO;
        };
        if found != pivot {
            rows.swap(found, pivot);
            sign = -sign;
        }
        for row in pivot + 1..rows.len() {
            for column in pivot + 1..rows.len() {
                let cross = &rows[row][column] * &rows[pivot][pivot] - &rows[row][pivot] * &rows[pivot][column];
                rows[row][column] = cross / &last;
            }
        }
        last = rows[pivot][pivot].clone();
    }
    last * sign
}

fn is_unimodular(matrix: &Matrix) -> bool {
    let determinant = determinant(matrix);
    determinant == BigInt::from(1) || determinant == BigInt::from(-1)
}

/// Whether the rows are size-reduced and keep Lovász's condition with δ = 99/100, by Gram–Schmidt
/// in fractions.
fn is_reduced(rows: &Matrix) -> bool {
    let zero = Rational::integer(0);
    let inner = |one: &[Rational], other: &[Rational]| {
        one.iter().zip(other).fold(zero.clone(), |sum, (one, other)| &sum + &(one * other))
    };
    let half = Rational::new(1, 2u8);
    let delta = Rational::new(99, 100u8);
    let mut orthogonal: Vec<(Vec<Rational>, Rational)> = Vec::new();
    for row in 0..rows.rows() {
        let vector: Vec<Rational> = rows.row(row).iter().map(|entry| Rational::integer(entry.clone())).collect();
        let mut rest = vector.clone();
        let mut last = zero.clone();
        for (direction, length) in &orthogonal {
            let mu = &inner(&vector, direction) / length;
            if mu.abs() > half {
                return false;
            }
            rest.iter_mut().zip(direction).for_each(|(entry, part)| *entry = &*entry - &(&mu * part));
            last = mu;
        }
        let length = inner(&rest, &rest);
        if !length.is_positive() {
            return false;
        }
        if let Some((_, above)) = orthogonal.last()
            && length < &(&delta - &(&last * &last)) * above
        {
            return false;
        }
        orthogonal.push((rest, length));
    }
    true
}

fn squared(row: &[Integer]) -> Integer {
    row.iter().map(|entry| entry * entry).sum()
}

/// The non-zero rows of the Hermite form, which tell lattices apart.
fn lattice(rows: &Matrix) -> Matrix {
    let form = hermite(rows);
    form.h.first_rows(form.rank)
}

/// What makes a Smith form one, checked without its algorithm.
fn assert_smith(matrix: &Matrix) -> Vec<Integer> {
    let form = smith(matrix);
    assert!(is_unimodular(&form.u) && is_unimodular(&form.v));
    assert_eq!(form.u.product(matrix).product(&form.v), form.d);
    let diagonal: Vec<Integer> =
        (0..matrix.rows().min(matrix.columns())).map(|place| form.d[(place, place)].clone()).collect();
    for row in 0..matrix.rows() {
        assert!((0..matrix.columns()).all(|column| row == column || form.d[(row, column)].is_zero()));
    }
    assert!(diagonal.iter().all(|entry| *entry >= Integer::ZERO));
    assert!(diagonal.windows(2).all(|pair| match pair[0].is_zero() {
        true => pair[1].is_zero(),
        false => (&pair[1] % &pair[0]).is_zero(),
    }));
    assert_eq!(form.rank, diagonal.iter().filter(|entry| !entry.is_zero()).count());
    diagonal
}

fn assert_hermite(matrix: &Matrix) -> Matrix {
    let form = hermite(matrix);
    assert!(is_unimodular(&form.u));
    assert_eq!(form.u.product(matrix), form.h);
    let mut last = None;
    for row in 0..form.h.rows() {
        let pivot = form.h.row(row).iter().position(|entry| !entry.is_zero());
        assert_eq!(pivot.is_some(), row < form.rank);
        let Some(pivot) = pivot else { continue };
        assert!(last.is_none_or(|last| last < pivot) && form.h[(row, pivot)] > Integer::ZERO);
        assert!(
            (0..row).all(|above| {
                form.h[(above, pivot)] >= Integer::ZERO && form.h[(above, pivot)] < form.h[(row, pivot)]
            })
        );
        last = Some(pivot);
    }
    form.h
}

#[test]
fn the_golden_matrices_are_of_many_kinds() {
    let golden = golden();
    assert!(golden.len() >= 60, "{} matrices", golden.len());
    let rank = |golden: &Golden| golden.smith.iter().filter(|entry| !entry.is_zero()).count();
    let deficient = |golden: &&Golden| rank(golden) < golden.matrix.rows().min(golden.matrix.columns());
    assert!(golden.iter().filter(deficient).count() > 10);
    let index = |golden: &&Golden| golden.smith.iter().any(|entry| *entry > Integer::ONE);
    assert!(golden.iter().filter(index).count() > 20);
}

#[test]
fn smith_forms_are_flints() {
    for golden in golden() {
        assert_eq!(assert_smith(&golden.matrix), golden.smith, "{}", golden.name);
    }
}

#[test]
fn hermite_forms_are_flints() {
    for golden in golden() {
        assert_eq!(assert_hermite(&golden.matrix), golden.hermite, "{}", golden.name);
    }
}

#[test]
fn reduced_bases_generate_flints_lattices_and_are_as_short() {
    for golden in golden() {
        let ours = lll(&golden.matrix);
        assert_eq!(ours.rows(), golden.reduced.rows(), "{}", golden.name);
        assert_eq!(lattice(&ours), lattice(&golden.reduced), "{}", golden.name);
        assert_eq!(lattice(&ours), lattice(&golden.matrix), "{}", golden.name);
        assert!(is_reduced(&ours), "{}", golden.name);
        // |b_1|² ≤ (δ − 1/4)^{1−n} λ_1², and λ_1 is at most the length of any of flint's vectors.
        let Some(shortest) = (0..ours.rows()).map(|row| squared(golden.reduced.row(row))).min() else { continue };
        let n = ours.rows() as u32;
        let bound = &Rational::new(100, 74u8).pow(n - 1) * &Rational::integer(shortest.clone());
        assert!(Rational::integer(squared(ours.row(0))) <= bound, "{}", golden.name);
        if n <= 3 {
            assert_eq!(squared(ours.row(0)), shortest, "{}", golden.name);
        }
    }
}

#[test]
fn the_reduction_check_can_fail() {
    assert!(is_reduced(&Matrix::from_rows(&[[1, 0], [0, 1]])));
    assert!(!is_reduced(&Matrix::from_rows(&[[1, 0], [1, 1]])), "not size-reduced");
    assert!(!is_reduced(&Matrix::from_rows(&[[3, 0], [0, 1]])), "the shorter vector comes second");
    assert!(!is_reduced(&Matrix::from_rows(&[[1, 1], [2, 2]])), "dependent");
}

#[test]
fn empty_matrices_have_forms() {
    for (rows, columns) in [(0, 0), (0, 3), (3, 0)] {
        let matrix = Matrix::zero(rows, columns);
        assert_eq!(smith(&matrix).rank, 0);
        assert_eq!(hermite(&matrix).h, matrix);
        assert_eq!(lll(&matrix).rows(), 0);
    }
}

#[test]
fn systems_are_solved_or_the_obstacle_is_named() {
    let cycle = smith(&Matrix::from_rows(&[[1, 1, 0], [0, 1, 1], [1, 0, 1]]));
    let integers = |values: [i64; 3]| values.map(Integer::from);
    assert_eq!(cycle.solve(&integers([3, 5, 4])), Ok(integers([1, 2, 3]).to_vec()));
    assert_eq!(cycle.solve(&integers([1, 1, 1])), Err(2), "an odd sum");
    let twice = smith(&Matrix::from_rows(&[[1, 1], [1, 1]]));
    let pair = |values: [i64; 2]| values.map(Integer::from);
    assert_eq!(twice.solve(&pair([1, 2])), Err(1), "a contradiction");
}

#[test]
fn a_hundred_dimensions_are_reduced() {
    // Neighbouring differences, hidden behind many steps.
    let size = 100;
    let mut rows: Vec<Vec<i64>> = (0..size)
        .map(|row| (0..=size).map(|column| i64::from(column == row) - i64::from(column == row + 1)).collect())
        .collect();
    let mut state = 1u64;
    for _ in 0..400 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (one, other) = ((state >> 33) as usize % size, (state >> 45) as usize % size);
        if one != other {
            let taken = rows[other].clone();
            rows[one].iter_mut().zip(taken).for_each(|(entry, taken)| *entry += taken);
        }
    }
    let reduced = lll(&Matrix::from_rows(&rows));
    assert_eq!(reduced.rows(), size);
    assert!((0..size).all(|row| squared(reduced.row(row)) <= Integer::from(4)));
}

fn matrices() -> impl Strategy<Value = Matrix> {
    (1usize..7, 1usize..7, 1i64..60).prop_flat_map(|(rows, columns, largest)| {
        let entry = prop_oneof![2 => Just(0i64), 3 => -largest..=largest];
        prop::collection::vec(prop::collection::vec(entry, columns), rows).prop_map(|rows| Matrix::from_rows(&rows))
    })
}

proptest! {
    #[test]
    fn forms_keep_their_definitions(matrix in matrices()) {
        assert_smith(&matrix);
        assert_hermite(&matrix);
        let reduced = lll(&matrix);
        prop_assert!(is_reduced(&reduced));
        prop_assert_eq!(lattice(&reduced), lattice(&matrix));
    }

    #[test]
    fn the_last_columns_of_v_are_the_kernel(matrix in matrices()) {
        let form = smith(&matrix);
        let image = matrix.product(&form.v);
        prop_assert!((0..matrix.rows()).all(|row| image.row(row)[form.rank..].iter().all(Integer::is_zero)));
    }

    #[test]
    fn nearest_planes_stay_in_the_class_and_are_short((matrix, x) in matrices().prop_flat_map(|matrix| {
        let columns = matrix.columns();
        (Just(matrix), prop::collection::vec(-1_000_000i64..1_000_000, columns))
    })) {
        let basis = lll(&matrix);
        let vector = Matrix::from_rows(&[x]);
        let short = nearest_plane(&basis, &vector);
        let with = |row: Matrix| Matrix::from_fn(basis.rows() + 1, basis.columns(), |at, column| {
            if at < basis.rows() { basis[(at, column)].clone() } else { row[(0, column)].clone() }
        });
        let difference = Matrix::from_fn(1, vector.columns(), |_, at| &vector[(0, at)] - &short[(0, at)]);
        prop_assert_eq!(lattice(&with(difference)), lattice(&basis));
        // A vector in the span of the basis ends in the box of half its orthogonal parts.
        if basis.rows() == basis.columns() {
            let lengths: Integer = (0..basis.rows()).map(|row| squared(basis.row(row))).sum();
            prop_assert!(squared(short.row(0)) * 4 <= lengths);
        }
    }

    #[test]
    fn solutions_solve((matrix, x) in matrices().prop_flat_map(|matrix| {
        let columns = matrix.columns();
        (Just(matrix), prop::collection::vec(-50i64..50, columns))
    })) {
        let x = Matrix::from_rows(&[x]).transpose();
        let b: Vec<Integer> = matrix.product(&x).transpose().row(0).to_vec();
        let solution = smith(&matrix).solve(&b).expect("there is a solution");
        let image: Vec<Integer> = (0..matrix.rows())
            .map(|row| matrix.row(row).iter().zip(&solution).map(|(entry, value)| entry * value).sum())
            .collect();
        prop_assert_eq!(image, b);
    }
}
