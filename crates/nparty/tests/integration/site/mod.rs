//! Parties of one process, each with a store, in a folder that is removed at the end.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tacit_math::field::{Field, Mersenne61};
use tacit_net::keys::{SecretKey, generate};
use tacit_net::session::{self, Config, Transport};
use tacit_nparty::program::Task;
use tacit_nparty::{JoinTerms, Party, RunError};
use tacit_store::{Store, StoreError};

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Parties with keys, and a folder for their stores.
pub struct Site {
    pub folder: PathBuf,
    pub keys: Vec<SecretKey>,
    pub threshold: usize,
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Site {
    pub fn new(parties: usize, threshold: usize) -> Site {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("tacit-stored-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let keys = (0..parties).map(|_| generate().expect("randomness").0).collect();
        Site { folder, keys, threshold }
    }

    pub fn store_folder(&self, party: usize) -> PathBuf {
        self.folder.join(format!("store-{party}"))
    }

    pub fn open(&self, party: usize) -> Result<Store, StoreError> {
        Store::open(&self.store_folder(party), &self.keys[party])
    }

    pub fn configs(&self) -> Vec<Config> {
        let bind = |_| Arc::new(TcpListener::bind("127.0.0.1:0").expect("a port"));
        let bound: Vec<_> = (0..self.keys.len()).map(bind).collect();
        let party = |(i, listener): (usize, &Arc<TcpListener>)| session::Party {
            name: format!("p{i}"),
            address: listener.local_addr().expect("bound").to_string().parse().expect("an address"),
            key: Some(self.keys[i].public()),
        };
        let parties: Vec<_> = bound.iter().enumerate().map(party).collect();
        let config = |listener| {
            let mut config = Config::new(parties.clone());
            (config.transport, config.timeout) = (Transport::Plain, Duration::from_secs(20));
            config.listener = Some(listener);
            config
        };
        bound.into_iter().map(config).collect()
    }

    /// Runs all parties in a field, each with the store that `store` returns.
    pub fn run_in<F: Field, T: Send>(
        &self,
        field: &F,
        store: impl Fn(usize) -> Option<Store>,
        body: impl Fn(&Task<F>) -> Result<T, RunError> + Sync,
    ) -> Vec<Result<T, RunError>> {
        let (store, body) = (&store, &body);
        std::thread::scope(|scope| {
            let run = |(me, config): (usize, Config)| {
                let store = store(me);
                scope.spawn(move || {
                    let (field, threshold) = (field.clone(), self.threshold);
                    let key = Some(self.keys[me].clone());
                    let terms = JoinTerms {
                        config,
                        me: format!("p{me}"),
                        key,
                        field,
                        threshold,
                        security: tacit_nparty::Security::Passive,
                        statistical_bits: 40,
                        fields: vec![],
                        store,
                    };
                    let party = Party::join(terms, || Ok(()))?;
                    let task = party.root();
                    let result = body(&task)?;
                    task.wait(&task.synchronise()?)?;
                    drop(task);
                    party.leave()?;
                    Ok(result)
                })
            };
            let threads: Vec<_> = self.configs().into_iter().enumerate().map(run).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        })
    }

    /// Runs all parties with their stores; all end normally.
    pub fn run<T: Send>(&self, body: impl Fn(&Task<Mersenne61>) -> Result<T, RunError> + Sync) -> Vec<T> {
        let store = |party| Some(self.open(party).expect("a store"));
        self.run_in(&Mersenne61, store, body).into_iter().map(|result| result.expect("a good end")).collect()
    }
}

/// Replaces the content of a folder by that of another.
pub fn replace(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}
