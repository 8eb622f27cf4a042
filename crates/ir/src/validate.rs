//! Checks a program from elsewhere.

use std::collections::HashSet;

use crate::typing::{NOWHERE, Scope, Signature, check_type, results};
use crate::work::{MAX_WORK, work};
use crate::{
    Body, Column, Netlist, NetlistGate, Op, Operation, Program, RoleId, Template, TemplateId, Type, ValueId,
    ValueType,
};

/// Longest name, in bytes.
pub const MAX_NAME: usize = 4096;

/// Maximum depth of nested templates, including `main`.
pub const MAX_TEMPLATE_DEPTH: u32 = 256;

/// Why a program is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidateError {
    /// An operation does not fit its operands or its place.
    #[error("template {template:?}, operation {operation} `{name}`{}: {reason}", at_line(*line))]
    Operation {
        /// The template's name.
        template: String,
        /// The operation's number in it, from 0.
        operation: usize,
        /// The operation's name.
        name: &'static str,
        /// Line of the source, 0 if unknown.
        line: u32,
        /// What does not fit.
        reason: String,
    },
    /// A template is not well formed.
    #[error("template {template:?}: {reason}")]
    Template {
        /// The template's name.
        template: String,
        /// The problem.
        reason: String,
    },
    /// A role, field, input or output is not well formed.
    #[error("{kind} {name:?}: {reason}")]
    Declaration {
        /// The kind of declaration.
        kind: &'static str,
        /// Its name.
        name: String,
        /// The problem.
        reason: String,
    },
}

fn at_line(line: u32) -> String {
    if line == 0 { String::new() } else { format!(", line {line}") }
}

/// The results of checking a template's body.
pub(crate) struct Checked {
    /// The type of every value: parameters, then results of operations.
    pub(crate) types: Vec<ValueType>,
    /// Upper bound on the bit operations of one application.
    pub(crate) work: u64,
    /// Depth of nested templates, including this one.
    pub(crate) depth: u32,
}

impl Checked {
    /// The signature that other templates see.
    pub(crate) fn signature(&self, template: &Template) -> Signature {
        let (parameters, results) = (template.parameters.clone(), template.results.clone());
        Signature { parameters, results, work: self.work, depth: self.depth }
    }
}

impl Program {
    /// Checks every structural rule: types, order, ports, templates, sizes.
    ///
    /// Cost: linear in the program's size.
    /// Errors: the first violated rule, with template, operation and line.
    pub fn validate(&self) -> Result<(), ValidateError> {
        self.check().map(drop)
    }

    /// The type of every value of a template: its parameters, then the results of its operations in order.
    /// For a netlist, only its parameters.
    ///
    /// Errors: as [`Program::validate`].
    pub fn value_types(&self, template: TemplateId) -> Result<Vec<ValueType>, ValidateError> {
        let missing = || declaration("template", &template.to_string(), "is not defined");
        self.check()?.into_iter().nth(template.index()).ok_or_else(missing)
    }

    /// The types of the values of every template, for a valid program.
    ///
    /// Errors: as [`Program::validate`].
    pub fn all_value_types(&self) -> Result<Vec<Vec<ValueType>>, ValidateError> {
        self.check()
    }

    fn check(&self) -> Result<Vec<Vec<ValueType>>, ValidateError> {
        self.check_declarations()?;
        let columns = |columns: Vec<Column>| columns.into_iter().map(Column::value_type).collect();
        let mut scope = Scope {
            fields: self.fields.len() as u32,
            inputs: self.inputs.iter().map(|port| columns(port.shape.columns())).collect(),
            outputs: self.outputs.iter().map(|port| columns(port.shape.columns())).collect(),
            ..NOWHERE.clone()
        };
        let mut types = Vec::with_capacity(self.templates.len());
        for (number, template) in self.templates.iter().enumerate() {
            let checked = check_body(template, &scope, number == self.main.index())?;
            scope.templates.push(checked.signature(template));
            types.push(checked.types);
        }
        Ok(types)
    }

    /// Checks everything except the bodies of templates.
    pub(crate) fn check_declarations(&self) -> Result<(), ValidateError> {
        check_name("program", &self.name, true)?;
        let mut roles = HashSet::new();
        for role in &self.roles {
            check_name("role", role, false)?;
            if !roles.insert(role) {
                return Err(declaration("role", role, "occurs twice"));
            }
        }
        for (number, field) in self.fields.iter().enumerate() {
            field.check().map_err(|reason| declaration("field", &number.to_string(), &reason))?;
        }
        self.check_ports()?;
        self.check_main()
    }

