//! Numbers of a netlist, and the bytes from which they are read.

use std::io::{BufReader, Read, Write};

use super::NetlistError;

/// Writes a number, seven bits for each byte, lowest first.
pub(super) fn put(target: &mut impl Write, mut number: u64) -> std::io::Result<()> {
    while number >= 0x80 {
        target.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    target.write_all(&[number as u8])
}

/// Writes a signed number (0, -1, 1, -2, … as 0, 1, 2, 3, …), with a bit below it.
pub(super) fn put_signed(target: &mut impl Write, number: i64, bit: bool) -> std::io::Result<()> {
    let unsigned = (number << 1 ^ number >> 63) as u64;
    put(target, unsigned << 1 | u64::from(bit))
}

/// A stream of bytes.
pub(super) struct Source<R> {
    reader: BufReader<R>,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R) -> Self {
        Source { reader: BufReader::new(reader) }
    }

    pub(super) fn bytes<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], NetlistError> {
        let mut bytes = [0; N];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(NetlistError::Ends(what)),
            Err(error) => Err(error.into()),
        }
    }

    /// As many bytes as announced; memory is allocated as they arrive.
    pub(super) fn block(&mut self, length: u64, what: &'static str) -> Result<Vec<u8>, NetlistError> {
        let mut block = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut block)?;
        if block.len() as u64 == length { Ok(block) } else { Err(NetlistError::Ends(what)) }
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<u64, NetlistError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.bytes(what)?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return Err(NetlistError::Number(what));
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(NetlistError::Number(what))
    }

    /// Reads a number written by [`put_signed`].
    pub(super) fn signed(&mut self, what: &'static str) -> Result<(i64, bool), NetlistError> {
        let number = self.number(what)?;
        let unsigned = number >> 1;
        Ok(((unsigned >> 1) as i64 ^ -((unsigned & 1) as i64), number & 1 == 1))
    }

    /// Whether all bytes were read.
    pub(super) fn end(&mut self) -> Result<(), NetlistError> {
        let mut byte = [0];
        match self.reader.read(&mut byte)? {
            0 => Ok(()),
            _ => Err(NetlistError::Trailing),
        }
    }
}
