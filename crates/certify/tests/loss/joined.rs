//! The totals of several releases together: found by enumeration, and by the joint conditions.

use certify::{EarlierRelease, Joint, joint, totals_of};
use declare::{Conditions, Declaration, Field};

fn declaration(data: &str, rest: &str) -> Declaration {
    let text = format!(
        "[data]\npath = \"x.csv\"\npublic = true\n{data}{rest}\n[mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1\"\n"
    );
    Declaration::parse_alone(&text, "release.toml").unwrap()
}

/// The totals that a declaration publishes of a table over its own cells.
fn published(declaration: &Declaration, table: &[i64]) -> Vec<Vec<i64>> {
    let conditions = declaration.conditions(&declaration.domain().unwrap()).unwrap();
    totals_of(&conditions.invariants, table).unwrap()
}

fn earlier(name: &str, declaration: &Declaration, totals: Vec<Vec<i64>>) -> EarlierRelease {
    EarlierRelease { name: name.to_string(), spec: declaration.to_toml(), totals }
}

/// All tables with entries up to `most` that satisfy the conditions with these totals.
fn tables(conditions: &Conditions, totals: &[Vec<i64>], most: i64) -> Vec<Vec<i64>> {
    let side = most + 1;
    (0..side.pow(conditions.cells as u32))
        .map(|number| (0..conditions.cells as u32).map(|cell| number / side.pow(cell) % side).collect::<Vec<i64>>())
        .filter(|table| conditions.check_table(table).is_ok())
        .filter(|table| totals_of(&conditions.invariants, table).unwrap() == totals)
        .collect()
}

const BOTH: &str = "[dimensions]\nrow = [\"a\", \"b\"]\ncolumn = [\"1\", \"2\"]\n";

#[test]
fn two_releases_that_disclose_nothing_disclose_everything_together() {
    // The table (2, 1; 2, 0): rows (3, 2), columns (4, 1), and nobody in b, 2.
    let rows = declaration("", &format!("{BOTH}[[invariant]]\nby = [\"row\"]\n"));
    let columns = declaration(
        "",
        &format!("{BOTH}[[invariant]]\nby = [\"column\"]\n[constraints]\nzero = [\"row = 'b' and column = '2'\"]\n"),
    );
    let alone = |declaration: &Declaration, table: &[i64], totals: &[Vec<i64>]| {
        let conditions = declaration.conditions(&declaration.domain().unwrap()).unwrap();
        let found = tables(&conditions, totals, 5);
        assert!(found.contains(&table.to_vec()));
        (0..table.len()).filter(|cell| found.iter().all(|other| other[*cell] == table[*cell])).count()
    };
    let (by_row, by_column) = (published(&rows, &[2, 1, 2, 0]), published(&columns, &[2, 1, 2]));
    assert_eq!(alone(&rows, &[2, 1, 2, 0], &by_row), 0, "rows alone disclose no cell");
    assert_eq!(alone(&columns, &[2, 1, 2], &by_column), 1, "columns and the zero disclose a, 2");
    let together = joint((&rows, &by_row), &[earlier("first", &columns, by_column)]).unwrap();
    assert!(together.left_out.is_empty());
    assert_eq!((together.domain.len(), together.joined.as_slice()), (3, ["first".to_string()].as_slice()));
    assert_eq!(tables(&together.conditions, &together.totals, 5), [[2, 1, 2]], "one table is left");
    assert_eq!(together.description, "row × column (3 cells)");
}

#[test]
fn dimensions_of_one_release_alone_are_multiplied_in() {
    let rows = declaration("", "[dimensions]\nrow = [\"a\", \"b\"]\n[[invariant]]\nby = [\"row\"]\n");
    let column = "{ column = \"second\", values = [\"1\", \"2\", \"3\"] }";
    let columns = declaration("", &format!("[dimensions]\ncolumn = {column}\n[[invariant]]\nby = [\"column\"]\n"));
    let together = joint((&rows, &[vec![2, 0]]), &[earlier("first", &columns, vec![vec![1, 1, 0]])]).unwrap();
    assert_eq!((together.domain.len(), together.conditions.cells), (6, 6));
    let found = tables(&together.conditions, &together.totals, 2);
    assert_eq!(found, [[1, 1, 0, 0, 0, 0]], "row b is empty, so row a is the columns");
}

