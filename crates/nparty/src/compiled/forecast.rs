//! What a compiled program will send: it is written to a task that nothing runs, and what was written is counted.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use tacit_math::field::Gf256;

use super::{Compiled, CompiledError, walk};
use crate::error::RunError;
use crate::program::Task;
use crate::runtime::LEAST_STATISTICAL_BITS;
use crate::runtime::forecast::{Forecast, Prediction};
use crate::runtime::shared::{ProgramLink, lock};
use crate::scheme::Scheme;

impl Compiled {
    /// What a run of the program in a task of its own sends among so many parties, of whom `threshold` learn nothing even together: exactly, whatever the order in
    /// which messages arrive. Comparing what was opened, and heads of messages, are not elements and not in it.
    ///
    /// Cost: that of writing the program once; nothing is computed on shares.
    ///
    /// Errors: the parties and the threshold do not fit, or the program's roles are not theirs.
    pub fn prediction(&self, parties: usize, threshold: usize) -> Result<Prediction, CompiledError> {
        let scheme = Scheme::new(Gf256, parties, threshold).map_err(RunError::from)?;
        let forecast = Arc::new(Mutex::new(Forecast::new(&scheme).map_err(RunError::from)?));
        let place: Arc<OnceLock<Weak<ProgramLink<Gf256>>>> = Arc::default();
        let (counting, link) = (forecast.clone(), place.clone());
        // Called whenever some operations were written, so that they are never all in memory.
        let wake = Arc::new(move || {
            if let Some(link) = link.get().and_then(Weak::upgrade) {
                lock(&counting).take(&link);
            }
        });
        // None of the parties: it gives no input.
        let nobody = parties;
        let names = vec![String::new(); parties];
        let secured = (scheme, LEAST_STATISTICAL_BITS);
        let link = Arc::new(ProgramLink::new(secured, nobody, names, wake));
        let _ = place.set(Arc::downgrade(&link));
        let task = Task::root(link.clone())?;
        self.check_parties(&task)?;
        let inputs = vec![Vec::new(); self.inputs.len()];
        walk::write(self, &task, &inputs, &mut |_, _| Ok(()))?;
        let mut forecast = lock(&forecast);
        forecast.take(&link);
        Ok(forecast.end(task.drawn()))
    }
}
