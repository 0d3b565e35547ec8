//! What every column of a file becomes in a draft, and why.

use crate::facts::{Column, Dates, Facts, MOST_VALUES};
use declare::{Day, Number, Period};

/// The most values that a draft lists; more are read from a public file.
const MOST_LISTED: usize = 500;

/// The widest range of whole numbers whose every value becomes a cell.
const WIDEST_RANGE: i64 = 150;

/// About how many bins a wide range is cut into.
const BINS: i64 = 8;

/// The most cells of a drafted table.
pub(super) const MOST_CELLS: usize = 1_000_000;

/// Parts of names that speak of counts.
const COUNT_WORDS: &str =
    "count counts freq frequency pop population total totals cases deaths trips persons people children households";

/// What a column becomes.
pub(super) enum Verdict {
    /// A dimension.
    Dimension(Domain),
    /// A dimension that is commented out, because of this.
    Aside(Domain, String),
    /// Counts: no dimension.
    Count {
        /// Whether some are below zero.
        negative: bool,
    },
    /// It looks like the privacy unit: how many there are, and how many rows one has at the most.
    Unit {
        /// Different values.
        units: usize,
        /// The most rows that one stands in.
        most: u64,
    },
    /// Nothing, because of this.
    LeftOut(String),
}

/// A drafted domain.
pub(super) enum Domain {
    /// These labels.
    List(Vec<String>),
    /// All integers between two; what stands for a number that is not known.
    Integers(i64, i64, Option<i64>),
    /// Bins from these edges, the last one open; what stands for a number that is not known.
    Bins(Vec<i64>, Option<i64>),
    /// Dates counted by a period, from the first to the last.
    Dates(Period, i64, i64),
    /// The column of the file itself, with the levels that its digits suggest.
    File {
        /// The length of the codes, when they are equally long digits.
        digits: Option<usize>,
    },
}

impl Domain {
    /// How many values it has; of a file, as many as it has rows.
    fn len(&self, rows: u64) -> usize {
        match self {
            Domain::List(labels) => labels.len(),
            Domain::Integers(first, last, _) | Domain::Dates(_, first, last) => (last - first + 1) as usize,
            Domain::Bins(edges, _) => edges.len(),
            Domain::File { .. } => usize::try_from(rows).unwrap_or(usize::MAX),
        }
    }
}

/// One verdict per column.
pub(super) fn judge(facts: &Facts) -> Vec<Verdict> {
    let has_counts = facts.columns.iter().any(is_count);
    // In a file of counts the column that names every row is what the counts are of; only one can
    // be.
    let key = facts.columns.iter().position(|column| has_counts && column.is_key && !is_count(column));
    let verdicts: Vec<Verdict> = (0..facts.columns.len()).map(|position| verdict(facts, position, key)).collect();
    let too_many = too_many(facts, &verdicts);
    let aside = |(position, verdict): (usize, Verdict)| match verdict {
        Verdict::Dimension(domain) if too_many.contains(&position) => {
            let name = quoted(&facts.columns[position]);
            Verdict::Aside(domain, format!("with {name} the table would have more than {MOST_CELLS} cells"))
        }
        other => other,
    };
    verdicts.into_iter().enumerate().map(aside).collect()
}

/// The dimensions that do not fit into the table beside the others. Small domains come first: sex
/// and age group say more than one column of many values.
fn too_many(facts: &Facts, verdicts: &[Verdict]) -> Vec<usize> {
    let size = |verdict: &Verdict| match verdict {
        Verdict::Dimension(domain) => Some((!matches!(domain, Domain::File { .. }), domain.len(facts.rows))),
        _ => None,
    };
    let mut sizes: Vec<((bool, usize), usize)> =
        verdicts.iter().enumerate().filter_map(|(position, verdict)| Some((size(verdict)?, position))).collect();
    sizes.sort_unstable();
    let mut cells = 1usize;
    let mut too_many = Vec::new();
    for ((is_list, size), position) in sizes {
        let more = cells.saturating_mul(size);
        if more > MOST_CELLS && is_list {
            too_many.push(position);
        } else {
            cells = more;
        }
    }
    too_many
}

fn quoted(column: &Column) -> String {
    declare::toml_string(&column.name)
}

