//! Typed access to the values of a spec, each with its place, and the check for unknown keys.

use super::source::Source;
use crate::nearest::{listed, suggestion};
use crate::problem::Problem;
use exact::Rational;
use std::ops::Range;
use toml_edit::{Array, ArrayOfTables, Item, TableLike, Value};

/// A value of the spec with its name and place.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    pub(crate) source: &'a Source,
    /// The key it stands under.
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) content: Content<'a>,
}

/// What stands there.
#[derive(Clone, Copy)]
pub(crate) enum Content<'a> {
    Value(&'a Value),
    Table(&'a dyn TableLike),
    Tables(&'a ArrayOfTables),
    Nothing,
}

/// A table of the spec.
#[derive(Clone)]
pub(crate) struct Section<'a> {
    pub(crate) source: &'a Source,
    /// How messages call it, for example `[data]`.
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    table: &'a dyn TableLike,
}

impl<'a> Section<'a> {
    /// The whole document.
    pub(crate) fn root(source: &'a Source, table: &'a toml_edit::Table) -> Self {
        Section { source, name: "the spec".to_string(), span: 0..0, table }
    }

    /// Refuses every key that is not one of `keys`.
    pub(crate) fn only(&self, keys: &[&str]) -> Result<(), Problem> {
        match self.table.iter().find(|(key, _)| !keys.contains(key)) {
            None => Ok(()),
            Some((key, _)) => Err(self
                .bad_key(key, format!("unknown key `{key}` in {}", self.name), "not a key here")
                .hint(suggestion(key, "Valid", keys))),
        }
    }

    /// The value under a key.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.table.get(key).map(|item| self.node(key, item))
    }

    /// The value under a key that must be there.
    pub(crate) fn need(&self, key: &str, hint: &str) -> Result<Node<'a>, Problem> {
        self.get(key).ok_or_else(|| {
            let message = format!("`{key}` is missing in {}", self.name);
            self.bad(message, format!("needs `{key}`")).hint(hint)
        })
    }

    /// A section of the spec that must be there.
    pub(crate) fn need_section(&self, key: &str, hint: &str) -> Result<Section<'a>, Problem> {
        let Some(node) = self.get(key) else {
            let end = self.source.text.trim_end().len();
            let label = format!("the spec ends without [{key}]");
            return Err(self.source.bad(end..end, format!("the section [{key}] is missing"), label).hint(hint));
        };
        node.section(format!("[{key}]"))
    }

    /// All keys and values, in order.
    pub(crate) fn entries(&self) -> Vec<Node<'a>> {
        self.table.iter().map(|(key, item)| self.node(key, item)).collect()
    }

    /// The table itself, as a value with a place.
    pub(crate) fn whole(&self) -> Node<'a> {
        let content = Content::Table(self.table);
        Node { source: self.source, name: self.name.clone(), span: self.span.clone(), content }
    }

    /// Where a key stands.
    pub(crate) fn key_span(&self, key: &str) -> Range<usize> {
        self.table.key(key).and_then(|key| key.span()).unwrap_or(self.span.clone())
    }

    /// A problem that points at a key.
    pub(crate) fn bad_key(&self, key: &str, message: impl Into<String>, label: &str) -> Problem {
        self.source.bad(self.key_span(key), message, label)
    }

    /// A problem that points at the section.
    pub(crate) fn bad(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.source.bad(self.span.clone(), message, label)
    }

    /// One of several words under a key, or what it means that there is none.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &str,
        choices: &[T],
        name: fn(T) -> &'static str,
        otherwise: T,
    ) -> Result<T, Problem> {
        self.get(key).map_or(Ok(otherwise), |node| node.choice(choices, name))
    }

    /// The tables of `[[…]]` under a key, if it is there; not more than `most` of `what`.
    pub(crate) fn sections(
        &self,
        key: &str,
        name: &str,
        most: usize,
        what: &str,
        hint: Option<&str>,
    ) -> Result<Vec<Section<'a>>, Problem> {
        let sections = self.get(key).map_or(Ok(Vec::new()), |node| node.sections(name))?;
        let too_many = |extra: &Section| extra.bad(format!("more than {most} {what} are declared"), "one too many");
        match sections.get(most) {
            Some(extra) => Err(Problem { hint: hint.map(str::to_string), ..too_many(extra) }),
            None => Ok(sections),
        }
    }

    /// The text under a key, if it is there; never empty.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, Problem> {
        self.get(key).map(|node| node.nonempty().map(str::to_string)).transpose()
    }

    fn node(&self, key: &str, item: &'a Item) -> Node<'a> {
        let span = item.span().unwrap_or_else(|| self.key_span(key));
        let content = match item {
            Item::Value(value) => Content::Value(value),
            Item::Table(table) => Content::Table(table),
            Item::ArrayOfTables(tables) => Content::Tables(tables),
            Item::None => Content::Nothing,
        };
        Node { source: self.source, name: key.to_string(), span, content }
    }
}

impl<'a> Node<'a> {
    /// A problem that points at this value.
    pub(crate) fn bad(&self, message: impl Into<String>, label: impl Into<String>) -> Problem {
        self.source.bad(self.span.clone(), message, label)
    }

    /// A problem that points at this value, unless it points at something already.
    pub(crate) fn placed(&self, problem: Problem, label: &str) -> Problem {
        match problem.place {
            Some(_) => problem,
            None => self.source.point(problem, self.span.clone(), label),
        }
    }

    fn wrong(&self, expected: &str) -> Problem {
        let message = format!("`{}` must be {expected}", self.name);
        self.bad(message, format!("{}, not {expected}", self.found()))
    }

