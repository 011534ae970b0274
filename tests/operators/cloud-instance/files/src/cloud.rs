//! The cloud's HTTP API, as much of it as is needed.

use std::time::Duration;

use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustop_manager::{Error, Result};
use serde::Deserialize;
use serde_json::json;

/// The time limit of a request. The cloud sometimes does not answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Where the cloud is, and how to talk to it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Cloud {
    url: String,
    client: Client<HttpConnector, String>,
}

/// A machine as the cloud sees it.
#[derive(Debug, Deserialize)]
pub struct Machine {
    /// How the cloud calls it.
    pub id: String,
    /// How large it is.
    pub size: String,
}

impl Cloud {
    /// The cloud at `CLOUD_URL`, such as `http://cloud.example.com`.
    #[must_use]
    pub fn from_env() -> Self {
        Self {
            url: std::env::var("CLOUD_URL").unwrap_or_else(|_| "http://localhost:8000".to_owned()),
            client: Client::builder(TokioExecutor::new()).build_http(),
        }
    }

    /// The machine that belongs to `token`. It is made if there is none; however often this is called,
    /// and whether or not an answer came, one machine is paid for.
    ///
    /// # Errors
    /// When the cloud refuses or does not answer.
    pub async fn ensure(&self, token: &str, name: &str, size: &str) -> Result<Machine> {
        let body = json!({"token": token, "name": name, "size": size}).to_string();
        let answer = self.send(Method::POST, "/machines", body).await?;
        Ok(serde_json::from_str(&answer)?)
    }

    /// Makes a machine larger or smaller.
    ///
    /// # Errors
    /// When the cloud refuses or does not answer.
    pub async fn resize(&self, id: &str, size: &str) -> Result<()> {
        let body = json!({"size": size}).to_string();
        let path = format!("/machines/{id}");
        self.send(Method::PATCH, &path, body).await.map(drop)
    }

    /// Gives back what was made with `token`, if anything was. From then on the token makes nothing: a
    /// request that is still on its way comes too late.
    ///
    /// # Errors
    /// When the cloud refuses or does not answer.
    pub async fn release(&self, token: &str) -> Result<()> {
        let path = format!("/tokens/{token}");
        self.send(Method::DELETE, &path, String::new())
            .await
            .map(drop)
    }

    async fn send(&self, method: Method, path: &str, body: String) -> Result<String> {
        let url = format!("{}{path}", self.url);
        let request = Request::builder().method(method).uri(url).body(body)?;
        match tokio::time::timeout(RESPONSE_TIMEOUT, self.exchange(request)).await {
            Err(_) => Err(self.unreachable("it does not answer")),
            Ok(Err(error)) => Err(self.unreachable(&error.to_string())),
            Ok(Ok((status, body))) if status.is_success() => Ok(body),
            Ok(Ok((status, body))) => Err(refused(status, &body)),
        }
    }

    async fn exchange(
        &self,
        request: Request<String>,
    ) -> Result<(StatusCode, String), Box<dyn std::error::Error + Send + Sync>> {
        let answer = self.client.request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }

    fn unreachable(&self, why: &str) -> Error {
        let url = &self.url;
        Error::new(
            "CloudUnreachable",
            format!(
                "the cloud at {url} cannot be reached ({why}): if it lasts, check CLOUD_URL and the network"
            ),
        )
    }
}

/// What the cloud said, and what whoever reads it can do about it.
fn refused(status: StatusCode, body: &str) -> Error {
    let (reason, advice) = match status {
        StatusCode::PAYMENT_REQUIRED => (
            "QuotaExceeded",
            "ask for a larger quota, or delete an Instance that nobody needs",
        ),
        _ if status.is_server_error() => (
            "CloudFailed",
            "nothing to do, it is tried again; if it lasts, ask those who run the cloud",
        ),
        _ => (
            "CloudRefused",
            "change the Instance so that the cloud takes it",
        ),
    };
    Error::new(
        reason,
        format!("the cloud says `{body}` ({status}): {advice}"),
    )
}
