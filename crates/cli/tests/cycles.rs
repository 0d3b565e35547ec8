//! No circles between the modules of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Uses = BTreeMap<String, BTreeSet<String>>;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates").to_path_buf()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The code of a file: without comments and what is compiled for tests alone.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The names right after every `crate::`, also those in braces.
fn named(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let mut names = BTreeSet::new();
    for (place, _) in code.match_indices("crate::") {
        let rest = &code[place + "crate::".len()..];
        let Some(inside) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (at, letter) in inside.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                letter if begins && !letter.is_whitespace() => {
                    names.insert(word(&inside[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// Which modules of a crate use which, both at its root.
fn uses(crate_folder: &Path) -> Uses {
    let root = crate_folder.join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut uses = Uses::new();
    for file in files {
        let inside = file.strip_prefix(&root).expect("a file of the crate");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" || module == "main" {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        uses.entry(module).or_default().extend(named(&code(&text)));
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    for (module, used) in &mut uses {
        used.retain(|name| name != module && modules.contains(name));
    }
    uses
}

/// The modules that come back to themselves.
fn in_circles(uses: &Uses) -> BTreeSet<String> {
    let comes_back = |module: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![module]);
        while let Some(one) = next.pop() {
            for used in &uses[one] {
                if used == module {
                    return true;
                }
                if seen.insert(used) {
                    next.push(used);
                }
            }
        }
        false
    };
    uses.keys().filter(|module| comes_back(module)).cloned().collect()
}

#[test]
fn the_check_finds_circles() {
    let uses = |text: &[(&str, &str)]| -> Uses {
        text.iter().map(|(module, text)| (module.to_string(), named(&code(text)))).collect()
    };
    let found = uses(&[
        ("one", "use crate::{two::{A, B}, three}; // crate::four"),
        ("two", "fn f() { crate::three::g() }"),
        ("three", "#[cfg(test)] mod tests { use crate::one; }"),
        ("four", "use crate::four::X;"),
    ]);
    assert_eq!(found["one"].iter().collect::<Vec<_>>(), ["three", "two"]);
    assert!(found["three"].is_empty());
    let circle = uses(&[("one", "use crate::two;"), ("two", "use crate::{three, one};"), ("three", "")]);
    assert_eq!(in_circles(&circle).into_iter().collect::<Vec<_>>(), ["one", "two"]);
}

#[test]
fn no_circles() {
    let mut faults = Vec::new();
    for entry in fs::read_dir(crates()).expect("the folder of all crates") {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let found = in_circles(&uses(&folder));
        faults.extend(found.iter().map(|module| format!("{name}: `{module}` uses itself through others")));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
