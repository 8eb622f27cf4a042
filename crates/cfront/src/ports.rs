//! Finds the main function and the variables that are its inputs and outputs.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::debug::{Layout, location, type_name};
use crate::llvm::{Constant, Expression, Function, Kind, Module, Node, Operand, Symbol, SymbolId};
use crate::secrets::Literal;
use crate::{CError, Location};

/// The inputs and outputs of a program.
#[derive(Debug)]
pub(crate) struct Interface {
    /// The main function's name in the source.
    pub name: String,
    /// Its name in LLVM IR.
    pub symbol: String,
    /// In alphabetical order, at least two.
    pub roles: Vec<String>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    /// The value that the main function returns.
    pub result: Option<Layout>,
}

/// An input or output variable.
#[derive(Debug)]
pub(crate) struct Port {
    pub name: String,
    /// Who gives or receives it, as indices of roles.
    pub roles: Vec<usize>,
    /// The variable's name in C.
    pub variable: String,
    /// The name of the global that holds it.
    pub symbol: String,
    pub place: Place,
    pub layout: Layout,
    pub location: Location,
    /// The C name of its type, if it has one.
    pub type_name: Option<String>,
}

/// Where a variable is declared in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Global,
    /// A local of a function, by the names of both.
    Local {
        function: String,
        register: String,
    },
    /// A parameter of the main function, by the name of the memory that holds it.
    Parameter {
        function: String,
        register: String,
        /// Which parameter, counted from 1.
        position: u32,
    },
}

/// The two kinds of variable names.
enum Kinds {
    Input {
        role: String,
        name: String,
    },
    Output(String),
    /// A fixed value of the program, turned into an input.
    Fixed(String),
}

struct Found {
    kind: Kinds,
    variable: String,
    symbol: String,
    place: Place,
    layout: Layout,
    location: Location,
    type_name: Option<String>,
}

