//! All parties of a session in threads of this process.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use tacit_math::field::Field;
use tacit_net::keys::{self, SecretKey};
use tacit_net::session::{self, Config};
use tacit_net::socket::Address;

use crate::compiled::CompiledError;
use crate::error::RunError;
use crate::party::{JoinTerms, Party};
use crate::runtime::LEAST_STATISTICAL_BITS;
use crate::security::Security;
use crate::sets::largest_threshold;

/// Runs the same program at so many parties, linked by TLS on loopback, and returns their results.
pub(super) fn together<F: Field, T: Send + 'static>(
    field: &F,
    (count, security): (usize, Security),
    program: impl Fn(&Party<F>) -> Result<T, CompiledError> + Clone + Send + 'static,
) -> Result<Vec<T>, CompiledError> {
    let threshold = largest_threshold(count).map_err(RunError::from)?;
    let mut parties = Vec::new();
    let mut own = Vec::new();
    for number in 0..count {
        let (party, listener, key) = party(number)?;
        parties.push(party);
        own.push((listener, key));
    }
    let begin = |(party, (listener, key)): (&session::Party, (TcpListener, SecretKey))| {
        let config = Config { listener: Some(Arc::new(listener)), ..Config::new(parties.clone()) };
        let terms = JoinTerms {
            config,
            me: party.name.clone(),
            key: Some(key),
            field: field.clone(),
            threshold,
            security,
            statistical_bits: LEAST_STATISTICAL_BITS,
            fields: vec![],
            store: None,
        };
        let program = program.clone();
        std::thread::Builder::new().name("tacit calibrate".into()).spawn(move || {
            let party = Party::join(terms, || Ok(()))?;
            let result = program(&party)?;
            party.leave()?;
            Ok(result)
        })
    };
    let threads: Vec<_> = parties.iter().zip(own).map(begin).collect();
    let ended = |thread: io::Result<JoinHandle<_>>| {
        let thread = thread.map_err(|error| refused("threads", error))?;
        thread.join().map_err(|_| RunError::Panicked)?
    };
    threads.into_iter().map(ended).collect()
}

/// A party that listens on loopback.
fn party(number: usize) -> Result<(session::Party, TcpListener, SecretKey), RunError> {
    let (secret, public) = keys::generate().map_err(|_| RunError::Entropy)?;
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| refused("sockets on loopback", error))?;
    let address = listener.local_addr().map_err(|error| refused("sockets on loopback", error))?;
    let address = Address::Tcp(address.to_string());
    Ok((session::Party { name: format!("p{number:02}"), address, key: Some(public) }, listener, secret))
}

fn refused(what: &'static str, error: io::Error) -> RunError {
    RunError::System { what, cause: Arc::new(error) }
}
