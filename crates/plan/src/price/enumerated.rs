//! Enumerated loss: where all tables are listed, the loss is that of the true worst pair of them
//! (theorem G12).
//!
//! For tables x, x' of a block the largest log-ratio of their laws is
//! `E(x − x') + ln Z(x') − ln Z(x)`, because the energy of a metric is largest at y = x. The loss
//! per unit is its largest quotient by the distance, over all pairs of all blocks. Everything is
//! rounded up. Proof: `crates/certify/proofs/G12.md`.

mod narrow;
mod orders;
mod pairs;

use super::{Priced, words};
use crate::noise::{norm_rate, strength_of};
use analyse::{Apart, Moves, Nearest};
use declare::{Mechanism, Noise, Per};
use draw::NoiseLaw;
use draw::operators::TableList;
use exact::{Integer, Rational};
use loss::{Amount, Attained, Loss, NearestLoss, Theorem, decimals_up, rounded_up, times_root_up};
use narrow::Narrow;
use pairs::{Pairs, WorstPair};
use std::cmp::Reverse;
use std::sync::Arc;

/// The scale of the noise is found to so many decimals, rounded down.
const DECIMALS: usize = 12;
/// The most times that a scale is tried.
const MOST_TRIES: usize = 60;

/// The steps with the nearest pair of listed tables, whatever else is known of it.
pub(crate) fn nearest_listed(lists: &[Arc<TableList>], moves: &Moves) -> Moves {
    let found = lists.iter().filter_map(|list| match Narrow::new(&list.listed) {
        Some(narrow) => {
            let tables: Vec<&[i32]> = (0..narrow.len()).map(|table| narrow.table(table)).collect();
            nearest_of(&tables, narrow::distance, narrow::squared)
        }
        None => nearest_of(&list.listed.tables().collect::<Vec<_>>(), apart, squared),
    });
    match found.min() {
        Some((l1, Reverse(l2_squared))) => {
            let pair = Nearest { at_least: l1, found: Some(Apart { l1, l2_squared }) };
            Moves { pair, ..moves.clone() }
        }
        None => moves.clone(),
    }
}

/// The least ℓ₁ distance of two tables, and of those at it the largest squared ℓ₂ distance.
fn nearest_of<T>(
    tables: &[&[T]],
    apart: impl Fn(&[T], &[T]) -> u64,
    squared: impl Fn(&[T], &[T]) -> u64,
) -> Option<(u64, Reverse<u64>)> {
    let mut nearest: Option<(u64, Reverse<u64>)> = None;
    for (place, one) in tables.iter().enumerate() {
        for two in &tables[..place] {
            let distance = apart(one, two);
            if nearest.is_none_or(|nearest| distance <= nearest.0) {
                let found = (distance, Reverse(squared(one, two)));
                nearest = Some(nearest.map_or(found, |nearest| nearest.min(found)));
            }
        }
    }
    nearest
}

fn apart(one: &[i64], two: &[i64]) -> u64 {
    one.iter().zip(two).map(|(one, two)| one.abs_diff(*two)).sum()
}

fn squared(one: &[i64], two: &[i64]) -> u64 {
    let square = |(one, two): (&i64, &i64)| one.abs_diff(*two).saturating_pow(2);
    one.iter().zip(two).map(square).fold(0, u64::saturating_add)
}

/// The price with the loss of the true worst pair, where that is smaller; the nearest pair is
/// stated as it is.
pub(crate) fn sharpened(priced: Priced, lists: &[Arc<TableList>], moves: &Moves, mechanism: &Mechanism) -> Priced {
    let pure = matches!(mechanism.noise, Noise::DOUBLE_GEOMETRIC | Noise::LATTICE_LAPLACE);
    if !pure || !moves.inequalities {
        return priced;
    }
    let rates = match priced.query_rates.as_slice() {
        [] => vec![priced.law.rate()],
        rates => rates.to_vec(),
    };
    let Some(pairs) = lists.iter().map(|list| Pairs::new(list, mechanism.noise)).collect::<Option<Vec<_>>>() else {
        return priced;
    };
    let listed = AllPairs { pairs, mechanism, strengths: &moves.strengths, footprint: 2 * moves.measures };
    let Some(worst) = listed.worst(&rates) else { return priced };
    match mechanism.per {
        Per::Unit => {
            let epsilon = rounded_up(&worst.per_unit);
            let loss = match priced.loss.epsilon().is_some_and(|known| epsilon < *known) {
                true => listed.loss(priced.loss, epsilon, &worst),
                false => listed.stated(priced.loss, &worst),
            };
            Priced { loss, ..priced }
        }
        Per::Record => match listed.fitting(&rates) {
            Some((rates, epsilon, worst)) => {
                let loss = listed.loss(priced.loss, epsilon, &worst);
                let law = NoiseLaw::new(priced.law.family(), rates[0].clone());
                let query_rates = if priced.query_rates.is_empty() { Vec::new() } else { rates };
                Priced { law, query_rates, loss }
            }
            None => Priced { loss: listed.stated(priced.loss, &worst), ..priced },
        },
    }
}

