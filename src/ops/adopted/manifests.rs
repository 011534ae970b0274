//! `rustop manifests` in an adopted project: the committed copies of the CRDs against what the
//! project's command generates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::manifests::Manifests;
use super::super::output::found_by;
use super::super::{Refusal, Result, Transition, docs};
use super::{against, command_result, generate, rules, sources, typed, warn};
use crate::adopted::copies::{self, CommittedCrd, differences, name};
use crate::adopted::crds::{self, Generated};
use crate::adopted::{Config, FILE};
use crate::diagnostic::{Diagnostic, Problems};
use crate::disk;
use crate::session::Session;
use crate::text::count;
use crate::tree::{Change, Plan};
use crate::yaml;

/// The number of differences that are printed for a copy.
const SHOWN: usize = 3;

/// Checks or updates the copies, and prints the report.
///
/// # Errors
/// Returns an error if the CRD command fails, if a copy differs and is not updated, or if a change
/// is breaking.
pub fn run(session: &Session, options: &Manifests) -> Result<()> {
    let mut changes = Vec::new();
    let mut diagnostics = Vec::new();
    let result = all(session, options, &mut changes, &mut diagnostics);
    if let Err(error) = &result {
        diagnostics.extend(found_by(error));
    }
    let only_looks = options.check || options.dry_run;
    let written = !changes.is_empty() && !only_looks;
    let report = options.output.report(&changes, written, &diagnostics);
    session.terminal.data(&report.unwrap_or_default())?;
    result
}

/// Checks or updates the copies. Adds the written changes and the warnings to `changes` and
/// `diagnostics`, also if it returns an error, since the report contains them.
fn all(
    session: &Session,
    options: &Manifests,
    changes: &mut Vec<Change>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<()> {
    let dir = &session.dir;
    let config = Config::load(dir)?;
    let against = options
        .against
        .as_ref()
        .map(|name| against::read(session, &config, name))
        .transpose()?;
    if config.crds.have_no_source() {
        return Err(Refusal::NoCrds.into());
    }
    let only_looks = options.check || options.dry_run;
    let generated = match (&config.crds.command, only_looks) {
        // The command may write copies itself, so it runs in the repository. A check runs it in a
        // copy of the repository.
        (Some(command), false) => {
            session.terminal.status("Running", command);
            let generated = command_result(crds::generate_in_place(
                dir,
                &config,
                command,
                session.interrupt(),
            ))?;
            warn(session, &generated);
            generated
        }
        _ => generate(session, &config)?,
    };
    let copies = copies::read(dir, &config)?;
    if let Some(against) = &against {
        let crds = typed(&generated, &copies)?;
        let found = super::super::against::check(
            session,
            &crds,
            &sources(dir, &config),
            against,
            FILE,
            options.deny_warnings,
        )?;
        diagnostics.extend(found);
    }
    let mut problems = Vec::new();
    let mut types = None;
    let mut stale: BTreeMap<PathBuf, Vec<&Value>> = BTreeMap::new();
    for copy in &copies {
        let Some(wanted) = generated.crds.iter().find(|it| name(it) == name(&copy.crd)) else {
            session.terminal.warning(format_args!(
                "{}:{}: the CRD command does not generate {}: only its validation rules are compared",
                copy.file.display(),
                copy.line,
                name(&copy.crd)
            ));
            let types = types.get_or_insert_with(|| sources(dir, &config).types);
            let found = rules::missing(dir, types, &copy.crd);
            if !found.is_empty() {
                problems.push(
                    problem(&config, copy, &found)
                        .help("add the rule to the copy, or generate this CRD, too"),
                );
            }
            continue;
        };
        let of = origin(&config, &copies, copy);
        let found = differences(&copy.crd, wanted, &of);
        if found.is_empty() {
            continue;
        }
        let is_updated = !only_looks && !copy.is_templated && config.crds.command.is_some();
        if is_updated || (options.dry_run && !copy.is_templated && config.crds.command.is_some()) {
            stale.entry(copy.file.clone()).or_default().push(wanted);
        }
        if !is_updated && !options.dry_run {
            problems.push(problem(&config, copy, &found));
        }
    }
    missing(session, &copies, &generated);
    if !stale.is_empty() {
        let plan = plan(dir, &stale)?;
        Transition::begin(dir, session, options.dry_run)?.carry_out(&plan)?;
        changes.extend(plan.changes);
    }
    let references = docs::changes_of_adopted(session)?;
    if !references.changes.is_empty() && options.check {
        problems.extend(references.changes.iter().map(|change| {
            Diagnostic::file(
                Path::new(&change.path),
                "the reference of the CRDs is stale",
            )
            .help("rustop manifests")
        }));
    } else if !references.changes.is_empty() {
        Transition::begin(dir, session, options.dry_run)?.carry_out(&references)?;
        changes.extend(references.changes);
    }
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    report(session, &copies, &generated);
    Ok(())
}

/// Prints what was checked.
fn report(session: &Session, copies: &[CommittedCrd], generated: &Generated) {
    if copies.is_empty() {
        session.terminal.note(format_args!(
            "the CRD command generates {}; `crds.files` of {FILE} names no copy to compare with",
            count(generated.crds.len(), "CRD")
        ));
        return;
    }
    let names: BTreeSet<_> = copies.iter().map(|it| name(&it.crd)).collect();
    let checked = format_args!(
        "{} of {}: up to date",
        count(copies.len(), "copy"),
        count(names.len(), "CRD")
    )
    .to_string();
    session.terminal.status("Checked", checked);
}

/// Returns the origin of the CRD with which a copy is compared, for messages: the command's output,
/// or the first copy.
fn origin(config: &Config, copies: &[CommittedCrd], copy: &CommittedCrd) -> String {
    if config.crds.command.is_some() {
        return "the generated CRD".to_owned();
    }
    let first = copies.iter().find(|it| name(&it.crd) == name(&copy.crd));
    first.map_or_else(String::new, |it| format!("`{}`", it.file.display()))
}

/// Returns the error about a copy. `found` has one line for each difference.
fn problem(config: &Config, copy: &CommittedCrd, found: &[String]) -> Diagnostic {
    let shown = found
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("; ");
    let more = found.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!("; and {}", count(more, "further difference"))
    } else {
        String::new()
    };
    let message = format!("line {}: {}: {shown}{more}", copy.line, name(&copy.crd));
    let help = match (config.crds.command.is_some(), copy.is_templated) {
        (false, _) => "make the copies equal".to_owned(),
        (true, true) => "copy the change by hand: rustop does not write templates".to_owned(),
        (true, false) => "rustop manifests".to_owned(),
    };
    Diagnostic::file(&copy.file, message).help(help)
}

