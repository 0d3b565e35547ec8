//! Messages: weights of sums go up, sums are drawn going down; bounds, rules, crossing totals and
//! noisy sums.

use crate::block_quantities::{BlockQuantities, COSTLY, IMPRECISE, NotAvailable, QuerySum};
use crate::exactness::Exactness;
use crate::integer_law::Law;
use crate::law::NoiseLaw;
use crate::listing::Listing;
use crate::messages::Messages as Sampler;
use crate::network::{MOST_KEY_BITS, NetworkQuantities, NetworkSampler, estimate, levels_within};
use crate::operator::{Operator, Role, Task, not_one_total};
use crate::planned::{Around, PlannedNoise, PlannedWork, Prospect, Ready};
use crate::sums::Ladder;
use analyse::{CellNoise, Demand, Ground, Network, NetworkClass, Structure, TOO_MANY_MEET};
use declare::{Conditions, Problem};
use exact::Stream;
use std::sync::Arc;

/// Any product law on sums that join in a tree, or nearly: weights of sums up, totals down.
#[derive(Debug)]
pub struct Messages;

/// Blocks of more cells than this with one total need laws of sums, one for every halving.
const HALVED_ABOVE: f64 = 128.0;

static ROLE: Role = Role {
    takes_base: true,
    ..Role::new(
        "messages",
        "any product law on sums that join in a tree, or nearly: weights of sums go up, sums are drawn going down",
    )
};

impl Operator for Messages {
    fn role(&self) -> &Role {
        &ROLE
    }

    fn attempt(&self, task: &Task) -> Result<Arc<dyn PlannedWork>, String> {
        task.is_product()?;
        task.is_integer()?;
        if task.law.cell_noise().is_none() {
            return Err(format!("its weights are not those of {}", task.law.in_words()));
        }
        let gaussian = task.law.gaussian_variance().is_some();
        if let (Structure::OneTotal { .. }, true, None) = (&task.block.structure, gaussian, task.depends_on_table()) {
            let because = "one total and discrete Gaussian noise: weights of sums go up, sums are drawn going down";
            let cells = task.block.size as f64;
            let halvings = (cells / HALVED_ABOVE).log2().max(0.0);
            let started = 60e-6 + 20e-6 * cells.min(HALVED_ABOVE).sqrt();
            let seconds = started + 1e-3 * halvings + 60e-9 * cells;
            let listing = Listing::of_total(task.law, task.block.size);
            let prospect = Prospect { listing, ..task.prospect(self.name(), seconds, because) };
            return Ok(Arc::new(Messages::noise(prospect)));
        }
        let Some(network) = task.network else {
            return Err(match &task.block.structure {
                Structure::OneTotal { .. } => "a cheaper operator needs no weights of sums".to_owned(),
                Structure::Crossing { .. } | Structure::Linked { .. } => TOO_MANY_MEET.to_owned(),
                _ => not_one_total(task.block),
            });
        };
        let bare = |class: &NetworkClass| {
            class.noise == CellNoise::Queries(Vec::new()) && (class.low.is_none() || class.high.is_none())
        };
        if network.classes.iter().any(bare) {
            return Err(
                "some cells carry no noise of their own and no sum of cells with bounds confines them".to_owned()
            );
        }
        let estimate = estimate(network, task.law, task.rates);
        // Beyond this no level of precision packs the values of a join, and a draw would climb for
        // ever.
        let packs = estimate.key_bits <= f64::from(MOST_KEY_BITS);
        within_limits(task, estimate.bytes, estimate.seconds, packs)?;
        if !packs {
            return Err(TOO_MANY_MEET.to_owned());
        }
        let because = match &task.block.structure {
            Structure::Free => "free cells with noise of their own: one weight each",
            Structure::OneTotal { .. } => {
                "one total over cells with bounds: weights of sums go up, sums are drawn going down"
            }
            Structure::Crossing { .. } => "totals that cross in few classes: weights of several sums at once",
            Structure::Linked { .. } => "rules and noisy sums join in a tree: weights go up, sums are drawn going down",
        };
        let prospect = task.prospect(self.name(), estimate.seconds, because);
        let prospect = Prospect {
            draw_seconds: estimate.draw_seconds,
            bytes: estimate.bytes,
            draw_bytes: estimate.draw_bytes,
            listing: estimate.listing,
            ..prospect
        };
        Ok(Arc::new(PlannedNetwork { prospect, network: network.clone() }))
    }
}

