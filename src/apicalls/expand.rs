//! Expands calls of the repository's `macro_rules!` macros.
//!
//! The expansion is not hygienic. All tokens get the position of the call, so that requests in a
//! macro are found where the macro is used.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{Parse, Parser as _};
use syn::{ImplItem, Item};

use crate::sources::imports::word;

/// Maximum number of expansions inside of each other.
const DEEPEST: usize = 16;

/// Maximum number of tokens of an expansion.
const LONGEST: usize = 100_000;

/// Maximum cost of all expansions. A macro that calls itself twice would not come to an end.
const MAX_COST: usize = 1_000_000;

/// The cost of an expansion in addition to the number of its tokens.
const COST: usize = 20;

/// A rule: the pattern of the arguments, and the result.
type MacroRule = (Vec<TokenTree>, Vec<TokenTree>);

/// The macros of a repository, by name.
#[derive(Debug, Default)]
pub struct Macros {
    rules: HashMap<String, Vec<MacroRule>>,
    /// The cost of the expansions so far.
    cost: AtomicUsize,
}

/// The value of a variable of a macro.
#[derive(Clone)]
enum MacroBinding {
    One(Vec<TokenTree>),
    Many(Rc<Vec<Bindings>>),
}

type Bindings = HashMap<String, MacroBinding>;