/// Finds the main function and its variables.
///
/// # Errors
/// [`CError::MainFunction`] if the main function is ambiguous, [`CError::Variable`] if a variable cannot be
/// an input or output.
pub(crate) fn find(
    module: &Module,
    wanted: Option<&str>,
    fixed: &BTreeSet<String>,
) -> Result<Interface, CError> {
    let main = main_function(module, wanted)?;
    let reachable = reachable(module, main);
    let Symbol::Function(function) = module.symbol(main) else {
        return Err(CError::MainFunction { wanted: None, candidates: Vec::new() });
    };
    let mut found = Vec::new();
    for symbol in &reachable {
        if let Symbol::Global(global) = module.symbol(*symbol)
            && let Some(variable) = global_variable(module, global.debug)
        {
            let place = Place::Global;
            let symbol = global.name.to_string();
            match fixed.contains(&symbol) {
                true => found.push(as_input(module, variable, symbol)?),
                false => found.extend(classify(module, variable, symbol, place)?),
            }
        }
    }
    let mut files: Vec<String> = Vec::new();
    for file in found.iter().map(|one: &Found| &one.location.file) {
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    // Globals in order of declaration, regardless of the compiler's order.
    found.sort_by_key(|one| (files.iter().position(|file| *file == one.location.file), one.location.line));
    found.extend(locals(module, function, true)?);
    for symbol in reachable.iter().filter(|symbol| **symbol != main) {
        if let Symbol::Function(other) = module.symbol(*symbol) {
            found.extend(locals(module, other, false)?);
        }
    }
    assemble(module, function, found)
}

/// The names of initialised variables that could be inputs, in order of declaration.
pub(crate) fn fixed(module: &Module, wanted: Option<&str>) -> Result<Vec<String>, CError> {
    let main = main_function(module, wanted)?;
    let mut found = Vec::new();
    for symbol in reachable(module, main) {
        if let Symbol::Global(global) = module.symbol(symbol)
            && !matches!(global.initializer, Constant::Undefined)
            && let Some(variable) = global_variable(module, global.debug).filter(|node| !is_port(node))
            && as_input(module, variable, global.name.to_string()).is_ok()
        {
            found.push((variable.line(), global.name.to_string()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, name)| name).collect())
}

/// A variable as an input, whatever its name.
fn as_input(module: &Module, variable: &Node, symbol: String) -> Result<Found, CError> {
    let location = Location { file: String::new(), line: variable.line() };
    let fail = |reason: String| CError::Variable { location: location.clone(), name: symbol.clone(), reason };
    let ty = variable.reference("type").ok_or_else(|| fail("its type is not known".into()))?;
    let layout = Layout::of(&module.metadata, ty).map_err(fail)?;
    let kind = Kinds::Fixed(symbol.clone());
    Ok(Found {
        kind,
        variable: symbol.clone(),
        symbol,
        place: Place::Global,
        layout,
        location,
        type_name: None,
    })
}

/// Adds integers of the source as inputs.
pub(crate) fn add_literals(interface: &mut Interface, literals: &[Literal]) {
    for (number, literal) in literals.iter().enumerate() {
        interface.inputs.push(Port {
            name: literal.symbol.clone(),
            roles: vec![number % 2],
            variable: literal.symbol.clone(),
            symbol: literal.symbol.clone(),
            place: Place::Global,
            layout: Layout::integer(literal.bits),
            location: Location::default(),
            type_name: None,
        });
    }
}

fn main_function(module: &Module, wanted: Option<&str>) -> Result<SymbolId, CError> {
    if let Some(name) = wanted {
        let named = |(_, function): &(SymbolId, &Rc<Function>)| source_name(module, function) == name;
        let found = module.functions().find(named);
        return found.map(|(id, _)| id).ok_or_else(|| CError::MainFunction {
            wanted: Some(name.into()),
            candidates: module
                .functions()
                .map(|(_, function)| source_name(module, function).into())
                .collect(),
        });
    }
    let mut called: BTreeSet<SymbolId> = module.constructors.iter().map(|(_, function)| *function).collect();
    for (id, function) in module.functions() {
        called.extend(references(function).into_iter().filter(|other| *other != id));
    }
    for (_, symbol) in module.symbols() {
        if let Symbol::Global(global) = symbol {
            constant_references(&global.initializer, &mut called);
        }
    }
    let uses_ports = |id: SymbolId| {
        reachable(module, id).into_iter().any(|symbol| match module.symbol(symbol) {
            Symbol::Global(global) => global_variable(module, global.debug).is_some_and(is_port),
            Symbol::Function(function) => {
                declared(function).any(|(_, variable)| module.metadata.node(variable).is_some_and(is_port))
            }
            _ => false,
        })
    };
    let users: Vec<_> = module.functions().filter(|(id, _)| uses_ports(*id)).collect();
    let roots: Vec<_> = users.iter().filter(|(id, _)| !called.contains(id)).collect();
    match (&roots[..], &users[..]) {
        ([(only, _)], _) | ([], [(only, _)]) => Ok(*only),
        _ => match roots.iter().find(|(_, function)| function.name.as_ref() == "main") {
            Some((main, _)) => Ok(*main),
            None => {
                let several = if roots.is_empty() { users.iter().collect() } else { roots };
                let candidates =
                    several.iter().map(|(_, function)| source_name(module, function).into()).collect();
                Err(CError::MainFunction { wanted: None, candidates })
            }
        },
    }
}

/// A function's name in the source; languages other than C mangle it.
fn source_name<'m>(module: &'m Module, function: &'m Function) -> &'m str {
    let node = function.debug.and_then(|debug| module.metadata.node(debug));
    node.and_then(|node| node.text("name")).unwrap_or(&function.name)
}

fn is_port(variable: &Node) -> bool {
    variable.text("name").is_some_and(|name| name.starts_with("INPUT_") || name.starts_with("OUTPUT_"))
}

/// The `!DIGlobalVariable` of a `!DIGlobalVariableExpression`.
fn global_variable(module: &Module, debug: Option<u32>) -> Option<&Node> {
    module.metadata.follow(module.metadata.node(debug?)?, "var")
}

/// The variables declared in a function, with the registers that hold their addresses.
fn declared(function: &Function) -> impl Iterator<Item = (u32, u32)> {
    function.blocks.iter().flat_map(|block| &block.instructions).filter_map(|instruction| match &instruction
        .kind
    {
        Kind::Declare { address: Operand::Register(register), variable } => Some((*register, *variable)),
        _ => None,
    })
}

fn locals(module: &Module, function: &Function, main: bool) -> Result<Vec<Found>, CError> {
    let mut found = Vec::new();
    for (register, number) in declared(function) {
        let Some(variable) = module.metadata.node(number) else { continue };
        let position = variable.number("arg").and_then(|position| u32::try_from(position).ok());
        let parameter = position.is_some();
        if parameter && !main {
            continue;
        }
        let name = variable.text("name").unwrap_or_default();
        // Arguments of `main` itself are never set.
        if parameter && !is_port(variable) && function.name.as_ref() == "main" {
            continue;
        }
        if parameter && !is_port(variable) {
            return Err(CError::Variable {
                location: location(&module.metadata, number),
                name: name.into(),
                reason: "a parameter of the main function must be named INPUT_<role>_<name>".into(),
            });
        }
        let (function, register) = (function.name.to_string(), function.names[register as usize].clone());
        let symbol = format!("tacit.{function}.{name}");
        let place = match position {
            Some(position) if name.starts_with("INPUT_") => Place::Parameter { function, register, position },
            _ => Place::Local { function, register },
        };
        found.extend(classify(module, variable, symbol, place)?);
    }
    Ok(found)
}

/// Where a variable is declared.
fn declaration(module: &Module, variable: &Node) -> Location {
    let file = module.metadata.follow(variable, "file").and_then(|file| file.text("filename"));
    Location { file: file.unwrap_or_default().into(), line: variable.line() }
}

fn classify(module: &Module, variable: &Node, symbol: String, place: Place) -> Result<Option<Found>, CError> {
    let Some(name) = variable.text("name").filter(|_| is_port(variable)) else { return Ok(None) };
    let location = declaration(module, variable);
    let fail = |reason: String| CError::Variable { location: location.clone(), name: name.into(), reason };
    let kind = kind_of(name).map_err(fail)?;
    let ty = variable.reference("type").ok_or_else(|| fail("its type is not known".into()))?;
    let layout = Layout::of(&module.metadata, ty).map_err(fail)?;
    let type_name = type_name(&module.metadata, ty);
    Ok(Some(Found { kind, variable: name.into(), symbol, place, layout, location, type_name }))
}

fn kind_of(name: &str) -> Result<Kinds, String> {
    if let Some(name) = name.strip_prefix("OUTPUT_") {
        return match name {
            "" => Err("an output needs a name after OUTPUT_".into()),
            _ => Ok(Kinds::Output(name.into())),
        };
    }
    let role = name.strip_prefix("INPUT_").and_then(|rest| rest.split_once('_'));
    match role {
        Some((role, name)) if is_role(role) && !name.is_empty() => {
            Ok(Kinds::Input { role: role.into(), name: name.into() })
        }
        _ => {
            Err("an input is named INPUT_<role>_<name>, the role in capital letters, such as INPUT_A_x"
                .into())
        }
    }
}

fn is_role(role: &str) -> bool {
    role.starts_with(|first: char| first.is_ascii_uppercase())
        && role.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn assemble(module: &Module, function: &Rc<Function>, found: Vec<Found>) -> Result<Interface, CError> {
    let roles = roles(&found, declared_roles(module)?);
    let index = |name: &str| roles.iter().position(|role| role == name);
    let (mut inputs, mut outputs): (Vec<Port>, Vec<Port>) = (Vec::new(), Vec::new());
    let mut fixed = 0;
    for Found { kind, variable, symbol, place, layout, location, type_name } in found {
        let (list, name, roles) = match kind {
            Kinds::Input { role, name } => (&mut inputs, name, index(&role).into_iter().collect()),
            Kinds::Fixed(name) => {
                fixed += 1;
                (&mut inputs, name, vec![fixed % 2])
            }
            Kinds::Output(name) => match recipients(&name, &roles) {
                Ok((name, recipients)) => (&mut outputs, name, recipients),
                Err(reason) => return Err(CError::Variable { location, name: variable, reason }),
            },
        };
        if list.iter().any(|port| port.name == name && port.roles.iter().any(|role| roles.contains(role))) {
            let reason = "there are two variables of this name".into();
            return Err(CError::Variable { location, name: variable, reason });
        }
        list.push(Port { name, roles, variable, symbol, place, layout, location, type_name });
    }
    let result = result_layout(module, function)?;
    let (name, symbol) = (source_name(module, function).to_string(), function.name.to_string());
    let interface = Interface { name, symbol, roles, inputs, outputs, result };
    match interface.outputs.is_empty() && interface.result.is_none() {
        true => Err(CError::Variable {
            location: function.debug.map(|debug| location(&module.metadata, debug)).unwrap_or_default(),
            name: interface.name,
            reason: "the main function has no OUTPUT_ variable and returns nothing".into(),
        }),
        false => Ok(interface),
    }
}

/// The name and recipients of an output, by the text after `OUTPUT_`.
///
/// A name that begins with a capital letter must begin with a known role. A misspelt role must never become
/// part of a name, since every role would then receive what was meant for one.
fn recipients(name: &str, roles: &[String]) -> Result<(String, Vec<usize>), String> {
    let (first, rest) = name.split_once('_').unwrap_or((name, ""));
    if let Some(role) = roles.iter().position(|role| role == first) {
        return match rest {
            "" => Err(format!("an output of role {first} needs a name: OUTPUT_{first}_<name>")),
            rest => Ok((rest.into(), vec![role])),
        };
    }
    let alike = roles.iter().find(|role| role.eq_ignore_ascii_case(first)).filter(|_| !rest.is_empty());
    if let Some(role) = alike {
        return Err(format!(
            "`{first}` is not a role, but {role} is: write OUTPUT_{role}_{rest} for role {role} alone, or begin the name \
             of an output for every role with another word"
        ));
    }
    if first.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        let known = roles.join(", ");
        let declaration = match is_role(first) {
            true => format!("declare it outside of functions with TACIT_ROLE({first});"),
            false => "write it in capital letters".into(),
        };
        return Err(format!(
            "there is no role {first}; the roles are {known}. If {first} is a role that gives no inputs, {declaration} \
             the name of an output for every role begins with a small letter"
        ));
    }
    Ok((name.into(), (0..roles.len()).collect()))
}

/// The prefix of variables that declare roles.
const ROLE: &str = "TACIT_ROLE_";

/// The roles that the sources declare.
fn declared_roles(module: &Module) -> Result<BTreeSet<String>, CError> {
    let mut roles = BTreeSet::new();
    for (_, symbol) in module.symbols() {
        let Symbol::Global(global) = symbol else { continue };
        let Some(variable) = global_variable(module, global.debug) else { continue };
        let Some(role) = variable.text("name").and_then(|name| name.strip_prefix(ROLE)) else { continue };
        if !is_role(role) {
            return Err(CError::Variable {
                location: declaration(module, variable),
                name: format!("{ROLE}{role}"),
                reason: format!(
                    "`{role}` is not a role: a role is a word of capital letters and digits, such as A"
                ),
            });
        }
        roles.insert(role.into());
    }
    Ok(roles)
}

/// The roles declared or named by inputs, plus A and B while there are fewer than two.
fn roles(found: &[Found], declared: BTreeSet<String>) -> Vec<String> {
    let mut roles = declared;
    for one in found {
        if let Kinds::Input { role, .. } = &one.kind {
            roles.insert(role.clone());
        }
    }
    for name in ["A", "B"] {
        if roles.len() < 2 {
            roles.insert(name.into());
        }
    }
    roles.into_iter().collect()
}

fn result_layout(module: &Module, function: &Function) -> Result<Option<Layout>, CError> {
    let Some(debug) = function.debug else { return Ok(None) };
    let signature = module.metadata.node(debug).and_then(|node| module.metadata.follow(node, "type"));
    let types = signature.map(|node| module.metadata.elements(node, "types")).unwrap_or_default();
    let Some(Some(ty)) = types.first() else { return Ok(None) };
    let layout = Layout::of(&module.metadata, *ty).map_err(|reason| CError::Variable {
        location: location(&module.metadata, debug),
        name: format!("the result of {}", function.name),
        reason,
    })?;
    Ok(Some(layout))
}

/// All symbols that a function may reach, in order of their numbers.
fn reachable(module: &Module, root: SymbolId) -> BTreeSet<SymbolId> {
    let mut reached = BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(symbol) = open.pop() {
        let next = match module.symbol(symbol) {
            Symbol::Function(function) => references(function),
            Symbol::Global(global) => {
                let mut symbols = BTreeSet::new();
                constant_references(&global.initializer, &mut symbols);
                symbols
            }
            Symbol::Alias(target) => {
                let mut symbols = BTreeSet::new();
                constant_references(target, &mut symbols);
                symbols
            }
            Symbol::External(_) => BTreeSet::new(),
        };
        open.extend(next.into_iter().filter(|symbol| reached.insert(*symbol)));
    }
    reached
}

/// The symbols that a function's body names.
fn references(function: &Function) -> BTreeSet<SymbolId> {
    let mut symbols = BTreeSet::new();
    let mut visit = |operand: &Operand| {
        if let Operand::Constant(constant) = operand {
            constant_references(constant, &mut symbols);
        }
    };
    for block in &function.blocks {
        block.phis.iter().flat_map(|phi| &phi.incoming).for_each(|(value, _)| visit(value));
        block.instructions.iter().for_each(|instruction| instruction.for_each_operand(&mut visit));
        block.terminator.for_each_operand(&mut visit);
    }
    symbols
}

fn constant_references(constant: &Constant, symbols: &mut BTreeSet<SymbolId>) {
    match constant {
        Constant::Symbol(symbol) => drop(symbols.insert(*symbol)),
        Constant::Aggregate(members) => {
            members.iter().for_each(|member| constant_references(member, symbols))
        }
        Constant::Expression(expression) => match expression.as_ref() {
            Expression::Address { base: inner, .. } | Expression::Cast(_, _, inner) => {
                constant_references(inner, symbols);
            }
            Expression::Binary(_, a, b) => {
                constant_references(a, symbols);
                constant_references(b, symbols);
            }
        },
        _ => {}
    }
}
