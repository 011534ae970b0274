//! Every file of a generated project: its template, its owner and what it is repeated for. To add a
//! file is to add a row.

use crate::project::Part;
use crate::tree::Owner::{self, Tool, User};

/// A file of the generated project, or one for each of several resources.
#[derive(Debug)]
pub struct Row {
    /// The path of the template below `templates/`, without its suffix: the path of the file, with
    /// `[version]`, `[kind]`, `[crd]`, `[older]`, `[name]`, `[sample]`, `[chart]`, `[defaulting]` and `[validation]` to be filled.
    pub template: &'static str,
    /// Whose the file is.
    pub owner: Owner,
    /// What it is repeated for.
    pub each: Each,
}

/// The directory of the crate that every project's operator runs on.
pub const MANAGER: &str = "vendor/rustop-manager/";

/// What a template is rendered for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Each {
    /// Once.
    Project,
    /// Once, as a lock file of Cargo.
    Lock,
    /// Once, where the project has a licence.
    Licensed,
    /// The directory of the manager's sources, which are no templates.
    Manager,
    /// Once, where the manager's sources are in the project.
    Vendored,
    /// Each version of a kind whose type is in `api/`.
    Type,
    /// Each version of a kind whose CRD is the project's.
    Sample,
    /// Each kind whose CRD is the project's.
    Crd,
    /// Each kind with a controller.
    Controller,
    /// Each of them whose types are the project's own.
    OwnController,
    /// Once, where there is any of those.
    Harness,
    /// Each version of a kind whose types are those of a CRD that was there before them.
    Imported,
    /// Each such kind.
    ImportedCrd,
    /// Once, where there is any.
    AnyImported,
    /// Once, where there is an OLM bundle.
    Bundle,
    /// Once, where there is a Helm chart. In the text, too, `[chart]` is filled in.
    Chart,
    /// Once, where there is that part.
    Part(Part),
    /// Each kind with a controller, where there are dashboards.
    Dashboard,
    /// Once, where there is any webhook.
    Webhooks,
    /// Each kind with a defaulting webhook.
    Defaulting,
    /// Each kind with a validating webhook.
    Validation,
    /// Each kind whose versions are converted.
    Converted,
    /// Each version of them but for the oldest.
    Conversion,
}

/// Templates that take the place of that of a row, for a kind that began with an image.
pub const WORKLOAD: &[&str] = &[
    "workload/api/src/[version]/[kind].rs",
    "workload/config/samples/[sample].yaml",
    "workload/src/controllers/[name].rs",
    "workload/tests/[name].rs",
];

const fn row(owner: Owner, each: Each, template: &'static str) -> Row {
    Row {
        template,
        owner,
        each,
    }
}

