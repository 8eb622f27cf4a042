//! Functions of the C library that are compiled along with a program that calls but does not define them.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::sync::{LazyLock, Mutex};

use crate::clang::Purpose;
use crate::llvm::{Module, Symbol};
use crate::workspace::Workspace;
use crate::{CError, IntWidth, Options};

const STRING: &str = include_str!("../runtime/string.c");

/// The functions of [`STRING`].
const NAMES: [&str; 21] = [
    "bcopy", "bzero", "index", "memchr", "mempcpy", "rindex", "stpcpy", "strcat", "strchr", "strcmp",
    "strcpy", "strcspn", "strlen", "strncat", "strncmp", "strncpy", "strnlen", "strpbrk", "strrchr",
    "strspn", "strstr",
];

type Key = (Vec<OsString>, Purpose, IntWidth, Vec<&'static str>);

/// Units of this process, by compiler, purpose and functions.
static UNITS: LazyLock<Mutex<HashMap<Key, String>>> = LazyLock::new(Mutex::default);

/// A unit with the library functions that a module calls but does not define, if there are any.
pub(crate) fn unit(
    module: &Module,
    workspace: &Workspace,
    options: &Options,
    purpose: Purpose,
) -> Result<Option<String>, CError> {
    let external = |symbol: &Symbol| match symbol {
        Symbol::External(name) => NAMES.iter().copied().find(|known| **known == **name),
        _ => None,
    };
    let wanted: BTreeSet<&str> = module.symbols().filter_map(|(_, symbol)| external(symbol)).collect();
    if wanted.is_empty() {
        return Ok(None);
    }
    let key =
        (options.compiler.command.clone(), purpose, options.int_width, wanted.iter().copied().collect());
    let known = UNITS.lock().ok().and_then(|units| units.get(&key).cloned());
    if known.is_some() {
        return Ok(known);
    }
    let mut plain = Options::new(options.compiler.clone());
    plain.int_width = options.int_width;
    plain.flags = wanted.iter().map(|name| format!("-DWANT_{name}").into()).collect();
    let text = workspace.translate_text("string.c", STRING, &plain, purpose)?;
    if let Ok(mut units) = UNITS.lock() {
        units.insert(key, text.clone());
    }
    Ok(Some(text))
}