fn verdict(facts: &Facts, position: usize, key: Option<usize>) -> Verdict {
    let column = &facts.columns[position];
    if column.name.is_empty() {
        return Verdict::LeftOut("it has no name".to_string());
    }
    if facts.columns.iter().enumerate().any(|(other, twin)| other != position && twin.name == column.name) {
        return Verdict::LeftOut("two columns have this name".to_string());
    }
    if let Some(kind) = column.unreadable {
        return Verdict::LeftOut(format!("it holds {kind}"));
    }
    if column.seen == 0 {
        return Verdict::LeftOut("it has no value in any row".to_string());
    }
    if is_count(column) {
        return Verdict::Count { negative: column.numbers.is_some_and(|numbers| numbers.least < 0) };
    }
    if key == Some(position) {
        return Verdict::Dimension(key_domain(column));
    }
    if key.is_none() && column.names_rows() && facts.rows >= 20 && may_be_unit(column, facts.rows) {
        let why = "it differs in every row, so it names rows and no unit that owns several of them";
        return Verdict::LeftOut(why.to_string());
    }
    if let Some((units, most)) = column.repeated.filter(|_| key.is_none() && names_units(column, facts)) {
        return Verdict::Unit { units, most };
    }
    let Some(domain) = domain(column) else {
        let why = match &column.values {
            None => format!("it has more than {MOST_VALUES} different values"),
            Some(values) => format!("it has {} different values", values.len()),
        };
        return Verdict::LeftOut(format!(
            "{why}: a domain from a public file, {{ path = \"…\", key = \"…\" }}, can hold them"
        ));
    };
    match decided_by(facts, position, key) {
        Some(why) => Verdict::Aside(domain, why),
        None => Verdict::Dimension(domain),
    }
}

/// Whether another column already says what this one says.
fn decided_by(facts: &Facts, position: usize, key: Option<usize>) -> Option<String> {
    let column = &facts.columns[position];
    let size = |position: usize| facts.columns[position].values.as_ref().map_or(0, Vec::len);
    if size(position) < 2 {
        return None;
    }
    let name = quoted(column);
    if let Some(key) = key {
        let key = quoted(&facts.columns[key]);
        return Some(format!("every {key} has one {name}: a level above it, levels = [{name}, {key}]"));
    }
    let finer = (0..facts.columns.len()).find(|other| {
        let (here, there) = (size(position), size(*other));
        let candidate = &facts.columns[*other];
        let usable = !is_count(candidate) && !candidate.names_rows() && domain(candidate).is_some();
        let is_finer = there > here || (there == here && *other < position);
        // Values that hardly ever come twice decide everything by chance.
        let is_evidence = facts.rows >= 2 * there as u64;
        *other != position && usable && is_finer && is_evidence && facts.decides(*other, position)
    })?;
    let other = quoted(&facts.columns[finer]);
    Some(if size(finer) == size(position) {
        format!("it says the same as {other}, value by value")
    } else {
        format!("every {other} has one {name}: a hierarchy from a public file, levels = [{name}, {other}]")
    })
}

/// Whether the name speaks of counts and the values are whole numbers.
fn is_count(column: &Column) -> bool {
    let name = column.name.to_lowercase();
    let mut words = name.split(|letter: char| !letter.is_alphabetic());
    let speaks = name == "n" || words.any(|word| COUNT_WORDS.split(' ').any(|known| known == word));
    speaks && column.numbers.is_some_and(|numbers| numbers.whole)
}

/// Words at the end of names of columns that speak of units.
const UNIT_WORDS: &str = "id key code number person patient household customer client member subject case";

fn speaks_of_units(column: &Column) -> bool {
    let name = column.name.to_lowercase();
    UNIT_WORDS.split(' ').any(|word| name.ends_with(word))
}

/// Whether the values of a column come again, and are so many that they name persons, or others who
/// own several rows.
fn names_units(column: &Column, facts: &Facts) -> bool {
    let (Some((units, most)), rows) = (column.repeated, facts.rows) else { return false };
    // Counts do not tell whose rows they count.
    if facts.columns.iter().any(is_count) {
        return false;
    }
    let whole = column.numbers.is_none_or(|numbers| numbers.whole);
    let many = units > MOST_LISTED || (units as u64 * 20 >= rows && units >= 20);
    most > 1 && whole && many && column.dates.is_empty() && speaks_of_units(column)
}

/// Whether a column that names every row may name whom the row is about: a text, a number by its
/// name, or numbers in a row.
fn may_be_unit(column: &Column, rows: u64) -> bool {
    if !column.dates.is_empty() {
        return false;
    }
    let Some(numbers) = column.numbers else { return true };
    let in_a_row = (numbers.most - numbers.least + 1).unsigned_abs() == rows;
    numbers.whole && (in_a_row || speaks_of_units(column))
}

/// The domain of the column that names every row.
fn key_domain(column: &Column) -> Domain {
    match domain(column) {
        Some(list @ Domain::List(_)) => list,
        _ => Domain::File { digits: column.digits },
    }
}

