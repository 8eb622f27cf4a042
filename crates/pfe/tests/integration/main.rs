//! Both parties of each protocol over a channel.

mod faults;
mod half_elgamal;
mod parties;
mod re_executable;
mod views;
