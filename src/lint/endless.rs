//! Detects types that contain themselves, which have no finite schema.

use crate::crd::crdgen::ENDLESS;
use crate::diagnostic::Diagnostic;
use crate::sources::types::{Declared, Types};

/// Returns an error for each field through which a type contains itself. Called after `crdgen`
/// overflowed its stack.
pub fn endless(types: &Types) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for declared in types.iter() {
        // A field with its own schema ends the recursion. Other attributes do not matter.
        let fields = declared.fields.values();
        for field in fields.filter(|field| !field.has_own_schema) {
            let mut inside = types.of_field(field);
            if inside.any(|inner| leads(types, inner, declared, &mut Vec::new())) {
                let message = format!("`{}` contains itself", declared.ident);
                found.push(field.diagnostic(message).help(ENDLESS));
            }
        }
    }
    found
}

/// Returns true if the type `from` is equal to `to` or contains it. `seen` are the types that were
/// visited.
fn leads<'a>(
    types: &'a Types,
    from: &'a Declared,
    to: &Declared,
    seen: &mut Vec<&'a Declared>,
) -> bool {
    if std::ptr::eq(from, to) {
        return true;
    }
    if seen.iter().any(|seen| std::ptr::eq(*seen, from)) {
        return false;
    }
    seen.push(from);
    types
        .inside(from)
        .any(|inner| leads(types, inner, to, seen))
}
