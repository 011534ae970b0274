//! Diagnostics that guess what the user meant when a marker cannot be parsed.

use std::ops::Range;

use super::{MarkerParser, Problem};
use crate::diagnostic::did_you_mean;

impl MarkerParser<'_> {
    /// Detects a second argument, such as `resources=`, inside of a value `text` of the argument
    /// `name`. `start` is the byte offset of the value.
    pub(super) fn second_argument(&self, name: &str, text: &str, start: usize) -> Option<Problem> {
        let names = self.known.iter().map(|argument| argument.name);
        let (at, second) = names
            .flat_map(|second| text.match_indices(second))
            .filter(|(at, second)| {
                let behind = text[at + second.len()..].trim_start();
                let before = text[..*at].chars().next_back();
                behind.starts_with('=') && before.is_none_or(|c| !c.is_alphanumeric())
            })
            .min()?;
        let before = text[..at].trim_end().trim_end_matches([':', '.', '|', '&']);
        let span = start + before.len()..start + at + second.len();
        let rest = text[at + second.len()..]
            .trim_start()
            .trim_start_matches('=');
        if second == name {
            let values: Vec<_> = [before, rest.trim()]
                .into_iter()
                .filter(|v| !v.is_empty())
                .collect();
            let help = format!("write `{name}={}`", values.join(";"));
            return Some(Problem::new(span, format!("`{name}` is given twice")).help(help));
        }
        let before = if before.is_empty() {
            self.values_before(start)
        } else {
            before
        };
        let help = format!("write `{name}={before},{second}={rest}`");
        Some(Problem::new(span, format!("a comma is missing before `{second}`")).help(help))
    }

    /// Returns the list values before the one at `start`.
    fn values_before(&self, start: usize) -> &str {
        let so_far = &self.text[..start];
        let list = so_far.rfind('=').map_or("", |equals| &so_far[equals + 1..]);
        list.trim_matches([' ', '{', ';', ','])
    }

    /// Reports a name without a value. After a list, it is probably another value:
    /// `verbs=get,list`.
    pub(super) fn name_without_value(&self, name: &str, span: Range<usize>) -> Problem {
        let Some(list) = self
            .given
            .last()
            .filter(|given| self.takes_list(given.name))
        else {
            let help = format!(
                "write `{name}=…`; a marker's arguments are {}",
                self.names()
            );
            return Problem::new(span, format!("`{name}` has no value")).help(help);
        };
        let rest = &self.text[span.start..];
        let more = rest.split(',').map(str::trim);
        let more: Vec<_> = more
            .take_while(|word| !word.is_empty() && !word.contains('='))
            .collect();
        let so_far = list
            .values
            .iter()
            .map(|value| &self.text[value.span.clone()]);
        let all: Vec<_> = so_far.chain(more).collect();
        let help = format!(
            "separate values with `;`: `{}={}`",
            list.name,
            all.join(";")
        );
        Problem::new(span, format!("`{name}` is not an argument")).help(help)
    }

    fn takes_list(&self, name: &str) -> bool {
        self.known
            .iter()
            .any(|argument| argument.name == name && argument.list)
    }

    /// Returns the advice for an unknown name of an argument.
    pub(super) fn meant(&self, name: &str) -> String {
        let names: Vec<_> = self.known.iter().map(|argument| argument.name).collect();
        did_you_mean(name, &names).map_or_else(
            || format!("a marker's arguments are {}", self.names()),
            |meant| format!("did you mean `{meant}`?"),
        )
    }

    /// Returns the names of all arguments for a help text.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self
            .known
            .iter()
            .map(|argument| format!("`{}`", argument.name))
            .collect();
        names.join(", ")
    }

    /// Reports a character where a separator is expected.
    pub(super) fn unexpected(&self, at: usize) -> Problem {
        let rest = self.text[at..].trim_start();
        let at = self.text.len() - rest.len();
        let begins = |name: &str| {
            let behind = rest.strip_prefix(name).map(str::trim_start);
            behind.is_some_and(|behind| behind.starts_with('='))
        };
        if let Some(argument) = self.known.iter().find(|argument| begins(argument.name)) {
            let name = argument.name;
            let message = format!("a comma is missing before `{name}`");
            return Problem::new(at..at + name.len(), message)
                .help(format!("write `,{name}=` without a space"));
        }
        let c = rest.chars().next().unwrap_or(' ');
        let end = (at + c.len_utf8()).min(self.text.len());
        Problem::new(at..end, format!("unexpected `{c}`"))
            .help("separate values with `;` and arguments with `,`")
    }
}
