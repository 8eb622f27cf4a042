//! Links between parties, over every transport and with every fault.

mod contract;
mod ends;
mod faults;
mod session;
mod shaping;
mod strangers;
mod violations;