/// All pairs of all blocks, times tables and orders, that are weighed for a ρ.
const MOST_WEIGHED: usize = 400_000_000;
/// The most times that a variance is tried for a ρ per record.
const MOST_VARIANCES: usize = 16;

/// The price with a ρ that holds at all orders for every pair of listed tables, where theorem G13
/// has none; `None` when the tables are too many. `priced` is that of the equalities alone.
pub(crate) fn concentrated_listed(
    priced: &Priced,
    lists: &[Arc<TableList>],
    moves: &Moves,
    mechanism: &Mechanism,
) -> Option<Priced> {
    let several = || lists.iter().filter(|list| list.listed.len() > 1);
    let mut work = several().map(|list| list.listed.len().checked_pow(3)?.checked_mul(orders::ORDERS));
    if work.try_fold(0usize, |sum, own| sum.checked_add(own?)).is_none_or(|work| work > MOST_WEIGHED) {
        return None;
    }
    let pairs = several().map(|list| orders::Pairs::new(&list.listed)).collect::<Option<Vec<_>>>()?;
    let worst = |variance: &Rational| {
        let rate = &Rational::new(1, 2u8) / variance;
        let of_blocks = pairs.iter().map(|pairs| pairs.worst(&rate)).collect::<Option<Vec<_>>>()?;
        of_blocks.into_iter().reduce(orders::WorstOrder::and)
    };
    let footprint = Rational::integer(2 * moves.measures);
    let mut variance = priced.law.parameter().clone();
    let (worst, rho) = match mechanism.per {
        Per::Unit => {
            let worst = worst(&variance)?;
            let rho = decimals_up(&orders::fraction_up(worst.per_unit), RHO_DECIMALS);
            (worst, rho)
        }
        Per::Record => {
            let declared = strength_of(mechanism);
            let mut best: Option<(Rational, orders::WorstOrder)> = None;
            for _ in 0..MOST_VARIANCES {
                let worst = worst(&variance)?;
                let stated = &orders::fraction_up(worst.per_unit) * &footprint;
                let share = &stated / declared;
                if stated <= *declared && best.as_ref().is_none_or(|(known, _)| variance < *known) {
                    best = Some((variance.clone(), worst));
                }
                if stated <= *declared && share >= Rational::new(99, 100u8) {
                    break;
                }
                // A little more than in proportion, and a short fraction: what is used was priced
                // itself.
                variance = decimals_up(&(&(&variance * &share) * &Rational::new(1001, 1000u16)), RHO_DECIMALS);
            }
            let worst;
            (variance, worst) = best?;
            (worst, declared.clone())
        }
    };
    let (distance, squared, cells, nearest) = worst.nearest;
    let step = words::between(distance, squared, cells);
    let rho_of_pair = decimals_up(&orders::fraction_up(nearest), RHO_DECIMALS);
    let known = NearestLoss {
        distance,
        at_least: distance,
        known: true,
        others: false,
        amount: Amount::ZeroConcentrated { rho: rho_of_pair },
        noise: None,
        step,
        ..priced.loss.nearest.clone()
    };
    let loss = Loss::concentrated(rho, mechanism.per, 2 * moves.measures, known);
    let alone = &Rational::new(1, 2u8) / &variance;
    let gamma = &(&orders::fraction_up(worst.per_unit) / &alone) - &Rational::integer(1);
    let (zero, one) = (Rational::integer(0), Rational::integer(1));
    let loss = Loss {
        gamma: decimals_up(&gamma, 6).max(zero).min(one),
        theorem: Theorem::G12,
        because: words::LISTED_ORDERS.to_owned(),
        ..loss
    };
    Some(Priced { law: NoiseLaw::new(priced.law.family(), variance), query_rates: Vec::new(), loss })
}

/// Decimals of a ρ, and of the variance that it buys.
const RHO_DECIMALS: usize = 9;

/// All pairs of all blocks, and what is asked of their loss.
struct AllPairs<'a> {
    pairs: Vec<Pairs<'a>>,
    mechanism: &'a Mechanism,
    /// The strength of every query; none: every cell has noise.
    strengths: &'a [Rational],
    /// How far one record moves a table: the ℓ₁ distance, or the squared ℓ₂ distance.
    footprint: u64,
}

