//! The values of columns as classes: what no release tells apart is one class, whatever dimensions
//! and filters are called.
//!
//! A row is known to releases by what its fields are in their dimensions and filters, and by
//! nothing else. Both are decided by equality with finitely many texts and by the place of a number
//! among finitely many integers, or of a day among finitely many days, so finitely many fields
//! stand for all: these texts, a number at and after every integer in either spelling, a day at
//! every day in every format, one text that is none of them, and none at all. Where a release
//! ignores spaces or capital letters, so do another spelling of every text with either, which is
//! none of the others.

use declare::{DateFormat, Day, Declaration, Dimension, Expression, Field, Holds, Levels, Literal, Policy, Values};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The column that stands for what is counted: a column of counts, or the rows themselves.
pub(super) const COUNTED: &str = "\u{0}counted";

/// What is counted where every row is one record.
const RECORDS: &str = "\u{0}records";

/// More fields of one column are not looked at.
const MOST_FIELDS: usize = 1 << 20;

/// One or several columns of the data, of which the first decides the others.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// How messages call it.
    pub(super) name: String,
    /// The columns: one, and those that are levels above it in a hierarchy.
    pub(super) columns: Vec<String>,
    /// For every class the fields that stand for it, one for each column.
    pub(super) classes: Vec<Vec<Vec<String>>>,
}

/// What a field is to a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Value {
    /// The value with this code.
    Code(usize),
    /// Not there.
    Blank,
    /// Not declared.
    Outside,
}

/// What is counted by a release: columns of counts, or rows.
pub(super) fn counted(declaration: &Declaration) -> Vec<String> {
    match (declaration.schema.measures(), &declaration.data.count) {
        (Some((_, columns, _)), _) => columns.to_vec(),
        (None, Some(column)) => vec![column.clone()],
        (None, None) => vec![RECORDS.to_string()],
    }
}

/// The column that a dimension is read from.
pub(super) fn column_of(dimension: &Dimension) -> &str {
    match dimension.values {
        Values::Measures { .. } => COUNTED,
        _ => &dimension.column,
    }
}

/// What fields are to a dimension.
pub(super) fn valued<'a>(dimension: &'a Dimension) -> impl Fn(&str) -> Value + 'a {
    let reader = dimension.reader();
    move |field| match reader.read(field) {
        Field::Missing => Value::Blank,
        Field::Code(code) => Value::Code(code),
        Field::Outside => Value::Outside,
    }
}

/// The comparisons of a filter.
pub(super) fn comparisons(filter: &Expression) -> Vec<&Expression> {
    match filter {
        Expression::Compare { .. } | Expression::In { .. } => vec![filter],
        Expression::And(left, right) | Expression::Or(left, right) => {
            let mut both = comparisons(left);
            both.extend(comparisons(right));
            both
        }
        Expression::Not(inner) => comparisons(inner),
    }
}

/// The column that a comparison looks at, and the values it compares with.
fn compared(comparison: &Expression) -> Option<(&str, &[Literal])> {
    match comparison {
        Expression::Compare { name, value, .. } => Some((name, std::slice::from_ref(value))),
        Expression::In { name, values } => Some((name, values)),
        _ => None,
    }
}

/// The column that a comparison looks at.
pub(super) fn compared_column(comparison: &Expression) -> Option<&str> {
    compared(comparison).map(|(name, _)| name)
}

/// Whether a field satisfies a comparison, in a file that writes dates like this; `None` where that
/// cannot be said.
pub(super) fn judged(comparison: &Expression, field: &str, formats: &[DateFormat]) -> Option<bool> {
    let (name, _) = compared(comparison)?;
    comparison.bind(&[name]).ok()?.with_dates(formats).holds(&|_| field).ok()
}

/// The axes of several releases, of which each brings the dimensions that its totals look at, and
/// the columns of its filter.
///
/// # Errors
/// In words, when the values of a column cannot be told.
pub(super) fn axes(releases: &[(&Declaration, BTreeSet<usize>)]) -> Result<Vec<Axis>, String> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    let mut hierarchies: Vec<(&str, &Levels)> = Vec::new();
    let mut add = |column, name| {
        if !names.iter().any(|(known, _)| *known == column) {
            names.push((column, name));
        }
    };
    for (declaration, kept) in releases {
        for dimension in kept.iter().map(|kept| &declaration.schema.dimensions[*kept]) {
            let column = column_of(dimension);
            add(column, &dimension.name);
            if let Values::Hierarchy(levels) = &dimension.values {
                hierarchies.push((column, levels));
            }
        }
        declaration.data.filter.iter().flat_map(Expression::names).for_each(|column| add(column, column));
    }
    let quantities: BTreeSet<String> = releases.iter().flat_map(|(declaration, _)| counted(declaration)).collect();
    if quantities.len() > 1 && !names.iter().any(|(known, _)| *known == COUNTED) {
        names.push((COUNTED, "counted"));
    }
    // The finest hierarchy decides what the columns above it hold.
    hierarchies.sort_by_key(|(_, levels)| std::cmp::Reverse(levels.names.len()));
    let mut above: BTreeMap<&str, (&str, &Levels, usize)> = BTreeMap::new();
    for (leaf, levels) in hierarchies {
        for (level, name) in levels.names.iter().enumerate() {
            let is_column = names.iter().any(|(column, _)| column == name);
            if is_column && name != leaf && !above.contains_key(leaf) {
                above.entry(name).or_insert((leaf, levels, level));
            }
        }
    }
    let mut axes = Vec::new();
    for (column, name) in names.iter().filter(|(column, _)| !above.contains_key(column)) {
        let derived: Vec<(&str, &Levels, usize)> = above
            .iter()
            .filter(|(_, (leaf, ..))| leaf == column)
            .map(|(name, (_, levels, level))| (*name, *levels, *level))
            .collect();
        let fields = if *column == COUNTED { quantities.iter().cloned().collect() } else { fields(releases, column)? };
        axes.push(axis(releases, (column, name), &derived, fields)?);
    }
    Ok(axes)
}

