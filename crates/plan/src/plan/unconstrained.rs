//! `method = "unconstrained"`: noise is added, and nothing is kept.

use super::by_blocks::by_blocks;
use crate::planned::ReleaseMethod;
use declare::Method;

pub(super) static UNCONSTRAINED: ReleaseMethod = ReleaseMethod {
    keeps: false,
    ..ReleaseMethod::new(Method::Unconstrained, "noise is added, and nothing is kept exact", by_blocks)
};
