//! YAML in the form that controller-gen and kubectl write, byte for byte.
//!
//! Both use Go's YAML writer: keys in its natural order, sequences not indented under their key, long
//! scalars folded at column 80, several lines as a block scalar, and three quotings with a meaning:
//! `"y"` for a string that a reader would take for another type, `'*'` for one that would not parse,
//! and `"a\tb"` for one with characters that only an escape can carry. No serializer of a crate offers
//! these rules (serde-saphyr, which the rest of rustop uses, quotes by other ones), and a role must not
//! change when a project moves from controller-gen to rustop; so here is a writer of our own.
//!
//! It departs from Go's in what it never leaves bare: `=` and `<<`, which have a meaning of their own in
//! YAML 1.1, and what other readers take for a boolean, a number or a time and Go does not (`yEs`, too
//! large, no such day, no time zone). A string always comes back as a string, whoever reads it. Whole
//! floats are printed as integers, as Kubernetes prints them.

mod order;
mod scalar;

use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Map, Value};

use order::in_order;
use scalar::{Style, is_break, is_printable, number, style};

/// The column after which a space may become a line break.
const WIDTH: usize = 80;
/// The longest key, in bytes, that may stand before its colon.
const SIMPLE_KEY: usize = 128;

/// One YAML document, without a `---`.
pub fn write(value: &Value) -> String {
    let mut out = Writer::default();
    match value {
        Value::Object(map) if !map.is_empty() => out.mapping(map, 0),
        Value::Array(items) if !items.is_empty() => out.sequence(items, 0),
        scalar => out.scalar(scalar, 2, true),
    }
    out.text
}

/// The text written so far, and how far its last line goes.
#[derive(Default)]
struct Writer {
    text: String,
    column: usize,
}

