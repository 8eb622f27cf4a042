//! Memory: objects of bytes, held as cells of whatever widths the program uses.

use std::rc::Rc;

use super::page::{Cell, Fill, PAGE, Page};
use super::pointer::ObjectId;
use super::shared::Shared;
use super::value::Value;
use crate::graph::{Graph, Word};

/// A variable, or anything else that has an address.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub name: Rc<str>,
    pub size: u64,
    pub fill: Fill,
    /// Whether unwritten bytes count as zero if one path writes them and another does not.
    pub merges_with_zero: bool,
    /// Whether anything was stored.
    pub written: bool,
    /// Whether it is allocated memory.
    pub heap: bool,
    /// Whether it may not be changed.
    pub constant: bool,
    /// In checks, the flag that the object's lifetime has ended, if that is possible.
    pub ended: Option<Word>,
    pages: Vec<Option<Rc<Page>>>,
}

impl Object {
    pub(super) fn new(name: Rc<str>, size: u64, fill: Fill) -> Self {
        let pages = vec![None; size.div_ceil(PAGE) as usize];
        Object {
            name,
            size,
            fill,
            merges_with_zero: false,
            written: false,
            heap: false,
            constant: false,
            ended: None,
            pages,
        }
    }

    /// Whether `bytes` bytes from `offset` are within the object.
    pub(super) fn contains(&self, offset: i64, bytes: u64) -> bool {
        u64::try_from(offset)
            .is_ok_and(|offset| offset.checked_add(bytes).is_some_and(|end| end <= self.size))
    }

    /// The value of `bytes` bytes, which are within the object.
    pub(super) fn load(&self, graph: &mut Graph, offset: u64, bytes: u64) -> Value {
        let mut parts: Vec<(u64, Value)> = Vec::new();
        let mut at = offset;
        while at < offset + bytes {
            let start = at / PAGE * PAGE;
            let end = (offset + bytes).min(start + PAGE);
            match &self.pages[(at / PAGE) as usize] {
                Some(page) => page.read(graph, at - start, end - start, &mut parts),
                None => parts.push((end - at, Value::Undefined)),
            }
            at = end;
        }
        if self.fill != Fill::Undefined {
            // Unwritten bytes are cells without a value yet.
            for (length, value) in parts.iter_mut().filter(|(_, value)| *value == Value::Undefined) {
                *value = self.fill.value(graph, *length);
            }
        }
        join(graph, parts)
    }

    /// Stores a value of `bytes` bytes, which are within the object.
    pub(super) fn store(&mut self, graph: &mut Graph, offset: u64, bytes: u64, value: &Value) {
        self.written = true;
        let split = offset / PAGE != (offset + bytes.max(1) - 1) / PAGE;
        let integer = value.integer(graph, bytes as u32 * 8).filter(|_| split).map(Value::Word);
        let value = integer.as_ref().unwrap_or(value);
        let mut at = offset;
        while at < offset + bytes {
            let start = at / PAGE * PAGE;
            let end = (offset + bytes).min(start + PAGE);
            let part = match value {
                Value::Pointer(_) if end - at < bytes => self.fill.value(graph, end - at),
                _ if end - at < bytes => {
                    let part = |word| graph.slice(word, (at - offset) as u32 * 8, (end - at) as u32 * 8);
                    value.map(part).unwrap_or_default()
                }
                _ => value.clone(),
            };
            let page = Rc::make_mut(self.pages[(at / PAGE) as usize].get_or_insert_with(Rc::default));
            page.write(graph, Cell { start: (at - start) as u16, length: (end - at) as u16, value: part });
            at = end;
        }
    }

    /// Forgets all cells; every byte holds `fill`.
    pub(super) fn clear(&mut self, fill: Fill) {
        self.pages.fill(None);
        self.fill = fill;
        self.written = true;
    }

    /// The lengths of the cells among `bytes` bytes from `offset`, in order; unwritten bytes in steps of at most 8.
    pub(super) fn cells(&self, offset: u64, bytes: u64) -> Vec<u64> {
        let mut lengths = Vec::new();
        let mut at = offset;
        while at < offset + bytes {
            let start = at / PAGE * PAGE;
            let found =
                self.pages[(at / PAGE) as usize].as_ref().and_then(|page| page.boundary_after(at - start));
            let natural = at + 8 - at % 8;
            let end =
                found.map_or(natural, |boundary| start + boundary).min(start + PAGE).min(offset + bytes);
            lengths.push(end - at);
            at = end;
        }
        lengths
    }

