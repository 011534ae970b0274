//! The syntax of Go templates, as far as Helm charts use it.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::lex::{Problem, TemplatePiece, Token, pieces, tokens};

/// The maximum depth of blocks, such as `if`, in each other, and of parentheses in each other. The
/// parser is recursive.
const DEEPEST: usize = 200;

/// A part of a template.
#[derive(Clone, Debug)]
pub enum TemplateNode {
    Text(String),
    /// A pipeline whose result is printed, unless it is an assignment.
    Print(Pipeline),
    /// The branches of `if`, and the body of `else`.
    If(Vec<(Pipeline, Vec<TemplateNode>)>, Vec<TemplateNode>),
    /// `with`: the pipeline, the body in which dot is its value, and the body of `else`.
    With(Pipeline, Vec<TemplateNode>, Vec<TemplateNode>),
    /// `range`, with the names of its variables for the key and the element. `or` is the body of
    /// `else`.
    Range {
        key: Option<String>,
        element: Option<String>,
        over: Pipeline,
        body: Vec<TemplateNode>,
        or: Vec<TemplateNode>,
    },
}

/// Commands, each of which gets the result of the previous one as its last argument.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The line of the action.
    pub line: usize,
    /// The variable that gets the result, without `$`, and true if it is declared here.
    pub assigned: Option<(String, bool)>,
    /// The words of each command: an operand or a function, and its arguments.
    pub commands: Vec<Vec<Operand>>,
}

/// A word of a command.
#[derive(Clone, Debug)]
pub enum Operand {
    /// `.a.b`; only dot if empty.
    Field(Vec<String>),
    /// `$x.a.b`; the root if the name is empty.
    Variable(String, Vec<String>),
    Literal(Value),
    /// The name of a function, which the other words of a command follow as its arguments.
    Function(String),
    /// A pipeline in parentheses, and the fields of its result.
    Group(Pipeline, Vec<String>),
}

/// The templates of a chart by the names in their `define`, and its template files by their paths,
/// such as `barn/templates/configmap.yaml`.
pub type Defined = BTreeMap<String, Rc<Vec<TemplateNode>>>;

/// Parses a template file. The templates that it defines are added to `defined`.
///
/// # Errors
/// Returns an error with its line if the syntax is not supported.
pub fn parse(text: &str, defined: &mut Defined) -> Result<Vec<TemplateNode>, Problem> {
    let mut parser = TemplateParser {
        pieces: pieces(text)?.into_iter().peekable(),
        depth: 0,
        defined,
    };
    let (nodes, end) = parser.body()?;
    match end {
        None => Ok(nodes),
        Some((line, words)) => {
            let word = words.first().map(Token::to_string).unwrap_or_default();
            Err((line, format!("unexpected `{word}`")))
        }
    }
}

struct TemplateParser<'a> {
    pieces: std::iter::Peekable<std::vec::IntoIter<TemplatePiece>>,
    /// The number of blocks around the next piece.
    depth: usize,
    defined: &'a mut Defined,
}

/// The action that ended a body: `end` or `else ..`, with its line; `None` at the end of the file.
type End = Option<(usize, Vec<Token>)>;

impl TemplateParser<'_> {
    /// Parses nodes up to the action that ends them.
    fn body(&mut self) -> Result<(Vec<TemplateNode>, End), Problem> {
        self.depth += 1;
        let parsed = self.nodes();
        self.depth -= 1;
        parsed
    }

    fn nodes(&mut self) -> Result<(Vec<TemplateNode>, End), Problem> {
        let mut nodes = Vec::new();
        while let Some(piece) = self.pieces.next() {
            let (line, source) = match piece {
                TemplatePiece::Text(text) => {
                    nodes.push(TemplateNode::Text(text));
                    continue;
                }
                TemplatePiece::Action(line, source) => (line, source),
            };
            let words = tokens(&source).map_err(|reason| (line, reason))?;
            let Some(first) = words.first() else { continue };
            if self.depth > DEEPEST {
                return Err((
                    line,
                    format!("more than {DEEPEST} blocks are inside each other"),
                ));
            }
            let rest = &words[1..];
            match first.word() {
                Some("end" | "else") => return Ok((nodes, Some((line, words)))),
                Some("if") => nodes.push(self.branches(line, rest)?),
                Some("with") => {
                    let pipeline = pipeline(line, rest)?;
                    let (body, or) = self.two_bodies(line)?;
                    nodes.push(TemplateNode::With(pipeline, body, or));
                }
                Some("range") => nodes.push(self.range(line, rest)?),
                Some("define" | "block") => {
                    let Some(Token::Text(name)) = rest.first() else {
                        return Err((line, "`define` without a name".to_owned()));
                    };
                    let (body, _) = self.two_bodies(line)?;
                    self.defined.insert(name.clone(), Rc::new(body));
                    if first.word() == Some("block") {
                        nodes.push(TemplateNode::Print(include(line, rest)?));
                    }
                }
                Some("template") => nodes.push(TemplateNode::Print(include(line, rest)?)),
                _ => nodes.push(TemplateNode::Print(pipeline(line, &words)?)),
            }
        }
        Ok((nodes, None))
    }

    fn branches(&mut self, line: usize, condition: &[Token]) -> Result<TemplateNode, Problem> {
        let mut branches = Vec::new();
        let mut condition = pipeline(line, condition)?;
        loop {
            let (body, end) = self.body()?;
            let Some((at, words)) = end else {
                return Err((line, "`if` without `end`".to_owned()));
            };
            branches.push((condition, body));
            match (words[0].word(), words.get(1).and_then(Token::word)) {
                (Some("end"), _) => return Ok(TemplateNode::If(branches, Vec::new())),
                (_, Some("if")) => condition = pipeline(at, &words[2..])?,
                (_, Some("with")) => {
                    let with = pipeline(at, &words[2..])?;
                    let (body, or) = self.two_bodies(at)?;
                    return Ok(TemplateNode::If(
                        branches,
                        vec![TemplateNode::With(with, body, or)],
                    ));
                }
                _ => {
                    let or = self.last_body(at)?;
                    return Ok(TemplateNode::If(branches, or));
                }
            }
        }
    }

    fn range(&mut self, line: usize, words: &[Token]) -> Result<TemplateNode, Problem> {
        let at = words.iter().position(|it| matches!(it, Token::Declare));
        let (names, over) = match at {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (&[][..], words),
        };
        let names: Vec<_> = names
            .iter()
            .filter_map(|token| match token {
                Token::Variable(name, _) => Some(name.clone()),
                _ => None,
            })
            .collect();
        let (key, element) = match &names[..] {
            [key, element] => (Some(key.clone()), Some(element.clone())),
            [element] => (None, Some(element.clone())),
            _ => (None, None),
        };
        let over = pipeline(line, over)?;
        let (body, or) = self.two_bodies(line)?;
        Ok(TemplateNode::Range {
            key,
            element,
            over,
            body,
            or,
        })
    }

    /// Parses a body and the one after `else`.
    fn two_bodies(
        &mut self,
        line: usize,
    ) -> Result<(Vec<TemplateNode>, Vec<TemplateNode>), Problem> {
        let (body, end) = self.body()?;
        let Some((at, words)) = end else {
            return Err((line, "an action without `end`".to_owned()));
        };
        if words[0].word() == Some("end") {
            return Ok((body, Vec::new()));
        }
        let or = match words.get(1).and_then(Token::word) {
            None => self.last_body(at)?,
            Some("if") => vec![self.branches(at, &words[2..])?],
            Some("with") => {
                let with = pipeline(at, &words[2..])?;
                let (body, or) = self.two_bodies(at)?;
                vec![TemplateNode::With(with, body, or)]
            }
            Some(other) => return Err((at, format!("unexpected `else {other}`"))),
        };
        Ok((body, or))
    }

    fn last_body(&mut self, line: usize) -> Result<Vec<TemplateNode>, Problem> {
        let (body, end) = self.body()?;
        match end {
            Some((_, words)) if words[0].word() == Some("end") => Ok(body),
            _ => Err((line, "`else` without `end`".to_owned())),
        }
    }
}

