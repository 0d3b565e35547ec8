//! Rationals: what is read, what is refused, what is printed, and in which order.

use crate::generator::Generator;
use dashu_int::{IBig, UBig};
use exact::Rational;

fn read(text: &str) -> Rational {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn decimals_and_fractions_are_read_exactly() {
    for (text, above, below) in [
        ("0.25", 1, 4u32),
        (".5", 1, 2),
        ("5.", 5, 1),
        ("1e-6", 1, 1_000_000),
        ("1E3", 1000, 1),
        ("2.5e+1", 25, 1),
        ("1/4", 1, 4),
        (" 3 / 12 ", 1, 4),
        ("0.5/3", 1, 6),
        ("1/0.5", 2, 1),
        ("-1/-4", 1, 4),
        ("1/-4", -1, 4),
        ("-3", -3, 1),
        ("+3", 3, 1),
        ("-0.75", -3, 4),
        ("-0", 0, 1),
        ("0.1000", 1, 10),
        ("007", 7, 1),
    ] {
        assert_eq!(read(text), Rational::new(above, below), "{text}");
    }
}

#[test]
fn what_is_not_a_number_is_refused() {
    for text in [
        "",
        " ",
        ".",
        "-",
        "+",
        "e5",
        "1e",
        "1e5.0",
        "--3",
        "-+3",
        "1..2",
        "1.2.3",
        "1/2/3",
        "/2",
        "1/",
        "/",
        "abc",
        "0x10",
        "1_000",
        "1,5",
        "1 000",
        "NaN",
        "inf",
        "-inf",
        "infinity",
        "٣",
        "½",
        "１",
        "1e٣",
        "−3",
        "1/4\u{200b}",
        "ε",
        "1e99999999999",
    ] {
        let error = text.parse::<Rational>().expect_err(text).to_string();
        assert!(error.contains("is not a decimal or a fraction"), "{text}: {error}");
    }
    for text in ["1/0", "1/0.00", "0/0", "1/-0"] {
        let error = text.parse::<Rational>().expect_err(text).to_string();
        assert_eq!(error, format!("`{text}` divides by zero"));
    }
}

#[test]
fn too_many_digits_are_refused_and_not_repeated_in_full() {
    let longest = "9".repeat(60);
    assert_eq!(read(&longest).to_string(), longest);
    for text in ["9".repeat(61), format!("0.{}", "1".repeat(61)), "1e61".into(), "1e-61".into()] {
        let error = text.parse::<Rational>().expect_err(&text).to_string();
        assert!(error.ends_with("has more than 60 digits"), "{error}");
    }
    assert!(read("1e-60") > Rational::integer(0));
    let error = "7".repeat(1_000_000).parse::<Rational>().unwrap_err().to_string();
    assert!(error.len() < 200, "{} characters", error.len());
    let error = "é".repeat(1_000_000).parse::<Rational>().unwrap_err().to_string();
    assert!(error.len() < 300, "{} characters", error.len());
}

#[test]
fn what_is_printed_is_read_back() {
    let mut generator = Generator::new(31);
    for _ in 0..3000 {
        let value = generator.rational(20);
        assert_eq!(read(&value.to_string()), value);
        assert_eq!(format!("{value:?}"), value.to_string());
    }
    assert_eq!(Rational::new(-2, 8u8).to_string(), "-1/4");
    assert_eq!(Rational::new(6, 3u8).to_string(), "2");
}

#[test]
fn order_is_that_of_the_numbers() {
    let mut generator = Generator::new(32);
    for _ in 0..3000 {
        let (a, b) = (generator.rational(3), generator.rational(3));
        let crossed = (a.numerator() * b.denominator()).cmp(&(b.numerator() * a.denominator()));
        assert_eq!(a.cmp(&b), crossed, "{a} and {b}");
        assert_eq!(a < b, (&a - &b).is_negative());
        assert_eq!(a.is_positive(), a > Rational::integer(0));
    }
    assert!(read("-1/3") < read("-0.333") && read("1/3") > read("0.333"));
    assert_eq!(read("2/6"), read("1/3"));
}

#[test]
fn arithmetic_agrees_with_cross_multiplication() {
    let mut generator = Generator::new(33);
    for _ in 0..2000 {
        let (a, b) = (generator.rational(5), generator.rational(5));
        let below = a.denominator() * b.denominator();
        let left = a.numerator() * b.denominator();
        let right = b.numerator() * a.denominator();
        assert_eq!(&a + &b, Rational::new(&left + &right, below.clone()));
        assert_eq!(&a - &b, Rational::new(&left - &right, below.clone()));
        assert_eq!(&a * &b, Rational::new(a.numerator() * b.numerator(), below));
        if let Some(inverse) = b.reciprocal() {
            assert_eq!(&a / &b, &a * &inverse);
            assert_eq!(&b * &inverse, Rational::integer(1));
        }
        assert_eq!(a.pow(3), &(&a * &a) * &a);
    }
    assert_eq!(Rational::integer(0).reciprocal(), None);
    assert_eq!(Rational::integer(0).pow(0), Rational::integer(1));
}

#[test]
fn floors_and_ceilings() {
    for (text, floor, ceiling) in
        [("7/2", 3, 4), ("-7/2", -4, -3), ("4", 4, 4), ("-4", -4, -4), ("0", 0, 0), ("-1/9", -1, 0)]
    {
        assert_eq!(read(text).floor(), IBig::from(floor), "{text}");
        assert_eq!(read(text).ceil(), IBig::from(ceiling), "{text}");
    }
    assert!(read("4").is_integer() && !read("7/2").is_integer());
}

#[test]
fn decimals_only_round_up() {
    for (text, digits, decimal) in [
        ("1/3", 3, "0.334"),
        ("-1/3", 3, "-0.333"),
        ("0.5", 3, "0.5"),
        ("0.9999", 3, "1"),
        ("-0.0001", 3, "0"),
        ("0.0001", 3, "0.001"),
        ("20", 2, "20"),
        ("20", 0, "20"),
        ("7/3", 0, "3"),
        ("0", 5, "0"),
        ("-12.5", 1, "-12.5"),
    ] {
        assert_eq!(read(text).to_decimal_up(digits), decimal, "{text}");
    }
    let mut generator = Generator::new(34);
    for _ in 0..2000 {
        let value = generator.rational(10);
        let digits = generator.between(0, 30) as usize;
        let printed = read(&value.to_decimal_up(digits));
        let unit = Rational::new(1, UBig::from(10u8).pow(digits));
        assert!(value <= printed && printed < &value + &unit, "{value} with {digits} digits");
    }
}

#[test]
fn finite_decimals_are_printed_exactly() {
    for (text, decimal) in [
        ("1/8", Some("0.125")),
        ("-3/40", Some("-0.075")),
        ("7", Some("7")),
        ("1200", Some("1200")),
        ("1e-6", Some("0.000001")),
        ("1/3", None),
        ("1/14", None),
        ("0", Some("0")),
    ] {
        assert_eq!(read(text).to_decimal_exact().as_deref(), decimal, "{text}");
    }
    let mut generator = Generator::new(35);
    for _ in 0..500 {
        let value = generator.rational(10);
        if let Some(decimal) = value.to_decimal_exact() {
            assert!(decimal.len() > 90 || read(&decimal) == value);
        }
    }
}
