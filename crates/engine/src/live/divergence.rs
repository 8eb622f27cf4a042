//! Programs that differ: both parties find the first step that differs, and describe it to each other.

use tacit_net::{Channel, NetError};

use super::header::Tag;
use super::script::{ScriptPath, SharedScript};
use super::value::PathId;
use crate::Failure;
use crate::peer_fault::{LiveFault, PeerFault};

/// Maximum steps of a path that are compared.
const MAX_TAGS: usize = 4096;

/// Maximum length of a step's description.
const MAX_TEXT: usize = 512;

/// Compares what both appended to a path, and sends the other a description of the first difference. Returns the
/// error that names both descriptions.
///
/// `path` is the path, or `None` if the peer names it.
pub(super) async fn locate(shared: &SharedScript, channel: &mut Channel, path: Option<PathId>) -> Failure {
    match exchange(shared, channel, path).await {
        Ok((ours, theirs)) => {
            let field = "what their programs do".to_owned();
            NetError::Mismatch { peer: channel.peer(), field, ours, theirs }.into()
        }
        Err(failure) => failure,
    }
}

async fn exchange(
    shared: &SharedScript,
    channel: &mut Channel,
    path: Option<PathId>,
) -> Result<(String, String), Failure> {
    let path = match path {
        Some(path) => {
            channel.send(&path).await?;
            path
        }
        None => {
            let mut path = PathId::default();
            channel.receive_into(&mut path).await?;
            path
        }
    };
    let (first, tags) = remembered(shared, path);
    channel.send(&first.to_le_bytes()).await?;
    channel.send(&(tags.len() as u32).to_le_bytes()).await?;
    channel.send(tags.as_flattened()).await?;
    let (mut start, mut count) = ([0; 8], [0; 4]);
    channel.receive_into(&mut start).await?;
    channel.receive_into(&mut count).await?;
    let (start, count) = (u64::from_le_bytes(start), u32::from_le_bytes(count) as usize);
    if count > MAX_TAGS {
        let fault = LiveFault::ComparedSteps { count, limit: MAX_TAGS };
        return Err(PeerFault::from(fault).by(channel.peer()));
    }
    let mut theirs = vec![Tag::default(); count];
    channel.receive_into(theirs.as_flattened_mut()).await?;
    let ours = describe(shared, path, difference((first, &tags), (start, &theirs)));
    channel.send(&(ours.len() as u32).to_le_bytes()).await?;
    channel.send(ours.as_bytes()).await?;
    let mut length = [0; 4];
    channel.receive_into(&mut length).await?;
    let mut text = vec![0; (u32::from_le_bytes(length) as usize).min(MAX_TEXT)];
    channel.receive_into(&mut text).await?;
    let text = String::from_utf8_lossy(&text);
    Ok((ours, text.chars().filter(|symbol| !symbol.is_control()).collect()))
}

/// The first step of a path that is remembered, and the tags from that step on.
fn remembered(shared: &SharedScript, id: PathId) -> (u64, Vec<Tag>) {
    let state = shared.state();
    let Some(path) = state.paths.get(&id) else { return (0, Vec::new()) };
    (path.first(), path.trail.iter().take(MAX_TAGS).map(|mark| mark.tag).collect())
}

/// The number of the first step in which two paths differ, as far as both are remembered.
fn difference((first, tags): (u64, &[Tag]), (start, others): (u64, &[Tag])) -> u64 {
    let (ends, begin) =
        ([first + tags.len() as u64, start.saturating_add(others.len() as u64)], first.max(start));
    let at = |first: u64, tags: &[Tag], number: u64| tags.get((number - first) as usize).copied();
    let end = ends[0].min(ends[1]).max(begin);
    // If no tag differs, the ends do.
    (begin..end).find(|number| at(first, tags, *number) != at(start, others, *number)).unwrap_or(end)
}

/// Describes step `number` of a path in this party's program.
fn describe(shared: &SharedScript, id: PathId, number: u64) -> String {
    let state = shared.state();
    let mut text = match state.paths.get(&id) {
        Some(path) => step(path, number),
        None if id == PathId::default() => {
            let steps: u64 = state.paths.values().map(|path| path.count).sum();
            format!("the end after {steps} steps of {} tasks", state.paths.len())
        }
        None => "no such task".to_owned(),
    };
    while text.len() > MAX_TEXT {
        text.pop();
    }
    text
}

fn step(path: &ScriptPath, number: u64) -> String {
    match path.mark(number) {
        Some(mark) => format!("`{}` at {} (task {}, step {number})", mark.what, mark.place, path.name),
        None if path.count == 0 => format!("no step (task {})", path.name),
        None => format!("no step after {} (task {}, {} steps)", path.last, path.name, path.count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(numbers: &[u8]) -> Vec<Tag> {
        numbers.iter().map(|number| [*number; 16]).collect()
    }

    /// The first step that is remembered, and a byte for the tag of each.
    type Known<'a> = (u64, &'a [u8]);

    #[test]
    fn the_first_difference_is_the_same_from_both_sides() {
        let cases: [(Known<'_>, Known<'_>, u64); 5] = [
            ((0, &[1, 2, 3]), (0, &[1, 2, 4]), 2),
            ((0, &[1, 2, 3]), (0, &[1, 2]), 2),
            ((2, &[3, 4]), (0, &[1, 2, 3, 5]), 3),
            ((0, &[]), (0, &[7]), 0),
            ((9, &[1]), (0, &[1]), 9),
        ];
        for ((first, ours), (start, theirs), expected) in cases {
            let (ours, theirs) = (tags(ours), tags(theirs));
            assert_eq!(difference((first, &ours), (start, &theirs)), expected);
            assert_eq!(difference((start, &theirs), (first, &ours)), expected);
        }
    }
}
