//! A control plane with the kinds and roles of the project, and what can be done to its processes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::Api;
use crate::audit::{self, Entry};
use crate::place::Place;
use crate::project::Project;
use crate::support::{Sandbox, kill, until};

/// The command with which a program was started.
struct Program {
    line: Vec<OsString>,
    environment: Vec<OsString>,
}

pub struct Cluster {
    pub api: Api,
    pub project: Arc<Project>,
    pub dir: PathBuf,
    sandbox: Sandbox,
    places: AtomicUsize,
    restarted: Mutex<Vec<Child>>,
}

impl Cluster {
    pub fn start(project: &Arc<Project>) -> Arc<Self> {
        let sandbox = Sandbox::new();
        sandbox.ok("cluster start --no-controllers");
        let status = sandbox.status("default").remove(0);
        let kubeconfig = PathBuf::from(status["kubeconfig"].as_str().unwrap());
        let server = server_of(&fs::read_to_string(&kubeconfig).unwrap());
        let dir = kubeconfig.parent().unwrap().to_owned();
        let cluster = Self {
            api: Api::new(&dir, server, "ca", "admin"),
            project: project.clone(),
            dir,
            sandbox,
            places: AtomicUsize::new(0),
            restarted: Mutex::default(),
        };
        cluster.install();
        Arc::new(cluster)
    }

    /// A namespace of its own for one case.
    pub fn place(self: &Arc<Self>) -> Place {
        let number = self.places.fetch_add(1, Ordering::Relaxed);
        Place::new(self, &format!("place-{number}"))
    }

    /// The requests of service accounts in `namespace` so far, in the order in which they came in.
    pub fn audit(&self, namespace: &str) -> Vec<Entry> {
        audit::read(&self.dir.join("logs/audit.log"), namespace)
    }

    pub fn signal(&self, component: &str, signal: Signal) {
        kill(self.sandbox.pid("default", component).unwrap(), signal);
    }

    /// Kills the API server, does something, and starts it again with the same arguments.
    pub fn restart_api_server(&self, meanwhile: impl FnOnce()) {
        self.restart_api_server_with(None, meanwhile);
    }

    /// The same with one more argument from now on.
    pub fn restart_api_server_with(&self, argument: Option<&str>, meanwhile: impl FnOnce()) {
        let mut server = self.stop(self.api_server());
        server.line.extend(argument.map(OsString::from));
        until("the API server is gone", SOON, || {
            self.api.call("GET", "/readyz", None).0 == 0
        });
        meanwhile();
        self.start_again(&server);
        self.wait_until_ready();
    }

    /// A copy of the database, made while nothing runs.
    pub fn backup(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        self.without_database(|data| copy_all(data, copy.path()));
        copy
    }

    /// Puts a copy in the place of the database, as after a disaster: revisions go back.
    pub fn restore(&self, backup: &TempDir) {
        self.without_database(|data| {
            fs::remove_dir_all(data).unwrap();
            fs::create_dir(data).unwrap();
            copy_all(backup.path(), data);
        });
    }

    /// Does something with the directory of the database while neither it nor the API server runs.
    fn without_database(&self, work: impl FnOnce(&Path)) {
        let server = self.stop(self.api_server());
        let etcd = self.stop(self.etcd());
        let mut words = etcd.line.iter().filter_map(|word| word.to_str());
        let data = words.find_map(|word| word.strip_prefix("--data-dir="));
        work(&self.dir.join(data.unwrap()));
        self.start_again(&etcd);
        self.start_again(&server);
        self.wait_until_ready();
    }

    /// Kills a program, and returns how it was started.
    fn stop(&self, pid: u32) -> Program {
        let proc = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap();
        let words = |bytes: Vec<u8>| -> Vec<OsString> {
            let words = bytes
                .split(|byte| *byte == 0)
                .filter(|word| !word.is_empty());
            words
                .map(|word| std::ffi::OsStr::from_bytes(word).to_owned())
                .collect()
        };
        let program = Program {
            line: words(proc("cmdline")),
            environment: words(proc("environ")),
        };
        kill(pid, Signal::KILL);
        let mut restarted = self.restarted.lock().unwrap();
        for mut ours in restarted.extract_if(.., |child| child.id() == pid) {
            ours.wait().unwrap();
        }
        // A process whose parent has not waited for it stays as a zombie. Its other threads end
        // later than the first one, and until then its port is in use.
        until("it is gone", SOON, || {
            let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else {
                return true;
            };
            let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
            line.is_empty() && threads <= 1
        });
        program
    }

