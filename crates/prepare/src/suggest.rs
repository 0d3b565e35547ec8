//! Refusals that lead on: specs that would work for the same table, each planned on public values
//! before it is named.
//!
//! A refusal of the planner is a function of the spec and of public totals, and so is what is
//! suggested: totals that are left out or added up follow from those that are public.

use crate::analysed::Analysed;
use declare::{Declaration, Invariant, Kind, Limits, Method, Noise, Part, Per, Problem, Relation, Strength, Sums};
use exact::Rational;
use plan::{Case, Plan, ReleaseMethod};
use std::fmt::Write as _;

/// At most so many suggestions are told, and of coarser totals so many of them.
const MOST_TOLD: usize = 5;
const MOST_COARSER: usize = 2;

/// Coarser totals are tried for tables of at most so many cells, and at most so many of them: each
/// is a plan of its own.
const MOST_CELLS: usize = 200_000;
const MOST_TRIED: usize = 8;

/// Larger limits are suggested up to these: few machines have more, and few people wait longer.
const MOST_RAISED: Limits = Limits { bytes: 256_000_000_000, seconds: 86_400 };

/// A spec that works, as lines to paste over those of the refused one.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// What it gives up and what it keeps.
    pub gives_up: String,
    /// Lines of TOML: keys replace those of the same section.
    pub paste: String,
    /// Which operators draw it.
    pub operators: Vec<&'static str>,
    /// How long a draw is predicted to take.
    pub seconds: f64,
}

/// A change of a spec that might work.
struct Variant {
    declaration: Declaration,
    gives_up: String,
    paste: String,
    /// Suggestions of a higher rank give up more than how long they take.
    rank: u8,
    coarser: bool,
    /// Whether it raises the limits: by how much is known once it is planned.
    raises: bool,
}

/// The problem, ending with what would work for this table, if anything is found. Only refusals are
/// answered so.
pub fn leading_on(problem: Problem, analysed: &Analysed) -> Problem {
    // Totals alone have no noise that could be another.
    if problem.kind != Kind::Refused || analysed.opened.fold.is_some() || !analysed.opened.method().draws {
        return problem;
    }
    let Some(words) = in_words(&suggestions(analysed)) else { return problem };
    let otherwise = problem.hint.as_ref().map_or(String::new(), |hint| format!("\n  otherwise: {hint}"));
    problem.hint(words + &otherwise)
}

/// What would work for the table of a spec that the planner refuses, cheapest first.
pub fn suggestions(analysed: &Analysed) -> Vec<Suggestion> {
    let Case { declaration, domain, .. } = &analysed.opened.case;
    let mut found: Vec<(u8, Suggestion)> = Vec::new();
    let mut raised: Option<(u8, Suggestion)> = None;
    let (mut coarser, mut tried) = (0, 0);
    for variant in variants(declaration) {
        if variant.coarser {
            // Where others work, coarser totals are looked for no further than a few.
            if coarser == MOST_COARSER || tried == MOST_TRIED || domain.len() > MOST_CELLS {
                continue;
            }
            tried += 1;
        }
        if let Some(plan) = planned(&variant.declaration, analysed) {
            coarser += usize::from(variant.coarser);
            let mut operators: Vec<&'static str> = plan.blocks.iter().map(|block| block.operator()).collect();
            operators.sort_unstable();
            operators.dedup();
            let Variant { gives_up, paste, rank, raises, .. } = variant;
            let suggestion = |paste| (rank, Suggestion { gives_up, paste, operators, seconds: plan.seconds() });
            match raises {
                false => found.push(suggestion(paste)),
                true => raised = raised_lines(declaration.limits, &plan).map(suggestion),
            }
        }
    }
    // Within a second nobody minds how long a draw takes: then less that is given up comes first.
    let slow = |seconds: f64| if seconds < 1.0 { 0.0 } else { seconds };
    let before = |(one, a): &(u8, Suggestion), (other, b): &(u8, Suggestion)| {
        slow(a.seconds).total_cmp(&slow(b.seconds)).then(one.cmp(other))
    };
    found.sort_by(before);
    found.truncate(MOST_TOLD);
    // What gives up nothing is told however slow it is.
    found.extend(raised);
    found.sort_by(before);
    found.into_iter().map(|(_, suggestion)| suggestion).collect()
}

