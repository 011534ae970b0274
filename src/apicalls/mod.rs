//! Reads Rust code on kube-rs and derives the requests that it sends to the API server.
//!
//! [`Repository::sent`] follows the calls from `main` of a [`RepositoryProgram`]. Nothing is
//! compiled or guessed: a request whose kind does not follow from the sources is returned as
//! [`UncheckedRequest`], with its place.

mod body;
mod call;
mod engine;
mod index;
mod kinds;
mod requests;
mod resolve;
mod ty;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::sources::macro_rules::Macros;
use crate::sources::packages::{Dependency, Package, packages, problem};
#[cfg(test)]
pub use call::RequestedResource;
pub use call::{Call, CodeLine, InvalidFile, UncheckedRequest, qualified};
use engine::Engine;
pub use engine::Sent;
use index::{Builder, ParsedFile, directory, submodules};

/// A program of a repository.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct RepositoryProgram {
    /// The name of the binary.
    pub name: String,
    /// The name of the package.
    pub package: String,
    /// The file with `main`, relative to the repository.
    pub root: PathBuf,
}

/// The sources and manifests of a repository.
pub struct Repository {
    /// The `Cargo.toml` files that cannot be parsed, and why. Their programs are not known.
    pub invalid: Vec<InvalidFile>,
    packages: Vec<Package>,
    texts: BTreeMap<PathBuf, String>,
}

/// Maximum nesting of brackets in a parsed file. The parser recurses for each level.
const DEEPEST: usize = 256;

/// Stack size of the thread that reads a program: it recurses for each level of an expression.
const STACK: usize = 256 << 20;

impl Repository {
    /// Creates a repository from the contents of its `*.rs` and `Cargo.toml` files. The keys are
    /// paths relative to the repository.
    pub fn new(texts: BTreeMap<PathBuf, String>) -> Self {
        let manifests = texts.iter().filter_map(|(path, text)| {
            let is_manifest = path.ends_with("Cargo.toml");
            is_manifest.then_some((path.parent()?.to_owned(), text))
        });
        let files = texts.keys().map(PathBuf::as_path).collect();
        let invalid = manifests.clone().filter_map(|(dir, text)| {
            let (line, why) = problem(text)?;
            let file = dir.join("Cargo.toml");
            Some(InvalidFile {
                place: CodeLine { file, line },
                why,
            })
        });
        Self {
            invalid: invalid.collect(),
            packages: packages(manifests, &files),
            texts,
        }
    }

    /// Returns the programs, sorted by their files with `main`.
    pub fn programs(&self) -> Vec<RepositoryProgram> {
        let packages = self.packages.iter();
        let mut programs: Vec<_> = packages
            .flat_map(|package| {
                package.bins.iter().map(|bin| RepositoryProgram {
                    name: bin.name.clone(),
                    package: package.name.clone(),
                    root: bin.root.clone(),
                })
            })
            .collect();
        programs.sort_by(|one, other| one.root.cmp(&other.root));
        programs
    }

