//! Tests of the server of the page: which requests it accepts, and the responses.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::page::{About, Page, ProjectKind, UpdateContent};

/// Opens a page with one object.
fn page() -> Page {
    let page = Page::open(None, None).unwrap();
    let kind = ProjectKind {
        group: "my.domain".into(),
        kind: "Lolcow".into(),
        plural: "lolcows".into(),
        controller: Some("lolcow".into()),
    };
    page.send(UpdateContent::About(About {
        project: "lolcow".into(),
        kinds: vec![kind],
        ..About::default()
    }));
    page.send(UpdateContent::Object {
        change: "ADDED".into(),
        plural: "lolcows".into(),
        object: json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "a", "uid": "u1"}}),
    });
    page
}

/// Returns the host and the query with the key.
fn parts(page: &Page) -> (String, String) {
    let rest = page.address().strip_prefix("http://").unwrap();
    let (host, query) = rest.split_once("/?").unwrap();
    (host.to_owned(), query.to_owned())
}

/// Sends a request, such as `GET /events`, and returns the status and the whole response.
fn send(page: &Page, request: &str, headers: &str) -> (u16, String) {
    let (host, _) = parts(page);
    let mut stream = TcpStream::connect(&host).unwrap();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: {host}\r\n{headers}connection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text)
}

#[test]
fn the_page_opens_with_its_key_and_with_no_other() {
    let page = page();
    let (_, query) = parts(&page);
    let (status, text) = send(&page, &format!("GET /?{query}"), "");
    assert!(status == 200 && text.contains("<!doctype html>"), "{text}");
    assert!(
        text.contains("content-security-policy: default-src 'none'"),
        "{text}"
    );
    for request in [
        "GET /",
        "GET /?key=0",
        "GET /events",
        "GET /object?uid=u1",
        "GET /nothing",
    ] {
        assert_eq!(send(&page, request, "").0, 403, "{request}");
    }
    assert_eq!(
        send(&page, &format!("POST /?{query}"), "content-length: 0\r\n").0,
        405
    );
    assert_eq!(
        send(
            &page,
            &format!("GET /?{query}"),
            "origin: http://evil.example\r\n"
        )
        .0,
        403
    );
    assert_eq!(
        send(
            &page,
            &format!("GET /?{query}"),
            "sec-fetch-site: cross-site\r\n"
        )
        .0,
        403
    );
    assert_eq!(
        send(&page, "GET /main.js", "").0,
        200,
        "a script has no secrets"
    );
    assert_eq!(
        send(&page, &format!("GET /../etc/passwd?{query}"), "").0,
        404
    );
}

#[test]
fn a_cross_site_link_opens_only_the_page_itself() {
    let page = page();
    let (_, query) = parts(&page);
    let navigation = "sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: ";
    let asked =
        |request: &str, dest: &str| send(&page, request, &format!("{navigation}{dest}\r\n")).0;
    assert_eq!(asked(&format!("GET /?{query}"), "document"), 200);
    assert_eq!(asked(&format!("GET /?{query}"), "iframe"), 403);
    assert_eq!(asked("GET /?key=0", "document"), 403);
    assert_eq!(
        asked(&format!("GET /object?uid=u1&{query}"), "document"),
        403
    );
}

#[test]
fn a_connection_with_an_incomplete_request_is_closed() {
    let page = page();
    let (host, _) = parts(&page);
    let mut stream = TcpStream::connect(&host).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nhost:").unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let mut text = String::new();
    let ended = stream.read_to_string(&mut text);
    assert!(
        ended.is_ok() && !text.contains("200 OK"),
        "{ended:?}: {text}"
    );
}

#[test]
fn objects_are_returned_with_their_states_and_changes() {
    let page = page();
    let (_, query) = parts(&page);
    page.send(UpdateContent::Object {
        change: "MODIFIED".into(),
        plural: "lolcows".into(),
        object: json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "a", "uid": "u1",
            "managedFields": [{"manager": "kubectl", "operation": "Update"}]}, "spec": {"size": 2}}),
    });
    let (status, text) = send(&page, &format!("GET /object?uid=u1&{query}"), "");
    assert!(
        status == 200 && text.contains("kubectl") && text.contains("MODIFIED"),
        "{text}"
    );
    let (_, text) = send(
        &page,
        &format!("GET /object?uid=u1&from=0&to=1&{query}"),
        "",
    );
    assert!(
        text.contains("+  size: 2") && text.contains(r#""by":["kubectl"]"#),
        "{text}"
    );
    assert_eq!(
        send(&page, &format!("GET /object?uid=u2&{query}"), "").0,
        404
    );
    assert_eq!(
        send(
            &page,
            &format!("GET /object?uid=u1&from=0&to=9&{query}"),
            ""
        )
        .0,
        404
    );
}

#[test]
fn a_page_receives_the_state_and_then_changes() {
    let page = page();
    let (host, query) = parts(&page);
    let mut stream = TcpStream::connect(&host).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    write!(
        stream,
        "GET /events?{query} HTTP/1.1\r\nhost: {host}\r\n\r\n"
    )
    .unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut until = |word: &str| lines.find(|line| line.contains(word)).unwrap();
    until("event: reset");
    assert!(until("\"t\":\"object\"").contains("\"name\":\"a\""));
    assert!(page.is_open());
    let hostile = "<script>\u{202e}\n\nevent: reset\ndata: x";
    page.send(UpdateContent::Line(crate::page::LogLine {
        message: hostile.into(),
        ..Default::default()
    }));
    let event = until("\"t\":\"line\"");
    let data = event.strip_prefix("data: ").unwrap();
    let value: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(
        value[0]["line"]["message"], hostile,
        "it broke out of its event"
    );
}
