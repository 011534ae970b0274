//! Who may see the metrics: whoever Kubernetes says may `get` the path `/metrics`.
//!
//! The caller's bearer token is shown to the API server (`TokenReview`), and whoever it belongs to
//! is asked about (`SubjectAccessReview`). Answers are kept for a short while, so that a scraper
//! costs two requests a minute and a token that was taken back works no longer than that.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use http::{HeaderMap, StatusCode, header::AUTHORIZATION};
use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::{Api, Client, api::PostParams};
use parking_lot::Mutex;

use crate::error::Error;

/// What the right is asked for, whatever path was requested.
const PATH: &str = "/metrics";
/// How long an answer is believed.
const ALLOWED: Duration = Duration::from_secs(60);
const DENIED: Duration = Duration::from_secs(10);
/// Answers kept at most; guessing tokens must not fill the memory.
const KEPT: usize = 1000;
/// For both reviews together.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) struct Gate {
    client: Client,
    answers: Mutex<HashMap<String, (StatusCode, Instant)>>,
}

impl Gate {
    pub fn new(client: Client) -> Self {
        Self {
            client,
            answers: Mutex::default(),
        }
    }

    /// `OK`, or the status to answer with: 401 without a valid token, 403 without the right, 503
    /// when the API server cannot be asked.
    pub async fn admits(&self, headers: &HeaderMap) -> StatusCode {
        let Some(token) = bearer(headers) else {
            return StatusCode::UNAUTHORIZED;
        };
        if let Some(answer) = self.remembered(token) {
            return answer;
        }
        match tokio::time::timeout(PATIENCE, self.review(token)).await {
            Ok(Ok(answer)) => {
                self.remember(token, answer);
                answer
            }
            Ok(Err(error)) => {
                let error = Error::from(error);
                tracing::warn!(%error, "a caller of {PATH} could not be checked");
                StatusCode::SERVICE_UNAVAILABLE
            }
            Err(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    async fn review(&self, token: &str) -> Result<StatusCode, kube::Error> {
        // `token` is a `String` or an `Option` of one, depending on the version of Kubernetes
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

    fn remembered(&self, token: &str) -> Option<StatusCode> {
        let answers = self.answers.lock();
        answers
            .get(token)
            .filter(|(_, until)| Instant::now() < *until)
            .map(|(answer, _)| *answer)
    }

    fn remember(&self, token: &str, answer: StatusCode) {
        let now = Instant::now();
        let mut answers = self.answers.lock();
        if answers.len() >= KEPT {
            answers.retain(|_, (_, until)| now < *until);
        }
        if answers.len() < KEPT {
            let is_allowed = answer == StatusCode::OK;
            let term = if is_allowed { ALLOWED } else { DENIED };
            answers.insert(token.to_owned(), (answer, now + term));
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
    use http::{HeaderValue, Response};
    use kube::client::Body;
    use serde_json::{Value, json};

    use super::*;
    use crate::mock;

    fn with_token(token: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(token))])
    }

    /// A gate whose API server gives these answers, in this order, and then none.
    fn gate(answers: Vec<Value>) -> Gate {
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
        Gate::new(client)
    }

    fn token_review(authenticated: bool) -> Value {
        json!({"metadata": {}, "spec": {}, "status": {"authenticated": authenticated, "user": {"username": "prometheus"}}})
    }

    fn access_review(allowed: bool) -> Value {
        json!({"metadata": {}, "spec": {}, "status": {"allowed": allowed}})
    }

    #[tokio::test]
    async fn no_token_is_401_and_asks_nobody() {
        let gate = gate(vec![]);
        assert_eq!(
            gate.admits(&HeaderMap::new()).await,
            StatusCode::UNAUTHORIZED
        );
        assert_eq!(
            gate.admits(&with_token("Basic abc")).await,
            StatusCode::UNAUTHORIZED
        );
    }

    #[tokio::test]
    async fn a_false_token_is_401_and_no_right_is_403() {
        let refused = gate(vec![token_review(false)]);
        assert_eq!(
            refused.admits(&with_token("Bearer t")).await,
            StatusCode::UNAUTHORIZED
        );
        let refused = gate(vec![token_review(true), access_review(false)]);
        assert_eq!(
            refused.admits(&with_token("Bearer t")).await,
            StatusCode::FORBIDDEN
        );
    }

    #[tokio::test]
    async fn an_answer_is_kept_for_its_token_only() {
        let gate = gate(vec![token_review(true), access_review(true)]);
        for _ in 0..3 {
            assert_eq!(gate.admits(&with_token("bearer t")).await, StatusCode::OK);
        }
        // the server is out of answers: another token cannot be checked
        assert_eq!(
            gate.admits(&with_token("Bearer u")).await,
            StatusCode::SERVICE_UNAVAILABLE
        );
    }
}
