//! Every seed, and everything the fuzzer once failed on, goes through its target.

use std::fs;
use std::path::Path;

#[test]
fn every_seed_is_survived() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for (name, target) in fuzz::TARGETS {
        let mut files: Vec<_> = fs::read_dir(seeds.join(name))
            .unwrap_or_else(|error| panic!("seeds/{name}: {error}"))
            .map(|entry| entry.expect("a readable entry").path())
            .collect();
        files.sort();
        assert!(files.len() >= 5, "seeds/{name} has only {} files", files.len());
        for file in files {
            eprintln!("{name}: {}", file.display());
            target(&fs::read(&file).expect("a readable seed"));
        }
    }
}
