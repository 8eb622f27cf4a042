use std::rc::Rc;

/// A type; names of structures are resolved when they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Type {
    #[default]
    Void,
    Int(u32),
    /// `float` or `double`, by its bits; values are words of them.
    Float(u32),
    Pointer,
    Array(u64, Rc<Type>),
    Struct(Rc<StructType>),
    Function(Rc<FunctionType>),
    /// Anything without a meaning here: other floating point, vectors of bits, metadata, tokens. Named for messages.
    Other(Rc<str>),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StructType {
    pub members: Vec<Type>,
    pub packed: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FunctionType {
    pub result: Type,
    pub variadic: bool,
}

impl Type {
    /// Bytes from one array element to the next. Zero for types that have no size.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Type::Int(_) | Type::Float(_) => self.store_size().next_multiple_of(self.align()),
            Type::Pointer => 8,
            Type::Array(length, element) => length.saturating_mul(element.size()),
            Type::Struct(layout) => layout.offset(layout.members.len()),
            Type::Void | Type::Function(_) => 0,
            Type::Other(name) => other_size(name),
        }
    }

    /// Bytes that a store writes.
    pub(crate) fn store_size(&self) -> u64 {
        match self {
            Type::Int(bits) | Type::Float(bits) => u64::from(*bits).div_ceil(8),
            _ => self.size(),
        }
    }

    /// Natural alignment on x86-64.
    pub(crate) fn align(&self) -> u64 {
        match self {
            Type::Int(_) | Type::Float(_) => self.store_size().next_power_of_two().min(16),
            Type::Pointer => 8,
            Type::Array(_, element) => element.align(),
            Type::Struct(layout) if layout.packed => 1,
            Type::Struct(layout) => layout.members.iter().map(Type::align).max().unwrap_or(1),
            Type::Void | Type::Function(_) => 1,
            Type::Other(name) => other_size(name).clamp(1, 16),
        }
    }

    /// The type and byte offset of a member of a structure or an element of an array.
    pub(crate) fn member(&self, index: u64) -> Option<(&Type, u64)> {
        match self {
            Type::Array(_, element) => Some((element, index.checked_mul(element.size())?)),
            Type::Struct(layout) => {
                let member = layout.members.get(index as usize)?;
                Some((member, layout.offset(index as usize)))
            }
            _ => None,
        }
    }

    /// What a message calls this type.
    pub(crate) fn describe(&self) -> String {
        match self {
            Type::Void => "void".into(),
            Type::Int(bits) => format!("i{bits}"),
            Type::Float(32) => "float".into(),
            Type::Float(_) => "double".into(),
            Type::Pointer => "a pointer".into(),
            Type::Array(..) => "an array".into(),
            Type::Struct(_) => "a structure".into(),
            Type::Function(_) => "a function".into(),
            Type::Other(name) if other_size(name) != 0 => format!("floating point ({name})"),
            Type::Other(name) => name.to_string(),
        }
    }
}

impl StructType {
    /// Byte offset of a member; of one beyond the last, the size.
    fn offset(&self, index: usize) -> u64 {
        let align = |ty: &Type| if self.packed { 1 } else { ty.align() };
        let mut offset = 0;
        for member in &self.members[..index] {
            offset = offset_after(offset, member, align(member));
        }
        let next = match self.members.get(index) {
            Some(member) => align(member),
            None if self.packed => 1,
            None => self.members.iter().map(Type::align).max().unwrap_or(1),
        };
        offset.next_multiple_of(next)
    }
}

fn offset_after(offset: u64, member: &Type, align: u64) -> u64 {
    offset.next_multiple_of(align).saturating_add(member.size())
}

fn other_size(name: &str) -> u64 {
    match name {
        "half" | "bfloat" => 2,
        "fp128" | "x86_fp80" | "ppc_fp128" => 16,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_follows_the_x86_64_abi() {
        let record = |members: Vec<Type>, packed| Type::Struct(Rc::new(StructType { members, packed }));
        let mixed = vec![Type::Int(8), Type::Int(32), Type::Int(16), Type::Pointer, Type::Int(1)];
        let plain = record(mixed.clone(), false);
        assert_eq!((plain.size(), plain.align()), (32, 8));
        assert_eq!(plain.member(3).map(|(_, offset)| offset), Some(16));
        assert_eq!(record(mixed, true).size(), 16);
        assert_eq!((Type::Int(37).size(), Type::Int(37).store_size()), (8, 5));
        assert_eq!((Type::Int(128).align(), Type::Int(256).align()), (16, 16));
        assert_eq!(Type::Array(3, Rc::new(Type::Int(24))).size(), 12);
    }
}
