//! The plan of a suppressed release as text: what is published, what that discloses, and that
//! nothing is drawn.

use crate::planned::Plan;
use std::fmt::{self, Write};

impl Plan {
    /// All but the title.
    pub(super) fn write_suppressed(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "\nAll that is published")?;
        self.write_kept(text)?;
        writeln!(text, "\nDisclosed by it")?;
        self.write_disclosed(text)?;
        writeln!(text, "\nHow it is drawn")?;
        writeln!(text, "  nothing is drawn: method = \"suppress\" publishes the exact totals and no cell")?;
        writeln!(text, "\nWhat it costs")?;
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
}
