//! `Conditions`: all that a declaration demands of the released table, as linear forms over the
//! live cells.

use crate::declaration::{Declaration, Method, Query, Relation};
use crate::domain::Domain;
use crate::grouping::{self, Grouping, MOST_NUMBERS, NO_GROUP, label, renumber, suffix};
use crate::invariant::{Invariant, Sums, Term};
use crate::predicate::{Expression, Resolved};
use crate::problem::Problem;
use crate::rules::RuleRows;
use crate::schema::{Record, Schema};
use crate::{matrix, pinned, rules};
use exact::Rational;

/// What the release must satisfy, and where its noise sits.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    /// The live cells.
    pub cells: usize,
    /// Sums that are exact in the release, in declared order; the rows of a matrix may take several
    /// groupings.
    pub invariants: Vec<Grouping>,
    /// For every grouping of `invariants` its public values, when they do not come from the table
    /// (theorem G10).
    pub pinned: Vec<Option<Vec<i64>>>,
    /// Comparisons that every table satisfies, the confidential one included.
    pub rules: Vec<RuleRows>,
    /// The sums that get noise; none: every cell does.
    pub queries: Vec<QueryRows>,
    /// Whether every cell must be at least zero.
    pub nonnegative: bool,
    /// What one record may change.
    pub footprint: Footprint,
}

/// Noise on the sum of every group.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRows {
    /// The sums.
    pub grouping: Grouping,
    /// Its part of the strength: the query's own ε, or its share of the mechanism's.
    pub strength: Rational,
}

/// What one record may change in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Footprint {
    /// It is counted in one cell.
    OneCell,
    /// It may be counted once in every measure: cells that agree on `place` and differ in the
    /// measure alone.
    EveryMeasure {
        /// How many measures there are.
        measures: usize,
        /// For every live cell the combination of the other dimensions it lies in, numbered from 0
        /// without gaps.
        place: Vec<u32>,
    },
}

impl Conditions {
    /// Totals that come from the table and nothing else, with noise in every cell.
    pub fn of_totals(cells: usize, invariants: Vec<Grouping>) -> Conditions {
        Conditions {
            cells,
            pinned: vec![None; invariants.len()],
            invariants,
            rules: Vec::new(),
            queries: Vec::new(),
            nonnegative: false,
            footprint: Footprint::OneCell,
        }
    }

    /// Whether the release must satisfy an inequality, so that the normaliser depends on the table.
    pub fn has_inequalities(&self) -> bool {
        self.nonnegative || self.rules.iter().any(|rule| rule.relation != Relation::Equal)
    }

    /// The values that the sums of `invariants` have in the release: the pinned ones, or those of
    /// the table.
    ///
    /// # Errors
    /// Bad when a sum does not fit 64 bits.
    pub fn totals(&self, counts: &[i64]) -> Result<Vec<Vec<i64>>, Problem> {
        let total = |(grouping, pinned): (&Grouping, &Option<Vec<i64>>)| match pinned {
            Some(values) => Ok(values.clone()),
            None => grouping.totals(counts).into_iter().map(i64::try_from).collect::<Result<Vec<i64>, _>>(),
        };
        let totals: Result<_, _> = self.invariants.iter().zip(&self.pinned).map(total).collect();
        totals.map_err(|_| Problem::bad("a total does not fit 64 bits"))
    }

    /// Whether a table satisfies non-negativity and every rule. The problem names the rule, never a
    /// cell or a count, so it may be shown about the confidential table.
    ///
    /// # Errors
    /// Bad when the table breaks a rule.
    pub fn check_table(&self, counts: &[i64]) -> Result<(), Problem> {
        let broken = |what: String, hint: &str| {
            Err(Problem::bad(format!("the data break {what}"))
                .hint(format!("{hint}; where they break it is not shown")))
        };
        if self.nonnegative && counts.iter().any(|count| *count < 0) {
            let hint = "correct the data, or write `nonnegative = false` under [constraints]";
            return broken("the rule `nonnegative = true`".to_string(), hint);
        }
        for rule in &self.rules {
            if !rule.grouping.totals(counts).into_iter().all(|sum| rule.relation.holds(sum, rule.bound)) {
                let hint = "correct the data, or take the rule out of [constraints]";
                return broken(format!("the rule `{}`", rule.grouping.label), hint);
            }
        }
        Ok(())
    }
}

