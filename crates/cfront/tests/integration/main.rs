//! C to programs: agreement with native runs, errors, conditions, interfaces.

mod agreement;
mod checks;
mod errors;
mod float_operations;
mod interface;
mod languages;
mod native;
mod random_programs;
