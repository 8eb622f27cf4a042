//! The registers of x86-64.

mod m128;
mod m256;
mod m512;
