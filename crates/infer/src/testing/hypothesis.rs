//! `Hypothesis`: what is said of the true table, as the margins that would suffice to describe it.
//!
//! A log-linear hypothesis says that cells have probabilities ∏ of one factor per group of each of
//! its margins, times public weights. Given the sums over those groups the true table has the
//! weight ∏ weightˣ/x! and no parameter is left: that is what an exact test stands on
//! (`proofs/exact-tests.md`).

use crate::query::entries_of;
use crate::release::Release;
use analyse::Lattice;
use declare::{Domain, Grouping, NO_GROUP, Problem, Relation, Values};

/// What is tested.
#[derive(Debug, Clone, PartialEq)]
pub struct Hypothesis {
    /// The word for scripts: `independence`, `homogeneity`, `trend`, `fit` or `log-linear`.
    pub name: &'static str,
    /// What it says, in words.
    pub words: String,
    /// The sums that suffice.
    pub(crate) margins: Vec<Grouping>,
    /// The public weight of every cell; none: all the same.
    pub(crate) weights: Option<Vec<u64>>,
    /// Rows, columns and strata, where there are such.
    pub(crate) layout: Option<Layout>,
}

/// The cells as rows and columns in strata.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The names of rows, columns and strata.
    pub(crate) rows: Vec<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) strata: Vec<String>,
    /// Stratum, row and column of every cell.
    pub(crate) places: Vec<[u32; 3]>,
}

impl Layout {
    /// Whether every combination of stratum, row and column is a cell.
    pub(crate) fn is_full(&self) -> bool {
        self.places.len() == self.rows.len() * self.columns.len() * self.strata.len()
    }
}

/// How hypotheses about rows and columns are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Association {
    /// Rows and columns are independent, in every stratum if there are strata.
    Independence,
    /// Independence in all strata, where a common direction is looked for.
    Homogeneity,
    /// Independence, where a trend along scores is looked for.
    Trend,
}

impl Association {
    fn name(self) -> &'static str {
        match self {
            Association::Independence => "independence",
            Association::Homogeneity => "homogeneity",
            Association::Trend => "trend",
        }
    }
}

impl Hypothesis {
    /// That rows and columns are independent, within every stratum where strata are named.
    ///
    /// # Errors
    /// Bad when a name is not of the table, when one is given twice, and when a dimension is left
    /// over.
    pub fn association(
        domain: &Domain,
        kind: Association,
        rows: &[String],
        columns: &[String],
        strata: &[String],
    ) -> Result<Hypothesis, Problem> {
        for (flag, names) in [("rows", rows), ("columns", columns)] {
            if names.is_empty() {
                return Err(Problem::bad(format!("the test of {} has no {flag}", kind.name()))
                    .hint(format!("name dimensions of the release: --{flag} NAME; it has {}", names_of(domain))));
            }
        }
        if kind == Association::Homogeneity && strata.is_empty() {
            return Err(Problem::bad("homogeneity is tested over strata, and none are named")
                .hint("name them: --strata NAME; without strata it is --test independence"));
        }
        let mut used = vec![false; domain.schema.dimensions.len()];
        let mut take = |names: &[String]| axis(domain, names, &mut used);
        let [strata_axis, row_axis, column_axis] = [take(strata)?, take(rows)?, take(columns)?];
        if let Some(left) = used.iter().position(|used| !used) {
            let name = &domain.schema.dimensions[left].name;
            return Err(Problem::bad(format!(
                "the table also has `{name}`, and the hypothesis does not say how counts fall on its values"
            ))
            .hint(format!(
                "name it too: --strata {name} for the hypothesis at every value of it, or add it to --rows or --columns"
            )));
        }
        for (flag, axis) in [("rows", &row_axis), ("columns", &column_axis)] {
            if axis.names.len() < 2 {
                return Err(Problem::bad(format!("the {flag} have {} value: nothing to compare", axis.names.len()))
                    .hint("name dimensions with two values or more"));
            }
        }
        let place = |cell: usize| [&strata_axis, &row_axis, &column_axis].map(|axis| axis.codes[cell]);
        let places: Vec<[u32; 3]> = (0..domain.len()).map(place).collect();
        let margin = |of: usize, names: &Axis, by: &[String]| {
            let codes = places.iter().map(|place| place[0] * names.names.len() as u32 + place[of]).collect();
            let joined = joined(&strata_axis.names, &names.names);
            let label: Vec<&str> = strata.iter().chain(by).map(String::as_str).collect();
            Grouping { label: format!("by {}", label.join(", ")), names: joined, group_of: codes, times: None }
        };
        let margins = vec![margin(1, &row_axis, rows), margin(2, &column_axis, columns)];
        let within = if strata.is_empty() { String::new() } else { format!(" in every {}", strata.join(" × ")) };
        Ok(Hypothesis {
            name: kind.name(),
            words: format!("{} and {} are independent{within}", rows.join(" × "), columns.join(" × ")),
            margins,
            weights: None,
            layout: Some(Layout {
                rows: row_axis.names,
                columns: column_axis.names,
                strata: strata_axis.names,
                places,
            }),
        })
    }