#[test]
fn a_level_is_found_in_its_hierarchy_and_orders_do_not_matter() {
    let place = "{ rows = [[\"North\", \"x\"], [\"North\", \"y\"], [\"South\", \"z\"]], levels = [\"region\", \"town\"], column = \"town\" }";
    let towns = declaration("", &format!("[dimensions]\nplace = {place}\n[[invariant]]\nby = [\"place\"]\n"));
    let regions = declaration("", "[dimensions]\nregion = [\"South\", \"North\"]\n[[invariant]]\nby = [\"region\"]\n");
    let listed = declaration("", "[dimensions]\ntown = [\"z\", \"x\", \"y\"]\n[[invariant]]\nby = [\"town\"]\n");
    let releases = [earlier("regions", &regions, vec![vec![3, 7]]), earlier("towns", &listed, vec![vec![3, 5, 2]])];
    let together = joint((&towns, &[vec![5, 2, 3]]), &releases).unwrap();
    assert!(together.left_out.is_empty(), "{:?}", together.left_out);
    assert_eq!(together.domain.len(), 3);
    assert_eq!(tables(&together.conditions, &together.totals, 7), [[5, 2, 3]]);
    // A release that is about regions finds the towns of an earlier one.
    let other_way = joint((&regions, &[vec![3, 7]]), &[earlier("towns", &towns, vec![vec![5, 2, 3]])]).unwrap();
    assert_eq!((other_way.domain.len(), other_way.left_out.len()), (3, 0));
}

#[test]
fn what_cannot_be_joined_is_said() {
    let rows = "[dimensions]\nrow = [\"a\", \"b\"]\n[[invariant]]\nby = [\"row\"]\n";
    let now = declaration("", rows);
    let many = "[dimensions]\nnumber = { integers = [1, 99999] }\n[[invariant]]\nby = [\"number\"]\n";
    let releases = [
        earlier("another where", &declaration("where = \"state = 'Illinois'\"\n", rows), vec![vec![1, 2]]),
        earlier("other counts", &declaration("count = \"n\"\n", rows), vec![vec![1, 2]]),
        earlier("other rows", &declaration("missing = \"drop\"\n", rows), vec![vec![1, 2]]),
        earlier(
            "other values",
            &declaration("", "[dimensions]\nrow = [\"a\", \"b\", \"c\"]\n[[invariant]]\nby = [\"row\"]\n"),
            vec![vec![1, 2, 0]],
        ),
        earlier("other totals", &now, vec![vec![1, 3]]),
        earlier("not its totals", &now, vec![vec![1, 2, 3]]),
        earlier("too large", &declaration("", many), vec![vec![0; 99_999]]),
        EarlierRelease { name: "no spec".to_string(), spec: "title = 1".to_string(), totals: Vec::new() },
        earlier("the same", &now, vec![vec![1, 2]]),
    ];
    let together = joint((&now, &[vec![1, 2]]), &releases).unwrap();
    assert_eq!(together.joined, ["another where", "other rows", "other values", "the same"]);
    let said: Vec<String> = together.left_out.iter().map(|left| format!("{}: {}", left.name, left.reason)).collect();
    insta::assert_snapshot!(said.join("\n"));
    assert!(joint((&declaration("", many), &[vec![0; 99_999]]), &[]).is_ok());
}

