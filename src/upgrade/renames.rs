//! New names of deprecated functions of the runtime, which an upgrade writes into user files where
//! the text alone shows that the runtime's function is called. The compiler's warnings name the
//! others.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::{ItemUse, UseTree};

/// The names under which a project imports the runtime crate.
const CRATES: [&str; 2] = ["manager", "rustop_manager"];

/// Functions with one successor: the type or module, the deprecated name and the new one.
const RENAMES: [Rename; 11] = [
    Rename::new(CONTROLLER, "named", "with_name"),
    Rename::new(CONTROLLER, "when", "predicate"),
    Rename::new(CONTROLLER, "owns_if_served", "owns_matching").taking("Watch::new().optional()"),
    Rename::new(CONTROLLER, "watches_if_served", "watches_matching")
        .taking("Watch::new().optional()"),
    Rename::new(CONTROLLER, "watches_with", "watches_with_store").taking("Watch::new()"),
    Rename::new(MANAGER, "task", "runnable"),
    Rename::new(CONTEXT, "by", "by_index"),
    Rename::new(CONTEXT, "delete_unowned", "delete_object"),
    Rename::new(CONTEXT, "served", "is_available"),
    Rename::new(CONDITION, "met", "true_because"),
    Rename::new(CONDITION, "unmet", "false_because"),
];

/// Builders: each of their methods returns them.
const BUILDERS: [&str; 2] = [CONTROLLER, MANAGER];
const CONTROLLER: &str = "Controller";
const MANAGER: &str = "Manager";
/// An argument of functions.
const CONTEXT: &str = "Context";
const CONDITION: &str = "condition";

/// One row of the table.
struct Rename {
    /// The type or the module that has the function.
    of: &'static str,
    old: &'static str,
    new: &'static str,
    /// A value of the runtime that the new function takes as its first argument; empty for none.
    first: &'static str,
}

impl Rename {
    const fn new(of: &'static str, old: &'static str, new: &'static str) -> Self {
        Self {
            of,
            old,
            new,
            first: "",
        }
    }

    const fn taking(self, first: &'static str) -> Self {
        Self { first, ..self }
    }

    fn find(of: &str, name: &Ident) -> Option<&'static Self> {
        RENAMES
            .iter()
            .find(|rename| rename.of == of && name == rename.old)
    }
}

/// Replaces deprecated names in a Rust file. Returns `None` if there is nothing to replace, or if
/// the file is not valid Rust.
pub fn rename(text: &str) -> Option<String> {
    if !RENAMES.iter().any(|rename| text.contains(rename.old)) {
        return None;
    }
    syn::parse_file(text).ok()?;
    let tokens: TokenStream = text.parse().ok()?;
    let mut found = Found {
        names: NamesInFile::of(text, &tokens),
        edits: Vec::new(),
    };
    found.search(&list(tokens), &BTreeSet::new());
    let mut renamed = text.to_owned();
    found.edits.sort_by_key(|(range, _)| range.start);
    for (range, edit) in found.edits.iter().rev() {
        if renamed.get(range.clone())? != edit.old {
            return None;
        }
        renamed.replace_range(range.clone(), &edit.new);
    }
    (renamed != text).then_some(renamed)
}

/// The names in a file that matter here.
#[derive(Default)]
struct NamesInFile {
    /// The runtime's names that the file imports.
    imported: BTreeSet<String>,
    /// The names that the file defines, or imports from elsewhere.
    others: BTreeSet<String>,
    /// True if the file calls the runtime crate by its own name, and not `manager`.
    has_own_name: bool,
}

impl NamesInFile {
    fn of(text: &str, tokens: &TokenStream) -> Self {
        let mut names = Self::default();
        names.collect(text, tokens.clone());
        names
    }

