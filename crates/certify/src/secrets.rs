//! What a release tells of a secret, when records depend on each other as the spec declares: beside
//! the guarantee, never instead of it.
//!
//! A function of the declaration, the exact totals and the loss. Proof:
//! `crates/certify/proofs/secrets.md`.

use crate::nested::{Class, nested};
use declare::{Conditions, Declaration, DeclaredWorld, Domain, Family, Footprint, Problem, Relation, Secrets};
use draw::Exactness;
use exact::Rational;
use loss::Definition;
use plan::{Case, Plan, decimals};
use secrets::{Binary, Finite, Measure, Normal, World, inflated};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The proof document in the source tree.
const PROOF: &str = "crates/certify/proofs/secrets.md";

/// Binomial laws of so many records, squared and added up, are compared in a short time.
const MOST_WORK: u128 = 800_000_000;

/// What the release tells of a secret, for the family of laws that the spec declares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSecrets {
    /// The family, by its word in specs.
    pub family: String,
    /// All of it in words: what is assumed, what follows, and that the guarantee does not depend on
    /// it.
    pub sentence: String,
    /// Δ_z: how far the tables of one answer are from those of the other at most, in units of l1
    /// distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<String>,
    /// The distance in replaced records, where it is a number of records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Of means: Δ_z of the mean, as a part of how far two answers are apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
    /// The loss ε about the secret (of a loss rho: absent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<String>,
    /// The loss ρ about the secret (of pure loss: absent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<String>,
    /// The loss, ε or ρ, of one replaced record, of means of one replaced value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_loss: Option<String>,
    /// The loss about the secret as a multiple of the loss of a record, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inflation: Option<String>,
    /// How far the truth may be from the family: twice that is part of the loss.
    pub mistaken: String,
    /// Why nothing is stated, where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_stated: Option<String>,
    /// The proof document in the source tree.
    pub proof: String,
}

impl CertifiedSecrets {
    /// All of it as lines for a terminal, without a heading.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("family       {}", self.family)];
        if let Some(reason) = &self.not_stated {
            lines.push(format!("stated       nothing: {reason}"));
            return lines;
        }
        if let Some(distance) = &self.distance {
            let records = match self.records {
                Some(1) => " (1 replaced record)".to_owned(),
                Some(records) => format!(" ({records} replaced records)"),
                None => String::new(),
            };
            lines.push(format!("Δ_z          {distance} in ℓ₁ distance{records}"));
        }
        if let Some(share) = &self.share {
            lines.push(format!("Δ_z / width  {share} of the mean"));
        }
        let (letter, loss) = match (&self.epsilon, &self.rho) {
            (Some(epsilon), _) => ("epsilon", epsilon.as_str()),
            (None, Some(rho)) => ("rho", rho.as_str()),
            (None, None) => ("nothing", ""),
        };
        lines.push(format!("loss         {letter} = {loss}"));
        if let (Some(inflation), Some(record)) = (&self.inflation, &self.record_loss) {
            lines.push(format!("inflation    {inflation} times the loss of one record, {record}"));
        }
        lines.push(self.sentence.clone());
        lines
    }
}

/// What is known of a family: how far apart the two answers are, and what that loses.
struct Told {
    /// In units of ℓ₁ distance.
    distance: Rational,
    records: Option<u64>,
    share: Option<Rational>,
    /// Without what the family may be mistaken by.
    loss: Rational,
    record_loss: Rational,
    /// Who is meant by the two answers, in words.
    answers: String,
    /// What is assumed, in words.
    assumed: String,
}

/// Why nothing is stated, or what is wrong with what is declared.
enum Not {
    Stated(String),
    Right(Problem),
}

impl From<Problem> for Not {
    fn from(problem: Problem) -> Not {
        Not::Right(problem)
    }
}

fn nothing<T>(reason: impl Into<String>) -> Result<T, Not> {
    Err(Not::Stated(reason.into()))
}

