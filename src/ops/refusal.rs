//! The errors of the operations themselves: requests that they reject.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::Failure;
use crate::git;
use crate::names::NameError;
use crate::project::{Part, Project, VERSION};
use crate::terminal::escaped_line;
use crate::text::{count, indented, shell_word};

/// An error of an operation itself.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// rustop has scaffolded the project, so there is nothing to adopt.
    #[error("`{}` is a project that rustop has scaffolded", dir.display())]
    AdoptScaffolded { dir: PathBuf },
    /// `rustop adopt` cannot choose between candidates.
    #[error("{}", findings.join("\n"))]
    Ambiguous {
        /// For each field, the candidates with their flags.
        findings: Vec<String>,
    },
    /// `rustop adopt` has found no part of an operator.
    #[error("found no operator in `{}`: neither CRDs nor a program that runs a controller", dir.display())]
    NothingToAdopt { dir: PathBuf },
    /// The kind belongs to Kubernetes, so its scope and plural are fixed.
    #[error(
        "`--plural` and `--cluster-scoped` cannot be set for {api_version} {kind}, which belongs to Kubernetes"
    )]
    BuiltinIsFixed {
        /// The group and version of the kind.
        api_version: String,
        kind: String,
    },
    /// The value of `--upgrade-from` is empty, for example because a shell variable is not set.
    #[error("`--upgrade-from` has an empty value")]
    EmptyCommit,
    /// git does not know the commit of the old version.
    #[error("`{name}` is not a commit of this repository: {reason}")]
    NoCommit {
        /// The value of `--upgrade-from`.
        name: String,
        /// The message of git.
        reason: String,
    },
    /// git, which checks the old version out, cannot be run.
    #[error("cannot run git")]
    NoGit(#[source] io::Error),
    /// The project already has a bundle.
    #[error("this project has a bundle, in bundle/")]
    BundleExists,
    /// The project already has a chart.
    #[error("this project has a chart, charts/{name}")]
    ChartExists { name: String },
    /// The user has changed the lines that the operation has to change.
    #[error("you have changed the lines that this command changes in your files:\n{}", changes.join("\n"))]
    CannotMerge {
        /// The changes to make by hand: unified diffs, and fields with their new text.
        changes: Vec<String>,
    },
    /// The project already has this optional part.
    #[error("this project has {}", .0.description())]
    PartExists(Part),
    /// The name of the directory is not a valid project name.
    #[error("the directory's name cannot be the project's")]
    DirectoryName {
        /// The command that names the project, with the user's directory and domain.
        command: String,
        /// The rule that the name breaks.
        source: NameError,
    },
    /// Generated files differ from the text that the sources generate.
    #[error("{} from the text that the sources generate", if *files == 1 { "1 file differs".to_owned() } else { format!("{files} files differ") })]
    Drift {
        /// The number of these files.
        files: usize,
    },
    /// The project does not have the kind. It is not a kind of Kubernetes either, and the group
    /// does not show that it belongs to another project.
    #[error("no kind {}{}", escaped_line(requested), unknown(there))]
    ForeignKind {
        /// The kind as the user has given it: ``Doc in group `g` ``.
        requested: String,
        /// The kinds of this name in other groups and versions of the project.
        there: Vec<String>,
        /// Commands with kinds that exist.
        known: Vec<String>,
    },
    /// The path of a Go project is not a directory that can be read.
    #[error("cannot import `{}`", dir.display())]
    GoDirectory { dir: PathBuf, source: io::Error },
    /// A Go project contains a CRD twice.
    #[error("{name} is in `{first}` and in `{second}`")]
    GoCrdTwice {
        /// The name of the CRD.
        name: String,
        /// The first file that contains it.
        first: String,
        /// The second file that contains it.
        second: String,
    },
    /// A name in a Go project is not valid for a project of rustop.
    #[error("a name in the Go project is not valid in a rustop project")]
    GoName {
        source: NameError,
        /// The flag that sets another name.
        flag: &'static str,
    },
    /// A file is not a kubebuilder PROJECT file.
    #[error("`{}` is not a kubebuilder PROJECT file: {reason}", path.display())]
    GoProject {
        /// The path of the file.
        path: PathBuf,
        reason: String,
    },
    /// The name of a file would end a comment or a code span in a generated file.
    #[error("the name of {path:?} has a control character or a backtick")]
    GoPath {
        /// The path of the file, relative to the Go project.
        path: String,
    },
    /// A file of a Go project is not a role.
    #[error("`{path}` is not a role: {reason}")]
    GoRole {
        /// The path of the file.
        path: String,
        reason: String,
    },
    /// A generated role file cannot be read.
    #[error("cannot read the roles in `{path}`: {reason}")]
    Role {
        /// The path of the file.
        path: String,
        reason: String,
    },
    /// A Go project has no CRDs.
    #[error("`{}` has no CRDs in {looked}", dir.display())]
    GoWithoutCrds {
        dir: PathBuf,
        /// The places that were searched.
        looked: String,
    },
    /// The controller is a draft by `rustop import` that the user has not finished.
    #[error("the controller at `{path}:{line}` is an unfinished draft")]
    ControllerUnwritten {
        /// The file of the controller.
        path: String,
        /// The line of the draft's `todo!`, counted from 1.
        line: usize,
    },
    /// The project already has the kind.
    #[error("{resource} exists in this project{}", if add_controller.is_none() { ", with its controller" } else { "" })]
    KindExists {
        /// The version and kind.
        resource: String,
        /// The command that adds a controller; `None` if the kind has one.
        add_controller: Option<String>,
    },
    /// `--image` was given for another version of a kind, which starts as a copy of an existing
    /// version.
    #[error(
        "{resource} exists in this project, and a new version starts as a copy of an existing one"
    )]
    ImageOfVersion {
        /// The existing version and kind.
        resource: String,
    },
    /// The project has no bundle to delete.
    #[error("this project has no bundle")]
    NoBundle,
    /// The project has no chart to delete.
    #[error("this project has no chart")]
    NoChart,
    /// Another part extends the files of the part to remove.
    #[error("the part `{}` adds files to `{}`", .needed_by.name(), .part.name())]
    PartNeeded {
        /// The part to remove.
        part: Part,
        /// The part that extends its files.
        needed_by: Part,
    },
    /// The project does not have this optional part.
    #[error("this project does not have {}", .0.description())]
    NoPart(Part),
    /// The cluster has no audit log to report from.
    #[error("there is no audit log of a cluster `{name}`")]
    NoAuditLog {
        /// The name of the cluster.
        name: String,
    },
    /// The Rust types do not define a CRD for a kind in PROJECT.
    #[error("PROJECT has {resource}, but the types do not generate a CRD `{name}`")]
    NoCrd {
        /// The version and kind.
        resource: String,
        /// The expected name of the CRD.
        name: String,
    },
    /// `rustop.yaml` names neither a command that generates CRDs nor a file with CRDs.
    #[error("rustop.yaml names no CRDs: there is nothing to check")]
    NoCrds,
    /// `rustop.yaml` does not name the manifests of the operator.
    #[error("rustop.yaml has no `deploy`: the operator's roles are not known")]
    NoDeploy,
    /// A value that `rustop adopt` would write is one that the next commands reject.
    #[error("{flag}: {reason}")]
    InvalidSetting {
        /// The flag that sets the value.
        flag: &'static str,
        reason: String,
    },
    /// A flag of `rustop adopt` names files that do not exist, or that do not have the contents
    /// that the flag is for.
    #[error("{flag} {value}: {problem}")]
    NoMatch {
        flag: &'static str,
        /// The value, quoted for a shell.
        value: String,
        /// The rest of the message: `matches no file`.
        problem: &'static str,
    },
    /// `rustop adopt --bin` names no program of the repository. `programs` are the names of those
    /// that it has.
    #[error("--bin {name}: the repository has no such program")]
    NoBinary { name: String, programs: Vec<String> },
    /// `rustop adopt --command` is empty or has an open quotation mark.
    #[error("--command {value}: not a program with arguments")]
    NoCommandLine {
        /// The value, as a shell reads it.
        value: String,
    },
    /// No program or several programs may be the operator.
    #[error("cannot tell which program is the operator: the repository has {}", if programs.is_empty() { "none".to_owned() } else { programs.join(", ") })]
    NoProgram {
        /// The names of the programs.
        programs: Vec<String>,
    },
    /// The kinds of all requests in the code of the operator are unknown.
    #[error("no verdict: the code of `{program}` has {}, and the kind of none could be resolved", count(*unresolved, "request"))]
    NothingResolved {
        /// The name of the program.
        program: String,
        /// The number of requests.
        unresolved: usize,
    },
    /// The code of the operator is not Rust, and no audit log has requests of it.
    #[error(
        "no verdict: only requests in Rust code are read, and no audit log has requests of the operator"
    )]
    NothingToCheck,
    /// rustop found no request in the code of the operator.
    #[error("no request to the API server was found in the code of the program `{program}`, from `main` in {}", root.display())]
    NoRequests {
        /// The name of the program.
        program: String,
        /// The file with its `main`.
        root: PathBuf,
    },
    /// The plural cannot be derived from the kind.
    #[error("cannot derive a plural from the kind")]
    NoPlural {
        /// The rule that the derived plural breaks.
        source: NameError,
    },
    /// The project does not have this kind or version.
    #[error("this project has no {kind}{}", version.as_ref().map(|it| format!(" in version {}", escaped_line(it))).unwrap_or_default(), kind = escaped_line(kind))]
    NoSuchVersion {
        kind: String,
        /// The version; `None` if the user has not given one.
        version: Option<String>,
        /// Commands with versions that exist.
        known: Vec<String>,
    },
    /// The kind or version has no controller to delete.
    #[error("{kind}{} has no controller in this project", version.as_ref().map(|it| format!(" in version {it}")).unwrap_or_default())]
    NoController {
        kind: String,
        /// The version; `None` if the user has not given one.
        version: Option<String>,
    },
    /// The project does not have the webhook to delete.
    #[error("this project has no such webhook of {}", escaped_line(kind))]
    NoSuchWebhook {
        kind: String,
        /// Commands with webhooks that exist.
        known: Vec<String>,
    },
    /// Several versions of the kind have the webhook to delete.
    #[error(
        "several versions of {} have such a webhook, and the command does not name one",
        escaped_line(kind)
    )]
    SeveralWebhooks {
        kind: String,
        /// The commands for these versions.
        known: Vec<String>,
    },
    /// The project was rendered by an earlier rustop.
    #[error("the project is from rustop {version}, and this is rustop {VERSION}")]
    Outdated {
        /// The version of that rustop.
        version: String,
    },
    /// The project was rendered by a version that this rustop does not know.
    #[error("this rustop does not know release `{version}`, which PROJECT has in `cliVersion`")]
    NoRelease {
        version: String,
        /// The known versions, separated by commas.
        known: String,
    },
    /// User files contain an unfinished merge.
    #[error("a merge is not finished in these files:\n{}", indented(places))]
    Unmerged {
        /// The places of the conflict markers: `src/main.rs:12`.
        places: Vec<String>,
    },
    /// An upgrade or an edit has left conflicts for the user to resolve.
    #[error(
        "you and rustop have changed the same lines; both are marked:\n{}",
        indented(places)
    )]
    Conflicts {
        /// The places of the conflict markers: `src/main.rs:12`.
        places: Vec<String>,
    },
    /// A conversion webhook was requested for a kind with a single version, or for a kind that the
    /// project does not own.
    #[error(
        "{resource} is {}",
        if add.is_some() { "the only version of its kind: there is nothing to convert" }
        else { "not this project's kind: the project that owns its CRD converts it" }
    )]
    NothingToConvert {
        /// The version and kind.
        resource: String,
        /// The command that adds another version; `None` if the project does not own the kind.
        add: Option<String>,
    },
    /// A conversion webhook was requested for a kind of which a version has no status.
    #[error("`{file}`: {resource} has no status, and a conversion needs one in every version")]
    NoStatusToConvert {
        /// The version and kind.
        resource: String,
        /// The file with its types.
        file: String,
    },
    /// The directory of a new project already contains a project.
    #[error("`{}` already contains a project", escaped_line(&dir.display().to_string()))]
    ProjectExists {
        dir: PathBuf,
        /// The files with the CRDs that were to be imported; empty for a project without kinds.
        crds: Vec<PathBuf>,
    },
    /// The directory of a new project lies in the directory that it is imported from.
    #[error("`{}` is inside of `{}`, a directory that rustop import does not change", target.display(), dir.display())]
    TargetInside {
        /// The directory of the new project.
        target: PathBuf,
        /// The directory of the Go project.
        dir: PathBuf,
    },
    /// The kind already has the requested webhooks.
    #[error("{resource} has this webhook already")]
    WebhookExists {
        /// The version and kind.
        resource: String,
        /// The files of the webhooks.
        files: Vec<String>,
        /// The command that adds the webhooks to another version; `None` if no version lacks them.
        other: Option<String>,
    },
    /// Files in the directory of a vendored crate are not those that the project's release wrote.
    #[error(
        "these files of a vendored crate were edited or added:\n{}",
        indented(paths)
    )]
    EditedCrate {
        /// Their paths, relative to the project.
        paths: Vec<String>,
        /// The command that writes the crate's files, or removes them.
        command: &'static str,
    },
    /// Files of the user exist at the paths of new files.
    #[error(
        "these files are in the way, and rustop overwrites nothing that it did not write:\n{}",
        indented(paths)
    )]
    WouldOverwrite {
        /// Their paths, relative to the project.
        paths: Vec<String>,
    },
}

