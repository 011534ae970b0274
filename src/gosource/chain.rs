//! Builders of controllers: `ctrl.NewControllerManagedBy(mgr).For(&v1.Lolcow{}).Owns(…).Complete(r)`, in one chain or in
//! statements over a variable, and controllers by hand: `c, err := controller.New(…)` with `c.Watch(…)`.

use super::lexer::{Lexeme, Token, joined, lex, line};

/// What begins the chain of a controller.
const BUILDERS: [&str; 2] = ["NewControllerManagedBy", "ControllerManagedBy"];

/// What makes a controller by hand, in the package `controller`.
const BY_HAND: [&str; 4] = ["New", "NewTyped", "NewUnmanaged", "NewTypedUnmanaged"];

/// The handler that asks for the object itself: what a controller by hand watches so is what it is for.
const ITSELF: &str = "EnqueueRequestForObject";

/// A controller as its builder says it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Chain {
    /// The line on which it begins, from 1.
    pub line: usize,
    /// What is called on the builder, in order; `New` first where there is none.
    pub calls: Vec<Call>,
}

/// A call of a chain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Call {
    /// `Owns`.
    pub name: String,
    /// What stands between its brackets, in one line, without comments.
    pub arguments: String,
    /// The line, from 1.
    pub line: usize,
    /// The value of the variable that is the first argument, where the file declares it: `&v1.Lolcow{}`.
    pub value: Option<String>,
}

/// A Go type with its package, as the file calls it: `v1` and `Lolcow`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Named<'a> {
    /// `v1`.
    pub package: &'a str,
    /// `Lolcow`.
    pub kind: &'a str,
}

impl Chain {
    /// What the controller is for: `v1.Lolcow` of `For(&v1.Lolcow{}, …)`, or of a watch that asks for the object
    /// itself.
    pub fn object(&self) -> Option<Named<'_>> {
        let mut calls = self.calls.iter();
        let is_for = |call: &&Call| call.name == "For";
        let is_itself = |call: &&Call| call.arguments.contains(ITSELF);
        let called = calls.clone().find(is_for);
        called.or_else(|| calls.find(is_itself))?.object()
    }

    /// The kind of that.
    pub fn kind(&self) -> Option<&str> {
        self.object().map(|object| object.kind)
    }
}

impl Call {
    /// The type of the object that is the first argument.
    pub fn object(&self) -> Option<Named<'_>> {
        let arguments = self.value.as_deref().unwrap_or(&self.arguments);
        let braces = arguments.match_indices('{');
        let types = braces.filter_map(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            arguments[..at].rsplit(|c| !is_part(c)).next()
        });
        // Older watches wrap it: `&source.Kind{Type: &v1.Lolcow{}}`.
        let mut types = types.filter(|it| *it != "source.Kind");
        let type_of = types.next().filter(|it| !it.ends_with(ITSELF))?;
        // A type of the file's own package has none before it.
        let (package, kind) = type_of.rsplit_once('.').unwrap_or(("", type_of));
        (!kind.is_empty()).then_some(Named { package, kind })
    }
}

/// The chains of a Go text.
pub fn chains(text: &str) -> Vec<Chain> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    let starts = (0..lexemes.len()).filter(|at| begins(&lexemes, *at));
    starts
        .map(|at| {
            let mut begun = Vec::new();
            if !is_builder(&lexemes[at].1) {
                begun.extend(call(text, &lexemes[at..]));
            }
            let mut rest = &lexemes[at + 1..];
            rest = &rest[brackets(rest)..];
            begun.extend(calls(text, &mut rest));
            if let Some(name) = assigned(&lexemes[..at]) {
                begun.extend(later(text, &lexemes, rest, name));
            }
            for call in &mut begun {
                call.value = value(text, &lexemes, call);
            }
            Chain {
                line: line(text, lexemes[at].0),
                calls: begun,
            }
        })
        .collect()
}

fn is_builder(token: &Token) -> bool {
    matches!(token, Token::Word(name) if BUILDERS.contains(name))
}

/// Whether a controller begins here.
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

/// The variable that what comes is assigned to, the first where there are several: `c` before `c, err := controller.`.
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

/// What is called on a variable until its block ends or another controller is assigned to it.
fn later(text: &str, all: &[Lexeme], rest: &[Lexeme], name: &str) -> Vec<Call> {
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

/// The calls with which a text begins, each behind a dot; `rest` is what comes after them.
fn calls(text: &str, rest: &mut &[Lexeme]) -> Vec<Call> {
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

/// The call with which a text begins.
fn call(text: &str, lexemes: &[Lexeme]) -> Option<Call> {
    let [(at, Token::Word(name)), called @ ..] = lexemes else {
        return None;
    };
    let length = brackets(called);
    let inner = called.get(1..length.checked_sub(1)?).unwrap_or_default();
    Some(Call {
        name: (*name).to_owned(),
        arguments: joined(text, inner),
        line: line(text, *at),
        value: None,
    })
}

/// The value of the variable that a call has as its first argument: the last one that is assigned to it before the call, in
/// the same function.
fn value(text: &str, all: &[Lexeme], call: &Call) -> Option<String> {
    let (name, _) = call
        .arguments
        .split_once(',')
        .unwrap_or((&call.arguments, ""));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_word) {
        return None;
    }
    let before = all.partition_point(|(at, _)| line(text, *at) <= call.line);
    let is_function = |at: usize| {
        let (start, token) = all[at];
        token == Token::Word("func") && (start == 0 || text[..start].ends_with('\n'))
    };
    let mut earlier = (0..before).rev().take_while(|at| !is_function(*at));
    earlier.find_map(|at| {
        let is_name = all[at].1 == Token::Word(name) && !is_field(all, at);
        is_name.then(|| assigned_value(text, &all[at + 1..]))?
    })
}

/// The value in `:= &v1.Lolcow{}` or `= new(v1.Lolcow)`, as a composite literal.
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

/// How many tokens a pair of brackets has, with all between them; none where there is no bracket.
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
