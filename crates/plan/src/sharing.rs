use tacit_ir::{Column, Domain, Program, Shape};
use tacit_schedule::Action;

use crate::Plan;

/// How a column is shared that a role gives or takes as shares: what both parties' shares add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareForm {
    /// Width of each lane of a share.
    pub bits: u32,
    /// Number of lanes.
    pub lanes: u64,
    /// [`Domain::Arith`] for words whose sum modulo 2^bits is the value, else [`Domain::Bool`] for bits whose exclusive or
    /// is.
    pub domain: Domain,
    /// Whether wider shares than the value have its sign.
    pub signed: bool,
}

impl Plan {
    /// How the columns of an input port are shared.
    pub fn input_forms(&self, program: &Program, port: u32) -> Vec<ShareForm> {
        let body = &self.schedule().bodies[self.schedule().main];
        let found = &program.inputs[port as usize];
        let kept = found.is_stored(program);
        let mut forms = as_bits(&found.shape);
        for step in &body.steps {
            if let Action::Share { port: given, column, bits, signed, target } = step.action
                && given == port
                && let Some(form) = forms.get_mut(column as usize)
            {
                let ring = body.bundles[target.index()].bits;
                *form = ShareForm {
                    bits: if kept { bits } else { ring },
                    domain: Domain::Arith,
                    signed,
                    ..*form
                };
            }
        }
        forms
    }

    /// How the columns of an output port are shared.
    pub fn output_forms(&self, program: &Program, port: u32) -> Vec<ShareForm> {
        let body = &self.schedule().bodies[self.schedule().main];
        let mut forms = as_bits(&program.outputs[port as usize].shape);
        for step in &body.steps {
            if let Action::Output { port: given, column, source } = step.action
                && given == port
                && body.bundles[source.index()].domain == Domain::Arith
                && let Some(form) = forms.get_mut(column as usize)
            {
                form.domain = Domain::Arith;
            }
        }
        forms
    }
}

/// The forms of columns whose bits are shared.
fn as_bits(shape: &Shape) -> Vec<ShareForm> {
    let form = |column: &Column| ShareForm {
        bits: column.bits,
        lanes: column.lanes,
        domain: Domain::Bool,
        signed: false,
    };
    shape.columns().iter().map(form).collect()
}
