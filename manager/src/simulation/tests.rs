#![expect(clippy::large_futures, reason = "a Deployment is large")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::*;
use crate::planted::{self, Bug};
use crate::prelude::*;
use crate::testing::{Fault, Operation, Requests};

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "test.dev",
    version = "v1",
    kind = "Barn",
    namespaced,
    status = "BarnStatus"
)]
struct BarnSpec {
    cows: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BarnStatus {
    #[serde(default)]
    observed_generation: Option<i64>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

fn barn() -> Barn {
    let mut barn = Barn::new("red", BarnSpec { cows: 2 });
    barn.metadata.namespace = Some("default".to_owned());
    barn
}

fn deployment(barn: &Barn) -> Deployment {
    let labels = BTreeMap::from([("barn".to_owned(), barn.name_any())]);
    let mut web = Deployment::default();
    web.metadata.name = Some(barn.name_any());
    let mut template = PodTemplateSpec::default();
    template.metadata.get_or_insert_default().labels = Some(labels.clone());
    web.spec = DeploymentSpec {
        replicas: Some(barn.spec.cows),
        selector: LabelSelector {
            match_labels: Some(labels),
            ..LabelSelector::default()
        },
        template,
        ..DeploymentSpec::default()
    };
    web
}

/// An object outside of the namespace, which the garbage collector does not delete with the barn.
fn entry(barn: &Barn) -> ConfigMap {
    let mut entry = ConfigMap::default();
    entry.metadata.name = Some(format!(
        "{}-{}",
        barn.namespace().unwrap_or_default(),
        barn.name_any()
    ));
    entry
}

fn registry(ctx: &Context<Barn>) -> Api<ConfigMap> {
    Api::namespaced(ctx.client().clone(), "kube-public")
}

async fn register_entry(barn: &Barn, ctx: &Context<Barn>) -> Result<()> {
    let params = PatchParams::apply("registry").force();
    let (name, entry) = (entry(barn).name_any(), Patch::Apply(entry(barn)));
    registry(ctx).patch(&name, &params, &entry).await?;
    Ok(())
}

/// A correct operator: a Deployment, an entry in a registry that a finalizer removes, and a
/// condition.
async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
    register_entry(&barn, &ctx).await?;
    let web = ctx.apply(deployment(&barn)).await?;
    let is_ready = ready(web.as_ref()).is_ok();
    let generation = barn.metadata.generation;
    ctx.set_status(|status| {
        status.observed_generation = generation;
        status.conditions.set(if is_ready {
            condition::true_because("Ready", "Open", "all cows are inside")
        } else {
            condition::false_because("Ready", "Waiting", "cows are on their way")
        });
    });
    Ok(Action::await_change())
}

async fn cleanup(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<()> {
    let entry = entry(&barn).name_any();
    match registry(&ctx)
        .delete(&entry, &DeleteParams::default())
        .await
    {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        deleted => Ok(deleted.map(drop)?),
    }
}

fn controller() -> Controller<Barn> {
    Controller::new(reconcile)
        .owns::<Deployment>()
        .cleanup("test.dev/entry", cleanup)
        .conditions(|status| &mut status.conditions)
}

fn is_ready(barn: &Barn) -> bool {
    let status = barn.status.as_ref();
    status.is_some_and(|status| status.conditions.is_met("Ready"))
}

fn simulation(controller: fn() -> Controller<Barn>) -> Simulation {
    Simulation::new(move |manager| manager.controller(controller()))
        .crds([Barn::crd()])
        .samples([barn()])
        .edit::<Barn>("red", json!({"spec": {"cows": 3}}))
        .actors([workloads()])
}

fn correct() -> Simulation {
    simulation(controller).eventually("every barn is ready", |world| world.all::<Barn>(is_ready))
}

/// Runs histories until there is a finding of this class, and returns it.
fn find(simulation: Simulation, class: Class) -> Finding {
    let report = simulation.run(120).unwrap();
    let found = report.findings.iter().find(|it| it.class == class);
    found.cloned().unwrap_or_else(|| panic!("{report}"))
}

/// Returns the classes of the findings in a history with one fault, at the first request of a kind.
fn classes(simulation: Simulation, at: (Operation, &str), fault: Fault) -> Vec<Class> {
    let requests = Requests {
        operation: at.0,
        resource: at.1.to_owned(),
        name: None,
        nth: 1,
    };
    let schedule = Schedule {
        seed: 1,
        steps: vec![Step::Create, Step::Delete],
        faults: vec![Injection {
            at: requests,
            fault,
        }],
    };
    let replay = simulation.replay(&schedule).unwrap();
    assert_eq!(replay.unused, [], "{:#?}", replay.timeline);
    replay.findings.into_iter().map(|it| it.class).collect()
}

/// Returns a Pod of a barn, for which the API server generates the name.
fn pod_of(barn: &Barn) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.generate_name = Some(format!("{}-", barn.name_any()));
    pod.metadata.owner_references = barn.controller_owner_ref(&()).map(|it| vec![it]);
    pod.spec = Some(PodSpec::default());
    pod
}

#[test]
fn a_retry_after_504_creates_an_object_twice() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        if ctx.children::<Pod>()?.is_empty() {
            let pod = pod_of(&barn);
            let (pods, params) = (ctx.api::<Pod>(), PostParams::default());
            match pods.create(&params, &pod).await {
                Err(kube::Error::Api(status)) if status.code >= 500 => {
                    pods.create(&params, &pod).await?;
                }
                created => drop(created?),
            }
        }
        Ok(Action::await_change())
    }
    let buggy = || simulation(|| Controller::new(reconcile).owns::<Pod>());
    let at = (Operation::Create, "pods");
    assert_eq!(classes(buggy(), at, Fault::TimedOut), [Class::CreatedTwice]);
    for other in [Fault::Status(500), Fault::LostResponse] {
        assert_eq!(classes(buggy(), at, other), [], "{other}");
    }
}

