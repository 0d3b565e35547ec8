//! The guarantee of a plan, in one English paragraph and as numbers.

use crate::certificate::{CertifiedMeaning, Guarantee, NearestPair, PrivacyUnit};
use crate::counted::bounded;
use crate::estimated::{accepted, walked};
use crate::{cascaded, totals_alone};
use declare::{Declaration, Problem};
use draw::{Base, Exactness, Growth};
use exact::{Enclosure, Rational};
use loss::{Definition, Loss, NearestLoss, Norm, Owner, Theorem, Unit};
use plan::{Plan, PlannedQuery, decimals};

/// Why the loss of a privacy unit follows from that of a record or of a distance.
const UNITS: &str = "crates/certify/proofs/units.md";

/// What a loss means for somebody who bets or tests.
const MEANING: &str = "crates/certify/proofs/G9.md";

/// What discrete Gaussian noise tells, from its law.
const LAW: &str = "crates/certify/proofs/G2a.md";

/// What a walk that is only close to its law costs.
const ESTIMATED: &str = "crates/certify/proofs/G5.md";

/// States what a plan guarantees; refuses what it cannot prove.
pub(crate) fn guarantee(plan: &Plan, declaration: &Declaration) -> Result<Guarantee, Problem> {
    check_law(plan)?;
    for block in &plan.blocks {
        match block.exactness() {
            Exactness::Exact => {}
            Exactness::Estimated { .. } => accepted(plan, &declaration.mechanism)?,
            Exactness::Rounded { .. } | Exactness::Unproven => {
                let name = block.operator();
                return Err(Problem::refused(format!("`{name}` proves nothing that can be certified here")));
            }
        }
    }
    let loss = &plan.loss;
    let text = |value: Option<&Rational>| value.map(Rational::to_string);
    let decimal = |value: Option<&Rational>| value.and_then(Rational::to_decimal_exact);
    let crate_of_proof = if loss.theorem == Theorem::G11 { "cascade" } else { "certify" };
    let proof = format!("crates/{crate_of_proof}/proofs/{}.md", loss.theorem.name());
    Ok(Guarantee {
        statement: match plan.is_suppressed() {
            true => totals_alone::statement(plan),
            false => statement(plan),
        },
        definition: loss.definition().name().to_string(),
        neighbours: neighbours(plan),
        unit: loss.unit_in_words(),
        privacy_unit: loss.owner.as_ref().map(|owner| PrivacyUnit {
            column: owner.column.clone(),
            rows: owner.rows,
            loss: decimals(&owner.whole),
            bounded: bounded(declaration, &owner.column, owner.rows),
        }),
        epsilon: loss.epsilon().map(decimals),
        delta: decimal(loss.delta().as_ref()),
        rho: text(loss.rho()),
        epsilon_at_delta: decimal(loss.implied.as_ref().map(|implied| &implied.epsilon)),
        gamma: loss.gamma.digits(),
        plain_factor_two: loss.plain.as_ref().map(decimals),
        because: loss.because.clone(),
        rounding: loss.rounding.to_string(),
        nearest: NearestPair {
            distance: loss.nearest.distance,
            at_least: (loss.nearest.at_least != loss.nearest.distance).then_some(loss.nearest.at_least),
            known: loss.nearest.known,
            epsilon: loss.nearest.amount.epsilon().map(decimals),
            rho: text(loss.nearest.amount.rho()),
            epsilon_at_delta: decimal(loss.nearest.implied.as_ref()),
        },
        theorem: loss.theorems(),
        proof: {
            let walked = loss.estimated().is_some().then_some(ESTIMATED);
            let owned = loss.owner.is_some().then_some(UNITS);
            let by_law =
                (loss.definition() == Definition::ZeroConcentrated && loss.nearest.noise.is_some()).then_some(LAW);
            let proofs: Vec<&str> = [Some(proof.as_str()), by_law, walked, owned].into_iter().flatten().collect();
            proofs.join(" and ")
        },
        noise: noise(plan),
        meaning: meaning(loss),
    })
}

/// Refuses noise that no release can have.
pub fn check_law(plan: &Plan) -> Result<(), Problem> {
    if plan.law.is_integer() {
        return Ok(());
    }
    Err(Problem::refused(format!("{} noise is real-valued and cannot be certified", plan.law.name()))
        .hint("use double-geometric or discrete-gaussian; `congenial simulate` draws real-valued noise on public data"))
}

