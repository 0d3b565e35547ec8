//! The nearest valid name or value, for hints.

/// The candidate that is most likely meant, if any is close enough to be a slip of the pen.
pub(crate) fn nearest<'a>(
    found: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let plain: Vec<char> = folded(found);
    let within = (plain.len() / 3).max(1);
    candidates
        .filter_map(|candidate| Some((distance(&plain, &folded(candidate), within)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case, spaces and the usual separators are the commonest slips and count nothing.
fn folded(text: &str) -> Vec<char> {
    const LONGEST: usize = 80;
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .take(LONGEST)
        .collect()
}

/// The least number of insertions, deletions, substitutions and swaps of neighbours, if at most `within`.
fn distance(left: &[char], right: &[char], within: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > within {
        return None;
    }
    let mut two_before = vec![0; right.len() + 1];
    let mut before: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1; right.len() + 1];
        for (j, b) in right.iter().enumerate() {
            row[j + 1] = (before[j] + usize::from(a != b))
                .min(before[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                row[j + 1] = row[j + 1].min(two_before[j - 1] + 1);
            }
        }
        two_before = std::mem::replace(&mut before, row);
    }
    before
        .last()
        .copied()
        .filter(|distance| *distance <= within)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["Alpha", "Beta", "education_head"];
        assert_eq!(nearest("Alhpa", names.into_iter()), Some("Alpha"));
        assert_eq!(nearest("beta ", names.into_iter()), Some("Beta"));
        assert_eq!(
            nearest("Education Head", names.into_iter()),
            Some("education_head")
        );
        assert_eq!(nearest("Zulu", names.into_iter()), None);
        assert_eq!(nearest("", names.into_iter()), None);
    }
}
