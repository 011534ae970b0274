//! Tests that the next release can upgrade projects of this one. The current templates are changed
//! in every file and packed like a release. Projects rendered from that release are then upgraded
//! to the current templates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anstream::ColorChoice;
use flate2::Compression;
use flate2::write::GzEncoder;
use walkdir::WalkDir;

use super::*;
use crate::import::{self, Imported};
use crate::ops::import::Import;
use crate::ops::imported;
use crate::ops::scratch::scratch;
use crate::project::{License, Part, Spellings};
use crate::resource::{Reported, Source};
use crate::terminal::Terminal;
use crate::text::sha256;

/// The version of the packed release.
const OLD: &str = "0.1.9";
/// A line that is in every template of the packed release, and in no current template.
const OLD_LINE: &str = "a line of the earlier release";
/// A line that the user adds.
const USER_LINE: &str = "a line of the user";

/// Returns a text as a comment line in the language of a file.
fn comment(path: &str, text: &str) -> String {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending {
        "rs" => format!("// {text}\n"),
        // JSON has no comments, but a merge does not parse the file.
        "json" => format!("\"{text}\"\n"),
        "md" => format!("\n{text}\n"),
        _ => format!("# {text}\n"),
    }
}

fn has_no_comments(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "json")
}

/// Returns the files of the vendored manager crate in the packed release, by their paths in a
/// project. One of them no longer exists in the current crate.
fn vendored() -> BTreeMap<String, String> {
    let mut files: BTreeMap<_, _> = scaffold::vendored_files(scaffold::MANAGER)
        .into_iter()
        .map(|(path, text)| (path, format!("{text}// {OLD_LINE}\n")))
        .collect();
    let gone = format!("{}src/gone.rs", scaffold::MANAGER);
    files.insert(gone, format!("// {OLD_LINE}\n"));
    files
}

/// Packs the current templates as `.ci/archive` does, with an additional line at the end of each.
fn release() -> Release {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for entry in WalkDir::new(root.join("templates")).sort_by_file_name() {
        let entry = entry.unwrap();
        let path = entry.path().strip_prefix(root).unwrap();
        if !entry.file_type().is_file() || path.starts_with("templates/releases") {
            continue;
        }
        let mut text = fs::read_to_string(entry.path()).unwrap();
        let path = path.to_str().unwrap();
        if let Some(path) = path.strip_suffix(".tera") {
            text += &comment(path, OLD_LINE);
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive
            .append_data(&mut header, path, text.as_bytes())
            .unwrap();
    }
    let digests: Vec<_> = vendored()
        .iter()
        .map(|(path, text)| format!("{}  {path}\n", sha256(text)))
        .collect();
    let digests = digests.concat();
    let mut header = tar::Header::new_gnu();
    header.set_size(digests.len() as u64);
    header.set_mode(0o644);
    archive
        .append_data(&mut header, "templates/vendored.sha256", digests.as_bytes())
        .unwrap();
    let mut packed = archive.into_inner().unwrap();
    packed.flush().unwrap();
    Release::read(&packed.finish().unwrap())
}

/// Kinds with webhooks, with two versions, cluster-scoped, scaffolded from an image, and built into
/// Kubernetes.
const KINDS: &str = "
- {api: {crdVersion: v1, namespaced: true}, controller: true, domain: my.domain, kind: Cow, plural: cows, version: v1alpha1,
   webhooks: {conversion: true, defaulting: true, validation: true, webhookVersion: v1}}
- {api: {crdVersion: v1, namespaced: true}, domain: my.domain, kind: Cow, plural: cows, version: v1}
- {api: {crdVersion: v1}, controller: true, domain: my.domain, group: farm, kind: Barn, plural: barns, version: v1}
- {api: {crdVersion: v1, namespaced: true}, controller: true, domain: my.domain, kind: Page, plural: pages, version: v1,
   workload: {containerCommand: [serve], containerPort: 80, image: 'nginx:1.29', runAsUser: 1000}}
- {controller: true, core: true, group: apps, kind: Deployment, plural: deployments, version: v1}
";

/// The CRD of an imported kind.
const CRD: &str = r"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wolves.wood.example.org}
spec:
  group: wood.example.org
  names: {kind: Wolf, listKind: WolfList, plural: wolves, singular: wolf}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            description: What a wolf eats.
            properties:
              prey: {type: string, enum: [sheep, hare]}
            required: [prey]
          status: {type: object, properties: {observedGeneration: {type: integer, format: int64}}}
";

fn imported_crd() -> Imported {
    import::read_crds(CRD, "crd.yaml").unwrap().remove(0)
}

/// Returns a project of the packed release with every optional part, the kinds above, and an
/// imported kind.
fn project() -> Project {
    let mut project = Project::new("my.domain".parse().unwrap(), "farm".parse().unwrap());
    project.cli_version = OLD.to_owned();
    project.license = License::Apache2;
    project.bundle = true;
    project.chart = Some("farm".parse().unwrap());
    project.parts = BTreeSet::from(Part::ALL);
    project.resources = serde_yaml::from_str(KINDS).unwrap();
    let crd = imported_crd();
    let source = Source {
        allowed: Vec::new(),
        from: "crd.yaml".to_owned(),
        reported: Reported::default(),
        sha256: String::new(),
    };
    let settings = imported::ImportSettings {
        controller: true,
        domain: &project.domain.clone(),
        external: false,
    };
    for part in settings
        .parts(&crd, &source, &mut Spellings::default())
        .unwrap()
    {
        imported::add(part.resource.clone(), &mut project);
    }
    project.check_after(None).unwrap();
    project
}

/// Adds the files of the imported kind, which are generated from its CRD, to a tree.
fn put_imported(project: &Project, tree: &mut Tree) {
    let crd = imported_crd();
    let kinds: Vec<_> = project
        .resources
        .iter()
        .filter(|resource| resource.imported.is_some())
        .map(|resource| (&crd, resource))
        .collect();
    imported::render(&kinds, project, tree);
}

/// Returns the files that the packed release generated for a project.
fn made(project: &Project) -> Tree {
    let mut tree = release().render(project);
    put_imported(project, &mut tree);
    for (path, text) in vendored() {
        tree.insert(path, Owner::Tool, text);
    }
    tree
}

/// Returns the files that this version of rustop generates for a project.
fn fresh(project: &Project) -> Tree {
    let mut tree = scaffold::render(&project.by_this_rustop());
    put_imported(project, &mut tree);
    tree
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn upgrade(root: &Path) -> Result<()> {
    let session = Session::new(root, Terminal::new(-1, ColorChoice::Never));
    let operation = Upgrade {
        check: false,
        dry_run: false,
    };
    operation.run_from(&session, |version| (version == OLD).then(release))
}

fn files(root: &Path) -> BTreeMap<String, String> {
    WalkDir::new(root)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(root).unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            (path.to_str().unwrap().to_owned(), text)
        })
        .collect()
}

