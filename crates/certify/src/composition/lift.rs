//! The common table of several releases: which dimensions they share, and what a cell of it is in each of them.

use declare::{Declaration, Dimension, Domain, Expression, Grouping, NO_GROUP, Schema, Side, Sums, Values};
use std::collections::{BTreeSet, HashMap};

/// The dimensions of a release that its totals, rules and structural zeros look at. What differs in other dimensions alone is
/// the same to all of them.
pub(super) fn used(declaration: &Declaration) -> BTreeSet<usize> {
    let schema = &declaration.schema;
    let mut used: BTreeSet<usize> = schema.measures().map(|(position, ..)| position).into_iter().collect();
    let mut names: Vec<&str> = Vec::new();
    for invariant in &declaration.invariants {
        names.extend(invariant.by.iter().map(String::as_str));
        match &invariant.sums {
            Sums::Cells(filter) => names.extend(filter.iter().flat_map(Expression::names)),
            Sums::Terms(terms) => {
                names.extend(terms.iter().filter_map(|term| term.filter.as_ref()).flat_map(Expression::names));
            }
            Sums::Matrix(_) => used.extend(0..schema.dimensions.len()),
        }
    }
    for rule in &declaration.constraints.rules {
        names.extend(rule.by.iter().map(String::as_str).chain(rule.left.names()));
        if let Side::Cells(right) = &rule.right {
            names.extend(right.names());
        }
    }
    names.extend(declaration.constraints.zero.iter().flat_map(Expression::names));
    used.extend(names.into_iter().filter_map(|name| schema.resolve(name)).map(|(dimension, _)| dimension));
    used
}

/// Where a dimension of a release lies in the common table.
#[derive(Debug, Clone)]
struct Seat {
    /// The dimension of the common table.
    dimension: usize,
    /// The release's code for every code of that dimension.
    codes: Vec<usize>,
}

/// The dimensions of the common table so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Common {
    dimensions: Vec<Dimension>,
}

impl Common {
    /// The smallest table in which all of these dimensions of releases can be told apart. Hierarchies come first, so that a
    /// dimension that is one of their levels is found in them.
    ///
    /// # Errors
    /// In words, when a dimension of a release is another one elsewhere.
    pub(super) fn of(releases: &[(&Declaration, BTreeSet<usize>)]) -> Result<Common, String> {
        let mut common = Common::default();
        for hierarchies in [true, false] {
            for (declaration, kept) in releases {
                for dimension in kept.iter().map(|kept| &declaration.schema.dimensions[*kept]) {
                    let is_hierarchy = matches!(dimension.values, Values::Hierarchy(_));
                    if is_hierarchy == hierarchies && common.seat(dimension)?.is_none() {
                        common.dimensions.push(dimension.clone());
                    }
                }
            }
        }
        Ok(common)
    }

    /// Whether all these dimensions of a release are there already.
    ///
    /// # Errors
    /// As [`Common::of`].
    pub(super) fn has(&self, declaration: &Declaration, kept: &BTreeSet<usize>) -> Result<bool, String> {
        let mut has = true;
        for dimension in kept.iter().map(|kept| &declaration.schema.dimensions[*kept]) {
            has &= self.seat(dimension)?.is_some();
        }
        Ok(has)
    }

    pub(super) fn combinations(&self) -> Option<usize> {
        self.schema().combinations()
    }

    pub(super) fn schema(&self) -> Schema {
        Schema { dimensions: self.dimensions.clone() }
    }

    /// The table in words: `county × education (16 combinations)`.
    pub(super) fn in_words(&self) -> String {
        let names: Vec<&str> = self.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
        if names.is_empty() { "one cell".to_string() } else { names.join(" × ") }
    }

