//! Reading of CRDs from YAML or JSON with one or several documents, which can be a `List`.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize as _;
use serde_json::Value;

use super::error::{ImportError, OLD_API};
use super::lenient_yaml::{self, Unparsable};
use crate::crd::DEEPEST;

/// The kind of CRDs.
const CRD: &str = "CustomResourceDefinition";

/// A CRD as read from a text.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The complete CRD, without the fields that a cluster adds.
    pub json: Value,
}

impl Imported {
    /// Returns `metadata.name`.
    pub fn name(&self) -> &str {
        text(&self.json["metadata"]["name"])
    }

    /// Returns `spec.names.kind`.
    pub fn kind(&self) -> &str {
        text(&self.json["spec"]["names"]["kind"])
    }

    /// Returns `spec.names.plural`.
    pub fn plural(&self) -> &str {
        text(&self.json["spec"]["names"]["plural"])
    }

    /// Returns `spec.group`.
    pub fn group(&self) -> &str {
        text(&self.json["spec"]["group"])
    }

    /// Reports whether the objects are namespaced.
    pub fn namespaced(&self) -> bool {
        self.json["spec"]["scope"] == "Namespaced"
    }

    /// Returns `spec.versions`.
    pub fn versions(&self) -> &[Value] {
        self.json["spec"]["versions"]
            .as_array()
            .map_or(&[], Vec::as_slice)
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns all CRDs in a text of YAML or JSON, each once. `from` is the source of the text, for
/// errors.
///
/// # Errors
/// Returns an error if the text contains no CRD, or one that an API server would reject.
pub fn read_crds(input: &str, from: &str) -> Result<Vec<Imported>, ImportError> {
    let input = input.trim_start_matches('\u{feff}');
    let start = input.trim_start().get(..14).unwrap_or_default();
    if ["<!doctype html", "<html"].iter().any(|html| {
        let head = start.get(..html.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(html))
    }) {
        return Err(ImportError::Html { from: from.into() });
    }
    let mut crds = Vec::new();
    let mut others = Vec::new();
    for document in documents(input, from)? {
        sort_out(document, &mut crds, &mut others);
    }
    if crds.is_empty() {
        others.sort();
        others.dedup();
        let found = match others.as_slice() {
            [] => "nothing".to_owned(),
            kinds => kinds.join(", "),
        };
        return Err(ImportError::NoCrd {
            from: from.into(),
            found,
        });
    }
    let mut all: Vec<Imported> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for crd in crds {
        let crd = checked(crd)?;
        match places.get(crd.name()).map(|&place| &all[place]) {
            None => {
                places.insert(crd.name().to_owned(), all.len());
                all.push(crd);
            }
            Some(other) if other.json == crd.json => {}
            Some(_) => {
                return Err(ImportError::Broken {
                    name: crd.name().to_owned(),
                    reason: format!("{from} has it twice, and not the same"),
                });
            }
        }
    }
    Ok(all)
}

/// Reports whether a text contains a CRD. A patch of a CRD does not count: it has no group. A text
/// that mentions CRDs and cannot be parsed does, so that [`read_crds`] reports the reason.
pub fn has_crd(input: &str) -> bool {
    if !input.contains(CRD) {
        return false;
    }
    let Ok(documents) = documents(input.trim_start_matches('\u{feff}'), "") else {
        return true;
    };
    let mut crds = Vec::new();
    for document in documents {
        sort_out(document, &mut crds, &mut Vec::new());
    }
    crds.iter().any(|crd| !crd["spec"]["group"].is_null())
}

fn documents(input: &str, from: &str) -> Result<Vec<Value>, ImportError> {
    let wrong = |Unparsable {
                     reason,
                     is_too_deep,
                 }| ImportError::NotYaml {
        from: from.into(),
        reason,
        is_too_deep,
    };
    if !input.trim_start().starts_with(['{', '[']) {
        return lenient_yaml::documents(input).map_err(wrong);
    }
    let all = serde_json::Deserializer::from_str(input).into_iter();
    let all: Result<Vec<_>, _> = all.collect();
    // YAML can begin with a brace or a bracket, too, and can have `---` between documents.
    all.or_else(|error| {
        lenient_yaml::documents(input).map_err(|deeper| {
            // The JSON parser accepts only 128 levels; the YAML parser names the actual limit. Only
            // YAML has `---`.
            let error = error.to_string();
            let is_yaml = input.lines().any(|line| line.starts_with("---"));
            wrong(if is_yaml || error.starts_with("recursion limit") {
                deeper
            } else {
                Unparsable {
                    reason: error,
                    is_too_deep: false,
                }
            })
        })
    })
}

/// Adds the CRDs of a document to `crds`, and the other kinds to `others`.
fn sort_out(document: Value, crds: &mut Vec<Value>, others: &mut Vec<String>) {
    match document {
        Value::Array(items) => items
            .into_iter()
            .for_each(|item| sort_out(item, crds, others)),
        Value::Object(mut object) => match object.get("kind").and_then(Value::as_str) {
            Some(CRD) => crds.push(Value::Object(object)),
            Some(kind) if kind.ends_with("List") && object.contains_key("items") => {
                let items = object.remove("items").unwrap_or_default();
                sort_out(items, crds, others);
            }
            Some(kind) => others.push(kind.to_owned()),
            None => others.push("an object without a kind".to_owned()),
        },
        Value::Null => {}
        _ => others.push("text".to_owned()),
    }
}

/// Metadata that the cluster sets; it is not part of the CRD.
const OF_THE_CLUSTER: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The CRD type of k8s-openapi.
type K8sCrd =
    k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

fn checked(mut json: Value) -> Result<Imported, ImportError> {
    let name = text(&json["metadata"]["name"]).to_owned();
    let broken = |reason: String| ImportError::Broken {
        name: name.clone(),
        reason,
    };
    let api_version = text(&json["apiVersion"]);
    if api_version != "apiextensions.k8s.io/v1" {
        return Err(if api_version == OLD_API {
            ImportError::OldApi { name: name.clone() }
        } else {
            broken(format!(
                "its apiVersion is `{api_version}`, not apiextensions.k8s.io/v1"
            ))
        });
    }
    if let Value::Object(crd) = &mut json {
        crd.remove("status");
        if let Some(Value::Object(metadata)) = crd.get_mut("metadata") {
            metadata.retain(|key, _| !OF_THE_CLUSTER.contains(&key.as_str()));
        }
    }
    K8sCrd::deserialize(&json)
        .map_err(|error| broken(format!("it has not the form of a CRD: {error}")))?;
    let depth = depth(&json);
    if depth > DEEPEST {
        return Err(ImportError::TooDeep { name, depth });
    }
    let crd = Imported { json };
    let expected = format!("{}.{}", crd.plural(), crd.group());
    if crd.kind().is_empty() || crd.plural().is_empty() || crd.group().is_empty() {
        return Err(broken(
            "it must have spec.group, spec.names.kind and spec.names.plural".into(),
        ));
    }
    if crd.name() != expected {
        return Err(broken(format!(
            "it must be named `{expected}`, after its plural and its group"
        )));
    }
    if !crd.group().contains('.') {
        return Err(broken(format!(
            "its group `{}` has no dot, and the group of a CRD must have one",
            crd.group()
        )));
    }
    let scope = &crd.json["spec"]["scope"];
    if scope != "Namespaced" && scope != "Cluster" {
        return Err(broken(format!(
            "its scope is {scope}, neither Namespaced nor Cluster"
        )));
    }
    let stored = crd.versions().iter().filter(|v| v["storage"] == true);
    match stored.count() {
        1 => {}
        0 => return Err(broken("none of its versions is stored".into())),
        _ => return Err(broken("more than one of its versions is stored".into())),
    }
    let mut names = BTreeSet::new();
    for version in crd.versions() {
        if !names.insert(text(&version["name"])) {
            let name = text(&version["name"]);
            return Err(broken(format!("it has a version {name} twice")));
        }
        let schema = &version["schema"]["openAPIV3Schema"];
        let version = text(&version["name"]);
        if !schema.is_object() {
            return Err(broken(format!("its version {version} has no schema")));
        }
        if schema["type"] != "object" {
            return Err(broken(format!(
                "the schema of its version {version} is not structural: it lacks `type: object`"
            )));
        }
    }
    Ok(crd)
}

/// Returns how deeply mappings and lists are nested.
fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or_default()
}

/// Returns the CRDs of a kind, or all CRDs if `kind` is `None`. `from` is the source of the CRDs,
/// for errors.
///
/// # Errors
/// Returns an error if no CRD has this kind.
pub fn select_kind(
    crds: Vec<Imported>,
    kind: Option<&str>,
    from: &str,
) -> Result<Vec<Imported>, ImportError> {
    let Some(kind) = kind else { return Ok(crds) };
    let kinds: Vec<_> = crds.iter().map(|crd| crd.kind().to_owned()).collect();
    let chosen: Vec<_> = crds.into_iter().filter(|crd| crd.kind() == kind).collect();
    if chosen.is_empty() {
        return Err(ImportError::NoKind {
            from: from.into(),
            kind: kind.into(),
            kinds: kinds.join(", "),
        });
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read_crds;
    use crate::error::Failure as _;

    fn crd(plural: &str) -> String {
        let schema = json!({"openAPIV3Schema": {"type": "object"}});
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.farm.org")},
            "spec": {
                "group": "farm.org",
                "names": {"kind": "Cow", "plural": plural},
                "scope": "Cluster",
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
            },
        });
        crd.to_string()
    }

