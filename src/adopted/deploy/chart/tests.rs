//! Tests of the renderer on small charts in the style of `helm create`.

use std::fs;

use serde_json::json;

use super::*;
use crate::error::Failure as _;

/// Writes a chart with one template and renders it.
fn rendered(template: &str, values: &str) -> Result<Vec<Rendered>, Error> {
    let files = [
        (
            "Chart.yaml",
            "name: barn\nversion: 1.2.3\nappVersion: \"4.5\"\n",
        ),
        ("values.yaml", values),
        (
            "templates/_helpers.tpl",
            r#"
{{- /* The name, shortened. */ -}}
{{- define "barn.name" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- define "barn.labels" -}}
app: {{ include "barn.name" . }}
version: {{ .Chart.AppVersion | quote }}
{{- end }}
"#,
        ),
        ("templates/x.yaml", template),
        (
            "crds/cow.yaml",
            "kind: CustomResourceDefinition\nmetadata: {name: cows.farm.x}\n",
        ),
        ("templates/NOTES.txt", "{{ nonsense }}"),
    ];
    rendered_chart(&files)
}

/// Writes a chart with the given files and renders it.
fn rendered_chart(files: &[(&str, &str)]) -> Result<Vec<Rendered>, Error> {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join("chart").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let deploy = Deploy {
        chart: Some("chart".into()),
        set: BTreeMap::from([("image.tag".into(), "v9".into())]),
        namespace: Some("farm".into()),
        ..Deploy::default()
    };
    render(dir.path(), "chart", &deploy, "red")
}

#[test]
fn helpers_conditions_loops_and_pipelines_render() {
    let template = r#"
{{- if .Values.rbac.create }}
kind: ClusterRole
metadata:
  name: {{ include "barn.name" . }}-role
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "barn.labels" . | nindent 4 }}
  {{- with .Values.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
rules:
{{- range $i, $group := .Values.groups }}
- apiGroups: [{{ $group | quote }}]
  resources: ["*"]
  at: {{ $i }}
{{- else }}
[]
{{- end }}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
{{- if and (eq .Values.mode "a") (not .Values.off) }}
one: {{ ternary "x" "y" (gt (int .Values.n) 2) }}
{{- else if .Values.mode }}
two: 2
{{- end }}
{{- end }}
---
{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}
kind: Monitor
{{- end }}
"#;
    let values = "rbac: {create: true}\ngroups: ['', apps]\nimage: {repository: r, tag: v1}\nmode: a\nn: 3\nannotations: {k: v}\n";
    let objects = rendered(template, values).unwrap();
    let kinds: Vec<_> = objects
        .iter()
        .map(|it| (it.kind(), format!("{}:{}", it.file.display(), it.line)))
        .collect();
    assert_eq!(
        kinds,
        [
            (
                "CustomResourceDefinition",
                "chart/crds/cow.yaml:1".to_owned()
            ),
            ("ClusterRole", "chart/templates/x.yaml:0".to_owned())
        ]
    );
    assert_eq!(
        objects[1].object,
        json!({
            "kind": "ClusterRole",
            "metadata": {
                "name": "red-barn-role",
                "namespace": "farm",
                "labels": { "app": "red-barn", "version": "4.5" },
                "annotations": { "k": "v" },
            },
            "rules": [
                { "apiGroups": [""], "resources": ["*"], "at": 0 },
                { "apiGroups": ["apps"], "resources": ["*"], "at": 1 },
            ],
            "image": "r:v9",
            "one": "x",
        })
    );
}

#[test]
fn a_chart_that_rejects_its_values_is_told_from_one_that_needs_helm() {
    let refused = rendered(
        "kind: Role\nname: {{ required \"set a name\" .Values.name }}\n",
        "",
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "chart/templates/x.yaml:2: the chart requires the value `name`: set a name"
    );
    let unknown = rendered("kind: Role\nname: {{ .Values.x | derivePassword 1 }}\n", "");
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "cannot render the chart without helm: chart/templates/x.yaml:2: the function `derivePassword` is not supported"
    );
    for broken in [
        "{{ if .x }}",
        "{{ end }}",
        "{{ .a",
        "{{ | }}",
        "{{ (a }}",
        "{{ \"a }}",
        "{{ $x }}",
    ] {
        let broken = format!("kind: Role\n{broken}");
        assert!(rendered(&broken, "").is_err(), "{broken}");
    }
    assert!(
        rendered(
            "{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}",
            ""
        )
        .is_err()
    );
}

