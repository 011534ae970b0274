//! What a change breaks.

use std::fmt;

/// What a change breaks, the worst last.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Harm {
    /// Nothing by itself: somebody may have to follow.
    Care,
    /// Whoever writes or reads the API as it was.
    Clients,
    /// Objects that are stored: they lose data, cannot be changed any more, or keep the API server from taking
    /// the CRD.
    Stored,
}

/// What stands behind "which".
impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Care => "needs care",
            Self::Clients => "breaks clients",
            Self::Stored => "breaks stored objects",
        })
    }
}
