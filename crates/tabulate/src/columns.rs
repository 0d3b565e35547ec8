//! `Columns`: where in a file or frame the declared dimensions, the counts and the filter stand.

use crate::fault::Fault;
use crate::filter::Filter;
use crate::header::{Header, position};
use declare::{Declaration, Domain, Values};
use std::collections::BTreeSet;

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

impl Columns {
    /// Finds every column in the header, or says which is not there.
    pub fn find(header: Header<'_>, declaration: &Declaration, domain: &Domain) -> Result<Self, Box<Fault>> {
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
        let dimensions = self.dimensions.iter().map(|(_, column)| column);
        let filter = self.filter.iter().flat_map(|filter| &filter.columns);
        let used: BTreeSet<usize> = dimensions.chain(&self.counts).chain(&self.unit).chain(filter).copied().collect();
        used.into_iter().collect()
    }
}
