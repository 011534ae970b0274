//! Kubeconfigs that need no other file.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::error::{Error, Result};
use super::pki;
use super::state::Home;
use crate::disk::private;

/// Writes the kubeconfig of every user of the cluster. `server` is the URL of the API server.
pub fn write_all(home: &Home, server: &str) -> Result<()> {
    let pki = home.pki();
    for (user, _, _) in pki::USERS {
        let (certificate, key) = pki::pair(&pki, user);
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{
                "name": home.name,
                "cluster": {
                    "server": server,
                    "certificate-authority-data": encode(&pki.join("ca.crt"))?,
                },
            }],
            "users": [{
                "name": user,
                "user": {
                    "client-certificate-data": encode(&certificate)?,
                    "client-key-data": encode(&key)?,
                },
            }],
            "contexts": [{
                "name": home.name,
                "context": { "cluster": home.name, "user": user },
            }],
            "current-context": home.name,
        });
        let text = serde_yaml::to_string(&config).unwrap_or_else(|_| config.to_string());
        private::write(&home.kubeconfig(user), &text)?;
    }
    Ok(())
}

fn encode(path: &Path) -> Result<String> {
    fs::read(path)
        .map(|bytes| STANDARD.encode(bytes))
        .map_err(Error::io("read", path))
}