    fn found(&self) -> &'static str {
        match self.content {
            Content::Value(Value::String(_)) => "text",
            Content::Value(Value::Integer(_)) => "an integer",
            Content::Value(Value::Float(_)) => "a number",
            Content::Value(Value::Boolean(_)) => "true or false",
            Content::Value(Value::Datetime(_)) => "a date",
            Content::Value(Value::Array(_)) => "a list",
            Content::Value(Value::InlineTable(_)) | Content::Table(_) => "a table",
            Content::Tables(_) => "a list of tables",
            Content::Nothing => "nothing",
        }
    }

    /// The text it holds.
    pub(crate) fn text(&self) -> Result<&'a str, Problem> {
        match self.content {
            Content::Value(Value::String(text)) => Ok(text.value()),
            _ => Err(self.wrong("text in quotes")),
        }
    }

    /// The text it holds, which must not be empty.
    pub(crate) fn nonempty(&self) -> Result<&'a str, Problem> {
        match self.text()? {
            "" => Err(self.bad(format!("`{}` is empty", self.name), "empty")),
            text => Ok(text),
        }
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self) -> Result<bool, Problem> {
        match self.content {
            Content::Value(Value::Boolean(flag)) => Ok(*flag.value()),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// An integer.
    pub(crate) fn integer(&self) -> Result<i64, Problem> {
        match self.content {
            Content::Value(Value::Integer(integer)) => Ok(*integer.value()),
            _ => Err(self.wrong("an integer")),
        }
    }

    /// A number, read exactly: text such as "1/4", an integer, or a float by its letters.
    pub(crate) fn number(&self) -> Result<Rational, Problem> {
        let written = match self.content {
            Content::Value(Value::String(text)) => text.value().clone(),
            Content::Value(Value::Integer(integer)) => integer.value().to_string(),
            Content::Value(Value::Float(_)) => self.source.text.get(self.span.clone()).unwrap_or("").replace('_', ""),
            _ => return Err(self.wrong("a number")),
        };
        let number = written
            .parse::<Rational>()
            .map_err(|fault| self.bad(format!("`{}` must be a number: {fault}", self.name), "not a number"))?;
        // The canonical spec writes a fraction in lowest terms, and must be able to read it again.
        if number.to_string().parse() != Ok(number.clone()) {
            let message = format!("`{}` has too many digits", self.name);
            return Err(self.bad(message, "write it with fewer digits"));
        }
        Ok(number)
    }

    /// A number above zero.
    pub(crate) fn positive(&self) -> Result<Rational, Problem> {
        let number = self.number()?;
        if !number.is_positive() {
            let message = format!("`{}` must be above zero", self.name);
            return Err(self.bad(message, "not above zero"));
        }
        Ok(number)
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&self, choices: &[T], name: fn(T) -> &'static str) -> Result<T, Problem> {
        let words: Vec<&str> = choices.iter().map(|choice| name(*choice)).collect();
        let Content::Value(Value::String(_)) = self.content else {
            let hint = format!("one of: {}", listed(&words));
            return Err(self.wrong("text in quotes").hint(hint));
        };
        let text = self.text()?;
        let found = choices.iter().find(|choice| name(**choice) == text);
        found.copied().ok_or_else(|| self.not_one_of(text, &words))
    }

    /// The problem of a word that is none of the valid ones.
    pub(crate) fn not_one_of(&self, text: &str, words: &[&str]) -> Problem {
        self.bad(format!("`{}` cannot be `{text}`", self.name), "not a choice here")
            .hint(suggestion(text, "Valid", words))
    }

    /// The elements of a list.
    pub(crate) fn list(&self) -> Result<Vec<Node<'a>>, Problem> {
        match self.content {
            Content::Value(Value::Array(array)) => Ok(self.elements(array)),
            _ => Err(self.wrong("a list")),
        }
    }

    fn elements(&self, array: &'a Array) -> Vec<Node<'a>> {
        let node = |value: &'a Value| Node {
            source: self.source,
            name: self.name.clone(),
            span: value.span().unwrap_or(self.span.clone()),
            content: Content::Value(value),
        };
        array.iter().map(node).collect()
    }

    /// A list of texts with their places.
    pub(crate) fn texts(&self) -> Result<Vec<(&'a str, Node<'a>)>, Problem> {
        let elements = self.list()?;
        elements.into_iter().map(|element| Ok((element.text()?, element))).collect()
    }

    /// The table it holds; `name` is how messages call it.
    pub(crate) fn section(&self, name: impl Into<String>) -> Result<Section<'a>, Problem> {
        let table: &'a dyn TableLike = match self.content {
            Content::Table(table) => table,
            Content::Value(Value::InlineTable(table)) => table,
            _ => return Err(self.wrong("a table")),
        };
        Ok(Section { source: self.source, name: name.into(), span: self.span.clone(), table })
    }

    /// The tables of `[[…]]`, or of a list of inline tables.
    pub(crate) fn sections(&self, name: &str) -> Result<Vec<Section<'a>>, Problem> {
        match self.content {
            Content::Tables(tables) => {
                let section = |table: &'a toml_edit::Table| Section {
                    source: self.source,
                    name: name.to_string(),
                    span: table.span().unwrap_or(self.span.clone()),
                    table,
                };
                Ok(tables.iter().map(section).collect())
            }
            Content::Value(Value::Array(array)) => {
                self.elements(array).iter().map(|element| element.section(name)).collect()
            }
            _ => Err(self.wrong("a list of tables").hint(format!("write its header with double brackets: {name}"))),
        }
    }
}
