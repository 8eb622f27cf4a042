//! Plans of a session's runs.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use tacit_engine::RunOptions;
use tacit_ir::{Program as Ir, RoleId};
use tacit_net::session::SessionFile;
use tacit_plan::Plan;

use crate::interruptible::interruptible;
use crate::lock::lock;
use crate::options::{GivenOptions, refused, with};
use crate::program::Program;
use crate::run::{plan_for, roles_of};

/// Plans that a session keeps, so that a program is planned once.
const KEPT_PLANS: usize = 8;

/// Plans the runs of a party in a session.
pub struct Planner {
    file: SessionFile,
    /// The options of runs that are not given others.
    options: RunOptions,
    party: String,
    plans: Mutex<Vec<Planned>>,
}

/// A plan, and the program object and additional options for which it was made.
struct Planned {
    program: Arc<Ir>,
    prepared: bool,
    given: GivenOptions,
    plan: Arc<Plan>,
}

impl Planner {
    pub fn new(file: SessionFile, options: RunOptions, party: String) -> Planner {
        Planner { file, options, party, plans: Mutex::default() }
    }

    /// The roles of a program for which the party speaks.
    pub fn roles(&self, program: &Program) -> PyResult<Vec<RoleId>> {
        roles_of(&program.ir, &self.file, &self.party)
    }

    /// The plan of a run; `prepared` says whether its setup is kept in the store, or comes from there.
    pub fn plan(
        &self,
        py: Python<'_>,
        program: &Program,
        prepared: bool,
        given: GivenOptions,
    ) -> PyResult<Arc<Plan>> {
        let fits = |planned: &&Planned| {
            Arc::ptr_eq(&planned.program, &program.ir)
                && (planned.prepared, &planned.given) == (prepared, &given)
        };
        if let Some(planned) = lock(&self.plans).iter().find(fits) {
            return Ok(planned.plan.clone());
        }
        let options = with(&self.options, &given)?;
        options.in_session(&self.options).map_err(refused)?;
        let options = if prepared { options.prepared().map_err(refused)? } else { options };
        let (ir, options) = (program.ir.clone(), plan_for(&options, program, &self.file)?);
        let plan = interruptible(py, move || tacit_engine::plan(&ir, &options))?;
        let plan = Arc::new(plan.map_err(|error| program.error(error.into()))?);
        let mut plans = lock(&self.plans);
        if plans.len() >= KEPT_PLANS {
            plans.remove(0);
        }
        plans.push(Planned { program: program.ir.clone(), prepared, given, plan: plan.clone() });
        Ok(plan)
    }
}
