//! Tests of the import of CRDs: the code for each schema construct, rejected inputs, samples, and
//! quoted YAML.

use serde_json::{Value, json};

use super::refuse::refusals;
use super::*;

/// Returns a CRD with these fields in its spec.
fn crd(fields: &Value) -> Imported {
    let json = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "cows.my.domain"},
        "spec": {
            "group": "my.domain",
            "names": {"kind": "Cow", "plural": "cows"},
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
                    "spec": {"type": "object", "properties": fields},
                }}},
            }],
        },
    });
    read_crds(&json.to_string(), "a test").unwrap().remove(0)
}

fn kind<'a>(crd: &'a Imported, called: RustNames<'a>, shares: Option<&'a str>) -> ImportedKind<'a> {
    ImportedKind {
        crd,
        version: &crd.versions()[0],
        rust_names: called,
        shares,
    }
}

fn written(fields: &Value) -> (String, Value) {
    let crd = crd(fields);
    let called = RustNames {
        root: "Cow",
        stem: "Cow",
        module: "cow",
    };
    let file = generate_files(&[kind(&crd, called, None)]).remove(0);
    let schemas = file
        .schemas
        .map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
    (file.rust, schemas)
}

/// Returns the generated code of a field: its attributes and its type.
fn field(schema: &Value) -> String {
    let (rust, _) = written(&json!({"a": schema}));
    let at = rust.find("pub struct CowSpec {\n").unwrap();
    let body = &rust[at..];
    let body = &body[body.find('\n').unwrap() + 1..body.find("\n}\n").unwrap()];
    let lines = body.lines().map(str::trim);
    let skip = "#[serde(skip_serializing_if = \"Option::is_none\")]";
    lines
        .filter(|line| *line != skip)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_field_has_its_type_and_what_that_does_not_say() {
    let cases = [
        (json!({"type": "string"}), "pub a: Option<String>,"),
        (
            json!({"type": "integer", "format": "int32"}),
            "pub a: Option<i32>,",
        ),
        (
            json!({"type": "integer"}),
            r#"#[schemars(with = "Option<schema::Integer>")] pub a: Option<i64>,"#,
        ),
        (
            json!({"type": "number"}),
            r#"#[schemars(with = "Option<schema::Number>")] pub a: Option<f64>,"#,
        ),
        (
            json!({"type": "string", "format": "byte"}),
            r#"#[schemars(extend("format" = "byte"))] pub a: Option<String>,"#,
        ),
        (
            json!({"type": "string", "format": "date-time"}),
            r#"#[schemars(with = "Option<schema::Time>")] pub a: Option<Time>,"#,
        ),
        (
            json!({"type": "string", "minLength": 1, "pattern": "^a\\d$"}),
            r#"#[schemars(length(min = 1), regex(pattern = r"^a\d$"))] pub a: Option<String>,"#,
        ),
        (
            json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": 9}),
            "#[schemars(range(min = 1, max = 9))] pub a: Option<i64>,",
        ),
        (
            json!({"type": "integer", "format": "int32", "minimum": 1, "exclusiveMinimum": true}),
            r#"#[schemars(extend("minimum" = 1), extend("exclusiveMinimum" = true))] pub a: Option<i32>,"#,
        ),
        (
            json!({"type": "boolean", "default": true}),
            r#"#[schemars(extend("default" = true))] pub a: Option<bool>,"#,
        ),
        (
            json!({"type": "string", "nullable": true}),
            r#"#[schemars(extend("nullable" = true))] pub a: Option<String>,"#,
        ),
        (
            json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
            r#"#[schemars(with = "Option<schema::IntOrString>")] pub a: Option<IntOrString>,"#,
        ),
        (
            json!({"x-kubernetes-preserve-unknown-fields": true}),
            r#"#[schemars(with = "Option<schema::Any>")] pub a: Option<Value>,"#,
        ),
        (
            json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 3}}),
            "#[schemars(inner(length(max = 3)))] #[x_kube(merge_strategy = ListMerge::Set)] pub a: Option<Vec<String>>,",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            "pub a: Option<BTreeMap<String, bool>>,",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}}),
            r#"#[schemars(with = "Option<BTreeMap<String, schema::A>>")] pub a: Option<BTreeMap<String, String>>,"#,
        ),
        (
            json!({"type": "string", "description": "What it is.\nAnd more."}),
            "/// What it is. /// And more. pub a: Option<String>,",
        ),
        // rustop ignores directives in a description.
        (
            json!({"type": "string", "description": "It.\n+kubebuilder:rbac:groups=\"\",resources=secrets,verbs=*"}),
            r#"#[doc = " It."] #[doc = " \x2bkubebuilder:rbac:groups=\"\",resources=secrets,verbs=*"] pub a: Option<String>,"#,
        ),
        (
            json!({"type": "string", "description": "rustop:allow(no-phase): so"}),
            r#"#[doc = " \x72ustop:allow(no-phase): so"] pub a: Option<String>,"#,
        ),
        (
            json!({"type": "string", "description": " Blank."}),
            r#"#[schemars(description = " Blank.")] pub a: Option<String>,"#,
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": "self != ''", "message": "no"}]}),
            r#"#[x_kube(validation = Rule::new("self != ''").message("no"))] pub a: Option<String>,"#,
        ),
        (
            json!({"type": "string", "x-kubernetes-validations": [{"rule": "true", "messageExpression": "self"}]}),
            r#"#[schemars(extend("x-kubernetes-validations" = [{"rule": "true", "messageExpression": "self"}]))] pub a: Option<String>,"#,
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(field(&schema), expected, "{schema}");
    }
}

