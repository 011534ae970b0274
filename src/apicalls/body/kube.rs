//! Functions and methods of kube and of other crates: the requests that they send, and the types
//! that they return.

use syn::{Expr, ExprCall, ExprMethodCall};

use super::{Body, Request};
use crate::apicalls::index::plural;
use crate::apicalls::requests::{Gives, LEASES, LIST_WATCH, PARAMETERS, of_api, of_subresource};
use crate::apicalls::resolve::ext;
use crate::apicalls::ty::{ELSEWHERE, Ty, last_name};

/// The first release of kube whose `Recorder` patches an event that is repeated.
const PATCHING_RECORDER: (u32, u32) = (0, 98);

/// Functions that return their only argument, or what is inside of it.
const SAME: [&str; 16] = [
    "Ok",
    "Ready",
    "Some",
    "block_on",
    "block_in_place",
    "boxed",
    "from",
    "identity",
    "into",
    "iter",
    "new",
    "pin",
    "ready",
    "spawn",
    "spawn_blocking",
    "unfold",
];

/// Methods that return what they are called on, or what is inside of it.
const UNCHANGED: [&str; 76] = [
    "abortable",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_ref",
    "backoff",
    "blocking_lock",
    "borrow",
    "borrow_mut",
    "boxed",
    "boxed_local",
    "by_ref",
    "catch_unwind",
    "chain",
    "clone",
    "cloned",
    "context",
    "copied",
    "default_backoff",
    "deref",
    "deref_mut",
    "enter",
    "expect",
    "filter",
    "fuse",
    "get_mut",
    "get_or_init",
    "get_or_insert_with",
    "get_or_try_init",
    "in_current_span",
    "inspect",
    "inspect_err",
    "inspect_ok",
    "instrument",
    "into",
    "into_boxed",
    "into_diagnostic",
    "into_inner",
    "into_iter",
    "iter",
    "iter_mut",
    "left",
    "load",
    "load_full",
    "lock",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "peekable",
    "read",
    "reflect",
    "reflect_shared",
    "rev",
    "right",
    "shared",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_until",
    "take_while",
    "to_owned",
    "to_string",
    "to_vec",
    "try_into",
    "try_lock",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "with_context",
    "wrap_err",
    "write",
];

/// Methods that may return their argument instead of what they are called on.
const FALLBACKS: [&str; 4] = ["or", "or_else", "unwrap_or", "unwrap_or_else"];

/// Methods of sequences that return one element.
const ELEMENT: [&str; 22] = [
    "choose",
    "find",
    "first",
    "get",
    "get_mut",
    "get_unchecked",
    "last",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "next",
    "nth",
    "peek",
    "pop",
    "pop_front",
    "recv",
    "remove",
    "try_find",
    "try_next",
];

/// Methods that call a closure with each element, or with the value inside of an `Option` or a
/// `Result`, and return what the closure does not change.
const VISITING: [&str; 17] = [
    "all",
    "any",
    "filter",
    "find",
    "for_each",
    "for_each_concurrent",
    "inspect",
    "inspect_ok",
    "is_none_or",
    "is_some_and",
    "position",
    "retain",
    "sort_by_key",
    "try_filter",
    "try_for_each",
    "try_for_each_concurrent",
    "max_by_key",
];

/// Methods that return what a closure makes of each element, or of the value inside of an `Option`
/// or a `Result`.
const MAPPING: [&str; 14] = [
    "and_then",
    "filter_map",
    "find_map",
    "flat_map",
    "map",
    "map_ok",
    "map_or",
    "map_or_else",
    "map_while",
    "ok_and_then",
    "then",
    "try_filter_map",
    "and_then_ok",
    "scan",
];

