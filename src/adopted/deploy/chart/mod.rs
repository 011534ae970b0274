//! A small renderer of Helm charts, for machines without helm. It has the syntax of Go templates
//! and the functions that charts of operators use; anything else is an error that names the
//! template and the function. Templates that cannot be rendered and install no part of an operator
//! are left out.

mod chart_files;
mod eval;
mod functions;
mod lex;
mod parse;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::files;
use super::rendered::Rendered;
use crate::adopted::config::Deploy;
use crate::adopted::{Error, documents, paths};
use crate::disk::{normal, regular};
use crate::error::Io;

use chart_files::{ChartFiles, listed};
use eval::{Evaluation, Stop};
use parse::{Defined, TemplateNode};
use value::{field, is_true, merge, overlay};

/// The version of Kubernetes that charts see.
const KUBERNETES: &str = "v1.37.0";

/// Renders a chart and its subcharts. `chart` is its directory, relative to the repository `dir`,
/// and `release` the name of the release. `deploy` gives the values and the namespace.
///
/// # Errors
/// Returns an error if a file cannot be read, if the chart rejects its values, or if it needs helm.
pub fn render(
    dir: &Path,
    chart: &str,
    deploy: &Deploy,
    release: &str,
) -> Result<Vec<Rendered>, Error> {
    let mut over = json!({});
    for file in &deploy.values {
        overlay(&mut over, &yaml(dir, Path::new(file))?);
    }
    for (key, text) in &deploy.set {
        set(&mut over, key, text);
    }
    let mut charts = Vec::new();
    load(dir, Path::new(chart), &over, &mut charts, "")?;
    let mut defined = Defined::new();
    for chart in &mut charts {
        chart.parse(dir, &mut defined)?;
    }
    let mut objects = Vec::new();
    for chart in &charts {
        for file in &chart.crds {
            let text = read(dir, file)?;
            objects.extend(files::parse(file, &text)?);
        }
        for (file, nodes) in &chart.templates {
            objects.extend(chart.render(dir, file, nodes, &defined, deploy, release)?);
        }
    }
    Ok(objects)
}

/// A chart with its values.
#[derive(Debug)]
struct Chart {
    /// The directory, relative to the project.
    path: PathBuf,
    /// The contents of `Chart.yaml`.
    about: Value,
    values: Value,
    /// The path of `values` in those of the top chart: empty, or `subchart.`.
    prefix: String,
    /// The manifests below `crds/`, which Helm does not render.
    crds: Vec<PathBuf>,
    /// The parsed templates that print something.
    templates: Vec<(PathBuf, Rc<Vec<TemplateNode>>)>,
}