/// All of them.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row(User, Each::Part(Part::Devcontainer), ".devcontainer/devcontainer.json"),
    row(User, Each::Project, ".dockerignore"),
    row(User, Each::Project, ".gitattributes"),
    row(User, Each::Project, ".github/actions/setup-rustop/action.yml"),
    row(User, Each::Project, ".github/dependabot.yml"),
    row(User, Each::Project, ".github/deny.toml"),
    row(User, Each::Project, ".github/workflows/lint.yml"),
    row(User, Each::Project, ".github/workflows/nightly.yml"),
    row(User, Each::Part(Part::Release), ".github/workflows/release.yml"),
    row(User, Each::Part(Part::E2e), ".github/workflows/test-e2e.yml"),
    row(User, Each::Project, ".github/workflows/test.yml"),
    row(User, Each::Project, ".github/workflows/upgrade.yml"),
    row(User, Each::Project, ".gitignore"),
    row(User, Each::Project, "AGENTS.md"),
    row(User, Each::Part(Part::Devcontainer), "CONTRIBUTING.md"),
    row(User, Each::Lock, "Cargo.lock"),
    row(User, Each::Project, "Cargo.toml"),
    row(User, Each::Project, "Dockerfile"),
    row(User, Each::Licensed, "LICENSE"),
    row(User, Each::Project, "Makefile"),
    row(User, Each::Project, "README.md"),
    row(User, Each::Project, "api/Cargo.toml"),
    row(User, Each::Imported, "api/src/[version]/[kind].json"),
    row(User, Each::Type, "api/src/[version]/[kind].rs"),
    row(User, Each::Conversion, "api/src/[version]/[kind]_from_[older].rs"),
    row(Tool, Each::Project, "api/src/bin/crdgen.rs"),
    row(Tool, Each::Project, "api/src/lib.rs"),
    row(Tool, Each::AnyImported, "api/src/schema.rs"),
    row(User, Each::ImportedCrd, "api/tests/crds/[crd].json"),
    row(Tool, Each::AnyImported, "api/tests/imported.rs"),
    row(Tool, Each::AnyImported, "api/tests/support/normal.rs"),
    row(Tool, Each::AnyImported, "api/tests/support/objects.rs"),
    row(User, Each::Bundle, "bundle.Dockerfile"),
    row(User, Each::Bundle, "bundle/metadata/annotations.yaml"),
    row(User, Each::Chart, "charts/[chart]/.helmignore"),
    row(User, Each::Chart, "charts/[chart]/Chart.yaml"),
    row(Tool, Each::Chart, "charts/[chart]/templates/NOTES.txt"),
    row(Tool, Each::Chart, "charts/[chart]/templates/_helpers.tpl"),
    row(Tool, Each::Chart, "charts/[chart]/templates/deployment.yaml"),
    row(Tool, Each::Chart, "charts/[chart]/templates/metrics_readers.yaml"),
    row(Tool, Each::Chart, "charts/[chart]/templates/prometheusrule.yaml"),
    row(Tool, Each::Chart, "charts/[chart]/templates/serviceaccount.yaml"),
    row(Tool, Each::Chart, "charts/[chart]/values.schema.json"),
    row(User, Each::Chart, "charts/[chart]/values.yaml"),
    row(Tool, Each::Webhooks, "config/certmanager/certificate.yaml"),
    row(Tool, Each::Webhooks, "config/certmanager/kustomization.yaml"),
    row(Tool, Each::Webhooks, "config/certmanager/names.yaml"),
    row(Tool, Each::Project, "config/crd/kustomization.yaml"),
    row(Tool, Each::Webhooks, "config/default/certmanager_names.yaml"),
    row(User, Each::Project, "config/default/kustomization.yaml"),
    row(User, Each::Project, "config/default/metrics_service.yaml"),
    row(User, Each::Project, "config/manager/kustomization.yaml"),
    row(User, Each::Project, "config/manager/manager.yaml"),
    row(User, Each::Bundle, "config/manifests/clusterserviceversion.yaml"),
    row(User, Each::Project, "config/network-policy/allow-metrics-traffic.yaml"),
    row(Tool, Each::Webhooks, "config/network-policy/allow-webhook-traffic.yaml"),
    row(Tool, Each::Project, "config/network-policy/kustomization.yaml"),
    row(User, Each::Project, "config/prometheus/kustomization.yaml"),
    row(User, Each::Project, "config/prometheus/metrics_reader_role_binding.yaml"),
    row(User, Each::Project, "config/prometheus/monitor.yaml"),
    row(User, Each::Part(Part::Dashboard), "config/prometheus/rules.yaml"),
    row(User, Each::Crd, "config/rbac/[name]_roles.yaml"),
    row(Tool, Each::Project, "config/rbac/kustomization.yaml"),
    row(Tool, Each::Project, "config/rbac/leader_election_role.yaml"),
    row(Tool, Each::Project, "config/rbac/leader_election_role_binding.yaml"),
    row(Tool, Each::Project, "config/rbac/metrics_auth_role.yaml"),
    row(Tool, Each::Project, "config/rbac/metrics_auth_role_binding.yaml"),
    row(Tool, Each::Project, "config/rbac/metrics_reader_role.yaml"),
    row(Tool, Each::Project, "config/rbac/role_binding.yaml"),
    row(User, Each::Project, "config/rbac/service_account.yaml"),
    row(User, Each::Sample, "config/samples/[sample].yaml"),
    row(Tool, Each::Project, "config/samples/kustomization.yaml"),
    row(Tool, Each::Webhooks, "config/webhook/certificate.yaml"),
    row(Tool, Each::Webhooks, "config/webhook/certificate_role.yaml"),
    row(Tool, Each::Webhooks, "config/webhook/certificate_role_binding.yaml"),
    row(Tool, Each::Project, "config/webhook/kustomization.yaml"),
    row(Tool, Each::Webhooks, "config/webhook/names.yaml"),
    row(Tool, Each::Webhooks, "config/webhook/service.yaml"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorAbsent.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorCertificateExpires.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorHotLoop.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorObjectsNotReady.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorQueueStuck.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorReconcileErrors.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorReconcileStuck.md"),
    row(User, Each::Part(Part::Dashboard), "docs/runbooks/OperatorWithoutLeader.md"),
    row(Tool, Each::Dashboard, "grafana/controllers/[name].json"),
    row(Tool, Each::Part(Part::Dashboard), "grafana/runtime.json"),
    row(User, Each::Controller, "src/controllers/[name].rs"),
    row(Tool, Each::Project, "src/controllers/mod.rs"),
    row(User, Each::Project, "src/lib.rs"),
    row(User, Each::Project, "src/main.rs"),
    row(User, Each::Defaulting, "src/webhooks/[name]/[defaulting].rs"),
    row(User, Each::Validation, "src/webhooks/[name]/[validation].rs"),
    row(Tool, Each::Project, "src/webhooks/mod.rs"),
    row(User, Each::OwnController, "tests/[name].rs"),
    row(User, Each::Converted, "tests/[name]_conversion.rs"),
    row(User, Each::Part(Part::E2e), "tests/e2e.rs"),
    row(Tool, Each::Harness, "tests/harness/mod.rs"),
    row(Tool, Each::Vendored, "vendor/rustop-manager/Cargo.toml"),
    row(Tool, Each::Manager, "vendor/rustop-manager/src"),
];
