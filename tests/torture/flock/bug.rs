//! The bugs, after the classes that are known of real operators.

/// One thing that the operator does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bug {
    /// Takes a name in an old cache for the object that has it now, and deletes that.
    StaleDelete,
    /// Counts in its cache, and makes what it has made already.
    CountsInCache,
    /// Counts what is there and gives it names by chance: what its predecessor asks for comes on
    /// top.
    RandomNames,
    /// Says that all is done before it is, and believes it after a crash.
    StatusFirst,
    /// Where the first of two objects is, it takes the second for granted.
    HalfDone,
    /// Lets the object go before it has cleaned up.
    FinalizerFirst,
    /// Works on for what is being deleted.
    IgnoresDeletion,
    /// Leaves what the spec no longer asks for.
    NeverRemoves,
    /// Makes more, never less.
    NoScaleDown,
    /// Does not look at a field again.
    BlindField,
    /// Does not look at a field at all.
    UnreadField,
    /// Takes the API server's defaults for a difference.
    FightsDefaults,
    /// Once in trouble, never out.
    StuckAfterError,
    /// Takes what is another's.
    Adopts,
    /// Takes an optional field for granted.
    Panics,
    /// Does what its role does not allow.
    Forbidden,
    /// Keeps to itself what the API server refused.
    SilentRefusal,
    /// Does not clean up at all.
    Leftover,
    /// Never lets go.
    StuckDeletion,
    /// Does not see that a child is gone.
    NotRestored,
    /// Waits for a kind that is not there.
    NeedsBarns,
    /// Waits for something that never comes.
    NeverReady,
}

const NAMES: [(&str, Bug); 22] = [
    ("stale-delete", Bug::StaleDelete),
    ("counts-in-cache", Bug::CountsInCache),
    ("random-names", Bug::RandomNames),
    ("status-first", Bug::StatusFirst),
    ("half-done", Bug::HalfDone),
    ("finalizer-first", Bug::FinalizerFirst),
    ("ignores-deletion", Bug::IgnoresDeletion),
    ("never-removes", Bug::NeverRemoves),
    ("no-scale-down", Bug::NoScaleDown),
    ("blind-field", Bug::BlindField),
    ("unread-field", Bug::UnreadField),
    ("fights-defaults", Bug::FightsDefaults),
    ("stuck-after-error", Bug::StuckAfterError),
    ("adopts", Bug::Adopts),
    ("panics", Bug::Panics),
    ("forbidden", Bug::Forbidden),
    ("silent-refusal", Bug::SilentRefusal),
    ("leftover", Bug::Leftover),
    ("stuck-deletion", Bug::StuckDeletion),
    ("not-restored", Bug::NotRestored),
    ("needs-barns", Bug::NeedsBarns),
    ("never-ready", Bug::NeverReady),
];

/// The bug that the command line asks for.
pub fn from_arguments() -> Option<Bug> {
    let mut arguments = std::env::args()
        .skip_while(|argument| argument != "--bug")
        .skip(1);
    let name = arguments.next()?;
    let known = NAMES.into_iter().find(|(known, _)| *known == name);
    Some(known.unwrap_or_else(|| panic!("no bug is called {name}")).1)
}