/// States what a plan tells of a secret, where a declaration, that of the case or another one of
/// its table, has a family of laws.
///
/// # Errors
/// Bad when the family does not fit the table: worlds that are no tables with the exact totals,
/// another number of records.
pub fn secrets(
    declaration: &Declaration,
    case: &Case,
    totals: &[Vec<i64>],
    plan: &Plan,
) -> Result<Option<CertifiedSecrets>, Problem> {
    let Some(declared) = &declaration.secrets else { return Ok(None) };
    let Case { domain, conditions, fold, .. } = case;
    let case = FamilyCase { domain, conditions, is_folded: fold.is_some(), totals, plan };
    let family = declared.family.name();
    let nothing = CertifiedSecrets {
        family: family.to_owned(),
        mistaken: decimals(&declared.mistaken),
        proof: PROOF.to_owned(),
        ..CertifiedSecrets::default()
    };
    match case.told(&declared.family) {
        Ok(told) => Ok(Some(stated(declared, plan, &told, nothing))),
        Err(Not::Stated(reason)) => Ok(Some(CertifiedSecrets {
            sentence: format!(
                "Nothing is stated about secrets for the family `{family}` that the spec declares: {reason}. The guarantee does not depend on it."
            ),
            not_stated: Some(reason),
            ..nothing
        })),
        Err(Not::Right(problem)) => Err(problem),
    }
}

/// Numbers and the sentence.
fn stated(declared: &Secrets, plan: &Plan, told: &Told, nothing: CertifiedSecrets) -> CertifiedSecrets {
    let is_rho = plan.loss.is_concentrated();
    let loss = inflated(&told.loss, &Rational::integer(1), &declared.mistaken);
    let inflation = match told.record_loss.is_zero() {
        true => Rational::integer(1),
        false => &loss / &told.record_loss,
    };
    let inflation = short(&inflation);
    let (loss, record) = (short(&loss), short(&told.record_loss));
    let mistaken = match declared.mistaken.is_zero() {
        true => String::new(),
        false => format!(
            ", of which 2 times {} is for a truth that lies outside the family by a factor of at most exp({0})",
            decimals(&declared.mistaken)
        ),
    };
    let beyond = match plan.keeps_totals() {
        true => "beyond what the exact totals tell",
        false => "beyond what was known before",
    };
    let most = match is_rho {
        false => format!(
            "this release changes the odds between {} by at most a factor exp({loss}) {beyond}{mistaken}",
            told.answers
        ),
        true => format!(
            "this release tells {} apart no better than {} with rho = {loss} allows, {beyond}",
            told.answers,
            plan.loss.amount.definition().name(),
        ),
    };
    let one = if told.share.is_some() { "one replaced value" } else { "one replaced record" };
    CertifiedSecrets {
        sentence: format!(
            "If {}, {most}: {inflation} times the loss of {one}, which is {record}. This holds for that family alone; the guarantee \
             does not depend on it.",
            told.assumed
        ),
        distance: Some(decimals(&told.distance)),
        records: told.records,
        share: told.share.as_ref().map(|share| digits(share.to_f64())),
        epsilon: (!is_rho).then(|| loss.clone()),
        rho: is_rho.then_some(loss),
        record_loss: Some(record),
        inflation: Some(inflation),
        ..nothing
    }
}

