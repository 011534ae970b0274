//! Expands calls of the project's `macro_rules!` macros.
//!
//! The expansion is not hygienic. Tokens of the macro get the position of the call, so that a
//! request or a type in a macro is found where the macro is used. Tokens of the arguments keep
//! theirs.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{ImplItem, Item, ItemMacro, Macro};

use super::imports::word;

/// Maximum number of expansions inside of each other.
const DEEPEST: usize = 16;

/// Maximum nesting of brackets in an expansion. The parser recurses for each level.
const DEEPEST_BRACKETS: usize = 256;

/// Maximum number of tokens of an expansion.
const LONGEST: usize = 100_000;

/// Maximum cost of all expansions. A macro that calls itself twice would not come to an end.
const MAX_COST: usize = 4_000_000;

/// The cost of trying a rule. That of an expansion is the number of its tokens.
const COST: usize = 20;

/// Number of tokens that a parser may look at without consuming them.
const LOOKAHEAD: usize = 8;

/// A rule: the pattern of the arguments, and the result.
type MacroRule = (Vec<TokenTree>, Vec<TokenTree>);

/// The macros of a project.
#[derive(Debug, Default)]
pub struct Macros {
    by_name: HashMap<String, Vec<Definition>>,
    /// The cost of the expansions so far.
    cost: Cell<usize>,
}

/// The definition of a macro.
#[derive(Debug)]
struct Definition {
    file: PathBuf,
    rules: Vec<MacroRule>,
}

/// The value of a variable of a macro.
#[derive(Debug)]
enum MacroBinding {
    One(Vec<TokenTree>),
    Many(Rc<Vec<Bindings>>),
}

type Bindings = HashMap<String, MacroBinding>;

/// Returns the name and the body of a macro that an item defines.
pub fn definition(item: &ItemMacro) -> Option<(String, TokenStream)> {
    let name = item.ident.as_ref()?;
    let is_definition = item.mac.path.is_ident("macro_rules");
    is_definition.then(|| (word(name), item.mac.tokens.clone()))
}

impl Macros {
    /// Adds a macro that a file defines.
    pub fn define(&mut self, file: &Path, name: String, body: TokenStream) {
        self.by_name.entry(name).or_default().push(Definition {
            file: file.to_owned(),
            rules: rules(body),
        });
    }

