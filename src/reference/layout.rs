//! The order and the headings of a reference.

use super::document::{Block, Inline, Line, TableRow, code, codes, joined, labeled, text};
use super::fields::{DocumentedField, LinkTarget, Section};
use super::model::{Column, DocumentedKind, DocumentedVersion, Subresource};
use crate::rbac::rule::Rule;
use crate::sources::conditions::ConditionReason;

/// Returns the blocks of a reference.
pub fn blocks(kinds: &[DocumentedKind], permissions: &[Rule]) -> Vec<Block> {
    let mut blocks = vec![heading(1, None, "API reference")];
    blocks.push(Block::List(kinds.iter().map(contents).collect()));
    for kind in kinds {
        blocks.extend(of_kind(kind));
    }
    if !permissions.is_empty() {
        blocks.push(heading(2, None, "Permissions of the operator"));
        blocks.push(Block::Table {
            head: &["API groups", "Resources", "Verbs", "Objects", "Namespace"],
            rows: permissions.iter().map(permission).collect(),
        });
    }
    blocks
}

fn heading(level: usize, anchor: Option<&str>, title: impl Into<String>) -> Block {
    Block::Heading {
        level,
        anchor: anchor.map(str::to_owned),
        line: vec![text(title)],
    }
}

/// Returns the entry of a kind in the table of contents.
fn contents(kind: &DocumentedKind) -> Line {
    let versions = kind.versions.iter();
    let versions = versions.map(|version| vec![link(&version.anchor, &version.name)]);
    let mut line = vec![
        link(&kind.anchor, &kind.name),
        text(" ("),
        code(&kind.group),
        text("): "),
    ];
    line.extend(joined(versions, &text(", ")));
    line
}

fn link(anchor: &str, label: &str) -> Inline {
    Inline::Anchor {
        to: anchor.to_owned(),
        label: label.to_owned(),
    }
}

fn of_kind(kind: &DocumentedKind) -> Vec<Block> {
    let mut blocks = vec![heading(2, Some(&kind.anchor), &kind.name)];
    let names = [Some(&kind.plural), kind.singular.as_ref()];
    let mut facts = vec![
        labeled("Group", vec![code(&kind.group)]),
        labeled("Scope", vec![text(&kind.scope)]),
        labeled("Names", codes(names.into_iter().flatten())),
    ];
    for (label, all) in [
        ("Short names", &kind.short_names),
        ("Categories", &kind.categories),
    ] {
        if !all.is_empty() {
            facts.push(labeled(label, codes(all)));
        }
    }
    blocks.push(Block::List(facts));
    blocks.push(Block::Table {
        head: &["Version", "Served", "Storage", "Deprecated"],
        rows: kind.versions.iter().map(version_row).collect(),
    });
    for version in &kind.versions {
        blocks.extend(of_version(kind, version));
    }
    blocks.extend(conditions(kind));
    blocks
}

fn version_row(version: &DocumentedVersion) -> TableRow {
    let yes = |is: bool| vec![text(if is { "yes" } else { "no" })];
    let deprecated = match version.deprecated.as_deref() {
        None => yes(false),
        Some("") => yes(true),
        Some(warning) => vec![text(warning)],
    };
    TableRow::of(vec![
        vec![link(&version.anchor, &version.name)],
        yes(version.is_served),
        yes(version.is_storage),
        deprecated,
    ])
}

fn of_version(kind: &DocumentedKind, version: &DocumentedVersion) -> Vec<Block> {
    let title = format!("{} {}", kind.name, version.name);
    let mut blocks = vec![heading(3, Some(&version.anchor), title)];
    if !version.description.is_empty() {
        blocks.push(Block::Paragraph(version.description.clone()));
    }
    if !version.subresources.is_empty() {
        let all = version.subresources.iter().map(subresource);
        let line = labeled("Subresources", joined(all, &text(", ")));
        blocks.push(Block::Paragraph(line));
    }
    for example in &version.examples {
        blocks.push(heading(4, None, "Example"));
        blocks.push(Block::Yaml(example.clone()));
    }
    for section in &version.sections {
        blocks.extend(of_section(section));
    }
    if !version.columns.is_empty() {
        blocks.push(heading(4, None, "Columns of kubectl get"));
        blocks.push(Block::Table {
            head: &["Column", "Type", "Path", "Description"],
            rows: version.columns.iter().map(column).collect(),
        });
    }
    if !version.selectable.is_empty() {
        blocks.push(heading(4, None, "Field selectors"));
        blocks.push(Block::Paragraph(codes(
            version
                .selectable
                .iter()
                .map(|path| path.trim_start_matches('.')),
        )));
    }
    if let Some((older, changes)) = &version.changes {
        blocks.push(heading(4, None, format!("Changes since {older}")));
        blocks.push(if changes.is_empty() {
            Block::Paragraph(vec![text("None.")])
        } else {
            let rows = changes.iter();
            let rows =
                rows.map(|change| TableRow::of(vec![path(&change.path), change.how.clone()]));
            Block::Table {
                head: &["Field", "Change"],
                rows: rows.collect(),
            }
        });
    }
    blocks
}

