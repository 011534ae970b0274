//! Parser for the expiration time of a certificate (RFC 5280, 4.1). No other dependency provides
//! it.

use jiff::Timestamp;

// The tags of the DER elements before and in the validity.
const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;

/// Returns the expiration time in seconds since the Unix epoch. `None` if `der` is not a
/// certificate in DER.
pub(super) fn of(der: &[u8]) -> Option<i64> {
    let (signed, _) = expect(SEQUENCE, der)?;
    let (mut fields, _) = expect(SEQUENCE, signed)?;
    if let Some((_, rest)) = expect(VERSION, fields) {
        fields = rest;
    }
    // skips serial number, signature algorithm and issuer
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, fields) = expect(tag, fields)?;
    }
    let (validity, _) = expect(SEQUENCE, fields)?;
    let (_, _, not_after) = element(validity)?;
    let (tag, text, _) = element(not_after)?;
    seconds(tag, std::str::from_utf8(text).ok()?)
}

/// Parses `YYMMDDhhmmssZ`, or the same with a four-digit year, depending on the tag. A two-digit
/// year from 50 on is in the twentieth century. Returns seconds since the Unix epoch.
fn seconds(tag: u8, text: &str) -> Option<i64> {
    let text = match tag {
        UTC_TIME if text.get(..2)?.parse::<u8>().ok()? >= 50 => format!("19{text}"),
        UTC_TIME => format!("20{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let (date, time) = (text.get(..8)?, text.get(8..)?);
    let parsed: Timestamp = format!("{date}T{time}").parse().ok()?;
    Some(parsed.as_second())
}

/// Returns the content of an element with this tag, and the bytes after it.
fn expect(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (found, inside, rest) = element(der)?;
    (found == tag).then_some((inside, rest))
}

/// Returns the tag and content of the first element, and the bytes after it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, short], rest) = der.split_first_chunk()?;
    let (length, rest) = match usize::from(short) {
        short @ ..0x80 => (short, rest),
        long => {
            let (digits, rest) = rest.split_at_checked(long - 0x80)?;
            let fits = digits.len() <= size_of::<u32>();
            let number = |all, &digit| all << 8 | usize::from(digit);
            (fits.then(|| digits.iter().fold(0, number))?, rest)
        }
    };
    let (inside, rest) = rest.split_at_checked(length)?;
    Some((tag, inside, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(year: i32) -> Vec<u8> {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(["op".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 2, 3);
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn both_date_formats_are_parsed() {
        assert_eq!(of(&ends(1999)), Some(918_000_000));
        assert_eq!(of(&ends(2030)), Some(1_896_307_200));
        assert_eq!(of(&ends(2060)), Some(2_842_992_000));
    }

    #[test]
    fn invalid_certificates_have_no_expiration() {
        let good = ends(2030);
        for end in 0..good.len() {
            assert_eq!(of(&good[..end]), None, "{end}");
        }
        // No change of a byte causes a panic.
        for at in 0..good.len() {
            for byte in [0, 0x30, 0x7f, 0x80, 0x84, 0xff] {
                let mut bad = good.clone();
                bad[at] = byte;
                let _ = of(&bad);
            }
        }
    }
}
