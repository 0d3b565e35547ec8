//! Simulations: reproducible with a seed, whatever the number of threads.

use crate::run::Folder;

#[test]
fn a_seed_fixes_every_byte() {
    let folder = Folder::started();
    for format in ["csv", "parquet"] {
        let draw = |seed: u32, threads: &str, name: &str| {
            let file = format!("{name}.{format}");
            let ran = folder.run_with(
                &format!("simulate congenial.toml --draws 50 --seed {seed} --out {file}"),
                &[("RAYON_NUM_THREADS", threads)],
            );
            assert_eq!(ran.exits(0).out, format!("Wrote 50 draws of 16 cells to {file}\n"));
            std::fs::read(folder.path(&file)).unwrap()
        };
        let one = draw(7, "1", "one");
        assert!(one == draw(7, "3", "three"));
        assert!(one != draw(8, "1", "other"));
    }
}

#[test]
fn every_draw_keeps_the_totals() {
    let folder = Folder::started();
    folder.run("simulate congenial.toml --draws 20 --out draws.csv").exits(0);
    let text = folder.read("draws.csv");
    let mut totals = std::collections::BTreeMap::<(String, String), i64>::new();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("county,education,draw,value"));
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        *totals.entry((fields[2].to_string(), fields[0].to_string())).or_default() += fields[3].parse::<i64>().unwrap();
    }
    assert_eq!(totals.len(), 80);
    for ((draw, county), total) in totals {
        let expected = match county.as_str() {
            "Alpha" => 20,
            "Beta" => 55,
            "Gamma" => 25,
            _ => 35,
        };
        assert_eq!(total, expected, "draw {draw}, {county}");
    }
}

#[test]
fn without_a_seed_draws_differ() {
    let folder = Folder::started();
    folder.run("simulate congenial.toml --draws 20 --out one.csv").exits(0);
    folder.run("simulate congenial.toml --draws 20 --out two.csv").exits(0);
    // 240 free counts, each equal in both with a probability below 1/4.
    assert!(folder.read("one.csv") != folder.read("two.csv"));
}

#[test]
fn research_noise_is_simulated_and_never_certified() {
    let folder = Folder::started();
    folder.replace("congenial.toml", "double-geometric", "laplace");
    folder.run("check congenial.toml").exits(3);
    folder.run("simulate congenial.toml --draws 3 --seed 1 --out draws.csv").exits(0);
    assert!(folder.read("draws.csv").lines().nth(1).unwrap().contains('.'));
    let before = folder.listing();
    let refused = folder.run("release congenial.toml --out release").exits(3);
    assert!(refused.err.contains("laplace noise is real-valued and cannot be certified"), "{}", refused.err);
    folder.run("simulate congenial.toml --draws 3 --seed 1 --out draws.csv").exits(2);
    assert!(folder.listing() == before);
}
