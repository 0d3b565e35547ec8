//! What the public totals alone say about cells and sums, as a certificate states it, and the
//! refusal to say too much.
//!
//! Everything here is a function of the declaration and the public totals: `check`, `release` and
//! `verify` compute the same.

use crate::composition::emptied as emptied_by;
use analyse::Disclosed;
use declare::{Conditions, Disclosure, Domain, Grouping, Kind, NO_GROUP, Problem, Resolved};
use disclose::{End, Known, MarginRanges, Range, Ranges, SEARCH_WORK, Widths};
use plan::{Case, only_one_table};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The most disclosed cells that a certificate lists by name.
pub const MOST_LISTED: usize = 1000;

/// The most sums of a grouping whose intervals a certificate lists.
pub const MOST_INTERVALS: usize = 32;

/// Levels of a cascade that have more sums are not asked about: their cells are.
const MOST_ASKED: usize = 100_000;

/// The most confined sensitive cells that a refusal names.
const MOST_NAMED: usize = 3;

/// How closely totals, bounds and rules alone confine the counts of the confidential table,
/// whatever the noise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedDisclosure {
    /// The cells, by the width of the interval that is left for each.
    pub cells: CertifiedWidths,
    /// The sums that the release derives or puts noise on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub margins: Vec<CertifiedMargin>,
    /// The cells that the spec calls sensitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<CertifiedSensitive>,
    /// Where intervals are not proved: the work after which every search ends, in steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_of_work: Option<u64>,
}

impl CertifiedDisclosure {
    /// How many intervals have an end that is not proved, of cells and of sums.
    pub fn not_proved(&self) -> usize {
        self.cells.not_proved + self.margins.iter().map(|margin| margin.widths.not_proved).sum::<usize>()
    }

    /// What is left open, and where the search ended, in words; `None` when all is proved.
    pub fn left_open(&self) -> Option<String> {
        let limit = self.limit_of_work.filter(|_| self.not_proved() > 0)?;
        let billions = limit / 1_000_000_000;
        let intervals = match self.not_proved() {
            1 => "1 interval is".to_string(),
            several => format!("{several} intervals are"),
        };
        Some(format!(
            "{intervals} not proved: the search ends after {billions} thousand million steps of work, in `check`, `release` and \
             `verify` alike, and counts as narrow what it has not shown to be wider"
        ))
    }
}

/// How many intervals are how wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedWidths {
    /// How many there are.
    pub total: usize,
    /// How many hold one value.
    pub disclosed: usize,
    /// How many are at most so wide, or are not proved to be wider.
    pub at_most: Vec<WidthCount>,
    /// How many have an end that was not proved within the limit of work.
    pub not_proved: usize,
}

/// How many intervals are at most so wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WidthCount {
    /// The largest value less the least.
    pub width: u64,
    /// How many.
    pub count: usize,
}

/// Sums over cells that readers may ask about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedMargin {
    /// For example `by county`.
    pub label: String,
    /// How wide their intervals are.
    pub widths: CertifiedWidths,
    /// The interval of every sum, where they are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<CertifiedInterval>,
}

/// The interval of one sum or cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedInterval {
    /// For example `county = Alpha`.
    pub name: String,
    /// What it is at least in every table; none: there is no such number.
    pub low: Option<i64>,
    /// What it is at most in every table; none: there is no such number.
    pub high: Option<i64>,
    /// Whether some table is known to attain each end.
    pub proved: bool,
}

/// The cells that the spec calls sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSensitive {
    /// The predicates.
    pub predicates: Vec<String>,
    /// Every interval should be wider than this.
    pub within: u64,
    /// How many cells there are.
    pub cells: usize,
    /// How many of them have no wider interval, or are not shown to have one: the release overrides
    /// its safeguard.
    #[serde(default)]
    pub confined: usize,
}

/// A cell that the invariants alone disclose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisclosedCell {
    /// For example `county = Alpha, education = Low`.
    pub cell: String,
    /// Its value.
    pub value: i64,
}

/// All that the public totals say about cells and sums.
#[derive(Debug, Clone)]
pub struct Confined {
    /// The range of every cell, and of the sums that readers may ask about.
    pub ranges: Ranges,
    /// The ranges as a certificate states them.
    pub certified: CertifiedDisclosure,
    /// Cells that are disclosed; at most [`MOST_LISTED`] of them.
    pub disclosed: Vec<DisclosedCell>,
    /// How many cells are disclosed.
    pub disclosed_cells: usize,
    /// The cells that the filter of the data leaves empty, whatever the totals say; `None`: it
    /// leaves none.
    pub emptied: Option<Vec<bool>>,
}

