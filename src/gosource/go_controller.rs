//! The controllers in a Go file. They are declared with builders, such as
//! `ctrl.NewControllerManagedBy(mgr).For(&v1.Lolcow{}).Owns(…).Complete(r)`, in one chain or in
//! several statements on a variable. Or they are created manually: `c, err := controller.New(…)`
//! with `c.Watch(…)`.

use super::imports::imports;
use super::lexer::{Lexeme, LineIndex, Token, joined, lex};

/// Functions that return a builder.
const BUILDERS: [&str; 2] = ["NewControllerManagedBy", "ControllerManagedBy"];

/// Functions of the package `controller` that create a controller without a builder.
const BY_HAND: [&str; 4] = ["New", "NewTyped", "NewUnmanaged", "NewTypedUnmanaged"];

/// The handler that enqueues the watched object itself. A manually created controller reconciles
/// the kind that it watches with this handler.
const ITSELF: &str = "EnqueueRequestForObject";

/// A controller and the calls that configure it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GoController {
    /// The line on which it begins, starting at 1.
    pub line: usize,
    /// The calls on the builder, in order. Without a builder, the first one is the call of the
    /// constructor, such as `New`.
    pub calls: Vec<BuilderCall>,
}

/// A call on a builder or controller.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BuilderCall {
    /// For example `Owns`.
    pub name: String,
    /// The text between the parentheses, on one line and without comments.
    pub arguments: String,
    /// The line, starting at 1.
    pub line: usize,
    /// If the first argument is a variable, its value, provided that the file declares it:
    /// `&v1.Lolcow{}`.
    pub value: Option<String>,
    /// The path of the import that contains the type of the first argument: `k8s.io/api/core/v1`.
    /// `None` if the type is not qualified, or if the file does not import its package under this
    /// name.
    pub import: Option<String>,
    /// The API group of the type of the first argument, if its package is known. Only
    /// `Groups::resolve` sets it.
    pub group: Option<String>,
}

/// A Go type and its package, under the names used in the file: `v1` and `Lolcow`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct GoType<'a> {
    /// The name of the package, for example `v1`; empty for a type of the same package.
    pub package: &'a str,
    /// For example `Lolcow`.
    pub kind: &'a str,
    /// See [`BuilderCall::import`].
    pub import: Option<&'a str>,
    /// See [`BuilderCall::group`].
    pub group: Option<&'a str>,
}

impl GoController {
    /// Returns the reconciled type: `v1.Lolcow` for `For(&v1.Lolcow{}, …)`, or the type of a watch
    /// that enqueues the object itself. `None` if no call names a type.
    pub fn object(&self) -> Option<GoType<'_>> {
        let mut calls = self.calls.iter();
        let is_for = |call: &&BuilderCall| call.name == "For";
        let is_itself = |call: &&BuilderCall| call.arguments.contains(ITSELF);
        let called = calls.clone().find(is_for);
        called.or_else(|| calls.find(is_itself))?.object()
    }

    /// Returns the reconciled kind.
    pub fn kind(&self) -> Option<&str> {
        self.object().map(|object| object.kind)
    }
}

impl BuilderCall {
    /// Returns the type of the object passed as the first argument; `None` if it is not a composite
    /// literal, such as a variable whose value is not known.
    pub fn object(&self) -> Option<GoType<'_>> {
        let arguments = self.value.as_deref().unwrap_or(&self.arguments);
        let braces = arguments.match_indices('{');
        let types = braces.filter_map(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            arguments[..at].rsplit(|c| !is_part(c)).next()
        });
        // Older watches wrap the object: `&source.Kind{Type: &v1.Lolcow{}}`.
        let mut types = types.filter(|it| *it != "source.Kind");
        let type_of = types.next().filter(|it| !it.ends_with(ITSELF))?;
        // A type of the same package is not qualified.
        let (package, kind) = type_of.rsplit_once('.').unwrap_or(("", type_of));
        (!kind.is_empty()).then_some(GoType {
            package,
            kind,
            import: self.import.as_deref(),
            group: self.group.as_deref(),
        })
    }
}

/// Returns the controllers in a Go file.
pub fn go_controllers(text: &str) -> Vec<GoController> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    let text = &LineIndex::of(text);
    let imports = imports(&lexemes);
    let mut all = Vec::new();
    // The end of the last controller's calls. A builder in their arguments is not a separate
    // controller.
    let mut end = 0;
    for at in 0..lexemes.len() {
        if at < end || !begins(&lexemes, at) {
            continue;
        }
        let mut begun = Vec::new();
        if !is_builder(&lexemes[at].1) {
            begun.extend(call(text, &lexemes[at..]));
        }
        let mut rest = &lexemes[at + 1..];
        rest = &rest[brackets(rest)..];
        begun.extend(calls(text, &mut rest));
        end = lexemes.len() - rest.len();
        if let Some(name) = assigned(&lexemes[..at]) {
            begun.extend(later(text, &lexemes, rest, name));
        }
        for call in &mut begun {
            call.value = value(text, &lexemes, call);
            let import = call.object().and_then(|it| imports.get(it.package));
            call.import = import.map(|path| (*path).to_owned());
        }
        all.push(GoController {
            line: text.number(lexemes[at].0),
            calls: begun,
        });
    }
    all
}

fn is_builder(token: &Token) -> bool {
    matches!(token, Token::Word(name) if BUILDERS.contains(name))
}

