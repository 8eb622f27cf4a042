//! Writes one template: its state, constants, ports, and the templates it applies.

use std::collections::HashMap;

use crate::typing::{NOWHERE, Scope, results};
use crate::work::work;
use crate::{
    Body, BuildError, Builder, Op, Operation, PortId, Template, TemplateId, ValueId, ValueType, Words,
};

/// Writes the operations of one template.
///
/// Every method appends one operation and returns its result; constants with equal values are reused. Methods
/// fail if types do not fit, so a finished template is well typed.
///
/// Cost: time and memory per operation are independent of the number of earlier operations.
#[derive(Debug)]
pub struct TemplateBuilder {
    name: String,
    parameters: Vec<ValueType>,
    types: Vec<ValueType>,
    operations: Vec<Operation>,
    /// Constants by fingerprint: the value and the number of its operation.
    constants: HashMap<u64, (ValueId, usize)>,
    line: u32,
}

/// The result of an operation.
pub(super) type Built<T = ValueId> = Result<T, BuildError>;

impl TemplateBuilder {
    pub(crate) fn new(name: &str, parameters: Vec<ValueType>) -> Self {
        TemplateBuilder {
            name: name.to_owned(),
            types: parameters.clone(),
            parameters,
            operations: Vec::new(),
            constants: HashMap::new(),
            line: 0,
        }
    }

    pub(crate) fn into_template(self, results: Vec<ValueId>) -> Built<Template> {
        let undefined =
            |value: &ValueId| BuildError::new("template", format!("result {value} is not defined"));
        let ty = |value: &ValueId| self.types.get(value.index()).copied().ok_or_else(|| undefined(value));
        let types = results.iter().map(ty).collect::<Built<_>>()?;
        let body = Body::Operations { operations: self.operations, results };
        Ok(Template { name: self.name, parameters: self.parameters, results: types, body })
    }

    /// The parameters as values.
    pub fn parameters(&self) -> Vec<ValueId> {
        (0..self.parameters.len() as u32).map(ValueId).collect()
    }

    /// The type of a value of this template.
    ///
    /// # Panics
    /// If `value` is not of this template.
    pub fn value_type(&self, value: ValueId) -> ValueType {
        self.types[value.index()]
    }

    pub(super) fn type_of(&self, value: ValueId) -> Option<ValueType> {
        self.types.get(value.index()).copied()
    }

    /// Sets the source line of the following operations; 0 if unknown.
    pub fn set_line(&mut self, line: u32) {
        self.line = line;
    }

    /// Number of operations so far.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Number of parameters and results so far.
    pub(crate) fn value_count(&self) -> usize {
        self.types.len()
    }

    /// Whether there is no operation yet.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// A public constant.
    pub fn constant(&mut self, words: Words) -> Built {
        let fingerprint = fingerprint(&words);
        if let Some((value, operation)) = self.constants.get(&fingerprint)
            && matches!(&self.operations[*operation].op, Op::Constant(known) if *known == words)
        {
            return Ok(*value);
        }
        let value = self.one(Op::Constant(words))?;
        self.constants.insert(fingerprint, (value, self.operations.len() - 1));
        Ok(value)
    }

    /// A public constant of one lane, reduced modulo `2^bits`.
    pub fn word(&mut self, bits: u32, value: u128) -> Built {
        self.constant(Words::scalar(bits, value))
    }

    /// The columns of an input. Only in `main`, once.
    pub fn input(&mut self, program: &Builder, port: PortId) -> Built<Vec<ValueId>> {
        let columns = program.input_columns(port).len() as u32;
        if columns == 0 {
            return Err(BuildError::new("input", format!("there is no {port}")));
        }
        (0..columns).map(|column| self.one_in(program.scope(), Op::Input { port, column })).collect()
    }

