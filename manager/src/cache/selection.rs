//! Which objects of a kind are watched.

use std::collections::BTreeMap;

use kube::{
    api::{ListParams, WatchParams},
    core::{Expression, ObjectMeta, Selector, SelectorExt},
};

#[cfg(feature = "shards")]
use crate::cache::share::Share;
use crate::cache::trim::Trim;

/// The label with the name of the operator, on what it made.
pub(crate) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Which objects of a kind a controller watches; the rest is not fetched and costs nothing. What of each object is
/// kept says [`Watch::trimmed`]. For
/// [`Controller::owns_with`](crate::Controller::owns_with) and
/// [`Controller::watches_only`](crate::Controller::watches_only).
///
/// What is not selected looks as if it were not there, which is not the same. So
/// [`Context::get`](crate::Context::get) answers `None` only where somebody watches all of the kind, and
/// otherwise fails with `NotSelected`; and a child that the owner's watch would not see is not applied.
///
/// ```
/// use manager::Watch;
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
    /// The label of the operator is to be added, whose name is not known yet.
    applied: bool,
    /// What is left out of each object.
    pub(crate) trim: Option<Trim>,
    /// Of which only this replica's part is kept.
    #[cfg(feature = "shards")]
    pub(crate) share: Option<Share>,
}

impl Watch {
    /// Everything.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// What this operator has labelled as its own: all that `ctx.apply`, `ctx.create` and `ctx.apply_unowned`
    /// made, unless the child says something else in `app.kubernetes.io/managed-by`.
    ///
    /// Nothing selects like this unless it is told to, because an operator may own what it did not label: what a
    /// predecessor made, or one of another name. That is seen only after the first `ctx.apply` of it.
    #[must_use]
    pub fn applied() -> Self {
        Self {
            applied: true,
            ..Self::default()
        }
    }

    /// What has these labels, written as for `kubectl get -l`. If it cannot be read, the API server says so on
    /// `/readyz`, and the controller does not start.
    #[must_use]
    pub fn labels(selector: &str) -> Self {
        Self {
            labels: terms(selector).into_iter().map(expression).collect(),
            ..Self::default()
        }
    }

    /// And has these fields, written as for `kubectl get --field-selector`. Which fields can be selected depends on
    /// the kind.
    ///
    /// Only the API server can tell what has them, so what the operator creates is in the cache when the watch
    /// reports it, and not at once.
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        self.fields = Some(selector.to_owned());
        self
    }

    /// What this replica keeps of all.
    #[cfg(feature = "shards")]
    pub(crate) fn shared(share: Share) -> Self {
        Self {
            share: Some(share),
            ..Self::default()
        }
    }

    /// The same, for an operator of this name.
    pub(crate) fn of_operator(mut self, operator: &str) -> Self {
        if std::mem::take(&mut self.applied) {
            let own = Expression::Equal(MANAGED_BY.to_owned(), operator.to_owned());
            self.labels.extend(own);
        }
        self
    }

    /// True when every object of the kind is watched.
    pub(crate) fn selects_all(&self) -> bool {
        #[cfg(feature = "shards")]
        if self.share.is_some() {
            return false;
        }
        self.labels.selects_all() && self.fields.is_none() && !self.applied
    }

    /// False when an object like that is not watched, true when it is or may be.
    pub(crate) fn may_select(&self, meta: &ObjectMeta) -> bool {
        #[cfg(feature = "shards")]
        if !self.shares(meta) {
            return false;
        }
        let none = BTreeMap::new();
        self.labels.matches(meta.labels.as_ref().unwrap_or(&none))
    }

    /// True when an object like that is watched, as far as that can be told from here.
    pub(crate) fn selects(&self, meta: &ObjectMeta) -> bool {
        self.fields.is_none() && self.may_select(meta)
    }

    /// False when another replica keeps an object.
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

/// The parts of a selector, at commas that are in no parentheses.
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

/// What is no expression is taken for the name of a label, which the API server refuses with its reasons.
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
