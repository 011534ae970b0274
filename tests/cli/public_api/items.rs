//! One line for each public item, under the path by which users find it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::Span;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Signature, TraitItem, Type, Visibility};

use super::modules::{Module, Modules, Names, declaration};

const HEAD: &str = "\
# The public items of rustop-manager: a change of this file is a change of the crate's API.
# Written by `RUSTOP_OVERWRITE=1 cargo test --test cli public_api`.
";

/// Facts about an item that its attributes state, such as the feature that it needs.
#[derive(Clone, Default)]
pub struct Notes(BTreeSet<String>);

impl Notes {
    /// Adds the facts in attributes.
    pub fn with(&self, attributes: &[Attribute]) -> Self {
        let notes = attributes.iter().filter_map(|attribute| {
            let path = attribute.path();
            if path.is_ident("cfg") {
                return Some(attribute.meta.require_list().ok()?.tokens.to_string());
            }
            ["deprecated", "non_exhaustive"]
                .into_iter()
                .find(|name| path.is_ident(name))
                .map(str::to_owned)
        });
        Self(self.0.iter().cloned().chain(notes).collect())
    }

    fn and(&self, others: &Self) -> Self {
        Self(self.0.union(&others.0).cloned().collect())
    }

    fn text(&self) -> String {
        let notes: Vec<_> = self.0.iter().map(String::as_str).collect();
        if notes.is_empty() {
            String::new()
        } else {
            format!(" [{}]", notes.join(", "))
        }
    }
}

/// Returns true for an item that documentation leaves out.
pub fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("doc")
            && list.is_ok_and(|list| list.tokens.to_string() == "hidden")
    })
}

/// Returns true for an item with `#[cfg(test)]`.
pub fn is_only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// Returns the text of `manager/public-api.txt`.
pub fn list(modules: &Modules) -> String {
    let mut listing = Listing {
        modules,
        places: places(modules),
        lines: BTreeSet::new(),
    };
    for (path, module) in &modules.0 {
        listing.add_module(path, module);
    }
    let lines: Vec<_> = listing
        .lines
        .into_iter()
        .map(|line| line.text + "\n")
        .collect();
    format!("{HEAD}\n{}", lines.concat())
}

/// The path under which users find a definition.
#[derive(Clone)]
struct Place {
    path: String,
    /// The notes of the modules or of the re-export that lead to it.
    notes: Notes,
}

type Definition = (Names, String);

/// Returns the definitions that users can name. One whose module is public has the path of the
/// module, and another one the path of its re-export that is nearest to the root.
fn places(modules: &Modules) -> BTreeMap<Definition, Place> {
    let mut places = BTreeMap::new();
    let mut public: Vec<_> = modules
        .0
        .iter()
        .filter(|(_, module)| module.is_public)
        .collect();
    public.sort_by_key(|(path, _)| path.len());
    for (path, module) in &public {
        for item in module.items.iter().filter(|item| is_public(item)) {
            if let Some(declared) = declaration(item) {
                let name = declared.name.to_string();
                let place = Place {
                    path: join(path, &name),
                    notes: module.notes.clone(),
                };
                places.insert(((*path).clone(), name), place);
            }
        }
    }
    for (path, module) in &public {
        for import in module.imports.iter().filter(|import| import.is_public) {
            if let Some((defined_in, Some(name))) = modules.definition(&import.path) {
                places
                    .entry((defined_in.clone(), name))
                    .or_insert_with(|| Place {
                        path: join(path, &import.name),
                        notes: import.notes.clone(),
                    });
            }
        }
    }
    places
}

/// A line of the list. Lines are sorted by path, and a definition precedes its impls and members.
#[derive(Eq, Ord, PartialEq, PartialOrd)]
struct Line {
    path: String,
    is_impl: bool,
    text: String,
}

struct Listing<'a> {
    modules: &'a Modules,
    places: BTreeMap<Definition, Place>,
    lines: BTreeSet<Line>,
}