    fn check_ports(&self) -> Result<(), ValidateError> {
        let mut taken = HashSet::new();
        for port in &self.inputs {
            check_name("input", &port.name, false)?;
            port.shape.check().map_err(|reason| declaration("input", &port.name, &reason))?;
            self.claim("input", &port.name, &[port.role], &mut taken)?;
        }
        taken.clear();
        for port in &self.outputs {
            check_name("output", &port.name, false)?;
            port.shape.check().map_err(|reason| declaration("output", &port.name, &reason))?;
            if port.roles.is_empty() || !port.roles.is_sorted_by(|a, b| a < b) {
                return Err(declaration(
                    "output",
                    &port.name,
                    "its roles must be one or more, in ascending order",
                ));
            }
            self.claim("output", &port.name, &port.roles, &mut taken)?;
        }
        Ok(())
    }

    /// Claims a port's name for each of its roles.
    fn claim<'a>(
        &self,
        kind: &'static str,
        name: &'a str,
        roles: &[RoleId],
        taken: &mut HashSet<(RoleId, &'a str)>,
    ) -> Result<(), ValidateError> {
        for role in roles {
            if role.index() >= self.roles.len() {
                return Err(declaration(kind, name, &format!("{role} is not declared")));
            }
            if !taken.insert((*role, name)) {
                return Err(declaration(
                    kind,
                    name,
                    &format!("occurs twice for {:?}", self.roles[role.index()]),
                ));
            }
        }
        Ok(())
    }

    fn check_main(&self) -> Result<(), ValidateError> {
        let broken = |reason: &str| declaration("main", &self.main.to_string(), reason);
        let (Some(main), true) = (self.templates.last(), self.main.index() + 1 == self.templates.len())
        else {
            return Err(broken("is not the last template"));
        };
        let Body::Operations { operations, .. } = &main.body else {
            return Err(broken("is a netlist"));
        };
        if !main.parameters.is_empty() || !main.results.is_empty() {
            return Err(broken("has parameters or results"));
        }
        let missing =
            |kind, name: &str| declaration(kind, name, "a column does not occur exactly once in main");
        let uses = columns_used(operations);
        for (port, input) in self.inputs.iter().enumerate() {
            uses.covers(false, port, input.shape.columns().len())
                .ok_or_else(|| missing("input", &input.name))?;
        }
        for (port, output) in self.outputs.iter().enumerate() {
            uses.covers(true, port, output.shape.columns().len())
                .ok_or_else(|| missing("output", &output.name))?;
        }
        Ok(())
    }
}

/// Columns of ports that operations name: (is output, port, column), sorted.
struct ColumnUses(Vec<(bool, usize, u32)>);

fn columns_used(operations: &[Operation]) -> ColumnUses {
    let mut uses: Vec<_> = operations
        .iter()
        .filter_map(|operation| match operation.op {
            Op::Input { port, column } => Some((false, port.index(), column)),
            Op::Output { port, column, .. } => Some((true, port.index(), column)),
            _ => None,
        })
        .collect();
    uses.sort_unstable();
    ColumnUses(uses)
}

impl ColumnUses {
    /// Checks that each of the port's `columns` columns occurs once, and no others.
    fn covers(&self, output: bool, port: usize, columns: usize) -> Option<()> {
        let start = self.0.partition_point(|used| (used.0, used.1) < (output, port));
        let end = self.0.partition_point(|used| (used.0, used.1) <= (output, port));
        let found = self.0[start..end].iter().map(|used| used.2);
        found.eq(0..columns as u32).then_some(())
    }
}

/// Checks a template against the templates and ports before it.
pub(crate) fn check_body(template: &Template, scope: &Scope, main: bool) -> Result<Checked, ValidateError> {
    let fail = |reason: String| ValidateError::Template { template: template.name.clone(), reason };
    if template.name.len() > MAX_NAME {
        return Err(ValidateError::Template {
            template: template.name.chars().take(32).collect(),
            reason: format!("its name is longer than {MAX_NAME} bytes"),
        });
    }
    for ty in template.parameters.iter().chain(&template.results) {
        check_type(*ty, scope.fields).map_err(fail)?;
    }
    match &template.body {
        Body::Operations { operations, results } => {
            let checked = check_operations(template, operations, scope, main)?;
            check_results(results, &checked.types, &template.results).map_err(fail)?;
            Ok(checked)
        }
        Body::Netlist(netlist) => {
            check_netlist(netlist, &template.parameters, &template.results).map_err(fail)?;
            Ok(Checked { types: template.parameters.clone(), work: netlist.gates.len() as u64 + 1, depth: 1 })
        }
    }
}

