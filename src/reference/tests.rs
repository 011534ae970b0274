//! The references of CRDs with hostile texts, and of two versions.

use serde_json::{Value, json};

use super::*;
use crate::rbac::rule::Rule;
use crate::sources::conditions::{self, Conditions};

/// A CRD with two versions. The newer one has the given schema of the spec.
fn crd(spec: &Value) -> Value {
    let version = |name: &str, is_new: bool, spec: &Value| {
        json!({
            "name": name, "served": true, "storage": is_new, "deprecated": !is_new,
            "deprecationWarning": "use v1",
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size"}},
            "additionalPrinterColumns": [
                {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1},
            ],
            "selectableFields": [{"jsonPath": ".spec.size"}],
            "schema": {"openAPIV3Schema": {
                "type": "object", "title": "Cow", "description": "A cow.",
                "required": ["spec"],
                "properties": {"spec": spec},
            }},
        })
    };
    let old = json!({"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1, "default": 1},
        "gone": {"type": "object", "properties": {"inside": {"type": "string"}}},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "cows.farm.x"},
        "spec": {
            "group": "farm.x", "scope": "Namespaced",
            "names": {"kind": "Cow", "plural": "cows", "singular": "cow", "shortNames": ["c"],
                "categories": ["all"]},
            "versions": [version("v1beta1", false, &old), version("v1", true, spec)],
        },
    })
}

fn input(spec: &Value) -> Input {
    Input {
        crds: vec![crd(spec)],
        ..Input::default()
    }
}

fn markdown(spec: &Value) -> String {
    render(&input(spec), Format::Markdown, KubernetesTypes::Linked).unwrap()
}

/// Returns the row of a field in the newer version.
fn row(text: &str, field: &str) -> String {
    let name = format!("`{field}` |");
    let row = text.lines().find(|line| line.contains(&name));
    let row = row.unwrap_or_else(|| panic!("no row of {field} in {text}"));
    let row = row.rsplit("</a>").next().unwrap();
    row.trim_start_matches("| ").to_owned()
}

fn field(schema: &Value) -> String {
    let text = markdown(&json!({"type": "object", "properties": {"f": schema}}));
    row(&text, "f")
}

#[test]
fn a_field_has_its_type_default_and_limits() {
    for (schema, expected) in [
        (json!({"type": "string"}), "`f` | `string` |  |  |  |"),
        (
            json!({"type": "integer", "format": "int32", "minimum": 1.0, "exclusiveMinimum": true,
                "default": 2, "description": "Says `a|b`."}),
            "`f` | `integer (int32)` | Says <code>a&#124;b</code>. | `2` | Minimum: `1`<br />Minimum is exclusive |",
        ),
        (
            json!({"type": "string", "enum": ["A", "", "1", 1], "default": "1"}),
            "`f` | `string` |  | `\"1\"` | Enum: `A`, `\"\"`, `\"1\"`, `1` |",
        ),
        (
            json!({"type": "string", "enum": [" a", "b  c", "b c", "d\n"], "default": "e\tf"}),
            "`f` | `string` |  | `\"e\\tf\"` | Enum: `\" a\"`, `\"b  c\"`, `b c`, `\"d\\n\"` |",
        ),
        (
            json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]}),
            "`f` | `int-or-string` |  |  |  |",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "array", "maxItems": 3,
                "items": {"type": "string", "maxLength": 5}}}),
            "`f` | `map[string][]string` |  |  | Max items (each value): `3`<br />Max length (each item of each value): `5` |",
        ),
        (
            json!({"x-kubernetes-preserve-unknown-fields": true, "nullable": true}),
            "`f` | `any` |  |  | Nullable<br />Unknown fields are stored |",
        ),
        (
            json!({"type": "string", "title": "Name of a|b",
                "externalDocs": {"description": "names", "url": "https://x.y/z"}}),
            "`f` | `string` |  |  | Title: Name of a&#124;b<br />See: names: <https://x.y/z> |",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
            "`f` | `[]string` |  |  | List type: `set` |",
        ),
        (
            json!({"type": "string", "allOf": [{"maxLength": 3}], "not": {"enum": ["x"]}}),
            "`f` | `string` |  |  | Must not match: (Enum: `x`)<br />Max length: `3` |",
        ),
        (
            json!({"x-kubernetes-int-or-string": true, "allOf": [
                {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                {"anyOf": [{"type": "integer", "minimum": 1}, {"pattern": "%$"}]},
            ]}),
            "`f` | `int-or-string` |  |  | At least one of: (Type: `integer` and Minimum: `1`), (Pattern: `%$`) |",
        ),
        (
            json!({"type": "array", "items": {"type": "string", "oneOf": [
                {"format": "ipv4"},
                {"anyOf": [{"enum": ["a", "b"]}, {"not": {"maxLength": 5}}]},
                {},
            ]}}),
            "`f` | `[]string` |  |  | Exactly one of (each item): (Format: `ipv4`), \
             (At least one of: (Enum: `a`, `b`), (Must not match: (Max length: `5`))), (anything) |",
        ),
        (
            json!({"type": "object", "allOf": [{"required": ["a"]}], "anyOf": [
                {"required": ["a", "b"]},
                {"required": ["kind"], "properties": {"kind": {"enum": ["A"]},
                    "list": {"items": {"maxLength": 3, "properties": {"x": {"minimum": 1}}}}}},
                {"not": {"required": ["b"]}},
            ]}),
            "`f` | `object` |  |  | At least one of: `a + b`, \
             (Required: `kind` and Enum (kind): `A` and Max length (each item of list): `3` \
             and Minimum (x of each item of list): `1`), (Must not match: `b`)<br />Required: `a` |",
        ),
    ] {
        assert_eq!(field(&schema), expected, "{schema}");
    }
}

