//! What a planned release would tell of a secret, and how that grows with what is assumed: a curve.

use crate::prepared::Prepared;
use certify::CertifiedSecrets;
use declare::{Declaration, Family, Problem, Secrets};
use exact::Rational;
use report::chart::{Axis, Chart, Series, Shape};
use std::collections::BTreeSet;

/// Curves of families with more records than this have fewer points.
const MANY_RECORDS: u32 = 2_000;

/// How the loss about a secret grows with what the family assumes.
#[derive(Debug, Clone, PartialEq)]
pub struct InflationCurve {
    /// What is varied, in words.
    pub across: &'static str,
    /// The column of what is varied.
    column: &'static str,
    /// What is varied, the loss, and the loss as a multiple of that of one record.
    pub points: Vec<(Rational, String, String)>,
    /// Where the spec stands on the curve.
    pub declared: Rational,
}

impl Prepared {
    /// What the release would tell of a secret, where the spec declares a family of laws.
    ///
    /// # Errors
    /// Bad when the family does not fit the table.
    pub fn secrets(&self) -> Result<Option<CertifiedSecrets>, Problem> {
        self.secrets_of(&self.opened().declaration)
    }

    fn secrets_of(&self, declaration: &Declaration) -> Result<Option<CertifiedSecrets>, Problem> {
        let opened = self.opened();
        certify::secrets(declaration, &opened.case, &self.analysed.totals, &self.plan)
    }

    /// The curve of the declared family: how the loss grows with the dependence of yes or no
    /// records or of normal values, and otherwise with how far the family may be mistaken.
    ///
    /// # Errors
    /// Bad when no family is declared or it does not fit the table; refused when nothing is stated
    /// about it.
    pub fn inflation(&self) -> Result<InflationCurve, Problem> {
        let mut declaration = self.opened().declaration.clone();
        let Some(secrets) = declaration.secrets.clone() else {
            return Err(Problem::bad("the spec declares no [secrets], so there is no inflation to draw")
                .hint("add a section [secrets] with family = \"independent\", \"binary\", \"normal\" or \"finite\""));
        };
        if let Some(reason) = self.secrets()?.and_then(|stated| stated.not_stated) {
            return Err(Problem::refused(format!("there is no curve to draw: nothing is stated, because {reason}")));
        }
        let (across, column, declared, varied) = varied(&secrets);
        let mut points = Vec::with_capacity(varied.len());
        for (at, secrets) in varied {
            declaration.secrets = Some(secrets);
            let stated = self.secrets_of(&declaration)?;
            let loss = stated.as_ref().and_then(|stated| stated.epsilon.clone().or(stated.rho.clone()));
            if let (Some(loss), Some(inflation)) = (loss, stated.and_then(|stated| stated.inflation)) {
                points.push((at, loss, inflation));
            }
        }
        Ok(InflationCurve { across, column, points, declared })
    }
}

/// What is varied, its column, where the spec stands, and the families along the curve.
#[allow(clippy::type_complexity)]
fn varied(secrets: &Secrets) -> (&'static str, &'static str, Rational, Vec<(Rational, Secrets)>) {
    let steps = |from: &Rational, to: &Rational, parts: u32, declared: &Rational| -> BTreeSet<Rational> {
        let step = &(to - from) / &Rational::integer(parts);
        let even = (0..=parts).map(|part| from + &(&step * &Rational::integer(part)));
        even.chain([declared.clone()]).collect()
    };
    let (zero, one, two) = (Rational::integer(0), Rational::integer(1), Rational::integer(2));
    let of = |family: Family| Secrets { family, mistaken: secrets.mistaken.clone() };
    match &secrets.family {
        Family::Binary { records, least, most, any_dependence } => {
            let middle = &(least + most) / &two;
            let widest = &middle.clone().min(&one - &middle) * &two;
            let parts = if *records > MANY_RECORDS { 10 } else { 40 };
            let at = |spread: Rational| {
                let half = &spread / &two;
                let (least, most) = (&middle - &half, &middle + &half);
                (spread, of(Family::Binary { records: *records, least, most, any_dependence: *any_dependence }))
            };
            let declared = most - least;
            let all = steps(&zero, &widest, parts, &declared).into_iter().map(at).collect();
            ("z1 - z0: how far one record moves the probability of another", "spread", declared, all)
        }
        Family::Normal { correlation, .. } => {
            let at = |at: Rational| {
                let mut family = secrets.family.clone();
                if let Family::Normal { correlation, .. } = &mut family {
                    correlation.clone_from(&at);
                }
                (at, of(family))
            };
            let all = steps(&zero, &Rational::new(99, 100u32), 99, correlation).into_iter().map(at).collect();
            ("correlation of two values", "correlation", correlation.clone(), all)
        }
        Family::Independent | Family::Finite { .. } => {
            let at = |mistaken: Rational| (mistaken.clone(), Secrets { family: secrets.family.clone(), mistaken });
            let declared = secrets.mistaken.clone();
            let most = (&declared * &two).max(one);
            let all = steps(&zero, &most, 20, &declared).into_iter().map(at).collect();
            ("how far the truth may be from the family (mistaken)", "mistaken", declared, all)
        }
    }
}

impl InflationCurve {
    /// The curve as CSV.
    pub fn csv(&self) -> String {
        let mut text = format!("{},loss,inflation\n", self.column);
        for (at, loss, inflation) in &self.points {
            let at = at.to_decimal_exact().unwrap_or_else(|| format!("{}", at.to_f64()));
            text += &format!("{at},{loss},{inflation}\n");
        }
        text
    }

    /// The curve as a picture.
    pub fn svg(&self, title: &str) -> String {
        let points: Vec<(f64, f64)> = self
            .points
            .iter()
            .filter_map(|(at, _, inflation)| Some((at.to_f64(), inflation.parse::<f64>().ok()?)))
            .collect();
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
        };
        let (left, right) = ends(&mut points.iter().map(|point| point.0));
        let (_, top) = ends(&mut points.iter().map(|point| point.1));
        let here: Vec<(f64, f64)> = points.iter().copied().filter(|point| point.0 == self.declared.to_f64()).collect();
        let chart = Chart {
            label: title,
            size: (640.0, 320.0),
            across: Axis::linear(self.across, left, right),
            up: Axis::linear("loss, in losses of one record", 0.0, top),
            series: vec![
                Series::named("c0", "inflation", Shape::Line(points)),
                Series::named("c1", "as declared", Shape::Dots(here)),
            ],
        };
        chart.file()
    }
}
