//! Prepared runs in a store: what a run's entries are bound to. The store itself is the crate `tacit-store`.

mod binding;

pub use binding::binding;
pub(crate) use binding::nothing_left;
pub use tacit_store::{Binding, Claim, Damage, PoolId, PoolStatus, Step, Store, StoreError};