    /// Adds the macros that are defined among some items of a file and in their modules.
    pub fn add(&mut self, file: &Path, items: &[Item]) {
        for item in items {
            match item {
                Item::Macro(item) => {
                    if let Some((name, body)) = definition(item) {
                        self.define(file, name, body);
                    }
                }
                Item::Mod(item) => {
                    if let Some((_, items)) = &item.content {
                        self.add(file, items);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the rules of the macro that a name in a file most likely means: the last one in that
    /// file or, if it defines none of the name, in the nearest directory.
    fn rules(&self, file: &Path, name: &str) -> Option<&[MacroRule]> {
        let shared = |definition: &&Definition| {
            let parts = definition.file.components().zip(file.components());
            parts.take_while(|(one, other)| one == other).count()
        };
        let nearest = self.by_name.get(name)?.iter().max_by_key(shared)?;
        Some(&nearest.rules)
    }

    /// Returns the expansion of a call in a file. `None` if the macro is not known, if no rule
    /// fits, or if all expansions have become too many.
    pub fn expanded(&self, file: &Path, call: &Macro) -> Option<TokenStream> {
        let last = &call.path.segments.last()?.ident;
        let rules = self.rules(file, &word(last))?;
        let arguments: Vec<_> = call.tokens.clone().into_iter().collect();
        rules.iter().find_map(|(pattern, result)| {
            if self.cost.get() > MAX_COST {
                return None;
            }
            let mut bindings = Bindings::new();
            let end = matched(pattern, &arguments, &mut bindings);
            let mut writer = Transcription {
                span: last.span(),
                written: 0,
            };
            let tokens =
                (end == Some(arguments.len())).then(|| writer.stream(result, &[&bindings]));
            self.cost.set(self.cost.get() + COST + writer.written);
            tokens.filter(|tokens| {
                writer.written < LONGEST && !is_deeper(tokens.clone(), DEEPEST_BRACKETS)
            })
        })
    }

    /// Returns the items into which a call among the items of a file expands; `None` as for
    /// [`Self::expanded`], if they are not items, or if the call is inside of too many other
    /// expansions. `depth` is their number.
    pub fn items(&self, file: &Path, call: &ItemMacro, depth: usize) -> Option<Vec<Item>> {
        if depth >= DEEPEST {
            return None;
        }
        let tokens = self.expanded(file, &call.mac)?;
        Some(syn::parse2::<syn::File>(tokens).ok()?.items)
    }

    /// Replaces calls of macros among the items of a file with their expansions.
    pub fn expand_items(&self, file: &Path, items: &mut Vec<Item>) {
        self.expand_below(file, items, 0);
    }

    fn expand_below(&self, file: &Path, items: &mut Vec<Item>, depth: usize) {
        let old = std::mem::take(items);
        for mut item in old {
            match &mut item {
                Item::Macro(call) => {
                    if let Some(mut inner) = self.items(file, call, depth) {
                        self.expand_below(file, &mut inner, depth + 1);
                        items.extend(inner);
                        continue;
                    }
                }
                Item::Mod(module) => {
                    if let Some((_, inner)) = &mut module.content {
                        self.expand_below(file, inner, depth);
                    }
                }
                Item::Impl(block) => self.expand_members(file, &mut block.items),
                _ => {}
            }
            items.push(item);
        }
    }

    fn expand_members(&self, file: &Path, members: &mut Vec<ImplItem>) {
        let old = std::mem::take(members);
        for member in old {
            if let ImplItem::Macro(call) = &member
                && let Some(tokens) = self.expanded(file, &call.mac)
                && let Ok(inner) = all::<ImplItem>.parse2(tokens)
            {
                members.extend(inner);
            } else {
                members.push(member);
            }
        }
    }
}

/// Returns true if brackets are nested more deeply than `limit`.
fn is_deeper(tokens: TokenStream, limit: usize) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => limit == 0 || is_deeper(group.stream(), limit - 1),
        _ => false,
    })
}

/// Returns the number of tokens, including those in brackets.
fn size(tokens: impl IntoIterator<Item = TokenTree>) -> usize {
    let sizes = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + size(group.stream()),
        _ => 1,
    });
    sizes.sum()
}

/// Parses as many syntax nodes as there are.
fn all<T: Parse>(input: ParseStream) -> syn::Result<Vec<T>> {
    let mut found = Vec::new();
    while !input.is_empty() {
        found.push(input.parse()?);
    }
    Ok(found)
}

/// Splits the body of `macro_rules!` into rules.
fn rules(tokens: TokenStream) -> Vec<MacroRule> {
    let groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream().into_iter().collect::<Vec<_>>()),
        _ => None,
    });
    let groups: Vec<_> = groups.collect();
    groups
        .chunks_exact(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect()
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// Matches a pattern at the start of some tokens. Returns the number of tokens that it takes.
fn matched(pattern: &[TokenTree], input: &[TokenTree], bindings: &mut Bindings) -> Option<usize> {
    let mut at = 0;
    let mut next = 0;
    while let Some(token) = pattern.get(next) {
        if !is_punct(Some(token), '$') {
            at += same(token, input.get(at)?, bindings)?;
            next += 1;
            continue;
        }
        match pattern.get(next + 1)? {
            TokenTree::Group(group) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let (separator, operator, length) = repetition(&pattern[next + 2..])?;
                let mut found = Vec::new();
                loop {
                    let mut from = at;
                    if !found.is_empty()
                        && let Some(separator) = &separator
                    {
                        if input.get(from).map(ToString::to_string).as_ref() != Some(separator) {
                            break;
                        }
                        from += 1;
                    }
                    let mut one = Bindings::new();
                    match matched(&inner, &input[from.min(input.len())..], &mut one) {
                        Some(taken) if taken > 0 => at = from + taken,
                        _ => break,
                    }
                    found.push(one);
                    if operator == '?' {
                        break;
                    }
                }
                if operator == '+' && found.is_empty() {
                    return None;
                }
                let found = Rc::new(found);
                for name in variables(&inner) {
                    bindings.insert(name, MacroBinding::Many(Rc::clone(&found)));
                }
                next += 2 + length;
            }
            TokenTree::Ident(name) => {
                let TokenTree::Ident(fragment) = pattern.get(next + 3)? else {
                    return None;
                };
                let taken = fragment_length(&fragment.to_string(), &input[at.min(input.len())..])?;
                let tokens = input[at..at + taken].to_vec();
                bindings.insert(name.to_string(), MacroBinding::One(tokens));
                at += taken;
                next += 4;
            }
            _ => return None,
        }
    }
    Some(at)
}

