//! The operation of `rustop adopt`: finds out how an existing operator is built and installed, and
//! writes `rustop.yaml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::{Refusal, Result, Transition, code_permissions};
use crate::adopted::config::{Config, Crds, Deploy, LAYOUT, ManifestSource, Operator};
use crate::adopted::detect::{self, Candidate, OperatorProgram, Repository};
use crate::adopted::{self, FILE, deploy, expanded, is_chart, is_kustomization};
use crate::disk;
use crate::error::Io;
use crate::names::OperatorName;
use crate::project;
use crate::session::Session;
use crate::text::{count, indented, shell_path, shell_quoted, shell_word, shell_words};
use crate::tree::{Change, Plan, unified};
use crate::yaml::{self, Problem};

/// An operation that writes `rustop.yaml` for the operator in a directory.
#[derive(Args, Debug)]
pub struct Adopt {
    /// Directory of the repository [default: the current directory]
    pub dir: Option<PathBuf>,
    /// Shell line that prints the CRDs or writes them to files
    #[arg(long, value_name = "COMMAND")]
    pub crds_command: Option<String>,
    /// Committed copy of the CRDs, also as a template of a chart; can be repeated
    #[arg(long, value_name = "PATH")]
    pub crds: Vec<String>,
    /// Name of the operator's program
    #[arg(long, value_name = "NAME")]
    pub bin: Option<String>,
    /// Command line that starts the operator, for a program in any language
    #[arg(long, value_name = "COMMAND", conflicts_with = "bin")]
    pub command: Option<String>,
    /// Shell line that builds the operator
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,
    /// Manifests that install the operator: a chart, a kustomization, or files separated by commas,
    /// if need be as chart:DIR, kustomize:DIR or files:PATH
    #[arg(long, value_name = "PATH")]
    pub deploy: Option<String>,
    /// File with samples of the operator's kinds, with `*` for any name; can be repeated
    #[arg(long, value_name = "PATH")]
    pub samples: Vec<String>,
    /// Name of the project [default: that of the program's package]
    #[arg(long, value_name = "NAME")]
    pub name: Option<OperatorName>,
    /// Replace an existing rustop.yaml; keys that are not found keep their values
    #[arg(long)]
    pub force: bool,
    /// Print rustop.yaml without writing it
    #[arg(long)]
    pub dry_run: bool,
}

/// The CI systems for which the checks are printed: a file, and the texts before all commands and
/// before each.
const CI: [(&str, &str, &str); 2] = [
    ("a GitHub workflow", "", "  - run: "),
    (".gitlab-ci.yml", "  script:\n", "    - "),
];

/// Maximum number of lines about the files of one field.
const MOST_LINES: usize = 10;

/// The search for the settings of one run. Prints each finding at once.
struct Search<'a> {
    session: &'a Session,
    repository: Repository,
    /// One entry for each field with several candidates.
    ambiguous: Vec<String>,
}

