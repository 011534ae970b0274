
use builtin;
use str;

set edit:completion:arg-completer[rustop] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'rustop'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'rustop'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Create a project in an empty directory'
            cand adopt 'Use rustop''s tools for an operator that already exists'
            cand import 'Create a project from an operator in Go: its kinds, permissions, webhooks and samples'
            cand create 'Add an API, webhooks or another optional part to the project'
            cand delete 'Remove an API, a version, webhooks or another optional part from the project'
            cand edit 'Change settings that were chosen at `rustop init`'
            cand upgrade 'Upgrade the project to this version of rustop'
            cand manifests 'Generate CRDs from the Rust types, and roles and webhook configurations from the markers'
            cand docs 'Generate a reference of the project''s kinds for their users'
            cand explain 'Explain a rule, or a finding of `rustop torture` and `rustop simulate`'
            cand lint 'Check the project''s types against the Kubernetes API conventions'
            cand dev 'Run the operator and its samples on a control plane on this machine'
            cand run 'Run the operator on this machine with the current kubeconfig'
            cand show 'Show a recording of `rustop dev --record` in the browser, without a cluster'
            cand simulate 'Find bugs of the operator in thousands of simulated histories'
            cand torture 'Find bugs of the operator by fault injection'
            cand migrate 'Rewrite stored objects in the storage version of their kind, so that older versions can be removed'
            cand rbac 'Compare the operator''s requests with its permissions'
            cand schema 'Print the JSON schema of the PROJECT file'
            cand cluster 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page of a command'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;init'= {
            cand --output 'Output format'
            cand --domain 'Domain suffix of the project''s API groups; use a domain that you own'
            cand --project-name 'Name of the project [default: the directory''s name]'
            cand --license 'Licence of the project''s code'
            cand --owner 'Copyright holder'
            cand --manager 'Source of the runtime crate `rustop-manager`'
            cand --kubernetes-version 'Newest Kubernetes version whose API the code may use'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --namespaced 'Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;adopt'= {
            cand --crds-command 'Shell line that prints the CRDs or writes them to files'
            cand --crds 'Committed copy of the CRDs, also as a template of a chart; can be repeated'
            cand --bin 'Name of the operator''s program'
            cand --command 'Command line that starts the operator, for a program in any language'
            cand --build 'Shell line that builds the operator'
            cand --deploy 'Manifests that install the operator: a chart, a kustomization, or files separated by commas, if need be as chart:DIR, kustomize:DIR or files:PATH'
            cand --samples 'File with samples of the operator''s kinds, with `*` for any name; can be repeated'
            cand --name 'Name of the project [default: that of the program''s package]'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --force 'Replace an existing rustop.yaml; keys that are not found keep their values'
            cand --dry-run 'Print rustop.yaml without writing it'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;import'= {
            cand --domain 'Domain suffix of the project''s API groups [default: the Go project''s]'
            cand --project-name 'Name of the project [default: the Go project''s]'
            cand --crds 'File or directory in DIR that contains the CRDs [default: config/crd/bases or a similar directory]'
            cand --allow 'Omit a field of a CRD that Rust types cannot express; can be repeated'
            cand --ignore 'Ignore differences at or below a field of a kind: `deployment:metadata.labels`; can be repeated'
            cand --budget 'Time limit of the comparison'
            cand --lanes 'Number of operator instances to run in parallel'
            cand --scenarios 'Directory with your own scenarios, as for `rustop torture`'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand --shadow 'Compare this project''s operator with the one that it replaces; exit 1 if they differ'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand api 'Add a kind with its type, CRD, controller, sample, roles and test'
            cand bundle 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/'
            cand chart 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME'
            cand ci 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies'
            cand dashboard 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/'
            cand devcontainer 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors'
            cand e2e 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind'
            cand network-policy 'Add a `NetworkPolicy` in config/network-policy/'
            cand prometheus 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/'
            cand release 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml'
            cand simulation 'Add the simulation of the operator in tests/simulation.rs again'
            cand webhook 'Add defaulting, validating or conversion webhooks to a kind'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;create;api'= {
            cand --kind 'Kind, in `PascalCase`; with --from-crd, the kind to import if the source has several'
            cand --from-crd 'Generate the types from an existing CRD: a file, an https:// URL, - or cluster:NAME'
            cand --allow 'Omit a field of the CRD that Rust types cannot express; can be repeated'
            cand --group 'Part of the API group before the project''s domain; with --no-resource, the group of an existing kind'
            cand --version 'API version [default: v1alpha1, or the version of a built-in kind]'
            cand --plural 'Plural name of the kind [default: its English plural]'
            cand --image 'Scaffold a controller that runs this image: a Deployment and a Service for each object'
            cand --image-container-port 'Port that the image listens on'
            cand --image-container-command 'Command that replaces the image''s entrypoint, as comma-separated words'
            cand --run-as-user 'Non-root user ID that the image runs as; its Pods then comply with the `restricted` Pod security standard'
            cand --namespaced 'Make the kind namespaced (kubebuilder''s flag)'
            cand --controller 'Add a controller (kubebuilder''s flag)'
            cand --resource 'Add a CRD (kubebuilder''s flag)'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --cluster-scoped 'Make the kind cluster-scoped instead of namespaced'
            cand --no-controller 'Add only the type, its CRD and a sample, without a controller'
            cand --no-resource 'Add only a controller, for an existing kind: of Kubernetes, of another project or of this one'
            cand --dry-run 'Print the changes without writing any file; with --from-crd, also the types and every field that they cannot express'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;bundle'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;chart'= {
            cand --name 'Name of the chart [default: the project''s name]'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;ci'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;dashboard'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;devcontainer'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;e2e'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;network-policy'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;prometheus'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;release'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;simulation'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;webhook'= {
            cand --kind 'Kind, in `PascalCase`'
            cand --group 'Group of the kind, as passed to `rustop create api`, or a group of Kubernetes'
            cand --version 'Version of the kind [default: the first one created, or the version of a built-in kind]'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --defaulting 'Webhook that sets default values in created and updated objects'
            cand --validation 'Webhook that rejects invalid objects'
            cand --conversion 'Webhook that converts objects between the versions of the kind'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;help'= {
            cand api 'Add a kind with its type, CRD, controller, sample, roles and test'
            cand bundle 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/'
            cand chart 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME'
            cand ci 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies'
            cand dashboard 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/'
            cand devcontainer 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors'
            cand e2e 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind'
            cand network-policy 'Add a `NetworkPolicy` in config/network-policy/'
            cand prometheus 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/'
            cand release 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml'
            cand simulation 'Add the simulation of the operator in tests/simulation.rs again'
            cand webhook 'Add defaulting, validating or conversion webhooks to a kind'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;create;help;api'= {
        }
        &'rustop;create;help;bundle'= {
        }
        &'rustop;create;help;chart'= {
        }
        &'rustop;create;help;ci'= {
        }
        &'rustop;create;help;dashboard'= {
        }
        &'rustop;create;help;devcontainer'= {
        }
        &'rustop;create;help;e2e'= {
        }
        &'rustop;create;help;network-policy'= {
        }
        &'rustop;create;help;prometheus'= {
        }
        &'rustop;create;help;release'= {
        }
        &'rustop;create;help;simulation'= {
        }
        &'rustop;create;help;webhook'= {
        }
        &'rustop;create;help;help'= {
        }
        &'rustop;delete'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand api 'Remove a kind with all its versions, its controller and its webhooks from the project'
            cand bundle 'Remove the OLM bundle from the project'
            cand chart 'Remove the Helm chart from the project'
            cand ci 'Remove the workflows and rules that `rustop create ci` added'
            cand dashboard 'Remove the Grafana dashboards and the alerts from the project'
            cand devcontainer 'Remove the development container and CONTRIBUTING.md from the project'
            cand e2e 'Remove the end-to-end tests and their workflow from the project'
            cand network-policy 'Remove the `NetworkPolicy` from the project'
            cand prometheus 'Remove the `ServiceMonitor` from the project'
            cand release 'Remove the release workflow from the project'
            cand version 'Remove a version of a kind from the project'
            cand webhook 'Remove webhooks of a kind from the project'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;delete;api'= {
            cand --kind 'Kind, in `PascalCase`'
            cand --group 'Group of the kind, as passed to `rustop create`'
            cand --version 'Version to remove [default: all versions]'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand --no-resource 'Remove only the controller, and keep the types and the CRD'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;bundle'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;chart'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;ci'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;dashboard'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;devcontainer'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;e2e'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;network-policy'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;prometheus'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;release'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;version'= {
            cand --kind 'Kind, in `PascalCase`'
            cand --group 'Group of the kind, as passed to `rustop create`'
            cand --version 'Version to remove'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;webhook'= {
            cand --kind 'Kind, in `PascalCase`'
            cand --group 'Group of the kind, as passed to `rustop create`'
            cand --version 'Version that has the webhooks [default: the only one]'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand --defaulting 'Webhook that sets default values in created and updated objects'
            cand --validation 'Webhook that rejects invalid objects'
            cand --conversion 'Webhook that converts objects between the versions of the kind'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;help'= {
            cand api 'Remove a kind with all its versions, its controller and its webhooks from the project'
            cand bundle 'Remove the OLM bundle from the project'
            cand chart 'Remove the Helm chart from the project'
            cand ci 'Remove the workflows and rules that `rustop create ci` added'
            cand dashboard 'Remove the Grafana dashboards and the alerts from the project'
            cand devcontainer 'Remove the development container and CONTRIBUTING.md from the project'
            cand e2e 'Remove the end-to-end tests and their workflow from the project'
            cand network-policy 'Remove the `NetworkPolicy` from the project'
            cand prometheus 'Remove the `ServiceMonitor` from the project'
            cand release 'Remove the release workflow from the project'
            cand version 'Remove a version of a kind from the project'
            cand webhook 'Remove webhooks of a kind from the project'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;delete;help;api'= {
        }
        &'rustop;delete;help;bundle'= {
        }
        &'rustop;delete;help;chart'= {
        }
        &'rustop;delete;help;ci'= {
        }
        &'rustop;delete;help;dashboard'= {
        }
        &'rustop;delete;help;devcontainer'= {
        }
        &'rustop;delete;help;e2e'= {
        }
        &'rustop;delete;help;network-policy'= {
        }
        &'rustop;delete;help;prometheus'= {
        }
        &'rustop;delete;help;release'= {
        }
        &'rustop;delete;help;version'= {
        }
        &'rustop;delete;help;webhook'= {
        }
        &'rustop;delete;help;help'= {
        }
        &'rustop;edit'= {
            cand --output 'Output format'
            cand --domain 'Domain suffix of the project''s API groups; use a domain that you own'
            cand --project-name 'Name of the project'
            cand --license 'Licence of the project''s code'
            cand --owner 'Copyright holder; '''' removes it'
            cand --namespaced 'Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole'
            cand --manager 'Source of the runtime crate `rustop-manager`'
            cand --manager-features 'Optional features of `rustop-manager` to enable; without a value none'
            cand --max-description-length 'Maximum length of descriptions in CRDs, in characters; 0 omits them, `none` removes the limit'
            cand --kubernetes-version 'Newest Kubernetes version whose API the code may use'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;upgrade'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --check 'Write nothing, and fail if the project was generated by an earlier version of rustop'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;manifests'= {
            cand --against 'Compare the CRDs with those of a commit, a directory, a file or `cluster`, and report changes that break stored objects or clients as errors, unless a comment suppresses them'
            cand -o 'Output format'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --check 'Write nothing; print the changes as a diff, and fail if there are any'
            cand --dry-run 'Print the changes without writing any file'
            cand --deny-warnings 'Treat warnings as errors: write nothing if there are any'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;docs'= {
            cand --output 'Output format'
            cand --format 'Markup language [default: that of the file''s name, otherwise markdown]'
            cand --output-path 'File to write, relative to the project [default: docs/api.md or docs/api.html]'
            cand --crds 'Document the CRDs in these files and directories instead of those of the project'
            cand --samples 'Files and directories with examples for --crds'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --expand 'Document the fields of Kubernetes'' own types, too, instead of linking to their reference'
            cand --check 'Write nothing; fail if the file is missing or stale'
            cand --dry-run 'Print the changes without writing any file'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;explain'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;lint'= {
            cand -o 'Output format'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --deny-warnings 'Treat warnings as errors'
            cand --list 'List all rules, and whether they are enabled'
            cand --baseline 'Write all current warnings to rustop-lint.yaml, so that later runs report only new ones'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;dev'= {
            cand --output 'Output format'
            cand --timeout 'Time that --once waits after the start of the operator'
            cand --kubeconfig 'Use the cluster of this kubeconfig instead of a local one'
            cand --record 'Record the contents of the web page to a new file, for `rustop show`'
            cand --reached-at 'Host name or address at which that cluster''s API server can call webhooks on this machine; without it, they are called only if the API server runs on this machine'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --once 'Exit once all samples are Ready, or fail and list those that are not; discards the data of earlier runs if the cluster is not running'
            cand --watch 'Rebuild and restart the operator when a source file changes'
            cand --no-page 'Do not serve the web page; implied by --once'
            cand --open 'Open the web page in a browser'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;run'= {
            cand --reached-at 'Host name or address at which the API server can call webhooks on this machine; without it, they are called only if the API server runs on this machine'
            cand --record 'Record the contents of the web page to a new file, for `rustop show`'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --takeover 'Take over the lease of the deployed operator, which becomes a standby while this one runs'
            cand --no-page 'Do not serve the web page'
            cand --open 'Open the web page in a browser'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;show'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --open 'Open the web page in a browser'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;simulate'= {
            cand --output 'Output format'
            cand --seeds 'Number of histories of each simulation'
            cand --budget 'Time limit of each simulation'
            cand --seed 'Seed from which all histories follow [default: random]'
            cand --replay 'Replay the finding in FILE, and print its history'
            cand --confirm 'Repeat each finding on a local control plane; `--confirm` alone means `always`'
            cand --out 'Directory of the report'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --release 'Build with optimizations: the first build takes minutes, and each history a fraction of the time'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;torture'= {
            cand --output 'Output format'
            cand --budget 'Time limit for fault injection'
            cand --seed 'Seed for the order of the faults [default: random]'
            cand --faults 'Maximum number of faults to inject'
            cand --lanes 'Number of operator instances to run in parallel'
            cand --count 'Kind whose objects must not be created twice, in addition to Pods and persistent volume claims: `deployments.apps` or `Deployment`'
            cand --scenarios 'Directory with your own scenarios: additional objects that a sample needs, and changes to it'
            cand --replay 'Replay a finding, and print the operator''s log next to its writes'
            cand --times 'Number of times to replay the finding of `--replay`; prints how often it occurred'
            cand --upgrade-from 'Rehearse the upgrade from this commit of the project, instead of injecting faults. The old version converges on each sample and on each change of it, then the new version takes over. Reports what it writes although no spec changed, and exits with 1 if Pods restart, data is deleted, old objects stay, or a write is rejected'
            cand --from-command 'Old version in any language, as a shell command, instead of a commit'
            cand --from-crds 'Directory with the CRDs of the old version in `--from-command`'
            cand --from-rbac 'Directory with the roles and the ServiceAccount of the old version in `--from-command`; without it, that version has full permissions'
            cand --out 'Directory of the report'
            cand --crds 'Directory with the CRDs of the operator in COMMAND'
            cand --samples 'Directory with its samples'
            cand --rbac 'Directory with its roles and its ServiceAccount [default: full permissions]'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --keep 'Keep the data and logs of the control plane (60 MiB or more) at exit'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;migrate'= {
            cand --output 'Output format'
            cand --kind 'Migrate only this kind'
            cand --group 'Migrate only kinds of this group, as passed to `rustop create api`'
            cand --kubeconfig 'Kubeconfig of the cluster [default: KUBECONFIG or ~/.kube/config]'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --dry-run 'Print the steps without writing any object'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;rbac'= {
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand report 'List forbidden requests, with the markers that permit them, and unused permissions'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;rbac;report'= {
            cand --cluster 'Cluster that the operator ran on, if it is not the project''s'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --check 'Exit 1 if a request was forbidden, or if a rule is missing'
            cand --unused 'Always list unused permissions, for tests that exercise all features of the operator'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;rbac;help'= {
            cand report 'List forbidden requests, with the markers that permit them, and unused permissions'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;rbac;help;report'= {
        }
        &'rustop;rbac;help;help'= {
        }
        &'rustop;schema'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --adopted 'Print the schema of rustop.yaml, the file of an adopted operator'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
            cand install 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache'
            cand start 'Start a cluster in the background and wait until it is ready'
            cand stop 'Stop a cluster and keep its data for the next start'
            cand delete 'Stop a cluster and remove its data'
            cand kubeconfig 'Print the path of a running cluster''s kubeconfig; ~/.kube/config is never changed'
            cand status 'List clusters and show whether they are running'
            cand exec 'Run a command with a temporary cluster, and delete the cluster afterwards'
            cand detach 'Start a new session and execute another program'
            cand janitor 'Wait until no process uses a cluster, and stop its remaining processes'
            cand network 'Send a listening socket over stdin, and hold its network namespace until stdin is closed'
            cand tether 'Execute another program, which is terminated when the parent process ends'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;cluster;install'= {
            cand --output 'Output format'
            cand --kubernetes-version 'Kubernetes version, such as 1.37 or 1.37.2'
            cand --from 'Source of the binaries: `auto` (download, or build if that is not possible), `download`, `go`, or a directory'
            cand --index 'URL of the index of envtest releases'
            cand --release-site 'URL of the site that publishes the Kubernetes binaries'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;cluster;start'= {
            cand --name 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]'
            cand --kubernetes-version 'Kubernetes version, such as 1.37 or 1.37.2'
            cand --assets 'Run only the binaries in DIR'
            cand --nodes 'Number of KWOK nodes'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --no-controllers 'Run only etcd and kube-apiserver: faster, but Deployments get no Pods'
            cand --fresh 'Discard the data of earlier runs'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;stop'= {
            cand --name 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;delete'= {
            cand --name 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --stopped 'Delete all clusters that are not running'
            cand --unused 'Delete all clusters whose project directory no longer exists'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;kubeconfig'= {
            cand --name 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --print 'Print the contents of the kubeconfig instead of its path'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;status'= {
            cand --name 'Show only this cluster [default: the project''s cluster inside a project, otherwise all]'
            cand -o 'Output format'
            cand --output 'Output format'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --all 'Show all clusters, also inside a project'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;cluster;exec'= {
            cand --kubernetes-version 'Kubernetes version, such as 1.37 or 1.37.2'
            cand --assets 'Run only the binaries in DIR'
            cand --nodes 'Number of KWOK nodes'
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand --no-controllers 'Run only etcd and kube-apiserver: faster, but Deployments get no Pods'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;cluster;detach'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;janitor'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;network'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;tether'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;help'= {
            cand install 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache'
            cand start 'Start a cluster in the background and wait until it is ready'
            cand stop 'Stop a cluster and keep its data for the next start'
            cand delete 'Stop a cluster and remove its data'
            cand kubeconfig 'Print the path of a running cluster''s kubeconfig; ~/.kube/config is never changed'
            cand status 'List clusters and show whether they are running'
            cand exec 'Run a command with a temporary cluster, and delete the cluster afterwards'
            cand detach 'Start a new session and execute another program'
            cand janitor 'Wait until no process uses a cluster, and stop its remaining processes'
            cand network 'Send a listening socket over stdin, and hold its network namespace until stdin is closed'
            cand tether 'Execute another program, which is terminated when the parent process ends'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;cluster;help;install'= {
        }
        &'rustop;cluster;help;start'= {
        }
        &'rustop;cluster;help;stop'= {
        }
        &'rustop;cluster;help;delete'= {
        }
        &'rustop;cluster;help;kubeconfig'= {
        }
        &'rustop;cluster;help;status'= {
        }
        &'rustop;cluster;help;exec'= {
        }
        &'rustop;cluster;help;detach'= {
        }
        &'rustop;cluster;help;janitor'= {
        }
        &'rustop;cluster;help;network'= {
        }
        &'rustop;cluster;help;tether'= {
        }
        &'rustop;cluster;help;help'= {
        }
        &'rustop;completions'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;man'= {
            cand -C 'Use the project in DIR or its parent directories instead of the current directory'
            cand --project 'Use the project in DIR or its parent directories instead of the current directory'
            cand --color 'When to use colored output'
            cand -v 'Use verbose output'
            cand --verbose 'Use verbose output'
            cand -q 'Print only warnings and errors'
            cand --quiet 'Print only warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;help'= {
            cand init 'Create a project in an empty directory'
            cand adopt 'Use rustop''s tools for an operator that already exists'
            cand import 'Create a project from an operator in Go: its kinds, permissions, webhooks and samples'
            cand create 'Add an API, webhooks or another optional part to the project'
            cand delete 'Remove an API, a version, webhooks or another optional part from the project'
            cand edit 'Change settings that were chosen at `rustop init`'
            cand upgrade 'Upgrade the project to this version of rustop'
            cand manifests 'Generate CRDs from the Rust types, and roles and webhook configurations from the markers'
            cand docs 'Generate a reference of the project''s kinds for their users'
            cand explain 'Explain a rule, or a finding of `rustop torture` and `rustop simulate`'
            cand lint 'Check the project''s types against the Kubernetes API conventions'
            cand dev 'Run the operator and its samples on a control plane on this machine'
            cand run 'Run the operator on this machine with the current kubeconfig'
            cand show 'Show a recording of `rustop dev --record` in the browser, without a cluster'
            cand simulate 'Find bugs of the operator in thousands of simulated histories'
            cand torture 'Find bugs of the operator by fault injection'
            cand migrate 'Rewrite stored objects in the storage version of their kind, so that older versions can be removed'
            cand rbac 'Compare the operator''s requests with its permissions'
            cand schema 'Print the JSON schema of the PROJECT file'
            cand cluster 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page of a command'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;help;init'= {
        }
        &'rustop;help;adopt'= {
        }
        &'rustop;help;import'= {
        }
        &'rustop;help;create'= {
            cand api 'Add a kind with its type, CRD, controller, sample, roles and test'
            cand bundle 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/'
            cand chart 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME'
            cand ci 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies'
            cand dashboard 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/'
            cand devcontainer 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors'
            cand e2e 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind'
            cand network-policy 'Add a `NetworkPolicy` in config/network-policy/'
            cand prometheus 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/'
            cand release 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml'
            cand simulation 'Add the simulation of the operator in tests/simulation.rs again'
            cand webhook 'Add defaulting, validating or conversion webhooks to a kind'
        }
        &'rustop;help;create;api'= {
        }
        &'rustop;help;create;bundle'= {
        }
        &'rustop;help;create;chart'= {
        }
        &'rustop;help;create;ci'= {
        }
        &'rustop;help;create;dashboard'= {
        }
        &'rustop;help;create;devcontainer'= {
        }
        &'rustop;help;create;e2e'= {
        }
        &'rustop;help;create;network-policy'= {
        }
        &'rustop;help;create;prometheus'= {
        }
        &'rustop;help;create;release'= {
        }
        &'rustop;help;create;simulation'= {
        }
        &'rustop;help;create;webhook'= {
        }
        &'rustop;help;delete'= {
            cand api 'Remove a kind with all its versions, its controller and its webhooks from the project'
            cand bundle 'Remove the OLM bundle from the project'
            cand chart 'Remove the Helm chart from the project'
            cand ci 'Remove the workflows and rules that `rustop create ci` added'
            cand dashboard 'Remove the Grafana dashboards and the alerts from the project'
            cand devcontainer 'Remove the development container and CONTRIBUTING.md from the project'
            cand e2e 'Remove the end-to-end tests and their workflow from the project'
            cand network-policy 'Remove the `NetworkPolicy` from the project'
            cand prometheus 'Remove the `ServiceMonitor` from the project'
            cand release 'Remove the release workflow from the project'
            cand version 'Remove a version of a kind from the project'
            cand webhook 'Remove webhooks of a kind from the project'
        }
        &'rustop;help;delete;api'= {
        }
        &'rustop;help;delete;bundle'= {
        }
        &'rustop;help;delete;chart'= {
        }
        &'rustop;help;delete;ci'= {
        }
        &'rustop;help;delete;dashboard'= {
        }
        &'rustop;help;delete;devcontainer'= {
        }
        &'rustop;help;delete;e2e'= {
        }
        &'rustop;help;delete;network-policy'= {
        }
        &'rustop;help;delete;prometheus'= {
        }
        &'rustop;help;delete;release'= {
        }
        &'rustop;help;delete;version'= {
        }
        &'rustop;help;delete;webhook'= {
        }
        &'rustop;help;edit'= {
        }
        &'rustop;help;upgrade'= {
        }
        &'rustop;help;manifests'= {
        }
        &'rustop;help;docs'= {
        }
        &'rustop;help;explain'= {
        }
        &'rustop;help;lint'= {
        }
        &'rustop;help;dev'= {
        }
        &'rustop;help;run'= {
        }
        &'rustop;help;show'= {
        }
        &'rustop;help;simulate'= {
        }
        &'rustop;help;torture'= {
        }
        &'rustop;help;migrate'= {
        }
        &'rustop;help;rbac'= {
            cand report 'List forbidden requests, with the markers that permit them, and unused permissions'
        }
        &'rustop;help;rbac;report'= {
        }
        &'rustop;help;schema'= {
        }
        &'rustop;help;cluster'= {
            cand install 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache'
            cand start 'Start a cluster in the background and wait until it is ready'
            cand stop 'Stop a cluster and keep its data for the next start'
            cand delete 'Stop a cluster and remove its data'
            cand kubeconfig 'Print the path of a running cluster''s kubeconfig; ~/.kube/config is never changed'
            cand status 'List clusters and show whether they are running'
            cand exec 'Run a command with a temporary cluster, and delete the cluster afterwards'
            cand detach 'Start a new session and execute another program'
            cand janitor 'Wait until no process uses a cluster, and stop its remaining processes'
            cand network 'Send a listening socket over stdin, and hold its network namespace until stdin is closed'
            cand tether 'Execute another program, which is terminated when the parent process ends'
        }
        &'rustop;help;cluster;install'= {
        }
        &'rustop;help;cluster;start'= {
        }
        &'rustop;help;cluster;stop'= {
        }
        &'rustop;help;cluster;delete'= {
        }
        &'rustop;help;cluster;kubeconfig'= {
        }
        &'rustop;help;cluster;status'= {
        }
        &'rustop;help;cluster;exec'= {
        }
        &'rustop;help;cluster;detach'= {
        }
        &'rustop;help;cluster;janitor'= {
        }
        &'rustop;help;cluster;network'= {
        }
        &'rustop;help;cluster;tether'= {
        }
        &'rustop;help;completions'= {
        }
        &'rustop;help;man'= {
        }
        &'rustop;help;help'= {
        }
    ]
    $completions[$command]
}
