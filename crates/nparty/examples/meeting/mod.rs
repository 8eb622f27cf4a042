//! Parties on loopback, for measurements.

use std::net::TcpListener;
use std::sync::Arc;

use tacit_math::field::Field;
use tacit_net::keys;
use tacit_net::session::{self, Config};
use tacit_net::shape::Shape;
use tacit_nparty::{JoinTerms, Party, Security};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Runs the same program at three parties, linked by TLS and shaped if requested, and returns their results.
#[allow(dead_code, reason = "each example uses some of them")]
pub fn together<F: Field, T: Send + 'static>(
    field: &F,
    shape: Option<Shape>,
    program: impl Fn(&Party<F>) -> Result<T> + Clone + Send + 'static,
) -> Result<Vec<T>> {
    together_of(field, (3, 1), shape, program)
}

/// The same among this many parties with a threshold.
#[allow(dead_code, reason = "each example uses some of them")]
pub fn together_of<F: Field, T: Send + 'static>(
    field: &F,
    size: (usize, usize),
    shape: Option<Shape>,
    program: impl Fn(&Party<F>) -> Result<T> + Clone + Send + 'static,
) -> Result<Vec<T>> {
    together_against(Security::Passive, field, size, shape, program)
}

/// The same, with this security.
pub fn together_against<F: Field, T: Send + 'static>(
    security: Security,
    field: &F,
    (count, threshold): (usize, usize),
    shape: Option<Shape>,
    program: impl Fn(&Party<F>) -> Result<T> + Clone + Send + 'static,
) -> Result<Vec<T>> {
    let (mut parties, mut own) = (Vec::new(), Vec::new());
    for number in 0..count {
        let listener = Arc::new(TcpListener::bind("127.0.0.1:0")?);
        let (secret, public) = keys::generate()?;
        let address = listener.local_addr()?.to_string().parse()?;
        parties.push(session::Party { name: format!("p{number:02}"), address, key: Some(public) });
        own.push((listener, secret));
    }
    let mut threads = Vec::new();
    for (party, (listener, key)) in parties.iter().zip(own) {
        let config = Config { listener: Some(listener), shape, ..Config::new(parties.clone()) };
        let (me, field, program) = (party.name.clone(), field.clone(), program.clone());
        threads.push(std::thread::spawn(move || {
            let terms = JoinTerms {
                config,
                me,
                key: Some(key),
                field,
                threshold,
                security,
                statistical_bits: 40,
                fields: vec![],
                store: None,
            };
            let party = Party::join(terms, || Ok(()))?;
            let result = program(&party)?;
            let root = party.root();
            root.wait(&root.synchronise()?)?;
            party.leave()?;
            Ok(result)
        }));
    }
    threads.into_iter().map(|thread| thread.join().map_err(|_| "a party panicked")?).collect()
}
