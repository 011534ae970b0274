//! Reading of the metadata of objects that Go operators send as protobuf: names and owners.

use serde_json::{Value, json};

/// The prefix of Kubernetes' protobuf encoding.
const MAGIC: &[u8] = b"k8s\0";

/// Parses the body of a request. A protobuf body yields the name, the prefix of a generated name
/// and the owners only. Returns null for an empty or invalid body.
pub fn json_of(body: &[u8]) -> Value {
    let Some(envelope) = body.strip_prefix(MAGIC) else {
        // kube-rs clients send JSON even if the content type is YAML.
        return serde_json::from_slice(body).unwrap_or_default();
    };
    // `Unknown.raw` holds the object, and the first field of that its `ObjectMeta`.
    let object = messages(envelope, 2).next().unwrap_or_default();
    let meta = messages(object, 1).next().unwrap_or_default();
    let text = |message, field| {
        let bytes = messages(message, field).next()?;
        let text = str::from_utf8(bytes).ok()?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    let owners = messages(meta, 13);
    let owners: Vec<_> = owners
        .map(|owner| json!({ "kind": text(owner, 1), "name": text(owner, 3), "uid": text(owner, 4) }))
        .collect();
    json!({ "metadata": {
        "name": text(meta, 1), "generateName": text(meta, 2), "ownerReferences": owners,
    } })
}

/// Returns the values of a length-delimited field. An invalid message ends at its first error.
fn messages(mut message: &[u8], field: u64) -> impl Iterator<Item = &[u8]> {
    let mut all = Vec::new();
    while let Some(first) = first(message) {
        message = first.rest;
        if first.number == field {
            all.extend(first.value);
        }
    }
    all.into_iter()
}

struct ProtobufField<'a> {
    number: u64,
    /// The bytes of a length-delimited field.
    value: Option<&'a [u8]>,
    /// The bytes after the field.
    rest: &'a [u8],
}

fn first(message: &[u8]) -> Option<ProtobufField<'_>> {
    let (key, rest) = varint(message)?;
    let (value, rest) = match key & 7 {
        0 => (None, varint(rest)?.1),
        1 => (None, rest.get(8..)?),
        2 => {
            let (length, rest) = varint(rest)?;
            let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Some(value), rest)
        }
        5 => (None, rest.get(4..)?),
        _ => return None,
    };
    Some(ProtobufField {
        number: key >> 3,
        value,
        rest,
    })
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (index, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(index).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((number, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, value: &[u8]) -> Vec<u8> {
        let length = u8::try_from(value.len()).unwrap();
        [&[number << 3 | 2, length], value].concat()
    }

    #[test]
    fn names_and_owners_are_read() {
        let owner = [
            field(1, b"Cow"),
            field(3, b"moo"),
            field(4, b"u-1"),
            vec![6 << 3, 1],
        ]
        .concat();
        let meta = [field(1, b"moo-0"), vec![7 << 3, 0xac, 2], field(13, &owner)].concat();
        let object = field(1, &meta);
        let body = [MAGIC, &field(1, b"v1"), &field(2, &object)].concat();
        let read = json_of(&body);
        assert_eq!(read["metadata"]["name"], "moo-0");
        assert_eq!(read["metadata"]["generateName"], Value::Null);
        assert_eq!(read["metadata"]["ownerReferences"][0]["uid"], "u-1");
        for end in 0..body.len() {
            // A truncated message must not panic.
            json_of(&body[..end]);
        }
        assert_eq!(json_of(b"{\"kind\":\"Cow\"}")["kind"], "Cow");
    }
}
