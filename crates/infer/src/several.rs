//! Weights of tables under a prior and several releases: the product of what each gives, on the
//! tables that all allow.

use crate::energy::energy;
use crate::field::{BEYOND, noisy_sums, under};
use crate::knowledge::{Knowledge, Prior};
use crate::release::Release;
use crate::weighted::{CellWeight, MessageLimits, Weighted};
use crate::widths::Mixture;
use analyse::{Analysis, Block, CellNoise, Demand, Fibre, Ground, Network, Structure, analyse};
use declare::{Cell, Conditions, Grouping, NO_GROUP, Problem, QueryRows, RuleRows};
use exact::Rational;
use std::collections::HashMap;

/// One or several releases of the same table, and what a reader knows of it.
#[derive(Debug, Clone)]
pub(crate) struct Sources<'a> {
    pub(crate) releases: &'a [Release],
    pub(crate) prior: &'a Prior,
    pub(crate) conditions: Conditions,
    pub(crate) totals: Vec<Vec<i64>>,
    /// For every query of the conditions its rate and the noisy value of every sum.
    noisy: Vec<(f64, Vec<i64>)>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) fixed: Vec<(Cell, i64)>,
    particular: Vec<(Cell, Rational)>,
}

impl<'a> Sources<'a> {
    /// Puts together what all releases and the reader say.
    ///
    /// # Errors
    /// Bad when the releases are of different tables; infeasible when what is known contradicts
    /// itself; refused when the prior needs totals that are not known.
    pub(crate) fn new(releases: &'a [Release], knowledge: &'a Knowledge) -> Result<Sources<'a>, Problem> {
        let (first, others) = releases.split_first().ok_or_else(|| Problem::bad("no release was given"))?;
        let (mut conditions, mut totals) = knowledge.conditions(first)?;
        let mut noisy = centres(first)?;
        for other in others {
            if other.domain != first.domain {
                return Err(Problem::bad(format!(
                    "`{}` and `{}` are releases of different tables: their dimensions or values differ",
                    first.name, other.name
                ))
                .hint("several folders are releases of one and the same true table"));
            }
            let (more, their) = Knowledge::default().conditions(other)?;
            for ((grouping, pinned), values) in more.invariants.into_iter().zip(more.pinned).zip(their) {
                let same = |known: &Grouping| known.group_of == grouping.group_of && known.times == grouping.times;
                match conditions.invariants.iter().position(same) {
                    Some(place) if totals[place] != values => {
                        return Err(Problem::bad(format!(
                            "`{}` and `{}` are releases of different tables: their exact totals `{}` disagree",
                            first.name, other.name, grouping.label
                        ))
                        .hint("several folders are releases of one and the same true table"));
                    }
                    Some(_) => {}
                    None => {
                        conditions.invariants.push(grouping);
                        conditions.pinned.push(pinned);
                        totals.push(values);
                    }
                }
            }
            conditions.rules.extend(more.rules);
            conditions.nonnegative |= more.nonnegative;
            conditions.queries.extend(more.queries);
            noisy.extend(centres(other)?);
        }
        let unpinned = Conditions { pinned: vec![None; conditions.pinned.len()], ..conditions.clone() };
        let Analysis { blocks, fixed, particular, .. } = analyse(&unpinned, &totals)?;
        let blocks = releases.iter().fold(blocks, |blocks, release| under(&release.plan.law, blocks));
        let prior = &knowledge.prior;
        if prior.needs_totals() {
            let whole = |block: &Block, grouping: &Grouping| {
                grouping.times.is_none() && block.cells.iter().all(|cell| grouping.group_of[*cell as usize] != NO_GROUP)
            };
            let known = |block: &Block| conditions.invariants.iter().any(|grouping| whole(block, grouping));
            if !blocks.iter().all(known) {
                return Err(Problem::refused(format!(
                    "the prior `{}` is one of counts given their total, and some cells are in no exact total",
                    prior.name()
                ))
                .hint("add what is known with --total, or use poisson:FILE"));
            }
        }
        Ok(Sources { releases, prior, conditions: unpinned, totals, noisy, blocks, fixed, particular })
    }

    /// Whether the true table is known to satisfy just what the release does.
    pub(crate) fn asks_as(&self, release: &Release) -> bool {
        let (theirs, ours) = (&release.conditions, &self.conditions);
        theirs.invariants == ours.invariants && theirs.rules == ours.rules && theirs.nonnegative == ours.nonnegative
    }

    /// These sources with some blocks taken for one.
    pub(crate) fn joined(&self, together: &[Vec<usize>]) -> Sources<'a> {
        let block = |parts: &Vec<usize>| match parts.as_slice() {
            [one] => Some(self.blocks[*one].clone()),
            _ => {
                let own: Vec<Block> = parts.iter().map(|part| self.blocks[*part].clone()).collect();
                plan::joined(&own, "the normaliser of a release")
            }
        };
        Sources { blocks: together.iter().filter_map(block).collect(), ..self.clone() }
    }

    /// The logarithm of the weight of a table, up to a constant: releases without their
    /// normalisers, and the prior.
    pub(crate) fn log_weight(&self, table: &[i64]) -> f64 {
        let releases: f64 = self.releases.iter().map(|release| -energy(release, &release.values, table)).sum();
        let prior: f64 = match self.prior {
            Prior::Flat => 0.0,
            prior => table.iter().enumerate().map(|(cell, count)| prior.log_weight(cell, *count)).sum(),
        };
        releases + prior
    }

    /// A block as rows and bounds.
    pub(crate) fn fibre(&self, block: usize) -> Result<Fibre, Problem> {
        let ground = Ground::new(&self.conditions, &self.particular, &self.fixed);
        Fibre::new(&self.conditions, &ground, &self.blocks[block].cells)
    }

    /// A block of true tables: noisy sums are no conditions on them.
    pub(crate) fn fibre_of_truths(&self, block: usize) -> Result<Fibre, Problem> {
        let mut fibre = self.fibre(block)?;
        fibre.rows.retain(|row| !matches!(row.demand, Demand::Noisy { .. }));
        Ok(Fibre { noise_on_cells: true, ..fibre })
    }

    /// A block ready for messages; with a sum that gets a row of its own, the number of that row.
    pub(crate) fn weighted(&self, block: usize, row: Option<RuleRows>) -> Result<(Mixture, Option<u32>), Problem> {
        let mut conditions = self.conditions.clone();
        conditions.rules.extend(row);
        let ground = Ground::new(&conditions, &self.particular, &self.fixed);
        let network = Network::new(&conditions, &ground, &self.blocks[block].cells)?;
        let place = network.rows.iter().position(|row| row.demand == Demand::AtMost(BEYOND));
        let norm = self.releases.iter().find(|release| !release.plan.law.is_product());
        let ready = match norm {
            None => Mixture::one(self.weighted_by(network, &|_, _| 0.0)?),
            Some(release) => {
                Mixture::of_widths(release.plan.law.rate().to_f64(), self.squares_of_fixed(), &|square| {
                    self.weighted_at(network.clone(), &|_, _| 0.0, Some(square))
                })?
            }
        };
        Ok((ready, place.map(|place| place as u32)))
    }

    /// The network of a block.
    pub(crate) fn network(&self, block: usize) -> Result<Network, Problem> {
        let ground = Ground::new(&self.conditions, &self.particular, &self.fixed);
        Network::new(&self.conditions, &ground, &self.blocks[block].cells)
    }

    /// A network ready for messages, with the logarithms of more weights of cells.
    pub(crate) fn weighted_by(&self, network: Network, more: &CellWeight<'_>) -> Result<Weighted, Problem> {
        self.weighted_at(network, more, None)
    }

    /// A network with a Gaussian in place of noise by one norm, by the energy of one unit's square:
    /// one of many.
    fn weighted_at(&self, network: Network, more: &CellWeight<'_>, square: Option<f64>) -> Result<Weighted, Problem> {
        let held = self.held();
        let own = self.own_queries(&network);
        let norm = |place: usize, count: i64| {
            let releases = self.releases.iter().filter(|release| !release.plan.law.is_product());
            releases.map(|release| ((release.values[place] - count) as f64).powi(2)).sum::<f64>()
        };
        let of_norm = |cell: u32, count: i64| square.map_or(0.0, |square| -square * norm(cell as usize, count));
        let cell = |cell: u32, count: i64| {
            self.cell_weight(cell, count, &own[&cell], &held) + of_norm(cell, count) + more(cell, count)
        };
        let sum = |query: u32, group: u32, value: i64| {
            let (rate, centres) = &self.noisy[query as usize];
            -rate * (value - centres[group as usize]).unsigned_abs() as f64
        };
        let values = &self.releases[0].values;
        let limits = if square.is_some() { MessageLimits::ONE_OF_MANY } else { MessageLimits::ALONE };
        Weighted::new(network, &|cell| values[cell as usize], &cell, &sum, limits)
    }

    /// What fixed cells add to the squared distance that noise by one norm has: the same for every
    /// table. Zero unless the reader or another release knows a cell that such a release does not.
    pub(crate) fn squares_of_fixed(&self) -> f64 {
        let of = |release: &Release| {
            self.fixed.iter().map(|(cell, value)| ((release.values[*cell] - value) as f64).powi(2)).sum::<f64>()
        };
        self.releases.iter().filter(|release| !release.plan.law.is_product()).map(of).sum()
    }

    /// What fixed cells add to the sums of every query.
    pub(crate) fn held(&self) -> Vec<Vec<i64>> {
        let of = |query: &QueryRows| {
            let mut sums = vec![0; query.grouping.groups()];
            for (cell, value) in self.fixed.iter().filter(|(cell, _)| query.grouping.group_of[*cell] != NO_GROUP) {
                sums[query.grouping.group_of[*cell] as usize] += value * query.grouping.taken(*cell);
            }
            sums
        };
        self.conditions.queries.iter().map(of).collect()
    }

    /// For every cell the queries whose noise the network put on the cell itself.
    pub(crate) fn own_queries(&self, network: &Network) -> HashMap<u32, Vec<u32>> {
        let of_class = |class: &analyse::NetworkClass| {
            let queries = match &class.noise {
                CellNoise::Law => Vec::new(),
                CellNoise::Queries(queries) => queries.clone(),
            };
            class.cells.iter().map(|cell| (*cell, queries.clone())).collect::<Vec<_>>()
        };
        network.classes.iter().flat_map(of_class).collect()
    }

    /// The logarithm of the weight of a count: the prior, noise of its own on the cell, and noisy
    /// sums of which it is the only free cell.
    pub(crate) fn cell_weight(&self, cell: u32, count: i64, own: &[u32], held: &[Vec<i64>]) -> f64 {
        let place = cell as usize;
        let mut log = self.prior.log_weight(place, count);
        let on_cells = |release: &&Release| release.conditions.queries.is_empty() && release.plan.law.is_product();
        for release in self.releases.iter().filter(on_cells) {
            log -= release.plan.law.energy_of(std::iter::once(release.values[place] - count));
        }
        for query in own {
            let (rate, centres) = &self.noisy[*query as usize];
            let grouping = &self.conditions.queries[*query as usize].grouping;
            let group = grouping.group_of[place] as usize;
            let sum = grouping.taken(place) * count + held[*query as usize][group];
            log -= rate * (sum - centres[group]).unsigned_abs() as f64;
        }
        log
    }
}

/// The rate of every query of a release, and the noisy values of its sums.
fn centres(release: &Release) -> Result<Vec<(f64, Vec<i64>)>, Problem> {
    let sums = noisy_sums(&release.conditions, &release.values)?;
    Ok(release.plan.queries.iter().map(|query| query.rate.to_f64()).zip(sums).collect())
}

/// Whether each cell of a block is by itself in the one release and in truth.
pub(crate) fn is_alone(sources: &Sources<'_>, block: usize) -> bool {
    let [release] = sources.releases else { return false };
    let weighted = release.plan.law.base().is_some() && release.conditions.queries.is_empty();
    let alone = |planned: &plan::PlannedBlock| match weighted {
        true => matches!(planned.block.structure, Structure::Free),
        false => planned.operator() == "independent" && !planned.is_noise(),
    };
    let cells = &sources.blocks[block].cells;
    let free = matches!(sources.blocks[block].structure, Structure::Free);
    free && release.plan.blocks.iter().any(|planned| alone(planned) && planned.block.cells == *cells)
}
