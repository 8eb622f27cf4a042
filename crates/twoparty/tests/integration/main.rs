//! Both ends of every protocol in one thread.

mod faults;
mod harness;
mod labels;
mod shares;
mod silent;
#[path = "../../../ot/tests/integration/tap/mod.rs"]
mod tap;
mod views;
mod yao;