/// Returns true if a controller begins at this token.
fn begins(lexemes: &[Lexeme], at: usize) -> bool {
    let is_called = matches!(lexemes.get(at + 1), Some((_, Token::Sign('(' | '['))));
    let by_hand = || match lexemes.get(at.saturating_sub(2)..=at) {
        Some(
            [
                (_, Token::Word("controller")),
                (_, Token::Sign('.')),
                (_, Token::Word(name)),
            ],
        ) => BY_HAND.contains(name),
        _ => false,
    };
    is_called && (is_builder(&lexemes[at].1) || by_hand())
}

/// Returns the first variable to which the following expression is assigned: `c` for `c, err :=
/// controller.`.
fn assigned<'a>(before: &[Lexeme<'a>]) -> Option<&'a str> {
    let mut rest = before;
    while let [fore @ .., (_, Token::Word(_)), (_, Token::Sign('.'))] = rest {
        rest = fore;
    }
    let [fore @ .., (_, Token::Sign('='))] = rest else {
        return None;
    };
    rest = match fore {
        [fore @ .., (_, Token::Sign(':'))] => fore,
        _ => fore,
    };
    while let [fore @ .., (_, Token::Sign(',')), (_, Token::Word(_))] = rest {
        rest = fore;
    }
    match rest {
        [.., (_, Token::Word(name))] => Some(name),
        _ => None,
    }
}

/// Returns the calls on a variable until its block ends or another controller is assigned to it.
fn later(text: &LineIndex, all: &[Lexeme], rest: &[Lexeme], name: &str) -> Vec<BuilderCall> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for at in all.len() - rest.len()..all.len() {
        match all[at].1 {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') if depth == 0 => break,
            Token::Sign('}') => depth -= 1,
            Token::Word(word) if word == name && !is_field(all, at) => {
                found.extend(calls(text, &mut &all[at + 1..]));
            }
            _ if begins(all, at) && assigned(&all[..at]) == Some(name) => break,
            _ => {}
        }
    }
    found
}

fn is_field(all: &[Lexeme], at: usize) -> bool {
    at > 0 && all[at - 1].1 == Token::Sign('.')
}

/// Parses a chain of calls, each preceded by a dot, and advances `rest` past it.
fn calls(text: &LineIndex, rest: &mut &[Lexeme]) -> Vec<BuilderCall> {
    let mut found = Vec::new();
    while let [(_, Token::Sign('.')), behind @ ..] = *rest {
        let Some(one) = call(text, behind) else {
            break;
        };
        found.push(one);
        *rest = &behind[1 + brackets(&behind[1..])..];
    }
    found
}

/// Parses a call of the builder chain; `None` if it is not one.
fn call(text: &LineIndex, lexemes: &[Lexeme]) -> Option<BuilderCall> {
    let [(at, Token::Word(name)), called @ ..] = lexemes else {
        return None;
    };
    let length = brackets(called);
    let inner = called.get(1..length.checked_sub(1)?).unwrap_or_default();
    Some(BuilderCall {
        name: (*name).to_owned(),
        arguments: joined(text.text, inner),
        line: text.number(*at),
        value: None,
        import: None,
        group: None,
    })
}

/// Returns the value of the variable that is the first argument of a call: the last value assigned
/// to it before the call, in the same function.
fn value(text: &LineIndex, all: &[Lexeme], call: &BuilderCall) -> Option<String> {
    let (name, _) = call
        .arguments
        .split_once(',')
        .unwrap_or((&call.arguments, ""));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_word) {
        return None;
    }
    let before = all.partition_point(|(at, _)| text.number(*at) <= call.line);
    let is_function = |at: usize| {
        let (start, token) = all[at];
        token == Token::Word("func") && (start == 0 || text.text[..start].ends_with('\n'))
    };
    let mut earlier = (0..before).rev().take_while(|at| !is_function(*at));
    earlier.find_map(|at| {
        let is_name = all[at].1 == Token::Word(name) && !is_field(all, at);
        is_name.then(|| assigned_value(text.text, &all[at + 1..]))?
    })
}

/// Parses `:= &v1.Lolcow{}` or `= new(v1.Lolcow)`, and returns the value as a composite literal.
fn assigned_value(text: &str, behind: &[Lexeme]) -> Option<String> {
    let ([(_, Token::Sign(':')), (_, Token::Sign('=')), rest @ ..]
    | [(_, Token::Sign('=')), rest @ ..]) = behind
    else {
        return None;
    };
    let behind = match rest {
        [(_, Token::Sign('&')), inner @ ..]
        | [(_, Token::Word("new")), (_, Token::Sign('(')), inner @ ..] => inner,
        _ => rest,
    };
    let length = behind
        .iter()
        .take_while(|(_, token)| matches!(token, Token::Word(_) | Token::Sign('.')))
        .count();
    let ends = matches!(behind.get(length), Some((_, Token::Sign('{' | ')'))));
    (length > 0 && ends).then(|| format!("&{}{{}}", joined(text, &behind[..length])))
}

/// Returns the number of tokens in a pair of brackets, including the brackets; 0 if there is no
/// bracket.
fn brackets(lexemes: &[Lexeme]) -> usize {
    let mut depth = 0_usize;
    for (at, (_, token)) in lexemes.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    lexemes.len()
}
