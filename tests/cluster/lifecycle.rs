//! `rustop cluster start`, `stop`, `status` and `kubeconfig`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::memory;
use crate::support::{Ran, Sandbox, assert_private, files, is_in, kill, run, until};

#[test]
fn a_cluster_runs_workloads_and_keeps_its_data() {
    let sandbox = Sandbox::new();
    let started = sandbox.ok("cluster start --nodes 2");
    assert!(is_in("with 2 nodes", &started.stderr), "{}", started.stderr);
    assert_eq!(started.stdout, "");

    let status = &sandbox.status("default")[0];
    assert_eq!(status["running"], true);
    assert_eq!(status["nodes"], 2);
    assert_eq!(status["components"].as_array().unwrap().len(), 5);
    let kubeconfig = sandbox.ok("cluster kubeconfig").stdout;
    assert_eq!(kubeconfig.trim(), status["kubeconfig"]);
    let printed = sandbox.ok("cluster kubeconfig --print").stdout;
    assert_eq!(printed, fs::read_to_string(kubeconfig.trim()).unwrap());
    let server = status["server"].as_str().unwrap();
    assert!(is_in(server, &printed));
    let table = sandbox.ok("cluster status").stdout;
    assert!(is_in("default  running  1.37", &table), "{table}");

    assert_private(&sandbox.state());
    assert_loopback_only(status);
    assert_workloads_run(&sandbox);
    memory::assert_alike(&sandbox);
    assert_audit_log_tells_what_users_ask(
        &sandbox,
        Path::new(status["auditLog"].as_str().unwrap()),
    );

    let pid = sandbox.pid("default", "etcd");
    let again = sandbox.ok("cluster start");
    assert!(
        is_in("Running cluster `default` already", &again.stderr),
        "{}",
        again.stderr
    );
    assert_eq!(sandbox.pid("default", "etcd"), pid);

    // Half of it ends; what is left is replaced, and the data is still there.
    kill(pid.unwrap(), Signal::KILL);
    until("status says what ended", Duration::from_secs(10), || {
        is_in("broken: etcd ended", &sandbox.ok("cluster status").stdout)
    });
    let ran = run(&mut sandbox.rustop("cluster kubeconfig"));
    assert!(
        is_in("help: run `rustop cluster start`", &ran.stderr),
        "{}",
        ran.stderr
    );
    sandbox.ok("cluster start --nodes 1");
    assert_eq!(
        sandbox
            .kubectl("default", "get deployment web -o name")
            .stdout,
        "deployment.apps/web\n"
    );
    assert_eq!(sandbox.status("default")[0]["server"], server);
    assert_eq!(
        sandbox.kubectl("default", "get nodes -o name").stdout,
        "node/node-1\n"
    );

    sandbox.ok("cluster stop");
    sandbox.assert_no_processes();
    assert_eq!(sandbox.status("default")[0]["running"], false);
    let stopped = sandbox.ok("cluster stop");
    assert!(is_in("already", &stopped.stderr), "{}", stopped.stderr);

    sandbox.ok("cluster start --fresh --no-controllers");
    let ran = sandbox.kubectl("default", "get deployment web");
    assert!(is_in("NotFound", &ran.stderr), "{}", ran.stderr);
    sandbox.ok("cluster stop");
    sandbox.assert_no_processes();
}

/// No socket of any component listens on anything but 127.0.0.1.
fn assert_loopback_only(status: &Value) {
    let pids = status["components"].as_array().unwrap().iter();
    let sockets: BTreeSet<String> = pids
        .flat_map(|component| fs::read_dir(format!("/proc/{}/fd", component["pid"])).unwrap())
        .filter_map(|fd| fs::read_link(fd.ok()?.path()).ok())
        .filter_map(|target| {
            let target = target.to_str()?.strip_prefix("socket:[")?.to_owned();
            Some(target.trim_end_matches(']').to_owned())
        })
        .collect();
    let mut listening = 0;
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for line in fs::read_to_string(table)
            .unwrap_or_default()
            .lines()
            .skip(1)
        {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields[3] == "0A" && sockets.contains(fields[9]) {
                assert!(fields[1].starts_with("0100007F:"), "{line}");
                listening += 1;
            }
        }
    }
    // etcd's two and the API server's.
    assert_eq!(listening, 3);
}

fn assert_workloads_run(sandbox: &Sandbox) {
    let kubectl = |line: &str| {
        let ran = sandbox.kubectl("default", line);
        assert_eq!(ran.code, Some(0), "kubectl {line}: {}", ran.stderr);
        ran.stdout
    };
    kubectl("create deployment web --image=nginx --replicas=3");
    kubectl("create job once --image=busybox");
    kubectl("wait --for=condition=Available deployment/web --timeout=20s");
    kubectl("wait --for=condition=Complete job/once --timeout=20s");
    let gone = || kubectl("get replicasets -o name");
    kubectl("create deployment brief --image=nginx");
    until("it has a replica set", Duration::from_secs(10), || {
        is_in("brief", &gone())
    });
    kubectl("delete deployment brief");
    until(
        "its replica set is collected",
        Duration::from_secs(20),
        || !is_in("brief", &gone()),
    );
}