impl Writer {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.push_char(c);
        }
    }

    fn push_char(&mut self, c: char) {
        self.text.push(c);
        self.column = if c == '\n' { 0 } else { self.column + 1 };
    }

    /// Moves on to column `indent`.
    fn pad(&mut self, indent: usize) {
        while self.column < indent {
            self.push_char(' ');
        }
    }

    fn mapping(&mut self, map: &Map<String, Value>, indent: usize) {
        for (key, value) in in_order(map) {
            self.pad(indent);
            if key.len() <= SIMPLE_KEY && !key.contains(is_break) {
                self.string(key, indent + 2, false);
                self.push(":");
                self.value(value, indent);
            } else {
                self.push("? ");
                self.string(key, indent + 2, true);
                self.end_line();
                self.pad(indent);
                self.push(":");
                self.inline(value, indent + 2);
            }
        }
    }

    fn sequence(&mut self, items: &[Value], indent: usize) {
        for item in items {
            self.pad(indent);
            self.push("-");
            self.inline(item, indent + 2);
        }
    }

    /// What stands after `key:`; a sequence begins below the key, not indented.
    fn value(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.push_char('\n');
                self.mapping(map, indent + 2);
            }
            Value::Array(items) if !items.is_empty() => {
                self.push_char('\n');
                self.sequence(items, indent);
            }
            scalar => {
                self.push_char(' ');
                self.scalar(scalar, indent + 2, true);
                self.end_line();
            }
        }
    }

    /// What stands after a `-`: its first line is the line of the dash.
    fn inline(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Object(map) if !map.is_empty() => self.mapping(map, indent),
            Value::Array(items) if !items.is_empty() => self.sequence(items, indent),
            scalar => self.value(scalar, indent - 2),
        }
    }

    fn end_line(&mut self) {
        if self.column > 0 {
            self.push_char('\n');
        }
    }

    fn scalar(&mut self, value: &Value, indent: usize, folds: bool) {
        match value {
            Value::Null => self.push("null"),
            Value::Bool(true) => self.push("true"),
            Value::Bool(false) => self.push("false"),
            Value::Number(n) => self.push(&number(n)),
            Value::String(s) => self.string(s, indent, folds),
            Value::Array(_) => self.push("[]"),
            Value::Object(_) => self.push("{}"),
        }
    }

    fn string(&mut self, s: &str, indent: usize, folds: bool) {
        let indent = folds.then_some(indent);
        match (style(s), indent) {
            (Style::Plain, _) => self.folded(s, indent, Self::push_char),
            (Style::Single, _) => {
                self.push("'");
                self.folded(s, indent, |out, c| match c {
                    '\'' => out.push("''"),
                    c => out.push_char(c),
                });
                self.push("'");
            }
            (Style::Literal, Some(indent)) => self.literal(s, indent),
            (Style::Double | Style::Literal, _) => self.double(s, indent),
        }
    }

    /// Plain or single-quoted text: a lone space past the last column becomes a line break.
    fn folded(&mut self, s: &str, indent: Option<usize>, put: impl Fn(&mut Self, char)) {
        let mut chars = s.chars().peekable();
        let mut after_space = true;
        while let Some(c) = chars.next() {
            if c != ' ' {
                put(self, c);
            } else if let Some(indent) = self.fold_here(indent, after_space, &mut chars, false) {
                self.push_char('\n');
                self.pad(indent);
            } else {
                self.push_char(' ');
            }
            after_space = c == ' ';
        }
    }

    /// Double-quoted text: a break may come before further spaces, whose first is then escaped.
    fn double(&mut self, s: &str, indent: Option<usize>) {
        self.push("\"");
        let mut chars = s.chars().peekable();
        let mut after_space = true;
        while let Some(c) = chars.next() {
            if c != ' ' {
                self.escaped(c);
            } else if let Some(indent) = self.fold_here(indent, after_space, &mut chars, true) {
                self.push_char('\n');
                self.pad(indent);
                if chars.peek() == Some(&' ') {
                    self.push_char('\\');
                }
            } else {
                self.push_char(' ');
            }
            after_space = c == ' ';
        }
        self.push("\"");
    }

    /// The indentation of the next line, if the space at hand may become a line break.
    fn fold_here(
        &self,
        indent: Option<usize>,
        after_space: bool,
        rest: &mut Peekable<Chars>,
        before_spaces: bool,
    ) -> Option<usize> {
        let next = *rest.peek()?;
        let here = !after_space && self.column > WIDTH && (before_spaces || next != ' ');
        indent.filter(|_| here)
    }

    fn escaped(&mut self, c: char) {
        match c {
            '\0' => self.push("\\0"),
            '\x07' => self.push("\\a"),
            '\x08' => self.push("\\b"),
            '\t' => self.push("\\t"),
            '\n' => self.push("\\n"),
            '\x0b' => self.push("\\v"),
            '\x0c' => self.push("\\f"),
            '\r' => self.push("\\r"),
            '\x1b' => self.push("\\e"),
            '"' => self.push("\\\""),
            '\\' => self.push("\\\\"),
            '\u{85}' => self.push("\\N"),
            '\u{2028}' => self.push("\\L"),
            '\u{2029}' => self.push("\\P"),
            c if is_printable(c) => self.push_char(c),
            c => match u32::from(c) {
                code @ ..=0xff => self.push(&format!("\\x{code:02X}")),
                code @ ..=0xffff => self.push(&format!("\\u{code:04X}")),
                code => self.push(&format!("\\U{code:08X}")),
            },
        }
    }

    /// A block scalar. The hints say how deep it is, where its first line does not, and whether its
    /// last line ends with no break, one or several.
    fn literal(&mut self, s: &str, indent: usize) {
        self.push("|");
        if s.starts_with([' ', '\n']) {
            self.push("2");
        }
        if !s.ends_with('\n') {
            self.push("-");
        } else if s == "\n" || s.ends_with("\n\n") {
            self.push("+");
        }
        self.push_char('\n');
        for line in s.split_inclusive('\n') {
            if line != "\n" {
                self.pad(indent);
            }
            self.push(line);
        }
        self.end_line();
    }
}

#[cfg(test)]
mod tests;
