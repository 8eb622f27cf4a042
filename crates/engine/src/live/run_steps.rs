//! Runs as steps: how they are appended, and when they are due.
//!
//! The garbler announces a run once its work is known and it has nothing else to garble. The evaluator begins it, on the stream of
//! its inputs, once its own program has reached it. Until then everything else continues, so that a step that decides whether a
//! program reaches a run never waits for the run. If the parties have steps of different kinds, the tags differ, and this is reported
//! like all differences.

use std::time::Instant;

use tacit_ir::Program;

use super::error::LiveError;
use super::script::{
    Announced, LivePath, Outstanding, RunStep, Script, ScriptState, SourcePlace, StepKind, Waiter,
};
use super::session_work::{Given, SessionWork, WorkEnded, WorkKind};
use super::stop::Stop;
use super::value::PathId;
use crate::peer_fault::LiveFault;
use crate::stored_shares;

/// A run that was appended, whose work is not known yet. If it is dropped, there is nothing to run.
pub struct PendingWork {
    script: Script,
    path: PathId,
    number: u64,
    begun: bool,
}

impl Script {
    /// Appends that the session does work of this kind with a program, which will be passed when it has a plan.
    /// `ended` of [`PendingWork::begin`] receives the result.
    ///
    /// # Errors
    /// [`LiveError::RunKeeps`] for a program that reads or keeps shares, [`LiveError::Foreign`] for a path that does not exist.
    pub fn work(
        &self,
        path: LivePath,
        kind: WorkKind,
        program: &Program,
        place: &SourcePlace,
    ) -> Result<PendingWork, LiveError> {
        if stored_shares::keeps(program) {
            return Err(LiveError::RunKeeps { program: program.name.clone() });
        }
        let mut content = blake3::Hasher::new();
        content.update(format!("{kind:?}").as_bytes()).update(&program.hash());
        let number = self.append(path, kind.name(), place, content, |state, path, number| {
            if state.failure.is_none() {
                let waiter = Outstanding { since: None, waiter: Waiter::Work(None) };
                state.outstanding.insert((path, number), waiter);
            }
            state.work_appended += 1;
            (StepKind::Run(RunStep { given: Given::Awaited, serial: state.work_appended }), number)
        })?;
        Ok(PendingWork { script: self.clone(), path: path.0, number, begun: false })
    }
}

impl PendingWork {
    /// Sets the work of the run.
    pub fn begin(mut self, work: SessionWork, ended: WorkEnded) {
        self.begun = true;
        let failure = {
            let mut state = self.script.0.state();
            match state.failure.clone() {
                Some(failure) => Some((failure, ended)),
                None => {
                    state.give((self.path, self.number), Given::Work(work), Some(ended));
                    None
                }
            }
        };
        match failure {
            Some((failure, ended)) => ended(Err(failure)),
            None => self.script.0.changed.notify_waiters(),
        }
    }
}

impl Drop for PendingWork {
    fn drop(&mut self) {
        if !self.begun {
            self.script.0.state().give((self.path, self.number), Given::Nothing, None);
            self.script.0.changed.notify_waiters();
        }
    }
}

impl ScriptState {
    fn give(&mut self, (id, number): (PathId, u64), given: Given, ended: Option<WorkEnded>) {
        let step = self.paths.get_mut(&id).and_then(|path| path.steps.get_mut(&number));
        if let Some(StepKind::Run(run)) = step.map(|step| &mut step.kind) {
            run.given = given;
        }
        if let Some(outstanding) = self.outstanding.get_mut(&(id, number)) {
            *outstanding = Outstanding { since: Some(Instant::now()), waiter: Waiter::Work(ended) };
        }
    }

    /// At the garbler: announces the first appended run whose work is known, unless a run is announced.
    pub fn announce(&mut self) -> Option<Announced> {
        if self.announced.is_some() {
            return None;
        }
        let paths = self.paths.iter();
        let steps = paths.flat_map(|(id, path)| {
            path.steps.range(..path.submitted).map(|(number, step)| (*id, *number, step))
        });
        let at_hand = steps.filter_map(|(path, number, step)| match &step.kind {
            StepKind::Run(RunStep { given: Given::Awaited, .. }) => None,
            StepKind::Run(run) => {
                let ready = matches!(run.given, Given::Work(_));
                Some((run.serial, Announced { path, number, tag: step.tag, ready }))
            }
            _ => None,
        });
        self.announced = at_hand.min_by_key(|(serial, _)| *serial).map(|(_, run)| run);
        self.announced
    }

    /// At the evaluator: the announced run and its work, once this program has reached it.
    pub fn due_run(&mut self) -> Result<Option<(Announced, Option<SessionWork>)>, Stop> {
        let Some(run) = self.announced else { return Ok(None) };
        match self.paths.get(&run.path).filter(|path| run.number < path.count) {
            None if self.closing.is_some() => return Err(Stop::Differs(run.path)),
            None => return Ok(None),
            Some(path) => match path.steps.get(&run.number) {
                Some(step) if step.tag != run.tag => return Err(Stop::Differs(run.path)),
                Some(step) => match &step.kind {
                    StepKind::Run(RunStep { given: Given::Awaited, .. }) => return Ok(None),
                    StepKind::Run(_) => {}
                    _ => return Err(Stop::Broken(LiveFault::UnknownRun { number: run.number })),
                },
                None => return Err(Stop::Broken(LiveFault::RepeatedStep { number: run.number })),
            },
        }
        Ok(Some((run, self.take_run(&run))))
    }

    /// Takes a run's step from its path, and returns its work. The peer takes the same step.
    pub fn take_run(&mut self, run: &Announced) -> Option<SessionWork> {
        let step = self.paths.get_mut(&run.path).and_then(|path| path.steps.remove(&run.number));
        if let Some(outstanding) = self.outstanding.get_mut(&(run.path, run.number)) {
            outstanding.since = None;
        }
        self.confirm(run.path, run.number);
        self.work_taken += 1;
        match step.map(|step| step.kind) {
            Some(StepKind::Run(RunStep { given: Given::Work(work), .. })) => Some(work),
            _ => None,
        }
    }

    /// Ends the announced run, and returns the callback that awaits its end.
    pub fn run_ended(&mut self) -> Option<WorkEnded> {
        self.running = false;
        let run = self.announced.take()?;
        match self.outstanding.remove(&(run.path, run.number))?.waiter {
            Waiter::Work(ended) => ended,
            Waiter::Opening(_) => None,
        }
    }
}
