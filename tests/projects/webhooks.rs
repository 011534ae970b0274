//! Webhooks on the real API server: their responses, their certificates, and the behaviour of the
//! API server while no replica serves them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::story::turn;
use crate::support::until;
use place::{Place, Replica, SOON};

mod hostile;
mod names;
pub mod place;
mod policy;
mod run;

/// A renewal takes a minute of overlap, and each replica looks every 10 s.
const RENEWED: Duration = Duration::from_secs(120);

#[test]
fn two_replicas_default_and_refuse_through_a_renewal_and_a_restart() {
    let _turn = turn("webhooks");
    let place = Place::new();
    let denied = place.lolcow("create", "early", "");
    assert!(
        denied.stderr.contains("failed calling webhook"),
        "{}",
        denied.stderr
    );

    // Both find an empty Secret, and one of them fills it.
    let (mut one, mut other) = (Replica::start(&place), Replica::start(&place));
    one.becomes_ready();
    a_conversion_goes_and_comes(&place);
    policy::the_account_changes_nothing_but_the_authority(&place);
    for replica in [&one, &other] {
        replica.becomes_ready();
        place.ask(replica.webhooks);
        place.answers();
    }
    let first = place.certificate();

    let (over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let failures = std::thread::scope(|scope| {
        let load = scope.spawn(|| {
            let mut failures = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let ran = place.lolcow("create --dry-run=server", "load", "");
                asked.fetch_add(1, Ordering::Relaxed);
                failures.extend((ran.code != Some(0)).then_some(ran.stderr));
            }
            failures
        });
        place.ok("$KUBECTL -n webhooks-operator-system annotate secret webhooks-operator-webhook-certificate webhook-certificate/due=now --overwrite");
        what_they_say(&place);
        until("a renewal", RENEWED, || place.certificate() != first);
        // Who shows the old one still is trusted, and so is who shows the new one.
        for port in [one.webhooks, other.webhooks, one.webhooks] {
            place.ask(port);
            place.answers();
        }
        over.store(true, Ordering::Relaxed);
        load.join().unwrap()
    });
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(asked.load(Ordering::Relaxed) > 20, "{asked:?}");

    one.kill();
    other.kill();
    let denied = place.lolcow("create", "late", "");
    assert!(
        denied.stderr.contains("failed calling webhook"),
        "{}",
        denied.stderr
    );
    let one = Replica::start(&place);
    one.becomes_ready();
    place.ask(one.webhooks);
    place.answers();
}

/// The next release has one version less, and its CRD says nothing of a conversion: `make deploy`
/// is taken, though the operator wrote into the old one. Then the last release comes back.
fn a_conversion_goes_and_comes(place: &Place) {
    let authority = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.conversion.webhook.clientConfig.caBundle}'";
    let is_told = || until("an authority", SOON, || !place.ok(authority).is_empty());
    is_told();
    // from `conversion:` to the next key of the same level
    let without = "$KUBECTL kustomize config/crd | sed '/^  conversion:/,/^  [a-z]/{/^  conversion:/d;/^    /d}'";
    let apply = "$KUBECTL apply --server-side --force-conflicts -f -";
    place.ok(&format!("{without} | {apply}"));
    let strategy = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.conversion}'";
    assert_eq!(place.ok(strategy), r#"{"strategy":"None"}"#);
    place.ok(&format!("$KUBECTL kustomize config/crd | {apply}"));
    is_told();
}

/// Defaults, refusals with every field, warnings, rules for updates and deletions, and a panic.
fn what_they_say(place: &Place) {
    assert_eq!(place.lolcow("create", "silent", "").code, Some(0));
    let message = place.ok("$KUBECTL get lolcow silent -o 'jsonpath={.spec.message}'");
    assert_eq!(message, "Moo, says silent");

    let refused = place.lolcow("create", "bull", r#""message": "damn""#);
    assert_eq!(
        refused.stderr,
        "The Lolcow \"bull\" is invalid: \n* spec.message: Invalid value: \"damn\": must be polite\n* metadata.name: Forbidden: bulls are no cows\n"
    );
    let loud = place.lolcow("create", "loud", r#""message": "moo!""#);
    assert_eq!(
        (loud.code, loud.stderr.as_str()),
        (Some(0), "Warning: this cow is loud\n")
    );
    let changed = place.lolcow("apply", "loud", r#""message": "hush""#);
    assert!(
        changed
            .stderr
            .contains("spec.message: Forbidden: is said already"),
        "{}",
        changed.stderr
    );

    assert_eq!(
        place
            .lolcow("create", "keeper", r#""message": "stay""#)
            .code,
        Some(0)
    );
    let kept = place.sh("$KUBECTL delete lolcow keeper");
    assert!(
        kept.stderr.contains("(Kept)") && kept.stderr.contains("it stays, "),
        "{}",
        kept.stderr
    );
    place.ok("$KUBECTL delete lolcow loud");

    let panicked = place.lolcow("create", "p", r#""message": "panic""#);
    assert!(
        panicked.stderr.contains("(InternalError)")
            && panicked.stderr.contains("the webhook panicked"),
        "{}",
        panicked.stderr
    );
    let pod = "$KUBECTL run pod --image=moo --dry-run=server";
    assert_eq!(place.sh(pod).code, Some(0));
}
