//! `Context::apply_all`: applies a set of children and, with `prune`, deletes those that are no
//! longer in it.
//!
//! Each child gets the label of Kubernetes' `ApplySet`s (KEP-3659) with the ID of the object's set.
//! No other state is stored that could get lost when the operator is killed. Two controllers of one
//! object use the same ID, but each prunes only the children that it applied itself, as the field
//! managers show.

use std::future::IntoFuture;
use std::sync::Arc;

use futures::{FutureExt, StreamExt, future, future::BoxFuture, stream};
use k8s_openapi::ByteString;
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::apply::claim::is_for_same;
use crate::apply::ownership::PART_OF;
use crate::cache::{Cache, index::KeysOf};
use crate::context::{Context, Prune};
use crate::error::{Error, Result};
use crate::hash::HashSet;
use crate::kind::Kind;
use crate::object::{self, AnyObject, AnyRef, KindOf};
use crate::planted::{Bug, is_planted};
use crate::rbac::Permission;

/// The cache index that finds children by the ID of their set, the value of the label [`PART_OF`].
pub(crate) const MEMBERS: &str = "members of sets";
/// Maximum number of concurrent requests.
const MAX_CONCURRENT: usize = 8;

/// A set of children of an object, of any kinds and in any namespaces, for [`Context::apply_all`].
pub struct Children<K: AnyObject>(Vec<Child<K>>);

/// A function that completes one child. Its second argument is the ID of the object's set.
type Child<K> = Box<dyn FnOnce(&Context<K>, &str) -> Result<Member> + Send>;

/// A child that is complete and not applied yet.
struct Member {
    child: AnyRef,
    /// True if the caches do not contain the child.
    is_new: bool,
    /// Applies the child.
    apply: BoxFuture<'static, Result<()>>,
}

/// The result of [`Context::apply_all`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Applied {
    /// Children that were not in the cache before they were applied.
    pub created: Vec<AnyRef>,
    /// Children that are no longer in the set and for which a delete request succeeded. They may
    /// still have finalizers.
    pub deleted: Vec<AnyRef>,
}

impl<K: AnyObject> Default for Children<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: AnyObject> Children<K> {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a child. If it has no namespace, it gets that of the object. If the set contains a
    /// child twice, [`Context::apply_all`] fails with `Ambiguous` and applies nothing.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
    /// # use rustop_manager::prelude::*;
    /// # fn settings(_: &Deployment) -> ConfigMap { todo!() }
    /// # async fn example(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<()> {
    /// let mut children = Children::new();
    /// children.add(settings(&web));
    /// ctx.apply_all(children).await?;
    /// # Ok(()) }
    /// ```
    pub fn add<T: AnyObject + Serialize>(&mut self, child: T) {
        let member = |context: &Context<K>, set: &str| context.member(child, set);
        self.0.push(Box::new(member));
    }
}

/// The future that [`Context::apply_all`] returns. Await it to apply the children.
#[must_use = "nothing is applied unless this is awaited"]
pub struct ApplyAll<'a, K: AnyObject> {
    context: &'a Context<K>,
    children: Children<K>,
    prune: bool,
}

impl<K: AnyObject> ApplyAll<'_, K> {
    /// Also deletes the children that are no longer in the set: those that this controller applied
    /// before in the set of this object, and whose kind it owns or watches. Children that another
    /// object controls are left alone. They are deleted last, and only if all children could be
    /// applied.
    ///
    /// Needs `delete` on the kinds of all such children.
    pub fn prune(mut self) -> Self {
        self.prune = true;
        self
    }
}

impl<'a, K: AnyObject> IntoFuture for ApplyAll<'a, K> {
    type Output = Result<Applied>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}

impl<K: AnyObject> ApplyAll<'_, K> {
    async fn run(self) -> Result<Applied> {
        let Self {
            context,
            children,
            prune,
        } = self;
        let set = context.set();
        let (mut kept, mut created, mut applies) = (HashSet::default(), Vec::new(), Vec::new());
        for child in children.0 {
            match child(context, &set) {
                Ok(Member {
                    child,
                    is_new,
                    apply,
                }) => {
                    let name = child.to_string();
                    created.extend(is_new.then(|| child.clone()));
                    if !kept.insert(child) {
                        let text = format!("the set contains {name} twice");
                        return Err(Error::new("Ambiguous", text));
                    }
                    applies.push(apply);
                }
                // The others are applied nevertheless.
                Err(error) => applies.push(future::ready(Err(error)).boxed()),
            }
        }
        let kept = Arc::new(kept);
        if prune && is_planted(Bug::PruneBeforeApply) {
            context.prune(&set, &kept).await?;
        }
        run_concurrently(applies.into_iter()).await?;
        let deleted = if prune {
            context.prune(&set, &kept).await?
        } else {
            Vec::new()
        };
        Ok(Applied { created, deleted })
    }
}