fn assert_audit_log_tells_what_users_ask(sandbox: &Sandbox, log: &Path) {
    let user = "system:serviceaccount:default:default";
    let ran = sandbox.kubectl(
        "default",
        &format!("create token default --as-group=system:masters --as={user}"),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let token = ran.stdout.trim().to_owned();
    let config = sandbox.path().join("service-account.kubeconfig");
    let text = sandbox.ok("cluster kubeconfig --print").stdout;
    let text: String = text
        .lines()
        .filter(|line| !line.contains("client-key-data"))
        .map(|line| match line.find("client-certificate-data") {
            Some(column) => format!("{}token: {token}\n", &line[..column]),
            None => format!("{line}\n"),
        })
        .collect();
    fs::write(&config, text).unwrap();
    let ran = sandbox.kubectl(
        "default",
        &format!(
            "get deployment web --subresource=status -n default --kubeconfig={}",
            config.display()
        ),
    );
    assert!(is_in("forbidden", &ran.stderr), "{}", ran.stderr);

    let text = fs::read_to_string(log).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let event = events
        .iter()
        .find(|event| {
            event["objectRef"]["resource"] == "deployments" && event["user"]["username"] == user
        })
        .unwrap_or_else(|| panic!("no event in: {text}"));
    assert_eq!(event["verb"], "get");
    assert_eq!(event["objectRef"]["apiGroup"], "apps");
    assert_eq!(event["objectRef"]["subresource"], "status");
    assert_eq!(event["objectRef"]["name"], "web");
    assert_eq!(event["objectRef"]["namespace"], "default");
    assert_eq!(event["responseStatus"]["code"], 403);
    assert_eq!(
        event["annotations"]["authorization.k8s.io/decision"],
        "forbid"
    );
    assert!(
        events
            .iter()
            .all(|event| event["user"]["username"] != "rustop:admin")
    );
}

#[test]
fn clusters_run_side_by_side() {
    let sandbox = Sandbox::new();
    let start = |name: &str| {
        sandbox
            .rustop(&format!(
                "cluster start --no-controllers --quiet --name {name}"
            ))
            .spawn()
            .unwrap()
    };
    // Two of one name, too: one starts it and the other finds it running.
    let children = [start("red"), start("red"), start("blue")];
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(sandbox.processes().len(), 4, "{:?}", sandbox.processes());
    assert_eq!(
        sandbox.kubectl("red", "create namespace only-red").code,
        Some(0)
    );
    assert_eq!(
        sandbox.kubectl("blue", "get namespace only-red").code,
        Some(1)
    );

    sandbox.ok("cluster stop --name red");
    assert_eq!(sandbox.status("red")[0]["running"], false);
    assert_eq!(
        sandbox.kubectl("blue", "get namespace default").code,
        Some(0)
    );
    sandbox.ok("cluster stop --name blue");
    sandbox.assert_no_processes();
}

#[test]
fn with_what_envtest_ships_it_runs_without_controllers_and_says_so() {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let assets = sandbox.status("default")[0]["assets"]
        .as_str()
        .unwrap()
        .to_owned();
    sandbox.ok("cluster stop");
    let envtest = sandbox.path().join("envtest");
    fs::create_dir(&envtest).unwrap();
    for program in ["etcd", "kube-apiserver", "kubectl"] {
        std::os::unix::fs::symlink(Path::new(&assets).join(program), envtest.join(program))
            .unwrap();
    }
    let ran = run(sandbox
        .rustop("cluster start")
        .env("KUBEBUILDER_ASSETS", &envtest));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        is_in("there is no kube-controller-manager", &ran.stderr),
        "{}",
        ran.stderr
    );
    // No controller makes ServiceAccounts here, and a Pod is accepted all the same.
    let ran = sandbox.kubectl("default", "run web --image=nginx");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    sandbox.ok("cluster stop");
    sandbox.assert_no_processes();
}

