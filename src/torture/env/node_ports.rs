//! Node ports are unique in a cluster. So that runs can execute in parallel, the proxy maps the
//! ports that an operator writes and reads to a range of the run.

use serde_json::Value;

use crate::torture::api::call::Resource;

// The default range of node ports is 30000-32767.
const FIRST: i64 = 30_000;
const COUNT: i64 = 2_768;

/// The mapping between the node ports of the operator and those of the cluster.
#[derive(Clone, Copy, Debug)]
pub struct NodePorts {
    offset: i64,
}

impl NodePorts {
    /// Returns the mapping of a run by its number. That of 0 changes no port.
    pub fn of(run: usize) -> Self {
        // The offset leaves room for samples with adjacent ports.
        let run = i64::try_from(run).unwrap_or_default();
        Self {
            offset: (run * 37) % COUNT,
        }
    }

    /// Maps the ports of an object that the operator sends. Returns whether any port changed.
    pub fn outgoing(self, resource: &Resource, object: &mut Value) -> bool {
        translate(resource, object, self.offset)
    }

    /// Maps the ports of an object or list that the operator receives. Returns whether any port
    /// changed.
    pub fn incoming(self, resource: &Resource, object: &mut Value) -> bool {
        if let Some(items) = object["items"].as_array_mut() {
            let each = items
                .iter_mut()
                .map(|item| translate(resource, item, -self.offset));
            return each.fold(false, |any, one| any | one);
        }
        translate(resource, object, -self.offset)
    }
}

fn translate(resource: &Resource, object: &mut Value, by: i64) -> bool {
    if resource.plural != "services" || !resource.group.is_empty() {
        return false;
    }
    let mut any = false;
    let ports = object
        .pointer_mut("/spec/ports")
        .and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten() {
        let Some(number) = port.get("nodePort").and_then(Value::as_i64) else {
            continue;
        };
        if (FIRST..FIRST + COUNT).contains(&number) {
            let moved = FIRST + (number - FIRST + by).rem_euclid(COUNT);
            port["nodePort"] = moved.into();
            any |= moved != number;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn node_ports_are_restored_in_responses() {
        let services = Resource::core("services");
        let ports = NodePorts::of(7);
        let before =
            json!({"spec": {"ports": [{"nodePort": 32_767}, {"port": 1}, {"nodePort": 80}]}});
        let mut object = before.clone();
        assert!(ports.outgoing(&services, &mut object));
        assert_ne!(object, before);
        let mut list = json!({ "items": [object] });
        assert!(ports.incoming(&services, &mut list));
        assert_eq!(list["items"][0], before);
        assert!(!NodePorts::of(0).outgoing(&services, &mut list["items"][0]));
    }
}
