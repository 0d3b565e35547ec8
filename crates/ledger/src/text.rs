//! Texts that callers give and the ledger keeps: names, reasons, hashes; never empty, never
//! endless.

use declare::Problem;
use unicode_security::confusable_detection::skeleton;

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

/// The longest reason or path, in characters.
const LONGEST_LINE: usize = 2000;

/// A name or a hash: one short line.
pub(crate) fn name<'a>(what: &str, text: &'a str) -> Result<&'a str, Problem> {
    line(what, text, LONGEST_NAME)
}

/// A reason or a path: one line.
pub(crate) fn sentence<'a>(what: &str, text: &'a str) -> Result<&'a str, Problem> {
    line(what, text, LONGEST_LINE)
}

fn line<'a>(what: &str, text: &'a str, longest: usize) -> Result<&'a str, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::bad(format!("{what} is empty")));
    }
    if text.trim().len() != text.len() {
        return Err(Problem::bad(format!("{what} begins or ends with a space: `{text}`")));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::bad(format!("{what} contains a control character")).hint("write it on one line"));
    }
    if text.chars().count() > longest {
        return Err(Problem::bad(format!("{what} has more than {longest} characters")));
    }
    Ok(text)
}

/// Whether two texts name the same person, to an eye that reads quickly: letters in either case,
/// letters of other scripts that look alike, with or without marks and spaces between them. Taking
/// two persons for one asks for a third.
pub(crate) fn same_person(one: &str, other: &str) -> bool {
    looks(one) == looks(other)
}

/// Whether two names of things are taken for each other by an eye that reads quickly: case,
/// look-alike letters of other scripts, spaces and what is not seen. Marks between words tell them
/// apart.
pub(crate) fn look_alike(one: &str, other: &str) -> bool {
    look(one) == look(other)
}

/// What the eye keeps of the name of a thing; all of a name of which it would keep nothing.
pub(crate) fn look(name: &str) -> String {
    let seen = |letter: &char| letter.is_alphanumeric() || letter.is_ascii_graphic();
    let look: String = skeleton(&name.to_lowercase()).collect::<String>().to_lowercase().chars().filter(seen).collect();
    if look.is_empty() { name.to_string() } else { look }
}

/// What is left of a name when what is easily mistaken is the same.
fn looks(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let looks = skeleton(&lower).collect::<String>().to_lowercase();
    let looks: String = looks.chars().filter(|letter| letter.is_alphanumeric()).collect();
    if looks.is_empty() { lower } else { looks }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).unwrap_or('?'));
        }
        text
    })
}

/// The bytes that hexadecimal digits stand for, if there are exactly as many as wanted.
pub(crate) fn unhex<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    unhex_all(text)?.try_into().ok()
}

/// The bytes that hexadecimal digits stand for, however many.
pub(crate) fn unhex_all(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    pairs.remainder().is_empty().then(|| pairs.map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

#[cfg(test)]
mod tests {
    use super::{hex, look_alike, name, same_person, sentence, unhex};

    #[test]
    fn names_are_short_lines() {
        assert!(name("the name", "census 2020").is_ok());
        for wrong in ["", "  ", " a", "a\nb", &"a".repeat(201)] {
            assert!(name("the name", wrong).is_err(), "{wrong:?}");
        }
        assert!(sentence("the reason", &"a".repeat(201)).is_ok());
        assert!(same_person("Ann", "ann ") && !same_person("ann", "bob"));
        // Cyrillic, full width, a zero-width space, a mark, a digit for a letter.
        for alike in ["\u{430}nn", "\u{ff41}nn", "an\u{200b}n", "a n n", "ann.", "ANN"] {
            assert!(same_person("ann", alike), "{alike:?}");
        }
        assert!(same_person("Bill", "Bi1l") && same_person("paul", "\u{440}\u{430}ul"));
        assert!(!same_person("\u{674e}", "\u{738b}") && !same_person("…", "!"));
    }

    #[test]
    fn names_of_things_that_look_alike_are_found() {
        for alike in ["Census-2005", "c\u{435}nsus-2005", "census\u{2010}2005", "census-2005\u{200b}", "census-2O05"] {
            assert!(look_alike("census-2005", alike), "{alike:?}");
        }
        for other in ["census-2006", "census-200-5", "census", "health-2005"] {
            assert!(!look_alike("census-2005", other), "{other:?}");
        }
    }

    #[test]
    fn digits_are_read_as_they_are_written() {
        assert_eq!(unhex::<3>(&hex(&[0, 171, 255])), Some([0, 171, 255]));
        for wrong in ["", "0", "00abf", "00abffff", "00abfg", "äää"] {
            assert_eq!(unhex::<3>(wrong), None, "{wrong}");
        }
    }
}
