//! `Release`: a verified release, typed by what is known of the law of its noise.

use declare::{Conditions, Declaration, Domain, Grouping, Problem, Relation};
use draw::Exactness;
use plan::{Case, Plan};

/// A release that was verified: what its certificate declares, what follows from it, and its
/// counts.
#[derive(Debug, Clone)]
pub struct Release {
    /// How messages call it: its folder.
    pub name: String,
    /// What its spec declares.
    pub declaration: Declaration,
    /// The live cells.
    pub domain: Domain,
    /// What every table of the release satisfies.
    pub conditions: Conditions,
    /// How it was drawn.
    pub plan: Plan,
    /// The released counts; none of a suppressed release.
    pub values: Vec<i64>,
    /// What is known of its noise.
    pub known: Known,
    /// Which draw its counts are, as its certificate says it; none of a release that has no
    /// certificate.
    pub origin: Option<Origin>,
}

/// Which draw the counts of a release are. Copies, other titles and other formats keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// When it was drawn.
    pub time: String,
    /// Random bits that no other draw has; none in releases of versions up to 0.3.0.
    pub draw: Option<String>,
    /// The seal of the ledger entry that paid for it; none where the data are public.
    pub seal: Option<String>,
}

/// What is known of the law of a release.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// Equalities alone: the noise is the same for every table.
    Free,
    /// Bounds, rules, pinned totals or a base measure: the probability of a release carries 1/Z(x),
    /// which depends on the table.
    Bounded {
        /// What binds it, in words.
        because: &'static str,
    },
    /// A walk drew it: within this distance of its law, as coupled chains say.
    Estimated {
        /// An upper confidence limit of the distance in total variation.
        distance: f64,
        /// What binds it beside totals, in words, if something does.
        because: Option<&'static str>,
    },
    /// A projection of noisy figures: the law of its errors is not known.
    Projected,
    /// Totals alone: there is no noise, and cells have ranges.
    Suppressed,
}

impl Known {
    /// What it means, in a sentence.
    pub fn in_words(&self) -> String {
        match self {
            Known::Free => "released minus true table is noise whose law is the same for every table".to_string(),
            Known::Bounded { because } => {
                format!("the law of the release depends on the true table, because {because}")
            }
            Known::Estimated { distance, .. } => {
                format!(
                    "a walk drew it: coupled chains put it within {distance} of its law, which is evidence and no proof"
                )
            }
            Known::Projected => "noisy figures were projected: the law of the errors is not known".to_string(),
            Known::Suppressed => "totals alone were published: there is no noise to reason about".to_string(),
        }
    }
}

/// Why the law of the release depends on the table, if it does.
fn binding(conditions: &Conditions) -> Option<&'static str> {
    if conditions.nonnegative {
        return Some("released counts are kept at or above zero");
    }
    if conditions.rules.iter().any(|rule| rule.relation != Relation::Equal) {
        return Some("rules with inequalities bind the release");
    }
    let pinned = conditions.pinned.iter().any(Option::is_some);
    pinned.then_some("totals are pinned to values that are not the table's own")
}

impl Release {
    /// A release from its parts, all of which were verified: the case, the plan that follows from
    /// it, the counts.
    ///
    /// # Errors
    /// Refused when the table is so large that it is not held in memory.
    pub fn new(name: &str, case: Case, plan: Plan, values: Vec<i64>) -> Result<Release, Problem> {
        let Case { declaration, domain, conditions, fold } = case;
        if fold.is_some() {
            return Err(Problem::refused("the table is too large to be held in memory, and inference needs it whole")
                .hint("export a coarser table of it and reason about that"));
        }
        let known = if plan.is_suppressed() {
            Known::Suppressed
        } else if plan.is_projected() {
            Known::Projected
        } else {
            let weighted = plan.law.base().map(|_| "a base measure weighs the tables that it is drawn from");
            match (plan.exactness(), weighted.or_else(|| binding(&conditions))) {
                (Exactness::Exact, None) => Known::Free,
                (Exactness::Exact, Some(because)) => Known::Bounded { because },
                (Exactness::Estimated { distance, .. }, because) => {
                    Known::Estimated { distance: distance.to_f64(), because }
                }
                _ => return Err(Problem::refused("how the release was drawn is not known to this version")),
            }
        };
        Ok(Release { name: name.to_string(), declaration, domain, conditions, plan, values, known, origin: None })
    }

