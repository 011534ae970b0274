//! Finds the kinds that a source text watches, has an `Api` for, or answers webhooks for.
//!
//! The text is not parsed. Comments, strings, characters and what is compiled for tests only are blanked;
//! of what is left, type arguments behind a few words are read, and their names followed through the `use`
//! lines of the file. A name that leads nowhere is passed over: what is said here must be true.

use std::ops::Range;
use std::path::Path;

use super::comments::pieces;
use super::imports::Imports;
use crate::diagnostic::Place;

/// A kind that a source names, and where.
#[derive(Clone, Debug)]
pub struct Use {
    /// The type in the source.
    pub place: Place,
    /// What it is.
    pub found: Found,
}

/// A kind that a text names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Found {
    /// The bytes of the type in the text.
    pub span: Range<usize>,
    /// The whole path of its type: `k8s_openapi::api::apps::v1::Deployment`.
    pub path: String,
    /// What for.
    pub role: Role,
}

/// What a source does with a kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// Watches it.
    Watched,
    /// Watches every object of it besides the controller's own kind, and keeps them whole.
    WatchedWhole,
    /// Has an `Api` for it; what that is used for is not known.
    Api,
    /// Creates objects of it.
    Created,
    /// Creates and changes objects of it.
    Applied,
    /// Answers mutating webhooks.
    Defaulter,
    /// Answers validating webhooks.
    Validator,
}

/// Words with a type behind them.
const WORDS: [(&str, Role); 12] = [
    (".owns::<", Role::WatchedWhole),
    (".owns_with::<", Role::Watched),
    (".owns_if_served::<", Role::WatchedWhole),
    (".watches::<", Role::WatchedWhole),
    (".watches_if_served::<", Role::WatchedWhole),
    ("Controller<", Role::Watched),
    ("Controller::<", Role::Watched),
    ("Api<", Role::Api),
    ("Api::<", Role::Api),
    (".api::<", Role::Api),
    ("Defaulter<", Role::Defaulter),
    ("Validator<", Role::Validator),
];

/// What watches the kind that a closure takes.
const MAPPED: [(&str, Role); 4] = [
    (".watches(", Role::WatchedWhole),
    (".watches_if_served(", Role::WatchedWhole),
    (".watches_with(", Role::WatchedWhole),
    (".watches_only(", Role::Watched),
];

/// What writes the object that it is given.
const WRITING: [(&str, Role); 4] = [
    (".create(", Role::Created),
    (".create::<", Role::Created),
    (".apply(", Role::Applied),
    (".apply::<", Role::Applied),
];

/// What the context of a reconcile is called.
const CONTEXTS: [&str; 2] = ["ctx", "context"];

/// What kube-runtime watches an `Api` with, when that is its first argument.
const WATCHERS: [&str; 8] = [
    ".owns(",
    ".owns_with(",
    ".watches(",
    ".watches_with(",
    "Controller::new(",
    "Controller::new_with(",
    "watcher(",
    "reflector(",
];

/// Deeper than anybody nests the braces of a `use`, and longer than any path in it; the parser calls itself for each.
const DEEPEST: usize = 32;

/// What stands before an item that is compiled for tests only.
const TEST: &str = "#[cfg(test)]";

/// The kinds that a text names, in its order; nothing of what is a test by its path.
pub fn find(path: &Path, text: &str) -> Vec<Found> {
    let is_word = |(at, _)| word_before(text, at).is_some();
    let is_named = text.match_indices('<').any(is_word);
    let is_mapped = MAPPED.iter().any(|(word, _)| text.contains(word));
    let is_written = WRITING.iter().any(|(word, _)| text.contains(word));
    if is_test(path) || !is_named && !is_mapped && !is_written {
        return Vec::new();
    }
    let code = program(text);
    let imports = imports(&code);
    let mut found = Vec::new();
    for (end, _) in code.match_indices('<') {
        let Some((at, role)) = word_before(&code, end) else {
            continue;
        };
        let span = type_name(&code, end + 1);
        let before = before_path(&code, at);
        let role = match role {
            Role::Api if WATCHERS.iter().any(|end| before.ends_with(end)) => Role::Watched,
            Role::Defaulter | Role::Validator if !is_impl(before) => continue,
            role => of_metadata(role, &code, end + 1, &span),
        };
        if let Some(path) = resolve(&imports, &code[span.clone()]) {
            found.push(Found { span, path, role });
        }
    }
    for (start, role) in mapped(&code) {
        let span = type_name(&code, start);
        let role = of_metadata(role, &code, start, &span);
        if let Some(path) = resolve(&imports, &code[span.clone()]) {
            found.push(Found { span, path, role });
        }
    }
    for (span, role) in written(&code) {
        if let Some(path) = resolve(&imports, &code[span.clone()]) {
            found.push(Found { span, path, role });
        }
    }
    found.sort_by_key(|found| found.span.start);
    found
}

