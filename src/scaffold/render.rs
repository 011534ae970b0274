//! From a project to its tree: every row of the table, rendered.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use tera::{Context, Tera};

use super::context::{ProjectContext, ResourceContext};
use super::lockfile;
use super::table::{Each, TABLE};
use crate::project::{self, License, Project};
use crate::resource::{Admission, Resource};
use crate::tree::{Owner, Tree};

/// The templates. Their paths are those of the generated files, `[kind]` and the like in them to be
/// filled, and each ends in [`SUFFIX`]: a `Cargo.toml` in a subdirectory would not be packaged.
static TEMPLATES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

const SUFFIX: &str = ".tera";

static ENGINE: LazyLock<Tera> = LazyLock::new(|| {
    let mut tera = Tera::new();
    tera.autoescape_on(Vec::<&str>::new());
    let rendered = TABLE.iter().filter(|row| row.each != Each::Verbatim);
    let sources = rendered.map(|row| (row.template, text(row.template)));
    tera.add_raw_templates(sources)
        .unwrap_or_else(|error| panic!("a template does not parse: {error}"));
    tera
});

/// Everything that the project's `PROJECT` file implies, user's files and tool's files.
pub fn render(project: &Project) -> Tree {
    let mut tree = Tree::new(&project.cli_version);
    tree.insert(project::FILE.to_owned(), Owner::Tool, project.to_text());
    let context = context(&ProjectContext::new(project));
    for row in TABLE {
        if row.each == Each::Verbatim {
            for (path, text) in verbatim(row.template) {
                tree.insert(path, row.owner, text);
            }
            continue;
        }
        for resource in row.each.instances(project) {
            let mut context = context.clone();
            let path = resource.as_ref().map_or_else(
                || row.template.to_owned(),
                |resource| resource.fill(row.template),
            );
            if let Some(resource) = resource {
                context.insert("resource", &resource);
            }
            let text = render_one(row.template, &context);
            let text = if row.each == Each::Lock {
                lockfile::sorted(&text)
            } else {
                text
            };
            tree.insert(path, row.owner, text);
        }
    }
    tree
}

fn context(project: &ProjectContext) -> Context {
    Context::from_serialize(project).expect("the context holds strings, booleans and lists only")
}

fn render_one(template: &str, context: &Context) -> String {
    ENGINE
        .render(template, context)
        .unwrap_or_else(|error| panic!("{template} does not render: {error}"))
}

fn text(template: &str) -> &'static str {
    let file = TEMPLATES.get_file(format!("{template}{SUFFIX}"));
    let file = file.unwrap_or_else(|| panic!("no template {template}{SUFFIX}"));
    file.contents_utf8()
        .unwrap_or_else(|| panic!("{template}{SUFFIX} is not UTF-8"))
}

/// The files below a directory of templates, as they are.
fn verbatim(dir: &str) -> Vec<(String, String)> {
    fn walk(dir: &Dir<'static>, files: &mut Vec<(String, String)>) {
        for file in dir.files() {
            let path = file
                .path()
                .to_str()
                .and_then(|path| path.strip_suffix(SUFFIX))
                .expect("a template's name");
            files.push((
                path.to_owned(),
                file.contents_utf8()
                    .expect("templates are UTF-8")
                    .to_owned(),
            ));
        }
        dir.dirs().for_each(|dir| walk(dir, files));
    }
    let mut files = Vec::new();
    walk(
        TEMPLATES
            .get_dir(dir)
            .unwrap_or_else(|| panic!("no templates {dir}/")),
        &mut files,
    );
    files
}

/// The paths of all templates that are compiled in.
#[cfg(test)]
pub fn embedded() -> std::collections::BTreeSet<String> {
    fn paths(dir: &Dir<'static>, found: &mut std::collections::BTreeSet<String>) {
        found.extend(dir.files().map(|file| file.path().display().to_string()));
        dir.dirs().for_each(|dir| paths(dir, found));
    }
    let mut found = std::collections::BTreeSet::new();
    paths(&TEMPLATES, &mut found);
    found
}

impl Each {
    /// The resources that a template is rendered for; one `None` for a template of the whole project.
    fn instances(self, project: &Project) -> Vec<Option<ResourceContext>> {
        let of = |which: &dyn Fn(&Resource) -> bool| {
            let chosen = project.resources.iter().filter(|resource| which(resource));
            chosen
                .map(|resource| Some(ResourceContext::new(resource, project)))
                .collect()
        };
        match self {
            Self::Licensed if project.license == License::None => Vec::new(),
            Self::Webhooks if !project.has_webhooks() => Vec::new(),
            Self::Project | Self::Lock | Self::Licensed | Self::Verbatim | Self::Webhooks => {
                vec![None]
            }
            Self::Type => of(&|resource| resource.api.is_some()),
            Self::Sample => of(&|resource| resource.has_crd()),
            Self::Crd => of(&|resource| resource.has_crd() && project.is_first_version(resource)),
            Self::Controller => of(&|resource| resource.controller),
            Self::OwnController => of(&|resource| resource.controller && resource.has_crd()),
            Self::Defaulting => of(&|resource| resource.admits(Admission::Defaulting)),
            Self::Validation => of(&|resource| resource.admits(Admission::Validation)),
            Self::Converted => of(&|resource| {
                project.is_first_version(resource) && !project.converted(resource).is_empty()
            }),
            Self::Conversion => of(&|resource| project.older(resource).is_some()),
        }
    }
}
