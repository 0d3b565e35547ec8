//! The guarantee: in words, as numbers with their unit, what it covers and what it does not.

use crate::Release;
use crate::markup::{Head, Markup};
use crate::words::{approximate, is_same, number, people};
use certify::{Guarantee, PrivacyUnit};

/// The whole section.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let guarantee = &release.certificate.guarantee;
    page.leaf("p", &[("class", "statement")], &guarantee.statement);
    numbers(page, guarantee);
    if let Some(meaning) = &guarantee.meaning {
        page.leaf("h3", &[], "What that means");
        page.paragraph(&meaning.sentence);
    }
    if let Some(secrets) = &release.certificate.secrets {
        page.leaf("h3", &[], "What it tells of a secret, if records depend on each other as declared");
        page.paragraph(&secrets.sentence);
        proved(page, "Beside the guarantee, never instead of it; proved in ", &secrets.proof);
    }
    page.leaf("h3", &[], "What it covers");
    page.paragraph(&sentence(&guarantee.neighbours));
    page.leaf("h3", &[], "What it does not cover");
    limits(page, release);
}

fn numbers(page: &mut Markup, guarantee: &Guarantee) {
    let unit = format!("per {}", guarantee.unit);
    let mut rows: Vec<(&str, String, String)> = Vec::new();
    if let Some(epsilon) = &guarantee.epsilon {
        rows.push(("Privacy loss ε", epsilon.clone(), unit.clone()));
        let factor =
            approximate(epsilon).filter(|_| guarantee.delta.as_deref().is_none_or(|delta| delta == "0")).and_then(odds);
        if let Some(factor) = factor {
            rows.push((
                "Odds between two covered tables change at most by the factor e^ε",
                factor,
                format!("{unit}, rounded up"),
            ));
        }
    }
    if let Some(rho) = &guarantee.rho {
        let name = match guarantee.definition.ends_with("at integer orders") {
            true => "Privacy loss ρ, of whole orders from 2 on",
            false => "Privacy loss ρ",
        };
        rows.push((name, rho.clone(), unit.clone()));
    }
    if let Some(epsilon) = &guarantee.epsilon_at_delta {
        let at = guarantee.delta.as_ref().map(|delta| format!(", at δ = {delta}")).unwrap_or_default();
        rows.push(("An ε that holds, rounded up", epsilon.clone(), format!("{unit}{at}")));
    }
    if let Some(owner) =
        guarantee.privacy_unit.as_ref().filter(|owner| !guarantee.unit.starts_with(&format!("{},", owner.column)))
    {
        let letter = if guarantee.rho.is_some() { "ρ" } else { "ε" };
        rows.push((
            "Privacy loss of one privacy unit",
            format!("{letter} = {}", owner.loss),
            format!("per {}, of which at most {} counted", owner.column, rows_of(owner)),
        ));
    }
    if let Some(delta) = &guarantee.delta {
        let what = match guarantee.definition.as_str() {
            "approximate differential privacy" => "a probability, estimated, at the largest ε of this table",
            _ => "a probability",
        };
        rows.push(("Failure probability δ", delta.clone(), what.to_owned()));
    }
    rows.push(("Price of inequalities γ", guarantee.gamma.clone(), "included in the loss above".to_owned()));
    if let Some(plain) = &guarantee.plain_factor_two {
        rows.push(("What the plain factor 2 would state", plain.clone(), unit.clone()));
    }
    rows.push(("Added by rounding", guarantee.rounding.clone(), "included in the loss above".to_owned()));
    let nearest = &guarantee.nearest;
    let what = match (nearest.known, nearest.at_least) {
        (true, None) => "Distance of the nearest two tables that keep the totals",
        (true, Some(_)) => "Distance of two tables that keep the totals, the nearest that are known",
        (false, _) => {
            "Distance that no two tables that keep the totals are below; whether two are as near is not known"
        }
    };
    let unit = match nearest.at_least {
        Some(least) => format!("ℓ₁ distance: differences of counts, added over cells; none are nearer than {least}"),
        None => "ℓ₁ distance: differences of counts, added over cells".to_owned(),
    };
    rows.push((what, number(i128::from(nearest.distance)), unit));
    let whole = "for that pair".to_owned();
    if let Some(epsilon) = &nearest.epsilon {
        rows.push(("Privacy loss ε of that pair", epsilon.clone(), whole.clone()));
    }
    if let Some(rho) = &nearest.rho {
        rows.push(("Privacy loss ρ of that pair", rho.clone(), whole));
    }
    if let (Some(epsilon), Some(delta)) = (&nearest.epsilon_at_delta, &guarantee.delta) {
        rows.push(("An ε that holds, rounded up", epsilon.clone(), format!("for that pair, at δ = {delta}")));
    }
    let caption = format!("The guarantee in numbers: {}", guarantee.definition);
    let heads = [Head::Words("Quantity"), Head::Numbers("Value"), Head::Words("Unit")];
    page.table("plain", &caption, heads, |page| {
        for (name, value, unit) in &rows {
            page.row(|page| {
                page.row_name(name);
                page.element("td", &[("class", "number")], |page| {
                    let shown = people(value);
                    page.text(&shown);
                    if !is_same(&shown, value) {
                        page.leaf("span", &[("class", "exactly")], &format!("exactly {value}"));
                    }
                });
                page.cell(unit);
            });
        }
    });
    let theorems = if guarantee.theorem.contains(' ') { "Theorems" } else { "Theorem" };
    proved(page, &format!("{theorems} {}, proved in ", guarantee.theorem), &guarantee.proof);
}

