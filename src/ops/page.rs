//! The web page of `rustop dev` and `rustop run`. It shows the cluster's objects, the operator's
//! log and metrics, and the state of its process. With a local cluster of `rustop dev`, it also
//! shows the operator's requests and permissions, from the audit log.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::DynamicObject;
use serde::Deserialize as _;

use super::{Result, runtime};
use crate::cluster::Dirs;
use crate::dev::{self, Operator};
use crate::disk::private;
use crate::error::Io;
use crate::page::{
    self, About, Forbidden, LogLine, Page, Permissions, Process, Recorder, Tail, Update,
    UpdateContent,
};
use crate::rbac::Report;
use crate::session::Session;
use crate::text::sha256;
use crate::{client, terminal::Terminal};

/// The interval at which the operator's metrics are requested, and the timeout of a request.
const METRICS_INTERVAL: Duration = Duration::from_secs(2);
/// The minimum time between two reports on permissions.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);
/// The kinds that are always watched: Pods, the kinds that own them, and events.
const ALWAYS_WATCHED: [(&str, &str); 7] = [
    ("", "events"),
    ("", "pods"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("batch", "jobs"),
];

/// The options of the page.
#[derive(Args, Debug)]
pub struct PageOptions {
    /// Do not serve the web page
    #[arg(long)]
    pub no_page: bool,
    /// Open the web page in a browser
    #[arg(long, conflicts_with = "no_page")]
    pub open: bool,
    /// Record the contents of the web page to a new file, for `rustop show`
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// The part of the cluster that the page shows.
pub struct WatchScope {
    /// The kubeconfig with which the cluster is watched; `None` for the current one.
    pub kubeconfig: Option<PathBuf>,
    /// The resources to watch, each as its group and plural.
    pub resources: BTreeSet<(String, String)>,
    /// The only namespace to watch; `None` for all.
    pub namespace: Option<String>,
    /// The audit log and the operator's user name in it. `None` if there is no audit log that
    /// rustop can read.
    pub audit: Option<(PathBuf, String)>,
}

/// The page of one run, and its connection to the operator.
pub struct RunPage {
    page: Page,
    terminal: Terminal,
    /// The address at which the operator serves its metrics.
    pub metrics_address: dev::LocalAddress,
    process: Arc<Mutex<Process>>,
}

/// The position in the audit log up to which the page has shown the operator's requests. Without an
/// audit log, polling it does nothing.
pub struct AuditCursor {
    tail: Option<Tail>,
    log: PathBuf,
    /// The length of the log in bytes when the run started. Reports on permissions begin there.
    from: u64,
    /// The time of the last report on permissions.
    reported: Instant,
    /// True if the operator has sent requests since then.
    has_new_requests: bool,
}

impl RunPage {
    /// Opens the page of a run and prints its address. Returns `None` if the page is neither shown
    /// nor recorded.
    ///
    /// # Errors
    /// Returns an error if no port is available, or if the recording cannot be created.
    pub fn open(options: &PageOptions, session: &Session) -> Result<Option<Self>> {
        if options.no_page && options.record.is_none() {
            return Ok(None);
        }
        let recorder = options.record.as_deref().map(Recorder::create);
        let recorder = recorder.transpose()?;
        let page = Page::open(recorder, Some(&address_file(&session.dir)?))?;
        let shown = Self {
            terminal: session.terminal,
            metrics_address: dev::LocalAddress::new()?,
            process: Arc::default(),
            page,
        };
        if !options.no_page {
            announce(session, &shown.page, &session.dir, options.open);
        }
        Ok(Some(shown))
    }

    /// Sends the state of the operator's process to the page if `state` or `says` has changed.
    /// `state` is `running`, `building`, `failed` (the build or the start) or `ended`. `says` is
    /// the error and the compiler's output for `failed`, the exit status for `ended`, and otherwise
    /// empty.
    pub fn process(&self, state: &str, says: &str) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        if process.state == state && process.says == says {
            return;
        }
        state.clone_into(&mut process.state);
        says.clone_into(&mut process.says);
        self.page.send(UpdateContent::Process(process.clone()));
    }

    /// Reports a restart of the operator to the page.
    pub fn restarted(&self) {
        self.process
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .restarts += 1;
        self.process("running", "");
    }

    /// Starts the operator, and sends its log to the page and to the terminal. Debug lines that
    /// only the page needs are not printed, unless the user has asked for them. `has_runtime` is
    /// true if the operator uses rustop's runtime, whose log format and filter are then set for the
    /// page.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub fn start(&self, mut command: Command, has_runtime: bool) -> Result<Operator> {
        let filter = user_env("RUST_LOG");
        if has_runtime {
            command.env("RUST_LOG", LogLine::filter(&filter));
        }
        let (page, terminal) = (self.page.clone(), self.terminal);
        let show = set_log_format(&mut command, has_runtime, terminal);
        let is_wanted = ["debug", "trace"]
            .iter()
            .any(|level| filter.contains(level) || option_contains(&command, "--log-level", level));
        let hear = move |text: &str| {
            let (line, at) = LogLine::read(text);
            if is_wanted || !line.is_for_the_page() {
                terminal.passed_on(&show(text, &line, at));
            }
            match at {
                Some(at) => page.send_at(Update {
                    at,
                    content: UpdateContent::Line(line),
                }),
                None => page.send(UpdateContent::Line(line)),
            }
        };
        Ok(Operator::start_heard(command, hear)?)
    }

    /// Starts threads that watch the cluster and read the operator's metrics until the program
    /// ends. Pass the result to [`Self::poll_audit_log`].
    pub fn start_watching(&self, about: About, scope: WatchScope) -> AuditCursor {
        let WatchScope {
            kubeconfig,
            resources,
            namespace,
            audit,
        } = scope;
        self.page.send(UpdateContent::About(about));
        let page = self.page.clone();
        std::thread::spawn(move || watch(page, kubeconfig.as_deref(), resources, namespace));
        let (page, address) = (self.page.clone(), self.metrics_address.address());
        std::thread::spawn(move || send_metrics(&page, &format!("http://{address}/metrics")));
        let length = |log: &PathBuf| log.metadata().map_or(0, |metadata| metadata.len());
        let log = audit.as_ref().map(|(log, _)| log.clone());
        AuditCursor {
            from: log.as_ref().map_or(0, length),
            tail: audit.map(|(log, user)| Tail::new(log, user)),
            log: log.unwrap_or_default(),
            reported: Instant::now(),
            has_new_requests: true,
        }
    }

    /// Sends the operator's new requests to the page and, at most every five seconds, a report on
    /// its permissions. `report` creates it from the audit log, beginning at a byte offset.
    pub fn poll_audit_log(
        &self,
        cursor: &mut AuditCursor,
        report: impl Fn(&Path, u64) -> Result<Report>,
    ) {
        let Some(tail) = &mut cursor.tail else { return };
        for (at, call) in tail.poll() {
            cursor.has_new_requests = true;
            self.page.send_at(Update {
                at,
                content: UpdateContent::Call(call),
            });
        }
        if cursor.has_new_requests
            && cursor.reported.elapsed() > REPORT_INTERVAL
            && self.page.is_open()
        {
            if let Ok(report) = report(&cursor.log, cursor.from) {
                self.page
                    .send(UpdateContent::Permissions(permissions(report)));
            }
            (cursor.reported, cursor.has_new_requests) = (Instant::now(), false);
        }
    }

    /// Ends the recording, if there is one.
    pub fn end(&self) {
        if let Err(error) = self.page.end() {
            self.terminal.error(&error);
        }
    }
}