#[test]
fn deep_templates_are_rejected() {
    let deep = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(100_000), close.repeat(100_000))
    };
    for (template, reason) in [
        (
            format!("kind: Role\na: {{{{ {} }}}}", deep("(", "1", ")")),
            "more than 200 parentheses are inside each other",
        ),
        (
            format!("kind: Role\n{}", deep("{{ if 1 }}", "", "{{ end }}")),
            "more than 200 blocks are inside each other",
        ),
    ] {
        let error = rendered(&template, "").unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let shallow = format!(
        "kind: {}Role{}",
        "{{ if (((1))) }}".repeat(50),
        "{{ end }}".repeat(50)
    );
    assert!(rendered(&shallow, "").is_ok());
}

#[test]
fn absent_values_that_a_template_requires_are_named() {
    let help = |template: &str, values: &str| {
        let error = rendered(template, values).unwrap_err();
        (error.to_string(), error.help().unwrap())
    };
    let image =
        "kind: Deployment\nimage: barn:{{ $.Values.picture.tag }}\nlabel: {{ .Values.unused }}\n";
    let (error, advice) = help(image, "other: ''\n");
    assert!(
        error.contains("requires the value `picture.tag`: not valid YAML"),
        "{error}"
    );
    assert_eq!(
        advice,
        "add it to rustop.yaml: deploy: {set: {picture.tag: VALUE}}"
    );
    let two = "kind: Role\nname: {{ required \"set a name\" .Values.name }}\nowner: {{ required \"set an owner\" .Values.owner }}\nlabel: {{ .Values.unused }}\n";
    let (error, advice) = help(two, "");
    assert!(
        error.ends_with(":2: the chart requires the values `name`, `owner`: set a name"),
        "{error}"
    );
    assert_eq!(
        advice,
        "add them to rustop.yaml: deploy: {set: {name: VALUE, owner: VALUE}}"
    );
    let (error, _) = help("kind: Role\n{{ fail \"never\" }}\n{{ .Values.x }}\n", "");
    assert!(error.contains("requires other values: never"), "{error}");
}

#[test]
fn endless_work_is_rejected() {
    for template in [
        "kind: Role\n{{ range until 1000000 }}{{ range until 1000000 }}x{{ end }}{{ end }}",
        "kind: Role\n{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}",
        "kind: Role\n{{ $x := \"0123456789\" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}{{ $x }}",
        "kind: Role\n{{ $x := repeat 1000 \"0123456789\" }}{{ range until 10000 }}{{ $x }}{{ end }}",
        "kind: Role\n{{ define \"a\" }}x{{ end }}{{ range until 10000 }}{{ include \"a\" . }}{{ include \"a\" . }}{{ include \"a\" . }}{{ end }}",
        "kind: Role\n{{ $x := list 1 2 }}{{ range until 40 }}{{ $x = concat $x $x }}{{ end }}",
    ] {
        let error = rendered(template, "").unwrap_err().to_string();
        assert!(error.contains("too many steps"), "{template}: {error}");
    }
}

#[test]
fn invalid_yaml_is_blamed_on_values_only_if_one_is_missing() {
    let error = |template: &str| rendered(template, "").unwrap_err().to_string();
    let missing = error("kind: Role\nname: {{ .Values.name }}\"\n");
    assert!(missing.contains("requires the value `name`"), "{missing}");
    let broken = error("kind: Role\nmetadata:\n  name: {{ .Release.Name }}\n a: [\n");
    assert!(
        broken.starts_with("chart/templates/x.yaml:4: not valid YAML")
            || broken.starts_with("chart/templates/x.yaml:5: not valid YAML"),
        "{broken}"
    );
    let printed = error("kind: Role\nmetadata: {{ \"[\" | quote | trimAll \"\\\"\" }}\n");
    assert!(
        printed.contains("not valid YAML") && printed.contains("in the output of the template"),
        "{printed}"
    );
}

#[test]
fn a_template_is_included_by_its_path() {
    let template = r#"
kind: Deployment
metadata:
  annotations:
    checksum: {{ include (print $.Template.BasePath "/x.tpl") . | sha256sum }}
    labels: {{ include (print .Template.BasePath "/_labels.tpl") . | trim }}
"#;
    let chart = [
        ("Chart.yaml", "name: barn\nversion: 1.2.3\n"),
        ("templates/_labels.tpl", "{{ .Values.color }}"),
        ("templates/x.tpl", "kind: {{ .Values.color }}\n"),
        ("templates/y.yaml", template),
        ("values.yaml", "color: red\n"),
    ];
    let objects = rendered_chart(&chart).unwrap();
    let deployment = objects.iter().find(|it| it.kind() == "Deployment").unwrap();
    let annotations = &deployment.object["metadata"]["annotations"];
    assert_eq!(annotations["labels"], "red");
    assert_eq!(
        annotations["checksum"],
        "de7ff94d93ee7279983d5cd5ae0703a2bf76e3ec0458101b27d43dd2ded6a069"
    );
}

