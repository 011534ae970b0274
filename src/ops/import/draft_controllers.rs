//! Draft controllers: the configuration of the builders in Go, translated into Rust, with a
//! `reconcile` that the user writes. The manager does not run them until they are registered.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use super::builder_calls::{builtin, is_in_version, is_of, one_line, rust};
use super::go_project::GoSources;
use crate::gosource::{BuilderCall, GoController};
use crate::ops::create::of_kubernetes;
use crate::project::Project;
use crate::resource::Resource;
use crate::terminal::escaped;
use crate::tree::Tree;

/// The last line of a new controller's configuration. The calls on the Go builder are inserted
/// before it, and may replace it.
const AT_ONCE: &str = "        .concurrency(1)\n";

/// A controller file of the new project that is not registered yet.
pub struct DraftController<'a> {
    /// The kind that it reconciles, in the version that the Go builder names if the project has it.
    pub resource: Resource,
    /// The controller in Go with its file; `None` if the Go sources contain none.
    pub chain: Option<(&'a str, &'a GoController)>,
}

/// Adds a draft controller to the project for each kind that a controller in Go reconciles, and for
/// each that has a controller according to PROJECT. If a kind has several controllers in Go, uses
/// the one with the most calls. Returns the added drafts.
pub fn add<'a>(found: &'a GoSources, project: &mut Project) -> Vec<DraftController<'a>> {
    let mut all = Vec::new();
    for (resource, configured) in reconciled(found, project) {
        all.extend(add_draft(Some(resource), Some(configured), project));
    }
    let controlled = found.project.resources.iter();
    for go in controlled.filter(|go| go.is_controlled()) {
        let resource = found.kind_of(go, project).cloned();
        all.extend(add_draft(resource, None, project));
    }
    all
}

/// Returns the kinds that controllers in Go reconcile, in the order of the first controller of
/// each, with the controller that has the most calls. Of several, it is the first.
fn reconciled<'a>(
    found: &'a GoSources,
    project: &Project,
) -> Vec<(Resource, (&'a str, &'a GoController))> {
    let mut all: Vec<(Resource, (&str, &GoController))> = Vec::new();
    let mut indices = HashMap::new();
    for (path, controller) in &found.controllers {
        let Some(resource) = resource(controller, project) else {
            continue;
        };
        let key = (resource.api_group(), resource.kind.to_string());
        match indices.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(all.len());
                all.push((resource, (path, controller)));
            }
            Entry::Occupied(entry) => {
                let (_, most) = &mut all[*entry.get()];
                if controller.calls.len() > most.1.calls.len() {
                    *most = (path, controller);
                }
            }
        }
    }
    all
}

/// Adds a draft controller, unless the kind has one already.
fn add_draft<'a>(
    resource: Option<Resource>,
    chain: Option<(&'a str, &'a GoController)>,
    project: &mut Project,
) -> Option<DraftController<'a>> {
    let resource = resource?;
    let mut kinds = project.resources.iter();
    if kinds.any(|it| it.draft && it.same_kind(&resource)) {
        return None;
    }
    let resource = Resource {
        draft: true,
        ..resource
    };
    let mut kinds = project.resources.iter_mut();
    match kinds.find(|it| it.same_type(&resource)) {
        Some(there) => there.draft = true,
        None => project.resources.push(resource.clone()),
    }
    Some(DraftController { resource, chain })
}

/// Returns the kind that a controller in Go reconciles: one of the project, or a built-in one.
pub fn resource(chain: &GoController, project: &Project) -> Option<Resource> {
    let object = chain.object()?;
    let own = project.resources.iter();
    let own = own.filter(|it| is_of(&object, it));
    // If the project has several versions, prefer the one that the builder names.
    let is_named = |it: &&Resource| is_in_version(&object, it);
    if let Some(it) = own.clone().find(is_named).or_else(|| own.clone().next()) {
        return Some(it.clone());
    }
    let builtin = builtin(&object).filter(|it| it.is_in(project.kubernetes_version))?;
    let kind = builtin.kind.parse().ok()?;
    Some(of_kubernetes(builtin, &kind, project))
}

/// Writes the configuration of the builders into the files of the draft controllers, which `tree`
/// contains as scaffolds.
pub fn write_into(
    drafts: &[DraftController],
    found: &GoSources,
    project: &Project,
    tree: &mut Tree,
) {
    for it in drafts {
        let file = it.resource.controller_file();
        let text = tree.get(&file).map(|file| file.text.clone());
        if let (Some(text), Some((path, chain))) = (text, it.chain) {
            let text = text.replacen(
                "/// Reconciles one object. ",
                &format!(
                    "/// Reconciles one object. In Go, its controller begins at `{}:{}`.\n/// ",
                    escaped(path),
                    chain.line
                ),
                1,
            );
            // rustc rejects comments that contain bidirectional control characters.
            let said = escaped(&(calls(path, chain, project) + &finalizers(path, found)));
            tree.replace(&file, filled(&text, &said));
        }
    }
}