    fn merge(graph: &mut Graph, condition: Word, a: &Rc<Object>, b: &Rc<Object>) -> Rc<Object> {
        let mut merged = a.as_ref().clone();
        merged.written |= b.written;
        if b.fill == Fill::Zero {
            merged.fill = Fill::Zero;
        }
        merged.ended = match (a.ended, b.ended) {
            (x, y) if x == y => x,
            (x, y) => {
                let (x, y) = (x.unwrap_or(graph.flag(false)), y.unwrap_or(graph.flag(false)));
                Some(graph.select(condition, x, y))
            }
        };
        let fill = |object: &Object| if object.merges_with_zero { Fill::Zero } else { object.fill };
        for (index, page) in merged.pages.iter_mut().enumerate() {
            let (x, y) = (&a.pages[index], &b.pages[index]);
            *page = match (x, y) {
                (None, None) => None,
                (Some(x), Some(y)) if Rc::ptr_eq(x, y) => Some(x.clone()),
                _ => {
                    let empty = Rc::default();
                    let (x, y) = (x.as_ref().unwrap_or(&empty), y.as_ref().unwrap_or(&empty));
                    Some(Rc::new(Page::merge(graph, condition, (x, fill(a)), (y, fill(b)))))
                }
            };
        }
        Rc::new(merged)
    }
}

/// One value from consecutive parts with their lengths in bytes.
fn join(graph: &mut Graph, mut parts: Vec<(u64, Value)>) -> Value {
    if let [(_, only)] = &mut parts[..] {
        return std::mem::take(only);
    }
    if parts.iter().all(|(_, value)| *value == Value::Undefined) {
        return Value::Undefined;
    }
    let (mut words, mut written) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
    for (length, value) in parts {
        let zeros = Fill::Zero.value(graph, length);
        let part = if value == Value::Undefined { &zeros } else { &value };
        match part.parts(graph) {
            Some(part) => {
                words.push(part.word);
                written.push(part.written);
            }
            // Part of an address next to other bytes has no meaning.
            None => return Value::Undefined,
        }
    }
    let (word, written) = (graph.concat(&words), graph.concat(&written));
    Value::partial(graph, word, written)
}

/// All objects. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    objects: Shared<Option<Rc<Object>>>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Memory { objects: Shared::new(0) }
    }

    pub(super) fn insert(&mut self, id: ObjectId, object: Object) {
        self.objects.grow(id.0 as usize + 1);
        self.objects.set(id.0 as usize, Some(Rc::new(object)));
    }

    pub(super) fn remove(&mut self, id: ObjectId) {
        if (id.0 as usize) < self.objects.len() {
            self.objects.set(id.0 as usize, None);
        }
    }

    /// Drops the objects from this number on.
    pub(super) fn truncate(&mut self, end: u32) {
        (end..self.objects.len() as u32).for_each(|id| self.remove(ObjectId(id)));
    }

    pub(super) fn get(&self, id: ObjectId) -> Option<&Rc<Object>> {
        if (id.0 as usize) < self.objects.len() { self.objects.get(id.0 as usize).as_ref() } else { None }
    }

    pub(super) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        if id.0 as usize >= self.objects.len() {
            return None;
        }
        self.objects.get_mut(id.0 as usize).as_mut().map(Rc::make_mut)
    }

    /// Memory in the state of `a` if the flag is set, else of `b`.
    pub(super) fn merge(graph: &mut Graph, condition: Word, a: &Memory, b: &Memory) -> Memory {
        let mut merged = a.clone();
        merged.objects.grow(b.objects.len());
        for index in a.objects.differing(&b.objects) {
            let object = match (a.objects.get(index), b.objects.get(index)) {
                (Some(x), Some(y)) if Rc::ptr_eq(x, y) => continue,
                (Some(x), Some(y)) => Some(Object::merge(graph, condition, x, y)),
                (Some(_), None) | (None, None) => continue,
                (None, Some(y)) => Some(y.clone()),
            };
            merged.objects.set(index, object);
        }
        for index in a.objects.len()..b.objects.len() {
            merged.objects.set(index, b.objects.get(index).clone());
        }
        merged
    }
}
