//! Finalizers: `const cowFinalizer = "example.org/cow"`, or the name in `controllerutil.AddFinalizer(cow, "example.org/cow")`.

use super::lexer::{Lexeme, Token, joined, lex, line};

/// What is called with the name of a finalizer.
const CALLS: [&str; 3] = ["AddFinalizer", "ContainsFinalizer", "RemoveFinalizer"];

/// A finalizer that the operator gives to objects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finalizer {
    /// Its name, or the expression that makes it, as Go has it.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
}

/// The finalizers of a Go text, each where it is named first.
pub fn finalizers(text: &str) -> Vec<Finalizer> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    let mut found: Vec<Finalizer> = Vec::new();
    for (at, lexeme) in lexemes.iter().enumerate() {
        let rest = &lexemes[at + 1..];
        let name = match lexeme.1 {
            Token::Word(word) if CALLS.contains(&word) => passed(rest),
            Token::Word(word) => {
                let word = word.to_lowercase();
                let is_one = word.ends_with("finalizer") || word.ends_with("finalizername");
                // What is called otherwise may be the text of a condition.
                let is_wanted = |name: &String| is_one || name.contains(['.', '/']);
                let named = word.contains("finalizer").then(|| assigned(text, rest));
                named.flatten().filter(is_wanted)
            }
            _ => None,
        };
        let Some(name) = name else { continue };
        if found.iter().all(|it| it.name != name) {
            let line = line(text, lexeme.0);
            found.push(Finalizer { name, line });
        }
    }
    found
}

/// The name that ends the arguments of a call.
fn passed(called: &[Lexeme]) -> Option<String> {
    let end = called
        .iter()
        .position(|(_, token)| *token == Token::Sign(')'))?;
    match called[..end] {
        [.., (_, Token::Sign(',')), (_, Token::Literal(literal))] => name(literal),
        _ => None,
    }
}

/// The name that a constant or a variable gets, which may have a type.
fn assigned(text: &str, behind: &[Lexeme]) -> Option<String> {
    let behind = match behind {
        [(_, Token::Sign(':') | Token::Word(_)), behind @ ..] => behind,
        _ => behind,
    };
    let [(_, Token::Sign('=')), value @ ..] = behind else {
        return None;
    };
    let first = value.first()?.0;
    let same_line = |(at, _): &&Lexeme| !text[first..*at].contains('\n');
    let length = value.iter().take_while(same_line).count();
    let value = &value[..length];
    if let [(_, Token::Literal(literal))] = value {
        return name(literal);
    }
    let mut tokens = value.iter();
    let is_made = tokens.any(|(_, token)| matches!(token, Token::Literal(it) if is_part(it)));
    is_made.then(|| joined(text, value))
}

/// What a literal says, if that can be the name of a finalizer: not a path, not a sentence.
fn name(literal: &str) -> Option<String> {
    let name = literal.trim_matches(['"', '`']);
    let is_legal = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c));
    let is_field = name.starts_with('/') || name.starts_with("metadata");
    (is_legal && !is_field && !name.is_empty()).then(|| name.to_owned())
}

/// Whether a literal can be a part of a name: `"/herd"`, `"%s/herd"`.
fn is_part(literal: &str) -> bool {
    literal.contains('/') && !literal.contains(' ')
}