#[test]
fn rules_stand_where_they_apply() {
    let text = markdown(&json!({
        "type": "object",
        "x-kubernetes-validations": [{"rule": "has(self.list)\n  || true", "message": "needs a list"}],
        "oneOf": [{"required": ["list"]}, {"required": ["a", "b"]}],
        "properties": {
            "name": {"type": "string", "x-kubernetes-validations": [
                {"rule": "self == oldSelf", "message": "cannot change"},
                {"rule": "oldSelf != ''", "messageExpression": "'was ' + oldSelf",
                    "reason": "FieldValueForbidden"},
            ]},
            "list": {"type": "array", "maxItems": 2, "items": {"type": "object",
                "x-kubernetes-validations": [{"rule": "self.a > 0"}],
                "properties": {"a": {"type": "integer"}}}},
        },
    }));
    let spec = text.split("#### `spec`\n").nth(1).unwrap();
    let notes = "\n- Exactly one of: `list`, `a + b`\n- Rule: needs a list: <code>has(self.list) &#124;&#124; true</code>\n\n| Field";
    assert!(spec.starts_with(notes), "{spec}");
    assert_eq!(
        row(&text, "name"),
        "`name` | `string` |  |  | Immutable: cannot change: `self == oldSelf`<br />\
         Rule for updates: `oldSelf != ''`, message: `'was ' + oldSelf`, \
         reason `FieldValueForbidden` |"
    );
    assert_eq!(
        row(&text, "list"),
        "`list` | [`[]object`](#cow.v1.spec.list) |  |  | Max items: `2` |"
    );
    let items = "<a id=\"cow.v1.spec.list\"></a>\n\n#### `spec.list[]`\n\n- Rule: `self.a > 0`\n\n";
    assert!(text.contains(items), "{text}");
}

#[test]
fn items_and_values_have_descriptions() {
    let described = |inner: Value| json!({"type": "array", "description": "All.", "items": inner});
    let names = described(json!({"type": "string", "description": "A name."}));
    assert_eq!(
        field(&names),
        "`f` | `[]string` | All.<br />each item: A name. |  |  |"
    );
    let solvers = described(
        json!({"type": "object", "description": "A solver.", "properties": {"a": {"type": "string"}}}),
    );
    let text = markdown(&json!({"type": "object", "properties": {"f": solvers}}));
    assert!(text.contains("#### `spec.f[]`\n\nA solver.\n\n"), "{text}");
    assert!(row(&text, "f").contains("| All. |"), "{text}");
}

#[test]
fn the_order_of_the_fields_in_a_crd_does_not_matter() {
    let field = json!({"type": "string", "default": "a"});
    let spec = |names: [&str; 2]| {
        let fields = names.map(|name| (name.to_owned(), field.clone()));
        json!({"type": "object", "properties": serde_json::Map::from_iter(fields)})
    };
    assert_eq!(markdown(&spec(["a", "b"])), markdown(&spec(["b", "a"])));
}

