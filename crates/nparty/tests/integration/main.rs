//! Sessions among n parties over loopback.

mod site;
mod stored;
