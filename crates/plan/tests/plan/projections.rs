//! Which projection is planned, what it costs, and how it is explained.

use crate::small::{CHILDREN, Small, delinquent, epsilon, rho, trips};
use declare::{Kind, Method, Noise, Per};
use draw::Exactness;
use loss::Theorem;
use plan::{NoReach, cell_reach};

fn projected(mut small: Small, sampler: Option<&str>) -> Small {
    small.declaration.mechanism.method = Method::Project;
    small.declaration.mechanism.sampler = sampler.map(str::to_owned);
    small
}

fn by_county(nonnegative: bool) -> Small {
    let mut small = delinquent().keep("county", &CHILDREN, |_| true);
    small.declaration.constraints.nonnegative = nonnegative;
    small
}

fn top_down(nonnegative: bool) -> Small {
    let (small, counts) = trips();
    let mut small = small.keep("", &counts, |_| true);
    small.declaration.constraints.nonnegative = nonnegative;
    small.declaration.mechanism.method = Method::TopDown;
    small
}

#[test]
fn inequalities_decide_the_norm_and_a_name_another() {
    let operators = |small: Small| {
        let plan = small.plan().unwrap();
        let exact = plan.blocks.iter().all(|block| *block.exactness() == Exactness::Exact);
        let same = plan.blocks.iter().all(|block| block.operator() == plan.blocks[0].operator());
        assert!(exact && same && plan.is_projected());
        (plan.blocks[0].operator(), plan.blocks.len())
    };
    assert_eq!(operators(projected(by_county(false), None)), ("project-l2", 4));
    assert_eq!(operators(projected(by_county(true), None)), ("project-nonnegative", 4));
    assert_eq!(operators(projected(by_county(true), Some("project-l1"))), ("project-l1", 4));
    assert_eq!(operators(projected(by_county(false), Some("project-nonnegative"))), ("project-nonnegative", 4));
    assert_eq!(operators(top_down(true)), ("topdown", 1));
}

#[test]
fn topdown_takes_all_cells_at_once_with_the_levels_of_the_table() {
    let plan = top_down(true).plan().unwrap();
    let planned = plan.blocks[0].planned_projection().unwrap();
    assert_eq!(planned.fibre.cells, (0..9).collect::<Vec<u32>>());
    assert_eq!(planned.levels, [vec![0; 9], vec![0, 1, 1, 1, 2, 2, 2, 2, 2]]);
    // Without a total nothing ties the cells together, but their levels do.
    let (mut small, _) = trips();
    small.declaration.mechanism.method = Method::TopDown;
    assert_eq!(small.plan().unwrap().blocks[0].planned_projection().unwrap().levels.len(), 2);
}

#[test]
fn projections_cost_what_their_noise_does() {
    for (nonnegative, method) in [(false, Method::Project), (true, Method::Project), (true, Method::TopDown)] {
        let mut small = by_county(nonnegative);
        small.declaration.mechanism.method = method;
        let unit = small.plan().unwrap();
        let (loss, quarter) = (&unit.loss, exact::Rational::new(1, 4u8));
        assert_eq!((loss.epsilon(), loss.theorem), (Some(&quarter), Theorem::G7));
        assert!(loss.gamma.is_zero() && loss.plain.is_none());
        // Per record: a replaced record is distance 2, so the noise is e^{−ε/2}.
        let record = small.mechanism(Noise::DOUBLE_GEOMETRIC, epsilon("1/2"), Per::Record).plan().unwrap();
        assert_eq!((&record.law, record.loss.epsilon().cloned()), (&unit.law, Some("1/2".parse().unwrap())));
    }
    // Theorem G2 needs equalities and theorem G13 a tree; a projection needs neither.
    let crossing = by_county(true).keep("education", &CHILDREN, |_| true);
    let mut gaussian = crossing.mechanism(Noise::DISCRETE_GAUSSIAN, rho("1/8"), Per::Record);
    assert_eq!(gaussian.plan().unwrap_err().kind, Kind::Refused);
    gaussian.declaration.mechanism.method = Method::Project;
    let loss = gaussian.plan().unwrap().loss;
    assert_eq!((loss.rho().unwrap().to_string(), loss.theorem), ("1/8".to_owned(), Theorem::G7));
}

#[test]
fn what_cannot_be_projected_is_refused() {
    let problem = projected(by_county(true), Some("project-l2")).plan().unwrap_err();
    assert_eq!(problem.kind, Kind::Refused);
    assert_eq!(
        problem.message,
        "`project-l2` cannot project onto the 4 cells of `county = Alpha`: least squares ignore bounds and rules, which the spec has"
    );
    assert!(problem.hint.unwrap().contains("project-nonnegative"));
    let problem = projected(by_county(true), Some("messages")).plan().unwrap_err();
    assert_eq!(problem.kind, Kind::Bad);
    let mut other = by_county(true);
    other.declaration.mechanism.sampler = Some("topdown".to_owned());
    assert_eq!(other.plan().unwrap_err().kind, Kind::Bad);
    let reals = top_down(true).mechanism(Noise::LAPLACE, epsilon("1"), Per::Unit).plan().unwrap_err();
    assert_eq!(reals.kind, Kind::Refused);
}

#[test]
fn real_valued_projections_prove_nothing() {
    let plan = projected(by_county(true), None).mechanism(Noise::LAPLACE, epsilon("1"), Per::Unit).plan().unwrap();
    assert_eq!(*plan.blocks[0].exactness(), Exactness::Unproven);
}

#[test]
fn nothing_is_told_about_the_reach_of_projected_noise() {
    let plan = projected(by_county(false), None).plan().unwrap();
    assert_eq!(cell_reach(&plan), Err(NoReach::Projection));
}

#[test]
fn golden_explanations() {
    insta::assert_snapshot!(projected(by_county(true), None).plan().unwrap().explain_text("Delinquent children"));
    insta::assert_snapshot!(top_down(true).plan().unwrap().explain_text("Taxi trips"));
}
