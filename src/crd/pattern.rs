//! Regular expressions as the API server reads them: Go's `regexp/syntax`, which is RE2's.
//!
//! No crate says what Go says: `regex` takes `\u{41}`, `(?x)` and any count, and refuses `[\w-.]` and `[][ ()]`.
//! So here is a parser of that grammar; `testdata/patterns.json` has Go's own verdicts on its constructs. What it
//! takes it also spells as `regex` has it, with Go's meaning (`\d` is ASCII there), so that a text can be matched.
//!
//! Go's limits of depth and size are reckoned without the prefixes that it shares between branches, and how large
//! classes become (32 million ranges) is not looked at.

mod class;
mod escape;
mod group;
mod piece;
mod refused;

use regex::Regex;

use group::{Flags, Groups};
use piece::{MOST_REPEATED, Piece};
use refused::Result;

/// An expression that Go takes.
#[derive(Debug)]
pub struct Pattern {
    rust: String,
}

impl Pattern {
    /// Reads an expression.
    ///
    /// # Errors
    /// With what is wrong, if Go refuses it.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser {
            rest: text,
            groups: Groups::new(),
        };
        parser.run()?;
        let whole = parser.groups.end()?;
        Ok(Self { rust: whole.rust })
    }

    /// Whether a text has a match in it; none where that cannot be told here.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let compiled = Regex::new(&self.rust).ok()?;
        Some(compiled.is_match(text))
    }
}

struct Parser<'a> {
    rest: &'a str,
    groups: Groups,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<()> {
        // What was repeated just now cannot be repeated again.
        let mut repeated = false;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            let was_repeated = std::mem::take(&mut repeated);
            if let Some((least, most)) = self.repetition()? {
                self.take("?");
                let said = &before[..before.len() - self.rest.len()];
                if was_repeated {
                    return Err(format!("`{said}` repeats a repetition"));
                }
                self.groups.repeat(least, most, said)?;
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

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// `*`, `+`, `?` or a count in braces as the least and the most; none for braces that are no count, which
    /// stand for themselves.
    fn repetition(&mut self) -> Result<Option<(u64, Option<u64>)>> {
        for (sign, least, most) in [("*", 0, None), ("+", 1, None), ("?", 0, Some(1))] {
            if self.take(sign) {
                return Ok(Some((least, most)));
            }
        }
        let Some((least, most, rest)) = count(self.rest) else {
            return Ok(None);
        };
        let said = &self.rest[..self.rest.len() - rest.len()];
        if least.max(most.unwrap_or(0)) > MOST_REPEATED {
            return Err(format!("`{said}` counts beyond {MOST_REPEATED}"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(format!("`{said}` ends before it begins"));
        }
        self.rest = rest;
        Ok(Some((least, most)))
    }

    /// A group, or flags for the rest of this one.
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
                    "a group's name is made of letters, digits and `_`, and nothing looks behind"
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
            // Half of a pair of UTF-16 is a number that no text has.
            let nothing = || Piece::one(class::NOTHING.to_owned());
            self.push(char::from_u32(code).map_or_else(nothing, Piece::literal));
        }
        Ok(())
    }
}

/// The least, the most and what follows, if a text begins with `{2}`, `{2,}` or `{2,5}`.
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

/// A number without leading zeros; what is too large for all limits is as large as can be.
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
