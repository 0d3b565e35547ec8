//! The same data under other names, filters and values: what they disclose together is known, or
//! refused.

use crate::scene::{Scene, by_ann, overriding, releasing, sqlite};
use congenial::ledgers::Event;
use congenial::{Kind, Problem};
use std::fs;
use std::path::PathBuf;

const COUNTIES: [&str; 4] = ["Alpha", "Beta", "Gamma", "Delta"];
const LEVELS: [&str; 4] = ["Low", "Medium", "High", "Top"];

fn count(county: usize, level: usize) -> usize {
    13 + 29 * county + 7 * level * level + 3 * county * level
}

/// A 4 × 4 table, with a column that has one value in all rows.
fn grid() -> Scene {
    let scene = sqlite();
    let mut data = "county,education,kind,n\n".to_string();
    for (row, county) in COUNTIES.iter().enumerate() {
        for (column, level) in LEVELS.iter().enumerate() {
            data += &format!("{county},{level},home,{}\n", count(row, column));
        }
    }
    fs::write(scene.path("data.csv"), data).unwrap();
    drop(scene.open("1", false));
    scene
}

/// How a spec calls things.
#[derive(Clone, Copy)]
struct Names<'a> {
    data: &'a str,
    dimensions: &'a str,
    county: &'a str,
    education: &'a str,
    levels: &'a str,
    counts: &'a str,
}

const PLAIN: Names = Names {
    data: "path = \"data.csv\"",
    dimensions: "county = [\"Alpha\", \"Beta\", \"Gamma\", \"Delta\"]\neducation = [\"Low\", \"Medium\", \"High\", \"Top\"]",
    county: "county",
    education: "education",
    levels: "('High', 'Top')",
    counts: "count = \"n\"",
};

/// A spec that publishes some columns of the table exactly, and nothing else.
fn columns(scene: &Scene, title: &str, names: Names) -> PathBuf {
    let Names { data, dimensions, county, education, levels, counts } = names;
    let text = format!(
        "title = \"{title}\"\n[data]\n{data}\n{counts}\n[dimensions]\n{dimensions}\n\
         [[invariant]]\nby = [\"{county}\", \"{education}\"]\nwhere = \"{education} in {levels}\"\n\
         [constraints]\nnonnegative = false\n[mechanism]\nmethod = \"suppress\"\n\
         [budget]\ndataset = \"children\"\nledger = \"{}\"\n",
        scene.address
    );
    let path = scene.path(&format!("{title}.toml"));
    fs::write(&path, text).unwrap();
    path
}

/// The left half of the table is out; what becomes of the right half under these names?
fn right_half(prepare: impl FnOnce(&Scene), names: Names) -> (Scene, PathBuf, Problem) {
    let scene = grid();
    prepare(&scene);
    let left = columns(&scene, "left", Names { levels: "('Low', 'Medium')", ..PLAIN });
    releasing(&left, &scene.path("left"), by_ann()).unwrap();
    let right = columns(&scene, "right", names);
    let problem = releasing(&right, &scene.path("right"), by_ann()).expect_err("both halves are all of it");
    assert!(!scene.path("right").exists());
    (scene, right, problem)
}

