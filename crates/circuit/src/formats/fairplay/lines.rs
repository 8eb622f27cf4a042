//! Lines with their numbers, and their fields.

use super::super::{FormatError, Problem};

/// The lines that are not blank and not only a comment.
pub(super) struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lines { rest: text.lines().enumerate(), line: 0 }
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        for (index, line) in self.rest.by_ref() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with("//") {
                self.line = index + 1;
                return Some(line);
            }
        }
        None
    }

    /// The next line, which must exist.
    pub(super) fn expect(&mut self, what: &'static str) -> Result<&'a str, FormatError> {
        self.next().ok_or_else(|| self.error(Problem::Ends(what)))
    }

    /// The number of the line that was read last.
    pub(super) fn number(&self) -> usize {
        self.line
    }

    /// A problem of the line that was read last.
    pub(super) fn error(&self, problem: Problem) -> FormatError {
        FormatError { line: self.line.max(1), problem }
    }

    /// The result for a line, or its problem with the line's number.
    pub(super) fn checked<T>(&self, result: Result<T, Problem>) -> Result<T, FormatError> {
        result.map_err(|problem| self.error(problem))
    }
}

/// The fields of a line, in order.
pub(super) struct Fields<'a> {
    fields: Vec<&'a str>,
    next: usize,
}

impl<'a> Fields<'a> {
    /// Fields between spaces; brackets are separate fields.
    pub(super) fn words(line: &'a str) -> Self {
        let fields = line.split_ascii_whitespace().flat_map(|word| word.split_inclusive(['[', ']']));
        let mut all = Vec::new();
        for field in fields {
            match field.len() > 1 && field.ends_with(['[', ']']) {
                true => all.extend([&field[..field.len() - 1], &field[field.len() - 1..]]),
                false => all.push(field),
            }
        }
        Fields { fields: all, next: 0 }
    }

    /// Fields between separators.
    pub(super) fn split(line: &'a str, separator: char) -> Self {
        Fields { fields: line.split(separator).map(str::trim).collect(), next: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.fields.get(self.next).copied()
    }

    pub(super) fn take(&mut self, what: &'static str) -> Result<&'a str, Problem> {
        let field = self.peek().ok_or(Problem::Lacks(what))?;
        self.next += 1;
        Ok(field)
    }

    pub(super) fn literal(&mut self, expected: &'static str) -> Result<(), Problem> {
        match self.take(expected)? {
            found if found == expected => Ok(()),
            found => Err(Problem::Expected { expected, found: short(found) }),
        }
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<usize, Problem> {
        super::super::reader::number(self.take(what)?)
    }

    /// Numbers in brackets.
    pub(super) fn bracketed(&mut self, what: &'static str) -> Result<Vec<usize>, Problem> {
        self.literal("[")?;
        let mut numbers = Vec::new();
        while self.peek() != Some("]") {
            numbers.push(self.number(what)?);
        }
        self.literal("]")?;
        Ok(numbers)
    }

    /// The rest of the line as numbers.
    pub(super) fn numbers(&mut self, what: &'static str) -> Result<Vec<usize>, Problem> {
        let mut numbers = Vec::new();
        while self.peek().is_some() {
            numbers.push(self.number(what)?);
        }
        Ok(numbers)
    }

    /// Checks that nothing follows.
    pub(super) fn end(&self) -> Result<(), Problem> {
        match self.peek() {
            None => Ok(()),
            Some(found) => Err(Problem::Expected { expected: "the end of the line", found: short(found) }),
        }
    }
}

/// The values of a truth table.
pub(super) fn bits(numbers: &[usize]) -> Result<Vec<bool>, Problem> {
    let bit = |number: &usize| match number {
        0 | 1 => Ok(*number == 1),
        other => Err(Problem::NotABit(*other)),
    };
    numbers.iter().map(bit).collect()
}

/// The beginning of a field, for messages.
pub(super) fn short(field: &str) -> String {
    field.chars().take(40).collect()
}
