//! Which route finds the extremes of a part: one row after another, closed forms, flows, or a
//! search.

use crate::part::{GoalSystem, Goals, Piece, WideRange};
use crate::search;
use crate::sides::Sides;
use crate::web::Web;
use crate::{affine, flow, grid};
use analyse::program::{Empty, Form, Interval, LARGEST, Row, multiplied};
use rayon::prelude::*;

/// Goals that are asked one by one because together they tie everything up: at most so many
/// variables in all.
const MOST_ALONE: usize = 10_000_000;

/// Work for every goal, row and variable of a piece that it has whatever the others need: little
/// ones are solved by less.
const LEAST_WORK: u64 = 1000;

/// Where a search could make fewer steps for every goal it would end before it has proved anything:
/// it is not begun.
const LEAST_STEPS: u64 = 16;

/// The ranges of all goals of a part that may fall into independent pieces, found with at most so
/// much work.
pub(crate) fn extremes(
    part: GoalSystem,
    work: u64,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<WideRange>, Empty> {
    let goals = part.goals();
    in_pieces(part, goals, work, &|piece, work| whole(piece, work, progress))
}

/// What a piece weighs when work is shared out: how much of it a search would look at.
fn weight(part: &GoalSystem) -> u64 {
    (part.goals() as u64).saturating_mul(part.rows.len() as u64).saturating_mul(part.bounds.len() as u64)
}

/// Splits a part, solves the pieces in parallel and adds up what they say about each goal. Every
/// piece has its share of the work, fixed before any of them begins, so that results do not depend
/// on the threads.
fn in_pieces(
    part: GoalSystem,
    goals: usize,
    work: u64,
    solve: &(dyn Fn(GoalSystem, u64) -> Result<Vec<WideRange>, Empty> + Sync),
) -> Result<Vec<WideRange>, Empty> {
    let pieces = part.tidy()?.split();
    let all: u128 = pieces.iter().map(|piece| u128::from(weight(&piece.part))).sum::<u128>().max(1);
    let share = |piece: &GoalSystem| {
        let share = (u128::from(work) * u128::from(weight(piece)) / all) as u64;
        share.max(work.min(weight(piece).saturating_mul(LEAST_WORK)))
    };
    let solve = |piece: Piece| {
        let work = share(&piece.part);
        Ok((solve(piece.part, work)?, piece.goals))
    };
    let solved = pieces.into_par_iter().map(solve).collect::<Result<Vec<_>, Empty>>()?;
    let mut all = vec![WideRange::exact(0, 0); goals];
    for (found, goals) in solved {
        for (found, goal) in found.into_iter().zip(goals) {
            all[goal as usize] = all[goal as usize].plus(found);
        }
    }
    Ok(all)
}

/// A part in one piece.
fn whole(part: GoalSystem, work: u64, progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<WideRange>, Empty> {
    if part.rows.is_empty() {
        return Ok(unbound(&part, progress));
    }
    if affine::is_affine(&part) {
        progress(part.goals());
        return affine::extremes(&part);
    }
    let mut web = Web::new(&part, true);
    let exact = web.settle()?;
    if let Some(intervals) = web.goals(&part).filter(|_| exact) {
        progress(part.goals());
        return Ok(intervals.into_iter().map(WideRange::attained).collect());
    }
    if let Some(found) = one_by_one(&part)? {
        progress(part.goals());
        return Ok(found);
    }
    if let Some(sides) = Sides::new(&part, false)?
        && let Some(found) = grid::closed(&part, &sides)?
    {
        progress(part.goals());
        return Ok(found);
    }
    reduced(part, &web, work, progress)
}

/// Every goal alone, where the rows without goals hang together without a cycle, and with one of
/// them still do.
fn one_by_one(part: &GoalSystem) -> Result<Option<Vec<WideRange>>, Empty> {
    let Goals::Forms(forms) = &part.goals else { return Ok(None) };
    let entries: usize = part.rows.iter().map(|row| row.entries.len()).sum();
    if forms.len().saturating_mul(entries + part.bounds.len()) > MOST_ALONE || !Web::new(part, false).settle()? {
        return Ok(None);
    }
    let mut found = Vec::with_capacity(forms.len());
    for form in forms {
        let alone = GoalSystem { goals: Goals::Forms(vec![form.clone()]), ..part.clone() };
        let mut web = Web::new(&alone, true);
        match (web.settle()?, web.goals(&alone)) {
            (true, Some(intervals)) => found.push(WideRange::attained(intervals[0])),
            _ => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// Without the variables that one row after another has fixed; the rest may fall into pieces again.
fn reduced(part: GoalSystem, web: &Web, work: u64, progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<WideRange>, Empty> {
    let known: Vec<Option<i128>> =
        web.bounds[..part.bounds.len()].iter().map(|(low, high)| low.filter(|low| *high == Some(*low))).collect();
    let mut place = vec![u32::MAX; known.len()];
    let mut bounds = Vec::new();
    for (variable, _) in known.iter().enumerate().filter(|(_, known)| known.is_none()) {
        place[variable] = bounds.len() as u32;
        bounds.push(part.bounds[variable]);
    }
    let rest = |form: &Form| -> (Form, i128) {
        let mut fixed = 0;
        let mut rest = Form::with_capacity(form.len());
        for (variable, times) in form {
            match known[*variable as usize] {
                Some(value) => fixed += value * i128::from(*times),
                None => rest.push((place[*variable as usize], *times)),
            }
        }
        (rest, fixed)
    };
    let rows = part.rows.iter().map(|row| {
        let (entries, fixed) = rest(&row.entries);
        let less = |end: Option<i128>| end.map(|end| end - fixed);
        Row { entries, within: (less(row.within.0), less(row.within.1)) }
    });
    let (goals, fixed): (Goals, Vec<i128>) = match &part.goals {
        Goals::Each => (Goals::Each, Vec::new()),
        Goals::Forms(forms) => {
            let (forms, fixed) = forms.iter().map(rest).unzip();
            (Goals::Forms(forms), fixed)
        }
    };
    let smaller = GoalSystem { rows: rows.collect(), bounds, goals };
    let goals = smaller.goals();
    let found = in_pieces(smaller, goals, work, &|piece, work| piece_of(piece, work, progress))?;
    let value = |value: i128| WideRange::exact(value, value);
    match &part.goals {
        Goals::Each => {
            let of = |(known, place): (&Option<i128>, &u32)| known.map_or_else(|| found[*place as usize], value);
            Ok(known.iter().zip(&place).map(of).collect())
        }
        Goals::Forms(_) => Ok(found.into_iter().zip(fixed).map(|(found, fixed)| found.plus(value(fixed))).collect()),
    }
}

/// A part whose rows cross: a two-way table, or any other.
fn piece_of(part: GoalSystem, work: u64, progress: &(dyn Fn(usize) + Sync)) -> Result<Vec<WideRange>, Empty> {
    if part.rows.is_empty() {
        return Ok(unbound(&part, progress));
    }
    let mut web = Web::new(&part, true);
    let exact = web.settle()?;
    let variables = web.bounds[..part.bounds.len()].to_vec();
    let outer = match web.goals(&part) {
        Some(intervals) if exact => {
            progress(part.goals());
            return Ok(intervals.into_iter().map(WideRange::attained).collect());
        }
        Some(intervals) => intervals,
        None => (0..part.goals()).map(|goal| interval_of(&part.goal(goal), &variables)).collect(),
    };
    if let Some(sides) = Sides::new(&part, true)? {
        return flow::extremes(&part, &sides, &outer, work, progress);
    }
    let steps = work / weight(&part).max(1);
    if part.rows.len().saturating_mul(part.bounds.len()) <= LARGEST && steps >= LEAST_STEPS {
        return search::extremes(&part, &variables, &outer, work, progress);
    }
    progress(part.goals());
    Ok(outer.into_iter().map(WideRange::unknown).collect())
}

/// Variables that no row ties: the ends of their bounds are attained together.
fn unbound(part: &GoalSystem, progress: &(dyn Fn(usize) + Sync)) -> Vec<WideRange> {
    progress(part.goals());
    match &part.goals {
        Goals::Each => part.bounds.iter().copied().map(WideRange::attained).collect(),
        Goals::Forms(forms) => forms.iter().map(|form| WideRange::attained(interval_of(form, &part.bounds))).collect(),
    }
}

/// What the intervals of its variables say about a form.
fn interval_of(form: &Form, bounds: &[Interval]) -> Interval {
    let ends = form.iter().map(|(variable, times)| multiplied(bounds[*variable as usize], *times));
    ends.fold((Some(0), Some(0)), |sum, end| {
        let add = |one: Option<i128>, two: Option<i128>| Some(one? + two?);
        (add(sum.0, end.0), add(sum.1, end.1))
    })
}
