//! The command that generates the CRDs, and their copies in the repository.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::candidate::{Candidate, Evidence};
use super::cargo::{Bin, packages};
use super::code::Code;
use super::go;
use super::harmless::{generator, is_harmless};
use super::repository::Repository;
use super::repository::{line_at, without_tests};
use super::scripts::{CommandLine, has_prerequisites, lines_with, recipe_commands};
use crate::adopted::documents::{is_crd, may_have_crds};
use crate::text::shell_word;

/// Returns the possible commands that generate the CRDs, with the place from which each follows.
pub fn command(repository: &Repository) -> Vec<Candidate<String>> {
    if let Some(evidence) = go::kubebuilder(repository) {
        let target = go::target(repository, "manifests");
        return vec![Candidate::new(
            "make manifests".to_owned(),
            target.unwrap_or(evidence),
        )];
    }
    let packages = packages(repository);
    let bins: Vec<_> = packages
        .iter()
        .flat_map(|it| &it.bins)
        .filter(|it| it.package != "xtask")
        .collect();
    let generators: Vec<_> = bins
        .iter()
        .copied()
        .filter(|it| it.is_generator())
        .collect();
    if !generators.is_empty() {
        return of_generators(repository, &generators);
    }
    let mut found = Vec::new();
    for bin in &bins {
        let Some(text) = repository.text(&bin.path) else {
            continue;
        };
        let code = without_tests(&text);
        let Some(at) = code.find("::crd()") else {
            continue;
        };
        let evidence = Evidence::new(bin.path.clone(), line_at(code, at), called(code, at));
        found.extend(of_operator(repository, bin, code, evidence));
    }
    if found.is_empty() {
        found = of_subcommands(repository, &bins);
    }
    if found.is_empty() {
        found.extend(of_script(repository));
    }
    found
}

/// Returns the commands of programs that have a subcommand which reaches a call of `crd()` and
/// sends no request.
fn of_subcommands(repository: &Repository, bins: &[&Bin]) -> Vec<Candidate<String>> {
    let has = |part: &str| {
        let mut sources = repository.sources();
        sources.any(|path| repository.text(path).is_some_and(|it| it.contains(part)))
    };
    if !has("::crd()") || !has("Subcommand") && !has("Parser") {
        return Vec::new();
    }
    let code = Code::read(repository);
    let mut found = Vec::new();
    for bin in bins {
        let all = code.sent(bin, &[]);
        if all.crds.is_none() {
            continue;
        }
        found.extend(all.subcommands.into_iter().filter_map(|name| {
            let sent = code.sent(bin, std::slice::from_ref(&name));
            let place = sent.crds?;
            let is_printer = sent.calls.is_empty() && sent.unknown.is_empty();
            let why = format!("calls `crd()` for the subcommand `{name}`");
            let command = format!("{} -- {}", bin.cargo("run -q"), shell_word(&name));
            let evidence = Evidence::new(place.file, place.line, why);
            is_printer.then(|| Candidate::new(command, evidence))
        }));
    }
    found
}

/// Describes a call of `crd()`.
fn called(code: &str, at: usize) -> String {
    let before = code[..at]
        .rsplit(|c: char| !(c.is_alphanumeric() || "_:".contains(c)))
        .next();
    let name = before
        .unwrap_or_default()
        .rsplit("::")
        .next()
        .unwrap_or_default();
    if name.is_empty() {
        "calls `crd()`".to_owned()
    } else {
        format!("calls `{name}::crd()`")
    }
}

