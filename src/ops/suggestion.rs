//! The command that an error suggests: the one that the user has given, for a kind or a version
//! that exists.

use std::fmt::Display;

use crate::names::Version;
use crate::project::Project;
use crate::resource::Resource;
use crate::text::shell_word;

/// A command about a kind, without the flags that select the kind.
pub struct Suggestion<'a> {
    command: &'static str,
    version: Option<&'a Version>,
    flags: String,
}

impl<'a> Suggestion<'a> {
    /// Creates a suggestion for a command such as `create api`. `version` is the version that the
    /// user has given.
    pub fn new(command: &'static str, version: Option<&'a Version>) -> Self {
        Self {
            command,
            version,
            flags: String::new(),
        }
    }

    /// Adds a flag without a value if it is set.
    #[must_use]
    pub fn flag(mut self, name: &str, is_set: bool) -> Self {
        if is_set {
            self.flags += " --";
            self.flags += name;
        }
        self
    }

    /// Adds a flag with its value if it has one.
    #[must_use]
    pub fn value(mut self, name: &str, value: Option<&impl Display>) -> Self {
        if let Some(value) = value {
            self.flags += " --";
            self.flags += name;
            self.flags += " ";
            self.flags += &shell_word(&value.to_string());
        }
        self
    }

    /// Returns the command for a kind that these flags select.
    pub fn with(&self, selection: &str) -> String {
        format!("rustop {} {selection}{}", self.command, self.flags)
    }

    /// Returns the command for a version of a kind.
    pub fn of_version(&self, resource: &Resource) -> String {
        let version = format!(" --version {}", resource.version);
        self.with(&(selection(resource) + &version))
    }

    /// Returns the command for each kind with the name of `meant`, the kind whose name is like the
    /// one that the user has given; empty if it is `None`. If the user has given a version, it is
    /// for this version or, if the kind does not have it, for each version of the kind.
    pub fn of_kinds(&self, meant: Option<&Resource>, project: &Project) -> Vec<String> {
        let Some(meant) = meant else {
            return Vec::new();
        };
        let all = project.resources.iter().filter(|it| it.kind == meant.kind);
        let has_asked = |it: &Resource| {
            let mut versions = all.clone().filter(|other| other.same_kind(it));
            versions.any(|other| Some(&other.version) == self.version)
        };
        let mut commands = Vec::new();
        for it in all.clone() {
            let command = match self.version {
                None => self.with(&selection(it)),
                Some(version) if has_asked(it) && it.version != *version => continue,
                Some(_) => self.of_version(it),
            };
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        commands
    }
}

/// Returns the flags that select a kind.
fn selection(resource: &Resource) -> String {
    format!("{}--kind {}", resource.group_flag(), resource.kind)
}
