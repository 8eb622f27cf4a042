//! Both servers over real sockets, and whatever may come their way.

mod bad_input;
mod browser;
mod clocks;
mod crash;
mod live;
mod pair;
mod receipts;
mod restored;
mod service;
