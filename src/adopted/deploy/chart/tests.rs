//! Tests of the renderer on small charts in the style of `helm create`.

use std::fs;

use serde_json::json;

use super::*;

/// Writes a chart with one template and renders it.
fn rendered(template: &str, values: &str) -> Result<Vec<Rendered>, Error> {
    let dir = tempfile::tempdir().unwrap();
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
        "chart/templates/x.yaml:2: the chart requires other values: set a name"
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
    assert!(missing.contains("requires other values"), "{missing}");
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
