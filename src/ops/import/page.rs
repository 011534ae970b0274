//! The page `IMPORT.md`: what was carried over, the next steps in order, and what was not carried
//! over.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::controllers;
use super::conversions::Conversion;
use super::deployment::{DEPLOYMENT, Deployment};
use super::draft_controllers::DraftController;
use super::go_permissions::{GoPermissions, MarkerOrigin};
use super::go_project::{GoSources, ImportedFile, KUSTOMIZATIONS};
use super::left_webhooks;
use super::samples::CarriedSample;
use super::webhooks::Carried;
use crate::project::Project;
use crate::resource::{Admission, Resource};
use crate::terminal::escaped;
use crate::text::markdown_name;

/// The parts of the Go project that an import looks for in addition to the kinds. They are carried
/// over, except where a field says otherwise or a part gives a reason against it.
pub struct Brought<'a> {
    /// The RBAC markers, and the roles that markers cannot express.
    pub granted: &'a GoPermissions,
    /// The samples that are copied.
    pub samples: &'a [CarriedSample<'a>],
    /// The samples that the API server would reject, by path, each with the reason.
    pub unfit: &'a BTreeMap<&'a str, String>,
    /// The admission webhooks.
    pub webhooks: &'a [Carried],
    /// All conversions, including those that are not carried over.
    pub conversions: &'a [Conversion],
    /// The draft controllers, which the user completes.
    pub controllers: &'a [DraftController<'a>],
    /// The settings of the Deployment that are carried over, and those that are not.
    pub deployment: &'a Deployment,
}

/// Returns the text of the page.
pub fn text(found: &GoSources, project: &Project, brought: &Brought) -> String {
    let from = found.project.repo.as_ref().unwrap_or(&found.called);
    let mut text = format!(
        "# Imported from {}\n\nGo files and files in `config/` that this page names are in the Go project, which rustop has not changed.\n",
        markdown_name(from)
    );
    let sections = [
        ("Carried over", carried(found, project, brought)),
        ("To do, in this order", steps(found, project, brought)),
        ("Not carried over", left(found, project, brought)),
    ];
    for (title, lines) in sections {
        // Writing to a String cannot fail.
        _ = write!(text, "\n## {title}\n\n{}\n", lines.join("\n"));
    }
    // Names and texts of the Go project may contain bidirectional control characters.
    escaped(&text)
}

/// The steps that follow once all code is written.
const LAST_STEPS: [&str; 3] = [
    "Move the markers from `src/lib.rs` to the code that needs them",
    "Build the Go operator, then `rustop import --shadow -- GO-PROJECT/bin/manager`, which shows the differences between the two operators for each sample",
    "Scale the Go operator down to 0 before this one starts, since both write the same objects; then delete this page",
];

fn carried(found: &GoSources, project: &Project, brought: &Brought) -> Vec<String> {
    let granted = brought.granted;
    let kinds = project.resources.iter().map(kind);
    let origin = match granted.origin {
        MarkerOrigin::Sources => {
            "as the Go sources have them; they grant what `config/rbac/role.yaml` grants"
        }
        MarkerOrigin::SourcesAlone => {
            "as the Go sources have them; there is no `config/rbac/role.yaml` to compare them with"
        }
        MarkerOrigin::Role => {
            "derived from `config/rbac/role.yaml`, since the markers of the Go sources grant something else"
        }
    };
    let count = granted.markers.len();
    let markers = format!("- {count} RBAC markers at the end of `src/lib.rs`, {origin}");
    let webhooks = brought.webhooks.iter().map(|webhook| {
        let (file, word) = (webhook.file(), webhook.admission.word());
        format!(
            "- The {word} webhook of {}: `{file}`, which allows every request",
            webhook.resource
        )
    });
    let controllers = brought.controllers.iter().map(|it| {
        let (kind, file) = (&it.resource.kind, it.resource.controller_file());
        format!("- The controller of {kind}: `{file}`, which does nothing and does not run yet")
    });
    let samples = brought.samples.iter().map(CarriedSample::line);
    let kinds = kinds.chain([markers]).chain(controllers);
    let deployment = brought.deployment.carried.iter();
    let deployment = deployment.map(|what| format!("- `{DEPLOYMENT}` has {what}"));
    let all = kinds.chain(webhooks).chain(samples);
    let named = found.named.lines(project);
    all.chain(deployment).chain(named).collect()
}

/// Returns the line about the types of a kind. A kind of Kubernetes has none in the project.
fn kind(resource: &Resource) -> String {
    match &resource.imported {
        Some(source) => format!(
            "- {resource}: types in `{}`, generated from `{}`; the tests compare their CRD with it",
            resource.api_file(),
            source.from
        ),
        None => format!("- {resource}: a kind of Kubernetes, whose type is that of k8s-openapi"),
    }
}

