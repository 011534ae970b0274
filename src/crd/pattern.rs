//! Regular expressions with the syntax of the API server, which is that of Go's `regexp/syntax` and
//! RE2.
//!
//! No crate has exactly Go's syntax: `regex` accepts `\u{41}`, `(?x)` and any count, and rejects
//! `[\w-.]` and `[][ ()]`. This parser implements Go's grammar; `testdata/patterns.json` contains
//! Go's own results. It also translates an expression for the `regex` crate with Go's meaning (for
//! example, `\d` is ASCII), so that it can be matched.
//!
//! Two differences remain: Go's limits of depth and size are computed without the prefixes that Go
//! shares between branches, and the size of classes (32 million ranges) is not checked.

mod class;
mod escape;
mod group;
mod piece;
mod refused;

use regex::Regex;

use group::{Flags, Groups};
use piece::{MOST_REPEATED, Piece};
use refused::Result;

/// A regular expression that Go accepts.
#[derive(Debug)]
pub struct Pattern {
    /// The expression in the syntax of the `regex` crate.
    rust: String,
}

impl Pattern {
    /// Parses a regular expression.
    ///
    /// # Errors
    /// Returns what is wrong if Go rejects the expression.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = PatternParser {
            rest: text,
            groups: Groups::new(),
        };
        parser.run()?;
        let whole = parser.groups.end()?;
        Ok(Self { rust: whole.rust })
    }

    /// Returns true if a text contains a match; `None` if the `regex` crate cannot compile the
    /// expression.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let compiled = Regex::new(&self.rust).ok()?;
        Some(compiled.is_match(text))
    }
}

struct PatternParser<'a> {
    /// The text that is not parsed yet.
    rest: &'a str,
    /// The result so far.
    groups: Groups,
}

impl PatternParser<'_> {
    fn run(&mut self) -> Result<()> {
        // Go rejects a repetition of a repetition.
        let mut repeated = false;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            let was_repeated = std::mem::take(&mut repeated);
            if let Some((least, most)) = self.repetition()? {
                self.take("?");
                let source = &before[..before.len() - self.rest.len()];
                if was_repeated {
                    return Err(format!("`{source}` repeats a repetition"));
                }
                self.groups.repeat(least, most, source)?;
                repeated = true;
                continue;
            }
            match c {
                '(' => self.open()?,
                ')' => {
                    self.take(")");
                    self.groups.close()?;
                }
                '|' => {
                    self.take("|");
                    self.groups.branch();
                }
                '[' => {
                    let (class, rest) = class::parse(self.rest)?;
                    self.rest = rest;
                    self.push(Piece::one(class));
                }
                '\\' => self.escape()?,
                _ => {
                    self.rest = &self.rest[c.len_utf8()..];
                    let piece = match c {
                        '^' if self.flags().lines => Piece::empty("(?m:^)"),
                        '^' => Piece::empty(r"\A"),
                        '$' if self.flags().lines => Piece::empty("(?m:$)"),
                        '$' => Piece::empty(r"\z"),
                        '.' if self.flags().dot_breaks => Piece::one("(?s:.)".to_owned()),
                        '.' => Piece::one("(?-s:.)".to_owned()),
                        c => Piece::literal(c),
                    };
                    self.push(piece);
                }
            }
        }
        Ok(())
    }

    fn flags(&self) -> Flags {
        self.groups.flags()
    }

    fn push(&mut self, piece: Piece) {
        self.groups.push(piece);
    }

    /// Skips `text` at the beginning of the rest. Returns false if the rest begins differently.
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Parses `*`, `+`, `?` or a count in braces. Returns its minimum and maximum. Returns `None`
    /// for braces that are not a count, which match literally.
    fn repetition(&mut self) -> Result<Option<(u64, Option<u64>)>> {
        for (sign, least, most) in [("*", 0, None), ("+", 1, None), ("?", 0, Some(1))] {
            if self.take(sign) {
                return Ok(Some((least, most)));
            }
        }
        let Some((least, most, rest)) = count(self.rest) else {
            return Ok(None);
        };
        let source = &self.rest[..self.rest.len() - rest.len()];
        if least.max(most.unwrap_or(0)) > MOST_REPEATED {
            return Err(format!(
                "`{source}` exceeds the limit of {MOST_REPEATED} repetitions"
            ));
        }
        if most.is_some_and(|most| most < least) {
            return Err(format!("`{source}` ends before it begins"));
        }
        self.rest = rest;
        Ok(Some((least, most)))
    }

    /// Parses the beginning of a group, or flags for the rest of the current one.
    fn open(&mut self) -> Result<()> {
        let rest = self.rest;
        if let Some(name) = rest
            .strip_prefix("(?P<")
            .or_else(|| rest.strip_prefix("(?<"))
        {
            let fine = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let (name, rest) = name.split_once('>').unwrap_or(("", name));
            if name.is_empty() || !name.chars().all(fine) {
                return Err(
                    "the name of a group consists of letters, digits and `_`; lookbehind is not supported"
                        .to_owned(),
                );
            }
            self.rest = rest;
            self.groups.open(true, self.flags());
        } else if let Some(flags) = rest.strip_prefix("(?") {
            let (flags, rest) = group::flags(self.flags(), flags)?;
            self.rest = &rest[1..];
            if rest.starts_with(':') {
                self.groups.open(false, flags);
            } else {
                self.groups.set(flags);
            }
        } else {
            self.rest = &rest[1..];
            self.groups.open(true, self.flags());
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<()> {
        const PLACES: [(&str, &str); 4] = [
            (r"\A", r"\A"),
            (r"\z", r"\z"),
            (r"\b", r"(?-u:\b)"),
            (r"\B", r"(?-u:\B)"),
        ];
        for (place, rust) in PLACES {
            if self.take(place) {
                self.push(Piece::empty(rust));
                return Ok(());
            }
        }
        if self.take(r"\Q") {
            let (quoted, rest) = self.rest.split_once(r"\E").unwrap_or((self.rest, ""));
            self.rest = rest;
            quoted.chars().for_each(|c| self.push(Piece::literal(c)));
        } else if let Some((class, rest)) = class::escaped(self.rest)? {
            self.rest = rest;
            self.push(Piece::one(format!("[{class}]")));
        } else {
            let (code, rest) = escape::parse(self.rest)?;
            self.rest = rest;
            // A surrogate is a number that occurs in no text.
            let nothing = || Piece::one(class::NOTHING.to_owned());
            self.push(char::from_u32(code).map_or_else(nothing, Piece::literal));
        }
        Ok(())
    }
}

/// Parses `{2}`, `{2,}` or `{2,5}` at the beginning of a text. Returns the minimum, the maximum and
/// the rest of the text.
fn count(text: &str) -> Option<(u64, Option<u64>, &str)> {
    let (least, rest) = number(text.strip_prefix('{')?)?;
    let (most, rest) = match rest.strip_prefix(',') {
        None => (Some(least), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (most, rest) = number(rest)?;
            (Some(most), rest)
        }
    };
    Some((least, most, rest.strip_prefix('}')?))
}

/// Parses a number without leading zeros; a number too large for `u64` becomes the maximum.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let fine = !digits.is_empty() && (digits.len() == 1 || !digits.starts_with('0'));
    fine.then(|| (digits.parse().unwrap_or(u64::MAX), rest))
}

#[cfg(test)]
mod tests;
