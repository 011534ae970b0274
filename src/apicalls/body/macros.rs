//! Calls of macros. Those of the repository are expanded. The arguments of others are read as
//! expressions, as far as they are such.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::Parser as _;
use syn::{Block, Expr, Macro, Pat, Token};

use super::Body;
use crate::apicalls::ty::Ty;
use crate::sources::imports::word;

/// Macros whose arguments are texts and values to log or compare.
const PLAIN: [&str; 27] = [
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "concat",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "ensure",
    "env",
    "eprintln",
    "error",
    "error_span",
    "event",
    "include_bytes",
    "include_str",
    "info",
    "info_span",
    "panic",
    "span",
    "todo",
    "trace",
    "unimplemented",
    "unreachable",
    "warn",
    "debug_span",
];

/// Maximum number of expansions inside of each other.
const DEEPEST: usize = 8;

/// Keys of a patch that do not make it a whole object.
const PARTS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// Kinds that have no field besides `metadata` that must be given, so that a patch of metadata can
/// be a whole object.
const WITHOUT_SPEC: [&str; 4] = ["ConfigMap", "Namespace", "Secret", "ServiceAccount"];

impl Body<'_, '_> {
    /// Reads the call of a macro and returns its type; `want` is the type that its context expects.
    pub(super) fn macro_call(&mut self, call: &Macro, want: &Ty) -> Ty {
        let name = call.path.segments.last().map(|last| word(&last.ident));
        let name = name.unwrap_or_default();
        if let Some(ty) = self.own_macro(call, want) {
            return ty;
        }
        match name.as_str() {
            name if PLAIN.contains(&name) => Ty::Unknown,
            "json" => {
                let keys = keys(&call.tokens);
                let has_kind = keys.iter().any(|(key, _)| key == "kind");
                let has_parts_only = keys.iter().all(|(key, value)| {
                    let is_kind = key == "kind" && WITHOUT_SPEC.contains(&value.as_str());
                    PARTS.contains(&key.as_str()) && !is_kind
                });
                // The API server creates no object from a patch without a kind.
                Ty::json(!keys.is_empty() && (has_parts_only || !has_kind))
            }
            // A program prints its CRDs this way.
            "format" | "print" | "println" => {
                self.values(call.tokens.clone());
                Ty::Unknown
            }
            "select" | "select_biased" => {
                self.branches(call.tokens.clone());
                Ty::Unknown
            }
            "vec" => {
                let types = self.values(call.tokens.clone());
                let first = types.into_iter().next();
                first.unwrap_or_else(|| self.var()).many()
            }
            "join" | "try_join" => Ty::Tuple(self.values(call.tokens.clone())),
            "stream" | "try_stream" | "async_stream" => {
                self.statements(call.tokens.clone());
                Ty::Unknown
            }
            _ => {
                let is_read = !self.values(call.tokens.clone()).is_empty();
                if !is_read {
                    self.statements(call.tokens.clone());
                }
                let _ = want;
                Ty::Unknown
            }
        }
    }

    /// Expands and reads a call of one of the repository's macros. `None` for other macros.
    fn own_macro(&mut self, call: &Macro, want: &Ty) -> Option<Ty> {
        if self.expansions >= DEEPEST {
            return None;
        }
        let file = &self.engine.files[self.file].path;
        let tokens = self.engine.macros.expanded(file, call)?;
        let stmts = Block::parse_within.parse2(tokens).ok()?;
        let block = Block {
            brace_token: syn::token::Brace::default(),
            stmts,
        };
        self.expansions += 1;
        let ty = self.block(&block, want);
        self.expansions -= 1;
        Some(ty)
    }

    /// Reads what is between the commas, as far as it is an expression.
    fn values(&mut self, tokens: TokenStream) -> Vec<Ty> {
        let mut types = Vec::new();
        for part in split(tokens) {
            if let Ok(value) = syn::parse2::<Expr>(part) {
                types.push(self.eval(&value, &Ty::Unknown));
            }
        }
        types
    }

    fn statements(&mut self, tokens: TokenStream) {
        if let Ok(stmts) = Block::parse_within.parse2(tokens) {
            let block = Block {
                brace_token: syn::token::Brace::default(),
                stmts,
            };
            self.block(&block, &Ty::Unknown);
        }
    }

    /// Reads the branches of `tokio::select!`: `pattern = future => handler`.
    fn branches(&mut self, tokens: TokenStream) {
        let parser = |input: syn::parse::ParseStream| {
            let mut found = Vec::new();
            while !input.is_empty() {
                if input.peek(syn::Ident) && input.peek2(Token![;]) || input.peek(Token![,]) {
                    // `biased;`, or a comma behind a block.
                    if input.parse::<Token![,]>().is_err() {
                        input.parse::<syn::Ident>()?;
                        input.parse::<Token![;]>()?;
                    }
                    continue;
                }
                let pat = if input.peek(Token![else]) {
                    input.parse::<Token![else]>()?;
                    None
                } else {
                    let pat = Pat::parse_multi(input)?;
                    input.parse::<Token![=]>()?;
                    Some((pat, input.parse::<Expr>()?))
                };
                let guard = if input.peek(Token![,]) && input.peek2(Token![if]) {
                    input.parse::<Token![,]>()?;
                    input.parse::<Token![if]>()?;
                    Some(input.parse::<Expr>()?)
                } else {
                    None
                };
                input.parse::<Token![=>]>()?;
                found.push((pat, guard, input.parse::<Expr>()?));
            }
            Ok(found)
        };
        let Ok(branches) = parser.parse2(tokens) else {
            return;
        };
        for (pat, guard, handler) in branches {
            self.in_loop(|body| {
                if let Some((pat, future)) = pat {
                    let ty = body.eval(&future, &Ty::Unknown);
                    body.bind(&pat, &ty);
                }
                if let Some(guard) = guard {
                    body.eval(&guard, &Ty::Unknown);
                }
                body.eval(&handler, &Ty::Unknown)
            });
        }
    }
}

/// Splits tokens at commas and semicolons.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => {
                parts.push(Vec::new());
            }
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(token);
                }
            }
        }
    }
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(|part| part.into_iter().collect()).collect()
}

/// Returns the keys of an object in `json!`, with their values if these are texts.
fn keys(tokens: &TokenStream) -> Vec<(String, String)> {
    let mut tokens = tokens.clone().into_iter();
    let Some(TokenTree::Group(object)) = tokens.next() else {
        return Vec::new();
    };
    if object.delimiter() != Delimiter::Brace {
        return Vec::new();
    }
    let parts = split(object.stream()).into_iter();
    parts
        .map(|part| {
            let mut tokens = part.into_iter();
            let key = text(tokens.next());
            let value = text(tokens.nth(1));
            (key, value)
        })
        .collect()
}

fn text(token: Option<TokenTree>) -> String {
    let Some(TokenTree::Literal(literal)) = token else {
        return String::new();
    };
    let text = literal.to_string();
    text.trim_matches('"').to_owned()
}
