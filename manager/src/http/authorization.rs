//! Authorization of requests for metrics: Kubernetes must allow the caller to `get` the path
//! `/metrics`.
//!
//! The API server authenticates the caller's bearer token (`TokenReview`) and checks the caller's
//! permission (`SubjectAccessReview`). The results are cached for a short time, so that a scraper
//! causes only two requests per minute, and a revoked token soon stops working. Unknown tokens are
//! reviewed at a limited rate, so that guessing tokens does not become load on the API server. A
//! token that was recently valid is exempt from this limit, so that guessing does not lock out
//! Prometheus.

use std::collections::HashMap;
use std::time::Duration;

use http::{HeaderMap, StatusCode, header::AUTHORIZATION};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::{Api, Client, api::PostParams};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::error::Error;
use crate::rate_limits::RateLimits;

/// The path for which the permission is checked, whatever path was requested.
const PATH: &str = "/metrics";
/// Time for which the result is used if the request was allowed.
const ALLOWED: Duration = Duration::from_secs(60);
/// The same if it was denied.
const DENIED: Duration = Duration::from_secs(10);
/// Maximum number of cached results, so that guessed tokens do not fill the memory.
const KEPT: usize = 1000;
/// Time for which a valid token is exempt from the rate limit.
const TRUSTED: Duration = Duration::from_secs(600);
/// Number of reviews of unknown tokens at once; after that, one per [`EVERY`].
const BURST: u32 = 10;
const EVERY: Duration = Duration::from_millis(200);
/// Timeout of both reviews together.
const REVIEW_TIMEOUT: Duration = Duration::from_secs(5);

/// The authorizer of requests for metrics, with its cache of results.
pub(crate) struct MetricsAuthorizer {
    client: Client,
    /// By token.
    answers: Mutex<HashMap<String, CachedReview>>,
    /// The rate limit of reviews of unknown tokens.
    reviews: RateLimits<()>,
}

/// The cached result of the reviews of a token.
struct CachedReview {
    status: StatusCode,
    at: Instant,
}

impl CachedReview {
    /// Returns true while the result may be used.
    fn is_valid(&self, now: Instant) -> bool {
        now < self.at + if self.is_ok() { ALLOWED } else { DENIED }
    }

    /// Returns true while the result is cached. A token that was allowed is cached for longer than
    /// its result is used, because it is exempt from the rate limit.
    fn is_kept(&self, now: Instant) -> bool {
        now < self.at + if self.is_ok() { TRUSTED } else { DENIED }
    }

    fn is_ok(&self) -> bool {
        self.status == StatusCode::OK
    }
}

impl MetricsAuthorizer {
    pub fn new(client: Client) -> Self {
        Self {
            client,
            answers: Mutex::default(),
            reviews: RateLimits::new(BURST, EVERY),
        }
    }

