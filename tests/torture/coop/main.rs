//! An operator that keeps hens, in another shape than `../flock`: a Deployment of as many, a Secret
//! for each nest, a `ConfigMap` with the feed that cannot be changed and so is replaced, another
//! with the tags, and a ledger that nobody owns. It reads and then creates or updates, as many do
//! in Go.
//!
//! Without an argument it does all of it right. With `--bug NAME` it does one thing wrong. With
//! `--polls` it is right as well, but nobody tells it of what it has made: it looks again every few
//! seconds. With `--late` it tries again 30 s after an error, and says nothing before.

#![allow(clippy::print_stdout, reason = "its log")]
#![allow(clippy::unwrap_used, reason = "it may end")]

mod children;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::runtime::controller::Action;
use kube::runtime::{Controller, watcher};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use children::Children;

/// Keeps a coop until its ledger is gone.
const FINALIZER: &str = "bugs.example.com/ledger";
const AGAIN: Duration = Duration::from_millis(1500);
const LATE: Duration = Duration::from_secs(30);
const POLLED: Duration = Duration::from_secs(5);

/// One thing that the operator does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bug {
    /// Adds tags, and never takes one away.
    StickyTags,
    /// Replaces the feed in two steps, and believes after the first that there is none to be.
    FeedGap,
    /// Takes away what it remembers to be too many.
    NestsByMemory,
    /// Throws away every ledger there is.
    EverybodysLedger,
    /// Takes away all that holds a coop, and not only what it put there itself.
    ClearsFinalizers,
    /// Counts the nests of others with its own.
    CountsStrangers,
    /// Counts seconds in a number that is too small for them.
    Overflow,
    /// Writes the spec back as it was when it began, whatever it is now.
    WritesBack,
    /// Throws away the ledgers of all coops whose names begin like its own.
    LedgersByPrefix,
}

const NAMES: [(&str, Bug); 9] = [
    ("sticky-tags", Bug::StickyTags),
    ("feed-gap", Bug::FeedGap),
    ("nests-by-memory", Bug::NestsByMemory),
    ("everybodys-ledger", Bug::EverybodysLedger),
    ("clears-finalizers", Bug::ClearsFinalizers),
    ("counts-strangers", Bug::CountsStrangers),
    ("overflow", Bug::Overflow),
    ("writes-back", Bug::WritesBack),
    ("ledgers-by-prefix", Bug::LedgersByPrefix),
];

/// What the operator knows.
struct Keeper {
    client: Client,
    coops: ApiResource,
    bug: Option<Bug>,
    polls: bool,
    late: bool,
    /// How many hens each coop had. The right way does not look at it.
    before: Mutex<BTreeMap<String, i64>>,
}

type Result<T, E = kube::Error> = std::result::Result<T, E>;

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.unwrap();
    let coops = ApiResource::from_gvk(&GroupVersionKind::gvk("bugs.example.com", "v1", "Coop"));
    let asked = std::env::args()
        .skip_while(|argument| argument != "--bug")
        .nth(1);
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    let named = |name: String| {
        let known = NAMES.into_iter().find(|(known, _)| *known == name);
        known.unwrap_or_else(|| panic!("no bug is called {name}")).1
    };
    let keeper = Keeper {
        client: client.clone(),
        coops: coops.clone(),
        bug: asked.map(named),
        polls: has("--polls"),
        late: has("--late"),
        before: Mutex::default(),
    };
    let config = watcher::Config::default;
    let all = Api::<DynamicObject>::all_with(client.clone(), &coops);
    let mut controller = Controller::new_with(all, config(), coops);
    if !keeper.polls {
        controller = controller
            .owns(Api::<Deployment>::all(client.clone()), config())
            .owns(Api::<ConfigMap>::all(client.clone()), config())
            .owns(Api::<Secret>::all(client), config());
    }
    controller
        .run(
            reconcile,
            |_, error, keeper| {
                println!("failed: {error}");
                Action::requeue(if keeper.late { LATE } else { AGAIN })
            },
            Arc::new(keeper),
        )
        .for_each(|_| std::future::ready(()))
        .await;
}

async fn reconcile(known: Arc<DynamicObject>, keeper: Arc<Keeper>) -> Result<Action> {
    let coops = keeper.coops(&known);
    let Some(coop) = coops.get_opt(&known.name_any()).await? else {
        return Ok(Action::await_change());
    };
    let children = Children::new(&keeper.client, &coop, keeper.bug);
    let is_held = coop.finalizers().iter().any(|name| name == FINALIZER);
    if coop.metadata.deletion_timestamp.is_some() {
        if is_held {
            children.remove_ledger().await?;
            keeper.hold(&coop, false).await?;
        }
        return Ok(Action::await_change());
    }
    if !is_held {
        keeper.hold(&coop, true).await?;
    }
    let hens = coop.data["spec"]["hens"].as_i64().unwrap_or_default();
    let uid = coop.uid().unwrap_or_default();
    let before = keeper.before.lock().unwrap().get(&uid).copied();
    let told = children.tend(hens, before).await;
    if told.is_ok() {
        keeper.before.lock().unwrap().insert(uid, hens);
    }
    if told.is_ok() || !keeper.late {
        keeper.say(&coop, hens, told.as_ref().err()).await?;
    }
    let next = if keeper.polls {
        Action::requeue(POLLED)
    } else {
        Action::await_change()
    };
    told.map(|()| next)
}

impl Keeper {
    fn coops(&self, coop: &DynamicObject) -> Api<DynamicObject> {
        let namespace = coop.namespace().unwrap_or_default();
        Api::namespaced_with(self.client.clone(), &namespace, &self.coops)
    }

    async fn hold(&self, coop: &DynamicObject, holds: bool) -> Result<()> {
        let mut finalizers = coop.finalizers().to_vec();
        finalizers.retain(|name| name != FINALIZER && self.bug != Some(Bug::ClearsFinalizers));
        if holds {
            finalizers.push(FINALIZER.into());
        }
        let change = json!({"metadata": {"finalizers": finalizers, "resourceVersion": coop.resource_version()}});
        let params = PatchParams::default();
        let coops = self.coops(coop);
        coops
            .patch(&coop.name_any(), &params, &Patch::Merge(&change))
            .await?;
        Ok(())
    }

    /// Says how many hens there are to be, or what is wrong; only where it does not say so already.
    async fn say(
        &self,
        coop: &DynamicObject,
        hens: i64,
        wrong: Option<&kube::Error>,
    ) -> Result<()> {
        let (status, reason) = if wrong.is_none() {
            ("True", "Kept")
        } else {
            ("False", "Refused")
        };
        let wanted = json!({"hens": hens, "observedGeneration": coop.metadata.generation,
            "conditions": [{"type": "Ready", "status": status, "reason": reason}]});
        if *coop.data.get("status").unwrap_or(&Value::Null) != wanted {
            let (params, change) = (PatchParams::default(), json!({ "status": wanted }));
            let coops = self.coops(coop);
            if self.bug == Some(Bug::WritesBack) {
                let name = coop.name_any();
                let whole = DynamicObject {
                    metadata: coops.get(&name).await?.metadata,
                    ..coop.clone()
                };
                coops.replace(&name, &PostParams::default(), &whole).await?;
            }
            coops
                .patch_status(&coop.name_any(), &params, &Patch::Merge(&change))
                .await?;
        }
        Ok(())
    }
}
