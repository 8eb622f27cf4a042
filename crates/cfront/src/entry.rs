//! A function that calls the main function of a program, whatever its parameters and result, in the text of
//! LLVM IR.

/// The name under which the main function is called.
const MAIN: &str = "tacit_program";

/// The name of the function that calls it and stores its result at the address in its only argument.
pub(crate) const ENTRY: &str = "tacit_entry";

/// The text with the main function renamed to a unique name and, if it is defined there, with [`ENTRY`].
pub(crate) fn with_entry(text: &str, name: &str) -> String {
    let renamed: String = text.lines().map(|line| renamed(line, name) + "\n").collect();
    let head =
        renamed.lines().find(|line| line.starts_with("define ") && line.contains(&format!("@{MAIN}(")));
    match head.and_then(entry) {
        Some(entry) => renamed + &entry,
        None => renamed,
    }
}

/// A line with the main function renamed and made visible to other units.
fn renamed(line: &str, name: &str) -> String {
    let symbol = format!("@{name}");
    let (mut result, mut end) = (String::new(), 0);
    for (at, _) in line.match_indices(&symbol) {
        let next = line[at + symbol.len()..].chars().next();
        if !next.is_some_and(|next| next.is_ascii_alphanumeric() || "$._-".contains(next)) {
            result.push_str(&line[end..at]);
            result.push_str(&format!("@{MAIN}"));
            end = at + symbol.len();
        }
    }
    result.push_str(&line[end..]);
    match result.starts_with("define ") && result.contains(&format!("@{MAIN}(")) {
        true => result.replacen(" internal ", " ", 1),
        false => result,
    }
}

/// The entry for a main function with this head. Since inputs are read from variables, the arguments are
/// zeros.
fn entry(head: &str) -> Option<String> {
    let (before, rest) = head.split_once(&format!(" @{MAIN}("))?;
    let result = last_type(before);
    let mut body = String::new();
    let mut arguments = Vec::new();
    for (number, parameter) in parameters(rest).into_iter().enumerate() {
        let ty = parameter.rsplit_once(" %").map_or(parameter, |(ty, _)| ty);
        if ty.contains("sret(") {
            arguments.push(format!("{ty} %result"));
        } else if let Some((_, copied)) = ty.split_once("byval(") {
            body.push_str(&format!("  %copy{number} = alloca {}, align 16\n", within(copied)));
            arguments.push(format!("{ty} %copy{number}"));
        } else {
            arguments.push(format!("{ty} zeroinitializer"));
        }
    }
    let call = format!("call {result} @{MAIN}({})", arguments.join(", "));
    body.push_str(&match result {
        "void" => format!("  {call}\n"),
        _ => format!("  %value = {call}\n  store {result} %value, ptr %result, align 1\n"),
    });
    Some(format!("define void @{ENTRY}(ptr %result) {{\n{body}  ret void\n}}\n"))
}

/// The part of this text before the parenthesis that closes it.
fn within(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c| {
        depth +=
            i32::from(matches!(c, '(' | '{' | '[' | '<')) - i32::from(matches!(c, ')' | '}' | ']' | '>'));
        depth < 0
    });
    &text[..end.unwrap_or(text.len())]
}

/// The type at the end of a text.
fn last_type(text: &str) -> &str {
    let mut depth = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        depth +=
            i32::from(matches!(c, ')' | '}' | ']' | '>')) - i32::from(matches!(c, '(' | '{' | '[' | '<'));
        depth == 0 && *c == ' '
    });
    &text[start.map_or(0, |(at, _)| at + 1)..]
}

/// The parameters in the text after the opening parenthesis of their list.
fn parameters(text: &str) -> Vec<&str> {
    let list = within(text);
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        depth +=
            i32::from(matches!(c, '(' | '{' | '[' | '<')) - i32::from(matches!(c, ')' | '}' | ']' | '>'));
        if c == ',' && depth == 0 {
            found.push(list[start..at].trim());
            start = at + 1;
        }
    }
    found.push(list[start..].trim());
    found.retain(|parameter| !parameter.is_empty() && *parameter != "...");
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_function_gets_a_name_of_its_own_and_an_entry() {
        let text = "define internal i32 @main(i32 %0) {\n  call void @main2(ptr @main)\n}\n";
        let expected = "define i32 @tacit_program(i32 %0) {\n  call void @main2(ptr @tacit_program)\n}\n\
             define void @tacit_entry(ptr %result) {\n  %value = call i32 @tacit_program(i32 zeroinitializer)\n  \
             store i32 %value, ptr %result, align 1\n  ret void\n}\n";
        assert_eq!(with_entry(text, "main"), expected);
        assert_eq!(with_entry(text, "mai"), text);
    }

    #[test]
    fn every_form_of_result_and_argument_is_passed() {
        let call = |head: &str| {
            let entry = entry(&format!("define dso_local {head} #0 {{")).expect("an entry");
            entry.lines().find(|line| line.contains("call ")).expect("a call").trim().to_string()
        };
        assert_eq!(
            call("noundef { i64, i32 } @tacit_program(<2 x float> noundef %a.coerce, { i8, i32 } %b)"),
            "%value = call { i64, i32 } @tacit_program(<2 x float> noundef zeroinitializer, { i8, i32 } zeroinitializer)"
        );
        assert_eq!(
            call("void @tacit_program(ptr sret(%struct.s) align 8 %r, ptr byval({ [4 x i64] }) align 8 %p)"),
            "call void @tacit_program(ptr sret(%struct.s) align 8 %result, ptr byval({ [4 x i64] }) align 8 %copy1)"
        );
        assert_eq!(call("range(i32 0, 2) i32 @tacit_program()"), "%value = call i32 @tacit_program()");
    }
}
