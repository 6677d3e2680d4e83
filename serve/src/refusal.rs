//! Answers to requests that are refused.

use axum::http::StatusCode;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Returns an answer with the reason for the refusal.
pub(crate) fn refuse(status: StatusCode, why: &str) -> Response {
    let body = json!({ "error": why }).to_string();
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
