//! The common table of several releases: one cell for every combination of classes, and what it is
//! in each of them.

use super::classes::{Axis, COUNTED, Value, axes, column_of, comparisons, counted, judged, valued};
use declare::{
    Cleaning, Declaration, Dimension, Domain, Expression, Grouping, NO_GROUP, Policy, RowPredicate, Schema, Side, Sums,
    Values,
};
use std::collections::{BTreeSet, HashMap};

/// The dimensions of a release that its totals, rules and structural zeros look at, and by which it
/// leaves out rows. What differs in other dimensions alone is the same to all of them.
pub(super) fn used(declaration: &Declaration) -> BTreeSet<usize> {
    let schema = &declaration.schema;
    let data = &declaration.data;
    if data.outside == Policy::Drop || data.missing == Policy::Drop {
        return (0..schema.dimensions.len()).collect();
    }
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

/// The common table.
#[derive(Debug, Clone)]
pub(super) struct Common {
    axes: Vec<Axis>,
}

/// What a combination of classes is to a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// One of its cells.
    Cell(usize),
    /// Rows that it does not count.
    Elsewhere,
    /// Rows that it declares not to exist.
    Impossible,
}

impl Common {
    /// The smallest table in which all that these releases look at can be told apart.
    ///
    /// # Errors
    /// In words, when that cannot be told.
    pub(super) fn of(releases: &[(&Declaration, BTreeSet<usize>)]) -> Result<Common, String> {
        axes(releases).map(|axes| Common { axes })
    }

    pub(super) fn combinations(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |product, axis| product.checked_mul(axis.classes.len()))
    }

    /// The common table as a schema: a list of classes for every axis.
    pub(super) fn schema(&self) -> Schema {
        let dimension = |axis: &Axis| Dimension {
            name: axis.name.clone(),
            column: axis.columns[0].clone(),
            values: Values::List(axis.classes.iter().map(|fields| fields[0][0].clone()).collect()),
            cleaning: Cleaning::default(),
        };
        Schema { dimensions: self.axes.iter().map(dimension).collect() }
    }

    /// The table in words: `county × education`.
    pub(super) fn in_words(&self) -> String {
        let names: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
        if names.is_empty() { "one cell".to_string() } else { names.join(" × ") }
    }

    /// The axis that a column belongs to, and its place there.
    fn position(&self, column: &str) -> Option<(usize, usize)> {
        self.axes
            .iter()
            .enumerate()
            .find_map(|(axis, known)| known.columns.iter().position(|name| name == column).map(|place| (axis, place)))
    }

    /// What is the same for all fields of every class of an axis; `None` where a class is split.
    fn by_class<T: PartialEq>(&self, (axis, place): (usize, usize), of: impl Fn(&str) -> T) -> Option<Vec<T>> {
        let class = |fields: &Vec<Vec<String>>| {
            let first = of(&fields[0][place]);
            fields[1..].iter().all(|field| of(&field[place]) == first).then_some(first)
        };
        self.axes[axis].classes.iter().map(class).collect()
    }

    /// What combinations of classes are in a release. Dimensions that the common table cannot tell
    /// apart make no difference.
    ///
    /// # Errors
    /// In words, when the common table does not tell which rows it counts.
    pub(super) fn lift(&self, declaration: &Declaration) -> Result<Lift, String> {
        let data = &declaration.data;
        let seat = |dimension: &Dimension| {
            let at = self.position(column_of(dimension))?;
            Some((at.0, self.by_class(at, valued(dimension))?))
        };
        let seats = declaration.schema.dimensions.iter().map(seat).collect();
        let filter = match &data.filter {
            None => None,
            Some(filter) => {
                let split = || format!("which rows satisfy `{filter}` cannot be told in the common table");
                let names = filter.names();
                let at: Vec<(usize, usize)> =
                    names.iter().map(|name| self.position(name)).collect::<Option<_>>().ok_or_else(split)?;
                for comparison in comparisons(filter) {
                    let at = comparison.names().first().and_then(|name| self.position(name)).ok_or_else(split)?;
                    self.by_class(at, |field| judged(comparison, field, &data.date_formats)).ok_or_else(split)?;
                }
                Some((filter.bind(&names).map_err(|_| split())?.with_dates(&data.date_formats), at))
            }
        };
        let own = counted(declaration);
        let counts = match self.position(COUNTED) {
            Some(at) => {
                let counted = self.by_class(at, |name| own.iter().any(|own| own == name));
                Some((at.0, counted.ok_or("what is counted cannot be told in the common table")?))
            }
            None => None,
        };
        Ok(Lift { seats, filter, counts, missing: data.missing, outside: data.outside })
    }
}

