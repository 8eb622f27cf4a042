//! Debug records: source locations, and the types of variables as shapes.

use tacit_ir::Shape;

use crate::Location;
use crate::llvm::{Metadata, Node};

/// Bounds the nesting of types and the length of chains of scopes.
const MAX_DEPTH: u32 = 64;

/// Bounds the scalar elements of a variable.
const MAX_LANES: u64 = 1 << 24;

/// A scalar element of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub bit_offset: u64,
    /// Bits of the value.
    pub bits: u32,
    /// Bits in memory, including padding.
    pub storage_bits: u32,
    pub signed: bool,
}

/// The shape of a variable and the positions of the lanes of its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub shape: Shape,
    pub columns: Vec<Vec<Leaf>>,
    pub bytes: u64,
}

/// The location that a `!DILocation`, or any other node with a line and a scope or file, refers to.
pub(crate) fn location(metadata: &Metadata, number: u32) -> Location {
    let Some(start) = metadata.node(number) else { return Location::default() };
    let mut node = start;
    for _ in 0..MAX_DEPTH {
        if let Some(file) = metadata.follow(node, "file") {
            return Location { file: file.text("filename").unwrap_or_default().into(), line: start.line() };
        }
        match metadata.follow(node, "scope") {
            Some(scope) => node = scope,
            None => break,
        }
    }
    Location { file: String::new(), line: start.line() }
}

/// The C name of a type, without qualifiers; `None` if it has none.
pub(crate) fn type_name(metadata: &Metadata, ty: u32) -> Option<String> {
    let mut node = metadata.node(ty)?;
    for _ in 0..MAX_DEPTH {
        match node.word("tag") {
            Some("DW_TAG_const_type" | "DW_TAG_volatile_type") => node = metadata.follow(node, "baseType")?,
            Some("DW_TAG_structure_type") => return Some(format!("struct {}", node.text("name")?)),
            Some("DW_TAG_enumeration_type") => return Some(format!("enum {}", node.text("name")?)),
            _ => return node.text("name").map(String::from),
        }
    }
    None
}

impl Layout {
    /// One unsigned integer.
    pub(crate) fn integer(bits: u32) -> Self {
        let storage_bits = bits.next_multiple_of(8);
        let leaf = Leaf { bit_offset: 0, bits, storage_bits, signed: false };
        let shape = Shape::Integer { bits, signed: false };
        Layout { shape, columns: vec![vec![leaf]], bytes: u64::from(storage_bits / 8) }
    }

    /// The layout of a type; the error says why it cannot be the type of an input or output.
    pub(crate) fn of(metadata: &Metadata, ty: u32) -> Result<Self, String> {
        let reader = Reader { metadata };
        let node = metadata.node(ty).ok_or("its type is not known")?;
        let part = reader.part(node, MAX_DEPTH)?;
        let bits = part.bits;
        Ok(Layout { shape: part.shape, columns: part.columns, bytes: bits.div_ceil(8) })
    }
}

/// A part of a type, its offsets counted from its own start.
struct Part {
    shape: Shape,
    columns: Vec<Vec<Leaf>>,
    bits: u64,
}

struct Reader<'m> {
    metadata: &'m Metadata,
}

impl<'m> Reader<'m> {
    fn part(&self, node: &'m Node, depth: u32) -> Result<Part, String> {
        if depth == 0 {
            return Err("its type nests too deeply".into());
        }
        match (node.kind.as_str(), node.word("tag").unwrap_or_default()) {
            ("DIBasicType", _) => basic(node),
            (
                "DIDerivedType",
                "DW_TAG_typedef" | "DW_TAG_const_type" | "DW_TAG_volatile_type" | "DW_TAG_restrict_type",
            ) => self.part(self.base(node)?, depth - 1),
            ("DIDerivedType", "DW_TAG_pointer_type") => {
                Err("a pointer has no length of its own; use a global or local array of constant length"
                    .into())
            }
            ("DICompositeType", "DW_TAG_array_type") => self.array(node, depth - 1),
            ("DICompositeType", "DW_TAG_structure_type" | "DW_TAG_class_type") => {
                self.structure(node, depth - 1)
            }
            ("DICompositeType", "DW_TAG_enumeration_type") => {
                let mut part = self.part(self.base(node)?, depth - 1)?;
                part.bits = size(node)?;
                Ok(part)
            }
            ("DICompositeType", "DW_TAG_union_type") => {
                Err("a union has no single form as an input or output; use a struct".into())
            }
            (_, tag) => Err(format!("values of this type ({tag}) cannot be inputs or outputs")),
        }
    }