/// An operator that remembers which barns have a Deployment, and does not look.
fn forgetful() -> Simulation {
    let register = |manager: Manager| {
        let made = Arc::new(parking_lot::Mutex::new(BTreeSet::new()));
        let reconcile = move |barn: Arc<Barn>, ctx: Context<Barn>| {
            let made = made.clone();
            async move {
                let uid = barn.uid();
                if !made.lock().contains(&uid) {
                    ctx.apply(deployment(&barn)).await?;
                    made.lock().insert(uid);
                }
                let generation = barn.metadata.generation;
                ctx.set_status(|status| status.observed_generation = generation);
                Ok(Action::await_change())
            }
        };
        manager.controller(Controller::new(reconcile).owns::<Deployment>())
    };
    Simulation::new(register)
        .crds([Barn::crd()])
        .samples([barn()])
        .actors([workloads()])
}

#[test]
fn an_operator_that_remembers_its_children_misses_one_after_a_restore() {
    let at = (Operation::Patch, "barns.test.dev/status");
    assert_eq!(
        classes(simulation(controller), at, Fault::Restore),
        [],
        "a correct operator creates the children again"
    );
    assert_eq!(classes(forgetful(), at, Fault::Restore), [Class::Missing]);
    for other in [Fault::CrashAfter, Fault::ForeignEdit, Fault::LostResponse] {
        assert_eq!(classes(forgetful(), at, other), [], "{other}");
    }
}

#[test]
fn a_clock_that_is_set_back_makes_a_duration_negative() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let start = ctx.now();
        ctx.apply(deployment(&barn)).await?;
        let took = ctx.now().duration_since(start);
        Duration::try_from(took).expect("time passes");
        Ok(Action::await_change())
    }
    let buggy = || simulation(|| Controller::new(reconcile).owns::<Deployment>());
    let at = (Operation::Apply, "deployments.apps");
    assert_eq!(
        classes(buggy(), at, Fault::ClockJump(-5_000)),
        [Class::Panic]
    );
    for other in [Fault::ClockJump(60_000), Fault::DelayedResponse(5_000)] {
        assert_eq!(classes(buggy(), at, other), [], "{other}");
    }
}

#[test]
fn a_list_that_ends_after_a_page_is_taken_for_the_whole() {
    async fn reconcile(_: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let namespaces = Api::<k8s_openapi::api::core::v1::Namespace>::all(ctx.client().clone());
        let mut params = ListParams::default().limit(500);
        let mut count = 0;
        loop {
            let page = match namespaces.list(&params).await {
                Err(kube::Error::Api(status)) if status.code == 410 => break,
                page => page?,
            };
            count += page.items.len();
            match page.metadata.continue_ {
                Some(token) if !token.is_empty() => params.continue_token = Some(token),
                _ => break,
            }
        }
        let mut map = ConfigMap::default();
        map.metadata.name = Some("count".to_owned());
        map.data = Some(BTreeMap::from([(
            "namespaces".to_owned(),
            count.to_string(),
        )]));
        ctx.apply(map).await?;
        Ok(Action::await_change())
    }
    let buggy = || simulation(|| Controller::new(reconcile).owns::<ConfigMap>());
    let at = (Operation::List, "namespaces");
    assert_eq!(classes(buggy(), at, Fault::BrokenList), [Class::NotUpdated]);
    for other in [Fault::Status(500), Fault::LostResponse] {
        assert_eq!(classes(buggy(), at, other), [], "{other}");
    }
}

#[test]
fn a_seed_determines_a_history() {
    let scene = Arc::new(correct().scene);
    let mut different = BTreeSet::new();
    for seed in 0..200 {
        let schedule = Schedule {
            seed,
            steps: steps(&scene),
            faults: Vec::new(),
        };
        let history = run_twice(&scene, &schedule).unwrap();
        let entries = history.trace.iter();
        different.insert(entries.map(ToString::to_string).collect::<Vec<_>>());
    }
    assert!(different.len() > 150, "{}", different.len());
}

#[test]
fn a_correct_operator_has_no_findings() {
    let report = correct().run(300).unwrap();
    assert!(report.findings.is_empty(), "{report}");
    let (covered, possible) = report.coverage;
    assert!(covered == possible && covered > 50, "{report}");
}

#[test]
fn a_child_without_an_owner_is_left_over() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let mut hay = ConfigMap::default();
        hay.metadata.name = Some(format!("{}-hay", barn.name_any()));
        match ctx
            .api::<ConfigMap>()
            .create(&PostParams::default(), &hay)
            .await
        {
            Err(kube::Error::Api(status)) if status.code == 409 => {}
            created => drop(created?),
        }
        Ok(Action::await_change())
    }
    let finding = find(simulation(|| Controller::new(reconcile)), Class::Leftover);
    assert_eq!(finding.object, "configmaps default/red-hay");
    assert!(finding.schedule.faults.is_empty());
}

#[test]
fn a_cleanup_that_forgets_an_object_leaves_it() {
    async fn cleanup(_: Arc<Barn>, _: Context<Barn>) -> Result<()> {
        Ok(())
    }
    let controller = || controller().cleanup("test.dev/entry", cleanup);
    let finding = find(simulation(controller), Class::Leftover);
    assert_eq!(finding.object, "configmaps kube-public/default-red");
}