/// Refuses a block instead of running longer, or with more memory, than the spec allows.
fn within_limits(task: &Task, bytes: f64, seconds: f64, packs: bool) -> Result<(), String> {
    // Limits are named that are enough, and only where nothing else stands in the way.
    let raise = || if packs { task.key_to_raise(bytes, seconds) } else { String::new() };
    if bytes > task.limits.bytes as f64 || bytes.is_nan() {
        let much = match bytes / 1e9 {
            _ if bytes < 1e6 => format!("about {:.0} kB", bytes / 1e3),
            gigabytes if gigabytes < 1.0 => format!("about {:.0} MB", bytes / 1e6),
            gigabytes if gigabytes < 1e6 => format!("about {gigabytes:.0} GB"),
            _ => "far more memory than there is".into(),
        };
        return Err(format!("its weights of sums would need {much}{}", raise()));
    }
    if seconds > task.limits.seconds as f64 {
        let long = match seconds / 3600.0 {
            hours if hours < 0.1 => format!("about {seconds:.0} seconds"),
            hours if hours < 1e4 => format!("about {hours:.1} hours"),
            _ => "years".into(),
        };
        return Err(format!("its weights of sums would take {long}{}", raise()));
    }
    Ok(())
}

impl Messages {
    /// Discrete Gaussian noise that adds up to zero in every block.
    pub const fn noise(prospect: Prospect) -> PlannedNoise {
        PlannedNoise { prospect, rank: 2, keeps_total: true, sampler }
    }
}

fn sampler(law: &NoiseLaw) -> Option<Arc<dyn crate::Noise>> {
    Some(Arc::new(Sampler::new(law.gaussian_variance()?)))
}

/// A network around the table.
#[derive(Debug)]
struct PlannedNetwork {
    prospect: Prospect,
    network: Arc<Network>,
}

impl PlannedWork for PlannedNetwork {
    fn is_tried_before(&self) -> bool {
        self.network.joins.iter().any(|join| join.forms.len() > 1)
    }

    fn prospect(&self) -> &Prospect {
        &self.prospect
    }

    fn rank(&self) -> u32 {
        4
    }

    fn ready<'a>(&'a self, Around { noise, centre, .. }: Around<'a>) -> Result<Box<dyn Ready + 'a>, Problem> {
        Ok(Box::new(NetworkSampler::new(&self.network, noise, centre, Ladder::Standard)?))
    }

    fn quantities(&self, Around { cells, noise, centre }: Around<'_>) -> Result<BlockQuantities, Problem> {
        let sampler = NetworkSampler::new(&self.network, noise, centre, Ladder::Standard)?;
        Ok(match sampler.quantities_at_levels(levels_within(self.prospect.listing.seconds)) {
            Some(found) => of_network(&self.network, found),
            None => BlockQuantities::without(cells, IMPRECISE),
        })
    }

    fn under(&self, conditions: &Conditions, cells: &[u32]) -> Result<Option<Arc<dyn PlannedWork>>, Problem> {
        let network = Network::new(conditions, &Ground::new(conditions, &[], &[]), cells)?;
        Ok(Some(Arc::new(PlannedNetwork { prospect: self.prospect.clone(), network: Arc::new(network) })))
    }
}

impl Ready for NetworkSampler<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn cells(&self, _task: usize) -> usize {
        self.network().cells()
    }

    fn draw(&self, _task: usize, stream: &mut Stream) -> Result<Vec<(u32, i64)>, Problem> {
        self.draw_cells(stream)
    }
}

fn of_network(network: &Network, found: NetworkQuantities) -> BlockQuantities {
    let sum = |(row, law): &(u32, Law)| match network.rows[*row as usize].demand {
        Demand::Noisy { query, group, fixed } => Some(QuerySum { query, group, law: law.shifted(fixed) }),
        _ => None,
    };
    BlockQuantities {
        log_normaliser: Some(found.log_normaliser),
        sums: found.rows.iter().filter_map(sum).collect(),
        cells: found.cells,
        not_available: (found.left_out > 0).then_some(NotAvailable { cells: found.left_out, reason: COSTLY }),
    }
}