impl Body<'_, '_> {
    /// Returns the type of a function or constant of another crate that is used as a value. `outer`
    /// are the type arguments of the type in its path.
    pub(super) fn extern_value(path: &str, outer: &[Ty]) -> Ty {
        match path.rsplit_once("::") {
            // `.map(Api::<Pod>::all)`
            Some(("kube::Api", _)) => {
                let kind = outer.first().cloned().unwrap_or(Ty::Unknown);
                Ty::ext("kube::Api", [kind]).function()
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns a type, without its age for a `Recorder` that was created outside of the innermost
    /// loop: such a recorder may publish an event again, and then patches it.
    pub(super) fn without_age_if_older_than_loop(&self, ty: Ty) -> Ty {
        match ty.recorder_loops() {
            Some(loops) if self.loops > loops => Ty::ext("kube::Recorder", []),
            _ => ty,
        }
    }

    /// Reads a call of a function of another crate and returns the type of its value. `outer` and
    /// `inner` are the type arguments of the type and of the function in `path`.
    pub(super) fn extern_call(
        &mut self,
        path: &str,
        outer: &[Ty],
        inner: &[Ty],
        arguments: &[&Expr],
        call: &ExprCall,
        want: &Ty,
    ) -> Ty {
        let span = match &*call.func {
            Expr::Path(function) => function.path.segments[0].ident.span(),
            _ => proc_macro2::Span::call_site(),
        };
        let name = last_name(path);
        if let Some(method) = path.strip_prefix("kube::Api::") {
            return self.api_constructor(method, outer, arguments, want);
        }
        if let Some(ty) = self.client_call(path, arguments) {
            return ty;
        }
        if let Some(ty) = self.kube_call(path, outer, inner, arguments, span) {
            return ty;
        }
        if let Some((_, _, verbs)) = LEASES
            .iter()
            .find(|(krate, ty, _)| path.starts_with(krate) && path.contains(ty))
        {
            self.eval_list(arguments);
            let lease = Ty::ext("k8s_openapi::api::coordination::v1::Lease", []);
            for verb in *verbs {
                self.request(&lease, verb, None, span, path);
            }
            return Ty::ext(path.rsplit_once("::").map_or(path, |(ty, _)| ty), []);
        }
        let before = path.rsplit_once("::").map_or("", |(before, _)| before);
        let of_type = last_name(before);
        let is_type = of_type.starts_with(char::is_uppercase);
        // A wrapper such as `Arc::new(value)`, and functions that run a future.
        let is_wrapper =
            SAME.contains(&name) && (!is_type || ext(before, vec![Ty::Unknown]) == Ty::Unknown);
        if is_wrapper && arguments.len() == 1 {
            return self.eval(arguments[0], want);
        }
        if matches!(name, "timeout" | "scope" | "sync_scope") && arguments.len() == 2 {
            self.eval(arguments[0], &Ty::Unknown);
            return self.eval(arguments[1], want);
        }
        let types = self.eval_list(arguments);
        if name.starts_with("from_") {
            // `serde_json::from_value` makes a value of the expected type.
            let mut made = inner.first().unwrap_or(want).clone();
            if made == Ty::Unknown {
                made = self.var();
            }
            self.constructs(&made);
            return self.resolved(&made);
        }
        if matches!(name, "join_all" | "try_join_all" | "select_all") {
            return types.into_iter().next().unwrap_or(Ty::Unknown);
        }
        if is_type && name.starts_with(char::is_lowercase) {
            if PARAMETERS.contains(&before) || !want_is_other(want, before) {
                let ty = ext(before, outer.to_vec());
                self.constructs(&ty);
                return ty;
            }
            return Ty::Unknown;
        }
        // A variant of another crate's enum.
        if is_type && !types.is_empty() {
            let ty = types.into_iter().next().unwrap_or(Ty::Unknown);
            return Ty::ext(before, [self.resolved(&ty)]);
        }
        Ty::Unknown
    }

    /// Reads a call of a function of kube that makes a client or its configuration. `None` for
    /// other functions.
    fn client_call(&mut self, path: &str, arguments: &[&Expr]) -> Option<Ty> {
        Some(match path {
            "kube::Config::from_custom_kubeconfig" | "kube::Config::from_kubeconfig" => {
                self.eval_list(arguments);
                Ty::ext("kube::Config", []).elsewhere()
            }
            "kube::Client::try_from" | "kube::ClientBuilder::try_from" => {
                let types = self.eval_list(arguments);
                let client = Ty::ext(path.trim_end_matches("::try_from"), []);
                if types.iter().any(Ty::is_elsewhere) {
                    client.elsewhere()
                } else {
                    client
                }
            }
            _ => return None,
        })
    }

    /// Reads a call of a function of kube that sends requests or whose result is an `Api`, a stream
    /// or a parameter. `None` for other functions.
    fn kube_call(
        &mut self,
        path: &str,
        outer: &[Ty],
        inner: &[Ty],
        arguments: &[&Expr],
        span: proc_macro2::Span,
    ) -> Option<Ty> {
        let name = last_name(path);
        // `Controller::<Pod>::new(..)` and `watcher::<Pod>(..)` name the kind of the `Api`.
        let given = self.given_kind(if outer.is_empty() { inner } else { outer });
        Some(match path {
            "kube::Controller::new" | "kube::Controller::new_with" => {
                let (kind, _) = self.watched(arguments, &given, span, "Controller::new");
                self.reconciled.push(kind.clone());
                Ty::ext("kube::Controller", [kind])
            }
            "kube::Controller::for_stream"
            | "kube::Controller::for_stream_with"
            | "kube::Controller::for_shared_stream"
            | "kube::Controller::for_shared_stream_with" => self.for_stream(arguments),
            "kube::watcher" | "kube::metadata_watcher" | "kube::watch_object" => {
                let (kind, _) = self.watched(arguments, &given, span, name);
                let event = if name == "watch_object" {
                    kind
                } else {
                    Ty::ext("kube::Event", [kind])
                };
                event.many()
            }
            "kube::await_condition" => {
                let (kind, _) = self.watched(arguments, &given, span, name);
                kind
            }
            "kube::delete_and_finalize" => {
                let (_, target) = self.watched(arguments, &given, span, name);
                self.request(&target, "delete", None, span, "delete_and_finalize");
                Ty::Tuple(Vec::new())
            }
            "kube::reflector" => self.reflector(arguments),
            "kube::store" | "kube::store_shared" => {
                self.eval_list(arguments);
                let kind = inner.first().cloned().unwrap_or_else(|| self.var());
                Ty::Tuple(vec![
                    Ty::ext("kube::Store", [kind.clone()]),
                    Ty::ext("kube::Writer", [kind]),
                ])
            }
            "kube::finalizer" => {
                let api = arguments.first().map(|api| self.eval(api, &Ty::Unknown));
                let api = api.unwrap_or(Ty::Unknown);
                let kind = self.kind_of(&api);
                let target = self.target_of(&api, &kind);
                self.request(&target, "patch", None, span, "finalizer");
                for value in arguments.iter().skip(1) {
                    let event = Ty::ext("kube::Event", [kind.clone()]);
                    self.argument(value, &Ty::Unknown, &[event]);
                }
                Ty::ext("kube::Action", [])
            }
            "kube::Recorder::new" => {
                self.eval_list(arguments);
                Ty::recorder(self.loops)
            }
            "kube::Patch::Apply"
            | "kube::Patch::Merge"
            | "kube::Patch::Strategic"
            | "kube::Patch::Json" => {
                let types = self.eval_list(arguments);
                let body = types.into_iter().next().unwrap_or(Ty::Unknown);
                let body = self.resolved(&body);
                Ty::ext("kube::Patch", [Ty::ext(name, []), body])
            }
            "kube::GroupVersionKind::gvk" => {
                let types = self.eval_list(arguments);
                match &types[..] {
                    [group @ Ty::Str(_), _, kind @ Ty::Str(_)] => {
                        Ty::ext("kube::GroupVersionKind", [group.clone(), kind.clone()])
                    }
                    _ => Ty::ext("kube::GroupVersionKind", []),
                }
            }
            "kube::ApiResource::from_gvk" | "kube::ApiResource::from_gvk_with_plural" => {
                let types = self.eval_list(arguments);
                Self::api_resource(&types)
            }
            "kube::ApiResource::erase" => {
                self.eval_list(arguments);
                let kind = inner.first().cloned().unwrap_or(Ty::Unknown);
                Ty::ext("kube::ApiResource", [kind])
            }
            "Vec::new" | "Vec::with_capacity" => {
                self.eval_list(arguments);
                let element = outer.first().cloned().unwrap_or_else(|| self.var());
                element.many()
            }
            "Err" => {
                self.eval_list(arguments);
                Ty::Unknown
            }
            _ => return None,
        })
    }

    fn reflector(&mut self, arguments: &[&Expr]) -> Ty {
        let types = self.eval_list(arguments);
        let [writer, stream] = &types[..] else {
            return Ty::Unknown;
        };
        let element = self.element(stream);
        let kind = self.var();
        self.unify(&element, &Ty::ext("kube::Event", [kind.clone()]));
        self.unify(writer, &Ty::ext("kube::Writer", [kind]));
        self.resolved(stream)
    }

    fn for_stream(&mut self, arguments: &[&Expr]) -> Ty {
        let types = self.eval_list(arguments);
        let kind = self.var();
        if let Some(reader) = types.get(1) {
            self.unify(reader, &Ty::ext("kube::Store", [kind.clone()]));
        }
        if let Some(stream) = types.first() {
            let element = self.element(stream);
            self.unify(&kind, &element);
        }
        self.reconciled.push(kind.clone());
        Ty::ext("kube::Controller", [kind])
    }

    fn eval_list(&mut self, arguments: &[&Expr]) -> Vec<Ty> {
        let values = arguments.iter();
        values
            .map(|value| {
                let ty = self.argument(value, &Ty::Unknown, &[]);
                self.resolved(&ty)
            })
            .collect()
    }

    /// Returns `Api<K>` of a constructor such as `Api::namespaced`.
    fn api_constructor(
        &mut self,
        method: &str,
        outer: &[Ty],
        arguments: &[&Expr],
        want: &Ty,
    ) -> Ty {
        let kind = match outer.first() {
            Some(kind) if *kind != Ty::Unknown => kind.clone(),
            _ => self.var(),
        };
        let types = self.eval_list(arguments);
        let mut api = Ty::ext("kube::Api", [kind.clone()]);
        if method.ends_with("_with") || method == "dynamic" {
            let resource = types
                .iter()
                .find_map(|ty| ty.arguments_of("kube::ApiResource"));
            let is_dynamic = types.iter().any(|ty| ty.is("kube::ApiResource"));
            if let Some([known]) = resource {
                api = Ty::ext("kube::Api", [known.clone()]);
            } else if is_dynamic {
                let dynamic = Ty::ext("kube::DynamicObject", []);
                self.unify(&kind, &dynamic);
                api = Ty::ext("kube::Api", [kind]);
            }
        }
        self.unify(&api, want);
        if types.iter().any(Ty::is_elsewhere) {
            api = api.elsewhere();
        }
        api
    }

    fn api_resource(types: &[Ty]) -> Ty {
        let unknown = Ty::ext("kube::ApiResource", []);
        let Some([Ty::Str(group), Ty::Str(kind)]) = types
            .first()
            .and_then(|ty| ty.arguments_of("kube::GroupVersionKind"))
        else {
            return unknown;
        };
        let plural = match types.get(1) {
            None => plural(&kind.to_ascii_lowercase()),
            Some(Ty::Str(plural)) => plural.clone(),
            Some(_) => return unknown,
        };
        let resource = Ty::Resource {
            group: group.clone(),
            plural,
        };
        Ty::ext("kube::ApiResource", [resource])
    }

    /// Returns the kind of an `Api`.
    fn kind_of(&mut self, api: &Ty) -> Ty {
        match self.resolved(api) {
            Ty::Ext(path, mut inner) if path == "kube::Api" && !inner.is_empty() => {
                inner.swap_remove(0)
            }
            api if api.is_unknown() => {
                let kind = self.var();
                self.unify(&api, &Ty::ext("kube::Api", [kind.clone()]));
                kind
            }
            _ => Ty::Unknown,
        }
    }

    /// Reads the arguments of a function whose first one is an `Api` that it watches. Returns the
    /// kind, and the target of requests through this `Api`. `given` is the kind that a type
    /// argument of the function names.
    fn watched(
        &mut self,
        arguments: &[&Expr],
        given: &Ty,
        span: proc_macro2::Span,
        why: &str,
    ) -> (Ty, Ty) {
        let Some((api, rest)) = arguments.split_first() else {
            return (Ty::Unknown, Ty::Unknown);
        };
        let api = self.eval(api, &Ty::ext("kube::Api", [given.clone()]));
        let kind = self.kind_of(&api);
        self.unify(&kind, given);
        let mut types = Vec::new();
        for value in rest {
            let object = kind.clone();
            let ty = self.argument(value, &Ty::Unknown, &[object]);
            types.push(self.resolved(&ty));
        }
        let is_streaming = types.iter().any(|ty| ty.is("kube::StreamingConfig"));
        let verbs = if is_streaming {
            &LIST_WATCH[1..]
        } else {
            LIST_WATCH
        };
        let target = self.target_of(&api, &kind);
        for verb in verbs {
            self.request(&target, verb, None, span, why);
        }
        (kind, target)
    }

    /// Returns the target of requests for a kind through a client, an `Api` or an `Entry`: the
    /// kind, with a mark if that belongs to another cluster.
    fn target_of(&mut self, through: &Ty, kind: &Ty) -> Ty {
        if self.resolved(through).is_elsewhere() {
            Ty::ext(ELSEWHERE, [kind.clone()])
        } else {
            kind.clone()
        }
    }

    /// Reads a method call on a type of kube and returns the type of its value. `None` for other
    /// types and methods. `given` are the type arguments of the method.
    pub(super) fn kube_method(
        &mut self,
        receiver: &Ty,
        name: &str,
        given: &[Ty],
        call: &ExprMethodCall,
        want: &Ty,
    ) -> Option<Ty> {
        let Ty::Ext(path, inner) = receiver else {
            return None;
        };
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let span = call.method.span();
        let kind = inner.first().cloned().unwrap_or(Ty::Unknown);
        if receiver.is_elsewhere() && FALLBACKS.contains(&name) {
            self.eval_list(&arguments);
            return Some(receiver.clone().here());
        }
        match path.as_str() {
            "kube::Api" => self.api_method(receiver, &kind, name, call),
            "kube::Config" if receiver.is_elsewhere() && matches!(name, "into" | "try_into") => {
                Some(Ty::ext("kube::Client", []).elsewhere())
            }
            "kube::ClientBuilder" => {
                self.eval_list(&arguments);
                let name = if name == "build" {
                    "kube::Client"
                } else {
                    path
                };
                Some(Ty::ext(name, inner.clone()))
            }
            "kube::Controller" => Some(self.controller_method(&kind, name, given, call)),
            "kube::Client" => self.client_method(receiver, name, given, call, want),
            "kube::Recorder" if name == "publish" => {
                self.eval_list(&arguments);
                let event = Ty::ext("k8s_openapi::api::events::v1::Event", []);
                self.request(&event, "create", None, span, "Recorder::publish");
                let is_patching = self
                    .engine
                    .kube
                    .is_none_or(|version| version >= PATCHING_RECORDER);
                if receiver.recorder_loops().is_none() && is_patching {
                    let why = "Recorder::publish, which patches an event that it repeats";
                    self.request(&event, "patch", None, span, why);
                }
                Some(Ty::Tuple(Vec::new()))
            }
            "kube::Entry" => {
                self.eval_list(&arguments);
                let verb = match name {
                    "or_insert" | "insert" => "create",
                    "and_modify" | "get_mut" => "update",
                    "get" | "into_object" => return Some(kind),
                    _ => return Some(receiver.clone()),
                };
                let target = self.target_of(receiver, &kind);
                let why = format!("Entry::{name} with commit");
                self.request(&target, verb, None, span, &why);
                Some(if name == "get_mut" {
                    kind
                } else {
                    receiver.clone()
                })
            }
            "kube::Config" if name == "streaming_lists" => {
                Some(Ty::ext("kube::StreamingConfig", []))
            }
            "kube::Store" => {
                self.eval_list(&arguments);
                match name {
                    "get" | "find" => Some(kind),
                    "state" | "state_filter" => Some(kind.many()),
                    "clone" => Some(receiver.clone()),
                    _ => None,
                }
            }
            "kube::Writer" => {
                self.eval_list(&arguments);
                match name {
                    "as_reader" => Some(Ty::ext("kube::Store", [kind])),
                    "clone" => Some(receiver.clone()),
                    _ => None,
                }
            }
            path if path.starts_with("kubert") => self.kubert_method(name, given, call),
            // Parameters are built by methods that return them.
            path if PARAMETERS.contains(&path)
                || path.ends_with("Config") && path.starts_with("kube::") =>
            {
                self.eval_list(&arguments);
                Some(receiver.clone())
            }
            _ => None,
        }
    }

    /// Reads a request by a method of the client itself.
    fn client_method(
        &mut self,
        receiver: &Ty,
        name: &str,
        given: &[Ty],
        call: &ExprMethodCall,
        want: &Ty,
    ) -> Option<Ty> {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let span = call.method.span();
        let verb = match name {
            "get" | "fetch" => "get",
            "list" => "list",
            "request" | "request_text" | "request_status" | "request_stream" | "request_events"
            | "send" => {
                self.eval_list(&arguments);
                let why = format!("`Client::{name}` sends a request built by hand");
                if receiver.is_elsewhere() {
                    self.request(&Ty::ext(ELSEWHERE, []), "", None, span, &why);
                } else {
                    self.unknown(span, why);
                }
                return Some(Ty::Unknown);
            }
            _ => return None,
        };
        self.eval_list(&arguments);
        let kind = self.given_kind(given);
        let target = self.target_of(receiver, &kind);
        self.request(&target, verb, None, span, &format!("Client::{name}"));
        if verb == "list" {
            return Some(Ty::ext("kube::ObjectList", [kind]));
        }
        self.unify(&kind, want);
        Some(kind)
    }

    /// Reads a method of kubert's runtime that watches a kind.
    fn kubert_method(&mut self, name: &str, given: &[Ty], call: &ExprMethodCall) -> Option<Ty> {
        let is_stream = matches!(name, "watch_all" | "watch_namespaced");
        if !is_stream && !matches!(name, "cache_all" | "cache_namespaced") {
            return None;
        }
        let arguments: Vec<&Expr> = call.args.iter().collect();
        self.eval_list(&arguments);
        let kind = self.given_kind(given);
        for verb in LIST_WATCH {
            let why = format!("Runtime::{name}");
            self.request(&kind, verb, None, call.method.span(), &why);
        }
        let event = Ty::ext("kube::Event", [kind]);
        Some(if is_stream { event.many() } else { Ty::Unknown })
    }

    /// Returns the type argument of a method, or a new variable.
    fn given_kind(&mut self, given: &[Ty]) -> Ty {
        match given.first() {
            Some(kind) if *kind != Ty::Unknown => kind.clone(),
            _ => self.var(),
        }
    }

    fn api_method(&mut self, api: &Ty, kind: &Ty, name: &str, call: &ExprMethodCall) -> Option<Ty> {
        let span = call.method.span();
        let target = self.target_of(api, kind);
        let why = format!("Api::{name}");
        if let Some(verb) = of_subresource(name) {
            let arguments: Vec<&Expr> = call.args.iter().collect();
            let types = self.eval_list(&arguments);
            let subresource = match types.first() {
                Some(Ty::Str(text)) => Ok(Some(text.clone())),
                _ => Err(()),
            };
            let place = self.place(span);
            self.requests.push(Request {
                ty: target,
                verb: verb.to_owned(),
                subresource,
                place,
                why,
                apply: None,
            });
            return Some(kind.clone());
        }
        let Some(method) = of_api(name) else {
            let arguments: Vec<&Expr> = call.args.iter().collect();
            return match name {
                "clone" | "as_ref" | "to_owned" | "constrain" | "constrain_default"
                | "unconstrain" | "unwrap" | "expect" | "into" | "borrow" => {
                    self.eval_list(&arguments);
                    Some(api.clone())
                }
                "into_client" if api.is_elsewhere() => {
                    Some(Ty::ext("kube::Client", []).elsewhere())
                }
                "into_client" => Some(Ty::ext("kube::Client", [])),
                _ => None,
            };
        };
        let mut types = Vec::new();
        for (at, value) in call.args.iter().enumerate() {
            // `create(&params, &object)`, `replace(name, &params, &object)`
            let is_object = name == "create" && at == 1 || name == "replace" && at == 2;
            let want = if is_object { kind.clone() } else { Ty::Unknown };
            let ty = self.argument(value, &want, &[]);
            types.push(self.resolved(&ty));
        }
        for verb in method.verbs {
            self.request(&target, verb, method.subresource, span, &why);
        }
        if let Some(patch) = types.iter().find_map(|ty| ty.arguments_of("kube::Patch"))
            && name == "patch"
            && let [Ty::Ext(sort, _), body] = patch
            && sort == "Apply"
            && let Some(request) = self.requests.last_mut()
        {
            request.apply = Some(body.clone());
        }
        Some(match method.gives {
            Gives::Object => kind.clone(),
            Gives::List => Ty::ext("kube::ObjectList", [kind.clone()]),
            Gives::Entry if api.is_elsewhere() => {
                Ty::ext("kube::Entry", [kind.clone()]).elsewhere()
            }
            Gives::Entry => Ty::ext("kube::Entry", [kind.clone()]),
            Gives::Other => Ty::Unknown,
        })
    }

    fn controller_method(
        &mut self,
        kind: &Ty,
        name: &str,
        given: &[Ty],
        call: &ExprMethodCall,
    ) -> Ty {
        let arguments: Vec<&Expr> = call.args.iter().collect();
        let controller = Ty::ext("kube::Controller", [kind.clone()]);
        match name {
            "owns" | "owns_with" | "watches" | "watches_with" => {
                let why = format!("Controller::{name}");
                // `owns::<Pod>(Api::all(client), config)` names the kind of the `Api`.
                let child = self.given_kind(given);
                self.watched(&arguments, &child, call.method.span(), &why);
                controller
            }
            "run" => {
                for value in &arguments {
                    let ty = self.argument(value, &Ty::Unknown, std::slice::from_ref(kind));
                    let _ = ty;
                }
                self.call_with(&arguments, kind);
                Ty::Unknown.many()
            }
            "store" => Ty::ext("kube::Store", [kind.clone()]),
            _ => {
                self.eval_list(&arguments);
                controller
            }
        }
    }

    /// Gives the functions among the arguments of `run` the kind as their first argument.
    fn call_with(&mut self, arguments: &[&Expr], kind: &Ty) {
        let count = arguments.len();
        for callee in self
            .callees
            .iter()
            .rev()
            .take(count)
            .map(|it| it.function)
            .collect::<Vec<_>>()
        {
            let index = self.engine.index;
            let first = index.functions[callee].sig.inputs.first();
            let Some(syn::FnArg::Typed(input)) = first else {
                continue;
            };
            let Some(at) = self.callees.iter().rposition(|it| it.function == callee) else {
                continue;
            };
            let mut scope = self.scope.clone();
            scope.module = index.functions[callee].module;
            scope.self_ty.clone_from(&self.callees[at].self_ty);
            scope.parameters = self.callees[at].parameters.iter().cloned().collect();
            let declared = index.lower(&input.ty, &scope);
            self.unify(&declared, kind);
        }
    }

    /// Reads a method call on any other type and returns the type of its value, by the name of the
    /// method. `given` are the type arguments of the method.
    pub(super) fn plain_method(
        &mut self,
        receiver: &Ty,
        name: &str,
        given: &[Ty],
        call: &ExprMethodCall,
        want: &Ty,
    ) -> Ty {
        let is_many = matches!(receiver, Ty::Ext(path, _) if matches!(path.as_str(), "Vec" | "Map" | "kube::ObjectList"));
        let inside = if is_many {
            self.element(receiver)
        } else {
            receiver.clone()
        };
        let is_each = name.contains("for_each");
        if is_each {
            self.loops += 1;
        }
        let mut types = Vec::new();
        for value in &call.args {
            let ty = self.argument(value, &Ty::Unknown, std::slice::from_ref(&inside));
            types.push(self.resolved(&ty));
        }
        if is_each {
            self.loops -= 1;
        }
        if receiver.is_unknown() {
            let parameters = types.iter().find_map(|ty| match ty {
                Ty::Ext(path, _) if PARAMETERS.contains(&path.as_str()) => Some(path),
                _ => None,
            });
            if let Some(parameters) = parameters
                && (of_api(name).is_some() || of_subresource(name).is_some())
            {
                let parameters = last_name(parameters);
                let why = format!(
                    "`{name}` with `{parameters}`: the type of the `Api` is not known here"
                );
                self.unknown(call.method.span(), why);
            }
        }
        let result = || {
            let closure = types.iter().rev().find_map(|ty| ty.arguments_of("fn"));
            closure
                .and_then(|inner| inner.first())
                .cloned()
                .unwrap_or(Ty::Unknown)
        };
        match (receiver, name) {
            (Ty::Ext(path, inner), "values" | "values_mut" | "into_values") if path == "Map" => {
                inner[1].clone().many()
            }
            (Ty::Ext(path, inner), "keys" | "into_keys") if path == "Map" => {
                inner[0].clone().many()
            }
            (Ty::Ext(path, inner), "get" | "get_mut" | "remove" | "insert") if path == "Map" => {
                if let [key, value] = &types[..] {
                    self.unify(&inner[0], key);
                    self.unify(&inner[1], value);
                }
                inner[1].clone()
            }
            (Ty::Ext(path, inner), "push" | "push_back" | "insert") if path == "Vec" => {
                if let (Some(element), Some(value)) = (inner.first(), types.last()) {
                    self.unify(element, value);
                }
                Ty::Tuple(Vec::new())
            }
            (Ty::Ext(path, _), "applied_objects" | "touched_objects") if path == "Vec" => {
                match inside.arguments_of("kube::Event") {
                    Some([kind]) => kind.clone().many(),
                    _ => inside.many(),
                }
            }
            (_, "enumerate") => Ty::Tuple(vec![Ty::Unknown, inside]).many(),
            (_, "collect" | "try_collect") => match given.first() {
                Some(given) if *given != Ty::Unknown && !given.mentions("_") => {
                    self.unify(given, receiver);
                    self.resolved(given)
                }
                _ if want.is_unknown() => receiver.clone(),
                _ => want.clone(),
            },
            (_, name) if is_many && ELEMENT.contains(&name) => inside,
            (_, name) if MAPPING.contains(&name) => {
                if is_many && name != "find_map" {
                    result().many()
                } else {
                    result()
                }
            }
            (_, name) if VISITING.contains(&name) => receiver.clone(),
            (
                Ty::Str(_)
                | Ty::Ext(..)
                | Ty::Own(..)
                | Ty::Tuple(_)
                | Ty::Var(_)
                | Ty::Resource { .. },
                name,
            ) if UNCHANGED.contains(&name) => {
                if is_many && matches!(name, "iter" | "into_iter") {
                    return inside.many();
                }
                receiver.clone()
            }
            _ => Ty::Unknown,
        }
    }
}

/// Reports whether the context expects another type than `path`.
fn want_is_other(want: &Ty, path: &str) -> bool {
    matches!(want, Ty::Own(..)) || matches!(want, Ty::Ext(wanted, _) if wanted != path)
}
