//! Laws, losses, refusals and hints: what the plan decides, on small declarations.

use crate::small::{CHILDREN, Small, delinquent, epsilon, list, rho, small, trips};
use declare::{Declaration, Kind, Limits, Method, Noise, Per, Problem};
use draw::{Exactness, Prospect};
use exact::Rational;
use loss::{Definition, Theorem};
use plan::Case;

fn by_county() -> Small {
    delinquent().keep("county", &CHILDREN, |_| true)
}

fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| Rational::integer(-1))
}

fn problem(small: &Small) -> (Kind, String) {
    match small.plan() {
        Ok(plan) => panic!("expected a problem, found {plan:?}"),
        Err(problem) => (problem.kind, problem.to_string()),
    }
}

#[test]
fn laws_and_losses_follow_the_declared_unit() -> Result<(), Problem> {
    let cases = [
        (Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Unit, "1/4", "1/2", "unit of l1 distance"),
        (Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Record, "1/8", "1/4", "replaced record"),
        (Noise::LAPLACE, epsilon("0.5"), Per::Record, "1/4", "1/2", "replaced record"),
    ];
    for (noise, strength, per, parameter, nearest, unit) in cases {
        let plan = by_county().mechanism(noise, strength.clone(), per).plan()?;
        assert_eq!((plan.law.name(), plan.law.parameter()), (noise.name, &number(parameter)));
        assert_eq!(declare::Strength::Epsilon(plan.loss.epsilon().unwrap().clone()), strength);
        assert_eq!(plan.loss.delta(), Some(Rational::integer(0)));
        assert_eq!((plan.loss.rho(), plan.loss.unit.name()), (None, unit));
        assert_eq!(
            (plan.loss.nearest.distance, plan.loss.nearest.amount.epsilon().cloned()),
            (2, Some(number(nearest)))
        );
    }
    let cases = [
        (Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Unit, "4", "1/4", "unit of l2 distance"),
        (Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Record, "8", "1/8", "replaced record"),
        (Noise::GAUSSIAN, rho("2"), Per::Unit, "1/4", "4", "unit of l2 distance"),
    ];
    for (noise, strength, per, parameter, nearest, unit) in cases {
        let plan = by_county().mechanism(noise, strength.clone(), per).plan()?;
        assert_eq!((plan.law.name(), plan.law.parameter()), (noise.name, &number(parameter)));
        assert_eq!(declare::Strength::Rho(plan.loss.rho().unwrap().clone()), strength);
        assert_eq!(
            (plan.loss.epsilon().cloned(), plan.loss.delta(), plan.loss.unit.name()),
            (None, Some(number("1e-6")), unit)
        );
        // The (ε, δ) that a pair of tables really gets is that of the nearest pair, not of an
        // abstract unit.
        let (unit_epsilon, pair_epsilon) =
            (plan.loss.implied.map(|implied| implied.epsilon), plan.loss.nearest.implied);
        assert!(pair_epsilon >= unit_epsilon && unit_epsilon.is_some());
        assert_eq!((plan.loss.nearest.distance, plan.loss.nearest.amount.rho().cloned()), (2, Some(number(nearest))));
    }
    Ok(())
}

#[test]
fn operators_follow_structure_and_law() -> Result<(), Problem> {
    let with_free = || delinquent().keep("county", &CHILDREN, |codes| codes[0] < 2);
    let cases = [
        (Noise::DOUBLE_GEOMETRIC, epsilon("1"), "closed-form", Exactness::Exact),
        (Noise::DISCRETE_GAUSSIAN, rho("1"), "messages", Exactness::Exact),
        (Noise::LAPLACE, epsilon("1"), "closed-form", Exactness::Unproven),
        (Noise::GAUSSIAN, rho("1"), "closed-form", Exactness::Unproven),
    ];
    for (noise, strength, operator, exactness) in cases {
        let plan = with_free().mechanism(noise, strength, Per::Unit).plan()?;
        let drawn: Vec<&str> = plan.blocks.iter().map(|block| block.operator()).collect();
        assert_eq!(drawn, [operator, operator, "independent"]);
        assert!(plan.blocks.iter().all(|block| *block.exactness() == exactness));
        assert_eq!(plan.exactness() == Exactness::Unproven, exactness == Exactness::Unproven);
        assert_eq!(plan.refused.len(), 16);
    }
    Ok(())
}

#[test]
fn equal_public_information_gives_equal_plans() -> Result<(), Problem> {
    let mut moved = CHILDREN;
    moved[0] -= 5;
    moved[1] += 5;
    let other = delinquent().keep("county", &moved, |_| true);
    assert_eq!(format!("{:?}", by_county().plan()?), format!("{:?}", other.plan()?));
    Ok(())
}

