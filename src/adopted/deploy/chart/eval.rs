//! Evaluation of Go templates on JSON values.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::chart_files::{self, ChartFiles};
use super::functions::{self, CallResult};
use super::lex::Problem;
use super::parse::{Defined, Operand, Pipeline, TemplateNode, parse};
use super::value::{field, is_true, text};

/// Maximum depth of nested calls of templates.
const DEEP: usize = 100;

/// Maximum number of steps of one template. A step is a node that is evaluated, an element of a
/// list, or [`BYTES`] bytes of text. Charts of operators take some thousand steps.
const STEPS: usize = 500_000;
const BYTES: usize = 100;
/// The steps of a call of a template, which copies the values of the chart.
const CALL: usize = 20;

/// The end of an evaluation that failed.
#[derive(Debug, PartialEq)]
pub enum Stop {
    /// A function or a construct that rustop's renderer does not have.
    Unsupported(Problem),
    /// The chart rejects its values, by `required` or `fail`.
    Refused(Problem),
}

/// The evaluation of one template.
pub struct Evaluation<'a> {
    /// The templates that `include` finds.
    pub defined: &'a Defined,
    /// The files that `.Files` reads.
    pub files: &'a ChartFiles,
    /// The variables in scope, without `$`. The innermost are the last. The one with an empty name
    /// is the root.
    variables: Vec<(String, Value)>,
    /// The number of calls of templates around this one.
    depth: usize,
    progress: Rc<EvalProgress>,
}

/// The progress of an evaluation, shared with the templates that it includes.
struct EvalProgress {
    /// The steps that are left.
    steps: Cell<usize>,
    /// True if a value that the chart does not have was printed.
    lacks_value: Cell<bool>,
    /// The paths below `.Values` that were read and that the chart does not have.
    absent: RefCell<BTreeSet<String>>,
}

impl EvalProgress {
    fn new() -> Rc<Self> {
        Rc::new(Self {
            steps: Cell::new(STEPS),
            lacks_value: Cell::new(false),
            absent: RefCell::default(),
        })
    }

    /// Notes the path of a field that is null, if it is below `.Values`.
    fn read(&self, path: &[String], value: &Value) {
        if let ([first, below @ ..], true) = (path, value.is_null())
            && first == "Values"
            && !below.is_empty()
        {
            self.absent.borrow_mut().insert(below.join("."));
        }
    }
}

impl<'a> Evaluation<'a> {
    /// Evaluates nodes and returns the text that they print. `root` is the object with `Values`,
    /// `Release` and so on. Also returns true if a value that the chart does not have was printed
    /// as nothing.
    ///
    /// # Errors
    /// Returns the reason if the nodes cannot be evaluated.
    pub fn run(
        defined: &'a Defined,
        files: &'a ChartFiles,
        nodes: &[TemplateNode],
        root: &Value,
    ) -> Result<(String, bool), Stop> {
        let progress = EvalProgress::new();
        let text = Self::nested(defined, files, nodes, root, 0, Rc::clone(&progress))?;
        Ok((text, progress.lacks_value.get()))
    }

    /// Returns the paths below `.Values` that nodes read, up to the end or an error, and that the
    /// chart does not have.
    pub fn absent(
        defined: &'a Defined,
        files: &'a ChartFiles,
        nodes: &[TemplateNode],
        root: &Value,
    ) -> BTreeSet<String> {
        let progress = EvalProgress::new();
        let _ = Self::nested(defined, files, nodes, root, 0, Rc::clone(&progress));
        progress.absent.take()
    }

    fn nested(
        defined: &'a Defined,
        files: &'a ChartFiles,
        nodes: &[TemplateNode],
        root: &Value,
        depth: usize,
        progress: Rc<EvalProgress>,
    ) -> Result<String, Stop> {
        let mut evaluation = Self {
            defined,
            files,
            variables: vec![(String::new(), root.clone())],
            depth,
            progress,
        };
        let mut out = String::new();
        let mut dot = root.clone();
        evaluation.body(nodes, &mut dot, &mut out)?;
        Ok(out)
    }

    fn body(
        &mut self,
        nodes: &[TemplateNode],
        dot: &mut Value,
        out: &mut String,
    ) -> Result<(), Stop> {
        let scope = self.variables.len();
        for node in nodes {
            self.node(node, dot, out)?;
        }
        self.variables.truncate(scope);
        Ok(())
    }

