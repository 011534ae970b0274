//! A kind may have the name of any item that a generated file or Rust's prelude mentions. The test
//! reads these names from the files of a project, and builds a project with all of them as kinds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use heck::ToUpperCamelCase as _;
use syn::{Ident, Item, UseTree};

use super::{project, resource};
use crate::project::Project;
use crate::resource::Webhooks;
use crate::scaffold::render::render;

/// The names of the prelude: <https://doc.rust-lang.org/std/prelude/>.
const PRELUDE: &str = "AsMut AsRef AsyncFn AsyncFnMut AsyncFnOnce Box Clone Copy Debug Default DoubleEndedIterator Drop \
    Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Future Hash Into IntoFuture IntoIterator Iterator \
    None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec";

/// Kinds with two versions. The generated conversions refer to them by full path, so these names
/// must not clash.
const CONVERTED: [&str; 6] = [
    "From",
    "Lolcow",
    "NewSpec",
    "OldSpec",
    "RoundTrip",
    "Versions",
];

/// Returns a project with these kinds, each with webhooks and a controller. The kinds in
/// `CONVERTED` have two versions.
fn with(kinds: impl IntoIterator<Item = String>) -> Project {
    let mut project = project();
    for kind in kinds {
        let mut webhooks = Webhooks::none();
        (webhooks.defaulting, webhooks.validation) = (true, true);
        webhooks.conversion = CONVERTED.contains(&kind.as_str());
        for version in ["v1alpha1", "v1"] {
            let mut new = resource(None, version, &kind);
            new.plural = kind.to_lowercase().parse().unwrap();
            new.controller = version == "v1alpha1";
            new.webhooks = new.controller.then(|| webhooks.clone());
            if new.controller || webhooks.conversion {
                project.resources.push(new);
            }
        }
    }
    project.check().unwrap();
    project
}

/// Returns all names that the files of a project import or define, except those in the vendored
/// manager.
fn names() -> Vec<String> {
    let mut names = Vec::new();
    for (path, file) in render(&with(["Lolcow".to_owned()])).iter() {
        let is_rust = Path::new(path).extension().is_some_and(|ext| ext == "rs");
        if is_rust && !path.starts_with("vendor/") {
            let file = syn::parse_file(&file.text).unwrap();
            of_items(&file.items, &mut names);
        }
    }
    names
}

fn of_items(items: &[Item], names: &mut Vec<String>) {
    for item in items {
        of_item(item, names);
    }
}

fn of_item(item: &Item, names: &mut Vec<String>) {
    let mut add = |ident: &Ident| names.push(ident.to_string());
    match item {
        Item::Const(item) => add(&item.ident),
        Item::Enum(item) => add(&item.ident),
        Item::Fn(item) => add(&item.sig.ident),
        Item::Static(item) => add(&item.ident),
        Item::Struct(item) => add(&item.ident),
        Item::Trait(item) => add(&item.ident),
        Item::Type(item) => add(&item.ident),
        Item::Use(item) => of_use(&item.tree, names),
        Item::Mod(item) => {
            add(&item.ident);
            if let Some((_, items)) = &item.content {
                of_items(items, names);
            }
        }
        _ => {}
    }
}

fn of_use(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => {
            names.push(path.ident.to_string());
            of_use(&path.tree, names);
        }
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(rename) => {
            names.extend([rename.ident.to_string(), rename.rename.to_string()]);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                of_use(tree, names);
            }
        }
        UseTree::Glob(_) => {}
    }
}

/// Returns the kinds with these names by their lower-case form: two kinds that differ only in case
/// would share their file names.
fn kinds() -> BTreeMap<String, String> {
    let prelude = PRELUDE.split_whitespace().map(str::to_owned);
    let names = names().into_iter().chain(prelude);
    let kinds = names.map(|name| {
        let is_kind = name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains('_');
        if is_kind {
            name
        } else {
            name.to_upper_camel_case()
        }
    });
    let kinds = kinds.filter(|kind| !["", "Self"].contains(&kind.as_str()));
    kinds.map(|kind| (kind.to_lowercase(), kind)).collect()
}

/// Writes the files of a project with its tests as one crate, which builds in a fraction of the
/// time of one crate for each test.
fn write(project: &Project, dir: &Path) {
    let mut modules = String::new();
    for (path, file) in render(project).iter() {
        if let Some(stem) = path
            .strip_prefix("tests/")
            .and_then(|it| it.strip_suffix(".rs"))
            .filter(|stem| !stem.contains('/'))
        {
            modules.extend(["#[path = \"../", stem, ".rs\"]\nmod test_", stem, ";\n"]);
        }
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = file
            .text
            .replace("[package]\n", "[package]\nautotests = false\n");
        fs::write(path, text).unwrap();
    }
    fs::create_dir_all(dir.join("tests/all")).unwrap();
    fs::write(dir.join("tests/all/main.rs"), modules).unwrap();
    let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap();
    let all = "\n[[test]]\nname = \"all\"\npath = \"tests/all/main.rs\"\n";
    fs::write(dir.join("Cargo.toml"), manifest + all).unwrap();
}

#[test]
#[ignore = "compiles a project: .ci/run"]
fn a_kind_may_be_called_like_anything_in_a_generated_file() {
    let kinds = kinds();
    for known in [
        "Defaults",
        "Defaulter",
        "JsonSchema",
        "Soon",
        "AwaitCondition",
        "OldSpec",
    ] {
        assert!(
            kinds.contains_key(&known.to_lowercase()),
            "{known} is in no file"
        );
    }
    let place = tempfile::tempdir().unwrap();
    write(&with(kinds.into_values()), place.path());
    // The target directory that all generated projects share, so that their dependencies are built
    // once.
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap().join("tmp/projects");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "check",
        "--locked",
        "--quiet",
        "--workspace",
        "--all-targets",
    ]);
    cargo
        .current_dir(place.path())
        .env("CARGO_TARGET_DIR", target);
    let output = cargo.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