    fn start_again(&self, program: &Program) {
        let log = fs::File::options()
            .append(true)
            .create(true)
            .open(self.restart_log());
        let pairs = program
            .environment
            .iter()
            .filter_map(|pair| pair.to_str()?.split_once('='));
        let child = Command::new(&program.line[0])
            .args(&program.line[1..])
            .current_dir(&self.dir)
            .env_clear()
            .envs(pairs)
            .stdin(Stdio::null())
            .stderr(log.unwrap())
            .spawn()
            .unwrap();
        self.restarted.lock().unwrap().push(child);
    }

    pub fn wait_until_ready(&self) {
        until("the API server is ready", SOON * 3, || {
            for server in self.restarted.lock().unwrap().iter_mut() {
                let ended = server.try_wait().unwrap();
                let log = || fs::read_to_string(self.restart_log()).unwrap();
                assert!(ended.is_none(), "{ended:?}: {}", log());
            }
            self.api.call("GET", "/readyz", None).0 == 200
        });
    }

    fn restart_log(&self) -> PathBuf {
        self.dir.join("logs/restarted.log")
    }

    /// Makes etcd forget every revision but the last.
    pub fn compact(&self) {
        let line = fs::read_to_string(format!("/proc/{}/cmdline", self.etcd())).unwrap();
        let url = line
            .split('\0')
            .find_map(|word| word.strip_prefix("--advertise-client-urls="));
        let etcd = Api::new(&self.dir, url.unwrap().to_owned(), "etcd-ca", "etcd-client");
        let found = etcd.post("/v3/kv/range", &json!({"key": "AA=="}));
        let revision = found["header"]["revision"].clone();
        etcd.post(
            "/v3/kv/compaction",
            &json!({"revision": revision, "physical": true}),
        );
    }

    fn api_server(&self) -> u32 {
        self.running("kube-apiserver")
    }

    fn etcd(&self) -> u32 {
        self.running("etcd")
    }

    /// Not what rustop has written down: it may have been started here.
    fn running(&self, program: &str) -> u32 {
        let processes = self.sandbox.processes();
        let found = processes.iter().find(|(_, line)| {
            let first = line.split(' ').next().unwrap_or_default();
            Path::new(first)
                .file_name()
                .is_some_and(|name| name == program)
        });
        found
            .unwrap_or_else(|| panic!("no {program} in {processes:?}"))
            .0
    }

    /// CRDs and roles, the roles for every ServiceAccount in every namespace.
    fn install(&self) {
        for crd in ["lolcows", "pastures", "herds"] {
            self.install_crd(crd);
        }
        let files = ["role", "leader_election", "metrics"];
        let objects = files
            .iter()
            .flat_map(|file| self.manifests(&format!("config/rbac/{file}.yaml")));
        for mut role in objects.filter(|object| object["rules"].is_array()) {
            role["kind"] = "ClusterRole".into();
            role["metadata"] = json!({"name": role["metadata"]["name"]});
            let rbac = "/apis/rbac.authorization.k8s.io/v1";
            self.api.post(&format!("{rbac}/clusterroles"), &role);
            let binding = json!({
                "metadata": role["metadata"],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role["metadata"]["name"]},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:serviceaccounts"}],
            });
            self.api
                .post(&format!("{rbac}/clusterrolebindings"), &binding);
        }
    }

    pub fn install_crd(&self, plural: &str) {
        let crd = self.manifest(&format!("config/crd/bases/my.domain_{plural}.yaml"));
        self.api.post(CRDS, &crd);
        until("the CRD is established", SOON, || {
            let crd = self.api.get(&format!("{CRDS}/{plural}.my.domain")).unwrap();
            let conditions = crd["status"]["conditions"].as_array();
            conditions.into_iter().flatten().any(|condition| {
                condition["type"] == "Established" && condition["status"] == "True"
            })
        });
    }

    fn manifest(&self, path: &str) -> Value {
        self.manifests(path).remove(0)
    }

    /// Returns the objects of a file.
    fn manifests(&self, path: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.project.dir.join(path)).unwrap();
        let mut documents: Vec<Value> = serde_yaml::from_multiple(&text).unwrap();
        documents.retain(|document| !document.is_null());
        documents
    }
}

fn copy_all(from: &Path, to: &Path) {
    let copied = Command::new("cp")
        .arg("-a")
        .arg(from.join("."))
        .arg(to)
        .status();
    assert!(copied.unwrap().success());
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let restarted = self.restarted.get_mut();
        for server in restarted.unwrap_or_else(PoisonError::into_inner) {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

pub const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The time limit for anything that should happen at once, on a busy machine.
pub const SOON: Duration = Duration::from_secs(45);

fn server_of(kubeconfig: &str) -> String {
    let config: Value = serde_yaml::from_str(kubeconfig).unwrap();
    config["clusters"][0]["cluster"]["server"]
        .as_str()
        .unwrap()
        .to_owned()
}