/// Converts `template NAME DATA` to a call of `include`.
fn include(line: usize, words: &[Token]) -> Result<Pipeline, Problem> {
    let mut call = vec![Token::Word("include".to_owned())];
    call.extend_from_slice(words);
    if words.len() == 1 {
        call.push(Token::Word("nil".to_owned()));
    }
    pipeline(line, &call)
}

fn pipeline(line: usize, words: &[Token]) -> Result<Pipeline, Problem> {
    let (assigned, words) = match words {
        [Token::Variable(name, _), Token::Declare, rest @ ..] => (Some((name.clone(), true)), rest),
        [Token::Variable(name, _), Token::Assign, rest @ ..] => (Some((name.clone(), false)), rest),
        _ => (None, words),
    };
    let mut rest = words;
    let commands = commands(line, &mut rest, 0)?;
    if let Some(token) = rest.first() {
        return Err((line, format!("unexpected `{token}`")));
    }
    Ok(Pipeline {
        line,
        assigned,
        commands,
    })
}

/// Parses commands up to a closing parenthesis or the end. `depth` is the number of parentheses
/// around them.
fn commands(line: usize, words: &mut &[Token], depth: usize) -> Result<Vec<Vec<Operand>>, Problem> {
    if depth > DEEPEST {
        return Err((
            line,
            format!("more than {DEEPEST} parentheses are inside each other"),
        ));
    }
    let mut commands = vec![Vec::new()];
    while let Some((token, rest)) = words.split_first() {
        let operand = match token {
            Token::Close => break,
            Token::Pipe => {
                commands.push(Vec::new());
                *words = rest;
                continue;
            }
            Token::Open => {
                *words = rest;
                let inner = self::commands(line, words, depth + 1)?;
                let Some((Token::Close, rest)) = words.split_first() else {
                    return Err((line, "a parenthesis is not closed".to_owned()));
                };
                *words = rest;
                // `(index . "a").b`: the fields follow without a space, which the tokens of a chart
                // never contradict.
                let mut fields = Vec::new();
                if let Some(Token::Suffix(path)) = words.first() {
                    fields.clone_from(path);
                    *words = &words[1..];
                }
                let group = Pipeline {
                    line,
                    assigned: None,
                    commands: inner,
                };
                push(&mut commands, Operand::Group(group, fields));
                continue;
            }
            Token::Field(path) | Token::Suffix(path) => Operand::Field(path.clone()),
            Token::Variable(name, path) => Operand::Variable(name.clone(), path.clone()),
            Token::Text(text) => Operand::Literal(text.as_str().into()),
            Token::Number(number) => Operand::Literal(number.clone()),
            Token::Word(word) => match word.as_str() {
                "true" => Operand::Literal(true.into()),
                "false" => Operand::Literal(false.into()),
                "nil" => Operand::Literal(Value::Null),
                _ => Operand::Function(word.clone()),
            },
            Token::Declare | Token::Assign | Token::Comma => {
                return Err((line, format!("unexpected `{token}`")));
            }
        };
        push(&mut commands, operand);
        *words = rest;
    }
    if commands.iter().any(Vec::is_empty) {
        return Err((line, "an empty command".to_owned()));
    }
    Ok(commands)
}

fn push(commands: &mut [Vec<Operand>], operand: Operand) {
    if let Some(command) = commands.last_mut() {
        command.push(operand);
    }
}