/// Starts the operator without a page. Its log goes to the terminal. `has_runtime` is true if the
/// operator has rustop's runtime, whose log format is set.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub fn start_without_page(
    mut command: Command,
    has_runtime: bool,
    terminal: Terminal,
) -> Result<Operator> {
    let show = set_log_format(&mut command, has_runtime, terminal);
    let hear = move |text: &str| {
        let (line, at) = LogLine::read(text);
        terminal.passed_on(&show(text, &line, at));
    };
    Ok(Operator::start_heard(command, hear)?)
}

/// Sets the operator's log format to JSON. Returns the function that formats a line of it for the
/// terminal: as text, unless the user has chosen JSON. The log of an operator without rustop's
/// runtime is passed on unchanged.
fn set_log_format(
    command: &mut Command,
    has_runtime: bool,
    terminal: Terminal,
) -> impl Fn(&str, &LogLine, Option<u64>) -> String + Send + 'static {
    let is_json =
        option_contains(command, "--log-format", "json") || user_env("LOG_FORMAT") == "json";
    if has_runtime {
        command.env("LOG_FORMAT", "json");
    }
    move |text, line, at| {
        if is_json || !has_runtime {
            text.to_owned()
        } else {
            line.text(at, terminal.is_colored())
        }
    }
}

/// Returns an environment variable of the user; empty if it is not set.
fn user_env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Reports whether a value of a command's option contains a word.
fn option_contains(command: &Command, option: &str, word: &str) -> bool {
    let values = option_values(command, option);
    values.iter().any(|value| value.contains(word))
}

/// Returns the values of a command's option, each from `--option=value` or `--option value`.
pub fn option_values(command: &Command, option: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut arguments = command.get_args().map(|it| it.to_string_lossy());
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix(option) {
            Some("") => values.extend(arguments.next().map(Cow::into_owned)),
            Some(rest) => values.extend(rest.strip_prefix('=').map(str::to_owned)),
            None => {}
        }
    }
    values
}

/// Returns the file that stores the port of the page of a project or a recording, so that the next
/// run uses the same one. The key in the URL is not stored.
///
/// # Errors
/// Returns an error if rustop's state directory cannot be determined.
pub fn address_file(about: &Path) -> Result<PathBuf> {
    let whole = about.canonicalize().unwrap_or_else(|_| about.to_owned());
    let name = sha256(whole.as_os_str().as_encoded_bytes());
    let pages = Dirs::from_env()?.state.join("pages");
    Ok(pages.join(name))
}