/// Loads a chart and its enabled subcharts. `over` contains the values that replace those of the
/// chart.
fn load(
    dir: &Path,
    path: &Path,
    over: &Value,
    charts: &mut Vec<Chart>,
    prefix: &str,
) -> Result<(), Error> {
    let about = yaml(dir, &path.join("Chart.yaml"))?;
    let file = path.join("values.yaml");
    let mut values = if dir.join(&file).exists() {
        yaml(dir, &file)?
    } else {
        json!({})
    };
    if !values.is_object() {
        values = json!({});
    }
    // Nulls for a subchart remove the defaults of that one.
    let mut passed = values.clone();
    overlay(&mut passed, over);
    merge(&mut values, over);
    let dependencies = about["dependencies"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut known = BTreeMap::new();
    for subchart in subcharts(dir, path) {
        let about = yaml(dir, &subchart.join("Chart.yaml"))?;
        let name = about["name"].as_str().unwrap_or_default().to_owned();
        known.insert(name, subchart);
    }
    let mut enabled = BTreeMap::new();
    for dependency in &dependencies {
        let name = dependency["name"].as_str().unwrap_or_default();
        let local = dependency["repository"]
            .as_str()
            .and_then(|it| it.strip_prefix("file://"));
        let local = local
            .map(|local| normal(&path.join(local)))
            .filter(|it| dir.join(it).join("Chart.yaml").is_file());
        let found = known.remove(name).or(local);
        let conditions = dependency["condition"].as_str().unwrap_or_default();
        let condition = conditions
            .split(',')
            .map(|it| at(&values, it.trim()))
            .find(|it| !it.is_null());
        // A subchart that is neither in the repository nor enabled adds no object.
        if let Some(found) = found.filter(|_| condition.is_none_or(is_true)) {
            let alias = dependency["alias"].as_str().unwrap_or(name);
            enabled.insert(alias.to_owned(), found);
        }
    }
    enabled.extend(known);
    let global = values["global"].clone();
    for (name, subchart) in enabled {
        let mut over = passed.get(&name).cloned().unwrap_or_else(|| json!({}));
        if global.is_object() && over.is_object() {
            let mut all = json!({ "global": global });
            overlay(&mut all, &over);
            over = all;
        }
        if prefix.matches('.').count() < 8 {
            load(dir, &subchart, &over, charts, &format!("{prefix}{name}."))?;
        }
    }
    charts.push(Chart {
        crds: listed(dir, &path.join("crds"))
            .into_iter()
            .filter(|it| paths::is_manifest(it))
            .collect(),
        path: path.to_owned(),
        about,
        values,
        prefix: prefix.to_owned(),
        templates: Vec::new(),
    });
    Ok(())
}

/// Puts the text after each `---` at the start of a line onto a line of its own. An action such as
/// `{{- if .. -}}` after the marker takes the line feed away, and Helm splits the output there all
/// the same.
fn separated(text: &str) -> String {
    let lines = text
        .split_inclusive('\n')
        .map(|line| match line.strip_prefix("---") {
            Some(rest) if !rest.starts_with(['-', ' ', '\t', '\r', '\n']) && !rest.is_empty() => {
                format!("---\n{rest}")
            }
            _ => line.to_owned(),
        });
    lines.collect()
}

impl Chart {
    /// Parses the templates. Those in files with a leading `_` print nothing.
    fn parse(&mut self, dir: &Path, defined: &mut Defined) -> Result<(), Error> {
        let is_template = |path: &Path| {
            let ending = path.extension().and_then(|it| it.to_str());
            ending.is_some_and(|it| ["yaml", "yml", "tpl", "json"].contains(&it))
        };
        for file in listed(dir, &self.path.join("templates")) {
            if !is_template(&file) {
                continue;
            }
            let text = read(dir, &file)?;
            let nodes = match parse::parse(&text, defined) {
                Ok(nodes) => Rc::new(nodes),
                Err(_) if !installs(&text) => continue,
                Err((line, reason)) => {
                    return Err(Error::Chart {
                        place: format!("{}:{line}", file.display()),
                        reason,
                    });
                }
            };
            // `include` also takes the path of a file, for example for a checksum of its output.
            defined.insert(self.template_name(&file), Rc::clone(&nodes));
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with('_') {
                self.templates.push((file, nodes));
            }
        }
        Ok(())
    }

    fn render(
        &self,
        dir: &Path,
        file: &Path,
        nodes: &[TemplateNode],
        defined: &Defined,
        deploy: &Deploy,
        release: &str,
    ) -> Result<Vec<Rendered>, Error> {
        let files = ChartFiles::new(dir, &self.path);
        let root = self.root(file, deploy, release);
        let run = |root: &Value| Evaluation::run(defined, &files, nodes, root);
        let absent = |root: &Value| Evaluation::absent(defined, &files, nodes, root);
        let is_valid = |root: &Value| {
            run(root).is_ok_and(|(text, _)| files::parse(file, &separated(&text)).is_ok())
        };
        let (text, lacks_value) = match run(&root) {
            Ok((text, lacks_value)) => (separated(&text), lacks_value),
            Err(_) if !installs(&read(dir, file)?) => return Ok(Vec::new()),
            Err(Stop::Unsupported((line, reason))) => {
                return Err(Error::Chart {
                    place: format!("{}:{line}", file.display()),
                    reason,
                });
            }
            Err(Stop::Refused((line, reason))) => {
                return Err(Error::Values {
                    place: format!("{}:{line}", file.display()),
                    reason,
                    keys: self.missing_values(&root, &absent, &is_valid),
                });
            }
        };
        let mut objects = match files::parse(file, &text) {
            Err(Error::Manifest { place, reason }) => {
                let keys = self.missing_values(&root, &absent, &is_valid);
                let reason = format!("{reason}{}", printed(&text, &place));
                let template = read(dir, file)?;
                return Err(invalid(file, &template, lacks_value, &reason, keys));
            }
            found => found?,
        };
        // The lines are those of the output, not of the template.
        for object in &mut objects {
            object.line = 0;
        }
        Ok(objects)
    }

    /// Returns the values that make a template valid if they are set: the first one of the chart
    /// that is empty or absent and suffices alone, such as the tag of an image, or else the fewest
    /// of those that the template reads and the chart does not have. They are found by trying.
    fn missing_values(
        &self,
        root: &Value,
        absent: &dyn Fn(&Value) -> BTreeSet<String>,
        is_valid: &dyn Fn(&Value) -> bool,
    ) -> Vec<String> {
        let is_valid_with = |paths: &[String]| is_valid(&with_values(root, paths));
        let mut paths = Vec::new();
        // An empty value is more likely to be one that the user has to set.
        empty_values(&self.values, "", &mut paths);
        let lacking = absent(root);
        let absent_only: Vec<_> = lacking.iter().filter(|it| !paths.contains(it)).collect();
        paths.extend(absent_only.into_iter().cloned());
        let one = paths
            .into_iter()
            .take(MOST_TRIED)
            .find(|path| is_valid_with(std::slice::from_ref(path)));
        let found = if let Some(one) = one {
            vec![one]
        } else {
            let next = |paths: &[String]| absent(&with_values(root, paths));
            fewest(lacking.into_iter().collect(), &next, &is_valid_with)
        };
        let found = found.into_iter();
        found.map(|path| format!("{}{path}", self.prefix)).collect()
    }

    fn name(&self) -> &str {
        self.about["name"].as_str().unwrap_or_default()
    }

    /// Returns the name of a template file, such as `barn/templates/configmap.yaml`.
    fn template_name(&self, file: &Path) -> String {
        let below = file.strip_prefix(&self.path).unwrap_or(file);
        format!("{}/{}", self.name(), below.display())
    }

    /// Returns the root object of a template.
    fn root(&self, file: &Path, deploy: &Deploy, release: &str) -> Value {
        let capital = |map: &Value| {
            let entries = map.as_object().into_iter().flatten();
            let entries = entries.map(|(key, value)| {
                let mut chars = key.chars();
                let first = chars.next().map(|first| first.to_ascii_uppercase());
                (
                    first.into_iter().chain(chars).collect::<String>(),
                    value.clone(),
                )
            });
            Value::Object(entries.collect::<Map<_, _>>())
        };
        let mut chart = capital(&self.about);
        if let Value::Object(chart) = &mut chart {
            chart.remove("Dependencies");
        }
        json!({
            "Values": self.values,
            "Chart": chart,
            "Release": {
                "Name": release,
                "Namespace": deploy.namespace(),
                "Service": "Helm",
                "Revision": 1,
                "IsInstall": true,
                "IsUpgrade": false,
            },
            "Capabilities": {
                "KubeVersion": { "Version": KUBERNETES, "Major": "1", "Minor": "37", "GitVersion": KUBERNETES },
                "HelmVersion": { "Version": "v3.19.0" },
                "APIVersions": {},
            },
            "Template": {
                "Name": self.template_name(file),
                "BasePath": format!("{}/templates", self.name()),
            },
            "Subcharts": {},
            "Files": {},
        })
    }
}

/// Maximum number of empty values that are tried for a template that is not valid without one.
const MOST_TRIED: usize = 50;

/// Collects the paths of null and empty texts in values.
fn empty_values(values: &Value, prefix: &str, paths: &mut Vec<String>) {
    for (key, value) in values.as_object().into_iter().flatten() {
        // `--set` splits a path at its dots.
        if key.contains('.') {
            continue;
        }
        let path = format!("{prefix}{key}");
        if value.is_null() || value == "" {
            paths.push(path);
        } else {
            empty_values(value, &format!("{path}."), paths);
        }
    }
}

/// Returns the root of a template's values with a text at each of the paths below `.Values`.
fn with_values(root: &Value, paths: &[String]) -> Value {
    let mut root = root.clone();
    for path in paths {
        set(&mut root["Values"], path, "x");
    }
    root
}

/// Returns the fewest of the absent values that make a template valid together; none if they do
/// not. A template that stops at the first of them reads the next one when it is set: `next`
/// returns what it then lacks.
fn fewest(
    mut lacking: Vec<String>,
    next: &dyn Fn(&[String]) -> BTreeSet<String>,
    is_valid_with: &dyn Fn(&[String]) -> bool,
) -> Vec<String> {
    while lacking.len() < MOST_TRIED && !is_valid_with(&lacking) {
        let more = next(&lacking);
        if more.is_empty() {
            return Vec::new();
        }
        lacking.extend(more);
    }
    for path in lacking.clone() {
        let others: Vec<_> = lacking.iter().filter(|it| **it != path).cloned().collect();
        if is_valid_with(&others) {
            lacking = others;
        }
    }
    lacking
}

/// Returns the line of an output at which YAML is not valid, after a colon. `place` ends with its
/// number.
fn printed(output: &str, place: &str) -> String {
    let number = place
        .rsplit(':')
        .next()
        .and_then(|it| it.parse::<usize>().ok());
    let line = number.and_then(|number| output.lines().nth(number.checked_sub(1)?));
    let line = line.map(str::trim).filter(|line| !line.is_empty());
    line.map_or_else(String::new, |line| format!(": `{line}`"))
}

/// Returns the error for a template whose output is not valid YAML. If the text without its actions
/// is not valid either, it is at fault, and the line is known. Else a missing value is, such as a
/// tag, if the template prints one or is valid with the values `keys`.
fn invalid(
    file: &Path,
    template: &str,
    lacks_value: bool,
    reason: &str,
    keys: Vec<String>,
) -> Error {
    if let Err(error @ Error::Manifest { .. }) = files::parse(file, &documents::blanked(template)) {
        return error;
    }
    let place = file.display().to_string();
    if lacks_value || !keys.is_empty() {
        let reason = format!("not valid YAML without them: {reason}");
        Error::Values {
            place,
            reason,
            keys,
        }
    } else {
        let reason = format!("in the output of the template: {reason}");
        Error::Manifest { place, reason }
    }
}

/// Returns true if a template may install the operator or its permissions, or defines templates for
/// those that do. A template of anything else, such as a custom resource that requires values of
/// its own, can be left out.
fn installs(template: &str) -> bool {
    const PARTS: [&str; 7] = [
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "ServiceAccount",
        "Role",
        "rbac.authorization.k8s.io",
        "define",
    ];
    PARTS.iter().any(|part| template.contains(part))
}

/// Returns the directories of the charts in `charts/`.
fn subcharts(dir: &Path, path: &Path) -> Vec<PathBuf> {
    let entries = dir
        .join(path)
        .join("charts")
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<_> = entries
        .map(|entry| path.join("charts").join(entry.file_name()))
        .filter(|it| dir.join(it).join("Chart.yaml").is_file())
        .collect();
    found.sort();
    found
}

fn at<'a>(values: &'a Value, path: &str) -> &'a Value {
    let path: Vec<_> = path.split('.').map(str::to_owned).collect();
    field(values, &path)
}

/// Sets a value at a path, with the types that `helm --set` gives to it.
fn set(values: &mut Value, path: &str, text: &str) {
    let value = match text {
        "true" | "false" => (text == "true").into(),
        "null" => Value::Null,
        text => text
            .parse::<i64>()
            .map_or_else(|_| text.into(), Value::from),
    };
    let mut over = value;
    for part in path.rsplit('.') {
        over = json!({ part: over });
    }
    overlay(values, &over);
}

fn read(dir: &Path, file: &Path) -> Result<String, Error> {
    let path = dir.join(file);
    Ok(regular::text(&path).map_err(Io::on("read", path))?)
}

fn yaml(dir: &Path, file: &Path) -> Result<Value, Error> {
    let text = read(dir, file)?;
    let value = serde_yaml::from_str::<Option<Value>>(&text).map_err(|error| Error::Manifest {
        place: file.display().to_string(),
        reason: crate::yaml::reason(&error),
    })?;
    Ok(value.unwrap_or_else(|| json!({})))
}

#[cfg(test)]
mod tests;