#[test]
fn a_name_without_the_namespace_is_missing_for_the_twin() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let mut hay = ConfigMap::default();
        hay.metadata.name = Some(barn.name_any());
        let maps = Api::<ConfigMap>::namespaced(ctx.client().clone(), "default");
        let params = PatchParams::apply("barns").force();
        maps.patch(&barn.name_any(), &params, &Patch::Apply(&hay))
            .await?;
        Ok(Action::await_change())
    }
    async fn cleanup(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<()> {
        let maps = Api::<ConfigMap>::namespaced(ctx.client().clone(), "default");
        match maps
            .delete(&barn.name_any(), &DeleteParams::default())
            .await
        {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => Ok(deleted.map(drop)?),
        }
    }
    let controller = || Controller::new(reconcile).cleanup("test.dev/hay", cleanup);
    let finding = find(simulation(controller), Class::Missing);
    assert_eq!(finding.object, "configmaps twin/red");
    assert_eq!(finding.schedule.steps, [Step::CreateTwins]);
}

#[test]
fn a_stale_read_creates_an_object_twice() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        if ctx.children::<Pod>()?.is_empty() {
            let pod = pod_of(&barn);
            ctx.api::<Pod>()
                .create(&PostParams::default(), &pod)
                .await?;
        }
        ctx.apply(deployment(&barn)).await?;
        Ok(Action::await_change())
    }
    let controller = || {
        Controller::new(reconcile)
            .owns::<Pod>()
            .owns::<Deployment>()
    };
    let finding = find(simulation(controller), Class::CreatedTwice);
    assert_eq!(finding.object, "pods default/red-#2");
    assert!(finding.schedule.faults.len() <= 1, "{finding}");
}

#[test]
fn a_swallowed_error_loses_the_requeue() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        if let Err(error) = ctx.apply(deployment(&barn)).await {
            tracing::warn!(%error, "next time");
        }
        Ok(Action::await_change())
    }
    let controller = || Controller::new(reconcile).owns::<Deployment>();
    let finding = find(simulation(controller), Class::Missing);
    assert_eq!(finding.object, "deployments.apps default/red");
    assert_eq!(finding.schedule.faults.len(), 1, "{finding}");
    assert_eq!(finding.schedule.steps, [Step::Create]);
}

#[test]
fn a_status_before_the_child_violates_what_always_holds() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let ready = condition::true_because("Ready", "Open", "all cows are inside");
        let patch = json!({"status": {"conditions": [ready]}});
        let params = PatchParams::default();
        let barns = ctx.api::<Barn>();
        barns
            .patch_status(&barn.name_any(), &params, &Patch::Merge(&patch))
            .await?;
        ctx.apply(deployment(&barn)).await?;
        Ok(Action::await_change())
    }
    let controller = || Controller::new(reconcile).owns::<Deployment>();
    let simulation = simulation(controller).always("a ready barn has a Deployment", |world| {
        !world.list::<Barn>().iter().any(is_ready) || world.count::<Deployment>() > 0
    });
    let finding = find(simulation, Class::Always);
    assert!(finding.schedule.faults.is_empty(), "{finding}");
}

#[test]
fn a_forced_apply_adopts_an_object_of_another_owner() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let mut hay = ConfigMap::default();
        hay.metadata.name = Some("hay".to_owned());
        hay.metadata.owner_references = barn.controller_owner_ref(&()).map(|it| vec![it]);
        hay.data = Some(BTreeMap::from([("bales".to_owned(), "2".to_owned())]));
        let params = PatchParams::apply("barns").force();
        let maps = ctx.api::<ConfigMap>();
        maps.patch("hay", &params, &Patch::Apply(&hay)).await?;
        Ok(Action::await_change())
    }
    let simulated = || simulation(|| Controller::new(reconcile));
    let finding = find(simulated(), Class::Adopted);
    assert_eq!(finding.object, "configmaps default/hay");
    assert_eq!(
        finding.schedule.steps,
        [Step::CreateNamesakes, Step::Create]
    );
    let replay = simulated().replay(&finding.schedule).unwrap();
    assert_eq!(replay.findings[0].cause(), finding.cause());
}

#[test]
fn a_deletion_by_label_adopts_objects_of_another_owner() {
    async fn cleanup(_: Arc<Barn>, ctx: Context<Barn>) -> Result<()> {
        let all = ListParams::default().labels("barn=red");
        let pods = ctx.api::<Pod>();
        for pod in pods.list(&all).await?.items {
            pods.delete(&pod.name_any(), &DeleteParams::default())
                .await?;
        }
        Ok(())
    }
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let mut pod = Pod::default();
        pod.metadata.name = Some(barn.name_any());
        pod.metadata.labels = Some(BTreeMap::from([("barn".to_owned(), barn.name_any())]));
        pod.spec = Some(PodSpec::default());
        ctx.apply(pod).await?;
        Ok(Action::await_change())
    }
    let controller = || {
        let controller = Controller::new(reconcile).owns::<Pod>();
        controller.cleanup("test.dev/pods", cleanup)
    };
    let schedule = json!({"seed": 1, "steps": ["create-lookalikes", "create", "delete"]});
    let schedule: Schedule = serde_json::from_value(schedule).unwrap();
    let findings = simulation(controller).replay(&schedule).unwrap().findings;
    let found: Vec<_> = findings.iter().map(|it| (it.class, &*it.object)).collect();
    assert_eq!(found, [(Class::Adopted, "pods default/stranger-pod")]);
}

#[test]
fn a_requeue_without_delay_is_a_hot_loop() {
    async fn reconcile(_: Arc<Barn>, _: Context<Barn>) -> Result<Action> {
        Ok(Action::requeue(Duration::ZERO))
    }
    let finding = find(simulation(|| Controller::new(reconcile)), Class::HotLoop);
    assert_eq!(finding.object, "reconcile of default/red");
}

