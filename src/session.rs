//! The context of an operation: its directory, its output, and its interruption.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Map, Value};

use crate::cargo::Concurrent;
use crate::interrupt::Interrupt;
use crate::project;
use crate::terminal::Terminal;

/// One invocation of rustop.
#[derive(Debug)]
pub struct Session {
    /// The project's directory: [`Self::here`], or the nearest directory above it that contains a
    /// project. It is [`Self::here`] if there is none, or if that one belongs to another user.
    pub dir: PathBuf,
    /// The directory given by the user, or the current one.
    pub here: PathBuf,
    /// The output to stdout and stderr.
    pub terminal: Terminal,
    interrupt: OnceLock<Interrupt>,
    /// The fields of the JSON document in which a program reads the result; `None` if it is not
    /// printed.
    results: Option<Arc<Mutex<Map<String, Value>>>>,
    /// For one of two concurrent parts of a run: true if the other part shows its progress.
    part: Option<bool>,
    /// The directory for build results; `None` for the default of the build tool.
    target: Option<PathBuf>,
}

impl Session {
    /// Creates a session in the directory `here`.
    pub fn new(here: &Path, terminal: Terminal) -> Self {
        Self {
            dir: project::root(here),
            here: here.to_owned(),
            terminal,
            interrupt: OnceLock::new(),
            results: None,
            part: None,
            target: None,
        }
    }

    /// Collects the JSON document, and reserves stdout for it.
    pub fn collect_results(&mut self) {
        self.results = Some(Arc::default());
        self.terminal = self.terminal.for_program();
    }

    /// Returns the session of one of two concurrent parts of this run; `interrupt` ends this part.
    /// `other_shows_progress` is true if the other part has a progress line at the bottom of the
    /// terminal.
    pub fn part(&self, interrupt: &Interrupt, other_shows_progress: bool) -> Self {
        Self {
            dir: self.dir.clone(),
            here: self.here.clone(),
            terminal: self.terminal,
            interrupt: OnceLock::from(interrupt.clone()),
            results: self.results.clone(),
            part: Some(other_shows_progress),
            target: self.target.clone(),
        }
    }

    /// Returns the session for another checkout of the project. `target` is the directory for its
    /// build results; `None` for the default of the build tool.
    pub fn at(&self, dir: &Path, target: Option<PathBuf>) -> Self {
        Self {
            dir: dir.to_owned(),
            here: dir.to_owned(),
            terminal: self.terminal,
            interrupt: OnceLock::from(self.interrupt().clone()),
            results: self.results.clone(),
            part: self.part,
            target,
        }
    }

    /// Returns the directory for build results; `None` for the default of the build tool.
    pub fn target(&self) -> Option<&Path> {
        self.target.as_deref()
    }

    /// Returns the mode in which this session builds with cargo: alone, or next to the other part
    /// of a run. See [`Concurrent`].
    pub fn concurrent(&self) -> Concurrent<'_> {
        match self.part {
            None => Concurrent::Nothing,
            Some(other_shows_progress) => Concurrent::With {
                interrupt: self.interrupt(),
                above: other_shows_progress.then_some(self.terminal),
            },
        }
    }

    /// Sets a field of the command's JSON document.
    pub fn report(&self, field: &str, value: impl Into<Value>) {
        if let Some(mut results) = self.results() {
            results.insert(field.to_owned(), value.into());
        }
    }

    /// Appends to a list of the command's JSON document, which is created if it is missing. The
    /// values are computed only if the document is printed.
    pub fn report_each(&self, field: &str, values: impl IntoIterator<Item = Value>) {
        let Some(mut results) = self.results() else {
            return;
        };
        let list = results
            .entry(field)
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.extend(values);
        }
    }

    /// Returns the fields of the JSON document so far, or `None` if it is not printed. The fields
    /// stay locked until the guard is dropped; [`Self::report`] would wait for it forever.
    pub fn results(&self) -> Option<MutexGuard<'_, Map<String, Value>>> {
        let results = self.results.as_ref()?;
        Some(results.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the interrupt state. The first call installs signal handlers: from then on, Ctrl-C
    /// and similar signals no longer end the process.
    pub fn interrupt(&self) -> &Interrupt {
        self.interrupt.get_or_init(Interrupt::install)
    }
}
