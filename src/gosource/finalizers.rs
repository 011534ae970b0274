//! The finalizers in a Go file: `const cowFinalizer = "example.org/cow"`, or the name in
//! `controllerutil.AddFinalizer(cow, "example.org/cow")`. A name that is passed as a variable is
//! followed to its value.

use std::collections::HashMap;

use super::lexer::{Lexeme, LineIndex, Token, joined, lex};

/// Functions that take the name of a finalizer.
const CALLS: [&str; 3] = ["AddFinalizer", "ContainsFinalizer", "RemoveFinalizer"];

/// The package of controller-runtime that has these functions.
const PACKAGE: &str = "controllerutil";

/// A finalizer that the operator adds to objects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finalizer {
    /// The name, or the Go expression that computes it.
    pub name: String,
    /// True if `name` is a Go expression.
    pub is_expression: bool,
    /// The line, starting at 1.
    pub line: usize,
}

/// The values of string constants and variables, by their names.
#[derive(Debug, Default)]
pub struct Constants {
    /// `None` if the name has several values.
    values: HashMap<String, Option<FinalizerName>>,
}

/// The name of a finalizer, as it is written in Go.
#[derive(Clone, Debug, Eq, PartialEq)]
struct FinalizerName {
    text: String,
    is_expression: bool,
}

impl Constants {
    /// Adds the constants and variables of a Go file with this text.
    pub fn add(&mut self, text: &str) {
        self.add_lexemes(text, &tokens(text));
    }

    fn add_lexemes(&mut self, text: &str, lexemes: &[Lexeme]) {
        for (at, lexeme) in lexemes.iter().enumerate() {
            let Token::Word(word) = lexeme.1 else {
                continue;
            };
            // The value of a name in a list of names is not the one behind the `=`.
            let is_listed = at > 0 && lexemes[at - 1].1 == Token::Sign(',');
            let value = assigned(text, &lexemes[at + 1..]).filter(|_| !is_listed);
            let Some(value) = value else { continue };
            self.values
                .entry(word.to_owned())
                .and_modify(|known| {
                    if known.as_ref() != Some(&value) {
                        *known = None;
                    }
                })
                .or_insert(Some(value));
        }
    }

    /// Replaces an expression that names a constant or variable, such as `cowFinalizer` or
    /// `v1.CowFinalizer`, by the value. A name without a single known value stays an expression.
    pub fn resolve(&self, finalizer: &mut Finalizer) {
        if finalizer.is_expression
            && let Some(value) = self.value(&finalizer.name)
        {
            finalizer.name.clone_from(&value.text);
            finalizer.is_expression = value.is_expression;
        }
    }

    fn value(&self, expression: &str) -> Option<&FinalizerName> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let name = expression.rsplit('.').next().unwrap_or_default();
        let value = self
            .values
            .get(name)
            .filter(|_| expression.chars().all(is_part))?;
        value.as_ref()
    }
}

/// Returns the finalizers in a Go file, each with its first occurrence.
pub fn finalizers(text: &str) -> Vec<Finalizer> {
    let lexemes = tokens(text);
    let lines = LineIndex::of(text);
    let mut constants = Constants::default();
    constants.add_lexemes(text, &lexemes);
    let mut found: Vec<Finalizer> = Vec::new();
    for (at, lexeme) in lexemes.iter().enumerate() {
        let Token::Word(word) = lexeme.1 else {
            continue;
        };
        let name = if CALLS.contains(&word) || word == "append" {
            passed(text, &lexemes, at, &constants)
        } else {
            let word = word.to_lowercase();
            let is_one = word.ends_with("finalizer") || word.ends_with("finalizername");
            // With any other variable name, the value may be the text of a condition.
            let is_wanted = |name: &FinalizerName| is_one || name.text.contains(['.', '/']);
            let named = word
                .contains("finalizer")
                .then(|| assigned(text, &lexemes[at + 1..]));
            named.flatten().filter(is_wanted)
        };
        let Some(name) = name else { continue };
        let mut finalizer = Finalizer {
            name: name.text,
            is_expression: name.is_expression,
            line: lines.number(lexeme.0),
        };
        constants.resolve(&mut finalizer);
        if found.iter().all(|it| it.name != finalizer.name) {
            found.push(finalizer);
        }
    }
    found
}

fn tokens(text: &str) -> Vec<Lexeme<'_>> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    lexemes
}

