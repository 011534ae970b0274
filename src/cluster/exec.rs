//! A temporary cluster for one command.
//!
//! rustop holds the lock of the cluster's directory until it exits, and a janitor, a process in its
//! own session, waits for that lock. However rustop ends, also by SIGKILL, the janitor then removes
//! the cluster. If both are killed, the next `exec` finds a directory whose lock is free, and
//! removes that cluster.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use signal_hook::consts::SIGINT;

use super::cleanup_process::CleanupProcess;
use super::dirs::{Dirs, remove};
use super::error::{Error, Result};
use super::lifecycle::{Cluster, StartOptions, find_or_install, terminate};
use super::lock::{self, is_same_file};
use super::process::{self, send};
use super::state::Home;
use crate::disk::private;
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;

/// The environment variable with the directory of the cluster for which a command and its children
/// run.
const MARK: &str = "RUSTOP_EXEC_OF";
/// Time limit for a command to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(10);

/// Starts a temporary cluster, runs `command` with its `KUBECONFIG`, and removes the cluster.
/// Returns the exit code of the command, or 128 + the signal that ended it. An empty `command`
/// returns 0.
///
/// # Errors
/// Returns an error if the cluster cannot be started or removed, or if the command cannot be run.
pub fn exec(
    dirs: &Dirs,
    options: &StartOptions,
    command: &[OsString],
    interrupt: &Interrupt,
    terminal: Terminal,
) -> Result<u8> {
    sweep(dirs);
    let assets = find_or_install(dirs, options, interrupt, terminal)?;
    let (home, _lock) = new_home(dirs)?;
    let mut janitor = CleanupProcess::start(&[&home.dir])?;
    let outcome = Cluster::bring_up(home.clone(), assets, options, interrupt, terminal)
        .and_then(|cluster| run(&cluster, command, interrupt));
    let torn_down = match &outcome {
        Ok(outcome) if !outcome.interrupted => dismantle(&home),
        _ => end_commands(&home).and_then(|()| dismantle(&home)),
    };
    janitor.kill();
    let outcome = outcome?;
    torn_down?;
    Ok(outcome.code)
}

/// Runs the janitor: waits without a time limit until no process holds the lock of the cluster in
/// `dir`, and removes the cluster. Called in the process of `rustop cluster janitor`.
pub fn clean_up_after(dir: &Path) -> Result<()> {
    let _ = rustix::process::setsid();
    let home = home_in(dir.into());
    let path = home.lock_path();
    let Ok(file) = File::options().append(true).open(&path) else {
        return Ok(());
    };
    file.lock().map_err(Error::io("lock", &path))?;
    if !is_same_file(&file, &path) {
        return Ok(());
    }
    end_commands(&home)?;
    dismantle(&home)
}

/// Removes the clusters of all runs of `exec` that were killed together with their janitors.
fn sweep(dirs: &Dirs) {
    for entry in fs::read_dir(clusters_dir(dirs))
        .into_iter()
        .flatten()
        .flatten()
    {
        let home = home_in(entry.path());
        let path = home.lock_path();
        let Ok(file) = File::options().append(true).open(&path) else {
            // The other `exec` was killed before it created the lock file, or is about to create
            // it. This removes only an empty directory, which `new_home` creates again.
            let _ = fs::remove_dir(&home.dir);
            continue;
        };
        if file.try_lock().is_ok() && is_same_file(&file, &path) {
            // If the cluster cannot be removed now, the next `exec` tries again.
            let _ = end_commands(&home).and_then(|()| dismantle(&home));
        }
    }
}

fn clusters_dir(dirs: &Dirs) -> PathBuf {
    dirs.state.join("exec")
}

fn home_in(dir: PathBuf) -> Home {
    let id = dir.file_name().unwrap_or_default().to_string_lossy();
    Home {
        name: format!("exec-{id}"),
        dir,
    }
}

/// Creates and locks a new directory for a cluster.
fn new_home(dirs: &Dirs) -> Result<(Home, File)> {
    let parent = clusters_dir(dirs);
    private::create_dir(&parent)?;
    loop {
        let dir = tempfile::Builder::new()
            .prefix("")
            .rand_bytes(8)
            .tempdir_in(&parent)
            .map_err(Error::io("create a directory in", &parent))?
            .keep();
        let home = home_in(dir);
        // The sweep of another `exec` may have removed the empty directory.
        private::create_dir(&home.dir)?;
        let path = home.lock_path();
        let file = lock::open(&path)?;
        if lock::take(&file, &path)? && is_same_file(&file, &path) {
            return Ok((home, file));
        }
    }
}

/// Ends the processes that the command left running. Called only after a signal or a crash: after a
/// normal end, remaining processes, such as a compiler's daemon, are left alone.
#[expect(clippy::unnecessary_wraps, reason = "the callers chain it")]
fn end_commands(home: &Home) -> Result<()> {
    process::end(&process::marked(MARK, &home.dir), Duration::from_secs(2));
    Ok(())
}

fn dismantle(home: &Home) -> Result<()> {
    terminate(home, Duration::ZERO);
    remove(&home.dir)
}

/// The end of the command.
struct ExecOutcome {
    /// The exit code of the command, or 128 + the signal that ended it.
    code: u8,
    /// True if rustop received a signal while the command ran.
    interrupted: bool,
}

fn run(cluster: &Cluster, command: &[OsString], interrupt: &Interrupt) -> Result<ExecOutcome> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(ExecOutcome {
            code: 0,
            interrupted: false,
        });
    };
    let assets = cluster.assets();
    let mut path = assets.dir.clone().into_os_string();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    let mut child = Command::new(program)
        .args(arguments)
        .env("KUBECONFIG", cluster.kubeconfig())
        .env("KUBEBUILDER_ASSETS", &assets.dir)
        .env("PATH", path)
        .env(MARK, cluster.dir())
        .spawn()
        .map_err(|source| Error::Spawn {
            program: program.into(),
            source,
        })?;
    wait(&mut child, cluster, interrupt).map_err(|source| Error::Spawn {
        program: program.into(),
        source,
    })
}

/// Waits for the command and forwards signals to it, except for Ctrl-C on a terminal. The terminal
/// itself sends that one to the command, and an interactive command may continue after it.
fn wait(
    child: &mut Child,
    cluster: &Cluster,
    interrupt: &Interrupt,
) -> std::io::Result<ExecOutcome> {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
    let mut interrupted = false;
    let mut deadline: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ExecOutcome {
                code: code(status),
                // The signal may have come to both at once.
                interrupted: interrupted || interrupt.take().is_some(),
            });
        }
        if let Some(signal) = interrupt.take() {
            interrupted = true;
            if !(terminal && signal == SIGINT) {
                // The command and all its children get the signal, as from a terminal: a shell
                // handles it only after its child has ended.
                let signal = Signal::from_named_raw(signal).unwrap_or(Signal::TERM);
                send(child.id(), signal);
                for process in process::marked(MARK, cluster.dir()) {
                    if process.pid != child.id() {
                        process.signal(signal);
                    }
                }
                deadline.get_or_insert(Instant::now() + GRACE);
            }
        }
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            child.kill()?;
        }
        sleep(Duration::from_millis(10));
    }
}

fn code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| Some(128 + status.signal()?))
        .unwrap_or(1);
    u8::try_from(code).unwrap_or(u8::MAX)
}