/// Returns the schema of a type of k8s-openapi, as a CRD contains it.
fn schema_of<T: schemars::JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::openapi3();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    // Only the schema of a whole document has one.
    schema.as_object_mut().unwrap().remove("title");
    schema
}

#[test]
fn types_of_kubernetes_are_linked_or_follow_the_fields_of_the_kind() {
    use k8s_openapi::api::{core::v1 as core, networking::v1 as networking};
    let mut template = schema_of::<core::PodTemplateSpec>();
    template["nullable"] = true.into();
    let mut restricted = schema_of::<core::LocalObjectReference>();
    restricted["properties"]["name"]["maxLength"] = 9.into();
    let spec = json!({"type": "object", "properties": {
        "image": schema_of::<networking::IngressTLS>(),
        "pods": {"type": "array", "maxItems": 2, "items": template},
        "small": {"type": "object", "properties": {"key": {"type": "string"}, "name": {"type": "string"}}},
        "times": {"type": "object", "properties": {"hour": {"type": "integer"}}},
        "token": restricted,
    }});
    let text = markdown(&spec);
    let url = "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.37/#";
    let pods = row(&text, "pods");
    let start = format!("`pods` | [`[]PodTemplateSpec`]({url}podtemplatespec-v1-core) | ");
    assert!(pods.starts_with(&start), "{pods}");
    assert!(
        pods.contains("|  |  | Max items: `2`<br />Nullable"),
        "{pods}"
    );
    assert!(!text.contains("Title: "), "the title is the kind: {text}");
    assert!(row(&text, "image").contains(&format!("({url}ingresstls-v1-networking-k8s-io)")));
    for own in ["`spec.small`", "`spec.times`", "`spec.token`"] {
        assert!(text.contains(&format!("#### {own}\n")), "{own} in {text}");
    }
    assert!(!text.contains("spec.pods[]"), "{text}");
    assert_eq!(KubernetesTypes::in_file(&text), KubernetesTypes::Linked);

    let text = render(&input(&spec), Format::Markdown, KubernetesTypes::Expanded).unwrap();
    let place = |heading: &str| text.find(&format!("#### `{heading}`\n"));
    let containers = place("spec.pods[].spec.containers[]").unwrap();
    assert!(place("spec.times").unwrap() < containers && place("spec.token").unwrap() < containers);
    assert!(row(&text, "pods").starts_with("`pods` | [`[]PodTemplateSpec`](#cow.v1.spec.pods) |"));
    for format in Format::ALL {
        let text = render(&input(&spec), format, KubernetesTypes::Expanded).unwrap();
        assert_eq!(KubernetesTypes::in_file(&text), KubernetesTypes::Expanded);
    }
}

#[test]
fn versions_are_compared() {
    let text = markdown(
        &json!({"type": "object", "required": ["size", "must", "set"], "properties": {
            "size": {"type": "integer", "minimum": 2},
            "new": {"type": "object", "properties": {"inside": {"type": "string"}}},
            "must": {"type": "string"},
            "set": {"type": "string", "default": "by the API server"},
        }}),
    );
    assert_eq!(row(&text, "must"), "`must` | `string` |  |  | Required |");
    assert_eq!(
        row(&text, "set"),
        "`set` | `string` |  | `by the API server` |  |"
    );
    let order = text.find("### Cow v1\n").unwrap() < text.find("### Cow v1beta1\n").unwrap();
    assert!(order, "the newest version is first: {text}");
    let versions =
        "| [`v1`](#cow.v1) | yes | yes | no |\n| [`v1beta1`](#cow.v1beta1) | yes | no | use v1 |\n";
    assert!(text.contains(versions), "{text}");
    let changes = "#### Changes since v1beta1

| Field | Change |
| --- | --- |
| `spec.gone` | Removed |
| `spec.must` | Added, required |
| `spec.new` | Added |
| `spec.set` | Added |
| `spec.size` | Now required<br />Removed default: `1`<br />New: Minimum: `2`<br />Removed: Minimum: `1` |
";
    assert!(text.contains(changes), "{text}");
    assert_eq!(text.matches("Changes since").count(), 1);
}

