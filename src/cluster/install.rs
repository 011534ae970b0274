//! Installs the programs of a control plane in rustop's cache: all of them, or none.
//!
//! An install collects the programs in a temporary directory next to their final one, and then
//! renames it in one step. It holds a lock, so a temporary directory that exists when the lock is
//! free was left by an install that was killed, and the next install removes it. The directory of a
//! build remains until an install succeeds, so that an interrupted build continues where it was.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use super::archive::unpack;
use super::assets::{self, Assets, OPTIONAL, REQUIRED, installed, platform};
use super::dirs::{Dirs, variable};
use super::download::{Checksum, Downloader};
use super::error::{Error, Result};
use super::gobuild::{self, Build};
use super::gomodule::{GoModule, KWOK, PROGRAMS, Program};
use super::index::{DEFAULT_INDEX, Index};
use super::kubectl;
use super::lock;
use super::version::{Request, Version};
use crate::error::causes;
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;
use crate::text::without_secrets;

/// The URL below which the Kubernetes project publishes its programs.
pub const DEFAULT_RELEASE_SITE: &str = "https://dl.k8s.io";
/// The prefix of the temporary directories in which an install collects the programs.
const GATHERING: &str = ".installing-";
/// The prefix of the directories of builds with Go.
const BUILDING: &str = ".building-";

/// The source of the programs.
#[derive(Clone, Debug, Default)]
pub enum ProgramOrigin {
    /// A download, or a build if the download fails.
    #[default]
    Auto,
    Download,
    /// A build with Go.
    Go,
    /// A directory with the programs.
    Dir(PathBuf),
}

impl From<OsString> for ProgramOrigin {
    fn from(text: OsString) -> Self {
        match text.to_str() {
            Some("auto") => Self::Auto,
            Some("download") => Self::Download,
            Some("go") => Self::Go,
            _ => Self::Dir(text.into()),
        }
    }
}

/// The options of an install.
#[derive(Clone, Debug)]
pub struct InstallOptions {
    /// The version to install. If it names no patch, any patch that is installed already is enough;
    /// if there is none, the newest available one is installed.
    pub version: Request,
    /// The source of the programs.
    pub origin: ProgramOrigin,
    /// The URL of the index of envtest releases.
    pub index: String,
    /// The URL below which `v1.37.2/bin/linux/amd64/kube-scheduler` and its `.sha256` are.
    pub release_site: String,
}

impl InstallOptions {
    /// Returns the options for `version`, with the URLs of the environment.
    pub fn from_env(version: Request) -> Self {
        let or = |name, default: &str| match variable(name) {
            Some(value) => value.to_string_lossy().into_owned(),
            None => default.into(),
        };
        Self {
            version,
            origin: ProgramOrigin::Auto,
            index: or("RUSTOP_INDEX", DEFAULT_INDEX),
            release_site: or("RUSTOP_RELEASE_SITE", DEFAULT_RELEASE_SITE),
        }
    }
}

/// Installs the requested version, unless it is installed with all programs that could be added.
/// [`ProgramOrigin::Dir`] always replaces it.
pub fn install(
    dirs: &Dirs,
    options: &InstallOptions,
    interrupt: &Interrupt,
    terminal: Terminal,
) -> Result<Assets> {
    let store = assets::store(dirs);
    fs::create_dir_all(&store).map_err(Error::io("create", &store))?;
    let _lock = lock::acquire(&store.join(".lock"), interrupt, || {
        terminal.status("Waiting", "for another rustop that installs");
    })?;
    remove_those(&store, GATHERING)?;
    if !matches!(options.origin, ProgramOrigin::Dir(_))
        && let Some(assets) = installed(dirs, options.version).filter(is_complete)
    {
        terminal.status("Installed", format!("already, in {}", assets.dir.display()));
        return Ok(assets);
    }
    let gathering = tempfile::Builder::new()
        .prefix(GATHERING)
        .tempdir_in(&store)
        .map_err(Error::io("create a directory in", &store))?;
    let install = Install {
        options,
        interrupt,
        terminal,
        gathering,
        store: &store,
    };
    let version = install.gather()?;
    let target = store.join(format!("v{version}-{}", platform()));
    replace(&install.programs(), &target)?;
    remove_those(&store, BUILDING)?;
    terminal.status(
        "Installed",
        format!("Kubernetes {version} in {}", target.display()),
    );
    Ok(Assets { dir: target })
}