impl Failure for Refusal {
    /// Returns true for errors whose message or help has several lines. Each line of a diff begins
    /// with a sign, and `rustop adopt` escapes its findings, so their texts cannot imitate other
    /// output.
    fn is_report(&self) -> bool {
        matches!(
            self,
            Self::Ambiguous { .. }
                | Self::NoBinary { .. }
                | Self::CannotMerge { .. }
                | Self::Conflicts { .. }
                | Self::EditedCrate { .. }
                | Self::ForeignKind { .. }
                | Self::NoSuchVersion { .. }
                | Self::NoSuchWebhook { .. }
                | Self::ProjectExists { .. }
                | Self::SeveralWebhooks { .. }
                | Self::Unmerged { .. }
                | Self::WouldOverwrite { .. }
        )
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::AdoptScaffolded { .. }
            | Self::Ambiguous { .. }
            | Self::InvalidSetting { .. }
            | Self::NoBinary { .. }
            | Self::NoCommandLine { .. }
            | Self::NoCrds
            | Self::NoDeploy
            | Self::NoMatch { .. }
            | Self::NoProgram { .. }
            | Self::NoRequests { .. }
            | Self::NothingResolved { .. }
            | Self::NothingToCheck
            | Self::NothingToAdopt { .. } => return self.help_for_adoption(),
            Self::BuiltinIsFixed { .. } => "leave them out",
            Self::EmptyCommit | Self::NoCommit { .. } | Self::NoGit(_) => {
                return self.help_for_old_version();
            }
            Self::ChartExists { .. } => {
                "rustop manifests updates it; rustop delete chart removes it"
            }
            Self::NoChart => "rustop create chart",
            Self::BundleExists => "rustop manifests updates it; rustop delete bundle removes it",
            Self::PartExists(part) => {
                return Some(format!("{} removes it", part.command("delete")));
            }
            Self::PartNeeded { needed_by, .. } => return Some(needed_by.command("delete")),
            Self::NoPart(part) => return Some(part.command("create")),
            Self::NoBundle => "rustop create bundle",
            Self::DirectoryName { command, .. } => command,
            Self::Drift { .. } => "rustop manifests",
            Self::ForeignKind { known, .. } if known.is_empty() => {
                "leave out `--no-resource` to create it, or pass the full group of a kind of another project: `--group cert-manager.io`"
            }
            Self::NoController { .. } => {
                "there is nothing to delete; without `--no-resource`, the command deletes the types and the CRD"
            }
            Self::NoSuchWebhook { known, .. } if known.is_empty() => {
                "no kind of this project has a webhook: there is nothing to delete"
            }
            Self::ForeignKind { known, .. }
            | Self::NoSuchVersion { known, .. }
            | Self::NoSuchWebhook { known, .. }
            | Self::SeveralWebhooks { known, .. } => return one_per_line(known),
            Self::Role { .. } => "rustop manifests writes the file",
            Self::GoCrdTwice { .. }
            | Self::GoDirectory { .. }
            | Self::GoName { .. }
            | Self::GoPath { .. }
            | Self::GoProject { .. }
            | Self::GoRole { .. }
            | Self::GoWithoutCrds { .. } => return self.help_for_go_project(),
            Self::ControllerUnwritten { .. } => {
                "replace its `todo!` by your `reconcile`, then run the command again"
            }
            Self::KindExists {
                add_controller: None,
                ..
            } => "name another `--kind`, or another `--version` of this one",
            Self::KindExists { add_controller, .. } => return add_controller.clone(),
            Self::ImageOfVersion { .. } => "leave `--image` out, or name another `--kind`",
            Self::NoAuditLog { .. } => "rustop dev writes one",
            Self::NoCrd { .. } => "give `#[kube(..)]` and PROJECT the same group, plural and kind",
            Self::Outdated { .. } => "rustop upgrade",
            Self::NoRelease { known, .. } => {
                return Some(format!(
                    "set `cliVersion` to the release that generated the project: {known}"
                ));
            }
            Self::Unmerged { .. } => {
                "finish the merge, or git merge --abort; then run the command again"
            }
            Self::Conflicts { .. } => {
                "edit these places, and delete the lines `<<<<<<<`, `=======` and `>>>>>>>`"
            }
            Self::NoPlural { .. } => "pass one with `--plural`",
            Self::NothingToConvert { add, .. } => return add.clone(),
            Self::NoStatusToConvert { .. } => {
                "add `status = \"..\"` to its `#[kube(..)]`, and a struct of that name, which may be empty"
            }
            Self::ProjectExists { crds, .. } if crds.is_empty() => {
                "rustop create api --kind Lolcow adds to it"
            }
            Self::ProjectExists { dir, crds } => return one_per_line(&imports(dir, crds)),
            Self::WebhookExists { files, other, .. } => {
                let edit = format!("edit {}", files.join(" and "));
                let other = other.as_ref().map(|command| format!(", or: {command}"));
                return Some(edit + &other.unwrap_or_default());
            }
            Self::TargetInside { .. } => {
                "name a directory outside of it: rustop import DIR ../TARGET"
            }
            Self::CannotMerge { .. } => "make these changes by hand, then run the command again",
            Self::EditedCrate { command, .. } => return Some(help_for_edited_crate(command)),
            Self::WouldOverwrite { .. } => "move them away and run the command again",
        };
        Some(help.into())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::BuiltinIsFixed { .. }
            | Self::DirectoryName { .. }
            | Self::ForeignKind { .. }
            | Self::NoController { .. }
            | Self::NoPlural { .. }
            | Self::NoSuchVersion { .. }
            | Self::NoSuchWebhook { .. }
            | Self::SeveralWebhooks { .. } => 2,
            _ => 1,
        }
    }
}

