//! The Deployment of a Go operator, whose settings are carried over into the Deployment of the new
//! project.

use serde_json::{Map, Value, json};

use crate::text::code_span;
use crate::tree::Tree;
use crate::yaml;

/// The file with the Deployment of the new project. In a Go project it usually has the same path.
pub const DEPLOYMENT: &str = "config/manager/manager.yaml";

/// The variable with the namespaces that the operator watches. Operators of the Operator SDK and of
/// rustop read it.
const WATCHED: &str = "WATCH_NAMESPACE";

/// Fields of a Deployment that need no hint: the generated Deployment sets them, or other code here
/// handles them.
const SPEC: [&str; 3] = ["replicas", "selector", "template"];
const POD: [&str; 5] = [
    "containers",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "terminationGracePeriodSeconds",
];
const CONTAINER: [&str; 10] = [
    "args",
    "command",
    "env",
    "image",
    "livenessProbe",
    "name",
    "ports",
    "readinessProbe",
    "resources",
    "securityContext",
];

/// Flags of Go operators, and a hint for each in `IMPORT.md`.
const FLAGS: [(&str, &str); 9] = [
    ("--leader-elect", "it is set here"),
    ("--log-level", "it is the same here: put it into `args`"),
    ("--enable-leader-election", "`--leader-elect` is set here"),
    ("--health-probe-bind-address", "it is set here, to `:8081`"),
    ("--metrics-bind-address", "it is set here, to `:8443`"),
    ("--metrics-secure", "it is the default here"),
    ("--zap-log-level", "here `--log-level`"),
    ("--zap-devel", "here `--log-level=debug`"),
    ("--zap-encoder", "here `--log-format`"),
];

/// Flags that the generated Deployment sets to the same value.
const HERE: [&str; 3] = [
    "--leader-elect",
    "--health-probe-bind-address=:8081",
    "--metrics-bind-address=:8443",
];

/// Texts of the generated Deployment that the values of the Go project replace, or before which
/// they are inserted. Resources replace everything from `RESOURCES` to `RESOURCES_END`.
const REPLICAS: &str = "  replicas: 1\n";
const GRACE: [&str; 2] = [
    "terminationGracePeriodSeconds: 10\n",
    "--termination-grace-period-seconds=10\n",
];
const PORTS: &str = "        ports:\n        - name: metrics\n";
const RESOURCES: &str = "        # Memory grows";
const RESOURCES_END: &str = "        securityContext:\n          allowPrivilegeEscalation";

/// The Deployment of a Go operator.
#[derive(Default)]
pub struct Deployment {
    /// Descriptions of the settings that are carried over.
    pub carried: Vec<String>,
    /// Descriptions of the settings that are not carried over, each with a hint for the user.
    pub left: Vec<String>,
    /// The number of replicas; `None` if it is not more than 1.
    replicas: Option<u64>,
    /// The termination grace period in seconds; `None` for 10, the default of rustop.
    grace: Option<u64>,
    /// `resources` of the container.
    resources: Option<Value>,
    /// The variables that are carried over.
    env: Vec<Value>,
}

impl Deployment {
    /// Reads a Deployment, given with the path of its file; `None` if the Go project has none.
    /// Settings that it does not contain keep rustop's defaults.
    pub fn read(found: Option<&(String, Value)>) -> Self {
        let mut read = Self::default();
        let Some((path, deployment)) = found else {
            return read;
        };
        let pod = &deployment["spec"]["template"]["spec"];
        let containers = pod["containers"].as_array().map_or(&[][..], Vec::as_slice);
        let mut named = containers.iter();
        let manager = named.find(|it| it["name"] == "manager");
        let Some(manager) = manager.or(containers.first()) else {
            return read;
        };
        read.values(deployment, manager);
        read.env(manager);
        read.flags(manager);
        let unknown = unknown(&deployment["spec"], &SPEC)
            .chain(unknown(pod, &POD))
            .chain(unknown(manager, &CONTAINER));
        read.left.extend(unknown.map(|key| {
            format!(
                "{}: put it into `{DEPLOYMENT}`, if it is still wanted",
                code_span(key)
            )
        }));
        let sidecars = containers.iter().filter(|it| it["name"] != manager["name"]);
        read.left.extend(sidecars.map(|it| {
            let name = code_span(it["name"].as_str().unwrap_or_default());
            format!("the container {name} next to the operator")
        }));
        for line in &mut read.left {
            *line = format!("`{path}`: {line}");
        }
        read
    }