impl Macros {
    /// Adds the macros that are defined among some items and in their modules.
    pub fn add(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Macro(item) => {
                    let is_definition = item.mac.path.is_ident("macro_rules");
                    if let (true, Some(ident)) = (is_definition, &item.ident) {
                        let rules = rules(item.mac.tokens.clone());
                        self.rules.insert(word(ident), rules);
                    }
                }
                Item::Mod(item) => {
                    if let Some((_, items)) = &item.content {
                        self.add(items);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the expansion of a call. `None` if the macro is not known, if no rule fits, or if
    /// all expansions have become too many.
    pub fn expanded(&self, name: &str, arguments: TokenStream, span: Span) -> Option<TokenStream> {
        if self.cost.load(Ordering::Relaxed) > MAX_COST {
            return None;
        }
        let arguments: Vec<_> = arguments.into_iter().collect();
        self.rules.get(name)?.iter().find_map(|(pattern, result)| {
            let mut bindings = Bindings::new();
            let end = matched(pattern, &arguments, &mut bindings)?;
            if end < arguments.len() {
                return None;
            }
            let mut tokens = Vec::new();
            transcribe(result, &bindings, span, &mut tokens);
            self.cost.fetch_add(COST + tokens.len(), Ordering::Relaxed);
            (tokens.len() < LONGEST).then(|| tokens.into_iter().collect())
        })
    }

    /// Replaces calls of macros among items with their expansions.
    pub fn expand_items(&self, items: &mut Vec<Item>) {
        self.expand_below(items, 0);
    }

    fn expand_below(&self, items: &mut Vec<Item>, depth: usize) {
        let old = std::mem::take(items);
        for mut item in old {
            match &mut item {
                Item::Macro(call) if !call.mac.path.is_ident("macro_rules") && depth < DEEPEST => {
                    let last = call.mac.path.segments.last();
                    let expansion = last.and_then(|last| {
                        let name = word(&last.ident);
                        self.expanded(&name, call.mac.tokens.clone(), last.ident.span())
                    });
                    if let Some(tokens) = expansion
                        && let Ok(file) = syn::parse2::<syn::File>(tokens)
                    {
                        let mut inner = file.items;
                        self.expand_below(&mut inner, depth + 1);
                        items.extend(inner);
                        continue;
                    }
                }
                Item::Mod(module) => {
                    if let Some((_, inner)) = &mut module.content {
                        self.expand_below(inner, depth);
                    }
                }
                Item::Impl(block) => self.expand_members(&mut block.items),
                _ => {}
            }
            items.push(item);
        }
    }

    fn expand_members(&self, members: &mut Vec<ImplItem>) {
        let old = std::mem::take(members);
        for member in old {
            if let ImplItem::Macro(call) = &member
                && let Some(last) = call.mac.path.segments.last()
                && let Some(tokens) = self.expanded(
                    &word(&last.ident),
                    call.mac.tokens.clone(),
                    last.ident.span(),
                )
                && let Ok(inner) = all::<ImplItem>.parse2(tokens)
            {
                members.extend(inner);
            } else {
                members.push(member);
            }
        }
    }
}

/// Parses as many syntax nodes as there are.
fn all<T: Parse>(input: syn::parse::ParseStream) -> syn::Result<Vec<T>> {
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
    fn parsed<T>(
        input: &[TokenTree],
        parse: impl FnOnce(syn::parse::ParseStream) -> syn::Result<T>,
    ) -> Option<usize> {
        let tokens: TokenStream = input.iter().cloned().collect();
        let parser = |stream: syn::parse::ParseStream| {
            parse(stream)?;
            stream.parse::<TokenStream>()
        };
        let rest = parser.parse2(tokens).ok()?;
        input.len().checked_sub(rest.into_iter().count())
    }
    match fragment {
        "ident" => matches!(input.first()?, TokenTree::Ident(_)).then_some(1),
        "tt" => input.first().map(|_| 1),
        "lifetime" => is_punct(input.first(), '\'').then_some(2),
        "expr" | "expr_2021" => parsed(input, syn::Expr::parse),
        "ty" => parsed(input, syn::Type::parse),
        "path" => parsed(input, syn::Path::parse),
        "pat" | "pat_param" => parsed(input, syn::Pat::parse_multi),
        "literal" => parsed(input, syn::Lit::parse),
        "block" => parsed(input, syn::Block::parse),
        "stmt" => parsed(input, syn::Stmt::parse),
        "item" => parsed(input, Item::parse),
        "vis" => parsed(input, syn::Visibility::parse),
        "meta" => parsed(input, syn::Meta::parse),
        _ => None,
    }
}

/// Writes the result of a rule with the values of its variables.
fn transcribe(result: &[TokenTree], bindings: &Bindings, span: Span, out: &mut Vec<TokenTree>) {
    let mut at = 0;
    while let Some(token) = result.get(at) {
        at += 1;
        if out.len() > LONGEST {
            return;
        }
        if !is_punct(Some(token), '$') {
            let mut token = token.clone();
            if let TokenTree::Group(group) = &token {
                let mut inner = Vec::new();
                let tokens: Vec<_> = group.stream().into_iter().collect();
                transcribe(&tokens, bindings, span, &mut inner);
                let inner = inner.into_iter().collect();
                token = TokenTree::Group(Group::new(group.delimiter(), inner));
            }
            token.set_span(span);
            out.push(token);
            continue;
        }
        match result.get(at) {
            Some(TokenTree::Ident(name)) if name == "crate" => {
                out.push(result[at].clone());
                at += 1;
            }
            Some(TokenTree::Ident(name)) => {
                if let Some(MacroBinding::One(tokens)) = bindings.get(&name.to_string()) {
                    match &tokens[..] {
                        [one] => out.push(one.clone()),
                        // A type or an expression of several tokens stays one.
                        many => {
                            let inner = many.iter().cloned().collect();
                            out.push(TokenTree::Group(Group::new(Delimiter::None, inner)));
                        }
                    }
                }
                at += 1;
            }
            Some(TokenTree::Group(group)) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let Some((separator, _, length)) = repetition(&result[at + 1..]) else {
                    return;
                };
                let names = variables(&inner);
                let rounds = names.iter().find_map(|name| match bindings.get(name) {
                    Some(MacroBinding::Many(rounds)) => Some(Rc::clone(rounds)),
                    _ => None,
                });
                for (round, one) in rounds.unwrap_or_default().iter().enumerate() {
                    if round > 0 && separator.is_some() {
                        out.push(result[at + 1].clone());
                    }
                    let mut bindings = bindings.clone();
                    for name in &names {
                        if let Some(MacroBinding::Many(rounds)) = bindings.get(name).cloned()
                            && let Some(value) = rounds.get(round).and_then(|of| of.get(name))
                        {
                            bindings.insert(name.clone(), value.clone());
                        }
                    }
                    bindings.extend(one.clone());
                    transcribe(&inner, &bindings, span, out);
                }
                at += 1 + length;
            }
            _ => {}
        }
    }
}
