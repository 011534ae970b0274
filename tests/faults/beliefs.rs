//! Comparison of an operator's caches with the API server, object by object.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::api::Api;
use crate::cluster::SOON;

/// Waits until every cache holds what the API server has, and nothing else. Objects called
/// `unreadable` do not fit their type, so no cache has them.
pub fn are_true(address: &str, api: &Api, unreadable: &[String]) {
    let start = Instant::now();
    loop {
        let Err(wrong) = compare(address, api, unreadable) else {
            return;
        };
        assert!(
            start.elapsed() < SOON,
            "the operator believes what is not so:\n{wrong}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn compare(address: &str, api: &Api, unreadable: &[String]) -> Result<(), String> {
    let caches = dump(address).ok_or("it shows no caches")?;
    let mut wrong = Vec::new();
    for cache in caches.as_array().into_iter().flatten() {
        let kind = &cache["kind"];
        if cache["synced"] != true {
            wrong.push(format!("{kind}: not complete"));
        }
        let believed = by_name(items(cache, "objects"));
        let mut real = BTreeMap::new();
        for path in items(cache, "paths") {
            let path = path.as_str().unwrap_or_default();
            let list = match api.call("GET", path, None) {
                (200, list) => list,
                // The kind itself is gone, and all of it.
                (404, _) => Value::Null,
                (status, answer) => return Err(format!("{path}: {status} {answer}")),
            };
            let kept = items(&list, "items").filter(|object| is_kept(object, cache));
            real.extend(by_name(kept.map(real_one)));
        }
        let names: BTreeSet<_> = believed.keys().chain(real.keys()).collect();
        wrong.extend(names.into_iter().filter_map(|name| {
            if !believed.contains_key(name) && unreadable.contains(&name.1) {
                return None;
            }
            let difference = difference(believed.get(name), real.get(name))?;
            Some(format!("{kind} {}/{}: {difference}", name.0, name.1))
        }));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// Returns the dump of the caches, or `None` if the operator does not respond.
fn dump(address: &str) -> Option<Value> {
    let mut text = String::new();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn items<'a>(of: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    of[field].as_array().into_iter().flatten()
}

type Named = BTreeMap<(String, String), Value>;

fn by_name<T: std::borrow::Borrow<Value>>(objects: impl Iterator<Item = T>) -> Named {
    let named = objects.map(|object| {
        let object = object.borrow().clone();
        let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        ((text("namespace"), text("name")), object)
    });
    named.collect()
}

/// Returns true if a replica caches an object, according to its shards.
fn is_kept(object: &Value, cache: &Value) -> bool {
    let share = &cache["share"];
    let Some(of) = share["of"].as_u64() else {
        return true;
    };
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    let hashed = match share["by"].as_str() {
        Some("namespace") => shard_of_namespace(text("namespace"), of),
        _ => shard(text("uid"), of),
    };
    items(share, "kept").any(|kept| *kept == hashed)
}

/// The shard of the object with this UID, as KEP-5866 has it: ranges of FNV-1a.
pub fn shard(uid: &str, of: u64) -> u64 {
    shard_of_hash(fnv(uid), of)
}

/// The shard of all objects of a namespace: that hash, and the end of `MurmurHash3`, so that
/// `team-1` and `team-2` are far from one another.
fn shard_of_namespace(namespace: &str, of: u64) -> u64 {
    let factors = [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53];
    let mixed = factors
        .into_iter()
        .fold(fnv(namespace), |hash: u64, factor| {
            (hash ^ (hash >> 33)).wrapping_mul(factor)
        });
    shard_of_hash(mixed ^ (mixed >> 33), of)
}

fn fnv(text: &str) -> u64 {
    text.bytes().fold(14_695_981_039_346_656_037, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
    })
}

fn shard_of_hash(hash: u64, of: u64) -> u64 {
    (hash / (u64::MAX / of)).min(of - 1)
}

/// An object of the API server, as a cache would show it.
fn real_one(object: &Value) -> Value {
    let mut object = object.clone();
    let meta = object["metadata"].as_object_mut();
    let meta = meta.map(|meta| {
        meta.remove("managedFields");
        meta.clone()
    });
    let meta = Value::from(meta.unwrap_or_default());
    json!({
        "namespace": meta["namespace"],
        "name": meta["name"],
        "uid": meta["uid"],
        "resourceVersion": meta["resourceVersion"],
        "deleting": !meta["deletionTimestamp"].is_null(),
        "object": object,
    })
}

fn difference(believed: Option<&Value>, real: Option<&Value>) -> Option<String> {
    let (Some(believed), Some(real)) = (believed, real) else {
        return Some(match believed {
            Some(ghost) => format!("is not there, and believed: {ghost}"),
            None => "is there, and not known".to_owned(),
        });
    };
    let same = ["uid", "resourceVersion", "deleting"]
        .iter()
        .all(|field| believed[field] == real[field]);
    let noted = believed["noted"] == true;
    let (left, right) = (contents(believed), contents(real));
    let fits = match believed["object"]["kind"].as_str() {
        // Kept decoded.
        None if believed["object"].is_null() => true,
        Some("PartialObjectMetadata") => left["metadata"] == right["metadata"],
        _ => left == right,
    };
    (!(same && noted && fits)).then(|| format!("is {real}, and believed: {believed}"))
}

/// Without what a list leaves out of each of its objects.
fn contents(of: &Value) -> Value {
    let mut object = of["object"].clone();
    if let Some(object) = object.as_object_mut() {
        object.remove("kind");
        object.remove("apiVersion");
        if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            meta.remove("managedFields");
        }
    }
    object
}
