//! Material that is prepared and kept on disk between processes: random bits, and masks with their bits.
//!
//! Each party has a store of its own ([`tacit_store`]). Material is bound to the parties with their keys, the threshold, the field, this
//! party, and the kind of material. When a session begins, the parties tell each other what they hold (`agree.rs`). The session may use the
//! entries of a preparation that all have and none has marked as spent. The first task takes entries in the order of their numbers, so all
//! parties take the same; each marks an entry durably before it reads it.
//!
//! A store keeps shares, not the keys of pseudorandom sharing, which are fresh in each session; so no position is drawn from twice. Products need no
//! preparation: their masks and double sharings come from pseudorandom sharing without a message, or are dealt as soon as a product is written.

pub(crate) mod agree;
pub(crate) mod material;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tacit_crypto::Prg;
use tacit_math::field::Field;
use tacit_net::Session;
use tacit_net::keys::PublicKey;
use tacit_net::session::{Build, Party};
use tacit_store::{Binding, PoolId, Step, Store, StoreError, Stretch};
use zeroize::Zeroizing;

use agree::{CommonMaterial, HeldMaterial, Holdings};
pub(crate) use material::Material;

use crate::error::{RunError, UsageError};
use crate::parties::PartyIndex;
use crate::scheme::Scheme;

/// The computation to which material is bound.
pub(crate) struct StoreContext {
    names: Vec<String>,
    me: PartyIndex,
    threshold: usize,
    /// Statistical security in bits, which conversions between fields have when material is made.
    statistical_bits: usize,
    /// The field's order, most significant digit first, in hexadecimal.
    order: String,
    keys: Vec<PublicKey>,
    /// This build: material of another build is not used.
    build: Build,
}

impl StoreContext {
    /// The context of a party of a computation in this build; `parties` are all of them.
    ///
    /// Errors: a party has no key in the session.
    pub(crate) fn new<F: Field>(
        (scheme, statistical_bits): (&Scheme<F>, usize),
        me: PartyIndex,
        names: &[String],
        parties: &[Party],
        build: Build,
    ) -> Result<StoreContext, RunError> {
        let missing = |name: &String| UsageError::NoKey { party: name.clone() };
        let key = |name: &String| {
            let party = parties.iter().find(|party| party.name == *name);
            party.and_then(|party| party.key).ok_or_else(|| missing(name))
        };
        let keys = names.iter().map(key).collect::<Result<_, _>>()?;
        let order: Vec<_> = scheme.field().order().iter().rev().map(|limb| format!("{limb:016x}")).collect();
        let order = order.concat().trim_start_matches('0').to_owned();
        Ok(StoreContext {
            names: names.to_vec(),
            me,
            threshold: scheme.threshold(),
            statistical_bits,
            order,
            keys,
            build,
        })
    }

    fn binding(&self, material: Material) -> Binding {
        let kind = material.to_string();
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 pool of shares among parties, version 2");
        let mut add = |text: &[u8]| {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text);
        };
        for number in [self.names.len(), self.threshold, self.me, self.statistical_bits] {
            add(&(number as u64).to_le_bytes());
        }
        add(self.order.as_bytes());
        for (name, key) in self.names.iter().zip(&self.keys) {
            add(name.as_bytes());
            add(&key.to_bytes());
        }
        add(kind.as_bytes());
        add(&self.build.hash());
        let description = serde_json::json!({
            "party": self.names[self.me],
            "parties": self.names,
            "keys": self.keys.iter().map(PublicKey::to_string).collect::<Vec<_>>(),
            "threshold": self.threshold,
            "statistical_bits": self.statistical_bits,
            "order": format!("0x{}", self.order),
            "entry": material.lanes(),
            "release": self.build.release(),
            "layout": self.build.hash().iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        });
        let pool = PoolId(*hasher.finalize().as_bytes());
        Binding { pool, kind, description: description.to_string() }
    }

    /// The kinds of material that a store has for this computation.
    ///
    /// Errors: [`StoreError::Elsewhere`] if all ready material was made for another one.
    fn kinds(&self, store: &Store) -> Result<Vec<Material>, StoreError> {
        let (mut ours, mut other) = (Vec::new(), None);
        for pool in store.list() {
            let Ok(material) = pool.binding.kind.parse::<Material>() else { continue };
            match self.binding(material).pool == pool.pool {
                true => ours.push(material),
                false if pool.ready > 0 => other = Some(pool.binding.description),
                false => {}
            }
        }
        match other {
            Some(found) if ours.is_empty() => {
                let wanted = self.binding(Material::Bits).description;
                Err(StoreError::Elsewhere { path: store.folder().to_owned(), found, wanted })
            }
            _ => Ok(ours),
        }
    }
}

/// Material of one kind in a session.
#[derive(Default)]
struct StoredPool {
    /// The next number to assign, the same at all parties.
    next: u64,
    /// Entries that all parties have and this session has not used.
    usable: VecDeque<Stretch>,
}

impl StoredPool {
    fn count(&self) -> u64 {
        self.usable.iter().map(|stretch| stretch.count).fold(0, u64::saturating_add)
    }

    fn pop(&mut self) -> Option<Stretch> {
        let stretch = self.usable.front_mut()?;
        let one = Stretch { count: 1, ..*stretch };
        (stretch.first, stretch.count) = (stretch.first + 1, stretch.count - 1);
        if stretch.count == 0 {
            self.usable.pop_front();
        }
        Some(one)
    }
}

/// A party's store in a session: a pool of each kind of material.
pub(crate) struct StoredPools(Mutex<StoreState>);