fn steps(found: &GoSources, project: &Project, brought: &Brought) -> Vec<String> {
    let mut steps = vec![
        "`rustop manifests`, then `cargo test --workspace`, which checks that the types generate the same schemas as the CRDs"
            .to_owned(),
    ];
    steps.extend(controllers::steps(found, brought.controllers, project));
    steps.extend(brought.webhooks.iter().map(rules));
    steps.extend(conversions(project, brought.conversions));
    steps.extend(LAST_STEPS.map(str::to_owned));
    let steps = (1..).zip(steps);
    steps.map(|(at, step)| format!("{at}. {step}")).collect()
}

/// Returns the step that implements a webhook.
fn rules(webhook: &Carried) -> String {
    let what = match webhook.admission {
        Admission::Defaulting => "defaults",
        Admission::Validation => "rules",
    };
    let go = webhook.place();
    let go = go.map_or_else(String::new, |place| {
        format!("; in Go they begin at `{place}`")
    });
    format!(
        "The {what} of {}: write them in `{}`{go}",
        webhook.resource,
        webhook.file()
    )
}

/// Returns the steps that complete and review the conversions.
fn conversions(project: &Project, conversions: &[Conversion]) -> Vec<String> {
    let there = conversions.iter().filter(|it| it.hindered.is_none());
    let step = |conversion: &Conversion| {
        let kind = &conversion.resource.kind;
        let files = conversion.files(project);
        let from = in_go(&conversion.signs);
        format!(
            "The conversion of {kind}{from}: replace each `todo!` in `{}`, check that fields with equal names have the same meaning, and \
             remove `#[ignore]` from `tests/{}_conversion.rs` if it has one",
            files.join("` and `"),
            conversion.resource.name()
        )
    };
    there.map(step).collect()
}

/// Names the files of the Go project that convert a kind.
fn in_go(signs: &[String]) -> String {
    match signs {
        [] => String::new(),
        signs => format!(", which Go has in `{}`", signs.join("` and `")),
    }
}

fn left(found: &GoSources, project: &Project, brought: &Brought) -> Vec<String> {
    let mut left =
        vec!["- The code in Go: the bodies of reconciles, webhooks and conversions".to_owned()];
    let kinds = found.project.resources.iter();
    let foreign = kinds.filter(|go| found.kind_of(go, project).is_none());
    left.extend(foreign.map(|go| {
        format!(
            "- {} {}: it is in PROJECT, and no CRD defines it",
            markdown_name(&go.version),
            markdown_name(&go.kind)
        )
    }));
    let unsupported = brought.granted.unsupported_roles.iter();
    left.extend(unsupported.map(|why| format!("- {why}")));
    left.extend(left_webhooks::lines(
        found,
        project,
        brought.webhooks,
        brought.conversions,
    ));
    left.extend(brought.conversions.iter().filter_map(|it| {
        let why = it.hindered.as_ref()?;
        let source = in_go(&it.signs);
        Some(format!(
            "- The conversion of {}{source}: {why}",
            it.resource.kind
        ))
    }));
    let is_carried = |file: &&ImportedFile| {
        brought
            .samples
            .iter()
            .any(|sample| sample.from == file.path)
    };
    let others = found.samples.iter().filter(|file| !is_carried(file));
    let others = others.filter(|file| !is_kustomization(&file.path));
    left.extend(others.map(|file| {
        let path = &file.path;
        match brought.unfit.get(path.as_str()) {
            Some(why) => format!("- `{path}`: {why}"),
            None => format!("- `{path}`: it has no object of an imported version"),
        }
    }));
    left.extend(
        brought
            .deployment
            .left
            .iter()
            .map(|what| format!("- {what}")),
    );
    // The lines about a conversion name its patches.
    let is_of_conversion = |path: &&String| {
        let mut conversions = brought.conversions.iter();
        conversions.any(|conversion| conversion.signs.contains(path))
    };
    let others = found.config.iter();
    left.extend(config(others.filter(|path| !is_of_conversion(path))));
    left
}

fn is_kustomization(path: &str) -> bool {
    KUSTOMIZATIONS.iter().any(|name| path.ends_with(name))
}

/// Returns a line for each patch, and one for each directory of other manifests, that is not
/// carried over.
fn config<'a>(paths: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths.filter(|path| !is_kustomization(path)) {
        if path.contains("patch") {
            lines.push(format!(
                "- `{path}`: make the change of this patch in this project"
            ));
        } else {
            let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
            *others.entry(dir).or_default() += 1;
        }
    }
    lines.extend(others.into_iter().map(|(dir, count)| {
        let files = if count == 1 { "file" } else { "files" };
        format!("- `{dir}/`: {count} {files}; check whether the project needs something from there")
    }));
    lines
}
