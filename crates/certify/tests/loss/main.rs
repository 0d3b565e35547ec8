//! What losses add up to, what they mean, and what several releases disclose together.

mod amounts;
mod composed;
mod joined;
mod meaning;
mod reference;