    #[test]
    fn documents_of_json_may_stand_between_dashes() {
        let two = format!("{}\n---\n{}\n", crd("cows"), crd("calves"));
        assert_eq!(read_crds(&two, "x").unwrap().len(), 2);
        let half = &two[..two.len() - 9];
        let error = read_crds(half, "x").unwrap_err().to_string();
        assert!(error.contains("cannot be read as YAML or JSON"), "{error}");
        // The error is in the second document, not in the dashes before it.
        let error = read_crds(&two.replace("calves\"", "calves"), "x").unwrap_err();
        let error = error.to_string();
        assert!(!error.contains("line 2 column 1"), "{error}");
    }

    #[test]
    fn an_unquoted_key_is_what_kubectl_reads() {
        let with = |properties: &str| {
            let schema = r#"{"type":"object"}"#;
            let open = format!("{{type: object, properties: {{{properties}}}}}");
            crd("cows").replace(schema, &open)
        };
        // A text that does not begin with a brace is YAML and not JSON.
        let read = |properties: &str| {
            let text = format!("---\n{}", with(properties));
            let crds = read_crds(&text, "x").map_err(|error| error.to_string())?;
            let root = &crds[0].versions()[0]["schema"]["openAPIV3Schema"];
            let names = root["properties"].as_object().unwrap().keys();
            Ok::<_, String>(names.cloned().collect::<Vec<_>>())
        };
        let names =
            "off: {type: string}, 'n': {type: string}, 1: {type: string}, a: {type: string}";
        assert_eq!(read(names).unwrap(), ["false", "n", "1", "a"]);
        // The texts are those of kubectl 1.37.
        for (key, text) in [
            ("017", "15"),
            ("08", "8"),
            ("1.0", "1"),
            ("1.5", "1.5"),
            ("1e3", "1000"),
            ("1e7", "1e+07"),
            ("-0.00001", "-1e-05"),
        ] {
            let names = read(&format!("{key}: {{type: string}}")).unwrap();
            assert_eq!(names, [text], "{key}");
        }
        assert!(
            read("~: {type: string}")
                .unwrap_err()
                .contains("a key is null")
        );
        let error = read("n: {type: string}, off: {type: string}").unwrap_err();
        assert!(
            error.contains("two keys of a mapping are read as `false`"),
            "{error}"
        );
    }