impl Confined {
    /// Refuses where one table alone satisfies what is public. A plan knows what one sum after
    /// another shows; that several together, or the filter of the data, leave one table is known
    /// only here.
    ///
    /// # Errors
    /// Refused when one table is left.
    pub fn check_open(&self, case: &Case) -> Result<(), Problem> {
        match self.disclosed_cells == case.domain.len() {
            true if self.emptied.is_some() => Err(Problem::refused(
                "the exact totals and the filter of [data] alone give every cell: no row is in the cells that the filter leaves empty",
            )
            .hint("such a release protects nothing; keep fewer or coarser totals, or filter fewer rows")),
            true if !case.method().draws => Err(only_one_table()),
            _ => Ok(()),
        }
    }
}

/// Finds the ranges of all cells, of the sums of queries and of derived tables. `progress` is told
/// of cells and sums that are done.
///
/// # Errors
/// As [`Known::ranges`] and [`declare::Declaration::output_rows`] say.
pub fn confined(case: &Case, totals: &[Vec<i64>], progress: &(dyn Fn(u64) + Sync)) -> Result<Confined, Problem> {
    let Case { declaration, domain, fold, .. } = case;
    let mut emptied = emptied_by(declaration, domain, true)?;
    if emptied.is_some() && fold.is_some() {
        return Err(Problem::refused("the filter of [data] leaves cells of a table beyond memory empty")
            .hint("leave the values that it filters out of the dimensions, or use coarser values"));
    }
    let found = |emptied: Option<&[bool]>, least: Option<i64>| {
        let (conditions, totals) = without_emptied(case, totals, emptied, least.is_some());
        let known = Known { conditions: &conditions, totals: &totals, least };
        match fold {
            None => known.ranges(&asked(case)?, progress),
            Some(fold) => Ok(known.ranges(&[], progress)?.unfolded(fold)),
        }
    };
    let is_infeasible =
        |found: &Result<Ranges, Problem>| found.as_ref().is_err_and(|problem| problem.kind == Kind::Infeasible);
    let mut ranges = found(emptied.as_deref(), Some(0));
    if emptied.is_some() && is_infeasible(&ranges) {
        // The column of a level may hold something else than its labels.
        emptied = emptied_by(declaration, domain, false)?;
        ranges = found(emptied.as_deref(), Some(0));
    }
    // Totals that no table of counts has can be those of a table in memory that is none.
    if is_infeasible(&ranges) && !case.conditions.nonnegative {
        ranges = found(emptied.as_deref(), None);
    }
    let ranges = ranges?;
    let summary = ranges.summary(declaration.disclosure.within);
    let margins = ranges.margins.iter().zip(&summary.margins);
    let mut certified = CertifiedDisclosure {
        cells: widths(&summary.cells),
        margins: margins.map(|(margin, summary)| certified_margin(margin, &summary.widths)).collect(),
        sensitive: sensitive(&declaration.disclosure, domain, &|cell| left_open(&ranges, emptied.as_deref(), cell))?,
        limit_of_work: None,
    };
    certified.limit_of_work = (certified.not_proved() > 0).then_some(SEARCH_WORK);
    let (disclosed, disclosed_cells) = disclosed(&ranges.disclosed(MOST_LISTED), domain);
    let disclosed_cells = disclosed_cells.max(summary.cells.disclosed);
    Ok(Confined { ranges, certified, disclosed, disclosed_cells, emptied })
}

/// What is public about a table: its totals, and that the cells in which no row can be that the
/// filter keeps are zero: all of them together, of counts.
fn without_emptied<'a>(
    case: &'a Case,
    totals: &'a [Vec<i64>],
    emptied: Option<&[bool]>,
    of_counts: bool,
) -> (Cow<'a, Conditions>, Cow<'a, [Vec<i64>]>) {
    let Some(emptied) = emptied else { return (Cow::Borrowed(&case.conditions), Cow::Borrowed(totals)) };
    let (mut conditions, mut totals) = (case.conditions.clone(), totals.to_vec());
    let mut groups = 0;
    let group_of = emptied.iter().map(|emptied| match emptied {
        false => NO_GROUP,
        true if of_counts => 0,
        true => {
            groups += 1;
            groups - 1
        }
    });
    let group_of: Vec<u32> = group_of.collect();
    let groups = groups.max(1) as usize;
    let (label, names) = ("cells that the filter leaves empty".to_owned(), vec![String::new(); groups]);
    conditions.invariants.push(Grouping { label, names, group_of, times: None });
    conditions.pinned.push(None);
    totals.push(vec![0; groups]);
    (Cow::Owned(conditions), Cow::Owned(totals))
}