    /// That counts fall on the cells in proportion to public weights.
    ///
    /// # Errors
    /// Bad when no cell has weight, or the weights are too large.
    pub fn fit(domain: &Domain, weights: Vec<u64>) -> Result<Hypothesis, Problem> {
        let all: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        if weights.len() != domain.len() || all == 0 || all > u128::from(u64::MAX >> 1) {
            return Err(Problem::bad(
                "a public distribution has one weight for every cell, not all of them zero, with a sum below 2^63",
            ));
        }
        Ok(Hypothesis {
            name: "fit",
            words: "counts fall on the cells as the public distribution says".to_string(),
            margins: vec![Grouping {
                label: "total".into(),
                names: vec!["total".into()],
                group_of: vec![0; domain.len()],
                times: None,
            }],
            weights: Some(weights),
            layout: None,
        })
    }

    /// A log-linear hypothesis by its margins: each a list of dimensions that may depend on each
    /// other.
    ///
    /// # Errors
    /// Bad when a name is not of the table, or nothing is named.
    pub fn log_linear(domain: &Domain, margins: &[Vec<String>]) -> Result<Hypothesis, Problem> {
        if margins.is_empty() {
            return Err(Problem::bad("a log-linear hypothesis has margins, and none are given")
                .hint("--margin a,b --margin b,c --margin a,c: no interaction of all three"));
        }
        let margin = |names: &Vec<String>| {
            let axis = axis(domain, names, &mut vec![false; domain.schema.dimensions.len()])?;
            let label = format!("by {}", names.join(", "));
            Ok(Grouping { label, names: axis.names, group_of: axis.codes, times: None })
        };
        let words: Vec<String> = margins.iter().map(|names| format!("[{}]", names.join(" × "))).collect();
        Ok(Hypothesis {
            name: "log-linear",
            words: format!("cells have factors {} and no other interaction", words.join(" ")),
            margins: margins.iter().map(margin).collect::<Result<_, Problem>>()?,
            weights: None,
            layout: None,
        })
    }

    /// The margins that the exact totals of a release do not determine, by their labels.
    ///
    /// # Errors
    /// Refused when the lattice of the totals has entries that are too large.
    pub fn inexact(&self, release: &Release) -> Result<Vec<String>, Problem> {
        let told = |margin: &&Grouping| release.own_totals().any(|known| refines(known, margin));
        let open: Vec<&Grouping> = self.margins.iter().filter(|margin| !told(margin)).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let lattice = own_lattice(release)?;
        let moves = |margin: &&&Grouping| !lattice.basis().iter().all(|vector| keeps(vector, margin));
        Ok(open.iter().filter(moves).map(|margin| margin.label.clone()).collect())
    }

    /// Which strata are empty, in a sentence: they tell nothing.
    pub(crate) fn empty_strata(&self, release: &Release) -> Option<String> {
        let layout = self.layout.as_ref().filter(|layout| layout.strata.len() > 1)?;
        let mut totals = vec![0i128; layout.strata.len()];
        for ([stratum, ..], count) in layout.places.iter().zip(&release.values) {
            totals[*stratum as usize] += i128::from(*count);
        }
        let empty = layout.strata.iter().zip(&totals).filter(|(_, total)| **total == 0);
        let empty: Vec<&str> = empty.map(|(name, _)| name.as_str()).collect();
        let shown = empty[..empty.len().min(5)].join("; ");
        (!empty.is_empty())
            .then(|| format!("{} of {} strata are empty and tell nothing: {shown}", empty.len(), totals.len()))
    }

