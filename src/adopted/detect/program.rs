//! Finds the operator's binary among the programs of a repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml_edit::DocumentMut;

use super::binary::OperatorProgram;
use super::candidate::{Candidate, Evidence, only};
use super::cargo::{Bin, CargoPackage, packages};
use super::code::Code;
use super::deploy::WORKLOADS;
use super::dockerfiles::{self, dockerfiles, started};
use super::go;
use super::repository::Repository;
use super::repository::{line_at, without_tests};
use crate::apicalls::Sent;

/// Code that indicates an operator, the strongest evidence first.
const OPERATOR_CALLS: [&str; 5] = [
    "Controller::new(",
    "Manager::new(",
    "watcher(",
    "reflector(",
    "kubert::Runtime",
];

/// A candidate with its rank and its program. A lower rank is stronger evidence.
type Ranked<'a> = (usize, &'a Bin, Candidate<OperatorProgram>);

type Predicate<'a> = &'a dyn Fn(&&Ranked) -> bool;

/// Returns the programs that may be the operator: the only one named or located like an operator,
/// else those with the strongest evidence, else those of a Go project. With `name`, returns the
/// Rust programs of that name; if there is none, those of a Go project.
pub fn programs(repository: &Repository, name: Option<&str>) -> Vec<Candidate<OperatorProgram>> {
    let packages = packages(repository);
    let bins: Vec<&Bin> = packages
        .iter()
        .flat_map(|it| &it.bins)
        .filter(|it| may_be_operator(it))
        .collect();
    if let Some(name) = name {
        let named = bins.iter().filter(|it| it.name == name);
        let evidence =
            |bin: &Bin| Evidence::new(bin.path.clone(), 0, "is the program that `--bin` names");
        let mut found: Vec<_> = named
            .map(|bin| Candidate::new(program(bin), evidence(bin)))
            .collect();
        if found.is_empty() {
            found.extend(go::programs(repository, Some(name)));
        }
        return found;
    }
    let signs = signs(repository, &packages);
    let mut found: Vec<Ranked> = Vec::new();
    for bin in bins.iter().filter(|bin| !bin.is_generator()) {
        let evidence = signs.of_program(&packages, bin, repository);
        let best = evidence.into_iter().min_by_key(|(rank, _)| *rank);
        found.extend(
            best.map(|(rank, evidence)| (rank, *bin, Candidate::new(program(bin), evidence))),
        );
    }
    // A repository may also have agents and tools. If exactly one program is named `…operator` or
    // `…controller`, or is in such a directory, it is the operator.
    let is_operator = |name: &str| name.ends_with("operator") || name.ends_with("controller");
    let of_name = |it: &&Ranked| is_operator(&it.1.name);
    let of_dir = |it: &&Ranked| is_operator(&it.1.dir.display().to_string());
    for test in [&of_name as Predicate, &of_dir] {
        if let Some((_, _, one)) = only(found.iter().filter(|it| test(it))) {
            return vec![one.clone()];
        }
    }
    let best = found.iter().map(|(rank, ..)| *rank).min();
    found.retain(|(rank, ..)| Some(*rank) == best);
    if found.len() > 1 {
        found = reaching(repository, found);
    }
    if found.len() > 1 {
        found = singled_out(repository, found);
    }
    let mut found: Vec<_> = found.into_iter().map(|(.., it)| it).collect();
    if found.is_empty() {
        found = go::programs(repository, None);
    }
    found
}

/// Returns the programs whose `main` reaches a controller or, if there are none, a watcher. If
/// there are none either, returns all. The evidence of several programs in one package may be in
/// its library, which not all of them use for that.
fn reaching<'a>(repository: &Repository, found: Vec<Ranked<'a>>) -> Vec<Ranked<'a>> {
    let code = Code::read(repository);
    let sent: Vec<Sent> = found
        .iter()
        .map(|(_, bin, _)| code.sent(bin, &[]))
        .collect();
    let has_controller = |sent: &Sent| {
        let mut unknown = sent.unknown.iter();
        !sent.primary.is_empty() || unknown.any(|it| it.why.starts_with("Controller::new"))
    };
    let has_watch = |sent: &Sent| sent.calls.iter().any(|call| call.verb == "watch");
    for test in [&has_controller as &dyn Fn(&Sent) -> bool, &has_watch] {
        if sent.iter().any(test) {
            let found = found.into_iter().zip(&sent);
            let found = found.filter(|(_, sent)| test(sent));
            return found.map(|(it, _)| it).collect();
        }
    }
    found
}

