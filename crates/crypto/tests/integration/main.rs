//! Kernels against their definitions, and their times.

mod constant_time;
mod ot_kernels;
mod silent_ot;