    fn base(&self, node: &'m Node) -> Result<&'m Node, String> {
        self.metadata.follow(node, "baseType").ok_or_else(|| "its type is not known".into())
    }

    fn array(&self, node: &'m Node, depth: u32) -> Result<Part, String> {
        let mut part = self.part(self.base(node)?, depth)?;
        for range in self.metadata.elements(node, "elements").into_iter().rev() {
            let range =
                range.and_then(|number| self.metadata.node(number)).ok_or("its length is not known")?;
            let length = range.number("count").and_then(|count| u32::try_from(count).ok());
            let length = length.filter(|length| *length > 0).ok_or("an array must have a constant length")?;
            let lanes: u64 = part.columns.iter().map(|column| column.len() as u64).sum();
            if lanes * u64::from(length) > MAX_LANES {
                return Err(format!("it has more than {MAX_LANES} elements"));
            }
            let stride = part.bits;
            let repeat = |column: Vec<Leaf>| {
                let shifted = (0..u64::from(length)).flat_map(|index| {
                    column
                        .iter()
                        .map(move |leaf| Leaf { bit_offset: leaf.bit_offset + index * stride, ..*leaf })
                });
                shifted.collect()
            };
            part = Part {
                shape: Shape::Array { length, element: Box::new(part.shape) },
                columns: part.columns.into_iter().map(repeat).collect(),
                bits: stride * u64::from(length),
            };
        }
        Ok(part)
    }

    fn structure(&self, node: &'m Node, depth: u32) -> Result<Part, String> {
        let (mut members, mut columns) = (Vec::new(), Vec::new());
        for member in self.metadata.elements(node, "elements") {
            let Some(member) = member.and_then(|number| self.metadata.node(number)) else { continue };
            if member.word("tag") == Some("DW_TAG_inheritance") {
                return Err("a class with a base has no form as an input or output".into());
            }
            let of_class = member.word("flags").is_some_and(|flags| flags.contains("DIFlagStaticMember"));
            if member.word("tag") != Some("DW_TAG_member") || of_class {
                continue;
            }
            let mut part = self.part(self.base(member)?, depth)?;
            let offset = member.number("offset").and_then(|offset| u64::try_from(offset).ok()).unwrap_or(0);
            if member.word("flags").is_some_and(|flags| flags.contains("DIFlagBitField")) {
                narrow(&mut part, size(member)? as u32);
            }
            part.columns.iter_mut().flatten().for_each(|leaf| leaf.bit_offset += offset);
            columns.append(&mut part.columns);
            match (member.text("name"), part.shape) {
                (Some(name), shape) => members.push((name.to_string(), shape)),
                // The members of a structure without a name belong to the one around it.
                (None, Shape::Struct(inner)) => members.extend(inner),
                (None, _) => return Err("a member has no name".into()),
            }
        }
        if members.is_empty() {
            return Err("a structure without members has no value".into());
        }
        Ok(Part { shape: Shape::Struct(members), columns, bits: size(node)? })
    }
}

/// Makes an integer a bit-field of `bits` bits.
fn narrow(part: &mut Part, bits: u32) {
    if let Shape::Integer { bits: width, .. } = &mut part.shape {
        *width = bits.min(*width);
    }
    for leaf in part.columns.iter_mut().flatten() {
        (leaf.bits, leaf.storage_bits) = (bits.min(leaf.bits), bits);
    }
}

fn size(node: &Node) -> Result<u64, String> {
    let size = node.number("size").and_then(|size| u64::try_from(size).ok());
    size.filter(|size| *size > 0).ok_or_else(|| "its size is not known".into())
}

fn basic(node: &Node) -> Result<Part, String> {
    let storage = size(node)?;
    let name = node.text("name").unwrap_or_default();
    let encoding = node.word("encoding").unwrap_or_default();
    let signed = match encoding {
        "DW_ATE_signed" | "DW_ATE_signed_char" => true,
        "DW_ATE_unsigned" | "DW_ATE_unsigned_char" | "DW_ATE_boolean" | "DW_ATE_UTF" => false,
        "DW_ATE_float" if matches!(name, "float" | "double" | "f32" | "f64") => false,
        "DW_ATE_float" | "DW_ATE_complex_float" => {
            return Err(format!(
                "floating-point values of type `{name}` are not supported; use float or double"
            ));
        }
        _ => return Err(format!("values of type `{name}` cannot be inputs or outputs")),
    };
    let bits = match encoding {
        "DW_ATE_boolean" => 1,
        _ if name.contains("_BitInt") => bit_int_width(node, name)?,
        _ => storage as u32,
    };
    let leaf = Leaf { bit_offset: 0, bits, storage_bits: storage as u32, signed };
    let shape = match encoding {
        "DW_ATE_float" => Shape::Float { bits },
        _ => Shape::Integer { bits, signed },
    };
    Ok(Part { shape, columns: vec![vec![leaf]], bits: storage })
}

/// The width of a `_BitInt(N)`, which older compilers leave out.
fn bit_int_width(node: &Node, name: &str) -> Result<u32, String> {
    let named = || name.split_once('(')?.1.split_once(')')?.0.parse().ok();
    let width = node.number("dataSize").and_then(|size| u32::try_from(size).ok()).or_else(named);
    width.ok_or_else(|| "this compiler does not tell the width of a _BitInt".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Module, parse};

    fn layout(text: &str) -> Result<Layout, String> {
        let mut module = Module::default();
        parse(&mut module, 1, text).expect("a module");
        Layout::of(&module.metadata, 0)
    }

    const INT: &str = "!9 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n";

    #[test]
    fn nested_arrays_and_structures_become_columns() {
        let text = INT.to_string()
            + "!0 = !DICompositeType(tag: DW_TAG_array_type, baseType: !1, size: 384, elements: !2)\n\
               !1 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"P\", size: 64, elements: !4)\n\
               !2 = !{!3, !3}\n!3 = !DISubrange(count: 2)\n!4 = !{!5, !6}\n\
               !5 = !DIDerivedType(tag: DW_TAG_member, name: \"x\", baseType: !9, size: 32)\n\
               !6 = !DIDerivedType(tag: DW_TAG_member, name: \"f\", baseType: !7, size: 8, offset: 32)\n\
               !7 = !DIBasicType(name: \"_Bool\", size: 8, encoding: DW_ATE_boolean)\n";
        let layout = layout(&text).expect("a layout");
        assert_eq!(layout.bytes, 32);
        let offsets =
            |column: usize| layout.columns[column].iter().map(|leaf| leaf.bit_offset).collect::<Vec<_>>();
        assert_eq!((offsets(0), offsets(1)), (vec![0, 64, 128, 192], vec![32, 96, 160, 224]));
        let columns: Vec<_> =
            layout.shape.columns().iter().map(|column| (column.bits, column.lanes)).collect();
        assert_eq!(columns, [(32, 4), (1, 4)]);
    }

    #[test]
    fn bit_fields_and_odd_widths_keep_their_bits() {
        let text = "!0 = !DICompositeType(tag: DW_TAG_structure_type, size: 128, elements: !1)\n!1 = !{!2, !3}\n\
             !2 = !DIDerivedType(tag: DW_TAG_member, name: \"b\", baseType: !9, size: 5, offset: 3, flags: DIFlagBitField, extraData: i64 0)\n\
             !3 = !DIDerivedType(tag: DW_TAG_member, name: \"w\", baseType: !4, size: 64, offset: 64)\n\
             !4 = !DIBasicType(name: \"unsigned _BitInt(37)\", size: 64, encoding: DW_ATE_unsigned)\n";
        let layout = layout(&(INT.to_string() + text)).expect("a layout");
        assert_eq!(layout.columns[0], [Leaf { bit_offset: 3, bits: 5, storage_bits: 5, signed: true }]);
        assert_eq!(layout.columns[1], [Leaf { bit_offset: 64, bits: 37, storage_bits: 64, signed: false }]);
    }

    #[test]
    fn types_without_a_form_are_refused() {
        for (text, reason) in [
            ("!0 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !9, size: 64)", "pointer"),
            ("!0 = !DICompositeType(tag: DW_TAG_union_type, size: 32)", "union"),
            ("!0 = !DIBasicType(name: \"long double\", size: 128, encoding: DW_ATE_float)", "floating"),
            ("!0 = !DIDerivedType(tag: DW_TAG_typedef, name: \"t\", baseType: !0)", "deeply"),
        ] {
            let error = layout(&(INT.to_string() + text)).expect_err("no layout");
            assert!(error.contains(reason), "{error}");
        }
    }
}