    /// Where a dimension lies in the common table; `None`: it is not there yet.
    fn seat(&self, dimension: &Dimension) -> Result<Option<Seat>, String> {
        let name = &dimension.name;
        let other_values = || Err(format!("its dimension `{name}` has other values than in another release"));
        let labels = all_labels(&dimension.values);
        let is_measures = |values: &Values| matches!(values, Values::Measures { .. });
        for (position, known) in self.dimensions.iter().enumerate() {
            let seat = |codes| Ok(Some(Seat { dimension: position, codes }));
            match (is_measures(&known.values), is_measures(&dimension.values)) {
                (false, false) if known.column == dimension.column => {
                    return match translated(&all_labels(&known.values), &labels) {
                        Some(codes) if is_bins(&known.values) == is_bins(&dimension.values) => seat(codes),
                        _ => other_values(),
                    };
                }
                (true, true) => {
                    return match translated(&all_labels(&known.values), &labels) {
                        Some(codes) => seat(codes),
                        None => Err("it counts other columns than another release".to_string()),
                    };
                }
                _ => {}
            }
            if let Values::Hierarchy(levels) = &known.values
                && let Some(level) = levels.names.iter().position(|level| *level == dimension.column)
            {
                return match translated(&levels.labels[level], &labels) {
                    Some(codes) => seat(levels.codes[level].iter().map(|node| codes[*node as usize]).collect()),
                    None => other_values(),
                };
            }
            if known.name == dimension.name {
                return Err(format!(
                    "its dimension `{name}` is read from the column `{}`, in another release from `{}`",
                    dimension.column, known.column
                ));
            }
        }
        Ok(None)
    }

    /// What a cell of the common table is in a release; dimensions that are not `kept` make no difference there.
    pub(super) fn lift(&self, declaration: &Declaration, kept: &BTreeSet<usize>) -> Result<Lift, String> {
        let dimensions = &declaration.schema.dimensions;
        let mut seats = Vec::with_capacity(dimensions.len());
        for (position, dimension) in dimensions.iter().enumerate() {
            seats.push(if kept.contains(&position) { self.seat(dimension)? } else { None });
        }
        Ok(Lift { seats })
    }
}

/// From codes of the common table to codes of a release.
pub(super) struct Lift {
    seats: Vec<Option<Seat>>,
}

impl Lift {
    /// The release's cell of every cell of the common table.
    pub(super) fn cells(&self, common: &Domain, own: &Domain) -> Vec<Option<usize>> {
        let mut cells = Vec::with_capacity(common.len());
        let mut there = vec![0; self.seats.len()];
        let mut walk = common.walk();
        while let Some((_, codes)) = walk.advance() {
            for (there, seat) in there.iter_mut().zip(&self.seats) {
                *there = seat.as_ref().map_or(0, |seat| seat.codes[codes[seat.dimension]]);
            }
            cells.push(own.cell(&there));
        }
        cells
    }
}

/// The same sums over the cells of the common table; groups that have no cell there are left out, and their numbers are
/// returned beside those that stay.
pub(super) fn lifted(grouping: &Grouping, cells: &[Option<usize>]) -> (Grouping, Vec<usize>) {
    let mut number: HashMap<u32, u32> = HashMap::new();
    let mut stay: Vec<usize> = Vec::new();
    let mut group_of = Vec::with_capacity(cells.len());
    for cell in cells {
        let group = cell.map_or(NO_GROUP, |cell| grouping.group_of[cell]);
        group_of.push(match group {
            NO_GROUP => NO_GROUP,
            group => *number.entry(group).or_insert_with(|| {
                stay.push(group as usize);
                stay.len() as u32 - 1
            }),
        });
    }
    let times = grouping.times.as_ref();
    let times = times.map(|times| cells.iter().map(|cell| cell.map_or(0, |cell| times[cell])).collect());
    let names = stay.iter().map(|group| grouping.names[*group].clone()).collect();
    (Grouping { label: grouping.label.clone(), names, group_of, times }, stay)
}

fn is_bins(values: &Values) -> bool {
    matches!(values, Values::Bins { .. })
}

fn all_labels(values: &Values) -> Vec<String> {
    (0..values.len()).map(|code| values.label(code)).collect()
}

/// The code in `to` of every label of `from`, if both have the same labels, each once.
fn translated(from: &[String], to: &[String]) -> Option<Vec<usize>> {
    let code: HashMap<&str, usize> = to.iter().enumerate().map(|(code, label)| (label.as_str(), code)).collect();
    let codes: Vec<usize> = from.iter().map(|label| code.get(label.as_str()).copied()).collect::<Option<_>>()?;
    let each_once = from.len() == to.len() && codes.iter().collect::<BTreeSet<_>>().len() == to.len();
    each_once.then_some(codes)
}
