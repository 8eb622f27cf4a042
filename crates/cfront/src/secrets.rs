//! Turns fixed values of a program into inputs, so that the compiled program on those values and the native
//! program must agree: initialised variables, and integers that are arguments or are stored.

use std::collections::BTreeSet;

use crate::int::Int;

/// The prefix of the names of globals that represent integers of the source.
pub(crate) const LITERAL: &str = "tacit.literal.";

/// An integer of the source that could be an input.
#[derive(Clone, Debug)]
pub(crate) struct Literal {
    /// The global that represents it.
    pub symbol: String,
    pub bits: u32,
}

/// Replaces those integers of a unit whose globals' names are `chosen` by reads of these globals. Returns all
/// that could be chosen.
pub(crate) fn expose_literals(text: &str, unit: usize, chosen: &BTreeSet<String>) -> (String, Vec<Literal>) {
    let functions: BTreeSet<&str> = text.lines().filter_map(defined).collect();
    let mut rewriter = Rewriter {
        unit,
        chosen,
        functions,
        literals: Vec::new(),
        output: String::new(),
        globals: String::new(),
    };
    let mut inside = false;
    for line in text.lines() {
        inside = (inside || line.starts_with("define ")) && line != "}";
        let line = if inside { rewriter.line(line) } else { line.to_string() };
        rewriter.output.push_str(&line);
        rewriter.output.push('\n');
    }
    (rewriter.output + &rewriter.globals, rewriter.literals)
}

fn defined(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("define ")?.split_once('@')?.1;
    rest.split_once('(').map(|(name, _)| name)
}

struct Rewriter<'t> {
    unit: usize,
    chosen: &'t BTreeSet<String>,
    functions: BTreeSet<&'t str>,
    literals: Vec<Literal>,
    output: String,
    globals: String,
}

impl Rewriter<'_> {
    fn line(&mut self, line: &str) -> String {
        match (line.contains(" call "), line.trim_start().strip_prefix("store ")) {
            (true, _) => self.call(line),
            (false, Some(store)) => self.store(line, store),
            _ => line.to_string(),
        }
    }

    /// The integers among the arguments of a call of a function of this unit.
    fn call(&mut self, line: &str) -> String {
        let Some((head, rest)) = line.split_once('@') else { return line.to_string() };
        let Some((name, rest)) = rest.split_once('(') else { return line.to_string() };
        let simple = !rest.contains(['(', '{', '[']) || rest.split(')').next().is_some_and(plain);
        if !self.functions.contains(name) || !simple {
            return line.to_string();
        }
        let Some((arguments, end)) = rest.split_once(')') else { return line.to_string() };
        let arguments: Vec<String> = arguments.split(", ").map(|argument| self.argument(argument)).collect();
        format!("{head}@{name}({}){end}", arguments.join(", "))
    }

    fn argument(&mut self, argument: &str) -> String {
        let parsed = argument.rsplit_once(' ').and_then(|(ty, digits)| {
            let bits = width(ty.split(' ').next()?)?;
            Some((ty, bits, Int::parse(bits, digits).map(|_| digits)?))
        });
        match parsed.map(|(ty, bits, digits)| (ty, self.read(bits, digits))) {
            Some((ty, Some(register))) => format!("{ty} {register}"),
            _ => argument.to_string(),
        }
    }

    /// `store i32 5, ptr %x`, except for zeros and ones, with which most loops begin.
    fn store(&mut self, line: &str, store: &str) -> String {
        let Some((value, rest)) = store.split_once(", ") else { return line.to_string() };
        let Some((ty, digits)) = value.split_once(' ') else { return line.to_string() };
        let known =
            width(ty).filter(|bits| Int::parse(*bits, digits).is_some() && !["0", "1"].contains(&digits));
        match known.and_then(|bits| self.read(bits, digits)) {
            Some(register) => format!("  store {ty} {register}, {rest}"),
            None => line.to_string(),
        }
    }

    /// The register that holds the next integer, read from its global, if it is chosen.
    fn read(&mut self, bits: u32, digits: &str) -> Option<String> {
        let symbol = format!("{LITERAL}{}.{}", self.unit, self.literals.len());
        self.literals.push(Literal { symbol: symbol.clone(), bits });
        if !self.chosen.contains(&symbol) {
            return None;
        }
        let register = format!("%\"{symbol}\"");
        self.globals.push_str(&format!("@\"{symbol}\" = global i{bits} {digits}\n"));
        self.output.push_str(&format!("  {register} = load i{bits}, ptr @\"{symbol}\"\n"));
        Some(register)
    }
}

/// Whether arguments contain only words and numbers.
fn plain(arguments: &str) -> bool {
    !arguments.contains(['(', '{', '[', '"'])
}

fn width(ty: &str) -> Option<u32> {
    let bits: u32 = ty.strip_prefix('i')?.parse().ok()?;
    (8..=64).contains(&bits).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_calls_and_stores_become_reads() {
        let text = "define i32 @f(i32 %0) {\n  store i32 7, ptr %x\n  store i32 0, ptr %i\n  \
                    %r = call i32 @f(i32 noundef 5), !dbg !1\n  call void @llvm.x(i32 3)\n}\n";
        let (same, literals) = expose_literals(text, 1, &BTreeSet::new());
        assert_eq!((same.as_str(), literals.len()), (text, 2));
        let chosen = BTreeSet::from([literals[1].symbol.clone()]);
        let (changed, _) = expose_literals(text, 1, &chosen);
        assert!(changed.contains("@f(i32 noundef %\"tacit.literal.1.1\"), !dbg !1"), "{changed}");
        assert!(changed.contains("@\"tacit.literal.1.1\" = global i32 5"), "{changed}");
    }
}
