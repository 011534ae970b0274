//! Tests of panics in functions of the user other than the reconcile function.

use futures::stream;
use kube::runtime::reflector::ObjectRef;

use super::*;

async fn say_of_cow(cluster: &Cluster, name: &str, says: &str) {
    let patch = Patch::Merge(json!({"spec": {"says": says}}));
    let cows = api::<Cow>(cluster);
    let params = PatchParams::default();
    cows.patch(name, &params, &patch).await.unwrap();
    cluster.settle().await;
}

/// Starts an operator, and creates the cows `a` and `b`. Returns the operator.
async fn run_with_cows(cluster: &Cluster, controller: Controller<Cow>) -> Operator {
    let operator = cluster.run(operator(controller));
    let cows = api::<Cow>(cluster);
    for name in ["a", "b"] {
        let params = PostParams::default();
        cows.create(&params, &cow(name, "moo")).await.unwrap();
    }
    cluster.settle().await;
    operator
}

#[tokio::test(start_paused = true)]
async fn a_change_is_reconciled_if_the_predicate_panics() {
    let cluster = cluster(0);
    let controller = controller().predicate(|_, now| {
        assert!(now.spec.says != "surprise", "unknown words");
        now.spec.says != "ignored"
    });
    let operator = run_with_cows(&cluster, controller).await;
    for (words, expected) in [("ignored", "moo"), ("surprise", "surprise"), ("muh", "muh")] {
        say_of_cow(&cluster, "a", words).await;
        let map = api::<ConfigMap>(&cluster).get("a").await.unwrap();
        assert_eq!(says(&map), expected);
    }
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn all_objects_are_reconciled_if_the_mapper_panics() {
    let cluster = cluster(0);
    let reconciled = Arc::new(Mutex::new(Vec::new()));
    let noted = reconciled.clone();
    let note = move |cow: Arc<Cow>, _: Context<Cow>| {
        noted
            .lock()
            .unwrap()
            .push(cow.metadata.name.clone().unwrap());
        async { Ok(Action::await_change()) }
    };
    let controller = Controller::new(note).watches(|secret: &Secret| {
        let of = &secret.metadata.annotations.as_ref().unwrap()["cow"];
        Some(ObjectRef::new(of).within("default"))
    });
    let operator = run_with_cows(&cluster, controller).await;
    let secrets = api::<Secret>(&cluster);
    let mut secret = Secret::default();
    for (name, annotations, expected) in [
        ("bare", None, vec!["a", "b"]),
        ("of-b", Some(("cow".to_owned(), "b".to_owned())), vec!["b"]),
    ] {
        reconciled.lock().unwrap().clear();
        secret.metadata.name = Some(name.to_owned());
        secret.metadata.annotations = annotations.map(|one| BTreeMap::from([one]));
        let params = PostParams::default();
        secrets.create(&params, &secret).await.unwrap();
        cluster.settle().await;
        reconciled.lock().unwrap().sort();
        assert_eq!(*reconciled.lock().unwrap(), expected);
    }
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_panics_elsewhere_ends_the_manager() {
    let cluster = cluster(0);
    let triggers = stream::once(async { panic!("no doorbell") });
    let operator = cluster.run(operator(controller().triggered_by(triggers)));
    sleep(Duration::from_secs(1)).await;
    let error = operator.stop().await.unwrap_err();
    assert_eq!(error.reason(), "Panicked");
    assert_eq!(error.to_string(), "`cow` panicked: no doorbell");
}
