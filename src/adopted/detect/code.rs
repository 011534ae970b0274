//! The Rust code of a repository, in which the requests of a program are found.

use super::cargo::Bin;
use super::repository::Repository;
use crate::apicalls::{self, Sent};

/// The code of a repository.
pub struct Code(apicalls::Repository);

impl Code {
    /// Reads the Rust sources, without tests and examples, and all `Cargo.toml` files.
    pub fn read(repository: &Repository) -> Self {
        let manifests = repository
            .files()
            .filter(|path| path.ends_with("Cargo.toml"));
        let texts = repository.sources().chain(manifests).filter_map(|path| {
            let text = repository.text(path)?;
            Some((path.to_owned(), text.to_string()))
        });
        Self(apicalls::Repository::new(texts.collect()))
    }

    /// Returns the requests that a program may send with the given arguments, its calls of `crd()`,
    /// and the subcommands that it has. All are empty if its main file is not found.
    pub fn sent(&self, bin: &Bin, arguments: &[String]) -> Sent {
        let programs = self.0.programs();
        let program = programs.iter().find(|it| it.root == bin.path);
        program.map_or_else(Sent::default, |it| self.0.sent(it, arguments))
    }
}