impl Adopt {
    /// Searches the repository for the operator's program, CRDs and manifests, and writes
    /// `rustop.yaml`.
    ///
    /// # Errors
    /// Returns an error if the directory has a project that rustop scaffolded, if a field has
    /// several candidates, if nothing is found, or if the file cannot be written.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = match &self.dir {
            Some(dir) => session.here.join(dir),
            None => session.here.clone(),
        };
        if project::is_at(&root) {
            return Err(Refusal::AdoptScaffolded { dir: root }.into());
        }
        root.read_dir().map_err(Io::on("read", &root))?;
        let mut transition = Transition::begin(&root, session, self.dry_run)?;
        let mut search = Search {
            session,
            repository: Repository::read(&root),
            ambiguous: Vec::new(),
        };
        self.check_flags(&search.repository)?;
        for invalid in detect::invalid(&search.repository) {
            session.terminal.warning(format_args!(
                "{}: cannot be parsed: {}; it is left out",
                invalid.place(),
                invalid.why
            ));
        }
        let before = disk::read_in(&root, FILE)?;
        let earlier = before.as_deref().and_then(|text| parsed(session, text));
        let config = self.config(&mut search, earlier.as_ref());
        if !search.ambiguous.is_empty() {
            return Err(Refusal::Ambiguous {
                findings: search.ambiguous,
            }
            .into());
        }
        if config.crds == Crds::default() && config.operator == Operator::default() {
            return Err(Refusal::NothingToAdopt { dir: root }.into());
        }
        check_settings(&config)?;
        let renders = report_workload(session, &root, &config);
        super::adopted::warn_if_only_in_cluster(session, &search.repository);
        let is_same = earlier.as_ref() == Some(&config);
        if self.write(&mut transition, session, &config, before, is_same)? {
            self.print_next(session, &root, &config, renders);
        }
        Ok(())
    }

    /// Checks that the flags have values which the next commands accept, and name existing programs
    /// and files.
    ///
    /// # Errors
    /// Returns an error if a flag names a program or files that the repository does not have. The
    /// files of `--crds` may be missing if `--crds-command` writes them.
    fn check_flags(&self, repository: &Repository) -> Result<()> {
        let root = repository.root();
        let crds = self.crds.iter().map(|value| ("--crds", value));
        let crds = crds.filter(|_| self.crds_command.is_none());
        let samples = self.samples.iter().map(|value| ("--samples", value));
        let deploy = self.deploy.as_deref().map(|text| deploy_of(root, text));
        check_settings(&Config {
            layout: vec![LAYOUT.to_owned()],
            project_name: (self.name.as_ref())
                .map_or("operator", OperatorName::as_str)
                .to_owned(),
            crds: Crds {
                command: self.crds_command.clone(),
                timeout_seconds: None,
                files: self.crds.clone(),
            },
            deploy: deploy.clone(),
            samples: self.samples.clone(),
            ..Config::default()
        })?;
        let paths = deploy.as_ref().map(Deploy::paths).unwrap_or_default();
        let paths = paths.iter().map(|value| ("--deploy", value));
        for (flag, value) in crds.chain(samples).chain(paths) {
            let mut files = expanded(root, std::slice::from_ref(value));
            files.retain(|path| root.join(path).exists());
            let mut files = files.iter();
            let problem = if files.len() == 0 {
                "matches no file"
            } else if flag == "--crds" && !files.all(|path| detect::has_crd(repository, path)) {
                "has no CustomResourceDefinition"
            } else if flag == "--samples" && !files.all(|path| detect::is_sample(repository, path))
            {
                "has no object of the operator's groups"
            } else if flag == "--deploy"
                && let Some(problem) = deploy.as_ref().and_then(|it| deploy::problem(root, it))
            {
                problem
            } else {
                continue;
            };
            return Err(Refusal::NoMatch {
                flag,
                value: shell_word(value),
                problem,
            }
            .into());
        }
        if let Some(command) = &self.command
            && shell_words(command).is_none_or(|words| words.is_empty())
        {
            return Err(Refusal::NoCommandLine {
                value: shell_quoted(command),
            }
            .into());
        }
        if let Some(name) = &self.bin
            && detect::programs(repository, Some(name)).is_empty()
        {
            let programs = detect::programs(repository, None).into_iter();
            return Err(Refusal::NoBinary {
                name: shell_word(name),
                programs: programs.map(|program| program.value.name).collect(),
            }
            .into());
        }
        Ok(())
    }

    /// Returns the settings: those of the flags, those that are found, and, for settings that are
    /// neither, those of the earlier file. Records a setting with several candidates in
    /// `search.ambiguous` and leaves it empty.
    fn config(&self, search: &mut Search, earlier: Option<&Config>) -> Config {
        let command = self.crds_command.clone().or_else(|| {
            let found = detect::command(&search.repository);
            search.one("CRD command", "--crds-command", found, Clone::clone)
        });
        let files = if self.crds.is_empty() {
            let (found, released) = detect::files(&search.repository, command.is_some());
            if let Some(first) = released.first() {
                search.session.terminal.note(format_args!(
                    "left out {} of released versions, such as {}; --crds PATH adds one",
                    count(released.len(), "file"),
                    first.display()
                ));
            }
            search.all("CRDs", found, |path| path.display().to_string())
        } else {
            self.crds.clone()
        };
        let found = if self.command.is_none() {
            detect::programs(&search.repository, self.bin.as_deref())
        } else {
            Vec::new()
        };
        let has_candidates = !found.is_empty();
        let names: Vec<_> = found.iter().map(|it| it.value.name.clone()).collect();
        let flags = |it: &OperatorProgram| {
            if names.iter().filter(|name| **name == it.name).count() < 2 {
                return format!("--bin {}", shell_word(&it.name));
            }
            let [build, command] = [&it.build, &it.command].map(|it| shell_word(it));
            format!("--build {build} --command {command}")
        };
        let program = if has_candidates {
            search.one_by("program", "--bin", found, |it| it.name.clone(), flags)
        } else {
            None
        };
        let deploy = if let Some(text) = &self.deploy {
            Some(deploy_of(search.repository.root(), text))
        } else {
            let found = detect::deployments(&search.repository, program.as_ref());
            search.one("manifests", "--deploy", found, flag_value)
        };
        let samples = if self.samples.is_empty() {
            let found = detect::samples(&search.repository);
            search.all("samples", found, Clone::clone)
        } else {
            self.samples.clone()
        };
        let project_name = self.name.clone().map_or_else(
            || {
                let found = detect::name(&search.repository, program.as_ref(), deploy.as_ref());
                search.report_found("name", &found.value, &found, true);
                found.value
            },
            String::from,
        );
        let mut config = Config {
            layout: vec![LAYOUT.to_owned()],
            project_name,
            crds: Crds {
                command,
                timeout_seconds: None,
                files,
            },
            operator: program.map(of_program).unwrap_or_default(),
            deploy,
            samples,
            lint: project::LintConfig::default(),
            allow: Vec::new(),
        };
        if let Some(line) = &self.command {
            config.operator.command = shell_words(line).unwrap_or_default();
        }
        if let Some(line) = &self.build {
            config.operator.build = Some(line.clone());
        }
        if let Some(earlier) = earlier {
            let mut earlier = earlier.clone();
            forget_missing(&mut earlier, search.repository.root());
            if self.command.is_some() {
                // Arguments and a build of another program do not apply to this one.
                earlier.operator.command.clear();
                earlier.operator.build = None;
            }
            config.keep(&earlier);
        }
        if config.operator.command.is_empty() && !has_candidates {
            let found = detect::started(&search.repository, &config);
            let started = search.one("program", "--command", found, Clone::clone);
            config.operator.command.extend(started);
        }
        config
    }

    /// Writes the file if there is none, or if `force` is set. If there is another one and `force`
    /// is not set, shows the difference instead. `before` is the text of the file, and `is_same` is
    /// true if it has these settings. Returns true if the file was written, false if it was not,
    /// also in a dry run.
    fn write(
        &self,
        transition: &mut Transition,
        session: &Session,
        config: &Config,
        before: Option<String>,
        is_same: bool,
    ) -> Result<bool> {
        let terminal = session.terminal;
        let text = config.to_text();
        session.report("text", text.as_str());
        if is_same {
            terminal.status("Unchanged", FILE);
            return Ok(false);
        }
        if let Some(before) = before.as_deref().filter(|_| self.dry_run || !self.force) {
            terminal.data(&unified(FILE, Some(before), Some(&text)))?;
            terminal.status(
                "Kept",
                format_args!(
                    "{FILE}, which differs from the detected settings; `rustop adopt --force` replaces it"
                ),
            );
            return Ok(false);
        }
        if self.dry_run {
            terminal.data(&text)?;
            return Ok(false);
        }
        let plan = Plan {
            changes: vec![Change {
                path: FILE.to_owned(),
                before,
                after: Some(text),
                edited: false,
            }],
            conflicts: Vec::new(),
        };
        transition.carry_out(&plan)?;
        Ok(true)
    }

    /// Prints the next commands, and the lines for CI. Commands that cannot succeed in this project
    /// are left out. `renders` is false if there are manifests that cannot be read.
    fn print_next(&self, session: &Session, root: &Path, config: &Config, renders: bool) {
        let terminal = session.terminal;
        // Without manifests, `rbac report` prints the role that Rust code needs.
        let is_rust = code_permissions::has_rust(root);
        let has_report = renders && (config.deploy.is_some() || is_rust);
        let has_crds = !config.crds.have_no_source();
        let next = [
            (has_report, "rustop rbac report"),
            (has_crds, "rustop manifests --check"),
            (has_crds, "rustop lint"),
        ];
        let next = next.iter().filter(|(works, _)| *works);
        let mut next: Vec<_> = next.map(|(_, command)| (*command).to_owned()).collect();
        let dir = self.dir.as_ref().map(|dir| dir.to_string_lossy());
        next.splice(
            0..0,
            dir.as_ref().map(|dir| format!("cd {}", shell_path(dir))),
        );
        terminal.note(format_args!("Next: {}", next.join(" && ")));
        let flag = dir
            .filter(|dir| Path::new(&**dir).is_relative())
            .map_or_else(String::new, |dir| format!(" -C {}", shell_word(&dir)));
        let reason = match &config.deploy {
            None => "rustop.yaml has no `deploy` (--deploy PATH --force)",
            Some(_) if !renders => "the manifests cannot be read, as the warning above says",
            Some(_) if !is_rust => "requests are read in Rust code only",
            Some(_) => "",
        };
        let no_crds = if has_crds {
            ""
        } else {
            "rustop.yaml has no `crds` (--crds PATH --force)"
        };
        let checks = [
            ("manifests --check", no_crds),
            ("rbac report --check", reason),
        ];
        let (works, left_out): (Vec<_>, Vec<_>) =
            checks.iter().partition(|(_, reason)| reason.is_empty());
        if !works.is_empty() {
            for (file, head, each) in CI {
                let lines = works.iter().map(|(command, _)| {
                    let command = yaml::write(&format!("rustop{flag} {command}").into());
                    format!("{each}{}", command.trim_end())
                });
                let lines: Vec<_> = lines.collect();
                terminal.report(format_args!("In {file}:\n{head}{}", lines.join("\n")));
            }
        }
        for (command, reason) in left_out {
            terminal.note(format_args!(
                "`rustop {command}` is left out of CI: {reason}"
            ));
        }
    }
}

