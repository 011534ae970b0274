//! The marker of a scaffolded webhook.

use crate::project::Project;
use crate::resource::Resource;
use crate::webhook::path;

/// Returns a marker, without the slashes of a comment, that registers a webhook for the creation
/// and update of each object of the kind: a mutating or a validating one.
pub fn marker(resource: &Resource, mutating: bool, project: &Project) -> String {
    let letter = if mutating { 'm' } else { 'v' };
    let path = path(
        mutating,
        &resource.api_group(),
        &resource.version.to_string(),
        resource.kind.as_str(),
    );
    let marker = format!(
        "+kubebuilder:webhook:path={path},mutating={mutating},failurePolicy=fail,sideEffects=None,\
         groups={},resources={},verbs=create;update,versions={version},\
         name={letter}{}-{version}.{project_name}.{},admissionReviewVersions=v1",
        resource.marker_group(),
        resource.plural,
        resource.dashed(),
        project.domain,
        version = resource.version,
        project_name = project.project_name,
    );
    if resource.has_crd() {
        return marker;
    }
    // A webhook for a kind that the operator itself depends on, such as Pod, could block the
    // operator's own restart.
    let elsewhere = format!(
        "kubernetes.io/metadata.name!={}-system",
        project.project_name
    );
    format!("{marker},namespaceSelector=\"{elsewhere}\"")
}
