//! Operators in Go, as kubebuilder and operator-sdk scaffold them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::binary::OperatorProgram;
use super::candidate::{Candidate, Evidence, only};
use super::dockerfiles::dockerfiles;
use super::repository::{Repository, is_foreign};
use super::scripts::{CommandLine, lines_with};
use crate::disk::normal;
use crate::text::shell_word;

/// Returns the evidence of a kubebuilder or operator-sdk project: its PROJECT, or a Makefile with
/// the target `manifests` next to a `go.mod`.
pub fn kubebuilder(repository: &Repository) -> Option<Evidence> {
    let path = Path::new("PROJECT");
    let is_scaffolded = repository.text(path).is_some_and(|text| {
        text.contains("go.kubebuilder.io") || text.contains("go.sdk.operatorframework.io")
    });
    if is_scaffolded && repository.has("go.mod") {
        return Some(Evidence::new(path, 0, "is a PROJECT of kubebuilder in Go"));
    }
    if repository.has("go.mod") {
        return target(repository, "manifests");
    }
    None
}

/// Returns the place of a target of the Makefile.
pub fn target(repository: &Repository, name: &str) -> Option<Evidence> {
    let path = Path::new("Makefile");
    let text = repository.text(path)?;
    let is_target = |row: &str| {
        row.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    };
    let at = text.lines().position(is_target)?;
    Some(Evidence::new(
        path,
        at + 1,
        format!("has the target `{name}`"),
    ))
}

/// A command line that builds a program.
#[derive(Debug, PartialEq)]
struct Build {
    /// The value of `-o`.
    out: Option<String>,
    /// The package as the line names it.
    package: String,
    /// The directory of the package, relative to the repository.
    dir: PathBuf,
}

/// Flags of `go build` whose value is the next word.
const FLAGS_WITH_VALUE: [&str; 7] = [
    "-asmflags",
    "-gcflags",
    "-ldflags",
    "-mod",
    "-o",
    "-p",
    "-tags",
];

/// Calls that create a manager of controller-runtime.
const MANAGERS: [&str; 2] = ["NewManager(", "manager.New("];

/// Directories of tools and of other software.
const TOOLS: [&str; 3] = ["hack", "third_party", "tools"];

/// A program of a Go project, with the directory of its package.
type GoProgram = (PathBuf, Candidate<OperatorProgram>);

/// Returns the operator's program of a Go project: the only one named like an operator, or the one
/// that creates a manager of controller-runtime. Of several, and if none can be recognised, the one
/// that a Dockerfile builds, or that kubebuilder's layout has. With `name`, returns the programs of
/// that name.
pub fn programs(repository: &Repository, name: Option<&str>) -> Vec<Candidate<OperatorProgram>> {
    let modules = modules(repository);
    if modules.is_empty() {
        return Vec::new();
    }
    let mut found = all(repository, &modules);
    if let Some(name) = name {
        found.retain(|(_, it)| it.value.name == name);
        return found.into_iter().map(|(_, it)| it).collect();
    }
    let is_operator = |(_, it): &&GoProgram| {
        let name = &it.value.name;
        name.ends_with("operator") || name.ends_with("controller")
    };
    if let Some((_, one)) = only(found.iter().filter(is_operator)) {
        return vec![one.clone()];
    }
    let managers: Vec<_> = found
        .iter()
        .filter(|(dir, _)| creates_manager(repository, &modules, dir))
        .cloned()
        .collect();
    if !managers.is_empty() {
        found = managers;
    }
    let built: Vec<_> = dockerfiles(repository)
        .iter()
        .flat_map(|(_, text)| text.lines().filter_map(build).collect::<Vec<_>>())
        .collect();
    let is_built = |dir: &Path| built.iter().any(|it| it.dir == dir);
    let usual = ["cmd", "", "cmd/manager"].map(Path::new);
    let is_usual = |dir: &Path| usual.contains(&dir);
    for test in [&is_built as &dyn Fn(&Path) -> bool, &is_usual] {
        if let Some(one) = only(found.iter().filter(|(dir, _)| test(dir))) {
            found = vec![one.clone()];
        }
    }
    found.into_iter().map(|(_, it)| it).collect()
}