#[test]
fn kinds_have_names_columns_samples_conditions_and_permissions() {
    let controller = "fn f() -> Controller<Cow> { Controller::new(g).conditions(h) }\n\
        fn g() { condition::true_because(\"Ready\", \"Grazing\", \"on the meadow\") }";
    let mut input = input(&json!({"type": "object"}));
    let file = conditions::find("src/cow.rs".as_ref(), controller);
    input.conditions = Conditions::of(file);
    let other = "apiVersion: farm.x/v1\nkind: Calf".to_owned();
    let sample =
        "# A cow.\napiVersion: farm.x/v1\nkind: Cow\n# TODO(user): set a.\nspec: {a: '```'}";
    let sample = sample.to_owned();
    input.samples = vec![other, sample];
    input.permissions = vec![Rule {
        groups: vec![String::new(), "apps".to_owned()],
        resources: vec!["pods".to_owned()],
        verbs: vec!["get".to_owned()],
        ..Rule::default()
    }];
    let text = render(&input, Format::Markdown, KubernetesTypes::Linked).unwrap();
    for part in [
        "- Names: `cows`, `cow`\n- Short names: `c`\n- Categories: `all`\n",
        "Subresources: `scale` (specReplicasPath: `.spec.size`), `status`\n",
        "| Size (with `-o wide`) | integer | `.spec.size` |  |\n",
        "#### Field selectors\n\n`spec.size`\n",
        "````yaml\n# A cow.\napiVersion: farm.x/v1\nkind: Cow\nspec: {a: '```'}\n````\n",
        "| `Ready` | `True` | `Grazing` | on the meadow |\n",
        "After an error, `Ready` is `False`",
        "| `core`, `apps` | `pods` | `get` |  |  |\n",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("Calf"), "{text}");
}

/// A CRD in which every text is markup or tries to end the cell, the line or the document that it
/// is in.
fn hostile() -> Value {
    let evil = "<script>alert(1)</script> | x | y\n\n# no heading\n- *item* `a|b` **b** [l](javascript:x) \
        {{#include /etc/passwd}} {% raw %} $x$ ~~s~~ --> \u{202e}abc\u{7} https://a.b/c_d|e \\| & <br/>";
    let mut schema = json!({"type": "object", "description": evil, "properties": {}});
    for name in [
        "a|b",
        "<b>",
        "a`b",
        "é\u{202e}",
        "a b",
        "a-b",
        "{{x}}",
        "a\nb",
        "a[]",
    ] {
        schema["properties"][name] = json!({
            "type": "string", "description": evil, "default": evil, "pattern": "^(a|`b)\\|$",
            "enum": [evil, "`", " a "],
            "x-kubernetes-validations": [{"rule": "self != '|`'", "message": evil}],
        });
    }
    schema
}

/// Returns the number of cells of each row, which must be that of its head.
fn check_tables(text: &str) {
    let mut columns = None;
    let mut is_fenced = false;
    for line in text.lines() {
        is_fenced ^= line.starts_with("```");
        if is_fenced || !line.starts_with('|') {
            columns = None;
            continue;
        }
        let bars = line.matches('|').count();
        assert_eq!(*columns.get_or_insert(bars), bars, "{line}");
        assert!(line.ends_with(" |"), "{line}");
    }
}

#[test]
fn no_text_becomes_markdown() {
    let text = markdown(&hostile());
    check_tables(&text);
    for markup in [
        "<script", "{{", "{%", "\n# no", "**b**", "[l](java", "\u{202e}", "\u{7}", "~~s",
    ] {
        assert!(!text.contains(markup), "{markup:?} in {text}");
    }
    assert!(text.contains("\\u&#123;202e&#125;abc"), "{text}");
}

/// Checks that the elements of a page are closed in their order, and returns the values of two
/// attributes.
fn check_html(page: &str) -> [Vec<&str>; 2] {
    const VOID: [&str; 3] = ["br", "meta", "!doctype"];
    let mut open = Vec::new();
    let [mut ids, mut links] = [Vec::new(), Vec::new()];
    let mut rest = page;
    while let Some((_, tag)) = rest.split_once('<') {
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").unwrap().1;
            continue;
        }
        let (tag, after) = tag.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        let name = tag.split(' ').next().unwrap();
        if !VOID.contains(&name) {
            open.push(name);
        }
        let value = |attribute: &str| Some(tag.split_once(attribute)?.1.split_once('"')?.0);
        ids.extend(value(" id=\""));
        links.extend(value(" href=\"#"));
    }
    assert!(open.is_empty(), "{open:?}");
    [ids, links]
}