    fn collect(&mut self, text: &str, tokens: TokenStream) {
        let tokens = list(tokens);
        for (at, token) in tokens.iter().enumerate() {
            self.has_own_name |= matches!(token, TokenTree::Ident(word) if word == CRATES[1]);
            match token {
                TokenTree::Group(group) => self.collect(text, group.stream()),
                TokenTree::Ident(word) if word == "use" => {
                    let end = tokens[at..].iter().find(|token| is_punct(token, ';'));
                    let range = end.map(|end| start(token)..end.span().byte_range().end);
                    let item = range.and_then(|range| text.get(range));
                    if let Some(item) = item.and_then(|item| syn::parse_str::<ItemUse>(item).ok()) {
                        self.import(&item.tree, &mut Vec::new());
                    }
                }
                TokenTree::Ident(word) if is_definition(word) => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(at + 1) {
                        self.others.insert(name.to_string());
                    }
                }
                _ => {}
            }
        }
    }

    fn import(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(next) => {
                path.push(next.ident.to_string());
                self.import(&next.tree, path);
                path.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path);
                }
            }
            UseTree::Glob(_) => {
                let is_prelude = path.get(1).is_some_and(|name| name == "prelude");
                if is_crate(path) && (path.len() == 1 || is_prelude) {
                    let all = BUILDERS.iter().chain(&[CONTEXT, CONDITION]);
                    self.imported.extend(all.map(|name| (*name).to_owned()));
                }
            }
            UseTree::Name(name) if name.ident == "self" => {
                let name = path.last().cloned().unwrap_or_default();
                self.bind(is_crate(path), name);
            }
            UseTree::Name(name) => {
                self.bind(is_crate(path), name.ident.to_string());
            }
            UseTree::Rename(name) => {
                self.others.insert(name.rename.to_string());
            }
        }
    }

    fn bind(&mut self, is_of_runtime: bool, name: String) {
        let names = if is_of_runtime {
            &mut self.imported
        } else {
            &mut self.others
        };
        names.insert(name);
    }

    /// Returns true if the token at an index is the name of this item of the runtime: imported, or
    /// behind the crate's name.
    fn is(&self, item: &str, tokens: &[TokenTree], at: usize) -> bool {
        if !matches!(&tokens[at], TokenTree::Ident(name) if name == item) {
            return false;
        }
        if !is_path_separator(tokens, at.checked_sub(2)) {
            let is_field = at > 0 && is_punct(&tokens[at - 1], '.');
            return !is_field && self.imported.contains(item) && !self.others.contains(item);
        }
        let Some(TokenTree::Ident(first)) = at.checked_sub(3).map(|at| &tokens[at]) else {
            return false;
        };
        let is_first = !is_path_separator(tokens, at.checked_sub(5));
        is_first
            && CRATES.iter().any(|name| first == name)
            && !self.others.contains(&first.to_string())
    }
}

/// The replacements in a file.
struct Found {
    names: NamesInFile,
    edits: Vec<(Range<usize>, Edit)>,
}

/// A text of the file, and its replacement.
struct Edit {
    old: &'static str,
    new: String,
}

