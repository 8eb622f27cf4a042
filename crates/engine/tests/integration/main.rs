//! Sessions between two parties over loopback.

mod bad_input;
mod builds;
mod cancelling;
mod disagreement;
mod faults;
mod kept_generations;
mod kept_shares;
mod lengths;
mod links;
mod live_kept;
mod live_sessions;
mod loopback;
mod mixed_domains;
mod mixed_store;
mod open_guests;
mod open_kept;
mod open_sessions;
mod operations;
mod outside_roles;
mod parameters;
mod prepared_store;
mod random_programs;
mod reuse;
mod store_kill;
mod thousand_runs;
mod wide_programs;
