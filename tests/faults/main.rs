//! Faults, on the real control plane: whatever happens, in the end every object is what it should
//! be, and no object was ever worked on by two leaders.
//!
//! What counts is seen from outside: objects, Leases, and the audit log of the API server, which
//! tells who wrote what. And at the end of every case what the caches of each operator that still
//! runs hold is compared with what there is (`beliefs.rs`). Each case has a namespace and service
//! accounts of its own; most share a control plane. The cases mostly wait, so many run at the same
//! time. `RUSTOP_TEST_LOG=debug` makes the operators, whose log is shown when a case fails, say
//! more.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails where something is missing"
)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Trial};

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/story.rs"]
mod story;

mod access;
mod api;
mod audit;
mod beliefs;
mod builder;
mod chaos;
mod cluster;
mod definitions;
mod dynamic;
mod leader;
mod network;
mod objects;
mod operator;
mod place;
mod project;
mod proxy;
mod selection;
mod server;
mod settings;
mod shards;
mod shutdown;
mod statuses;
mod traces;
mod tunnel;
mod turns;

use cluster::Cluster;
use place::Place;
use project::Project;

/// The resources that the cases share. The first case that needs one creates it.
#[derive(Default)]
pub struct Stage {
    project: OnceLock<Arc<Project>>,
    shared: OnceLock<Arc<Cluster>>,
}

impl Stage {
    /// A namespace in the control plane that all share.
    pub fn place(&self) -> Place {
        self.shared.get_or_init(|| self.cluster()).place()
    }

    /// A control plane for one case, which may do to it what it likes.
    pub fn cluster(&self) -> Arc<Cluster> {
        Cluster::start(self.project())
    }

    /// The operator that all run.
    pub fn project(&self) -> &Arc<Project> {
        self.project.get_or_init(|| Arc::new(Project::build()))
    }

    /// Asserts that no case still holds the control plane, for example by the rule of a proxy: it
    /// would continue to run after the tests.
    fn assert_nobody_holds_the_cluster(&self) {
        let holders = self.shared.get().map_or(1, Arc::strong_count);
        assert_eq!(
            holders, 1,
            "a case has left something that holds the shared control plane"
        );
    }
}

type Cases = &'static [(&'static str, fn(&Stage))];

/// The longest first.
const THEMES: [(&str, Cases); 16] = [
    ("server", server::CASES),
    ("access", access::CASES),
    ("statuses", statuses::CASES),
    ("leader", leader::CASES),
    ("shards", shards::CASES),
    ("chaos", chaos::CASES),
    ("network", network::CASES),
    ("definitions", definitions::CASES),
    ("dynamic", dynamic::CASES),
    ("selection", selection::CASES),
    ("turns", turns::CASES),
    ("objects", objects::CASES),
    ("builder", builder::CASES),
    ("shutdown", shutdown::CASES),
    ("settings", settings::CASES),
    ("traces", traces::CASES),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(8);
    let stage = Arc::new(Stage::default());
    let names = THEMES.iter().flat_map(|(theme, cases)| {
        let name = move |(name, _): &(&str, fn(&Stage))| format!("{theme}::{name}");
        cases.iter().map(name)
    });
    let asked = |name: &String| {
        let filter = arguments.filter.as_deref();
        filter.is_none_or(|filter| name.contains(filter))
    };
    let of = names.filter(asked).count();
    let done = Arc::new(AtomicUsize::new(0));
    let trials = THEMES.into_iter().flat_map(|(theme, cases)| {
        let (stage, done) = (stage.clone(), done.clone());
        cases.iter().map(move |(name, case)| {
            let (stage, done) = (stage.clone(), done.clone());
            let name = format!("{theme}::{name}");
            Trial::test(name.clone(), move || {
                case(&stage);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                support::progress(&format!("{name} is done, {done} of {of}"));
                Ok(())
            })
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    stage.assert_nobody_holds_the_cluster();
    conclusion.exit_code()
}
