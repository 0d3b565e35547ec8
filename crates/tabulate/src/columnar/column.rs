//! `Column`: an Arrow array as values that have a text.

use crate::header::Class;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::{DataType, TimeUnit};
use declare::Day;
use std::borrow::Cow;
use std::io::Write;

/// An array of a kind that is read.
pub(crate) struct Column<'a> {
    pub array: &'a ArrayRef,
    pub values: Values<'a>,
}

/// The values of an array, nulls not considered.
pub(crate) enum Values<'a> {
    Whole(Cow<'a, [i64]>),
    Unsigned(&'a [u64]),
    Real(&'a [f64]),
    Single(&'a [f32]),
    Flag(&'a BooleanArray),
    /// Days since 1970-01-01.
    Date(&'a [i32]),
    /// Moments since 1970-01-01: so many to a second, and so many seconds ahead of the clock.
    Time {
        values: &'a [i64],
        per_second: i64,
        ahead: i64,
    },
    Text(Texts<'a>),
    /// The values are those of another column, by their places there.
    Dictionary(Cow<'a, [i32]>, Box<Column<'a>>),
    Nothing,
}

/// The bytes of every row.
pub(crate) enum Texts<'a> {
    Short(&'a arrow_array::StringArray),
    Long(&'a arrow_array::LargeStringArray),
    View(&'a arrow_array::StringViewArray),
    ShortBytes(&'a arrow_array::BinaryArray),
    LongBytes(&'a arrow_array::LargeBinaryArray),
    ViewBytes(&'a arrow_array::BinaryViewArray),
}

impl Texts<'_> {
    /// The bytes of a row: text, unless they say otherwise.
    pub fn bytes(&self, row: usize) -> &[u8] {
        match self {
            Texts::Short(array) => array.value(row).as_bytes(),
            Texts::Long(array) => array.value(row).as_bytes(),
            Texts::View(array) => array.value(row).as_bytes(),
            Texts::ShortBytes(array) => array.value(row),
            Texts::LongBytes(array) => array.value(row),
            Texts::ViewBytes(array) => array.value(row),
        }
    }
}

/// What kind of values a type of columns holds, or what it holds that is not read.
pub(crate) fn class_of(kind: &DataType) -> Result<Class, &'static str> {
    use DataType as T;
    match kind {
        T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => Ok(Class::Whole),
        T::Float32 | T::Float64 => Ok(Class::Real),
        T::Boolean => Ok(Class::Flag),
        T::Date32 => Ok(Class::Date),
        T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Binary | T::LargeBinary | T::BinaryView => Ok(Class::Text),
        T::Null => Ok(Class::Nothing),
        T::Dictionary(_, values) if !matches!(values.as_ref(), T::Dictionary(..)) => class_of(values),
        T::Date64 => Ok(Class::Date),
        T::Timestamp(_, zone) if seconds_ahead(zone.as_deref()).is_some() => Ok(Class::Date),
        T::Timestamp(..) => Err("times in the time zone of a place, whose days depend on its clocks"),
        T::Time32(_) | T::Time64(_) => Err("times of day"),
        T::Duration(_) | T::Interval(_) => Err("spans of time"),
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => Err("scaled decimals"),
        T::List(_) | T::LargeList(_) | T::FixedSizeList(..) | T::ListView(_) | T::LargeListView(_) | T::Struct(_) => {
            Err("nested values")
        }
        T::Map(..) | T::Union(..) => Err("nested values"),
        _ => Err("values of a special kind"),
    }
}

impl<'a> Column<'a> {
    /// The column of an array; `None` when its kind is not read.
    pub fn new(array: &'a ArrayRef) -> Option<Self> {
        use DataType as T;
        let values = match array.data_type() {
            T::Int8 => whole::<Int8Type>(array),
            T::Int16 => whole::<Int16Type>(array),
            T::Int32 => whole::<Int32Type>(array),
            T::Int64 => Values::Whole(Cow::Borrowed(array.as_primitive::<Int64Type>().values())),
            T::UInt8 => whole::<UInt8Type>(array),
            T::UInt16 => whole::<UInt16Type>(array),
            T::UInt32 => whole::<UInt32Type>(array),
            T::UInt64 => Values::Unsigned(array.as_primitive::<UInt64Type>().values()),
            T::Float32 => Values::Single(array.as_primitive::<Float32Type>().values()),
            T::Float64 => Values::Real(array.as_primitive::<Float64Type>().values()),
            T::Boolean => Values::Flag(array.as_boolean()),
            T::Date32 => Values::Date(array.as_primitive::<Date32Type>().values()),
            T::Date64 => {
                Values::Time { values: array.as_primitive::<Date64Type>().values(), per_second: 1000, ahead: 0 }
            }
            T::Timestamp(unit, zone) => {
                let ahead = seconds_ahead(zone.as_deref())?;
                let (values, per_second): (&[i64], i64) = match unit {
                    TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().values(), 1),
                    TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().values(), 1_000),
                    TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().values(), 1_000_000),
                    TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().values(), 1_000_000_000),
                };
                Values::Time { values, per_second, ahead }
            }
            T::Utf8 => Values::Text(Texts::Short(array.as_string())),
            T::LargeUtf8 => Values::Text(Texts::Long(array.as_string())),
            T::Utf8View => Values::Text(Texts::View(array.as_string_view())),
            T::Binary => Values::Text(Texts::ShortBytes(array.as_binary())),
            T::LargeBinary => Values::Text(Texts::LongBytes(array.as_binary())),
            T::BinaryView => Values::Text(Texts::ViewBytes(array.as_binary_view())),
            T::Null => Values::Nothing,
            T::Dictionary(key, _) => {
                let dictionary = array.as_any_dictionary();
                let values = Column::new(dictionary.values())?;
                // Places of nulls may be anything: without values, there is nothing but nulls.
                if dictionary.values().is_empty() {
                    return Some(Column { array, values: Values::Nothing });
                }
                let keys = match key.as_ref() {
                    T::Int32 => Cow::Borrowed(&array.as_dictionary::<Int32Type>().keys().values()[..]),
                    _ => Cow::Owned(dictionary.normalized_keys().into_iter().map(|key| key as i32).collect()),
                };
                Values::Dictionary(keys, Box::new(values))
            }
            _ => return None,
        };
        Some(Column { array, values })
    }

    /// Whether the value of a row is null.
    pub fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row) || matches!(self.values, Values::Nothing)
    }

    /// Writes the text of a row; a missing value has none.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            return;
        }
        match &self.values {
            Values::Whole(values) => put(out, values[row]),
            Values::Unsigned(values) => put(out, values[row]),
            Values::Real(values) if values[row].is_nan() => {}
            Values::Real(values) => put(out, values[row]),
            Values::Single(values) if values[row].is_nan() => {}
            Values::Single(values) => put(out, values[row]),
            Values::Flag(values) => put(out, values.value(row)),
            Values::Date(values) => put(out, Day(i64::from(values[row]))),
            Values::Time { values, per_second, ahead } => put_time(out, values[row], *per_second, *ahead),
            Values::Text(texts) => out.extend_from_slice(texts.bytes(row)),
            Values::Dictionary(keys, values) => values.write(keys[row] as usize, out),
            Values::Nothing => {}
        }
    }
}

fn whole<T: ArrowPrimitiveType>(array: &ArrayRef) -> Values<'_>
where
    T::Native: Into<i64>,
{
    Values::Whole(Cow::Owned(array.as_primitive::<T>().values().iter().map(|value| (*value).into()).collect()))
}

fn put(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

/// How far the clock of a time zone is ahead of the moments of a file, in seconds; `None`: it
/// depends on the time of year.
fn seconds_ahead(zone: Option<&str>) -> Option<i64> {
    let zone = zone.unwrap_or("UTC");
    if ["UTC", "Etc/UTC", "GMT", "Z", ""].contains(&zone) {
        return Some(0);
    }
    let (sign, clock) = match zone.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let digits: String = clock.chars().filter(|letter| *letter != ':').collect();
    let number = (digits.len() == 4).then(|| digits.parse::<i64>().ok()).flatten()?;
    let (hours, minutes) = (number / 100, number % 100);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Writes a moment as its day, with the time of day unless that is midnight.
fn put_time(out: &mut Vec<u8>, moment: i64, per_second: i64, ahead: i64) {
    const DAY: i64 = 86_400;
    let seconds = moment.div_euclid(per_second).saturating_add(ahead);
    let (day, second) = (Day(seconds.div_euclid(DAY)), seconds.rem_euclid(DAY));
    put(out, day);
    if second != 0 || moment.rem_euclid(per_second) != 0 {
        put(out, format_args!("T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60));
    }
}

#[cfg(test)]
mod tests {
    use super::{Day, put, put_time, seconds_ahead};

    #[test]
    fn days_are_dates_of_the_calendar() {
        for (days, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (18_322, "2020-03-01"),
            (18_321, "2020-02-29"),
            (11_016, "2000-02-29"),
            (-25_509, "1900-02-28"),
            (-25_508, "1900-03-01"),
            (2_932_896, "9999-12-31"),
            (-719_528, "0000-01-01"),
        ] {
            let mut text = Vec::new();
            put(&mut text, Day(days));
            assert_eq!(String::from_utf8(text).expect("digits"), date);
        }
    }
    #[test]
    fn moments_are_days_with_a_time_unless_it_is_midnight() {
        for (moment, per_second, ahead, expected) in [
            (1_711_929_600, 1, 0, "2024-04-01"),
            (1_711_929_600_000_000_000, 1_000_000_000, 0, "2024-04-01"),
            (1_711_929_599_999, 1_000, 0, "2024-03-31T23:59:59"),
            (1_711_929_600_001, 1_000, 0, "2024-04-01T00:00:00"),
            (1_711_929_600, 1, -25_200, "2024-03-31T17:00:00"),
            (-1, 1, 0, "1969-12-31T23:59:59"),
        ] {
            let mut text = Vec::new();
            put_time(&mut text, moment, per_second, ahead);
            assert_eq!(String::from_utf8(text).expect("digits"), expected);
        }
        assert_eq!(seconds_ahead(Some("+02:30")), Some(9000));
        assert_eq!(seconds_ahead(Some("-0700")), Some(-25_200));
        assert_eq!(seconds_ahead(Some("America/Los_Angeles")), None);
        assert_eq!(seconds_ahead(None), Some(0));
    }
}