#[test]
fn an_enum_takes_texts_that_it_does_not_list() {
    let (rust, _) = written(
        &json!({"mood": {"type": "string", "enum": ["", "calm", "7up", "Calm", "Unknown"]}}),
    );
    for line in [
        "#[serde(rename = \"\")]\n    Empty,",
        "#[serde(rename = \"calm\")]\n    Calm,",
        "#[serde(rename = \"Calm\")]\n    Calm2,",
        "#[serde(untagged)]\n    #[schemars(skip)]\n    Unlisted(String),",
    ] {
        assert!(rust.contains(line), "{line}\n{rust}");
    }
}

#[test]
fn a_struct_has_a_short_name_and_is_written_once() {
    let reference = json!({"type": "object", "properties": {"key": {"type": "string"}, "of": {"type": "string"}}});
    let other = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let (rust, _) = written(&json!({
        "secret": reference,
        "more": {"type": "array", "items": reference},
        "deep": {"type": "object", "properties": {"secret": other, "rule": other}},
    }));
    assert_eq!(rust.matches("pub struct ").count(), 4, "{rust}");
    assert!(
        rust.contains("pub secret: Option<Secret>,")
            && rust.contains("pub more: Option<Vec<Secret>>,"),
        "{rust}"
    );
    assert!(rust.contains("pub secret: Option<DeepSecret>,"), "{rust}");
}

/// Returns the generated files for kinds named Cow, Calf and Ox with these fields in their specs,
/// in these modules.
fn herd(specs: [&Value; 3], modules: [Option<&str>; 3]) -> Vec<GeneratedTypes> {
    let crds = specs.map(crd);
    let called = |root, module| RustNames {
        root,
        stem: root,
        module,
    };
    generate_files(&[
        kind(&crds[0], called("Cow", "cow"), modules[0]),
        kind(&crds[1], called("Calf", "calf"), modules[1]),
        kind(&crds[2], called("Ox", "ox"), modules[2]),
    ])
}

