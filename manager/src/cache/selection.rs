//! The selector of a watch.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use kube::{
    api::{ListParams, WatchParams},
    core::{Expression, ObjectMeta, Selector, SelectorExt},
};
use serde::Serialize;

use crate::cache::sharding::Sharding;
use crate::cache::trim::Trim;
use crate::object::AnyObject;

/// The label with the operator's name on objects that the operator created.
pub(crate) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The start of the description of a watch: [`Watch::<Secret>::new()`](Watch::new) returns a
/// [`KindWatch`](crate::KindWatch), whose methods select the objects to watch.
///
/// ```
/// # use k8s_openapi::api::core::v1::Secret;
/// use rustop_manager::Watch;
///
/// let mine = Watch::<Secret>::new().applied();
/// let labelled = Watch::<Secret>::new().labels("my.domain/tier in (front, back), !my.domain/ignore");
/// let helm = Watch::<Secret>::new().labels("owner=helm").fields("type=helm.sh/release.v1");
/// # drop((mine, labelled, helm));
/// ```
///
/// Without a kind, `Watch` is the selector of the deprecated functions `owns_with` and
/// `watches_only`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Watch<T = ()> {
    labels: Selector,
    /// A field selector; `None` for none.
    fields: Option<String>,
    /// The first call with a selector that cannot be parsed, as code: `.labels("a b")`.
    invalid: Option<String>,
    /// The label of the operator must be added once the operator's name is known.
    applied: bool,
    /// True if only objects are cached that other objects name: see `cache/named.rs`.
    pub(crate) by_name: bool,
    /// The field projection; `None` if whole objects are cached.
    pub(crate) trim: Option<Trim>,
    /// The shards of this replica; `None` if the kind is not sharded.
    pub(crate) sharding: Option<Sharding>,
    kind: PhantomData<fn(T)>,
}

impl Default for Watch {
    /// Selects all objects.
    fn default() -> Self {
        Self {
            labels: Selector::default(),
            fields: None,
            invalid: None,
            applied: false,
            by_name: false,
            trim: None,
            sharding: None,
            kind: PhantomData,
        }
    }
}

impl Watch {
    /// Selects all objects. This is the default.
    #[deprecated(note = "use `Watch::<Kind>::new()`")]
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects the objects that this operator applied; see
    /// [`KindWatch::applied`](crate::KindWatch::applied).
    #[deprecated(note = "use `Watch::<Kind>::new().applied()`")]
    #[must_use]
    pub fn applied() -> Self {
        Self::default().and_applied()
    }

    /// Selects objects by labels; see [`KindWatch::labels`](crate::KindWatch::labels).
    #[deprecated(note = "use `Watch::<Kind>::new().labels(..)`")]
    #[must_use]
    pub fn labels(selector: &str) -> Self {
        Self::default().and_labels(selector)
    }

    /// Selects by fields, in addition to labels; see
    /// [`KindWatch::fields`](crate::KindWatch::fields). Replaces an earlier field selector.
    #[deprecated(note = "use `Watch::<Kind>::new().fields(..)`")]
    #[must_use]
    pub fn fields(mut self, selector: &str) -> Self {
        self.fields = None;
        self.and_fields(selector)
    }

    /// Selects in addition the objects with this operator's label.
    pub(crate) fn and_applied(mut self) -> Self {
        self.applied = true;
        self
    }

    /// Selects by labels in addition.
    pub(crate) fn and_labels(mut self, selector: &str) -> Self {
        let terms = terms(selector);
        if !terms.iter().all(|term| is_valid(term)) {
            self.invalid
                .get_or_insert_with(|| format!(".labels({selector:?})"));
        }
        self.labels
            .extend(terms.into_iter().map(expression).collect::<Selector>());
        self
    }

    /// Selects by fields in addition.
    pub(crate) fn and_fields(mut self, selector: &str) -> Self {
        if !terms(selector).iter().all(|term| term.contains('=')) {
            self.invalid
                .get_or_insert_with(|| format!(".fields({selector:?})"));
        }
        self.fields = Some(match self.fields {
            Some(before) => format!("{before},{selector}"),
            None => selector.to_owned(),
        });
        self
    }

    /// Returns the first call with a selector that cannot be parsed, as code: `.labels("a b")`.
    /// `None` if all can be parsed.
    pub(crate) fn invalid_call(&self) -> Option<&str> {
        self.invalid.as_deref()
    }

    /// Sets the field projection: `cut` removes parts of each selected object.
    pub(crate) fn and_trim<K: AnyObject + Serialize>(mut self, cut: fn(&mut K)) -> Self {
        self.trim = Some(Trim::new(cut));
        self
    }

    /// Selects the objects that other objects name.
    pub(crate) fn by_name() -> Self {
        Self {
            by_name: true,
            ..Self::default()
        }
    }

