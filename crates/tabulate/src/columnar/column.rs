//! `Column`: an Arrow array as values that have a text.

use crate::file::Class;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::DataType;
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
        T::Timestamp(..) | T::Date64 | T::Time32(_) | T::Time64(_) => Err("times"),
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
            Values::Date(values) => put_date(out, values[row]),
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

/// Writes a day as year, month and day of the Gregorian calendar.
fn put_date(out: &mut Vec<u8>, days: i32) {
    // Years of 400 repeat; counted from a March the leap day comes last.
    let day = i64::from(days) + 719_468;
    let (era, day_of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    put(out, format_args!("{year:04}-{month:02}-{day:02}"));
}

#[cfg(test)]
mod tests {
    use super::put_date;

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
            put_date(&mut text, days);
            assert_eq!(String::from_utf8(text).expect("digits"), date);
        }
    }
}