struct StoreState {
    /// Present until the party leaves.
    store: Option<Store>,
    context: StoreContext,
    /// Identifies what is made in this session.
    session: [u8; 32],
    pools: BTreeMap<Material, StoredPool>,
}

impl StoreState {
    fn store(&mut self) -> Result<&mut Store, RunError> {
        self.store.as_mut().ok_or(RunError::Over)
    }
}

/// The material that a program may still take from its party's store, the same at all parties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Random bits.
    pub bits: u64,
    /// Masks of comparisons.
    pub comparisons: u64,
    /// Masks by their number of bits.
    pub masks: Vec<(usize, u64)>,
}

/// Entries that were taken from a store, and are marked as spent there.
pub(crate) struct Taken {
    /// The number of the first.
    pub(crate) first: u64,
    /// Their bytes. Secret.
    pub(crate) entries: Vec<Zeroizing<Vec<u8>>>,
}

impl StoredPools {
    /// Agrees with the other parties on what may be used. If a party has no store, it takes part, and then no store is
    /// used.
    ///
    /// Errors: the store was filled for another computation, or its files are damaged; a peer's list is invalid.
    pub(crate) async fn open(
        store: Option<(Store, StoreContext)>,
        session: &Session,
        (names, me): (&[String], PartyIndex),
    ) -> Result<Option<StoredPools>, RunError> {
        let mut ours = Holdings::default();
        Prg::from_os().map_err(|_| RunError::Entropy)?.fill_bytes(&mut ours.nonce);
        if let Some((store, context)) = &store {
            ours.kinds = context.kinds(store)?.into_iter().map(|kind| held(store, context, kind)).collect();
        }
        let all = agree::exchange(session, names, me, ours.told()).await?;
        let Some((store, context)) = store else { return Ok(None) };
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 session of kept shares, version 1");
        all.iter().for_each(|holdings| {
            hasher.update(&holdings.nonce);
        });
        let pool = |(material, common): (Material, CommonMaterial)| {
            (material, StoredPool { next: common.next, usable: common.ready.into() })
        };
        let pools = agree::common(&all).into_iter().map(pool).collect();
        let session = *hasher.finalize().as_bytes();
        Ok(Some(StoredPools(Mutex::new(StoreState { store: Some(store), context, session, pools }))))
    }

    fn state(&self) -> MutexGuard<'_, StoreState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of entries of a kind that may be taken.
    pub(crate) fn usable(&self, material: Material) -> u64 {
        self.state().pools.get(&material).map_or(0, StoredPool::count)
    }

    /// All kinds with available material, and how many bits or masks there are of each.
    pub(crate) fn all_usable(&self) -> Vec<(Material, u64)> {
        let state = self.state();
        let count =
            |(material, pool): (&Material, &StoredPool)| (*material, pool.count() * material.lanes() as u64);
        state.pools.iter().map(count).filter(|(_, count)| *count > 0).collect()
    }

    /// Takes this many entries, if there are enough; they are durably marked as spent when this returns.
    ///
    /// Errors: the store cannot be written, or an entry is damaged.
    pub(crate) fn take(&self, material: Material, count: usize) -> Result<Option<Taken>, RunError> {
        let mut state = self.state();
        let binding = state.context.binding(material);
        let Some(pool) = state.pools.get_mut(&material).filter(|pool| pool.count() >= count as u64) else {
            return Ok(None);
        };
        let chosen: Vec<_> = (0..count).map_while(|_| pool.pop()).collect();
        let Some(first) = chosen.first().map(|entry| entry.first) else { return Ok(None) };
        let store = state.store()?;
        let mut entries = Vec::with_capacity(count);
        for entry in chosen {
            let claim = store.claim(&binding, entry.first)?;
            let claim = claim.filter(|claim| (claim.number, claim.batch) == (entry.first, entry.batch));
            let claim = claim.ok_or(StoreError::Unrelated { entry: entry.first })?;
            store.tell(Step { name: material.taken(), entry: Some(claim.number) })?;
            entries.push(claim.material);
        }
        Ok(Some(Taken { first, entries }))
    }

    /// Numbers for this many new entries, the same at all parties if they ask in the same order.
    pub(crate) fn allot(&self, material: Material, count: u64) -> Result<u64, RunError> {
        let mut state = self.state();
        let pool = state.pools.entry(material).or_default();
        let first = pool.next;
        pool.next = first.checked_add(count).ok_or(StoreError::Exhausted)?;
        Ok(first)
    }

    /// Does something with the store, where this session, a kind and a number identify what is made together.
    pub(crate) fn with<T>(
        &self,
        material: Material,
        work: impl FnOnce(&mut Store, &Binding, &dyn Fn(u64) -> [u8; 16]) -> Result<T, StoreError>,
    ) -> Result<T, RunError> {
        let mut state = self.state();
        let (binding, session) = (state.context.binding(material), state.session);
        let batch = |first: u64| {
            let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 batch of kept shares, version 1");
            hasher.update(&session).update(binding.kind.as_bytes()).update(&first.to_le_bytes());
            let mut batch = [0; 16];
            hasher.finalize_xof().fill(&mut batch);
            batch
        };
        Ok(work(state.store()?, &binding, &batch)?)
    }

    /// Returns entries that were marked in advance and not used, and closes the store.
    ///
    /// Errors: the store cannot be written.
    pub(crate) fn close(&self) -> Result<(), RunError> {
        let Some(mut store) = self.state().store.take() else { return Ok(()) };
        Ok(store.release()?)
    }
}

fn held(store: &Store, context: &StoreContext, material: Material) -> HeldMaterial {
    let binding = context.binding(material);
    let (next, mark) = (store.next_number(&binding), store.mark(&binding));
    HeldMaterial { material, next, mark, ready: store.stretches(&binding) }
}
