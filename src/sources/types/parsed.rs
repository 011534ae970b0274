//! The declarations in a file, also those in calls of macros.
//!
//! A macro may be defined in another file than its call, and tokens cannot be sent to another
//! thread. Therefore files are first read without the project's macros, in parallel, and those that
//! call one are read again by [`expanded`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread;

use proc_macro2::TokenStream;
use syn::{Item, ItemMacro, ItemMod};

use super::attributes::text_of;
use super::definitions::{Declared, SourceText};
use crate::sources::comments::lexer::{code, nesting};
use crate::sources::imports::{Imports, word};
use crate::sources::macro_rules::{Macros, definition};
use crate::text::STACK;

/// Maximum nesting of brackets in a parsed file. The parser recurses for each level, and real code
/// is never nested so deeply.
const DEEPEST: usize = 256;

/// The declarations in a file.
#[derive(Debug, Default)]
pub struct Parsed {
    pub(super) path: PathBuf,
    /// The file's module and its inline modules, by their paths relative to the file's module.
    pub(super) modules: Vec<(Vec<String>, Module)>,
    /// Files that `#[path]` attributes declare as submodules, with the names of those modules.
    pub(super) elsewhere: Vec<(PathBuf, String)>,
    /// The macros that the file defines, with the texts of their bodies.
    macros: Vec<(String, String)>,
    /// The names of the macros whose calls may contain items; `None` if they are not known.
    calls: Option<HashSet<String>>,
    /// The text, if the file may call macros.
    text: Option<String>,
}

/// The declarations of a module.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub declared: Vec<Declared>,
    pub imports: Imports,
}

impl Parsed {
    /// Parses a file; `None` for invalid Rust, which cargo reports.
    pub fn of(path: &Path, text: &str) -> Option<Self> {
        let mut parsed = Self::with(path, text, &Macros::default())?;
        if parsed.calls.as_ref().is_some_and(|calls| !calls.is_empty()) {
            parsed.text = Some(text.to_owned());
        }
        Some(parsed)
    }

    /// Parses a file only for the macros that it defines.
    pub fn of_macros(path: &Path, text: &str) -> Option<Self> {
        let macros = Self::with(path, text, &Macros::default())?.macros;
        Some(Self {
            path: path.to_owned(),
            macros,
            ..Self::default()
        })
    }

    /// Defers parsing until it is known that the project defines macros. Without them, the file
    /// declares no types.
    pub fn deferred(path: &Path, text: String) -> Self {
        Self {
            path: path.to_owned(),
            text: Some(text),
            ..Self::default()
        }
    }

    fn with(path: &Path, text: &str, macros: &Macros) -> Option<Self> {
        if nesting(&code(text)) > DEEPEST {
            return None;
        }
        let syntax = syn::parse_file(text).ok()?;
        let mut reader = Reader {
            source: SourceText::new(path, text),
            macros,
            parsed: Self {
                path: path.to_owned(),
                ..Self::default()
            },
            calls: HashSet::new(),
            depth: 0,
        };
        reader.module(Vec::new(), &syntax.items);
        Some(Self {
            calls: Some(reader.calls),
            ..reader.parsed
        })
    }

    fn calls_any(&self, names: &HashSet<&str>) -> bool {
        let calls = self.calls.as_ref();
        calls.is_none_or(|calls| calls.iter().any(|name| names.contains(name.as_str())))
    }
}

/// Expands the calls of macros that one of the files defines, by reading the files with such calls
/// again. One thread reads them all, so that the limit of the expansions is one for the project.
pub fn expanded(mut files: Vec<Parsed>) -> Vec<Parsed> {
    let names = files.iter().flat_map(|file| &file.macros);
    let names: HashSet<_> = names.map(|(name, _)| name.as_str()).collect();
    let is_concerned = |file: &Parsed| file.text.is_some() && file.calls_any(&names);
    if names.is_empty() || !files.iter().any(is_concerned) {
        return files;
    }
    let read = || {
        let mut macros = Macros::default();
        for file in &files {
            for (name, body) in &file.macros {
                if let Ok(body) = body.parse::<TokenStream>() {
                    macros.define(&file.path, name.clone(), body);
                }
            }
        }
        let concerned = files
            .iter()
            .enumerate()
            .filter(|(_, file)| is_concerned(file));
        let again = concerned.filter_map(|(number, file)| {
            let parsed = Parsed::with(&file.path, file.text.as_ref()?, &macros)?;
            Some((number, parsed))
        });
        again.collect::<Vec<_>>()
    };
    let again = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK);
        let worker = worker.spawn_scoped(scope, read);
        worker.ok().and_then(|it| it.join().ok())
    });
    for (number, parsed) in again.unwrap_or_default() {
        files[number] = parsed;
    }
    files
}

/// The state of reading a file.
struct Reader<'a> {
    source: SourceText<'a>,
    macros: &'a Macros,
    parsed: Parsed,
    /// The names of the macros that are called.
    calls: HashSet<String>,
    /// The number of calls of macros around the items that are being read.
    depth: usize,
}

impl Reader<'_> {
    fn module(&mut self, inside: Vec<String>, items: &[Item]) {
        let mut module = Module::default();
        self.items(&inside, items, &mut module);
        self.parsed.modules.push((inside, module));
    }

    fn items(&mut self, inside: &[String], items: &[Item], module: &mut Module) {
        for item in items {
            let source = &self.source;
            match item {
                Item::Use(item) if item.leading_colon.is_none() => module.imports.add(&item.tree),
                Item::Struct(item) => module.declared.push(Declared::of_struct(source, item)),
                Item::Enum(item) => module.declared.extend(Declared::of_enum(source, item)),
                Item::Mod(item) => self.submodule(inside, item),
                Item::Macro(item) => self.macro_item(inside, item, module),
                _ => {}
            }
        }
    }

    /// Remembers a definition of a macro, or reads the items of a call.
    fn macro_item(&mut self, inside: &[String], item: &ItemMacro, module: &mut Module) {
        if let Some((name, body)) = definition(item) {
            self.parsed.macros.push((name, body.to_string()));
            return;
        }
        let name = item.mac.path.segments.last();
        self.calls.extend(name.map(|last| word(&last.ident)));
        let own = self.macros.items(&self.parsed.path, item, self.depth);
        // A macro of another crate whose input is items often only wraps them:
        // `wrap! { struct Cow; }`.
        let items = own.or_else(|| Some(item.mac.parse_body::<syn::File>().ok()?.items));
        self.depth += 1;
        self.items(inside, &items.unwrap_or_default(), module);
        self.depth -= 1;
    }

    fn submodule(&mut self, inside: &[String], item: &ItemMod) {
        let name = word(&item.ident);
        if let Some((_, items)) = &item.content {
            return self.module([inside, &[name]].concat(), items);
        }
        let mut attributes = item.attrs.iter();
        let path = attributes.find_map(|attribute| {
            let pair = attribute.meta.require_name_value().ok()?;
            pair.path.is_ident("path").then(|| text_of(&pair.value))?
        });
        if let Some(path) = path {
            let file = self.parsed.path.with_file_name(path);
            self.parsed.elsewhere.push((file, name));
        }
    }
}
