//! The `[secrets]` section: how records may depend on each other.

use super::coefficients::Codes;
use super::files::Files;
use super::lookup::Lookup;
use super::reader::{Node, Section};
use super::{is_unseen, keys};
use crate::declaration::{Declaration, Strength};
use crate::domain::Domain;
use crate::number::Number;
use crate::problem::Problem;
use crate::secrets::{
    DeclaredWorld, FAMILIES, Family, LARGEST_WORLD_COUNT, MOST_DEPENDENT_RECORDS, MOST_WORLD_COUNTS, MOST_WORLDS,
    Secrets,
};
use exact::{Natural, Rational};
use std::collections::HashMap;

const N_HINT: &str = "it is the number of records that may depend on each other: n = 100";
const WORLDS_HINT: &str =
    "path = \"worlds.csv\", with the columns world, secret, probability, those of the dimensions, and count";
/// The columns of a file of worlds beside those of the dimensions; `law` may be left out.
const COLUMNS: [&str; 5] = ["law", "world", "secret", "probability", "count"];
/// The largest denominator of a probability between yes or no records.
const LARGEST_DENOMINATOR: u32 = 1_000_000_000;
/// The longest name of a law or an answer.
const LONGEST_NAME: usize = 200;

/// The keys of every family, beside `family` and `mistaken`.
fn keys_of(family: &str) -> &'static [&'static str] {
    match family {
        "binary" => &["n", "z0", "z1", "dependence"],
        "normal" => &["n", "width", "variance", "correlation", "public_noise"],
        "finite" => &["path", "worlds"],
        _ => &[],
    }
}

pub(super) fn read(root: &Section, declaration: &Declaration, files: Files<'_>) -> Result<Option<Secrets>, Problem> {
    let Some(node) = root.get("secrets") else { return Ok(None) };
    let section = node.section("[secrets]")?;
    section.only(&keys::SECRETS)?;
    let family = section.choice("family", &FAMILIES, |word| word, FAMILIES[0])?;
    let known = keys_of(family);
    for node in section.entries() {
        let key = node.name.as_str();
        if !["family", "mistaken"].contains(&key) && !known.contains(&key) {
            return Err(section
                .bad_key(key, format!("`{key}` says nothing of family = \"{family}\""), "of another family")
                .hint(match FAMILIES.iter().find(|other| keys_of(other).contains(&key)) {
                    Some(other) => format!("leave `{key}` out, or write family = \"{other}\""),
                    None => format!("leave `{key}` out"),
                }));
        }
    }
    let family = match family {
        "binary" => binary(&section)?,
        "normal" => normal(&section)?,
        "finite" => Family::Finite { worlds: worlds(&section, declaration, files)? },
        _ => Family::Independent,
    };
    Ok(Some(Secrets { family, mistaken: mistaken(&section, declaration)? }))
}

fn mistaken(section: &Section, declaration: &Declaration) -> Result<Rational, Problem> {
    let Some(node) = section.get("mistaken") else { return Ok(Rational::integer(0)) };
    let mistaken = node.number()?;
    if mistaken.is_negative() {
        return Err(node.bad("`mistaken` must not be negative", "below zero").hint(
            "it is how far the truth may be from the family: the logarithm of the largest ratio of probabilities, 0 if it is in it",
        ));
    }
    if !mistaken.is_zero() && matches!(declaration.mechanism.strength, Strength::Rho(_)) {
        return Err(node
            .bad("`mistaken` adds to a loss epsilon; what it adds to a loss rho is not proved", "of pure loss alone")
            .hint("leave `mistaken` out, or write noise = \"double-geometric\" with epsilon"));
    }
    Ok(mistaken)
}

/// A whole number of records within limits.
fn records(section: &Section, most: u32) -> Result<u32, Problem> {
    let node = section.need("n", N_HINT)?;
    let found = node.integer()?;
    match u32::try_from(found) {
        Ok(records) if (1..=most).contains(&records) => Ok(records),
        _ => Err(node
            .bad(format!("`n` is between 1 and {most}, found {found}"), "no such number of records")
            .hint(N_HINT)),
    }
}

