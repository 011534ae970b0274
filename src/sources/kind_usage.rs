//! Finds the kinds that a source file watches, uses through an `Api`, or handles webhooks for.
//!
//! The file is not parsed. Comments, strings, characters and test code are replaced with spaces. In
//! the rest, the type arguments after a few known words are extracted and resolved through the
//! file's `use` declarations. Names that cannot be resolved are ignored: a false positive would be
//! worse than a miss.

use std::ops::Range;
use std::path::Path;

use super::comments::lexer;
use super::imports::Imports;
use crate::diagnostic::Place;

/// A use of a kind, with its location.
#[derive(Clone, Debug)]
pub struct Use {
    /// The location of the type in the source.
    pub place: Place,
    /// The kind and its role.
    pub found: KindUse,
}

/// A use of a kind in a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KindUse {
    /// The byte range of the type in the text.
    pub span: Range<usize>,
    /// The full path of the type: `k8s_openapi::api::apps::v1::Deployment`.
    pub path: String,
    /// The purpose of the use.
    pub role: Role,
    /// The name of the only object that the watch selects, if the text contains it:
    /// `.fields("metadata.name=ca")`.
    pub object: Option<String>,
}

/// The purpose for which a source uses a kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// Watches the kind.
    Watched,
    /// Watches all objects of the kind in addition to the controller's own kind, and caches them
    /// whole.
    WatchedWhole,
    /// Has an `Api` for the kind, for an unknown purpose.
    Api,
    /// Creates objects of the kind.
    Created,
    /// Creates and updates objects of the kind.
    Applied,
    /// Implements a mutating webhook.
    Defaulter,
    /// Implements a validating webhook.
    Validator,
}

/// Words that are followed by a type.
const WORDS: [(&str, Role); 17] = [
    (".owns::<", Role::WatchedWhole),
    (".owns_matching::<", Role::Watched),
    (".watches_matching::<", Role::Watched),
    (".watches_with_store::<", Role::Watched),
    (".refers_to::<", Role::Watched),
    (DESCRIBED, Role::WatchedWhole),
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

/// The start of the description of a watch: `Watch::<Secret>::new().applied()`.
const DESCRIBED: &str = "Watch::<";

/// Methods of such a description that select a part of the kind, or cache a part of each object.
const NARROWING: [&str; 5] = ["applied", "fields", "labels", "metadata_only", "project"];

/// Methods that watch the kind of the closure's parameter.
const MAPPED: [(&str, Role); 6] = [
    (".watches(", Role::WatchedWhole),
    (".watches_if_served(", Role::WatchedWhole),
    (".watches_with(", Role::WatchedWhole),
    (".watches_only(", Role::Watched),
    (".watches_matching(", Role::Watched),
    (".watches_with_store(", Role::Watched),
];

/// Methods that write the object passed to them.
const WRITING: [(&str, Role); 4] = [
    (".create(", Role::Created),
    (".create::<", Role::Created),
    (".apply(", Role::Applied),
    (".apply::<", Role::Applied),
];

/// Variable names for the context of a reconcile.
const CONTEXTS: [&str; 2] = ["ctx", "context"];

/// Methods of kube-runtime that watch the kind of an `Api` passed as the first argument.
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

/// Maximum nesting of braces in a `use`, and maximum length of a path in it. The parser recurses
/// for each level, and real code stays far below this.
const DEEPEST: usize = 32;

/// Marks an item that is only compiled for tests.
const TEST: &str = "#[cfg(test)]";

/// Returns the kinds that a file uses, in the order of the text; none if the file contains only
/// tests.
pub fn find(path: &Path, text: &str) -> Vec<KindUse> {
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
            Role::WatchedWhole
                if code[..=end].ends_with(DESCRIBED) && !is_whole(&code[span.end..]) =>
            {
                Role::Watched
            }
            role => of_metadata(role, &code, end + 1, &span),
        };
        let object = code[..=end]
            .ends_with(DESCRIBED)
            .then(|| only_object(&code, text, span.end))
            .flatten();
        if let Some(path) = resolve(&imports, &code[span.clone()]) {
            found.push(KindUse {
                span,
                path,
                role,
                object,
            });
        }
    }
    for (arguments, start, role) in mapped(&code) {
        let span = type_name(&code, start);
        let role = of_metadata(role, &code, start, &span);
        let described = code[arguments..].trim_start();
        let object = described
            .strip_prefix(DESCRIBED)
            .and_then(|kind| only_object(&code, text, code.len() - kind.len()));
        if let Some(path) = resolve(&imports, &code[span.clone()]) {
            found.push(KindUse {
                span,
                path,
                role,
                object,
            });
        }
    }
    for (span, role) in written(&code) {
        if let Some(path) = resolve(&imports, &code[span.clone()]) {
            found.push(KindUse {
                span,
                path,
                role,
                object: None,
            });
        }
    }
    found.sort_by_key(|found| found.span.start);
    found
}

/// Reports whether a description of a watch, of which `rest` follows the kind, is of whole objects
/// without a selector and ends as an argument. A description that ends otherwise, such as that of a
/// variable, may be narrowed later.
fn is_whole(rest: &str) -> bool {
    let mut rest = rest.trim_start().trim_start_matches('>').trim_start();
    let Some(calls) = rest.strip_prefix("::new()") else {
        return false;
    };
    rest = calls.trim_start();
    while let Some(call) = rest.strip_prefix('.') {
        let call = call.trim_start();
        let name = &call[..call.find(|c| !is_identifier(c)).unwrap_or(call.len())];
        if NARROWING.contains(&name) {
            return false;
        }
        // The other methods have no arguments.
        let Some(calls) = call[name.len()..].strip_prefix("()") else {
            return false;
        };
        rest = calls.trim_start();
    }
    rest.starts_with([',', ')'])
}

