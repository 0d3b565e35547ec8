//! `Levels`: a hierarchy of one dimension, from coarse levels to single leaves.
//!
//! A node of a level is its path from the root, so `Washington` in two states is two nodes of the
//! level `county` with the same label. Levels are therefore nested by construction.

use std::collections::{HashMap, HashSet};

/// A hierarchy: a table with one row per leaf and one column per level, coarse to fine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// The names of the levels, coarse to fine; usable like dimensions.
    pub names: Vec<String>,
    /// The name of what identifies a leaf: one of the levels, or a column of its own.
    pub key: String,
    /// What the data file's column is matched with: one distinct key per leaf.
    pub keys: Vec<String>,
    /// For each level its labels: `labels[level][code]`. Labels of different nodes may be equal.
    pub labels: Vec<Vec<String>>,
    /// For each level the code of every leaf: `codes[level][leaf]`. Nested: equal codes at a level
    /// imply equal codes above.
    pub codes: Vec<Vec<u32>>,
}

/// Why rows are not a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelsFault {
    /// There are no rows, or no levels.
    Empty,
    /// A label or a key is empty.
    EmptyLabel {
        /// The row, from 0.
        row: usize,
        /// The column of the row, from 0.
        column: usize,
    },
    /// The key has fewer characters than a level takes of it.
    ShortKey {
        /// The row, from 0.
        row: usize,
        /// The level, from 0.
        level: usize,
    },
    /// Two rows have the same key.
    SameKey {
        /// The second row, from 0.
        row: usize,
    },
}

impl Levels {
    /// The hierarchy with these rows. A row holds one label per level and, when `key` is not a
    /// level, then the key.
    ///
    /// # Panics
    /// When a row is shorter than that.
    pub fn new(names: Vec<String>, key: String, rows: &[Vec<String>]) -> Result<Levels, LevelsFault> {
        if rows.is_empty() || names.is_empty() {
            return Err(LevelsFault::Empty);
        }
        let key_column = names.iter().position(|name| *name == key).unwrap_or(names.len());
        let columns = names.len().max(key_column + 1);
        let mut keys: HashSet<&str> = HashSet::with_capacity(rows.len());
        for (row, fields) in rows.iter().enumerate() {
            if let Some(column) = fields[..columns].iter().position(String::is_empty) {
                return Err(LevelsFault::EmptyLabel { row, column });
            }
            if !keys.insert(&fields[key_column]) {
                return Err(LevelsFault::SameKey { row });
            }
        }
        let mut labels = Vec::with_capacity(names.len());
        let mut codes: Vec<Vec<u32>> = Vec::with_capacity(names.len());
        for level in 0..names.len() {
            let mut node_of: HashMap<(u32, &str), u32> = HashMap::new();
            let mut labels_here: Vec<String> = Vec::new();
            let mut codes_here = Vec::with_capacity(rows.len());
            for (row, fields) in rows.iter().enumerate() {
                let parent = if level == 0 { 0 } else { codes[level - 1][row] };
                let label = fields[level].as_str();
                let code = *node_of.entry((parent, label)).or_insert_with(|| {
                    labels_here.push(label.to_string());
                    (labels_here.len() - 1) as u32
                });
                codes_here.push(code);
            }
            labels.push(labels_here);
            codes.push(codes_here);
        }
        let keys = rows.iter().map(|fields| fields[key_column].clone()).collect();
        Ok(Levels { names, key, keys, labels, codes })
    }

    /// The levels of rows, some of which are the first characters of the key: `prefixes` says how
    /// many. A row holds one label for every other level and, when `key` is not a level, then the
    /// key.
    ///
    /// # Panics
    /// When a row is shorter than that, or the key itself is such a level.
    pub fn with_prefixes(
        names: Vec<String>,
        key: String,
        prefixes: &[Option<usize>],
        rows: &[Vec<String>],
    ) -> Result<Levels, LevelsFault> {
        let before_key = names.iter().take_while(|name| **name != key).count();
        let key_column = prefixes[..before_key].iter().filter(|prefix| prefix.is_none()).count();
        let mut whole = Vec::with_capacity(rows.len());
        for (row, fields) in rows.iter().enumerate() {
            let written = &fields[key_column];
            let mut others = fields.iter();
            let mut labels = Vec::with_capacity(names.len() + 1);
            for (level, prefix) in prefixes.iter().enumerate() {
                labels.push(match prefix {
                    Some(taken) => start(written, *taken).ok_or(LevelsFault::ShortKey { row, level })?.to_string(),
                    None => others.next().cloned().unwrap_or_default(),
                });
            }
            labels.extend(others.cloned());
            whole.push(labels);
        }
        Levels::new(names, key, &whole)
    }

    /// How many characters of the key every level is, if it is: more than the level before it that
    /// is such a one.
    pub(crate) fn prefixes(&self) -> Vec<Option<usize>> {
        let mut longest = 0;
        let mut prefixes = Vec::with_capacity(self.names.len());
        for (level, name) in self.names.iter().enumerate() {
            let characters = self.label(level, 0).chars().count();
            let starts = |leaf: usize| start(&self.keys[leaf], characters) == Some(self.label(level, leaf));
            let is_prefix = *name != self.key && characters > longest && (0..self.leaves()).all(starts);
            longest = if is_prefix { characters } else { longest };
            prefixes.push(is_prefix.then_some(characters));
        }
        prefixes
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.keys.len()
    }

    /// The level that is the key, or `None` when the key has a column of its own.
    pub fn key_level(&self) -> Option<usize> {
        self.names.iter().position(|name| *name == self.key)
    }

    /// The label of a leaf at a level.
    pub fn label(&self, level: usize, leaf: usize) -> &str {
        &self.labels[level][self.codes[level][leaf] as usize]
    }

    /// One row per leaf: its labels, coarse to fine, then the key when it is not a level.
    pub fn row(&self, leaf: usize) -> Vec<&str> {
        let mut row: Vec<&str> = (0..self.names.len()).map(|level| self.label(level, leaf)).collect();
        if self.key_level().is_none() {
            row.push(&self.keys[leaf]);
        }
        row
    }
}

/// The first characters of a key, if it has that many.
fn start(key: &str, characters: usize) -> Option<&str> {
    match key.char_indices().nth(characters) {
        Some((end, _)) => Some(&key[..end]),
        None => (key.chars().count() == characters).then_some(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|field| field.to_string()).collect()).collect()
    }

    #[test]
    fn equal_labels_under_two_parents_are_two_nodes() {
        let levels = Levels::new(
            vec!["state".into(), "county".into()],
            "fips".into(),
            &rows(&[
                &["Oregon", "Washington", "41067"],
                &["Maine", "Washington", "23029"],
                &["Oregon", "Lane", "41039"],
            ]),
        )
        .unwrap();
        assert_eq!(levels.codes, [vec![0, 1, 0], vec![0, 1, 2]]);
        assert_eq!(levels.labels[1], ["Washington", "Washington", "Lane"]);
        assert_eq!(levels.row(2), ["Oregon", "Lane", "41039"]);
    }

    #[test]
    fn keys_must_differ() {
        let same = Levels::new(
            vec!["state".into(), "county".into()],
            "county".into(),
            &rows(&[&["Oregon", "Washington"], &["Maine", "Washington"]]),
        );
        assert_eq!(same, Err(LevelsFault::SameKey { row: 1 }));
    }
}
