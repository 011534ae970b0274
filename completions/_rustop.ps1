
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'rustop' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'rustop'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'rustop' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Start a project in an empty directory')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Add an API, its webhooks, or what else an operator has to the project')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Take an API, a version of it, its webhooks, or what else create has added out of the project')
            [CompletionResult]::new('edit', 'edit', [CompletionResultType]::ParameterValue, 'Change what `rustop init` decided')
            [CompletionResult]::new('upgrade', 'upgrade', [CompletionResultType]::ParameterValue, 'Bring the project to this version of rustop')
            [CompletionResult]::new('manifests', 'manifests', [CompletionResultType]::ParameterValue, 'Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say what a warning means, and how to allow it')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check the project''s types against the conventions of Kubernetes'' APIs')
            [CompletionResult]::new('dev', 'dev', [CompletionResultType]::ParameterValue, 'Run the operator and its samples on a control plane on this machine')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the operator on this machine with the current kubeconfig')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a recording of `rustop dev --record` in the browser, without a cluster')
            [CompletionResult]::new('torture', 'torture', [CompletionResultType]::ParameterValue, 'Find the bugs of the operator that show when something goes wrong')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Write stored objects anew in the storage version of their kind, so that an older version can go')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Compare what the operator asked of the API server with what it was granted')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of the PROJECT file')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of a command')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;init' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'The suffix of the project''s API groups, a domain that is yours')
            [CompletionResult]::new('--project-name', '--project-name', [CompletionResultType]::ParameterName, 'The project''s name [default: the directory''s name]')
            [CompletionResult]::new('--license', '--license', [CompletionResultType]::ParameterName, 'The licence of the project''s code')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Whoever holds the copyright')
            [CompletionResult]::new('--manager', '--manager', [CompletionResultType]::ParameterName, 'Where the project has the crate from that its operator runs on')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The newest Kubernetes whose API the code may use')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;import' {
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'The suffix of the project''s API groups [default: that of the Go project]')
            [CompletionResult]::new('--project-name', '--project-name', [CompletionResultType]::ParameterName, 'The project''s name [default: that of the Go project]')
            [CompletionResult]::new('--crds', '--crds', [CompletionResultType]::ParameterName, 'The file or directory in DIR that has the CRDs [default: config/crd/bases and its like]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Leave a place of a CRD out that no Rust type says; may be given more than once')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'A field of a kind that may differ, and all below it: `deployment:metadata.labels`; may be given more than once')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'How long to compare')
            [CompletionResult]::new('--lanes', '--lanes', [CompletionResultType]::ParameterName, 'How many operators run beside each other')
            [CompletionResult]::new('--scenarios', '--scenarios', [CompletionResultType]::ParameterName, 'Where stories of your own are, as for `rustop torture`')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('--shadow', '--shadow', [CompletionResultType]::ParameterName, 'Compare this project''s operator with the one that it replaces; exits with 1 where they differ')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Add a kind: its type, its CRD, a controller, a sample, roles and a test')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Add a workflow that makes a release of a tag, .github/workflows/release.yml')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Add webhooks to a kind: what completes, refuses or converts its objects')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;create;api' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'The kind, in `PascalCase`; with --from-crd, the one of several that is meant')
            [CompletionResult]::new('--from-crd', '--from-crd', [CompletionResultType]::ParameterName, 'The types of a CRD that exists: a file, an https:// address, - or cluster:NAME')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Leave a place of the CRD out that no Rust type says; may be given more than once')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'What stands before the domain in the API group; with --no-resource, someone else''s group')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'The API version [default: v1alpha1, or that of a built-in kind]')
            [CompletionResult]::new('--plural', '--plural', [CompletionResultType]::ParameterName, 'The plural [default: the English plural of the kind]')
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Begin with an operator of this image: a Deployment and a Service for each object')
            [CompletionResult]::new('--image-container-port', '--image-container-port', [CompletionResultType]::ParameterName, 'The port that the image listens on')
            [CompletionResult]::new('--image-container-command', '--image-container-command', [CompletionResultType]::ParameterName, 'The command that takes the place of the image''s own, its words separated by commas')
            [CompletionResult]::new('--run-as-user', '--run-as-user', [CompletionResultType]::ParameterName, 'The user that the image runs as, other than root; its Pods are then as restricted as can be')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Objects live in namespaces, as kubebuilder says it')
            [CompletionResult]::new('--controller', '--controller', [CompletionResultType]::ParameterName, 'Add a controller, as kubebuilder says it')
            [CompletionResult]::new('--resource', '--resource', [CompletionResultType]::ParameterName, 'Add a CRD, as kubebuilder says it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--cluster-scoped', '--cluster-scoped', [CompletionResultType]::ParameterName, 'Objects live in the cluster, not in namespaces')
            [CompletionResult]::new('--no-controller', '--no-controller', [CompletionResultType]::ParameterName, 'No controller: the type, its CRD and a sample only')
            [CompletionResult]::new('--no-resource', '--no-resource', [CompletionResultType]::ParameterName, 'No CRD: a controller for a kind of Kubernetes, of someone else or already in the project')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing; with --from-crd, show the types and all that cannot be said')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;bundle' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;chart' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The chart''s name [default: that of the project]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;dashboard' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;devcontainer' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;e2e' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;release' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;webhook' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'The kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Its group, as it was given to create api, or a group of Kubernetes')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Its version [default: the one created first, or that of a built-in kind]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--defaulting', '--defaulting', [CompletionResultType]::ParameterName, 'What completes new and changed objects')
            [CompletionResult]::new('--validation', '--validation', [CompletionResultType]::ParameterName, 'What refuses objects that break a rule')
            [CompletionResult]::new('--conversion', '--conversion', [CompletionResultType]::ParameterName, 'What converts objects between the versions of the kind')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;help' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Add a kind: its type, its CRD, a controller, a sample, roles and a test')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Add a workflow that makes a release of a tag, .github/workflows/release.yml')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Add webhooks to a kind: what completes, refuses or converts its objects')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;create;help;api' {
            break
        }
        'rustop;create;help;bundle' {
            break
        }
        'rustop;create;help;chart' {
            break
        }
        'rustop;create;help;dashboard' {
            break
        }
        'rustop;create;help;devcontainer' {
            break
        }
        'rustop;create;help;e2e' {
            break
        }
        'rustop;create;help;release' {
            break
        }
        'rustop;create;help;webhook' {
            break
        }
        'rustop;create;help;help' {
            break
        }
        'rustop;delete' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Take a kind out of the project, with all of its versions, its controller and its webhooks')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Take the OLM bundle out of the project')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Take the Helm chart out of the project')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Take the Grafana dashboards and the alerts out of the project')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Take the development container and CONTRIBUTING.md out of the project')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Take the end-to-end tests and their workflow out of the project')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Take the release workflow out of the project')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Take a version of a kind out of the project')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Take webhooks of a kind out of the project')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;delete;api' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'The kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Its group, as it was given when it was created')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'The version that goes [default: all of them]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('--no-resource', '--no-resource', [CompletionResultType]::ParameterName, 'The controller alone goes: types and CRD stay')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;bundle' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;chart' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;dashboard' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;devcontainer' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;e2e' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;release' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;version' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'The kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Its group, as it was given when it was created')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'The version that goes')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;webhook' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'The kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Its group, as it was given when it was created')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'The version that has it [default: the only one]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('--defaulting', '--defaulting', [CompletionResultType]::ParameterName, 'What completes new and changed objects')
            [CompletionResult]::new('--validation', '--validation', [CompletionResultType]::ParameterName, 'What refuses objects that break a rule')
            [CompletionResult]::new('--conversion', '--conversion', [CompletionResultType]::ParameterName, 'What converts objects between the versions of the kind')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;help' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Take a kind out of the project, with all of its versions, its controller and its webhooks')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Take the OLM bundle out of the project')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Take the Helm chart out of the project')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Take the Grafana dashboards and the alerts out of the project')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Take the development container and CONTRIBUTING.md out of the project')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Take the end-to-end tests and their workflow out of the project')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Take the release workflow out of the project')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Take a version of a kind out of the project')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Take webhooks of a kind out of the project')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;delete;help;api' {
            break
        }
        'rustop;delete;help;bundle' {
            break
        }
        'rustop;delete;help;chart' {
            break
        }
        'rustop;delete;help;dashboard' {
            break
        }
        'rustop;delete;help;devcontainer' {
            break
        }
        'rustop;delete;help;e2e' {
            break
        }
        'rustop;delete;help;release' {
            break
        }
        'rustop;delete;help;version' {
            break
        }
        'rustop;delete;help;webhook' {
            break
        }
        'rustop;delete;help;help' {
            break
        }
        'rustop;edit' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'The suffix of the project''s API groups, a domain that is yours')
            [CompletionResult]::new('--project-name', '--project-name', [CompletionResultType]::ParameterName, 'The project''s name')
            [CompletionResult]::new('--license', '--license', [CompletionResultType]::ParameterName, 'The licence of the project''s code')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Whoever holds the copyright; '''' for nobody')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster')
            [CompletionResult]::new('--manager', '--manager', [CompletionResultType]::ParameterName, 'Where the project has the crate from that its operator runs on')
            [CompletionResult]::new('--manager-features', '--manager-features', [CompletionResultType]::ParameterName, 'The parts of that crate which not every operator needs, and this one has; without a value none')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The newest Kubernetes whose API the code may use')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;upgrade' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing, and fail if the project is of an earlier rustop')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;manifests' {
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Compare the CRDs with those of a commit, a directory, a file or `cluster`: what breaks stored objects or clients is an error, unless it is allowed in place')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing: print what would change as a diff, and fail if anything would')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be written and write nothing')
            [CompletionResult]::new('--deny-warnings', '--deny-warnings', [CompletionResultType]::ParameterName, 'Take warnings for errors: write nothing when there is one')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;explain' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;lint' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--deny-warnings', '--deny-warnings', [CompletionResultType]::ParameterName, 'Take warnings for errors')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Print the rules, and which of them look')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;dev' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'How long --once waits, from the operator''s start on')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Use the cluster of this kubeconfig instead of one of rustop''s own')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record all that the page shows into a new file, for `rustop show`')
            [CompletionResult]::new('--reached-at', '--reached-at', [CompletionResultType]::ParameterName, 'Name or address at which that cluster''s API server reaches this machine, for webhooks; needed unless it runs on this machine itself')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'End as soon as every sample is Ready, or fail with what is missing; on a cluster that does not run yet, without the data of earlier runs')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Build and start the operator again when a source changes')
            [CompletionResult]::new('--no-page', '--no-page', [CompletionResultType]::ParameterName, 'Show no page in the browser; with --once there is none')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;run' {
            [CompletionResult]::new('--reached-at', '--reached-at', [CompletionResultType]::ParameterName, 'Name or address at which the API server reaches this machine, for webhooks; needed unless it runs on this machine itself')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record all that the page shows into a new file, for `rustop show`')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--takeover', '--takeover', [CompletionResultType]::ParameterName, 'Hold the lease of the operator that is deployed, so that it stands by as long as this one runs')
            [CompletionResult]::new('--no-page', '--no-page', [CompletionResultType]::ParameterName, 'Show no page in the browser')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the page in a browser')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;torture' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'How long to try faults')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'The order in which faults are tried; another one each time by default')
            [CompletionResult]::new('--faults', '--faults', [CompletionResultType]::ParameterName, 'Try this many faults at most')
            [CompletionResult]::new('--lanes', '--lanes', [CompletionResultType]::ParameterName, 'How many operators run beside each other')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Objects of which none may be made twice, beside Pods and claims: `deployments.apps` or `Deployment`')
            [CompletionResult]::new('--scenarios', '--scenarios', [CompletionResultType]::ParameterName, 'Where stories of your own are: what a sample needs beside its schema, and what is done to it')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Show a finding again, with the operator''s log beside its writes')
            [CompletionResult]::new('--times', '--times', [CompletionResultType]::ParameterName, 'Show it this many times, and count')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Where the report goes')
            [CompletionResult]::new('--crds', '--crds', [CompletionResultType]::ParameterName, 'The CRDs of an operator that is not this project''s')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'Its samples')
            [CompletionResult]::new('--rbac', '--rbac', [CompletionResultType]::ParameterName, 'Its roles and its ServiceAccount; without, it may do everything')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Keep the data and logs of the control plane, 60 MiB and more, when it ends')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;migrate' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'This kind only')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Kinds of this group only, as it was given to create api')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'The cluster [default: that of KUBECONFIG or of ~/.kube/config]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be done and write nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;rbac' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Print what was forbidden, with the marker that grants it, and what was granted and never used')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;rbac;report' {
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'The cluster the operator ran on, if it is not the project''s')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit 1 if anything was forbidden')
            [CompletionResult]::new('--unused', '--unused', [CompletionResultType]::ParameterName, 'Tell what was never used whatever ran: for tests that make the operator do all that it can')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;rbac;help' {
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Print what was forbidden, with the marker that grants it, and what was granted and never used')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;rbac;help;report' {
            break
        }
        'rustop;rbac;help;help' {
            break
        }
        'rustop;schema' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a cluster in the background, and return when it is ready')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop a cluster; its data stays for the next start')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Stop a cluster and remove its data')
            [CompletionResult]::new('kubeconfig', 'kubeconfig', [CompletionResultType]::ParameterValue, 'Print the path of a running cluster''s kubeconfig; your own is never touched')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show which clusters there are and whether they run')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command on a fresh cluster of its own, and leave nothing behind')
            [CompletionResult]::new('detach', 'detach', [CompletionResultType]::ParameterValue, 'Leave the session and become another program')
            [CompletionResult]::new('janitor', 'janitor', [CompletionResultType]::ParameterValue, 'Wait until nobody holds a cluster, and end what is left of it')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;cluster;install' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'What to print on stdout')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The version of Kubernetes, as 1.36 or 1.36.3')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, '`auto` (download, or build where that is not possible), `download`, `go`, or a directory')
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'The index of envtest releases')
            [CompletionResult]::new('--release-site', '--release-site', [CompletionResultType]::ParameterName, 'Where Kubernetes publishes its programs')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;cluster;start' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The version of Kubernetes, as 1.36 or 1.36.3')
            [CompletionResult]::new('--assets', '--assets', [CompletionResultType]::ParameterName, 'Run the programs in DIR and no others')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'The number of KWOK nodes')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--no-controllers', '--no-controllers', [CompletionResultType]::ParameterName, 'Run etcd and kube-apiserver alone: faster, but Deployments get no Pods')
            [CompletionResult]::new('--fresh', '--fresh', [CompletionResultType]::ParameterName, 'Throw away the data of an earlier start')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;stop' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;delete' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--stopped', '--stopped', [CompletionResultType]::ParameterName, 'All clusters that do not run')
            [CompletionResult]::new('--unused', '--unused', [CompletionResultType]::ParameterName, 'All clusters whose project''s directory no longer exists')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;kubeconfig' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The cluster''s name; several run side by side [default: the project''s in a project, else `default`]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'Print what is in it instead of its path')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;status' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Only the cluster of this name [default: the project''s in a project, else all]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All clusters, and which project each belongs to')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;cluster;exec' {
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'The version of Kubernetes, as 1.36 or 1.36.3')
            [CompletionResult]::new('--assets', '--assets', [CompletionResultType]::ParameterName, 'Run the programs in DIR and no others')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'The number of KWOK nodes')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('--no-controllers', '--no-controllers', [CompletionResultType]::ParameterName, 'Run etcd and kube-apiserver alone: faster, but Deployments get no Pods')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;cluster;detach' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;janitor' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;help' {
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a cluster in the background, and return when it is ready')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop a cluster; its data stays for the next start')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Stop a cluster and remove its data')
            [CompletionResult]::new('kubeconfig', 'kubeconfig', [CompletionResultType]::ParameterValue, 'Print the path of a running cluster''s kubeconfig; your own is never touched')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show which clusters there are and whether they run')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command on a fresh cluster of its own, and leave nothing behind')
            [CompletionResult]::new('detach', 'detach', [CompletionResultType]::ParameterValue, 'Leave the session and become another program')
            [CompletionResult]::new('janitor', 'janitor', [CompletionResultType]::ParameterValue, 'Wait until nobody holds a cluster, and end what is left of it')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;cluster;help;install' {
            break
        }
        'rustop;cluster;help;start' {
            break
        }
        'rustop;cluster;help;stop' {
            break
        }
        'rustop;cluster;help;delete' {
            break
        }
        'rustop;cluster;help;kubeconfig' {
            break
        }
        'rustop;cluster;help;status' {
            break
        }
        'rustop;cluster;help;exec' {
            break
        }
        'rustop;cluster;help;detach' {
            break
        }
        'rustop;cluster;help;janitor' {
            break
        }
        'rustop;cluster;help;help' {
            break
        }
        'rustop;completions' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;man' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in DIR, or above it, instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Start a project in an empty directory')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Add an API, its webhooks, or what else an operator has to the project')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Take an API, a version of it, its webhooks, or what else create has added out of the project')
            [CompletionResult]::new('edit', 'edit', [CompletionResultType]::ParameterValue, 'Change what `rustop init` decided')
            [CompletionResult]::new('upgrade', 'upgrade', [CompletionResultType]::ParameterValue, 'Bring the project to this version of rustop')
            [CompletionResult]::new('manifests', 'manifests', [CompletionResultType]::ParameterValue, 'Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say what a warning means, and how to allow it')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check the project''s types against the conventions of Kubernetes'' APIs')
            [CompletionResult]::new('dev', 'dev', [CompletionResultType]::ParameterValue, 'Run the operator and its samples on a control plane on this machine')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the operator on this machine with the current kubeconfig')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a recording of `rustop dev --record` in the browser, without a cluster')
            [CompletionResult]::new('torture', 'torture', [CompletionResultType]::ParameterValue, 'Find the bugs of the operator that show when something goes wrong')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Write stored objects anew in the storage version of their kind, so that an older version can go')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Compare what the operator asked of the API server with what it was granted')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of the PROJECT file')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of a command')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;help;init' {
            break
        }
        'rustop;help;import' {
            break
        }
        'rustop;help;create' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Add a kind: its type, its CRD, a controller, a sample, roles and a test')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Add a workflow that makes a release of a tag, .github/workflows/release.yml')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Add webhooks to a kind: what completes, refuses or converts its objects')
            break
        }
        'rustop;help;create;api' {
            break
        }
        'rustop;help;create;bundle' {
            break
        }
        'rustop;help;create;chart' {
            break
        }
        'rustop;help;create;dashboard' {
            break
        }
        'rustop;help;create;devcontainer' {
            break
        }
        'rustop;help;create;e2e' {
            break
        }
        'rustop;help;create;release' {
            break
        }
        'rustop;help;create;webhook' {
            break
        }
        'rustop;help;delete' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Take a kind out of the project, with all of its versions, its controller and its webhooks')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Take the OLM bundle out of the project')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Take the Helm chart out of the project')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Take the Grafana dashboards and the alerts out of the project')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Take the development container and CONTRIBUTING.md out of the project')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Take the end-to-end tests and their workflow out of the project')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Take the release workflow out of the project')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Take a version of a kind out of the project')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Take webhooks of a kind out of the project')
            break
        }
        'rustop;help;delete;api' {
            break
        }
        'rustop;help;delete;bundle' {
            break
        }
        'rustop;help;delete;chart' {
            break
        }
        'rustop;help;delete;dashboard' {
            break
        }
        'rustop;help;delete;devcontainer' {
            break
        }
        'rustop;help;delete;e2e' {
            break
        }
        'rustop;help;delete;release' {
            break
        }
        'rustop;help;delete;version' {
            break
        }
        'rustop;help;delete;webhook' {
            break
        }
        'rustop;help;edit' {
            break
        }
        'rustop;help;upgrade' {
            break
        }
        'rustop;help;manifests' {
            break
        }
        'rustop;help;explain' {
            break
        }
        'rustop;help;lint' {
            break
        }
        'rustop;help;dev' {
            break
        }
        'rustop;help;run' {
            break
        }
        'rustop;help;show' {
            break
        }
        'rustop;help;torture' {
            break
        }
        'rustop;help;migrate' {
            break
        }
        'rustop;help;rbac' {
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Print what was forbidden, with the marker that grants it, and what was granted and never used')
            break
        }
        'rustop;help;rbac;report' {
            break
        }
        'rustop;help;schema' {
            break
        }
        'rustop;help;cluster' {
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a cluster in the background, and return when it is ready')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop a cluster; its data stays for the next start')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Stop a cluster and remove its data')
            [CompletionResult]::new('kubeconfig', 'kubeconfig', [CompletionResultType]::ParameterValue, 'Print the path of a running cluster''s kubeconfig; your own is never touched')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show which clusters there are and whether they run')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command on a fresh cluster of its own, and leave nothing behind')
            [CompletionResult]::new('detach', 'detach', [CompletionResultType]::ParameterValue, 'Leave the session and become another program')
            [CompletionResult]::new('janitor', 'janitor', [CompletionResultType]::ParameterValue, 'Wait until nobody holds a cluster, and end what is left of it')
            break
        }
        'rustop;help;cluster;install' {
            break
        }
        'rustop;help;cluster;start' {
            break
        }
        'rustop;help;cluster;stop' {
            break
        }
        'rustop;help;cluster;delete' {
            break
        }
        'rustop;help;cluster;kubeconfig' {
            break
        }
        'rustop;help;cluster;status' {
            break
        }
        'rustop;help;cluster;exec' {
            break
        }
        'rustop;help;cluster;detach' {
            break
        }
        'rustop;help;cluster;janitor' {
            break
        }
        'rustop;help;completions' {
            break
        }
        'rustop;help;man' {
            break
        }
        'rustop;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