/// An install that runs.
struct Install<'a> {
    options: &'a InstallOptions,
    interrupt: &'a Interrupt,
    terminal: Terminal,
    /// The temporary directory; removed when this value is dropped.
    gathering: TempDir,
    /// The directory that has one directory per version and platform.
    store: &'a Path,
}

impl Install<'_> {
    /// Returns the directory that becomes the installed one.
    fn programs(&self) -> PathBuf {
        self.gathering.path().join("programs")
    }

    /// Returns the path of a temporary file, which is not installed.
    fn scratch(&self, name: &str) -> PathBuf {
        self.gathering.path().join(name)
    }

    /// Collects all programs in the temporary directory and returns their version.
    fn gather(&self) -> Result<Version> {
        self.start_afresh()?;
        match &self.options.origin {
            ProgramOrigin::Download => self.download(),
            ProgramOrigin::Go => self.build(),
            ProgramOrigin::Dir(dir) => self.copy(dir),
            ProgramOrigin::Auto => match self.download() {
                Err(error) if is_worth_a_build(&error) && self.can_build() => {
                    self.terminal
                        .warning(format!("{error}; building it with Go instead"));
                    self.start_afresh()?;
                    self.build()
                }
                other => other,
            },
        }
    }

    fn start_afresh(&self) -> Result<()> {
        let programs = self.programs();
        super::dirs::remove(&programs)?;
        fs::create_dir(&programs).map_err(Error::io("create", &programs))
    }

    fn can_build(&self) -> bool {
        GoModule::accepted(self.options.version).is_some() && gobuild::is_available()
    }

    fn download(&self) -> Result<Version> {
        let downloader = Downloader::new(self.interrupt, self.terminal);
        let platform = platform();
        let url = &self.options.index;
        self.terminal.status("Reading", without_secrets(url));
        let index = Index::parse(&downloader.text(url)?, url)?;
        let selection = index.select(self.options.version, &platform)?;
        let (version, archive) = (selection.version, &selection.archive);

        let path = self.scratch("envtest.tar.gz");
        self.terminal
            .status("Downloading", without_secrets(&archive.url));
        let checksum = Checksum::Sha512(archive.hash.clone());
        downloader.file(&archive.url, &checksum, &path)?;
        // Without an archive of this very patch, only etcd comes from the archive of another one:
        // any patch works with it. The other programs are downloaded one by one.
        let exact = selection.archived == version;
        let archived: &[&str] = if exact {
            &["etcd", "kube-apiserver", "kubectl"]
        } else {
            &["etcd"]
        };
        unpack(&path, &archive.url, archived, &self.programs())?;

        let published = [
            "kube-apiserver",
            "kubectl",
            "kube-controller-manager",
            "kube-scheduler",
        ];
        let missing = published
            .into_iter()
            .filter(|program| !archived.contains(program));
        if platform.starts_with("linux-") {
            for program in missing {
                self.download_program(&downloader, version, program)?;
            }
        } else if exact {
            self.terminal.warning(format!(
                "Kubernetes publishes no controllers for {platform}; for Deployments that get Pods, run \
                 `rustop cluster install --from go`"
            ));
        } else {
            return Err(Error::NoVersion {
                url: without_secrets(url),
                version: version.to_string(),
                newest: Some(selection.archived.to_string()),
            });
        }
        self.add_kwok(version)?;
        Ok(version)
    }

    fn download_program(
        &self,
        downloader: &Downloader,
        version: Version,
        program: &str,
    ) -> Result<()> {
        let site = self.options.release_site.trim_end_matches('/');
        let platform = platform().replace('-', "/");
        let url = format!("{site}/v{version}/bin/{platform}/{program}");
        let sum = downloader.text(&format!("{url}.sha256"))?;
        let sum = sum.split_whitespace().next().unwrap_or_default();
        self.terminal.status("Downloading", without_secrets(&url));
        let path = self.programs().join(program);
        downloader.file(&url, &Checksum::Sha256(sum.into()), &path)?;
        make_executable(&path)
    }

    /// Builds KWOK, because KWOK publishes no checksums with which a download could be verified.
    /// The other programs work without it, so a build that fails is a warning.
    fn add_kwok(&self, version: Version) -> Result<()> {
        let why = if gobuild::is_available() {
            // KWOK works with any version of Kubernetes.
            let near = GoModule::accepted(version.any_patch());
            let Some(module) = near.or_else(|| GoModule::accepted(Request::default())) else {
                return Ok(());
            };
            match self.build_programs(module, &[KWOK]) {
                Ok(()) => return Ok(()),
                Err(error @ Error::Interrupted(_)) => return Err(error),
                Err(error) => {
                    let causes = causes(&error).into_iter();
                    let all: Vec<_> = [error.to_string()].into_iter().chain(causes).collect();
                    format!("KWOK cannot be built: {}", all.join(": "))
                }
            }
        } else {
            "KWOK has no published checksums and go is not installed to build it".to_owned()
        };
        self.terminal.warning(format!(
            "{why}: clusters will have no nodes, and Pods stay Pending"
        ));
        Ok(())
    }

    fn build(&self) -> Result<Version> {
        let module = GoModule::accepted(self.options.version).ok_or_else(|| Error::GoVersion {
            wanted: self.options.version.to_string(),
        })?;
        let version = module.version();
        let mut programs = PROGRAMS.to_vec();
        if let Some((path, found)) = kubectl::on_path(version) {
            let path = path.display();
            self.terminal
                .status("Using", format!("kubectl {found}, {path}"));
            programs.retain(|program| program.name != "kubectl");
        }
        self.build_programs(module, &programs)?;
        Ok(version)
    }

    fn build_programs(&self, module: &GoModule, programs: &[Program]) -> Result<()> {
        let name = format!("{BUILDING}v{}-{}", module.version(), platform());
        let build = Build {
            module,
            programs,
            work: &self.store.join(name),
            interrupt: self.interrupt,
            terminal: self.terminal,
        };
        build.run(&self.programs())
    }

    fn copy(&self, dir: &Path) -> Result<Version> {
        let source = assets::named(dir, "--from")?;
        let version = version_of(&source)?;
        if self.options.version != Request::default() && !self.options.version.accepts(version) {
            return Err(Error::WrongVersion {
                dir: source.dir,
                found: version.to_string(),
                wanted: self.options.version.to_string(),
            });
        }
        for program in REQUIRED.iter().chain(&OPTIONAL) {
            if let Some(from) = source.get(program) {
                let to = self.programs().join(program);
                let mut source = File::open(&from).map_err(Error::io("read", from))?;
                let mut target = File::create_new(&to).map_err(Error::io("create", &to))?;
                io::copy(&mut source, &mut target).map_err(Error::io("write", &to))?;
                make_executable(&to)?;
            }
        }
        Ok(version)
    }
}