fn domain(column: &Column) -> Option<Domain> {
    if let Some(Dates { first, last, .. }) = column.dates.first() {
        let period = period(*first, *last);
        return Some(Domain::Dates(period, period.of(*first), period.of(*last)));
    }
    let few = column.values.as_ref().filter(|values| values.len() <= MOST_LISTED);
    let Some(numbers) = column.numbers else {
        let few = column.values.as_ref().map(|values| spelled(values, &column.times));
        return few.filter(|labels| labels.len() <= MOST_LISTED).map(|labels| Domain::List(sorted(&labels)));
    };
    let marker = column.values.as_ref().filter(|_| numbers.whole).and_then(|values| marker(values));
    let (least, most) = match (marker, &column.values) {
        (Some(marker), Some(values)) => {
            let others = values.iter().filter_map(|value| whole(value)).filter(|value| *value != marker);
            others.fold((i64::MAX, i64::MIN), |(least, most), value| (least.min(value), most.max(value)))
        }
        _ => (numbers.least, numbers.most),
    };
    let width = most - least + 1;
    let contiguous = column.values.as_ref().is_some_and(|values| values.len() as i64 * 2 >= width);
    if numbers.whole && width <= WIDEST_RANGE && (contiguous || few.is_none_or(|values| values.len() > 20)) {
        return Some(Domain::Integers(least, most, marker));
    }
    match few {
        Some(values) if values.len() <= 20 => Some(Domain::List(sorted(values))),
        _ if width >= 3 => Some(Domain::Bins(edges(least, most), marker)),
        _ => None,
    }
}

/// The period that gives a draft a few values.
fn period(first: Day, last: Day) -> Period {
    match last.0 - first.0 {
        ..=750 => Period::Month,
        751..=4000 => Period::Quarter,
        _ => Period::Year,
    }
}

fn whole(value: &str) -> Option<i64> {
    Number::read(value)?.integer().and_then(|integer| i64::try_from(integer).ok())
}

/// A number far from all others that files write for one that is not known: nines, or −1 and −9
/// below zero.
fn marker(values: &[String]) -> Option<i64> {
    let mut numbers: Vec<i64> = values.iter().filter_map(|value| whole(value)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.as_slice() {
        [.., before, last] if [99, 999, 9999, 99_999].contains(last) && *before < last / 2 => Some(*last),
        [first, next, ..] if [-1, -9, -99, -999].contains(first) && *next >= 0 => Some(*first),
        _ => None,
    }
}

/// Labels that differ in spaces around them or in capital letters alone, each as it is written most
/// often.
pub(super) fn spelled(values: &[String], times: &[u64]) -> Vec<String> {
    let mut best: Vec<(String, &str, u64)> = Vec::new();
    for (value, times) in values.iter().zip(times) {
        let folded = value.trim().to_lowercase();
        match best.iter_mut().find(|(known, ..)| *known == folded) {
            Some((_, label, most)) if *times > *most => (*label, *most) = (value.trim(), *times),
            Some(_) => {}
            None => best.push((folded, value.trim(), *times)),
        }
    }
    best.into_iter().map(|(_, label, _)| label.to_string()).collect()
}

/// Labels in the order of their numbers when all are numbers or contain one (`<5`, `6-10`, `85+`),
/// else of their letters.
fn sorted(values: &[String]) -> Vec<String> {
    let mut sorted = values.to_vec();
    let number = |label: &String| Number::read(label).map(|number| (number.floor, label.trim().parse::<f64>().ok()));
    let inside = |label: &String| {
        let digits = label.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse::<u64>().ok()
    };
    sorted.sort_unstable();
    if sorted.iter().all(|label| number(label).is_some()) {
        sorted.sort_by(|left, right| number(left).partial_cmp(&number(right)).unwrap_or(std::cmp::Ordering::Equal));
    } else if sorted.iter().all(|label| inside(label).is_some()) {
        sorted.sort_by_key(inside);
    }
    sorted
}

/// Round edges from below the smallest number on, as far as 64 bits reach; the last bin is open.
fn edges(least: i64, most: i64) -> Vec<i64> {
    let (least, most) = (i128::from(least), i128::from(most));
    let rough = ((most - least + i128::from(BINS) - 1) / i128::from(BINS)).max(1);
    let mut power = 1;
    while power * 10 <= rough {
        power *= 10;
    }
    let step = [1, 2, 5, 10].map(|times| times * power).into_iter().find(|step| *step >= rough).unwrap_or(10 * power);
    let first = least.div_euclid(step) * step;
    let edges = (0..).map(|number| first + number * step).take_while(|edge| *edge <= most);
    edges.map(|edge| i64::try_from(edge).unwrap_or(i64::MIN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_round_and_few() {
        assert_eq!(edges(17, 90), [10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(edges(12_285, 1_484_705), [0, 200_000, 400_000, 600_000, 800_000, 1_000_000, 1_200_000, 1_400_000]);
        assert_eq!(edges(-7, 4), [-8, -6, -4, -2, 0, 2, 4]);
        assert_eq!(edges(0, 2), [0, 1, 2]);
        let step = 5_000_000_000_000_000_000;
        assert_eq!(edges(i64::MIN, i64::MAX), [i64::MIN, -step, 0, step]);
    }

    #[test]
    fn numbers_are_listed_in_their_order() {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        assert_eq!(sorted(&texts(&["10", "9", "1.5", "1.25"])), ["1.25", "1.5", "9", "10"]);
        assert_eq!(sorted(&texts(&["10", "6-9", "85+", "<5"])), ["<5", "6-9", "10", "85+"]);
        assert_eq!(sorted(&texts(&["10th", "9th", "Masters"])), ["10th", "9th", "Masters"]);
    }
}
