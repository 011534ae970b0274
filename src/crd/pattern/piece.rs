//! Parts of an expression, with the properties that Go limits.

use super::refused::Result;

/// Maximum number of repetitions of a part, also through nested repetitions.
pub const MOST_REPEATED: u64 = 1000;

/// Maximum depth of an expression.
const DEEPEST: u64 = 1000;
/// Maximum number of instructions: 128 MiB of 40 bytes each.
const LARGEST: u64 = (128 << 20) / 40;

/// A part of an expression.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The part in the syntax of the `regex` crate, in a form that can be repeated.
    pub rust: String,
    kind: PieceKind,
    /// The product of nested repetition counts, at its maximum.
    repeated: u64,
    /// The number of instructions of Go's compiled program.
    size: u64,
    /// The depth of Go's syntax tree.
    depth: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum PieceKind {
    Literal,
    Sequence,
    Branches,
    Other,
}

impl Piece {
    fn new(rust: String, kind: PieceKind) -> Self {
        Self {
            rust,
            kind,
            repeated: 1,
            size: 1,
            depth: 1,
        }
    }

    /// Creates a literal character.
    pub fn literal(c: char) -> Self {
        Self::new(regex::escape(&c.to_string()), PieceKind::Literal)
    }

    /// Creates a part that matches one of several characters.
    pub fn one(rust: String) -> Self {
        Self::new(rust, PieceKind::Other)
    }

    /// Creates a part that matches a position between characters.
    pub fn empty(rust: &str) -> Self {
        Self::new(rust.to_owned(), PieceKind::Other)
    }

    /// Makes the part case-insensitive.
    pub fn in_any_case(mut self) -> Self {
        self.rust = format!("(?i:{})", self.rust);
        self
    }

    /// Joins parts that follow each other.
    pub fn sequence(pieces: Vec<Self>) -> Result<Self> {
        Self::joined(pieces, PieceKind::Sequence, "")
    }

    /// Joins alternatives with `|`.
    pub fn branches(pieces: Vec<Self>) -> Result<Self> {
        let more = pieces.len().saturating_sub(1) as u64;
        let mut joined = Self::joined(pieces, PieceKind::Branches, "|")?;
        if joined.kind == PieceKind::Branches {
            joined.size = joined.size.saturating_add(more);
        }
        joined.limited()
    }

    fn joined(mut pieces: Vec<Self>, kind: PieceKind, between: &str) -> Result<Self> {
        if pieces.len() == 1 {
            return Ok(pieces.remove(0));
        }
        let rust: Vec<_> = pieces.iter().map(|piece| piece.rust.as_str()).collect();
        let rust = format!("(?:{})", rust.join(between));
        let is_text = kind == PieceKind::Sequence && !pieces.is_empty();
        let is_text = is_text && pieces.iter().all(|piece| piece.kind == PieceKind::Literal);
        let mut joined = Self::new(rust, if is_text { PieceKind::Literal } else { kind });
        let sizes = pieces.iter().map(|piece| piece.size);
        joined.size = sizes.fold(0, u64::saturating_add).max(1);
        joined.repeated = pieces.iter().map(|piece| piece.repeated).max().unwrap_or(1);
        // A part inside of one of the same kind does not add a level.
        let depths = pieces
            .iter()
            .map(|piece| piece.depth - u64::from(piece.kind == kind));
        joined.depth = u64::from(!is_text) + depths.max().unwrap_or(0);
        joined.limited()
    }

    /// Wraps the part in a capturing group.
    pub fn captured(mut self) -> Result<Self> {
        self.kind = PieceKind::Other;
        self.rust = format!("(?:{})", self.rust);
        self.size = self.size.saturating_add(2);
        self.depth += 1;
        self.limited()
    }

    /// Repeats the part. `source` is the text of the repetition, for errors; `most` is `None` if
    /// there is no maximum.
    pub fn times(mut self, least: u64, most: Option<u64>, source: &str) -> Result<Self> {
        let times = most.unwrap_or(least);
        // A part repeated zero times does not count.
        self.repeated = match most {
            Some(0) => 1,
            _ => self.repeated.saturating_mul(times.max(1)),
        };
        if self.repeated > MOST_REPEATED {
            return Err(format!(
                "`{source}` and its nested repetitions exceed the limit of {MOST_REPEATED}"
            ));
        }
        self.size = match most {
            None if least == 0 => self.size.saturating_add(2),
            None => self.size.saturating_mul(least).saturating_add(1),
            Some(most) => self.size.saturating_mul(most).saturating_add(most - least),
        };
        self.size = self.size.max(1);
        self.depth += 1;
        self.kind = PieceKind::Other;
        let most = most.map_or_else(String::new, |most| most.to_string());
        self.rust = format!("(?:{}){{{least},{most}}}", self.rust);
        self.limited()
    }

    /// Returns an error if the part exceeds a limit of Go.
    fn limited(self) -> Result<Self> {
        if self.depth > DEEPEST {
            Err("it is nested too deeply".to_owned())
        } else if self.size > LARGEST {
            Err("it is too large".to_owned())
        } else {
            Ok(self)
        }
    }
}
