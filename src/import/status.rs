//! Detection of status fields that follow the Kubernetes API conventions, in which a controller can
//! report whether an object is ready.

use serde_json::Value;

use super::defaults;
use super::model::{Body, Type};
use super::schema_conversion::convert_schemas;
use crate::resource::{Presence, Reported};

/// Returns the status fields of the conventions that a controller can write; none if the version
/// has no status subresource.
pub fn conventional_status_fields(version: &Value) -> Reported {
    let status = &version["schema"]["openAPIV3Schema"]["properties"]["status"];
    if status["type"] != "object" || version["subresources"]["status"].is_null() {
        return Reported::default();
    }
    let model = convert_schemas(&[("Status".to_owned(), vec!["status".to_owned()], status)]);
    let Some(Body::Struct(fields)) = model.items.first().map(|item| &item.body) else {
        return Reported::default();
    };
    // If a required field has no default value, a controller cannot create the status, so the
    // user's code must.
    if !defaults::find_defaults(&model).has_value(0) {
        return Reported::default();
    }
    let field = |name: &str| {
        let mut fields = fields.iter();
        fields
            .find(|field| field.name.as_deref() == Some(name))
            .map(|field| &field.kind)
    };
    let conditions = match field("conditions") {
        Some(Type::List(item)) if is_condition(item) => Some(Presence::Required),
        Some(Type::Option(list)) => match &**list {
            Type::List(item) if is_condition(item) => Some(Presence::Optional),
            _ => None,
        },
        _ => None,
    };
    let observed_generation = field("observedGeneration") == Some(&Type::Plain("i64").optional());
    Reported {
        conditions,
        observed_generation: observed_generation && conditions.is_some(),
    }
}

fn is_condition(kind: &Type) -> bool {
    matches!(kind, Type::Known(known) if known.is_condition())
}