impl Refusal {
    /// Returns the help for an old version of the project that cannot be checked out; `None` for
    /// other errors.
    fn help_for_old_version(&self) -> Option<String> {
        let help = match self {
            Self::EmptyCommit => {
                "pass a commit, a tag or a branch: rustop torture --upgrade-from v1.2.0"
            }
            Self::NoCommit { reason, .. } if git::is_outside(reason) => {
                "run it in the repository of the project, or pass the program and the CRDs of the old version: --from-command and --from-crds"
            }
            Self::NoCommit { name, .. } => return Some(git::help_for_commit(name)),
            Self::NoGit(_) => {
                "install git, or pass the program and the CRDs of the old version: --from-command and --from-crds"
            }
            _ => return None,
        };
        Some(help.into())
    }

    /// Returns the help for an error in a Go project to import; `None` for other errors.
    fn help_for_go_project(&self) -> Option<String> {
        let help = match self {
            Self::GoCrdTwice { first, .. } => {
                return Some(format!(
                    "pass the directory or file to import: --crds {first}"
                ));
            }
            Self::GoDirectory { dir, source } => return help_for_go_directory(dir, source.kind()),
            Self::GoName { flag, .. } => return Some(format!("pass another one with {flag}")),
            Self::GoPath { .. } => "rename it, then run the command again",
            Self::GoProject { .. } => "fix the file, or move it away to import only the CRDs",
            Self::GoRole { .. } => "run make manifests in the Go project",
            Self::GoWithoutCrds { dir, .. } => help_for_import(dir),
            _ => return None,
        };
        Some(help.into())
    }