/// Returns the paths of files that differ.
fn differing(found: &BTreeMap<String, String>, wanted: &BTreeMap<String, String>) -> Vec<String> {
    found
        .keys()
        .chain(wanted.keys())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter(|path| found.get(*path) != wanted.get(*path))
        .cloned()
        .collect()
}

#[test]
fn packed_releases_render_like_their_templates() {
    let project = project().by_this_rustop();
    let mut differs = Vec::new();
    let release = release().render(&project);
    for (path, file) in scaffold::render(&project).iter() {
        let Some(old) = release.get(path) else {
            assert!(path.starts_with(scaffold::MANAGER), "{path}");
            continue;
        };
        assert_eq!(old.owner, file.owner, "{path}");
        if path != crate::project::FILE
            && path != "Cargo.lock"
            && old.text != file.text.clone() + &comment(path, OLD_LINE)
        {
            differs.push(path.to_owned());
        }
    }
    assert_eq!(differs, [""; 0]);
}

#[test]
fn a_project_of_this_release_becomes_one_of_the_next() {
    let project = project();
    let dir = scratch();
    for (path, file) in made(&project).iter() {
        write(dir.path(), path, &file.text);
    }
    upgrade(dir.path()).unwrap();
    let fresh: BTreeMap<_, _> = fresh(&project)
        .iter()
        .map(|(path, file)| (path.to_owned(), file.text.clone()))
        .collect();
    assert_eq!(differing(&files(dir.path()), &fresh), [""; 0]);
    upgrade(dir.path()).unwrap();
    assert_eq!(
        differing(&files(dir.path()), &fresh),
        [""; 0],
        "a second time"
    );
}

