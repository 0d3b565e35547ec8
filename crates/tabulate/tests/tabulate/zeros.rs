//! Structural zeros: a row breaks one exactly when its cell is not live, whatever the dimensions
//! are made of.

use crate::declared::{and, integer, shown, text, with_dimensions, zones};
use declare::{Comparison, Declaration, Expression, Literal, Values};
use proptest::prelude::*;
use std::cmp::Ordering;

/// Places by age in bins by size in integers.
fn declaration(zero: Vec<Expression>) -> Declaration {
    let age = Values::Bins { edges: vec![0, 5, 18], open: true };
    let size = Values::Integers { first: -1, last: 2 };
    let mut declaration =
        with_dimensions(vec![("place", "zone", zones()), ("age", "age", age), ("size", "size", size)]);
    declaration.constraints.zero = zero;
    declaration
}

/// A row by what its fields mean, so that rules can be judged without codes.
#[derive(Debug, Clone)]
struct Row {
    key: &'static str,
    borough: &'static str,
    zone: &'static str,
    tenths_of_age: i64,
    size: i64,
}

impl Row {
    fn line(&self) -> String {
        let (whole, tenths) = (self.tenths_of_age / 10, self.tenths_of_age % 10);
        format!("{whole}.{tenths},{},{}", self.size, self.key)
    }

    fn codes(&self) -> [usize; 3] {
        let place = ["10", "20", "30"].iter().position(|key| *key == self.key);
        let age = match self.tenths_of_age {
            ..50 => 0,
            50..180 => 1,
            _ => 2,
        };
        [place.expect("a key"), age, (self.size + 1) as usize]
    }

    fn satisfies(&self, rule: &Expression) -> bool {
        match rule {
            Expression::Compare { name, op, value } => {
                let ordering = self.compare(name, value);
                match op {
                    Comparison::Equal => ordering.is_eq(),
                    Comparison::NotEqual => ordering.is_ne(),
                    Comparison::Less => ordering.is_lt(),
                    Comparison::LessOrEqual => ordering.is_le(),
                    Comparison::Greater => ordering.is_gt(),
                    Comparison::GreaterOrEqual => ordering.is_ge(),
                }
            }
            Expression::In { name, values } => values.iter().any(|value| self.compare(name, value).is_eq()),
            Expression::And(left, right) => self.satisfies(left) & self.satisfies(right),
            Expression::Or(left, right) => self.satisfies(left) | self.satisfies(right),
            Expression::Not(inner) => !self.satisfies(inner),
        }
    }

    fn compare(&self, name: &str, value: &Literal) -> Ordering {
        let bin = ["[0,5)", "[5,18)", "18+"][self.codes()[1]];
        match (name, value) {
            ("place", Literal::Text(key)) => self.key.cmp(key),
            ("Borough", Literal::Text(label)) => self.borough.cmp(label),
            ("Zone", Literal::Text(label)) => self.zone.cmp(label),
            ("age", Literal::Text(label)) => bin.cmp(label),
            ("age", Literal::Integer(edge)) => self.tenths_of_age.cmp(&(10 * edge)),
            ("size", Literal::Integer(size)) => self.size.cmp(size),
            _ => panic!("no rule compares {name} with {value}"),
        }
    }
}

fn row() -> impl Strategy<Value = Row> {
    let places = vec![("10", "Bronx", "Allerton"), ("20", "Queens", "Astoria"), ("30", "Queens", "Baisley")];
    (prop::sample::select(places), 0i64..300, -1i64..=2).prop_map(|((key, borough, zone), tenths_of_age, size)| Row {
        key,
        borough,
        zone,
        tenths_of_age,
        size,
    })
}

fn rule() -> impl Strategy<Value = Expression> {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let equality = || prop::sample::select(vec![Equal, NotEqual]);
    let any = vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual];
    let labels = vec![
        ("place", "10"),
        ("place", "30"),
        ("Borough", "Bronx"),
        ("Borough", "Queens"),
        ("Zone", "Astoria"),
        ("Zone", "Baisley"),
        ("age", "[0,5)"),
        ("age", "18+"),
    ];
    let edge = (prop::sample::select(vec![Less, GreaterOrEqual]), prop::sample::select(vec![0, 5, 18]));
    let sizes = prop::collection::vec((-1i64..=2).prop_map(Literal::Integer), 1..3);
    let comparison = prop_oneof![
        (equality(), prop::sample::select(labels)).prop_map(|(op, (name, label))| text(name, op, label)),
        edge.prop_map(|(op, edge)| integer("age", op, edge)),
        (prop::sample::select(any), -1i64..=2).prop_map(|(op, size)| integer("size", op, size)),
        sizes.prop_map(|values| Expression::In { name: "size".into(), values }),
    ];
    comparison.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| and(left, right)),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| Expression::Or(Box::new(left), Box::new(right))),
            inner.prop_map(|inner| Expression::Not(Box::new(inner))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_row_breaks_a_structural_zero_exactly_when_its_cell_is_not_live(
        rules in prop::collection::vec(rule(), 1..4),
        rows in prop::collection::vec(row(), 1..8),
    ) {
        let declaration = declaration(rules.clone());
        // Rules that leave no live cell are refused before any file is read.
        let Ok(domain) = declaration.domain() else { return Ok(()) };
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("data.csv");
        let mut first_of_all = None;
        for row in &rows {
            let first = rules.iter().position(|rule| row.satisfies(rule));
            prop_assert_eq!(domain.cell(&row.codes()).is_none(), first.is_some());
            first_of_all = first_of_all.into_iter().chain(first).min();
            std::fs::write(&path, format!("age,size,zone\n{}\n", row.line())).expect("a file");
            match (tabulate::tabulate(&declaration, &domain, directory.path(), &mut |_| {}), first) {
                (Ok(tabulated), None) => {
                    let cell = domain.cell(&row.codes()).expect("a live cell");
                    prop_assert_eq!(tabulated.table.counts()[cell], 1);
                }
                (Err(problem), Some(rule)) => prop_assert_eq!(
                    problem.message,
                    format!("the data break the structural zero `{}`", rules[rule])
                ),
                (Ok(_), Some(rule)) => prop_assert!(false, "`{}` is not enforced", rules[rule]),
                (Err(problem), None) => prop_assert!(false, "{}", shown(&problem)),
            }
        }
        let lines: Vec<String> = rows.iter().map(Row::line).collect();
        std::fs::write(&path, format!("age,size,zone\n{}\n", lines.join("\n"))).expect("a file");
        let together = tabulate::tabulate(&declaration, &domain, directory.path(), &mut |_| {});
        let expected = first_of_all
            .map(|rule: usize| format!("the data break the structural zero `{}`", rules[rule]));
        prop_assert_eq!(together.err().map(|problem| problem.message), expected);
    }
}