/// Returns the name that the field selector of a description of a watch requires, if the selector
/// is a literal. `code` is `text` without strings, and the kind ends behind `kind`.
fn only_object(code: &str, text: &str, kind: usize) -> Option<String> {
    const FIELDS: &str = ".fields(";
    let at = kind + argument(&code[kind..]).find(FIELDS)? + FIELDS.len();
    let selector = text[at..]
        .trim_start()
        .strip_prefix('"')?
        .split('"')
        .next()?;
    let name = selector
        .split(',')
        .find_map(|field| field.trim().strip_prefix("metadata.name="))?
        .trim_start_matches('=');
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

/// Returns the rest of an argument: until a comma, or the parenthesis that ends the call.
fn argument(rest: &str) -> &str {
    let mut depth = 0_usize;
    let is_end = |letter: char| {
        match letter {
            ')' if depth == 0 => return true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(letter, ',' | ';' | '}')
    };
    &rest[..rest.find(is_end).unwrap_or(rest.len())]
}

/// Returns [`Role::Watched`] instead of [`Role::WatchedWhole`] if only the metadata of a kind are
/// cached.
fn of_metadata(role: Role, code: &str, start: usize, span: &Range<usize>) -> Role {
    match role {
        Role::WatchedWhole if path_at(code, start) != *span => Role::Watched,
        role => role,
    }
}

/// Returns the positions of the arguments of calls that map watched objects, and of the parameter
/// types of their closures.
fn mapped(code: &str) -> Vec<(usize, usize, Role)> {
    let mut found = Vec::new();
    for (word, role) in MAPPED {
        for (at, _) in code.match_indices(word) {
            let arguments = &code[at + word.len()..];
            let closure = match role {
                // The closure follows a selection.
                Role::Watched => arguments.find(['|', ';']),
                _ => Some(arguments.len() - arguments.trim_start().len()),
            };
            let start =
                closure.and_then(|closure| taken(&arguments[closure..]).map(|it| closure + it));
            let first = at + word.len();
            found.extend(start.map(|start| (first, first + start, role)));
        }
    }
    found
}

/// Returns the types of the objects that a reconcile writes. Ignores types that are not obvious
/// from the text.
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

/// Maximum number of names followed from an argument to its type: `ctx.create(job)`, `let job =
/// made(x)`, `fn made() -> Job`.
const DEEPEST_VALUE: usize = 3;

/// Returns the type of the value at `start` if it is obvious from the text: a struct, a variable
/// with its `let`, or a call of a function in the same file.
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

/// Returns the result type of a function, unwrapped from `Result`; `None` unless exactly one
/// function has this name.
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

/// Returns the position of the type of a closure's first parameter: `move |secret: &Secret| ..`.
fn taken(closure: &str) -> Option<usize> {
    let rest = closure.strip_prefix("move").unwrap_or(closure).trim_start();
    let (name, rest) = rest.strip_prefix('|')?.split_once(':')?;
    let is_name = name.trim().chars().all(is_identifier);
    let rest = rest.trim_start().strip_prefix('&')?;
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    is_name.then_some(closure.len() - rest.len())
}

/// Parses the `use` declarations in a text without comments and strings. The surrounding code does
/// not have to compile.
pub(super) fn imports(code: &str) -> Imports {
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
    lexer::nesting(line) <= DEEPEST && paths.all(|path| path.matches("::").count() <= DEEPEST)
}

/// Returns the full path of a name if it belongs to Kubernetes' or the project's types.
fn resolve(imports: &Imports, name: &str) -> Option<String> {
    let path = full_path(imports, name);
    let known = path.starts_with("k8s_openapi::") || path.starts_with("api::");
    known.then_some(path)
}

/// Returns the path of a name with its import. A name that is not imported is returned unchanged.
pub(super) fn full_path(imports: &Imports, name: &str) -> String {
    let name = name.trim_start_matches("::");
    let (first, rest) = name.split_once("::").unwrap_or((name, ""));
    let first = imports
        .get(first)
        .map_or_else(|| first.to_owned(), |path| path.join("::"));
    if rest.is_empty() {
        first
    } else {
        format!("{first}::{rest}")
    }
}

/// Returns the position and the role of the word before a `<`.
fn word_before(code: &str, end: usize) -> Option<(usize, Role)> {
    let code = &code[..=end];
    let (word, role) = WORDS.iter().find(|(word, _)| code.ends_with(word))?;
    let at = code.len() - word.len();
    let is_whole = word.starts_with('.') || !code[..at].ends_with(is_identifier);
    is_whole.then_some((at, *role))
}

/// Returns true if the path of a file indicates that it contains only tests.
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

/// Returns the code of a text, with comments, strings and test code replaced by spaces, so that
/// byte positions stay the same.
pub(super) fn program(text: &str) -> String {
    let code = lexer::code(text);
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

/// Returns the end of the item that begins at `start`: after its block or its semicolon.
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

/// Returns the byte range of the type at `start`; for `PartialObjectMeta`, that of its kind.
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

/// Returns the text before the path that ends at `at`, without qualifiers such as `kube::`.
fn before_path(code: &str, at: usize) -> &str {
    code[..at]
        .trim_end_matches(|c| is_identifier(c) || c == ':')
        .trim_end()
}

/// Returns true if a trait is preceded by `impl` or `impl<T>`.
fn is_impl(before: &str) -> bool {
    let before = match before.rsplit_once('<') {
        Some((before, parameters)) if parameters.ends_with('>') => before,
        _ => before,
    };
    before.ends_with("impl")
}

/// Returns true if a character can be part of an identifier.
pub(super) fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests;