/// Matches a token that is not a variable.
fn same(pattern: &TokenTree, token: &TokenTree, bindings: &mut Bindings) -> Option<usize> {
    match (pattern, token) {
        (TokenTree::Group(a), TokenTree::Group(b)) if a.delimiter() == b.delimiter() => {
            let pattern: Vec<_> = a.stream().into_iter().collect();
            let input: Vec<_> = b.stream().into_iter().collect();
            let end = matched(&pattern, &input, bindings)?;
            (end == input.len()).then_some(1)
        }
        (a, b) => (a.to_string() == b.to_string()).then_some(1),
    }
}

/// Returns the separator and the operator of a repetition, and the number of their tokens.
fn repetition(tokens: &[TokenTree]) -> Option<(Option<String>, char, usize)> {
    let operator_of = |token: Option<&TokenTree>| match token {
        Some(TokenTree::Punct(punct)) if "*+?".contains(punct.as_char()) => Some(punct.as_char()),
        _ => None,
    };
    if let Some(operator) = operator_of(tokens.first()) {
        return Some((None, operator, 1));
    }
    let operator = operator_of(tokens.get(1))?;
    Some((Some(tokens[0].to_string()), operator, 2))
}

/// Returns the names of the variables in a pattern.
fn variables(pattern: &[TokenTree]) -> Vec<String> {
    let mut names = Vec::new();
    for (at, token) in pattern.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                names.extend(variables(&group.stream().into_iter().collect::<Vec<_>>()));
            }
            TokenTree::Ident(name) if at > 0 && is_punct(pattern.get(at - 1), '$') => {
                names.push(name.to_string());
            }
            _ => {}
        }
    }
    names
}

/// Returns the number of tokens of a fragment such as `expr` or `ty`.
fn fragment_length(fragment: &str, input: &[TokenTree]) -> Option<usize> {
    match fragment {
        "ident" => matches!(input.first()?, TokenTree::Ident(_)).then_some(1),
        "tt" => input.first().map(|_| 1),
        "lifetime" => is_punct(input.first(), '\'').then_some(2),
        "expr" | "expr_2021" => parsed_length(input, syn::Expr::parse),
        "ty" => parsed_length(input, syn::Type::parse),
        "path" => parsed_length(input, syn::Path::parse),
        "pat" | "pat_param" => parsed_length(input, syn::Pat::parse_multi),
        "literal" => parsed_length(input, syn::Lit::parse),
        "block" => parsed_length(input, syn::Block::parse),
        "stmt" => parsed_length(input, syn::Stmt::parse),
        "item" => parsed_length(input, Item::parse),
        "vis" => parsed_length(input, syn::Visibility::parse),
        "meta" => parsed_length(input, syn::Meta::parse),
        _ => None,
    }
}

/// Returns the number of tokens that a parser takes. It gets only the first ones unless it needs
/// more, or a list of many types would be copied for each of them.
fn parsed_length<T>(
    input: &[TokenTree],
    parse: impl Fn(ParseStream) -> syn::Result<T>,
) -> Option<usize> {
    let mut length = 32;
    loop {
        let part = &input[..input.len().min(length)];
        let parser = |stream: ParseStream| {
            parse(stream)?;
            stream.parse::<TokenStream>()
        };
        let rest = parser.parse2(part.iter().cloned().collect()).ok();
        let rest = rest.map(|rest| rest.into_iter().count());
        if part.len() == input.len() || rest.is_some_and(|rest| rest > LOOKAHEAD) {
            return part.len().checked_sub(rest?);
        }
        length *= 4;
    }
}