#[test]
fn files_of_the_chart_become_data() {
    let template = r#"
kind: Role
data:
  {{- (.Files.Glob "conf/*.ini").AsConfig | nindent 2 }}
secret:
  {{- (.Files.Glob "conf/**").AsSecrets | nindent 2 }}
lines: {{ .Files.Lines "conf/a.ini" | toJson }}
names:
  {{- range $path, $_ := .Files.Glob "conf/*" }}
  - {{ base $path }}: {{ $.Files.Get $path | quote }}
  {{- end }}
"#;
    let chart = [
        ("Chart.yaml", "name: barn\nversion: 1.2.3\n"),
        ("conf/a.ini", "x=1\ny=2\n"),
        ("conf/deep/b.ini", "z"),
        (
            "templates/y.yaml",
            &template.replace("base $path", "$path | quote"),
        ),
    ];
    let objects = rendered_chart(&chart).unwrap();
    assert_eq!(
        objects[0].object,
        json!({
            "kind": "Role",
            "data": { "a.ini": "x=1\ny=2\n" },
            "secret": { "a.ini": "eD0xCnk9Mgo=", "b.ini": "eg==" },
            "lines": ["x=1", "y=2"],
            "names": [{ "conf/a.ini": "x=1\ny=2\n" }],
        })
    );
}

#[test]
fn functions_of_texts_and_numbers_are_known() {
    for (call, expected) in [
        ("substr 1 3 \"barn\"", "ar"),
        ("substr 2 -1 \"barn\"", "rn"),
        ("nospace \"a b  c\"", "abc"),
        ("swapcase \"aB\"", "Ab"),
        ("wrap 5 \"ab cd ef\" | quote", "\"ab cd\\nef\""),
        ("regexFind \"[0-9]+\" \"a12b3\"", "12"),
        ("regexFind \"x\" \"a\" | quote", "\"\""),
        (
            "mustRegexReplaceAllLiteral \"a\" \"aba\" \"$1\" | quote",
            "\"$1b$1\"",
        ),
        ("atoi \"12\"", "12"),
        ("round 3.14159 2", "3.14"),
        (
            "pluck \"a\" (dict \"a\" \"x\") (dict \"b\" \"y\") (dict \"a\" \"z\") | join \"-\"",
            "x-z",
        ),
        (
            "urlJoin (dict \"scheme\" \"https\" \"host\" \"x:1\" \"path\" \"/p\" \"query\" \"a=b\")",
            "https://x:1/p?a=b",
        ),
        ("genPrivateKey \"rsa\" | quote", "\"\""),
    ] {
        let objects = rendered(&format!("kind: Role\na: {{{{ {call} }}}}\n"), "").unwrap();
        let expected: Value = serde_yaml::from_str(expected).unwrap();
        let found = objects.iter().find(|it| it.kind() == "Role").unwrap();
        assert_eq!(found.object["a"], expected, "{call}");
    }
}

#[test]
fn a_document_begins_directly_behind_its_marker() {
    let template = "---\n{{- if true -}}\nkind: Role\nrules: []\n{{- end }}\n---\n{{- if true -}}\napiVersion: v1\nkind: Pod\n{{- end }}\n";
    let objects = rendered(template, "").unwrap();
    let kinds: Vec<_> = objects.iter().map(Rendered::kind).collect();
    assert!(
        kinds.contains(&"Role") && kinds.contains(&"Pod"),
        "{kinds:?}"
    );
}