/// What the loss of a pair that can exist means.
fn meaning(loss: &Loss) -> Option<CertifiedMeaning> {
    let meaning = loss.meaning()?;
    Some(CertifiedMeaning {
        sentence: meaning.sentence(),
        prior: meaning.prior.digits(),
        posterior: meaning.posterior.at_most.digits(),
        except: meaning.posterior.except.digits(),
        false_alarms: meaning.false_alarms.digits(),
        detection: meaning.detection.digits(),
        proof: MEANING.to_string(),
    })
}

/// The pairs of tables the guarantee is about.
fn neighbours(plan: &Plan) -> String {
    let agree = match plan.keeps_totals() {
        _ if plan.pinned => {
            "two tables over the declared domain that agree on every exact total not pinned to a published value"
        }
        true => "two tables over the declared domain that agree on every total listed as exact",
        false => "any two tables over the declared domain",
    };
    // A table that breaks them is never released, so nothing is promised about it.
    let bound = match plan.loss.theorem {
        Theorem::G3 | Theorem::G12 | Theorem::G13 | Theorem::Base => true,
        Theorem::G7 => plan.has_bounds(),
        _ => false,
    };
    let and = if plan.pinned || plan.keeps_totals() { "and" } else { "that" };
    match bound {
        true => format!("{agree} {and} satisfy the bounds and rules of the spec"),
        false => agree.to_owned(),
    }
}

fn noise(plan: &Plan) -> String {
    if plan.is_suppressed() {
        return totals_alone::NOTHING_DRAWN.to_string();
    }
    if let Some(cascaded) = &plan.cascade {
        return cascaded::noise(plan, cascaded);
    }
    let law = match &plan.law {
        _ if !plan.queries.is_empty() => {
            let query = |query: &PlannedQuery| match query.sums {
                1 => format!("on `{}` with exp(-{} |u|)", query.label, decimals(&query.rate)),
                sums => format!("on each of {sums} sums `{}` with exp(-{} |u|)", query.label, decimals(&query.rate)),
            };
            let queries: Vec<String> = plan.queries.iter().map(query).collect();
            format!("double geometric, P(u) proportional to exp(-rate |u|): {}", queries.join(", "))
        }
        law if law.growth() == Growth::Square => law.family().certified(&law.parameter().to_string()),
        law => law.family().certified(&decimals(law.parameter())),
    };
    let law = match plan.law.base() {
        Some(base) => format!("{law}, times the weight of the table under the base measure: {}", base.in_words()),
        None => law,
    };
    let on = bound_by(plan);
    match (plan.is_projected(), on) {
        (true, "") => format!("{law}; the noisy figures were then made one table by projection"),
        (true, on) => format!("{law}; the noisy figures were then projected onto {on}"),
        (false, "") => law,
        (false, on) => format!("{law}, conditioned on {on}"),
    }
}

/// What binds every released table.
fn bound_by(plan: &Plan) -> &'static str {
    match (plan.keeps_totals(), plan.has_bounds()) {
        (true, true) => "the exact totals, bounds and rules",
        (true, false) => "the exact totals",
        (false, true) => "the bounds and rules",
        (false, false) => "",
    }
}

