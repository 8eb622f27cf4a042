use serde::Serialize;
use tacit_schedule::Schedule;

use crate::{Garbling, Lattices, Mode, Parties, SecurityParams, TransferExtension};

/// The hashed fields, in this order, as encoded by postcard.
#[derive(Serialize)]
struct Hashed<'a> {
    build: [u8; 32],
    program: &'a [u8; 32],
    schedule: &'a Schedule,
    mode: Mode,
    garbling: Garbling,
    transfers: TransferExtension,
    lattices: &'a Lattices,
    security: &'a SecurityParams,
    parties: &'a Parties,
}

/// The hash of a plan; `build` is that of the engine that runs it ([`crate::Prices::build`]).
pub(crate) fn hash(
    build: [u8; 32],
    program: &[u8; 32],
    schedule: &Schedule,
    mode: Mode,
    (garbling, transfers, lattices): (Garbling, TransferExtension, &Lattices),
    security: &SecurityParams,
    parties: &Parties,
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 plan, version 6");
    let hashed = Hashed { build, program, schedule, mode, garbling, transfers, lattices, security, parties };
    postcard::to_io(&hashed, &mut hasher).expect("a hasher takes any bytes, and all lengths are known");
    *hasher.finalize().as_bytes()
}