/// Returns the path of a changed field; the whole object has none.
fn path(path: &str) -> Line {
    if path.is_empty() {
        vec![text("the object")]
    } else {
        vec![code(path)]
    }
}

fn subresource(subresource: &Subresource) -> Line {
    let mut line = vec![code(&subresource.name)];
    if !subresource.paths.is_empty() {
        line.push(text(" ("));
        let paths = subresource.paths.iter();
        let paths = paths.map(|[key, path]| labeled(key, vec![code(path)]));
        line.extend(joined(paths, &text(", ")));
        line.push(text(")"));
    }
    line
}

fn column(column: &Column) -> TableRow {
    let mut name = vec![text(&column.name)];
    if column.is_wide {
        name.extend([text(" (with "), code("-o wide"), text(")")]);
    }
    TableRow::of(vec![
        name,
        vec![text(&column.type_name)],
        vec![code(&column.path)],
        super::prose::line(&column.description),
    ])
}

fn of_section(section: &Section) -> Vec<Block> {
    let mut blocks = Vec::new();
    // The fields of the whole object stand below the heading of the version.
    if !section.path.is_empty() {
        blocks.push(Block::Heading {
            level: 4,
            anchor: Some(section.anchor.clone()),
            line: vec![code(&section.path)],
        });
    }
    if !section.description.is_empty() {
        blocks.push(Block::Paragraph(section.description.clone()));
    }
    if !section.notes.is_empty() {
        blocks.push(Block::List(section.notes.clone()));
    }
    blocks.push(Block::Table {
        head: &["Field", "Type", "Description", "Default", "Validation"],
        rows: section.fields.iter().map(field).collect(),
    });
    blocks
}

fn field(field: &DocumentedField) -> TableRow {
    let mut name = vec![code(&field.name)];
    if field.is_deprecated {
        name.extend([Inline::Break, Inline::Strong("deprecated".to_owned())]);
    }
    let (anchor, type_name) = match &field.place {
        LinkTarget::Row(anchor) => (Some(anchor.clone()), code(&field.type_name)),
        LinkTarget::Section(anchor) => (None, link(anchor, &field.type_name)),
        LinkTarget::Kubernetes { row, url } => {
            let (url, label) = (url.clone(), field.type_name.clone());
            (Some(row.clone()), Inline::Link { url, label })
        }
    };
    let required = field.must_be_set().then(|| vec![text("Required")]);
    let notes = required.into_iter().chain(field.notes.iter().cloned());
    TableRow {
        anchor,
        cells: vec![
            name,
            vec![type_name],
            field.description.clone(),
            field.default.iter().map(code).collect(),
            joined(notes, &Inline::Break),
        ],
    }
}

fn conditions(kind: &DocumentedKind) -> Vec<Block> {
    if kind.conditions.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![heading(3, None, format!("Conditions of {}", kind.name))];
    blocks.push(Block::Table {
        head: &["Type", "Status", "Reason", "Message"],
        rows: kind.conditions.iter().map(condition).collect(),
    });
    if kind.reports_errors {
        blocks.push(Block::Paragraph(vec![
            text("After an error, "),
            code("Ready"),
            text(" is "),
            code("False"),
            text(", with the reason of the error."),
        ]));
    }
    blocks
}

fn condition(condition: &ConditionReason) -> TableRow {
    TableRow::of(vec![
        vec![code(&condition.type_name)],
        vec![code(condition.status)],
        vec![code(&condition.reason)],
        condition.message.iter().map(text).collect(),
    ])
}

fn permission(rule: &Rule) -> TableRow {
    let groups = rule.groups.iter();
    let groups = groups.map(|group| if group.is_empty() { "core" } else { group });
    let targets = rule.resources.iter().chain(&rule.urls);
    let namespace = rule.namespace.as_deref().map(code);
    TableRow::of(vec![
        codes(groups),
        codes(targets),
        codes(&rule.verbs),
        codes(&rule.resource_names),
        namespace.into_iter().collect(),
    ])
}