#[test]
fn a_chart_reads_only_its_own_files() {
    let outside = tempfile::tempdir().unwrap();
    let place = outside.path().join("secret");
    fs::write(&place, "hunter2").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let chart = dir.path().join("chart");
    fs::create_dir_all(chart.join("templates")).unwrap();
    let up = "../".repeat(30);
    let template = format!(
        "kind: Role\na: [{{{{ .Files.Get \"{0}\" | quote }}}}, {{{{ .Files.Get \"{up}{0}\" | quote }}}}, \
         {{{{ .Files.Get \"../outer\" | quote }}}}, {{{{ .Files.Get \"link\" | quote }}}}, {{{{ .Files.Get \"dir/secret\" | quote }}}}, \
         {{{{ .Files.Lines \"link\" | join \"\" | quote }}}}, {{{{ (.Files.Glob \"**\").AsConfig | quote }}}}, \
         {{{{ .Files.Get \"own\" | quote }}}}]\n",
        place.display()
    );
    for (path, text) in [
        ("outer", "hunter2"),
        ("chart/Chart.yaml", "name: barn\nversion: 1.2.3\n"),
        ("chart/own", "moo"),
        ("chart/templates/x.yaml", &template),
    ] {
        fs::write(dir.path().join(path), text).unwrap();
    }
    let link = std::os::unix::fs::symlink::<&Path, PathBuf>;
    link(&place, chart.join("link")).unwrap();
    link(outside.path(), chart.join("dir")).unwrap();
    link(&place, chart.join("templates/secret.yaml")).unwrap();
    let deploy = Deploy {
        chart: Some("chart".into()),
        ..Deploy::default()
    };
    let objects = render(dir.path(), "chart", &deploy, "red").unwrap();
    let shown = objects[0].object["a"].to_string();
    assert!(
        shown.contains("moo") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn a_null_removes_a_default_of_the_chart_and_of_its_subcharts() {
    let dir = tempfile::tempdir().unwrap();
    let kinds = "kind: Role\na: {{ .Values.a | default \"none\" }}\nb: {{ .Values.b | default \"none\" }}\n";
    for (path, text) in [
        ("chart/Chart.yaml", "name: barn\nversion: 1.2.3\n"),
        ("chart/values.yaml", "a: 1\nb: 2\nhay: {b: null}\n"),
        ("chart/templates/x.yaml", kinds),
        ("chart/charts/hay/Chart.yaml", "name: hay\nversion: 1.2.3\n"),
        ("chart/charts/hay/values.yaml", "a: 1\nb: 2\n"),
        ("chart/charts/hay/templates/x.yaml", kinds),
        ("own.yaml", "a: null\nhay: {a: null}\n"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let deploy = Deploy {
        chart: Some("chart".into()),
        values: vec!["own.yaml".into()],
        set: BTreeMap::from([("b".into(), "null".into())]),
        ..Deploy::default()
    };
    let objects = render(dir.path(), "chart", &deploy, "red").unwrap();
    assert_eq!(objects.len(), 2);
    for it in objects {
        assert_eq!(
            (&it.object["a"], &it.object["b"]),
            (&"none".into(), &"none".into())
        );
    }
}

#[test]
fn an_absent_value_in_quotes_is_nothing() {
    let template = "kind: Role\na: {{ .Values.absent | quote }}\nb: {{ quote \"x\" .Values.absent \"\" | squote }}\n";
    let objects = rendered(template, "{}").unwrap();
    let role = objects
        .iter()
        .find(|it| it.object["kind"] == "Role")
        .unwrap();
    assert!(role.object["a"].is_null());
    assert_eq!(role.object["b"], "\"x\" \"\"");
}

#[test]
fn the_value_that_a_template_lacks_is_named() {
    let template = |text: &str| {
        let chart = [
            ("Chart.yaml", "name: barn\nversion: 1.2.3\n"),
            (
                "values.yaml",
                "color: \"\"\nprogram: {pull: null, tag: \"\"}\n",
            ),
            ("templates/x.yaml", text),
        ];
        let error = rendered_chart(&chart).unwrap_err();
        (error.to_string(), error.help().unwrap_or_default())
    };
    let (error, help) = template(
        "kind: Deployment\nimage: {{ printf \"farm/barn:%s\" (default .Chart.AppVersion .Values.program.tag) }}\n",
    );
    assert!(error.contains(": `image: farm/barn:`"), "{error}");
    assert_eq!(
        help,
        "add it to rustop.yaml: deploy: {set: {program.tag: VALUE}}"
    );
    let (_, help) = template("kind: Role\nname: {{ required \"paint it\" .Values.color }}\n");
    assert_eq!(help, "add it to rustop.yaml: deploy: {set: {color: VALUE}}");
    let (_, help) = template("kind: Role\nname: {{ required \"a color\" .Values.other }}\n");
    assert_eq!(help, "add it to rustop.yaml: deploy: {set: {other: VALUE}}");
    let (_, help) = template("kind: Role\n{{ fail \"never\" }}\n");
    assert!(help.starts_with("add the values that the chart requires"));
}
