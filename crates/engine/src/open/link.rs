//! The links of a session: those of connected parties, or a link in memory.

use tacit_net::session::{Session, SessionFault};
use tacit_net::{Connection, Meter, NetError};

/// The link to the peer.
#[derive(Debug)]
pub(crate) enum Link {
    /// The session of parties who have met; outside parties may be in it too.
    Met(Box<Session>),
    /// A link between two parties in one process, and its identity, which is unique.
    Memory(Connection, [u8; 32]),
}

impl Link {
    /// The connection to the peer, and its identity.
    pub fn to(&self, peer: &str) -> Result<(&Connection, [u8; 32]), NetError> {
        match self {
            Link::Met(session) => {
                let link = session.connection(peer).zip(session.link_id(peer));
                link.ok_or_else(|| NetError::Session(SessionFault::NoLink { name: peer.to_owned() }))
            }
            Link::Memory(connection, id) => Ok((connection, *id)),
        }
    }

    /// The connections to all other parties.
    pub fn connections(&self) -> Vec<Connection> {
        match self {
            Link::Met(session) => session.connections().cloned().collect(),
            Link::Memory(connection, _) => vec![connection.clone()],
        }
    }

    /// The counters of all traffic on the link.
    pub fn meter(&self) -> &Meter {
        match self {
            Link::Met(session) => session.meter(),
            Link::Memory(connection, _) => connection.meter(),
        }
    }

    /// See [`Session::close`].
    pub async fn close(&self) -> Result<(), NetError> {
        match self {
            Link::Met(session) => session.close().await,
            Link::Memory(connection, _) => connection.close().await,
        }
    }

    /// See [`Session::abort`].
    pub async fn abort(&self) {
        match self {
            Link::Met(session) => session.abort().await,
            Link::Memory(connection, _) => connection.abort().await,
        }
    }
}