impl Search<'_> {
    /// Reports the only candidate and returns it. Several candidates are recorded as ambiguous, and
    /// none is a note; both return `None`. `what` names the setting in messages, `flag` is the
    /// option that chooses a candidate, and `shown` returns the value of that option.
    fn one<T>(
        &mut self,
        what: &str,
        flag: &str,
        found: Vec<Candidate<T>>,
        shown: impl Fn(&T) -> String,
    ) -> Option<T> {
        let flags = |it: &T| format!("{flag} {}", shell_word(&shown(it)));
        self.one_by(what, flag, found, &shown, flags)
    }

    /// Does the same as [`Self::one`]. `flags` returns the options that choose a candidate, for
    /// candidates that one option does not distinguish.
    fn one_by<T>(
        &mut self,
        what: &str,
        flag: &str,
        mut found: Vec<Candidate<T>>,
        shown: impl Fn(&T) -> String,
        flags: impl Fn(&T) -> String,
    ) -> Option<T> {
        match found.len() {
            0 => {
                self.session
                    .terminal
                    .status("Missing", format_args!("{what}; {flag} names one"));
                None
            }
            1 => {
                let candidate = found.remove(0);
                self.report_found(what, &shown(&candidate.value), &candidate, true);
                Some(candidate.value)
            }
            _ => {
                let list = found.iter().map(|it| {
                    let (flags, evidence) = (flags(&it.value), &it.evidence);
                    format!("{flags}    # {} {}", evidence.place(), evidence.why)
                });
                let list: Vec<_> = list.collect();
                self.ambiguous.push(format!(
                    "several candidates for the {what}:\n{}",
                    indented(&list)
                ));
                None
            }
        }
    }

    /// Reports all candidates and returns their texts, which `shown` formats. `what` is `CRDs` or
    /// `samples`.
    fn all<T>(
        &self,
        what: &str,
        found: Vec<Candidate<T>>,
        shown: impl Fn(&T) -> String,
    ) -> Vec<String> {
        if found.is_empty() {
            let flag = if what == "CRDs" {
                "--crds"
            } else {
                "--samples"
            };
            self.session
                .terminal
                .status("Missing", format_args!("{what}; {flag} names a file"));
        }
        let more = found.len().saturating_sub(MOST_LINES);
        let each = found.into_iter().enumerate().map(|(at, candidate)| {
            let value = shown(&candidate.value);
            self.report_found(what, &value, &candidate, at < MOST_LINES);
            value
        });
        let values = each.collect();
        if more > 0 {
            self.session.terminal.status(
                "Found",
                format_args!("{more} more {what} (listed with --verbose)"),
            );
        }
        values
    }

    /// Prints a value that was found with its evidence, and adds it to the JSON document.
    /// A line that is not `is_shown` is printed with `--verbose` only.
    fn report_found<T>(&self, what: &str, value: &str, candidate: &Candidate<T>, is_shown: bool) {
        let evidence = &candidate.evidence;
        let place = evidence.place();
        let line = (evidence.line > 0).then_some(evidence.line);
        self.session.report_each(
            "found",
            [json!({ "what": what, "value": value, "path": evidence.file, "line": line, "why": evidence.why })],
        );
        let line = format!("{what} `{value}`: {place} {}", evidence.why);
        if is_shown {
            self.session.terminal.status("Found", line);
        } else {
            self.session.terminal.detail(line);
        }
    }
}

