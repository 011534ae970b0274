//! Webhook handlers that Go code registers: `server.Register("/validate", …)`, a map from path to
//! handler, and `ctrl.NewWebhookManagedBy(mgr).For(&v1.Lolcow{})`.

use std::collections::BTreeMap;

use super::GoType;
use super::imports::imports;
use super::lexer::{Lexeme, LineIndex, Token, lex};

/// The function that starts a webhook's builder chain.
const BUILDER: &str = "NewWebhookManagedBy";

/// A webhook handler that the Go code registers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct GoHandler {
    /// The path or kind of its requests.
    pub target: HandlerTarget,
    /// The line, from 1.
    pub line: usize,
}

/// The path or kind for which a handler is registered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HandlerTarget {
    /// A URL path, with its leading slash.
    Path(String),
    /// A kind, whose path controller-runtime derives.
    Kind(HandledType),
}

/// The Go type of the objects that a handler gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HandledType {
    package: String,
    /// For example `Lolcow`.
    pub kind: String,
    /// See [`GoType::import`].
    pub import: Option<String>,
    /// See [`GoType::group`]. Only `Groups::resolve_handler` sets it.
    pub group: Option<String>,
}

impl HandledType {
    /// Returns the type as a controller would name it.
    pub fn named(&self) -> GoType<'_> {
        GoType {
            package: &self.package,
            kind: &self.kind,
            import: self.import.as_deref(),
            group: self.group.as_deref(),
        }
    }
}

/// Returns the handlers that a Go text registers, in its order.
pub fn handlers(text: &str) -> Vec<GoHandler> {
    let mut lexemes = lex(text);
    lexemes.retain(|(_, token)| !matches!(token, Token::Line(_)));
    let lines = LineIndex::of(text);
    let imports = imports(&lexemes);
    let mut found = Vec::new();
    for at in 0..lexemes.len() {
        let rest = &lexemes[at..];
        let mut add = |place: usize, target| {
            let line = lines.number(place);
            found.push(GoHandler { target, line });
        };
        if let Some((place, path)) = registered(rest) {
            add(place, HandlerTarget::Path(path));
        } else if let Some((place, [package, kind])) = built(rest) {
            add(place, HandlerTarget::Kind(handled(package, kind, &imports)));
        } else if let Some(entries) = map_of_handlers(rest) {
            for (place, path) in keys(entries) {
                add(place, HandlerTarget::Path(path));
            }
        }
    }
    found
}

/// Returns the path of `.Register("/path",` or `.WithCustomPath("/path")` if the tokens start with
/// such a call.
fn registered(lexemes: &[Lexeme]) -> Option<(usize, String)> {
    let [
        (_, Token::Sign('.')),
        (
            _,
            Token::Word(
                "Register"
                | "WithCustomPath"
                | "WithDefaulterCustomPath"
                | "WithValidatorCustomPath",
            ),
        ),
        (_, Token::Sign('(')),
        (at, Token::Literal(literal)),
        ..,
    ] = lexemes
    else {
        return None;
    };
    let path = unquoted(literal);
    path.starts_with('/').then(|| (*at, path.to_owned()))
}

fn handled(package: &str, kind: &str, imports: &BTreeMap<&str, &str>) -> HandledType {
    HandledType {
        package: package.to_owned(),
        kind: kind.to_owned(),
        import: imports.get(package).map(|path| (*path).to_owned()),
        group: None,
    }
}

/// Returns the package and the name of the type in `NewWebhookManagedBy(mgr).For(&v1.Lolcow{})` or
/// `NewWebhookManagedBy(mgr, &v1.Lolcow{})` if the tokens start with such a call, and one of the
/// webhooks has the path that controller-runtime derives.
fn built<'a>(lexemes: &[Lexeme<'a>]) -> Option<(usize, [&'a str; 2])> {
    let [(at, Token::Word(BUILDER)), (_, Token::Sign('(')), rest @ ..] = lexemes else {
        return None;
    };
    let end = closing(rest)?;
    let object_type = object(&rest[..end]).or_else(|| match &rest[end..] {
        [
            _,
            (_, Token::Sign('.')),
            (_, Token::Word("For")),
            (_, Token::Sign('(')),
            rest @ ..,
        ] => {
            let end = closing(rest)?;
            object(&rest[..end])
        }
        _ => None,
    })?;
    has_derived_path(rest).then_some((*at, object_type))
}

/// Reports whether a webhook of a builder chain has the path that controller-runtime derives from
/// the kind. A path that is not a literal is not known, so it does not count as another one.
fn has_derived_path(chain: &[Lexeme]) -> bool {
    let end = chain
        .iter()
        .position(|(_, token)| matches!(token, Token::Word("Complete" | BUILDER)));
    let chain = &chain[..end.unwrap_or(chain.len())];
    let calls = |name: &str| {
        let mut calls = chain.iter();
        calls.any(|(_, token)| *token == Token::Word(name))
    };
    let has_path = |name: &str| {
        let mut calls = chain.windows(4);
        calls.any(|call| call[1].1 == Token::Word(name) && registered(call).is_some())
    };
    let is_custom = |webhook: &str, path: &str| !calls(webhook) || has_path(path);
    let paths = ["WithDefaulterCustomPath", "WithValidatorCustomPath"];
    let is_one_custom = paths.iter().any(|path| has_path(path));
    let are_custom = is_custom("WithDefaulter", paths[0]) && is_custom("WithValidator", paths[1]);
    !(has_path("WithCustomPath") || is_one_custom && are_custom)
}

/// Returns the number of tokens before the bracket that ends the arguments, if it is among the
/// first twenty.
fn closing(arguments: &[Lexeme]) -> Option<usize> {
    let mut few = arguments.iter().take(20);
    few.position(|(_, token)| *token == Token::Sign(')'))
}

/// Returns the package and the name of the type in `&v1.Lolcow{}` among arguments. A type of the
/// same package is not qualified: then the package is empty.
fn object<'a>(arguments: &[Lexeme<'a>]) -> Option<[&'a str; 2]> {
    let open = arguments
        .iter()
        .position(|(_, token)| *token == Token::Sign('{'))?;
    match &arguments[..open] {
        [
            ..,
            (_, Token::Word(package)),
            (_, Token::Sign('.')),
            (_, Token::Word(kind)),
        ] => Some([package, kind]),
        [.., (_, Token::Word(kind))] => Some(["", kind]),
        _ => None,
    }
}

