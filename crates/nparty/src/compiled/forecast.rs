//! Predicts what a compiled program sends. The program is written to a task that is never run, and what was written
//! is counted.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use tacit_math::field::{Field, Gf256};
use tacit_schedule::Tally;

use super::domains::Size;
use super::work::inside_steps;
use super::{ColumnBits, Compiled, CompiledError, RunInputs, walk};
use crate::error::RunError;
use crate::program::Task;
use crate::runtime::LEAST_STATISTICAL_BITS;
use crate::runtime::forecast::{Forecast, Prediction};
use crate::runtime::shared::{ProgramLink, lock};
use crate::scheme::Scheme;
use crate::security::Security;

impl Compiled {
    /// What a run of the program, in a task of its own, sends among this many parties, of whom any `threshold` together learn nothing, in any field: see
    /// [`Compiled::prediction_in`].
    ///
    /// Errors: as [`Compiled::prediction_in`]; or the program has words that need a prime field.
    pub fn prediction(&self, parties: usize, threshold: usize) -> Result<Prediction, CompiledError> {
        self.prediction_against(Security::Passive, (parties, threshold))
    }

    /// The same with this security. The bytes and rounds of verification are not included.
    ///
    /// Errors: as [`Compiled::prediction`].
    pub fn prediction_against(
        &self,
        security: Security,
        (parties, threshold): (usize, usize),
    ) -> Result<Prediction, CompiledError> {
        let scheme = Scheme::new(Gf256, parties, threshold).map_err(RunError::from)?;
        self.prediction_of((scheme.with_security(security), LEAST_STATISTICAL_BITS))
    }

    /// What a run of the program, in a task of its own, sends among this many parties, of whom any `threshold` together learn nothing, in this field with this
    /// statistical security. It is exact, whatever the order in which messages arrive. It counts elements, and neither the comparison of opened values nor the heads of
    /// messages.
    ///
    /// Cost: that of writing the program once; nothing is computed on shares.
    ///
    /// Errors: the parties and the threshold do not fit, a role's party is not among them, or the field has no room for the program's words.
    pub fn prediction_in<F: Field>(
        &self,
        field: &F,
        (parties, threshold): (usize, usize),
        statistical_bits: usize,
    ) -> Result<Prediction, CompiledError> {
        let scheme = Scheme::new(field.clone(), parties, threshold).map_err(RunError::from)?;
        self.prediction_of((scheme, statistical_bits))
    }

    fn prediction_of<F: Field>(&self, secured: (Scheme<F>, usize)) -> Result<Prediction, CompiledError> {
        let (parties, security) = ((secured.0.parties(), secured.0.threshold()), secured.0.security());
        let size = Size::of_parties(parties, security);
        let mut predicted = predicted(secured, |task| {
            self.check_parties(task)?;
            let own = vec![Vec::new(); self.inputs.len()];
            // As unknown as what they mask.
            let shared = ColumnBits::of_values(self.masks(task)?);
            walk::write(self, task, RunInputs { own: &own, shared: &shared }, &mut |_, _| Ok(())).map(drop)
        })?;
        predicted.computing.add(&inside_steps(&self.schedule, size), 1);
        Ok(predicted)
    }
}

/// What is sent in all fields of a task, in which `write` writes.
///
/// Errors: those of writing, and a scheme without products.
fn predicted<F: Field>(
    (scheme, statistical_bits): (Scheme<F>, usize),
    write: impl FnOnce(&Task<F>) -> Result<(), CompiledError>,
) -> Result<Prediction, CompiledError> {
    let forecast = Arc::new(Mutex::new(Forecast::new(&scheme).map_err(RunError::from)?));
    let place: Arc<OnceLock<Weak<ProgramLink<F>>>> = Arc::default();
    let (counting, link) = (forecast.clone(), place.clone());
    // Called after every few operations, so that they are never all in memory.
    let wake = Arc::new(move || {
        if let Some(link) = link.get().and_then(Weak::upgrade) {
            lock(&counting).take(&link);
        }
    });
    // A number that is not a party's, so it gives no input.
    let nobody = scheme.parties();
    let names = vec![String::new(); nobody];
    let link = Arc::new(ProgramLink::new((scheme, statistical_bits), nobody, names, wake));
    let _ = place.set(Arc::downgrade(&link));
    let task = Task::root(link.clone())?;
    write(&task)?;
    let mut forecast = lock(&forecast);
    forecast.take(&link);
    Ok(forecast.end(task.drawn()))
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;
    use crate::program::Value;
    use crate::runtime::simulation::{SIZES, cost};

    /// A value that goes through all three fields and back, with so many steps that the forecast is woken in
    /// between.
    fn program<F: Field>(task: &Task<F>, lanes: usize) -> Result<Value<F>, RunError> {
        let a = task.random(lanes)?;
        let bits = task.from_bytes(&task.to_bytes(&a)?)?;
        let mut sum = task.mul(&task.is_negative_within(&a, 8)?, &bits)?;
        for _ in 0..60 {
            sum = task.mul(&task.add(&sum, &bits)?, &sum)?;
            drop(task.bytes()?.mul(&task.to_bytes(&sum)?, &task.to_bytes(&bits)?)?);
        }
        task.open(&task.truncate(&sum, 3, 8)?)
    }

    fn foresees<F: Field>(field: &F, size: (usize, usize), lanes: usize) {
        let scheme = Scheme::new(field.clone(), size.0, size.1).expect("a scheme");
        let predicted = predicted((scheme, LEAST_STATISTICAL_BITS), |task| {
            program(task, lanes)?;
            Ok(())
        });
        let predicted = predicted.expect("written");
        let bytes: u64 = (0..size.0).map(|party| predicted.bytes_sent(party)).sum();
        let measured = cost(field, size, |task| program(task, lanes));
        assert_eq!((predicted.rounds as usize, bytes as usize), measured, "{size:?}, {lanes} lanes");
    }

    #[test]
    fn several_fields_are_counted_together() {
        for size in SIZES {
            foresees(&Mersenne61, size, 3);
        }
        foresees(&Mersenne61, (3, 1), 70);
        foresees(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"), (5, 2), 40);
    }
}
