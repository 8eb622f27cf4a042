//! Kernels against their definitions, and their times.

mod constant_time;
mod silent_ot;