#[test]
fn the_other_half_is_refused_whatever_things_are_called() {
    let nothing = |_: &Scene| {};
    let area = "area = { column = \"county\", values = [\"Alpha\", \"Beta\", \"Gamma\", \"Delta\"] }\neducation = [\"Low\", \"Medium\", \"High\", \"Top\"]";
    let permuted =
        "education = [\"Top\", \"Low\", \"High\", \"Medium\"]\ncounty = [\"Delta\", \"Alpha\", \"Gamma\", \"Beta\"]";
    let constant = format!("kind = [\"home\"]\n{}", PLAIN.dimensions);
    let nearly_constant = format!("{}\nkind = [\"home\", \"street\"]", PLAIN.dimensions);
    let more = PLAIN.dimensions.replace("\"Delta\"]", "\"Delta\", \"Nowhere\"]");
    let cleaned = "path = \"data.csv\"\ntrim = true\ncase = \"ignore\"";
    let capitals = PLAIN.dimensions.to_uppercase().replace("COUNTY", "county").replace("EDUCATION", "education");
    let recoded = "county = { values = [\"A\", \"B\", \"C\", \"D\"], recode = { Alpha = \"A\", Beta = \"B\", Gamma = \"C\", Delta = \"D\" } }\n\
                   education = { values = [\"1\", \"2\", \"3\", \"4\"], recode = { Low = \"1\", Medium = \"2\", High = \"3\", Top = \"4\" } }";
    let unknown = PLAIN.dimensions.replace(
        "education = [\"Low\", \"Medium\", \"High\", \"Top\"]",
        "education = { values = [\"High\", \"Top\", \"rest\"], unknown = \"rest\" }",
    );
    let variants = [
        ("the same", PLAIN),
        (
            "a filter that removes nothing",
            Names { data: "path = \"data.csv\"\nwhere = \"county != 'Nowhere'\"", ..PLAIN },
        ),
        (
            "a filter that keeps all",
            Names {
                data: "path = \"data.csv\"\nwhere = \"not county = '' and (kind = 'home' or kind != 'home')\"",
                ..PLAIN
            },
        ),
        ("a filter on the constant", Names { data: "path = \"data.csv\"\nwhere = \"kind = 'home'\"", ..PLAIN }),
        (
            "a filter on what is kept",
            Names { data: "path = \"data.csv\"\nwhere = \"education in ('High', 'Top')\"", ..PLAIN },
        ),
        ("another name", Names { dimensions: area, county: "area", ..PLAIN }),
        ("another order", Names { dimensions: permuted, ..PLAIN }),
        ("a constant dimension", Names { dimensions: &constant, ..PLAIN }),
        ("a nearly constant dimension", Names { dimensions: &nearly_constant, ..PLAIN }),
        ("one more value", Names { dimensions: &more, ..PLAIN }),
        ("what is outside is dropped", Names { data: "path = \"data.csv\"\noutside = \"drop\"", ..PLAIN }),
        ("capital letters", Names { data: cleaned, dimensions: &capitals, levels: "('HIGH', 'TOP')", ..PLAIN }),
        ("recoded values", Names { dimensions: recoded, levels: "('3', '4')", ..PLAIN }),
        ("the rest is unknown", Names { dimensions: &unknown, ..PLAIN }),
        ("another encoding of the same letters", Names { data: "path = \"data.csv\"\nencoding = \"utf-8\"", ..PLAIN }),
    ];
    for (what, names) in variants {
        let (scene, right, problem) = right_half(nothing, names);
        assert_eq!(problem.kind, Kind::Refused, "{what}: {problem}");
        // Of the rows that it counts it keeps every cell: alone it leaves one table.
        if what == "a filter on what is kept" {
            assert!(problem.message.contains("alone give every cell"), "{problem}");
            continue;
        }
        assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("--override disclosure")), "{what}: {problem}");
        // Named, it goes through, and the ledger keeps that.
        let released = releasing(&right, &scene.path("right"), overriding("disclosure", "all is public")).unwrap();
        assert_eq!(released.certificate.ledger.unwrap().overrides.len(), 1, "{what}");
        let history = scene.ledger().history(None).unwrap();
        assert!(
            history.iter().any(|entry| matches!(&entry.event, Event::Overridden { name, .. } if name == "disclosure"))
        );
    }
}

/// The table in another file.
fn copy(scene: &Scene, name: &str, header: &str, row: impl Fn(usize, usize, usize) -> String) {
    let mut text = format!("{header}\n");
    for county in (0..4).rev() {
        for level in 0..4 {
            text += &row(county, level, count(county, level));
        }
    }
    fs::write(scene.path(name), text).unwrap();
}