/// Where the source of the program proves something.
fn proved(page: &mut Markup, what: &str, proof: &str) {
    page.element("p", &[("class", "note")], |page| {
        page.text(what);
        page.leaf("code", &[], proof);
        page.text(" of the program’s source.");
    });
}

/// How many rows of one privacy unit are counted at most.
fn rows_of(owner: &PrivacyUnit) -> String {
    if owner.rows == 1 { "1 row is".to_owned() } else { format!("{} rows are", owner.rows) }
}

/// e^ε with three decimals, rounded up; nothing when it would not be readable.
fn odds(epsilon: f64) -> Option<String> {
    // The margin outweighs the error of the machine's exponential, so the last digit is never
    // rounded down.
    if epsilon == 0.0 {
        return Some("1".to_owned());
    }
    let factor = (epsilon.exp() * 1000.0 * (1.0 + 1e-12)).ceil() / 1000.0;
    (0.0..=7.0).contains(&epsilon).then(|| format!("{factor:.3}"))
}

fn limits(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    let of_totals: &[&str] = match certificate.invariants.is_empty() {
        true => &[],
        false => &[
            "The exact totals themselves. They are published as they are; \
                whatever can be learnt from them alone can be learnt with certainty.",
            "Pairs of tables whose exact totals differ. About a change \
                that would alter an exact total, such as adding or removing a person who is \
                counted in one, nothing is promised.",
        ],
    };
    let others = match certificate.ledger {
        Some(_) => "Other releases from the same data. Losses add up; the ledger records what was spent.",
        None => {
            "Other releases from the same data. Losses add up, and no ledger keeps count here \
                because the data are declared public."
        }
    };
    let more = match &certificate.guarantee.privacy_unit {
        Some(unit) => format!(
            "More than one {}. A group of several is protected less: the loss grows with their number. {}",
            unit.column, unit.bounded
        ),
        None => "More than the stated unit. A person who is counted several times, \
                or a household, is protected less: the loss grows with the number of units they \
                can change."
            .to_owned(),
    };
    let facts = "Facts that are true of a group or of people in general. The table \
        is meant to show them, and they may allow conclusions about a person whether or \
        not that person is in the data.";
    let data = "The data before they were counted: who could read them, how they \
        were stored, and whether they are right.";
    page.element("ul", &[], |page| {
        let all = of_totals.iter().copied().chain([facts, others, &more, data]);
        all.for_each(|limit| page.leaf("li", &[], limit));
    });
}

/// A phrase as a sentence of its own.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::odds;

    #[test]
    fn odds_only_round_up() {
        assert_eq!(odds(0.25).as_deref(), Some("1.285"));
        assert_eq!(odds(0.0).as_deref(), Some("1"));
        assert_eq!(odds(1e-9).as_deref(), Some("1.001"));
        assert_eq!(odds(8.0), None);
    }
}