/// Of a kind whose metadata alone are kept, little is.
fn of_metadata(role: Role, code: &str, start: usize, span: &Range<usize>) -> Role {
    match role {
        Role::WatchedWhole if path_at(code, start) != *span => Role::Watched,
        role => role,
    }
}

/// Where the types begin that closures take which lead from what is watched.
fn mapped(code: &str) -> Vec<(usize, Role)> {
    let mut found = Vec::new();
    for (word, role) in MAPPED {
        for (at, _) in code.match_indices(word) {
            let arguments = &code[at + word.len()..];
            let closure = match role {
                // a selection comes first
                Role::Watched => arguments.find(['|', ';']),
                _ => Some(arguments.len() - arguments.trim_start().len()),
            };
            let start =
                closure.and_then(|closure| taken(&arguments[closure..]).map(|it| closure + it));
            found.extend(start.map(|start| (at + word.len() + start, role)));
        }
    }
    found
}

/// The types of objects that a reconcile writes. A type that the text does not show plainly is passed over.
fn written(code: &str) -> Vec<(Range<usize>, Role)> {
    let mut found = Vec::new();
    for (word, role) in WRITING {
        for (at, _) in code.match_indices(word) {
            let receiver = code[..at].trim_end();
            let rest = receiver.trim_end_matches(is_identifier);
            if !CONTEXTS.contains(&&receiver[rest.len()..]) {
                continue;
            }
            let start = at + word.len();
            let span = if word.ends_with('<') {
                Some(type_name(code, start))
            } else {
                value_type(code, start, DEEPEST_VALUE)
            };
            found.extend(span.map(|span| (span, role)));
        }
    }
    found
}

/// How many names are followed from an argument to its type: `ctx.create(job)`, `let job = made(x)`, `fn made() -> Job`.
const DEEPEST_VALUE: usize = 3;

/// The type of the value that begins here, if the text shows it: a struct, a variable with its `let`, or a call of a
/// function of the same file.
fn value_type(code: &str, start: usize, depth: usize) -> Option<Range<usize>> {
    let depth = depth.checked_sub(1)?;
    let span = path_at(code, start);
    let name = &code[span.clone()];
    let after = code[span.end..].trim_start();
    let last = name.rsplit("::").next()?;
    if last.starts_with(char::is_uppercase) {
        return after.starts_with('{').then_some(span);
    }
    if let Some(of_type) = name.strip_suffix("::default") {
        return Some(span.start..span.start + of_type.len());
    }
    if name.is_empty() || name.contains("::") {
        return None;
    }
    if after.starts_with('(') {
        return result_type(code, name);
    }
    if !after.starts_with([')', ',', ';']) && !after.starts_with(".clone()") {
        return None;
    }
    let lets = [format!("let {name}"), format!("let mut {name}")];
    let lets = lets.iter().filter_map(|pattern| {
        let at = code[..span.start].rfind(pattern.as_str())?;
        Some(at + pattern.len())
    });
    let behind = lets.max()?;
    let rest = code[behind..].trim_start();
    let value = code.len() - rest.len() + 1;
    match rest.chars().next()? {
        ':' => Some(path_at(code, value)),
        '=' => value_type(code, value, depth),
        _ => None,
    }
}

/// What the only function of a name returns, without a `Result` around it.
fn result_type(code: &str, name: &str) -> Option<Range<usize>> {
    let pattern = format!("fn {name}");
    let is_whole = |at: &usize| {
        code[at + pattern.len()..].starts_with(['(', '<']) && !code[..*at].ends_with(is_identifier)
    };
    let mut functions = code.match_indices(&pattern).map(|(at, _)| at);
    let at = functions.find(is_whole)?;
    if functions.any(|at| is_whole(&at)) {
        return None;
    }
    let signature = &code[at..at + code[at..].find('{')?];
    let arrow = at + signature.rfind("->")? + "->".len();
    let span = path_at(code, arrow);
    let is_result = code[span.clone()].rsplit("::").next() == Some("Result");
    if is_result && code[span.end..].starts_with('<') {
        return Some(path_at(code, span.end + 1));
    }
    Some(span)
}

