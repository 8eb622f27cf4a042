//! Sessions among n parties over loopback.

mod builds;
mod site;
mod stored;
