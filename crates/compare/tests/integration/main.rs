//! Both servers in one thread, with toy keys.

mod fischlin;
mod masked;
mod pair;
mod refusals;
mod relations;
mod submissions;
#[path = "../../../ot/tests/integration/tap/mod.rs"]
mod tap;
mod views;
