//! The plan as text, for a curator: what will be true, what is disclosed, how it is drawn, what it
//! costs.

use super::assumption_in_words;
use crate::cascade::{Cascaded, SPLITS};
use crate::numbers::{count, decimal, duration, number};
use crate::planned::{Plan, PlannedBlock, Refused};
use crate::ranked::IntervalWork;
use crate::registry::registry;
use analyse::Structure;
use draw::{Exactness, LEVELS, NoiseLaw, ONE_NORM, OTHERS_DRAW};
use exact::Rational;
use loss::{Definition, Implied, Loss, Norm, Owner, Theorem, Unit, Walked};
use std::fmt::{self, Write};
use walk::PlannedWalk;

/// Intervals that take less time are not told of.
const LEAST_TOLD_SECONDS: f64 = 0.1;

/// Less memory is not told.
const LEAST_TOLD_BYTES: f64 = 50e6;

impl Plan {
    /// The plan in words, under the title of the publication.
    pub fn explain_text(&self, title: &str) -> String {
        self.explain_text_of_rows(title, None)
    }

    /// The plan in words, and of which rows of the data totals are exact where not of all.
    pub fn explain_text_of_rows(&self, title: &str, rows: Option<&str>) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_text(&mut text, title, rows);
        text
    }

    fn write_text(&self, text: &mut String, title: &str, rows: Option<&str>) -> fmt::Result {
        let (kept, disclosed) = match self.is_suppressed() {
            true => ("All that is published", "Disclosed by it"),
            false => ("Exactly true in the release", "Disclosed, whatever the noise"),
        };
        let rows = rows.map_or(String::new(), |rows| format!(", of the rows of the data that are counted ({rows})"));
        writeln!(text, "{title}\n\n{kept}{rows}")?;
        self.write_kept(text)?;
        writeln!(text, "\n{disclosed}")?;
        self.write_disclosed(text)?;
        writeln!(text, "\nHow it is drawn")?;
        self.write_draw(text)?;
        writeln!(text, "\nWhat it costs")?;
        match self.is_suppressed() {
            true => self.write_nothing_lost(text),
            false => self.write_loss(text),
        }
    }

    /// What it costs where nothing is drawn.
    fn write_nothing_lost(&self, text: &mut String) -> fmt::Result {
        writeln!(
            text,
            "  Nothing, ε = 0 (theorem {}): two tables with the same totals give the same release.",
            self.loss.theorem.name()
        )?;
        let nearest = &self.loss.nearest;
        match nearest.is_attained() {
            true => {
                writeln!(text, "  The nearest such pair is at ℓ₁ distance {} ({}).", nearest.distance, nearest.step)?
            }
            false => writeln!(text, "  {}", nearest.in_words("ε = 0"))?,
        }
        writeln!(
            text,
            "  Nothing is promised between tables with other totals, nor about what the totals tell: the cells that they \
             disclose, and the intervals that they leave for others."
        )
    }

    fn write_disclosed(&self, text: &mut String) -> fmt::Result {
        match self.disclosed.len() {
            0 => writeln!(text, "  no cell")?,
            disclosed => writeln!(text, "  {disclosed} of {}", count(self.cells, "cell"))?,
        }
        // Where totals cross or rules bind, several of them together may confine a cell.
        let tied = |planned: &PlannedBlock| {
            matches!(planned.block.structure, Structure::Crossing { .. } | Structure::Linked { .. })
        };
        if self.is_suppressed() || self.blocks.iter().any(tied) {
            writeln!(text, "  as far as one total after another shows: `check` searches to the end")?;
        }
        Ok(())
    }

    fn write_kept(&self, text: &mut String) -> fmt::Result {
        for condition in self.conditions_in_words() {
            writeln!(text, "  {condition}")?;
        }
        if self.kept.is_empty() {
            let what = match (self.has_bounds(), self.queries.is_empty()) {
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
        let left = if self.is_suppressed() { "of which nothing is told" } else { "left to the noise" };
        writeln!(
            text,
            "  {}, {}, rank {}: {} {left}",
            count(self.cells, "cell"),
            count(self.invariants, "total"),
            self.rank,
            count(self.free_dimension(), "dimension")
        )
    }

    fn write_draw(&self, text: &mut String) -> fmt::Result {
        if self.is_suppressed() {
            return writeln!(text, "  nothing is drawn: method = \"suppress\" publishes the exact totals and no cell");
        }
        let then = if self.is_projected() { "; then projected" } else { "" };
        if let Some(cascaded) = &self.cascade {
            write_levels(text, cascaded)?;
        }
        match self.queries.as_slice() {
            [] if self.cascade.is_some() => {}
            [] => writeln!(text, "  noise: {}{then}", law(&self.law))?,
            queries => {
                writeln!(
                    text,
                    "  noise: double geometric on sums, P(u) ∝ e^(−ε'|u|), consistent in the release{then}{}",
                    weighted(&self.law)
                )?;
                let width = queries.iter().map(|query| query.label.chars().count()).max().unwrap_or(0);
                for query in queries {
                    let (sums, rate) = (count(query.sums, "sum"), number(&query.rate));
                    writeln!(text, "    {:width$}  {sums} with ε' = {rate}", query.label)?;
                }
            }
        }
        for group in alike(&self.blocks) {
            writeln!(text, "  {group}")?;
            let work = &group.first.work;
            writeln!(text, "    because {}", work.prospect().because)?;
            if let Some(walk) = PlannedWalk::of(&**work) {
                write_walk(text, group.first, walk)?;
            }
            for (what, number) in work.holds().into_iter().filter(|_| group.blocks == 1) {
                writeln!(text, "    {}", count(number, what))?;
            }
        }
        if self.needs_evidence() {
            return self.write_refused(text);
        }
        let memory =
            if self.bytes() >= LEAST_TOLD_BYTES { format!(" and {:.0} MB", self.bytes() / 1e6) } else { String::new() };
        writeln!(text, "  about {}{memory} on one core", duration(self.seconds()))?;
        if let Some(IntervalWork { draws, listing_seconds, draws_seconds, .. }) = self.interval_work() {
            if listing_seconds >= LEAST_TOLD_SECONDS {
                let seconds = duration(listing_seconds);
                writeln!(
                    text,
                    "  about {seconds} to list the laws of counts, which intervals of released counts need"
                )?;
            }
            if let Some(draws) = draws.filter(|_| draws_seconds >= LEAST_TOLD_SECONDS) {
                let (seconds, draws) = (duration(draws_seconds), count(draws as usize, "more draw"));
                writeln!(
                    text,
                    "  about {seconds} for {draws} of a fixed seed, which intervals of released counts need"
                )?;
            }
        }
        self.write_refused(text)
    }

    /// The operators that draw nothing here, and why.
    fn write_refused(&self, text: &mut String) -> fmt::Result {
        // What only a later version has, or what is used only where nothing else draws, says
        // nothing about this table.
        let unused = |refused: &&Refused| {
            let told =
                registry().of(self.method.word).any(|known| known.name() == refused.operator && known.role().is_told);
            told && refused.reason != OTHERS_DRAW
        };
        for refused in self.refused.iter().filter(unused) {
            writeln!(text, "  {} is not used: {}", refused.operator, refused.reason)?;
        }
        Ok(())
    }

    /// What the rows of one privacy unit add up to.
    fn write_owner(&self, text: &mut String, owner: &Owner) -> fmt::Result {
        let (loss, letter) = (&self.loss, letter(&self.loss));
        if matches!(loss.unit, Unit::Owner(_)) {
            let times = Rational::integer(owner.rows * if loss.is_concentrated() { owner.rows } else { 1 });
            let record = number(&(&owner.whole / &times));
            let why = match loss.is_concentrated() {
                _ if owner.rows == 1 => return Ok(()),
                false => "losses of rows add up",
                true => "all rows of one may stand in the same cell",
            };
            return writeln!(text, "  That is {times} times the {letter} of one replaced record, {record}: {why}.");
        }
        let distance = match (loss.is_concentrated(), loss.norm) {
            (false, Norm::L1) => "ℓ₁ distance",
            (false, Norm::L2) => "ℓ₂ distance",
            (true, _) => "a squared ℓ₂ distance of",
        };
        let (who, moves, whole) = (owner.in_words(), owner.moves.digits(), number(&owner.whole));
        writeln!(text, "  Replacing one {who}, moves {distance} {moves} at most: {letter} = {whole}.")
    }

    fn write_loss(&self, text: &mut String) -> fmt::Result {
        let loss = &self.loss;
        let value = number(loss.amount.size());
        let letter = letter(loss);
        let unit = loss.unit_in_words().replace("l1", "ℓ₁").replace("l2", "ℓ₂");
        let law = loss.amount.definition().name();
        let definition = match loss.definition() {
            Definition::Approximate => format!(
                "Approximate differential privacy by a walk. The law of the noise itself: {}",
                law.replace(" differential privacy", "")
            ),
            _ => format!("{}{}", law[..1].to_uppercase(), &law[1..]),
        };
        writeln!(text, "  {definition}, {letter} = {value} per {unit}.")?;
        let tables = match self.keeps_totals() {
            _ if self.pinned => "two tables that agree on the totals not pinned to published values",
            true => "two tables with the same totals",
            false => "two tables",
        };
        let by_root = loss.unit == Unit::Record && loss.norm == Norm::L2 && !loss.is_concentrated();
        let apart = match &loss.unit {
            Unit::Owner(column) => format!("D replaced units of {column} apart"),
            Unit::Record if by_root => format!("at ℓ₂ distance D·{}", root(loss.footprint)),
            Unit::Record => "D replaced records apart".to_owned(),
            Unit::L1 => "at ℓ₁ distance D".to_owned(),
            Unit::L2 => "at ℓ₂ distance D".to_owned(),
        };
        let bound = match loss.is_concentrated() {
            false if loss.definition() == Definition::Approximate => {
                "by that law no release is more than e^(ε·D) times as likely from one as from the other"
            }
            false => "no release is more than e^(ε·D) times as likely from one as from the other",
            true if loss.is_at_integer_orders() => {
                "the Rényi divergence of every whole order α from 2 on between their releases is at most α·ρ·D², other orders may \
                 exceed that"
            }
            true => "the Rényi divergence of order α between their releases is at most α·ρ·D²",
        };
        writeln!(text, "  For {tables} {apart}: {bound}.")?;
        if by_root {
            writeln!(text, "  Replacing one record by another is ℓ₂ distance {} at most.", root(loss.footprint))?;
        }
        if let Some(owner) = &loss.owner {
            self.write_owner(text, owner)?;
        }
        let nearest = &loss.nearest;
        let pair = format!("{letter} = {}", number(nearest.amount.size()));
        writeln!(text, "  {}", nearest.in_words(&pair))?;
        let stated = loss.implied.as_ref().filter(|_| loss.walked != Some(Walked::Unknown));
        if let (Some(epsilon), Some(Implied { delta, .. })) = (&nearest.implied, stated) {
            let says = if nearest.noise.is_some() { "the law of the noise gives" } else { "this implies" };
            writeln!(text, "  For that pair {says} ε = {} at δ = {}.", epsilon.digits(), delta.digits())?;
        }
        if let Some(meaning) = loss.meaning() {
            writeln!(text, "  {}", meaning.sentence())?;
        }
        if self.keeps_totals() && !self.pinned {
            writeln!(
                text,
                "  The totals are published as they are: nothing is promised between tables with other totals."
            )?;
        }
        let (gamma, theorem, because) = (decimal(loss.gamma.to_f64()), loss.theorem.name(), &loss.because);
        let why = format!("(γ = {gamma}, theorem {theorem}): {because}.");
        match &loss.plain {
            None if loss.theorem == Theorem::G7 => writeln!(
                text,
                "  Projecting adds nothing to the loss {why}\n  No claim on the errors of the release: a projection is biased where counts are \
                 small, the law of its errors is not known, and no interval follows from it. `congenial compare` shows them on public data."
            )?,
            None if loss.theorem == Theorem::G11 => writeln!(
                text,
                "  What must hold adds nothing, whole numbers κ = {gamma} of the loss (theorem G11): {because}."
            )?,
            None if loss.is_at_integer_orders() => writeln!(text, "  What must hold adds nothing {why}")?,
            None if self.keeps_totals() => {
                writeln!(text, "  Keeping the totals adds nothing to the loss (γ = {}).", loss.gamma)?;
            }
            None => {}
            Some(plain) => {
                let [alone, with, plain] =
                    [plain.to_f64() / 2.0, loss.amount.size().to_f64(), plain.to_f64()].map(decimal);
                let charged = match loss.gamma < Rational::integer(1) {
                    true => format!("{with} with it, {plain} by the plain factor 2"),
                    false => format!("{plain} by the plain factor 2, which is what is charged"),
                };
                writeln!(text, "  What must hold adds to the loss {why}")?;
                writeln!(text, "  For the same noise: ε = {alone} without γ, {charged}.")?;
            }
        }
        writeln!(text, "  How near the truth comes to this {letter}: {}.", loss.attained.in_words())?;
        if loss.definition() == Definition::Approximate {
            return write_estimated(text, loss);
        }
        match self.exactness() {
            Exactness::Unproven => writeln!(
                text,
                "  Not certifiable: real-valued noise is for research on public data; the figures hold for ideal real numbers only."
            ),
            _ if self.is_projected() => {
                writeln!(text, "  The noise is drawn exactly, before it is projected: rounding adds {}.", loss.rounding)
            }
            _ => writeln!(text, "  Every draw is exact: rounding adds {}.", loss.rounding),
        }
    }
}

fn letter(loss: &Loss) -> &'static str {
    if loss.is_concentrated() { "ρ" } else { "ε" }
}

