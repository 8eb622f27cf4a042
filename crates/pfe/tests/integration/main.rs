//! Both parties of each protocol over a channel.

mod entries;
mod faults;
mod half_elgamal;
mod katz_malka;
mod katz_malka_faults;
mod katz_malka_views;
mod parties;
mod re_executable;
mod tampered;
mod views;
