//! The `[mechanism]` section: the noise and how it meets the invariants.

use super::files::Files;
use super::keys;
use super::reader::{Node, Section};
use super::refusals::Refusals;
use super::{base, order, queries, suppress};
use crate::declaration::{Data, Mechanism, Method, Noise, Per, Strength};
use crate::problem::Problem;
use crate::schema::Schema;
use crate::vocabulary::vocabulary;
use exact::Rational;

/// ε and ρ are at most this: more is no privacy, and surely a mistake.
const LARGEST_STRENGTH: i64 = 1 << 20;

/// ε and ρ are at least one over this: less is only noise, and would need numbers beyond a machine
/// word.
const SMALLEST_STRENGTH: i64 = 1_000_000_000;

/// δ is at least one over ten to this power: less is never told by chains.
const SMALLEST_DELTA_DIGITS: usize = 30;

pub(super) fn read(
    section: &Section,
    data: &Data,
    schema: &Schema,
    files: Files<'_>,
    refusals: &mut Refusals,
) -> Result<Mechanism, Problem> {
    section.only(&keys::MECHANISM)?;
    let method = section.choice("method", &Method::ALL, Method::name, Method::Condition)?;
    if method == Method::Suppress {
        return suppress::read(section);
    }
    let noise_node = section.need("noise", "for example noise = \"double-geometric\"")?;
    let noise = noise_node.choice(&vocabulary().noises, |noise| noise.name)?;
    if noise.is_continuous && !data.public {
        let what = format!("`{}` noise is for research on public data", noise.name);
        let problem = Problem::refused(what)
            .hint("use double-geometric or discrete-gaussian, or write `public = true` under [data]");
        refusals.add(section.source, noise_node.span.clone(), problem, "never certified");
    }
    if method == Method::Cascade && noise != Noise::DISCRETE_GAUSSIAN {
        let message = format!("method = \"cascade\" splits totals with discrete Gaussian noise, not `{}`", noise.name);
        return Err(noise_node
            .bad(message, "another law")
            .hint("write noise = \"discrete-gaussian\" with rho, or method = \"condition\""));
    }
    let queries = queries::read(section, noise, schema)?;
    let strength = match queries::own_strength(section, &queries)? {
        Some(sum) => sum,
        None => strength(section, noise, &noise_node)?,
    };
    queries::check(&queries, noise, method, &strength, refusals)?;
    let per = section.choice("per", &Per::ALL, Per::name, Per::Record)?;
    let sampler = sampler(section, method)?;
    let max_delta = accepted(section)?;
    granularity(section, refusals)?;
    let base = base::read(section, (method, noise), data, schema, files)?;
    let confidential = data.confidential_file();
    let order = order::read(section, method, schema, confidential, files)?;
    let queries = queries.into_iter().map(|(query, _)| query).collect();
    Ok(Mechanism { noise, method, strength, per, sampler, max_delta, queries, order, base })
}

fn strength(section: &Section, noise: Noise, noise_node: &Node) -> Result<Strength, Problem> {
    let (key, other) = if noise.takes_rho { ("rho", "epsilon") } else { ("epsilon", "rho") };
    let wanted = section.get(key);
    if wanted.is_some() && section.get(other).is_some() {
        return Err(section
            .bad_key(other, "both `epsilon` and `rho` are given", "the second strength")
            .hint(format!("`{}` noise takes `{key}`: leave `{other}` out", noise.name)));
    }
    if wanted.is_none() && section.get(other).is_some() {
        let message = format!("`{}` noise takes `{key}`, not `{other}`", noise.name);
        let hint = if noise.takes_rho {
            "write rho = \"1/8\" (zCDP), or choose double-geometric noise for `epsilon`"
        } else {
            "write epsilon = \"1/4\", or choose discrete-gaussian noise for `rho`"
        };
        return Err(section.bad_key(other, message, "the wrong strength").hint(hint));
    }
    let Some(node) = wanted else {
        let message = format!("`{key}` is missing in [mechanism]");
        return Err(noise_node
            .bad(message, format!("this noise needs `{key}`"))
            .hint(format!("write {key} = \"1/4\": a decimal or a fraction, read exactly")));
    };
    if node.number()?.is_zero() {
        let message = format!("`{key} = 0` means suppression: nothing but the exact totals would be published");
        return Err(node.bad(message, "no noise gives this").hint(format!(
            "write a loss above zero, for example {key} = \"1/4\"; or method = \"suppress\" without `noise`, which publishes the \
             totals alone"
        )));
    }
    let value = node.positive()?;
    check_range(&node, key, &value)?;
    Ok(if noise.takes_rho { Strength::Rho(value) } else { Strength::Epsilon(value) })
}