#[test]
fn what_no_operator_can_draw_is_refused_with_every_reason() {
    // A 12 × 12 table with both margins and no count below zero: too many sums cross for weights of
    // all of them.
    let labels: Vec<String> = (0..12).map(|value| format!("v{value}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let counts = vec![9; 144];
    let mut large = small("Large", vec![("county", list(&labels)), ("education", list(&labels))])
        .keep("county", &counts, |_| true)
        .keep("education", &counts, |_| true)
        .mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Unit);
    large.declaration.constraints.nonnegative = true;
    let (kind, message) = problem(&large);
    assert_eq!(kind, Kind::Refused);
    for reason in ["the totals by county and by education cross", "weights of sums would", "could fall below zero"] {
        assert!(message.contains(reason), "{message}");
    }
}

/// Rows and columns of a table whose weights need more than the default limits, and less than the
/// largest.
const LIMITED: (usize, usize) = (5, 7);

#[test]
fn a_plan_is_refused_by_limits_and_made_under_the_limits_that_the_refusal_names() -> Result<(), Problem> {
    let labels: Vec<String> = (0..LIMITED.1).map(|value| format!("v{value}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let counts = vec![9; LIMITED.0 * LIMITED.1];
    let mut small = small("Limited", vec![("county", list(&labels[..LIMITED.0])), ("education", list(&labels))])
        .keep("county", &counts, |_| true)
        .keep("education", &counts, |_| true)
        .mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1/4"), Per::Unit);
    small.declaration.constraints.nonnegative = true;
    small.declaration.mechanism.sampler = Some("messages".into());
    let (kind, message) = problem(&small);
    assert_eq!(kind, Kind::Refused);
    assert!(message.contains("weights of sums would") && message.contains("; allowed by [limits] "), "{message}");
    small.declaration.limits = Limits { bytes: 10_u64.pow(15), seconds: 86_400_000 };
    let plan = small.plan()?;
    let Prospect { bytes, seconds, .. } = *plan.blocks[0].work.prospect();
    let default = Limits::default();
    assert!(bytes > default.bytes as f64 || seconds > default.seconds as f64, "{bytes} bytes, {seconds} seconds");
    // Those that it names are enough.
    let raised = default.raised_to(bytes, seconds).expect("limits that a spec may have");
    let named = default.lines_to(raised).expect("lines").join(" and ");
    assert!(message.contains(&format!("[limits] {named}")), "{named}: {message}");
    small.declaration.limits = raised;
    assert_eq!(format!("{:?}", small.plan()?), format!("{plan:?}"));
    Ok(())
}

#[test]
fn two_way_margins_are_divided_with_bounds_and_without() -> Result<(), Problem> {
    let mut crossing = by_county().keep("education", &CHILDREN, |_| true);
    let operators = |small: &Small| Ok(small.plan()?.blocks.iter().map(|block| block.operator()).collect::<Vec<_>>());
    assert_eq!(operators(&crossing)?, ["divide"]);
    crossing.declaration.constraints.nonnegative = true;
    assert_eq!(operators(&crossing)?, ["divide"]);
    Ok(())
}

#[test]
fn a_sampler_asked_for_by_name_must_draw_everything() -> Result<(), Problem> {
    let asked = |name: &str| {
        let mut small = by_county();
        small.declaration.mechanism.sampler = Some(name.into());
        small
    };
    assert_eq!(format!("{:?}", asked("closed-form").plan()?), format!("{:?}", by_county().plan()?));
    assert!(asked("messages").plan()?.blocks.iter().all(|block| block.operator() == "messages"));
    let (kind, message) = problem(&asked("divide"));
    assert_eq!(kind, Kind::Refused);
    assert_eq!(
        message,
        "sampler = \"divide\" cannot draw the 4 cells of `county = Alpha`: no totals cross: there is nothing to divide (hint: write \
         sampler = \"auto\")"
    );
    assert_eq!(problem(&asked("independent")).0, Kind::Refused);
    assert_eq!(problem(&asked("atom")), (
        Kind::Refused,
        "sampler = \"atom\": not yet supported (hint: write sampler = \"auto\", or one of independent, closed-form, \
         messages, divide, klein, mixture, thin, reject, enumerate, lattice-walk, independence-walk, hierarchy-walk)"
            .into()
    ));
    assert_eq!(problem(&asked("magic")).0, Kind::Bad);
    Ok(())
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    // One total for every county is a tree, both margins of four rows and four columns are none.
    let mut bounded = by_county().mechanism(Noise::DISCRETE_GAUSSIAN, rho("1"), Per::Unit);
    bounded.declaration.constraints.nonnegative = true;
    let loss = bounded.plan().unwrap().loss;
    assert_eq!(
        (loss.definition(), loss.theorem, loss.rho().cloned()),
        (Definition::IntegerOrder, Theorem::G13, Some(number("1")))
    );
    let crossing = bounded.keep("education", &CHILDREN, |_| true);
    let (kind, words) = problem(&crossing);
    assert!(kind == Kind::Refused && words.contains("G13") && words.contains("no tree"), "{words}");
    let mut suppressed = by_county();
    suppressed.declaration.mechanism.method = Method::Suppress;
    assert!(suppressed.plan().unwrap().is_suppressed());
    // Noise that is one norm over all cells is not drawn freely before a projection.
    for method in [Method::Project, Method::TopDown] {
        let mut small = by_county().mechanism(Noise::LATTICE_LAPLACE, epsilon("1"), Per::Unit);
        small.declaration.mechanism.method = method;
        assert_eq!(problem(&small).0, Kind::Refused);
    }
    // One norm with bounds is drawn where they are far away, not where the noise is as wide as the
    // counts.
    for (strength, is_drawn) in [("1", true), ("1/100", false)] {
        let mut lattice = by_county().mechanism(Noise::LATTICE_LAPLACE, epsilon(strength), Per::Unit);
        lattice.declaration.constraints.nonnegative = true;
        match is_drawn {
            true => assert_eq!(lattice.plan().unwrap().blocks[0].operator(), "reject"),
            false => assert_eq!(problem(&lattice).0, Kind::Refused),
        }
    }
    let mixed = by_county().mechanism(Noise::DOUBLE_GEOMETRIC, rho("1"), Per::Unit);
    assert_eq!(problem(&mixed).0, Kind::Bad);
    let nothing = by_county().mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("0"), Per::Unit);
    assert_eq!(problem(&nothing).0, Kind::Bad);
}

#[test]
fn noise_beyond_machine_integers_is_refused() -> Result<(), Problem> {
    let tiny = by_county().mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1e-17"), Per::Unit);
    assert_eq!(problem(&tiny), (
        Kind::Refused,
        "the noise is too large: sums over the largest block, 4 cells, could leave 62-bit integers (hint: ask for a \
         larger epsilon or rho)"
            .into()
    ));
    by_county().mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1e-15"), Per::Unit).plan()?;
    let wide = by_county().mechanism(Noise::DISCRETE_GAUSSIAN, rho("1e-40"), Per::Unit);
    assert_eq!(problem(&wide).0, Kind::Refused);
    Ok(())
}

/// Very wide noise still gets a standard deviation; its quantiles are said to be missing.
#[test]
fn wide_noise_has_a_standard_deviation_only() -> Result<(), Problem> {
    let wide = by_county().mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1e-12"), Per::Unit);
    let profile = plan::error_profile(&wide.plan()?, &wide.domain, None);
    let spread = profile.cells[0].spread;
    assert_eq!(spread.quantiles, None);
    // n = 4: (2n−1)(n−1)/(n(n+1)) = 21/20.
    assert!((spread.standard_deviation / 1e12 - 1.05f64.sqrt()).abs() < 1e-9);
    assert!(profile.text().contains("costs too much"));
    Ok(())
}

#[test]
fn margins_that_are_kept_are_exact() -> Result<(), Problem> {
    let (small, counts) = trips();
    let small = small.keep("borough", &counts, |_| true);
    let profile = plan::error_profile(&small.plan()?, &small.domain, None);
    let borough = &profile.margins[0];
    assert_eq!(borough.name, "borough");
    assert!(borough.values.iter().all(|values| values.spread.is_exact()));
    assert_eq!(profile.margins[1].values.len(), 3);
    Ok(())
}

/// What parsing knows of the words is what plans know of the methods.
#[test]
fn every_word_of_specs_is_a_method() {
    let spec = "title = \"t\"\n[data]\npath = \"t.csv\"\npublic = true\n[dimensions]\na = [\"x\", \"y\"]\n[[invariant]]\nby = []\n\
                [mechanism]\nnoise = \"discrete-gaussian\"\nrho = 1\n";
    let mut declaration = Declaration::parse_alone(spec, "spec").unwrap();
    for word in Method::ALL {
        declaration.mechanism.method = word;
        let case = Case::of(declaration.clone()).unwrap();
        let method = case.method();
        assert_eq!(method.word, word);
        assert_eq!(method.keeps, !case.conditions.invariants.is_empty(), "{}", word.name());
        assert_eq!(method.projects, declaration.fold().is_err_and(|why| why.contains("projection")));
        // What is projected, split or not drawn is not conditioned on.
        assert!(!method.conditions || method.draws && method.keeps && !method.projects && !method.splits);
    }
}