impl Listing<'_> {
    fn add(&mut self, path: &str, text: impl AsRef<str>, notes: &Notes) {
        self.add_line(path, false, text.as_ref(), notes);
    }

    fn add_line(&mut self, path: &str, is_impl: bool, text: &str, notes: &Notes) {
        self.lines.insert(Line {
            path: path.to_owned(),
            is_impl,
            text: format!("{text}{}", notes.text()),
        });
    }

    fn add_module(&mut self, path: &Names, module: &Module) {
        if module.is_public && !path.is_empty() {
            let path = path.join("::");
            self.add(&path, format!("pub mod {path}"), &module.notes);
        }
        if module.is_public {
            self.add_imports(path, module);
        }
        for item in &module.items {
            if let Item::Impl(block) = item {
                if !is_only_for_tests(&block.attrs) {
                    self.add_impl(path, module, block);
                }
            } else if let Some(declared) = declaration(item) {
                let key = (path.clone(), declared.name.to_string());
                if let Some(place) = self.places.get(&key).cloned() {
                    let notes = place.notes.with(declared.attributes);
                    self.add_item(&place, &notes, &module.text, item);
                }
            }
        }
    }

    /// Adds the re-exports of items that have another path.
    fn add_imports(&mut self, path: &Names, module: &Module) {
        for import in module.imports.iter().filter(|import| import.is_public) {
            let target = match self.modules.definition(&import.path) {
                _ if import.is_external => import.path.join("::"),
                Some((module, None)) => module.join("::"),
                Some((module, Some(name))) => match self.places.get(&(module.clone(), name)) {
                    Some(place) => place.path.clone(),
                    None => continue,
                },
                None => import.path.join("::"),
            };
            let path = join(path, &import.name);
            if path != target {
                self.add(&path, format!("pub use {path} = {target}"), &import.notes);
            }
        }
    }

    /// Adds an item. `notes` are those of its place and its own.
    fn add_item(&mut self, place: &Place, notes: &Notes, text: &str, item: &Item) {
        let path = &place.path;
        match item {
            Item::Const(item) => {
                let kind = slice(text, end(item.ident.span())..start(item.eq_token.span));
                self.add(path, format!("pub const {path}{kind}"), notes);
            }
            Item::Static(item) => {
                let kind = slice(text, end(item.ident.span())..start(item.eq_token.span));
                self.add(path, format!("pub static {path}{kind}"), notes);
            }
            Item::Type(item) => {
                let rest = slice(text, end(item.ident.span())..start(item.semi_token.span));
                self.add(path, format!("pub type {path}{rest}"), notes);
            }
            Item::Fn(item) => {
                let line = function(text, &item.sig, path, item.block.brace_token.span.open());
                self.add(path, format!("pub {line}"), notes);
            }
            Item::Struct(item) => {
                let head = end(item.ident.span())..match &item.fields {
                    Fields::Named(fields) => start(fields.brace_token.span.open()),
                    Fields::Unnamed(fields) => start(fields.paren_token.span.open()),
                    Fields::Unit => item.semi_token.as_ref().map_or(0, |semi| start(semi.span)),
                };
                let head = slice(text, head);
                self.add(path, format!("pub struct {path}{head}"), notes);
                self.add_derived(path, &item.attrs, &place.notes);
                self.add_fields(path, text, &item.fields);
            }
            Item::Enum(item) => {
                let head = end(item.ident.span())..start(item.brace_token.span.open());
                let head = slice(text, head);
                self.add(path, format!("pub enum {path}{head}"), notes);
                self.add_derived(path, &item.attrs, &place.notes);
                for variant in &item.variants {
                    let name = end(variant.ident.span());
                    let fields = match &variant.fields {
                        Fields::Named(fields) => name..end(fields.brace_token.span.close()),
                        Fields::Unnamed(fields) => name..end(fields.paren_token.span.close()),
                        Fields::Unit => name..name,
                    };
                    let path = format!("{path}::{}", variant.ident);
                    let notes = Notes::default().with(&variant.attrs);
                    self.add(&path, format!("pub {path}{}", slice(text, fields)), &notes);
                }
            }
            Item::Trait(item) => {
                let head = end(item.ident.span())..start(item.brace_token.span.open());
                let head = slice(text, head);
                self.add(path, format!("pub trait {path}{head}"), notes);
                for member in &item.items {
                    self.add_trait_item(path, text, member);
                }
            }
            _ => {}
        }
    }

    fn add_trait_item(&mut self, path: &str, text: &str, item: &TraitItem) {
        let notes = Notes::default();
        match item {
            TraitItem::Fn(item) if !is_hidden(&item.attrs) => {
                let path = format!("{path}::{}", item.sig.ident);
                let notes = notes.with(&item.attrs);
                let (until, rest) = match (&item.default, &item.semi_token) {
                    (Some(block), _) => (block.brace_token.span.open(), " { .. }"),
                    (None, Some(semi)) => (semi.span, ""),
                    (None, None) => return,
                };
                let line = function(text, &item.sig, &path, until) + rest;
                self.add(&path, line, &notes);
            }
            TraitItem::Type(item) => {
                let path = format!("{path}::{}", item.ident);
                let rest = slice(text, end(item.ident.span())..start(item.semi_token.span));
                self.add(&path, format!("type {path}{rest}"), &notes);
            }
            TraitItem::Const(item) => {
                let path = format!("{path}::{}", item.ident);
                let rest = slice(text, end(item.ident.span())..start(item.semi_token.span));
                self.add(&path, format!("const {path}{rest}"), &notes);
            }
            _ => {}
        }
    }

    fn add_derived(&mut self, path: &str, attributes: &[Attribute], notes: &Notes) {
        let derives = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("derive"))
            .filter_map(|attribute| attribute.meta.require_list().ok());
        for list in derives {
            for name in list.tokens.to_string().split(',').map(str::trim) {
                let name = name.replace(' ', "");
                if !name.is_empty() {
                    self.add_line(path, true, &format!("impl {name} for {path}"), notes);
                }
            }
        }
    }

    fn add_fields(&mut self, path: &str, text: &str, fields: &Fields) {
        let close = match fields {
            Fields::Named(fields) => fields.brace_token.span.close(),
            Fields::Unnamed(fields) => fields.paren_token.span.close(),
            Fields::Unit => return,
        };
        for (index, pair) in fields.iter().zip(commas(fields)).enumerate() {
            let (field, comma) = pair;
            let Visibility::Public(public) = &field.vis else {
                continue;
            };
            let (name, from) = match &field.ident {
                Some(ident) => (ident.to_string(), end(ident.span())),
                None => (format!("{index}:"), end(public.span)),
            };
            let rest = slice(text, from..start(comma.unwrap_or(close)));
            let path = format!("{path}::{name}");
            let notes = Notes::default().with(&field.attrs);
            self.add(&path, format!("pub {path}{rest}"), &notes);
        }
    }

    /// Adds the functions of an inherent impl, or the line of an impl of a trait, if users can name
    /// the type.
    fn add_impl(&mut self, path: &Names, module: &Module, block: &ItemImpl) {
        let own = self.find(path, type_name(&block.self_ty));
        let is_inherent = block.trait_.is_none();
        let trait_path = block.trait_.as_ref().map(|(path, _)| path);
        let of_trait = self.find(path, trait_path.and_then(last_segment));
        let notes = module.notes.with(&block.attrs);
        let head = slice(
            &module.text,
            start(block.impl_token.span)..start(block.brace_token.span.open()),
        );
        match (own, of_trait) {
            (Found::Public(own), Found::Public(_) | Found::External) if !is_inherent => {
                self.add_line(&own.path, true, &head, &notes.and(&own.notes));
            }
            (Found::External, Found::Public(of_trait)) => {
                self.add_line(&of_trait.path, true, &head, &notes.and(&of_trait.notes));
            }
            (Found::Public(own), _) if is_inherent => {
                let notes = notes.and(&own.notes);
                let has_any = self.add_functions(&own.path, &module.text, block, &notes);
                // The bounds of the impl apply to its functions.
                if has_any && head.contains('<') {
                    self.add_line(&own.path, true, &head, &notes);
                }
            }
            _ => {}
        }
    }

    /// Adds the public functions of an inherent impl. Returns false if it has none.
    fn add_functions(&mut self, of: &str, text: &str, block: &ItemImpl, notes: &Notes) -> bool {
        let mut has_any = false;
        for item in &block.items {
            if let ImplItem::Fn(item) = item
                && matches!(item.vis, Visibility::Public(_))
                && !is_hidden(&item.attrs)
                && !is_only_for_tests(&item.attrs)
            {
                let path = format!("{of}::{}", item.sig.ident);
                let open = item.block.brace_token.span.open();
                let line = function(text, &item.sig, &path, open);
                self.add(&path, format!("pub {line}"), &notes.with(&item.attrs));
                has_any = true;
            }
        }
        has_any
    }

    /// Finds what a name in a module refers to.
    fn find(&self, module: &Names, name: Option<String>) -> Found {
        let path = name.map(|name| [module.clone(), vec![name]].concat());
        let Some((module, Some(name))) = path.and_then(|path| {
            let (module, name) = self.modules.definition(&path)?;
            Some((module.clone(), name))
        }) else {
            return Found::External;
        };
        match self.places.get(&(module, name)) {
            Some(place) => Found::Public(place.clone()),
            None => Found::Private,
        }
    }
}