#[test]
fn the_next_release_keeps_user_edits() {
    let project = project();
    let (made, fresh) = (made(&project), fresh(&project));
    let dir = scratch();
    let mut edited = BTreeSet::new();
    for (path, file) in made.iter() {
        let mut text = file.text.clone();
        // Insert the line far from the one that the release changes. JSON files have no comments,
        // and short files have no such place.
        if file.owner == Owner::User
            && text.lines().count() > 12
            && path != "Cargo.lock"
            && !has_no_comments(path)
        {
            let at = text.match_indices('\n').nth(2).unwrap().0 + 1;
            text.insert_str(at, &comment(path, USER_LINE));
            edited.insert(path.to_owned());
        }
        write(dir.path(), path, &text);
    }
    assert!(edited.len() > 25, "{edited:?}");
    assert!(edited.contains("charts/farm/values.yaml"), "{edited:?}");
    upgrade(dir.path()).unwrap();
    let mut failures = Vec::new();
    for (path, text) in files(dir.path()) {
        let wanted = &fresh
            .get(&path)
            .unwrap_or_else(|| panic!("{path} is left"))
            .text;
        let without: Vec<_> = text
            .lines()
            .filter(|line| !line.contains(USER_LINE))
            .collect();
        let without = without.join(
            "
",
        );
        let blank = |text: &str| {
            text.lines()
                .filter(|line| !line.trim().is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        };
        let is_kept = text.contains(USER_LINE) == edited.contains(&path);
        if !is_kept || blank(&without) != blank(wanted) {
            failures.push(path);
        }
    }
    assert_eq!(failures, [""; 0]);
}

#[test]
fn edited_files_of_the_vendored_crate_are_named_and_nothing_changes() {
    let project = project();
    for edited in ["src/lib.rs", "src/gone.rs"] {
        let dir = scratch();
        for (path, file) in made(&project).iter() {
            write(dir.path(), path, &file.text);
        }
        let edited = format!("{}{edited}", scaffold::MANAGER);
        write(dir.path(), &edited, "// edited\n");
        let before = files(dir.path());
        let error = upgrade(dir.path()).unwrap_err().to_string();
        assert!(error.ends_with(&format!(":\n  {edited}")), "{error}");
        assert_eq!(differing(&files(dir.path()), &before), [""; 0]);
        // The help of the error suggests deleting the file.
        fs::remove_file(dir.path().join(&edited)).unwrap();
        upgrade(dir.path()).unwrap();
        let left = files(dir.path()).remove(&edited);
        let wanted = fresh(&project).get(&edited).map(|file| file.text.clone());
        assert_eq!(left, wanted);
    }
}

/// Copies the Go project of the tests, without RBAC markers. `import` appends them to `src/lib.rs`,
/// where every template of the packed release has its additional line.
fn copy_go_project(to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/import/go");
    for (path, text) in files(&from) {
        let lines = text
            .lines()
            .filter(|line| !line.contains("kubebuilder:rbac"));
        let lines: Vec<_> = lines.map(|line| format!("{line}\n")).collect();
        let text = lines.concat();
        if path != "config/rbac/role.yaml" {
            write(to, &path, &text);
        }
    }
}

#[test]
fn an_imported_go_project_becomes_one_of_the_next_release() {
    let dir = scratch();
    copy_go_project(&dir.path().join("go"));
    let operation = Import {
        dir: "go".into(),
        target: Some("rust".into()),
        domain: None,
        project_name: None,
        crds: None,
        allow: Vec::new(),
        dry_run: false,
    };
    operation
        .run(&Session::new(
            dir.path(),
            Terminal::new(-1, ColorChoice::Never),
        ))
        .unwrap();
    let root = dir.path().join("rust");
    let imported = files(&root);
    let mut project = Project::parse(&imported[crate::project::FILE]).unwrap();
    let mut new = scaffold::render(&project);
    imported::render_from_disk(&root, &project, &mut new).unwrap();
    project.cli_version = OLD.to_owned();
    let mut old = release().render(&project);
    imported::render_from_disk(&root, &project, &mut old).unwrap();
    for (path, text) in vendored() {
        old.insert(path, Owner::Tool, text);
    }
    let mut changed = Vec::new();
    for (path, file) in old.iter() {
        let Some(text) = imported.get(path) else {
            write(&root, path, &file.text);
            continue;
        };
        let is_changed = new.get(path).is_some_and(|file| file.text != *text);
        // The packed release would have changed the text of its own templates in the same way.
        if is_changed && file.text.ends_with(&comment(path, OLD_LINE)) {
            changed.push(path);
            write(&root, path, &(text.clone() + &comment(path, OLD_LINE)));
        } else if !is_changed {
            write(&root, path, &file.text);
        }
    }
    assert!(
        changed.contains(&"config/manager/manager.yaml"),
        "{changed:?}"
    );
    assert!(changed.contains(&"api/Cargo.toml"), "{changed:?}");
    upgrade(&root).unwrap();
    let upgraded = files(&root);
    for path in differing(&upgraded, &imported) {
        // `import` writes conversions down to the last line, next to the line that the new release
        // removes.
        assert!(path.contains("_from_"), "{path}");
        let lost = imported[&path]
            .lines()
            .find(|line| !upgraded[&path].contains(line));
        assert_eq!(lost, None, "{path}");
    }
}