/// Returns the name that is the last argument of a call: of a function that takes a finalizer, or
/// of `append` to a list of finalizers.
fn passed(
    text: &str,
    lexemes: &[Lexeme],
    at: usize,
    constants: &Constants,
) -> Option<FinalizerName> {
    let (offset, called) = lexemes[at];
    let is_appended = called == Token::Word("append");
    let before = &lexemes[..at];
    // `func AddFinalizer(` and `func (r *R) AddFinalizer(` declare a function.
    if let Some((start, Token::Word("func") | Token::Sign(')'))) = before.last()
        && !text[*start..offset].contains('\n')
    {
        return None;
    }
    let arguments = arguments(&lexemes[at + 1..])?;
    let [first, .., last] = arguments[..] else {
        return None;
    };
    if let [(_, Token::Literal(literal))] = last {
        let text = name(literal)?;
        return (!is_appended || is_list(first)).then_some(FinalizerName {
            text,
            is_expression: false,
        });
    }
    // The parameters of a declaration consist of a name and a type.
    let is_word = |lexeme: &Lexeme| matches!(lexeme.1, Token::Word(_));
    let is_declared = last.windows(2).any(|pair| pair.iter().all(is_word));
    let is_spread = last.last().is_some_and(|it| it.1 == Token::Sign('.'));
    if is_declared || is_spread {
        return None;
    }
    let expression = one_line(text, last);
    let is_certain = if is_appended {
        is_list(first)
    } else {
        let package = before.iter().rev().nth(1).map(|it| it.1);
        // A function of another package may take the object last.
        package == Some(Token::Word(PACKAGE))
            || expression.to_lowercase().contains("finalizer")
            || constants.value(&expression).is_some()
    };
    is_certain.then_some(FinalizerName {
        text: expression,
        is_expression: true,
    })
}

/// Returns true for `cow.Finalizers` and `cow.GetFinalizers()`.
fn is_list(argument: &[Lexeme]) -> bool {
    matches!(
        argument,
        [.., (_, Token::Word("Finalizers"))]
            | [
                ..,
                (_, Token::Word("GetFinalizers")),
                (_, Token::Sign('(')),
                (_, Token::Sign(')'))
            ]
    )
}

/// Returns the arguments of a call. `None` if there is no call, or if it is not closed.
fn arguments<'a, 'b>(called: &'b [Lexeme<'a>]) -> Option<Vec<&'b [Lexeme<'a>]>> {
    let mut arguments = Vec::new();
    let mut depth = 0_usize;
    let mut start = 1;
    for (at, (_, token)) in called.iter().enumerate() {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ if at == 0 => return None,
            Token::Sign(',') if depth == 1 => {
                arguments.push(&called[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            arguments.push(called.get(start..at)?);
            arguments.retain(|argument| !argument.is_empty());
            return Some(arguments);
        }
    }
    None
}

/// Returns the value assigned to a constant or variable, with or without a declared type.
fn assigned(text: &str, behind: &[Lexeme]) -> Option<FinalizerName> {
    let behind = match behind {
        [(_, Token::Sign(':') | Token::Word(_)), behind @ ..] => behind,
        _ => behind,
    };
    let [(_, Token::Sign('=')), value @ ..] = behind else {
        return None;
    };
    let (first, token) = value.first()?;
    // A comparison, or a list of finalizers.
    if matches!(token, Token::Sign('=') | Token::Word("append")) {
        return None;
    }
    let same_line = |(at, _): &&Lexeme| !text[*first..*at].contains('\n');
    let length = value.iter().take_while(same_line).count();
    let value = &value[..length];
    if let [(_, Token::Literal(literal))] = value {
        let text = name(literal)?;
        return Some(FinalizerName {
            text,
            is_expression: false,
        });
    }
    let mut tokens = value.iter();
    let is_made = tokens.any(|(_, token)| matches!(token, Token::Literal(it) if is_part(it)));
    is_made.then(|| FinalizerName {
        text: one_line(text, value),
        is_expression: true,
    })
}

/// Returns an expression on one line, even if it contains a raw string of several lines.
fn one_line(text: &str, expression: &[Lexeme]) -> String {
    let joined = joined(text, expression);
    let words: Vec<_> = joined.split_whitespace().collect();
    words.join(" ")
}

/// Returns the value of a literal if it can be the name of a finalizer, not a path or a sentence.
fn name(literal: &str) -> Option<String> {
    let name = literal.trim_matches(['"', '`']);
    let is_legal = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c));
    let is_field = name.starts_with('/') || name.starts_with("metadata");
    (is_legal && !is_field && !name.is_empty()).then(|| name.to_owned())
}

/// Returns true if a literal can be a part of a name: `"/herd"`, `"%s/herd"`.
fn is_part(literal: &str) -> bool {
    literal.contains('/') && !literal.contains(' ')
}
