//! Noise laws and samplers: one file per sampler, behind one trait.
//!
//! ```text
//! operator.rs     the trait: attempts a task, answers with planned work or why not
//! planned.rs      planned work, and blocks that are ready to be drawn
//! operators/      the operators of this version, one file each
//! sampler.rs      samplers of noise: summaries up, totals down, slices
//! noise.rs        the same, chosen at run time
//! independent.rs  free cells
//! closed_form.rs  double geometric, one total
//! messages.rs     discrete Gaussian, one total
//! divide.rs       two-way grids: every row sum and every column sum
//! enumerate.rs    fibres of few tables: any law
//! klein.rs        discrete Gaussian, any lattice
//! mixture.rs      weight e^{−ε'‖z‖₂}, any lattice
//! thin.rs         double geometric, lattices of small dimension
//! reject.rs       any of these under bounds that seldom bind: again until they hold
//! measured.rs     independent noise on cells and sums, for projections
//! continuous.rs   real-valued twins, research only
//! quantities.rs   exact laws of cells and sums, for reading; block_quantities.rs those of one block
//! listing.rs      what listing these laws takes, and which are listed
//! table.rs        all blocks of a table, in parallel
//! stream.rs       the same noise in cell order, for tables that are never in memory whole
//! portions.rs     such tables where the law depends on the counts
//! ```

mod block_quantities;
mod closed_form;
mod continuous;
mod divide;
mod drawn;
mod enumerate;
mod exactness;
mod independent;
mod integer_law;
mod kept;
mod klein;
mod lattice_noise;
pub mod law;
mod listing;
mod measured;
mod messages;
mod mixture;
mod network;
mod noise;
mod operator;
pub mod operators;
mod planned;
mod portions;
mod quantities;
mod reject;
mod remembered;
mod sampler;
mod stream;
mod sums;
mod table;
mod table_list;
mod tasks;
mod thin;

pub use block_quantities::{BlockQuantities, NotAvailable, QuerySum};
pub use closed_form::ClosedForm;
pub use continuous::{draw_reals, gaussian, laplace, measure_reals};
pub use divide::{BoundedDivide, BoundedShape, Divide, MOST_ATTEMPTS};
pub use drawn::Drawn;
pub use enumerate::{BlockEnergy, Enumerate};
pub use exactness::Exactness;
pub use independent::Independent;
pub use integer_law::Law;
pub use kept::KeepingKey;
pub use klein::{Klein, LEAST_ACCEPTANCE};
pub use law::{Base, Growth, LawFamily, NoiseLaw};
pub use listing::Listing;
pub use measured::{Measured, Measurement, measure};
pub use messages::{Messages, SumLaw};
pub use mixture::Mixture;
pub use network::{NetworkQuantities, NetworkSampler, TableNoise};
pub use noise::Noise;
pub use operator::{LEVELS, ONE_NORM, OTHERS_DRAW, Operator, Role, Task, Turn, WEIGHTED, all, crossing, tied};
pub use planned::{Around, PlannedNoise, PlannedWork, Prospect, Ready};
pub use portions::{PortionStream, Portions, Visit};
pub use quantities::{Quantities, listed, quantities};
pub use reject::{Reject, Relaxed};
pub use sampler::{Sampler, Summary};
pub use stream::{BlockRange, Streamed, TableStream};
pub use sums::{CellNoise, ClassLaw, Factor, Ladder, Message, Precision, coin, rounded_up};
pub use table::{BlockDraw, TableSampler, bytes_of_draw, bytes_of_draws, draw_table};
pub use tasks::{NoiseTasks, Piece, TaskNumbers};
pub use thin::Thin;