    /// Adds the draw that its certificate names.
    pub fn with_origin(self, origin: Origin) -> Release {
        Release { origin: Some(origin), ..self }
    }

    /// The totals that are exact, and those of the true table: not pinned to other values.
    pub(crate) fn own_totals(&self) -> impl Iterator<Item = &Grouping> {
        let all = self.conditions.invariants.iter().zip(&self.conditions.pinned);
        all.filter(|(_, pinned)| pinned.is_none()).map(|(grouping, _)| grouping)
    }

    /// Whether two releases are one and the same draw: by the ledger entry that paid, else by the
    /// identity of the draw, or else by law, counts and time.
    pub fn is_same_draw(&self, other: &Release) -> bool {
        let seal = |release: &Release| release.origin.as_ref().and_then(|origin| origin.seal.clone());
        if let (Some(one), Some(two)) = (seal(self), seal(other)) {
            return one == two;
        }
        let draw = |release: &Release| release.origin.as_ref().and_then(|origin| origin.draw.clone());
        if let (Some(one), Some(two)) = (draw(self), draw(other)) {
            return one == two;
        }
        let time = |release: &Release| release.origin.as_ref().map(|origin| origin.time.clone());
        let apart = time(self).zip(time(other)).is_some_and(|(one, two)| one != two);
        !apart && self.values == other.values && self.declaration.has_law_of(&other.declaration)
    }

    /// Whether released minus true table has a law that is the same for every table, exactly or
    /// nearly.
    pub fn is_free(&self) -> bool {
        matches!(self.known, Known::Free | Known::Estimated { because: None, .. })
    }

    /// Refuses releases whose law is not known, with what can be told of them.
    ///
    /// # Errors
    /// Refused for projections and suppressed releases.
    pub fn check_law(&self) -> Result<(), Problem> {
        match self.known {
            Known::Projected => Err(Problem::refused(format!(
                "the release in `{}` is a projection of noisy figures: the law of its errors is not known, so no interval or posterior \
                 follows from it",
                self.name
            ))
            .hint(
                "`congenial explain` of its spec shows the ranges that its exact totals leave; a release with method = \"condition\" \
                 and nonnegative = false can be inferred from, under bounds too; for comparison, small public tables have --projected",
            )),
            Known::Suppressed => Err(Problem::refused(format!(
                "the release in `{}` has no counts: only totals were published",
                self.name
            ))
            .hint("what it tells of a cell is a range: see the intervals in its certificate, or `congenial explain --disclosure`")),
            _ => Ok(()),
        }
    }
}

/// Refuses the same draw given twice: counted twice it would seem to tell more than it does.
///
/// # Errors
/// Bad when two releases are copies or other presentations of one draw.
pub fn check_different(releases: &[Release]) -> Result<(), Problem> {
    for (place, one) in releases.iter().enumerate() {
        if let Some(two) = releases[place + 1..].iter().find(|two| one.is_same_draw(two)) {
            return Err(Problem::bad(format!(
                "`{}` and `{}` are the same draw: a copy, another title or another format of it tells nothing more",
                one.name, two.name
            ))
            .hint("give every draw once; only releases with noise of their own add up"));
        }
    }
    Ok(())
}

/// How far the walks that drew releases may be from their laws, added up; none where all were drawn
/// exactly.
pub(crate) fn distance(releases: &[Release]) -> Option<f64> {
    let distances = releases.iter().filter_map(|release| match release.known {
        Known::Estimated { distance, .. } => Some(distance),
        _ => None,
    });
    distances.fold(None, |sum, distance| Some(sum.unwrap_or(0.0) + distance))
}