    /// Gives the columns of an output. Only in `main`, once.
    pub fn output(&mut self, program: &Builder, port: PortId, values: &[ValueId]) -> Built<()> {
        let columns = program.output_columns(port).len();
        if columns != values.len() || columns == 0 {
            return Err(BuildError::new(
                "output",
                format!("{} values for the {columns} columns of {port}", values.len()),
            ));
        }
        for (column, value) in values.iter().enumerate() {
            self.append(program.scope(), Op::Output { port, column: column as u32, value: *value })?;
        }
        Ok(())
    }

    /// Applies a template once; the results are the template's.
    pub fn call(
        &mut self,
        program: &Builder,
        template: TemplateId,
        arguments: &[ValueId],
    ) -> Built<Vec<ValueId>> {
        self.append(program.scope(), Op::Call { template, arguments: arguments.to_vec() })
    }

    /// Applies a template `lanes` times side by side.
    pub fn map(
        &mut self,
        program: &Builder,
        template: TemplateId,
        lanes: u64,
        arguments: &[ValueId],
    ) -> Built<Vec<ValueId>> {
        self.append(program.scope(), Op::Map { template, lanes, arguments: arguments.to_vec() })
    }

    /// Applies a template `count` times in sequence. Results: the last carried values, then the stacked
    /// values.
    pub fn iterate(
        &mut self,
        program: &Builder,
        template: TemplateId,
        count: u64,
        carried: &[ValueId],
        invariant: &[ValueId],
        sliced: &[ValueId],
    ) -> Built<Vec<ValueId>> {
        let [carried, invariant, sliced] = [carried, invariant, sliced].map(<[ValueId]>::to_vec);
        self.append(program.scope(), Op::Iterate { template, count, carried, invariant, sliced })
    }

    /// Appends any operation; `program` declares the ports and templates that it may name. Returns its
    /// results.
    pub fn push(&mut self, program: &Builder, op: Op) -> Built<Vec<ValueId>> {
        self.append(program.scope(), op)
    }

    /// Previews [`TemplateBuilder::push`]: the types of the operation's results, and an upper bound on its
    /// bit operations with loops multiplied out, as validation counts them.
    ///
    /// Errors: as [`TemplateBuilder::push`].
    pub fn preview(&self, program: &Builder, op: &Op) -> Built<(Vec<ValueType>, u128)> {
        let found = results(op, &self.types, program.scope());
        let mut types = Vec::new();
        found.map_err(|reason| BuildError::new(op.name(), reason))?.append_to(&mut types);
        let work = work(op, &self.types, &types, program.scope());
        Ok((types, work))
    }

    pub(super) fn one(&mut self, op: Op) -> Built {
        self.one_in(&NOWHERE, op)
    }

    fn one_in(&mut self, scope: &Scope, op: Op) -> Built {
        let first = self.types.len() as u32;
        self.write(scope, op).map(|_| ValueId(first))
    }

    pub(super) fn append(&mut self, scope: &Scope, op: Op) -> Built<Vec<ValueId>> {
        let first = self.types.len() as u32;
        let count = self.write(scope, op)? as u32;
        Ok((first..first + count).map(ValueId).collect())
    }

    /// Types an operation, appends it, and returns the number of its results.
    fn write(&mut self, scope: &Scope, op: Op) -> Built<usize> {
        let fail = |reason: String| BuildError::new(op.name(), reason);
        let results = results(&op, &self.types, scope).map_err(fail)?;
        let count = results.append_to(&mut self.types);
        if self.types.len() > u32::MAX as usize {
            return Err(BuildError::new(op.name(), "too many values in one template"));
        }
        self.operations.push(Operation { op, line: self.line });
        Ok(count)
    }
}

/// A hash of a constant that is the same on all machines, since it decides which constants are reused: if two
/// constants collide, the earlier one is written again when it is needed again.
fn fingerprint(words: &Words) -> u64 {
    let start = u64::from(words.bits()) << 32 ^ words.lanes();
    words.limbs().iter().fold(start, |hash, limb| {
        let mixed = u128::from(hash ^ limb ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        mixed as u64 ^ (mixed >> 64) as u64
    })
}
