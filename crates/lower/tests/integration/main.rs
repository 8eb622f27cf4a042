//! Programs and their schedules compute the same.

mod compiled;
mod depth;
mod files;
mod golden;
mod limits;
mod long;
mod operations;
mod pieces;
mod plain_evaluator;
mod programs;
mod tiles;
mod walks;
mod whole;