#[test]
fn a_struct_of_several_kinds_is_written_once() {
    let bell = json!({"type": "object", "properties": {
        "tone": {"type": "string", "enum": ["low", "high"]},
        "strap": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 5}},
    }});
    let tail = json!({"type": "object", "properties": {"length": {"type": "integer"}}});
    let mut other = tail.clone();
    other["properties"]["length"]["description"] = "In feet.".into();
    let [cow, calf, ox] = [
        json!({"bell": bell, "tail": tail}),
        json!({"toys": {"type": "array", "items": bell}, "tail": other}),
        json!({"pair": {"type": "object", "properties": {"bell": bell, "tail": other}}}),
    ];
    let all = herd([&cow, &calf, &ox], [Some("v1"); 3]);
    let has = |at: usize, text: &str| assert!(all[at].rust.contains(text), "{}", all[at].rust);
    let lacks = |at: usize, text: &str| assert!(!all[at].rust.contains(text), "{}", all[at].rust);
    has(0, "pub struct Bell {");
    has(0, "pub enum Tone {");
    has(1, "use super::cow::Bell;\n");
    has(1, "pub toys: Option<Vec<Bell>>,");
    // A shared type is defined only once, including its schemas.
    for name in ["pub enum Tone", "pub struct Bell", "mod schema", "Tone;"] {
        lacks(1, name);
        lacks(2, name);
    }
    assert!(all[0].schemas.is_some() && all[1].schemas.is_none());
    // Types with different descriptions are different types.
    has(1, "pub struct Tail {");
    has(2, "use super::calf::Tail;\nuse super::cow::Bell;\n");
    // Kinds in different modules do not share types.
    for modules in [
        [Some("v1"), Some("v2"), None],
        [None, Some("v1"), Some("v2")],
    ] {
        let alone = herd([&cow, &calf, &ox], modules);
        for file in &alone {
            assert!(!file.rust.contains("super::"), "{}", file.rust);
        }
    }
}

#[test]
fn a_shared_type_has_the_name_it_has_or_is_not_shared() {
    let spec = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let [cow, calf, ox] = [
        json!({"ox": spec, "tail": {"type": "object", "properties": {"ox": {"type": "string"}}}}),
        json!({}),
        json!({"mate": spec, "tail": {"type": "object", "properties": {"ox": {"type": "string"}}}}),
    ];
    let all = herd([&cow, &calf, &ox], [Some("v1"); 3]);
    assert!(all[0].rust.contains("pub struct Ox {"), "{}", all[0].rust);
    assert!(all[2].rust.contains("pub struct Mate {"), "{}", all[2].rust);
    assert!(
        all[2].rust.contains("use super::cow::Tail;"),
        "{}",
        all[2].rust
    );
}