/// Three digits, and at least five decimals.
fn digits(share: f64) -> String {
    let decimals = if share > 0.0 { (2 - share.log10().floor() as i32).max(5) as usize } else { 0 };
    let text = format!("{share:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number as it is when it is short, else with twelve decimals, rounded up.
fn short(value: &Rational) -> String {
    match value.to_decimal_exact() {
        Some(digits) if digits.len() <= 15 => digits,
        _ => value.to_decimal_up(12),
    }
}

/// A declared family and all that it is about.
struct FamilyCase<'a> {
    domain: &'a Domain,
    conditions: &'a Conditions,
    is_folded: bool,
    totals: &'a [Vec<i64>],
    plan: &'a Plan,
}

impl FamilyCase<'_> {
    fn told(&self, family: &Family) -> Result<Told, Not> {
        match family {
            Family::Independent => self.independent(),
            Family::Binary { records, least, most, any_dependence } => {
                self.binary(*records, (least, most), *any_dependence)
            }
            Family::Normal { records, width, variance, correlation, public_noise } => {
                let normal = Normal::new(*records, variance.clone(), correlation.clone(), public_noise.clone())?;
                self.normal(&normal, *records, width, public_noise.is_some())
            }
            Family::Finite { worlds } => self.finite(worlds),
        }
    }

    /// ε or ρ of one replaced record, where a loss about secrets follows from it.
    fn record_loss(&self) -> Result<Rational, Not> {
        let FamilyCase { plan, .. } = self;
        let estimated = plan.needs_evidence()
            || plan.loss.definition() == Definition::Approximate
            || matches!(plan.exactness(), Exactness::Estimated { .. });
        match () {
            () if plan.is_suppressed() => {
                nothing("nothing is drawn: the release is the same for every answer, whatever the family")
            }
            () if estimated => {
                nothing("the law of the release is only estimated; a sampler that is exact has a statement")
            }
            () if plan.pinned => nothing("totals are pinned to published values, which are not the table's own"),
            () if plan.loss.owner.as_ref().is_some_and(|owner| owner.rows > 1) => nothing(
                "one privacy unit may own several rows, and the family speaks of records; rows_per_unit = 1 has a statement",
            ),
            () => Ok(plan.loss.of_record()),
        }
    }

    /// The loss of so many replaced records.
    fn of_records(&self, records: u64, record_loss: &Rational) -> Rational {
        let times = Rational::integer(records);
        match self.plan.loss.is_concentrated() {
            true => record_loss * &(&times * &times),
            false => record_loss * &times,
        }
    }

    /// On how many levels noise sits; one where it sits on the cells alone.
    fn levels(&self) -> usize {
        self.plan.cascade.as_ref().map_or(1, |cascaded| cascaded.levels.len())
    }

    /// Refuses rules that records cannot keep each by itself, so that they tie records to each
    /// other.
    fn check_rules(&self) -> Result<(), Not> {
        let measured = matches!(self.conditions.footprint, Footprint::EveryMeasure { .. });
        let kept = |rule: &declare::RuleRows| measured && rule.bound == 0 && rule.relation != Relation::Equal;
        match self.conditions.rules.iter().find(|rule| !kept(rule)) {
            None => Ok(()),
            Some(rule) => nothing(format!(
                "the rule `{}` ties records to each other; family = \"finite\" can list the laws of the table",
                rule.grouping.label
            )),
        }
    }

    /// The cells that no exact total tells apart, where totals are disjoint or nested.
    fn nested(&self) -> Result<Vec<Class>, Not> {
        nested(self.conditions.cells, &self.conditions.invariants).map_err(Not::Stated)
    }

    fn independent(&self) -> Result<Told, Not> {
        let record_loss = self.record_loss()?;
        self.check_rules()?;
        let nested = self.nested()?;
        if nested.iter().all(|class| class.cells.len() < 2) {
            return nothing("no two cells are counted in the same exact totals, so that no answer of a record is open");
        }
        let given = if self.conditions.invariants.is_empty() { "" } else { " given the exact totals" };
        let keeping = if self.conditions.rules.is_empty() { "" } else { ", each keeping the rules by itself," };
        Ok(Told {
            distance: Rational::integer(self.plan.loss.footprint),
            records: Some(1),
            share: None,
            loss: record_loss.clone(),
            record_loss,
            answers: match self.conditions.invariants.is_empty() {
                true => "two answers of one record".to_owned(),
                false => "two answers of one record that are counted in the same exact totals".to_owned(),
            },
            assumed: format!("records are independent of each other{given}{keeping}").trim_end_matches(',').to_owned(),
        })
    }

    fn binary(&self, records: u32, (least, most): (&Rational, &Rational), any: bool) -> Result<Told, Not> {
        let record_loss = self.record_loss()?;
        if self.conditions.footprint != Footprint::OneCell {
            return nothing("with measures a record may be counted in several cells, and is not yes or no");
        }
        self.check_rules()?;
        let nested = self.nested()?;
        let sizes = self.sizes(&nested, records)?;
        let work: u128 = sizes.iter().map(|n| u128::from(*n) * u128::from(*n)).sum();
        if work > MOST_WORK && !any {
            return nothing("the exact totals have too many different numbers of records to compare all their laws");
        }
        let mut apart = 0;
        for n in sizes {
            apart = apart.max(Binary::new(n, least.clone(), most.clone(), any)?.distance());
        }
        let alone = match nested.len() {
            1 => "",
            _ => "; records of other totals do not depend on it",
        };
        let how = match any {
            true => "given that one in any way",
            false => "independently given that one",
        };
        Ok(Told {
            distance: &Rational::integer(apart) * &Rational::integer(self.plan.loss.footprint),
            records: Some(apart),
            share: None,
            loss: self.of_records(apart, &record_loss),
            record_loss,
            answers: "yes and no of one record".to_owned(),
            assumed: format!(
                "whatever one of at most {records} records is, each other one of its total is yes with a probability from {} to {}, {how}{alone}",
                decimals(least),
                decimals(most)
            ),
        })
    }

    /// The numbers of records of the totals that have a yes and a no.
    fn sizes(&self, nested: &[Class], records: u32) -> Result<BTreeSet<u32>, Not> {
        let two = "family = \"binary\" is about tables in which every exact total has two cells, yes and no";
        if self.is_folded {
            return Err(Problem::bad(two).into());
        }
        let (mut sizes, mut has_free) = (BTreeSet::new(), false);
        let mut largest: Option<(u64, String)> = None;
        for class in nested {
            let total = class.whole.map(|(invariant, group)| {
                (self.totals[invariant][group], self.conditions.invariants[invariant].names[group].clone())
            });
            match (class.cells.len(), total) {
                // One cell that is a total of its own: nothing is secret there.
                (1, Some(_)) => {}
                (2, Some((total, name))) => {
                    let total = u64::try_from(total).unwrap_or(0);
                    if largest.as_ref().is_none_or(|(most, _)| total > *most) {
                        largest = Some((total, name));
                    }
                    if let Some(n) = u32::try_from(total).ok().filter(|n| *n > 0 && *n <= records) {
                        sizes.insert(n);
                    }
                }
                (2, None) if class.is_free => {
                    has_free = true;
                    sizes.insert(records);
                }
                (cells, total) => {
                    let place = total.map_or_else(|| self.domain.describe(class.cells[0]), |(_, name)| name);
                    return Err(Problem::bad(format!(
                        "{two}: `{place}` is in {cells} cells that no exact total tells apart"
                    ))
                    .hint("write family = \"independent\", or list the laws with family = \"finite\"")
                    .into());
                }
            }
        }
        let limit = u64::from(records);
        if let Some((total, name)) = largest.filter(|(total, _)| *total > limit || *total < limit && !has_free) {
            let than = if total > u64::from(records) { "more" } else { "fewer" };
            return Err(Problem::bad(format!("[secrets] says n = {records}, and the largest exact total, `{name}`, has {than} records"))
                .hint("n is the largest number of records that depend on each other: the largest exact total of a yes and a no")
                .into());
        }
        match sizes.is_empty() {
            true => nothing("no exact total has a yes and a no"),
            false => Ok(sizes),
        }
    }

    fn normal(&self, normal: &Normal, records: u32, width: &Rational, public: bool) -> Result<Told, Not> {
        let record_loss = self.record_loss()?;
        if !self.conditions.invariants.is_empty() {
            return nothing(
                "exact totals tell sums of the values; family = \"normal\" is about sums of which nothing is exact",
            );
        }
        if !self.conditions.rules.is_empty() {
            return nothing("a rule ties cells to each other, and normal values do not keep it");
        }
        if self.conditions.footprint != Footprint::OneCell {
            return nothing("with measures a record is counted in several cells; family = \"normal\" is about one sum");
        }
        let share = normal.share();
        let moved = &(&share * width) * &Rational::integer(records);
        // Sums are rounded to whole units: two numbers m apart are at most ⌈m⌉ apart afterwards.
        let (moved, replaced) = (Rational::integer(moved.ceil()), Rational::integer(width.ceil()));
        let footprint = Rational::integer(self.plan.loss.footprint);
        let of = |units: &Rational| -> Option<Rational> {
            match self.plan.loss.is_concentrated() {
                true if self.levels() > 1 => None,
                true => Some(&(&record_loss / &footprint) * &(units * units)),
                false => self.plan.loss.per_unit_of_l1().map(|per_unit| &per_unit * units),
            }
        };
        let (Some(loss), Some(of_value)) = (of(&moved), of(&replaced)) else {
            return nothing(
                "the loss is not stated per unit of l1 distance; noise = \"double-geometric\" has a statement",
            );
        };
        let beside = if public { ", and a noisy mean of them is public" } else { "" };
        Ok(Told {
            distance: moved,
            records: None,
            share: Some(share),
            loss,
            record_loss: of_value,
            answers: format!("two answers about one value that are at most {} apart", decimals(width)),
            assumed: format!(
                "every cell is the sum of {records} normal values of its own with one variance and one correlation, rounded to a whole \
                 number{beside}"
            ),
        })
    }

    fn finite(&self, worlds: &[DeclaredWorld]) -> Result<Told, Not> {
        let record_loss = self.record_loss()?;
        for (number, world) in worlds.iter().enumerate() {
            self.check_world(number + 1, world)?;
        }
        let family = Finite::new(
            worlds
                .iter()
                .map(|world| World {
                    law: world.law.clone(),
                    secret: world.secret.clone(),
                    counts: world.counts.clone(),
                    probability: world.probability.clone(),
                })
                .collect(),
        )?;
        let Some(apart) = family.widest(Measure::L1) else {
            return nothing("no law has two answers");
        };
        let distance = Rational::integer(apart.distance);
        let loss = match (self.plan.loss.is_concentrated(), self.plan.loss.per_unit_of_l1()) {
            (false, Some(per_unit)) => &per_unit * &distance,
            (true, _) if self.levels() == 1 => {
                let squared = family.widest(Measure::SquaredL2).map_or(0, |apart| apart.distance);
                &(&record_loss / &Rational::integer(self.plan.loss.footprint)) * &Rational::integer(squared)
            }
            _ => {
                return nothing(
                    "the loss is not stated per unit of distance between tables; noise = \"double-geometric\" on cells has a statement",
                );
            }
        };
        let (one, other) = &apart.secrets;
        let whole = self.plan.loss.footprint;
        let laws = worlds.iter().map(|world| world.law.as_str()).collect::<BTreeSet<_>>().len();
        Ok(Told {
            records: (apart.distance % whole == 0).then_some(apart.distance / whole),
            distance,
            share: None,
            loss,
            record_loss,
            answers: format!("any two answers that the spec lists (`{one}` and `{other}` are farthest apart)"),
            assumed: match laws {
                1 => "the table has the law that the spec lists world by world".to_owned(),
                laws => format!("the table has one of the {laws} laws that the spec lists world by world"),
            },
        })
    }

    /// Refuses a world that is no table with the exact totals, bounds and rules. Its own numbers
    /// are public; those of the table are not repeated.
    fn check_world(&self, number: usize, world: &DeclaredWorld) -> Result<(), Not> {
        let DeclaredWorld { law, secret, counts, .. } = world;
        let name = format!("world {number} of [secrets] (law `{law}`, answer `{secret}`)");
        let hint = "list tables alone that readers of the exact totals cannot rule out; all others have no probability for them";
        if counts.len() != self.conditions.cells {
            return nothing("the table is too large for a listed family");
        }
        for (grouping, totals) in self.conditions.invariants.iter().zip(self.totals) {
            let own = grouping.totals(counts);
            let wrong = own.iter().zip(totals).position(|(own, total)| *own != i128::from(*total));
            if let Some(group) = wrong {
                let message =
                    format!("{name} has {} in `{}`, which is not its exact total", own[group], grouping.names[group]);
                return Err(Problem::bad(message).hint(hint).into());
            }
        }
        self.conditions.check_table(counts).map_err(|problem| {
            let message = problem.message.replacen("the data break", &format!("{name} breaks"), 1);
            Not::Right(Problem::bad(message).hint(hint))
        })
    }
}

/// Names the declaration that a statement belongs to: the word of its family.
pub(crate) fn check_in_words(secrets: &CertifiedSecrets) -> String {
    match &secrets.not_stated {
        Some(_) => format!("family {}: nothing is stated, for the same reason", secrets.family),
        None => format!("family {}: distance, loss and inflation re-derived, same numbers", secrets.family),
    }
}
