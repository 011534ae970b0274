//! The Rust code of a repository, for questions about what a program reaches.

use super::cargo::Bin;
use super::repository::Repository;
use crate::apicalls::{self, Sent};

/// The code of a repository.
pub struct Code(apicalls::Repository);

impl Code {
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

    /// Returns what a program reaches with the given arguments.
    pub fn sent(&self, bin: &Bin, arguments: &[String]) -> Sent {
        let programs = self.0.programs();
        let program = programs.iter().find(|it| it.root == bin.path);
        program.map_or_else(Sent::default, |it| self.0.sent(it, arguments))
    }
}
