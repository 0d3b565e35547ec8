//! The page is escaped, well formed, self-contained and equal for equal releases.

mod samples;

use declare::Values;
use samples::{Sample, labels, noisy};

fn every() -> Vec<(&'static str, Sample)> {
    vec![
        ("four by four", samples::four_by_four()),
        ("projected", samples::projected()),
        ("areas", samples::areas()),
        ("hierarchy", samples::hierarchy()),
        ("large", samples::large()),
        ("cube", samples::cube()),
        (
            "wide",
            Sample::new(
                vec![("sex", labels(&["f", "m"])), ("age", Values::Integers { first: 0, last: 99 })],
                None,
                noisy,
            ),
        ),
        (
            "square",
            Sample::new(
                vec![("a", Values::Integers { first: 1, last: 50 }), ("b", Values::Integers { first: 1, last: 50 })],
                None,
                noisy,
            ),
        ),
        ("one cell", Sample::new(vec![("only", labels(&["x"]))], None, |_| 7)),
        ("no cell", Sample::new(vec![("only", labels(&["x"]))], Some(vec![true]), noisy)),
        ("no dimension", Sample::new(Vec::new(), None, |_| 7)),
        ("long list", Sample::new(vec![("n", Values::Integers { first: -5000, last: 5000 })], None, noisy)),
    ]
}

/// Checks that every tag closes in order; returns all tags with their attributes.
fn tags(page: &str) -> Vec<String> {
    const VOID: [&str; 2] = ["meta", "input"];
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a stray > in {:?}", &rest[..start]);
        let end = start + rest[start..].find('>').expect("every tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "tags close in order");
            continue;
        }
        let name = tag.split(' ').next().unwrap_or_default().to_owned();
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "a tag named {name:?}");
        assert_eq!(tag.matches('"').count() % 2, 0, "balanced quotes in {tag:?}");
        all.push(tag.to_owned());
        if name == "style" {
            rest = &rest[rest.find("</style>").expect("the style ends")..];
        }
        if !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    all
}

/// The text between the style sheet and the end: what the snapshot shows.
fn body(page: &str) -> &str {
    &page[page.find("<body>").expect("a body")..]
}

#[test]
fn small_table() {
    insta::assert_snapshot!(body(&samples::four_by_four().page()));
}

#[test]
fn pages_are_well_formed() {
    for (name, sample) in every() {
        let all = tags(&sample.page());
        assert!(all.len() > 50, "{name} is nearly empty");
        let headings = |level: &str| all.iter().filter(|tag| tag.split(' ').next() == Some(level)).count();
        assert_eq!((headings("h1"), headings("h2")), (1, 9), "{name}");
        let folded =
            all.iter().filter(|tag| *tag == "section class=\"folded\"" || tag.starts_with("section class=\"folded\""));
        assert_eq!(folded.count(), 7, "{name}");
    }
}

#[test]
fn links_lead_to_sections_of_the_page_and_to_files_beside_it() {
    let page = samples::four_by_four().page();
    let mut files = Vec::new();
    for tag in tags(&page).iter().filter(|tag| tag.contains("href=")) {
        let target = tag.split("href=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a link");
        match target.strip_prefix('#') {
            Some(section) => assert!(page.contains(&format!("id=\"{section}\"")), "{section}"),
            None => files.push(target.to_owned()),
        }
    }
    assert_eq!(files, ["./table.parquet", "./DATA-README.txt", "./certificate.json"]);
}

#[test]
fn only_plain_names_of_files_are_links() {
    let mut sample = samples::four_by_four();
    sample.certificate.files.clear();
    for name in ["javascript:alert(1)", "../up", "a b", ".hidden", "//elsewhere", ""] {
        sample.certificate.table.file = name.into();
        let page = sample.page();
        assert_eq!(page.matches("href=\"./").count(), 1, "{name}: only the certificate");
    }
}

