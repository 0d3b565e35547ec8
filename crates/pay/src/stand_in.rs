//! Public tables, and public stand-ins for confidential ones: what may be drawn again and again.

use crate::named::ledger_of;
use declare::{Declaration, Problem};
use plan::Case;
use prepare::{Given, LoadedTable, Opened, Quiet, StandIn, fresh, is_copy};
use publish::{hash, no_draw};
use tabulate::{Origin, Reading, tabulate_as};

/// A declaration and the counts of its public table, or of a public stand-in.
pub fn public_counts(spec: impl Into<Given>, on: Option<&StandIn>) -> Result<(Declaration, Vec<i64>), Problem> {
    let mut opened = spec.into().open(usize::MAX)?;
    if !opened.method().draws {
        return Err(no_draw());
    }
    if let Some(on) = on {
        check_stand_in(&opened, on)?;
        on.instead(&mut opened.case.declaration, &mut opened.frame);
        opened.counts = None;
        opened.case.declaration.data.public = true;
    }
    if !opened.declaration.data.public {
        return Err(Problem::refused("drawing confidential data again and again would release it").hint(
            "name a public table with the same columns: --on FILE; or write `public = true` under [data] only if that is so",
        ));
    }
    let LoadedTable { opened, tabulated, .. } = opened.load(&Quiet)?;
    Ok((opened.case.declaration, tabulated.table.counts().to_vec()))
}

/// Refuses the confidential data of a spec as their own stand-in.
fn check_stand_in(opened: &Opened, on: &StandIn) -> Result<(), Problem> {
    let Case { declaration, domain, .. } = &opened.case;
    let Opened { folder, .. } = opened;
    if declaration.data.public {
        return Ok(());
    }
    // Whether the stand-in is near the data is an answer about them: there must be a dataset that
    // counts it.
    let (mut ledger, dataset) = ledger_of(opened)?;
    if ledger.dataset(&dataset)?.is_none() {
        let address = ledger.address();
        return Err(Problem::refused(format!("the ledger `{address}` has no dataset `{dataset}`"))
            .hint("open it first: whether a stand-in is near the data is an answer about them, which it counts"));
    }
    let refused = || {
        Err(Problem::refused(
            "the stand-in is the confidential table, or nearly so: drawing it again and again would release it",
        )
        .hint("name a public or synthetic table with the same columns"))
    };
    let confidential = tabulate::data_files(folder, &declaration.data.path).unwrap_or_default();
    let real = match on {
        StandIn::File(on) => on.canonicalize().ok(),
        StandIn::Frame(_) => None,
    };
    if real.is_some() && confidential.iter().any(|file| file.canonicalize().ok() == real) {
        return refused();
    }
    let (mut stand_in, mut frame) = (declaration.clone(), None);
    on.instead(&mut stand_in, &mut frame);
    let instead = frame.as_ref().map_or(Origin::Folder(folder), Origin::Frame);
    // Where one of the two cannot be read, they are not the same; the reason is told when it
    // matters.
    let read = |declaration: &Declaration, origin: Origin<'_>| {
        tabulate_as(Reading::Trusting, declaration, domain, origin, &mut |_| {}).ok()
    };
    match (read(declaration, opened.origin()), read(&stand_in, instead)) {
        (Some(own), Some(other)) if are_near(own.table.counts(), other.table.counts()) => {
            let question = match on {
                StandIn::File(on) => hash(on)?,
                StandIn::Frame(_) => fresh()?,
            };
            ledger.answer(&dataset, &question, "whether a public table is near the data", "compare", false)?;
            refused()
        }
        _ => Ok(()),
    }
}

/// A copy differs from its original by at most this fraction of all records.
const NEAR: i128 = 20;

/// Whether one table is a copy of the other, or nearly so: few records differ, most counts are the
/// same, or all of them are in another order, larger by the same number or by the same factor.
fn are_near(one: &[i64], other: &[i64]) -> bool {
    let pairs = || one.iter().zip(other);
    let distance: i128 = pairs().map(|(one, other)| i128::from(one.abs_diff(*other))).sum();
    let records: i128 = one.iter().chain(other).map(|count| i128::from(*count)).sum();
    if distance * NEAR <= records / 2 {
        return true;
    }
    // Small counts are the same by chance.
    let telling = pairs().filter(|(one, other)| **one >= 8 || **other >= 8);
    let (same, all) = telling.fold((0, 0), |(same, all), (one, other)| (same + usize::from(one == other), all + 1));
    if all >= 4 && 2 * same >= all {
        return true;
    }
    let sorted = |counts: &[i64]| {
        let mut sorted: Vec<i64> = counts.iter().copied().filter(|count| *count != 0).collect();
        sorted.sort_unstable();
        sorted
    };
    all >= 4 && (sorted(one) == sorted(other) || is_copy(one, other))
}
