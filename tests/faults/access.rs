//! Tokens and certificates, which do not last.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::tls::{Certificate, RootCerts};

use crate::cluster::SOON;
use crate::operator::{self, Launch};
use crate::support::{address, until};
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("an_expired_token_is_read_again", token),
    ("a_replaced_certificate_is_served", certificate),
];

/// A token is valid while the Secret that it is bound to exists. The operator reads the file once a
/// minute, so it uses the old token for a while.
fn token(stage: &Stage) {
    let place = stage.place();
    let api = &place.cluster.api;
    operator::account(&place, "alpha");
    let secret = json!({"metadata": {"name": "bound"}});
    let secret = api.post(&place.path("secrets", ""), &secret);
    let uid = &secret["metadata"]["uid"];
    let bound = json!({"apiVersion": "v1", "kind": "Secret", "name": "bound", "uid": uid});
    let token = operator::token(&place, "alpha", &bound);
    let launch = Launch {
        token: Some(token.clone()),
        ..Launch::default()
    };
    let mut operator = place.operator("alpha", launch);
    place.create("lolcows", "cow", "moo");
    place.converges();
    place.delete("secrets", "bound");
    let fresh = operator::token(&place, "alpha", &Value::Null);
    fs::write(operator.token_file(), fresh).unwrap();
    until("the old token is refused", SOON, || {
        let review = json!({"spec": {"token": token}});
        let review = api.post("/apis/authentication.k8s.io/v1/tokenreviews", &review);
        review["status"]["authenticated"] != true
    });
    place.say("lolcows", "cow", "bow");
    operator.says("Unauthorized");
    place.converges();
    assert!(!operator.has_ended());
    operator.is_ready();
}

/// Writes a certificate for `address` into `dir`, as a mounted Secret is: by changing a link.
fn issue(dir: &Path, round: u32, address: &str) -> Certificate<'static> {
    let made = rcgen::generate_simple_self_signed([address.to_owned()]).unwrap();
    let data = dir.join(format!("..{round}"));
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("tls.crt"), made.cert.pem()).unwrap();
    fs::write(data.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    let link = dir.join("..new");
    std::os::unix::fs::symlink(&data, &link).unwrap();
    fs::rename(link, dir.join("..data")).unwrap();
    for file in ["tls.crt", "tls.key"] {
        let _ = std::os::unix::fs::symlink(Path::new("..data").join(file), dir.join(file));
    }
    Certificate::from_pem(made.cert.pem().as_bytes()).unwrap()
}

fn certificate(stage: &Stage) {
    let place = stage.place();
    let dir = tempfile::tempdir().unwrap();
    let address = address();
    let old = issue(dir.path(), 0, &address);
    let launch = Launch {
        address: Some(address.clone()),
        arguments: vec![format!("--metrics-cert-path={}", dir.path().display())],
        ..Launch::default()
    };
    let operator = place.operator("alpha", launch);
    operator.is_ready();
    let scrape =
        |trusted: &[Certificate<'static>]| operator.scrape(RootCerts::new_with_certs(trusted));
    scrape(std::slice::from_ref(&old)).unwrap();
    let new = issue(dir.path(), 1, &address);
    let both = [old, new.clone()];
    let end = Instant::now() + SOON;
    // Not one of all the scrapes fails, and in the end the new certificate is served.
    while scrape(std::slice::from_ref(&new)).is_err() {
        assert!(Instant::now() < end, "the old certificate is still served");
        for _ in 0..5 {
            scrape(&both).unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    scrape(&both).unwrap();
}