    fn node(&mut self, node: &TemplateNode, dot: &mut Value, out: &mut String) -> Result<(), Stop> {
        self.take(1, 0)?;
        match node {
            TemplateNode::Text(text) => out.push_str(text),
            TemplateNode::Print(pipeline) => {
                let value = self.pipeline(pipeline, dot)?;
                if pipeline.assigned.is_none() {
                    if value.is_null() {
                        self.progress.lacks_value.set(true);
                    }
                    let text = text(&value);
                    self.take(text.len() / BYTES, pipeline.line)?;
                    out.push_str(&text);
                }
            }
            TemplateNode::If(branches, or) => {
                let scope = self.variables.len();
                for (condition, body) in branches {
                    if is_true(&self.pipeline(condition, dot)?) {
                        self.body(body, dot, out)?;
                        self.variables.truncate(scope);
                        return Ok(());
                    }
                }
                self.body(or, dot, out)?;
                self.variables.truncate(scope);
            }
            TemplateNode::With(pipeline, body, or) => {
                let scope = self.variables.len();
                let mut value = self.pipeline(pipeline, dot)?;
                if is_true(&value) {
                    self.body(body, &mut value, out)?;
                } else {
                    self.body(or, dot, out)?;
                }
                self.variables.truncate(scope);
            }
            TemplateNode::Range {
                key,
                element,
                over,
                body,
                or,
            } => {
                let over = self.pipeline(over, dot)?;
                let entries = entries(over);
                self.take(entries.len(), 0)?;
                if entries.is_empty() {
                    return self.body(or, dot, out);
                }
                for (at, mut value) in entries {
                    let scope = self.variables.len();
                    self.variables.extend(key.clone().map(|name| (name, at)));
                    self.variables
                        .extend(element.clone().map(|name| (name, value.clone())));
                    self.body(body, &mut value, out)?;
                    self.variables.truncate(scope);
                }
            }
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline, dot: &mut Value) -> Result<Value, Stop> {
        let mut last = None;
        for command in &pipeline.commands {
            last = Some(self.command(command, last, dot, pipeline.line)?);
        }
        let value = last.unwrap_or_default();
        match &pipeline.assigned {
            Some((name, true)) => self.variables.push((name.clone(), value.clone())),
            Some((name, false)) => {
                let known = self
                    .variables
                    .iter_mut()
                    .rev()
                    .find(|(known, _)| known == name);
                if let Some((_, known)) = known {
                    known.clone_from(&value);
                }
            }
            None => {}
        }
        Ok(value)
    }

    fn command(
        &mut self,
        command: &[Operand],
        last: Option<Value>,
        dot: &mut Value,
        line: usize,
    ) -> Result<Value, Stop> {
        match command {
            [Operand::Function(name), arguments @ ..] => {
                if matches!(name.as_str(), "and" | "or") {
                    return self.logic(name == "and", arguments, last, dot);
                }
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.operand(argument, dot, line)?);
                }
                values.extend(last);
                if name == "set"
                    && let (Some(target), [_, key, value]) = (arguments.first(), &values[..])
                {
                    self.set(target, &text(key), value, dot);
                }
                self.call(name, values, line)
            }
            [Operand::Field(path), arguments @ ..] if !arguments.is_empty() || last.is_some() => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.operand(argument, dot, line)?);
                }
                values.extend(last);
                self.method(path, &values, line)
            }
            [Operand::Variable(_, path), argument] if !path.is_empty() => {
                let value = self.operand(argument, dot, line)?;
                self.method(path, &[value], line)
            }
            [one] => self.operand(one, dot, line),
            _ => Err(unsupported(line, "a value is called as a function")),
        }
    }

    /// Evaluates `and` and `or`, which stop at the first argument that decides.
    fn logic(
        &mut self,
        is_and: bool,
        arguments: &[Operand],
        last: Option<Value>,
        dot: &mut Value,
    ) -> Result<Value, Stop> {
        let mut value = Value::Null;
        for argument in arguments {
            value = self.operand(argument, dot, 0)?;
            if is_true(&value) != is_and {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    fn operand(&mut self, operand: &Operand, dot: &mut Value, line: usize) -> Result<Value, Stop> {
        match operand {
            Operand::Literal(value) => Ok(value.clone()),
            Operand::Field(path) => {
                let value = field(dot, path);
                self.progress.read(path, value);
                Ok(value.clone())
            }
            Operand::Variable(name, path) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                let (_, value) = known.ok_or_else(|| {
                    unsupported(line, &format!("the variable `${name}` is not defined"))
                })?;
                let value = field(value, path);
                self.progress.read(path, value);
                Ok(value.clone())
            }
            Operand::Group(pipeline, path) => {
                let value = self.pipeline(pipeline, dot)?;
                let of_files = match &path[..] {
                    [method] => chart_files::method(method, &value),
                    _ => None,
                };
                Ok(of_files.unwrap_or_else(|| field(&value, path).clone()))
            }
            Operand::Function(name) => self.call(name, Vec::new(), line),
        }
    }

    /// Takes steps from those that are left. `line` is that of the action, for the error; 0 if it
    /// is not known.
    fn take(&self, steps: usize, line: usize) -> Result<(), Stop> {
        let left = self.progress.steps.get().checked_sub(steps);
        let left = left.ok_or_else(|| unsupported(line, "the template takes too many steps"))?;
        self.progress.steps.set(left);
        Ok(())
    }

    /// Sets a key of the map behind an operand, as sprig's `set` does.
    fn set(&mut self, target: &Operand, key: &str, value: &Value, dot: &mut Value) {
        let (mut map, path) = match target {
            Operand::Field(path) => (dot, path),
            Operand::Variable(name, path) => {
                let known = self
                    .variables
                    .iter_mut()
                    .rev()
                    .find(|(known, _)| known == name);
                let Some((_, known)) = known else { return };
                (known, path)
            }
            _ => return,
        };
        for part in path {
            let Some(next) = map.get_mut(part) else {
                return;
            };
            map = next;
        }
        if let Value::Object(map) = map {
            map.insert(key.to_owned(), value.clone());
        }
    }

    /// Calls a method of Helm's objects.
    fn method(&self, path: &[String], arguments: &[Value], line: usize) -> Result<Value, Stop> {
        let argument = arguments.first().map(text).unwrap_or_default();
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        match path[..] {
            [.., "APIVersions", "Has"] => {
                // A chart may use the APIs of Kubernetes; those of other operators are not
                // installed.
                let group = argument.split_once('/').map_or("", |(group, _)| group);
                Ok((!group.contains('.') || group.ends_with(".k8s.io")).into())
            }
            [.., "Files", "Get"] => Ok(self.files.text(&argument).unwrap_or_default().into()),
            [.., "Files", "Lines"] => {
                let text = self.files.text(&argument).unwrap_or_default();
                Ok(text.lines().collect())
            }
            [.., "Files", "Glob"] => Ok(self.files.glob(&argument)),
            _ => Err(unsupported(
                line,
                &format!("`.{}` is called with an argument", path.join(".")),
            )),
        }
    }

    fn call(&self, name: &str, arguments: Vec<Value>, line: usize) -> Result<Value, Stop> {
        let render = |nodes: &[TemplateNode], root: &Value| {
            self.take(CALL, line)?;
            if self.depth > DEEP {
                return Err(unsupported(
                    line,
                    "templates include each other without end",
                ));
            }
            let progress = Rc::clone(&self.progress);
            Self::nested(
                self.defined,
                self.files,
                nodes,
                root,
                self.depth + 1,
                progress,
            )
        };
        match (name, &arguments[..]) {
            ("include", [name, rest @ ..]) => {
                let name = text(name);
                let nodes = self.defined.get(&name);
                let nodes = nodes.ok_or_else(|| {
                    unsupported(line, &format!("the template `{name}` is not defined"))
                })?;
                let root = rest.first().cloned().unwrap_or_default();
                render(nodes, &root).map(Value::from)
            }
            ("tpl", [template, root]) => {
                let mut defined = self.defined.clone();
                let nodes = parse(&text(template), &mut defined)
                    .map_err(|(_, reason)| unsupported(line, &reason))?;
                render(&nodes, root).map(Value::from)
            }
            _ => match functions::call(name, arguments) {
                CallResult::Value(value) => {
                    let steps = match &value {
                        Value::String(text) => text.len() / BYTES,
                        Value::Array(items) => items.len(),
                        _ => 0,
                    };
                    self.take(steps, line)?;
                    Ok(value)
                }
                CallResult::Refused(reason) => Err(Stop::Refused((line, reason))),
                CallResult::Unknown => Err(unsupported(
                    line,
                    &format!("the function `{name}` is not supported"),
                )),
            },
        }
    }
}

fn unsupported(line: usize, reason: &str) -> Stop {
    Stop::Unsupported((line, reason.to_owned()))
}

/// Returns the keys and elements over which `range` runs.
fn entries(over: Value) -> Vec<(Value, Value)> {
    match over {
        Value::Array(items) => items
            .into_iter()
            .enumerate()
            .map(|(at, item)| (at.into(), item))
            .collect(),
        Value::Object(map) => sorted(map),
        Value::Number(number) => {
            let end = number.as_u64().unwrap_or_default().min(10_000);
            (0..end).map(|at| (at.into(), at.into())).collect()
        }
        _ => Vec::new(),
    }
}

fn sorted(map: Map<String, Value>) -> Vec<(Value, Value)> {
    let mut all: Vec<_> = map.into_iter().collect();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    all.into_iter()
        .map(|(key, value)| (key.into(), value))
        .collect()
}
