//! `Filter`: the `where` of `[data]` on the raw columns of the file, and what it says about rows it
//! cannot judge.

use crate::fault::{Fault, quoted};
use crate::header::{Header, absent, position};
use declare::{DateFormat, Expression, NotANumber, RowPredicate};

/// How messages call the filter.
const WHERE: &str = "`where` in [data]";

/// The predicate that a row must satisfy.
pub(crate) struct Filter {
    predicate: RowPredicate,
    /// The columns it compares.
    pub columns: Vec<usize>,
}

/// Why a row cannot be judged.
pub(crate) enum CannotJudge {
    /// The value of this column is missing where a number is needed.
    Missing(usize),
    /// Anything else.
    Fault(Box<Fault>),
}

impl Filter {
    /// The filter of an expression over these columns, where dates are written in these formats.
    pub fn new(expression: &Expression, header: Header<'_>, formats: &[DateFormat]) -> Result<Self, Box<Fault>> {
        if expression.orders_text().is_some() {
            let message = format!("{WHERE} orders a text: {expression}");
            return Err(Fault::new(message, format!("the columns of the {}", header.kind))
                .hint("texts compare by =, != and in; write numbers without quotes, and days like '2024-04-01'"));
        }
        let named = expression.names().into_iter().map(|name| position(header, name, WHERE));
        let named = named.collect::<Result<_, _>>()?;
        let columns: Vec<&str> = header.names.iter().map(String::as_str).collect();
        let predicate = expression.bind(&columns).map_err(|unknown| absent(header, &unknown.name, WHERE))?;
        Ok(Filter { predicate: predicate.with_dates(formats), columns: named })
    }

    /// Whether the row with these fields of text is kept.
    pub fn keeps<'a>(&self, field: &dyn Fn(usize) -> &'a str) -> Result<bool, CannotJudge> {
        self.predicate.holds(field).map_err(|NotANumber { column, is_of_day }| {
            let found = field(column);
            if found.trim_ascii().is_empty() {
                return CannotJudge::Missing(column);
            }
            let (label, but, hint) = match is_of_day {
                true => (
                    "not a date",
                    "compares it with a day",
                    "say how dates are written with `date_format` in [data], for example \"MM/DD/YYYY\"; or exclude such \
                     rows first: column != 'n/a' and …",
                ),
                false => {
                    ("not a number", "orders it", "exclude such rows first, for example: column != 'n/a' and column >= 18")
                }
            };
            let message = format!("{} is {label}, but {WHERE} {but}", quoted(found));
            CannotJudge::Fault(Fault::new(message, label).at(column).hint(hint))
        })
    }
}