impl Declaration {
    /// What the release must satisfy; nothing when the method is `unconstrained`.
    ///
    /// # Errors
    /// Bad when an invariant or a query sums no live cell, when a predicate does not fit the
    /// schema, when pinned values do not fit the groups, or when two queries have the same sums.
    /// Infeasible when a rule is false for every table.
    pub fn conditions(&self, domain: &Domain) -> Result<Conditions, Problem> {
        let none = Conditions::of_totals(domain.len(), Vec::new());
        let mut conditions = Conditions { footprint: footprint(domain), ..none };
        self.check_memory(domain.len())?;
        if self.mechanism.method != Method::Unconstrained {
            conditions.nonnegative = self.constraints.nonnegative;
            for invariant in &self.invariants {
                for grouping in groupings(domain, invariant)? {
                    let values = |values| pinned::values(domain, &invariant.by, &grouping, values);
                    conditions.pinned.push(invariant.pinned.as_deref().map(values).transpose()?);
                    conditions.invariants.push(grouping);
                }
            }
            for rule in &self.constraints.rules {
                conditions.rules.extend(rules::rows(domain, rule)?);
            }
        }
        for query in &self.mechanism.queries {
            let mut grouping = query_sums(domain, query)?;
            // A cascade has noise on every level, millions of sums that nobody is told one by one.
            if self.mechanism.method == Method::Cascade && grouping.groups() > MOST_NAMED {
                grouping.names = vec![String::new(); grouping.groups()];
            }
            if let Some(same) = conditions.queries.iter().find(|other| same_sums(&other.grouping, &grouping)) {
                let message =
                    format!("the queries `{}` and `{}` have the same sums", same.grouping.label, grouping.label);
                return Err(Problem::bad(message).hint("write one query with the strength of both"));
            }
            conditions.queries.push(QueryRows { grouping, strength: self.mechanism.strength_of(query) });
        }
        Ok(conditions)
    }

    /// Refuses what would need more memory than a large machine has, before any of it is asked for.
    fn check_memory(&self, cells: usize) -> Result<(), Problem> {
        let sums = self.invariants.len() + self.constraints.rules.len() + self.mechanism.queries.len();
        match cells.checked_mul(sums) {
            Some(numbers) if numbers <= MOST_NUMBERS => Ok(()),
            _ => Err(Problem::refused(format!(
                "{sums} invariants, rules and queries over {cells} cells need more memory than a machine has"
            ))
            .hint(format!("their product is limited to {MOST_NUMBERS}: leave out totals that follow from others, or use coarser values"))),
        }
    }
}

/// More sums of a level of a cascade have no names.
const MOST_NAMED: usize = 100_000;

/// The sums of one invariant: one grouping, or of a matrix as few as put a cell in one group each.
pub(crate) fn groupings(domain: &Domain, invariant: &Invariant) -> Result<Vec<Grouping>, Problem> {
    let groupings = match &invariant.sums {
        Sums::Cells(filter) => vec![sums(domain, &invariant.by, filter.as_ref())?],
        Sums::Terms(terms) => vec![combination(domain, &invariant.by, terms)?],
        Sums::Matrix(rows) => matrix::groupings(domain, rows)?,
    };
    match groupings.iter().find(|grouping| grouping.groups() == 0) {
        Some(empty) => Err(Problem::bad(format!("the invariant `{}` sums no cell", empty.label))
            .hint("no cell satisfies its `where`, or its terms cancel: correct it, or leave the invariant out")),
        None => Ok(groupings),
    }
}

fn query_sums(domain: &Domain, query: &Query) -> Result<Grouping, Problem> {
    let mut grouping = sums(domain, &folded_names(domain, &query.by), query.filter.as_ref())?;
    grouping.label = label(&query.by, query.filter.as_ref());
    if grouping.groups() == 0 {
        return Err(Problem::bad(format!("the query `{}` sums no cell", grouping.label))
            .hint("no cell satisfies its `where`: correct it, or leave the query out"));
    }
    Ok(grouping)
}

