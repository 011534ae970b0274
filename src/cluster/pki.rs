//! The keys and certificates of one cluster. They are generated once and stored with its data.
//!
//! Two authorities, because etcd must not trust a user of the API server: `ca` signs for the API
//! server and its clients, `etcd-ca` for etcd and the one client it has.

use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};

use super::dirs::remove;
use super::error::{Error, Result};
use crate::disk::private;

/// The names of the API server, for its certificate.
const API_SERVER_NAMES: [&str; 7] = [
    "127.0.0.1",
    "localhost",
    "10.0.0.1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// The clients of the API server: file name, user, group.
pub const USERS: [(&str, &str, Option<&str>); 4] = [
    ("admin", "rustop:admin", Some("system:masters")),
    (
        "kube-controller-manager",
        "system:kube-controller-manager",
        None,
    ),
    ("kube-scheduler", "system:kube-scheduler", None),
    ("kwok", "rustop:kwok", Some("system:masters")),
];

/// Creates `dir` with all keys and certificates, unless it exists. An interrupted call leaves no
/// partial `dir`.
pub fn ensure(dir: &Path) -> Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let unfinished = dir.with_extension("new");
    remove(&unfinished)?;
    private::create_dir(&unfinished)?;
    write_all(&unfinished)?;
    std::fs::rename(&unfinished, dir).map_err(Error::io("create", dir))
}

/// Returns the paths of the certificate called `name` and of its key.
pub fn pair(dir: &Path, name: &str) -> (PathBuf, PathBuf) {
    (
        dir.join(format!("{name}.crt")),
        dir.join(format!("{name}.key")),
    )
}

fn write_all(dir: &Path) -> Result<()> {
    let ca = authority(dir, "ca", "rustop")?;
    let etcd_ca = authority(dir, "etcd-ca", "rustop etcd")?;
    let both = [
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    let client = [ExtendedKeyUsagePurpose::ClientAuth];

    issue(
        dir,
        "etcd",
        &etcd_ca,
        &["127.0.0.1", "localhost"],
        ("etcd", None),
        &both,
    )?;
    issue(
        dir,
        "etcd-client",
        &etcd_ca,
        &[],
        ("kube-apiserver", None),
        &client,
    )?;
    issue(
        dir,
        "kube-apiserver",
        &ca,
        &API_SERVER_NAMES,
        ("kube-apiserver", None),
        &both,
    )?;
    for (name, user, group) in USERS {
        issue(dir, name, &ca, &[], (user, group), &client)?;
    }
    let tokens = KeyPair::generate()?;
    private::write(&dir.join("service-account.key"), &tokens.serialize_pem())?;
    Ok(private::write(
        &dir.join("service-account.pub"),
        &tokens.public_key_pem(),
    )?)
}

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(dir: &Path, name: &str, common_name: &str) -> Result<Authority> {
    let mut params = CertificateParams::new([])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::CrlSign,
    ];
    params.distinguished_name.remove(DnType::CommonName);
    params
        .distinguished_name
        .push(DnType::CommonName, common_name);
    set_lifetime(&mut params);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    write_pair(dir, name, &authority.pem(), authority.key())?;
    Ok(authority)
}

fn issue(
    dir: &Path,
    name: &str,
    authority: &Authority,
    names: &[&str],
    (user, group): (&str, Option<&str>),
    purposes: &[ExtendedKeyUsagePurpose],
) -> Result<()> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.remove(DnType::CommonName);
    params.distinguished_name.push(DnType::CommonName, user);
    if let Some(group) = group {
        params
            .distinguished_name
            .push(DnType::OrganizationName, group);
    }
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = purposes.to_vec();
    set_lifetime(&mut params);
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, authority)?;
    write_pair(dir, name, &certificate.pem(), &key)
}

/// Sets a lifetime from 2020, so that clocks may be wrong, to 2120, so that no certificate expires.
fn set_lifetime(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2120, 1, 1);
}

fn write_pair(dir: &Path, name: &str, certificate: &str, key: &KeyPair) -> Result<()> {
    let (certificate_path, key_path) = pair(dir, name);
    private::write(&certificate_path, certificate)?;
    Ok(private::write(&key_path, &key.serialize_pem())?)
}