fn binary(section: &Section) -> Result<Family, Problem> {
    let records = records(section, MOST_DEPENDENT_RECORDS)?;
    let probability = |key: &str, hint: &str| -> Result<(Rational, Node), Problem> {
        let node = section.need(key, hint)?;
        let value = node.number()?;
        // Weights of binomial laws have as many digits as the denominator, times n.
        if *value.denominator() > Natural::from(LARGEST_DENOMINATOR) {
            return Err(node.bad(format!("`{key}` has too many digits"), "write it with at most nine decimals"));
        }
        match value.is_negative() || value > Rational::integer(1) {
            true => Err(node.bad(format!("`{key}` must be a probability, found {value}"), "not between 0 and 1")),
            false => Ok((value, node)),
        }
    };
    let (least, _) = probability("z0", "the least probability of a yes, whatever one other record is: z0 = \"0.4\"")?;
    let (most, node) =
        probability("z1", "the largest probability of a yes, whatever one other record is: z1 = \"0.6\"")?;
    if least > most {
        return Err(node.bad(format!("z0 = {least} is above z1 = {most}"), "below z0").hint(
            "z0 is the least probability of a yes, and z1 the largest, whatever one other record is: exchange them",
        ));
    }
    let any_dependence = section.choice("dependence", &["given", "any"], |word| word, "given")? == "any";
    Ok(Family::Binary { records, least, most, any_dependence })
}

fn normal(section: &Section) -> Result<Family, Problem> {
    let records = records(section, u32::MAX)?;
    let width = section
        .need("width", "how far two answers about one value are apart at most, in units of the table: width = 40")?
        .positive()?;
    let variance = section.get("variance").map_or(Ok(Rational::integer(1)), |node| node.positive())?;
    let public_noise = section.get("public_noise").map(|node| node.positive()).transpose()?;
    let correlation = match section.get("correlation") {
        Some(node) => {
            let correlation = node.number()?;
            let one = Rational::integer(1);
            let spread = &one + &(&Rational::integer(records - 1) * &correlation);
            if records > 1 && (correlation >= one || !spread.is_positive()) {
                return Err(node
                    .bad(format!("no normal law of {records} values has the correlation {correlation}"), "no such law")
                    .hint("it is below 1, and above −1/(n − 1)"));
            }
            correlation
        }
        None => Rational::integer(0),
    };
    Ok(Family::Normal { records, width, variance, correlation, public_noise })
}

/// The worlds of a finite family, from a public file or written out.
fn worlds(section: &Section, declaration: &Declaration, files: Files<'_>) -> Result<Vec<DeclaredWorld>, Problem> {
    let (node, worlds) = match (section.get("path"), section.get("worlds")) {
        (Some(node), Some(_)) => {
            return Err(node
                .bad("`path` and `worlds` both list the family", "once is enough")
                .hint("name a file, or write the worlds out"));
        }
        (Some(node), None) => {
            let domain = declaration.domain()?;
            let worlds = from_file(&node, &domain, files)?;
            (node, worlds)
        }
        (None, Some(node)) => {
            let worlds = written(&node, declaration.domain()?.len())?;
            (node, worlds)
        }
        (None, None) => {
            section.need("path", WORLDS_HINT)?;
            return Ok(Vec::new());
        }
    };
    let problem = |message: String| Err(node.bad(message, "these worlds"));
    if worlds.is_empty() {
        return problem("a family without worlds says nothing".to_owned());
    }
    if worlds.len() > MOST_WORLDS {
        return problem(format!("a family has at most {MOST_WORLDS} worlds, found {}", worlds.len()));
    }
    let large =
        |world: &&DeclaredWorld| world.counts.iter().any(|count| count.unsigned_abs() > LARGEST_WORLD_COUNT as u64);
    if let Some(world) = worlds.iter().find(large) {
        return problem(format!(
            "a world of the answer `{}` has a count beyond {LARGEST_WORLD_COUNT}: a listed family is for small tables",
            world.secret
        ));
    }
    let mut sums: HashMap<(&str, &str), Rational> = HashMap::new();
    for world in &worlds {
        let sum = sums.entry((&world.law, &world.secret)).or_insert_with(|| Rational::integer(0));
        *sum = &*sum + &world.probability;
    }
    let mut never: Vec<_> = sums.iter().filter(|(_, sum)| sum.is_zero()).map(|(names, _)| *names).collect();
    never.sort_unstable();
    if let Some((law, secret)) = never.first() {
        return problem(format!(
            "the answer `{secret}` has no probability in law `{law}`: leave it out, nothing can be said of what never happens"
        ));
    }
    let compared = sums.keys().any(|(law, secret)| sums.keys().any(|(other, answer)| law == other && secret != answer));
    if !compared {
        return problem("no law has two answers, so there is no secret to speak of".to_owned());
    }
    Ok(worlds)
}

/// A name of a law or an answer, which certificates print.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST_NAME && !text.chars().any(is_unseen)
}