/// Rows are sets: filters and values are what they keep, not what they are called.
#[test]
fn filters_and_values_are_joined_as_sets_of_rows() {
    let by = |name: &str| format!("[[invariant]]\nby = [\"{name}\"]\n");
    let ages = |values: &str| format!("[dimensions]\nage = {values}\n{}", by("age"));
    let whole = declaration("", &ages("{ integers = [0, 3] }"));
    let said = |other: &Declaration, totals: Vec<Vec<i64>>| {
        let together = joint((&whole, &[vec![1, 2, 3, 4]]), &[earlier("other", other, totals)]).unwrap();
        assert!(together.left_out.is_empty(), "{:?}", together.left_out);
        together
    };
    // Bins are sums of integers; nobody is outside of them.
    let bins = declaration("", &ages("{ bins = [0, 2, 4] }"));
    let together = said(&bins, vec![vec![3, 7]]);
    assert_eq!(tables(&together.conditions, &together.totals, 4), [[1, 2, 3, 4]]);
    // A filter by another column: the rows that it keeps and those that it leaves out are told
    // apart.
    let filtered = declaration("where = \"state = 'x'\"\n", &ages("{ integers = [0, 3] }"));
    let together = said(&filtered, vec![vec![1, 0, 3, 1]]);
    assert_eq!(together.description, "age × state (8 cells)");
    assert_eq!(tables(&together.conditions, &together.totals, 4).len(), 1, "what is left is not state x");
    // Filters by the column itself, however they say it, and where numbers are written otherwise.
    for filter in ["age >= 2", "not age < 2", "age in (2, 3)", "age = 2 or age > 2", "age != 0 and age != 1"] {
        let upper = declaration(&format!("where = \"{filter}\"\n"), &ages("{ integers = [0, 9] }"));
        let together = said(&upper, vec![vec![0, 0, 3, 4, 0, 0, 0, 0, 0, 0]]);
        assert_eq!(together.domain.len(), 4, "{filter}");
        assert_eq!(tables(&together.conditions, &together.totals, 4), [[1, 2, 3, 4]], "{filter}");
        let view = together.view(&upper, &upper.domain().unwrap()).unwrap();
        assert!(!view.are_parts && view.group_of.iter().filter(|group| **group == declare::NO_GROUP).count() == 2);
    }
    // What removes nothing removes nothing, under any name.
    let renamed = "[dimensions]\nyears = { column = \"age\", integers = [0, 3] }\n";
    let other = declaration("where = \"age != 17\"\n", &format!("{renamed}{}", by("years")));
    let together = said(&other, vec![vec![1, 2, 3, 4]]);
    assert_eq!((together.domain.len(), together.conditions.invariants.len()), (4, 1), "the same sums once");
    // Rows that one release leaves out and another counts.
    let narrow = declaration("outside = \"drop\"\n", &ages("{ integers = [2, 3] }"));
    let together = said(&narrow, vec![vec![3, 4]]);
    assert_eq!((together.domain.len(), together.conditions.invariants.len()), (4, 2));
}

#[test]
fn pinned_totals_say_nothing_about_the_table_and_rules_do() {
    let pinned = declaration(
        "",
        &format!("{BOTH}[[invariant]]\nby = [\"row\"]\nvalues = {{ rows = [[\"a\", 9], [\"b\", 9]] }}\n"),
    );
    let ruled = declaration(
        "",
        &format!(
            "{BOTH}[[invariant]]\nby = []\n[[constraints.rule]]\nby = [\"row\"]\nleft = \"column = '1'\"\nop = \"<=\"\nright = \"column = '2'\"\n"
        ),
    );
    let together = joint((&ruled, &[vec![1]]), &[earlier("pinned", &pinned, vec![vec![9, 9]])]).unwrap();
    assert_eq!(together.conditions.invariants.len(), 1);
    assert_eq!(tables(&together.conditions, &together.totals, 2), [[0, 1, 0, 0], [0, 0, 0, 1]]);
}

/// Of any true table, seen by releases with any of three dimensions, the common table satisfies the
/// joint conditions.
#[test]
fn the_true_table_is_always_among_those_left() {
    let sizes = [2usize, 3, 2];
    let dimension = |position: usize| {
        let values: Vec<String> = (0..sizes[position]).map(|value| format!("\"{value}\"")).collect();
        format!("d{position} = [{}]\n", values.join(", "))
    };
    let mut state = 7u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..60 {
        let truth: Vec<i64> = (0..12).map(|_| random(4) as i64).collect();
        let mut releases: Vec<(Declaration, Vec<Vec<i64>>)> = Vec::new();
        for _ in 0..3 {
            let mut kept: Vec<usize> = (0..3).filter(|_| random(3) > 0).collect();
            if kept.is_empty() {
                kept.push(random(3) as usize);
            }
            let mut rest = "[dimensions]\n".to_string();
            kept.iter().for_each(|position| rest.push_str(&dimension(*position)));
            let by: Vec<String> =
                kept.iter().filter(|_| random(2) > 0).map(|position| format!("\"d{position}\"")).collect();
            rest.push_str(&format!("[[invariant]]\nby = [{}]\n", by.join(", ")));
            if random(2) > 0 {
                rest.push_str(&format!("[[invariant]]\nby = []\nwhere = \"d{} = '1'\"\n", kept[0]));
            }
            let declaration = declaration("", &rest);
            let table = seen(&truth, &sizes, &kept);
            let totals = published(&declaration, &table);
            releases.push((declaration, totals));
        }
        let others: Vec<EarlierRelease> =
            releases[1..].iter().map(|(declaration, totals)| earlier("one", declaration, totals.clone())).collect();
        let Joint { conditions, totals, domain, left_out, .. } =
            joint((&releases[0].0, &releases[0].1), &others).unwrap();
        assert!(left_out.is_empty(), "{left_out:?}");
        let positions: Vec<usize> =
            domain.schema.dimensions.iter().map(|dimension| dimension.name[1..].parse().unwrap()).collect();
        let table = seen(&truth, &sizes, &positions);
        assert_eq!(totals_of(&conditions.invariants, &table).unwrap(), totals);
        assert!(conditions.check_table(&table).is_ok());
        assert!(conditions.invariants.len() <= 6);
    }
}

