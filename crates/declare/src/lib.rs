//! Schema, hierarchy, invariants, constraints and mechanism: from a spec file to a validated
//! `Declaration`.
//!
//! Everything in this room is public: it never sees the interior of the table, so its errors may be
//! published.
//!
//! [`Declaration::load`] reads a spec with the public domain files it names;
//! [`Declaration::domain`] numbers its live cells; [`Declaration::conditions`] turns invariants,
//! rules and queries into one group per cell; [`Declaration::to_toml`] writes the canonical spec,
//! which needs no other file; [`Declaration::output_rows`] says what the derived tables sum.

mod base;
mod canonical;
mod columns;
mod conditions;
mod dates;
mod declaration;
mod domain;
mod field;
mod fold;
mod grouping;
mod hierarchy;
mod invariant;
mod levels;
mod limits;
mod matrix;
mod nearest;
mod number;
mod order;
mod outputs;
mod pinned;
mod predicate;
mod problem;
mod reader;
mod rules;
mod run_time;
mod schema;
mod secrets;
mod spec;
mod vocabulary;
mod words;
mod zeros;

pub use base::{BaseCells, BaseFactor, BaseLaw, BaseMeasure};
pub use canonical::{toml_key, toml_string};
pub use columns::{Column, Labels};
pub use conditions::{Conditions, Footprint, QueryRows};
pub use dates::{DateFormat, Day, Period, read_day};
pub use declaration::{
    Budget, Constraints, Data, Declaration, Disclosure, Duplicates, Encoding, Figure, Mechanism, Method, Negative,
    Noise, Output, Part, Per, Policy, Query, Relation, Rule, Side, Strength,
};
pub use domain::{Cell, Domain, MOST_CELLS, Walk};
pub use field::{Change, Field, FieldReader};
pub use fold::{Fold, MOST_STREAMED};
pub use grouping::{Grouping, NO_GROUP};
pub use hierarchy::{Levels, LevelsFault};
pub use invariant::{Invariant, MatrixEntry, MatrixRow, PinnedValue, Sums, Term};
pub use limits::{LARGEST_LIMITS, Limits, MEMORY_UNITS, TIME_UNITS};
pub use nearest::nearest;
pub use number::Number;
pub use order::Order;
pub use outputs::OutputRows;
pub use predicate::{Comparison, Expression, Literal, NotANumber, Resolved, RowPredicate, UnknownColumn};
pub use problem::{Kind, Place, Problem};
pub use reader::ValueReader;
pub use rules::RuleRows;
pub use run_time::RunTime;
pub use schema::{Cleaning, Dimension, Holds, Record, Schema, Values};
pub use secrets::{
    DeclaredWorld, FAMILIES, Family, LARGEST_WORLD_COUNT, MOST_DEPENDENT_RECORDS, MOST_WORLD_COUNTS, MOST_WORLDS,
    Secrets,
};
pub use spec::{
    CheckPublic, Choice, Earlier, EarlierRelease, LARGEST_FILE, LEDGER_SCHEMES, MOST_ROWS_PER_UNIT, MissingValue,
    OTHER_ENDINGS, Outside, OutsideBounds, PublicTable, PublicTables, REVIEW, Regression, SPEC_KEYS, TEXT_ENDINGS,
    Variable, believe, is_unseen,
};
pub use vocabulary::{GIVEN, SamplerWord, Vocabulary, vocabulary};
