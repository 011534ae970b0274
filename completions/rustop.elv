
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
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Start a project in an empty directory'
            cand import 'Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write'
            cand create 'Add an API, its webhooks, or what else an operator has to the project'
            cand delete 'Take an API, a version of it, its webhooks, or what else create has added out of the project'
            cand edit 'Change what `rustop init` decided'
            cand upgrade 'Bring the project to this version of rustop'
            cand manifests 'Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for'
            cand explain 'Say what a warning means, and how to allow it'
            cand lint 'Check the project''s types against the conventions of Kubernetes'' APIs'
            cand dev 'Run the operator and its samples on a control plane on this machine'
            cand run 'Run the operator on this machine with the current kubeconfig'
            cand show 'Show a recording of `rustop dev --record` in the browser, without a cluster'
            cand torture 'Find the bugs of the operator that show when something goes wrong'
            cand migrate 'Write stored objects anew in the storage version of their kind, so that an older version can go'
            cand rbac 'Compare what the operator asked of the API server with what it was granted'
            cand schema 'Print the JSON schema of the PROJECT file'
            cand cluster 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
            cand completions 'Print the completion script for a shell'
            cand man 'Print the manual page of a command'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;init'= {
            cand --output 'What to print on stdout'
            cand --domain 'The suffix of the project''s API groups, a domain that is yours'
            cand --project-name 'The project''s name [default: the directory''s name]'
            cand --license 'The licence of the project''s code'
            cand --owner 'Whoever holds the copyright'
            cand --manager 'Where the project has the crate from that its operator runs on'
            cand --kubernetes-version 'The newest Kubernetes whose API the code may use'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --namespaced 'Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;import'= {
            cand --domain 'The suffix of the project''s API groups [default: that of the Go project]'
            cand --project-name 'The project''s name [default: that of the Go project]'
            cand --crds 'The file or directory in DIR that has the CRDs [default: config/crd/bases and its like]'
            cand --allow 'Leave a place of a CRD out that no Rust type says; may be given more than once'
            cand --ignore 'A field of a kind that may differ, and all below it: `deployment:metadata.labels`; may be given more than once'
            cand --budget 'How long to compare'
            cand --lanes 'How many operators run beside each other'
            cand --scenarios 'Where stories of your own are, as for `rustop torture`'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand --shadow 'Compare this project''s operator with the one that it replaces; exits with 1 where they differ'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand api 'Add a kind: its type, its CRD, a controller, a sample, roles and a test'
            cand bundle 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)'
            cand chart 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters'
            cand dashboard 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/'
            cand devcontainer 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins'
            cand e2e 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind'
            cand release 'Add a workflow that makes a release of a tag, .github/workflows/release.yml'
            cand webhook 'Add webhooks to a kind: what completes, refuses or converts its objects'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;create;api'= {
            cand --kind 'The kind, in `PascalCase`; with --from-crd, the one of several that is meant'
            cand --from-crd 'The types of a CRD that exists: a file, an https:// address, - or cluster:NAME'
            cand --allow 'Leave a place of the CRD out that no Rust type says; may be given more than once'
            cand --group 'What stands before the domain in the API group; with --no-resource, someone else''s group'
            cand --version 'The API version [default: v1alpha1, or that of a built-in kind]'
            cand --plural 'The plural [default: the English plural of the kind]'
            cand --image 'Begin with an operator of this image: a Deployment and a Service for each object'
            cand --image-container-port 'The port that the image listens on'
            cand --image-container-command 'The command that takes the place of the image''s own, its words separated by commas'
            cand --run-as-user 'The user that the image runs as, other than root; its Pods are then as restricted as can be'
            cand --namespaced 'Objects live in namespaces, as kubebuilder says it'
            cand --controller 'Add a controller, as kubebuilder says it'
            cand --resource 'Add a CRD, as kubebuilder says it'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --cluster-scoped 'Objects live in the cluster, not in namespaces'
            cand --no-controller 'No controller: the type, its CRD and a sample only'
            cand --no-resource 'No CRD: a controller for a kind of Kubernetes, of someone else or already in the project'
            cand --dry-run 'Say what would be written and write nothing; with --from-crd, show the types and all that cannot be said'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;bundle'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;chart'= {
            cand --name 'The chart''s name [default: that of the project]'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;dashboard'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;devcontainer'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;e2e'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;release'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;webhook'= {
            cand --kind 'The kind, in `PascalCase`'
            cand --group 'Its group, as it was given to create api, or a group of Kubernetes'
            cand --version 'Its version [default: the one created first, or that of a built-in kind]'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --defaulting 'What completes new and changed objects'
            cand --validation 'What refuses objects that break a rule'
            cand --conversion 'What converts objects between the versions of the kind'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;create;help'= {
            cand api 'Add a kind: its type, its CRD, a controller, a sample, roles and a test'
            cand bundle 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)'
            cand chart 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters'
            cand dashboard 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/'
            cand devcontainer 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins'
            cand e2e 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind'
            cand release 'Add a workflow that makes a release of a tag, .github/workflows/release.yml'
            cand webhook 'Add webhooks to a kind: what completes, refuses or converts its objects'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;create;help;api'= {
        }
        &'rustop;create;help;bundle'= {
        }
        &'rustop;create;help;chart'= {
        }
        &'rustop;create;help;dashboard'= {
        }
        &'rustop;create;help;devcontainer'= {
        }
        &'rustop;create;help;e2e'= {
        }
        &'rustop;create;help;release'= {
        }
        &'rustop;create;help;webhook'= {
        }
        &'rustop;create;help;help'= {
        }
        &'rustop;delete'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand api 'Take a kind out of the project, with all of its versions, its controller and its webhooks'
            cand bundle 'Take the OLM bundle out of the project'
            cand chart 'Take the Helm chart out of the project'
            cand dashboard 'Take the Grafana dashboards and the alerts out of the project'
            cand devcontainer 'Take the development container and CONTRIBUTING.md out of the project'
            cand e2e 'Take the end-to-end tests and their workflow out of the project'
            cand release 'Take the release workflow out of the project'
            cand version 'Take a version of a kind out of the project'
            cand webhook 'Take webhooks of a kind out of the project'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;delete;api'= {
            cand --kind 'The kind, in `PascalCase`'
            cand --group 'Its group, as it was given when it was created'
            cand --version 'The version that goes [default: all of them]'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand --no-resource 'The controller alone goes: types and CRD stay'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;bundle'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;chart'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;dashboard'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;devcontainer'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;e2e'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;release'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;version'= {
            cand --kind 'The kind, in `PascalCase`'
            cand --group 'Its group, as it was given when it was created'
            cand --version 'The version that goes'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;webhook'= {
            cand --kind 'The kind, in `PascalCase`'
            cand --group 'Its group, as it was given when it was created'
            cand --version 'The version that has it [default: the only one]'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand --defaulting 'What completes new and changed objects'
            cand --validation 'What refuses objects that break a rule'
            cand --conversion 'What converts objects between the versions of the kind'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;delete;help'= {
            cand api 'Take a kind out of the project, with all of its versions, its controller and its webhooks'
            cand bundle 'Take the OLM bundle out of the project'
            cand chart 'Take the Helm chart out of the project'
            cand dashboard 'Take the Grafana dashboards and the alerts out of the project'
            cand devcontainer 'Take the development container and CONTRIBUTING.md out of the project'
            cand e2e 'Take the end-to-end tests and their workflow out of the project'
            cand release 'Take the release workflow out of the project'
            cand version 'Take a version of a kind out of the project'
            cand webhook 'Take webhooks of a kind out of the project'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;delete;help;api'= {
        }
        &'rustop;delete;help;bundle'= {
        }
        &'rustop;delete;help;chart'= {
        }
        &'rustop;delete;help;dashboard'= {
        }
        &'rustop;delete;help;devcontainer'= {
        }
        &'rustop;delete;help;e2e'= {
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
            cand --output 'What to print on stdout'
            cand --domain 'The suffix of the project''s API groups, a domain that is yours'
            cand --project-name 'The project''s name'
            cand --license 'The licence of the project''s code'
            cand --owner 'Whoever holds the copyright; '''' for nobody'
            cand --namespaced 'Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster'
            cand --manager 'Where the project has the crate from that its operator runs on'
            cand --manager-features 'The parts of that crate which not every operator needs, and this one has; without a value none'
            cand --kubernetes-version 'The newest Kubernetes whose API the code may use'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;upgrade'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --check 'Write nothing, and fail if the project is of an earlier rustop'
            cand --dry-run 'Say what would be written and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;manifests'= {
            cand --against 'Compare the CRDs with those of a commit, a directory, a file or `cluster`: what breaks stored objects or clients is an error, unless it is allowed in place'
            cand -o 'What to print on stdout'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --check 'Write nothing: print what would change as a diff, and fail if anything would'
            cand --dry-run 'Say what would be written and write nothing'
            cand --deny-warnings 'Take warnings for errors: write nothing when there is one'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;explain'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;lint'= {
            cand -o 'What to print on stdout'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --deny-warnings 'Take warnings for errors'
            cand --list 'Print the rules, and which of them look'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;dev'= {
            cand --output 'What to print on stdout'
            cand --timeout 'How long --once waits, from the operator''s start on'
            cand --kubeconfig 'Use the cluster of this kubeconfig instead of one of rustop''s own'
            cand --record 'Record all that the page shows into a new file, for `rustop show`'
            cand --reached-at 'Name or address at which that cluster''s API server reaches this machine, for webhooks; needed unless it runs on this machine itself'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --once 'End as soon as every sample is Ready, or fail with what is missing; on a cluster that does not run yet, without the data of earlier runs'
            cand --watch 'Build and start the operator again when a source changes'
            cand --no-page 'Show no page in the browser; with --once there is none'
            cand --open 'Open the page in a browser'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;run'= {
            cand --reached-at 'Name or address at which the API server reaches this machine, for webhooks; needed unless it runs on this machine itself'
            cand --record 'Record all that the page shows into a new file, for `rustop show`'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --takeover 'Hold the lease of the operator that is deployed, so that it stands by as long as this one runs'
            cand --no-page 'Show no page in the browser'
            cand --open 'Open the page in a browser'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;show'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --open 'Open the page in a browser'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;torture'= {
            cand --output 'What to print on stdout'
            cand --budget 'How long to try faults'
            cand --seed 'The order in which faults are tried; another one each time by default'
            cand --faults 'Try this many faults at most'
            cand --lanes 'How many operators run beside each other'
            cand --count 'Objects of which none may be made twice, beside Pods and claims: `deployments.apps` or `Deployment`'
            cand --scenarios 'Where stories of your own are: what a sample needs beside its schema, and what is done to it'
            cand --replay 'Show a finding again, with the operator''s log beside its writes'
            cand --times 'Show it this many times, and count'
            cand --out 'Where the report goes'
            cand --crds 'The CRDs of an operator that is not this project''s'
            cand --samples 'Its samples'
            cand --rbac 'Its roles and its ServiceAccount; without, it may do everything'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --keep 'Keep the data and logs of the control plane, 60 MiB and more, when it ends'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;migrate'= {
            cand --output 'What to print on stdout'
            cand --kind 'This kind only'
            cand --group 'Kinds of this group only, as it was given to create api'
            cand --kubeconfig 'The cluster [default: that of KUBECONFIG or of ~/.kube/config]'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --dry-run 'Say what would be done and write nothing'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;rbac'= {
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand report 'Print what was forbidden, with the marker that grants it, and what was granted and never used'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;rbac;report'= {
            cand --cluster 'The cluster the operator ran on, if it is not the project''s'
            cand --output 'What to print on stdout'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --check 'Exit 1 if anything was forbidden'
            cand --unused 'Tell what was never used whatever ran: for tests that make the operator do all that it can'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;rbac;help'= {
            cand report 'Print what was forbidden, with the marker that grants it, and what was granted and never used'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;rbac;help;report'= {
        }
        &'rustop;rbac;help;help'= {
        }
        &'rustop;schema'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
            cand install 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache'
            cand start 'Start a cluster in the background, and return when it is ready'
            cand stop 'Stop a cluster; its data stays for the next start'
            cand delete 'Stop a cluster and remove its data'
            cand kubeconfig 'Print the path of a running cluster''s kubeconfig; your own is never touched'
            cand status 'Show which clusters there are and whether they run'
            cand exec 'Run a command on a fresh cluster of its own, and leave nothing behind'
            cand detach 'Leave the session and become another program'
            cand janitor 'Wait until nobody holds a cluster, and end what is left of it'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;cluster;install'= {
            cand --output 'What to print on stdout'
            cand --kubernetes-version 'The version of Kubernetes, as 1.36 or 1.36.3'
            cand --from '`auto` (download, or build where that is not possible), `download`, `go`, or a directory'
            cand --index 'The index of envtest releases'
            cand --release-site 'Where Kubernetes publishes its programs'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;cluster;start'= {
            cand --name 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]'
            cand --kubernetes-version 'The version of Kubernetes, as 1.36 or 1.36.3'
            cand --assets 'Run the programs in DIR and no others'
            cand --nodes 'The number of KWOK nodes'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --no-controllers 'Run etcd and kube-apiserver alone: faster, but Deployments get no Pods'
            cand --fresh 'Throw away the data of an earlier start'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;stop'= {
            cand --name 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;delete'= {
            cand --name 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --stopped 'All clusters that do not run'
            cand --unused 'All clusters whose project''s directory no longer exists'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;kubeconfig'= {
            cand --name 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --print 'Print what is in it instead of its path'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;status'= {
            cand --name 'Only the cluster of this name [default: the project''s in a project, else all]'
            cand -o 'How to print it'
            cand --output 'How to print it'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --all 'All clusters, and which project each belongs to'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;cluster;exec'= {
            cand --kubernetes-version 'The version of Kubernetes, as 1.36 or 1.36.3'
            cand --assets 'Run the programs in DIR and no others'
            cand --nodes 'The number of KWOK nodes'
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand --no-controllers 'Run etcd and kube-apiserver alone: faster, but Deployments get no Pods'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'rustop;cluster;detach'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;janitor'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;cluster;help'= {
            cand install 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache'
            cand start 'Start a cluster in the background, and return when it is ready'
            cand stop 'Stop a cluster; its data stays for the next start'
            cand delete 'Stop a cluster and remove its data'
            cand kubeconfig 'Print the path of a running cluster''s kubeconfig; your own is never touched'
            cand status 'Show which clusters there are and whether they run'
            cand exec 'Run a command on a fresh cluster of its own, and leave nothing behind'
            cand detach 'Leave the session and become another program'
            cand janitor 'Wait until nobody holds a cluster, and end what is left of it'
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
        &'rustop;cluster;help;help'= {
        }
        &'rustop;completions'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;man'= {
            cand -C 'Work on the project in DIR, or above it, instead of the current directory'
            cand --project 'Work on the project in DIR, or above it, instead of the current directory'
            cand --color 'When to use colors'
            cand -v 'Say more'
            cand --verbose 'Say more'
            cand -q 'Say nothing but warnings and errors'
            cand --quiet 'Say nothing but warnings and errors'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'rustop;help'= {
            cand init 'Start a project in an empty directory'
            cand import 'Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write'
            cand create 'Add an API, its webhooks, or what else an operator has to the project'
            cand delete 'Take an API, a version of it, its webhooks, or what else create has added out of the project'
            cand edit 'Change what `rustop init` decided'
            cand upgrade 'Bring the project to this version of rustop'
            cand manifests 'Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for'
            cand explain 'Say what a warning means, and how to allow it'
            cand lint 'Check the project''s types against the conventions of Kubernetes'' APIs'
            cand dev 'Run the operator and its samples on a control plane on this machine'
            cand run 'Run the operator on this machine with the current kubeconfig'
            cand show 'Show a recording of `rustop dev --record` in the browser, without a cluster'
            cand torture 'Find the bugs of the operator that show when something goes wrong'
            cand migrate 'Write stored objects anew in the storage version of their kind, so that an older version can go'
            cand rbac 'Compare what the operator asked of the API server with what it was granted'
            cand schema 'Print the JSON schema of the PROJECT file'
            cand cluster 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
            cand completions 'Print the completion script for a shell'
            cand man 'Print the manual page of a command'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'rustop;help;init'= {
        }
        &'rustop;help;import'= {
        }
        &'rustop;help;create'= {
            cand api 'Add a kind: its type, its CRD, a controller, a sample, roles and a test'
            cand bundle 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)'
            cand chart 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters'
            cand dashboard 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/'
            cand devcontainer 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins'
            cand e2e 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind'
            cand release 'Add a workflow that makes a release of a tag, .github/workflows/release.yml'
            cand webhook 'Add webhooks to a kind: what completes, refuses or converts its objects'
        }
        &'rustop;help;create;api'= {
        }
        &'rustop;help;create;bundle'= {
        }
        &'rustop;help;create;chart'= {
        }
        &'rustop;help;create;dashboard'= {
        }
        &'rustop;help;create;devcontainer'= {
        }
        &'rustop;help;create;e2e'= {
        }
        &'rustop;help;create;release'= {
        }
        &'rustop;help;create;webhook'= {
        }
        &'rustop;help;delete'= {
            cand api 'Take a kind out of the project, with all of its versions, its controller and its webhooks'
            cand bundle 'Take the OLM bundle out of the project'
            cand chart 'Take the Helm chart out of the project'
            cand dashboard 'Take the Grafana dashboards and the alerts out of the project'
            cand devcontainer 'Take the development container and CONTRIBUTING.md out of the project'
            cand e2e 'Take the end-to-end tests and their workflow out of the project'
            cand release 'Take the release workflow out of the project'
            cand version 'Take a version of a kind out of the project'
            cand webhook 'Take webhooks of a kind out of the project'
        }
        &'rustop;help;delete;api'= {
        }
        &'rustop;help;delete;bundle'= {
        }
        &'rustop;help;delete;chart'= {
        }
        &'rustop;help;delete;dashboard'= {
        }
        &'rustop;help;delete;devcontainer'= {
        }
        &'rustop;help;delete;e2e'= {
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
        &'rustop;help;torture'= {
        }
        &'rustop;help;migrate'= {
        }
        &'rustop;help;rbac'= {
            cand report 'Print what was forbidden, with the marker that grants it, and what was granted and never used'
        }
        &'rustop;help;rbac;report'= {
        }
        &'rustop;help;schema'= {
        }
        &'rustop;help;cluster'= {
            cand install 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache'
            cand start 'Start a cluster in the background, and return when it is ready'
            cand stop 'Stop a cluster; its data stays for the next start'
            cand delete 'Stop a cluster and remove its data'
            cand kubeconfig 'Print the path of a running cluster''s kubeconfig; your own is never touched'
            cand status 'Show which clusters there are and whether they run'
            cand exec 'Run a command on a fresh cluster of its own, and leave nothing behind'
            cand detach 'Leave the session and become another program'
            cand janitor 'Wait until nobody holds a cluster, and end what is left of it'
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
        &'rustop;help;completions'= {
        }
        &'rustop;help;man'= {
        }
        &'rustop;help;help'= {
        }
    ]
    $completions[$command]
}