#[test]
fn a_copy_of_one_of_kubernetes_types_is_that_type() {
    let selector = json!({
        "description": "Which cows.",
        "type": "object",
        "x-kubernetes-map-type": "atomic",
        "properties": {
            "matchLabels": {
                "description": "matchLabels is a map of {key,value} pairs. A single {key,value} in the matchLabels map is equivalent",
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
        },
    });
    let (rust, schemas) = written(&json!({"selector": selector}));
    assert!(
        rust.contains("pub selector: Option<v1::LabelSelector>,")
            || rust.contains("pub selector: Option<meta::LabelSelector>,"),
        "{rust}"
    );
    assert_eq!(schemas["LabelSelector"]["x-kubernetes-map-type"], "atomic");
    assert_eq!(schemas["LabelSelector"].get("description"), None);
    // A schema that only resembles a Kubernetes type becomes a struct.
    let own = json!({"type": "object", "properties": {"matchLabels": {"type": "object", "additionalProperties": {"type": "string"}}}});
    assert!(
        written(&json!({"selector": own}))
            .0
            .contains("pub struct Selector {")
    );
}

#[test]
fn fields_are_called_as_rust_calls_them() {
    let text = json!({"type": "string"});
    let (rust, _) = written(
        &json!({"type": text, "self": text, "podIP": text, "pod_ip": text, "10x": text, "matchLabels": text}),
    );
    for line in [
        "pub r#type: Option<String>,",
        "#[serde(skip_serializing_if = \"Option::is_none\")]\n    pub self_: Option<String>,",
        "pub pod_ip: Option<String>,",
        "pub pod_ip_2: Option<String>,",
        "pub _10x: Option<String>,",
        "pub match_labels: Option<String>,",
    ] {
        assert!(rust.contains(line), "{line}\n{rust}");
    }
}

#[test]
fn what_is_no_crd_is_told_apart() {
    let error = |text: &str| read_crds(text, "x.yaml").unwrap_err().to_string();
    assert!(error("<!DOCTYPE html><html>").contains("web page"));
    assert!(error("kind: Pod\n---\nkind: Service\n").contains("Pod, Service"));
    assert!(error("").contains("it contains nothing"));
    assert!(error("a: [").contains("cannot be read as YAML or JSON"));
    let whole = crd(&json!({})).json;
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut crd = whole.clone();
        change(&mut crd);
        error(&crd.to_string())
    };
    assert!(
        broken(&|crd| crd["apiVersion"] = "apiextensions.k8s.io/v1beta1".into())
            .contains("Kubernetes 1.22 removed")
    );
    assert!(
        broken(&|crd| crd["apiVersion"] = "apiextensions.k8s.io/v2".into())
            .contains("its apiVersion is `apiextensions.k8s.io/v2`, not apiextensions.k8s.io/v1")
    );
    assert!(
        broken(&|crd| crd["metadata"]["name"] = "cows".into())
            .contains("must be named `cows.my.domain`")
    );
    assert!(
        broken(&|crd| crd["spec"]["versions"][0]["schema"] = Value::Null).contains("has no schema")
    );
    assert!(
        broken(&|crd| crd["spec"]["versions"][0]["storage"] = false.into())
            .contains("none of its versions is stored")
    );
    assert!(
        broken(&|crd| crd["spec"]["scope"] = "Clustered".into())
            .contains(r#"its scope is "Clustered", neither"#)
    );
    assert!(
        broken(&|crd| {
            let mut version = crd["spec"]["versions"][0].clone();
            version["storage"] = false.into();
            crd["spec"]["versions"]
                .as_array_mut()
                .unwrap()
                .push(version);
        })
        .contains("a version v1 twice")
    );
    assert!(
        broken(&|crd| {
            crd["spec"]["group"] = "my".into();
            crd["metadata"]["name"] = "cows.my".into();
        })
        .contains("`my` has no dot")
    );
}

#[test]
fn a_limit_of_an_enum_in_a_list_is_no_word_of_schemars() {
    let moods =
        json!({"type": "string", "enum": ["Calm", "Wild"], "maxLength": 4, "pattern": "^."});
    let (text, _) = written(&json!({"moods": {"type": "array", "items": moods}}));
    let expected = r#"#[schemars(extend("maxLength" = 4), extend("pattern" = "^."))]"#;
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("length("), "{text}");
}

#[test]
fn a_crd_that_is_there_twice_is_one_or_none() {
    let one = crd(&json!({})).json;
    let other = crd(&json!({"size": {"type": "integer"}})).json;
    assert_eq!(
        read_crds(&format!("{one}{one}"), "x.json").unwrap().len(),
        1
    );
    let error = read_crds(&format!("{one}{other}"), "x.json").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("x.json has it twice, and not the same"),
        "{error}"
    );
}

#[test]
fn what_no_type_says_is_refused_with_its_place() {
    let crd = crd(&json!({
        "a": {"type": "array", "items": {"type": "object", "properties": {"b": {"description": "no type"}}}},
        "c": {"type": "object", "properties": {"d": {"type": "string"}}, "additionalProperties": {"type": "string"}},
        "e": {"type": "text"},
    }));
    let found: Vec<_> = refusals(&crd, &[])
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        found,
        [
            "v1.spec.a[].b: type: the schema is not structural: every place must have a type",
            "v1.spec.c: additionalProperties: the schema is not structural: it has properties, too",
            "v1.spec.e: type: a CRD has no such type",
        ]
    );
    let allowed = ["v1.spec.a[].b", "v1.spec.c", "v1.spec.e"].map(str::to_owned);
    assert!(refusals(&crd, &allowed).is_empty());
}