#[test]
fn the_first_screen_says_how_far_counts_are_off_what_is_exact_and_what_is_below_zero() {
    let first = |sample: &Sample| {
        let page = sample.page();
        page[page.find("<header>").expect("a header")..page.find("</header>").expect("its end")].to_owned()
    };
    let mut sample = samples::four_by_four();
    let page = first(&sample);
    for sentence in [
        "<li>Counts are within ±4 nine times in ten.</li>",
        "<li>Totals by county and the grand total are exact.</li>",
        "<li>1 small count is below zero; raising it to zero would make sums too large.</li>",
        "pure differential privacy, ε\u{a0}=\u{a0}0.25 per unit",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    sample.known.cells = Err("counts are kept at or above zero".into());
    sample.certificate.conditions = vec!["every count is at least 0".into()];
    sample.values.iter_mut().for_each(|value| *value = (*value).max(0));
    let page = first(&sample);
    assert!(page.contains("stays within ±3 nine times in ten. How far a single count is off is not stated"), "{page}");
    assert!(page.contains("No count is below zero: noise was drawn so that none is."), "{page}");
    assert!(first(&samples::projected()).contains("small counts are biased"));
}

#[test]
fn exact_totals_are_bold_and_others_have_their_reach() {
    let page = samples::four_by_four().page();
    assert!(page.contains("<td class=\"sum exact\">20</td>"), "the total of a county");
    assert!(
        page.contains("<td class=\"sum\">50<span class=\"pm\">±9</span></td>"),
        "the total of a level of education"
    );
    assert!(page.contains("<td class=\"sum exact\">121</td>"), "the grand total");
    assert!(page.contains("15<span class=\"pm\">±4</span></td>"), "a count");
    // Totals over a part of the table make no margin exact, whatever they are called.
    let mut sample = samples::four_by_four();
    sample.certificate.invariants[0].totals[0].value += 1;
    sample.certificate.invariants.truncate(1);
    assert!(!sample.page().contains("sum exact"));
}

#[test]
fn numbers_are_rounded_for_people_with_the_exact_ones_beside() {
    let mut sample = samples::four_by_four();
    sample.certificate.guarantee.epsilon = Some("0.9999999999997".into());
    let page = sample.page();
    assert!(page.contains("ε\u{a0}=\u{a0}<span title=\"exactly 0.9999999999997\">1</span>"), "{page}");
    assert!(page.contains("<td class=\"number\">1<span class=\"exactly\">exactly 0.9999999999997</span></td>"));
}

#[test]
fn pictures_show_the_noise_the_meaning_and_the_dimension_that_is_chosen() {
    let page = samples::cube().page();
    for (number, name) in ["sex", "age", "marital"].into_iter().enumerate() {
        assert!(page.contains(&format!("<label for=\"by-{number}\">by {name}</label>")), "{name}");
        assert!(page.contains(&format!("<div class=\"panel by-{number}\">")), "{name}");
    }
    assert_eq!(page.matches("type=\"radio\"").count(), 3);
    assert_eq!(page.matches("checked=\"\"").count(), 1);
    for words in [
        "How much noise a count carries",
        "What the guarantee means",
        "becomes at most 62.3 %",
        "within ±3",
        "class=\"whisker\"",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn pages_are_equal_for_equal_releases() {
    for ((name, first), (_, second)) in every().into_iter().zip(every()) {
        assert!(first.page() == second.page(), "{name}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    for (name, sample) in every() {
        let page = sample.page();
        for forbidden in
            ["http://", "https://", "//cdn", "url(", "@import", "<script", "<link", "<img", "<iframe", "src="]
        {
            assert!(!page.contains(forbidden), "{name} contains {forbidden}");
        }
        assert!(page.contains("default-src &#39;none&#39;"));
    }
}

#[test]
fn everything_is_escaped() {
    let evil = "<script>alert('x')</script>\"&";
    let mut sample = Sample::new(vec![(evil, labels(&[evil, "b"])), ("other", labels(&[evil, "d"]))], None, noisy);
    let certificate = &mut sample.certificate;
    certificate.title = evil.into();
    certificate.spec = evil.into();
    certificate.time = evil.into();
    certificate.ledger = Some(samples::spending(evil));
    certificate.table.file = evil.into();
    certificate.table.sha256 = evil.into();
    certificate.program.commit = Some(evil.into());
    certificate.entropy = evil.into();
    certificate.choice = evil.into();
    certificate.operators[0].operator = evil.into();
    certificate.operators[0].exactness = evil.into();
    for text in [
        &mut certificate.guarantee.statement,
        &mut certificate.guarantee.definition,
        &mut certificate.guarantee.neighbours,
        &mut certificate.guarantee.unit,
        &mut certificate.guarantee.gamma,
        &mut certificate.guarantee.noise,
        &mut certificate.guarantee.proof,
        &mut certificate.guarantee.theorem,
    ] {
        *text = evil.into();
    }
    certificate.guarantee.epsilon = Some(evil.into());
    certificate.invariants.push(samples::invariant(evil, [(evil.into(), 1), (evil.into(), 2)]));
    certificate.invariants.push(samples::invariant("total", [(evil.into(), 1)]));
    certificate.disclosed.push(certify::DisclosedCell { cell: evil.into(), value: 1 });
    let page = sample.page();
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
    assert!(!tags(&page).iter().any(|tag| tag.contains("script") && !tag.contains("&lt;script")));
}

#[test]
fn a_large_table_stays_a_small_page_and_says_what_is_left_out() {
    let sample = samples::large();
    let page = sample.page();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("too large to print here"));
    assert!(page.contains("750 cells are shown; 99,250 are left out."));
    assert!(page.contains("the sum of 5 neighbouring cells"));
}

#[test]
fn every_cell_of_a_hierarchy_is_on_the_page() {
    let sample = samples::hierarchy();
    let page = sample.page();
    for leaf in [1, 1572, 3143] {
        assert!(page.contains(&format!("County {leaf} (")), "{leaf}");
    }
    assert!(page.contains("State 51 – "));
}

#[test]
fn long_lists_of_totals_are_cut_and_say_so() {
    let mut sample = samples::four_by_four();
    sample.certificate.invariants =
        vec![samples::invariant("by place", (0..2_500).map(|n| (format!("place = {n}"), n)))];
    let page = sample.page();
    assert!(page.contains("The first 2,000 are shown; the other 500 are in certificate.json."));
    assert!(page.contains("place = 1999<") && !page.contains("place = 2000<"));
}

#[test]
fn disclosed_cells_and_negative_counts_are_named() {
    let page = samples::areas().page();
    assert!(page.contains("1 cell of the confidential table can be computed from the exact totals alone."));
    assert!(page.contains("area = Area 7"));
    assert!(page.contains("number minus"));
    let page = samples::four_by_four().page();
    assert!(page.contains("No single cell of the confidential table can be computed"));
    assert!(page.contains("<td class=\"n2\">−2<span class=\"pm\">±4</span></td>"));
}

#[test]
fn a_structural_zero_is_not_shown_as_a_count() {
    let page = samples::cube().page();
    assert_eq!(page.matches("<span class=\"unseen\">not part of the table</span>").count(), 2);
    assert!(page.contains("2 combinations are impossible by declaration"));
}

#[test]
fn zero_concentrated_loss_names_its_unit_and_delta() {
    let mut sample = samples::four_by_four();
    let guarantee = &mut sample.certificate.guarantee;
    guarantee.definition = "zero-concentrated differential privacy".into();
    guarantee.epsilon = None;
    guarantee.rho = Some("1/8".into());
    guarantee.delta = Some("1/1000000".into());
    guarantee.epsilon_at_delta = Some("2.76".into());
    guarantee.unit = "unit of squared ℓ₂ distance".into();
    let page = sample.page();
    assert!(page.contains(
        "<th scope=\"row\">Privacy loss ρ</th><td \
            class=\"number\">0.125</td><td>per unit of squared ℓ₂ distance</td>"
    ));
    assert!(page.contains("at δ = 1/1000000"));
    assert!(!page.contains("e^ε"));
}

#[test]
fn pages_do_not_depend_on_how_the_counts_arrive() {
    for (name, sample) in every() {
        let page = sample.page();
        for portion in [1, 7, 1_000] {
            assert!(sample.page_in_portions(portion) == page, "{name} in portions of {portion}");
        }
    }
}

#[test]
fn a_privacy_unit_is_named_with_its_rows_and_loss() {
    let mut sample = samples::four_by_four();
    let bounded = "Of every person_id at most 3 rows were counted.".to_owned();
    let unit = certify::PrivacyUnit { column: "person_id".into(), rows: 3, loss: "3/2".into(), bounded };
    sample.certificate.guarantee.privacy_unit = Some(unit);
    let page = sample.page();
    assert!(page.contains("per person_id, of which at most 3 rows are counted") && page.contains("ε = 3/2"), "{page}");
    assert!(page.contains("More than one person_id. A group of several is protected less"), "{page}");
    assert!(
        page.contains("Of every person_id at most 3 rows were counted.") && !page.contains("was checked"),
        "{page}"
    );
}

#[test]
fn a_projection_claims_nothing_about_its_errors() {
    let (drawn, projected) = (samples::four_by_four().page(), samples::projected().page());
    for words in ["Nothing is claimed about the errors of the released counts", "were then moved so that totals hold"] {
        assert!(projected.contains(words) && !drawn.contains(words), "{words}");
    }
    for words in ["raising it to zero would bias", "exact: drawn from the stated law"] {
        assert!(drawn.contains(words) && !projected.contains(words), "{words}");
    }
}
