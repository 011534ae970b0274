//! Reports of a rehearsal: text, Markdown, HTML, JSON and `JUnit`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::disk::private;
use crate::text::count;
use crate::torture::error::Result;
use crate::torture::report::html::{begin, cell};
use crate::torture::report::junit::{Failure, Suite};
use crate::torture::report::text::escape;
use crate::torture::upgrade::change::{Effect, ObjectDifference};
use crate::torture::upgrade::result::UpgradeResult;

/// The name of the command in reports.
const TITLE: &str = "rustop torture --upgrade-from";

/// Writes the reports into `dir`. `allowances` is the file in which the user can allow changes.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub fn write(dir: &Path, result: &UpgradeResult, allowances: &Path) -> Result<()> {
    let json = serde_json::to_string_pretty(&document(result)).unwrap_or_default();
    let files = [
        ("report.json", json),
        ("junit.xml", junit(result)),
        ("report.md", markdown(result)),
        ("report.html", html(result, allowances)),
    ];
    Ok(private::write_all(dir, files)?)
}

/// Returns the report for programs, as in `report.json`.
pub fn document(result: &UpgradeResult) -> Value {
    let costs = result.costs.iter().map(|(kind, cost)| {
        let cost = json!({
            "fewest": cost.fewest,
            "most": cost.most,
            "ofRestart": cost.of_restart,
            "ofThousandObjects": cost.of_many(),
        });
        (kind.clone(), cost)
    });
    json!({
        "changes": result.changes,
        "failures": result.failures().count(),
        "states": { "rehearsed": result.states, "of": result.planned },
        "crashes": { "rehearsed": result.crashes, "of": result.planned_crashes },
        "rollingUpdates": { "rehearsed": result.rolling_updates, "of": result.planned_rolling_updates },
        "rollbacks": { "rehearsed": result.rollbacks, "of": result.planned_rollbacks },
        "writes": costs.collect::<serde_json::Map<_, _>>(),
        "notes": result.notes,
        "seed": result.seed,
        "interrupted": result.interrupted,
        "inconclusive": result.is_verdict_missing(),
        "seconds": result.took.as_secs_f32(),
    })
}

/// The changes of one object with the same effect.
struct Group<'a> {
    first: &'a ObjectDifference,
    changes: Vec<&'a ObjectDifference>,
}

/// Groups changes by effect, object and allowance, in their order.
fn groups(changes: &[ObjectDifference]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for change in changes {
        let is_same = |group: &&mut Group<'_>| {
            let first = group.first;
            (first.effect, &first.object, &first.allowed)
                == (change.effect, &change.object, &change.allowed)
        };
        if let Some(group) = groups.iter_mut().find(is_same) {
            group.changes.push(change);
        } else {
            groups.push(Group {
                first: change,
                changes: vec![change],
            });
        }
    }
    groups
}

/// Renders the changes, those of one object together. `allowances` is the file in which the user
/// can allow them.
pub fn text(result: &UpgradeResult, allowances: &Path) -> String {
    let mut text = String::new();
    for group in groups(&result.changes) {
        let ObjectDifference {
            effect,
            object,
            allowed,
            ..
        } = group.first;
        let _ = writeln!(text, "{effect}: {}: {object}", effect.describe());
        for change in &group.changes {
            let change = change.to_string();
            if !change.is_empty() {
                let _ = writeln!(text, "  {}", one_line(&change));
            }
        }
        let states = states(&group);
        if !states.is_empty() {
            let _ = writeln!(text, "{states}");
        }
        if let Some(reason) = allowed {
            let _ = writeln!(text, "  allowed: {}", one_line(reason));
        } else if effect.is_harmful() && *effect != Effect::StaleAllowance {
            let _ = writeln!(text, "  {}", allowance(&group, allowances));
        }
        text.push('\n');
    }
    text
}

/// Returns the state of the first change of a group, and the largest number of other states.
fn states(group: &Group<'_>) -> String {
    let first = group.first;
    if first.state.is_empty() {
        return String::new();
    }
    let others = group.changes.iter().map(|it| it.others).max().unwrap_or(0);
    let others = match others {
        0 => String::new(),
        others => format!(", and {}", count(others, "other state")),
    };
    format!("  in {}{others}", first.state)
}

/// Returns the entries of the file of allowances that allow the changes of a group, and nothing
/// else.
fn allowance(group: &Group<'_>, allowances: &Path) -> String {
    let ObjectDifference { effect, object, .. } = group.first;
    let mut text = format!("if it is intended, add to {}:", allowances.display());
    let fields: BTreeSet<_> = group.changes.iter().map(|it| it.field.as_str()).collect();
    // An entry without a field covers those with one.
    let is_whole = fields.contains("");
    for field in fields.into_iter().filter(|it| !is_whole || it.is_empty()) {
        let field = match field {
            "" => String::new(),
            field => format!(", field: {}", json!(field)),
        };
        let object = json!(object);
        let _ = write!(
            text,
            "\n  - {{allow: {effect}, object: {object}{field}, reason: WHY}}"
        );
    }
    text
}