/// The worlds as the canonical spec writes them: the law, the answer, the probability and the
/// counts in cell order.
fn written(node: &Node, cells: usize) -> Result<Vec<DeclaredWorld>, Problem> {
    let mut worlds = Vec::new();
    for element in node.list()? {
        let fields = element.list()?;
        let [law, secret, probability, counts @ ..] = fields.as_slice() else {
            return Err(element.bad("a world is too short", "needs a law, an answer, a probability and its counts"));
        };
        for name in [law, secret] {
            if !is_name(name.text()?) {
                return Err(name.bad("a law or an answer is one line of visible text", "here"));
            }
        }
        if counts.len() != cells {
            let message = format!("a world has {} counts, the table has {cells} cells", counts.len());
            return Err(element.bad(message, "one count for every cell, in their order"));
        }
        let share = probability.number()?;
        if share.is_negative() {
            return Err(probability.bad("a probability must not be negative", "below zero"));
        }
        worlds.push(DeclaredWorld {
            law: law.text()?.to_owned(),
            secret: secret.text()?.to_owned(),
            probability: share,
            counts: counts.iter().map(Node::integer).collect::<Result<_, _>>()?,
        });
    }
    Ok(worlds)
}

/// A world of a file, while its rows are read.
struct Listed {
    world: DeclaredWorld,
    written: Vec<bool>,
}

/// The worlds of a file: one row for each cell of each world; cells that are not listed are zero.
fn from_file(node: &Node, domain: &Domain, files: Files<'_>) -> Result<Vec<DeclaredWorld>, Problem> {
    let schema = &domain.schema;
    let lookup = Lookup::read(node, files)?;
    if let Some(dimension) = schema.dimensions.iter().find(|each| COLUMNS.contains(&each.name.as_str())) {
        let message = format!("the dimension `{}` has the name of another column of a file of worlds", dimension.name);
        return Err(node
            .bad(message, "two meanings")
            .hint("name the dimension otherwise, and its column with `column`"));
    }
    let has_law = lookup.has("law");
    let named = COLUMNS[1..4].iter().copied().chain(schema.own_names());
    let named = has_law.then_some("law").into_iter().chain(named).chain(["count"]);
    let columns: Vec<usize> = named.map(|name| lookup.column(name, node)).collect::<Result<_, _>>()?;
    let codes = Codes::of(schema.dimensions.iter());
    let mut listed: Vec<Listed> = Vec::new();
    let mut positions: HashMap<(String, String), usize> = HashMap::new();
    for (row, mut fields) in lookup.rows(&columns).into_iter().enumerate() {
        let bad = |message: String, label: &str| lookup.bad_row(row, message, label);
        if !has_law {
            fields.insert(0, "1".to_owned());
        }
        let [law, name, secret, share, labels @ .., count] = fields.as_slice() else { continue };
        if let Some(wrong) = [law, name, secret].into_iter().find(|text| !is_name(text)) {
            return Err(bad(format!("a law, a world or an answer is one line of visible text, not `{wrong}`"), "here"));
        }
        let probability = share
            .trim_ascii()
            .parse::<Rational>()
            .ok()
            .filter(|share| !share.is_negative() && share.to_string().parse::<Rational>().as_ref() == Ok(share));
        let Some(probability) = probability else {
            let message = format!("`probability` must be a number at or above zero, not `{share}`");
            return Err(bad(message, "no probability"));
        };
        let codes = codes.of_row(labels, &bad)?;
        let whole = Number::read(count).and_then(Number::integer).and_then(|value| i64::try_from(value).ok());
        let Some(whole) = whole else {
            return Err(bad(format!("`count` must be a whole number, not `{count}`"), "not a whole number"));
        };
        let position = *positions.entry((law.clone(), name.clone())).or_insert_with(|| {
            let world = DeclaredWorld {
                law: law.clone(),
                secret: secret.clone(),
                probability: probability.clone(),
                counts: vec![0; domain.len()],
            };
            listed.push(Listed { world, written: vec![false; domain.len()] });
            listed.len() - 1
        });
        if listed.len() * domain.len() > MOST_WORLD_COUNTS {
            let most = format!("the worlds have more than {MOST_WORLD_COUNTS} counts");
            return Err(node.bad(format!("{most}: a listed family is for small tables"), "too large"));
        }
        let Listed { world, written } = &mut listed[position];
        if world.secret != *secret || world.probability != probability {
            let message = format!("the world `{name}` has another answer or probability above");
            return Err(bad(message, "not what its first row says"));
        }
        match domain.cell(&codes) {
            Some(cell) if written[cell] => {
                return Err(bad(format!("the world `{name}` has two counts for one cell"), "the second time"));
            }
            Some(cell) => (written[cell], world.counts[cell]) = (true, whole),
            None if whole == 0 => {}
            None => return Err(bad(format!("the world `{name}` counts in a structural zero"), "no cell of the table")),
        }
    }
    Ok(listed.into_iter().map(|listed| listed.world).collect())
}