/// Returns one command that runs all generators: each prints or writes other CRDs.
fn of_generators(repository: &Repository, bins: &[&Bin]) -> Vec<Candidate<String>> {
    let mut commands: Vec<String> = Vec::new();
    let mut evidence = None;
    for bin in bins {
        let (command, place) = of_generator(repository, bin);
        evidence.get_or_insert(place);
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let separated = commands.join(" && echo --- && ");
    evidence
        .map(|evidence| Candidate::new(separated, evidence))
        .into_iter()
        .collect()
}

/// Returns the command that runs a generator, with its evidence: the line of a script that runs it,
/// if it can be used as it is, or a `cargo run`.
fn of_generator(repository: &Repository, bin: &Bin) -> (String, Evidence) {
    let text = repository.text(&bin.path).unwrap_or_else(|| "".into());
    let code = without_tests(&text);
    let found = code
        .find("crd()")
        .map(|at| (line_at(code, at), called(code, at.saturating_sub(2))));
    let (line, why) = found.unwrap_or((0, "is the program that generates the CRDs".to_owned()));
    let evidence = Evidence::new(bin.path.clone(), line, why);
    let is_sh = |line: &CommandLine| line.file.extension().is_some_and(|it| it == "sh");
    let is_run = |line: &&CommandLine| {
        let is_plain = !has_variables(&without_redirect(&generator(&line.text)).0) && !is_sh(line);
        runs(&line.text, bin) && (is_plain || line.recipe.is_some())
    };
    let lines = lines_with(repository, &bin.name);
    let Some(script) = lines.iter().find(is_run) else {
        return (bin.cargo("run -q"), evidence);
    };
    let place = Evidence::new(
        script.file.clone(),
        script.number,
        format!("runs `{}`", bin.name),
    );
    let (command, target) = without_redirect(&generator(&script.text));
    // Later lines of the recipe may edit the CRD, and then only the whole recipe generates it.
    let edits = |command: &String| {
        command != &script.text
            && target
                .as_ref()
                .is_some_and(|target| command.contains(target))
            && !command.contains("echo")
    };
    let is_edited = recipe_commands(repository, script).iter().any(edits);
    match &script.recipe {
        Some(recipe) if is_edited && is_harmless_recipe(repository, script, &bin.name) => {
            (recipe.clone(), place)
        }
        _ if has_variables(&command) => (bin.cargo("run -q"), evidence),
        _ if target.is_some() => (all_of_recipe(&lines, script, bin), place),
        _ => (quiet(&command), place),
    }
}

/// Returns the commands of all lines in the recipe, or the file, of `first` that write the
/// program's output to a file: a generator with an argument for each CRD has one line for each.
fn all_of_recipe(lines: &[CommandLine], first: &CommandLine, bin: &Bin) -> String {
    let same = lines
        .iter()
        .filter(|line| line.file == first.file && line.recipe == first.recipe);
    let mut commands: Vec<String> = Vec::new();
    for line in same.filter(|line| runs(&line.text, bin)) {
        let (command, target) = without_redirect(&generator(&line.text));
        let quiet = quiet(&command);
        if target.is_some() && !has_variables(&command) && !commands.contains(&quiet) {
            commands.push(quiet);
        }
    }
    commands.join(" && echo --- && ")
}

/// Returns true if a command line runs the program by cargo.
fn runs(line: &str, bin: &Bin) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    let names = |flag: &str, name: &str| {
        words
            .windows(2)
            .any(|pair| pair[0] == flag && pair[1] == name)
    };
    let is_named =
        names("--bin", &bin.name) || names("-p", &bin.package) || names("--package", &bin.package);
    line.starts_with("cargo ") && words.contains(&"run") && is_named && !line.contains("kubectl")
}

/// Returns a command line without `> FILE`, and the file.
fn without_redirect(line: &str) -> (String, Option<String>) {
    let line = line.trim_matches('`');
    match line.rsplit_once('>') {
        Some((command, target)) if !target.contains(['|', '"', '\'']) => {
            let target = target.trim().trim_end_matches(['\\', ';', '&']).trim();
            (
                command.trim().trim_end_matches('>').trim().to_owned(),
                Some(target.to_owned()),
            )
        }
        _ => (line.to_owned(), None),
    }
}

fn has_variables(command: &str) -> bool {
    command.contains("{{")
        || command.contains("$(")
        || command.contains("${")
        || command.contains('$')
        || command.ends_with('\\')
}

/// Returns the `cargo run` of a command line, without what precedes it, and with `-q`.
fn quiet(command: &str) -> String {
    let start = command.find("cargo ").unwrap_or_default();
    let command = &command[start..];
    let rest = command.split_once(" run").map_or("", |(_, rest)| rest);
    let rest = rest.replace(" --quiet", "").replace(" -q", "");
    format!("cargo run -q{rest}").trim_end().to_owned()
}

