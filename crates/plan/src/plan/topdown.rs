//! `method = "topdown"`: noise is drawn freely, and nearest tables are found level by level.

use super::project::projecting;
use crate::planned::ReleaseMethod;
use declare::Method;

pub(super) static TOPDOWN: ReleaseMethod = ReleaseMethod { by_levels: true, ..projecting(Method::TopDown) };