/// The margin of a table by some of its dimensions, in that order.
fn seen(truth: &[i64], sizes: &[usize; 3], kept: &[usize]) -> Vec<i64> {
    let mut table = vec![0; kept.iter().map(|position| sizes[*position]).product()];
    for (cell, count) in truth.iter().enumerate() {
        let codes = [cell / (sizes[1] * sizes[2]), cell / sizes[2] % sizes[1], cell % sizes[2]];
        let place = kept.iter().fold(0, |place, position| place * sizes[*position] + codes[*position]);
        table[place] += count;
    }
    table
}

/// The totals that a release publishes of the fields of its one column.
fn counted(declaration: &Declaration, fields: &[&str]) -> Vec<Vec<i64>> {
    let (dimension, filter) = (&declaration.schema.dimensions[0], &declaration.data.filter);
    let reader = dimension.reader();
    let kept = |field: &str| match filter {
        None => true,
        Some(filter) => {
            let bound = filter.bind(&["x"]).unwrap().with_dates(&declaration.data.date_formats);
            bound.holds(&|_| field).unwrap_or(false)
        }
    };
    let mut counts = vec![0; dimension.values.len()];
    for field in fields.iter().filter(|field| kept(field)) {
        if let Field::Code(code) = reader.read(field) {
            counts[code] += 1;
        }
    }
    vec![counts]
}

