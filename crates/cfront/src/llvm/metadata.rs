use std::collections::BTreeMap;

/// The debug records of a module: numbered nodes with named or numbered fields.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    nodes: BTreeMap<u32, Node>,
}

/// One node: `!DIKind(field: value, …)` or a tuple `!{…}`, whose kind is empty and whose fields have no names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub kind: String,
    pub fields: Vec<(String, Field)>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Field {
    Reference(u32),
    Number(i128),
    Text(String),
    /// A keyword, or several joined by `|`.
    Word(String),
    /// A node written in place, or anything not needed here.
    Other,
}

impl Metadata {
    pub(super) fn insert(&mut self, number: u32, node: Node) {
        self.nodes.insert(number, node);
    }

    /// One more than the highest number in use.
    pub(super) fn next_number(&self) -> u32 {
        self.nodes.last_key_value().map_or(0, |(number, _)| number + 1)
    }

    pub(crate) fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(&number)
    }

    /// The node that a field of a node refers to.
    pub(crate) fn follow(&self, node: &Node, field: &str) -> Option<&Node> {
        self.node(node.reference(field)?)
    }

    /// The elements of a tuple that a field refers to.
    pub(crate) fn elements(&self, node: &Node, field: &str) -> Vec<Option<u32>> {
        let Some(tuple) = self.follow(node, field) else { return Vec::new() };
        let reference =
            |field: &Field| if let Field::Reference(number) = field { Some(*number) } else { None };
        tuple.fields.iter().map(|(_, field)| reference(field)).collect()
    }
}

impl Node {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    pub(crate) fn reference(&self, name: &str) -> Option<u32> {
        if let Some(Field::Reference(number)) = self.field(name) { Some(*number) } else { None }
    }

    pub(crate) fn number(&self, name: &str) -> Option<i128> {
        if let Some(Field::Number(number)) = self.field(name) { Some(*number) } else { None }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        if let Some(Field::Text(text)) = self.field(name) { Some(text) } else { None }
    }

    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        if let Some(Field::Word(word)) = self.field(name) { Some(word) } else { None }
    }

    /// The source line of the node, 0 if it has none.
    pub(crate) fn line(&self) -> u32 {
        self.number("line").and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
    }
}