#[test]
fn the_other_half_is_refused_from_another_file() {
    let copied = "path = \"copy.csv\"";
    let dimensions = "area = [\"A\", \"B\", \"C\", \"D\"]\nschool = [\"1\", \"2\", \"3\", \"4\"]";
    let recoded = Names {
        data: copied,
        dimensions,
        county: "area",
        education: "school",
        levels: "('3', '4')",
        counts: "count = \"n\"",
    };
    let renamed_dimensions = PLAIN.dimensions.replace("county", "area").replace("education", "school");
    let renamed = Names { data: copied, dimensions: &renamed_dimensions, county: "area", education: "school", ..PLAIN };
    let split_dimensions = format!(
        "east = [\"0\", \"1\"]\nnorth = [\"0\", \"1\"]\n{}",
        &PLAIN.dimensions[PLAIN.dimensions.find("education").unwrap()..]
    );
    let split = Names { data: copied, dimensions: &split_dimensions, county: "east\", \"north", ..PLAIN };
    let letters = |code: usize| ["A", "B", "C", "D"][code];
    let record =
        |county: usize, level: usize, count: usize| format!("{},{}\n", COUNTIES[county], LEVELS[level]).repeat(count);
    let plainly =
        |county: usize, level: usize, count: usize| format!("{},{},{count}\n", COUNTIES[county], LEVELS[level]);
    type Row<'a> = &'a dyn Fn(usize, usize, usize) -> String;
    let messy = "path = \"copy.csv\"\ntrim = true\ncase = \"ignore\"";
    let variants: [(&str, Names, &str, Row); 6] = [
        ("renamed columns", renamed, "area,school,n", &plainly),
        ("recoded values", recoded, "area,school,n", &|county, level, count| {
            format!("{},{},{count}\n", letters(county), level + 1)
        }),
        ("a split dimension", split, "east,north,education,n", &|county, level, count| {
            format!("{},{},{},{count}\n", county / 2, county % 2, LEVELS[level])
        }),
        ("records", Names { data: copied, counts: "", ..PLAIN }, "county,education", &record),
        ("another order of rows", Names { data: copied, ..PLAIN }, "county,education,n", &plainly),
        ("messy spellings", Names { data: messy, ..PLAIN }, "county,education,n", &|county, level, count| {
            format!(" {},{} ,{count}\n", COUNTIES[county].to_uppercase(), LEVELS[level].to_lowercase())
        }),
    ];
    for (what, names, header, row) in variants {
        let (_, _, problem) = right_half(|scene| copy(scene, "copy.csv", header, row), names);
        assert_eq!(problem.kind, Kind::Refused, "{what}: {problem}");
    }
}

#[test]
fn releases_of_disjoint_rows_of_one_file_stand_in_nobodys_way() {
    let scene = grid();
    for county in COUNTIES {
        let data = format!("path = \"data.csv\"\nwhere = \"county = '{county}'\"");
        let spec = columns(&scene, county, Names { data: &data, ..PLAIN });
        releasing(&spec, &scene.path(county), by_ann()).unwrap();
    }
    // What was a filter before is told apart by it: Alpha's right half is out, so its left half is
    // all of Alpha.
    let data = "path = \"data.csv\"\nwhere = \"county in ('Alpha')\"";
    let spec = columns(&scene, "rest", Names { data, levels: "('Low', 'Medium')", ..PLAIN });
    let problem = releasing(&spec, &scene.path("rest"), by_ann()).unwrap_err();
    assert!(problem.message.contains("leave one table only"), "{problem}");
}

#[test]
fn what_is_counted_otherwise_is_refused_and_not_let_through() {
    let scene = grid();
    let text = fs::read_to_string(scene.path("data.csv")).unwrap();
    let twice: String = text
        .lines()
        .map(|line| format!("{line},{}\n", line.rsplit(',').next().map_or("m", |n| if n == "n" { "m" } else { n })))
        .collect();
    fs::write(scene.path("data.csv"), twice).unwrap();
    let left = columns(&scene, "left", Names { levels: "('Low', 'Medium')", ..PLAIN });
    releasing(&left, &scene.path("left"), by_ann()).unwrap();
    let right = columns(&scene, "right", Names { counts: "count = \"m\"", ..PLAIN });
    let problem = releasing(&right, &scene.path("right"), by_ann()).unwrap_err();
    assert!(problem.message.contains("is not known: it counts another column"), "{problem}");
}

#[test]
fn a_release_that_keeps_nothing_exact_needs_nothing_joined() {
    let scene = grid();
    let left = columns(&scene, "left", Names { levels: "('Low', 'Medium')", ..PLAIN });
    releasing(&left, &scene.path("left"), by_ann()).unwrap();
    let text = fs::read_to_string(columns(&scene, "noisy", PLAIN)).unwrap();
    let (before, after) = text.split_once("[[invariant]]").unwrap();
    let after = &after[after.find("[constraints]").unwrap()..];
    let mechanism = "method = \"unconstrained\"\nnoise = \"double-geometric\"\nepsilon = \"1/100\"\nper = \"unit\"";
    let noisy = format!("{before}{after}").replace("method = \"suppress\"", mechanism).replace("data.csv", "other.csv");
    fs::write(scene.path("other.csv"), "county,education,kind,n\nAlpha,Low,home,3\n").unwrap();
    fs::write(scene.path("noisy.toml"), noisy).unwrap();
    releasing(&scene.path("noisy.toml"), &scene.path("noisy"), by_ann()).unwrap();
}
