//! The steps that `rustop create api` prints for another version of a kind: from editing its types
//! to removing the oldest version.

use crate::project::Project;
use crate::resource::{Admission, Resource};

/// Returns the steps, numbered. `new` is the added version, and `model` the version whose types
/// were copied. The first steps complete the project; if `new` is older than `model`, there are no
/// others.
pub fn steps(new: &Resource, model: &Resource, project: &Project) -> Vec<String> {
    let all = || {
        project
            .resources
            .iter()
            .filter(|it| it.same_kind(new) && !it.same_type(new))
    };
    let (group, kind, version) = (new.group_flag(), &new.kind, &new.version);
    let mut steps = Vec::new();
    let types = new.api_file();
    let copy = format!("edit {types}, a copy of {}", model.version);
    if let Some(older) = project.older(new) {
        steps.push(format!(
            "{copy}, and {} with it",
            new.conversion_file(older)
        ));
    } else {
        steps.push(format!(
            "rustop create webhook {group}--kind {kind} --conversion"
        ));
        steps.push(format!("{copy}, and with it the conversion"));
    }
    if new.version.order() < model.version.order() {
        steps.push("rustop manifests".to_owned());
        return numbered(&steps);
    }
    steps.push("make test, and make deploy: both versions can be read and written".to_owned());
    if let Some(old) = all().find(|version| version.controller) {
        let name = new.name();
        steps.push(format!(
            "in src/controllers/{name}.rs and tests/{name}.rs, write `api::{}` for `api::{}`",
            new.api_path(),
            old.api_path()
        ));
    }
    let has = |one: &Admission| all().any(|version| version.admits(*one));
    let flags = Admission::ALL.into_iter().filter(has);
    let flags: Vec<_> = flags.map(|one| format!(" --{}", one.word())).collect();
    let flags = flags.concat();
    if !flags.is_empty() {
        steps.push(format!(
            "rustop create webhook {group}--kind {kind} --version {version}{flags}, and move the code of the old webhooks there"
        ));
    }
    steps.push(format!(
        "move `storage = false` from {types} to the others; make deploy, and rustop migrate"
    ));
    let old = all().min_by_key(|version| version.version.order());
    let old = old.map_or(&model.version, |old| &old.version);
    steps.push(format!(
        "rustop delete version {group}--kind {kind} --version {old}"
    ));
    numbered(&steps)
}

fn numbered(steps: &[String]) -> Vec<String> {
    let steps = (1..).zip(steps).map(|(n, step)| format!("{n}. {step}"));
    steps.collect()
}
