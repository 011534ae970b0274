//! The names of markers, and the detection of misspelled ones.

use std::ops::Range;

use super::attributes;
use crate::diagnostic::did_you_mean;
use crate::sources::marker::Problem;

/// The markers that rustop supports.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum MarkerKind {
    /// `+kubebuilder:rbac`
    Rbac,
    /// `+kubebuilder:webhook`
    Webhook,
    /// `+kubebuilder:webhookconfiguration`
    WebhookConfiguration,
}

impl MarkerKind {
    const NAMES: [&str; 3] = ["rbac", "webhook", "webhookconfiguration"];

    fn named(name: &str) -> Option<Self> {
        match name {
            "rbac" => Some(Self::Rbac),
            "webhook" => Some(Self::Webhook),
            "webhookconfiguration" => Some(Self::WebhookConfiguration),
            _ => None,
        }
    }
}

/// The classification of a comment.
#[derive(Debug, PartialEq)]
pub enum CommentKind {
    /// Not a marker.
    Nothing,
    /// A marker, and the byte offset of its arguments in the text.
    Marker(MarkerKind, usize),
    /// A text that was probably meant to be a marker.
    Problem(Problem),
}

/// Parses the name of a marker from the text of a comment, without its slashes.
pub fn classify(text: &str) -> CommentKind {
    const PREFIX: &str = "+kubebuilder:";
    let name_end = text
        .find(|c: char| c.is_whitespace() || c == '=')
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    if let Some(named) = name.strip_prefix(PREFIX) {
        let marker = named.split(':').next().unwrap_or_default();
        let end = PREFIX.len() + marker.len();
        let Some(kind) = MarkerKind::named(marker) else {
            return unknown(marker, PREFIX.len()..end, named);
        };
        return if text[end..].starts_with(':') {
            CommentKind::Marker(kind, end + 1)
        } else if rest.trim().is_empty() {
            CommentKind::Marker(kind, text.len())
        } else {
            let arguments = rest.trim_start().trim_start_matches('=').trim_start();
            let message = "a marker needs a colon before its arguments";
            let help = format!(
                "write `{}:{arguments}`; in prose, put the name in backticks",
                &text[..end]
            );
            CommentKind::Problem(Problem::new(0..end, message).help(help))
        };
    }
    if let Some((name, instead)) = text.strip_prefix('+').and_then(attributes::of_kubernetes) {
        let problem = Problem::new(0..name.len() + 1, format!("`+{name}` is not read"));
        return CommentKind::Problem(
            problem.help(format!("the Rust types define it; write {instead}")),
        );
    }
    misspelt(text, name)
}

fn unknown(marker: &str, span: Range<usize>, named: &str) -> CommentKind {
    let help = if let Some(instead) = attributes::instead_of(marker) {
        format!("the Rust types define it; write {instead}")
    } else if let Some(meant) = did_you_mean(marker, &MarkerKind::NAMES) {
        format!("did you mean `+kubebuilder:{meant}`?")
    } else {
        let known = MarkerKind::NAMES.map(|name| format!("`+kubebuilder:{name}`"));
        format!(
            "the markers are {}; all other parts of a CRD come from the Rust types and their attributes",
            known.join(", ")
        )
    };
    let name = named.trim_end_matches(':');
    CommentKind::Problem(
        Problem::new(span, format!("unknown marker `+kubebuilder:{name}`")).help(help),
    )
}

/// Returns advice to write the marker `meant` or, if that is not valid either, the advice for it.
pub fn instead_of(meant: &str) -> String {
    match classify(meant) {
        CommentKind::Problem(Problem {
            help: Some(help), ..
        }) => help,
        _ => format!("write `{meant}`"),
    }
}

/// Detects a text that is not a marker but was probably meant to be one.
fn misspelt(text: &str, name: &str) -> CommentKind {
    let bare = text.trim_start_matches('+').trim_start();
    let skipped = text.len() - bare.len();
    let first_end = bare
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(bare.len());
    let (first, behind) = bare.split_at(first_end);
    let second = behind.get(1..).unwrap_or_default();
    let second_end = second
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(second.len());
    let (second, arguments) = second.split_at(second_end);
    let is_kubebuilder = did_you_mean(first, &["kubebuilder"]).is_some();
    let kind = did_you_mean(second, &MarkerKind::NAMES);
    let separated = behind.starts_with([':', '.', '-', '/', '_', ';'])
        || (behind.starts_with(' ') && kind.is_some());

    if text.starts_with('+') && is_kubebuilder && separated {
        let arguments = match arguments.trim_start_matches(|c: char| !c.is_alphanumeric()) {
            "" => String::new(),
            arguments => format!(":{arguments}"),
        };
        let meant = format!("+kubebuilder:{}{arguments}", kind.unwrap_or(second));
        let problem = Problem::new(0..skipped + first.len(), "a misspelt marker is not read");
        return CommentKind::Problem(problem.help(instead_of(&meant)));
    }
    // Without `+` or `kubebuilder:`, only a text with arguments is considered a marker, not prose.
    let has_arguments = |text: &str| text.starts_with(':') && text.contains('=');
    if first == "kubebuilder" && kind == Some(second) && has_arguments(arguments) {
        let help = format!("write `+{bare}`");
        return CommentKind::Problem(
            Problem::new(0..text.len(), "a marker begins with `+`").help(help),
        );
    }
    if text.starts_with('+') && MarkerKind::named(first).is_some() && has_arguments(behind) {
        let help = format!("write `+kubebuilder:{bare}`");
        let problem = Problem::new(0..name.len(), "a misspelt marker is not read");
        return CommentKind::Problem(problem.help(help));
    }
    CommentKind::Nothing
}
