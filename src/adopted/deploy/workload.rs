//! Finds the workload of an adopted operator, such as its Deployment, in the rendered manifests.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::rendered::Rendered;
use crate::adopted::Error;
use crate::adopted::config::Operator;
use crate::text::place;

/// Kinds whose pods may run an operator.
const KINDS: [&str; 3] = ["Deployment", "StatefulSet", "DaemonSet"];

/// The workload that runs the operator, and its container.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The file that declares the workload, as in [`Rendered::file`].
    pub file: PathBuf,
    /// The line at which it begins; 0 if a renderer produced it.
    pub line: usize,
    /// `Deployment`, `StatefulSet` or `DaemonSet`.
    pub kind: String,
    pub name: String,
    /// The namespace of the object, or `deploy.namespace` of `rustop.yaml` if it has none.
    pub namespace: String,
    /// The name of the pod's ServiceAccount.
    pub service_account: String,
    /// The container of the operator, as in the manifest: with `args`, `env`, `envFrom` and
    /// `volumeMounts`.
    pub container: Value,
    /// The volumes of the pod.
    pub volumes: Vec<Value>,
    /// The labels of the pod.
    pub labels: Value,
    /// The annotations of the pod.
    pub annotations: Value,
}

impl Workload {
    /// Returns the file, with the line if it is known.
    pub fn place(&self) -> String {
        place(&self.file, self.line)
    }

    /// Returns the namespace of an object that is installed with the workload: its own or, without
    /// one, that of the workload.
    pub fn namespace_of<'a>(&'a self, object: &'a Rendered) -> &'a str {
        object.namespace().unwrap_or(&self.namespace)
    }

    /// Finds the operator's workload and its container.
    ///
    /// `operator.workload` names the workload; without it, a single workload is taken. Of several,
    /// the one is taken that alone has a container whose name, image or command is the program's
    /// name, `project` or `manager`, tried in this order. If there is none, the workload's own name
    /// decides. The container is chosen in the same way, by `operator.container` or by its own
    /// name, image and command; `operator.command` replaces its command if it has arguments.
    /// `namespace` is for a workload without one.
    ///
    /// # Errors
    /// Returns `NoWorkload` if there is none, `Workloads` if several remain, and `Containers` if
    /// the container is missing or ambiguous.
    pub fn find(
        objects: &[Rendered],
        operator: &Operator,
        project: &str,
        namespace: &str,
    ) -> Result<Self, Error> {
        let names = names(operator, project);
        let all: Vec<_> = objects
            .iter()
            .filter(|it| KINDS.contains(&it.kind()))
            .collect();
        let chosen = chosen(&all, operator, &names)?;
        let pod = &chosen.object["spec"]["template"]["spec"];
        let container = container(chosen, pod, operator, &names)?;
        let mut found = Self::of(chosen, container, namespace);
        if operator.command.len() > 1 {
            found.container["command"] = json!(operator.command);
        }
        Ok(found)
    }

    fn of(chosen: &Rendered, container: &Value, namespace: &str) -> Self {
        let pod = &chosen.object["spec"]["template"]["spec"];
        let text = |value: &Value| {
            value
                .as_str()
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
        };
        Self {
            file: chosen.file.clone(),
            line: chosen.line,
            kind: chosen.kind().to_owned(),
            name: chosen.name().to_owned(),
            namespace: chosen.namespace().unwrap_or(namespace).to_owned(),
            service_account: text(&pod["serviceAccountName"])
                .or_else(|| text(&pod["serviceAccount"]))
                .unwrap_or_else(|| "default".to_owned()),
            container: container.clone(),
            volumes: list(&pod["volumes"]).to_vec(),
            labels: chosen.object["spec"]["template"]["metadata"]["labels"].clone(),
            annotations: chosen.object["spec"]["template"]["metadata"]["annotations"].clone(),
        }
    }

