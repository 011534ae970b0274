//! The schemas of custom resources.

use std::collections::BTreeMap;

use kube::api::DynamicObject;
use serde_json::Value;

use crate::dev;

/// Returns the schema of the spec of each kind that the CRDs among the objects define. The key is
/// the `apiVersion` (`group/version`) and the kind. The schema is null if the CRD has none.
pub fn schemas(objects: &[DynamicObject]) -> BTreeMap<(String, String), Value> {
    let mut schemas = BTreeMap::new();
    for crd in objects
        .iter()
        .filter(|object| dev::kind(object) == "CustomResourceDefinition")
    {
        let spec = &crd.data["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        for version in spec["versions"].as_array().into_iter().flatten() {
            let key = (
                format!("{}/{}", text(&spec["group"]), text(&version["name"])),
                text(&spec["names"]["kind"]),
            );
            let schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"].clone();
            schemas.insert(key, schema);
        }
    }
    schemas
}
