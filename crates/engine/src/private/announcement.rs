//! The first message of the function's holder: the interface, and the names of sets of prepared runs.

use tacit_net::Channel;

use super::constants::{MAX_INTERFACE_BYTES, MAX_SETS, SET_NAME_BYTES};
use super::error::{InterfaceError, PrivateError};
use super::interface::Interface;
use super::report::PrivateTask;
use super::sets::SetName;
use crate::Failure;

/// An announcement of which only the lengths have been checked.
pub(super) struct Announcement {
    text: Vec<u8>,
    /// Names of sets: none for a run, the new one for preparing, and the possible sources of a prepared run.
    pub sets: Vec<SetName>,
}

impl Announcement {
    /// The announced interface.
    pub fn interface(&self) -> Result<Interface, InterfaceError> {
        let text = str::from_utf8(&self.text).map_err(|_| InterfaceError::Form("it is not text".into()))?;
        Interface::parse(text)
    }
}

/// Sends an interface and names of sets.
pub(super) async fn send(channel: &mut Channel, interface: &str, sets: &[SetName]) -> Result<(), Failure> {
    channel.send(&(interface.len() as u32).to_le_bytes()).await?;
    channel.send(interface.as_bytes()).await?;
    channel.send(&[sets.len() as u8]).await?;
    for set in sets {
        channel.send(&set.0).await?;
    }
    Ok(channel.flush().await?)
}

/// Receives an announcement, whose lengths are checked before anything is allocated for it.
pub(super) async fn receive(channel: &mut Channel, task: PrivateTask) -> Result<Announcement, Failure> {
    let mut length = [0; 4];
    channel.receive_into(&mut length).await?;
    let given = u32::from_le_bytes(length) as usize;
    if given > MAX_INTERFACE_BYTES {
        return Err(PrivateError::Announced(InterfaceError::Length { given }).into());
    }
    let mut text = vec![0; given];
    channel.receive_into(&mut text).await?;
    let mut count = [0];
    channel.receive_into(&mut count).await?;
    let expected = match task {
        PrivateTask::Run => 0..=0,
        PrivateTask::Prepare { .. } => 1..=1,
        PrivateTask::Spend => 1..=MAX_SETS,
    };
    let given = usize::from(count[0]);
    if !expected.contains(&given) {
        return Err(PrivateError::Sets { given }.into());
    }
    let mut sets = vec![SetName([0; SET_NAME_BYTES]); given];
    for set in &mut sets {
        channel.receive_into(&mut set.0).await?;
    }
    Ok(Announcement { text, sets })
}