/// Parses the file of an earlier run. `None` if it is invalid: a warning then says that none of its
/// settings is kept.
fn parsed(session: &Session, text: &str) -> Option<Config> {
    let warn = |problem: &Problem| {
        session.terminal.warning(format_args!(
            "{}: {}; no setting of this file is kept",
            problem.place(Path::new(FILE)),
            problem.reason
        ));
    };
    Config::parse(text).inspect_err(warn).ok()
}

/// Removes files from settings that do not exist any longer.
fn forget_missing(config: &mut Config, root: &Path) {
    let exists = |pattern: &String| {
        let files = expanded(root, std::slice::from_ref(pattern));
        files.iter().any(|path| root.join(path).exists())
    };
    config.crds.files.retain(exists);
    config.samples.retain(exists);
    let deploy = config.deploy.take();
    config.deploy = deploy.filter(|it| it.paths().iter().all(exists));
}

/// Checks that the next commands accept the settings.
///
/// # Errors
/// Returns an error that names the flag of the first invalid setting.
fn check_settings(config: &Config) -> Result<()> {
    let Some((key, reason)) = config.problem() else {
        return Ok(());
    };
    let flag = match key {
        "projectName" => "--name",
        "crds.command" => "--crds-command",
        "crds.files" => "--crds",
        "samples" => "--samples",
        _ => "--deploy",
    };
    Err(Refusal::InvalidSetting { flag, reason }.into())
}

