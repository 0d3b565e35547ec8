//! The canonical spec: every default filled in, every domain written out, so that its reader needs no other file.

use crate::declaration::{Declaration, Rule, Strength};
use crate::predicate::Expression;
use crate::schema::{Dimension, Values};

impl Declaration {
    /// The spec with every default filled in and domains from files written out. It parses to an equal declaration, and
    /// equal declarations give equal text.
    pub fn to_toml(&self) -> String {
        let mut text = Text(String::new());
        text.line("title", quoted(&self.title));
        self.write_data(&mut text);
        text.header("[dimensions]");
        for dimension in &self.schema.dimensions {
            text.line(&key(&dimension.name), domain(dimension));
        }
        for invariant in &self.invariants {
            text.header("[[invariant]]");
            text.line("by", list(invariant.by.iter().map(|name| quoted(name))));
            if let Some(filter) = &invariant.filter {
                text.line("where", predicate(filter));
            }
        }
        text.header("[constraints]");
        text.line("nonnegative", self.constraints.nonnegative.to_string());
        text.line("zero", list(self.constraints.zero.iter().map(predicate)));
        for rule in &self.constraints.rules {
            write_rule(rule, &mut text);
        }
        self.write_mechanism(&mut text);
        text.header("[disclosure]");
        text.line("sensitive", list(self.disclosure.sensitive.iter().map(predicate)));
        text.line("within", self.disclosure.within.to_string());
        if let Some(budget) = &self.budget {
            text.header("[budget]");
            text.line("dataset", quoted(&budget.dataset));
            text.line("ledger", quoted(&budget.ledger));
        }
        text.0
    }

    fn write_data(&self, text: &mut Text) {
        let data = &self.data;
        text.header("[data]");
        text.line("path", quoted(&data.path));
        if let Some(count) = &data.count {
            text.line("count", quoted(count));
        }
        text.line("public", data.public.to_string());
        if let Some(filter) = &data.filter {
            text.line("where", predicate(filter));
        }
        text.line("outside", quoted(data.outside.name()));
        text.line("missing", quoted(data.missing.name()));
        text.line("duplicates", quoted(data.duplicates.name()));
        text.line("rows_per_unit", "1".to_string());
    }

    fn write_mechanism(&self, text: &mut Text) {
        let mechanism = &self.mechanism;
        text.header("[mechanism]");
        text.line("noise", quoted(mechanism.noise.name()));
        text.line("method", quoted(mechanism.method.name()));
        match &mechanism.strength {
            Strength::Epsilon(epsilon) => text.line("epsilon", quoted(&epsilon.to_string())),
            Strength::Rho(rho) => text.line("rho", quoted(&rho.to_string())),
        }
        text.line("per", quoted(mechanism.per.name()));
        text.line("sampler", quoted(mechanism.sampler.as_deref().unwrap_or("auto")));
    }
}

fn write_rule(rule: &Rule, text: &mut Text) {
    text.header("[[constraints.rule]]");
    text.line("by", list(rule.by.iter().map(|name| quoted(name))));
    text.line("left", predicate(&rule.left));
    text.line("op", quoted(&rule.op));
    let right = match &rule.right {
        Ok(cells) => cells.to_string(),
        Err(number) => number.to_string(),
    };
    text.line("right", quoted(&right));
}

fn domain(dimension: &Dimension) -> String {
    let column = quoted(&dimension.column);
    match &dimension.values {
        Values::List(labels) => {
            let labels = list(labels.iter().map(|label| quoted(label)));
            format!("{{ column = {column}, values = {labels} }}")
        }
        Values::Integers { first, last } => {
            format!("{{ column = {column}, integers = [{first}, {last}] }}")
        }
        Values::Bins { edges, open } => {
            let edges = list(edges.iter().map(i64::to_string));
            format!("{{ column = {column}, bins = {edges}, open = {open} }}")
        }
        Values::Hierarchy(levels) => {
            let names = list(levels.names.iter().map(|name| quoted(name)));
            let rows = list((0..levels.leaves()).map(|leaf| list(levels.row(leaf).into_iter().map(quoted))));
            let key = quoted(&levels.key);
            format!("{{ column = {column}, levels = {names}, key = {key}, rows = {rows} }}")
        }
    }
}

struct Text(String);

impl Text {
    fn header(&mut self, header: &str) {
        self.0.push('\n');
        self.0.push_str(header);
        self.0.push('\n');
    }

    fn line(&mut self, key: &str, value: String) {
        self.0.push_str(key);
        self.0.push_str(" = ");
        self.0.push_str(&value);
        self.0.push('\n');
    }
}

fn predicate(expression: &Expression) -> String {
    quoted(&expression.to_string())
}

fn list(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", elements.collect::<Vec<_>>().join(", "))
}

fn key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(bare) { name.to_string() } else { quoted(name) }
}

/// A basic TOML string.
fn quoted(text: &str) -> String {
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
