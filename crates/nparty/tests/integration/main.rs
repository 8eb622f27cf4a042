//! Sessions among n parties over loopback.

mod builds;
mod dgk;
mod site;
mod stored;