    /// Selects the shards that this replica owns.
    pub(crate) fn shared(sharding: Sharding) -> Self {
        Self {
            sharding: Some(sharding),
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
        self.sharding.is_none()
            && self.labels.selects_all()
            && self.fields.is_none()
            && !self.applied
            && !self.by_name
    }

    /// Returns false if the watch certainly does not select an object with this metadata. Field
    /// selectors are ignored, because only the API server can evaluate them.
    pub(crate) fn may_select(&self, meta: &ObjectMeta) -> bool {
        let none = BTreeMap::new();
        self.is_in_cached_shard(meta) && self.labels.matches(meta.labels.as_ref().unwrap_or(&none))
    }

    /// Returns true if the watch certainly selects an object with this metadata.
    pub(crate) fn selects(&self, meta: &ObjectMeta) -> bool {
        self.fields.is_none() && self.may_select(meta)
    }

    /// Returns false if another replica owns the shard of an object.
    pub(crate) fn is_in_cached_shard(&self, meta: &ObjectMeta) -> bool {
        self.sharding
            .as_ref()
            .is_none_or(|sharding| sharding.keeps(meta))
    }

    /// Returns the name of the only object that the watch selects, if its field selector has one.
    pub(crate) fn name(&self) -> Option<&str> {
        let mut fields = self.fields.as_deref().unwrap_or_default().split(',');
        fields.find_map(|field| {
            Some(
                field
                    .strip_prefix("metadata.name=")?
                    .trim_start_matches('='),
            )
        })
    }

    /// Returns the parameters of a list for its resource version only. A role with `resourceNames`
    /// allows only lists of these names; any other selector would only make the API server search.
    pub(crate) fn newest(&self) -> ListParams {
        ListParams {
            field_selector: self.name().map(|name| format!("metadata.name={name}")),
            ..ListParams::default().limit(1)
        }
    }

    /// Returns the parameters of a list of the selected objects.
    pub(crate) fn list(&self) -> ListParams {
        ListParams {
            label_selector: self.label_selector(),
            field_selector: self.fields.clone(),
            ..ListParams::default()
        }
    }

    /// Returns the parameters of a watch of the selected objects.
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

/// Returns true if the API server accepts a term of a label selector.
fn is_valid(term: &str) -> bool {
    match expression(term) {
        Expression::Equal(key, value) | Expression::NotEqual(key, value) => {
            is_label(&key) && is_label_value(&value)
        }
        Expression::In(key, values) | Expression::NotIn(key, values) => {
            is_label(&key) && values.iter().all(|value| is_label_value(value))
        }
        Expression::Exists(key) | Expression::DoesNotExist(key) => is_label(&key),
    }
}

/// Returns true for the name of a label, with or without a prefix: `my.domain/tier`.
fn is_label(key: &str) -> bool {
    // `a` stands for a missing prefix: any valid one has the same result.
    let (prefix, name) = key.rsplit_once('/').unwrap_or(("a", key));
    let is_in_prefix =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let is_part = |part: &str| {
        !part.is_empty()
            && part.chars().all(is_in_prefix)
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    !name.is_empty() && is_label_value(name) && prefix.split('.').all(is_part)
}

fn is_label_value(text: &str) -> bool {
    let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let is_outer = |letter: char| letter.is_ascii_alphanumeric();
    text.len() <= 63
        && text.chars().all(is_inner)
        && text.chars().next().is_none_or(is_outer)
        && text.chars().next_back().is_none_or(is_outer)
}

/// Parses one term of a selector. A term that is not a valid expression becomes a label name.
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
            assert_eq!(Watch::default().and_labels(selector).label_selector(), sent);
        }
    }

    #[test]
    fn the_first_selector_that_cannot_be_parsed_is_named() {
        let valid = Watch::default()
            .and_labels("a=b, c != d, x.io/a in (b, c),!d,e,f=,g notin(h)")
            .and_fields("type=x,metadata.name!=y, spec.z==")
            .and_labels("");
        assert_eq!(valid.invalid_call(), None);
        let labels = [
            "a b ((", "a in (b", "a)b", "((", "a in b", "=b", "a=b=c", "a=-b", "x/y/z", "a>1",
        ];
        for selector in labels {
            let watch = Watch::default().and_labels(selector).and_labels("a b");
            let call = format!(".labels({selector:?})");
            assert_eq!(watch.invalid_call(), Some(call.as_str()));
        }
        let watch = valid.and_fields("type=x,name").and_labels("a b");
        assert_eq!(watch.invalid_call(), Some(".fields(\"type=x,name\")"));
    }

    #[test]
    fn labels_are_judged_here_and_fields_are_not() {
        let watch = Watch::default().and_labels("a in (b,c),!d");
        for (labels, selected) in [
            (&[("a", "b")][..], true),
            (&[("a", "x")], false),
            (&[("a", "c"), ("d", "")], false),
            (&[], false),
        ] {
            assert_eq!(watch.selects(&meta(labels)), selected, "{labels:?}");
        }
        assert!(!watch.selects(&ObjectMeta::default()));
        let narrower = watch.and_fields("type=x");
        assert!(!narrower.selects(&meta(&[("a", "b")])));
        assert!(narrower.may_select(&meta(&[("a", "b")])));
        assert!(!narrower.may_select(&meta(&[])));
    }

    #[test]
    fn the_newest_version_is_requested_for_the_only_name() {
        let newest = |fields: &str| Watch::default().and_fields(fields).newest().field_selector;
        for fields in ["metadata.name=ca", "type=Opaque,metadata.name==ca"] {
            assert_eq!(newest(fields).as_deref(), Some("metadata.name=ca"));
        }
        for fields in ["type=Opaque", "metadata.name!=ca", ""] {
            assert_eq!(newest(fields), None);
        }
    }

    #[test]
    fn selectors_add_up() {
        let watch = Watch::default()
            .and_labels("a=b")
            .and_fields("type=x")
            .and_applied()
            .and_labels("!c")
            .and_fields("metadata.name!=y")
            .of_operator("op");
        let sent = watch.list();
        assert_eq!(
            sent.label_selector.unwrap(),
            format!("a=b,!c,{MANAGED_BY}=op")
        );
        assert_eq!(sent.field_selector.unwrap(), "type=x,metadata.name!=y");
    }

    #[test]
    fn applied_objects_are_selected_by_the_operators_label() {
        let watch = Watch::default().and_applied().of_operator("op");
        assert!(watch.selects(&meta(&[(MANAGED_BY, "op")])));
        assert!(!watch.selects(&meta(&[(MANAGED_BY, "other")])));
        assert_eq!(Watch::default().of_operator("op"), Watch::default());
    }
}
