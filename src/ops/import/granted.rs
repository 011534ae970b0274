//! What a Go operator may do, as markers.

use super::found::{Found, ROLE};
use crate::ops::{Refusal, Result};
use crate::rbac::granted::{self, expanded};
use crate::rbac::rule::{Scope, grants};
use crate::sources::comments::MarkerKind;
use crate::terminal::escaped;

/// The permissions of a Go operator.
pub struct Granted {
    /// The markers that grant them, each once.
    pub markers: Vec<String>,
    /// Where they come from.
    pub origin: Origin,
    /// Roles that no marker says, and why.
    pub unsayable: Vec<String>,
}

/// Where the markers come from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin {
    /// They are those of the Go sources, and grant what the role grants.
    Sources,
    /// They are those of the Go sources, and there is no role to compare them with.
    SourcesAlone,
    /// They are made of the role, since those of the sources grant something else.
    Role,
}

impl Granted {
    /// Those of a Go project.
    ///
    /// # Errors
    /// When its role is none.
    pub fn of(found: &Found) -> Result<Self> {
        let rbac = found.markers.iter();
        let rbac = rbac.filter(|marker| marker.kind == MarkerKind::Rbac);
        let written = rbac.map(|it| it.line.text.trim_start_matches('/').trim().to_owned());
        let mut written: Vec<_> = written.collect();
        written.sort();
        written.dedup();
        let Some(role) = &found.role else {
            return Ok(Self {
                markers: written,
                origin: Origin::SourcesAlone,
                unsayable: Vec::new(),
            });
        };
        let role = granted::read(role).map_err(|reason| Refusal::GoRole {
            path: ROLE.to_owned(),
            reason,
        })?;
        let (grants, problems) = grants(&found.markers, Scope::Cluster);
        let rules: Vec<_> = grants.into_iter().map(|grant| grant.rule).collect();
        let same = problems.is_empty() && expanded(&rules) == expanded(&role.rules);
        let (markers, origin) = if same {
            (written, Origin::Sources)
        } else {
            let made = role.rules.iter().map(granted::marker).collect();
            (made, Origin::Role)
        };
        Ok(Self {
            markers,
            origin,
            unsayable: role.unsayable,
        })
    }

    /// The markers as comments of Rust.
    pub fn comments(&self) -> String {
        if self.markers.is_empty() {
            return String::new();
        }
        format!(
            "\n// What the operator in Go was granted. Each marker belongs above the code that needs it: move it there when\n\
             // that is written.\n// {}\n",
            escaped(&self.markers.join("\n// "))
        )
    }
}
