//! The canonical spec: every default filled in, every domain written out, so that its reader needs
//! no other file.

use crate::base::{BaseLaw, BaseMeasure, BaseRow};
use crate::dates::DateFormat;
use crate::declaration::{
    Budget, Data, Declaration, Encoding, Figure, Mechanism, Method, Output, Part, Policy, Rule, Side, Strength,
};
use crate::hierarchy::Levels;
use crate::invariant::{Invariant, Sums, Term};
use crate::limits::Limits;
use crate::order::{Order, OrderTable};
use crate::predicate::Expression;
use crate::schema::{Cleaning, Dimension, Holds, Schema, Values};
use crate::secrets::{DeclaredWorld, Family, Secrets};
use exact::Rational;

impl Declaration {
    /// The spec with every default filled in and domains from files written out. It parses to an
    /// equal declaration, and equal declarations give equal text.
    pub fn to_toml(&self) -> String {
        let mut text = Text(String::new());
        text.line("title", toml_string(&self.title));
        write_data(&self.data, &mut text);
        self.write_law(&self.mechanism, &mut text);
        text.header("[disclosure]");
        text.line("sensitive", list(self.disclosure.sensitive.iter().map(predicate)));
        text.line("within", self.disclosure.within.to_string());
        if let Some(secrets) = &self.secrets {
            write_secrets(secrets, &mut text);
        }
        text.budget(self.budget.as_ref());
        for output in &self.outputs {
            write_output(output, &mut text);
        }
        text.0
    }

    /// What decides the law of a release of given data, and nothing else: which rows are counted,
    /// the domain, what must hold, the mechanism. Two specs with the same text differ in
    /// presentation alone: in titles, derived tables, statements, the names of files and ledgers,
    /// and in what is refused before anything is drawn. [`Declaration::has_law_of`] compares two.
    pub fn law(&self) -> String {
        let mut text = Text(String::new());
        let mut of_law = self.data.clone();
        of_law.path = String::new();
        of_law.frame = None;
        write_data(&of_law, &mut text);
        let mut mechanism = self.mechanism.clone();
        // The hash of the file stands for what it says: beside a file there are no other values.
        mechanism.order.iter_mut().for_each(|order| (order.path, order.table) = (String::new(), None));
        self.write_law(&mechanism, &mut text);
        text.0
    }

    /// Whether releases of both have one law: an order that stands alone is what it says.
    pub fn has_law_of(&self, other: &Declaration) -> bool {
        let said = |declaration: &Declaration| declaration.mechanism.order.clone().and_then(|order| order.table);
        let is_one = |(one, two): (OrderTable, OrderTable)| one == two;
        self.law() == other.law() && said(self).zip(said(other)).is_none_or(is_one)
    }

    fn write_law(&self, mechanism: &Mechanism, text: &mut Text) {
        text.header("[dimensions]");
        for dimension in &self.schema.dimensions {
            text.line(&toml_key(&dimension.name), domain(dimension));
        }
        for invariant in &self.invariants {
            self.write_invariant(invariant, text);
        }
        text.header("[constraints]");
        text.line("nonnegative", self.constraints.nonnegative.to_string());
        text.line("zero", list(self.constraints.zero.iter().map(predicate)));
        for rule in &self.constraints.rules {
            write_rule(rule, text);
        }
        write_mechanism(mechanism, &self.schema, text);
        if let Some(base) = &mechanism.base {
            self.write_base(base, text);
        }
        write_limits(self.limits, text);
    }

    /// The base measure with all that its file says: a reader needs no file.
    fn write_base(&self, base: &BaseMeasure, text: &mut Text) {
        text.header("[mechanism.base]");
        text.line("law", toml_string(base.law.name()));
        if let BaseLaw::DirichletMultinomial { alpha, add } | BaseLaw::Poisson { alpha, add } = &base.law {
            text.line("alpha", toml_string(&alpha.to_string()));
            text.line("add", toml_string(&add.to_string()));
        }
        text.given("cells", base.cells.as_ref().map(predicate));
        let dimensions = || base.by.iter().map(|position| &self.schema.dimensions[*position]);
        let mut rows = Vec::new();
        for (codes, row) in &base.rows {
            let labels = dimensions().zip(codes).map(|(dimension, code)| toml_string(&dimension.values.label(*code)));
            let labels: Vec<String> = labels.collect();
            let quoted = |number: &Rational| toml_string(&number.to_string());
            let row_of = |figures: Vec<String>| list(labels.iter().cloned().chain(figures));
            match row {
                BaseRow::Count(count) => rows.push(row_of(vec![quoted(count)])),
                BaseRow::Weights(weights) => rows.extend(
                    weights
                        .iter()
                        .map(|(value, weight)| row_of(vec![quoted(&Rational::integer(*value)), quoted(weight)])),
                ),
            }
        }
        let by = list(dimensions().map(|dimension| toml_string(&dimension.name)));
        text.line("values", format!("{{ by = {by}, rows = {} }}", list(rows.into_iter())));
    }

