//! The nearest valid name to a misspelt one, and the hint that offers it.

/// How many names a hint lists before it says how many more there are.
const MOST_LISTED: usize = 12;

/// Letters beyond these do not change what was meant, and a field of a file may be very long.
const MOST_COMPARED: usize = 80;

/// The candidate nearest to `name`, if one is near enough to be what was meant.
///
/// Case, spaces and the usual separators are the commonest slips and decide only between equals.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(name);
    // Half of the letters may differ, and where more than one does the first is the same: else it
    // is another word, as Delta is no slip for Beta.
    let most = (wanted.chars().count() / 2).max(1);
    let written = beginning(name);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let offered = folded(candidate);
            let distance = strsim::osa_distance(&wanted, &offered);
            let begins_alike = distance <= 1 || wanted.chars().next() == offered.chars().next();
            (distance <= most && distance < offered.chars().count() && begins_alike).then_some((distance, candidate))
        })
        .min_by_key(|(distance, candidate)| (*distance, strsim::osa_distance(&written, &beginning(candidate))))
        .map(|(_, candidate)| candidate)
}

fn folded(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .take(MOST_COMPARED)
        .collect()
}

fn beginning(text: &str) -> String {
    text.chars().take(MOST_COMPARED).collect()
}

/// `did you mean …? Declared: a, b, c`: the nearest candidate and all of them, as far as they fit a
/// line.
pub(crate) fn suggestion(name: &str, heading: &str, candidates: &[impl AsRef<str>]) -> String {
    let meant = nearest(name, candidates.iter().map(AsRef::as_ref));
    let meant = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
    format!("{meant}{heading}: {}", listed(candidates))
}

/// The names, with commas, as far as they fit a line.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    let first: Vec<&str> = names.iter().take(MOST_LISTED).map(AsRef::as_ref).collect();
    match names.len() {
        0 => "none".to_string(),
        all if all > MOST_LISTED => format!("{} and {} more", first.join(", "), all - MOST_LISTED),
        _ => first.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        assert_eq!(nearest("contry", ["county", "education"]), Some("county"));
        assert_eq!(nearest("Education", ["county", "education"]), Some("education"));
        assert_eq!(nearest("xyz", ["county", "education"]), None);
        assert_eq!(nearest("Delta", ["Alpha", "Beta", "Gamma"]), None);
        assert_eq!(nearest("Bet", ["Alpha", "Beta", "Gamma"]), Some("Beta"));
        assert_eq!(nearest("Alfa", ["Alpha", "Beta", "Gamma"]), Some("Alpha"));
        assert_eq!(nearest("b", ["a"]), None);
        assert_eq!(nearest("Zulu", ["Alpha", "Beta"]), None);
        assert_eq!(nearest("", ["Alpha", "-"]), None);
    }

    #[test]
    fn separators_and_case_count_only_between_equals() {
        let names = ["education_heads", "education_head", "Education-Head"];
        assert_eq!(nearest("Education Head", names), Some("Education-Head"));
        assert_eq!(nearest("education.head", names), Some("education_head"));
    }

    #[test]
    fn long_texts_are_compared_by_their_beginning() {
        let long = "x".repeat(1 << 20);
        assert_eq!(nearest(&long, ["Alpha"]), None);
        assert_eq!(nearest(&long, [long.as_str()]), Some(long.as_str()));
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..20).map(|n| format!("n{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(listed(&names), "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11 and 8 more");
    }
}