/// However fields are cleaned, the conditions of two releases hold for the table of the true
/// fields: some table is left.
#[test]
fn releases_that_read_a_column_in_different_ways_are_joined_by_what_fields_are() {
    let release = |data: &str, dimension: &str| {
        let data = format!("outside = \"drop\"\nmissing = \"drop\"\n{data}");
        declaration(&data, &format!("[dimensions]\nx = {dimension}\n[[invariant]]\nby = [\"x\"]\n"))
    };
    let texts = [
        release("", "[\"A\", \"b\"]"),
        release("trim = true\n", "[\"A\", \"b\"]"),
        release("case = \"ignore\"\n", "[\"A\", \"b\"]"),
        release("trim = true\ncase = \"ignore\"\n", "[\"a\", \"B\"]"),
        release("", "{ values = [\"A\", \"b\"], recode = { \"one\" = \"A\", \"\" = \"b\" } }"),
        release("trim = true\n", "{ values = [\"A\", \"b\", \"?\"], unknown = \"?\" }"),
        release("where = \"x in ('A', 'a')\"\ncase = \"ignore\"\n", "{ values = [\"a\", \"?\"], unknown = \"?\" }"),
    ];
    let numbers = [
        release("", "{ bins = [0, 2], open = true }"),
        release("", "{ bins = [0, 2], open = true, below = 9 }"),
        release("", "{ bins = [0, 2], open = true, recode = { \"9\" = \"?\" }, unknown = \"?\" }"),
        release("", "{ integers = [0, 3], unknown = \"?\" }"),
        release("where = \"x < 9\"\n", "{ integers = [0, 3] }"),
    ];
    let days = [
        release("", "{ dates = \"month\", first = \"2024-04\", last = \"2024-05\" }"),
        release("", "{ dates = \"quarter\", first = \"2024-Q1\", last = \"2024-Q2\", unknown = \"?\" }"),
        release(
            "date_format = [\"MM/DD/YYYY\", \"YYYY-MM-DD\"]\n",
            "{ dates = \"year\", first = \"2024\", last = \"2024\" }",
        ),
        release("where = \"x >= '2024-05-01'\"\n", "{ dates = \"year\", first = \"2024\", last = \"2024\" }"),
        release("where = \"x = '2024-04-01'\"\n", "{ dates = \"year\", first = \"2024\", last = \"2024\" }"),
    ];
    let fields: [(&[Declaration], &[&str]); 3] = [
        (&texts, &["A", " A", "a", "b", "B ", "one", "", "\u{a0}", "c", " a"]),
        (&numbers, &["0", "1.0", "2", "3", "9", "9.0", "10", "", "x", "-1"]),
        (&days, &["2024-04-01", "2024-04-01 10:00", "5/1/2024", "2024-05-31", "2023-12-31", "2024-06-30", "", "soon"]),
    ];
    for (releases, fields) in fields {
        for (one, first) in releases.iter().enumerate() {
            for (other, second) in releases.iter().enumerate() {
                let (ours, theirs) = (counted(first, fields), counted(second, fields));
                let together = joint((first, &ours), &[earlier("other", second, theirs)]).unwrap();
                assert!(together.left_out.is_empty(), "{one} {other}: {:?}", together.left_out);
                assert!(together.domain.len() <= 12, "{one} {other}: {} cells", together.domain.len());
                let found = analyse::some_table(&together.conditions, &together.totals);
                assert!(found.is_some(), "{one} {other}: {}", together.description);
            }
        }
    }
    // The same field is one value to one release and another to the other: what is left is smaller
    // than for each alone.
    let (exact, ignoring) = (&texts[0], &texts[2]);
    let together = joint((exact, &[vec![2, 1]]), &[earlier("other", ignoring, vec![vec![3, 1]])]).unwrap();
    let found = tables(&together.conditions, &together.totals, 3);
    assert_eq!(found.len(), 1, "two rows A, one in other letters, one b: {}", together.description);
}

#[test]
fn encodings_and_chosen_rows_are_joined_where_they_are_the_same() {
    let rows = "[dimensions]\nx = [\"a\", \"b\"]\n[[invariant]]\nby = [\"x\"]\n";
    let bounded =
        |more: &str| declaration(&format!("unit = \"p\"\nrows_per_unit = 2\nbeyond = \"drop\"\n{more}"), rows);
    let totals = || vec![vec![1, 2]];
    let said = |one: &Declaration, other: &Declaration| {
        let together = joint((one, &totals()), &[earlier("other", other, totals())]).unwrap();
        together.left_out.first().map(|left| left.reason.clone())
    };
    assert_eq!(said(&declaration("", rows), &declaration("encoding = \"utf-8\"\n", rows)), None);
    assert!(
        said(&declaration("", rows), &declaration("encoding = \"windows-1252\"\n", rows)).unwrap().contains("encoding")
    );
    assert_eq!(said(&bounded(""), &bounded("")), None);
    let other_domain = "[dimensions]\ny = [\"c\", \"d\"]\n[[invariant]]\nby = [\"y\"]\n";
    let other = declaration("unit = \"p\"\nrows_per_unit = 2\nbeyond = \"drop\"\n", other_domain);
    assert_eq!(said(&bounded(""), &other), None, "all rows are declared to be inside both domains");
    for other in [declaration("", rows), bounded("where = \"s = 'x'\"\n"), bounded("missing = \"drop\"\n")] {
        assert!(said(&bounded(""), &other).unwrap().contains("may count others"));
    }
    // Of rows that no two of them count, each chooses its own.
    let quarter = |first: &str, last: &str| bounded(&format!("where = \"d >= '{first}' and d < '{last}'\"\n"));
    let (spring, summer) = (quarter("2024-04-01", "2024-07-01"), quarter("2024-07-01", "2024-10-01"));
    assert_eq!(said(&spring, &summer), None);
    assert!(said(&spring, &quarter("2024-06-30", "2024-10-01")).unwrap().contains("may count others"));
}