    /// Returns the other workloads with a container of the same image.
    pub fn siblings(&self, objects: &[Rendered]) -> Vec<Self> {
        let own = image(&self.container);
        let others = objects.iter().filter(|it| {
            let is_same = it.kind() == self.kind && it.name() == self.name;
            KINDS.contains(&it.kind()) && !is_same
        });
        let siblings = others.filter_map(|it| {
            let mut containers = list(&it.object["spec"]["template"]["spec"]["containers"]).iter();
            let container = containers.find(|container| image(container) == own)?;
            Some(Self::of(it, container, &self.namespace))
        });
        siblings.filter(|_| !own.is_empty()).collect()
    }

    /// Returns the arguments of the program: those of `command` and of `args`.
    pub fn arguments(&self) -> Vec<String> {
        let command = list(&self.container["command"]).iter().skip(1);
        let arguments = command.chain(list(&self.container["args"]));
        arguments
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect()
    }

    /// Returns the ports that the container declares, each with its name, which may be empty.
    pub fn ports(&self) -> Vec<(&str, u16)> {
        let ports = list(&self.container["ports"]).iter();
        ports
            .filter_map(|it| {
                let number = u16::try_from(it["containerPort"].as_u64()?).ok()?;
                Some((it["name"].as_str().unwrap_or_default(), number))
            })
            .collect()
    }

    /// Returns the user name of the ServiceAccount, as in bindings and in the API server's audit
    /// log.
    pub fn user(&self) -> String {
        format!(
            "system:serviceaccount:{}:{}",
            self.namespace, self.service_account
        )
    }
}

/// Returns the names that mark the operator's workload and container, the most specific first.
fn names(operator: &Operator, project: &str) -> Vec<String> {
    let program = operator.command.first().map(Path::new);
    let program = program
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    program
        .into_iter()
        .chain([project.to_owned(), "manager".to_owned()])
        .collect()
}

fn chosen<'a>(
    all: &[&'a Rendered],
    operator: &Operator,
    names: &[String],
) -> Result<&'a Rendered, Error> {
    let missing = || Error::NoWorkload {
        name: operator.workload.clone(),
    };
    if let Some(name) = &operator.workload {
        return all
            .iter()
            .find(|it| it.name() == name)
            .copied()
            .ok_or_else(missing);
    }
    let runs = |it: &Rendered, name: &str| {
        let containers = list(&it.object["spec"]["template"]["spec"]["containers"]);
        containers.iter().any(|container| runs(container, name))
    };
    let is_called = |it: &Rendered, name: &str| ends_with_word(it.name(), name);
    match all {
        [] => Err(missing()),
        [one] => Ok(one),
        several => {
            let unique = |test: &dyn Fn(&Rendered) -> bool| {
                let mut matching = several.iter().filter(|it| test(it));
                matching.next().filter(|_| matching.next().is_none())
            };
            let by_container = || names.iter().find_map(|name| unique(&|it| runs(it, name)));
            let by_name = || {
                names
                    .iter()
                    .find_map(|name| unique(&|it| is_called(it, name)))
            };
            let found = by_container()
                .or_else(by_name)
                .or_else(|| unique(&|it| is_called(it, "operator") || is_called(it, "controller")));
            found.copied().ok_or_else(|| Error::Workloads {
                workloads: several
                    .iter()
                    .map(|it| format!("{} {}", it.kind(), it.name()))
                    .collect(),
            })
        }
    }
}

fn container<'a>(
    workload: &Rendered,
    pod: &'a Value,
    operator: &Operator,
    names: &[String],
) -> Result<&'a Value, Error> {
    let containers = list(&pod["containers"]);
    let ambiguous = || Error::Containers {
        workload: format!("{} {}", workload.kind(), workload.name()),
        containers: containers
            .iter()
            .map(|it| it["name"].as_str().unwrap_or_default().to_owned())
            .collect(),
    };
    if let Some(name) = &operator.container {
        let found = containers.iter().find(|it| it["name"] == name.as_str());
        return found.ok_or_else(ambiguous);
    }
    if let [one] = containers {
        return Ok(one);
    }
    let unique = |name: &String| {
        let mut matching = containers.iter().filter(|it| runs(it, name));
        matching.next().filter(|_| matching.next().is_none())
    };
    names.iter().find_map(unique).ok_or_else(ambiguous)
}