/// From classes of the common table to codes of a release.
pub(super) struct Lift {
    /// For every dimension of the release its axis, and what every class of that is; `None`: not
    /// told apart.
    seats: Vec<Option<(usize, Vec<Value>)>>,
    filter: Option<(RowPredicate, Vec<(usize, usize)>)>,
    /// Which classes of what is counted the release counts.
    counts: Option<(usize, Vec<bool>)>,
    missing: Policy,
    outside: Policy,
}

impl Lift {
    /// The dimensions of the release that the common table tells apart.
    pub(super) fn seated(&self) -> impl Iterator<Item = usize> {
        self.seats.iter().enumerate().filter(|(_, seat)| seat.is_some()).map(|(dimension, _)| dimension)
    }

    /// The codes of a combination of classes in the release, 0 where it is not told; otherwise why
    /// there is none.
    pub(super) fn codes(&self, common: &Common, classes: &[usize], codes: &mut [usize]) -> Result<(), Place> {
        if let Some((axis, counted)) = &self.counts
            && !counted[classes[*axis]]
        {
            return Err(Place::Elsewhere);
        }
        let dropped = |policy| if policy == Policy::Drop { Place::Elsewhere } else { Place::Impossible };
        if let Some((filter, at)) = &self.filter {
            let field = |column: usize| {
                let (axis, place): (usize, usize) = at[column];
                common.axes[axis].classes[classes[axis]][0][place].as_str()
            };
            match filter.holds(&field) {
                Ok(true) => {}
                Ok(false) => return Err(Place::Elsewhere),
                Err(unknown) if field(unknown.column).trim_ascii().is_empty() => return Err(dropped(self.missing)),
                Err(_) => return Err(Place::Elsewhere),
            }
        }
        let values = |seat: &Option<(usize, Vec<Value>)>| seat.as_ref().map(|(axis, values)| values[classes[*axis]]);
        if self.seats.iter().any(|seat| values(seat) == Some(Value::Blank)) {
            return Err(dropped(self.missing));
        }
        for (code, seat) in codes.iter_mut().zip(&self.seats) {
            *code = match values(seat) {
                None => 0,
                Some(Value::Code(code)) => code,
                Some(_) => return Err(dropped(self.outside)),
            };
        }
        Ok(())
    }

    /// What every cell of the common table is in the release.
    pub(super) fn places(&self, common: &Common, cells: &Domain, own: &Domain) -> Vec<Place> {
        let mut places = Vec::with_capacity(cells.len());
        let mut codes = vec![0; self.seats.len()];
        let mut walk = cells.walk();
        while let Some((_, classes)) = walk.advance() {
            places.push(match self.codes(common, classes, &mut codes) {
                Ok(()) => own.cell(&codes).map_or(Place::Impossible, Place::Cell),
                Err(place) => place,
            });
        }
        places
    }
}

/// The sums of a grouping over the cells of the common table; groups that have no cell there are
/// left out, and their numbers are returned beside those that stay.
pub(super) fn lifted(grouping: &Grouping, places: &[Place]) -> (Grouping, Vec<usize>) {
    let mut number: HashMap<u32, u32> = HashMap::new();
    let mut stay: Vec<usize> = Vec::new();
    let mut group_of = Vec::with_capacity(places.len());
    for place in places {
        let group = if let Place::Cell(cell) = place { grouping.group_of[*cell] } else { NO_GROUP };
        group_of.push(match group {
            NO_GROUP => NO_GROUP,
            group => *number.entry(group).or_insert_with(|| {
                stay.push(group as usize);
                stay.len() as u32 - 1
            }),
        });
    }
    let times = |place: &Place, times: &[i64]| if let Place::Cell(cell) = place { times[*cell] } else { 0 };
    let times = grouping.times.as_ref().map(|all| places.iter().map(|place| times(place, all)).collect());
    let names = stay.iter().map(|group| grouping.names[*group].clone()).collect();
    (Grouping { label: grouping.label.clone(), names, group_of, times }, stay)
}
