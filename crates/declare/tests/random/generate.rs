//! Random valid declarations, from a list of numbers that shrinks well.

use crate::brute;
use declare::{
    Budget, Cleaning, Comparison, Constraints, Data, DateFormat, Day, Declaration, DeclaredWorld, Dimension,
    Disclosure, Duplicates, Encoding, Expression, Family, Figure, Holds, Invariant, Levels, Limits, Literal,
    MatrixEntry, MatrixRow, Mechanism, Method, Negative, Noise, Order, Output, Part, Per, Period, PinnedValue, Policy,
    Query, Record, Relation, Rule, Schema, Secrets, Side, Strength, Sums, Term, Values,
};
use exact::Rational;

/// The default, or limits in any of the units, some of which need decimals.
fn limits(choices: &mut Choices) -> Limits {
    if choices.flag() {
        return Limits::default();
    }
    let bytes = choices.pick(&[1, 999_999, 1_500_000, 2_000_000, 16_000_000_000, 1_000_000_000_000, 3_000_000_001]);
    let seconds = choices.pick(&[1, 59, 60, 90, 3600, 5400, 86_400, 172_800, 86_400_000]);
    Limits { bytes, seconds }
}

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
    match choices.below(5) {
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
        3 => Values::Hierarchy(nested(choices, position)),
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

/// Levels that are the first characters of the key, or nearly.
fn nested(choices: &mut Choices, position: usize) -> Levels {
    let names = ["first", "half", "name"].map(|name| format!("{name}{position}")).to_vec();
    let own_key = choices.flag();
    let key = if own_key { format!("code{position}") } else { names[2].clone() };
    let rows: Vec<Vec<String>> = (0..1 + choices.below(5))
        .map(|row| {
            let code = format!("{}{}{row}", choices.pick(&["ä", "b"]), choices.pick(&["x", "🙂"]));
            let letters = |count: usize| code.chars().take(count).collect::<String>();
            let half = if choices.below(4) == 0 { "other".to_string() } else { letters(2) };
            let name = if own_key { choices.pick(&LABELS).to_string() } else { code.clone() };
            let mut labels = vec![letters(1), half, name];
            labels.extend(own_key.then(|| code.clone()));
            labels
        })
        .collect();
    Levels::new(names, key, &rows).unwrap()
}

/// The values, perhaps made of something else, and how fields become them.
fn cleaned(choices: &mut Choices, values: Values) -> (Values, Cleaning) {
    let mut cleaning = Cleaning::default();
    if choices.below(2) == 0 {
        return (values, cleaning);
    }
    let labels: Vec<String> = (0..values.len()).map(|code| values.label(code)).collect();
    let with_unknown = || Values::List(labels.iter().cloned().chain(["not \"known\"".to_string()]).collect());
    let values = match (choices.below(4), values) {
        (0, values) => values,
        (1, _) => {
            let period = choices.pick(&Period::ALL);
            let first = period.read(&period.label(period.of(Day(19_000)))).unwrap();
            let last = first + choices.below(5) as i64;
            cleaning.holds = Holds::Dates { period, first, last, formats: formats() };
            Values::List((first..=last).map(|number| period.label(number)).collect())
        }
        (_, Values::Integers { first, last }) => {
            (cleaning.holds, cleaning.unknown) =
                (Holds::Numbers(Values::Integers { first, last }), Some("not \"known\"".to_string()));
            with_unknown()
        }
        (_, Values::Bins { edges, open }) => {
            cleaning.below = edges.last().filter(|_| open && choices.flag()).map(|last| last + 7);
            (cleaning.holds, cleaning.unknown) =
                (Holds::Numbers(Values::Bins { edges, open }), Some("not \"known\"".to_string()));
            with_unknown()
        }
        (_, values) => {
            cleaning.unknown = labels.last().cloned();
            cleaning.recode = vec![("N/A = \"?\"".to_string(), labels[0].clone()), (String::new(), labels[0].clone())];
            values
        }
    };
    let folded: std::collections::HashSet<String> = labels.iter().map(|label| label.to_lowercase()).collect();
    cleaning.trim = labels.iter().all(|label| label.trim() == label) && choices.flag();
    cleaning.ignore_case = folded.len() == labels.len() && choices.flag();
    (values, cleaning)
}

/// How the random files write dates.
fn formats() -> Vec<DateFormat> {
    ["DD.MM.YYYY", "YYYY-MM-DD"].map(|format| DateFormat::new(format).unwrap()).to_vec()
}

fn schema(choices: &mut Choices) -> Schema {
    let first = choices.below(NAMES.len());
    let mut dimensions: Vec<Dimension> = (0..1 + choices.below(3))
        .map(|position| {
            let name = NAMES[(first + position) % NAMES.len()].to_string();
            let column = if choices.flag() { name.clone() } else { "other".to_string() };
            let values = values(choices, position);
            let (values, cleaning) = cleaned(choices, values);
            Dimension { name, column, values, cleaning }
        })
        .collect();
    if choices.below(3) == 1 {
        let columns = ["cases", "died \"in\" hospital", "tests"][..1 + choices.below(3)].iter();
        let record = choices.pick(&Record::ALL);
        let values = Values::Measures { columns: columns.map(|name| name.to_string()).collect(), record };
        let at = choices.below(dimensions.len() + 1);
        let cleaning = Default::default();
        dimensions.insert(at, Dimension { name: "measure".into(), column: "measure".into(), values, cleaning });
    }
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

fn by(choices: &mut Choices, schema: &Schema) -> Vec<String> {
    let mut by: Vec<String> = Vec::new();
    for name in schema.names() {
        if choices.flag() {
            by.push(name.to_string());
        }
    }
    if choices.flag() {
        by.reverse();
    }
    by
}

fn filter(choices: &mut Choices, schema: &Schema) -> Option<Expression> {
    choices.flag().then(|| over_cells(choices, schema))
}

fn invariant(choices: &mut Choices, schema: &Schema) -> Invariant {
    let times = [1, -1, 2, 1_000_000_000, -3];
    match choices.below(4) {
        0 => {
            let terms = (0..1 + choices.below(3))
                .map(|_| Term { filter: filter(choices, schema), times: choices.pick(&times) })
                .collect();
            Invariant { by: by(choices, schema), sums: Sums::Terms(terms), pinned: None }
        }
        1 => {
            let rows = (0..1 + choices.below(3)).map(|number| {
                let mut entries: Vec<MatrixEntry> = Vec::new();
                for _ in 0..1 + choices.below(4) {
                    let codes: Vec<usize> = schema.sizes().iter().map(|size| choices.below(*size)).collect();
                    if entries.iter().all(|entry| entry.codes != codes) {
                        entries.push(MatrixEntry { codes, times: choices.pick(&times) });
                    }
                }
                MatrixRow { name: format!("row '{number}'"), entries }
            });
            Invariant { by: Vec::new(), sums: Sums::Matrix(rows.collect()), pinned: None }
        }
        _ => Invariant::totals(by(choices, schema), filter(choices, schema)),
    }
}

fn rule(choices: &mut Choices, schema: &Schema) -> Rule {
    let relation = choices.pick(&Relation::ALL);
    let right = match choices.below(3) {
        0 if relation != Relation::Equal => Side::Number(choices.pick(&["-5/2", "7/3", "0.1"]).parse().unwrap()),
        1 => Side::Number(choices.pick(&["0", "-4", "12"]).parse().unwrap()),
        _ => Side::Cells(over_cells(choices, schema)),
    };
    Rule { by: by(choices, schema), left: over_cells(choices, schema), relation, right }
}

fn queries(choices: &mut Choices, schema: &Schema) -> Vec<Query> {
    let share = choices.flag();
    let mut queries: Vec<Query> = Vec::new();
    for _ in 0..choices.below(4) {
        let number: Rational = choices.pick(&["1/3", "1/8", "0.25"]).parse().unwrap();
        let part = if share { Part::Share(number) } else { Part::Epsilon(number) };
        let query = Query { by: by(choices, schema), filter: filter(choices, schema), part };
        let mut sorted = query.by.clone();
        sorted.sort();
        let same = |other: &Query| {
            let mut by = other.by.clone();
            by.sort();
            by == sorted && other.filter == query.filter
        };
        if !queries.iter().any(same) {
            queries.push(query);
        }
    }
    queries
}

fn output(choices: &mut Choices, schema: &Schema, number: usize) -> Output {
    let figure = if choices.flag() {
        Figure::Sum(filter(choices, schema))
    } else {
        let (numerator, denominator) = (over_cells(choices, schema), over_cells(choices, schema));
        Figure::Rate { numerator, denominator, times: choices.pick(&[1, 1000, 1_000_000_000]) }
    };
    Output { name: format!("table-{number}"), by: by(choices, schema), figure }
}

fn mechanism(choices: &mut Choices, public: bool, schema: &Schema) -> Mechanism {
    let mut laws =
        vec![Noise::DOUBLE_GEOMETRIC, Noise::DOUBLE_GEOMETRIC, Noise::DISCRETE_GAUSSIAN, Noise::LATTICE_LAPLACE];
    if public {
        laws.extend([Noise::LAPLACE, Noise::GAUSSIAN]);
    }
    let noise = choices.pick(&laws);
    let method = choices.pick(&[
        Method::Condition,
        Method::Condition,
        Method::Unconstrained,
        Method::Project,
        Method::TopDown,
        Method::Suppress,
        Method::Cascade,
    ]);
    let noise = if method == Method::Cascade { Noise::DISCRETE_GAUSSIAN } else { noise };
    if method == Method::Suppress {
        let strength = Strength::Epsilon(Rational::integer(0));
        let (noise, per) = (Noise::DOUBLE_GEOMETRIC, Per::Record);
        return Mechanism {
            noise,
            method,
            strength,
            per,
            sampler: None,
            max_delta: None,
            queries: Vec::new(),
            order: None,
            base: None,
        };
    }
    let with_queries = noise == Noise::DOUBLE_GEOMETRIC && method != Method::Unconstrained;
    let operators: &[&str] = match method {
        Method::Project => &["project-l2", "project-nonnegative", "project-l1"],
        Method::TopDown => &["topdown"],
        Method::Cascade => &["cascade"],
        _ => &[
            "independent",
            "closed-form",
            "messages",
            "divide",
            "enumerate",
            "klein",
            "mixture",
            "thin",
            "reject",
            "atom",
            "lattice-walk",
        ],
    };
    let queries = if with_queries { queries(choices, schema) } else { Vec::new() };
    let numbers =
        if queries.is_empty() { vec!["1/4", "3", "0.1", "1e-9", "1048576", "22/7"] } else { vec!["1/4", "3"] };
    let mut value: Rational = choices.pick(&numbers).parse().unwrap();
    let own = queries.iter().filter_map(|query| match &query.part {
        Part::Epsilon(epsilon) => Some(epsilon.clone()),
        Part::Share(_) => None,
    });
    if let Some(sum) = own.reduce(|sum, epsilon| &sum + &epsilon) {
        value = sum;
    }
    Mechanism {
        noise,
        method,
        strength: if noise.takes_rho { Strength::Rho(value) } else { Strength::Epsilon(value) },
        per: choices.pick(&Per::ALL),
        sampler: choices.flag().then(|| choices.pick(operators).to_string()),
        max_delta: choices.flag().then(|| choices.pick(&["1e-6", "1/7", "0.999"]).parse().unwrap()),
        queries,
        order: (method == Method::Cascade && choices.flag())
            .then(|| Order::by_hash("last \"year\".csv", choices.pick(&["count", "über 9"]), &"0f".repeat(32))),
        base: None,
    }
}

/// Gives some totals public values, where their groups can be told apart by labels.
fn pin(choices: &mut Choices, declared: &mut Declaration) {
    let Ok(domain) = declared.domain() else { return };
    let live = brute::live(declared);
    for position in 0..declared.invariants.len() {
        let invariant = declared.invariants[position].clone();
        if !choices.flag() || !matches!(invariant.sums, Sums::Cells(_)) {
            continue;
        }
        let mut alone = declared.clone();
        alone.mechanism.method = Method::Condition;
        (alone.invariants, alone.constraints.rules, alone.mechanism.queries) =
            (vec![invariant.clone()], Vec::new(), Vec::new());
        let Ok(conditions) = alone.conditions(&domain) else { continue };
        let grouping = &conditions.invariants[0];
        let mut values: Vec<PinnedValue> = Vec::new();
        for group in 0..grouping.groups() {
            let cell = grouping.group_of.iter().position(|other| *other as usize == group).unwrap();
            let labels = brute::labels(&declared.schema, &invariant.by, &live[cell]);
            values.push(PinnedValue { labels, value: choices.below(100) as i64 - 10 });
        }
        let distinct: std::collections::BTreeSet<&Vec<String>> = values.iter().map(|value| &value.labels).collect();
        if distinct.len() == values.len() {
            declared.invariants[position].pinned = Some(values);
        }
    }
}

/// A random declaration that this version supports.
pub fn declaration(choices: &mut Choices) -> Declaration {
    let schema = schema(choices);
    let public = choices.flag();
    let chosen = choices.flag().then(|| "by \"the board\", before the data".to_string());
    let budget = Budget { dataset: "d \"1\"".into(), ledger: "sqlite:ledger.db".into(), head: None, chosen };
    let count = (choices.flag() && schema.measures().is_none()).then(|| "how many".to_string());
    let records = count.is_none() && schema.measures().is_none();
    let unit = (records && choices.flag()).then(|| choices.pick(&NAMES).to_string());
    let mut data = Data {
        frame: None,
        path: choices
            .pick(&["table.csv", "in a folder/table.TSV", "table.parquet", "20??/*.csv.gz", "a.arrows"])
            .to_string(),
        count,
        public,
        filter: choices.flag().then(|| over_rows(choices)),
        outside: choices.pick(&Policy::ALL),
        missing: choices.pick(&Policy::ALL),
        duplicates: choices.pick(&Duplicates::ALL),
        negative: choices.pick(&Negative::ALL),
        rows_per_unit: if unit.is_some() { 1 + choices.below(5) as u64 } else { 1 },
        beyond: if unit.is_some() { choices.pick(&Policy::ALL) } else { Policy::Error },
        unit,
        encoding: Encoding::Utf8,
        date_formats: formats(),
    };
    if data.path.to_ascii_lowercase().ends_with("sv") {
        data.encoding = choices.pick(&Encoding::ALL);
    }
    let invariants = (0..choices.below(4)).map(|_| invariant(choices, &schema)).collect();
    let zero = (0..choices.below(3)).map(|_| over_cells(choices, &schema)).collect();
    let rules = (0..choices.below(3)).map(|_| rule(choices, &schema)).collect();
    let mut declared = Declaration {
        title: choices.pick(&["", "A title", "with \"quotes\" and a \\ stroke"]).to_string(),
        data,
        invariants,
        constraints: Constraints { nonnegative: choices.flag(), zero, rules },
        mechanism: mechanism(choices, public, &schema),
        limits: limits(choices),
        disclosure: Disclosure { sensitive: Vec::new(), within: 0 },
        secrets: None,
        budget: (!public || choices.flag()).then_some(budget),
        outputs: (0..choices.below(3)).map(|number| output(choices, &schema, number)).collect(),
        schema,
    };
    pin(choices, &mut declared);
    declared.secrets = choices.flag().then(|| secrets(choices, &declared));
    declared
}

/// A family of laws; whether it fits the table is asked later.
fn secrets(choices: &mut Choices, declared: &Declaration) -> Secrets {
    let mut number = |from: &[&'static str]| -> Rational { choices.pick(from).parse().unwrap() };
    let (least, most) = (number(&["0", "1/3", "0.4"]), number(&["0.4", "2/3", "1"]));
    let (width, correlation) = (number(&["1", "7/3"]), number(&["0", "-1/100", "0.5"]));
    let (mistaken, public_noise) = (number(&["0", "1/10"]), number(&["1/100", "3"]));
    let records = 1 + choices.below(50) as u32;
    let cells = declared.domain().map_or(0, |domain| domain.len());
    let world = |choices: &mut Choices, secret: &str| DeclaredWorld {
        law: choices.pick(&["1", "über \"9\""]).to_string(),
        secret: secret.to_string(),
        probability: choices.pick(&["1/3", "0.25", "2"]).parse().unwrap(),
        counts: (0..cells).map(|_| choices.below(20) as i64 - 3).collect(),
    };
    let family = match choices.below(4) {
        1 => Family::Binary { records, least, most, any_dependence: choices.flag() },
        2 => {
            let public_noise = choices.flag().then_some(public_noise);
            Family::Normal { records, width, variance: Rational::integer(2), correlation, public_noise }
        }
        3 if cells > 0 && cells < 200 => {
            let mut worlds: Vec<DeclaredWorld> =
                ["yes", "no", "it \\ depends"].map(|secret| world(choices, secret)).into();
            // Two answers of one law at least.
            worlds[1].law = worlds[0].law.clone();
            Family::Finite { worlds }
        }
        _ => Family::Independent,
    };
    let pure = matches!(declared.mechanism.strength, Strength::Epsilon(_));
    Secrets { family, mistaken: if pure { mistaken } else { Rational::integer(0) } }
}