/// The limits under which the operators of a plan draw, where those of the spec do not let them. An
/// operator that is chosen under larger limits is chosen under these too: they refuse others, not
/// it.
fn raised_lines(limits: Limits, plan: &Plan) -> Option<String> {
    let prospects = || plan.blocks.iter().map(|block| block.work.prospect());
    let bytes = prospects().map(|prospect| prospect.bytes).fold(0.0, f64::max);
    let seconds = prospects().map(|prospect| prospect.seconds).fold(0.0, f64::max);
    let lines = limits.lines_to(limits.raised_to(bytes, seconds)?)?;
    Some(format!("[limits]\n{}", lines.join("\n")))
}

/// The plan of a variant, from public values; walks are left to those who ask for them.
fn planned(declaration: &Declaration, analysed: &Analysed) -> Option<Plan> {
    let case = Case::of(declaration.clone()).ok()?;
    let totals = case.totals(analysed.tabulated.table.counts()).ok()?;
    let plan = case.plan(&case.analyse(&totals).ok()?).ok()?;
    let walks = plan.walks().next().is_some();
    (!walks).then_some(plan)
}

/// Changes that might work, those that give up least first.
fn variants(declaration: &Declaration) -> Vec<Variant> {
    let mut variants = Vec::new();
    let bounded = declaration.constraints.nonnegative
        || declaration.constraints.rules.iter().any(|rule| rule.relation != Relation::Equal);
    let method = ReleaseMethod::of(declaration.mechanism.method);
    let limits = declaration.limits.or_larger(MOST_RAISED);
    if method.conditions && limits != declaration.limits {
        let gives_up = "nothing of the release, but memory and time".to_owned();
        let declaration = Declaration { limits, ..declaration.clone() };
        variants.push(Variant { declaration, gives_up, paste: String::new(), rank: 0, coarser: false, raises: true });
    }
    if declaration.mechanism.sampler.is_some() {
        variants.push(with(declaration, 0, "another operator than the one asked for", &[], |mechanism| {
            mechanism.mechanism.sampler = None;
        }));
    }
    if method.conditions {
        if bounded {
            variants.push(without_bounds(declaration, "", |_| {}, 1));
        }
        variants.extend(other_noise(declaration, bounded));
    }
    if !method.splits {
        variants.extend(cascade(declaration));
    }
    if !method.by_levels {
        variants.push(top_down(declaration));
    }
    variants.extend(coarser(declaration));
    variants
}

/// A variant of the mechanism alone.
fn with(
    declaration: &Declaration,
    rank: u8,
    gives_up: &str,
    lines: &[String],
    change: impl FnOnce(&mut Declaration),
) -> Variant {
    let mut changed = declaration.clone();
    change(&mut changed);
    let mut lines: Vec<String> = lines.to_vec();
    if declaration.mechanism.sampler.is_some() {
        changed.mechanism.sampler = None;
        lines.push("sampler = \"auto\"".to_owned());
    }
    let paste = format!("[mechanism]\n{}", lines.join("\n"));
    Variant { declaration: changed, gives_up: gives_up.to_owned(), paste, rank, coarser: false, raises: false }
}