    /// Returns the help for an error of `rustop adopt` or in an adopted project; `None` for other
    /// errors.
    fn help_for_adoption(&self) -> Option<String> {
        let help = match self {
            Self::AdoptScaffolded { .. } => {
                "all commands of rustop work here already; see rustop --help"
            }
            Self::Ambiguous { .. } => "run rustop adopt again with one of each",
            Self::InvalidSetting { flag, .. } => {
                return Some(match *flag {
                    "--name" => "pass a DNS label: --name my-operator".to_owned(),
                    "--crds-command" => {
                        "pass a shell line: --crds-command 'cargo run --bin crdgen'".to_owned()
                    }
                    flag => {
                        format!("pass a path in the repository, relative to its top: {flag} PATH")
                    }
                });
            }
            Self::NothingToAdopt { .. } => {
                "rustop adopt --crds-command COMMAND --crds PATH --deploy PATH"
            }
            Self::NoCrds => {
                "rustop adopt --crds PATH --force, or --crds-command COMMAND for types in Rust"
            }
            Self::NoDeploy => {
                "add the manifests to rustop.yaml: `deploy: {files: [PATH]}`, `deploy: {chart: DIR}` or `deploy: {kustomize: DIR}`"
            }
            Self::NoMatch { .. } => {
                "paths are relative to the repository; `*` matches within one path component"
            }
            Self::NoBinary { programs, .. } if programs.is_empty() => {
                "rustop adopt --command 'PROGRAM ARGUMENTS', for an operator in any language"
            }
            Self::NoCommandLine { .. } => {
                "write it as for a shell: --command 'python -m kopf run op.py'"
            }
            Self::NoBinary { programs, .. } => {
                let commands: Vec<_> = programs
                    .iter()
                    .map(|name| format!("--bin {}", shell_word(name)))
                    .collect();
                return one_per_line(&commands);
            }
            Self::NoProgram { programs } => {
                return Some(help_for_program(programs));
            }
            Self::NothingToCheck => "rustop dev --once && rustop rbac report --check",
            Self::NothingResolved { .. } => "rustop --verbose rbac report lists them",
            Self::NoRequests { .. } => {
                "correct `operator.command` in rustop.yaml if another program is the operator; only requests through kube are read"
            }
            _ => return None,
        };
        Some(help.into())
    }
}