/// Checks that a strength, given or implied by a value of the spec, is one a release can have.
pub(super) fn check_range(node: &Node, key: &str, value: &Rational) -> Result<(), Problem> {
    if *value > Rational::from(LARGEST_STRENGTH) {
        let message = format!("`{key}` is above {LARGEST_STRENGTH}");
        return Err(node.bad(message, "no privacy is left").hint("a loss is usually below 10"));
    }
    if *value < Rational::new(1, SMALLEST_STRENGTH as u64) {
        let message = format!("`{key}` is below 1/{SMALLEST_STRENGTH}");
        return Err(node.bad(message, "nothing but noise would be left"));
    }
    Ok(())
}

fn sampler(section: &Section, method: Method) -> Result<Option<String>, Problem> {
    let Some(node) = section.get("sampler") else { return Ok(None) };
    let name = node.text()?;
    if name == "auto" {
        return Ok(None);
    }
    let words = vocabulary();
    let Some(sampler) = words.samplers.iter().find(|sampler| sampler.name == name) else {
        let known: Vec<&str> = ["auto"].into_iter().chain(words.samplers.iter().map(|sampler| sampler.name)).collect();
        return Err(node.not_one_of(name, &known));
    };
    if sampler.methods.contains(&method) {
        return Ok(Some(name.to_string()));
    }
    let message = format!("method = \"{}\" does not use the sampler `{name}`", method.name());
    let hint = match sampler.methods.first().filter(|_| !method.projects()) {
        Some(other) => format!("write method = \"{}\", or sampler = \"auto\"", other.name()),
        None => {
            format!("write sampler = \"auto\", or one of {}", words.of(method).collect::<Vec<_>>().join(", "))
        }
    };
    Err(node.bad(message, "of another method").hint(hint))
}

/// The largest δ of a sampler whose law is only estimated, when such a sampler is accepted.
fn accepted(section: &Section) -> Result<Option<Rational>, Problem> {
    let accept = section.get("accept");
    if let Some(node) = &accept {
        node.choice(&["estimated"], |word| word)?;
    }
    match (accept, section.get("max_delta")) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(section
            .bad_key("accept", "`accept` needs a limit on what an estimated sampler costs", "without `max_delta`")
            .hint("write max_delta = \"1e-6\" beside it: the largest δ that a release may have")),
        (None, Some(_)) => Err(section
            .bad_key(
                "max_delta",
                "`max_delta` limits what an estimated sampler costs, and none is accepted",
                "without `accept`",
            )
            .hint("write accept = \"estimated\" beside it, or leave `max_delta` out: exact samplers cost no δ")),
        (Some(_), Some(node)) => {
            let delta = node.positive()?;
            if delta >= Rational::from(1) {
                return Err(node.bad("`max_delta` must be below 1", "not a probability"));
            }
            if delta < Rational::new(1, exact::Natural::from(10u8).pow(SMALLEST_DELTA_DIGITS)) {
                let message = format!("`max_delta` is below 1e-{SMALLEST_DELTA_DIGITS}");
                return Err(node.bad(message, "no chains can tell such probabilities"));
            }
            Ok(Some(delta))
        }
    }
}

fn granularity(section: &Section, refusals: &mut Refusals) -> Result<(), Problem> {
    if let Some(node) = section.get("granularity") {
        node.positive()?;
        let problem = Problem::not_yet("real-valued tables (`granularity`)")
            .hint("count in units of the granularity, so that the table holds integers");
        refusals.add(node.source, section.key_span("granularity"), problem, "not yet supported");
    }
    Ok(())
}