impl AllPairs<'_> {
    /// The worst pair of all blocks; `None` when its numbers leave machine integers.
    fn worst(&self, rates: &[Rational]) -> Option<WorstPair> {
        let of_blocks = self.pairs.iter().map(|pairs| pairs.worst(rates)).collect::<Option<Vec<_>>>()?;
        of_blocks.into_iter().flatten().reduce(WorstPair::and)
    }

    fn is_norm(&self) -> bool {
        !self.mechanism.noise.is_product
    }

    /// A loss per unit as it is stated: per unit, or per record.
    fn stated_unit(&self, per_unit: &Rational) -> Rational {
        match self.mechanism.per {
            Per::Unit => per_unit.clone(),
            Per::Record if self.is_norm() => times_root_up(per_unit, self.footprint),
            Per::Record => per_unit * &Rational::integer(self.footprint),
        }
    }

    /// The largest rates, all by one factor, whose worst pair costs at most what is declared per
    /// record, if they are larger than `known`; the loss to state, and the worst pair at those
    /// rates.
    ///
    /// Nothing is assumed about how the loss grows with the rates: the rates that are returned were
    /// priced themselves.
    fn fitting(&self, known: &[Rational]) -> Option<(Vec<Rational>, Rational, WorstPair)> {
        let strengths = match self.strengths {
            [] => vec![strength_of(self.mechanism).clone()],
            strengths => strengths.to_vec(),
        };
        let most = strengths.iter().fold(Rational::integer(0), |sum, strength| &sum + strength);
        let most_rates: Vec<Rational> = match self.is_norm() {
            true => vec![norm_rate(&most, Per::Record, self.footprint)],
            false => strengths.iter().map(|strength| strength / &Rational::integer(self.footprint)).collect(),
        };
        let scaled = |factor: &Rational| most_rates.iter().map(|rate| rate * factor).collect::<Vec<_>>();
        let parts = Rational::integer(Integer::from(10).pow(DECIMALS));
        let at = |part: &Integer| -> Option<(WorstPair, Rational)> {
            let worst = self.worst(&scaled(&(&Rational::integer(part.clone()) / &parts)))?;
            let stated = self.stated_unit(&worst.per_unit);
            Some((worst, stated))
        };
        let whole = Integer::from(10).pow(DECIMALS);
        let (worst, stated) = at(&whole)?;
        if stated <= most {
            let better = most_rates[0] > known[0];
            return better.then(|| (most_rates.clone(), rounded_up(&stated), worst));
        }
        // The rates that are known to cost no more than declared, rounded down to a part.
        let start = (&(&known[0] / &most_rates[0]) * &parts).floor();
        let (mut best, mut low_loss) = match at(&start) {
            Some((worst, stated)) if stated <= most => (Some((start.clone(), worst)), stated),
            _ => (None, Rational::integer(0)),
        };
        let (mut low, mut high, mut high_loss) =
            (best.as_ref().map_or(Integer::ZERO, |(part, _)| part.clone()), whole, stated);
        let close = Rational::new(1, 1_000_000_000_000u64);
        for _ in 0..MOST_TRIES {
            let gap = &high - &low;
            if gap <= Integer::ONE || best.is_some() && &most - &low_loss <= &most * &close {
                break;
            }
            // Where a straight line between both ends meets what is declared, held inside the
            // middle of the gap so that it shrinks.
            let share = &(&most - &low_loss) / &(&high_loss - &low_loss);
            let straight = (&share * &Rational::integer(gap.clone())).floor();
            let margin: Integer = (&gap / Integer::from(64)).max(Integer::ONE);
            let step = straight.clamp(margin.clone().min(&gap - Integer::ONE), (&gap - &margin).max(Integer::ONE));
            let middle = &low + step;
            let (worst, stated) = at(&middle)?;
            if stated <= most {
                (low, low_loss) = (middle.clone(), stated);
                best = Some((middle, worst));
            } else {
                (high, high_loss) = (middle, stated);
            }
        }
        let (part, worst) = best?;
        let rates = scaled(&(&Rational::integer(part) / &parts));
        (rates[0] > known[0]).then_some((rates, most, worst))
    }

    fn loss(&self, loss: Loss, epsilon: Rational, worst: &WorstPair) -> Loss {
        let (zero, one) = (Rational::integer(0), Rational::integer(1));
        let gamma = match worst.alone.is_zero() {
            true => zero.clone(),
            false => &(&worst.per_unit / &worst.alone) - &one,
        };
        let plain = self.stated_unit(&(&worst.alone + &worst.alone));
        let loss = Loss {
            amount: Amount::Pure { epsilon },
            gamma: decimals_up(&gamma, 6).max(zero).min(one),
            plain: Some(rounded_up(&plain)),
            // Per record the worst pair is scaled to the distance of one record, at which there may
            // be none that loses as much.
            attained: if self.mechanism.per == Per::Unit { Attained::Reached } else { Attained::Unknown },
            by_records: false,
            ..loss
        };
        self.stated(words::by(Theorem::G12, loss), worst)
    }

    /// The loss with the nearest of all pairs.
    fn stated(&self, loss: Loss, worst: &WorstPair) -> Loss {
        let nearest = &worst.nearest;
        let step = words::between(nearest.distance, nearest.squared, nearest.cells);
        let amount = Amount::Pure { epsilon: rounded_up(&nearest.loss) };
        let distance = nearest.distance;
        let nearest =
            NearestLoss { distance, at_least: distance, known: true, others: false, amount, step, ..loss.nearest };
        Loss { nearest, ..loss }
    }
}