/// `√2`, or `2` when the root is whole.
fn root(squared: u64) -> String {
    let root = squared.isqrt();
    if root * root == squared { root.to_string() } else { format!("√{squared}") }
}

/// The noise of a cascade, level by level.
fn write_levels(text: &mut String, cascaded: &Cascaded) -> fmt::Result {
    let width = cascaded.levels.iter().map(|level| level.label.chars().count()).max().unwrap_or(0);
    writeln!(text, "  noise: discrete Gaussian, totals split from above")?;
    for level in &cascaded.levels {
        let (sums, variance) = (count(level.sums, "sum"), decimal(level.variance.to_f64()));
        writeln!(text, "    {:width$}  {sums} with σ² = {variance}, {} of ρ", level.label, number(&level.rho))?;
    }
    match &cascaded.ordered_by {
        Some(sha256) => writeln!(text, "  cells are ordered by a public table (SHA-256 {sha256})"),
        None => writeln!(
            text,
            "  cells are paired in the declared order; order_by = {{ path = …, value = … }} names a public table"
        ),
    }
}

/// How close a walk comes to its law, and how that is known.
fn write_walk(text: &mut String, planned: &PlannedBlock, walk: &PlannedWalk) -> fmt::Result {
    let (Exactness::Estimated { distance, percent }, Some(evidence)) = (planned.exactness(), &walk.evidence) else {
        return writeln!(text, "    how close it comes to its law is told by coupled chains, before a release");
    };
    writeln!(
        text,
        "    after {} its law is at most {} away (total variation), with {percent} % confidence",
        count(evidence.steps as usize, "step"),
        decimal(distance.to_f64())
    )?;
    let from = match evidence.starts {
        1 => "the noise is the same for every table".to_owned(),
        starts => format!("started from {starts} tables with the same public totals"),
    };
    writeln!(
        text,
        "    from {} pairs of chains in blocks of {}: {from}",
        evidence.pairs(),
        count(evidence.block as usize, "step")
    )?;
    writeln!(text, "    {}", assumption_in_words(evidence))
}

