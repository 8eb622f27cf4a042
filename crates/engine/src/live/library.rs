use std::collections::HashMap;

use tacit_ir::{Body, Op, Template, TemplateId};
use tacit_schedule::rules;

use super::error::LiveError;

/// Templates that operations of a live session apply, identified by a hash of their content and not by their
/// number.
#[derive(Debug)]
pub struct Library {
    templates: Vec<Template>,
    /// Hashes of each template with all that it applies.
    hashes: Vec<[u8; 32]>,
}

impl Library {
    /// A library of templates, each of which only applies templates before it.
    ///
    /// # Errors
    /// [`LiveError::Unsupported`] for templates that draw random bits, or that compute in fields.
    pub fn new(templates: &[Template]) -> Result<Library, LiveError> {
        let mut hashes: Vec<[u8; 32]> = Vec::with_capacity(templates.len());
        for template in templates {
            if let Body::Operations { operations, .. } = &template.body {
                operations.iter().try_for_each(|operation| supported(&operation.op))?;
            }
            let hash = hash(template, &hashes).ok_or(LiveError::Foreign)?;
            hashes.push(hash);
        }
        Ok(Library { templates: templates.to_vec(), hashes })
    }

    /// The hash of a template.
    pub(super) fn hash(&self, id: TemplateId) -> Option<&[u8; 32]> {
        self.hashes.get(id.index())
    }

    /// The template.
    pub(super) fn template(&self, id: TemplateId) -> Option<&Template> {
        self.templates.get(id.index())
    }
}

/// A hash of a template in which the templates that it applies are identified by their hashes.
fn hash(template: &Template, before: &[[u8; 32]]) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 template of a live session, version 1");
    let mut applied = Vec::new();
    let nameless = renumbered(template, |id| {
        applied.push(id);
        TemplateId(0)
    });
    hasher.update(&postcard::to_allocvec(&nameless).ok()?);
    for id in applied {
        hasher.update(before.get(id.index())?);
    }
    Some(*hasher.finalize().as_bytes())
}

/// A template with new numbers of those that it applies.
fn renumbered(template: &Template, mut number: impl FnMut(TemplateId) -> TemplateId) -> Template {
    let mut template = template.clone();
    if let Body::Operations { operations, .. } = &mut template.body {
        operations.iter_mut().for_each(|operation| renumber(&mut operation.op, &mut number));
    }
    template
}

/// Renumbers the template that an operation applies, if any.
pub(super) fn renumber(op: &mut Op, mut number: impl FnMut(TemplateId) -> TemplateId) {
    if let Op::Call { template, .. } | Op::Map { template, .. } | Op::Iterate { template, .. } = op {
        *template = number(*template);
    }
}

/// The templates of a program that is assembled from several libraries, each once.
#[derive(Default)]
pub(super) struct Collected {
    pub templates: Vec<Template>,
    known: HashMap<[u8; 32], TemplateId>,
}

impl Collected {
    /// The number of a library's template here; the template and those that it applies are added.
    pub fn take(&mut self, library: &Library, id: TemplateId) -> Option<TemplateId> {
        let hash = *library.hash(id)?;
        if let Some(known) = self.known.get(&hash) {
            return Some(*known);
        }
        let template = library.template(id)?;
        let mut complete = true;
        let renumbered = renumbered(template, |inner| {
            let taken = self.take(library, inner);
            complete &= taken.is_some();
            // It is not used, as the template is not complete.
            taken.unwrap_or(inner)
        });
        let number = TemplateId(self.templates.len() as u32);
        self.templates.push(renumbered);
        self.known.insert(hash, number);
        complete.then_some(number)
    }
}

/// Refuses operations that live sessions do not run.
pub(super) fn supported(op: &Op) -> Result<(), LiveError> {
    let what = match op {
        Op::Random(_) => "a random value",
        Op::Input { .. } => "an input within an operation",
        Op::Output { .. } | Op::Open(_) => "an output within an operation",
        Op::Pin(domain, _) if !rules(*domain).is_garbled() => "a value that is not shared by labels",
        _ => return Ok(()),
    };
    Err(LiveError::Unsupported { what })
}
