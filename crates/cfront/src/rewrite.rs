//! Turns input and output variables into globals, in the text of unoptimised LLVM IR, so that optimisation
//! keeps them.

use crate::ports::{Interface, Place, Port};

/// The text with every port in a global that is visible to other units.
///
/// Globals lose `static` and `const`, locals become globals, and a parameter is copied from its global where
/// it is declared. Functions may be inlined.
pub(crate) fn expose_ports(text: &str, interface: &Interface) -> String {
    let mut rewriter = Rewriter { output: String::with_capacity(text.len() + 1024), ..Rewriter::default() };
    let ports: Vec<(&Port, bool)> = interface
        .inputs
        .iter()
        .map(|port| (port, true))
        .chain(interface.outputs.iter().map(|port| (port, false)))
        .collect();
    let mut function = None;
    for line in text.lines() {
        if let Some(definition) = line.strip_prefix("define ") {
            function = defined_name(definition);
        }
        rewriter.line(line, function, &ports);
        if line == "}" {
            function = None;
        }
    }
    rewriter.finish(text)
}

/// The name after `@` in the head of a definition, without quotes.
fn defined_name(head: &str) -> Option<&str> {
    let rest = head.split_once('@')?.1;
    Some(match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => rest.split('(').next().unwrap_or_default(),
    })
}

#[derive(Default)]
struct Rewriter {
    output: String,
    added: String,
    /// The first allocations of the current function.
    memory: String,
    copies: bool,
}

impl Rewriter {
    fn push(&mut self, line: &str) {
        self.output.push_str(line);
        self.output.push('\n');
    }

    fn line(&mut self, line: &str, function: Option<&str>, ports: &[(&Port, bool)]) {
        if line.starts_with("attributes #") {
            return self.push(&line.replace(" noinline", ""));
        }
        if line.starts_with('@') {
            return self.push(&global(line, ports));
        }
        let Some(function) = function else { return self.push(line) };
        let mut line = line.to_string();
        if line.starts_with("define ") {
            let here = |port: &&(&Port, bool)| matches!(&port.0.place, Place::Parameter { function: place, .. } if place == function);
            let renamed = ports.iter().filter(here).fold(line, |line, (port, _)| self.given(line, port));
            return self.push(&renamed);
        }
        for (port, input) in ports {
            match &port.place {
                Place::Local { function: place, register } if place == function => {
                    match self.local(&line, register, port, *input) {
                        Some(rewritten) => line = rewritten,
                        None => return,
                    }
                }
                Place::Parameter { function: place, register, .. }
                    if place == function && is_declaration(&line) && contains_register(&line, register) =>
                {
                    self.parameter(register, port);
                }
                _ => {}
            }
        }
        let label = line.ends_with(':') || line.contains(": ") && !line.starts_with(' ');
        if !self.memory.is_empty() && !label {
            let memory = std::mem::take(&mut self.memory);
            self.output.push_str(&memory);
        }
        self.push(&line);
    }

    /// The head of a function. A parameter that is passed by address gets its own memory. Parameters that C
    /// passes by value in memory are marked, and already have it.
    fn given(&mut self, head: String, port: &Port) -> String {
        let Place::Parameter { register, .. } = &port.place else { return head };
        let marked = format!("%{register}");
        let of = |parameter: &&str| contains_register(parameter, register) && !parameter.contains("byval(");
        if !head.split(", ").any(|parameter| of(&parameter)) || !head.contains(&marked) {
            return head;
        }
        self.memory.push_str(&format!("  %{register} = alloca [{} x i8], align 16\n", port.layout.bytes));
        replace_register(&head, register, &format!("%{register}.given"))
    }

    /// A line of the function that declares the local; `None` drops it.
    fn local(&mut self, line: &str, register: &str, port: &Port, input: bool) -> Option<String> {
        if !contains_register(line, register) {
            return Some(line.to_string());
        }
        if let Some(allocation) = line.trim_start().strip_prefix(&format!("%{register} = alloca ")) {
            let ty = allocation.split(", align").next().unwrap_or(allocation);
            let content = if input { "zeroinitializer" } else { "undef" };
            self.added.push_str(&format!("@\"{}\" = global {ty} {content}, align 16\n", port.symbol));
            return Some(line.to_string());
        }
        if is_declaration(line) || line.contains("@llvm.lifetime.") {
            return None;
        }
        Some(replace_register(line, register, &format!("@\"{}\"", port.symbol)))
    }

    fn parameter(&mut self, register: &str, port: &Port) {
        let (symbol, bytes) = (&port.symbol, port.layout.bytes);
        self.push(&format!(
            "  call void @llvm.memcpy.p0.p0.i64(ptr %{register}, ptr @\"{symbol}\", i64 {bytes}, i1 false)"
        ));
        self.added.push_str(&format!("@\"{symbol}\" = global [{bytes} x i8] zeroinitializer, align 16\n"));
        self.copies = true;
    }

    fn finish(mut self, text: &str) -> String {
        let added = std::mem::take(&mut self.added);
        self.push(&added);
        if self.copies && !text.contains("declare void @llvm.memcpy.p0.p0.i64(") {
            self.push("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)");
        }
        self.output
    }
}

/// The definition of a global; ports can be changed from outside.
fn global(line: &str, ports: &[(&Port, bool)]) -> String {
    let name = line.split(" = ").next().unwrap_or_default().trim_start_matches('@').trim_matches('"');
    let is_port = |port: &Port| port.place == Place::Global && port.symbol == name;
    if !ports.iter().any(|(port, _)| is_port(port)) {
        return line.to_string();
    }
    let open = line.replacen(" = internal ", " = ", 1).replacen(" unnamed_addr ", " ", 1);
    open.replacen(" constant ", " global ", 1)
}

fn is_declaration(line: &str) -> bool {
    line.contains("#dbg_declare(") || line.contains("@llvm.dbg.declare(")
}

fn contains_register(line: &str, register: &str) -> bool {
    occurrences(line, register).next().is_some()
}

fn replace_register(line: &str, register: &str, replacement: &str) -> String {
    let (mut result, mut end) = (String::new(), 0);
    for at in occurrences(line, register) {
        result.push_str(&line[end..at]);
        result.push_str(replacement);
        end = at + register.len() + 1;
    }
    result + &line[end..]
}

/// The positions where `%register` occurs as a whole name.
fn occurrences<'l>(line: &'l str, register: &'l str) -> impl Iterator<Item = usize> + 'l {
    line.match_indices('%').map(|(at, _)| at).filter(move |at| {
        let rest = line[at + 1..].strip_prefix(register);
        rest.is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || "$._-".contains(next))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_replaced() {
        let line = "store i32 %x, ptr %x.addr, %x";
        assert_eq!(replace_register(line, "x", "@g"), "store i32 @g, ptr %x.addr, @g");
        assert!(!contains_register("%xy", "x"));
        assert_eq!(defined_name("dso_local i32 @f(i32 %0) #0 {"), Some("f"));
        assert_eq!(defined_name("void @\"a b\"() {"), Some("a b"));
    }
}
