//! Identities.
