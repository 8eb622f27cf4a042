//! Writing programs.

mod operations;
mod template;

use std::collections::HashSet;

use crate::typing::{NOWHERE, Scope};
use crate::validate::{check_body, check_netlist};
use crate::{
    Body, Field, FieldId, InputPort, Netlist, OutputPort, PortId, Program, RoleId, Shape, Template,
    TemplateId, ValueId, ValueType,
};

pub use template::TemplateBuilder;

/// An operation that does not fit its operands, or a part of a program that does not fit the rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation}: {reason}")]
pub struct BuildError {
    /// The operation, by name.
    pub operation: &'static str,
    /// What does not fit, with the types involved.
    pub reason: String,
}

impl BuildError {
    pub(crate) fn new(operation: &'static str, reason: impl ToString) -> Self {
        BuildError { operation, reason: reason.to_string() }
    }
}

/// Writes a [`Program`]: ports and templates, then `main`.
#[derive(Debug)]
pub struct Builder {
    program: Program,
    scope: Scope,
    taken: HashSet<(&'static str, RoleId, String)>,
}

impl Builder {
    /// An empty program.
    pub fn new(name: &str) -> Self {
        let program = Program {
            name: name.to_owned(),
            roles: Vec::new(),
            fields: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            templates: Vec::new(),
            main: TemplateId(0),
        };
        Builder { program, scope: Scope { fields: 0, ..NOWHERE.clone() }, taken: HashSet::new() }
    }

    /// The role of this name; equal names give the same role.
    pub fn role(&mut self, name: &str) -> RoleId {
        let known = self.program.roles.iter().position(|role| role == name);
        RoleId(known.unwrap_or_else(|| append(&mut self.program.roles, name.to_owned())) as u32)
    }

    /// Declares a field for types to refer to; equal fields give the same number. [`Builder::finish`] checks
    /// it.
    pub fn field(&mut self, field: Field) -> FieldId {
        let known = self.program.fields.iter().position(|other| *other == field);
        let id = known.unwrap_or_else(|| append(&mut self.program.fields, field));
        self.scope.fields = self.program.fields.len() as u32;
        FieldId(id as u32)
    }

    /// An input that `role` gives.
    ///
    /// Errors: a name that the role already uses for another input, an unknown role, a shape without values.
    pub fn input(&mut self, name: &str, role: RoleId, shape: Shape) -> Result<PortId, BuildError> {
        self.claim("input", role, name)?;
        self.scope.inputs.push(columns("input", name, &shape)?);
        let port = InputPort { name: name.to_owned(), role, shape };
        Ok(PortId(append(&mut self.program.inputs, port) as u32))
    }

    /// An output that all of `roles` receive.
    ///
    /// Errors: no role or an unknown one, a name of another output to one of the roles, a shape without
    /// values.
    pub fn output(&mut self, name: &str, mut roles: Vec<RoleId>, shape: Shape) -> Result<PortId, BuildError> {
        roles.sort_unstable();
        roles.dedup();
        if roles.is_empty() {
            return Err(BuildError::new("output", format!("nobody receives `{name}`")));
        }
        roles.iter().try_for_each(|role| self.claim("output", *role, name))?;
        self.scope.outputs.push(columns("output", name, &shape)?);
        let port = OutputPort { name: name.to_owned(), roles, shape };
        Ok(PortId(append(&mut self.program.outputs, port) as u32))
    }

    /// Begins a template with these parameters; [`Builder::add`] or [`Builder::finish`] takes the finished
    /// template.
    pub fn template(&self, name: &str, parameters: Vec<ValueType>) -> TemplateBuilder {
        TemplateBuilder::new(name, parameters)
    }

    /// Adds a template with these results.
    ///
    /// Errors: a parameter or result whose type is not valid in this program, or operations that are only
    /// allowed in `main`.
    pub fn add(
        &mut self,
        template: TemplateBuilder,
        results: Vec<ValueId>,
    ) -> Result<TemplateId, BuildError> {
        let template = template.into_template(results)?;
        self.push(template, false)
    }

    /// Adds a Boolean circuit as a template.
    ///
    /// Errors: wires used before they are driven, or outputs that do not have the bits of the results.
    pub fn add_netlist(
        &mut self,
        name: &str,
        parameters: Vec<ValueType>,
        results: Vec<ValueType>,
        netlist: Netlist,
    ) -> Result<TemplateId, BuildError> {
        check_netlist(&netlist, &parameters, &results)
            .map_err(|reason| BuildError::new("netlist", reason))?;
        self.push(
            Template { name: name.to_owned(), parameters, results, body: Body::Netlist(netlist) },
            false,
        )
    }

    /// The program that starts in `main`.
    ///
    /// Errors: a column of an input or output that does not occur exactly once, parameters of `main`, a field
    /// whose modulus is not a prime, or names that are empty or too long.
    pub fn finish(mut self, main: TemplateBuilder) -> Result<Program, BuildError> {
        let main = main.into_template(Vec::new())?;
        self.program.main = self.push(main, true)?;
        self.program.check_declarations().map_err(|error| BuildError::new("program", error))?;
        Ok(self.program)
    }

    /// The templates so far.
    pub fn templates(&self) -> &[Template] {
        &self.program.templates
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Number of fields.
    pub(crate) fn fields(&self) -> usize {
        self.program.fields.len()
    }

    /// The columns of an input port.
    pub(crate) fn input_columns(&self, port: PortId) -> &[ValueType] {
        self.scope.inputs.get(port.index()).map_or(&[], Vec::as_slice)
    }

    /// The columns of an output port.
    pub(crate) fn output_columns(&self, port: PortId) -> &[ValueType] {
        self.scope.outputs.get(port.index()).map_or(&[], Vec::as_slice)
    }

    fn push(&mut self, template: Template, main: bool) -> Result<TemplateId, BuildError> {
        let checked =
            check_body(&template, &self.scope, main).map_err(|error| BuildError::new("template", error))?;
        self.scope.templates.push(checked.signature(&template));
        Ok(TemplateId(append(&mut self.program.templates, template) as u32))
    }

    fn claim(&mut self, kind: &'static str, role: RoleId, name: &str) -> Result<(), BuildError> {
        let who = self.program.roles.get(role.index());
        let who =
            who.ok_or_else(|| BuildError::new(kind, format!("`{name}` names {role}, which is unknown")))?;
        match name.is_empty() {
            true => Err(BuildError::new(kind, "a name is empty")),
            false if self.taken.insert((kind, role, name.to_owned())) => Ok(()),
            false => Err(BuildError::new(kind, format!("{who} has two of the name `{name}`"))),
        }
    }
}

fn append<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}

fn columns(kind: &'static str, name: &str, shape: &Shape) -> Result<Vec<ValueType>, BuildError> {
    shape.check().map_err(|reason| BuildError::new(kind, format!("`{name}`: {reason}")))?;
    Ok(shape.columns().into_iter().map(crate::Column::value_type).collect())
}

#[cfg(test)]
mod tests;