/// Applies or deletes several children concurrently, and returns the results in the order of
/// completion. If one fails, the others are completed nevertheless, and one of the errors is
/// returned, preferably one that is not transient.
pub(super) async fn run_concurrently<T: Send>(
    children: impl Iterator<Item = BoxFuture<'static, Result<T>>>,
) -> Result<Vec<T>> {
    let children: Vec<_> = children.collect();
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    let mut results = stream::iter(children).buffer_unordered(MAX_CONCURRENT);
    while let Some(result) = results.next().await {
        match result {
            Ok(result) => done.push(result),
            Err(error) => failed.push(error),
        }
    }
    most_relevant_error(failed).map(|()| done)
}

/// Returns `Ok` for no errors, else one of them with the number of the others, preferably one that
/// is not transient.
fn most_relevant_error(mut errors: Vec<Error>) -> Result<()> {
    errors.sort_by_key(Error::is_transient);
    let others = errors.len().saturating_sub(1);
    match errors.into_iter().next() {
        None => Ok(()),
        Some(error) if others == 0 => Err(error),
        Some(error) => {
            let text = format!("{error} (other children that failed: {others})");
            Err(Error::new(error.reason(), text))
        }
    }
}

impl<K: AnyObject> Context<K> {
    /// Applies a set of children, each like [`Context::apply`], several at a time. If one cannot be
    /// applied, the others are applied nevertheless, and the call then fails.
    ///
    /// With [`prune`](ApplyAll::prune), children that are no longer in the set are deleted, in any
    /// namespace and of any kind that the controller owns or watches. The label
    /// `applyset.kubernetes.io/part-of` of the children is the only stored state, so children are
    /// also found if an earlier reconcile was interrupted, or if another version of the operator
    /// applied them. Children that were applied individually are in no set, and are not pruned.
    ///
    /// An object with a namespace cannot own a child that is cluster-scoped or in another
    /// namespace. Such a child gets no owner reference, so the garbage collector does not delete
    /// it: apply an empty set with `prune` in a cleanup. An existing object of its name that this
    /// controller did not apply for this object is not changed (`OwnedByAnother`).
    ///
    /// Each kind must be owned or watched by the controller, else the call fails with `NotWatched`.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service, networking::v1::Ingress};
    /// # use rustop_manager::{Action, Children, Context, Result};
    /// # fn service(_: &Deployment) -> Service { todo!() }
    /// # fn ingress(_: &Deployment) -> Ingress { todo!() }
    /// # fn is_public(_: &Deployment) -> bool { todo!() }
    /// async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
    ///     let mut children = Children::new();
    ///     children.add(service(&web));
    ///     if is_public(&web) {
    ///         children.add(ingress(&web));
    ///     }
    ///     ctx.apply_all(children).prune().await?;
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// The future returns `Ambiguous` if the set contains a child twice (then nothing is applied),
    /// `NotWatched`, `OwnedByAnother`, and the errors of [`Context::apply`].
    pub fn apply_all(&self, children: Children<K>) -> ApplyAll<'_, K> {
        ApplyAll {
            context: self,
            children,
            prune: false,
        }
    }

    /// Returns the ID of the object's set, computed as in KEP-3659.
    fn set(&self) -> String {
        let meta = self.object.meta();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let parts = [
            text(&meta.name),
            text(&meta.namespace),
            K::kind(self.kind()).into_owned(),
            K::group(self.kind()).into_owned(),
        ];
        let hash = digest(&SHA256, parts.join(".").as_bytes());
        let base64 = serde_json::to_value(ByteString(hash.as_ref().to_vec()));
        let base64 = base64
            .ok()
            .and_then(|text| text.as_str().map(str::to_owned));
        let base64 = base64
            .unwrap_or_default()
            .replace('+', "-")
            .replace('/', "_");
        format!("applyset-{}-v1", base64.trim_end_matches('='))
    }

    /// Completes a child of a set, and returns it with the future that applies it.
    fn member<T: AnyObject + Serialize>(&self, mut child: T, set: &str) -> Result<Member> {
        let kind = self.kind_of(&child)?;
        self.refuse_unwatched::<T>(&kind)?;
        if kind.is_namespaced() && child.meta().namespace.is_none() {
            let home = &self.object.meta().namespace;
            child.meta_mut().namespace.clone_from(home);
        }
        let labels = child.meta_mut().labels.get_or_insert_default();
        labels.insert(PART_OF.to_owned(), set.to_owned());
        let key = object::key_of::<T>(&kind, child.meta());
        let is_new = self.shared.caches::<T>(&kind).get(&key).is_none();
        let context = self.clone();
        Ok(Member {
            child: key.erase(),
            is_new,
            apply: async move { context.apply_member(child, &kind).await }.boxed(),
        })
    }

    /// Applies a child of a set: with an owner reference if the reconciled object can own it, else
    /// without.
    async fn apply_member<T: AnyObject + Serialize>(
        &self,
        child: T,
        kind: &T::DynamicType,
    ) -> Result<()> {
        let home = &self.object.meta().namespace;
        if home.is_none() || kind.is_namespaced() && child.meta().namespace == *home {
            return self.apply(child).await.map(drop);
        }
        let key = object::key_of::<T>(kind, child.meta());
        let caches = self.shared.caches::<T>(kind);
        let before = caches.get(&key);
        let manager = &self.shared.field_manager;
        let is_ours = |(cache, live): &(&Arc<Cache<T>>, Arc<T>)| {
            is_for_same(child.meta(), live.meta()) && cache.applied(&key, manager).is_some()
        };
        if before.as_ref().is_some_and(|before| !is_ours(before)) {
            let text = format!(
                "{} {} already exists and was not applied for this object; help: use another name",
                T::kind(kind),
                object::label(child.meta())
            );
            return Err(Error::new("OwnedByAnother", text));
        }
        let seen = before.as_ref().map(|(_, live)| live.as_ref());
        self.apply_unowned(child, seen).await.map(drop)
    }

    /// Deletes the children, of all watched kinds, that are in the set with the ID `set` but not in
    /// `kept`. Returns references to them.
    async fn prune(&self, set: &str, kept: &Arc<HashSet<AnyRef>>) -> Result<Vec<AnyRef>> {
        let mut deleted = Vec::new();
        for prune in &self.shared.prunes {
            deleted.extend(prune(self.clone(), set.to_owned(), kept.clone()).await?);
        }
        Ok(deleted)
    }

    /// Rejects a kind that the controller does not watch, or of which it watches only named
    /// objects, because its children could not be found again.
    pub(super) fn refuse_unwatched<T: AnyObject>(&self, kind: &T::DynamicType) -> Result<()> {
        let (group, name) = (T::group(kind), T::kind(kind));
        let is_kind = |kind: &Kind| kind.group == group && kind.kind == name;
        let mut watched = self.shared.watched.iter();
        if watched.any(|watched| is_kind(&watched.kind) && !watched.watch.by_name) {
            return Ok(());
        }
        let owns = kind.call("owns");
        let text = format!(
            "cannot track {name} children: this controller does not watch the kind; help: add `.{owns}`"
        );
        Err(Error::new("NotWatched", text))
    }
}