/// Returns the program that alone is started by the workloads in the manifests or, tried next, by
/// the Dockerfiles. If they start several, or none, returns the one of these that is run by `cargo
/// run` by default or named like its package, or all if there is none.
fn singled_out<'a>(repository: &Repository, found: Vec<Ranked<'a>>) -> Vec<Ranked<'a>> {
    let found = started_of(found, in_workloads(repository));
    let found = started_of(found, in_images(repository));
    if found.len() == 1 {
        return found;
    }
    let is_default = |bin: &Bin| {
        let manifest = repository.text(&bin.dir.join("Cargo.toml"));
        let manifest = manifest.and_then(|text| text.parse::<DocumentMut>().ok());
        let name = manifest.as_ref().and_then(|manifest| {
            let package = manifest.get("package")?;
            package.get("default-run")?.as_str()
        });
        name == Some(&bin.name)
    };
    let is_main = |bin: &Bin| bin.name == bin.package;
    for test in [&is_default as &dyn Fn(&Bin) -> bool, &is_main] {
        if let Some(one) = only(found.iter().filter(|(_, bin, _)| test(bin))) {
            return vec![one.clone()];
        }
    }
    found
}

/// Returns the programs that are started, with this as their evidence; all if none of them is.
fn started_of(
    found: Vec<Ranked<'_>>,
    started: impl Iterator<Item = (String, Evidence)>,
) -> Vec<Ranked<'_>> {
    if found.len() < 2 {
        return found;
    }
    let mut started_at = BTreeMap::new();
    for (name, evidence) in started {
        started_at.entry(name).or_insert(evidence);
    }
    let started: Vec<Ranked> = found
        .iter()
        .filter_map(|(rank, bin, candidate)| {
            let evidence = started_at.get(&bin.name)?.clone();
            let candidate = Candidate::new(candidate.value.clone(), evidence);
            Some((*rank, *bin, candidate))
        })
        .collect();
    if started.is_empty() { found } else { started }
}

/// Returns the programs that Dockerfiles start.
fn in_images(repository: &Repository) -> impl Iterator<Item = (String, Evidence)> {
    dockerfiles(repository)
        .into_iter()
        .flat_map(|(path, text)| {
            let evidence = |line| Evidence::new(path, line, "starts the program");
            let started = started(&text).into_iter();
            let started = started.map(|(line, name)| (name, evidence(line)));
            started.collect::<Vec<_>>()
        })
}

/// Returns the programs that the containers of workloads start.
fn in_workloads(repository: &Repository) -> impl Iterator<Item = (String, Evidence)> {
    let of_file = |path: &Path| {
        let mut found = Vec::new();
        for (line, object) in &repository.parsed(path).objects {
            let kind = object["kind"].as_str().unwrap_or_default();
            if !WORKLOADS.contains(&kind) {
                continue;
            }
            let containers = object["spec"]["template"]["spec"]["containers"].as_array();
            for container in containers.into_iter().flatten() {
                let words = container["command"].as_array().into_iter().flatten();
                let program = dockerfiles::program(words.filter_map(Value::as_str));
                let why = format!("has a {kind} that starts the program");
                let evidence = Evidence::new(path, *line, why);
                found.extend(program.map(|name| (name.to_owned(), evidence)));
            }
        }
        found
    };
    repository.manifests().flat_map(of_file)
}

/// Returns false for programs of tests, examples and vendored code, and for `xtask`.
fn may_be_operator(bin: &Bin) -> bool {
    !super::repository::is_foreign(&bin.dir.join("x")) && bin.package != "xtask"
}

fn program(bin: &Bin) -> OperatorProgram {
    OperatorProgram {
        name: bin.name.clone(),
        package: Some(bin.package.clone()),
        build: bin.cargo("build"),
        command: bin.built(),
    }
}

/// The strongest evidence in each source file: its index in [`OPERATOR_CALLS`], and its line.
struct Signs(BTreeMap<PathBuf, (usize, usize)>);

fn signs(repository: &Repository, packages: &[CargoPackage]) -> Signs {
    let mut found = BTreeMap::new();
    for path in repository.sources() {
        if !packages.iter().any(|it| path.starts_with(&it.dir)) {
            continue;
        }
        let Some(text) = repository.text(path) else {
            continue;
        };
        // Tests at the end of a file often start watchers of their own.
        let code = without_tests(&text);
        if !code.contains("kube") {
            continue;
        }
        let sign = OPERATOR_CALLS
            .iter()
            .enumerate()
            .find_map(|(rank, sign)| Some((rank, code_at(code, sign)?)));
        if let Some((rank, at)) = sign {
            found.insert(path.to_owned(), (rank, line_at(code, at)));
        }
    }
    Signs(found)
}

