//! Peeling: a total with one undetermined class determines that class; repeat until nothing moves.

use crate::system::System;
use declare::{Kind, Problem};

/// The row of a class that peeling did not reach.
pub(crate) const NOT_PEELED: u32 = u32::MAX;

/// What peeling found.
pub(crate) struct Peeled {
    /// For every class the row that determined it, or [`NOT_PEELED`].
    pub by: Vec<u32>,
    /// For every class its sum, if determined.
    pub value: Vec<i64>,
    /// The determined classes, in the order in which they were found.
    pub order: Vec<u32>,
    /// For every row the number of classes left undetermined.
    pub left: Vec<u32>,
    /// For every row its total minus the determined classes in it.
    pub residual: Vec<i128>,
    /// For every row whether it determined a class.
    pub pivot: Vec<bool>,
}

/// Peels the whole system in time linear in its non-zeros.
///
/// A row keeps only the number of its undetermined classes and the exclusive or of their numbers:
/// with one left, that is its number, so no row needs a list of its classes.
pub(crate) fn peel(system: &System) -> Result<Peeled, Problem> {
    let classes = system.classes.len();
    let mut mix = vec![0u32; system.rows()];
    for class in 0..classes as u32 {
        system.rows_of(class).for_each(|row| mix[row] ^= class);
    }
    let mut peeled = Peeled {
        by: vec![NOT_PEELED; classes],
        value: vec![0; classes],
        order: Vec::new(),
        left: system.class_count.clone(),
        residual: system.totals.iter().flatten().map(|total| i128::from(*total)).collect(),
        pivot: vec![false; system.rows()],
    };
    let mut queue: Vec<usize> = (0..system.rows()).filter(|row| peeled.left[*row] == 1).collect();
    let mut next = 0;
    while next < queue.len() {
        let row = queue[next];
        next += 1;
        if peeled.left[row] != 1 {
            continue;
        }
        let class = mix[row];
        let value = share(system, class, row, peeled.residual[row])?;
        peeled.pivot[row] = true;
        peeled.by[class as usize] = row as u32;
        peeled.value[class as usize] = value;
        peeled.order.push(class);
        for (touched, times) in system.column(class) {
            peeled.left[touched] -= 1;
            peeled.residual[touched] -= i128::from(times) * i128::from(value);
            mix[touched] ^= class;
            if peeled.left[touched] == 1 {
                queue.push(touched);
            }
        }
    }
    Ok(peeled)
}

/// The sum of the one class that is left in a row, from what is left of its total.
fn share(system: &System, class: u32, row: usize, residual: i128) -> Result<i64, Problem> {
    let times = i128::from(system.taken(class, system.place(row).0));
    if residual % times != 0 {
        return Err(Problem::new(
            Kind::Infeasible,
            format!(
                "the totals contradict each other: `{}` leaves {residual} for cells that it takes {times} times, which no \
                 table of counts does",
                system.name(row)
            ),
        ));
    }
    whole(residual / times)
}

/// A class sum as a machine integer: the draw works on those.
pub(crate) fn whole(value: i128) -> Result<i64, Problem> {
    i64::try_from(value).map_err(|_| {
        Problem::refused(format!(
            "the totals imply that some cells add up to {value}, which does not fit a 64-bit integer"
        ))
    })
}
