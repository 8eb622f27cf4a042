//! The terms on which a party meets others: the session file, and options given in addition.

use std::path::PathBuf;

use pyo3::prelude::*;
use tacit_engine::{RunOptions, SessionTerms};
use tacit_net::session::{Config, SessionFile};

use crate::errors::UsageError;
use crate::options::{GivenOptions, with};
use crate::session::{Listener, SecretKey, Session};
use crate::stores::share_store;

/// The options of runs, and how the parties meet.
pub fn meeting(
    session: &Session,
    given: &GivenOptions,
    listener: Option<&Listener>,
) -> PyResult<(RunOptions, Config)> {
    let options = with(&session.options, given)?;
    let listener = listener.map(|listener| listener.0.clone());
    let config = Config { listener, ..options.session(&session.file) };
    Ok((options, config))
}

/// As [`meeting`], for two parties: this one, and the only other computing party, unless `peer` names one.
/// `shares` is a folder.
pub fn of_two(
    session: &Session,
    (party, peer): (String, Option<String>),
    key: &SecretKey,
    given: &GivenOptions,
    listener: Option<&Listener>,
    shares: Option<PathBuf>,
) -> PyResult<(RunOptions, SessionTerms)> {
    let (options, config) = meeting(session, given, listener)?;
    let peer = peer.map_or_else(|| only_peer(&session.file, &party), Ok)?;
    let (security, shares) = (options.plan.security, share_store(shares, key)?);
    let terms = SessionTerms { party, peer, session: config, key: Some(key.0.clone()), security, shares };
    Ok((options, terms))
}

fn only_peer(file: &SessionFile, party: &str) -> PyResult<String> {
    let mut others = file.computing.iter().filter(|name| *name != party);
    match (others.next(), others.next()) {
        (Some(peer), None) => Ok(peer.clone()),
        _ => Err(UsageError::new_err(format!("the session has no single peer of {party}"))),
    }
}
