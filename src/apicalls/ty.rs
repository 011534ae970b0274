//! Types as far as they matter for requests.
//!
//! References, smart pointers, locks, `Option`, `Result` and futures are left out: each stands for
//! the type inside of it. What remains decides which `Api` a method is called on.

/// The number of a type, trait or alias in the index.
pub type TypeId = usize;

/// A type that is known only partly.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Ty {
    Unknown,
    /// A type variable of the function that is being read: a position in its list of variables,
    /// each of which gets a type when an expression decides it.
    Var(usize),
    /// A type of the repository, with its type arguments.
    Own(TypeId, Vec<Ty>),
    /// A type of another crate by its path, with its type arguments. See [`ext_path`].
    Ext(String, Vec<Ty>),
    /// A value of any type that implements a trait of the repository, with the type arguments of
    /// the trait.
    Dyn(TypeId, Vec<Ty>),
    /// An associated type of another type, by its name.
    Assoc(Box<Ty>, String),
    Tuple(Vec<Ty>),
    /// The value of a string literal or of a constant with one.
    Str(String),
    /// A resource that is given by an `ApiResource` and not by a type.
    Resource {
        group: String,
        plural: String,
    },
}

/// The mark of a client, and of an `Api` with such a client, that sends its requests to another
/// cluster. It is the type of an additional last argument. As a type of its own, it has the kind of
/// such a request as its argument.
pub const ELSEWHERE: &str = "another cluster";

/// Types that send their requests to the cluster of a configuration, and that configuration.
pub const CLIENTS: [&str; 3] = ["kube::Api", "kube::Client", "kube::Config"];

/// The publisher of Events.
const RECORDER: &str = "kube::Recorder";

/// The crates of kube, which re-export each other's names.
const KUBE: [&str; 4] = ["kube", "kube_client", "kube_core", "kube_runtime"];

impl Ty {
    /// Returns the type `name` of another crate. `name` is a path in the form of [`ext_path`], or a
    /// name of this room: `Vec`, `Map`, and those that the functions below use.
    pub fn ext(name: &str, arguments: impl IntoIterator<Item = Ty>) -> Self {
        Self::Ext(name.to_owned(), arguments.into_iter().collect())
    }

    /// Returns a sequence of this type: a vector, a slice, an iterator or a stream.
    pub fn many(self) -> Self {
        Self::ext("Vec", [self])
    }

    /// Returns a function or a closure that returns this type.
    pub fn function(self) -> Self {
        Self::ext("fn", [self])
    }

    /// Returns the type of a literal.
    pub fn literal() -> Self {
        Self::ext("literal", [])
    }

    /// Returns the type of a `json!` value. `is_part` marks one from which the API server cannot
    /// create an object, such as one without a kind.
    pub fn json(is_part: bool) -> Self {
        Self::ext("json", is_part.then(|| Self::Unknown.function()))
    }

    /// Returns true for the type of a `json!` value from which no object can be created.
    pub fn is_json_part(&self) -> bool {
        self.arguments_of("json")
            .is_some_and(|mark| !mark.is_empty())
    }

    /// Returns the type of a `Recorder` that is created within this number of loops.
    pub fn recorder(loops: usize) -> Self {
        Self::ext(
            RECORDER,
            [Self::ext("fresh", [Self::Str(loops.to_string())])],
        )
    }

    /// Returns the number of loops within which a `Recorder` was created. `None` for one that may
    /// be older than the function or the innermost loop, such as a field, and for other types.
    pub fn recorder_loops(&self) -> Option<usize> {
        match self.arguments_of(RECORDER)? {
            [Self::Ext(fresh, loops)] if fresh == "fresh" => match loops.first() {
                Some(Self::Str(loops)) => loops.parse().ok(),
                _ => Some(0),
            },
            _ => None,
        }
    }

    /// Returns the type arguments if this is the type `name` of another crate; `None` for other
    /// types.
    pub fn arguments_of(&self, name: &str) -> Option<&[Self]> {
        match self {
            Self::Ext(path, arguments) if path == name => Some(arguments),
            _ => None,
        }
    }

    /// Returns true if the type is `name` of another crate.
    pub fn is(&self, name: &str) -> bool {
        self.arguments_of(name).is_some()
    }

    /// Returns true if the type or one of its arguments is `name` of another crate.
    pub fn mentions(&self, name: &str) -> bool {
        match self {
            Self::Ext(path, arguments) => {
                path == name || arguments.iter().any(|inner| inner.mentions(name))
            }
            Self::Own(_, inner) | Self::Dyn(_, inner) | Self::Tuple(inner) => {
                inner.iter().any(|ty| ty.mentions(name))
            }
            _ => false,
        }
    }

    /// Marks a client as one for another cluster.
    pub fn elsewhere(mut self) -> Self {
        if let Self::Ext(_, arguments) = &mut self {
            arguments.push(Self::ext(ELSEWHERE, []));
        }
        self
    }

    /// Removes the mark of a client for another cluster.
    pub fn here(mut self) -> Self {
        if let Self::Ext(_, arguments) = &mut self {
            arguments.retain(|it| !it.is(ELSEWHERE));
        }
        self
    }

    /// Returns true for a client for another cluster.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Ext(_, arguments) if arguments.iter().any(|it| it.is(ELSEWHERE)))
    }

    /// Returns true for a client, an `Api` and a configuration of a client.
    pub fn is_client(&self) -> bool {
        CLIENTS.iter().any(|name| self.is(name))
    }

    /// Returns true if nothing is known about the type.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown | Self::Var(_))
    }
}

/// Shortens the path of another crate's item: `kube::Api` for `kube::api::Api` and for re-exports
/// by third crates, the full path from `k8s_openapi` on, and the type alone for the standard
/// library.
pub fn ext_path(path: &[String]) -> String {
    let first_type = |from: usize| {
        let rest = &path[from..];
        let at = rest
            .iter()
            .position(|part| part.starts_with(char::is_uppercase));
        &rest[at.unwrap_or(rest.len().saturating_sub(1))..]
    };
    if let Some(at) = path.iter().position(|part| part == "k8s_openapi") {
        return path[at..].join("::");
    }
    if let Some(at) = path.iter().position(|part| KUBE.contains(&part.as_str())) {
        return format!("kube::{}", first_type(at + 1).join("::"));
    }
    match path.first().map(String::as_str) {
        Some("std" | "core" | "alloc") => first_type(1).join("::"),
        _ => path.join("::"),
    }
}

/// Returns the last segment of a path.
pub fn last_name(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