    /// The rank of the margins: what the hypothesis leaves free is the number of cells minus it.
    pub(crate) fn rank(&self) -> Result<usize, Problem> {
        let cells = self.margins.first().map_or(0, |margin| margin.group_of.len());
        Ok(kernel(cells, self.margins.iter())?.rank())
    }
}

/// All noise that keeps what the release tells exactly of the true table itself: totals that are
/// pinned to other values do not.
fn own_lattice(release: &Release) -> Result<Lattice, Problem> {
    let rules = release.conditions.rules.iter().filter(|rule| rule.relation == Relation::Equal);
    kernel(release.conditions.cells, release.own_totals().chain(rules.map(|rule| &rule.grouping)))
}

/// The rank of what a release tells exactly.
pub(crate) fn rank_of(release: &Release) -> Result<usize, Problem> {
    Ok(own_lattice(release)?.rank())
}

fn kernel<'a>(cells: usize, groupings: impl Iterator<Item = &'a Grouping>) -> Result<Lattice, Problem> {
    let rows: Vec<Vec<(u32, i64)>> = groupings.flat_map(entries_of).filter(|row| !row.is_empty()).collect();
    Lattice::kernel(cells, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Whether the sums of a margin are sums of those of a grouping.
fn refines(known: &Grouping, margin: &Grouping) -> bool {
    let mut of: Vec<Option<u32>> = vec![None; known.groups()];
    let mut one =
        |(group, margin): (&u32, &u32)| *group != NO_GROUP && *of[*group as usize].get_or_insert(*margin) == *margin;
    known.times.is_none() && known.group_of.iter().zip(&margin.group_of).all(&mut one)
}

/// Whether adding a vector changes no sum of a margin.
fn keeps(vector: &[(u32, i64)], margin: &Grouping) -> bool {
    let mut sums = std::collections::HashMap::new();
    for (cell, value) in vector {
        *sums.entry(margin.group_of[*cell as usize]).or_insert(0i128) += i128::from(*value);
    }
    sums.values().all(|sum| *sum == 0)
}

/// Several dimensions as one: the code of every cell, and the names of the codes.
struct Axis {
    codes: Vec<u32>,
    names: Vec<String>,
}

/// All pairs of names.
fn joined(before: &[String], names: &[String]) -> Vec<String> {
    let pair = |before: &str, name: &str| if before.is_empty() { name.into() } else { format!("{before}, {name}") };
    before.iter().flat_map(|before| names.iter().map(|name| pair(before, name))).collect()
}

fn axis(domain: &Domain, names: &[String], used: &mut [bool]) -> Result<Axis, Problem> {
    let mut codes = vec![0u32; domain.len()];
    let mut labels = vec![String::new()];
    for name in names {
        let (dimension, level) = domain.schema.resolve(name).ok_or_else(|| {
            Problem::bad(format!("the release has no dimension `{name}`")).hint(format!("it has {}", names_of(domain)))
        })?;
        if std::mem::replace(&mut used[dimension], true) {
            return Err(Problem::bad(format!("`{name}` is named twice, or two levels of one dimension are"))
                .hint("every dimension is either rows, columns or strata"));
        }
        let values = &domain.schema.dimensions[dimension].values;
        if let (Values::Hierarchy(levels), Some(level)) = (values, level)
            && levels.labels[level].len() != values.len()
        {
            return Err(Problem::bad(format!(
                "`{name}` is a level above the cells of the release: the hypothesis does not say how counts fall on what is below it"
            ))
            .hint(format!("name the dimension itself: `{}`", domain.schema.dimensions[dimension].name)));
        }
        let size = values.len();
        let mut walk = domain.walk();
        while let Some((cell, own)) = walk.advance() {
            codes[cell] = codes[cell] * size as u32 + own[dimension] as u32;
        }
        let shown = &domain.schema.dimensions[dimension].name;
        let own: Vec<String> = (0..size).map(|value| format!("{shown} = {}", values.label(value))).collect();
        labels = joined(&labels, &own);
    }
    Ok(Axis { codes, names: labels })
}

fn names_of(domain: &Domain) -> String {
    domain.schema.dimensions.iter().map(|dimension| dimension.name.as_str()).collect::<Vec<_>>().join(", ")
}