impl Found {
    /// Searches a block. `contexts` are the variables that are a `Context` in it.
    fn search(&mut self, tokens: &[TokenTree], contexts: &BTreeSet<String>) {
        let mut function = None;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(body) if function.is_some_and(|(_, body)| body == at) => {
                    let arguments = function.map_or(at, |(arguments, _)| arguments);
                    let own = self.contexts_of(&tokens[arguments], body);
                    self.search(&list(body.stream()), &own);
                }
                TokenTree::Group(group) => self.search(&list(group.stream()), contexts),
                TokenTree::Ident(word) if word == "fn" => function = parts(tokens, at).or(function),
                TokenTree::Ident(name) => {
                    let is_variable = at == 0 || !is_punct(&tokens[at - 1], '.');
                    if is_variable && contexts.contains(&name.to_string()) {
                        self.method(CONTEXT, tokens, at + 1);
                    }
                    for builder in BUILDERS {
                        if self.names.is(builder, tokens, at) {
                            self.chain(builder, tokens, at + 1);
                        }
                    }
                    if self.names.is(CONDITION, tokens, at)
                        && is_path_separator(tokens, Some(at + 1))
                    {
                        self.edit(CONDITION, tokens.get(at + 3), tokens.get(at + 4));
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the arguments of a function that are a `Context`, and whose names mean nothing else
    /// in its body.
    fn contexts_of(&self, arguments: &TokenTree, body: &Group) -> BTreeSet<String> {
        let TokenTree::Group(arguments) = arguments else {
            return BTreeSet::new();
        };
        let arguments = list(arguments.stream());
        let mut found = BTreeSet::new();
        for (at, token) in arguments.iter().enumerate() {
            let (TokenTree::Ident(name), Some(colon)) = (token, arguments.get(at + 1)) else {
                continue;
            };
            if !is_punct(colon, ':') || is_path_separator(&arguments, Some(at + 1)) {
                continue;
            }
            let type_at = (at + 2..arguments.len()).find(|at| !is_reference(&arguments, *at));
            let is_context = type_at.is_some_and(|type_at| {
                let last = last_segment(&arguments, type_at);
                self.names.is(CONTEXT, &arguments, last)
            });
            if is_context && !is_bound(&list(body.stream()), name) {
                found.insert(name.to_string());
            }
        }
        found
    }

    /// Replaces the names of methods in a chain that begins with a constructor:
    /// `Controller::new(..).when(..)`. `at` is the index after the type.
    fn chain(&mut self, of: &str, tokens: &[TokenTree], at: usize) {
        let mut next = at;
        // The path of the constructor, with type arguments.
        while is_path_separator(tokens, Some(next)) {
            next = after_segment(tokens, next + 2);
        }
        while next > at && is_arguments(tokens.get(next)) {
            next = self.method(of, tokens, next + 1);
        }
    }

    /// Replaces the name of the method that is called at `at`, where its point is. Returns the
    /// index of its arguments.
    fn method(&mut self, of: &str, tokens: &[TokenTree], at: usize) -> usize {
        let (Some(point), Some(TokenTree::Ident(_))) = (tokens.get(at), tokens.get(at + 1)) else {
            return tokens.len();
        };
        if !is_punct(point, '.') {
            return tokens.len();
        }
        let mut arguments = at + 2;
        if is_path_separator(tokens, Some(arguments)) {
            arguments = after_segment(tokens, arguments + 2);
        }
        if !is_arguments(tokens.get(arguments)) {
            return tokens.len();
        }
        self.edit(of, tokens.get(at + 1), tokens.get(arguments));
        arguments
    }

    fn edit(&mut self, of: &str, name: Option<&TokenTree>, arguments: Option<&TokenTree>) {
        if let Some(TokenTree::Ident(name)) = name
            && let Some(TokenTree::Group(arguments)) = arguments
            && let Some(rename) = Rename::find(of, name)
        {
            let new = rename.new.to_owned();
            let old = rename.old;
            self.edits
                .push((name.span().byte_range(), Edit { old, new }));
            self.add_first(rename, arguments);
        }
    }

    /// Adds the first argument of the new function.
    fn add_first(&mut self, rename: &Rename, arguments: &Group) {
        if rename.first.is_empty() {
            return;
        }
        let runtime = CRATES[usize::from(self.names.has_own_name)];
        let comma = if arguments.stream().is_empty() {
            ""
        } else {
            ", "
        };
        let new = format!("{runtime}::{}{comma}", rename.first);
        let start = arguments.span_open().byte_range().end;
        self.edits.push((start..start, Edit { old: "", new }));
    }
}

/// Returns the indices of the arguments and of the body of the function whose `fn` is at an index.
/// `None` if it has no body.
fn parts(tokens: &[TokenTree], at: usize) -> Option<(usize, usize)> {
    let arguments = match tokens.get(at + 2)? {
        token if is_punct(token, '<') => after_segment(tokens, at + 2),
        _ => at + 2,
    };
    if !is_arguments(tokens.get(arguments)) {
        return None;
    }
    let end = (arguments + 1..tokens.len()).find(|at| match &tokens[*at] {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(token, ';'),
    })?;
    matches!(&tokens[end], TokenTree::Group(_)).then_some((arguments, end))
}

/// Returns true if a block binds a name again: with `let`, as an argument of a closure, or in
/// another pattern.
fn is_bound(tokens: &[TokenTree], name: &Ident) -> bool {
    let is_word = |at: Option<usize>, words: &[&str]| {
        let token = at.and_then(|at| tokens.get(at));
        matches!(token, Some(TokenTree::Ident(word)) if words.iter().any(|one| word == one))
    };
    let is_sign = |at: Option<usize>, sign| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| is_punct(token, sign))
    };
    tokens.iter().enumerate().any(|(at, token)| {
        let before = at.checked_sub(1);
        match token {
            TokenTree::Ident(word) if word == name => {
                is_word(before, &["let", "mut", "ref", "for"])
                    || is_sign(before, '|')
                    || is_sign(Some(at + 1), '|')
                    || is_sign(Some(at + 1), '@')
                    || (is_sign(Some(at + 1), ':') && !is_sign(Some(at + 2), ':'))
            }
            TokenTree::Group(group) => {
                // `let Some(ctx) = ..`, and `Some(ctx) => ..` in a match.
                let is_pattern = is_sign(Some(at + 1), '=') && !is_sign(Some(at + 2), '=');
                let inside = list(group.stream());
                is_bound(&inside, name)
                    || (is_pattern
                        && inside
                            .iter()
                            .any(|token| matches!(token, TokenTree::Ident(word) if word == name)))
            }
            _ => false,
        }
    })
}

fn list(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

fn start(token: &TokenTree) -> usize {
    token.span().byte_range().start
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// Returns true if `::` is at an index.
fn is_path_separator(tokens: &[TokenTree], at: Option<usize>) -> bool {
    at.and_then(|at| tokens.get(at..at + 2))
        .is_some_and(|pair| pair.iter().all(|token| is_punct(token, ':')))
}

fn is_arguments(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

/// Returns true for what may stand between the colon and the path of a type: `&`, `mut` and a
/// lifetime.
fn is_reference(tokens: &[TokenTree], at: usize) -> bool {
    match &tokens[at] {
        TokenTree::Ident(word) => word == "mut" || is_punct(&tokens[at - 1], '\''),
        token => is_punct(token, '&') || is_punct(token, '\''),
    }
}

/// Returns the index of the last segment of the path that begins at an index.
fn last_segment(tokens: &[TokenTree], first: usize) -> usize {
    let mut at = first;
    while is_path_separator(tokens, Some(at + 1))
        && matches!(tokens.get(at + 3), Some(TokenTree::Ident(_)))
    {
        at += 3;
    }
    at
}

/// Returns the index after a segment of a path: a name, or type arguments in angle brackets.
fn after_segment(tokens: &[TokenTree], at: usize) -> usize {
    if !tokens.get(at).is_some_and(|token| is_punct(token, '<')) {
        return at + 1;
    }
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        let is_arrow = is_punct(&tokens[index - 1], '-');
        if is_punct(token, '<') {
            depth += 1;
        } else if is_punct(token, '>') && !is_arrow {
            depth -= 1;
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

fn is_crate(path: &[String]) -> bool {
    path.first()
        .is_some_and(|first| CRATES.contains(&first.as_str()))
}

fn is_definition(word: &Ident) -> bool {
    ["enum", "mod", "struct", "trait", "type", "union"]
        .iter()
        .any(|one| word == one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(text: &str, expected: &str) {
        assert_eq!(rename(text).as_deref(), Some(expected));
        assert_eq!(rename(expected), None, "a second time");
    }

    #[test]
    fn methods_of_a_controller_get_their_new_names() {
        becomes(
            "use manager::{Action, Controller};\n\
             fn controller() -> Controller<Cow> {\n    Controller::new(reconcile)\n        // when the spec changes\n        \
             .when(|old, new| old.when(new))\n        .owns::<Pod>()\n        .named(\"when\")\n}\n",
            "use manager::{Action, Controller};\n\
             fn controller() -> Controller<Cow> {\n    Controller::new(reconcile)\n        // when the spec changes\n        \
             .predicate(|old, new| old.when(new))\n        .owns::<Pod>()\n        .with_name(\"when\")\n}\n",
        );
        becomes(
            "fn f() { register(manager::Controller::<Cow>::new(run).when(spec)) }",
            "fn f() { register(manager::Controller::<Cow>::new(run).predicate(spec)) }",
        );
    }

    #[test]
    fn methods_of_a_manager_get_their_new_names() {
        becomes(
            "use rustop_manager::prelude::*;\n\
             fn main() { Manager::new(\"a\", \"1\", options).controller(c()).task(\"b\", run) }",
            "use rustop_manager::prelude::*;\n\
             fn main() { Manager::new(\"a\", \"1\", options).controller(c()).runnable(\"b\", run) }",
        );
    }

    #[test]
    fn watches_get_a_description() {
        becomes(
            "use manager::{Action, Controller};\nfn c() {\n    Controller::new(reconcile)\n        .watches_with(of_secret)\n        \
             .watches_with::<Pod, _>(|pod, store| of(pod))\n        .owns_if_served::<Barn>()\n        .watches_if_served(|it: &Ox| it.by())\n}\n",
            "use manager::{Action, Controller};\nfn c() {\n    Controller::new(reconcile)\n        \
             .watches_with_store(manager::Watch::new(), of_secret)\n        \
             .watches_with_store::<Pod, _>(manager::Watch::new(), |pod, store| of(pod))\n        \
             .owns_matching::<Barn>(manager::Watch::new().optional())\n        \
             .watches_matching(manager::Watch::new().optional(), |it: &Ox| it.by())\n}\n",
        );
        becomes(
            "use rustop_manager::prelude::*;\nfn c() { Controller::new(f).owns_if_served::<Barn>() }",
            "use rustop_manager::prelude::*;\nfn c() { Controller::new(f).owns_matching::<Barn>(rustop_manager::Watch::new().optional()) }",
        );
        becomes(
            "fn c() { rustop_manager::Controller::new(f).watches_with(g) }",
            "fn c() { rustop_manager::Controller::new(f).watches_with_store(rustop_manager::Watch::new(), g) }",
        );
    }

    #[test]
    fn methods_of_a_context_get_their_new_names() {
        becomes(
            "use rustop_manager::prelude::*;\n\
             async fn reconcile(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {\n    if ctx.served::<Barn>() { \
             Ok(ctx.by::<Pod>(\"cow\", \"a\")?) }\n}\n\
             fn helper<'a, F: Fn(u8)>(context: &'a mut manager::Context<Cow>) -> Result<()> { context.served::<Barn>(); }\n",
            "use rustop_manager::prelude::*;\n\
             async fn reconcile(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {\n    if ctx.is_available::<Barn>() { \
             Ok(ctx.by_index::<Pod>(\"cow\", \"a\")?) }\n}\n\
             fn helper<'a, F: Fn(u8)>(context: &'a mut manager::Context<Cow>) -> Result<()> { context.is_available::<Barn>(); }\n",
        );
    }

    #[test]
    fn functions_of_conditions_get_their_new_names() {
        becomes(
            "use manager::condition;\nfn f() { set(condition::met(\"Ready\", \"A\", \"b\"), manager::condition::unmet(\"C\", \"D\", \"e\")) }\n",
            "use manager::condition;\nfn f() { set(condition::true_because(\"Ready\", \"A\", \"b\"), manager::condition::false_because(\"C\", \"D\", \"e\")) }\n",
        );
    }

    #[test]
    fn names_that_may_belong_to_other_crates_stay() {
        let cases = [
            (
                "a type of another crate",
                "use kube::runtime::Controller;\nfn f() { Controller::new(a).when(b); }",
            ),
            ("no import", "fn f() { Controller::new(a).when(b); }"),
            (
                "a type of the file",
                "use manager::prelude::*;\nstruct Controller;\nfn f() { Controller::new().when(b); }",
            ),
            (
                "an alias",
                "use manager::Manager as Controller;\nfn f() { Controller::new(a).when(b); }",
            ),
            (
                "two imports",
                "use manager::Context;\nmod a { use std::task::Context; fn f(ctx: &mut Context<'_>) { ctx.served(); } }",
            ),
            (
                "a module of the project",
                "mod manager;\nfn f() { manager::Controller::new(a).when(b); }",
            ),
            (
                "a longer path",
                "fn f() { other::manager::Controller::new(a).when(b); }",
            ),
            (
                "an argument of another type",
                "use manager::Context;\nfn f(ctx: Other) { ctx.served(); }",
            ),
            (
                "a context of another function",
                "use manager::Context;\nfn f(ctx: Context<Cow>) { fn g(ctx: u8) { ctx.served() } }",
            ),
            (
                "a field",
                "use manager::Context;\nfn f(ctx: Context<Cow>) { self.ctx.served() }",
            ),
            (
                "a new variable",
                "use manager::Context;\nfn f(ctx: Context<Cow>) { let ctx = other(); ctx.served() }",
            ),
            (
                "a variable of a pattern",
                "use manager::Context;\nfn f(ctx: Context<Cow>) { if let Some(ctx) = other() { ctx.served() } }",
            ),
            (
                "an argument of a closure",
                "use manager::Context;\nfn f(ctx: Context<Cow>) { all(|ctx| ctx.served()) }",
            ),
            (
                "after another call",
                "use manager::Controller;\nfn f() { Controller::new(a)?.when(b) }",
            ),
            (
                "a field of the controller",
                "use manager::Controller;\nfn f() { Controller::new(a).when }",
            ),
            (
                "a string and a comment",
                "use manager::prelude::*;\nfn f() { \"Controller::new(a).when(b)\"; } // condition::met(a)",
            ),
            (
                "a function of a longer path",
                "use manager::condition;\nfn f() { mine::condition::met(a) }",
            ),
            (
                "invalid Rust",
                "use manager::Controller;\nfn f() { Controller::new(a).when(b);",
            ),
        ];
        let changed: Vec<_> = cases
            .into_iter()
            .filter_map(|(case, text)| Some((case, rename(text)?)))
            .collect();
        assert_eq!(changed, []);
    }
}
