use std::rc::Rc;

/// A type; names of structures are resolved when they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Type {
    #[default]
    Void,
    Int(u32),
    /// `float` or `double`, by its bits; values are words of this many bits.
    Float(u32),
    Pointer,
    Array(u64, Rc<Type>),
    Struct(Rc<StructType>),
    Function(Rc<FunctionType>),
    /// Any type without a meaning here: other floating point, vectors of bits, metadata, tokens. The name is
    /// for messages.
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

/// How types are laid out in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub pointer_bytes: u64,
    /// Maximum alignment in bytes.
    max_align: u64,
}

impl Machine {
    pub(crate) const X86_64: Machine = Machine { pointer_bytes: 8, max_align: 16 };
    /// The machine for an `int` of 16 bits.
    pub(crate) const MSP430: Machine = Machine { pointer_bytes: 2, max_align: 2 };

    /// The machine of a target triple; all others have the same layout.
    pub(crate) fn of_triple(triple: &str) -> Self {
        if triple.starts_with("msp430") { Machine::MSP430 } else { Machine::X86_64 }
    }

    pub(crate) fn pointer_bits(self) -> u32 {
        self.pointer_bytes as u32 * 8
    }
}

impl Default for Machine {
    fn default() -> Self {
        Machine::X86_64
    }
}

impl Type {
    /// Bytes from one array element to the next. Zero for types that have no size.
    pub(crate) fn size(&self, machine: Machine) -> u64 {
        match self {
            Type::Int(_) | Type::Float(_) => self.store_size(machine).next_multiple_of(self.align(machine)),
            Type::Pointer => machine.pointer_bytes,
            Type::Array(length, element) => length.saturating_mul(element.size(machine)),
            Type::Struct(layout) => layout.offset(layout.members.len(), machine),
            Type::Void | Type::Function(_) => 0,
            Type::Other(name) => other_size(name),
        }
    }

    /// Bytes that a store writes.
    pub(crate) fn store_size(&self, machine: Machine) -> u64 {
        match self {
            Type::Int(bits) | Type::Float(bits) => u64::from(*bits).div_ceil(8),
            _ => self.size(machine),
        }
    }

    /// Natural alignment.
    pub(crate) fn align(&self, machine: Machine) -> u64 {
        match self {
            Type::Int(_) | Type::Float(_) => {
                self.store_size(machine).next_power_of_two().min(machine.max_align)
            }
            Type::Pointer => machine.pointer_bytes,
            Type::Array(_, element) => element.align(machine),
            Type::Struct(layout) => layout.align(machine),
            Type::Void | Type::Function(_) => 1,
            Type::Other(name) => other_size(name).clamp(1, machine.max_align),
        }
    }

    /// The type and byte offset of a member of a structure or an element of an array.
    pub(crate) fn member(&self, index: u64, machine: Machine) -> Option<(&Type, u64)> {
        match self {
            Type::Array(_, element) => Some((element, index.checked_mul(element.size(machine))?)),
            Type::Struct(layout) => {
                let member = layout.members.get(index as usize)?;
                Some((member, layout.offset(index as usize, machine)))
            }
            _ => None,
        }
    }

    /// The name of this type in messages.
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
    fn align(&self, machine: Machine) -> u64 {
        match self.packed {
            true => 1,
            false => self.members.iter().map(|member| member.align(machine)).max().unwrap_or(1),
        }
    }

    /// Byte offset of a member; beyond the last, the size.
    fn offset(&self, index: usize, machine: Machine) -> u64 {
        let align = |ty: &Type| if self.packed { 1 } else { ty.align(machine) };
        let mut offset = 0u64;
        for member in &self.members[..index] {
            offset = offset.next_multiple_of(align(member)).saturating_add(member.size(machine));
        }
        offset.next_multiple_of(self.members.get(index).map_or(self.align(machine), align))
    }
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
        let machine = Machine::X86_64;
        assert_eq!((plain.size(machine), plain.align(machine)), (32, 8));
        assert_eq!(plain.member(3, machine).map(|(_, offset)| offset), Some(16));
        assert_eq!(record(mixed.clone(), true).size(machine), 16);
        assert_eq!((Type::Int(37).size(machine), Type::Int(37).store_size(machine)), (8, 5));
        assert_eq!((Type::Int(128).align(machine), Type::Int(256).align(machine)), (16, 16));
        assert_eq!(Type::Array(3, Rc::new(Type::Int(24))).size(machine), 12);
        // i8 at 0, i32 at 2, i16 at 6, the pointer at 8, i1 at 10.
        let narrow = record(mixed, false);
        assert_eq!((narrow.size(Machine::MSP430), narrow.align(Machine::MSP430)), (12, 2));
        assert_eq!(Type::Int(64).align(Machine::MSP430), 2);
    }
}
