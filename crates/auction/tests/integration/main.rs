//! Both servers over real sockets: regular auctions, bad input, crashes and restored databases.

mod bad_input;
mod browser;
mod clocks;
mod crash;
mod live;
mod pair;
mod receipts;
mod restored;
mod service;