    /// Reads the replicas, the grace period, the resources and the image.
    fn values(&mut self, deployment: &Value, manager: &Value) {
        let spec = &deployment["spec"];
        let pod = &spec["template"]["spec"];
        self.replicas = spec["replicas"].as_u64().filter(|&it| it > 1);
        self.grace = pod["terminationGracePeriodSeconds"]
            .as_u64()
            .filter(|&it| it != 10);
        let resources = &manager["resources"];
        self.resources = resources
            .as_object()
            .filter(|it| !it.is_empty())
            .map(|_| resources.clone());
        let replicas = self.replicas.map(|it| format!("{it} replicas"));
        let grace = self.grace.map(|it| format!("a grace period of {it} s"));
        let resources = self
            .resources
            .as_ref()
            .map(|_| "the resource requests of Go: measure, and request less".to_owned());
        let carried = [replicas, grace, resources].into_iter().flatten();
        self.carried.extend(carried);
        if let Some(image) = manager["image"].as_str() {
            self.left.push(format!(
                "the image {} contains the Go operator; pass yours when you deploy: `make deploy IMG=..`",
                code_span(image)
            ));
        }
    }

    /// Reads the environment variables. Those that do not refer to another object are carried over.
    fn env(&mut self, manager: &Value) {
        for variable in manager["env"].as_array().into_iter().flatten() {
            let name = variable["name"].as_str().unwrap_or_default();
            match name {
                // The generated Deployment sets them.
                "POD_NAME" | "POD_NAMESPACE" => {}
                // All namespaces, which is the default here, too.
                WATCHED if is_empty(variable) => {}
                WATCHED if needs(variable) => self.left.push(format!(
                    "the variable `{name}`: it is read from an object that is not here, and until you set it in \
                     `{DEPLOYMENT}`, this operator watches all namespaces"
                )),
                _ if needs(variable) => self.left.push(format!(
                    "the variable {}: it is read from an object that is not here; put both below `config/manager`",
                    code_span(name)
                )),
                _ => {
                    self.carried.push(format!("the variable {}", code_span(name)));
                    self.env.push(variable.clone());
                }
            }
        }
    }

    /// Reads the arguments of the container.
    fn flags(&mut self, manager: &Value) {
        for flag in manager["args"].as_array().into_iter().flatten() {
            let Some(flag) = flag.as_str() else { continue };
            if HERE.contains(&flag) {
                continue;
            }
            let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
            if name.trim_start_matches('-') == "watch-namespace" && !value.is_empty() {
                self.watch(value);
                continue;
            }
            let mut known = FLAGS.iter();
            let known = known.find(|(known, _)| *known == name);
            let what = known.map_or(
                "write it as an option of your own (see `rustop_manager::Options`), and put it into `args`",
                |(_, what)| what,
            );
            self.left
                .push(format!("the flag {}: {what}", code_span(flag)));
        }
    }

    /// Carries over the namespaces of a flag, which takes precedence over the variable.
    fn watch(&mut self, namespaces: &str) {
        let carried = format!("the variable `{WATCHED}`");
        if self.env.iter().all(|it| it["name"] != WATCHED) {
            self.carried.push(carried);
        }
        self.env.retain(|it| it["name"] != WATCHED);
        self.env.push(json!({"name": WATCHED, "value": namespaces}));
    }

    /// Writes the settings that are carried over into the Deployment of the new project.
    pub fn write_into(&self, tree: &mut Tree) {
        let Some(mut text) = tree.get(DEPLOYMENT).map(|file| file.text.clone()) else {
            return;
        };
        if let Some(replicas) = self.replicas {
            text = text.replacen(REPLICAS, &format!("  replicas: {replicas}\n"), 1);
        }
        for place in self.grace.iter().flat_map(|_| GRACE) {
            let seconds = self.grace.unwrap_or_default();
            text = text.replacen(place, &place.replace("10", &seconds.to_string()), 1);
        }
        if !self.env.is_empty() {
            let env = indented(&json!(self.env), 8) + PORTS;
            text = text.replacen(PORTS, &env, 1);
        }
        if let (Some(resources), Some((before, rest))) =
            (&self.resources, text.split_once(RESOURCES))
            && let Some((_, after)) = rest.split_once(RESOURCES_END)
        {
            let resources = indented(&json!({"resources": resources}), 8);
            text = format!("{before}{resources}{RESOURCES_END}{after}");
        }
        tree.replace(DEPLOYMENT, text);
    }
}

/// Reports whether a variable has neither a value nor a source of one.
fn is_empty(variable: &Value) -> bool {
    let value = variable["value"].as_str().unwrap_or_default();
    value.is_empty() && variable["valueFrom"].is_null()
}

/// Reports whether the value of a variable comes from another object, such as a Secret.
fn needs(variable: &Value) -> bool {
    let from = &variable["valueFrom"];
    from.is_object() && from["fieldRef"].is_null() && from["resourceFieldRef"].is_null()
}

/// Returns the fields of an object that are not in `known`.
fn unknown<'a>(object: &'a Value, known: &'a [&str]) -> impl Iterator<Item = &'a String> {
    let keys = object.as_object().into_iter().flat_map(Map::keys);
    keys.filter(|key| !known.contains(&key.as_str()))
}

fn indented(value: &Value, spaces: usize) -> String {
    let lines = yaml::write(value);
    let lines = lines.lines().map(|line| format!("{:spaces$}{line}\n", ""));
    lines.collect()
}