/// What decides how the fields of a column are read.
#[derive(Default)]
struct Marks {
    texts: Vec<String>,
    integers: BTreeSet<i64>,
    /// Days at which something begins.
    days: BTreeSet<Day>,
    formats: BTreeSet<DateFormat>,
    trims: bool,
    ignores_case: bool,
}

impl Marks {
    fn dimension(&mut self, dimension: &Dimension) -> Option<()> {
        let Dimension { values, cleaning, .. } = dimension;
        match (&cleaning.holds, values) {
            (Holds::Values, Values::Integers { first, last })
            | (Holds::Numbers(Values::Integers { first, last }), _) => {
                if last.abs_diff(*first) >= MOST_FIELDS as u64 / 4 {
                    return None;
                }
                self.integers.extend(*first..=*last);
            }
            (Holds::Values, Values::Bins { edges, .. }) | (Holds::Numbers(Values::Bins { edges, .. }), _) => {
                self.integers.extend(edges);
            }
            (Holds::Values | Holds::Numbers(_), values) => self.texts.extend(values.labels()),
            (Holds::Dates { period, first, last, formats }, _) => {
                self.days.extend((*first..=last + 1).filter_map(|number| period.start(number)));
                self.formats.extend(formats.iter().cloned());
            }
        }
        self.integers.extend(cleaning.below);
        for (found, _) in &cleaning.recode {
            self.integers.extend(found.trim().parse::<i64>().ok());
            self.texts.push(found.clone());
        }
        self.trims |= cleaning.trim;
        self.ignores_case |= cleaning.ignore_case;
        Some(())
    }

    fn comparison(&mut self, comparison: &Expression, values: &[Literal], formats: &[DateFormat]) {
        let orders = matches!(comparison, Expression::Compare { op, .. } if op.is_order());
        for value in values {
            match value {
                Literal::Integer(integer) => drop(self.integers.insert(*integer)),
                Literal::Text(text) => match Day::read(text).filter(|_| orders) {
                    Some(day) => {
                        self.days.extend([day, Day(day.0 + 1)]);
                        self.formats.extend(formats.iter().cloned());
                    }
                    None => self.texts.push(text.clone()),
                },
            }
        }
    }

    fn fields(mut self) -> Vec<String> {
        let mut texts = std::mem::take(&mut self.texts);
        if let Some(first) = self.integers.first() {
            texts.push((i128::from(*first) - 1).to_string());
        }
        for integer in &self.integers {
            // In plain digits, in another spelling, and a number after it: beyond the last, that is
            // any larger one.
            texts.push(integer.to_string());
            texts.push(format!("{integer}.0"));
            let after = i128::from(*integer);
            texts.push(match after {
                ..-1 => format!("{}.5", after + 1),
                -1 => "-0.5".to_string(),
                0.. => format!("{after}.5"),
            });
        }
        let before = self.days.first().map(|day| Day(day.0 - 1));
        for day in before.iter().chain(&self.days) {
            for format in &self.formats {
                // With a time of day it is the same day, but another text.
                texts.push(format.write(*day));
                texts.push(format!("{} 12:00", format.write(*day)));
            }
        }
        self.respelled(&mut texts);
        let known: BTreeSet<&String> = texts.iter().collect();
        let mut other = "another value".to_string();
        while known.contains(&other) {
            other.push('\'');
        }
        texts.extend([other, String::new()]);
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        texts
    }

    /// Adds every text in other letters and with spaces around it, where a release takes these for
    /// the same.
    fn respelled(&self, texts: &mut Vec<String>) {
        let known: BTreeSet<String> = texts.iter().cloned().collect();
        if self.ignores_case {
            texts.extend(known.iter().filter_map(|text| in_other_letters(text, &known)));
        }
        if self.trims {
            let padded: Vec<String> =
                texts.iter().flat_map(|text| [" ", "\u{a0}"].map(|space| format!("{space}{text}"))).collect();
            texts.extend(padded);
            texts.push("\u{a0}".to_string());
        }
    }
}