/// Where in a closure the type of what it takes first begins: `move |secret: &Secret| ..`.
fn taken(closure: &str) -> Option<usize> {
    let rest = closure.strip_prefix("move").unwrap_or(closure).trim_start();
    let (name, rest) = rest.strip_prefix('|')?.split_once(':')?;
    let is_name = name.trim().chars().all(is_identifier);
    let rest = rest.trim_start().strip_prefix('&')?;
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    is_name.then_some(closure.len() - rest.len())
}

/// What the `use` lines of a text without comments and strings say. What lies around them need not compile.
fn imports(code: &str) -> Imports {
    let mut imports = Imports::default();
    let mut at = 0;
    while let Some(length) = code[at..].find("use ") {
        let start = at + length;
        at = start + "use ".len();
        if code[..start].ends_with(is_identifier) {
            continue;
        }
        let Some(length) = code[at..].find(';') else {
            break;
        };
        let line = &code[at..at + length];
        at += length;
        if is_shallow(line)
            && let Ok(tree) = syn::parse_str(line.trim_start().trim_start_matches("::"))
        {
            imports.add(&tree);
        }
    }
    imports
}

fn is_shallow(line: &str) -> bool {
    let mut paths = line.split(['{', ',', '}']);
    pieces::nesting(line) <= DEEPEST && paths.all(|path| path.matches("::").count() <= DEEPEST)
}

/// The whole path of a name in the text, if it leads into the types of Kubernetes or the project.
fn resolve(imports: &Imports, name: &str) -> Option<String> {
    let name = name.trim_start_matches("::");
    let (first, rest) = name.split_once("::").unwrap_or((name, ""));
    let first = imports
        .get(first)
        .map_or_else(|| first.to_owned(), |path| path.join("::"));
    let path = if rest.is_empty() {
        first
    } else {
        format!("{first}::{rest}")
    };
    let known = path.starts_with("k8s_openapi::") || path.starts_with("api::");
    known.then_some(path)
}

/// The word before a `<`: where it begins, and what it means.
fn word_before(code: &str, end: usize) -> Option<(usize, Role)> {
    let code = &code[..=end];
    let (word, role) = WORDS.iter().find(|(word, _)| code.ends_with(word))?;
    let at = code.len() - word.len();
    let is_whole = word.starts_with('.') || !code[..at].ends_with(is_identifier);
    is_whole.then_some((at, *role))
}

/// Whether a file is compiled for tests only, by its name.
pub fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_file =
        matches!(&*stem, "tests" | "test") || stem.ends_with("_test") || stem.ends_with("_tests");
    let mut directories = path.parent().into_iter().flat_map(Path::components);
    is_file
        || directories.any(|directory| {
            let name = directory.as_os_str();
            name == "tests" || name == "benches" || name == "examples"
        })
}

/// The code of a text but for what is compiled for tests only, with blanks for all else.
fn program(text: &str) -> String {
    let code = pieces::code(text);
    let mut tests = Vec::new();
    let mut from = 0;
    while let Some(length) = code[from..].find(TEST) {
        let start = from + length;
        from = item_end(code.as_bytes(), start);
        tests.push(start..from);
    }
    let mut bytes = code.into_bytes();
    for test in tests {
        bytes[test].fill(b' ');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Where the item ends that begins here: behind its block, or behind its semicolon.
fn item_end(code: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The type that begins here: its path, or that of the kind whose metadata it is.
fn type_name(code: &str, start: usize) -> Range<usize> {
    let name = path_at(code, start);
    if code[name.clone()].ends_with("PartialObjectMeta") && code[name.end..].starts_with('<') {
        return path_at(code, name.end + 1);
    }
    name
}

fn path_at(code: &str, start: usize) -> Range<usize> {
    let rest = &code[start..];
    let name = rest.trim_start();
    let start = start + rest.len() - name.len();
    let end = name.find(|c| !(is_identifier(c) || c == ':'));
    start..start + end.unwrap_or(name.len())
}

/// What stands before a path that ends here: `kube::` is passed over.
fn before_path(code: &str, at: usize) -> &str {
    code[..at]
        .trim_end_matches(|c| is_identifier(c) || c == ':')
        .trim_end()
}

/// Whether a trait that is implemented stands behind it: `impl` or `impl<T>`.
fn is_impl(before: &str) -> bool {
    let before = match before.rsplit_once('<') {
        Some((before, parameters)) if parameters.ends_with('>') => before,
        _ => before,
    };
    before.ends_with("impl")
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests;