    /// Returns the requests that a program sends. `words` are the arguments of its command line: if
    /// they name a subcommand, the code of other subcommands is not read. If they are empty, the
    /// code of all subcommands is read.
    ///
    /// Returns no requests if the file with `main` is missing or cannot be parsed, or if reading
    /// the code panics. Files that cannot be parsed are in [`Sent::skipped`].
    pub fn sent(&self, program: &RepositoryProgram, words: &[String]) -> Sent {
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK);
            let reader = builder.spawn_scoped(scope, || self.read(program, words));
            reader
                .ok()
                .and_then(|it| it.join().ok())
                .unwrap_or_default()
        })
    }

    /// Parses the program and the libraries of this repository that it uses, expands their macros,
    /// indexes their items, and follows the calls from `main`.
    fn read(&self, program: &RepositoryProgram, words: &[String]) -> Sent {
        let Some(own) = self.packages.iter().find(|package| {
            let mut bins = package.bins.iter();
            bins.any(|bin| bin.root == program.root)
        }) else {
            return Sent::default();
        };
        let needed = self.needed(own);
        let libraries = needed.iter().filter_map(|package| package.lib.as_ref());
        let roots = libraries.map(|(_, root)| root).chain([&program.root]);
        let (mut files, skipped) = self.parsed(roots);
        let mut macros = Macros::default();
        for file in &files {
            macros.add(&file.path, &file.syntax.items);
        }
        for file in &mut files {
            macros.expand_items(&file.path, &mut file.syntax.items);
        }
        let mut builder = Builder::new(&files);
        let Some(krate) = builder.add_crate(&program.root) else {
            return Sent {
                skipped,
                ..Sent::default()
            };
        };
        let mut libraries = HashMap::new();
        for package in &needed {
            if let Some((_, root)) = &package.lib
                && let Some(number) = builder.add_crate(root)
            {
                libraries.insert(package.dir.as_path(), number);
            }
        }
        for package in &needed {
            let names = self.names(package, &libraries);
            if let Some(number) = libraries.get(package.dir.as_path()) {
                builder.index.crates[*number].libraries = names;
            }
        }
        let mut names = self.names(own, &libraries);
        if let (Some((name, _)), Some(number)) = (&own.lib, libraries.get(own.dir.as_path())) {
            names.insert(name.clone(), *number);
        }
        builder.index.crates[krate].libraries = names;
        let mut index = builder.index;
        kinds::complete(&mut index);
        let kube = own
            .kube
            .or_else(|| needed.iter().find_map(|package| package.kube));
        let engine =
            |elsewhere| Engine::new(&index, &files, &macros, kube, words.to_vec(), elsewhere);
        Sent {
            skipped,
            ..body::run(engine, krate)
        }
    }

    /// Parses crates: their root files and, from there, the files of all their modules. Also
    /// returns the files that cannot be parsed.
    fn parsed<'s>(
        &'s self,
        roots: impl Iterator<Item = &'s PathBuf>,
    ) -> (Vec<ParsedFile>, Vec<InvalidFile>) {
        let parent = |root: &Path| root.parent().unwrap_or(Path::new("")).to_owned();
        let mut wanted: Vec<_> = roots.map(|root| (root.clone(), parent(root))).collect();
        let mut seen: HashSet<_> = wanted.iter().cloned().collect();
        let mut files: BTreeMap<PathBuf, syn::File> = BTreeMap::new();
        let mut skipped: BTreeMap<PathBuf, InvalidFile> = BTreeMap::new();
        while let Some((path, dir)) = wanted.pop() {
            if !files.contains_key(&path)
                && let Some(text) = self.texts.get(&path)
            {
                match parse(&path, text) {
                    Ok(syntax) => drop(files.insert(path.clone(), syntax)),
                    Err(problem) => drop(skipped.insert(path.clone(), problem)),
                }
            }
            let Some(syntax) = files.get(&path) else {
                continue;
            };
            for candidates in submodules(&syntax.items, &path, &dir) {
                let mut candidates = candidates.into_iter();
                if let Some(found) = candidates.find(|path| self.texts.contains_key(path)) {
                    let module = (found.clone(), directory(&found));
                    if seen.insert(module.clone()) {
                        wanted.push(module);
                    }
                }
            }
        }
        let files = files.into_iter();
        let files = files.map(|(path, syntax)| ParsedFile { path, syntax });
        (files.collect(), skipped.into_values().collect())
    }

    /// Returns a package and the packages of this repository that it depends on, directly or
    /// indirectly.
    fn needed<'s>(&'s self, own: &'s Package) -> Vec<&'s Package> {
        let mut needed = vec![own];
        let mut seen = HashSet::from([own.dir.as_path()]);
        let mut at = 0;
        while at < needed.len() {
            for dependency in &needed[at].dependencies {
                let mut packages = self.packages.iter();
                let package = packages.find(|package| package.dir == dependency.dir);
                if let Some(package) = package.filter(|package| seen.insert(&package.dir)) {
                    needed.push(package);
                }
            }
            at += 1;
        }
        needed
    }

    /// Returns the direct dependencies of a package as the index needs them: the number of each
    /// crate by its name in the code of the package. `libraries` has the numbers by directory.
    fn names(
        &self,
        package: &Package,
        libraries: &HashMap<&Path, usize>,
    ) -> HashMap<String, usize> {
        let dependencies = package.dependencies.iter();
        dependencies
            .filter_map(|Dependency { renamed, dir }| {
                let number = libraries.get(dir.as_path())?;
                let package = self.packages.iter().find(|package| package.dir == *dir)?;
                let name = renamed
                    .clone()
                    .or_else(|| Some(package.lib.as_ref()?.0.clone()))?;
                Some((name, *number))
            })
            .collect()
    }
}

/// Parses a source file. The error says why it cannot be parsed: it is invalid Rust, its syntax is
/// newer than the parser, or it is nested more deeply than [`DEEPEST`].
fn parse(path: &Path, text: &str) -> Result<syn::File, InvalidFile> {
    use crate::sources::comments::lexer::{code, nesting};
    let problem = |line: usize, why: String| InvalidFile {
        place: CodeLine {
            file: path.to_owned(),
            line,
        },
        why,
    };
    if nesting(&code(text)) > DEEPEST {
        return Err(problem(1, format!("more than {DEEPEST} nested brackets")));
    }
    syn::parse_file(text).map_err(|error| problem(error.span().start().line, error.to_string()))
}

#[cfg(test)]
mod tests;