/// Returns the command of an operator that prints its CRDs itself, by a flag or a subcommand.
fn of_operator(
    repository: &Repository,
    bin: &Bin,
    code: &str,
    evidence: Evidence,
) -> Option<Candidate<String>> {
    for line in lines_with(repository, "cargo run") {
        let (command, _) = without_redirect(&generator(&line.text));
        let Some((_, arguments)) = command.split_once(" -- ") else {
            continue;
        };
        let argument = arguments.split_whitespace().next().unwrap_or_default();
        let name = argument.trim_start_matches('-');
        if name.to_lowercase().contains("crd") && !has_variables(arguments) {
            let place = Evidence::new(line.file.clone(), line.number, format!("runs `{argument}`"));
            return Some(Candidate::new(
                format!("{} -- {arguments}", bin.cargo("run -q")),
                place,
            ));
        }
    }
    // The YAML form comes first where a program has both.
    let flag = code
        .match_indices('"')
        .filter_map(|(at, _)| code[at + 1..].split('"').next());
    let is_flag = |it: &&str| {
        let is_word = it.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        is_word && it.to_lowercase().contains("crd") && it.starts_with("--")
    };
    let argument = flag.clone().find(is_flag).map(str::to_owned);
    let variants = [
        "Crd",
        "CrdGen",
        "Crds",
        "GenCrd",
        "GenerateCrd",
        "PrintCrd",
        "GenerateCrds",
        "PrintCrds",
    ];
    let is_variant = |it: &&&str| {
        code.lines().map(str::trim).any(|row| {
            row.strip_prefix(**it)
                .is_some_and(|rest| rest == "," || rest.starts_with('(') || rest.starts_with(" {"))
        })
    };
    let variant = variants
        .iter()
        .find(is_variant)
        .map(|it| heck::ToKebabCase::to_kebab_case(*it));
    let word = || {
        flag.clone()
            .find(|it| ["crd", "crds", "crdgen", "print-crd", "generate-crds"].contains(it))
            .map(str::to_owned)
    };
    let argument = argument.or(variant).or_else(word)?;
    Some(Candidate::new(
        format!("{} -- {argument}", bin.cargo("run -q")),
        evidence,
    ))
}

/// Returns the recipe of a Makefile or justfile that is named after CRDs.
fn of_script(repository: &Repository) -> Option<Candidate<String>> {
    let lines = lines_with(repository, "crd");
    let recipe = lines.into_iter().find_map(|line| {
        let recipe = line.recipe.clone()?;
        let name = recipe.split(' ').nth(1)?.to_lowercase();
        let is_generator =
            name.contains("crd") && (name.contains("gen") || name == "crd" || name == "crds");
        (is_generator
            && line.text.contains("cargo")
            && is_harmless_recipe(repository, &line, "crd"))
        .then_some((recipe, line))
    });
    let (recipe, line) = recipe?;
    let evidence = Evidence::new(line.file, line.number, "generates the CRDs");
    Some(Candidate::new(recipe, evidence))
}

/// Reports whether the recipe with this line runs nothing but programs that work on files, and no
/// other recipe. `generator` is the program that cargo may run.
fn is_harmless_recipe(repository: &Repository, line: &CommandLine, generator: &str) -> bool {
    !has_prerequisites(repository, line)
        && is_harmless(&recipe_commands(repository, line), generator)
}

/// Returns the files with CRDs of the operator's groups, sorted. Without known groups, returns all
/// CRDs. Also returns the copies of released versions, which stay as they are. They are no
/// candidates if there is another copy of the same CRD, or a command that generates it; otherwise
/// the newest one is.
pub fn files(
    repository: &Repository,
    has_command: bool,
) -> (Vec<Candidate<PathBuf>>, Vec<PathBuf>) {
    let groups = groups_of_sources(repository);
    let (mut released, current): (Vec<_>, Vec<_>) =
        crd_files(repository).partition(|path| is_released(path));
    // A file without a version, such as `dist/install.yaml`, is of the last build.
    released.sort_by_cached_key(|path| Reverse((version(path).is_none(), version(path))));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut names = Vec::new();
    for path in current {
        if let Some((line, name)) = own_crd(repository, path, &groups)
            && is_new(repository, path, &mut seen)
        {
            let why = format!("has {name}");
            found.push(Candidate::new(
                path.to_owned(),
                Evidence::new(path, line, why),
            ));
            names.push(format!("name: {name}"));
        }
    }
    let mut left_out = Vec::new();
    for path in released {
        // Not parsed: a repository may have a large file for each of its releases.
        let text = repository.text(path).unwrap_or_else(|| "".into());
        if names.iter().any(|name| text.contains(name)) {
            left_out.push(path.to_owned());
        } else if let Some((line, name)) = own_crd(repository, path, &groups)
            && is_new(repository, path, &mut seen)
        {
            if has_command {
                left_out.push(path.to_owned());
            } else {
                let why = format!("has {name}, which only released files have");
                found.push(Candidate::new(
                    path.to_owned(),
                    Evidence::new(path, line, why),
                ));
            }
            names.push(format!("name: {name}"));
        }
    }
    found.sort_by(|a, b| a.value.cmp(&b.value));
    left_out.sort();
    (found, left_out)
}

/// Returns the manifests that may have CRDs.
fn crd_files(repository: &Repository) -> impl Iterator<Item = &Path> {
    let manifests = repository.manifests_with_released();
    manifests.filter(|path| mentions_crds(repository, path))
}

