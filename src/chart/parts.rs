//! The files of `config/` that go into the chart, with their conditions. To add a file, add a row
//! to `PARTS`.

/// A group of files with the same condition.
#[derive(Debug)]
pub struct FileGroup {
    /// The path of the files in the project, with at most one `*`, which does not match `/`.
    path: &'static str,
    /// The Helm condition under which the files are rendered; `None` means always.
    pub condition: Option<&'static str>,
    /// The Helm value with additional labels for the objects, if there is one.
    pub labels: Option<&'static str>,
    /// If true, an object without a namespace is repeated in each watched namespace, for an
    /// operator that watches single namespaces.
    pub each_namespace: bool,
}

const fn part(path: &'static str, condition: Option<&'static str>) -> FileGroup {
    FileGroup {
        path,
        condition,
        labels: None,
        each_namespace: false,
    }
}

/// The condition for roles. A `values.yaml` of an earlier release has no `rbac`; roles are rendered
/// then.
macro_rules! rbac {
    () => {
        r#"ne (toString (.Values.rbac).create) "false""#
    };
}

/// The value that names the Secret with the webhook certificate. A `values.yaml` of an earlier
/// release does not have it.
macro_rules! existing_secret {
    () => {
        "((.Values.webhook).certificate).existingSecret"
    };
}

/// The condition that the operator does not issue its own certificate.
macro_rules! certificate {
    () => {
        concat!("(or .Values.certManager.enabled ", existing_secret!(), ")")
    };
}

/// The condition that cert-manager issues the webhook certificate.
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
const PARTS: &[FileGroup] = &[
    part("config/certmanager/certificate.yaml", Some(CERT_MANAGER)),
    part("config/crd/bases/*.yaml", Some(".Values.crds.enabled")),
    part("config/default/metrics_service.yaml", METRICS),
    part("config/network-policy/allow-*.yaml", NETWORK_POLICY),
    FileGroup { labels: Some("$.Values.metrics.serviceMonitor.labels"), ..part("config/prometheus/monitor.yaml", Some(MONITOR)) },
    FileGroup { labels: Some("$.Values.prometheusRule.labels"), ..part("config/prometheus/rules.yaml", Some(".Values.prometheusRule.enabled")) },
    part("config/rbac/*_roles.yaml", RBAC),
    part("config/rbac/leader_election.yaml", Some(ELECTION_ROLES)),
    part("config/rbac/metrics.yaml", Some(METRICS_ROLES)),
    FileGroup { each_namespace: true, ..part("config/rbac/role.yaml", RBAC) },
    FileGroup { each_namespace: true, ..part("config/rbac/role_binding.yaml", RBAC) },
    part("config/webhook/certificate_role*.yaml", Some(CERTIFICATE_ROLES)),
    part("config/webhook/certificate*.yaml", OWN_CERTIFICATE),
    part("config/webhook/manifests.yaml", None),
    part("config/webhook/service.yaml", None),
];

impl FileGroup {
    /// Returns the first group of `PARTS` that a file belongs to, by its path in the project, or
    /// `None` if the file does not go into the chart.
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
