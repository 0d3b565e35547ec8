//! `method = "condition"`: noise is drawn from its conditional distribution given what must hold.

use super::by_blocks::by_blocks;
use crate::planned::ReleaseMethod;
use declare::Method;

pub(super) static CONDITION: ReleaseMethod = ReleaseMethod {
    conditions: true,
    ..ReleaseMethod::new(Method::Condition, "noise is drawn given that the totals stay exact", by_blocks)
};
