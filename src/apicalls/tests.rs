use std::collections::BTreeSet;

use super::*;

/// The kinds of all cases: a spec with a status in a module of its own.
const KINDS: &str = r#"
    use kube::{CustomResource, ResourceExt, api::*, runtime::{controller::*, events::*, reflector, watcher, finalizer::finalizer, Controller}, Client};
    use k8s_openapi::api::{apps::v1::Deployment, core::v1::{self as core, ConfigMap, Pod, Secret}};
    pub mod crd {
        #[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
        #[kube(group = "farm.example", version = "v1", kind = "Goat", plural = "goats", namespaced, status = "GoatStatus")]
        pub struct GoatSpec { pub secret: String }
        pub struct GoatStatus { pub fed: bool }
        #[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
        #[kube(group = "farm.example", version = "v1", kind = "Sty")]
        pub struct StySpec {}
    }
    use crd::{Goat, Sty};
"#;

fn repository(files: &[(&str, &str)]) -> Repository {
    let files = files.iter();
    Repository::new(
        files
            .map(|(path, text)| (PathBuf::from(path), (*text).to_owned()))
            .collect(),
    )
}

fn sent_by(source: &str, words: &[&str]) -> Sent {
    let manifest = "[package]\nname = \"farm\"\n[dependencies]\nkube = \"3.1\"\n";
    let repository = repository(&[
        ("Cargo.toml", manifest),
        ("src/main.rs", &format!("{source}\n{KINDS}")),
    ]);
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    repository.sent(&repository.programs()[0], &words)
}

/// Returns one entry for each resource, `goats: list watch`, `unknown` for each unresolved request,
/// and `elsewhere` for each place that sends one to another cluster.
fn shown(sent: &Sent) -> Vec<String> {
    let mut verbs: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for call in &sent.calls {
        let group = match call.resource.group.as_str() {
            "" => String::new(),
            group => format!(".{group}"),
        };
        let resource = call.rule_resource() + &group;
        verbs.entry(resource).or_default().insert(&call.verb);
    }
    let known = verbs.into_iter().map(|(resource, verbs)| {
        let verbs: Vec<_> = verbs.into_iter().collect();
        format!("{resource}: {}", verbs.join(" "))
    });
    let unknown = sent.unknown.iter().map(|_| "unknown".to_owned());
    let elsewhere = sent.elsewhere.iter().map(|_| "elsewhere".to_owned());
    known.chain(unknown).chain(elsewhere).collect()
}

