//! Which files of `config/` go into the chart, and on what condition. To take in another one is to add a row.

/// Files of one sort.
#[derive(Debug)]
pub struct Part {
    /// Their path, with up to one `*`.
    path: &'static str,
    /// What must hold, in Helm's words.
    pub condition: Option<&'static str>,
    /// The value with further labels of theirs.
    pub labels: Option<&'static str>,
    /// If true, the chart of an operator that watches single namespaces repeats an object without a namespace in each of them.
    pub each_namespace: bool,
}

const fn part(path: &'static str, condition: Option<&'static str>) -> Part {
    Part {
        path,
        condition,
        labels: None,
        each_namespace: false,
    }
}

/// A release of an earlier `values.yaml`, which has no `rbac`, has roles.
macro_rules! rbac {
    () => {
        r#"ne (toString (.Values.rbac).create) "false""#
    };
}

/// The Secret of the values that holds the certificate of the webhooks. A release of an earlier `values.yaml` has none.
macro_rules! existing_secret {
    () => {
        "((.Values.webhook).certificate).existingSecret"
    };
}

/// True if the operator does not make its certificate.
macro_rules! certificate {
    () => {
        concat!("(or .Values.certManager.enabled ", existing_secret!(), ")")
    };
}

/// True if cert-manager makes the certificate of the webhooks.
pub const CERT_MANAGER: &str = concat!(
    "(and .Values.certManager.enabled (not ",
    existing_secret!(),
    "))"
);

const RBAC: Option<&str> = Some(rbac!());
const ELECTION_ROLES: &str = concat!("and .Values.leaderElection.enabled (", rbac!(), ")");
const METRICS_ROLES: &str = concat!("and .Values.metrics.enabled (", rbac!(), ")");
const CERTIFICATE_ROLES: &str = concat!("and (not ", certificate!(), ") (", rbac!(), ")");
const OWN_CERTIFICATE: Option<&str> = Some(concat!("not ", certificate!()));
const METRICS: Option<&str> = Some(".Values.metrics.enabled");
const NETWORK_POLICY: Option<&str> = Some(".Values.networkPolicy.enabled");
const MONITOR: &str = "and .Values.metrics.enabled .Values.metrics.serviceMonitor.enabled";

#[rustfmt::skip]
const PARTS: &[Part] = &[
    part("config/certmanager/certificate.yaml", Some(CERT_MANAGER)),
    part("config/crd/bases/*.yaml", Some(".Values.crds.enabled")),
    part("config/default/metrics_service.yaml", METRICS),
    part("config/network-policy/allow-*.yaml", NETWORK_POLICY),
    Part { labels: Some("$.Values.metrics.serviceMonitor.labels"), ..part("config/prometheus/monitor.yaml", Some(MONITOR)) },
    Part { labels: Some("$.Values.prometheusRule.labels"), ..part("config/prometheus/rules.yaml", Some(".Values.prometheusRule.enabled")) },
    part("config/rbac/*_roles.yaml", RBAC),
    part("config/rbac/leader_election_role*.yaml", Some(ELECTION_ROLES)),
    part("config/rbac/metrics_*.yaml", Some(METRICS_ROLES)),
    Part { each_namespace: true, ..part("config/rbac/role.yaml", RBAC) },
    Part { each_namespace: true, ..part("config/rbac/role_binding.yaml", RBAC) },
    part("config/webhook/certificate_role*.yaml", Some(CERTIFICATE_ROLES)),
    part("config/webhook/certificate*.yaml", OWN_CERTIFICATE),
    part("config/webhook/manifests.yaml", None),
    part("config/webhook/service.yaml", None),
];

impl Part {
    /// What a file is a part of; nothing where it has no place in a chart.
    pub fn of(path: &str) -> Option<&'static Self> {
        PARTS.iter().find(|part| match part.path.split_once('*') {
            Some((start, end)) => {
                let rest = path.strip_prefix(start);
                let between = rest.and_then(|rest| rest.strip_suffix(end));
                between.is_some_and(|name| !name.contains('/'))
            }
            None => path == part.path,
        })
    }
}