/// Warns about generated CRDs without a committed copy.
fn missing(session: &Session, copies: &[CommittedCrd], generated: &Generated) {
    if copies.is_empty() {
        return;
    }
    for crd in &generated.crds {
        if !copies.iter().any(|it| name(&it.crd) == name(crd)) {
            session.terminal.warning(format_args!(
                "no file in `crds.files` of {FILE} has {}, which the CRD command generates",
                name(crd)
            ));
        }
    }
}

/// Returns the changes that replace the stale CRDs in their files. `stale` has the new CRDs of each
/// file, whose path is relative to `dir`.
fn plan(dir: &Path, stale: &BTreeMap<PathBuf, Vec<&Value>>) -> Result<Plan> {
    let mut changes = Vec::new();
    for (file, crds) in stale {
        let before = disk::read(&dir.join(file))?.unwrap_or_default();
        let after = crate::adopted::replaced(&before, crds, |crd| {
            if file.extension().is_some_and(|it| it == "json") {
                format!("{crd:#}\n")
            } else {
                yaml::write(crd)
            }
        });
        // The target of a link is changed, not the link.
        let real = dir.join(file).canonicalize().ok();
        let root = dir.canonicalize().ok();
        let inside = real
            .zip(root)
            .and_then(|(real, root)| Some(real.strip_prefix(root).ok()?.to_owned()));
        changes.push(Change {
            path: inside.unwrap_or_else(|| file.clone()).display().to_string(),
            before: Some(before),
            after: Some(after),
            edited: false,
        });
    }
    Ok(Plan {
        changes,
        conflicts: Vec::new(),
    })
}
