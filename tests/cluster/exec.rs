//! `rustop cluster exec`: what it passes on, and that nothing is left of it, however it ends.

use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::Signal;

use crate::support::{Ran, Sandbox, is_in, kill, run, until};

fn exec(sandbox: &Sandbox, script: &str) -> Command {
    let mut command = sandbox.rustop("cluster exec --no-controllers -- sh -c");
    command.arg(script);
    command
}

fn assert_nothing_left(sandbox: &Sandbox) {
    sandbox.assert_no_processes();
    sandbox.assert_no_exec_directory();
}

#[test]
fn the_command_gets_a_whole_cluster_and_passes_its_exit_code_on() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.rustop("cluster exec --nodes 2 -- sh -c");
    command.arg("kubectl get nodes -o name && test -x $KUBEBUILDER_ASSETS/etcd && exit 7");
    let ran = run(&mut command);
    assert_eq!(ran.code, Some(7), "{}", ran.stderr);
    assert_eq!(ran.stdout, "node/node-1\nnode/node-2\n");
    // At once: what it left would be a lie about being done.
    assert_eq!(sandbox.processes(), []);
    sandbox.assert_no_exec_directory();
    assert_eq!(sandbox.ok("cluster status").stdout, "");
}

#[test]
fn a_signal_that_ends_the_command_is_told_as_shells_do() {
    let sandbox = Sandbox::new();
    assert_eq!(run(&mut exec(&sandbox, "kill -9 $$")).code, Some(137));
    let ran = run(&mut sandbox.rustop("cluster exec --no-controllers -- /no/such/program"));
    assert_eq!(ran.code, Some(127), "{}", ran.stderr);
    assert!(
        is_in("error: cannot run `/no/such/program`", &ran.stderr),
        "{}",
        ran.stderr
    );
    assert_nothing_left(&sandbox);
}

/// Starts a command with a child process, neither of which ends without a signal.
fn start_endless(sandbox: &Sandbox) -> Child {
    let up = sandbox.path().join("up");
    // The shell itself makes the file: a SIGINT that arrives while it waits for a program which has
    // just ended well is ignored.
    let script = format!("sleep 300 & : > {}; sleep 300; true", up.display());
    let mut child = exec(sandbox, &script).spawn().unwrap();
    until("the command runs", Duration::from_secs(60), || {
        assert_eq!(child.try_wait().unwrap(), None, "it ended");
        up.exists()
    });
    child
}

#[test]
fn signals_end_the_command_and_the_cluster() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let sandbox = Sandbox::new();
        let mut child = start_endless(&sandbox);
        kill(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_nothing_left(&sandbox);
    }
}

#[test]
fn even_sigkill_leaves_nothing() {
    let sandbox = Sandbox::new();
    let mut child = start_endless(&sandbox);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_nothing_left(&sandbox);
}

#[test]
fn signals_while_it_starts_leave_nothing() {
    for (signal, code) in [(Signal::KILL, None), (Signal::TERM, Some(143))] {
        let sandbox = Sandbox::new();
        let mut child = exec(&sandbox, "true").spawn().unwrap();
        until("the API server starts", Duration::from_secs(20), || {
            sandbox
                .processes()
                .iter()
                .any(|(_, line)| is_in("kube-apiserver", line))
        });
        kill(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), code);
        assert_nothing_left(&sandbox);
    }
}

#[test]
fn what_is_left_when_the_janitor_dies_as_well_goes_with_the_next() {
    let sandbox = Sandbox::new();
    let mut child = start_endless(&sandbox);
    let janitor = sandbox
        .processes()
        .into_iter()
        .find(|(_, line)| is_in("janitor", line));
    kill(janitor.unwrap().0, Signal::KILL);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!sandbox.processes().is_empty());
    assert_eq!(
        fs::read_dir(sandbox.state().join("exec")).unwrap().count(),
        1
    );

    let ran: Ran = run(&mut exec(&sandbox, "exit 3"));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert_nothing_left(&sandbox);
}
