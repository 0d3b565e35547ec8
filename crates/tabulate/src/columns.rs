//! `Columns`: where in a file or frame the declared dimensions, the counts and the filter stand.

use crate::fault::{Fault, quoted};
use crate::file::DataFile;
use crate::filter::Filter;
use declare::{Declaration, Domain, Values, nearest};

/// The columns a declaration reads.
pub(crate) struct Columns {
    /// The dimensions that have a column, with it, in cell order.
    pub dimensions: Vec<(usize, usize)>,
    /// The columns of counts: none (every row is one record), one, or one for every measure.
    pub counts: Vec<usize>,
    /// The dimension of measures, whose values are the columns of counts.
    pub measures: Option<usize>,
    /// The column of the privacy unit.
    pub unit: Option<usize>,
    /// Which rows are kept; `None`: all.
    pub filter: Option<Filter>,
}

/// The names of all columns, and what they are the columns of: a file or a frame.
#[derive(Clone, Copy)]
pub(crate) struct Header<'a> {
    pub names: &'a [String],
    pub kind: &'static str,
}

impl Columns {
    /// Finds every column in the header, or says which is not there.
    pub fn find(file: &dyn DataFile, declaration: &Declaration, domain: &Domain) -> Result<Self, Box<Fault>> {
        let header = Header { names: file.header(), kind: file.kind() };
        let mut dimensions = Vec::new();
        let (mut counts, mut measures) = (Vec::new(), None);
        for (number, dimension) in domain.schema.dimensions.iter().enumerate() {
            let name = &dimension.name;
            if let Values::Measures { columns, .. } = &dimension.values {
                let what = format!("a measure of `{name}`");
                let columns = columns.iter().map(|column| position(header, column, &what));
                (counts, measures) = (columns.collect::<Result<_, _>>()?, Some(number));
                continue;
            }
            let what = if *name == dimension.column {
                format!("the dimension `{name}`")
            } else {
                format!("the dimension `{name}` is read from `{}`", dimension.column)
            };
            dimensions.push((number, position(header, &dimension.column, &what)?));
        }
        if let Some(name) = &declaration.data.count {
            counts = vec![position(header, name, "`count` in [data]")?];
        }
        let unit = declaration.data.unit.as_ref();
        let unit = unit.map(|name| position(header, name, "`unit` in [data]")).transpose()?;
        let filter = declaration.data.filter.as_ref();
        let filter = filter.map(|filter| Filter::new(filter, header, &declaration.data.date_formats)).transpose()?;
        Ok(Columns { dimensions, counts, measures, unit, filter })
    }

    /// The columns that are read, each once, in increasing order.
    pub fn used(&self) -> Vec<usize> {
        let mut used: Vec<usize> = self.dimensions.iter().map(|(_, column)| *column).collect();
        used.extend(&self.counts);
        used.extend(self.unit);
        used.extend(self.filter.iter().flat_map(|filter| filter.columns.iter()));
        used.sort_unstable();
        used.dedup();
        used
    }
}

/// The position of a column that the declaration names; `what` says where it does.
pub(crate) fn position(header: Header<'_>, name: &str, what: &str) -> Result<usize, Box<Fault>> {
    let mut places =
        header.names.iter().enumerate().filter(|(_, column)| *column == name).map(|(position, _)| position);
    match (places.next(), places.next()) {
        (Some(position), None) => Ok(position),
        (Some(_), Some(second)) => {
            Err(Fault::new(format!("the {} has two columns named `{name}`", header.kind), "the second of them")
                .at(second)
                .hint("give every column its own name; which one is meant cannot be guessed"))
        }
        (None, _) => Err(absent(header, name, what)),
    }
}

/// The fault of a column that is not there.
pub(crate) fn absent(header: Header<'_>, name: &str, what: &str) -> Box<Fault> {
    let kind = header.kind;
    Fault::new(format!("the {kind} has no column `{name}` ({what})"), format!("the columns of the {kind}"))
        .hint(advice(header, name))
}

fn advice(Header { names: header, kind }: Header<'_>, name: &str) -> String {
    const SHOWN: usize = 12;
    if header.iter().any(|column| column.contains('\0')) {
        return format!("the {kind} holds NUL bytes; if it is UTF-16, save it as UTF-8");
    }
    if let [only] = header
        && let Some(separator) = [';', '\t', ',', '|'].into_iter().find(|separator| only.contains(*separator))
    {
        let separator = if separator == '\t' { "tabs".to_owned() } else { format!("`{separator}`") };
        return format!(
            "the fields seem to be separated by {separator}; .csv files are read with commas, \
                    .tsv files with tabs"
        );
    }
    if let Some(column) = nearest(name, header.iter().map(String::as_str)) {
        return format!("did you mean {}?", quoted(column));
    }
    let shown: Vec<String> = header.iter().take(SHOWN).map(|column| quoted(column)).collect();
    let more = header.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the columns are {}{rest}", shown.join(", "))
}