#[test]
fn a_sample_has_what_it_must_have() {
    let mut crd = crd(&json!({
        "size": {"type": "integer", "minimum": 3},
        "mood": {"type": "string", "enum": ["", "calm"]},
        "name": {"type": "string", "pattern": "^v\\d"},
        "other": {"type": "string"},
    }));
    crd.json["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] =
        json!(["size", "mood", "name"]);
    let made = sample(&crd, &crd.versions()[0], "cow-sample");
    assert_eq!(
        made["spec"],
        json!({"size": 3, "mood": "calm", "name": "v1.2.3"})
    );
}

#[test]
fn a_quoted_text_may_go_on_at_any_column() {
    let crd = |text: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: hens.b.org\n\
             spec:\n  group: b.org\n  scope: Namespaced\n  names: {{kind: Hen, plural: hens}}\n  versions:\n  \
             - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        \
             type: object\n        description: {text}\n"
        )
    };
    let lax = crd("'One: \n  two, it''s # no comment\nthree\n  \n   - four'");
    let input = format!(
        "{lax}---\n{}",
        lax.replace("Hen", "Cock").replace("hens", "cocks")
    );
    let crds = read_crds(&input, "hens.yaml").unwrap();
    assert_eq!(crds.len(), 2);
    let said = &crds[1].versions()[0]["schema"]["openAPIV3Schema"]["description"];
    assert_eq!(said, "One: two, it's # no comment three\n- four");
    // An error after the scalar is reported with its line in the file.
    let error = read_crds(&format!("{input}---\na: [\n"), "hens.yaml").unwrap_err();
    assert!(error.to_string().contains("line 4"), "{error}");
}