#[test]
fn a_program_that_cannot_run_is_named_with_its_last_words() {
    let sandbox = Sandbox::new();
    let assets = sandbox.path().join("assets");
    fs::create_dir(&assets).unwrap();
    for program in ["etcd", "kube-apiserver"] {
        let path = assets.join(program);
        fs::write(&path, "#!/bin/sh\necho no such luck\nexit 1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ran = run(sandbox.rustop("cluster start").arg("--assets").arg(&assets));
    assert_eq!(ran.code, Some(1));
    assert!(is_in("error: etcd exited", &ran.stderr), "{}", ran.stderr);
    assert!(is_in("no such luck", &ran.stderr), "{}", ran.stderr);
    assert!(is_in("logs/etcd.log", &ran.stderr), "{}", ran.stderr);
    sandbox.assert_no_processes();

    let ran = run(&mut sandbox.rustop("cluster start --name ../evil"));
    assert!(
        is_in("is not a valid cluster name", &ran.stderr),
        "{}",
        ran.stderr
    );
}

/// `rustop cluster` in a directory of its own.
fn cluster_in(sandbox: &Sandbox, dir: &Path, line: &str) -> Ran {
    run(sandbox.rustop(&format!("cluster {line}")).current_dir(dir))
}

#[test]
fn clusters_of_projects_that_are_gone_are_deleted_together() {
    let sandbox = Sandbox::new();
    let [one, other] = ["one", "other"].map(|name| sandbox.path().join(name));
    for dir in [&one, &other] {
        let ran = run(sandbox.rustop("init --domain my.domain").arg(dir));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        for line in ["start --no-controllers", "stop"] {
            let ran = cluster_in(&sandbox, dir, line);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        }
    }
    fs::remove_dir_all(&one).unwrap();
    let deleted = cluster_in(&sandbox, sandbox.path(), "delete --unused");
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert!(is_in("`one-", &deleted.stderr), "{}", deleted.stderr);
    let left = files(sandbox.state().join("clusters"));
    assert!(!left.is_empty());
    assert!(
        left.iter().all(|file| file.starts_with("other-")),
        "{left:?}"
    );
}

/// In a project the project's cluster is meant, and a project is its directory.
#[test]
fn a_project_has_a_cluster_of_its_own() {
    let sandbox = Sandbox::new();
    let [one, other] = ["one", "other"].map(|name| sandbox.path().join(name));
    for dir in [&one, &other] {
        let init = "init --domain my.domain --project-name lolcow-operator";
        let ran = run(sandbox.rustop(init).arg(dir));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let below = one.join("api/src");
    let none = cluster_in(&sandbox, &one, "status");
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), ""));

    let started = cluster_in(&sandbox, &below, "start --no-controllers");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let shown = cluster_in(&sandbox, &below, "kubeconfig");
    assert!(Path::new(shown.stdout.trim()).is_file(), "{shown:?}");
    for dir in [other.as_path(), sandbox.path()] {
        let ran = cluster_in(&sandbox, dir, "kubeconfig");
        assert!(is_in("is not running", &ran.stderr), "{}", ran.stderr);
    }
    let table = cluster_in(&sandbox, &below, "status").stdout;
    let whole = one.canonicalize().unwrap();
    assert!(
        is_in("running", &table) && is_in(&whole, &table) && is_in(" MiB", &table),
        "{table}"
    );
    // The status of all clusters has the former directory of a project that was moved.
    let moved = sandbox.path().join("moved");
    fs::rename(&one, &moved).unwrap();
    let stdout = cluster_in(&sandbox, &moved, "status").stdout;
    assert_eq!(stdout, "", "another directory, another cluster");
    let all = cluster_in(&sandbox, &moved, "status --all").stdout;
    assert!(is_in(format!("{} (gone)", whole.display()), &all), "{all}");
    fs::rename(&moved, &one).unwrap();

    let stopped = cluster_in(&sandbox, &one, "stop");
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
    sandbox.assert_no_processes();
    let deleted = cluster_in(&sandbox, &one, "delete");
    assert_eq!(deleted.code, Some(0), "{}", deleted.stderr);
    assert_eq!(files(sandbox.state().join("clusters")), [""; 0]);
    let again = cluster_in(&sandbox, &one, "delete");
    assert_eq!(again.code, Some(1));
    assert!(is_in("cluster `lolcow-operator-", &again.stderr));
    assert!(is_in("does not exist", &again.stderr));
}

/// Another tool's `PROJECT` says nothing about clusters, and a broken one of rustop's is not passed
/// over.
#[test]
fn only_a_project_of_rustops_has_a_cluster() {
    let sandbox = Sandbox::new();
    let project = |text: &str| fs::write(sandbox.path().join("PROJECT"), text).unwrap();
    project("layout: [go.kubebuilder.io/v4]\nversion: \"3\"\n");
    let ran = sandbox.ok("cluster stop");
    assert!(
        is_in("cluster `default` already", &ran.stderr),
        "{}",
        ran.stderr
    );
    project("layout: [rustop.dev/v1]\n<<<<<<< HEAD\n");
    let ran = run(&mut sandbox.rustop("cluster stop"));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    sandbox.ok("cluster stop --name default");
}
