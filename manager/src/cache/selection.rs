//! The selector of a watch.

use std::collections::BTreeMap;

use kube::{
    api::{ListParams, WatchParams},
    core::{Expression, ObjectMeta, Selector, SelectorExt},
};

#[cfg(feature = "shards")]
use crate::cache::share::Share;
use crate::cache::trim::Trim;

/// The label with the operator's name on objects that the operator created.
pub(crate) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Selects the objects of a kind that a controller watches, for [`Controller::owns_with`](crate::Controller::owns_with)
/// and [`Controller::watches_only`](crate::Controller::watches_only). Objects that do not match are neither fetched nor
/// cached. [`Watch::trimmed`] reduces the cached part of each object.
///
/// A missing object in such a cache may exist in the cluster. So [`Context::get`](crate::Context::get) returns `None`
/// only if a controller watches all objects of the kind, and fails with `NotSelected` if not. Applying a child that the
/// controller's own selector does not match fails with `NotSelected`, too.
///
/// ```
/// use rustop_manager::Watch;
///
/// let mine = Watch::applied();
/// let labelled = Watch::labels("my.domain/tier in (front, back), !my.domain/ignore");
/// let helm = Watch::labels("owner=helm").fields("type=helm.sh/release.v1");
/// # drop((mine, labelled, helm));
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Watch {
    labels: Selector,
    fields: Option<String>,
    /// The label of the operator must be added once the operator's name is known.
    applied: bool,
    /// The field projection, if objects are trimmed.
    pub(crate) trim: Option<Trim>,
    /// The shards of this replica, if the kind is sharded.
    #[cfg(feature = "shards")]
    pub(crate) share: Option<Share>,
}

impl Watch {
    /// Selects all objects. This is the default.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects the objects that carry this operator's name in the label `app.kubernetes.io/managed-by`. `ctx.apply`,
    /// `ctx.create` and `ctx.apply_unowned` set this label, unless the child sets it to another value.
    ///
    /// This is not the default, because an operator may own objects without the label: those of an earlier version, or
    /// of an operator with another name. Such an object becomes visible only after the first `ctx.apply` to it.
    #[must_use]
    pub fn applied() -> Self {
        Self {
            applied: true,
            ..Self::default()
        }
    }

    /// Selects objects by labels, with the syntax of `kubectl get -l`. If the selector is invalid, the API server
    /// rejects it: the error appears on `/readyz`, and the controller does not start.
    #[must_use]
    pub fn labels(selector: &str) -> Self {
        Self {
            labels: terms(selector).into_iter().map(expression).collect(),
            ..Self::default()
        }
    }

    /// Selects by fields in addition, with the syntax of `kubectl get --field-selector`. The supported fields depend on
    /// the kind.
    ///
    /// Only the API server can evaluate a field selector. So an object that the operator creates is in the cache only
    /// after the watch has reported it, and not at once.
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        self.fields = Some(selector.to_owned());
        self
    }

    /// Selects the shards that this replica owns.
    #[cfg(feature = "shards")]
    pub(crate) fn shared(share: Share) -> Self {
        Self {
            share: Some(share),
            ..Self::default()
        }
    }

    /// Adds the label of this operator if the watch selects applied objects.
    pub(crate) fn of_operator(mut self, operator: &str) -> Self {
        if std::mem::take(&mut self.applied) {
            let own = Expression::Equal(MANAGED_BY.to_owned(), operator.to_owned());
            self.labels.extend(own);
        }
        self
    }

    /// Returns true if every object of the kind is watched.
    pub(crate) fn selects_all(&self) -> bool {
        #[cfg(feature = "shards")]
        if self.share.is_some() {
            return false;
        }
        self.labels.selects_all() && self.fields.is_none() && !self.applied
    }

    /// Returns false if the watch certainly does not select an object with this metadata.
    pub(crate) fn may_select(&self, meta: &ObjectMeta) -> bool {
        #[cfg(feature = "shards")]
        if !self.shares(meta) {
            return false;
        }
        let none = BTreeMap::new();
        self.labels.matches(meta.labels.as_ref().unwrap_or(&none))
    }

    /// Returns true if the watch certainly selects an object with this metadata.
    pub(crate) fn selects(&self, meta: &ObjectMeta) -> bool {
        self.fields.is_none() && self.may_select(meta)
    }

    /// Returns false if another replica owns the shard of an object.
    #[cfg(feature = "shards")]
    pub(crate) fn shares(&self, meta: &ObjectMeta) -> bool {
        self.share.as_ref().is_none_or(|share| share.keeps(meta))
    }

    pub(crate) fn list(&self) -> ListParams {
        ListParams {
            label_selector: self.label_selector(),
            field_selector: self.fields.clone(),
            ..ListParams::default()
        }
    }

    pub(crate) fn watch(&self) -> WatchParams {
        WatchParams {
            label_selector: self.label_selector(),
            field_selector: self.fields.clone(),
            ..WatchParams::default()
        }
    }

    fn label_selector(&self) -> Option<String> {
        (!self.labels.selects_all()).then(|| self.labels.to_string())
    }
}