#[test]
fn a_cleanup_that_needs_the_object_gets_stuck() {
    async fn cleanup(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<()> {
        let entry = entry(&barn).name_any();
        registry(&ctx)
            .delete(&entry, &DeleteParams::default())
            .await?;
        Ok(())
    }
    let controller = || controller().cleanup("test.dev/entry", cleanup);
    let finding = find(simulation(controller), Class::StuckDeletion);
    assert_eq!(finding.object, "barns.test.dev default/red");
    assert_eq!(finding.schedule.faults.len(), 1, "{finding}");
}

#[test]
fn an_object_that_is_taken_for_granted_panics() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        if barn.status.is_none() {
            ctx.apply(deployment(&barn)).await?;
            ctx.set_status(|status| status.observed_generation = Some(1));
        } else {
            let web = ctx.get::<Deployment>(&barn.name_any())?.unwrap();
            ctx.set_status(|status| status.observed_generation = web.metadata.generation);
        }
        Ok(Action::await_change())
    }
    let controller = || Controller::new(reconcile).owns::<Deployment>();
    let finding = find(simulation(controller), Class::Panic);
    assert_eq!(finding.object, "default/red");
}

#[test]
fn a_predicate_and_a_mapper_that_panic_are_found() {
    let of_predicate =
        || controller().predicate(|_, now| now.status.clone().unwrap().conditions.len() > 9);
    let of_mapper = || {
        controller().watches(|web: &Deployment| {
            let sick = web.status.as_ref().unwrap();
            sick.unavailable_replicas.map(|_| ObjectRef::new("red"))
        })
    };
    for (controller, function) in [
        (of_predicate as fn() -> Controller<Barn>, "the predicate"),
        (of_mapper, "the mapper of Deployment"),
    ] {
        let finding = find(simulation(controller), Class::Panic);
        assert_eq!(finding.object, "default/red");
        let expected = format!("{function} panicked: called `Option::unwrap()`");
        assert!(finding.message.starts_with(&expected), "{finding}");
    }
}

#[test]
fn a_watch_that_the_client_gives_up_is_awaited() {
    let fault = |operation, fault| Injection {
        at: Requests {
            operation,
            resource: "barns.test.dev".to_owned(),
            name: None,
            nth: 1,
        },
        fault,
    };
    // After a failure, the reflector gives up a watch without events sooner than this event
    // arrives.
    let schedule = Schedule {
        seed: 7,
        steps: vec![Step::Create, Step::Delete],
        faults: vec![
            fault(Operation::Watch, Fault::Status(500)),
            fault(Operation::Event, Fault::DelayedEvent(120_000)),
        ],
    };
    let replay = correct().replay(&schedule).unwrap();
    assert!(replay.findings.is_empty(), "{:#?}", replay.findings);
    assert!(replay.unused.is_empty(), "{:?}", replay.unused);
}

#[test]
fn a_deletion_that_the_operator_sees_late_is_no_hot_loop() {
    /// Without a finalizer, children are created again until the operator sees the deletion.
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let mut sign = ConfigMap::default();
        sign.metadata.name = Some(barn.name_any());
        ctx.apply(sign).await?;
        ctx.apply(deployment(&barn)).await?;
        let generation = barn.metadata.generation;
        ctx.set_status(|status| status.observed_generation = generation);
        Ok(Action::await_change())
    }
    let owner = || {
        let controller = Controller::new(reconcile);
        controller.owns::<Deployment>().owns::<ConfigMap>()
    };
    let mut late = 0;
    for nth in 1..=4 {
        let event = json!([{
            "at": {"operation": "event", "resource": "barns.test.dev", "nth": nth},
            "fault": {"delayed-event": 30_000},
        }]);
        let schedule = json!({"seed": 1, "steps": ["create", "delete"], "faults": event});
        let schedule: Schedule = serde_json::from_value(schedule).unwrap();
        let replay = simulation(owner).replay(&schedule).unwrap();
        assert!(replay.findings.is_empty(), "{nth}: {:#?}", replay.findings);
        late += usize::from(replay.unused.is_empty());
    }
    assert!(late > 1, "one of the events is the deletion");
}

#[test]
fn an_actor_that_panics_ends_the_simulation() {
    struct Surprised;
    impl Actor for Surprised {
        fn status(&self, object: &Value, _: &str) -> Option<Value> {
            assert!(object["kind"] != "Deployment", "an unknown kind");
            None
        }
    }
    let actors: [Arc<dyn Actor>; 1] = [Arc::new(Surprised)];
    let error = simulation(controller).actors(actors).run(1).unwrap_err();
    assert_eq!(error.reason(), "Panicked");
    assert_eq!(
        error.to_string(),
        "actor 2 panicked at the Deployment `red`: an unknown kind"
    );
}

#[test]
fn a_registration_that_panics_ends_the_simulation() {
    let simulation = Simulation::new(|_| panic!("no database"));
    let error = simulation.run(1).unwrap_err().to_string();
    assert_eq!(
        error,
        "the function that registers the controllers panicked: no database"
    );
}

#[test]
fn a_reconcile_that_opens_a_connection_is_reported() {
    async fn reconcile(_: Arc<Barn>, _: Context<Barn>) -> Result<Action> {
        let connected = tokio::net::TcpStream::connect(("127.0.0.1", 9)).await;
        connected.map_err(|error| crate::Error::new("Refused", error.to_string()))?;
        Ok(Action::await_change())
    }
    let controller = || Controller::new(reconcile);
    let error = simulation(controller).run(1).unwrap_err();
    assert_eq!(error.reason(), "NeedsIo");
    let message = error.to_string();
    assert!(message.contains("reconcile of default/red"), "{message}");
}

#[test]
fn a_random_number_from_elsewhere_is_reported() {
    async fn reconcile(_: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        use std::hash::{BuildHasher, RandomState};
        let mut seen = ConfigMap::default();
        seen.metadata.name = Some("seen".to_owned());
        let number = RandomState::new().hash_one(0).to_string();
        seen.data = Some(BTreeMap::from([("number".to_owned(), number)]));
        ctx.apply(seen).await?;
        Ok(Action::await_change())
    }
    let controller = || Controller::new(reconcile).owns::<ConfigMap>();
    let error = simulation(controller).run(1).unwrap_err().to_string();
    assert!(error.contains("apply configmaps default/seen"), "{error}");
    assert!(error.contains("`ctx.random()`"), "{error}");
}

