//! Private decoders for fuzzing. Not part of the interface.

use crate::session::hello::{HEAD_BYTES, Hello, body_length};

/// Decodes a greeting with its head; a decoded greeting must survive encoding and decoding again.
pub fn greeting(bytes: &[u8]) {
    let Some((head, body)) = bytes.split_first_chunk::<HEAD_BYTES>() else { return };
    if body_length(*head, "peer").ok() != Some(body.len()) {
        return;
    }
    let Some(hello) = Hello::decode(body) else { return };
    let again = hello.encode().expect("it is within the limits");
    assert_eq!(Hello::decode(&again).as_ref(), Some(&hello));
    let other = Hello { fields: hello.fields.iter().skip(1).cloned().collect(), ..hello.clone() };
    let same = hello.fields.is_empty();
    assert_eq!(hello.compare(&other, "peer").is_ok(), same, "{} fields", hello.fields.len());
    hello.absorb(&mut blake3::Hasher::new());
}