/// Prints the address of the page, and opens it in a browser if `is_opened` is set. `about` is the
/// directory of the project, or the recording that the page shows.
pub fn announce(session: &Session, page: &Page, about: &Path, is_opened: bool) {
    session.terminal.status("Page", page.address());
    if !is_opened {
        return;
    }
    let leads = match write_lead(page, about) {
        Ok(leads) => leads,
        Err(error) => return session.terminal.warning(error),
    };
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command
        .arg(leads)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        session.terminal.warning(Io::on("run", program)(error));
    }
}

/// Writes an HTML file that redirects a browser to the page. Every user of the machine can see a
/// browser's arguments, so they must not contain the page's key.
fn write_lead(page: &Page, about: &Path) -> Result<PathBuf> {
    let path = address_file(about)?.with_extension("html");
    private::create_dir(path.parent().unwrap_or(Path::new(".")))?;
    let address = page.address();
    let html = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>rustop</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\"><a href=\"{address}\">the page of rustop</a>\n"
    );
    private::write(&path, &html)?;
    Ok(path)
}

/// Returns the resources to watch, each as its group and plural: the operator's kinds, those that
/// the operator's roles allow it to watch or write, and those that are always watched.
pub fn resources_to_watch(
    own: BTreeSet<(String, String)>,
    deployed: &[DynamicObject],
) -> BTreeSet<(String, String)> {
    let granting = deployed
        .iter()
        .filter(|object| matches!(dev::kind(object), "ClusterRole" | "Role"));
    let rules = granting.filter_map(|role: &DynamicObject| {
        ClusterRole::deserialize(serde_json::to_value(role).ok()?)
            .ok()?
            .rules
    });
    let granted = rules.flatten().filter(|rule| {
        let mut verbs = rule.verbs.iter();
        verbs.any(|verb| matches!(verb.as_str(), "watch" | "create" | "patch" | "*"))
    });
    let granted = granted.flat_map(|rule| {
        let (groups, resources) = (
            rule.api_groups.unwrap_or_default(),
            rule.resources.unwrap_or_default(),
        );
        let pairs = groups.into_iter().map(move |group| {
            resources
                .clone()
                .into_iter()
                .map(move |one| (group.clone(), one))
        });
        pairs.flatten().collect::<Vec<_>>()
    });
    // Leases change every few seconds, events are watched in the core group, and reviews of tokens
    // and of access are only created, never stored.
    let is_kind = |(group, plural): &(String, String)| {
        group != "*"
            && plural != "*"
            && !plural.contains('/')
            && !matches!(
                group.as_str(),
                "coordination.k8s.io"
                    | "events.k8s.io"
                    | "authentication.k8s.io"
                    | "authorization.k8s.io"
            )
    };
    let usual = ALWAYS_WATCHED.map(|(group, plural)| (group.to_owned(), plural.to_owned()));
    own.into_iter()
        .chain(granted.filter(is_kind))
        .chain(usual)
        .collect()
}

/// Watches the cluster and sends its objects to the page. Does nothing if there is no cluster to
/// connect to.
fn watch(
    page: Page,
    kubeconfig: Option<&Path>,
    resources: BTreeSet<(String, String)>,
    namespace: Option<String>,
) {
    let Ok(runtime) = runtime() else { return };
    runtime.block_on(async {
        if let Ok((client, _)) = client::connect(kubeconfig).await {
            page::watch(client, resources, namespace, page).await;
        }
    });
}

/// Reads the operator's metrics while the page is open.
fn send_metrics(page: &Page, address: &str) {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(METRICS_INTERVAL))
        .proxy(None);
    let agent = config.build().new_agent();
    loop {
        std::thread::sleep(METRICS_INTERVAL);
        if !page.is_open() {
            continue;
        }
        let answer = agent.get(address).call();
        let text = answer.and_then(|mut answer| answer.body_mut().read_to_string());
        if let Ok(text) = text {
            page.send(UpdateContent::Metrics(page::metrics(&text)));
        }
    }
}

fn permissions(report: Report) -> Permissions {
    let forbidden = report.forbidden.into_iter().map(|one| Forbidden {
        resource: one.resource,
        verbs: one.verbs,
        times: one.times,
        marker: one.marker,
        file: one.file,
    });
    Permissions {
        forbidden: forbidden.collect(),
        unused: report.unused.unwrap_or_default(),
        known: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values_are_found_after_equals_or_space() {
        let said = |arguments: &[&str]| {
            let mut command = Command::new("operator");
            command.args(arguments);
            option_contains(&command, "--log-level", "debug")
        };
        assert!(said(&["--log-level=info,kube=debug"]));
        assert!(said(&["--takeover", "--log-level", "debug"]));
        assert!(!said(&["--log-level", "info", "debug"]));
        assert!(!said(&["--log-format=json"]));
        assert!(!said(&["--log-level-of-kube=debug"]));
        assert!(!said(&["--name", "a --log-level=debug"]));
        assert!(!said(&[]));
    }
}
