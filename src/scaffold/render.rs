//! Renders the files of a project from the embedded templates. `templates/table.yaml` decides which
//! files a project has.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use include_dir::{Dir, include_dir};
use tera::{Context, Tera};

use super::context::{ProjectContext, ResourceContext, is_first_imported};
use super::lockfile;
use super::table::{self, RenderedFor, Row};
use crate::project::{self, License, ManagerSource, Part, Project, Versions};
use crate::resource::{Admission, Resource};
use crate::simulation::TEST_FILE;
use crate::tree::{Owner, Tree};

/// The templates. Their paths are those of the generated files, with placeholders such as `[kind]`.
/// Each name ends in [`SUFFIX`], because Cargo does not package a subdirectory that contains a
/// `Cargo.toml`.
///
/// [`table::MANAGER`] contains links to the files of the manager; in a package they are files.
static TEMPLATES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// The suffix of every template file.
pub const SUFFIX: &str = ".tera";

/// The subdirectory with the archives of earlier releases.
const RELEASES: &str = "releases";

/// The rows of `templates/table.yaml`, in the order of the file.
pub static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let text = embedded_text(table::FILE);
    table::parse(text).unwrap_or_else(|error| panic!("templates/{}: {error}", table::FILE))
});

/// The templates parsed so far. Templates are parsed on first use, since parsing them all takes
/// longer than rendering a project.
static ENGINE: LazyLock<Mutex<Tera>> = LazyLock::new(|| Mutex::new(engine(std::iter::empty())));

/// Returns a template engine with these templates, given as pairs of path and text. Panics if a
/// template does not parse.
pub fn engine<'a>(templates: impl Iterator<Item = (&'a str, &'a str)>) -> Tera {
    let mut tera = Tera::new();
    tera.autoescape_on(Vec::<&str>::new());
    add(&mut tera, templates);
    tera
}

fn add<'a>(tera: &mut Tera, templates: impl Iterator<Item = (&'a str, &'a str)>) {
    tera.add_raw_templates(templates)
        .unwrap_or_else(|error| panic!("a template does not parse: {error}"));
}

/// Returns the files of a vendored crate, each as its path in a project and its text. `directory`
/// is the path of a [`RenderedFor::VendoredCrate`] row.
pub fn vendored_files(directory: &str) -> Vec<(String, &'static str)> {
    fn collect(directory: &Dir<'static>, files: &mut Vec<(String, &'static str)>) {
        for file in directory.files() {
            let path = file
                .path()
                .to_str()
                .expect("cargo packages such paths only");
            let text = file.contents_utf8().expect("cargo compiles it");
            let manifest = path.strip_suffix(SUFFIX);
            files.push((manifest.unwrap_or(path).to_owned(), text));
        }
        directory.dirs().for_each(|inner| collect(inner, files));
    }
    let mut files = Vec::new();
    let embedded = TEMPLATES.get_dir(directory.trim_end_matches('/'));
    collect(embedded.expect("the table names it"), &mut files);
    files
}

/// Renders all user files and generated files of a project. The types of kinds imported from a CRD
/// are placeholders, because the stored CRD is not part of `PROJECT`: `ops::imported::fill`
/// replaces them.
pub fn render(project: &Project) -> Tree {
    let mut tree = Tree::new(&project.cli_version);
    tree.insert(project::FILE.to_owned(), Owner::Tool, project.to_text());
    let versions = Versions::of(project);
    let rows = TABLE
        .iter()
        .filter(|row| row.rendered_for.is_rendered(project, &versions));
    let (crates, rows): (Vec<_>, Vec<_>) =
        rows.partition(|row| row.rendered_for == RenderedFor::VendoredCrate);
    for row in crates {
        for (path, text) in vendored_files(&row.template) {
            tree.insert(path, row.owner, text.to_owned());
        }
    }
    let has_workload = project.resources.iter().any(|it| it.workload.is_some());
    let workloads = rows
        .iter()
        .map(|row| workload_template(&row.template))
        .filter(|template| has_workload && has_template(template));
    let templates = rows.iter().map(|row| row.template.clone()).chain(workloads);
    let engine = parsed(templates);
    render_rows(&mut tree, rows.into_iter(), &engine, project);
    tree
}

