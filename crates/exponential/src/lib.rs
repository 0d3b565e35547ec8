//! Exponential mechanisms on bounded spaces: draws that have exactly the law they name, and what
//! their run time tells.
//!
//! The mechanism is `∝ e^{−εL(y)/2Δ}` on a finite space: a list, or the points of a cube or of an
//! ℓ₁ ball on a grid. A chain that is stopped early is not ε-differentially private; nothing here
//! is stopped early. Exponents are fractions, coins are lazy comparisons: no floating-point number
//! decides a draw.
//!
//! ```text
//! space.rs       the points, how many there are, a uniform one
//! target.rs      the law: a log-weight with bounds; listed.rs is a law on few points
//! rejection.rs   a point, a coin; attempts of several kinds take turns
//! enumerate.rs   one point of a list by its weight
//! atom.rs        a chain with an artificial atom, cut at a geometric time (Algorithms 1 and 2 of Seeman)
//! factory.rs     a coin of C·p from coins of p, where p is unknown
//! net.rs         public points with a weight of their own in the base measure
//! padding.rs     a number of tries whose law is the same for every table
//! selection.rs   mechanism: one of several candidates
//! mean.rs        mechanism: a mean in the unit cube
//! ridge.rs       mechanism: ridge regression by the norm of its gradient; moments.rs is what it knows of the data, ridge_draw.rs draws
//! gradient.rs    attempts that draw the gradient and solve for the coefficients
//! shells.rs      attempts around the constrained optimum; simplex.rs guesses where that is, reduced.rs the coordinates
//! chosen.rs      a draw that knows where its bits came from
//! ```

mod atom;
mod chosen;
mod enumerate;
mod factory;
mod gradient;
mod listed;
mod mean;
mod moments;
mod net;
mod padding;
mod reduced;
mod rejection;
mod ridge;
mod ridge_draw;
mod selection;
mod shells;
mod simplex;
mod space;
mod target;

pub use atom::{Atom, Tour};
pub use chosen::{Chosen, Exactness};
pub use declare::RunTime;
pub use enumerate::{Enumerate, MOST_LISTED};
pub use factory::{Factory, Tossed};
pub use gradient::Gradient;
pub use listed::Listed;
pub use mean::Mean;
pub use moments::{Moments, Scaling};
pub use net::Net;
pub use padding::{MOST_SUMMED, Padding};
pub use rejection::{Attempt, Drawn, Uniform, draw, in_turns};
pub use ridge::{Ridge, RidgeSettings};
pub use selection::Selection;
pub use shells::Shells;
pub use space::Space;
pub use target::Target;
