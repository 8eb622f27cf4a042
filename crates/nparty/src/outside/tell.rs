//! Results for outside parties, at a computing party.

use std::sync::Arc;

use tacit_math::field::Field;

use super::collect::{encoded, facts};
use crate::error::RunError;
use crate::program::{Task, Value};
use crate::reception::message::{Description, FromComputing};
use crate::reception::{OutsideIndex, OutsideParties};

/// A result that is being sent to outside parties.
pub struct Telling<F: Field> {
    task: Task<F>,
    outside: Arc<OutsideParties>,
    what: Description,
    to: Vec<OutsideIndex>,
    mask: Value<F>,
    masked: Value<F>,
}

impl<F: Field> Task<F> {
    /// Sends a value to outside parties, and reveals it to nobody else.
    ///
    /// Security: see the [module](crate::outside).
    ///
    /// Errors: there is no such party, or it is named twice; the computation has ended.
    pub fn tell_outside(
        &self,
        what: Description,
        value: &Value<F>,
        to: &[String],
    ) -> Result<Telling<F>, RunError> {
        let (outside, indices) = self.outside_parties(to)?;
        let task = self.fork()?;
        task.agree(facts("result", &what, to))?;
        let mask = task.random(value.len())?;
        let masked = task.open(&task.add(value, &mask)?)?;
        Ok(Telling { task, outside, what, to: indices, mask, masked })
    }
}

impl<F: Field> Telling<F> {
    /// Waits until the result is known and sent; parties that have left do not get it. Blocks; call it on a thread of its own.
    ///
    /// Errors: the result is too long for a message, or the computation has ended.
    pub fn finish(self) -> Result<(), RunError> {
        let Telling { task, outside, what, to, mask, masked } = self;
        let masked = encoded(task.field(), &task.wait(&masked)?);
        let shares = encoded(task.field(), &task.own_shares(&mask)?);
        let told = FromComputing::Told { number: task.id(), what, shares, masked };
        to.into_iter().try_for_each(|party| outside.send(party, &told))
    }
}
