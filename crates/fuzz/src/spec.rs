//! The reader of specs: what it accepts has a canonical text that means the same.

use declare::Declaration;

/// Larger tables are accepted too, but take seconds to number.
const MOST_CELLS: usize = 1 << 12;

/// Reads a spec that names no other file.
pub(crate) fn spec(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(declaration) = Declaration::parse_alone(text, "spec.toml") else { return };
    let canonical = declaration.to_toml();
    let again = Declaration::parse_alone(&canonical, "canonical.toml");
    let again = again.unwrap_or_else(|problem| panic!("the canonical text is refused: {problem}\n{canonical}"));
    assert_eq!(declaration, again, "the canonical text means something else:\n{canonical}");
    assert_eq!(canonical, again.to_toml(), "the canonical text is not canonical");
    if declaration.schema.combinations().is_some_and(|combinations| combinations <= MOST_CELLS)
        && let Ok(domain) = declaration.domain()
    {
        let _ = declaration.conditions(&domain);
    }
}
