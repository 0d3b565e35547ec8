//! The `[limits]` section: how much memory and time planners may plan with.

use super::keys;
use super::reader::{Node, Section};
use crate::limits::{LARGEST_LIMITS, Limits, MEMORY_UNITS, TIME_UNITS};
use crate::problem::Problem;
use exact::Rational;

const MEMORY_HINT: &str = "write a number and MB, GB or TB: memory = \"16 GB\"";
const TIME_HINT: &str = "write a number and seconds, minutes, hours or days: time = \"3 hours\"";

pub(super) fn read(root: &Section) -> Result<Limits, Problem> {
    let default = Limits::default();
    let Some(node) = root.get("limits") else { return Ok(default) };
    let section = node.section("[limits]")?;
    section.only(&keys::LIMITS)?;
    let most = LARGEST_LIMITS;
    let memory = |node: Node| amount(&node, &MEMORY_UNITS, "bytes", most.bytes, MEMORY_HINT, &most.memory());
    let time = |node: Node| amount(&node, &TIME_UNITS, "seconds", most.seconds, TIME_HINT, &most.time());
    let bytes = section.get("memory").map_or(Ok(default.bytes), memory)?;
    let seconds = section.get("time").map_or(Ok(default.seconds), time)?;
    Ok(Limits { bytes, seconds })
}

/// A number and its unit, as a whole number of the smallest parts.
fn amount(
    node: &Node,
    units: &[(&str, u64)],
    parts: &str,
    most: u64,
    hint: &str,
    most_in_words: &str,
) -> Result<u64, Problem> {
    let name = &node.name;
    let Ok(text) = node.nonempty() else {
        let message = format!("`{name}` must be a number and its unit, as text in quotes");
        return Err(node.bad(message, "no number with a unit").hint(hint));
    };
    let text = text.trim();
    let end = text.find(|letter: char| letter.is_ascii_alphabetic() || letter.is_whitespace()).unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    if number.is_empty() {
        let message = format!("`{name}` must begin with a whole or decimal number");
        return Err(node.bad(message, "not a number and its unit").hint(hint));
    }
    if unit.is_empty() {
        return Err(node.bad(format!("`{name}` has no unit"), "a number of what?").hint(hint));
    }
    let is_unit = |known: &str| unit == known || (known.ends_with('s') && unit == known.trim_end_matches('s'));
    let Some((_, size)) = units.iter().find(|(known, _)| is_unit(known)) else {
        return Err(node
            .bad(format!("`{name}` has the unit `{unit}`, which is none of its units"), "not known")
            .hint(hint));
    };
    // A fraction such as 1/2 is a number elsewhere in specs; a limit is read aloud.
    let decimal = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || b".+-".contains(&byte));
    let Some(number) = decimal.then(|| number.parse::<Rational>().ok()).flatten() else {
        let message = format!("`{name}` must begin with a whole or decimal number");
        return Err(node.bad(message, "not a number and its unit").hint(hint));
    };
    if !number.is_positive() {
        return Err(node.bad(format!("`{name}` must be above zero"), "not above zero").hint(hint));
    }
    let number = &number * &Rational::integer(*size);
    if number > Rational::integer(most) {
        return Err(node.bad(format!("`{name}` is at most {most_in_words}"), "too large").hint(hint));
    }
    let decimals = || node.bad(format!("`{name}` is not a whole number of {parts}"), "too many decimals").hint(hint);
    number.to_string().parse().map_err(|_| decimals())
}