#[test]
fn a_finding_replays_from_its_json() {
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let _ = ctx.apply(deployment(&barn)).await;
        Ok(Action::await_change())
    }
    let simulated = || simulation(|| Controller::new(reconcile).owns::<Deployment>());
    let finding = find(simulated(), Class::Missing);
    let text = serde_json::to_string(&finding.schedule).unwrap();
    let schedule: Schedule = serde_json::from_str(&text).unwrap();
    for _ in 0..20 {
        let replay = simulated().replay(&schedule).unwrap();
        assert_eq!(replay.findings[0].cause(), finding.cause());
        assert_eq!(replay.timeline, finding.timeline);
        assert_eq!(replay.unused, []);
    }
}

#[test]
fn manifests_add_crds_and_samples() {
    let crd = serde_json::to_string(&Barn::crd()).unwrap();
    let sample = "# a barn\napiVersion: test.dev/v1\nkind: Barn\nmetadata:\n  name: red\nspec:\n  cows: 2\n---\n";
    let simulation = Simulation::new(|manager| manager.controller(controller()));
    let report = simulation
        .manifests([crd.as_str(), sample])
        .actors([workloads()])
        .eventually("the barn exists", |world| world.count::<Barn>() > 0)
        .run(5)
        .unwrap();
    assert!(report.findings.is_empty(), "{report}");
}

/// Returns a new path in the temporary directory.
fn temporary() -> PathBuf {
    let name = format!(
        "rustop-simulation-{}-{}",
        std::process::id(),
        crate::random::number()
    );
    std::env::temp_dir().join(name)
}

/// Runs the correct operator with the roles of a directory, which grants these rules.
fn with_rules(rules: &Value) -> Report {
    let dir = temporary();
    std::fs::create_dir(&dir).unwrap();
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "manager-role"},
        "rules": rules,
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "manager-rolebinding"},
        "roleRef": {"kind": "ClusterRole", "name": "manager-role"},
    });
    std::fs::write(dir.join("role.yaml"), role.to_string()).unwrap();
    std::fs::write(dir.join("role_binding.yaml"), binding.to_string()).unwrap();
    let report = correct().rbac(&dir).run(20).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    report
}

/// The rules that the correct operator needs, without the verbs of Deployments.
fn rules(deployments: &[&str]) -> Value {
    json!([
        {"apiGroups": ["test.dev"], "resources": ["barns"], "verbs": ["get", "list", "watch", "patch"]},
        {"apiGroups": ["test.dev"], "resources": ["barns/status"], "verbs": ["patch"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "patch", "delete"]},
        {"apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": deployments},
    ])
}

#[test]
fn an_operator_with_all_permissions_has_no_finding() {
    let report = with_rules(&rules(&["get", "list", "watch", "create", "patch"]));
    assert!(report.findings.is_empty(), "{report}");
}

#[test]
fn a_missing_permission_is_found_with_its_marker() {
    for (verbs, request, marker) in [
        // The first apply creates the Deployment.
        (
            ["get", "list", "watch", "patch"].as_slice(),
            "create deployments.apps",
            "verbs=create`",
        ),
        (
            &["get", "list", "watch", "create"],
            "patch deployments.apps",
            "verbs=patch`",
        ),
        // The operator asks before it watches.
        (
            &["get", "list", "create", "patch"],
            "watch deployments.apps",
            "verbs=get;list;watch`",
        ),
    ] {
        let report = with_rules(&rules(verbs));
        let found = report
            .findings
            .iter()
            .find(|it| it.class == Class::Forbidden);
        let found = found.unwrap_or_else(|| panic!("{verbs:?}: {report}"));
        assert_eq!(found.object, request);
        assert!(found.message.contains(marker), "{}", found.message);
        assert!(
            found.message.contains("rustop manifests"),
            "{}",
            found.message
        );
    }
}

#[test]
fn a_role_that_was_not_generated_is_an_error() {
    let dir = temporary();
    std::fs::create_dir(&dir).unwrap();
    let panic = std::panic::catch_unwind(|| correct().rbac(&dir)).unwrap_err();
    std::fs::remove_dir(&dir).unwrap();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.ends_with("help: run `rustop manifests`"),
        "{message}"
    );
}

/// Carries out instructions for an operator without controllers, and returns the events.
fn events_of(instructions: Value) -> Vec<Value> {
    let path = temporary();
    let mut instructions: Instructions = serde_json::from_value(instructions).unwrap();
    instructions.output.clone_from(&path);
    let nothing = |manager: Manager| manager;
    let farm = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "farm"}});
    Simulation::new(nothing)
        .samples([farm])
        .carry_out(&instructions);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_campaign_reports_its_start_and_its_result() {
    let events = events_of(json!({"output": "", "histories": 3}));
    let names: Vec<_> = events
        .iter()
        .map(|it| it["event"].as_str().unwrap())
        .collect();
    assert_eq!((names[0], *names.last().unwrap()), ("started", "finished"));
    let last = events.last().unwrap();
    assert_eq!(last["report"]["histories"], 3, "{last}");
    let test = "a_campaign_reports_its_start_and_its_result";
    assert!(
        last["simulation"].as_str().unwrap().ends_with(test),
        "{last}"
    );
}

#[test]
fn a_time_limit_ends_a_campaign() {
    let events = events_of(json!({"output": "", "seconds": 0}));
    assert_eq!(events.last().unwrap()["report"]["histories"], 0);
}

