//! The nearest valid name to a misspelt one, and the hint that offers it.

/// How many names a hint lists before it says how many more there are.
const MOST_LISTED: usize = 12;

/// The candidate nearest to `name`, if one is near enough to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    // Half of the letters may differ: more than that is another word.
    let most = (wanted.chars().count() / 2).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = strsim::osa_distance(&wanted, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, candidate)| *distance <= most && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean …? Declared: a, b, c`: the nearest candidate and all of them, as far as they fit a line.
pub(crate) fn suggestion(name: &str, heading: &str, candidates: &[&str]) -> String {
    let mut hint = String::new();
    if let Some(meant) = nearest(name, candidates.iter().copied()) {
        hint.push_str(&format!("did you mean `{meant}`? "));
    }
    hint.push_str(heading);
    hint.push_str(": ");
    hint.push_str(&listed(candidates));
    hint
}

/// The names, with commas, as far as they fit a line.
pub(crate) fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_string();
    }
    let mut text = names[..names.len().min(MOST_LISTED)].join(", ");
    if names.len() > MOST_LISTED {
        text.push_str(&format!(" and {} more", names.len() - MOST_LISTED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        assert_eq!(nearest("contry", ["county", "education"]), Some("county"));
        assert_eq!(
            nearest("Education", ["county", "education"]),
            Some("education")
        );
        assert_eq!(nearest("xyz", ["county", "education"]), None);
        assert_eq!(nearest("b", ["a"]), None);
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..20).map(|n| format!("n{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(
            listed(&names),
            "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11 and 8 more"
        );
    }
}