/// Returns all programs. Those that would have the same name have the path of their package as
/// name.
fn all(repository: &Repository, modules: &[(String, PathBuf)]) -> Vec<GoProgram> {
    let lines = lines_with(repository, "go build");
    let mut found: Vec<GoProgram> = mains(repository)
        .into_iter()
        .map(|(dir, file)| (dir.clone(), of_main(&lines, modules, &dir, file)))
        .collect();
    let names: Vec<_> = found.iter().map(|(_, it)| it.value.name.clone()).collect();
    for (dir, program) in &mut found {
        let name = &mut program.value.name;
        if names.iter().filter(|it| *it == name).count() > 1 && !dir.as_os_str().is_empty() {
            *name = dir.display().to_string();
        }
    }
    found
}

/// Returns the modules of the repository, each as its path and its directory, the deepest first.
fn modules(repository: &Repository) -> Vec<(String, PathBuf)> {
    let files = repository
        .files()
        .filter(|path| path.file_name().is_some_and(|name| name == "go.mod") && !is_foreign(path));
    let module = |path: &Path| {
        let text = repository.text(path)?;
        let row = text.lines().find_map(|row| row.strip_prefix("module "))?;
        Some((row.trim().to_owned(), path.parent()?.to_owned()))
    };
    let mut found: Vec<_> = files.filter_map(module).collect();
    found.sort_by_key(|(_, dir)| std::cmp::Reverse(dir.components().count()));
    found
}

/// Returns the program of a package, with the path that a command line gives to it.
fn of_main(
    lines: &[CommandLine],
    modules: &[(String, PathBuf)],
    dir: &Path,
    file: PathBuf,
) -> Candidate<OperatorProgram> {
    let named = lines.iter().find_map(|line| {
        let build = build(&line.text).filter(|it| it.dir == dir)?;
        let is_local = |out: &&String| out.starts_with("bin/") && !out.contains('$');
        let out = build.out.clone().filter(|out| is_local(&out))?;
        Some((line, out, build.package))
    });
    let (path, build, evidence) = if let Some((line, out, package)) = named {
        let evidence = Evidence::new(line.file.clone(), line.number, "builds the program");
        let build = format!("go build -o {out} {package}");
        (out, build, evidence)
    } else {
        let name = dir.file_name().filter(|name| *name != "cmd");
        let name = name.map_or("manager".into(), |name| name.to_string_lossy());
        let path = format!("bin/{name}");
        let build = build_in_module(modules, dir, &path);
        (
            path,
            build,
            Evidence::new(file, 0, "has the function `main`"),
        )
    };
    let program = OperatorProgram {
        name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        package: None,
        build,
        command: path,
    };
    Candidate::new(program, evidence)
}

/// Returns the command line that builds the package in `dir` as `path`. Go builds a package only in
/// its own module.
fn build_in_module(modules: &[(String, PathBuf)], dir: &Path, path: &str) -> String {
    let module = modules.iter().find(|(_, module)| dir.starts_with(module));
    let module = module.map_or(Path::new(""), |(_, dir)| dir.as_path());
    let package = match dir.strip_prefix(module) {
        Ok(below) if !below.as_os_str().is_empty() => format!("./{}", below.display()),
        _ => ".".to_owned(),
    };
    let up = "../".repeat(module.components().count());
    let place = if up.is_empty() {
        String::new()
    } else {
        format!("-C {} ", shell_word(&module.display().to_string()))
    };
    let out = shell_word(&format!("{up}{path}"));
    format!("go build {place}-o {out} {}", shell_word(&package))
}

/// Parses a command line with `go build`. `None` if it has none, or if it builds what only a
/// variable names.
fn build(line: &str) -> Option<Build> {
    let (_, rest) = line.split_once("go build")?;
    let mut out = None;
    let mut package = String::new();
    let mut words = words(rest).into_iter();
    while let Some(word) = words.next() {
        if ["&&", "||", ";", "|", "\\"].contains(&&*word) {
            break;
        }
        if FLAGS_WITH_VALUE.contains(&&*word) {
            let value = words.next();
            if word == "-o" {
                out = value;
            }
        } else if !word.starts_with('-') {
            package = word;
        }
    }
    let path = normal(Path::new(&package));
    let is_file = path.extension().is_some_and(|it| it == "go");
    let dir = if is_file {
        path.parent()?.to_owned()
    } else {
        path
    };
    (!package.contains('$')).then_some(Build { out, package, dir })
}