/// Without bounds and inequalities: released counts may fall below zero, and totals stay exact.
fn without_bounds(declaration: &Declaration, lines: &str, change: impl FnOnce(&mut Declaration), rank: u8) -> Variant {
    let mut changed = declaration.clone();
    change(&mut changed);
    changed.constraints.nonnegative = false;
    // Weights need counts at or above zero.
    let unweighted = changed.mechanism.base.take().is_some();
    let rules = changed.constraints.rules.len();
    changed.constraints.rules.retain(|rule| rule.relation == Relation::Equal);
    let dropped = rules - changed.constraints.rules.len();
    changed.mechanism.sampler = None;
    let mut paste = "[constraints]\nnonnegative = false".to_owned();
    if dropped > 0 {
        paste.push_str("\n# and without the [[constraints.rule]] whose op is <= or >=");
    }
    if unweighted {
        paste.push_str("\n# and without [mechanism.base]");
    }
    let auto = if declaration.mechanism.sampler.is_some() { "\nsampler = \"auto\"" } else { "" };
    if !lines.is_empty() || !auto.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(paste, "\n[mechanism]{lines}{auto}");
    }
    let gives_up = "counts at or above zero (small ones may fall below; all are unbiased, and `congenial infer` uses the bound when the \
                    release is read)"
        .to_owned();
    Variant { declaration: changed, gives_up, paste, rank, coarser: false, raises: false }
}

/// The strength as ρ: what ε implies, where the spec has ε.
fn as_rho(declaration: &Declaration) -> Rational {
    match &declaration.mechanism.strength {
        Strength::Rho(rho) => rho.clone(),
        Strength::Epsilon(epsilon) => &(epsilon * epsilon) / &Rational::integer(2),
    }
}

/// The pure ε guarantee becomes ρ = ε²/2, which it implies, in words; nothing where the spec has ρ.
fn weaker(declaration: &Declaration) -> &'static str {
    match declaration.mechanism.strength {
        Strength::Epsilon(_) => {
            "the pure guarantee: its loss is stated as rho = epsilon²/2, which epsilon implies, with a delta"
        }
        Strength::Rho(_) => "nothing but the law of the noise",
    }
}

/// Equalities alone with noise that lattices are drawn with.
fn other_noise(declaration: &Declaration, bounded: bool) -> Vec<Variant> {
    let mut variants = Vec::new();
    let mechanism = &declaration.mechanism;
    if !mechanism.queries.is_empty() {
        return variants;
    }
    let mut add = |noise: Noise, strength: Strength, lines: &str, other: &str, rank: u8| {
        let change =
            |changed: &mut Declaration| (changed.mechanism.noise, changed.mechanism.strength) = (noise, strength);
        let mut variant = without_bounds(declaration, lines, change, rank);
        variant.gives_up = if bounded { format!("{}; and {other}", variant.gives_up) } else { other.to_owned() };
        if !bounded {
            variant.paste = format!("[mechanism]{lines}");
        }
        variants.push(variant);
    };
    let has_epsilon = matches!(mechanism.strength, Strength::Epsilon(_));
    if mechanism.noise != Noise::LATTICE_LAPLACE && has_epsilon {
        let other = "noise of single cells: the noise of a table is one norm over all cells";
        add(Noise::LATTICE_LAPLACE, mechanism.strength.clone(), "\nnoise = \"lattice-laplace\"", other, 2);
    }
    if mechanism.noise != Noise::DISCRETE_GAUSSIAN {
        let rho = as_rho(declaration);
        let instead = if has_epsilon { "   # instead of epsilon" } else { "" };
        let lines = format!("\nnoise = \"discrete-gaussian\"\nrho = \"{rho}\"{instead}");
        add(Noise::DISCRETE_GAUSSIAN, Strength::Rho(rho), &lines, weaker(declaration), 3);
    }
    variants
}

/// Totals split from above: exact, with discrete Gaussian noise, bounds kept.
fn cascade(declaration: &Declaration) -> Option<Variant> {
    let mechanism = &declaration.mechanism;
    let shares = mechanism.queries.iter().all(|query| matches!(query.part, Part::Share(_)));
    if !shares {
        return None;
    }
    let rho = as_rho(declaration);
    let mut lines =
        vec!["method = \"cascade\"".to_owned(), "noise = \"discrete-gaussian\"".to_owned(), format!("rho = \"{rho}\"")];
    let per_record = mechanism.per == Per::Unit && !mechanism.queries.is_empty();
    if per_record {
        lines.push("per = \"record\"".to_owned());
    }
    let gives_up = format!(
        "{}; noise is not the same in all cells. Totals, bounds and rules are kept, and the law is known",
        weaker(declaration)
    );
    Some(with(declaration, 4, &gives_up, &lines, |changed| {
        changed.mechanism.method = Method::Cascade;
        changed.mechanism.noise = Noise::DISCRETE_GAUSSIAN;
        changed.mechanism.strength = Strength::Rho(rho);
        if per_record {
            changed.mechanism.per = Per::Record;
        }
    }))
}

