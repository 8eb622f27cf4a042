//! `tacit-auction`: auctions with sealed bids.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(tacit_auction::execute(std::env::args().skip(1).collect()))
}
