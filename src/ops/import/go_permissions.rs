//! The permissions of a Go operator, as RBAC markers.

use super::go_project::{GoSources, ROLE};
use crate::ops::{Refusal, Result};
use crate::rbac::role_file::{self, expanded};
use crate::rbac::rule::{Scope, grants};
use crate::sources::comments::MarkerKind;
use crate::terminal::escaped;

/// The permissions of a Go operator.
pub struct GoPermissions {
    /// The markers that grant the permissions, without duplicates.
    pub markers: Vec<String>,
    /// The source of the markers.
    pub origin: MarkerOrigin,
    /// Roles that markers cannot express, each with the reason.
    pub unsupported_roles: Vec<String>,
}

/// The source of the markers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MarkerOrigin {
    /// The Go sources; their markers grant the same as the roles in [`ROLE`].
    Sources,
    /// The Go sources; the Go project has no [`ROLE`] to compare them with.
    SourcesAlone,
    /// The roles in [`ROLE`], since the markers of the Go sources grant something else.
    Role,
}

impl GoPermissions {
    /// Returns the permissions of a Go project's operator.
    ///
    /// # Errors
    /// Returns an error if [`ROLE`] cannot be parsed.
    pub fn of(found: &GoSources) -> Result<Self> {
        let rbac = found.markers.iter();
        let rbac = rbac.filter(|marker| marker.kind == MarkerKind::Rbac);
        let written = rbac.map(|it| it.line.text.trim_start_matches('/').trim().to_owned());
        let mut written: Vec<_> = written.collect();
        written.sort();
        written.dedup();
        let Some(role) = &found.role else {
            return Ok(Self {
                markers: written,
                origin: MarkerOrigin::SourcesAlone,
                unsupported_roles: Vec::new(),
            });
        };
        let role = role_file::read(role).map_err(|reason| Refusal::GoRole {
            path: ROLE.to_owned(),
            reason,
        })?;
        let (grants, problems) = grants(&found.markers, Scope::Cluster);
        let rules: Vec<_> = grants.into_iter().map(|grant| grant.rule).collect();
        let same = problems.is_empty() && expanded(&rules) == expanded(&role.rules);
        let (markers, origin) = if same {
            (written, MarkerOrigin::Sources)
        } else {
            let made = role.rules.iter().map(role_file::marker).collect();
            (made, MarkerOrigin::Role)
        };
        Ok(Self {
            markers,
            origin,
            unsupported_roles: role.unsupported_roles,
        })
    }

    /// Returns the markers as Rust comments; empty if there are none.
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
