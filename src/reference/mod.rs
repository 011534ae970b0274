//! `rustop docs`: a reference of an operator's kinds for its users, as Markdown or as one HTML
//! page.
//!
//! The functions are pure. [`kind`] reads a CRD into the [`model`], [`layout`] turns it into the
//! blocks of a [`document`], and [`markdown`] and [`html`] write these. Only the last two know a
//! markup language, and only they escape text.

use std::path::Path;

use crate::tree::GENERATED;

mod anchors;
mod changes;
mod document;
mod error;
mod fields;
mod html;
mod input;
mod kind;
mod kubernetes;
mod layout;
mod markdown;
mod model;
mod notes;
mod prose;

pub use error::Error;
pub use input::Input;
pub use kubernetes::KubernetesTypes;

/// The markup language of a reference.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    #[default]
    Markdown,
    Html,
}

impl Format {
    pub const ALL: [Self; 2] = [Self::Markdown, Self::Html];

    /// Returns the value of `--format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// Returns the default path of the file, relative to the project.
    pub fn path(self) -> &'static str {
        match self {
            Self::Markdown => "docs/api.md",
            Self::Html => "docs/api.html",
        }
    }

    /// Returns the format of a file with this path: HTML for `.html` and `.htm`, otherwise
    /// Markdown.
    pub fn of_path(path: &str) -> Self {
        let extension = Path::new(path).extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm") {
            Self::Html
        } else {
            Self::Markdown
        }
    }
}

/// Writes the reference of some CRDs.
///
/// # Errors
/// Returns an error if a CRD has no kind, no group, no version, or a version without a schema.
pub fn render(input: &Input, format: Format, types: KubernetesTypes) -> Result<String, Error> {
    let kinds = kind::all(input, types)?;
    let blocks = layout::blocks(&kinds, &input.permissions);
    let header = format!("{GENERATED}. DO NOT EDIT.{}", types.note());
    Ok(match format {
        Format::Markdown => markdown::write(&blocks, &header),
        Format::Html => html::write(&blocks, &header),
    })
}

#[cfg(test)]
mod tests;