/// Inserts lines into a scaffolded controller, and removes calls of the same methods from it.
fn filled(skeleton: &str, lines: &str) -> String {
    if lines.is_empty() {
        return skeleton.to_owned();
    }
    let is_said = |line: &str| {
        let method = line.split_once('(').map_or(line, |(method, _)| method);
        let mut said = lines.lines();
        method.starts_with("        .") && said.any(|it| it.starts_with(&format!("{method}(")))
    };
    let mut text = String::new();
    for line in one_call_per_line(skeleton).split_inclusive('\n') {
        if line == AT_ONCE {
            text += lines;
        }
        if !is_said(line) {
            text += line;
        }
    }
    text
}

/// Breaks the chain of calls in a scaffolded controller, which is one line if it is short.
fn one_call_per_line(skeleton: &str) -> String {
    let mut lines = skeleton.split_inclusive('\n');
    match lines.find(|line| line.contains("::new(reconcile).")) {
        Some(chain) => skeleton.replacen(chain, &chain.replace(").", ")\n        ."), 1),
        None => skeleton.to_owned(),
    }
}

/// Returns a comment for each call on a builder, with its place in Go. The equivalent Rust is a
/// line of code if it is complete, and part of the comment if not.
fn calls(path: &str, chain: &GoController, project: &Project) -> String {
    let mut lines = String::new();
    for call in chain.calls.iter().filter(|call| is_more(call)) {
        let rust = rust(call, project);
        // Call each method only once, even if Go repeats the call.
        let is_whole = |rust: &&String| !rust.contains("..") && !lines.contains(rust.as_str());
        let whole = rust.as_ref().filter(is_whole).cloned();
        let hint = rust.filter(|_| whole.is_none());
        let hint = hint.map_or_else(String::new, |hint| format!(": `{hint}`"));
        // Writing to a String cannot fail.
        _ = writeln!(
            lines,
            "        // {path}:{}: {}{hint}",
            call.line,
            one_line(call)
        );
        _ = whole.map(|whole| writeln!(lines, "        {whole}"));
    }
    lines
}

/// Reports whether a call configures anything in addition to the reconciled kind.
fn is_more(call: &BuilderCall) -> bool {
    match call.name.as_str() {
        "Complete" | "Build" => false,
        "For" => call.arguments.contains(','),
        _ => true,
    }
}

/// Returns a comment about the first finalizer in the file of a builder, since existing objects
/// have it already.
fn finalizers(path: &str, found: &GoSources) -> String {
    let mut lines = String::new();
    let mut here = found.finalizers.iter().filter(|(file, _)| file == path);
    if let Some((_, it)) = here.next() {
        let (line, name) = (it.line, &it.name);
        let (how, argument) = if it.is_expression {
            (
                format!(", which Go computes as `{name}`"),
                "\"..\"".to_owned(),
            )
        } else {
            (String::new(), format!("{name:?}"))
        };
        _ = writeln!(
            lines,
            "        // {path}:{line}: this file uses a finalizer{how}; if objects of this kind have it: `.cleanup({argument}, cleanup)`"
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn builder_calls_replace_those_of_the_skeleton() {
        let skeleton = "    new(reconcile)\n        .with_name(\"farm-cow\")\n        .conditions(it)\n        .concurrency(1)\n}\n";
        let lines = "        // Owns\n        .owns::<Pod>()\n        .with_name(\"cow\")\n";
        assert_eq!(
            filled(skeleton, lines),
            "    new(reconcile)\n        .conditions(it)\n        // Owns\n        .owns::<Pod>()\n        .with_name(\"cow\")\n        .concurrency(1)\n}\n"
        );
        assert!(!filled(skeleton, "        .concurrency(4)\n").contains("concurrency(1)"));
        let short = "    Controller::new(reconcile).with_name(\"cow\").concurrency(1)\n}\n";
        assert_eq!(
            filled(short, "        // Owns\n        .owns::<Pod>()\n"),
            "    Controller::new(reconcile)\n        .with_name(\"cow\")\n        // Owns\n        .owns::<Pod>()\n        .concurrency(1)\n}\n"
        );
        assert_eq!(filled(short, ""), short);
    }
}
