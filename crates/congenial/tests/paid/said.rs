//! What a confidential release says of which rows are exact, and of what was checked.

use crate::scene::{by_ann, releasing, sqlite};
use std::fs;

/// Report and readme say in the sentence that calls totals exact of which rows they are, by every
/// policy; and that rows of one unit were checked, nowhere.
#[test]
fn exact_totals_are_said_to_be_of_the_rows_that_were_counted() {
    let rows = "id,county,education\n1,Alpha,Low\n1,Alpha,High\n1,Alpha,Low\n2,Beta,Low\n3,Nowhere,Low\n4,Beta,High\n";
    for (number, policies) in
        ["", "outside = \"drop\"\nbeyond = \"drop\"\n", "missing = \"drop\"\n"].into_iter().enumerate()
    {
        let scene = sqlite();
        drop(scene.open("1", false));
        fs::write(scene.path("data.csv"), rows).unwrap();
        let spec = scene.spec("a");
        let text = fs::read_to_string(&spec).unwrap();
        let unit = format!("unit = \"id\"\nrows_per_unit = 2\n{policies}");
        fs::write(&spec, text.replace("count = \"children\"\n", &unit).replace("\"Beta\", \"Gamma\"", "\"Beta\""))
            .unwrap();
        let folder = scene.path("out");
        let certificate = releasing(&spec, &folder, by_ann()).unwrap().certificate;
        let read = |file: &str| {
            let text = fs::read_to_string(folder.join(file)).unwrap().replace("&#39;", "'");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let (report, readme) = (read("report.html"), read("DATA-README.txt"));
        let counted = &certificate.counted;
        let of_unit = if number == 1 { "of every id at most 2 rows" } else { "of every id the first 2 rows" };
        assert!(counted.contains("except those outside the declared domain and those") && counted.ends_with(of_unit));
        for sentence in [
            format!("Totals by county are exact for the rows that were counted ({counted})."),
            format!("The totals below are equal in the rows of the data that were counted ({counted}) and in"),
        ] {
            assert!(report.contains(&sentence), "{sentence}");
        }
        assert!(readme.contains(&format!(
            "These totals are the same in the rows of the data that were counted ({counted}) and in the release"
        )));
        for page in [&report, &readme] {
            assert!(
                !page.contains("was checked when") && !page.contains("the same in the confidential data"),
                "{page}"
            );
        }
    }
}
