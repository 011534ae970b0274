//! The RBAC and webhook markers in a Go file: line comments at any place.

use std::path::Path;
use std::sync::Arc;

use super::lexer::{LineIndex, Token, lex};
use crate::diagnostic::SourceLine;
use crate::sources::comments::{Marker, MarkerKind};

/// The names of the markers and their kinds.
const NAMES: [(&str, MarkerKind); 2] = [
    ("+kubebuilder:rbac:", MarkerKind::Rbac),
    ("+kubebuilder:webhook:", MarkerKind::Webhook),
];

/// Returns the markers in a Go file, with unparsed arguments. `path` is its name in diagnostics.
pub fn markers(path: &Path, text: &str) -> Vec<Marker> {
    let lines = LineIndex::of(text);
    let comments = lex(text).into_iter().filter_map(|(at, token)| match token {
        Token::Line(comment) => Some((at, comment)),
        _ => None,
    });
    let marker = |(at, comment): (usize, &str)| {
        let (arguments, kind) = arguments(comment)?;
        let line = SourceLine {
            path: path.to_owned(),
            number: lines.number(at),
            text: comment.to_owned(),
        };
        Some(Marker {
            line: Arc::new(line),
            arguments,
            kind,
        })
    };
    comments.filter_map(marker).collect()
}

/// Returns the offset of the marker's arguments in a comment, and the kind of the marker.
fn arguments(comment: &str) -> Option<(usize, MarkerKind)> {
    let text = comment[2..].trim_start();
    let before = comment.len() - text.len();
    let mut names = NAMES.into_iter();
    let (name, kind) = names.find(|(name, _)| text.starts_with(name))?;
    Some((before + name.len(), kind))
}
