//! The ledger as callers see it, on SQLite and, where there is a server, on PostgreSQL.

mod child;
mod crash;
mod damage;
mod encrypted;
mod heads;
mod housekeeping;
mod obstacles;
mod parts;
mod people;
mod places;
mod race;
mod recognise;
mod recovery;
mod roles;
mod scene;
mod server;
mod spend;
mod tamper;
mod versions;