fn check_operations(
    template: &Template,
    operations: &[Operation],
    scope: &Scope,
    main: bool,
) -> Result<Checked, ValidateError> {
    let mut types = template.parameters.clone();
    types.reserve(operations.len());
    let (mut total, mut depth) = (1u128, 1);
    for (number, operation) in operations.iter().enumerate() {
        let fail = |reason| ValidateError::Operation {
            template: template.name.clone(),
            operation: number,
            name: operation.op.name(),
            line: operation.line,
            reason,
        };
        if !main && matches!(operation.op, Op::Input { .. } | Op::Output { .. }) {
            return Err(fail("belongs in main alone".into()));
        }
        let before = types.len();
        results(&operation.op, &types, scope).map_err(fail)?.append_to(&mut types);
        if types.len() > u32::MAX as usize {
            return Err(fail("too many values in one template".into()));
        }
        total = total.saturating_add(work(&operation.op, &types[..before], &types[before..], scope));
        if total > u128::from(MAX_WORK) {
            return Err(fail(format!("the program takes more than {MAX_WORK} bit operations up to here")));
        }
        if let Some(applied) = operation.op.template() {
            depth = depth.max(scope.templates[applied.index()].depth + 1);
        }
        if depth > MAX_TEMPLATE_DEPTH {
            return Err(fail(format!("templates apply one another more than {MAX_TEMPLATE_DEPTH} deep")));
        }
    }
    Ok(Checked { types, work: total as u64, depth })
}

fn check_results(results: &[ValueId], types: &[ValueType], declared: &[ValueType]) -> Result<(), String> {
    if results.len() != declared.len() {
        return Err(format!("{} results where {} are declared", results.len(), declared.len()));
    }
    for (value, declared) in results.iter().zip(declared) {
        match types.get(value.index()) {
            Some(ty) if ty == declared => {}
            Some(ty) => return Err(format!("result {value} is {ty}, declared as {declared}")),
            None => return Err(format!("result {value} is not defined")),
        }
    }
    Ok(())
}

/// Checks that gates use only earlier wires, and that outputs have the bits of the results.
pub(crate) fn check_netlist(
    netlist: &Netlist,
    parameters: &[ValueType],
    results: &[ValueType],
) -> Result<(), String> {
    let inputs = parameters.iter().try_fold(0u64, |sum, ty| Ok::<_, String>(sum + value_bits(*ty)?))?;
    let wires = inputs + netlist.gates.len() as u64;
    if wires > u64::from(u32::MAX) {
        return Err(format!("{wires} wires are more than {}", u32::MAX));
    }
    for (number, gate) in netlist.gates.iter().enumerate() {
        let highest = match gate {
            NetlistGate::Xor(a, b) | NetlistGate::And(a, b) => Some(*a.max(b)),
            NetlistGate::Not(a) => Some(*a),
            NetlistGate::Constant(_) => None,
        };
        if let Some(wire) = highest.filter(|wire| u64::from(*wire) >= inputs + number as u64) {
            return Err(format!("gate {number} uses wire {wire}, which is not driven before it"));
        }
    }
    if netlist.outputs.len() != results.len() {
        return Err(format!("{} outputs for {} results", netlist.outputs.len(), results.len()));
    }
    for (output, ty) in netlist.outputs.iter().zip(results) {
        if output.len() as u64 != value_bits(*ty)? {
            return Err(format!("{} wires for a result of type {ty}", output.len()));
        }
        if let Some(wire) = output.iter().find(|wire| u64::from(**wire) >= wires) {
            return Err(format!("an output is wire {wire}, which does not exist"));
        }
    }
    Ok(())
}

fn value_bits(ty: ValueType) -> Result<u64, String> {
    match check_type(ty, 0)?.ty {
        Type::Word(bits) => Ok(u64::from(bits) * ty.lanes),
        Type::Field(_) => Err(format!("{ty} has no bits")),
    }
}

fn check_name(kind: &'static str, name: &str, may_be_empty: bool) -> Result<(), ValidateError> {
    match name.len() {
        0 if !may_be_empty => Err(declaration(kind, name, "the name is empty")),
        length if length > MAX_NAME => {
            let start: String = name.chars().take(32).collect();
            Err(declaration(kind, &start, &format!("the name is longer than {MAX_NAME} bytes")))
        }
        _ => Ok(()),
    }
}

fn declaration(kind: &'static str, name: &str, reason: &str) -> ValidateError {
    ValidateError::Declaration { kind, name: name.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
