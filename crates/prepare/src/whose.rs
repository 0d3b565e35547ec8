//! Whose data a table is: not those of another ledger, and none that recognise nothing; and no copy
//! of it orders its own cells.

use crate::analysed::{Analysed, LoadedTable};
use crate::copied::is_copy;
use crate::given::Opened;
use crate::recognise::{FEWEST_CELLS, ask_ledgers, others, own_address, prints, whoever};
use declare::{Domain, Kind, Problem};
use ledger::{Claim, Ledger, Print};
use plan::Case;
use tabulate::Tabulated;

/// The fingerprints of a table that was read.
pub fn prints_of(ledger: &Ledger, opened: &Opened, tabulated: &Tabulated) -> Result<Vec<Print>, Problem> {
    let counts = opened.fold.is_none().then(|| tabulated.table.counts());
    prints(ledger, &opened.declaration, &opened.domain, &opened.folder, counts)
}

impl LoadedTable {
    /// Refuses confidential data that another ledger than that of their spec knows already: the
    /// same data have one budget.
    pub fn check_others(&self, by: &str) -> Result<(), Problem> {
        let Opened { case: Case { declaration, .. }, folder, .. } = &self.opened;
        let own = own_address(declaration.budget.as_ref(), folder)?;
        let mut ledgers = others(&declaration.data.path, folder, own.as_ref())?;
        ledgers.iter_mut().try_for_each(|ledger| {
            ledger.recognise(&prints_of(ledger, &self.opened, &self.tabulated)?, Claim::Elsewhere, by)
        })
    }

    /// Refuses confidential rows in memory that nothing would recognise: they have no bytes of a
    /// file, and too few counts. Whether that is so depends on the data: an answer, to be counted.
    pub fn check_recognisable(&self) -> Result<(), Problem> {
        let Opened { case: Case { declaration, .. }, frame, .. } = &self.opened;
        let above = || self.tabulated.table.counts().iter().filter(|count| **count != 0).count();
        match frame.is_some() && !declaration.data.public && above() < FEWEST_CELLS {
            false => Ok(()),
            true => Err(Problem::refused(format!(
                "confidential rows in memory with fewer than {FEWEST_CELLS} cells above zero are recognised by nothing"
            ))
            .hint("write them to a file, which is recognised by its bytes")),
        }
    }
}

/// Refuses an order of cells, or a base measure, that a ledger knows as confidential data: it
/// decides the law of a release, and is public.
pub fn check_order(analysed: &Analysed) -> Result<(), Problem> {
    let Opened { case: Case { declaration, domain, .. }, folder, .. } = &analysed.opened;
    let check = |path: &str, does: &str, counts: Option<(Domain, Vec<i64>)>| {
        let mut named = declaration.clone();
        named.data.path = path.to_owned();
        named.data.public = true;
        let (domain, counts) =
            counts.as_ref().map_or((domain, None), |(domain, counts)| (domain, Some(counts.as_slice())));
        let budget = declaration.budget.as_ref();
        let asked = ask_ledgers(path, budget, folder, Claim::Public, &whoever(), |ledger| {
            prints(ledger, &named, domain, folder, counts)
        });
        asked.map_err(|problem| match problem.kind {
            Kind::Refused => Problem {
                message: format!("`{path}` {does} and must be public: {}", problem.message),
                hint: Some(PUBLIC_BEFORE.to_owned()),
                ..problem
            },
            _ => problem,
        })
    };
    if let Some(order) = &declaration.mechanism.order {
        check(&order.path, "orders the cells", order.as_counts(&declaration.schema))?;
    }
    match declaration.mechanism.base.as_ref().and_then(|base| Some((base, base.path.as_ref()?))) {
        Some((base, path)) => check(path, "weighs tables as a base measure", base.as_counts(&declaration.schema)),
        None => Ok(()),
    }
}

const PUBLIC_BEFORE: &str = "name a table that was public before: last period's release, populations";

/// Refuses a copy of the confidential table as its own order or base measure. Whether it is one
/// depends on the data: an answer, to be counted.
pub fn check_not_its_own_order(analysed: &Analysed) -> Result<(), Problem> {
    let Case { declaration, domain, fold, .. } = &analysed.opened.case;
    if declaration.data.public || fold.is_some() {
        return Ok(());
    }
    let counts = analysed.tabulated.table.counts();
    let copied = |what: String, named: String| {
        let message = format!("{what} and must be public, and it has the counts of the confidential table{named}");
        Err(Problem::refused(message).hint(PUBLIC_BEFORE))
    };
    if let Some(base) = &declaration.mechanism.base
        && let Some(cells) = base.counts_of_cells(domain)?
    {
        let (own, public): (Vec<i64>, Vec<i64>) = cells.iter().map(|(cell, count)| (counts[*cell], *count)).unzip();
        if is_copy(&own, &public) {
            let named = base.path.as_ref().map_or(String::new(), |path| format!(" (`{path}`)"));
            return copied("the base measure weighs tables".to_owned(), named);
        }
    }
    let Some(order) = &declaration.mechanism.order else { return Ok(()) };
    let whole = |value: f64| (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64);
    let values: Option<Vec<i64>> = order.of_cells(domain)?.into_iter().map(whole).collect();
    match values.is_some_and(|values| is_copy(counts, &values)) {
        true => copied(format!("`{}` orders the cells", order.path), String::new()),
        false => Ok(()),
    }
}
