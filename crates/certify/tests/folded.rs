//! A table that is folded to a small one gives the same analysis, plan, guarantee and noise as the
//! table itself.

use certify::derive;
use declare::{Conditions, Declaration, Domain, Problem};
use draw::{TableSampler, TableStream};
use exact::integer::below;
use exact::{Entropy, Seeded, Source};
use plan::{Case, Plan, PlannedBlock, cell_reach, error_profile};

/// A random spec with totals by its first dimensions, of which the first may be a hierarchy.
fn spec(entropy: &mut impl Entropy) -> String {
    let mut pick = |most: u64| below(entropy, most);
    let hierarchy = pick(2) == 0;
    let mut names: Vec<&str> = Vec::new();
    let mut dimensions = String::new();
    if hierarchy {
        let rows: Vec<String> = (0..2 + pick(4))
            .scan((0, 0), |(state, county), leaf| {
                (*state, *county) = (*state + u64::from(pick(3) == 0), *county + u64::from(pick(2) == 0));
                Some(format!("[\"s{state}\", \"c{state}-{county}\", \"{leaf}\"]"))
            })
            .collect();
        dimensions +=
            &format!("place = {{ levels = [\"state\", \"county\", \"tract\"], rows = [{}] }}\n", rows.join(", "));
        names.push("place");
    }
    for name in ["a", "b", "c"].into_iter().take(1 + pick(3) as usize) {
        dimensions += &match pick(2) {
            0 => format!("{name} = {{ integers = [1, {}] }}\n", 1 + pick(4)),
            _ => {
                format!("{name} = [{}]\n", (0..1 + pick(4)).map(|v| format!("\"{v}\"")).collect::<Vec<_>>().join(", "))
            }
        };
        names.push(name);
    }
    let mut invariants = String::new();
    for _ in 0..pick(4) {
        let mut by: Vec<&str> = names[..pick(names.len() as u64) as usize].to_vec();
        if hierarchy && by.len() == 1 && pick(2) == 0 {
            by = [&["state"][..], &["county"], &["state", "county"], &["tract"], &["county", "place"]]
                [pick(5) as usize]
                .to_vec();
        }
        if pick(2) == 0 {
            by.reverse();
        }
        let by = by.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        invariants += &format!("[[invariant]]\nby = [{by}]\n");
    }
    let noise = ["noise = \"double-geometric\"\nepsilon = \"1/3\"", "noise = \"discrete-gaussian\"\nrho = \"1/8\""];
    let noise = noise[pick(2) as usize];
    let per = ["unit", "record"][pick(2) as usize];
    let method = if pick(6) == 0 { "unconstrained" } else { "condition" };
    format!(
        "[data]\npath = \"x.csv\"\npublic = true\n[dimensions]\n{dimensions}{invariants}[constraints]\nnonnegative = false\n\
         [mechanism]\n{noise}\nper = \"{per}\"\nmethod = \"{method}\"\n"
    )
}

struct Released {
    plan: Plan,
    derived: String,
    told: String,
}

fn released(
    declaration: &Declaration,
    domain: &Domain,
    conditions: &Conditions,
    totals: &[Vec<i64>],
    fold: Option<&declare::Fold>,
) -> Result<Released, Problem> {
    let case = Case {
        declaration: declaration.clone(),
        domain: domain.clone(),
        conditions: conditions.clone(),
        fold: fold.cloned(),
    };
    let analysis = case.analyse(totals)?;
    let plan = case.plan(&analysis)?;
    let derived = format!("{:?}", derive(&case, totals, &plan, &|_| {})?);
    let disclosed: Vec<_> = analysis.disclosed().collect();
    let said = (&analysis.kept, &analysis.redundant, &analysis.moves.pair, &analysis.moves, analysis.rank, disclosed);
    // A folded table takes less memory.
    let mut json = plan.explain_json();
    json["bytes"] = 0.into();
    let told = format!("{said:?}\n{}\n{json}", plan.explain_text("title"));
    Ok(Released { plan, derived, told })
}

