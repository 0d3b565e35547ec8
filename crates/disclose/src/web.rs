//! `Web`: rows rewritten as sums of smaller rows, and the intervals that follow from one row after
//! another.
//!
//! A row that contains all of another one takes it as a whole. Where the rewritten rows hang
//! together without a cycle and take everything once, the intervals are those of the fibre itself
//! (`proofs/disclosure.md`, 2); otherwise they are outer limits.

use crate::part::{GoalSystem, Goals};
use analyse::Union;
use analyse::program::{Empty, Form, Interval, divided, narrow};

/// The most sweeps over all rows where intervals need not be exact.
const MOST_SWEEPS: usize = 64;
/// The most sweeps where they are exact in the end.
const MOST_FOREST_SWEEPS: usize = 10_000;

/// Variables and the sums made of them.
pub(crate) struct Web {
    /// The interval of every variable, then of every sum.
    pub bounds: Vec<Interval>,
    /// Whether intervals are exact once they are settled.
    is_forest: bool,
    /// Which node is which goal, where all goals are nodes.
    goals: Option<Vec<u32>>,
    /// Forms over nodes and the interval of each.
    lines: Vec<(Form, Interval)>,
}

/// How a row takes a node.
enum Cover {
    Not,
    Whole(i64),
    Pieces(Form),
}

/// The sums while they are made.
struct Builder {
    /// The node that a node is part of, and how often it is taken there.
    parent: Vec<Option<(u32, i64)>>,
    children: Vec<Form>,
    size: Vec<u32>,
    /// Trees of nodes that hang together.
    tied: Union,
    /// The coefficient of every variable in the row at hand.
    taken: Vec<i64>,
}

impl Web {
    /// The rows of a part; with goals as sums of their own if `with_goals`.
    pub fn new(part: &GoalSystem, with_goals: bool) -> Web {
        let variables = part.bounds.len();
        let mut builder = Builder {
            parent: vec![None; variables],
            children: vec![Vec::new(); variables],
            size: vec![1; variables],
            tied: Union::new(variables),
            taken: vec![0; variables],
        };
        let mut web = Web { bounds: part.bounds.clone(), is_forest: true, goals: None, lines: Vec::new() };
        let forms: &[Form] = match &part.goals {
            Goals::Forms(forms) if with_goals => forms,
            _ => &[],
        };
        let rows = part.rows.iter().map(|row| (&row.entries, row.within, None));
        let asked = forms.iter().enumerate().map(|(goal, form)| (form, (None, None), Some(goal)));
        let mut all: Vec<(&Form, Interval, Option<usize>)> = rows.chain(asked).collect();
        all.sort_by_key(|(entries, ..)| entries.len());
        let mut goals = vec![u32::MAX; forms.len()];
        for (entries, within, goal) in all {
            let size = entries.first().map_or(1, |(_, times)| times.abs());
            if size == 0 || entries.iter().any(|(_, times)| times.abs() != size) {
                web.is_forest = false;
                web.lines.push((entries.clone(), within));
                continue;
            }
            if goal.is_some() && size != 1 {
                continue;
            }
            let (node, mut line) = builder.add(entries, size, &mut web.is_forest);
            line.push((node, -1));
            web.bounds.push(divided(within, size));
            web.lines.push((line, (Some(0), Some(0))));
            if let Some(goal) = goal {
                goals[goal] = node;
            }
        }
        let complete = matches!(part.goals, Goals::Forms(_)) && with_goals && !goals.contains(&u32::MAX);
        web.goals = if complete { Some(goals) } else { None };
        web
    }

    /// Narrows all intervals; whether they are those of the fibre.
    pub fn settle(&mut self) -> Result<bool, Empty> {
        let most = if self.is_forest { MOST_FOREST_SWEEPS } else { MOST_SWEEPS };
        if self.bounds.iter().any(|(low, high)| low.zip(*high).is_some_and(|(low, high)| low > high)) {
            return Err(Empty);
        }
        for _ in 0..most {
            let mut changed = false;
            for (line, within) in self.lines.iter().chain(self.lines.iter().rev()) {
                changed |= narrow(line, *within, &mut self.bounds)?;
            }
            if !changed {
                return Ok(self.is_forest);
            }
        }
        Ok(false)
    }

    /// The intervals of the goals of a part.
    pub fn goals(&self, part: &GoalSystem) -> Option<Vec<Interval>> {
        match (&part.goals, &self.goals) {
            (Goals::Each, _) => Some(self.bounds[..part.bounds.len()].to_vec()),
            (Goals::Forms(_), Some(nodes)) => Some(nodes.iter().map(|node| self.bounds[*node as usize]).collect()),
            (Goals::Forms(_), None) => None,
        }
    }
}

impl Builder {
    /// A new node for a row, and the nodes it is made of.
    fn add(&mut self, entries: &Form, size: i64, is_forest: &mut bool) -> (u32, Form) {
        entries.iter().for_each(|(variable, times)| self.taken[*variable as usize] = times / size);
        let mut tops: Vec<u32> = entries.iter().map(|(variable, _)| self.top(*variable)).collect();
        tops.sort_unstable();
        let mut line = Form::new();
        let mut is_whole = true;
        for same in tops.chunk_by(|one, two| one == two) {
            match self.cover(same[0]) {
                Cover::Whole(times) => line.push((same[0], times)),
                Cover::Pieces(pieces) => {
                    is_whole = false;
                    line.extend(pieces);
                }
                Cover::Not => {}
            }
        }
        entries.iter().for_each(|(variable, _)| self.taken[*variable as usize] = 0);
        let node = self.parent.len() as u32;
        self.parent.push(None);
        self.size.push(entries.len() as u32);
        self.tied.push();
        self.children.push(if is_whole { line.clone() } else { Form::new() });
        for (child, times) in &line {
            *is_forest &= self.tied.join(*child, node);
            if is_whole {
                self.parent[*child as usize] = Some((node, *times));
            }
        }
        (node, line)
    }

    fn top(&self, mut node: u32) -> u32 {
        while let Some((above, _)) = self.parent[node as usize] {
            node = above;
        }
        node
    }

    fn cover(&self, node: u32) -> Cover {
        let Some(taken) = self.taken.get(node as usize) else {
            return self.cover_sum(node);
        };
        if *taken == 0 { Cover::Not } else { Cover::Whole(*taken) }
    }

    fn cover_sum(&self, node: u32) -> Cover {
        let mut pieces = Form::new();
        let mut common = None;
        let mut is_whole = true;
        for (child, times) in &self.children[node as usize] {
            match self.cover(*child) {
                Cover::Not => is_whole = false,
                Cover::Whole(taken) => {
                    is_whole &= *common.get_or_insert(taken * times) == taken * times;
                    pieces.push((*child, taken));
                }
                Cover::Pieces(more) => {
                    is_whole = false;
                    pieces.extend(more);
                }
            }
        }
        match common {
            Some(times) if is_whole => Cover::Whole(times),
            _ if pieces.is_empty() => Cover::Not,
            _ => Cover::Pieces(pieces),
        }
    }
}
