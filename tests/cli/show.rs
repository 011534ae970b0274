//! `rustop show`.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::dsl::{Place, rustop};

const WITHIN: Duration = Duration::from_secs(30);

/// Every user of a machine can read the arguments of its processes.
#[test]
fn the_browser_gets_the_key_in_a_private_file() {
    let place = Place::empty();
    place.write("run.jsonl", "{\"at\":1,\"about\":{\"project\":\"cow\",\"version\":\"0.2.0\",\"kubectl\":\"kubectl\",\"kinds\":[]}}\n");
    // Writes its arguments at once, not in parts.
    let browser = "#!/bin/sh\nprintf '%s' \"$*\" > arguments.new\nmv arguments.new arguments\n";
    for name in ["xdg-open", "open"] {
        place.write(&format!("bin/{name}"), browser);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.path(&format!("bin/{name}")), mode).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let mut child = rustop(place.dir())
        .args(["show", "run.jsonl", "--open"])
        .env("HOME", place.dir())
        .env("PATH", format!("{}:{path}", place.path("bin").display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(place.path("log")).unwrap())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !place.has("arguments") && begin.elapsed() < WITHIN {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (said, arguments) = (place.read("log"), place.read("arguments"));
    let address = said.split_once("Page ").unwrap().1.lines().next().unwrap();
    let (_, key) = address.split_once(['#', '?']).unwrap();
    let key = key.rsplit('=').next().unwrap();
    assert!(key.len() > 15, "{address}");
    assert!(!arguments.contains(key), "{arguments}");
    assert!(fs::read_to_string(&arguments).unwrap().contains(key));
    let mode = fs::metadata(&arguments).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{arguments}");
}
