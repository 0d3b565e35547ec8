//! How a posterior is asked for, what it stands on, and how well it was found.

/// How a posterior is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Where releases have bounds: how Z is cancelled.
    pub cancel: Cancel,
    /// Draws where a law is not listed.
    pub draws: u64,
    /// Their seed.
    pub seed: u64,
}

/// How a posterior with 1/Z(x) is found where it cannot be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cancel {
    /// Listed where there are few tables, else by importance.
    #[default]
    Automatic,
    /// Draws weighted by 1/Z(x).
    Importance,
    /// A chain in which Z cancels.
    Exchange,
}

/// What is known of how well one block was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Diagnosis {
    /// All tables were listed: nothing is random.
    Listed {
        /// How many.
        tables: usize,
    },
    /// Cells that are independent: laws by themselves.
    Alone {
        /// How many.
        cells: usize,
    },
    /// Weighted draws.
    Importance {
        /// How many.
        draws: usize,
        /// The share of them that equally good plain draws would need: Kish's effective size.
        effective: f64,
    },
    /// Tables that chains of short steps visited.
    Chain {
        /// How many.
        draws: usize,
        /// The share of looked-at tables that were within bounds and rules.
        inside: f64,
        /// The effective number of independent draws, of the cell that moves most slowly.
        effective: f64,
    },
    /// Tables whose release, made again, was the released one.
    Rejection {
        /// How many were tried.
        tried: u64,
        /// How many were kept.
        draws: usize,
        /// The share that was kept.
        accepted: f64,
    },
    /// A chain in which Z cancels.
    Exchange {
        /// Its steps, after those that are left out at its beginning.
        steps: usize,
        /// The share of proposals that were accepted.
        accepted: f64,
        /// The effective number of independent draws, by its autocorrelation.
        effective: f64,
    },
}

/// What a posterior stands on: printed with every number.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// The prior's name.
    pub prior: &'static str,
    /// Which fact of the documentation it uses, in a sentence.
    pub fact: String,
    /// Whether its laws are exact to about twelve digits, and its draws from the law itself.
    pub exact: bool,
    /// How well blocks were found that carry 1/Z(x).
    pub diagnoses: Vec<Diagnosis>,
    /// The distance of walks from their law, where one drew a release.
    pub distance: Option<f64>,
}

impl Basis {
    /// The flat prior, and nothing but how a release was drawn that is not exact.
    pub(crate) fn flat(fact: &str, distance: Option<f64>) -> Basis {
        Basis { prior: "flat", fact: fact.into(), exact: distance.is_none(), diagnoses: Vec::new(), distance }
    }
}