#[test]
fn a_step_that_the_simulation_lacks_is_an_error() {
    let schedule = json!({"seed": 1, "steps": ["create", {"edit": 7}]});
    let events = events_of(json!({"output": "", "replay": schedule}));
    let last = events.last().unwrap();
    assert_eq!(last["event"], "failed");
    let message = last["message"].as_str().unwrap();
    assert!(
        message.contains("the simulation has no edit 7"),
        "{message}"
    );
}

#[test]
fn a_replay_names_the_faults_that_did_not_occur() {
    let fault =
        json!({"at": {"operation": "get", "resource": "pods", "nth": 1}, "fault": "lost-request"});
    let schedule = json!({"seed": 1, "steps": ["create"], "faults": [fault]});
    let events = events_of(json!({"output": "", "replay": schedule}));
    let unused = &events.last().unwrap()["replay"]["unused"];
    assert!(
        unused[0]
            .as_str()
            .unwrap()
            .starts_with("get pods, number 1"),
        "{unused}"
    );
}

/// Replays a history with one step, the creation of the samples, and with these faults.
fn replay_with(simulation: Simulation, seed: u64, faults: &Value) -> Vec<Finding> {
    let schedule = json!({"seed": seed, "steps": ["create"], "faults": faults});
    let schedule: Schedule = serde_json::from_value(schedule).unwrap();
    simulation.replay(&schedule).unwrap().findings
}

#[test]
fn a_requeue_that_follows_a_failure_is_awaited() {
    /// Creates the Deployment four minutes after the barn.
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let created = barn
            .creation_timestamp()
            .map_or_else(|| ctx.now(), |time| time.0);
        let age = ctx.now().duration_since(created).unsigned_abs();
        let rest = Duration::from_secs(240).saturating_sub(age);
        let generation = barn.metadata.generation;
        ctx.set_status(|status| status.observed_generation = generation);
        if !rest.is_zero() {
            return Ok(Action::requeue(rest));
        }
        ctx.apply(deployment(&barn)).await?;
        Ok(Action::await_change())
    }
    let late = || Controller::new(reconcile).owns::<Deployment>();
    let faults = json!([{
        "at": {"operation": "patch", "resource": "barns.test.dev/status", "nth": 1},
        "fault": {"delayed-response": 120_000},
    }]);
    let findings = replay_with(simulation(late), 1, &faults);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
#[ignore = "takes up to a minute, so it runs at night"]
fn shards_of_a_correct_operator_have_one_owner() {
    let samples = ["green", "blue", "white", "black"].map(|name| {
        let mut barn = barn();
        barn.metadata.name = Some(name.to_owned());
        barn
    });
    let simulated = || correct().samples(samples.clone()).replicas(2).shards(4);
    let report = simulated().run(60).unwrap();
    assert!(report.findings.is_empty(), "{report}");
    let schedule = json!({"seed": 4, "steps": ["create"]});
    let schedule: Schedule = serde_json::from_value(schedule).unwrap();
    let timeline = simulated().replay(&schedule).unwrap().timeline;
    let reconciles = |operator: &str| {
        let lines = timeline.iter();
        let is_one = |line: &&String| line.contains(operator) && line.contains("reconciles");
        lines.filter(is_one).count()
    };
    assert!(reconciles("operator 1") > 0 && reconciles("operator 2") > 0);
}

#[test]
fn replicas_of_a_correct_operator_never_write_at_the_same_time() {
    let report = correct().replicas(2).run(100).unwrap();
    assert!(report.findings.is_empty(), "{report}");
    assert!(report.coverage.0 > 50, "{report}");
}

/// Freezes the leader at its first apply of a Deployment, until another replica leads.
fn frozen() -> Schedule {
    let fault = Injection {
        at: Requests::of::<Deployment>(Operation::Apply),
        fault: Fault::Freeze(30_000),
    };
    Schedule {
        seed: 3,
        steps: vec![Step::Create],
        faults: vec![fault],
    }
}

#[test]
fn a_frozen_leader_loses_the_lease_and_writes_nothing_when_it_continues() {
    let replay = correct().replicas(2).replay(&frozen()).unwrap();
    assert!(replay.findings.is_empty(), "{:#?}", replay.findings);
    assert!(replay.unused.is_empty());
    let timeline = replay.timeline.join("\n");
    let applies: Vec<_> = replay
        .timeline
        .iter()
        .filter(|line| line.contains("apply deployments.apps"))
        .collect();
    assert!(timeline.contains("lost its lease and exited"), "{timeline}");
    assert_eq!(applies.len(), 2, "{timeline}");
}

#[test]
fn a_dropped_foreign_change_is_found() {
    /// Correct only because the manager reports a change of the Deployment that arrives during the
    /// apply.
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let web = ctx.get::<Deployment>(&barn.name_any())?;
        let is_ready = web.is_some_and(|web| ready(web.as_ref()).is_ok());
        ctx.apply(deployment(&barn)).await?;
        ctx.set_status(|status| {
            status.conditions.set(if is_ready {
                condition::true_because("Ready", "Open", "all cows are inside")
            } else {
                condition::false_because("Ready", "Waiting", "cows are on their way")
            });
        });
        Ok(Action::await_change())
    }
    let delayed = Injection {
        at: Requests::of::<Deployment>(Operation::Apply),
        fault: Fault::DelayedResponse(5_000),
    };
    let schedule = Schedule {
        seed: 3,
        steps: vec![Step::Create],
        faults: vec![delayed],
    };
    let replay = |bug| {
        let controller = || {
            let controller = Controller::new(reconcile).owns::<Deployment>();
            controller.conditions(|status| &mut status.conditions)
        };
        let simulated = Simulation::new(move |manager| manager.controller(controller()))
            .crds([Barn::crd()])
            .samples([barn()])
            .actors([workloads()]);
        let findings = plant(simulated, bug).replay(&schedule).unwrap().findings;
        findings.into_iter().map(|it| it.class).collect::<Vec<_>>()
    };
    assert_eq!(
        replay(Some(Bug::ForeignChangeDropped)),
        [Class::WrongStatus]
    );
    assert_eq!(replay(None), []);
}