    #[test]
    fn sixty_levels_are_read_and_more_are_refused() {
        let deep = |levels: usize| {
            let open = r#"{"type":"object","properties":{"a":"#.repeat(levels);
            let text = crd("cows").replace(
                r#"{"type":"object"}"#,
                &format!("{open}{{\"type\":\"object\"}}{}", "}}".repeat(levels)),
            );
            [
                read_crds(&text, "x"),
                read_crds(&format!("---\n{text}"), "x"),
            ]
            .map(|it| it.map_err(|error| format!("{error}; help: {:?}", error.help())))
        };
        for read in deep(60) {
            assert_eq!(read.unwrap().len(), 1);
        }
        for read in deep(61) {
            let error = read.unwrap_err();
            assert!(
                error.contains("cows.farm.org nests mappings and lists 128 levels deep"),
                "{error}"
            );
            assert!(error.contains("at most 126"), "{error}");
        }
        for read in deep(5_000) {
            let error = read.unwrap_err();
            assert!(
                error.contains("more than 128 mappings and lists"),
                "{error}"
            );
            let help = "x-kubernetes-preserve-unknown-fields";
            assert!(error.contains(help), "{error}");
        }
    }

    #[test]
    fn a_large_text_is_read_and_a_bomb_is_not() {
        let lines = "- a: b\n".repeat(90_000);
        let text = format!("kind: List\nitems:\n- {}\n{lines}", crd("cows"));
        assert_eq!(read_crds(&text, "x").unwrap().len(), 1);
        let crds = (0..2_000).map(|n| crd(&format!("cows{n}")));
        let crds = crds.collect::<Vec<_>>().join("\n---\n");
        assert_eq!(
            read_crds(&format!("---\n{crds}"), "x").unwrap().len(),
            2_000
        );
        let levels = ('b'..='i').zip('a'..).map(|(name, below)| {
            let many = vec![format!("*{below}"); 9].join(", ");
            format!("{name}: &{name} [{many}]\n")
        });
        let bomb = format!("a: &a [moo]\n{}", levels.collect::<String>());
        let error = read_crds(&bomb, "x").unwrap_err().to_string();
        assert!(error.contains("with its aliases expanded"), "{error}");
    }
}
