//! Numbers as their bits.

use tacit_ir::Op;

use super::empty::nonempty;
use super::error::{Traced, shape as bad_shape};
use super::kind::{Kind, Number};
use super::shape::{self, View};
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// The bits of every element, least significant first, along a new last axis.
    pub fn bits(&mut self, value: &Value) -> Traced<Value> {
        let (bits, lanes) = (value.kind.bits(), value.lanes());
        let id = self.id(value)?;
        let mut planes = Vec::with_capacity(bits as usize);
        for bit in 0..bits {
            planes.push(if bits == 1 { id } else { self.slice(id, bit, 1)? });
        }
        let all = if planes.len() == 1 { planes[0] } else { self.emit(Op::Join(planes))? };
        let view = View::whole(&[u64::from(bits), lanes]).permuted(&[1, 0]);
        let id = self.view(all, u64::from(bits) * lanes, &view)?;
        let dims = [value.shape.as_slice(), &[u64::from(bits)]].concat();
        Ok(self.value(id, Kind::Bool, dims))
    }

    /// One bit of every element.
    pub fn bit(&mut self, value: &Value, bit: i64) -> Traced<Value> {
        let bits = value.kind.bits();
        let place = if bit < 0 { bit + i64::from(bits) } else { bit };
        if !(0..i64::from(bits)).contains(&place) {
            return bad_shape(format!("{} has no bit {bit}", value.kind));
        }
        let id = self.id(value)?;
        let id = if bits == 1 { id } else { self.slice(id, place as u32, 1)? };
        Ok(self.value(id, Kind::Bool, value.shape.clone()))
    }

    /// Unsigned integers from their bits along the last axis, least significant first.
    pub fn joined_bits(&mut self, value: &Value) -> Traced<Value> {
        value.truth("from_bits")?;
        let Some((bits, dims)) = value.shape.split_last() else {
            return bad_shape("from_bits takes an array of bits, not a single one");
        };
        nonempty(*bits, "a number")?;
        let kind = Kind::of(Number::uint(u32::try_from(*bits).unwrap_or(u32::MAX)))?;
        let (id, outer) = (self.id(value)?, shape::size(dims));
        let mut planes = Vec::with_capacity(*bits as usize);
        for bit in 0..*bits {
            let mut view = View::whole(&[outer, *bits]);
            view.pick(1, bit);
            planes.push(self.view(id, value.lanes(), &view)?);
        }
        let id = if planes.len() == 1 { planes[0] } else { self.emit(Op::Concat(planes))? };
        Ok(self.value(id, kind, dims.to_vec()))
    }
}
