//! The guarantee of a plan, in one English paragraph and as numbers: theorems G1 and G2, equalities only.

use crate::certificate::{Guarantee, NearestPair};
use declare::{Per, Problem, Strength};
use draw::{Exactness, NoiseLaw};
use exact::{Enclosure, Rational};
use plan::{Definition, Plan};

/// States what a plan guarantees; refuses what it cannot prove.
pub(crate) fn guarantee(plan: &Plan, strength: &Strength, per: Per) -> Result<Guarantee, Problem> {
    if !plan.law.is_integer() {
        return Err(Problem::refused(format!("{} noise is real-valued and cannot be certified", plan.law.name()))
            .hint("use double-geometric or discrete-gaussian; `congenial simulate` draws real-valued noise on public data"));
    }
    let unproven = plan.blocks.iter().find(|block| block.exactness != Exactness::Exact);
    if let Some(block) = unproven {
        return Err(Problem::refused(format!("`{}` proves nothing that can be certified here", block.operator.name())));
    }
    let loss = &plan.loss;
    let text = |value: &Option<Rational>| value.as_ref().map(Rational::to_string);
    let decimal = |value: &Option<Rational>| value.as_ref().and_then(Rational::to_decimal_exact);
    let (theorem, proof) = match loss.definition {
        Definition::Pure => ("G1", "crates/certify/proofs/G1.md"),
        Definition::ZeroConcentrated => ("G2", "crates/certify/proofs/G2.md"),
    };
    Ok(Guarantee {
        statement: statement(plan, strength, per),
        definition: loss.definition.name().to_string(),
        neighbours: neighbours(plan),
        unit: loss.unit.to_string(),
        epsilon: text(&loss.epsilon),
        delta: decimal(&loss.delta),
        rho: text(&loss.rho),
        epsilon_at_delta: decimal(&loss.epsilon_at_delta),
        gamma: loss.gamma.to_string(),
        rounding: loss.rounding.to_string(),
        nearest: NearestPair {
            distance: loss.nearest.distance,
            epsilon: text(&loss.nearest.epsilon),
            rho: text(&loss.nearest.rho),
            epsilon_at_delta: decimal(&loss.nearest.epsilon_at_delta),
        },
        theorem: theorem.to_string(),
        proof: proof.to_string(),
        noise: noise(plan),
    })
}

/// The pairs of tables the guarantee is about.
fn neighbours(plan: &Plan) -> String {
    let pairs = if plan.keeps_totals() {
        "two tables over the declared domain that agree on every total listed as exact"
    } else {
        "any two tables over the declared domain"
    };
    pairs.to_string()
}

fn noise(plan: &Plan) -> String {
    let law = match &plan.law {
        NoiseLaw::DoubleGeometric { epsilon } => {
            format!("double geometric in every cell, P(u) proportional to exp(-{epsilon} |u|)")
        }
        NoiseLaw::DiscreteGaussian { variance } => {
            format!("discrete Gaussian in every cell, P(z) proportional to exp(-z^2 / (2 * {variance}))")
        }
        NoiseLaw::Laplace { .. } | NoiseLaw::Gaussian { .. } => "real-valued, for research only".to_string(),
    };
    if plan.keeps_totals() { format!("{law}, conditioned on the exact totals") } else { law }
}

fn statement(plan: &Plan, strength: &Strength, per: Per) -> String {
    let pairs = match plan.invariants {
        0 => "Take any two tables that the confidential table might have been".to_string(),
        1 => "Take any two tables that the confidential table might have been and that agree on the total listed as exact".to_string(),
        totals => format!(
            "Take any two tables that the confidential table might have been and that agree on all {totals} totals listed as exact"
        ),
    };
    let meaning = match (strength, per) {
        (Strength::Epsilon(epsilon), Per::Unit) => format!(
            "whatever anybody knew before, this release changes the odds between the two by at most a factor exp({epsilon} D), where D is \
             the number of units by which their cells differ in all (the l1 distance)"
        ),
        (Strength::Epsilon(epsilon), Per::Record) => format!(
            "whatever anybody knew before, this release changes the odds between the two by at most a factor exp({epsilon} R), where R is \
             the number of records that must be replaced to turn one into the other (half their l1 distance{})",
            if plan.loss.nearest.distance == 1 { "; a record added or removed counts as half of one" } else { "" }
        ),
        (Strength::Rho(rho), Per::Unit) => format!(
            "the release tells them apart no better than zero-concentrated differential privacy with rho = {rho} S allows, where S is the \
             sum of the squared differences of their cells (the squared l2 distance)"
        ),
        (Strength::Rho(rho), Per::Record) => format!(
            "the release tells them apart no better than zero-concentrated differential privacy with rho = {rho} S / 2 allows, where S is \
             the sum of the squared differences of their cells; replacing one record by another is S = 2, hence rho = {rho}"
        ),
    };
    let nearest = match (&plan.loss.nearest.epsilon, &plan.loss.nearest.rho) {
        (Some(epsilon), _) => format!(
            " The nearest two such tables are at l1 distance {}: between them the factor is at most exp({epsilon}), about {}.",
            plan.loss.nearest.distance,
            factor(epsilon)
        ),
        (_, Some(rho)) => format!(
            " The nearest two such tables are at l1 distance {}: between them rho is {rho}.{}",
            plan.loss.nearest.distance,
            implied(plan)
        ),
        _ => String::new(),
    };
    let kept = if plan.keeps_totals() {
        " The exact totals themselves are published as they are: nothing is promised about pairs of tables that differ on them. \
         Keeping them costs no additional loss, because the noise was drawn from its conditional distribution given the totals."
    } else {
        ""
    };
    format!("{pairs}: {meaning}.{nearest}{kept}")
}

/// What the ρ of the nearest pair means as an (ε, δ).
fn implied(plan: &Plan) -> String {
    let (Some(epsilon), Some(delta)) = (&plan.loss.nearest.epsilon_at_delta, &plan.loss.delta) else {
        return String::new();
    };
    let decimal = |value: &Rational| value.to_decimal_exact().unwrap_or_else(|| value.to_string());
    let (epsilon, delta) = (decimal(epsilon), decimal(delta));
    format!(
        " This implies ({epsilon}, {delta})-differential privacy between them: whatever is looked for in the release is at most \
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
