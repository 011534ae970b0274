//! SIGKILL at random moments.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::support::random::{Random, rounds};
use crate::support::{Sandbox, is_in, kill, run, until};

const DEATH: Duration = Duration::from_secs(10);

#[test]
fn the_next_start_or_stop_cleans_up_after_any_sigkill() {
    let mut random = Random::seeded();
    let sandbox = Sandbox::new();
    let mut objects = 0;
    for round in 0..rounds(8) {
        let victim = match random.below(3) {
            0 => "rustop",
            1 => "etcd",
            _ => "kube-apiserver",
        };
        let delay = Duration::from_millis(random.below(4000).into());
        println!("round {round}: {victim} after {delay:?}");
        let mut start = sandbox
            .rustop("cluster start --no-controllers")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(delay);
        let line = format!("/{victim}");
        let found = sandbox
            .processes()
            .into_iter()
            .find(|(pid, command)| match victim {
                "rustop" => *pid == start.id(),
                _ => command
                    .split(' ')
                    .next()
                    .is_some_and(|program| program.ends_with(&line)),
            });
        if let Some((pid, _)) = found {
            kill(pid, Signal::KILL);
            // What is still dying looks alive.
            let is_there = |(other, _): &(u32, String)| *other == pid;
            until("the victim is gone", DEATH, || {
                !sandbox.processes().iter().any(is_there)
            });
        }
        start.wait().unwrap();

        if random.below(2) == 0 {
            // A stop may be killed as well.
            let mut stop = sandbox.rustop("cluster stop --quiet").spawn().unwrap();
            sleep(Duration::from_millis(random.below(300).into()));
            kill(stop.id(), Signal::KILL);
            stop.wait().unwrap();
            sandbox.ok("cluster stop");
            assert_eq!(sandbox.processes(), [], "round {round}");
        } else {
            sandbox.ok("cluster start --no-controllers");
            // One of each, and all that was written in earlier rounds.
            let processes = sandbox.processes();
            assert_eq!(processes.len(), 2, "round {round}: {processes:?}");
            let names = sandbox.kubectl("default", "get namespaces -o name").stdout;
            let kept = names.lines().filter(|name| is_in("chaos-", name)).count();
            assert_eq!(kept, objects, "round {round}: {names}");
            let ran = sandbox.kubectl("default", &format!("create namespace chaos-{round}"));
            assert_eq!(ran.code, Some(0), "round {round}: {}", ran.stderr);
            objects += 1;
        }
    }
    sandbox.ok("cluster stop");
    assert_eq!(sandbox.processes(), []);
    assert_eq!(run(&mut sandbox.rustop("cluster stop")).code, Some(0));
}