/// A name, the source of `src/main.rs`, and the requests.
const CASES: &[(&str, &str, &[&str])] = &[
        (
            "typed variables",
            "fn main() { let pods: Api<Pod> = Api::namespaced(client, \"x\"); pods.get(\"a\").await?; pods.list(&lp).await?; }",
            &["pods: get list"],
        ),
        (
            "turbofish and a full path",
            "fn main() { let api = Api::<core::Service>::all(c); api.delete(\"a\", &Default::default()); \
             kube::Api::<k8s_openapi::api::batch::v1::Job>::all(c).delete_collection(&dp, &lp); }",
            &["jobs.batch: deletecollection", "services: delete"],
        ),
        (
            "inferred from the object",
            "fn main() { let api = Api::namespaced(c, \"x\"); let map = ConfigMap::default(); api.create(&PostParams::default(), &map).await; }",
            &["configmaps: create"],
        ),
        (
            "inferred from the expected result",
            "fn main() { let goats = Api::all(c); let goat: Goat = goats.get(\"a\").await.unwrap(); }",
            &["goats.farm.example: get"],
        ),
        (
            "fields, functions and parameters",
            "struct Context { secrets: Option<Arc<Api<Secret>>> }
             impl Context { fn pods(&self) -> Api<Pod> { Api::all(c) } }
             async fn read(api: &Api<Goat>) -> Result<Goat> { api.get_status(\"a\").await }
             fn main() { let ctx = Arc::new(Context { secrets: None }); ctx.pods().watch(&wp, \"0\");
                 if let Some(api) = &ctx.secrets { api.get_opt(\"a\").await?; } read(&Api::all(c)).await; }",
            &["goats/status.farm.example: get", "pods: watch", "secrets: get"],
        ),
        (
            "generic functions for their callers' kinds",
            "async fn apply<K: Resource + Clone>(client: Client, object: &K) -> Result<K> {
                 let api: Api<K> = Api::namespaced(client, \"x\");
                 api.patch(\"a\", &PatchParams::apply(\"me\"), &Patch::Apply(object)).await }
             async fn outer<T: Resource>(c: Client, t: T) { apply(c, &t).await; }
             fn main() { outer(c, Deployment::default()); outer(c, Secret { ..Default::default() }); }",
            &["deployments.apps: create patch", "secrets: create patch"],
        ),
        (
            "traits with associated types",
            "trait Child { type Kind: Resource; fn api(&self, c: Client) -> Api<Self::Kind>;
                 async fn sync(&self, c: Client) { self.api(c).replace(\"a\", &pp, &x).await; } }
             struct Map; impl Child for Map { type Kind = ConfigMap; fn api(&self, c: Client) -> Api<ConfigMap> { Api::all(c) } }
             struct Unused; impl Child for Unused { type Kind = Secret; fn api(&self, c: Client) -> Api<Secret> { Api::all(c) } }
             fn main() { Map.sync(c); }",
            &["configmaps: update"],
        ),
        (
            "trait objects stand for all implementations",
            "trait Step { async fn run(&self); }
             struct A; impl Step for A { async fn run(&self) { Api::<Pod>::all(c).evict(\"a\", &ep).await; } }
             struct B; impl Step for B { async fn run(&self) { Api::<Pod>::all(c).logs(\"a\", &lp).await; } }
             fn main() { let steps: Vec<Box<dyn Step>> = vec![]; for step in &steps { step.run().await; } }",
            &["pods/eviction: create", "pods/log: get"],
        ),
        (
            "controllers, their children and their finalizer",
            "async fn reconcile(goat: Arc<Goat>, ctx: Arc<Context>) -> Result<Action> {
                 let goats: Api<Goat> = Api::namespaced(c, \"x\");
                 finalizer(&goats, \"f\", goat, |event| async { match event {
                     Event::Apply(goat) => goats.patch_status(\"a\", &pp, &Patch::Merge(json!({}))).await,
                     Event::Cleanup(goat) => Api::<Secret>::all(c).delete(&goat.spec.secret, &dp).await } }) }
             fn main() { Controller::new(Api::<Goat>::all(c), watcher::Config::default()).owns(Api::<Deployment>::all(c), cfg)
                 .watches(Api::<Sty>::all(c), cfg, |sty| vec![]).run(reconcile, policy, ctx).for_each(|_| ready(())).await; }",
            &[
                "deployments.apps: list watch",
                "goats.farm.example: list patch watch",
                "goats/status.farm.example: patch",
                "secrets: delete",
                "sties.farm.example: list watch",
            ],
        ),
        (
            "generic reconcilers",
            "async fn reconcile<K: Resource>(object: Arc<K>, ctx: Arc<Context>) { Api::<K>::all(c).get(\"a\").await; }
             fn main() { Controller::new(Api::<Goat>::all(c), cfg).run(reconcile, policy, ctx); }",
            &["goats.farm.example: get list watch"],
        ),
        (
            "watchers and reflectors",
            "fn main() { let (reader, writer) = reflector::store(); let pods: Api<Pod> = Api::all(c);
                 let stream = reflector(writer, watcher(pods, watcher::Config::default())).applied_objects();
                 Controller::for_stream(stream, reader); watcher(Api::<Secret>::all(c), watcher::Config::default().streaming_lists()); }",
            &["pods: list watch", "secrets: watch"],
        ),
        (
            "recorders that are kept patch events",
            "struct Context { recorder: Recorder }
             fn main() { let ctx = Context { recorder: Recorder::new(c, r) }; ctx.recorder.publish(&e, &o).await; }",
            &["events.events.k8s.io: create patch"],
        ),
        (
            "recorders for one use do not patch",
            "impl State { fn recorder(&self) -> Recorder { Recorder::new(c, r) } }
             fn main() { let state = State {}; let recorder = state.recorder(); recorder.publish(&e, &o).await; }
             struct State {}",
            &["events.events.k8s.io: create"],
        ),
        (
            "recorders that are older than their loop patch events",
            "fn main() { let recorder = Recorder::new(c, r); loop { recorder.publish(&e, &o).await; } }",
            &["events.events.k8s.io: create patch"],
        ),
        (
            "a server-side apply of parts of an object creates nothing",
            "fn main() { let api: Api<Pod> = Api::all(c); let patch = json!({\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {}});
                 api.patch(\"a\", &pp, &Patch::Apply(patch)).await; }",
            &["pods: patch"],
        ),
        (
        "a server-side apply of an object that was read creates nothing",
        "async fn save<K: Resource>(api: &Api<K>, object: K) { api.patch(\"a\", &pp, &Patch::Apply(&object)).await; }
         fn main() { let maps: Api<ConfigMap> = Api::all(c); let mut map = maps.get(\"a\").await?; save(&maps, map).await;
             save(&Api::<Secret>::all(c), serde_json::from_value::<Secret>(x)?).await; }",
        &["configmaps: get patch", "secrets: create patch"],
    ),
    (
            "a server-side apply of JSON creates an object",
            "fn main() { let api: Api<ConfigMap> = Api::all(c); let patch = json!({\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"data\": {}});
                 api.patch(\"a\", &pp, &Patch::Apply(patch)).await; }",
            &["configmaps: create patch"],
        ),
        (
            "a server-side apply of a deserialized result creates an object",
            "fn one() -> Result<Deployment> { Ok(serde_json::from_value(json!({}))?) }
             fn two() -> Secret { let name = \"a\"; serde_json::from_value(json!({})).unwrap() }
             fn three() -> Result<ConfigMap, Error> { serde_json::from_value(json!({})).map_err(Error::Json) }
             fn four() -> Pod { let pod = serde_json::from_value(json!({})).expect(\"a Pod\"); return pod; }
             fn five() -> Result<Sty> { let sty = serde_json::from_value(json!({})).map_err(|e| Error::Json(e))?; Ok(sty) }
             fn main() { Api::<Deployment>::all(c).get(\"a\"); Api::<Secret>::all(c).get(\"a\"); Api::<ConfigMap>::all(c).get(\"a\"); Api::<Pod>::all(c).get(\"a\"); Api::<Sty>::all(c).get(\"a\");
                 Api::<Deployment>::all(c).patch(\"a\", &pp, &Patch::Apply(&one()?)); Api::<Secret>::all(c).patch(\"a\", &pp, &Patch::Apply(&two()));
                 Api::<ConfigMap>::all(c).patch(\"a\", &pp, &Patch::Apply(&three()?)); Api::<Pod>::all(c).patch(\"a\", &pp, &Patch::Apply(&four()));
                 Api::<Sty>::all(c).patch(\"a\", &pp, &Patch::Apply(&five()?)); }",
            &["configmaps: create get patch", "deployments.apps: create get patch", "pods: create get patch", "secrets: create get patch", "sties.farm.example: create get patch"],
        ),
        (
            "a server-side apply of an object of a kind that is never read creates it",
            "fn main() { let api: Api<ConfigMap> = Api::all(c); let map: ConfigMap = make(); api.patch(\"a\", &pp, &Patch::Apply(&map)); }",
            &["configmaps: create patch"],
        ),
        (
            "a server-side apply of an object in a spec creates it",
            "#[derive(CustomResource)] #[kube(group = \"farm.example\", version = \"v1\", kind = \"Barn\", plural = \"barns\")]
             pub struct BarnSpec { pub template: ConfigMap, pub parts: Vec<Part> } pub struct Part { pub secret: Option<Secret> }
             struct State { pod: Pod }
             async fn reconcile(barn: Arc<Barn>, ctx: Arc<Ctx>) { let template = barn.spec.template.clone(); Api::<ConfigMap>::all(c).get(\"a\"); Api::<Secret>::all(c).get(\"a\");
                 Api::<ConfigMap>::all(c).patch(\"a\", &pp, &Patch::Apply(&template));
                 for part in &barn.spec.parts { if let Some(secret) = &part.secret { Api::<Secret>::all(c).patch(\"a\", &pp, &Patch::Apply(secret)); } }
                 let state = State { pod: Api::<Pod>::all(c).get(\"a\").await? }; Api::<Pod>::all(c).patch(\"a\", &pp, &Patch::Apply(&state.pod)); }
             fn main() { Controller::new(Api::<Barn>::all(c), cfg).run(reconcile, e, ctx); }",
            &["barns.farm.example: list watch", "configmaps: create get patch", "pods: get patch", "secrets: create get patch"],
        ),
        (
            "a server-side apply of JSON in a variable or from a function creates an object",
            "fn body() -> serde_json::Value { json!({\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"data\": {}}) }
             fn inner() -> Value { let value = json!({\"apiVersion\": \"v1\", \"kind\": \"Service\", \"spec\": {}}); value } use serde_json::Value;
             fn main() { let patch = json!({\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"metadata\": {}, \"spec\": {}});
                 Api::<Deployment>::all(c).patch(\"a\", &params, &Patch::Apply(&patch)).await?;
                 Api::<Secret>::all(c).patch(\"a\", &pp, &Patch::Apply(body())).await; let v = inner(); let p = Patch::Apply(v); Api::<core::Service>::all(c).patch(\"a\", &pp, &p);
                 Api::<Goat>::all(c).patch_status(\"a\", &pp, &Patch::Apply(&json!({\"apiVersion\": \"farm.example/v1\", \"kind\": \"Goat\", \"status\": {}}))).await; }",
            &["deployments.apps: create patch", "goats/status.farm.example: patch", "secrets: create patch", "services: create patch"],
        ),
        (
            "subresources by method and by name",
            "fn main() { let api: Api<Deployment> = Api::all(c); api.patch_scale(\"a\", &pp, &p); api.get_subresource(\"status\", \"a\");
                 api.get_subresource(name, \"a\"); let pods: Api<Pod> = Api::all(c); pods.exec(\"a\", vec![\"ls\"], &ap); }",
            &["deployments/scale.apps: patch", "deployments/status.apps: get", "pods/exec: get", "unknown"],
        ),
        (
            "entries",
            "fn main() { let api: Api<Secret> = Api::all(c); api.entry(\"a\").await?.and_modify(|s| {}).or_insert(|| x).commit(&pp).await?; }",
            &["secrets: create get update"],
        ),
        (
            "resources by name",
            "const GROUP: &str = \"cows.example\";
             fn herd() -> ApiResource { ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, \"v1\", \"Herd\")) }
             fn main() { let api: Api<DynamicObject> = Api::all_with(c, &herd()); api.list(&lp).await;
                 let other: Api<DynamicObject> = Api::all_with(c, &chosen); other.list(&ListParams::default()).await; }",
            &["herds.cows.example: list", "unknown"],
        ),
        (
            "a kind that is implemented by hand",
            "struct Hen; impl kube::Resource for Hen { fn group(_: &()) -> Cow<'_, str> { \"birds.example\".into() }
                 fn kind(_: &()) -> Cow<'_, str> { \"Hen\".into() } fn plural(_: &()) -> Cow<'_, str> { Cow::Borrowed(\"hens\") } }
             type Hens = Api<Hen>;
             fn main() { let hens: Hens = Api::all(c); hens.list(&lp).await; }",
            &["hens.birds.example: list"],
        ),
        (
            "the client's own methods",
            "fn main() { let client = Client::try_default().await?; client.get::<Pod>(\"a\", &ns).await?;
                 client.list::<Secret>(&lp, &ns).await?; client.request_text(req).await?; }",
            &["pods: get", "secrets: list", "unknown"],
        ),
        (
            "types of other crates are unknown",
            "use elsewhere::Gate; fn main() { Api::<Gate>::all(c).list(&lp).await; }",
            &["unknown"],
        ),
        (
            "a function with the name of its module",
            "pub mod mark { use super::*; pub async fn mark(c: Client) { Api::<Secret>::all(c).get(\"x\").await; } } pub use mark::mark;
             pub mod run { use super::*; pub async fn run(c: Client) { status::mark(c).await; } } use self::run::run;
             mod status { pub use super::mark; pub mod other {} } fn main() { run(c).await; mark(c).await; Api::<Pod>::all(c).list(&lp).await; }",
            &["pods: list", "secrets: get"],
        ),
        (
            "functions that are not reached, and tests",
            "async fn unused() { Api::<Pod>::all(c).list(&lp).await; }
             #[cfg(test)] mod tests { fn main() { Api::<Secret>::all(c).list(&lp); } }
             fn main() {}",
            &[],
        ),
        (
            "macros with expressions",
            "async fn pods() { Api::<Pod>::all(c).list(&lp).await; }
             fn main() { tokio::select! { _ = pods() => {}, event = x.next() => { Api::<Secret>::all(c).list(&lp).await; } }
                 let (a, b) = tokio::join!(Api::<Goat>::all(c).list(&lp), async { 1 }); }",
            &["goats.farm.example: list", "pods: list", "secrets: list"],
        ),
        (
            "macros of the repository",
        "macro_rules! list { ($($kind:ty),+ $(,)?) => { $( { let api: Api<$kind> = Api::all(c); api.list(&lp).await; } )+ } }
         macro_rules! removers { ($($name:ident => $kind:ty;)*) => { $(async fn $name(c: Client) { Api::<$kind>::all(c).delete(\"a\", &dp).await; })* } }
         removers! { remove_goat => Goat; remove_pod => core::Pod; remove_map => ConfigMap; }
         fn main() { list!(Secret, k8s_openapi::api::core::v1::Node); remove_goat(c); remove_pod(c); }",
        &["goats.farm.example: delete", "nodes: list", "pods: delete", "secrets: list"],
    ),
    (
        "closures and collections",
            "fn main() { let apis = vec![Api::<Pod>::all(c)]; for api in apis.iter() { api.get(\"a\").await; }
                 let of = |ns: &str| -> Api<Secret> { Api::namespaced(c, ns) }; of(\"a\").list(&lp);
                 names.iter().map(|ns| Api::<Goat>::namespaced(c, ns)).for_each(|api| { api.list(&lp); }); }",
            &["goats.farm.example: list", "pods: get", "secrets: list"],
        ),
        ("client ext trait", "trait Pods { fn pods(&self) -> Api<Pod>; } impl Pods for Client { fn pods(&self) -> Api<Pod> { Api::all(self.clone()) } } struct Ctx { client: Client } fn main() { let ctx = Ctx { client: Client::try_default().await? }; ctx.client.pods().list(&lp).await; }", &["pods: list"]),
        ("api ext trait", "trait Ensure<K> { async fn ensure(&self, k: &K); } impl<K: Resource> Ensure<K> for Api<K> { async fn ensure(&self, k: &K) { self.patch(\"a\", &pp, &Patch::Apply(k)).await; } } fn main() { let api: Api<Secret> = Api::all(c); api.ensure(&Secret::default()).await; }", &["secrets: create patch"]),
        ("map of apis", "struct S { apis: HashMap<String, Api<Pod>> } fn main() { let s = S { apis: HashMap::new() }; let api = s.apis.get(\"x\").unwrap(); api.delete(\"a\", &DeleteParams::default()).await; for (n, a) in &s.apis { a.list(&lp); } }", &["pods: delete list"]),
        ("spawned", "async fn work(client: Client) { Api::<Pod>::all(client).list(&lp).await; } fn main() { let h = tokio::spawn(work(c)); let x = tokio::spawn(async move { Api::<Secret>::all(c).list(&lp).await }); futures::future::join(h, x).await; }", &["pods: list", "secrets: list"]),
        ("builder closure reconcile", "fn main() { let f = move |goat: Arc<Goat>, ctx: Arc<Ctx>| async move { Api::<Secret>::all(c).get(\"x\").await }; Controller::new(Api::<Goat>::all(c), cfg).run(f, |_, _, _| Action::requeue(d), ctx); }", &["goats.farm.example: list watch", "secrets: get"]),
        ("method reconcile", "struct R; impl R { async fn reconcile(goat: Arc<Goat>, ctx: Arc<R>) -> Result<Action> { Api::<Pod>::all(c).list(&lp).await; goat.update().await } } impl Goat { async fn update(&self) { Api::<Goat>::all(c).replace_status(\"a\", &pp, self).await; } } fn main() { Controller::new(Api::<Goat>::all(c), cfg).run(R::reconcile, p, ctx).await; }", &["goats.farm.example: list watch", "goats/status.farm.example: update", "pods: list"]),
        ("trait reconciler generic", "trait Reconciler: Sized { type K: Resource; async fn reconcile(k: Arc<Self::K>, ctx: Arc<Self>); fn start(self, c: Client) { Controller::new(Api::<Self::K>::all(c), cfg).run(Self::reconcile, p, Arc::new(self)); } } struct G; impl Reconciler for G { type K = Goat; async fn reconcile(k: Arc<Goat>, ctx: Arc<G>) { Api::<Pod>::all(c).list(&lp).await; } } fn main() { G.start(c); }", &["goats.farm.example: list watch", "pods: list"]),
        ("generic struct", "struct Store2<K> { api: Api<K> } impl<K: Resource> Store2<K> { fn new(c: Client) -> Self { Self { api: Api::all(c) } } async fn drop_all(&self) { self.api.delete_collection(&dp, &lp).await; } } fn main() { let s: Store2<Secret> = Store2::new(c); s.drop_all().await; Store2::<Pod>::new(c).drop_all().await; }", &["pods: deletecollection", "secrets: deletecollection"]),
        ("phantom", "struct H<K> { c: Client, k: PhantomData<K> } impl<K> H<K> { fn api(&self) -> Api<K> { Api::all(self.c.clone()) } async fn go(&self) { self.api().get(\"a\").await; } } fn main() { let h = H::<Goat> { c, k: PhantomData }; h.go().await; }", &["goats.farm.example: get"]),
        ("option match api", "fn main() { let ns: Option<String> = None; let api: Api<Pod> = match ns { Some(ref n) => Api::namespaced(c, n), None => Api::all(c) }; api.list(&lp).await; let api2 = if x { Api::<Secret>::all(c) } else { Api::namespaced(c, \"a\") }; api2.list(&lp).await; }", &["pods: list", "secrets: list"]),
        ("enum payload", "enum Child { Map(ConfigMap), Dep(Box<Deployment>) } async fn put<K: Resource>(c: Client, k: K) { Api::<K>::all(c).create(&pp, &k).await; } fn main() { let child = make(); match child { Child::Map(m) => put(c, m).await, Child::Dep(d) => put(c, *d).await } } fn make() -> Child { todo!() }", &["configmaps: create", "deployments.apps: create"]),
        ("list then delete", "fn main() { let api: Api<Pod> = Api::all(c); let list = api.list(&lp).await?; for p in list.items { api.delete(&p.name_any(), &dp).await?; } for p in list { let a = Api::namespaced(c, \"x\"); a.replace(\"a\", &pp, &p).await?; } }", &["pods: delete list update"]),
        ("recorder param in ctx", "struct Ctx { recorder: Arc<Recorder> } async fn emit(r: &Recorder) { r.publish(&e, &o).await; } fn main() { let ctx = Ctx { recorder: Arc::new(Recorder::new(c, r)) }; emit(&ctx.recorder).await; }", &["events.events.k8s.io: create patch"]),
        ("recorder passed fresh", "async fn emit(r: &Recorder) { r.publish(&e, &o).await; } fn main() { let r = Recorder::new(c, r); emit(&r).await; }", &["events.events.k8s.io: create"]),
        ("core events", "use k8s_openapi::api::core::v1::Event as CoreEvent; fn main() { let api: Api<CoreEvent> = Api::namespaced(c, \"x\"); api.create(&pp, &ev).await; }", &["events: create"]),
        ("lazy static client", "static CLIENT: LazyLock<Client> = LazyLock::new(|| todo!()); fn main() { CLIENT.get::<Pod>(\"a\", &ns).await; }", &["pods: get"]),
        ("let else and retry", "async fn retry<F, Fut, T>(f: F) -> Result<T> where F: Fn() -> Fut, Fut: Future<Output = Result<T>> { f().await } fn main() { let api: Api<Pod> = Api::all(c); let Ok(pod) = retry(|| async { api.get(\"a\").await }).await else { return }; let x = retry(|| api.list(&lp)).await; }", &["pods: get list"]),
        ("dyn generic", "trait Backend<K>: Send { fn api(&self) -> Api<K>; } struct P; impl Backend<Pod> for P { fn api(&self) -> Api<Pod> { Api::all(c) } } struct Q { b: Box<dyn Backend<Pod>> } fn main() { let q = Q { b: Box::new(P) }; q.b.api().list(&lp).await; }", &["pods: list"]),
        ("watch stream", "fn main() { let mut s = watcher(Api::<Pod>::all(c), watcher::Config::default()).applied_objects().boxed(); while let Some(p) = s.try_next().await? { Api::namespaced(c, \"x\").replace(\"a\", &PostParams::default(), &p).await; } }", &["pods: list update watch"]),
        ("wait", "use kube::runtime::wait::{await_condition, conditions}; fn main() { let crds: Api<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> = Api::all(c); let e = await_condition(crds, \"a\", conditions::is_crd_established()); e.await; }", &["customresourcedefinitions.apiextensions.k8s.io: list watch"]),
        ("partial meta", "fn main() { let api: Api<PartialObjectMeta<Pod>> = Api::all(c); api.list(&lp).await; Controller::new(Api::<Goat>::all(c), cfg).owns(Api::<PartialObjectMeta<Secret>>::all(c), cfg); }", &["goats.farm.example: list watch", "pods: list", "secrets: list watch"]),
        ("fn pointer table", "type Step = fn(Client); const STEPS: &[Step] = &[one, two]; fn one(c: Client) { Api::<Pod>::all(c).list(&lp); } fn two(c: Client) { Api::<Secret>::all(c).list(&lp); } fn main() { for s in STEPS { s(c); } }", &["pods: list", "secrets: list"]),
        ("impl Service foreign", "struct Srv { c: Client } impl tonic::Greeter for Srv { async fn hi(&self) { Api::<Pod>::all(self.c.clone()).list(&lp).await; } } fn main() { serve(Srv { c }); }", &["pods: list"]),
        ("axum", "async fn health(State(s): State<Arc<S>>) -> String { s.api.list(&lp).await; x } struct S { api: Api<Goat> } fn main() { Router::new().route(\"/\", get(health)).with_state(s); }", &["goats.farm.example: list"]),
        ("patch variable", "fn main() { let api: Api<Deployment> = Api::all(c); let d = Deployment { metadata: m, ..Default::default() }; let patch = Patch::Apply(&d); let p = PatchParams::apply(\"x\").force(); api.patch(\"a\", &p, &patch).await?; let q = if y { Patch::Merge(d) } else { Patch::Apply(d) }; }", &["deployments.apps: create patch"]),
        ("kind given to the method", "fn main() { Controller::new(Api::<Goat>::all(c), cfg).owns::<ConfigMap>(Api::all(c.clone()), cfg).watches::<Secret, _>(Api::namespaced(c, \"a\"), cfg, |s| None); Controller::<Sty>::new(Api::all(c), cfg); watcher::<Pod>(Api::all(c), cfg); }", &["configmaps: list watch", "goats.farm.example: list watch", "pods: list watch", "secrets: list watch", "sties.farm.example: list watch"]),
        ("reviews", "use k8s_openapi::api::{authentication::v1::{SelfSubjectReview, TokenReview}, authorization::v1::{LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview}, core::v1::Binding}; fn main() { Api::<TokenReview>::all(c).create(&pp, &r); Api::<SelfSubjectReview>::all(c).create(&pp, &r); Api::<SubjectAccessReview>::all(c).create(&pp, &r); Api::<SelfSubjectAccessReview>::all(c).create(&pp, &r); Api::<SelfSubjectRulesReview>::all(c).create(&pp, &r); Api::<LocalSubjectAccessReview>::namespaced(c, \"a\").create(&pp, &r); Api::<Binding>::namespaced(c, \"a\").create(&pp, &b); }", &["bindings: create", "localsubjectaccessreviews.authorization.k8s.io: create", "selfsubjectaccessreviews.authorization.k8s.io: create", "selfsubjectreviews.authentication.k8s.io: create", "selfsubjectrulesreviews.authorization.k8s.io: create", "subjectaccessreviews.authorization.k8s.io: create", "tokenreviews.authentication.k8s.io: create"]),
        ("eviction and scale", "fn main() { let pods: Api<Pod> = Api::all(c); pods.evict(\"a\", &ep); pods.create_subresource(\"eviction\", \"a\", &pp, d); let d: Api<Deployment> = Api::all(c); d.patch_scale(\"a\", &p, &b); d.replace_subresource(\"scale\", \"a\", &pp, d); }", &["deployments/scale.apps: patch update", "pods/eviction: create"]),
        ("other cluster", "async fn main() { let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await?; let remote = Client::try_from(config)?; Api::<Pod>::all(remote.clone()).list(&lp).await?; remote.list::<Secret>(&lp, &ns).await; let api: Api<ConfigMap> = Api::all(remote); api.entry(\"a\").await?.or_insert(f).commit(&pp); Api::<Goat>::all(here).list(&lp); }", &["goats.farm.example: list", "elsewhere", "elsewhere", "elsewhere", "elsewhere"]),
        ("other cluster through functions", "async fn connect(text: &str) -> Result<Client> { let mut config = Config::from_custom_kubeconfig(Kubeconfig::from_yaml(text)?, &o).await.context(\"x\")?; config.accept_invalid_certs = true; Client::try_from(config).context(\"y\") } use kube::config::{Config, Kubeconfig}; async fn sync(client: Client) { watch(&client).await; } async fn watch(c: &Client) { let pods: Api<Pod> = Api::all(c.clone()); watcher(pods, cfg); } fn main() { let client = connect(\"a\").await?; sync(client).await; }", &["elsewhere"]),
        ("function for both clusters", "async fn count(c: Client) { Api::<Pod>::all(c).list(&lp).await; } fn main() { let remote: Client = kube::Config::from_custom_kubeconfig(k, &o).await?.try_into()?; count(remote).await; count(Client::try_default().await?).await; }", &["pods: list", "elsewhere"]),
        ("other cluster in a field", "struct Remote { client: Client, name: String } impl Remote { fn new(client: Client) -> Self { Self { client, name: n } } async fn pods(&self) { Api::<Pod>::all(self.client.clone()).list(&lp).await; } } struct Ctx { client: Client } fn main() { let ctx = Ctx { client: Client::try_default().await? }; Api::<Secret>::all(ctx.client).list(&lp); let config = kube::Config::from_custom_kubeconfig(k, &o).await?; Remote::new(kube::client::ClientBuilder::try_from(config)?.build()).pods().await; }", &["secrets: list", "elsewhere"]),
        ("field for both clusters", "struct Any { client: Client } impl Any { async fn pods(&self) { Api::<Pod>::all(self.client.clone()).list(&lp).await; } } fn main() { let a = Any { client: Client::try_from(kube::Config::from_custom_kubeconfig(k, &o).await?)? }; let b = Any { client: Client::try_default().await? }; a.pods().await; b.pods().await; }", &["pods: list"]),
        ("client of a fallback", "fn main() { let client = match Client::try_default().await { Ok(c) => c, _ => Client::try_from(kube::Config::from_kubeconfig(&o).await?)? }; Api::<Pod>::all(client).list(&lp); let client = if x { Client::try_from(kube::Config::from_kubeconfig(&o).await?)? } else { Client::try_default().await? }; Api::<Secret>::all(client).list(&lp); let config = kube::Config::from_kubeconfig(&o).await.or_else(|_| kube::Config::incluster())?; Api::<Goat>::all(Client::try_from(config)?).list(&lp); }", &["goats.farm.example: list", "pods: list", "secrets: list"]),
        ("struct ssa helper", "async fn ssa<K>(api: Api<K>, name: &str, v: serde_json::Value) { api.patch(name, &PatchParams::apply(\"a\"), &Patch::Apply(v)).await; } fn main() { ssa(Api::<ConfigMap>::all(c), \"a\", json!({})).await; }", &["configmaps: create patch"]),
];

#[test]
fn sources_have_these_requests() {
    let mut wrong = Vec::new();
    for (name, source, expected) in CASES {
        let found = shown(&sent_by(source, &[]));
        if found != *expected {
            wrong.push(format!("{name}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn subcommand_of_the_container_is_read_alone() {
    let source = "#[derive(Subcommand)] enum Command { Run, #[command(name = \"set-up\")] Install { force: bool } }
        #[derive(Parser)] struct Cli { #[command(subcommand)] command: Command }
        fn main() { match Cli::parse().command { Command::Run => { Api::<Pod>::all(c).list(&lp).await; }
            Command::Install { .. } => { Api::<Secret>::all(c).list(&lp).await; } } }";
    assert_eq!(shown(&sent_by(source, &["run"])), ["pods: list"]);
    assert_eq!(shown(&sent_by(source, &["set-up"])), ["secrets: list"]);
    assert_eq!(
        shown(&sent_by(source, &[])),
        ["pods: list", "secrets: list"]
    );
}

#[test]
fn subcommand_that_makes_crds_is_told_from_the_others() {
    let source = "#[derive(Parser)] enum Cli { Crds, Run { force: bool } }
        fn all() -> Vec<Crd> { vec![Goat::crd(), Sty::crd()] }
        fn main() { match Cli::parse() { Cli::Crds => println!(\"{}\", text(all())),
            Cli::Run { .. } => { Api::<Pod>::all(c).list(&lp).await; } } }";
    let all = sent_by(source, &[]);
    assert_eq!(all.subcommands, ["crds".into(), "run".into()].into());
    let crds = sent_by(source, &["crds"]);
    assert_eq!(crds.crds.map(|place| place.line), Some(2));
    assert!(crds.calls.is_empty());
    assert!(sent_by(source, &["run"]).crds.is_none());
}

#[test]
fn programs_of_a_workspace_are_apart() {
    let repository = repository(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"a\", \"lib\"]\n[workspace.dependencies]\nfarm-lib = { path = \"lib\" }\n",
        ),
        (
            "a/Cargo.toml",
            "[package]\nname = \"a\"\n[[bin]]\nname = \"watch\"\npath = \"src/watch.rs\"\n[dependencies]\nfarm-lib.workspace = true\n",
        ),
        (
            "a/src/main.rs",
            "mod pods;\nuse farm_lib::prelude::*;\nfn main() { pods::list(); remove(kube::Api::all(c)); }",
        ),
        (
            "a/src/pods.rs",
            "use k8s_openapi::api::core::v1::Pod;\npub fn list() { let api: kube::Api<Pod> = kube::Api::all(c);\n  api.list(&lp); }",
        ),
        (
            "a/src/watch.rs",
            "fn main() { kube::runtime::watcher(kube::Api::<farm_lib::Goat>::all(c), cfg); }",
        ),
        ("lib/Cargo.toml", "[package]\nname = \"farm-lib\"\n"),
        (
            "lib/src/lib.rs",
            "#[path = \"types/goat.rs\"]\nmod goat;\npub use goat::Goat;\npub mod prelude { pub use crate::{Goat, remove}; }\n\
            pub fn remove(goats: kube::Api<Goat>) { goats.delete(\"a\", &dp); }",
        ),
        (
            "lib/src/types/goat.rs",
            "#[derive(kube::CustomResource)]\n#[kube(group = \"farm.example\", version = \"v1\", kind = \"Goat\")]\npub struct GoatSpec {}",
        ),
    ]);
    let programs = repository.programs();
    let names: Vec<_> = programs.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "watch"]);
    let sent = repository.sent(&programs[0], &[]);
    assert_eq!(shown(&sent), ["goats.farm.example: delete", "pods: list"]);
    let places: Vec<_> = sent
        .calls
        .iter()
        .map(|call| (call.place.file.to_str().unwrap(), call.place.line))
        .collect();
    assert_eq!(places, [("a/src/pods.rs", 3), ("lib/src/lib.rs", 5)]);
    assert_eq!(
        shown(&repository.sent(&programs[1], &[])),
        ["goats.farm.example: list watch"]
    );
}

#[test]
fn recorders_of_an_old_kube_do_not_patch() {
    let repository = repository(&[
        (
            "Cargo.toml",
            "[package]\nname = \"farm\"\n[dependencies]\nkube = { version = \"0.96\" }\n",
        ),
        (
            "src/main.rs",
            "use kube::runtime::events::Recorder;\nstruct C { r: Recorder }\nfn main() { let c = C { r: x }; c.r.publish(e); }",
        ),
    ]);
    let sent = repository.sent(&repository.programs()[0], &[]);
    assert_eq!(shown(&sent), ["events.events.k8s.io: create"]);
}

#[test]
fn code_that_refers_to_itself_ends() {
    let source = "type A = B; type B = A; use self::x::*; mod x { pub use super::*; }
        fn deep<T>(t: T) { deep(Some((t, 1))); wide(vec![x]) } fn wide<T>(t: T) { let v = Api::<A>::all(c); v.list(&lp); deep(t) }
        struct D; impl Deref for D { type Target = D; } fn main() { deep(1); D.nothing(); let f = |x| f(x); f(f); }
        #[path = \"main.rs\"] mod again;";
    assert_eq!(shown(&sent_by(source, &[])), ["unknown"]);
    assert!(sent_by("fn main() { let = }", &[]).calls.is_empty());
    assert!(
        sent_by(&format!("fn main() {{ {} }}", "(".repeat(10_000)), &[])
            .calls
            .is_empty()
    );
}

#[test]
fn plurals_are_those_of_kube() {
    for (kind, expected) in [
        ("goat", "goats"),
        ("sty", "sties"),
        ("day", "days"),
        ("fox", "foxes"),
        ("finch", "finches"),
    ] {
        assert_eq!(index::plural(kind), expected);
    }
}

/// Without a limit, these would be read for hours.
#[test]
fn macros_that_multiply_come_to_an_end() {
    let twenty = "$($t)* ".repeat(20);
    for body in [
        "w! { $($t)* $($t)* }",
        &*format!("w! {{ {twenty} }}"),
        "{ w! { $($t)* x } w! { $($t)* y } }",
    ] {
        let source = format!(
            "macro_rules! w {{ ($($t:tt)*) => {{ {body} }}; }}\nw! {{ fn a() {{}} }}\n\
             fn main() {{ w!(a b c); }}"
        );
        assert_eq!(shown(&sent_by(&source, &[])), [""; 0], "{body}");
    }
}