/// Returns the function that deletes the children of kind `T` that are no longer in a set, for
/// [`ApplyAll::prune`].
pub(crate) fn prune<K: AnyObject, T: AnyObject>(kind: T::DynamicType) -> Prune<K> {
    Arc::new(move |context, set, kept| {
        let kind = kind.clone();
        async move { prune_kind::<K, T>(&kind, &context, &set, &kept).await }.boxed()
    })
}

async fn prune_kind<K: AnyObject, T: AnyObject>(
    kind: &T::DynamicType,
    context: &Context<K>,
    set: &str,
    kept: &HashSet<AnyRef>,
) -> Result<Vec<AnyRef>> {
    let mut deleted = Vec::new();
    for member in members::<K, T>(kind, context, set) {
        let name = object::key_of::<T>(kind, member.meta()).erase();
        let is_going = member.meta().deletion_timestamp.is_some();
        let is_foreign = context.refuse_foreign(kind, member.as_ref()).is_err();
        if kept.contains(&name) || is_going || is_foreign {
            continue;
        }
        let needed = Permission::new(&T::group(kind), T::plural(kind), &["delete"]);
        let gone = context.delete_unchanged(kind, member.as_ref()).await;
        gone.map_err(|error| error.needs(&needed))?;
        deleted.push(name);
    }
    Ok(deleted)
}

/// Returns the children that this controller applied as members of a set.
fn members<K: AnyObject, T: AnyObject>(
    kind: &T::DynamicType,
    context: &Context<K>,
    set: &str,
) -> Vec<Arc<T>> {
    let caches = context.shared.caches::<T>(kind);
    let manager = &context.shared.field_manager;
    let mut members: Vec<Arc<T>> = Vec::new();
    for cache in caches.seen() {
        for key in cache.under(MEMBERS, set).unwrap_or_default() {
            let known = members
                .iter()
                .any(|known| cache.key_of(known.meta()) == key);
            let is_ours = cache.applied(&key, manager).is_some();
            if !known && is_ours {
                members.extend(caches.get(&key).map(|(_, member)| member));
            }
        }
    }
    members
}

/// Returns the key function of the index [`MEMBERS`]: the ID of the set in the label of an object,
/// if it has one.
pub(crate) fn sets<T: AnyObject>() -> KeysOf<T> {
    Arc::new(|object| {
        let labels = object.meta().labels.as_ref();
        labels
            .and_then(|labels| labels.get(PART_OF).cloned())
            .into_iter()
            .collect()
    })
}