/// Returns the help for a project without CRDs to import.
fn help_for_import(dir: &Path) -> &'static str {
    if dir.join("Cargo.toml").exists() {
        "rustop does not convert projects in Rust: `rustop adopt` uses its tools on the operator as it is, and `rustop create api \
         --from-crd FILE` in a new project imports the types"
    } else {
        "run make manifests in the Go project, or name its CRDs: --crds PATH"
    }
}

/// Returns the help for the path of a Go project that cannot be used, by its kind of error.
fn help_for_go_directory(dir: &Path, kind: io::ErrorKind) -> Option<String> {
    let word = |path: &Path| shell_word(&path.to_string_lossy());
    match kind {
        io::ErrorKind::NotFound => {
            Some("name the directory of the Go project: rustop import DIR".to_owned())
        }
        io::ErrorKind::NotADirectory => Some(format!(
            "name a directory: rustop import {}; for a file with CRDs, in a project: rustop create api --from-crd {}",
            word(dir.parent().unwrap_or(dir)),
            word(dir)
        )),
        _ => None,
    }
}

/// Returns the help for edits of a vendored crate, with the command that reverts them.
fn help_for_edited_crate(command: &str) -> String {
    format!(
        "to lose the edits, delete these files and run: {command}; to keep them, name your own copy of the crate in \
         Cargo.toml: rustop-manager = {{ path = \"..\" }}"
    )
}

