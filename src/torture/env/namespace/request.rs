//! Construction of HTTP requests for the API server.

use http::{Method, Request};
use serde_json::Value;

/// Builds a request for a URL path, which may have a query. A `PATCH` is a JSON patch if its body
/// is an array, and a merge patch if not. A null body is omitted.
pub fn request(method: Method, path: &str, body: &Value) -> Request<Vec<u8>> {
    let kind = match (&method, body) {
        (&Method::PATCH, Value::Array(_)) => "application/json-patch+json",
        (&Method::PATCH, _) => "application/merge-patch+json",
        _ => "application/json",
    };
    let bytes = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    Request::builder()
        .method(method)
        .uri(path)
        .header(http::header::CONTENT_TYPE, kind)
        .body(bytes)
        .expect("a valid request")
}
