//! The plan as text, for a curator: what will be true, what is disclosed, how it is drawn, what it costs.

use super::{count, decimal, duration, number};
use crate::loss::{Definition, Owner, PRIVACY_UNIT, Theorem};
use crate::plan::{Plan, PlannedBlock};
use crate::rules::later;
use analyse::Structure;
use draw::NoiseLaw;
use exact::Rational;
use std::fmt::{self, Write};

impl Plan {
    /// The plan in words, under the title of the publication.
    pub fn explain_text(&self, title: &str) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_text(&mut text, title);
        text
    }

    fn write_text(&self, text: &mut String, title: &str) -> fmt::Result {
        writeln!(text, "{title}")?;
        writeln!(text, "\nExactly true in the release")?;
        self.write_kept(text)?;
        writeln!(text, "\nDisclosed by the invariants alone, whatever the noise")?;
        match self.disclosed.len() {
            0 => writeln!(text, "  no cell")?,
            disclosed => writeln!(text, "  {disclosed} of {}", count(self.cells, "cell"))?,
        }
        writeln!(text, "\nHow it is drawn")?;
        self.write_draw(text)?;
        writeln!(text, "\nWhat it costs")?;
        self.write_loss(text)
    }

    fn write_kept(&self, text: &mut String) -> fmt::Result {
        for condition in self.conditions_in_words() {
            writeln!(text, "  {condition}")?;
        }
        if self.kept.is_empty() {
            let what = match (self.nonnegative || !self.rules.is_empty(), self.queries.is_empty()) {
                (true, _) => "no total".to_owned(),
                (false, true) => format!("nothing: {} with noise of their own", count(self.cells, "cell")),
                (false, false) => format!("nothing: noise on sums of {}", count(self.cells, "cell")),
            };
            return writeln!(text, "  {what}");
        }
        let width = self.kept.iter().map(|kept| kept.label.chars().count()).max().unwrap_or(0);
        for kept in &self.kept {
            writeln!(text, "  {:width$}  {}", kept.label, count(kept.totals, "total"))?;
        }
        for redundant in &self.redundant {
            writeln!(text, "  redundant: {} ({})", redundant.name, redundant.because)?;
        }
        writeln!(
            text,
            "  {}, {}, rank {}: {} left to the noise",
            count(self.cells, "cell"),
            count(self.invariants, "total"),
            self.rank,
            count(self.free_dimension(), "dimension")
        )
    }

    fn write_draw(&self, text: &mut String) -> fmt::Result {
        match self.queries.as_slice() {
            [] => writeln!(text, "  noise: {}", law(&self.law))?,
            queries => {
                writeln!(text, "  noise: double geometric on sums, P(u) ∝ e^(−ε'|u|), consistent in the release")?;
                let width = queries.iter().map(|query| query.label.chars().count()).max().unwrap_or(0);
                for query in queries {
                    let (sums, rate) = (count(query.sums, "sum"), number(&query.rate));
                    writeln!(text, "    {:width$}  {sums} with ε' = {rate}", query.label)?;
                }
            }
        }
        for group in alike(&self.blocks) {
            writeln!(text, "  {group}")?;
            writeln!(text, "    because {}", group.first.because)?;
        }
        let memory = if self.bytes() >= 1e6 { format!(" and {:.0} MB", self.bytes() / 1e6) } else { String::new() };
        writeln!(text, "  about {}{memory} on one core", duration(self.seconds()))?;
        let refused = self.refused.iter().filter(|refused| later().all(|name| name != refused.operator));
        for refused in refused {
            writeln!(text, "  {} is not used: {}", refused.operator, refused.reason)?;
        }
        Ok(())
    }

    /// What the rows of one privacy unit add up to.
    fn write_owner(&self, text: &mut String, owner: &Owner) -> fmt::Result {
        let (loss, letter) = (&self.loss, letter(self.loss.definition));
        if loss.unit == PRIVACY_UNIT {
            let times = &owner.moves / &Rational::integer(loss.footprint);
            let record = number(&(&owner.whole / &times));
            let why = match loss.definition {
                _ if owner.rows == 1 => return Ok(()),
                Definition::Pure => "losses of rows add up",
                Definition::ZeroConcentrated => "all rows of one may stand in the same cell",
            };
            return writeln!(text, "  That is {times} times the {letter} of one replaced record, {record}: {why}.");
        }
        let distance = match loss.definition {
            Definition::Pure => "ℓ₁ distance",
            Definition::ZeroConcentrated => "a squared ℓ₂ distance of",
        };
        let (who, moves, whole) = (owner.in_words(), &owner.moves, number(&owner.whole));
        writeln!(text, "  Replacing one {who}, moves {distance} {moves} at most: {letter} = {whole}.")
    }

    fn write_loss(&self, text: &mut String) -> fmt::Result {
        let loss = &self.loss;
        let Some(value) = loss.epsilon.as_ref().or(loss.rho.as_ref()).map(number) else { return Ok(()) };
        let letter = letter(loss.definition);
        let definition = match loss.definition {
            Definition::Pure => "Pure differential privacy",
            Definition::ZeroConcentrated => "Zero-concentrated differential privacy",
        };
        writeln!(text, "  {definition}, {letter} = {value} per {}.", in_symbols(&loss.unit_in_words()))?;
        let tables = match loss.theorem {
            Theorem::G10 => "two tables that agree on the totals not pinned to published values",
            _ if self.keeps_totals() => "two tables with the same totals",
            _ => "two tables",
        };
        let apart = match (loss.unit, &loss.owner) {
            (PRIVACY_UNIT, Some(owner)) => format!("D replaced units of {} apart", owner.column),
            ("replaced record", _) => "D replaced records apart".to_owned(),
            (unit, _) => format!("at {} D", in_symbols(unit.trim_start_matches("unit of "))),
        };
        let bound = match loss.definition {
            Definition::Pure => "no release is more than e^(ε·D) times as likely from one as from the other",
            Definition::ZeroConcentrated => "the Rényi divergence of order α between their releases is at most α·ρ·D²",
        };
        writeln!(text, "  For {tables} {apart}: {bound}.")?;
        if let Some(owner) = &loss.owner {
            self.write_owner(text, owner)?;
        }
        let nearest = &loss.nearest;
        let pair = match (&nearest.epsilon, &nearest.rho) {
            (Some(epsilon), _) => format!("ε = {}", number(epsilon)),
            (None, Some(rho)) => format!("ρ = {}", number(rho)),
            (None, None) => return Ok(()),
        };
        writeln!(text, "  The nearest such pair is at ℓ₁ distance {} ({}): {pair}.", nearest.distance, nearest.step)?;
        if let (Some(epsilon), Some(delta)) = (&nearest.epsilon_at_delta, &loss.delta) {
            let digits = |value: &Rational| value.to_decimal_exact().unwrap_or_else(|| value.to_string());
            writeln!(text, "  For that pair this implies ε = {} at δ = {}.", digits(epsilon), digits(delta))?;
        }
        if self.keeps_totals() && loss.theorem != Theorem::G10 {
            writeln!(
                text,
                "  The totals are published as they are: nothing is promised between tables with other totals."
            )?;
        }
        match &loss.plain {
            None if self.keeps_totals() => {
                writeln!(text, "  Keeping the totals adds nothing to the loss (γ = {}).", loss.gamma)?;
            }
            None => {}
            Some(plain) => {
                let gamma = decimal(loss.gamma.to_f64());
                writeln!(
                    text,
                    "  What must hold adds to the loss (γ = {gamma}, theorem {}): {}.",
                    loss.theorem.name(),
                    loss.because
                )?;
                if loss.gamma < Rational::integer(1) {
                    writeln!(
                        text,
                        "  The plain factor 2 would charge ε = {} for the same noise.",
                        decimal(plain.to_f64())
                    )?;
                }
            }
        }
        match self.unproven() {
            Some(_) => writeln!(
                text,
                "  Not certifiable: real-valued noise is for research on public data; the figures hold for ideal real numbers only."
            ),
            None => writeln!(text, "  Every draw is exact: rounding adds {}.", loss.rounding),
        }
    }
}

