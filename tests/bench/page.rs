//! The page with a thousand objects that have three children each, while ten of them change per
//! second: the resources that `rustop` uses, and the time of a frame in the browser.
//!
//! The changes come from a recording that grows, so the figures include reading it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::Tab;
use crate::show::Show;
use crate::story::{about, call, child, lolcow, object, process, reconcile};
use crate::{Bench, spread};

/// The duration of each measurement.
const WHILE: Duration = Duration::from_secs(10);
/// Times between frames from now on, until `run` is false.
const FRAMES: &str = "window.frames = []; window.run = true; ((last) => { const next = (now) => { frames.push(now - last); last = now; if (run) ask(next); }; ask(next); })(performance.now())";
/// A script that measures the time of all callbacks of the page in a frame, in milliseconds.
const WORK: &str = "window.work = []; { window.ask = requestAnimationFrame.bind(window); window.requestAnimationFrame = (then) => ask((now) => { const start = performance.now(); then(now); if (window.run) work.push(performance.now() - start); }); }";

pub fn page(bench: &Bench) {
    let objects = bench.objects;
    let show = Show::begin(&world(objects));
    let over = AtomicBool::new(false);
    scope(|scope| {
        scope.spawn(|| changes(&show, objects, &over));
        let share = cpu(&show);
        println!("{:<44} {share:>7.1} %", "rustop, no page open, of a core");
        let tab = Tab::open("about:blank#");
        tab.call(
            "Page.addScriptToEvaluateOnNewDocument",
            &json!({ "source": WORK }),
        );
        tab.go(&show.address);
        let all = 4 * objects;
        tab.until(&format!(
            "document.querySelectorAll('#objects [role=treeitem]').length >= {all}"
        ));
        for view in ["timeline", "objects", "log"] {
            tab.eval(&format!("location.hash = '{view}'"));
            // The start of the view is not part of the measurement.
            sleep(Duration::from_secs(2));
            tab.eval(FRAMES);
            let share = cpu(&show);
            tab.eval("window.run = false");
            println!(
                "{:<44} {share:>7.1} %",
                format!("rustop, {view} open, of a core")
            );
            line(
                &format!("{view}, from frame to frame"),
                &tab.eval("frames.slice(1)"),
            );
            line(
                &format!("{view}, the page's part of a frame"),
                &tab.eval("work"),
            );
        }
        let heap = tab.call("Runtime.getHeapUsage", &json!({}))["usedSize"]
            .as_u64()
            .unwrap();
        println!("{:<44} {:>5} MiB", "the page's memory", heap >> 20);
        over.store(true, Ordering::Relaxed);
    });
    let status = fs::read_to_string(format!("/proc/{}/status", show.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: u64 = peak
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    println!(
        "{:<44} {:>5} MiB",
        "rustop's memory, at its peak",
        kib >> 10
    );
    let load = fs::read_to_string("/proc/loadavg").unwrap();
    println!("{:<44} {}", "load of the machine", load.trim());
}

/// Its objects, each with a Deployment, a `ReplicaSet` and a Pod.
fn world(objects: u64) -> Vec<Value> {
    let mut updates = vec![about(), process(0, "running", "", 0)];
    for n in 0..objects {
        let (at, name) = (n * 4, format!("cow-{n:04}"));
        let uids = ["u", "d", "r", "p"].map(|sort| format!("{sort}-{n}"));
        let below = [
            (
                "apps/v1",
                "Deployment",
                "deployments",
                json!({"replicas": 1}),
            ),
            ("apps/v1", "ReplicaSet", "replicasets", json!({})),
            ("v1", "Pod", "pods", json!({"phase": "Running"})),
        ];
        updates.push(object(
            at,
            "lolcows",
            &lolcow(&name, &uids[0], "True", "it moos"),
        ));
        for (deep, (api, kind, plural, status)) in below.into_iter().enumerate() {
            let one = child(api, kind, &name, (&uids[deep + 1], &uids[deep]), status);
            updates.push(object(at + 1, plural, &one));
        }
        updates.extend(reconcile(at, 3, (&name, &format!("a{n}")), None));
    }
    updates
}

/// Ten changes a second, each with a reconcile and a write.
fn changes(show: &Show, objects: u64, over: &AtomicBool) {
    let start = Instant::now();
    for n in 0_u64.. {
        if over.load(Ordering::Relaxed) {
            return;
        }
        let (of, at) = (n * 37 % objects, objects * 4 + n * 100);
        let name = format!("cow-{of:04}");
        let mut cow = lolcow(&name, &format!("u-{of}"), "True", &format!("change {n}"));
        cow["metadata"]["managedFields"] =
            json!([{"manager": "lolcow-operator/lolcow", "operation": "Apply", "time": n}]);
        let mut updates = reconcile(at, 9, (&name, &format!("b{n}")), None);
        updates.push(call(
            at + 2,
            "patch",
            ("my.domain", "lolcows/status", &name),
            200,
            3000,
        ));
        updates.push(object(at + 3, "lolcows", &cow));
        show.send(&updates);
        sleep(
            (start + Duration::from_millis(100 * (n + 1)))
                .saturating_duration_since(Instant::now()),
        );
    }
}

/// The share of a core that `rustop` takes from now on, in percent.
fn cpu(show: &Show) -> f64 {
    let used = || -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", show.pid())).unwrap();
        let fields: Vec<_> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        fields[11..13]
            .iter()
            .map(|ticks| ticks.parse::<u64>().unwrap())
            .sum()
    };
    let (before, start) = (used(), Instant::now());
    sleep(WHILE);
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let ticks = (used() - before) as f64;
    // A hundred ticks are a second.
    ticks / start.elapsed().as_secs_f64()
}

fn line(what: &str, times: &Value) {
    let mut times: Vec<f64> = times
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    times.sort_by(f64::total_cmp);
    let (min, median, max) = spread(times.clone());
    let late = times[times.len() * 99 / 100];
    println!(
        "{what:<44} {median:>6.1} ms {min:>6.1} ms {max:>6.1} ms; of 100 frames 99 within {late:.1} ms"
    );
}
