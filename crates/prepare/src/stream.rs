//! The draw of a prepared table, whole or streamed: a table that is never in memory is read and
//! drawn portion by portion.

use crate::prepared::Prepared;
use crate::sampling::{Sampling, sampling_once};
use declare::Problem;
use draw::{Drawn, KeepingKey, PortionStream, Streamed, TableStream};
use exact::{Source, SystemEntropy};
use plan::Case;
use publish::no_draw;
use tabulate::read_again;

/// How many cells are in memory at a time, besides the noise that is drawn ahead.
const PORTION_CELLS: usize = 1 << 16;

impl Prepared {
    /// Draws the table in memory.
    pub fn draw<S: Source>(&self, source: &S, drawing: &(dyn Fn(u64) + Sync)) -> Result<Drawn<S>, Problem> {
        self.with_sampling(|sampling| sampling.draw(source, drawing))
    }

    /// Draws around the table, or around what stands in for it.
    fn with_sampling<T>(&self, draw: impl FnOnce(Sampling<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
        let stand_in = zeroize::Zeroizing::new(self.stand_in()?.unwrap_or_default());
        let counts = if stand_in.is_empty() { self.counts() } else { &stand_in };
        let noisy = self.noisy_sums_of(counts)?;
        draw(sampling_once(&self.plan, counts, &noisy)?)
    }

    /// Draws the table of a release that was paid for: what is drawn is kept before anything else
    /// is done with it.
    pub fn draw_kept(
        &self,
        source: &SystemEntropy,
        drawing: &(dyn Fn(u64) + Sync),
        key: &KeepingKey,
        keep: &mut dyn FnMut(&[u8]),
    ) -> Result<Drawn<SystemEntropy>, Problem> {
        self.with_sampling(|sampling| sampling.draw_kept(source, drawing, key, keep))
    }

    /// Reads the data a second time and hands on the counts with their noise, in cell order.
    ///
    /// # Errors
    /// Also when the data are not those of the first reading. What was handed on must then be
    /// thrown away.
    pub fn stream<S: Source>(
        &self,
        source: &S,
        drawing: &(dyn Fn(u64) + Sync),
        visit: &mut dyn FnMut(&[i64]) -> Result<(), Problem>,
    ) -> Result<Streamed<S>, Problem> {
        let opened = self.opened();
        let (Some(fold), Some(first)) = (&opened.fold, &self.analysed.first_reading) else {
            return Err(Problem::refused("this table was read into memory and is not streamed"));
        };
        // No block would be drawn, so the confidential counts would be handed on as they are.
        if self.plan.is_suppressed() {
            return Err(no_draw());
        }
        let read = |portion: &mut dyn FnMut(&mut [i64]) -> Result<(), Problem>| {
            let Case { declaration, domain, .. } = &opened.case;
            read_again(opened.reading(), declaration, domain, opened.origin(), first, PORTION_CELLS, portion)
        };
        if let Some(portions) = self.plan.portions(self.counts(), source)? {
            let mut stream = PortionStream::new(portions, source, drawing);
            read(&mut |counts| stream.add(counts, visit))?;
            return stream.finish(visit);
        }
        let blocks = self.plan.ranges(fold)?;
        let mut stream = TableStream::new(&self.plan.law, &blocks, opened.domain.len(), source, drawing)?;
        read(&mut |counts| {
            stream.add(counts)?;
            visit(counts)
        })?;
        stream.finish()
    }
}
