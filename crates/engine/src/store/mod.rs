//! Prepared runs in a store: the binding of a run's entries, and how two parties fill stores and spend from them in step. The store itself is the crate `tacit-store`.

mod binding;
pub(crate) mod constants;
pub(crate) mod offer;
pub(crate) mod settle;

pub use binding::binding;
pub(crate) use binding::{hex, nothing_left, told};
pub use tacit_store::{Binding, Claim, Damage, PoolId, PoolStatus, Step, Store, StoreError};
