//! The annotation by which a run of rustop marks the objects that lead to its webhook server: the
//! machine, the network namespace and the port from which it serves them.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::LazyLock;

use kube::ResourceExt as _;
use kube::api::DynamicObject;

const ANNOTATION: &str = "rustop.dev/served-from";

/// The ID of this boot of the machine, and the inode of this process's network namespace. An
/// address such as 127.0.0.1 leads to another server elsewhere. `None` on other systems than Linux.
static HERE: LazyLock<Option<String>> = LazyLock::new(|| {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let network = fs::metadata("/proc/self/ns/net").ok()?.ino();
    Some(format!("{}/{network}", boot.trim()))
});

/// Marks an object as one that leads to a server on `port` of this machine.
pub fn mark(object: &mut DynamicObject, port: u16) {
    let here = HERE.as_deref().unwrap_or_default();
    let mark = format!("{here}:{port}");
    object.annotations_mut().insert(ANNOTATION.to_owned(), mark);
}

/// Reports whether the run that marked `found` is the one that marked `object`.
pub fn is_marked_alike(found: &DynamicObject, object: &DynamicObject) -> bool {
    found.annotations().get(ANNOTATION) == object.annotations().get(ANNOTATION)
}

/// Reports whether an object is marked by a run on another machine or in another network namespace.
/// Returns false if the mark does not say where: that of an earlier rustop, which made none, or of
/// another system than Linux.
pub fn is_served_elsewhere(found: &DynamicObject) -> bool {
    let mark = found.annotations().get(ANNOTATION);
    let place = mark.and_then(|mark| mark.rsplit_once(':'));
    place.is_some_and(|(place, _)| !place.is_empty() && Some(place) != HERE.as_deref())
}

#[cfg(test)]
mod tests {
    use kube::api::ApiResource;
    use kube::core::GroupVersionKind;

    use super::*;

    #[test]
    fn the_mark_of_another_machine_or_network_is_served_elsewhere() {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Service"));
        let object = DynamicObject::new("hooks", &resource);
        let [mut here, mut other] = [object.clone(), object.clone()];
        mark(&mut here, 40001);
        mark(&mut other, 40002);
        assert!(is_marked_alike(&here, &here) && !is_marked_alike(&here, &other));
        assert!(!is_served_elsewhere(&object) && !is_served_elsewhere(&here));
        let own = here.annotations()[ANNOTATION].clone();
        let of_other_network = own.replacen(':', "0:", 1);
        let of_other_machine = format!("0{own}");
        // A run on a system that is not Linux does not know its place.
        for (mark, is_elsewhere) in [
            (of_other_network, true),
            (of_other_machine, true),
            (":40001".to_owned(), false),
        ] {
            here.annotations_mut()
                .insert(ANNOTATION.to_owned(), mark.clone());
            assert_eq!(is_served_elsewhere(&here), is_elsewhere, "{mark}");
        }
    }
}