/// Renders rows of a table into `tree`, each once for every resource that it applies to. `engine`
/// must contain the templates of all rows. [`RenderedFor::VendoredCrate`] rows are not templates,
/// and must not be passed.
pub fn render_rows<'a>(
    tree: &mut Tree,
    rows: impl Iterator<Item = &'a Row>,
    engine: &Tera,
    project: &Project,
) {
    let versions = Versions::of(project);
    let context = context(&ProjectContext::new(project, &versions));
    for Row {
        template,
        owner,
        rendered_for: each,
    } in rows
    {
        for resource in each.instances(project, &versions) {
            let mut context = context.clone();
            let template_name = template_for(template, resource.as_ref(), engine);
            let path = resource
                .as_ref()
                .map_or_else(|| template.clone(), |resource| resource.fill(template));
            if let Some(resource) = resource {
                context.insert("resource", &resource);
            }
            let text = render_one(engine, &template_name, &context);
            let text = match each {
                RenderedFor::Lock => lockfile::sorted(&text),
                _ => text,
            };
            let [path, text] = [path, text].map(|text| match (&project.chart, each) {
                (Some(chart), RenderedFor::Chart) => text.replace("[chart]", chart.as_str()),
                _ => text,
            });
            tree.insert(path, *owner, text);
        }
    }
}

/// Returns the template of a row, or the variant that replaces it for this resource.
fn template_for(template: &str, resource: Option<&ResourceContext>, engine: &Tera) -> String {
    let own = workload_template(template);
    if resource.is_some_and(ResourceContext::is_workload) && engine.contains_template(&own) {
        return own;
    }
    template.to_owned()
}

/// Returns the name of the variant that replaces a template for kinds created from an image. The
/// variant need not exist.
fn workload_template(template: &str) -> String {
    format!("workload/{template}")
}

/// Parses the given templates, unless they are parsed already, and returns the locked engine.
fn parsed(templates: impl Iterator<Item = String>) -> MutexGuard<'static, Tera> {
    // A test that panics while it holds the lock leaves the engine intact, so a poisoned lock is
    // usable.
    let mut tera = ENGINE.lock().unwrap_or_else(PoisonError::into_inner);
    let new: Vec<_> = templates
        .filter(|template| !tera.contains_template(template))
        .map(|template| (embedded_text(&format!("{template}{SUFFIX}")), template))
        .collect();
    let new = new
        .iter()
        .map(|(text, template)| (template.as_str(), *text));
    add(&mut tera, new);
    tera
}

/// Reports whether the types were generated from an imported CRD.
fn is_imported(resource: &Resource) -> bool {
    resource.imported.is_some()
}

/// Reports whether the project gets a simulation test: some kind has a controller and a sample. A
/// project with a kind `Simulation` gets none, because the test of that kind has the same path.
fn has_simulation(project: &Project) -> bool {
    let versions = Versions::of(project);
    let has_sample = |resource: &Resource| {
        versions.is_first(resource)
            && versions.has_sample(resource)
            && versions.all(resource).iter().any(|it| it.controller)
    };
    let is_in_the_way =
        |resource: &Resource| resource.is_tested() && resource.test_file() == TEST_FILE;
    let mut resources = project.resources.iter();
    resources.any(has_sample) && !project.resources.iter().any(is_in_the_way)
}

fn context(project: &ProjectContext) -> Context {
    Context::from_serialize(project).expect("the context holds strings, booleans and lists only")
}

fn render_one(engine: &Tera, template: &str, context: &Context) -> String {
    engine
        .render(template, context)
        .unwrap_or_else(|error| panic!("{template} does not render: {error}"))
}

/// Reports whether a template exists.
fn has_template(template: &str) -> bool {
    TEMPLATES.get_file(format!("{template}{SUFFIX}")).is_some()
}

/// Returns the text of a file below `templates/`.
fn embedded_text(path: &str) -> &'static str {
    TEMPLATES
        .get_file(path)
        .unwrap_or_else(|| panic!("no file templates/{path}"))
        .contents_utf8()
        .unwrap_or_else(|| panic!("templates/{path} is not UTF-8"))
}

/// Returns the version and the `.tar.gz` of each earlier release.
pub fn archives() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let files = TEMPLATES.get_dir(RELEASES).into_iter().flat_map(Dir::files);
    files.filter_map(|file| {
        let name = file.path().file_name()?.to_str()?;
        Some((name.strip_suffix(".tar.gz")?, file.contents()))
    })
}