/// Disclosed cells by name, at most [`MOST_LISTED`] of them, and how many there are.
pub fn disclosed(cells: &Disclosed, domain: &Domain) -> (Vec<DisclosedCell>, usize) {
    let name = |(cell, value)| DisclosedCell { cell: domain.describe(cell), value };
    (cells.iter().take(MOST_LISTED).map(name).collect(), cells.len())
}

/// The sums that readers may ask about: those with noise of their own and those of derived tables.
fn asked(case: &Case) -> Result<Vec<Grouping>, Problem> {
    let Case { declaration, domain, conditions, .. } = case;
    // The same is said of a table in memory and of one that is streamed, where sums are not asked
    // about. Sums over single cells are the cells, which are asked about anyway.
    let splits = case.method().splits;
    let streams = splits && declaration.fold().is_ok();
    let few = |sums: usize| sums < conditions.cells && sums <= MOST_ASKED;
    let queries = conditions.queries.iter().map(|query| &query.grouping);
    let mut asked: Vec<Grouping> = queries.filter(|sums| !splits || !streams && few(sums.groups())).cloned().collect();
    for rows in declaration.output_rows(domain)? {
        let parts = [Some((rows.sum, "")), rows.below.map(|below| (below, ", denominator"))];
        for (grouping, part) in parts.into_iter().flatten() {
            asked.push(Grouping { label: format!("{}{part} {}", rows.name, grouping.label), ..grouping });
        }
    }
    Ok(asked)
}

fn widths(widths: &Widths) -> CertifiedWidths {
    let count = |(width, count): &(u64, usize)| WidthCount { width: *width, count: *count };
    CertifiedWidths {
        total: widths.total,
        disclosed: widths.disclosed,
        at_most: widths.at_most.iter().filter(|(width, _)| *width > 0).map(count).collect(),
        not_proved: widths.unproved,
    }
}

fn certified_margin(margin: &MarginRanges, summary: &Widths) -> CertifiedMargin {
    let few = margin.ranges.len() <= MOST_INTERVALS;
    let intervals = margin.names.iter().zip(&margin.ranges).filter(|_| few);
    CertifiedMargin {
        label: margin.label.clone(),
        widths: widths(summary),
        intervals: intervals.map(|(name, range)| interval(name.clone(), *range)).collect(),
    }
}

/// A range under a name.
pub fn interval(name: String, range: Range) -> CertifiedInterval {
    CertifiedInterval { name, low: range.low.limit(), high: range.high.limit(), proved: range.is_proved() }
}

/// A range in words: `3`, `0 to 5`, `0 or more`.
pub fn in_words(range: Range) -> String {
    let text = match (range.low.limit(), range.high.limit()) {
        (Some(low), Some(high)) if low == high => low.to_string(),
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("{low} or more"),
        (None, Some(high)) => format!("{high} or less"),
        (None, None) => "any number".to_string(),
    };
    let found = |end: End| if let End::Between { found, .. } = end { found } else { end.limit() };
    match (range.is_proved(), found(range.low), found(range.high)) {
        (true, ..) => text,
        (false, Some(low), Some(high)) => format!("{text} at the widest, {low} to {high} at the narrowest"),
        (false, ..) => format!("{text} at the widest, not proved"),
    }
}

/// What is left open of a cell, as far as that tells of the data: that no row is in a cell which
/// the filter leaves empty says nothing about them.
fn left_open(ranges: &Ranges, emptied: Option<&[bool]>, cell: usize) -> Range {
    match emptied.is_some_and(|emptied| emptied[cell]) {
        true => Range { low: End::Endless, high: End::Endless },
        false => ranges.cell(cell),
    }
}

fn sensitive(
    disclosure: &Disclosure,
    domain: &Domain,
    range_of: &dyn Fn(usize) -> Range,
) -> Result<Option<CertifiedSensitive>, Problem> {
    if disclosure.sensitive.is_empty() {
        return Ok(None);
    }
    let (mut cells, mut confined) = (0, 0);
    each_sensitive(disclosure, domain, |cell, _| {
        cells += 1;
        confined += usize::from(!range_of(cell).is_wider_than(disclosure.within));
    })?;
    let predicates = disclosure.sensitive.iter().map(ToString::to_string).collect();
    Ok(Some(CertifiedSensitive { predicates, within: disclosure.within, cells, confined }))
}

