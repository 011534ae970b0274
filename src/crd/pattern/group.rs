//! Groups, branches and flags.

use super::piece::Piece;
use super::refused::Result;

/// Flags set with `(?..)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// `i`: letters match both cases.
    pub any_case: bool,
    /// `m`: `^` and `$` match at line breaks.
    pub lines: bool,
    /// `s`: a dot also matches a line break.
    pub dot_breaks: bool,
}

/// Parses the flags after `(?`. Returns them and the rest of the text, which begins with a `:` or a
/// `)`.
pub fn flags(mut flags: Flags, text: &str) -> Result<(Flags, &str)> {
    let refused = || {
        let known =
            "the flags are `i`, `m`, `s` and `U`; lookahead and lookbehind are not supported";
        Err(format!("`(?` must start a group, a name or flags: {known}"))
    };
    let mut on = true;
    let mut said = true;
    for (at, c) in text.char_indices() {
        match c {
            'i' => flags.any_case = on,
            'm' => flags.lines = on,
            's' => flags.dot_breaks = on,
            // `U` changes which match is preferred, but not whether there is one.
            'U' => {}
            '-' if on => {
                on = false;
                said = false;
                continue;
            }
            ':' | ')' if said => return Ok((flags, &text[at..])),
            _ => return refused(),
        }
        said = true;
    }
    refused()
}

/// The stack of open groups. The first one is the whole expression.
pub struct Groups(Vec<Open>);

struct Open {
    /// True for a capturing group.
    captures: bool,
    /// The flags to restore after the group.
    outside: Flags,
    /// The complete alternatives, each of which ended with a `|`.
    branches: Vec<Piece>,
    /// The parts of the current alternative.
    sequence: Vec<Piece>,
    /// The flags in effect at this place of the group.
    flags: Flags,
    /// The first violation of a limit. It is reported at the end of the group, as in Go.
    refused: Result<()>,
}

impl Open {
    fn new(captures: bool, outside: Flags, flags: Flags) -> Self {
        Self {
            captures,
            outside,
            branches: Vec::new(),
            sequence: Vec::new(),
            flags,
            refused: Ok(()),
        }
    }

    /// Completes the current alternative.
    fn branch(&mut self) {
        match Piece::sequence(std::mem::take(&mut self.sequence)) {
            Ok(branch) => self.branches.push(branch),
            Err(why) => self.refused = Err(why),
        }
    }

    fn end(mut self) -> Result<Piece> {
        self.branch();
        self.refused?;
        let whole = Piece::branches(self.branches)?;
        if self.captures {
            whole.captured()
        } else {
            Ok(whole)
        }
    }
}

impl Groups {
    pub fn new() -> Self {
        let none = Flags::default();
        Self(vec![Open::new(false, none, none)])
    }

    fn last(&mut self) -> &mut Open {
        self.0.last_mut().expect("the whole is never closed")
    }

    /// Returns the flags in effect in the innermost group.
    pub fn flags(&self) -> Flags {
        self.0.last().map(|open| open.flags).unwrap_or_default()
    }

    /// Sets the flags for the rest of the innermost group.
    pub fn set(&mut self, flags: Flags) {
        self.last().flags = flags;
    }

    /// Appends a part to the current alternative of the innermost group.
    pub fn push(&mut self, piece: Piece) {
        let any_case = self.flags().any_case;
        let piece = if any_case { piece.in_any_case() } else { piece };
        self.last().sequence.push(piece);
    }

    /// Starts a group inside of the innermost one. `flags` are in effect in it.
    pub fn open(&mut self, captures: bool, flags: Flags) {
        let outside = self.flags();
        self.0.push(Open::new(captures, outside, flags));
    }

    /// Completes the current alternative of the innermost group, at a `|`.
    pub fn branch(&mut self) {
        self.last().branch();
    }

    /// Completes the innermost group, at a `)`, and restores the flags outside of it.
    ///
    /// # Errors
    /// Returns an error if no group is open, or if the group exceeds a limit of Go.
    pub fn close(&mut self) -> Result<()> {
        let open = self.0.pop().filter(|_| !self.0.is_empty());
        let open = open.ok_or("a `)` has no `(`")?;
        let outside = open.outside;
        let piece = open.end()?;
        let last = self.last();
        last.sequence.push(piece);
        last.flags = outside;
        Ok(())
    }

    /// Repeats the last part. `source` is the text of the repetition, for errors; `most` is `None`
    /// if there is no maximum.
    ///
    /// # Errors
    /// Returns an error if there is nothing to repeat, or if the result exceeds a limit of Go.
    pub fn repeat(&mut self, least: u64, most: Option<u64>, source: &str) -> Result<()> {
        let piece = self.last().sequence.pop();
        let piece = piece.ok_or_else(|| format!("`{source}` has nothing to repeat"))?;
        let piece = piece.times(least, most, source)?;
        self.last().sequence.push(piece);
        Ok(())
    }

    /// Returns the whole expression.
    ///
    /// # Errors
    /// Returns an error if a group is still open, or if the expression exceeds a limit of Go.
    pub fn end(mut self) -> Result<Piece> {
        match self.0.pop() {
            Some(whole) if self.0.is_empty() => whole.end(),
            _ => Err("a `(` has no `)`".to_owned()),
        }
    }
}
