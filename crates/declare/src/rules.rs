//! Rules over the live cells: left minus right, compared with a bound, for every combination of
//! `by`.

use crate::declaration::{Relation, Rule, Side};
use crate::domain::Domain;
use crate::grouping::{Grouping, grouping};
use crate::predicate::Resolved;
use crate::problem::{Kind, Problem};
use exact::Rational;

/// One comparison for every group: the sum of the group against a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleRows {
    /// Left minus right, per group.
    pub grouping: Grouping,
    /// How the sum compares with the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: i64,
}

/// How messages call a rule: `sum(measure = 'deaths') <= sum(measure = 'cases') by county`.
pub(crate) fn label(rule: &Rule) -> String {
    let right = match &rule.right {
        Side::Cells(cells) => format!("sum({cells})"),
        Side::Number(number) => number.to_string(),
    };
    let by = if rule.by.is_empty() { String::new() } else { format!(" by {}", rule.by.join(", ")) };
    format!("sum({}) {} {right}{by}", rule.left, rule.relation.name())
}

/// The largest bound: differences of bounds and sums then fit 64 bits.
const LARGEST_BOUND: u64 = 1 << 61;

/// The bound on a sum of integers that says the same as this number; the message when there is
/// none.
pub(crate) fn bound(relation: Relation, number: &Rational) -> Result<i64, String> {
    let whole = match relation {
        Relation::AtMost => number.floor(),
        Relation::AtLeast => number.ceil(),
        Relation::Equal if number.is_integer() => number.floor(),
        Relation::Equal => return Err(format!("a sum of counts cannot equal {number}")),
    };
    let small = i64::try_from(&whole).ok().filter(|bound| bound.unsigned_abs() <= LARGEST_BOUND);
    small.ok_or_else(|| "the number is beyond 2^61, which no sum of counts may reach".to_string())
}

/// A rule over the live cells; `None` when it says nothing about them.
pub(crate) fn rows(domain: &Domain, rule: &Rule) -> Result<Option<RuleRows>, Problem> {
    let label = label(rule);
    let left = Resolved::new(&rule.left, &domain.schema)?;
    let (right, bound) = match &rule.right {
        Side::Cells(cells) => (Some(Resolved::new(cells, &domain.schema)?), 0),
        Side::Number(number) => {
            let bound = bound(rule.relation, number);
            (None, bound.map_err(|message| Problem::bad(format!("{message} in the rule `{label}`")))?)
        }
    };
    let times = |codes: &[usize]| {
        i64::from(left.holds(codes)) - i64::from(right.as_ref().is_some_and(|right| right.holds(codes)))
    };
    let rows = grouping(domain, &rule.by, label, &times);
    // A combination that has live cells but none in the rule compares zero with the bound.
    if !rule.relation.holds(0, bound) && rows.groups() < grouping(domain, &rule.by, String::new(), &|_| 1).groups() {
        let message = format!("no table satisfies the rule `{}`: it compares a sum without cells", rows.label);
        return Err(Problem::new(Kind::Infeasible, message).hint("look at its predicates and at `zero`"));
    }
    Ok((rows.groups() > 0).then_some(RuleRows { grouping: rows, relation: rule.relation, bound }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_bounds_integers_soundly() {
        let half = |text: &str| text.parse::<Rational>().unwrap();
        assert_eq!(bound(Relation::AtMost, &half("5/2")), Ok(2));
        assert_eq!(bound(Relation::AtMost, &half("-5/2")), Ok(-3));
        assert_eq!(bound(Relation::AtLeast, &half("5/2")), Ok(3));
        assert_eq!(bound(Relation::AtLeast, &half("-5/2")), Ok(-2));
        assert_eq!(bound(Relation::Equal, &half("4/2")), Ok(2));
        assert_eq!(bound(Relation::Equal, &half("5/2")), Err("a sum of counts cannot equal 5/2".to_string()));
        assert!(bound(Relation::AtMost, &half("1e30")).is_err());
    }
}