#[test]
fn a_copy_that_leaves_out_what_kubernetes_type_needs_is_a_type_of_its_own() {
    let condition = |required: &str| {
        let text = format!(
            r#"{{"type": "object", "required": [{required}], "properties": {{
                "type": {{"type": "string", "description": "type of condition in CamelCase."}},
                "status": {{"type": "string", "description": "status of the condition, one of True, False, Unknown."}},
                "lastTransitionTime": {{"type": "string", "format": "date-time",
                  "description": "lastTransitionTime is the last time the condition transitioned from one status"}}}}}}"#
        );
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let known = kubernetes::recognize(&condition(r#""type", "status", "lastTransitionTime""#));
    assert!(
        known.is_some_and(kubernetes::Known::is_condition),
        "{known:?}"
    );
    let known = kubernetes::recognize(&condition(r#""type", "status""#));
    assert!(
        !known.is_some_and(kubernetes::Known::is_condition),
        "{known:?}"
    );
}

#[test]
fn a_status_may_be_any_value() {
    let cases = [
        (
            json!({"x-kubernetes-preserve-unknown-fields": true}),
            "    #[schemars(with = \"schema::Any\")]\n    pub value: Value,\n",
        ),
        (
            json!({"type": "array", "maxItems": 2, "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
            "    #[schemars(length(max = 2), extend(\"x-kubernetes-list-type\" = \"set\"))]\n    pub value: Vec<String>,\n",
        ),
        (
            json!({"type": "string", "enum": ["On", "Off"]}),
            "    pub value: Status,\n",
        ),
        (
            json!({"type": "boolean", "description": "Whether it is milked."}),
            "    pub value: bool,\n",
        ),
    ];
    for (status, field) in cases {
        let mut crd = crd(&json!({}));
        crd.json["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] =
            status.clone();
        assert!(refusals(&crd, &[]).is_empty(), "{status}");
        let called = RustNames {
            root: "Cow",
            stem: "Cow",
            module: "cow",
        };
        let text = generate_files(&[kind(&crd, called, None)]).remove(0).rust;
        let expected = format!("#[serde(transparent)]\npub struct CowStatus {{\n{field}}}\n");
        assert!(text.contains(&expected), "{status}\n{text}");
        assert!(text.contains("    status = \"CowStatus\",\n"), "{text}");
        if let Some(description) = status["description"].as_str() {
            assert!(
                text.contains(&format!("\n/// {description}\n#[derive(")),
                "{text}"
            );
        }
    }
}

#[test]
fn words_that_rust_reserves_and_letters_of_any_script_become_names() {
    let (rust, _) = written(&json!({
        "self": {"type": "object", "properties": {"größe": {"type": "string"}}},
        "self_": {"type": "string"},
        "日本": {"type": "string"},
        "a²": {"type": "string"},
        "٣": {"type": "object", "properties": {"b": {"type": "string"}}},
        "naïve": {"type": "string", "enum": ["größe", "日本", "naïve", "٣", "²"]},
        "東京": {"type": "object", "properties": {"c": {"type": "string"}}},
        "überGröße": {"type": "object", "properties": {"d": {"type": "string"}}},
    }));
    for line in [
        "pub self_: Option<SpecSelf>,",
        "pub self__2: Option<String>,",
        "pub struct SpecSelf {",
        "pub größe: Option<String>,",
        "#[serde(rename = \"日本\", skip_serializing_if = \"Option::is_none\")]\n    pub 日本: Option<String>,",
        "pub a: Option<String>,",
        "pub _٣: Option<N٣>,",
        "pub struct N٣ {",
        "pub enum Naïve {",
        "    Größe,\n",
        "    日本,\n",
        "    Naïve,\n",
        "    V٣,\n",
        "    Value,\n",
        "pub struct 東京 {",
        "pub über_größe: Option<ÜberGröße>,",
    ] {
        assert!(rust.contains(line), "{line} is not in {rust}");
    }
    syn::parse_file(&rust).unwrap();
}

#[test]
fn null_among_the_values_of_an_enum_is_put_back_by_the_patch() {
    let (rust, _) = written(&json!({
        "maybe": {"type": "string", "nullable": true, "enum": ["a", "b", null]},
    }));
    assert!(rust.contains("pub maybe: Option<Maybe>,"), "{rust}");
    assert!(
        rust.contains(r#""maybe": {"enum": ["a", "b", null]}"#),
        "{rust}"
    );
}

#[test]
fn a_struct_may_have_any_other_field() {
    let fields = json!({
        "open": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true},
    });
    assert!(refusals(&crd(&fields), &[]).is_empty());
    let (rust, _) = written(&fields);
    assert!(
        rust.contains("#[schemars(extend(\"additionalProperties\" = true))]"),
        "{rust}"
    );
    assert!(rust.contains("#[serde(flatten)]"), "{rust}");
}

#[test]
fn a_made_up_description_is_put_back_by_the_patch() {
    let mut crd = crd(&json!({}));
    let text = "Auto-generated derived type for CowSpec via `CustomResource`";
    crd.json["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = json!(text);
    let called = RustNames {
        root: "Cow",
        stem: "Cow",
        module: "cow",
    };
    let rust = generate_files(&[kind(&crd, called, None)]).remove(0).rust;
    assert!(!rust.contains("doc = "), "{rust}");
    assert!(
        rust.contains(&format!("\"description\": \"{text}\"")),
        "{rust}"
    );
}

#[test]
fn characters_of_direction_in_a_description_are_escaped() {
    let (rust, _) = written(&json!({
        "race": {"type": "string", "description": "a \u{202e}b"},
        "Self": {"type": "object", "properties": {"a": {"type": "string"}}},
    }));
    assert!(!rust.contains('\u{202e}'), "{rust}");
    assert!(rust.contains("\\u{202e}"), "{rust}");
    assert!(rust.contains("#[serde(rename = \"Self\""), "{rust}");
    assert!(!rust.contains("pub struct Self "), "{rust}");
}