/// Returns the tokens after the opening brace of `map[string]admission.Handler{…}` if the tokens
/// start with such a map. The type of its elements distinguishes it from other maps.
fn map_of_handlers<'a, 'b>(lexemes: &'b [Lexeme<'a>]) -> Option<&'b [Lexeme<'a>]> {
    let [
        (_, Token::Word("map")),
        (_, Token::Sign('[')),
        (_, Token::Word("string")),
        (_, Token::Sign(']')),
        rest @ ..,
    ] = lexemes
    else {
        return None;
    };
    let open = rest
        .iter()
        .position(|(_, token)| !matches!(token, Token::Word(_) | Token::Sign('.' | '*')))?;
    let Some((_, Token::Word(name))) = open.checked_sub(1).map(|at| rest[at]) else {
        return None;
    };
    // Handlers of `net/http` serve metrics and profiles.
    let is_http = rest[0].1 == Token::Word("http");
    let is_meant = !is_http && (name.contains("Handler") || name.contains("Webhook"));
    (is_meant && rest[open].1 == Token::Sign('{')).then(|| &rest[open + 1..])
}

/// Returns the literal keys of a map up to its closing brace as paths, each with its position.
fn keys(entries: &[Lexeme]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for pair in entries.windows(2) {
        match pair {
            [(at, Token::Literal(key)), (_, Token::Sign(':'))] if depth == 0 => {
                let path = unquoted(key);
                let path = path.trim_start_matches('/');
                found.push((*at, format!("/{path}")));
            }
            [(_, Token::Sign('{' | '(' | '[')), _] => depth += 1,
            [(_, Token::Sign('}' | ')' | ']')), _] => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            _ => {}
        }
    }
    found
}

/// Returns a string without its quotes. Paths have no escapes.
fn unquoted(literal: &str) -> &str {
    literal.trim_matches(['"', '`'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registered_handlers_are_found_in_every_form() {
        let text = r#"package webhook
import v1 "example.org/farm/api/v1"
var HandlerMap = map[string]types.HandlerGetter{
	"mutate-pod": func(mgr manager.Manager) admission.Handler { return map[string]string{"x": "y"} },
	// "old": nil,
	"/validate-pod": &PodHandler{Client: nil, Names: []string{"a"}},
}
var other = map[string]string{"a": "b"}
var profiles = map[string]http.Handler{"/debug": pprof}
func setup(mgr ctrl.Manager) {
	mgr.GetWebhookServer().Register("/mutate-node", &webhook.Admission{Handler: &Nodes{}})
	metrics.Registry.Register("counter")
	ctrl.NewWebhookManagedBy(mgr).For(&v1.Cow{}).Complete()
	ctrl.NewWebhookManagedBy(mgr, &barn.Hen{}).Complete()
	ctrl.NewWebhookManagedBy(mgr).For(&Pig{}).Complete()
	ctrl.NewWebhookManagedBy(mgr).For(&Duck{}).WithCustomPath("/ducks").Complete()
	ctrl.NewWebhookManagedBy(mgr, &Goose{}).WithDefaulter(d).WithDefaulterCustomPath("/geese").
		WithValidator(v).WithValidatorCustomPath("/flock").Complete()
	ctrl.NewWebhookManagedBy(mgr, &Swan{}).WithDefaulter(d).
		WithValidator(v).WithValidatorCustomPath("/swans").Complete()
	ctrl.NewWebhookManagedBy(mgr, &Crow{}).WithCustomPath(path).Complete()
}
"#;
        let found = handlers(text);
        let shown: Vec<_> = found
            .iter()
            .map(|it| match &it.target {
                HandlerTarget::Path(path) => (path.as_str(), "", it.line),
                HandlerTarget::Kind(handled) => (
                    handled.kind.as_str(),
                    handled.import.as_deref().unwrap_or(&handled.package),
                    it.line,
                ),
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("/mutate-pod", "", 4),
                ("/validate-pod", "", 6),
                ("/mutate-node", "", 11),
                ("Cow", "example.org/farm/api/v1", 13),
                ("Hen", "barn", 14),
                ("Pig", "", 15),
                ("/ducks", "", 16),
                ("/geese", "", 17),
                ("/flock", "", 18),
                ("Swan", "", 19),
                ("/swans", "", 20),
                ("Crow", "", 21)
            ]
        );
    }
}