/// Returns true if a build may succeed after a download failed with `error`. A wrong checksum is
/// not such an error, because the user must see it.
fn is_worth_a_build(error: &Error) -> bool {
    matches!(
        error,
        Error::HttpStatus { .. }
            | Error::NoPlatform { .. }
            | Error::NoVersion { .. }
            | Error::Stalled { .. }
            | Error::Truncated { .. }
            | Error::Unreachable { .. }
    )
}

/// Returns the version that the API server of a directory prints.
fn version_of(assets: &Assets) -> Result<Version> {
    let program = assets.dir.join("kube-apiserver");
    let output = Command::new(&program)
        .arg("--version")
        .output()
        .map_err(|source| Error::Spawn {
            program: program.clone(),
            source,
        })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let word = text.split_whitespace().last().unwrap_or_default();
    // An API server that was built from a modified source prints a version like
    // `v1.37.2-dirty+0a1b2c3`.
    let base = word.split(['-', '+']).next().unwrap_or_default();
    Ok(base.parse()?)
}

/// Returns true if an install could not add a program to `assets`.
fn is_complete(assets: &Assets) -> bool {
    OPTIONAL
        .iter()
        .filter(|program| assets.get(program).is_none())
        .all(|program| match *program {
            "kwok" => !gobuild::is_available(),
            "kubectl" => assets
                .version()
                .is_some_and(|version| kubectl::on_path(version).is_some()),
            _ => false,
        })
}

/// Removes the directories in `store` whose names begin with `prefix`.
fn remove_those(store: &Path, prefix: &str) -> Result<()> {
    for entry in fs::read_dir(store)
        .map_err(Error::io("read", store))?
        .flatten()
    {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            super::dirs::remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Renames `new` to `target` in one step. If `target` exists, the two are exchanged.
fn replace(new: &Path, target: &Path) -> Result<()> {
    let done = if target.exists() {
        renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE).map_err(io::Error::from)
    } else {
        fs::rename(new, target)
    };
    done.map_err(Error::io("replace", target))
}

fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .map_err(Error::io("make executable", path))
}