#[test]
fn folded_tables_say_and_draw_what_the_tables_themselves_do() {
    let mut entropy = Seeded::new(8).stream(0).unwrap();
    let (mut folded, mut drawn, mut disclosing) = (0, 0, 0);
    for round in 0..400 {
        let text = spec(&mut entropy);
        let declaration =
            Declaration::parse_alone(&text, "spec").unwrap_or_else(|problem| panic!("{problem:?}\n{text}"));
        let Ok(fold) = declaration.fold() else { continue };
        folded += 1;
        let domain = declaration.domain().unwrap();
        assert_eq!(fold.cells(), domain.len());
        let most = 1 + below(&mut entropy, 4);
        let counts: Vec<i64> = (0..domain.len()).map(|_| below(&mut entropy, most) as i64).collect();
        let mut small = vec![0i64; fold.domain.len()];
        counts.iter().enumerate().for_each(|(cell, count)| small[fold.place(cell)] += count);
        let conditions = [&domain, &fold.domain].map(|domain| declaration.conditions(domain).unwrap());
        let totals = conditions[0].totals(&counts).unwrap();
        assert_eq!(totals, conditions[1].totals(&small).unwrap(), "{text}");
        let whole = released(&declaration, &domain, &conditions[0], &totals, None);
        let light = released(&declaration, &domain, &conditions[1], &totals, Some(&fold));
        let (whole, light) = match (whole, light) {
            (Ok(whole), Ok(light)) => (whole, light),
            (Err(whole), Err(light)) => {
                assert_eq!(format!("{whole:?}"), format!("{light:?}"), "{text}");
                continue;
            }
            _ => panic!("one is refused, the other is not\n{text}"),
        };
        assert_eq!(whole.derived, light.derived, "{text}");
        assert_eq!(whole.told, light.told, "{text}");
        let profiles = (error_profile(&whole.plan, &domain, None), error_profile(&light.plan, &domain, Some(&fold)));
        assert_eq!(format!("{:?}", profiles.0), format!("{:?}", profiles.1), "{text}");
        assert_eq!(cell_reach(&whole.plan), cell_reach(&light.plan), "{text}");
        disclosing += u32::from(!light.plan.disclosed.is_empty());

        let source = Seeded::draw(3, round);
        let blocks: Vec<_> = whole.plan.blocks.iter().map(PlannedBlock::to_draw).collect();
        let sampler = TableSampler::new((&whole.plan.law).into(), &blocks, &counts).unwrap();
        let expected = sampler.keeping(&whole.plan.fixed).draw(&source, &|_| {}).unwrap().into_values();
        let ranges = light.plan.ranges(&fold).unwrap();
        let mut stream = TableStream::new(&light.plan.law, &ranges, domain.len(), &source, &|_| {}).unwrap();
        let mut found = counts.clone();
        stream.add(&mut found).unwrap();
        stream.finish().unwrap();
        assert_eq!(found, expected, "{text}");
        assert_eq!(conditions[0].totals(&found).unwrap(), totals, "{text}");
        drawn += 1;
    }
    assert!(folded > 200 && drawn > 150 && disclosing > 20, "{folded} {drawn} {disclosing}");
}

#[test]
fn what_cannot_be_folded_says_why() {
    let base = |dimensions: &str, rest: &str, nonnegative: bool| {
        let text = format!(
            "[data]\npath = \"x.csv\"\npublic = true\n[dimensions]\n{dimensions}\n{rest}\n[constraints]\nnonnegative = {nonnegative}\n\
             [mechanism]\nnoise = \"double-geometric\"\nepsilon = \"1/3\"\n"
        );
        Declaration::parse_alone(&text, "spec").unwrap().fold().map(|fold| (fold.domain.len(), fold.each()))
    };
    let plain = "a = [\"x\", \"y\"]\nb = { integers = [1, 3] }\nc = { integers = [1, 5] }";
    let apart = "p = { levels = [\"s\", \"t\"], rows = [[\"u\", \"1\"], [\"v\", \"2\"], [\"u\", \"3\"]] }\nb = { integers = [1, 5] }";
    assert_eq!(base(plain, "", false), Ok((2, 30)));
    assert_eq!(base(plain, "[[invariant]]\nby = [\"b\", \"a\"]", false), Ok((12, 5)));
    assert_eq!(base(apart, "[[invariant]]\nby = [\"t\"]", false), Ok((6, 5)));
    for (dimensions, rest, nonnegative, because) in [
        (plain, "", true, "at or above zero"),
        (plain, "[[invariant]]\nby = [\"b\"]", false, "the totals by b are not"),
        (plain, "[[invariant]]\nby = [\"a\", \"b\", \"c\"]", false, "use every dimension"),
        (plain, "[[invariant]]\nby = []\nwhere = \"b = 2\"", false, "more than plain totals"),
        (apart, "[[invariant]]\nby = [\"s\"]", false, "the totals by s are not"),
    ] {
        let reason = base(dimensions, rest, nonnegative).unwrap_err();
        assert!(reason.contains(because), "{reason}");
    }
}
