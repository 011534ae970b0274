//! Adds the pattern of quantities, such as `500m` or `1Gi`. Without it, the API server accepts any
//! text, and the operator cannot deserialize the object.
//!
//! A comment on a field replaces the description of the field's type. Then the schemas of
//! `Quantity` and `IntOrString` are equal, and only the field in the sources tells which one it is.

use serde_json::{Map, Value};

use kube::core::GroupVersionKind;

use crate::sources::types::{TypeName, Types};

/// The pattern in Kubernetes' own CRDs.
const PATTERN: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";
/// The beginning of the type's description.
const SAYS: &str = "Quantity is a fixed-point representation of a number";
/// Fields of Kubernetes' types that are quantities but have their own description.
const FIELDS: [&str; 2] = ["divisor", "sizeLimit"];

/// Adds the pattern to the quantities in a version of a kind.
pub fn mark(schema: &mut Value, kind: &GroupVersionKind, types: &Types) {
    let is_quantity = |fields: &[String], schema: &Map<String, Value>| {
        let description = schema.get("description").and_then(Value::as_str);
        if description.is_some_and(|text| text.starts_with(SAYS)) {
            return true;
        }
        match types.find(kind, fields) {
            Some(origin) if origin.is_own => {
                origin.field.types.last().map(TypeName::last) == Some("Quantity")
            }
            _ => fields
                .last()
                .is_some_and(|name| FIELDS.contains(&name.as_str())),
        }
    };
    walk(schema, &mut Vec::new(), &is_quantity);
}

/// Returns true if the schema at the path `fields` is a quantity.
type IsQuantity<'a> = dyn Fn(&[String], &Map<String, Value>) -> bool + 'a;

fn walk(schema: &mut Value, fields: &mut Vec<String>, is_quantity: &IsQuantity) {
    let Value::Object(schema) = schema else {
        return;
    };
    let is_either = schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
    if is_either && !schema.contains_key("pattern") && is_quantity(fields, schema) {
        schema.insert("pattern".to_owned(), PATTERN.into());
    }
    for (keyword, inner) in schema {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(properties)) => {
                for (name, inner) in properties {
                    fields.push(name.clone());
                    walk(inner, fields, is_quantity);
                    fields.pop();
                }
            }
            ("items" | "additionalProperties", inner) => walk(inner, fields, is_quantity),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TYPES: &str = r#"
        #[derive(CustomResource)]
        #[kube(group = "g", version = "v1", kind = "K")]
        struct KSpec {
            size: Option<Quantity>,
            port: Option<IntOrString>,
            limits: BTreeMap<String, resource::Quantity>,
            mine: Quantity,
            pod: Pod,
        }
    "#;

    #[test]
    fn only_quantities_get_the_pattern() {
        let either = |says: &str| json!({"description": says, "x-kubernetes-int-or-string": true});
        let mut schema = json!({"properties": {"spec": {"properties": {
            "size": either("How large."),
            "port": either("Which one."),
            "limits": {"additionalProperties": either("mine")},
            "mine": {"pattern": "^[0-9]+$", "x-kubernetes-int-or-string": true},
            "pod": {"properties": {
                "sizeLimit": either("of a volume"),
                "targetPort": either("of a probe"),
                "requests": {"additionalProperties": either(&format!("{SAYS}. It provides"))},
            }},
        }}}});
        let types = Types::of_texts([("api/src/k.rs", TYPES)]);
        mark(&mut schema, &GroupVersionKind::gvk("g", "v1", "K"), &types);
        let pattern = |path: &str| {
            let path = format!("/properties/spec/properties/{path}/pattern");
            schema.pointer(&path).and_then(Value::as_str)
        };
        for quantity in [
            "size",
            "limits/additionalProperties",
            "pod/properties/sizeLimit",
            "pod/properties/requests/additionalProperties",
        ] {
            assert_eq!(pattern(quantity), Some(PATTERN), "{quantity}");
        }
        for other in ["port", "pod/properties/targetPort"] {
            assert_eq!(pattern(other), None, "{other}");
        }
        assert_eq!(pattern("mine"), Some("^[0-9]+$"), "the user's own");
        let pattern = regex::Regex::new(PATTERN).unwrap();
        for fine in ["1", "500m", "1Gi", "-1.5", "+.5e3", "12E-2"] {
            assert!(pattern.is_match(fine), "{fine}");
        }
        for wrong in ["", "much", "1 Gi", "1gi", "1Gib"] {
            assert!(!pattern.is_match(wrong), "{wrong}");
        }
    }
}