fn letter(definition: Definition) -> &'static str {
    match definition {
        Definition::Pure => "ε",
        Definition::ZeroConcentrated => "ρ",
    }
}

fn in_symbols(unit: &str) -> String {
    unit.replace("l1", "ℓ₁").replace("l2", "ℓ₂")
}

fn law(law: &NoiseLaw) -> String {
    match law {
        NoiseLaw::DoubleGeometric { epsilon } => {
            format!("double geometric, P(u) ∝ e^(−ε'|u|) with ε' = {}", number(epsilon))
        }
        NoiseLaw::DiscreteGaussian { variance } => {
            format!("discrete Gaussian, P(u) ∝ e^(−u²/2σ²) with σ² = {}", number(variance))
        }
        NoiseLaw::Laplace { epsilon } => {
            format!("continuous Laplace, density ∝ e^(−ε'|u|) with ε' = {}", number(epsilon))
        }
        NoiseLaw::Gaussian { variance } => {
            format!("continuous Gaussian, density ∝ e^(−u²/2σ²) with σ² = {}", number(variance))
        }
    }
}

/// Blocks of one kind: same structure, operator and exactness.
struct Alike<'a> {
    first: &'a PlannedBlock,
    blocks: usize,
    smallest: usize,
    largest: usize,
}

fn alike(blocks: &[PlannedBlock]) -> Vec<Alike<'_>> {
    let mut groups: Vec<Alike> = Vec::new();
    for planned in blocks {
        let cells = planned.block.size;
        let same = |group: &&mut Alike| {
            kind(group.first) == kind(planned)
                && group.first.operator == planned.operator
                && group.first.exactness == planned.exactness
        };
        match groups.iter_mut().find(same) {
            Some(group) => {
                group.blocks += 1;
                group.smallest = group.smallest.min(cells);
                group.largest = group.largest.max(cells);
            }
            None => groups.push(Alike { first: planned, blocks: 1, smallest: cells, largest: cells }),
        }
    }
    groups
}

fn kind(planned: &PlannedBlock) -> &'static str {
    match planned.block.structure {
        Structure::Free => "in no total",
        Structure::OneTotal { .. } => "with one total",
        Structure::Crossing { .. } => "with totals that cross",
        Structure::Linked { .. } => "tied by rules or noisy sums",
    }
}

impl fmt::Display for Alike<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = if self.smallest == self.largest {
            count(self.largest, "cell")
        } else {
            format!("{} to {} cells", self.smallest, self.largest)
        };
        let each = if self.blocks > 1 { " each" } else { "" };
        let operator = self.first.operator.name();
        let exactness = self.first.exactness.name();
        let kind = kind(self.first);
        let blocks = count(self.blocks, "block");
        write!(f, "{blocks} of {cells} {kind}{each}: {operator}, {exactness}")
    }
}