    /// Authorizes a request by its `Authorization` header. Returns 200, or the status of the
    /// response: 401 without a valid token, 403 without permission, 429 after too many unknown
    /// tokens, 503 if the API server cannot be reached within 5 s.
    pub async fn authorize(&self, headers: &HeaderMap) -> StatusCode {
        let Some(token) = bearer(headers) else {
            return StatusCode::UNAUTHORIZED;
        };
        let now = Instant::now();
        match self.remembered(token, now) {
            Some((answer, true)) => return answer,
            Some((StatusCode::OK, false)) => {}
            _ if self.reviews.take((), now).is_err() => return StatusCode::TOO_MANY_REQUESTS,
            _ => {}
        }
        match tokio::time::timeout(REVIEW_TIMEOUT, self.review(token)).await {
            Ok(Ok(answer)) => {
                self.remember(token, answer);
                answer
            }
            Ok(Err(error)) => {
                let error = Error::from(error).needs_deployed_role();
                tracing::warn!(%error, "failed to authorize a request for {PATH}");
                StatusCode::SERVICE_UNAVAILABLE
            }
            Err(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Sends the reviews of a token to the API server. Returns 200, 401 or 403.
    async fn review(&self, token: &str) -> Result<StatusCode, kube::Error> {
        // `token` is a `String` or an `Option` of one, depending on the Kubernetes version of
        // k8s-openapi
        #[allow(clippy::useless_conversion)]
        let spec = TokenReviewSpec {
            token: token.to_owned().into(),
            ..TokenReviewSpec::default()
        };
        let review = TokenReview {
            spec,
            ..TokenReview::default()
        };
        let review = Api::<TokenReview>::all(self.client.clone())
            .create(&PostParams::default(), &review)
            .await?;
        let known = review
            .status
            .filter(|status| status.authenticated == Some(true));
        let Some(user) = known.and_then(|status| status.user) else {
            return Ok(StatusCode::UNAUTHORIZED);
        };
        let review = Api::<SubjectAccessReview>::all(self.client.clone())
            .create(&PostParams::default(), &may_get_metrics(user))
            .await?;
        let allowed = review.status.is_some_and(|status| status.allowed);
        Ok(if allowed {
            StatusCode::OK
        } else {
            StatusCode::FORBIDDEN
        })
    }

    /// Returns the cached result for a token, and whether it may still be used.
    fn remembered(&self, token: &str, now: Instant) -> Option<(StatusCode, bool)> {
        let answers = self.answers.lock();
        let answer = answers.get(token).filter(|answer| answer.is_kept(now))?;
        Some((answer.status, answer.is_valid(now)))
    }

    fn remember(&self, token: &str, status: StatusCode) {
        let at = Instant::now();
        let mut answers = self.answers.lock();
        if answers.len() >= KEPT {
            answers.retain(|_, answer| answer.is_kept(at));
        }
        if answers.len() < KEPT || answers.contains_key(token) {
            answers.insert(token.to_owned(), CachedReview { status, at });
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}

fn may_get_metrics(user: UserInfo) -> SubjectAccessReview {
    SubjectAccessReview {
        spec: SubjectAccessReviewSpec {
            user: user.username,
            uid: user.uid,
            groups: user.groups,
            extra: user.extra,
            non_resource_attributes: Some(NonResourceAttributes {
                path: Some(PATH.to_owned()),
                verb: Some("get".to_owned()),
            }),
            ..SubjectAccessReviewSpec::default()
        },
        ..SubjectAccessReview::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http::{HeaderValue, Response};
    use kube::client::Body;
    use serde_json::{Value, json};

    use super::*;
    use crate::mock;

    fn with_token(token: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(token))])
    }

    /// Returns a gate whose API server sends these responses in this order.
    fn gate(answers: Vec<Value>) -> MetricsAuthorizer {
        let (client, mut server) = mock::client();
        tokio::spawn(async move {
            for answer in answers {
                let Some((_, respond)) = server.recv().await else {
                    return;
                };
                let body = Body::from(serde_json::to_vec(&answer).unwrap());
                let _ = respond.send(Response::new(body));
            }
        });
        MetricsAuthorizer::new(client)
    }

    fn token_review(authenticated: bool) -> Value {
        json!({"metadata": {}, "spec": {}, "status": {"authenticated": authenticated, "user": {"username": "prometheus"}}})
    }

    fn access_review(allowed: bool) -> Value {
        json!({"metadata": {}, "spec": {}, "status": {"allowed": allowed}})
    }

    #[tokio::test]
    async fn a_missing_token_is_401_without_a_review() {
        let gate = gate(vec![]);
        assert_eq!(
            gate.authorize(&HeaderMap::new()).await,
            StatusCode::UNAUTHORIZED
        );
        assert_eq!(
            gate.authorize(&with_token("Basic abc")).await,
            StatusCode::UNAUTHORIZED
        );
    }

    #[tokio::test]
    async fn a_false_token_is_401_and_no_right_is_403() {
        let refused = gate(vec![token_review(false)]);
        assert_eq!(
            refused.authorize(&with_token("Bearer t")).await,
            StatusCode::UNAUTHORIZED
        );
        let refused = gate(vec![token_review(true), access_review(false)]);
        assert_eq!(
            refused.authorize(&with_token("Bearer t")).await,
            StatusCode::FORBIDDEN
        );
    }

    #[tokio::test]
    async fn an_answer_is_kept_for_its_token_only() {
        let gate = gate(vec![token_review(true), access_review(true)]);
        for _ in 0..3 {
            assert_eq!(
                gate.authorize(&with_token("bearer t")).await,
                StatusCode::OK
            );
        }
        // the mock server has no more responses, so another token cannot be checked
        assert_eq!(
            gate.authorize(&with_token("Bearer u")).await,
            StatusCode::SERVICE_UNAVAILABLE
        );
    }
    /// Returns a gate whose API server rejects every token except `good`, and the number of its
    /// token reviews.
    fn counting_gate() -> (MetricsAuthorizer, Arc<AtomicUsize>) {
        let (client, mut server) = mock::client();
        let reviews = Arc::new(AtomicUsize::new(0));
        let counted = reviews.clone();
        tokio::spawn(async move {
            while let Some((request, respond)) = server.recv().await {
                let body = request.into_body().collect_bytes().await.unwrap();
                let asked: Value = serde_json::from_slice(&body).unwrap();
                let answer = if asked["spec"]["token"].is_string() {
                    counted.fetch_add(1, Ordering::Relaxed);
                    token_review(asked["spec"]["token"] == "good")
                } else {
                    access_review(true)
                };
                let body = Body::from(serde_json::to_vec(&answer).unwrap());
                let _ = respond.send(Response::new(body));
            }
        });
        (MetricsAuthorizer::new(client), reviews)
    }

    #[tokio::test]
    async fn guessed_tokens_are_reviewed_at_a_limited_rate() {
        let (gate, reviews) = counting_gate();
        assert_eq!(
            gate.authorize(&with_token("Bearer good")).await,
            StatusCode::OK
        );
        let start = Instant::now();
        let mut refused = 0;
        for number in 0..1200 {
            let value = HeaderValue::try_from(format!("Bearer {number}")).unwrap();
            let headers = HeaderMap::from_iter([(AUTHORIZATION, value)]);
            let answer = gate.authorize(&headers).await;
            assert_ne!(answer, StatusCode::OK);
            refused += usize::from(answer == StatusCode::TOO_MANY_REQUESTS);
        }
        let most = 11 + start.elapsed().as_millis() / EVERY.as_millis();
        let reviews = || reviews.load(Ordering::Relaxed);
        assert!(reviews() as u128 <= most, "{} reviews", reviews());
        assert_eq!(refused, 1200 - (reviews() - 1));

        // A token that was valid is not locked out, even when it must be reviewed again.
        let before = reviews();
        if let Some(answer) = gate.answers.lock().get_mut("good") {
            answer.at -= ALLOWED;
        }
        assert_eq!(
            gate.authorize(&with_token("Bearer good")).await,
            StatusCode::OK
        );
        assert_eq!(reviews(), before + 1);
    }
}