/// What the distance of walks from their laws costs.
fn write_estimated(text: &mut String, loss: &Loss) -> fmt::Result {
    let Some(estimated) = loss.estimated() else {
        return writeln!(text, "  A walk draws it: the δ that this costs is known when its chains have run.");
    };
    let [alpha, epsilon, delta] =
        [&estimated.distance, &estimated.epsilon, &estimated.delta].map(|value| decimal(value.to_f64()));
    let converted = match estimated.converted.is_positive() {
        true => format!("{} + ", decimal(estimated.converted.to_f64())),
        false => String::new(),
    };
    writeln!(
        text,
        "  The walk is only estimated to be within α = {alpha} of that law. It adds δ = {converted}α·(1 + e^ε) = {delta} at the \
         largest ε above, {epsilon} (theorem G5)."
    )?;
    writeln!(text, "  This is evidence, not proof.")
}

fn law(law: &NoiseLaw) -> String {
    let (formula, symbol) = law.family().formula;
    format!("{formula} with {symbol} = {}{}", number(law.parameter()), weighted(law))
}

/// The base measure, if there is one.
fn weighted(law: &NoiseLaw) -> String {
    law.base().map_or(String::new(), |base| format!(";\n    tables are weighted by {}", base.in_words()))
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
                && group.first.operator() == planned.operator()
                && group.first.exactness() == planned.exactness()
                && group.first.run_time() == planned.run_time()
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
    match &planned.block.structure {
        Structure::Linked { by } if by.iter().any(|tie| tie == ONE_NORM) => "under one norm",
        Structure::Linked { by } if by.iter().any(|tie| tie == LEVELS) => "level by level",
        Structure::Linked { by } if by.iter().any(|tie| tie == SPLITS) => "split from above",
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
        let operator = self.first.operator();
        let exactness = self.first.exactness().name();
        let kind = kind(self.first);
        let blocks = count(self.blocks, "block");
        // Of a projection only the noise before it is drawn, and so exact.
        let noise = if self.first.planned_projection().is_some() { " noise" } else { "" };
        let run_time = self.first.run_time();
        write!(f, "{blocks} of {cells} {kind}{each}: {operator}, {exactness}{noise}; run time {run_time}")
    }
}