    fn write_invariant(&self, invariant: &Invariant, text: &mut Text) {
        text.header("[[invariant]]");
        if !matches!(invariant.sums, Sums::Matrix(_)) {
            text.line("by", names(&invariant.by));
        }
        match &invariant.sums {
            Sums::Cells(None) => {}
            Sums::Cells(Some(filter)) => text.line("where", predicate(filter)),
            Sums::Terms(terms) => text.line("terms", list(terms.iter().map(term))),
            Sums::Matrix(rows) => {
                let dimensions = &self.schema.dimensions;
                let entries = rows.iter().flat_map(|row| row.entries.iter().map(move |entry| (row, entry)));
                let rows = entries.map(|(row, entry)| {
                    let labels = dimensions.iter().zip(&entry.codes);
                    let labels = labels.map(|(dimension, code)| toml_string(&dimension.values.label(*code)));
                    list(std::iter::once(toml_string(&row.name)).chain(labels).chain([entry.times.to_string()]))
                });
                text.line("matrix", format!("{{ rows = {} }}", list(rows)));
            }
        }
        if let Some(values) = &invariant.pinned {
            let rows = values.iter().map(|pinned| {
                list(pinned.labels.iter().map(|label| toml_string(label)).chain([pinned.value.to_string()]))
            });
            text.line("values", format!("{{ rows = {} }}", list(rows)));
        }
    }
}

/// Limits that are not the default: a plan depends on them, because they decide which operator is
/// refused. The default is not written, so that specs keep the text that they had before there were
/// limits.
fn write_limits(limits: Limits, text: &mut Text) {
    if limits == Limits::default() {
        return;
    }
    text.header("[limits]");
    text.line("memory", toml_string(&limits.memory()));
    text.line("time", toml_string(&limits.time()));
}

/// A family is written only where one is declared, so that specs keep the text that they had before
/// there were any.
fn write_secrets(secrets: &Secrets, text: &mut Text) {
    let number = |value: &Rational| toml_string(&value.to_string());
    text.header("[secrets]");
    text.line("family", toml_string(secrets.family.name()));
    match &secrets.family {
        Family::Independent => {}
        Family::Binary { records, least, most, any_dependence } => {
            text.line("n", records.to_string());
            text.line("z0", number(least));
            text.line("z1", number(most));
            text.line("dependence", toml_string(if *any_dependence { "any" } else { "given" }));
        }
        Family::Normal { records, width, variance, correlation, public_noise } => {
            text.line("n", records.to_string());
            text.line("width", number(width));
            text.line("variance", number(variance));
            text.line("correlation", number(correlation));
            text.given("public_noise", public_noise.as_ref().map(number));
        }
        Family::Finite { worlds } => {
            let row = |world: &DeclaredWorld| {
                let words = [toml_string(&world.law), toml_string(&world.secret), number(&world.probability)];
                list(words.into_iter().chain(world.counts.iter().map(i64::to_string)))
            };
            text.line("worlds", list(worlds.iter().map(row)));
        }
    }
    text.line("mistaken", number(&secrets.mistaken));
}