/// Noise first, then the nearest table that keeps everything.
fn top_down(declaration: &Declaration) -> Variant {
    let mut lines = vec!["method = \"topdown\"".to_owned()];
    let lattice = declaration.mechanism.noise == Noise::LATTICE_LAPLACE;
    if lattice {
        lines.push("noise = \"double-geometric\"".to_owned());
    }
    let gives_up = "a known law: small counts are biased, and no interval or likelihood follows. Totals, bounds and rules are kept";
    with(declaration, 6, gives_up, &lines, |changed| {
        changed.mechanism.method = Method::TopDown;
        if lattice {
            changed.mechanism.noise = Noise::DOUBLE_GEOMETRIC;
        }
    })
}

/// The spec with one of the totals coarser by a dimension, or left out.
fn coarser(declaration: &Declaration) -> Vec<Variant> {
    let invariants = &declaration.invariants;
    let plain = |invariant: &Invariant| matches!(invariant.sums, Sums::Cells(None)) && invariant.pinned.is_none();
    if !invariants.iter().all(plain) {
        return Vec::new();
    }
    let mut variants = Vec::new();
    for (place, invariant) in invariants.iter().enumerate().rev() {
        for left in (0..invariant.by.len()).rev().filter(|_| invariant.by.len() > 1) {
            let mut changed = declaration.clone();
            changed.invariants[place].by.remove(left);
            let (fine, coarse) = (named(invariant), named(&changed.invariants[place]));
            variants.push(fewer(changed, format!("exact totals by {fine}: they become totals by {coarse}")));
        }
    }
    for (place, invariant) in invariants.iter().enumerate().rev().filter(|_| invariants.len() > 1) {
        let mut changed = declaration.clone();
        changed.invariants.remove(place);
        variants.push(fewer(changed, format!("exact totals by {}: they carry noise", named(invariant))));
    }
    variants
}

fn named(invariant: &Invariant) -> String {
    if invariant.by.is_empty() { "nothing (the grand total)".to_owned() } else { invariant.by.join(", ") }
}

/// A variant whose invariants are those of this declaration.
fn fewer(mut declaration: Declaration, gives_up: String) -> Variant {
    let one = |invariant: &Invariant| {
        let by: Vec<String> = invariant.by.iter().map(|name| format!("{name:?}")).collect();
        format!("[[invariant]]\nby = [{}]", by.join(", "))
    };
    let lines: Vec<String> = declaration.invariants.iter().map(one).collect();
    declaration.mechanism.sampler = None;
    let paste = format!("# instead of all [[invariant]] of the spec\n{}", lines.join("\n"));
    Variant { declaration, gives_up, paste, rank: 5, coarser: true, raises: false }
}

/// The suggestions as the hint of a refusal.
fn in_words(found: &[Suggestion]) -> Option<String> {
    if found.is_empty() {
        return None;
    }
    let mut text =
        "this works for this table, as planned on its public values (paste the lines over those of the spec):"
            .to_owned();
    for (number, suggestion) in found.iter().enumerate() {
        let operators = suggestion.operators.join(", ");
        let exact = if operators.contains("topdown") { "a projection" } else { "exact" };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n  {}. {operators}, {exact}, about {} a draw; gives up {}",
            number + 1,
            duration(suggestion.seconds),
            suggestion.gives_up
        );
        suggestion.paste.lines().for_each(|line| {
            let _ = write!(text, "\n       {line}");
        });
    }
    Some(text)
}

fn duration(seconds: f64) -> String {
    match seconds {
        short if short < 1e-3 => "1 ms".to_owned(),
        short if short < 1.0 => format!("{:.0} ms", short * 1e3),
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        long => format!("{:.0} min", long / 60.0),
    }
}