/// Visits every sensitive cell with the number of the first predicate that it satisfies.
fn each_sensitive(
    disclosure: &Disclosure,
    domain: &Domain,
    mut visit: impl FnMut(usize, usize),
) -> Result<(), Problem> {
    let resolve = |predicate| Resolved::new(predicate, &domain.schema);
    let predicates: Vec<Resolved> = disclosure.sensitive.iter().map(resolve).collect::<Result<_, _>>()?;
    if predicates.is_empty() {
        return Ok(());
    }
    let mut walk = domain.walk();
    while let Some((cell, codes)) = walk.advance() {
        if let Some(number) = predicates.iter().position(|predicate| predicate.holds(codes)) {
            visit(cell, number);
        }
    }
    Ok(())
}

/// Refuses when public totals alone confine a cell that the spec calls sensitive to an interval of
/// at most `within`, or are not shown to leave more.
///
/// The ranges may come from any conditions over the cells of the domain, those of several releases
/// together included; the totals around a cell are named from `conditions`. That no row is in cells
/// which a filter leaves `emptied` says nothing about the data.
///
/// # Errors
/// Refused, naming cells, their intervals and the totals around them: public values all of them.
pub fn enforce(case: &Case, ranges: &Ranges, emptied: Option<&[bool]>) -> Result<(), Problem> {
    let Case { declaration, domain, conditions, fold } = case;
    if ranges.cells() != domain.len() {
        return Err(Problem::bad("the ranges are not those of the table"));
    }
    // Totals around a cell are named from the cells of the table itself.
    let around = fold.is_none().then_some(conditions);
    enforce_cells(&declaration.disclosure, domain, around, &|cell| left_open(ranges, emptied, cell))
}

/// Refuses sensitive cells that are confined, given the range of every cell of the domain; totals
/// are named from conditions over the same cells.
///
/// # Errors
/// As [`enforce`]; also when a predicate names what the domain does not have.
pub fn enforce_cells(
    disclosure: &Disclosure,
    domain: &Domain,
    around: Option<&Conditions>,
    range_of: &dyn Fn(usize) -> Range,
) -> Result<(), Problem> {
    let within = disclosure.within;
    let mut confined: Vec<(usize, usize)> = Vec::new();
    let (mut cells, mut open) = (0usize, 0usize);
    each_sensitive(disclosure, domain, |cell, predicate| {
        let range = range_of(cell);
        if !range.is_wider_than(within) {
            cells += 1;
            open += usize::from(!range.is_proved());
            if confined.len() < MOST_NAMED {
                confined.push((cell, predicate));
            }
        }
    })?;
    let Some((cell, predicate)) = confined.first().copied() else { return Ok(()) };
    // Which cells, and not what they are: whoever asked may not know the totals.
    let named = |(cell, _): &(usize, usize)| format!("`{}`", domain.describe(*cell));
    let list: Vec<String> = confined.iter().map(named).collect();
    let list = if cells > confined.len() { format!("{}, …", list.join(", ")) } else { list.join(", ") };
    let what = match cells {
        1 => "a sensitive cell".to_string(),
        _ => format!("{cells} sensitive cells"),
    };
    let closely = match within {
        0 => "to one value".to_string(),
        _ => format!("to intervals of width {within} or less"),
    };
    let predicate = &disclosure.sensitive[predicate];
    let mut message = format!(
        "the exact totals alone confine {what} {closely}, whatever the noise: {list}; sensitive is `{predicate}`"
    );
    if let Some(around) = around.and_then(|conditions| totals_around(conditions, cell)) {
        let which = if cells == 1 { "It" } else { "The first" };
        message.push_str(&format!(". {which} lies in {around}"));
    }
    if open > 0 {
        let cells = if open == 1 { "1 of them".to_string() } else { format!("{open} of them") };
        message.push_str(&format!(". Of {cells} it could not be proved that more is left"));
    }
    Err(Problem::refused(message).hint(
        "declare coarser invariants or fewer rules, so that the totals leave more, or change [disclosure]; `check` lists the intervals",
    ))
}

/// The totals that take a cell, in words.
fn totals_around(conditions: &Conditions, cell: usize) -> Option<String> {
    let own = conditions.invariants.iter().zip(&conditions.pinned).filter(|(_, pinned)| pinned.is_none());
    let rules = conditions.rules.iter().map(|rule| &rule.grouping);
    let name = |grouping: &Grouping| match grouping.group_of[cell] {
        NO_GROUP => None,
        group => Some(format!("`{}`", grouping.names[group as usize])),
    };
    let names: Vec<String> = own.map(|(grouping, _)| grouping).chain(rules).filter_map(name).collect();
    if names.is_empty() { None } else { Some(names.join(" and ")) }
}
