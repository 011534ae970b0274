//! Request bodies, read with limits of time and memory.

use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};

/// Maximum size of a review in bytes, as in controller-runtime: the old and the new object, each of
/// up to 3 MiB, the limit of an API server for requests, and 1 MiB for the rest of the review.
pub(super) const LARGEST: usize = 7 * 1024 * 1024;
/// Size in bytes. Larger reviews are rare, and only [`LARGE_AT_ONCE`] of them are in memory at a
/// time.
const LARGE: usize = 64 * 1024;
const LARGE_AT_ONCE: usize = 4;
/// Timeout of a body. An API server sends the whole body at once.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// A reader of request bodies, which limits the number of large ones in memory.
pub(super) struct Reader {
    large: Semaphore,
}

/// The body of a review: JSON, not parsed. A large body occupies one of the `LARGE_AT_ONCE` places
/// until this value is dropped.
pub(super) struct Review<'a> {
    pub bytes: Vec<u8>,
    _place: Option<SemaphorePermit<'a>>,
}

/// The response to a body that is rejected: the status and the reason.
pub(super) type Refusal = (StatusCode, String);

impl Default for Reader {
    fn default() -> Self {
        let large = Semaphore::new(LARGE_AT_ONCE);
        Self { large }
    }
}

impl Reader {
    /// Reads the whole body within `limit` or [`BODY_TIMEOUT`], whichever is shorter. A large body
    /// may wait for its place during this time.
    ///
    /// # Errors
    /// `408` after this time, `413` if the body is larger than [`LARGEST`], `400` if it cannot be
    /// read.
    pub async fn read<B>(&self, body: B, limit: Duration) -> Result<Review<'_>, Refusal>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let limit = limit.min(BODY_TIMEOUT);
        let read = timeout(limit, self.collect(body)).await;
        read.unwrap_or_else(|_| {
            let text = format!(
                "the review did not arrive within {limit:?}, or waited for other large reviews"
            );
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
            // trailers are ignored
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
    let text = format!("the review is larger than {LARGEST} bytes");
    (StatusCode::PAYLOAD_TOO_LARGE, text)
}
