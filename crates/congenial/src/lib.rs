//! The whole path from spec to certified release as one short function.
