use tacit_ir::{Column, Program, Shape};
use tacit_schedule::{Action, Combined, Schedule};

use crate::Plan;

/// How a column is shared that a role gives or takes as shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareForm {
    /// Width of each lane of a share.
    pub bits: u32,
    /// Number of lanes.
    pub lanes: u64,
    /// How both shares combine into the value.
    pub combined: Combined,
    /// Whether shares wider than the value extend its sign.
    pub signed: bool,
}

impl Plan {
    /// How the columns of an input port are shared.
    pub fn input_forms(&self, program: &Program, port: u32) -> Vec<ShareForm> {
        input_forms(self.schedule(), program, port)
    }

    /// How the columns of an output port are shared.
    pub fn output_forms(&self, program: &Program, port: u32) -> Vec<ShareForm> {
        output_forms(self.schedule(), program, port)
    }
}

/// How the shares of each column combine that is kept between runs, or was.
pub(crate) fn stored(schedule: &Schedule, program: &Program) -> Vec<Combined> {
    let inputs = (0..).zip(&program.inputs).filter(|(_, port)| port.is_stored(program));
    let outputs = (0..).zip(&program.outputs).filter(|(_, port)| port.is_stored(program));
    let read = inputs.flat_map(|(port, _)| input_forms(schedule, program, port));
    let kept = outputs.flat_map(|(port, _)| output_forms(schedule, program, port));
    read.chain(kept).map(|form| form.combined).collect()
}

fn input_forms(schedule: &Schedule, program: &Program, port: u32) -> Vec<ShareForm> {
    let body = &schedule.bodies[schedule.main];
    let found = &program.inputs[port as usize];
    let kept = found.is_stored(program);
    let mut forms = as_bits(&found.shape);
    for step in &body.steps {
        if let Action::Input { port: given, column, bits, signed, target } = step.action
            && given == port
            && let Some(form) = forms.get_mut(column as usize)
        {
            let target = body.bundles[target.index()];
            let width = if kept { bits } else { target.bits };
            *form = ShareForm { bits: width, combined: target.rules().combined, signed, ..*form };
        }
    }
    forms
}

fn output_forms(schedule: &Schedule, program: &Program, port: u32) -> Vec<ShareForm> {
    let body = &schedule.bodies[schedule.main];
    let mut forms = as_bits(&program.outputs[port as usize].shape);
    for step in &body.steps {
        if let Action::Output { port: given, column, source } = step.action
            && given == port
            && let Some(form) = forms.get_mut(column as usize)
        {
            form.combined = body.bundles[source.index()].rules().combined;
        }
    }
    forms
}

/// The forms of columns whose bits are shared.
fn as_bits(shape: &Shape) -> Vec<ShareForm> {
    let form = |column: &Column| ShareForm {
        bits: column.bits,
        lanes: column.lanes,
        combined: Combined::ExclusiveOr,
        signed: false,
    };
    shape.columns().iter().map(form).collect()
}