/// Splits a selector at commas outside of parentheses.
fn terms(selector: &str) -> Vec<&str> {
    let mut depth = 0;
    let at_comma = move |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    };
    let terms = selector.split(at_comma).map(str::trim);
    terms.filter(|term| !term.is_empty()).collect()
}

/// Parses one term of a selector. A term that is not a valid expression becomes a label name, which the API server
/// rejects with a reason.
fn expression(term: &str) -> Expression {
    let own = |text: &str| text.trim().to_owned();
    if let Some((key, value)) = term.split_once("!=") {
        return Expression::NotEqual(own(key), own(value));
    }
    if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        return Expression::Equal(own(key), own(value));
    }
    if let Some(key) = term.strip_prefix('!') {
        return Expression::DoesNotExist(own(key));
    }
    let set = |word: &str| {
        let (key, values) = term.split_once(word)?;
        let values = values.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some((own(key), values.split(',').map(own).collect()))
    };
    if let Some((key, values)) = set(" notin ").or_else(|| set(" notin")) {
        return Expression::NotIn(key, values);
    }
    match set(" in ").or_else(|| set(" in")) {
        Some((key, values)) => Expression::In(key, values),
        None => Expression::Exists(own(term)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(labels: &[(&str, &str)]) -> ObjectMeta {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        ObjectMeta {
            labels: Some(labels.collect()),
            ..ObjectMeta::default()
        }
    }

    #[test]
    fn a_selector_is_read_as_kubectl_reads_it() {
        for (selector, sent) in [
            ("a=b", "a=b"),
            ("a == b , c!=d", "a=b,c!=d"),
            ("x.io/a in (b, c),!d,e", "x.io/a in (b,c),!d,e"),
            ("a notin(b)", "a notin (b)"),
            ("", ""),
        ] {
            let sent = Some(sent.to_owned()).filter(|sent| !sent.is_empty());
            assert_eq!(Watch::labels(selector).label_selector(), sent);
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_api_server() {
        for selector in ["a in (b", "a)b", "((", "a in b"] {
            let sent = Watch::labels(selector).label_selector();
            assert_eq!(sent.as_deref(), Some(selector));
        }
    }

    #[test]
    fn labels_are_judged_here_and_fields_are_not() {
        let watch = Watch::labels("a in (b,c),!d");
        for (labels, selected) in [
            (&[("a", "b")][..], true),
            (&[("a", "x")], false),
            (&[("a", "c"), ("d", "")], false),
            (&[], false),
        ] {
            assert_eq!(watch.selects(&meta(labels)), selected, "{labels:?}");
        }
        assert!(!watch.selects(&ObjectMeta::default()));
        let narrower = watch.fields("type=x");
        assert!(!narrower.selects(&meta(&[("a", "b")])));
        assert!(narrower.may_select(&meta(&[("a", "b")])));
        assert!(!narrower.may_select(&meta(&[])));
    }

    #[test]
    fn what_was_applied_has_the_label_of_the_operator() {
        let watch = Watch::applied().of_operator("op");
        assert!(watch.selects(&meta(&[(MANAGED_BY, "op")])));
        assert!(!watch.selects(&meta(&[(MANAGED_BY, "other")])));
        assert_eq!(Watch::default().of_operator("op"), Watch::default());
    }
}