/// Returns the commands that import CRDs into the project in `dir`, one for each file.
fn imports(dir: &Path, crds: &[PathBuf]) -> Vec<String> {
    let word = |path: &Path| shell_word(&path.to_string_lossy());
    let command = |crd: &PathBuf| {
        format!(
            "rustop -C {} create api --from-crd {}",
            word(dir),
            word(crd)
        )
    };
    crds.iter().map(command).collect()
}

/// Returns the help for an operator of which rustop.yaml does not name the program.
fn help_for_program(programs: &[String]) -> String {
    let name = programs.first().map_or("NAME", String::as_str);
    format!("name it in rustop.yaml: operator: {{command: [target/debug/{name}]}}")
}

/// Returns commands as a help text with one line for each; `None` if there are none.
fn one_per_line(commands: &[String]) -> Option<String> {
    let lines: Vec<_> = commands
        .iter()
        .map(|command| escaped_line(command))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n      "))
}

impl Refusal {
    /// Returns the error for a kind that the user has given, with its group if one was given.
    /// `known` are commands with kinds that exist; `project` is `None` for an adopted operator.
    pub fn foreign_kind(
        kind: &str,
        group: Option<&str>,
        project: Option<&Project>,
        known: Vec<String>,
    ) -> Self {
        let of_group = group.map(|group| format!(" in group `{group}`"));
        let resources = project.into_iter().flat_map(|project| &project.resources);
        let there = resources.filter(|there| there.kind.as_str() == kind);
        Self::ForeignKind {
            requested: format!("{kind}{}", of_group.unwrap_or_default()),
            there: there.map(ToString::to_string).collect(),
            known,
        }
    }
}

/// Describes that a kind is unknown, and what the project has instead.
fn unknown(there: &[String]) -> String {
    if there.is_empty() {
        return " is known, neither in this project nor in Kubernetes".to_owned();
    }
    format!(" is known; this project has {}", there.join(" and "))
}