#[test]
fn no_text_becomes_html() {
    let page = render(&input(&hostile()), Format::Html, KubernetesTypes::Linked).unwrap();
    let [ids, links] = check_html(&page);
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "anchors are unique");
    for link in links {
        assert!(ids.contains(&link), "{link}");
    }
    for markup in ["<script", "<b>", "\u{202e}", "\u{7}", "src="] {
        assert!(!page.contains(markup), "{markup:?} in {page}");
    }
    assert!(page.contains("<a href=\"https://a.b/c_d\">"), "{page}");
}

#[test]
fn lines_and_lists_of_descriptions_stay_apart() {
    let description =
        "One\nsentence.\n\nDeprecated: use `a`.\n- x\n- see (https://a.b/c/). http://";
    let text = markdown(&json!({"type": "object", "properties": {
        "f": {"type": "string", "description": description},
    }}));
    let row = "`f`<br />**deprecated** | `string` | One sentence.<br /><br />Deprecated: use `a`.<br />- x\
        <br />- see (<https://a.b/c/>). http:// |  |  |\n";
    assert!(text.contains(row), "{text}");
}

#[test]
fn lines_of_code_keep_their_breaks_and_indentation() {
    let description = "For example:\n```yaml\na:\n  - b # `c`\n\n- d: {}\n```\nMore.";
    let text = field(&json!({"type": "string", "description": description}));
    let expected = "`f` | `string` | For example:<br />`a:`<br /><code>&#160;&#160;- b &#35; &#96;c&#96;</code><br /><code></code>\
        <br />`- d: {}`<br /><br />More. |  |  |";
    assert_eq!(text, expected);
    let unclosed = field(&json!({"type": "string", "description": "```\na"}));
    assert_eq!(unclosed, "`f` | `string` | `a` |  |  |");
}

#[test]
fn a_deep_schema_is_documented() {
    const DEPTH: usize = 200;
    let mut schema = json!({"type": "string"});
    for _ in 0..DEPTH {
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    let text = markdown(&schema);
    assert_eq!(text.matches("\n#### `spec").count(), DEPTH + 2);
}

#[test]
fn a_crd_that_cannot_be_documented_is_an_error() {
    let good = crd(&json!({"type": "object"}));
    for (at, value) in [
        ("/apiVersion", json!("apiextensions.k8s.io/v1beta1")),
        ("/spec/group", json!(1)),
        ("/spec/scope", json!(null)),
        ("/spec/names", json!([])),
        ("/spec/versions", json!([])),
        ("/spec/versions", json!("v1")),
        ("/spec/versions/0/name", json!(null)),
        ("/spec/versions/0/schema", json!(null)),
        ("/spec/versions/0/schema/openAPIV3Schema", json!(true)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(at).unwrap() = value;
        let input = Input {
            crds: vec![bad],
            ..Input::default()
        };
        let error = render(&input, Format::Markdown, KubernetesTypes::Linked).unwrap_err();
        assert!(error.to_string().contains("cows.farm.x"), "{at}: {error}");
    }
}

#[test]
fn wrong_types_in_a_schema_do_not_panic() {
    for wrong in [
        json!(null),
        json!(1),
        json!("x"),
        json!([1, "x", {}]),
        json!({"a": 1}),
    ] {
        let mut schema = serde_json::Map::new();
        for keyword in [
            "type",
            "format",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "oneOf",
            "allOf",
            "not",
            "enum",
            "default",
            "description",
            "nullable",
            "x-kubernetes-validations",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-int-or-string",
        ] {
            schema.insert(keyword.to_owned(), wrong.clone());
        }
        let schema = Value::Object(schema);
        markdown(&schema);
        markdown(&json!({"type": "object", "properties": {"a": schema}}));
        let mut whole = crd(&json!({}));
        whole["spec"]["versions"][1]["schema"]["openAPIV3Schema"] = schema;
        for field in [
            "subresources",
            "additionalPrinterColumns",
            "selectableFields",
        ] {
            whole["spec"]["versions"][1][field] = wrong.clone();
        }
        let input = Input {
            crds: vec![whole],
            ..Input::default()
        };
        render(&input, Format::Html, KubernetesTypes::Linked).unwrap();
    }
}