/// Splits a command line at blanks outside of quotes and of `$(..)`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut depth = 0;
    for c in line.chars() {
        match c {
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ => {}
        }
        if c.is_whitespace() && quote.is_none() && depth == 0 {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the packages with a function `main`, each as its directory and that file.
fn mains(repository: &Repository) -> Vec<(PathBuf, PathBuf)> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in repository
        .files()
        .filter(|path| is_source(path) && !is_foreign(path) && !is_tool(path))
    {
        let text = repository.text(path).unwrap_or_else(|| "".into());
        let is_main = text.lines().any(|row| row.trim_end() == "package main")
            && !text.starts_with("// Code generated");
        let dir = path.parent().unwrap_or(Path::new(""));
        if is_main && !found.iter().any(|(known, _)| known == dir) {
            found.push((dir.to_owned(), path.to_owned()));
        }
    }
    found
}

fn is_tool(path: &Path) -> bool {
    path.iter()
        .any(|part| TOOLS.iter().any(|tool| part == *tool))
}

fn is_source(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.ends_with(".go") && !name.ends_with("_test.go")
}

/// Reports whether a package, or one of the repository that it imports, creates a manager.
fn creates_manager(repository: &Repository, modules: &[(String, PathBuf)], dir: &Path) -> bool {
    let prefixes: Vec<_> = modules
        .iter()
        .map(|(module, dir)| (format!("\"{module}/"), dir))
        .collect();
    let mut next = vec![dir.to_owned()];
    let mut seen = BTreeSet::new();
    while let Some(dir) = next.pop() {
        if !seen.insert(dir.clone()) {
            continue;
        }
        let files = repository.below(&dir);
        for path in files.filter(|path| is_source(path) && path.parent() == Some(&*dir)) {
            let text = repository.text(path).unwrap_or_else(|| "".into());
            if MANAGERS.iter().any(|call| text.contains(call)) {
                return true;
            }
            for (module, dir) in &prefixes {
                let imports = text.split(module.as_str()).skip(1);
                next.extend(imports.filter_map(|rest| Some(dir.join(rest.split('"').next()?))));
            }
        }
    }
    false
}

/// Returns the project's name in PROJECT; `None` if the file or the name is missing.
pub fn name(repository: &Repository) -> Option<Candidate<String>> {
    let path = Path::new("PROJECT");
    let text = repository.text(path)?;
    let (at, name) = text
        .lines()
        .enumerate()
        .find_map(|(at, row)| Some((at, row.strip_prefix("projectName:")?)))?;
    let name = name.trim().trim_matches(['"', '\'']).to_owned();
    Some(Candidate::new(
        name,
        Evidence::new(path, at + 1, "has `projectName`"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_of_a_build_is_found_behind_flags_with_variables() {
        for (line, out, package, dir) in [
            (
                "go build -ldflags $(LDFLAGS) -o bin/manager cmd/operator/main.go",
                Some("bin/manager"),
                "cmd/operator/main.go",
                "cmd/operator",
            ),
            (
                "CGO_ENABLED=0 go build -a -ldflags \"-X a=$(V) -s\" -o manager ./cmd && echo",
                Some("manager"),
                "./cmd",
                "cmd",
            ),
            ("go build .", None, ".", ""),
            (
                "go build -tags=x ./cmd/manager",
                None,
                "./cmd/manager",
                "cmd/manager",
            ),
        ] {
            let expected = Build {
                out: out.map(str::to_owned),
                package: package.to_owned(),
                dir: dir.into(),
            };
            assert_eq!(build(line), Some(expected), "{line}");
        }
        assert_eq!(build("go build -o bin/x $(MAIN)"), None);
        assert_eq!(build("go test ./..."), None);
    }
}