/// Writes the result of a rule.
struct Transcription {
    /// The position of the call.
    span: Span,
    /// The number of tokens and repetitions so far.
    written: usize,
}

impl Transcription {
    /// Returns a part of the result with the values of its variables. `scope` has those of the
    /// rule and of each repetition around the part.
    fn stream(&mut self, result: &[TokenTree], scope: &[&Bindings]) -> TokenStream {
        let mut out = Vec::new();
        self.write(result, scope, &mut out);
        out.into_iter().collect()
    }

    fn write(&mut self, result: &[TokenTree], scope: &[&Bindings], out: &mut Vec<TokenTree>) {
        let mut at = 0;
        while let Some(token) = result.get(at) {
            at += 1;
            if self.written > LONGEST {
                return;
            }
            if !is_punct(Some(token), '$') {
                self.push(token, scope, out);
                continue;
            }
            match result.get(at) {
                Some(TokenTree::Ident(name)) if name == "crate" => {
                    self.push(&result[at], scope, out);
                    at += 1;
                }
                Some(TokenTree::Ident(name)) => {
                    if let Some(MacroBinding::One(tokens)) = value(scope, &name.to_string()) {
                        self.push_value(tokens, out);
                    }
                    at += 1;
                }
                Some(TokenTree::Group(group)) => {
                    let inner: Vec<_> = group.stream().into_iter().collect();
                    let Some((separator, _, length)) = repetition(&result[at + 1..]) else {
                        return;
                    };
                    let separator = separator.map(|_| &result[at + 1]);
                    self.repeat(&inner, separator, scope, out);
                    at += 1 + length;
                }
                _ => {}
            }
        }
    }

    /// Writes a token of the macro.
    fn push(&mut self, token: &TokenTree, scope: &[&Bindings], out: &mut Vec<TokenTree>) {
        let mut token = token.clone();
        if let TokenTree::Group(group) = &token {
            let inner: Vec<_> = group.stream().into_iter().collect();
            let inner = self.stream(&inner, scope);
            token = TokenTree::Group(Group::new(group.delimiter(), inner));
        }
        token.set_span(self.span);
        self.written += 1;
        out.push(token);
    }

    /// Writes the value of a variable. A type or an expression of several tokens stays one.
    fn push_value(&mut self, tokens: &[TokenTree], out: &mut Vec<TokenTree>) {
        self.written += size(tokens.iter().cloned());
        match tokens {
            [] => {}
            [one] => out.push(one.clone()),
            many => {
                let inner = many.iter().cloned().collect();
                out.push(TokenTree::Group(Group::new(Delimiter::None, inner)));
            }
        }
    }

    fn repeat(
        &mut self,
        inner: &[TokenTree],
        separator: Option<&TokenTree>,
        scope: &[&Bindings],
        out: &mut Vec<TokenTree>,
    ) {
        let mut repeated: Vec<&Rc<Vec<Bindings>>> = Vec::new();
        for name in variables(inner) {
            if let Some(MacroBinding::Many(rounds)) = value(scope, &name)
                && !repeated.iter().any(|other| Rc::ptr_eq(other, rounds))
            {
                repeated.push(rounds);
            }
        }
        let rounds = repeated.iter().map(|rounds| rounds.len()).min();
        for round in 0..rounds.unwrap_or_default() {
            self.written += 1;
            if self.written > LONGEST {
                return;
            }
            if round > 0
                && let Some(separator) = separator
            {
                self.push(separator, scope, out);
            }
            let own = repeated.iter().map(|rounds| &rounds[round]);
            let scope: Vec<_> = scope.iter().copied().chain(own).collect();
            self.write(inner, &scope, out);
        }
    }
}

/// Returns the value of a variable, which an inner repetition may have set.
fn value<'a>(scope: &[&'a Bindings], name: &str) -> Option<&'a MacroBinding> {
    scope.iter().rev().find_map(|bindings| bindings.get(name))
}