/// The names of sums in a folded table, whose last dimension has no name and stands for all that
/// are not there.
fn folded_names(domain: &Domain, by: &[String]) -> Vec<String> {
    let folded = domain.schema.dimensions.last().is_some_and(|last| last.name.is_empty());
    let (mut known, other): (Vec<String>, Vec<String>) =
        by.iter().cloned().partition(|name| !folded || domain.schema.resolve(name).is_some());
    if !other.is_empty() {
        known.push(String::new());
    }
    known
}

/// Totals by these names, over the cells that satisfy the predicate.
pub(crate) fn sums(domain: &Domain, by: &[String], filter: Option<&Expression>) -> Result<Grouping, Problem> {
    let label = label(by, filter);
    let suffix = suffix(filter);
    let filter = resolved(filter, &domain.schema)?;
    let once = |codes: &[usize]| i64::from(filter.as_ref().is_none_or(|filter| filter.holds(codes)));
    let mut grouping = grouping::grouping(domain, by, label, &once);
    grouping.names.iter_mut().for_each(|name| name.push_str(&suffix));
    Ok(grouping)
}

/// A linear combination of sums for every combination of `by`.
fn combination(domain: &Domain, by: &[String], terms: &[Term]) -> Result<Grouping, Problem> {
    let formula = formula(terms);
    let label = match by {
        [] => formula.clone(),
        by => format!("{formula} by {}", by.join(", ")),
    };
    let terms: Result<Vec<_>, Problem> =
        terms.iter().map(|term| Ok((resolved(term.filter.as_ref(), &domain.schema)?, term.times))).collect();
    let terms = terms?;
    let times = |codes: &[usize]| {
        let holding = terms.iter().filter(|(filter, _)| filter.as_ref().is_none_or(|filter| filter.holds(codes)));
        holding.map(|(_, times)| times).sum()
    };
    let mut grouping = grouping::grouping(domain, by, label, &times);
    for name in &mut grouping.names {
        *name = if by.is_empty() { formula.clone() } else { format!("{name}: {formula}") };
    }
    Ok(grouping)
}

/// The terms as messages write them: `sum(relation = 'head') - 2 sum(kind = 'home')`.
fn formula(terms: &[Term]) -> String {
    let mut text = String::new();
    for term in terms {
        text.push_str(match (text.is_empty(), term.times < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if term.times.unsigned_abs() != 1 {
            text.push_str(&format!("{} ", term.times.unsigned_abs()));
        }
        text.push_str(&term.filter.as_ref().map_or("sum(all)".to_string(), |filter| format!("sum({filter})")));
    }
    text
}

fn resolved(filter: Option<&Expression>, schema: &Schema) -> Result<Option<Resolved>, Problem> {
    filter.map(|filter| Resolved::new(filter, schema)).transpose()
}

/// Whether two groupings have the same groups, whatever their numbers.
fn same_sums(left: &Grouping, right: &Grouping) -> bool {
    if left.groups() != right.groups() {
        return false;
    }
    let mut twin = vec![NO_GROUP; left.groups()];
    left.group_of.iter().zip(&right.group_of).all(|(left, right)| match (*left, *right) {
        (NO_GROUP, NO_GROUP) => true,
        (NO_GROUP, _) | (_, NO_GROUP) => false,
        (left, right) => {
            let twin = &mut twin[left as usize];
            *twin = if *twin == NO_GROUP { right } else { *twin };
            *twin == right
        }
    })
}

fn footprint(domain: &Domain) -> Footprint {
    let (measure, measures) = match domain.schema.measures() {
        Some((dimension, columns, Record::Any)) if columns.len() > 1 => (dimension, columns.len()),
        _ => return Footprint::OneCell,
    };
    let sizes = domain.schema.sizes();
    let mut place = Vec::with_capacity(domain.len());
    let mut walk = domain.walk();
    while let Some((_, codes)) = walk.advance() {
        let others = sizes.iter().zip(codes).enumerate().filter(|(position, _)| *position != measure);
        place.push(others.fold(0, |index, (_, (size, code))| index * *size as u32 + *code as u32));
    }
    let places = sizes.iter().product::<usize>() / measures;
    renumber(&mut place, places);
    Footprint::EveryMeasure { measures, place }
}