/// Returns true if a container has the name, runs a program of the name, or has an image of the
/// name.
fn runs(container: &Value, name: &str) -> bool {
    let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
    let image = last(container["image"].as_str().unwrap_or_default());
    let image = image.split([':', '@']).next().unwrap_or_default();
    let command = list(&container["command"]).first().and_then(Value::as_str);
    container["name"] == name || image == name || command.is_some_and(|it| last(it) == name)
}

/// Returns the image of a container without its tag.
fn image(container: &Value) -> &str {
    let image = container["image"].as_str().unwrap_or_default();
    let image = image.split('@').next().unwrap_or_default();
    match image.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => name,
        _ => image,
    }
}

/// Returns true if a name is a word or ends with `-` and the word.
fn ends_with_word(name: &str, word: &str) -> bool {
    name.strip_suffix(word)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('-'))
}

/// Returns the items of a list; none if the value is not a list.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(kind: &str, name: &str, containers: &[&str]) -> Rendered {
        let containers: Vec<_> = containers
            .iter()
            .map(|name| json!({ "name": name, "image": format!("ghcr.io/x/{name}:1") }))
            .collect();
        let pod = json!({ "serviceAccountName": format!("{name}-sa"), "containers": containers });
        Rendered {
            file: "deploy.yaml".into(),
            line: 1,
            object: json!({ "kind": kind, "metadata": { "name": name }, "spec": { "template": { "spec": pod } } }),
        }
    }

    fn operator(program: &str) -> Operator {
        Operator {
            command: vec![format!("target/debug/{program}")],
            ..Operator::default()
        }
    }

    fn find(objects: &[Rendered], operator: &Operator) -> Result<Workload, Error> {
        Workload::find(objects, operator, "barn", "farm")
    }

    #[test]
    fn the_workload_is_found_by_the_name_of_the_program() {
        let objects = [
            workload("Deployment", "web", &["web"]),
            workload("Deployment", "barn-controller", &["shepherd"]),
        ];
        let found = find(&objects, &operator("shepherd")).unwrap();
        assert_eq!(
            (&*found.name, &*found.namespace),
            ("barn-controller", "farm")
        );
        assert_eq!(found.service_account, "barn-controller-sa");
        assert!(matches!(
            find(&objects[..1], &operator("x")),
            Ok(found) if found.name == "web"
        ));
        let unlike = [
            workload("Deployment", "a", &["b"]),
            workload("DaemonSet", "c", &["d"]),
        ];
        let error = find(&unlike, &operator("x")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the manifests have Deployment a, DaemonSet c: cannot tell which one is the operator"
        );
        assert!(matches!(
            find(&[], &operator("x")),
            Err(Error::NoWorkload { .. })
        ));
    }

    #[test]
    fn one_of_three_containers_is_chosen_by_name_or_refused() {
        let objects = [workload(
            "Deployment",
            "barn",
            &["proxy", "manager", "logs"],
        )];
        let found = find(&objects, &operator("x")).unwrap();
        assert_eq!(found.container["name"], "manager");
        let objects = [workload("Deployment", "barn", &["proxy", "core", "logs"])];
        let error = find(&objects, &operator("x")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Deployment barn has the containers proxy, core, logs: cannot tell which one is the operator"
        );
        let named = Operator {
            container: Some("core".into()),
            ..operator("x")
        };
        assert_eq!(find(&objects, &named).unwrap().container["name"], "core");
    }

    #[test]
    fn a_command_with_arguments_replaces_that_of_the_container() {
        let mut deployed = workload("Deployment", "barn", &["barn"]);
        let container = &mut deployed.object["spec"]["template"]["spec"]["containers"][0];
        container["command"] = json!(["/kopf", "run", "/src/op.py"]);
        container["args"] = json!(["--verbose"]);
        for (command, arguments) in [
            (&["kopf"][..], &["run", "/src/op.py", "--verbose"][..]),
            (&["kopf", "run", "op.py"], &["run", "op.py", "--verbose"]),
        ] {
            let operator = Operator {
                command: command.iter().map(|it| (*it).to_owned()).collect(),
                ..Operator::default()
            };
            let found = find(std::slice::from_ref(&deployed), &operator).unwrap();
            assert_eq!(found.arguments(), arguments);
        }
    }
}