/// Returns a value without line breaks, and cut after a line's length.
fn one_line(text: &str) -> String {
    const MOST: usize = 240;
    let line = text.replace(['\n', '\r'], " ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn markdown(result: &UpgradeResult) -> String {
    let mut text = format!("# {TITLE}\n\n{}.\n", result.summary());
    for group in groups(&result.changes) {
        let effect = group.first.effect;
        let _ = writeln!(
            text,
            "\n## {effect}: {}\n\n{}.\n\n```",
            group.first.object,
            effect.describe()
        );
        for change in &group.changes {
            let _ = writeln!(text, "{}", one_line(&change.to_string()));
        }
        let _ = writeln!(text, "```");
        let states = states(&group);
        if !states.is_empty() {
            let _ = writeln!(text, "\nFound{}.", &states[1..]);
        }
        if let Some(reason) = &group.first.allowed {
            let _ = writeln!(text, "\nAllowed: {}.", one_line(reason));
        }
    }
    if !result.notes.is_empty() {
        let _ = writeln!(text, "\n## Notes\n");
    }
    for note in &result.notes {
        let _ = writeln!(text, "- {note}");
    }
    text
}

fn html(result: &UpgradeResult, allowances: &Path) -> String {
    let mut text = begin(TITLE, &result.summary());
    if result.is_verdict_missing() {
        text.push_str(
            "<p>Inconclusive: nothing harmful was found, but too little was rehearsed.</p>\n",
        );
    } else if result.failures().next().is_none() {
        text.push_str("<p class=\"good\">Nothing harmful was found.</p>\n");
    }
    for group in groups(&result.changes) {
        section(&mut text, &group, allowances);
    }
    if !result.notes.is_empty() {
        text.push_str("<section>\n<h2>Notes</h2>\n<ul>\n");
        for note in &result.notes {
            let _ = writeln!(text, "<li>{}", escape(note));
        }
        text.push_str("</ul>\n</section>\n");
    }
    text.push_str("</html>\n");
    text
}

fn section(text: &mut String, group: &Group<'_>, allowances: &Path) {
    let ObjectDifference {
        effect,
        object,
        allowed,
        ..
    } = group.first;
    let class = if group.first.fails() {
        "class"
    } else {
        "class mild"
    };
    let _ = writeln!(
        text,
        "<section>\n<h2><span class=\"{class}\">{effect}</span> {}</h2>\n<p>{}{}</p>\n<table><tr><th>field<th>before<th>after<th>reason</tr>",
        escape(object),
        effect.describe(),
        escape(&states(group).replacen("  ", ", ", 1)),
    );
    for change in &group.changes {
        let _ = writeln!(
            text,
            "<tr>{}{}{}{}</tr>",
            cell(Some(&change.field)),
            cell(change.before.as_deref()),
            cell(change.after.as_deref()),
            cell(Some(&change.reason)),
        );
    }
    text.push_str("</table>\n");
    if let Some(reason) = allowed {
        let _ = writeln!(text, "<p>Allowed: {}</p>", escape(reason));
    } else if effect.is_harmful() && *effect != Effect::StaleAllowance {
        let _ = writeln!(text, "<pre>{}</pre>", escape(&allowance(group, allowances)));
    }
    text.push_str("</section>\n");
}

fn junit(result: &UpgradeResult) -> String {
    let failures = result.failures().map(|change| Failure {
        kind: change.effect.name(),
        name: format!("{} {}", change.object, change.field)
            .trim_end()
            .to_owned(),
        message: change.effect.describe().into(),
        body: change.to_string(),
    });
    let suite = Suite {
        name: TITLE,
        class: "upgrade",
        failures: failures.collect(),
        inconclusive: result.is_verdict_missing().then(|| result.summary()),
        passed: count(result.states, "state"),
        took: result.took,
    };
    suite.render()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::private::assert_closed;
    use crate::torture::upgrade::allowance::Allowances;

    fn result() -> UpgradeResult {
        let of = |effect: Effect, object: &str, field: &str| {
            let mut change = ObjectDifference::new(effect, object, field)
                .values(Some("<1>".into()), Some("2\n3".into()));
            change.state = "lolcow/sample".into();
            change
        };
        let mut intended = of(Effect::RestartsPods, "deployment/other", "spec.template.x");
        intended.allowed = Some("a new image".into());
        let mut others = of(Effect::RestartsPods, "deployment/moo", "spec.template.y");
        others.others = 2;
        UpgradeResult {
            changes: vec![
                of(Effect::RestartsPods, "deployment/moo", "spec.template.x"),
                intended,
                others,
                of(Effect::Harmless, "service/moo", "metadata.labels.x"),
            ],
            states: 3,
            planned: 3,
            ..UpgradeResult::default()
        }
    }

    #[test]
    fn the_text_shows_the_changes_of_an_object_together() {
        assert_eq!(
            text(&result(), Path::new("x/upgrade.yaml")),
            "restarts-pods: the upgrade restarts Pods: deployment/moo\n  \
               spec.template.x: <1> -> 2 3\n  \
               spec.template.y: <1> -> 2 3\n  \
               in lolcow/sample, and 2 other states\n  \
               if it is intended, add to x/upgrade.yaml:\n  \
               - {allow: restarts-pods, object: \"deployment/moo\", field: \"spec.template.x\", reason: WHY}\n  \
               - {allow: restarts-pods, object: \"deployment/moo\", field: \"spec.template.y\", reason: WHY}\n\n\
             restarts-pods: the upgrade restarts Pods: deployment/other\n  \
               spec.template.x: <1> -> 2 3\n  \
               in lolcow/sample\n  \
               allowed: a new image\n\n\
             harmless: the upgrade writes this without a restart of Pods: service/moo\n  \
               metadata.labels.x: <1> -> 2 3\n  \
               in lolcow/sample\n\n"
        );
    }

    #[test]
    fn reports_for_programs_count_what_is_not_allowed() {
        let result = result();
        let report = document(&result);
        assert_eq!(report["failures"], 2);
        assert_eq!(report["changes"][0]["effect"], "restarts-pods");
        assert_eq!(report["changes"][1]["allowed"], "a new image");
        let xml = junit(&result);
        assert!(
            xml.contains("tests=\"2\" failures=\"2\" errors=\"0\""),
            "{xml}"
        );
        assert!(xml.contains("&lt;1&gt;") && !xml.contains("<1>"), "{xml}");
        assert!(!xml.contains("deployment/other"), "{xml}");
    }

    #[test]
    fn the_page_shows_each_change_and_escapes_it() {
        let page = html(&result(), Path::new("x/upgrade.yaml"));
        for part in [
            "<title>rustop torture --upgrade-from</title>",
            "<span class=\"class\">restarts-pods</span> deployment/moo</h2>\n<p>the upgrade restarts Pods, in lolcow/sample, and 2 other states</p>",
            "<tr><td>spec.template.x<td>&lt;1&gt;<td>2\n3<td></tr>",
            "<span class=\"class mild\">restarts-pods</span> deployment/other",
            "<p>Allowed: a new image</p>",
            "if it is intended, add to x/upgrade.yaml:",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("<1>") && !page.contains("Nothing harmful"));
        let nothing = html(&UpgradeResult::default(), Path::new("x"));
        assert!(nothing.contains("<p class=\"good\">Nothing harmful was found.</p>"));
    }

    #[test]
    fn reports_for_programs_show_a_missing_verdict() {
        let mut result = UpgradeResult {
            states: 1,
            planned: 1,
            planned_rollbacks: 1,
            ..UpgradeResult::default()
        };
        let xml = junit(&result);
        assert!(
            xml.contains("tests=\"1\" failures=\"0\" errors=\"1\""),
            "{xml}"
        );
        assert!(xml.contains("<error type=\"inconclusive\""), "{xml}");
        assert_eq!(document(&result)["inconclusive"], true);
        result.rollbacks = 1;
        let xml = junit(&result);
        assert!(xml.contains("errors=\"0\""), "{xml}");
        assert!(xml.contains("name=\"1 state\"/>"), "{xml}");
        assert_eq!(document(&result)["inconclusive"], false);
    }

    #[test]
    fn the_allowance_in_the_report_covers_the_change() {
        let change =
            ObjectDifference::new(Effect::RestartsPods, "deployment/moo", "spec.template.x");
        let text = text(
            &UpgradeResult {
                changes: vec![change.clone()],
                ..UpgradeResult::default()
            },
            Path::new("upgrade.yaml"),
        );
        let entry = text.lines().find(|line| line.contains("- {allow")).unwrap();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("upgrade.yaml"), entry).unwrap();
        let allowances = Allowances::read(dir.path(), Path::new("")).unwrap();
        let later =
            ObjectDifference::new(Effect::RestartsPods, "deployment/moo", "spec.template.z");
        let mut changes = [change, later];
        allowances.apply(&mut changes);
        assert_eq!(changes.map(|it| it.fails()), [false, true]);
    }

    #[test]
    fn a_long_value_is_cut_at_a_character() {
        let line = one_line(&"ü".repeat(300));
        assert_eq!(line.chars().count(), 241);
    }

    #[test]
    fn only_the_user_reads_the_reports() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &result(), Path::new("upgrade.yaml")).unwrap();
        assert_closed(dir.path());
    }
}
