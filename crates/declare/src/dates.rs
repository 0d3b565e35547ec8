//! Days of the Gregorian calendar, how files write them, and the periods that they are counted in.

use std::fmt;

/// A day: how many days after 1970-01-01 it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The day with this year, month and day; `None` when the calendar has none.
    pub fn new(year: i64, month: i64, day: i64) -> Option<Day> {
        if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=length(year, month)).contains(&day) {
            return None;
        }
        // Years of 400 repeat; counted from a March the leap day comes last.
        let year = if month <= 2 { year - 1 } else { year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let month_from_march = (month + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Some(Day(era * 146_097 + day_of_era - 719_468))
    }

    /// Its year, month and day.
    pub fn parts(self) -> (i64, i64, i64) {
        let day = self.0 + 719_468;
        let (era, day_of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        (era * 400 + year_of_era + i64::from(month <= 2), month, day)
    }

    /// The day that a text names as year, month and day with hyphens, and nothing else.
    pub fn read(text: &str) -> Option<Day> {
        let (day, rest) = DateFormat::iso().split(text)?;
        rest.is_empty().then_some(day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

fn length(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// How a file writes dates: `YYYY`, `MM` and `DD`, with what stands between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateFormat {
    /// As specs write it, for example `MM/DD/YYYY`.
    text: String,
}

impl DateFormat {
    /// Year, month and day with hyphens.
    pub fn iso() -> DateFormat {
        DateFormat { text: "YYYY-MM-DD".to_string() }
    }

    /// The format that a text describes; `None` when it is none.
    pub fn new(text: &str) -> Option<DateFormat> {
        let once = |part: &str| text.matches(part).count() == 1;
        let rest = text.replacen("YYYY", "", 1).replacen("MM", "", 1).replacen("DD", "", 1);
        let separators = rest.chars().all(|letter| matches!(letter, '-' | '/' | '.' | ' '));
        if !(once("YYYY") && once("MM") && once("DD") && separators && text.len() <= 16) {
            return None;
        }
        let format = DateFormat { text: text.to_string() };
        // A format that cannot read what it writes would be no format.
        let day = Day::new(2024, 11, 23)?;
        (format.day(&format.write(day)) == Some(day)).then_some(format)
    }

    /// As specs write it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A day in this format.
    pub fn write(&self, day: Day) -> String {
        let (year, month, day) = day.parts();
        let text = self.text.replacen("YYYY", &format!("{year:04}"), 1);
        text.replacen("MM", &format!("{month:02}"), 1).replacen("DD", &format!("{day:02}"), 1)
    }

    /// The day that a field holds, spaces around it and a time of day after it ignored.
    pub fn day(&self, field: &str) -> Option<Day> {
        let (day, rest) = self.split(field.trim())?;
        let is_time = |rest: &str| {
            let time = rest.trim_start();
            time.starts_with(|first: char| first.is_ascii_digit())
                && time.len() <= 40
                && time.bytes().all(|byte| byte.is_ascii_digit() || b":.,+-Z ".contains(&byte))
        };
        let is_nothing = rest.is_empty();
        let after = rest.strip_prefix('T').or_else(|| rest.strip_prefix(' '));
        (is_nothing || after.is_some_and(is_time)).then_some(day)
    }

    /// The day at the beginning of a text, and what follows it.
    fn split<'a>(&self, text: &'a str) -> Option<(Day, &'a str)> {
        let (mut year, mut month, mut day) = (0, 0, 0);
        let (mut format, mut rest) = (self.text.as_str(), text);
        while let Some(letter) = format.chars().next() {
            let (part, length) = match letter {
                'Y' => (&mut year, 4),
                'M' => (&mut month, 2),
                'D' => (&mut day, 2),
                separator => {
                    rest = rest.strip_prefix(separator)?;
                    format = &format[1..];
                    continue;
                }
            };
            format = &format[length..];
            // Without something after it a number has all of its digits.
            let is_last_or_apart = format.is_empty() || !format.starts_with(['Y', 'M', 'D']);
            let digits = rest.bytes().take(length).take_while(u8::is_ascii_digit).count();
            if digits == 0 || (digits < length && (length == 4 || !is_last_or_apart)) {
                return None;
            }
            *part = rest[..digits].parse().ok()?;
            rest = &rest[digits..];
        }
        if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
            return None;
        }
        Some((Day::new(year, month, day)?, rest))
    }
}

/// The day that a field holds in one of several formats, of which the first that fits decides.
pub fn read_day(field: &str, formats: &[DateFormat]) -> Option<Day> {
    formats.iter().find_map(|format| format.day(field))
}

/// A text that two formats read as different days, if there is one.
pub(crate) fn ambiguous(one: &DateFormat, other: &DateFormat) -> Option<String> {
    // Days up to 12 in every month tell all that can be mistaken.
    (1..=12).flat_map(|month| (1..=12).map(move |day| (month, day))).find_map(|(month, day)| {
        let day = Day::new(2024, month, day)?;
        let text = one.write(day);
        other.day(&text).filter(|read| *read != day).map(|_| text)
    })
}

/// What days are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// Days: `2024-04-01`.
    Day,
    /// Months: `2024-04`.
    Month,
    /// Quarters: `2024-Q2`.
    Quarter,
    /// Years: `2024`.
    Year,
}

impl Period {
    /// The number of the period with this day; the next period has the next number.
    pub fn of(self, day: Day) -> i64 {
        let (year, month, _) = day.parts();
        match self {
            Period::Day => day.0,
            Period::Month => year * 12 + month - 1,
            Period::Quarter => year * 4 + (month - 1) / 3,
            Period::Year => year,
        }
    }

    /// The first day of a period; `None` beyond the years 0 to 9999.
    pub fn start(self, number: i64) -> Option<Day> {
        match self {
            Period::Day => Some(Day(number)).filter(|day| (0..=9999).contains(&day.parts().0)),
            Period::Month => Day::new(number.div_euclid(12), number.rem_euclid(12) + 1, 1),
            Period::Quarter => Day::new(number.div_euclid(4), 3 * number.rem_euclid(4) + 1, 1),
            Period::Year => Day::new(number, 1, 1),
        }
    }

    /// How a period is written.
    pub fn label(self, number: i64) -> String {
        match self {
            Period::Day => Day(number).to_string(),
            Period::Month => format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1),
            Period::Quarter => format!("{:04}-Q{}", number.div_euclid(4), number.rem_euclid(4) + 1),
            Period::Year => format!("{number:04}"),
        }
    }

    /// The number of the period that a text names.
    pub fn read(self, text: &str) -> Option<i64> {
        let year = text.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<i64>().ok()?;
        let rest = &text[4..];
        let number = match self {
            Period::Day => Day::read(text)?.0,
            Period::Month => year * 12 + rest.strip_prefix('-')?.parse::<i64>().ok()? - 1,
            Period::Quarter => year * 4 + rest.strip_prefix("-Q")?.parse::<i64>().ok()? - 1,
            Period::Year => year,
        };
        (self.label(number) == text).then_some(number)
    }

    /// An example of how it is written.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Period::Day => "2024-04-01",
            Period::Month => "2024-04",
            Period::Quarter => "2024-Q2",
            Period::Year => "2024",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_numbered_by_the_calendar() {
        let mut expected = -719_528;
        for year in 0..=9999 {
            for month in 1..=12 {
                for day in 1..=length(year, month) {
                    let found = Day::new(year, month, day).unwrap();
                    assert_eq!((found.0, found.parts()), (expected, (year, month, day)));
                    expected += 1;
                }
                assert_eq!(Day::new(year, month, length(year, month) + 1), None);
            }
        }
        assert_eq!(Day::new(1970, 1, 1), Some(Day(0)));
        assert_eq!(Day(19_814).to_string(), "2024-04-01");
        for wrong in ["2023-02-29", "2024-00-01", "2024-13-01", "24-04-01", "2024-04-001", "2024-04-01 ", "2024/04/01"]
        {
            assert_eq!(Day::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn fields_are_dates_in_their_format_alone() {
        let us = DateFormat::new("MM/DD/YYYY").unwrap();
        let april = Day::new(2024, 4, 1);
        assert_eq!(us.day(" 4/1/2024 "), april);
        assert_eq!(us.day("04/01/2024 10:30:00"), april);
        assert_eq!(us.day("13/01/2024"), None);
        assert_eq!(us.day("04/01/24"), None);
        let iso = DateFormat::iso();
        assert_eq!(iso.day("2024-04-01T23:59:59.999Z"), april);
        assert_eq!(iso.day("2024-04-01 noon"), None);
        assert_eq!(iso.day("2024-04-01T"), None);
        assert_eq!(iso.day("2024-04-011"), None);
        assert_eq!(DateFormat::new("YYYYMMDD").unwrap().day("20240401"), april);
        for wrong in ["", "YYYY", "MM/DD/YY", "YYYY-MM-DD-DD", "DDMMMYYYY", "YYYYxMMxDD"] {
            assert_eq!(DateFormat::new(wrong), None, "{wrong}");
        }
        let day_first = DateFormat::new("DD/MM/YYYY").unwrap();
        assert_eq!(ambiguous(&us, &day_first).as_deref(), Some("01/02/2024"));
        assert_eq!(ambiguous(&us, &iso), None);
    }

    #[test]
    fn periods_follow_each_other() {
        for period in Period::ALL {
            let start = period.read(period.example()).unwrap();
            for number in start - 5..start + 40 {
                let (first, next) = (period.start(number).unwrap(), period.start(number + 1).unwrap());
                assert!(first < next);
                assert_eq!((period.of(first), period.of(Day(next.0 - 1))), (number, number));
                assert_eq!(period.read(&period.label(number)), Some(number));
            }
        }
        assert_eq!(Period::Quarter.read("2024-Q5"), None);
        assert_eq!(Period::Month.read("2024-4"), None);
        assert_eq!(Period::Year.read("2024 "), None);
    }
}
