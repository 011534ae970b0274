//! The body of a request, read within limits of time and of memory, whoever sends it.

use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};

/// As in controller-runtime: twice the largest object that etcd takes, and what is around it.
pub(super) const LARGEST: usize = 7 * 1024 * 1024;
/// Hardly any object is as large. Of larger reviews only a few are in memory at a time.
const LARGE: usize = 64 * 1024;
const LARGE_AT_ONCE: usize = 4;
/// An API server sends all of it at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads reviews.
pub(super) struct Reader {
    large: Semaphore,
}

/// A review. It counts as one in memory as long as this value is there.
pub(super) struct Review<'a> {
    pub bytes: Vec<u8>,
    _place: Option<SemaphorePermit<'a>>,
}

/// How to answer somebody whose body is not taken.
pub(super) type Refusal = (StatusCode, String);

impl Default for Reader {
    fn default() -> Self {
        let large = Semaphore::new(LARGE_AT_ONCE);
        Self { large }
    }
}

impl Reader {
    /// The whole body, if it comes within `patience` or [`PATIENCE`], whichever is shorter.
    pub async fn read<B>(&self, body: B, patience: Duration) -> Result<Review<'_>, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let patience = patience.min(PATIENCE);
        let read = timeout(patience, self.collect(body)).await;
        read.unwrap_or_else(|_| {
            let text = format!("the review did not come within {patience:?}");
            Err((StatusCode::REQUEST_TIMEOUT, text))
        })
    }

    async fn collect<B>(&self, body: B) -> Result<Review<'_>, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if body.size_hint().lower() > LARGEST as u64 {
            return Err(too_large());
        }
        let (mut bytes, mut place) = (Vec::new(), None);
        let mut body = std::pin::pin!(body);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                let error: Box<dyn std::error::Error + Send + Sync> = error.into();
                (StatusCode::BAD_REQUEST, error.to_string())
            })?;
            // trailers are of no interest
            let data = frame.into_data().unwrap_or_default();
            let length = bytes.len() + data.len();
            if length > LARGEST {
                return Err(too_large());
            }
            if length > LARGE && place.is_none() {
                place = self.large.acquire().await.ok();
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Review {
            bytes,
            _place: place,
        })
    }
}

fn too_large() -> Refusal {
    let text = format!("a review may have {LARGEST} bytes");
    (StatusCode::PAYLOAD_TOO_LARGE, text)
}
