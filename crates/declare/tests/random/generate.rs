//! Random valid declarations, from a list of numbers that shrinks well.

use declare::{
    Budget, Comparison, Constraints, Data, Declaration, Dimension, Disclosure, Duplicates, Expression, Invariant,
    Levels, Literal, Mechanism, Method, Noise, OPERATORS, Per, Policy, Schema, Strength, Values,
};

/// A source of choices; zero once the numbers are used up.
#[derive(Debug)]
pub struct Choices {
    numbers: Vec<u32>,
    at: usize,
}

impl Choices {
    pub fn new(numbers: Vec<u32>) -> Self {
        Choices { numbers, at: 0 }
    }

    fn below(&mut self, limit: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        number as usize % limit
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const NAMES: [&str; 8] = ["county", "and", "two words", "it's", "quote\"back\\slash", "`ticks`", "größe", "a.b-c"];

const LABELS: [&str; 9] = ["a", "b", "O'Brien", "say \"x\"", "back\\slash", "7", "tab\there", "new\nline", "naïve 🙂"];

fn labels(choices: &mut Choices) -> Vec<String> {
    let (first, count) = (choices.below(LABELS.len()), 1 + choices.below(3));
    (0..count).map(|n| LABELS[(first + n) % LABELS.len()].to_string()).collect()
}

fn values(choices: &mut Choices, position: usize) -> Values {
    match choices.below(4) {
        0 => Values::List(labels(choices)),
        1 => {
            let first = choices.below(20) as i64 - 10;
            Values::Integers { first, last: first + choices.below(4) as i64 }
        }
        2 => {
            let mut edges = vec![0];
            for _ in 0..1 + choices.below(3) {
                edges.push(edges[edges.len() - 1] + 1 + choices.below(5) as i64);
            }
            Values::Bins { edges, open: choices.flag() }
        }
        _ => {
            let names = vec![format!("coarse {position}"), format!("fine{position}")];
            let own_key = choices.flag();
            let key = if own_key { format!("key{position}") } else { names[1].clone() };
            let rows: Vec<Vec<String>> = (0..1 + choices.below(4))
                .map(|row| {
                    let fine = if own_key { choices.pick(&LABELS) } else { LABELS[row] };
                    let coarse = choices.pick(&["north", "south"]);
                    let mut row_labels = vec![coarse.to_string(), fine.to_string()];
                    if own_key {
                        row_labels.push(format!("k{row}"));
                    }
                    row_labels
                })
                .collect();
            Values::Hierarchy(Levels::new(names, key, &rows).unwrap())
        }
    }
}

fn schema(choices: &mut Choices) -> Schema {
    let first = choices.below(NAMES.len());
    let dimensions = (0..1 + choices.below(3))
        .map(|position| {
            let name = NAMES[(first + position) % NAMES.len()].to_string();
            let column = if choices.flag() { name.clone() } else { "other".to_string() };
            Dimension { name, column, values: values(choices, position) }
        })
        .collect();
    Schema { dimensions }
}

/// A comparison that is valid for the schema.
fn comparison(choices: &mut Choices, schema: &Schema) -> Expression {
    let name = choices.pick(&schema.names()).to_string();
    let (dimension, level) = schema.resolve(&name).unwrap();
    let values = &schema.dimensions[dimension].values;
    let any_code = choices.below(values.len());
    let op = choices.pick(&[
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ]);
    let value = |code: usize| match (values, level) {
        (Values::Hierarchy(levels), Some(level)) => Literal::Text(levels.row(code)[level].to_string()),
        (Values::Integers { first, .. }, _) => Literal::Integer(first + code as i64),
        (values, _) => Literal::Text(values.label(code)),
    };
    match values {
        Values::Integers { .. } if op.is_order() => {
            return Expression::Compare { name, op, value: value(any_code) };
        }
        Values::Bins { edges, .. } if op.is_order() => {
            let below = matches!(op, Comparison::Less | Comparison::LessOrEqual);
            let op = if below { Comparison::Less } else { Comparison::GreaterOrEqual };
            let value = Literal::Integer(choices.pick(edges));
            return Expression::Compare { name, op, value };
        }
        _ => {}
    }
    if choices.flag() {
        let other = choices.below(values.len());
        return Expression::In { name, values: vec![value(any_code), value(other)] };
    }
    let op = if op.is_order() { Comparison::Equal } else { op };
    Expression::Compare { name, op, value: value(any_code) }
}

fn expression(choices: &mut Choices, depth: usize, leaf: &dyn Fn(&mut Choices) -> Expression) -> Expression {
    let kind = if depth == 0 { 0 } else { choices.below(5) };
    let mut inner = || Box::new(expression(choices, depth - 1, leaf));
    match kind {
        2 => Expression::And(inner(), inner()),
        3 => Expression::Or(inner(), inner()),
        4 => Expression::Not(inner()),
        _ => leaf(choices),
    }
}

fn over_cells(choices: &mut Choices, schema: &Schema) -> Expression {
    expression(choices, 4, &|choices| comparison(choices, schema))
}

fn over_rows(choices: &mut Choices) -> Expression {
    expression(choices, 3, &|choices| {
        let name = choices.pick(&NAMES).to_string();
        if choices.flag() {
            let value = Literal::Integer(choices.below(100) as i64 - 50);
            Expression::Compare { name, op: Comparison::LessOrEqual, value }
        } else {
            let values = labels(choices).into_iter().map(Literal::Text).collect();
            Expression::In { name, values }
        }
    })
}

fn invariant(choices: &mut Choices, schema: &Schema) -> Invariant {
    let mut by: Vec<String> = Vec::new();
    for name in schema.names() {
        if choices.flag() {
            by.push(name.to_string());
        }
    }
    if choices.flag() {
        by.reverse();
    }
    let filter = choices.flag().then(|| over_cells(choices, schema));
    Invariant { by, filter }
}

fn mechanism(choices: &mut Choices, public: bool) -> Mechanism {
    let mut laws = vec![Noise::DoubleGeometric, Noise::DiscreteGaussian];
    if public {
        laws.extend([Noise::Laplace, Noise::Gaussian]);
    }
    let noise = choices.pick(&laws);
    let numbers = ["1/4", "3", "0.1", "1e-9", "1048576", "22/7"];
    let value = choices.pick(&numbers).parse().unwrap();
    Mechanism {
        noise,
        method: choices.pick(&[Method::Condition, Method::Unconstrained]),
        strength: if noise.takes_rho() { Strength::Rho(value) } else { Strength::Epsilon(value) },
        per: choices.pick(&Per::ALL),
        sampler: choices.flag().then(|| choices.pick(&OPERATORS).to_string()),
    }
}

/// A random declaration that this version supports.
pub fn declaration(choices: &mut Choices) -> Declaration {
    let schema = schema(choices);
    let public = choices.flag();
    let budget = Budget { dataset: "d \"1\"".into(), ledger: "sqlite:ledger.db".into() };
    let data = Data {
        path: choices.pick(&["table.csv", "in a folder/table.TSV"]).to_string(),
        count: choices.flag().then(|| "how many".to_string()),
        public,
        filter: choices.flag().then(|| over_rows(choices)),
        outside: choices.pick(&Policy::ALL),
        missing: choices.pick(&Policy::ALL),
        duplicates: choices.pick(&Duplicates::ALL),
    };
    let invariants = (0..choices.below(4)).map(|_| invariant(choices, &schema)).collect();
    let zero = (0..choices.below(3)).map(|_| over_cells(choices, &schema)).collect();
    Declaration {
        title: choices.pick(&["", "A title", "with \"quotes\"\nand lines"]).to_string(),
        data,
        invariants,
        constraints: Constraints { nonnegative: false, zero, rules: Vec::new() },
        mechanism: mechanism(choices, public),
        disclosure: Disclosure { sensitive: Vec::new(), within: 0 },
        budget: (!public || choices.flag()).then_some(budget),
        schema,
    }
}