/// Replaces the Deployment when the spec changes.
async fn replace(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
    let mut web = deployment(&barn);
    web.metadata.name = Some(format!("{}-{}", barn.name_any(), barn.spec.cows));
    let mut children = Children::new();
    children.add(web);
    ctx.apply_all(children).prune().await?;
    let generation = barn.metadata.generation;
    ctx.set_status(|status| status.observed_generation = generation);
    Ok(Action::await_change())
}

fn replaced() -> Simulation {
    simulation(|| Controller::new(replace).owns::<Deployment>()).always(
        "an edited barn keeps its Deployment until it has another one",
        |world| {
            let is_edited = |barn: &Barn| {
                let observed = barn.status.as_ref().and_then(|it| it.observed_generation);
                observed.is_some() && observed < barn.metadata.generation
            };
            !world.list::<Barn>().iter().any(is_edited) || world.count::<Deployment>() > 0
        },
    )
}

/// Plants a bug in the manager of a simulated operator.
fn plant(simulation: Simulation, bug: Option<Bug>) -> Simulation {
    let Simulation {
        mut scene,
        seed,
        threads,
    } = simulation;
    let register = scene.register;
    scene.register = Arc::new(move |manager| {
        planted::plant(bug);
        register(manager)
    });
    Simulation {
        scene,
        seed,
        threads,
    }
}

#[test]
fn a_frozen_leader_without_a_fence_is_found() {
    let found = (1..=8).filter(|seed| {
        let schedule = Schedule {
            seed: *seed,
            ..frozen()
        };
        let classes = |bug| {
            let replay = plant(correct().replicas(2), bug).replay(&schedule).unwrap();
            let findings = replay.findings.into_iter();
            findings.map(|it| it.class).collect::<Vec<_>>()
        };
        assert_eq!(classes(None), [], "seed {seed}");
        classes(Some(Bug::FenceRemoved)) == [Class::TwoLeaders]
    });
    let found = found.count();
    println!("found with {found} of 8 seeds");
    assert!(found > 2, "{found}");
}

/// Runs histories of an operator with a bug of the manager. One of the findings must be of this
/// class and about this object. Prints the time, which may be up to a minute on an idle machine.
fn assert_found(bug: Bug, simulation: Simulation, histories: usize, expected: (Class, &str)) {
    let start = std::time::Instant::now();
    let report = plant(simulation, Some(bug)).run(histories).unwrap();
    let found = report.findings.iter().map(|it| (it.class, &*it.object));
    let found: Vec<_> = found.collect();
    println!("{bug:?} in {:.1?}: {found:?}", start.elapsed());
    assert!(found.contains(&expected), "{report}");
}

/// Runs histories of the same operator without the bug, which the thread of the test still has.
fn assert_correct(simulation: Simulation, histories: usize) {
    let report = plant(simulation, None).run(histories).unwrap();
    assert!(report.findings.is_empty(), "{report}");
}

/// Labels each barn. With a bug, rejects all updates of a barn that is being deleted, also the
/// removal of its finalizer.
#[cfg(feature = "webhook")]
struct BarnRules {
    has_bug: bool,
}

#[cfg(feature = "webhook")]
impl crate::webhook::Defaulter<Barn> for BarnRules {
    async fn default(&self, new: &mut Barn, _: &crate::webhook::Request) -> Result<()> {
        let labels = new.metadata.labels.get_or_insert_default();
        labels.insert("size".to_owned(), "small".to_owned());
        Ok(())
    }
}

#[cfg(feature = "webhook")]
impl crate::webhook::Validator<Barn> for BarnRules {
    async fn create(&self, new: &Barn, _: &crate::webhook::Request) -> Result<()> {
        if self.has_bug && new.metadata.deletion_timestamp.is_some() {
            return Err(Error::new("Leaving", "the barn is being deleted"));
        }
        Ok(())
    }
}

/// A simulation of an operator with webhooks, and their configurations in a directory.
#[cfg(feature = "webhook")]
fn with_webhooks(has_bug: bool) -> Simulation {
    const CONFIGURATIONS: &str = r"
apiVersion: v1
kind: Service
metadata: {name: webhook-service}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating}
webhooks:
- name: mbarn.test.dev
  clientConfig: {service: {name: webhook-service, namespace: system, path: /mutate-test-dev-v1-barn}}
  rules: [{apiGroups: [test.dev], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [barns]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating}
webhooks:
- name: vbarn.test.dev
  clientConfig: {service: {name: webhook-service, namespace: system, path: /validate-test-dev-v1-barn}}
  rules: [{apiGroups: [test.dev], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [barns]}]
";
    let dir = temporary();
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(dir.join("manifests.yaml"), CONFIGURATIONS).unwrap();
    let register = move |manager: Manager| {
        let manager = manager.controller(controller());
        let manager = manager.defaulter(BarnRules { has_bug });
        manager.validator(BarnRules { has_bug })
    };
    let simulation = Simulation::new(register)
        .crds([Barn::crd()])
        .samples([barn()])
        .edit::<Barn>("red", json!({"spec": {"cows": 3}}))
        .actors([workloads()])
        .webhooks(&dir)
        .always("each barn has a size", |world| {
            world.all::<Barn>(|barn| barn.labels().contains_key("size"))
        });
    std::fs::remove_dir_all(dir).unwrap();
    simulation
}

#[cfg(feature = "webhook")]
#[test]
fn webhooks_are_called_in_each_history() {
    let report = with_webhooks(false).run(60).unwrap();
    assert!(report.findings.is_empty(), "{report}");
}

