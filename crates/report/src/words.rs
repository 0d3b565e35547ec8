//! Numbers, plurals and dates as a reader expects them.

/// `1,234` or `−1,234`, with a true minus sign.
pub fn number(value: impl Into<i128>) -> String {
    let value = value.into();
    let digits = value.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 3);
    if value < 0 {
        text.push('−');
    }
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 cell`, `16 cells`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(count as i128), if count == 1 { one } else { many })
}

/// `2026-11-15T02:56:36Z` as `15 November 2026, 02:56 UTC`; any other text as it stands.
pub(crate) fn date(time: &str) -> String {
    const MONTHS: &str = "January February March April May June July August September October November December";
    let readable = || {
        let (day, clock) = time.split_once('T')?;
        clock.strip_suffix('Z').or_else(|| clock.strip_suffix("+00:00"))?;
        let mut parts = day.split('-');
        let (year, month, day) =
            (parts.next()?, parts.next()?.parse::<usize>().ok()?, parts.next()?.parse::<u8>().ok()?);
        let name = MONTHS.split(' ').nth(month.checked_sub(1)?)?;
        Some(format!("{day} {name} {year}, {} UTC", clock.get(..5)?))
    };
    readable().unwrap_or_else(|| time.to_owned())
}

/// A fraction or decimal as a machine number; for words about a number that stands exactly beside
/// them.
pub(crate) fn approximate(text: &str) -> Option<f64> {
    let value = match text.split_once('/') {
        Some((above, below)) => above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?,
        None => text.trim().parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// A number as people read it: a whole one as it stands, any other with four digits, rounded up
/// unless a millionth is in between. `0.9999999999997` is `1`; any text that is no number stays as
/// it is.
pub(crate) fn people(text: &str) -> String {
    let Some(value) = approximate(text).filter(|value| *value >= 0.0 && *value < 1e15) else {
        return text.to_owned();
    };
    let whole = value.round();
    if (value - whole).abs() <= 1e-6 * whole.max(1e-9) {
        return number(whole as i128);
    }
    let size = value.log10().floor() as i32;
    if !(-4..=3).contains(&size) {
        return if size > 3 { number(value.ceil() as i128) } else { format!("{value:.3e}") };
    }
    let unit = 10f64.powi(3 - size);
    let rounded = (value * unit * (1.0 - 1e-6)).ceil() / unit;
    let decimals = usize::try_from(3 - size).unwrap_or(0);
    let shown = format!("{rounded:.decimals$}");
    shown.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whether a number as people read it is the number itself.
pub(crate) fn is_same(shown: &str, value: &str) -> bool {
    shown == value || approximate(&shown.replace(',', "")) == approximate(value)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(-1000), "−1,000");
        assert_eq!(number(i64::MIN), "−9,223,372,036,854,775,808");
    }

    #[test]
    fn dates_are_readable_or_left_alone() {
        assert_eq!(date("2026-11-05T02:56:36Z"), "5 November 2026, 02:56 UTC");
        assert_eq!(date("2026-13-05T02:56:36Z"), "2026-13-05T02:56:36Z");
        assert_eq!(date("2026-11-05T02:56:36+02:00"), "2026-11-05T02:56:36+02:00");
        assert_eq!(date("yesterday"), "yesterday");
    }

    #[test]
    fn people_read_few_digits() {
        let found = ["0.9999999999997", "1/4", "1/3", "0.100000001", "12345.6", "2", "0", "none", "0.5"].map(people);
        assert_eq!(found, ["1", "0.25", "0.3334", "0.1", "12,346", "2", "0", "none", "0.5"]);
    }

    #[test]
    fn fractions_are_approximated() {
        assert_eq!(approximate("1/4"), Some(0.25));
        assert_eq!(approximate("0.5"), Some(0.5));
        assert_eq!(approximate("1/0"), None);
        assert_eq!(approximate("none"), None);
    }
}
