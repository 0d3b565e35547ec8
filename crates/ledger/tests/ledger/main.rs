//! The ledger as callers see it, on SQLite and, where there is a server, on PostgreSQL.

mod child;
mod crash;
mod damage;
mod obstacles;
mod parts;
mod people;
mod race;
mod recognise;
mod scene;
mod server;
mod spend;
mod tamper;