fn statement(plan: &Plan) -> String {
    let pairs = match plan.invariants {
        _ if plan.pinned => {
            "Take any two tables that the confidential table might have been and that agree on the exact totals taken from it (they \
             may differ on totals pinned to published values)"
                .to_string()
        }
        0 => "Take any two tables that the confidential table might have been".to_string(),
        1 => "Take any two tables that the confidential table might have been and that agree on the total listed as exact".to_string(),
        totals => format!(
            "Take any two tables that the confidential table might have been and that agree on all {totals} totals listed as exact"
        ),
    };
    let loss = &plan.loss;
    let (changes, tells, factor_is, rho_is) = match loss.estimated() {
        None => ("this release changes", "the release tells", "the factor is", "rho is"),
        Some(_) => {
            let from = "a release drawn from the stated law itself would";
            (&*format!("{from} change"), &*format!("{from} tell"), "the factor would be", "rho would be")
        }
    };
    let concentrated = loss.amount.definition().name();
    let (epsilon, rho) = (decimals(loss.amount.size()), loss.amount.size());
    let odds =
        format!("whatever anybody knew before, {changes} the odds between the two by at most a factor exp({epsilon}");
    let better = format!("{tells} them apart no better than {concentrated} with rho = {rho} S");
    let (footprint, squares) = (loss.footprint, "the sum of the squared differences of their cells");
    let meaning = match (loss.is_concentrated(), &loss.unit, &loss.owner) {
        (false, Unit::Owner(_), Some(owner)) => format!(
            "{odds} U), where U is the number of units of {} that must be replaced to turn one into the other: one {}, is counted once, \
             with the loss of all its rows",
            owner.column,
            owner.in_words()
        ),
        (true, Unit::Owner(_), Some(owner)) => format!(
            "{better} / {most} allows, where S is {squares}; replacing one {} by another is S = {most} at most, because all its rows may \
             stand in one cell, hence rho = {rho} per {}",
            owner.column,
            owner.in_words(),
            most = owner.moves
        ),
        (false, Unit::L2, _) => format!("{odds} D), where D is the root of {squares} (the l2 distance)"),
        (false, Unit::Record | Unit::Owner(_), _) if loss.norm == Norm::L2 => format!(
            "{odds} D / sqrt({footprint})), where D is the root of {squares} (the l2 distance); replacing one record by another is D = \
             sqrt({footprint}) at most, hence a factor of at most exp({epsilon})"
        ),
        (false, Unit::L1, _) => {
            format!("{odds} D), where D is the number of units by which their cells differ in all (the l1 distance)")
        }
        (false, Unit::Record | Unit::Owner(_), _) => format!(
            "{odds} R), where R is the number of records that must be replaced to turn one into the other ({})",
            replaced(loss)
        ),
        (true, Unit::L1 | Unit::L2, _) => format!("{better} allows, where S is {squares} (the squared l2 distance)"),
        (true, Unit::Record | Unit::Owner(_), _) => format!(
            "{better} / {footprint} allows, where S is {squares}; replacing one record by another is S = {footprint} at most, hence rho = \
             {rho}"
        ),
    };
    let meaning = plan.cascade.as_ref().and_then(|cascaded| cascaded::meaning(cascaded, loss)).unwrap_or(meaning);
    let lost = loss.nearest.amount.size();
    let (apart, not_nearest) = pair(&loss.nearest);
    let nearest = match loss.is_concentrated() {
        false => {
            let (lost, about) = (decimals(lost), factor(lost));
            format!(" {apart}: between them {factor_is} at most exp({lost}), about {about}.{not_nearest}")
        }
        true => format!(" {apart}: between them {rho_is} {lost}.{}{not_nearest}", implied(plan)),
    };
    let published = if plan.keeps_totals() && !plan.pinned {
        " The exact totals themselves are published as they are: nothing is promised about pairs of tables that differ on them."
    } else {
        ""
    };
    let (gamma, because) = (loss.gamma.digits(), &loss.because);
    let price = match loss.theorem {
        Theorem::G3 | Theorem::G10 | Theorem::G12 => format!(
            " These figures include what the conditions on the release add to the loss of the noise alone, at most {gamma} of it (gamma): \
             {because}."
        ),
        Theorem::Base => format!(
            " Tables were weighted by public information, a base measure: {}. It is part of the mechanism and was public before, so \
             it tells nothing about the confidential table. These figures include what it and the conditions on the release add to the \
             loss of the noise alone, as much again (gamma = {gamma}): {because}.",
            plan.law.base().map_or("", Base::in_words)
        ),
        Theorem::G7 => projected(plan),
        Theorem::G11 => cascaded::price(loss),
        Theorem::G13 => at_integer_orders(loss),
        Theorem::G1 | Theorem::G2 if plan.keeps_totals() => {
            let drawn =
                if loss.estimated().is_some() { "the law of the noise is its" } else { "the noise was drawn from its" };
            format!(
                " Keeping them costs no additional loss, because {drawn} conditional distribution given the totals."
            )
        }
        Theorem::G1 | Theorem::G2 | Theorem::Suppression => String::new(),
    };
    let owned = match &loss.owner {
        Some(owner) if loss.unit.is_distance() => moved(loss, owner),
        _ => String::new(),
    };
    let walked = loss.estimated().map_or(String::new(), |estimated| walked(plan, estimated));
    format!("{pairs}: {meaning}.{owned}{nearest}{published}{price}{walked}")
}