#[cfg(feature = "webhook")]
#[test]
fn a_webhook_that_blocks_a_deletion_is_found() {
    let report = with_webhooks(true).run(1).unwrap();
    let finding = &report.findings[0];
    assert_eq!(finding.class, Class::StuckDeletion, "{report}");
    assert_eq!(finding.object, "barns.test.dev default/red", "{report}");
}

#[cfg(feature = "webhook")]
#[test]
fn a_default_of_an_ignored_webhook_is_missing_after_its_timeout() {
    let late = Fault::DelayedResponse(120_000);
    let at = (Operation::Review, "barns.test.dev");
    assert_eq!(classes(with_webhooks(false), at, late), []);
    let mut ignoring = with_webhooks(false);
    ignoring.scene.webhooks[0]["webhooks"][0]["failurePolicy"] = "Ignore".into();
    assert_eq!(classes(ignoring, at, late), [Class::Always]);
}

#[cfg(feature = "webhook")]
#[test]
fn webhooks_that_the_operator_does_not_register_are_an_error() {
    let mut simulation = with_webhooks(false);
    simulation.scene.register = Arc::new(|manager| manager.controller(controller()));
    let error = simulation.run(1).unwrap_err();
    assert_eq!(error.reason(), "Rejected");
    assert!(error.to_string().contains("help: register the webhooks"));
}

#[test]
fn a_lease_that_is_taken_too_early_is_found() {
    let expected = (Class::TwoLeaders, "barns.test.dev");
    assert_found(Bug::StaleLease, correct().replicas(2), 5, expected);
}

#[test]
fn a_removed_fence_is_found() {
    let expected = (Class::TwoLeaders, "deployments.apps");
    assert_found(Bug::FenceRemoved, correct().replicas(2), 100, expected);
}

#[test]
fn a_lost_requeue_is_found() {
    let expected = (Class::Missing, "deployments.apps default/red");
    assert_found(Bug::LostRequeue, simulation(controller), 60, expected);
}

#[test]
fn a_finalizer_that_is_removed_too_early_is_found() {
    let expected = (Class::Leftover, "configmaps kube-public/default-red");
    let simulated = simulation(controller);
    assert_found(Bug::EarlyFinalizerRemoval, simulated, 120, expected);
}

#[test]
#[ignore = "takes up to a minute, so it runs at night"]
fn a_shard_without_an_owner_is_found() {
    let simulated = correct().replicas(2).shards(3);
    assert_found(
        Bug::ShardOfNobody,
        simulated,
        2,
        (Class::Missing, "shard 2"),
    );
}

#[test]
#[ignore = "takes up to a minute, so it runs at night"]
fn an_event_between_list_and_watch_that_is_dropped_is_found() {
    let expected = (Class::Eventually, "every barn is ready");
    assert_found(Bug::EventAfterListDropped, correct(), 400, expected);
}

#[test]
fn a_child_that_is_pruned_before_the_others_are_applied_is_found() {
    let name = "an edited barn keeps its Deployment until it has another one";
    assert_found(Bug::PruneBeforeApply, replaced(), 2, (Class::Always, name));
    assert_correct(replaced(), 60);
}

/// Creates a Pod with a generated name for each cow, one in each reconcile.
async fn rent(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
    let cows = usize::try_from(barn.spec.cows).unwrap_or_default();
    if ctx.children::<Pod>()?.len() >= cows {
        return Ok(Action::await_change());
    }
    let mut stall = Pod {
        spec: Some(PodSpec::default()),
        ..Pod::default()
    };
    stall.metadata.generate_name = Some(format!("{}-", barn.name_any()));
    ctx.create(stall).await?;
    Ok(Action::requeue(Duration::from_secs(1)))
}

fn rented() -> Simulation {
    let mut barn = barn();
    barn.spec.cows = 4;
    Simulation::new(|manager| manager.controller(Controller::new(rent).owns::<Pod>()))
        .crds([Barn::crd()])
        .samples([barn])
        .actors([workloads()])
}

#[test]
#[ignore = "takes up to a minute, so it runs at night"]
fn a_write_that_a_relist_forgets_is_found() {
    let expected = (Class::CreatedTwice, "pods default/red-#5");
    assert_found(Bug::WritesForgottenByRelist, rented(), 500, expected);
    assert_correct(rented(), 200);
}

#[test]
fn a_backoff_that_never_starts_again_is_found() {
    /// Fails until the Deployment is ready.
    async fn reconcile(barn: Arc<Barn>, ctx: Context<Barn>) -> Result<Action> {
        let web = ctx.apply(deployment(&barn)).await?;
        ready(web.as_ref()).map_err(|why| crate::Error::new("NotReady", why))?;
        Ok(Action::await_change())
    }
    let patient = || simulation(|| Controller::new(reconcile).owns::<Deployment>());
    let expected = (Class::SlowRetry, "default/red");
    assert_found(Bug::BackoffNeverReset, patient(), 60, expected);
    assert_correct(patient(), 60);
}

/// The task of a killed process may run once more before it is dropped.
#[test]
fn a_reconcile_that_starts_in_a_killed_process_keeps_nothing_busy() {
    let event = serde_json::json!({"operation": "event", "resource": "barns.test.dev", "nth": 2});
    let list = serde_json::json!({"operation": "list", "resource": "barns.test.dev", "nth": 3});
    let schedule = serde_json::json!({"seed": 178, "steps": ["create", "delete"], "faults": [
        {"at": event, "fault": "expired-watch"}, {"at": list, "fault": "crash-before"}]});
    let schedule = serde_json::from_value(schedule).unwrap();
    let replay = rented().replay(&schedule).unwrap();
    assert!(replay.unused.is_empty());
    assert!(replay.findings.is_empty(), "{:?}", replay.findings);
}
