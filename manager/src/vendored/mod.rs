//! The sources of this crate as rustop writes them into a project: without what the project has no use for, and
//! without what only those who work on the crate need.
//!
//! That is whatever stands under `#[cfg(test)]`, or under a `#[cfg(feature = "..")]` that the project did not
//! choose. A module that is left out takes its files with it, so that one line gates a room. Of what was chosen
//! the attribute goes. Lines that only make examples compile go, too: that is tried here.

#[cfg(test)]
mod examples;
mod strip;

use std::path::Path;

use include_dir::{Dir, include_dir};

use strip::sources;

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The sources relative to `src/`, as `build.rs` leaves them: without tests, and with all features.
static SOURCE: Dir<'static> = include_dir!("$OUT_DIR/src");

/// A part of the crate that not every operator needs: a feature of the crate.
pub struct Feature {
    /// As in `Cargo.toml`.
    pub name: &'static str,
    /// What it has.
    pub has: &'static str,
}

/// All of them. Whoever adds one adds it to `Cargo.toml`, too.
pub const FEATURES: [Feature; 7] = [
    Feature {
        name: "console",
        has: "what tokio-console shows: tasks, and what they wait for",
    },
    Feature {
        name: "dynamic",
        has: "kinds that are known only at run time: `Controller::of_kind`",
    },
    Feature {
        name: "inspect",
        has: "what the caches hold, for tests: `Manager::inspector`",
    },
    Feature {
        name: "otel",
        has: "traces, sent to an OpenTelemetry collector",
    },
    Feature {
        name: "shards",
        has: "objects shared among replicas: `--shards`",
    },
    Feature {
        name: "testing",
        has: "an API server in memory, for unit tests",
    },
    Feature {
        name: "webhook",
        has: "webhooks, and conversion between versions",
    },
];

/// The files of the crate in a project that chose these of its features: paths relative to `src/` with `/` in
/// them, and their texts, sorted by path.
///
/// ```
/// let files = manager::vendored::files(&["webhook"]);
/// assert!(files.iter().any(|(path, _)| path == "webhook/mod.rs"));
/// assert!(files.iter().all(|(_, text)| !text.contains("#[cfg(test)]")));
///
/// let files = manager::vendored::files(&[]);
/// assert!(!files.iter().any(|(path, _)| path.starts_with("webhook/")));
/// ```
#[must_use]
pub fn files(features: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(&SOURCE, &mut files);
    sources(files, Some(features))
}

fn collect<'a>(dir: &'a Dir<'a>, files: &mut Vec<(&'a Path, &'a str)>) {
    let here = dir.files();
    files.extend(here.filter_map(|file| Some((file.path(), file.contents_utf8()?))));
    dir.dirs().for_each(|dir| collect(dir, files));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_the_features_of_the_crate() {
        let manifest = include_str!("../../Cargo.toml");
        let (_, features) = manifest.split_once("[features]\n").unwrap();
        let (features, _) = features.split_once("\n\n").unwrap();
        let names = features.lines().filter_map(|line| line.split_once(" = "));
        let mut names: Vec<_> = names.map(|(name, _)| name).collect();
        names.retain(|name| !["default", "source"].contains(name));
        names.sort_unstable();
        assert_eq!(FEATURES.map(|feature| feature.name).to_vec(), names);
    }

    #[test]
    fn what_is_left_is_rust_without_tests_and_features() {
        for features in [
            &[][..],
            &["console"],
            &["dynamic"],
            &["inspect"],
            &["otel"],
            &["shards"],
            &["testing"],
            &["webhook"],
        ] {
            for (path, text) in files(features) {
                for word in ["cfg(test)", "#[test]", "cfg(feature", "cfg(not(feature"] {
                    assert!(!text.contains(word), "{path}: {word}");
                }
                let (open, closed) = (text.matches('{').count(), text.matches('}').count());
                assert!(!text.ends_with("\n\n"), "{path}");
                assert!(open.abs_diff(closed) < 20, "{path}: {open} {closed}");
            }
        }
    }
}