/// The definition behind a name.
enum Found {
    /// An item of the crate that users can name.
    Public(Place),
    Private,
    External,
}

/// Returns the line of a function: from its qualifiers to the end of its signature.
fn function(text: &str, signature: &Signature, path: &str, until: Span) -> String {
    let qualifiers = [
        ("const ", signature.constness.is_some()),
        ("async ", signature.asyncness.is_some()),
    ];
    let qualifiers: String = qualifiers
        .into_iter()
        .filter_map(|(word, has)| has.then_some(word))
        .collect();
    let rest = slice(text, end(signature.ident.span())..start(until));
    format!("{qualifiers}fn {path}{rest}")
}

/// Returns source text as one line, without comments and attributes. A space at the start is kept.
fn slice(text: &str, range: Range<usize>) -> String {
    let text = &text[range];
    let lead = if text.starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    let words: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && !line.starts_with("#["))
        .flat_map(str::split_whitespace)
        .collect();
    let spaced = lead.to_owned() + &words.join(" ");
    let line = [
        ("( ", "("),
        // `mut` of an argument is not part of the API: the function changes its own copy.
        ("(mut ", "("),
        (", mut ", ", "),
        (", )", ")"),
        ("< ", "<"),
        (", >", ">"),
        (", }", " }"),
    ]
    .into_iter()
    .fold(spaced, |line, (from, to)| line.replace(from, to));
    line.trim_end_matches([',', ' ']).to_owned()
}

fn start(span: Span) -> usize {
    span.byte_range().start
}

fn end(span: Span) -> usize {
    span.byte_range().end
}

/// Returns the comma after each field, if there is one.
fn commas(fields: &Fields) -> Vec<Option<Span>> {
    let pairs = match fields {
        Fields::Named(fields) => fields.named.pairs(),
        Fields::Unnamed(fields) => fields.unnamed.pairs(),
        Fields::Unit => return Vec::new(),
    };
    pairs
        .map(|pair| pair.punct().map(|comma| comma.span))
        .collect()
}

fn join(path: &[String], name: &str) -> String {
    [path, &[name.to_owned()]].concat().join("::")
}

fn type_name(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => last_segment(&path.path),
        _ => None,
    }
}

fn last_segment(path: &syn::Path) -> Option<String> {
    Some(path.segments.last()?.ident.to_string())
}

/// Returns true for a definition that users can name, if they can name its module.
fn is_public(item: &Item) -> bool {
    declaration(item).is_some_and(|it| {
        matches!(it.visibility, Visibility::Public(_))
            && !is_hidden(it.attributes)
            && !is_only_for_tests(it.attributes)
    })
}