fn write_mechanism(mechanism: &Mechanism, schema: &Schema, text: &mut Text) {
    text.header("[mechanism]");
    if mechanism.method == Method::Suppress {
        text.line("method", toml_string(mechanism.method.name()));
        return text.line("epsilon", toml_string("0"));
    }
    text.line("noise", toml_string(mechanism.noise.name));
    text.line("method", toml_string(mechanism.method.name()));
    let own = mechanism.queries.iter().any(|query| matches!(query.part, Part::Epsilon(_)));
    match &mechanism.strength {
        Strength::Epsilon(_) if own => {}
        Strength::Epsilon(epsilon) => text.line("epsilon", toml_string(&epsilon.to_string())),
        Strength::Rho(rho) => text.line("rho", toml_string(&rho.to_string())),
    }
    text.line("per", toml_string(mechanism.per.name()));
    text.line("sampler", toml_string(mechanism.sampler.as_deref().unwrap_or("auto")));
    if let Some(max_delta) = &mechanism.max_delta {
        text.line("accept", toml_string("estimated"));
        text.line("max_delta", toml_string(&max_delta.to_string()));
    }
    if let Some(order) = &mechanism.order {
        let Order { path, value, sha256, table } = order;
        let (path, value) = (toml_string(path), toml_string(value));
        let said = table.as_ref().map_or(String::new(), |table| {
            let by = list(table.dimensions.iter().map(|place| toml_string(&schema.dimensions[*place].name)));
            format!(", by = {by}, values = \"{}\"", table.text())
        });
        text.line("order_by", format!("{{ path = {path}, value = {value}, sha256 = \"{sha256}\"{said} }}"));
    }
    for query in &mechanism.queries {
        text.header("[[mechanism.query]]");
        text.line("by", names(&query.by));
        text.given("where", query.filter.as_ref().map(predicate));
        match &query.part {
            Part::Epsilon(epsilon) => text.line("epsilon", toml_string(&epsilon.to_string())),
            Part::Share(share) => text.line("share", toml_string(&share.to_string())),
        }
    }
}

fn write_data(data: &Data, text: &mut Text) {
    text.header("[data]");
    match &data.frame {
        Some(frame) => text.line("frame", toml_string(frame)),
        None => text.line("path", toml_string(&data.path)),
    }
    text.given("count", data.count.as_deref().map(toml_string));
    text.line("public", data.public.to_string());
    text.given("where", data.filter.as_ref().map(predicate));
    text.line("outside", toml_string(data.outside.name()));
    text.line("missing", toml_string(data.missing.name()));
    text.line("duplicates", toml_string(data.duplicates.name()));
    text.line("negative", toml_string(data.negative.name()));
    text.given("unit", data.unit.as_deref().map(toml_string));
    text.line("rows_per_unit", data.rows_per_unit.to_string());
    // Keys that came later are written where they say something: what was certified before has the
    // same text.
    if data.beyond != Policy::Error {
        text.line("beyond", toml_string(data.beyond.name()));
    }
    if data.encoding != Encoding::Utf8 {
        text.line("encoding", toml_string(data.encoding.name()));
    }
    if data.date_formats != [DateFormat::iso()] {
        text.line("date_format", list(data.date_formats.iter().map(|format| toml_string(format.as_str()))));
    }
}

fn write_rule(rule: &Rule, text: &mut Text) {
    text.header("[[constraints.rule]]");
    text.line("by", names(&rule.by));
    text.line("left", predicate(&rule.left));
    text.line("op", toml_string(rule.relation.name()));
    let right = match &rule.right {
        Side::Cells(cells) => cells.to_string(),
        Side::Number(number) => number.to_string(),
    };
    text.line("right", toml_string(&right));
}

fn write_output(output: &Output, text: &mut Text) {
    text.header("[[output]]");
    text.line("name", toml_string(&output.name));
    text.line("by", names(&output.by));
    match &output.figure {
        Figure::Sum(None) => {}
        Figure::Sum(Some(filter)) => text.line("where", predicate(filter)),
        Figure::Rate { numerator, denominator, times } => {
            let (numerator, denominator) = (predicate(numerator), predicate(denominator));
            text.line("rate", format!("{{ numerator = {numerator}, denominator = {denominator}, times = {times} }}"));
        }
    }
}

fn term(term: &Term) -> String {
    let filter = term.filter.as_ref().map_or(String::new(), |filter| format!("where = {}, ", predicate(filter)));
    format!("{{ {filter}times = {} }}", term.times)
}

