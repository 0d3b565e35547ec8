//! `Columns`: where in the file the declared dimensions, the counts and the filter stand.

use crate::fault::{Fault, quoted};
use crate::filter::Filter;
use declare::{Declaration, Domain, nearest};

/// The columns a declaration reads.
pub(crate) struct Columns {
    /// The column of every dimension, in cell order.
    pub dimensions: Vec<usize>,
    /// The column of counts; `None`: every row is one record.
    pub count: Option<usize>,
    /// Which rows are kept; `None`: all.
    pub filter: Option<Filter>,
}

impl Columns {
    /// Finds every column in the header, or says which is not there.
    pub fn find(header: &[String], declaration: &Declaration, domain: &Domain) -> Result<Self, Box<Fault>> {
        let dimensions = domain.schema.dimensions.iter().map(|dimension| {
            let what = if dimension.name == dimension.column {
                format!("the dimension `{}`", dimension.name)
            } else {
                format!("the dimension `{}` is read from `{}`", dimension.name, dimension.column)
            };
            position(header, &dimension.column, &what)
        });
        let dimensions = dimensions.collect::<Result<_, _>>()?;
        let count =
            declaration.data.count.as_ref().map(|name| position(header, name, "`count` in [data]")).transpose()?;
        let filter = declaration.data.filter.as_ref();
        let filter = filter.map(|filter| Filter::new(filter, header)).transpose()?;
        Ok(Columns { dimensions, count, filter })
    }
}

/// The position of a column that the declaration names; `what` says where it does.
pub(crate) fn position(header: &[String], name: &str, what: &str) -> Result<usize, Box<Fault>> {
    let mut places = header.iter().enumerate().filter(|(_, column)| *column == name).map(|(position, _)| position);
    match (places.next(), places.next()) {
        (Some(position), None) => Ok(position),
        (Some(_), Some(second)) => {
            Err(Fault::new(format!("the file has two columns named `{name}`"), "the second of them")
                .at(second)
                .hint("give every column its own name; which one is meant cannot be guessed"))
        }
        (None, _) => Err(absent(header, name, what)),
    }
}

/// The fault of a column that is not in the file.
pub(crate) fn absent(header: &[String], name: &str, what: &str) -> Box<Fault> {
    Fault::new(format!("the file has no column `{name}` ({what})"), "the columns of the file")
        .hint(advice(header, name))
}

fn advice(header: &[String], name: &str) -> String {
    const SHOWN: usize = 12;
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