/// Returns the paths of the embedded templates, without the manager's sources and the archives of
/// releases.
#[cfg(test)]
pub fn embedded() -> std::collections::BTreeSet<String> {
    fn paths(dir: &Dir<'static>, found: &mut std::collections::BTreeSet<String>) {
        found.extend(dir.files().map(|file| file.path().display().to_string()));
        dir.dirs().for_each(|dir| paths(dir, found));
    }
    let mut found = std::collections::BTreeSet::new();
    paths(&TEMPLATES, &mut found);
    found.retain(|path| {
        let is_other = [RELEASES, table::MANAGER]
            .iter()
            .any(|dir| path.starts_with(dir));
        !is_other && path != table::FILE
    });
    found
}

impl RenderedFor {
    /// Reports whether the template is rendered at least once.
    fn is_rendered(self, project: &Project, versions: &Versions) -> bool {
        match self.resources(project, versions) {
            Some(resources) => !resources.is_empty(),
            None => self.is_enabled(project),
        }
    }

    /// Returns the resources that the template is rendered for. A template that is rendered once
    /// for the project yields a single `None`, if the project has it.
    fn instances(self, project: &Project, versions: &Versions) -> Vec<Option<ResourceContext>> {
        let Some(resources) = self.resources(project, versions) else {
            let whole = self.is_enabled(project).then_some(None);
            return whole.into_iter().collect();
        };
        resources
            .into_iter()
            .map(|resource| Some(ResourceContext::new(resource, project, versions)))
            .collect()
    }

    /// Returns the resources that the template is rendered for, or `None` for a template that is
    /// rendered once for the project.
    fn resources<'a>(
        self,
        project: &'a Project,
        versions: &Versions<'a>,
    ) -> Option<Vec<&'a Resource>> {
        let of = |is_meant: &dyn Fn(&Resource) -> bool| {
            let all = project.resources.iter();
            Some(all.filter(|resource| is_meant(resource)).collect())
        };
        let has_dashboard = project.parts.contains(&Part::Dashboard);
        match self {
            Self::Imported => of(&is_imported),
            Self::ImportedCrd => of(&|resource| is_first_imported(resource, versions)),
            Self::Type => of(&|resource| resource.api.is_some()),
            Self::Sample => of(&|resource| versions.has_sample(resource)),
            Self::Crd => of(&|resource| resource.has_crd() && versions.is_first(resource)),
            Self::Controller => of(&Resource::has_controller_file),
            Self::Dashboard => of(&|resource| has_dashboard && resource.controller),
            Self::TestedController => of(&Resource::is_tested),
            Self::Defaulting => of(&|resource| resource.admits(Admission::Defaulting)),
            Self::Validation => of(&|resource| resource.admits(Admission::Validation)),
            Self::Converted => of(&|resource| {
                versions.is_first(resource) && !versions.converted(resource).is_empty()
            }),
            Self::Conversion => of(&|resource| versions.older(resource).is_some()),
            Self::Project
            | Self::Lock
            | Self::Licensed
            | Self::AnyImported
            | Self::Manager
            | Self::Bundle
            | Self::Chart
            | Self::Harness
            | Self::Part(_)
            | Self::SetupAction
            | Self::Simulation
            | Self::Vendored
            | Self::VendoredCrate
            | Self::WebhookNetworkPolicy
            | Self::Webhooks => None,
        }
    }

    /// Reports whether a template that is rendered once per project is rendered for this one.
    fn is_enabled(self, project: &Project) -> bool {
        match self {
            Self::Licensed => project.license != License::None,
            Self::Bundle => project.bundle,
            Self::Chart => project.chart.is_some(),
            Self::Part(part) => project.parts.contains(&part),
            Self::SetupAction => project.parts.iter().any(|part| part.installs_rustop()),
            Self::Webhooks => project.has_webhooks(),
            Self::WebhookNetworkPolicy => {
                project.has_webhooks() && project.parts.contains(&Part::NetworkPolicy)
            }
            Self::VendoredCrate | Self::Vendored | Self::Manager => {
                project.manager == ManagerSource::Vendored
            }
            Self::Harness => {
                project.resources.iter().any(Resource::is_tested) || has_simulation(project)
            }
            Self::AnyImported => project.resources.iter().any(is_imported),
            Self::Simulation => has_simulation(project),
            _ => true,
        }
    }
}