fn domain(dimension: &Dimension) -> String {
    let column = toml_string(&dimension.column);
    let Cleaning { trim, ignore_case, recode, unknown, below, holds } = &dimension.cleaning;
    let pairs = recode.iter().map(|(found, value)| format!("{} = {}", toml_string(found), toml_string(value)));
    let more = [
        below.map(|below| format!(", below = {below}")),
        trim.then(|| ", trim = true".to_string()),
        ignore_case.then(|| ", case = \"ignore\"".to_string()),
        (!recode.is_empty()).then(|| format!(", recode = {{ {} }}", pairs.collect::<Vec<_>>().join(", "))),
        unknown.as_ref().map(|unknown| format!(", unknown = {}", toml_string(unknown))),
    ];
    let more: String = more.into_iter().flatten().collect();
    let made = match holds {
        Holds::Values => &dimension.values,
        Holds::Numbers(numbers) => numbers,
        Holds::Dates { period, first, last, .. } => {
            let [first, last] = [first, last].map(|number| toml_string(&period.label(*number)));
            let period = toml_string(period.name());
            return format!("{{ column = {column}, dates = {period}, first = {first}, last = {last}{more} }}");
        }
    };
    match made {
        Values::List(labels) => format!("{{ column = {column}, values = {}{more} }}", names(labels)),
        Values::Integers { first, last } => {
            format!("{{ column = {column}, integers = [{first}, {last}]{more} }}")
        }
        Values::Bins { edges, open } => {
            let edges = list(edges.iter().map(i64::to_string));
            format!("{{ column = {column}, bins = {edges}, open = {open}{more} }}")
        }
        Values::Hierarchy(levels) => {
            let (names, rows) = hierarchy(levels);
            let key = toml_string(&levels.key);
            format!("{{ column = {column}, levels = {names}, key = {key}, rows = {rows}{more} }}")
        }
        Values::Measures { columns, record } => {
            format!("{{ columns = {}, record = {} }}", names(columns), toml_string(record.name()))
        }
    }
}

/// The levels and rows of a hierarchy. A level that is a prefix of the key is written as such, and
/// a row of one label as that label: of a quarter of a million nested codes the codes alone remain.
fn hierarchy(levels: &Levels) -> (String, String) {
    let prefixes = levels.prefixes();
    let level = |(name, prefix): (&String, &Option<usize>)| match prefix {
        Some(characters) => format!("{{ name = {}, prefix = {characters} }}", toml_string(name)),
        None => toml_string(name),
    };
    let names = list(levels.names.iter().zip(&prefixes).map(level));
    let row = |leaf: usize| {
        // The key, when it is not a level, has no prefix beside it.
        let prefixes = prefixes.iter().chain(std::iter::repeat(&None));
        let labels = levels.row(leaf).into_iter().zip(prefixes);
        labels.filter(|(_, prefix)| prefix.is_none()).map(|(label, _)| toml_string(label)).collect::<Vec<_>>()
    };
    let rows = (0..levels.leaves()).map(row).map(|labels| match labels.as_slice() {
        [label] => label.clone(),
        labels => list(labels.iter().cloned()),
    });
    (names, list(rows))
}

/// The text of a spec so far.
pub(crate) struct Text(pub(crate) String);

impl Text {
    /// The section `[budget]`, if there is one.
    pub(crate) fn budget(&mut self, budget: Option<&Budget>) {
        let Some(budget) = budget else { return };
        self.header("[budget]");
        self.line("dataset", toml_string(&budget.dataset));
        self.line("ledger", toml_string(&budget.ledger));
        self.given("head", budget.head.as_deref().map(toml_string));
        self.given("chosen", budget.chosen.as_deref().map(toml_string));
    }

    fn header(&mut self, header: &str) {
        self.0.push_str(&format!("\n{header}\n"));
    }

    /// A line, where there is something to say.
    fn given(&mut self, key: &str, value: Option<String>) {
        value.into_iter().for_each(|value| self.line(key, value));
    }

    fn line(&mut self, key: &str, value: String) {
        self.0.push_str(&format!("{key} = {value}\n"));
    }
}

fn predicate(expression: &Expression) -> String {
    toml_string(&expression.to_string())
}

fn list(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(", "))
}

fn names(names: &[String]) -> String {
    list(names.iter().map(|name| toml_string(name)))
}

/// A name as a TOML key: bare if it can be, else in quotes.
pub fn toml_key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(bare) { name.to_string() } else { toml_string(name) }
}

/// A text as a basic TOML string, on one line whatever it holds.
pub fn toml_string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            _ if letter.is_control() => quoted.push_str(&format!("\\u{:04X}", letter as u32)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