/// Returns the offset of the first occurrence of `sign` outside of line comments. A sign in lower
/// case must not be part of a longer name.
fn code_at(code: &str, sign: &str) -> Option<usize> {
    code.match_indices(sign).map(|(at, _)| at).find(|at| {
        let line = code[..*at].rsplit('\n').next().unwrap_or_default();
        let is_word = !line.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            || sign.starts_with(char::is_uppercase);
        is_word && !line.trim_start().starts_with("//")
    })
}

impl Signs {
    /// Returns the evidence for a program with its rank: from the modules of the binary, and one
    /// rank weaker from the libraries that it uses.
    fn of_program(
        &self,
        packages: &[CargoPackage],
        bin: &Bin,
        repository: &Repository,
    ) -> Vec<(usize, Evidence)> {
        let own = modules(repository, &bin.path);
        let main = repository.text(&bin.path).unwrap_or_else(|| "".into());
        let libraries = libraries(packages, bin, &main);
        let mut found = Vec::new();
        for (path, (rank, line)) in &self.0 {
            let distance = if own.contains(path) {
                0
            } else if libraries
                .iter()
                .any(|dir| path.starts_with(dir.join("src")) && !is_main_file(packages, path))
            {
                1
            } else {
                continue;
            };
            let evidence = Evidence::new(
                path.clone(),
                *line,
                format!(
                    "has `{}`, which the program uses",
                    OPERATOR_CALLS[*rank].trim_end_matches('(')
                ),
            );
            // A `Controller` in a library is stronger evidence than a `watcher` in the binary.
            found.push((rank * 2 + distance, evidence));
        }
        found
    }
}

/// Returns true if the file has the `main` of a program.
fn is_main_file(packages: &[CargoPackage], path: &Path) -> bool {
    packages
        .iter()
        .flat_map(|it| &it.bins)
        .any(|it| it.path == path)
}

/// Returns the directories of the packages whose libraries a program uses: that of its own package,
/// the path dependencies that its main file names, and all of their path dependencies.
fn libraries(packages: &[CargoPackage], bin: &Bin, main: &str) -> BTreeSet<PathBuf> {
    let package = |dir: &Path| packages.iter().find(|it| it.dir == dir);
    let is_named = |name: &str| main.contains(&name.replace('-', "_"));
    let mut next: Vec<PathBuf> = Vec::new();
    if is_named(&bin.package) || main.contains("crate::") {
        next.push(bin.dir.clone());
    }
    let direct = package(&bin.dir)
        .map(|it| it.dependencies.clone())
        .unwrap_or_default();
    next.extend(
        direct
            .into_iter()
            .filter(|dir| package(dir).is_some_and(|it| is_named(&it.name))),
    );
    let mut found = BTreeSet::new();
    while let Some(dir) = next.pop() {
        if found.insert(dir.clone())
            && let Some(package) = package(&dir)
            && dir != bin.dir
        {
            next.extend(package.dependencies.iter().cloned());
        }
    }
    // The library of the same package may have another crate name, which `is_named` does not find.
    if seems_to_use_own_library(bin, main) {
        found.insert(bin.dir.clone());
    }
    found
}

/// Guesses from the text of the main file whether the program uses the library of its package. Does
/// not check that the library exists.
fn seems_to_use_own_library(bin: &Bin, main: &str) -> bool {
    let is_in_src = bin.path.starts_with(bin.dir.join("src"));
    is_in_src && main.contains("use ") && (main.contains("::run") || main.contains("controller"))
}

/// Returns `root` and the files of all modules that it declares with `mod name;`, directly or
/// indirectly.
fn modules(repository: &Repository, root: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut next = vec![(
        root.to_owned(),
        root.parent().unwrap_or(Path::new("")).to_owned(),
    )];
    while let Some((path, dir)) = next.pop() {
        if !found.insert(path.clone()) {
            continue;
        }
        let Some(text) = repository.text(&path) else {
            continue;
        };
        for row in text.lines().map(str::trim) {
            let row = row
                .trim_start_matches("pub(crate) ")
                .trim_start_matches("pub ");
            let Some(name) = row
                .strip_prefix("mod ")
                .and_then(|rest| rest.strip_suffix(';'))
            else {
                continue;
            };
            let name = name.trim();
            for file in [
                dir.join(format!("{name}.rs")),
                dir.join(name).join("mod.rs"),
            ] {
                if repository.has(&file) {
                    next.push((file, dir.join(name)));
                }
            }
        }
    }
    found
}