/// The pair of tables that is spoken of, and what is not said by it unless it is known to be a
/// nearest one.
fn pair(nearest: &NearestLoss) -> (String, String) {
    let NearestLoss { distance, at_least, .. } = nearest;
    match nearest.known {
        true if nearest.is_attained() && nearest.others => (
            format!("Two nearest such tables are at l1 distance {distance}"),
            " Others as near may be farther apart in l2 distance, and lose more.".to_owned(),
        ),
        true if nearest.is_attained() => {
            (format!("The nearest two such tables are at l1 distance {distance}"), String::new())
        }
        true => (
            format!("Two such tables are known at l1 distance {distance}"),
            format!(" No two are nearer than {at_least}; whether some are nearer than {distance} is not known."),
        ),
        false => (
            format!("No two such tables are nearer than l1 distance {distance}; if two are as near"),
            " Whether there are such two is not known, and tables that are farther apart may lose more.".to_owned(),
        ),
    }
}

/// What a projection adds to the loss, which is nothing, and what is not said about its errors.
fn projected(plan: &Plan) -> String {
    let what = match bound_by(plan) {
        "" => "that noisy figures agree with each other",
        what => what,
    };
    format!(
        " Keeping {what} costs no additional loss: the noise was drawn freely, and the release was computed from the noisy figures and \
         public values alone (projection). Nothing is claimed about the errors of the released counts: a projection is biased where \
         counts are small or near a bound, the distribution of its errors is not known, and no interval follows from it."
    )
}

/// What ρ at integer orders is, and that bounds and rules add nothing to it.
fn at_integer_orders(loss: &Loss) -> String {
    format!(
        " At integer orders means: of every whole order a from 2 on, the Renyi divergence between the two laws of the release is at most a \
         times that rho; orders in between and below 2 may exceed it, so this is not zero-concentrated differential privacy, and every \
         (epsilon, delta) stated here was computed from whole orders alone. Keeping totals, bounds and rules costs no additional loss: {}.",
        loss.because
    )
}

/// How far one privacy unit may move, and what that costs.
fn moved(loss: &Loss, owner: &Owner) -> String {
    let (who, moves, whole) = (owner.in_words(), &owner.moves, decimals(&owner.whole));
    match loss.is_concentrated() {
        false => format!(
            " Replacing one {who}, by another is D = {moves} at most: the factor is then at most exp({whole}), about {}.",
            factor(&owner.whole)
        ),
        true => {
            format!(" Replacing one {who}, by another is S = {moves} at most: rho is then at most {whole}.")
        }
    }
}

/// How the number of replaced records follows from a distance.
fn replaced(loss: &Loss) -> String {
    if loss.footprint > 2 {
        return format!(
            "their l1 distance is at most {} times that, because a record may be counted in several cells",
            loss.footprint
        );
    }
    let half = if loss.nearest.distance == 1 { "; a record added or removed counts as half of one" } else { "" };
    format!("half their l1 distance{half}")
}

/// What the ρ of the nearest pair, or the law of the noise itself, means as an (ε, δ).
fn implied(plan: &Plan) -> String {
    let loss = &plan.loss;
    let (Some(epsilon), Some(delta), None) = (&loss.nearest.implied, &loss.delta(), loss.estimated()) else {
        return String::new();
    };
    let (epsilon, delta) = (epsilon.digits(), delta.digits());
    let says = if loss.nearest.noise.is_some() { "The law of the noise gives" } else { "This implies" };
    format!(
        " {says} ({epsilon}, {delta})-differential privacy between them: whatever is looked for in the release is at most \
         exp({epsilon}) times as likely to be found with one as with the other, plus {delta}."
    )
}

/// e^x, rounded up to two decimals, for reading only.
fn factor(x: &Rational) -> String {
    if *x > Rational::integer(50) {
        return "an astronomical number: this protects nothing".to_string();
    }
    Enclosure::exp_rational(x, 64).upper_rational().to_decimal_up(2)
}
