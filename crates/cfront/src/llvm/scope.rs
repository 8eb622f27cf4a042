use std::collections::HashMap;

/// The names of the function being read.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) registers: HashMap<String, u32>,
    pub(super) blocks: HashMap<String, u32>,
}

impl Scope {
    pub(super) fn number(names: &mut HashMap<String, u32>, name: &str) -> u32 {
        let next = names.len() as u32;
        *names.entry(name.to_string()).or_insert(next)
    }
}