/// Returns the line and the name of the first CRD in a file that is of one of the groups, or of any
/// if none is known.
fn own_crd(
    repository: &Repository,
    path: &Path,
    groups: &BTreeSet<String>,
) -> Option<(usize, String)> {
    let parsed = repository.parsed(path);
    let (line, crd) = parsed.objects.iter().find(|(_, object)| {
        let group = object["spec"]["group"].as_str().unwrap_or_default();
        is_crd(object) && (groups.is_empty() || groups.contains(group))
    })?;
    let name = crd["metadata"]["name"].as_str().unwrap_or_default();
    Some((*line, name.to_owned()))
}

/// Returns false for a file that was seen under another name, through symbolic links.
fn is_new(repository: &Repository, path: &Path, seen: &mut BTreeSet<PathBuf>) -> bool {
    let full = repository.root().join(path);
    seen.insert(full.canonicalize().unwrap_or(full))
}

/// Directories of what is released.
const RELEASED: [&str; 3] = ["dist", "release", "releases"];

/// Reports whether a file belongs to a release: a directory has the name of a version or of
/// releases, or the file's name ends with a version, such as `barn-0.3.1.yaml`.
fn is_released(path: &Path) -> bool {
    let mut dirs = path.parent().into_iter().flat_map(Path::iter);
    version(path).is_some() || dirs.any(|dir| RELEASED.iter().any(|name| dir == *name))
}

/// A version of software: its numbers, and true if it is not a prerelease.
type Version = (Vec<u64>, bool);

/// Returns the version to which a file belongs, by the name of a directory or the end of its own
/// name.
fn version(path: &Path) -> Option<Version> {
    let dirs = path.parent().into_iter().flat_map(Path::iter);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ends = stem
        .match_indices(['-', '_'])
        .map(|(at, _)| &stem[at + 1..]);
    let dirs = dirs.map(|dir| version_of(&dir.to_string_lossy()));
    let names = std::iter::once(&*stem).chain(ends).map(version_of);
    dirs.chain(names).flatten().last()
}

/// Parses a version of software: `0.3.1`, `v1.2`. `v1` is one of an API.
fn version_of(name: &str) -> Option<Version> {
    let name = name.strip_prefix('v').unwrap_or(name);
    let numbers = name.split(['-', '+']).next().unwrap_or_default();
    let parts = numbers.split('.').map(|part| part.parse().ok());
    let parts: Option<Vec<u64>> = parts.collect();
    let is_final = !name.contains('-');
    Some((parts?, is_final)).filter(|_| numbers.contains('.'))
}

/// Reports whether a file has a CRD.
pub fn has_crd(repository: &Repository, path: &Path) -> bool {
    let parsed = repository.parsed(path);
    let mut objects = parsed.objects.iter();
    objects.any(|(_, object)| is_crd(object))
}

fn mentions_crds(repository: &Repository, path: &Path) -> bool {
    let text = repository.text(path);
    text.is_some_and(|text| may_have_crds(&text))
}

/// Returns the API groups of the operator's kinds: those of its sources or, in other languages than
/// Rust and Go, those of the CRDs in the repository.
pub fn groups(repository: &Repository) -> BTreeSet<String> {
    let groups = groups_of_sources(repository);
    if !groups.is_empty() {
        return groups;
    }
    let of_file = |path: &Path| -> Vec<String> {
        let parsed = repository.parsed(path);
        let crds = parsed.objects.iter().map(|(_, object)| object);
        crds.filter(|object| is_crd(object))
            .filter_map(|crd| Some(crd["spec"]["group"].as_str()?.to_owned()))
            .collect()
    };
    crd_files(repository).flat_map(of_file).collect()
}

/// Returns the API groups in `#[kube(group = ..)]` and `+groupName=`.
fn groups_of_sources(repository: &Repository) -> BTreeSet<String> {
    let mut groups = BTreeSet::new();
    let go =
        |path: &&Path| path.extension().is_some_and(|it| it == "go") && !path.starts_with("vendor");
    for path in repository.sources().chain(repository.files().filter(go)) {
        let Some(text) = repository.text(path) else {
            continue;
        };
        let is_go = path.extension().is_some_and(|it| it == "go");
        let key = if is_go { "+groupName=" } else { "group" };
        for (at, _) in text.match_indices(key) {
            let rest = &text[at + key.len()..];
            let group = if is_go {
                rest.split_whitespace().next()
            } else {
                let value = rest.trim_start().strip_prefix('=').map(str::trim_start);
                value
                    .and_then(|it| it.strip_prefix('"'))
                    .and_then(|it| it.split('"').next())
            };
            groups.extend(
                group
                    .filter(|it| it.contains('.') && !it.contains(' '))
                    .map(str::to_owned),
            );
        }
    }
    groups
}