/// Returns the settings for a program of the repository.
fn of_program(program: OperatorProgram) -> Operator {
    let is_rust = program.build.starts_with("cargo ");
    Operator {
        build: Some(program.build),
        command: vec![program.command],
        // Most loggers of Rust programs print only errors without it.
        env: if is_rust {
            BTreeMap::from([("RUST_LOG".to_owned(), "info".to_owned())])
        } else {
            BTreeMap::new()
        },
        ..Operator::default()
    }
}

/// Renders the manifests and reports the operator's workload, its ServiceAccount and the number of
/// its rules. A problem is a warning: `rustop.yaml` is where the user fixes it. Returns false if
/// `rustop rbac report` could not read the manifests either; true also if there are none.
fn report_workload(session: &Session, root: &Path, config: &Config) -> bool {
    let Some(deploy) = &config.deploy else {
        return true;
    };
    let terminal = session.terminal;
    for entry in deploy::left_out(root, deploy) {
        terminal.warning(entry);
    }
    let found = deploy::objects(root, deploy, &config.project_name).and_then(|objects| {
        let workload = deploy::workload(config, &objects)?;
        let rules = deploy::rules(&objects, &workload).len();
        Ok((workload, rules))
    });
    let (workload, rules) = match found {
        Ok(found) => found,
        Err(error) => {
            terminal.warning_of(&error);
            // Without helm, `rbac report` reads the rules in the templates.
            return matches!(error, adopted::Error::Chart { .. });
        }
    };
    let account = format!("{}/{}", workload.namespace, workload.service_account);
    let container = workload.container["name"].as_str().unwrap_or_default();
    terminal.status(
        "Found",
        format_args!(
            "{} `{}`, container `{container}`, ServiceAccount `{account}` with {}: {}",
            workload.kind,
            workload.name,
            count(rules, "rule"),
            workload.place()
        ),
    );
    if rules == 0 {
        terminal.warning(format_args!(
            "no role is bound to the ServiceAccount {account} in the manifests"
        ));
    }
    session.report(
        "workload",
        json!({
            "kind": workload.kind,
            "name": workload.name,
            "namespace": workload.namespace,
            "serviceAccount": workload.service_account,
            "container": container,
            "rules": rules,
        }),
    );
    true
}

/// Returns the flag's value for manifests.
fn flag_value(deploy: &Deploy) -> String {
    match deploy.source() {
        ManifestSource::Chart(dir) | ManifestSource::Kustomize(dir) => dir.to_owned(),
        ManifestSource::Files(files) => format!("files:{}", files.join(",")),
    }
}

/// Parses the value of `--deploy`.
fn deploy_of(root: &Path, text: &str) -> Deploy {
    let path = |text: &str| Some(text.trim_end_matches('/').to_owned());
    let files = |text: &str| text.split(',').map(str::to_owned).collect();
    match text.split_once(':') {
        Some(("chart", dir)) => Deploy {
            chart: path(dir),
            ..Deploy::default()
        },
        Some(("kustomize", dir)) => Deploy {
            kustomize: path(dir),
            ..Deploy::default()
        },
        Some(("files", list)) => Deploy {
            files: files(list),
            ..Deploy::default()
        },
        _ if is_chart(&root.join(text)) => Deploy {
            chart: path(text),
            ..Deploy::default()
        },
        _ if is_kustomization(&root.join(text)) => Deploy {
            kustomize: path(text),
            ..Deploy::default()
        },
        _ => Deploy {
            files: files(text),
            ..Deploy::default()
        },
    }
}