/// The text in other small and capital letters, as none of those that are known.
fn in_other_letters(text: &str, known: &BTreeSet<String>) -> Option<String> {
    const MOST_TRIED: u32 = 1 << 12;
    let folded = text.to_lowercase();
    let letters: Vec<char> = folded.chars().collect();
    let tried = 1u32.checked_shl(letters.len() as u32).unwrap_or(MOST_TRIED).min(MOST_TRIED);
    (0..tried).find_map(|bits| {
        let letter = |(place, letter): (usize, &char)| match place < 32 && bits >> place & 1 == 1 {
            true => letter.to_uppercase().collect::<String>(),
            false => letter.to_string(),
        };
        let other: String = letters.iter().enumerate().map(letter).collect();
        (other.to_lowercase() == folded && !known.contains(&other)).then_some(other)
    })
}

/// Fields that stand for all that a column can hold: declared values first.
pub(super) fn fields(releases: &[(&Declaration, BTreeSet<usize>)], column: &str) -> Result<Vec<String>, String> {
    let mut marks = Marks::default();
    let too_many = || format!("`{column}` has too many values");
    for (declaration, _) in releases {
        for dimension in declaration.schema.dimensions.iter().filter(|dimension| column_of(dimension) == column) {
            marks.dimension(dimension).ok_or_else(too_many)?;
        }
        for comparison in declaration.data.filter.iter().flat_map(comparisons) {
            if let Some((_, values)) = compared(comparison).filter(|(name, _)| *name == column) {
                marks.comparison(comparison, values, &declaration.data.date_formats);
            }
        }
    }
    let fields = marks.fields();
    if fields.len() > MOST_FIELDS { Err(too_many()) } else { Ok(fields) }
}

/// What all releases see in the fields of an axis: values of dimensions, and what comparisons say.
type Sight = (Vec<Value>, Vec<Option<bool>>);

fn axis(
    releases: &[(&Declaration, BTreeSet<usize>)],
    (column, name): (&str, &str),
    derived: &[(&str, &Levels, usize)],
    fields: Vec<String>,
) -> Result<Axis, String> {
    let columns: Vec<String> =
        [column].into_iter().chain(derived.iter().map(|(name, ..)| *name)).map(str::to_string).collect();
    let position = |column: &str| columns.iter().position(|known| known == column);
    let leaves: Vec<HashMap<&str, usize>> = derived
        .iter()
        .map(|(_, levels, _)| levels.keys.iter().enumerate().map(|(leaf, key)| (key.as_str(), leaf)).collect())
        .collect();
    // Every dimension that reads one of the columns, whether its release looks at it or not.
    let mut looks = Vec::new();
    let mut comparing = Vec::new();
    for (declaration, _) in releases {
        let data = &declaration.data;
        for dimension in &declaration.schema.dimensions {
            if let Some(place) = position(column_of(dimension)) {
                // Without a filter every row of the data is declared to have one of the values.
                let demands = data.filter.is_none();
                let excluded = move |value| match value {
                    Value::Code(_) => false,
                    Value::Blank => demands && data.missing == Policy::Error,
                    Value::Outside => demands && data.outside == Policy::Error && column != COUNTED,
                };
                looks.push((place, valued(dimension), excluded));
            }
        }
        for comparison in data.filter.iter().flat_map(comparisons) {
            if let Some(place) = compared(comparison).and_then(|(name, _)| position(name)) {
                comparing.push((place, comparison, data.date_formats.as_slice()));
            }
        }
    }
    let mut classes: Vec<Vec<Vec<String>>> = Vec::new();
    let mut known: HashMap<Sight, usize> = HashMap::new();
    'fields: for field in fields {
        let above = derived.iter().zip(&leaves).map(|((_, levels, level), leaves)| {
            let node = levels.codes[*level][*leaves.get(field.as_str())?] as usize;
            Some(levels.labels[*level][node].clone())
        });
        let row: Vec<Option<String>> = std::iter::once(Some(field.clone())).chain(above).collect();
        let mut sight = Sight::default();
        let mut unknown = false;
        for (place, value, excluded) in &looks {
            match &row[*place] {
                Some(field) => {
                    let value = value(field);
                    if excluded(value) {
                        continue 'fields;
                    }
                    sight.0.push(value);
                }
                None => unknown = true,
            }
        }
        for (place, comparison, formats) in &comparing {
            match &row[*place] {
                Some(field) => sight.1.push(judged(comparison, field, formats)),
                None => unknown = true,
            }
        }
        if unknown {
            return Err(format!("rows outside the hierarchy of `{column}` may have any value above it"));
        }
        let row: Vec<String> = row.into_iter().flatten().collect();
        let next = classes.len();
        match *known.entry(sight).or_insert(next) {
            class if class < next => classes[class].push(row),
            _ => classes.push(vec![row]),
        }
    }
    if classes.is_empty() {
        return Err(format!("no value of `{name}` is possible in all releases"));
    }
    Ok(Axis { name: name.to_string(), columns, classes })
}
