
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a project in an empty directory')
            [CompletionResult]::new('adopt', 'adopt', [CompletionResultType]::ParameterValue, 'Use rustop''s tools for an operator that already exists')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Create a project from an operator in Go: its kinds, permissions, webhooks and samples')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Add an API, webhooks or another optional part to the project')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Remove an API, a version, webhooks or another optional part from the project')
            [CompletionResult]::new('edit', 'edit', [CompletionResultType]::ParameterValue, 'Change settings that were chosen at `rustop init`')
            [CompletionResult]::new('upgrade', 'upgrade', [CompletionResultType]::ParameterValue, 'Upgrade the project to this version of rustop')
            [CompletionResult]::new('manifests', 'manifests', [CompletionResultType]::ParameterValue, 'Generate CRDs from the Rust types, and roles and webhook configurations from the markers')
            [CompletionResult]::new('docs', 'docs', [CompletionResultType]::ParameterValue, 'Generate a reference of the project''s kinds for their users')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a rule, or a finding of `rustop torture` and `rustop simulate`')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check the project''s types against the Kubernetes API conventions')
            [CompletionResult]::new('dev', 'dev', [CompletionResultType]::ParameterValue, 'Run the operator and its samples on a control plane on this machine')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the operator on this machine with the current kubeconfig')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a recording of `rustop dev --record` in the browser, without a cluster')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Find bugs of the operator in thousands of simulated histories')
            [CompletionResult]::new('torture', 'torture', [CompletionResultType]::ParameterValue, 'Find bugs of the operator by fault injection')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Rewrite stored objects in the storage version of their kind, so that older versions can be removed')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Compare the operator''s requests with its permissions')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of the PROJECT file')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of a command')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;init' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'Domain suffix of the project''s API groups; use a domain that you own')
            [CompletionResult]::new('--project-name', '--project-name', [CompletionResultType]::ParameterName, 'Name of the project [default: the directory''s name]')
            [CompletionResult]::new('--license', '--license', [CompletionResultType]::ParameterName, 'Licence of the project''s code')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Copyright holder')
            [CompletionResult]::new('--manager', '--manager', [CompletionResultType]::ParameterName, 'Source of the runtime crate `rustop-manager`')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Newest Kubernetes version whose API the code may use')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;adopt' {
            [CompletionResult]::new('--crds-command', '--crds-command', [CompletionResultType]::ParameterName, 'Shell line that prints the CRDs or writes them to files')
            [CompletionResult]::new('--crds', '--crds', [CompletionResultType]::ParameterName, 'Committed copy of the CRDs, also as a template of a chart; can be repeated')
            [CompletionResult]::new('--bin', '--bin', [CompletionResultType]::ParameterName, 'Name of the operator''s program')
            [CompletionResult]::new('--command', '--command', [CompletionResultType]::ParameterName, 'Command line that starts the operator, for a program in any language')
            [CompletionResult]::new('--build', '--build', [CompletionResultType]::ParameterName, 'Shell line that builds the operator')
            [CompletionResult]::new('--deploy', '--deploy', [CompletionResultType]::ParameterName, 'Manifests that install the operator: a chart, a kustomization, or files separated by commas, if need be as chart:DIR, kustomize:DIR or files:PATH')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'File with samples of the operator''s kinds, with `*` for any name; can be repeated')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the project [default: that of the program''s package]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing rustop.yaml; keys that are not found keep their values')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print rustop.yaml without writing it')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;import' {
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'Domain suffix of the project''s API groups [default: the Go project''s]')
            [CompletionResult]::new('--project-name', '--project-name', [CompletionResultType]::ParameterName, 'Name of the project [default: the Go project''s]')
            [CompletionResult]::new('--crds', '--crds', [CompletionResultType]::ParameterName, 'File or directory in DIR that contains the CRDs [default: config/crd/bases or a similar directory]')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Omit a field of a CRD that Rust types cannot express; can be repeated')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Ignore differences at or below a field of a kind: `deployment:metadata.labels`; can be repeated')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time limit of the comparison')
            [CompletionResult]::new('--lanes', '--lanes', [CompletionResultType]::ParameterName, 'Number of operator instances to run in parallel')
            [CompletionResult]::new('--scenarios', '--scenarios', [CompletionResultType]::ParameterName, 'Directory with your own scenarios, as for `rustop torture`')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('--shadow', '--shadow', [CompletionResultType]::ParameterName, 'Compare this project''s operator with the one that it replaces; exit 1 if they differ')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Add a kind with its type, CRD, controller, sample, roles and test')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME')
            [CompletionResult]::new('ci', 'ci', [CompletionResultType]::ParameterValue, 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind')
            [CompletionResult]::new('network-policy', 'network-policy', [CompletionResultType]::ParameterValue, 'Add a `NetworkPolicy` in config/network-policy/')
            [CompletionResult]::new('prometheus', 'prometheus', [CompletionResultType]::ParameterValue, 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml')
            [CompletionResult]::new('simulation', 'simulation', [CompletionResultType]::ParameterValue, 'Add the simulation of the operator in tests/simulation.rs again')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Add defaulting, validating or conversion webhooks to a kind')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;create;api' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind, in `PascalCase`; with --from-crd, the kind to import if the source has several')
            [CompletionResult]::new('--from-crd', '--from-crd', [CompletionResultType]::ParameterName, 'Generate the types from an existing CRD: a file, an https:// URL, - or cluster:NAME')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Omit a field of the CRD that Rust types cannot express; can be repeated')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Part of the API group before the project''s domain; with --no-resource, the group of an existing kind')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'API version [default: v1alpha1, or the version of a built-in kind]')
            [CompletionResult]::new('--plural', '--plural', [CompletionResultType]::ParameterName, 'Plural name of the kind [default: its English plural]')
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Scaffold a controller that runs this image: a Deployment and a Service for each object')
            [CompletionResult]::new('--image-container-port', '--image-container-port', [CompletionResultType]::ParameterName, 'Port that the image listens on')
            [CompletionResult]::new('--image-container-command', '--image-container-command', [CompletionResultType]::ParameterName, 'Command that replaces the image''s entrypoint, as comma-separated words')
            [CompletionResult]::new('--run-as-user', '--run-as-user', [CompletionResultType]::ParameterName, 'Non-root user ID that the image runs as; its Pods then comply with the `restricted` Pod security standard')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Make the kind namespaced (kubebuilder''s flag)')
            [CompletionResult]::new('--controller', '--controller', [CompletionResultType]::ParameterName, 'Add a controller (kubebuilder''s flag)')
            [CompletionResult]::new('--resource', '--resource', [CompletionResultType]::ParameterName, 'Add a CRD (kubebuilder''s flag)')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--cluster-scoped', '--cluster-scoped', [CompletionResultType]::ParameterName, 'Make the kind cluster-scoped instead of namespaced')
            [CompletionResult]::new('--no-controller', '--no-controller', [CompletionResultType]::ParameterName, 'Add only the type, its CRD and a sample, without a controller')
            [CompletionResult]::new('--no-resource', '--no-resource', [CompletionResultType]::ParameterName, 'Add only a controller, for an existing kind: of Kubernetes, of another project or of this one')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file; with --from-crd, also the types and every field that they cannot express')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;bundle' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;chart' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the chart [default: the project''s name]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;ci' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;dashboard' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;devcontainer' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;e2e' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;network-policy' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;prometheus' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;release' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;simulation' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;webhook' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Group of the kind, as passed to `rustop create api`, or a group of Kubernetes')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Version of the kind [default: the first one created, or the version of a built-in kind]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--defaulting', '--defaulting', [CompletionResultType]::ParameterName, 'Webhook that sets default values in created and updated objects')
            [CompletionResult]::new('--validation', '--validation', [CompletionResultType]::ParameterName, 'Webhook that rejects invalid objects')
            [CompletionResult]::new('--conversion', '--conversion', [CompletionResultType]::ParameterName, 'Webhook that converts objects between the versions of the kind')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;create;help' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Add a kind with its type, CRD, controller, sample, roles and test')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME')
            [CompletionResult]::new('ci', 'ci', [CompletionResultType]::ParameterValue, 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind')
            [CompletionResult]::new('network-policy', 'network-policy', [CompletionResultType]::ParameterValue, 'Add a `NetworkPolicy` in config/network-policy/')
            [CompletionResult]::new('prometheus', 'prometheus', [CompletionResultType]::ParameterValue, 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml')
            [CompletionResult]::new('simulation', 'simulation', [CompletionResultType]::ParameterValue, 'Add the simulation of the operator in tests/simulation.rs again')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Add defaulting, validating or conversion webhooks to a kind')
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
        'rustop;create;help;ci' {
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
        'rustop;create;help;network-policy' {
            break
        }
        'rustop;create;help;prometheus' {
            break
        }
        'rustop;create;help;release' {
            break
        }
        'rustop;create;help;simulation' {
            break
        }
        'rustop;create;help;webhook' {
            break
        }
        'rustop;create;help;help' {
            break
        }
        'rustop;delete' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Remove a kind with all its versions, its controller and its webhooks from the project')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Remove the OLM bundle from the project')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Remove the Helm chart from the project')
            [CompletionResult]::new('ci', 'ci', [CompletionResultType]::ParameterValue, 'Remove the workflows and rules that `rustop create ci` added')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Remove the Grafana dashboards and the alerts from the project')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Remove the development container and CONTRIBUTING.md from the project')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Remove the end-to-end tests and their workflow from the project')
            [CompletionResult]::new('network-policy', 'network-policy', [CompletionResultType]::ParameterValue, 'Remove the `NetworkPolicy` from the project')
            [CompletionResult]::new('prometheus', 'prometheus', [CompletionResultType]::ParameterValue, 'Remove the `ServiceMonitor` from the project')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Remove the release workflow from the project')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Remove a version of a kind from the project')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Remove webhooks of a kind from the project')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;delete;api' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Group of the kind, as passed to `rustop create`')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Version to remove [default: all versions]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('--no-resource', '--no-resource', [CompletionResultType]::ParameterName, 'Remove only the controller, and keep the types and the CRD')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;bundle' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;chart' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;ci' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;dashboard' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;devcontainer' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;e2e' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;network-policy' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;prometheus' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;release' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;version' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Group of the kind, as passed to `rustop create`')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Version to remove')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;webhook' {
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind, in `PascalCase`')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Group of the kind, as passed to `rustop create`')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Version that has the webhooks [default: the only one]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('--defaulting', '--defaulting', [CompletionResultType]::ParameterName, 'Webhook that sets default values in created and updated objects')
            [CompletionResult]::new('--validation', '--validation', [CompletionResultType]::ParameterName, 'Webhook that rejects invalid objects')
            [CompletionResult]::new('--conversion', '--conversion', [CompletionResultType]::ParameterName, 'Webhook that converts objects between the versions of the kind')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;delete;help' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Remove a kind with all its versions, its controller and its webhooks from the project')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Remove the OLM bundle from the project')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Remove the Helm chart from the project')
            [CompletionResult]::new('ci', 'ci', [CompletionResultType]::ParameterValue, 'Remove the workflows and rules that `rustop create ci` added')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Remove the Grafana dashboards and the alerts from the project')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Remove the development container and CONTRIBUTING.md from the project')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Remove the end-to-end tests and their workflow from the project')
            [CompletionResult]::new('network-policy', 'network-policy', [CompletionResultType]::ParameterValue, 'Remove the `NetworkPolicy` from the project')
            [CompletionResult]::new('prometheus', 'prometheus', [CompletionResultType]::ParameterValue, 'Remove the `ServiceMonitor` from the project')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Remove the release workflow from the project')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Remove a version of a kind from the project')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Remove webhooks of a kind from the project')
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
        'rustop;delete;help;ci' {
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
        'rustop;delete;help;network-policy' {
            break
        }
        'rustop;delete;help;prometheus' {
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
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--domain', '--domain', [CompletionResultType]::ParameterName, 'Domain suffix of the project''s API groups; use a domain that you own')
            [CompletionResult]::new('--project-name', '--project-name', [CompletionResultType]::ParameterName, 'Name of the project')
            [CompletionResult]::new('--license', '--license', [CompletionResultType]::ParameterName, 'Licence of the project''s code')
            [CompletionResult]::new('--owner', '--owner', [CompletionResultType]::ParameterName, 'Copyright holder; '''' removes it')
            [CompletionResult]::new('--namespaced', '--namespaced', [CompletionResultType]::ParameterName, 'Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole')
            [CompletionResult]::new('--manager', '--manager', [CompletionResultType]::ParameterName, 'Source of the runtime crate `rustop-manager`')
            [CompletionResult]::new('--manager-features', '--manager-features', [CompletionResultType]::ParameterName, 'Optional features of `rustop-manager` to enable; without a value none')
            [CompletionResult]::new('--max-description-length', '--max-description-length', [CompletionResultType]::ParameterName, 'Maximum length of descriptions in CRDs, in characters; 0 omits them, `none` removes the limit')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Newest Kubernetes version whose API the code may use')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;upgrade' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing, and fail if the project was generated by an earlier version of rustop')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;manifests' {
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Compare the CRDs with those of a commit, a directory, a file or `cluster`, and report changes that break stored objects or clients as errors, unless a comment suppresses them')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing; print the changes as a diff, and fail if there are any')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('--deny-warnings', '--deny-warnings', [CompletionResultType]::ParameterName, 'Treat warnings as errors: write nothing if there are any')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;docs' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Markup language [default: that of the file''s name, otherwise markdown]')
            [CompletionResult]::new('--output-path', '--output-path', [CompletionResultType]::ParameterName, 'File to write, relative to the project [default: docs/api.md or docs/api.html]')
            [CompletionResult]::new('--crds', '--crds', [CompletionResultType]::ParameterName, 'Document the CRDs in these files and directories instead of those of the project')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'Files and directories with examples for --crds')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Document the fields of Kubernetes'' own types, too, instead of linking to their reference')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing; fail if the file is missing or stale')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the changes without writing any file')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;explain' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;lint' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--deny-warnings', '--deny-warnings', [CompletionResultType]::ParameterName, 'Treat warnings as errors')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List all rules, and whether they are enabled')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Write all current warnings to rustop-lint.yaml, so that later runs report only new ones')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;dev' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Time that --once waits after the start of the operator')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Use the cluster of this kubeconfig instead of a local one')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the contents of the web page to a new file, for `rustop show`')
            [CompletionResult]::new('--reached-at', '--reached-at', [CompletionResultType]::ParameterName, 'Host name or address at which that cluster''s API server can call webhooks on this machine; without it, they are called only if the API server runs on this machine')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'Exit once all samples are Ready, or fail and list those that are not; discards the data of earlier runs if the cluster is not running')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Rebuild and restart the operator when a source file changes')
            [CompletionResult]::new('--no-page', '--no-page', [CompletionResultType]::ParameterName, 'Do not serve the web page; implied by --once')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the web page in a browser')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;run' {
            [CompletionResult]::new('--reached-at', '--reached-at', [CompletionResultType]::ParameterName, 'Host name or address at which the API server can call webhooks on this machine; without it, they are called only if the API server runs on this machine')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the contents of the web page to a new file, for `rustop show`')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--takeover', '--takeover', [CompletionResultType]::ParameterName, 'Take over the lease of the deployed operator, which becomes a standby while this one runs')
            [CompletionResult]::new('--no-page', '--no-page', [CompletionResultType]::ParameterName, 'Do not serve the web page')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the web page in a browser')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open the web page in a browser')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;simulate' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--seeds', '--seeds', [CompletionResultType]::ParameterName, 'Number of histories of each simulation')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time limit of each simulation')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed from which all histories follow [default: random]')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Replay the finding in FILE, and print its history')
            [CompletionResult]::new('--confirm', '--confirm', [CompletionResultType]::ParameterName, 'Repeat each finding on a local control plane; `--confirm` alone means `always`')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Directory of the report')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--release', '--release', [CompletionResultType]::ParameterName, 'Build with optimizations: the first build takes minutes, and each history a fraction of the time')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;torture' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time limit for fault injection')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the order of the faults [default: random]')
            [CompletionResult]::new('--faults', '--faults', [CompletionResultType]::ParameterName, 'Maximum number of faults to inject')
            [CompletionResult]::new('--lanes', '--lanes', [CompletionResultType]::ParameterName, 'Number of operator instances to run in parallel')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Kind whose objects must not be created twice, in addition to Pods and persistent volume claims: `deployments.apps` or `Deployment`')
            [CompletionResult]::new('--scenarios', '--scenarios', [CompletionResultType]::ParameterName, 'Directory with your own scenarios: additional objects that a sample needs, and changes to it')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Replay a finding, and print the operator''s log next to its writes')
            [CompletionResult]::new('--times', '--times', [CompletionResultType]::ParameterName, 'Number of times to replay the finding of `--replay`; prints how often it occurred')
            [CompletionResult]::new('--upgrade-from', '--upgrade-from', [CompletionResultType]::ParameterName, 'Rehearse the upgrade from this commit of the project, instead of injecting faults. The old version converges on each sample and on each change of it, then the new version takes over. Reports what it writes although no spec changed, and exits with 1 if Pods restart, data is deleted, old objects stay, or a write is rejected')
            [CompletionResult]::new('--from-command', '--from-command', [CompletionResultType]::ParameterName, 'Old version in any language, as a shell command, instead of a commit')
            [CompletionResult]::new('--from-crds', '--from-crds', [CompletionResultType]::ParameterName, 'Directory with the CRDs of the old version in `--from-command`')
            [CompletionResult]::new('--from-rbac', '--from-rbac', [CompletionResultType]::ParameterName, 'Directory with the roles and the ServiceAccount of the old version in `--from-command`; without it, that version has full permissions')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Directory of the report')
            [CompletionResult]::new('--crds', '--crds', [CompletionResultType]::ParameterName, 'Directory with the CRDs of the operator in COMMAND')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'Directory with its samples')
            [CompletionResult]::new('--rbac', '--rbac', [CompletionResultType]::ParameterName, 'Directory with its roles and its ServiceAccount [default: full permissions]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Keep the data and logs of the control plane (60 MiB or more) at exit')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;migrate' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Migrate only this kind')
            [CompletionResult]::new('--group', '--group', [CompletionResultType]::ParameterName, 'Migrate only kinds of this group, as passed to `rustop create api`')
            [CompletionResult]::new('--kubeconfig', '--kubeconfig', [CompletionResultType]::ParameterName, 'Kubeconfig of the cluster [default: KUBECONFIG or ~/.kube/config]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the steps without writing any object')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;rbac' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'List forbidden requests, with the markers that permit them, and unused permissions')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;rbac;report' {
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Cluster that the operator ran on, if it is not the project''s')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit 1 if a request was forbidden, or if a rule is missing')
            [CompletionResult]::new('--unused', '--unused', [CompletionResultType]::ParameterName, 'Always list unused permissions, for tests that exercise all features of the operator')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;rbac;help' {
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'List forbidden requests, with the markers that permit them, and unused permissions')
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
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--adopted', '--adopted', [CompletionResultType]::ParameterName, 'Print the schema of rustop.yaml, the file of an adopted operator')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a cluster in the background and wait until it is ready')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop a cluster and keep its data for the next start')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Stop a cluster and remove its data')
            [CompletionResult]::new('kubeconfig', 'kubeconfig', [CompletionResultType]::ParameterValue, 'Print the path of a running cluster''s kubeconfig; ~/.kube/config is never changed')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'List clusters and show whether they are running')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command with a temporary cluster, and delete the cluster afterwards')
            [CompletionResult]::new('detach', 'detach', [CompletionResultType]::ParameterValue, 'Start a new session and execute another program')
            [CompletionResult]::new('janitor', 'janitor', [CompletionResultType]::ParameterValue, 'Wait until no process uses a cluster, and stop its remaining processes')
            [CompletionResult]::new('network', 'network', [CompletionResultType]::ParameterValue, 'Send a listening socket over stdin, and hold its network namespace until stdin is closed')
            [CompletionResult]::new('tether', 'tether', [CompletionResultType]::ParameterValue, 'Execute another program, which is terminated when the parent process ends')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;cluster;install' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Kubernetes version, such as 1.37 or 1.37.2')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Source of the binaries: `auto` (download, or build if that is not possible), `download`, `go`, or a directory')
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'URL of the index of envtest releases')
            [CompletionResult]::new('--release-site', '--release-site', [CompletionResultType]::ParameterName, 'URL of the site that publishes the Kubernetes binaries')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;cluster;start' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Kubernetes version, such as 1.37 or 1.37.2')
            [CompletionResult]::new('--assets', '--assets', [CompletionResultType]::ParameterName, 'Run only the binaries in DIR')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'Number of KWOK nodes')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--no-controllers', '--no-controllers', [CompletionResultType]::ParameterName, 'Run only etcd and kube-apiserver: faster, but Deployments get no Pods')
            [CompletionResult]::new('--fresh', '--fresh', [CompletionResultType]::ParameterName, 'Discard the data of earlier runs')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;stop' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;delete' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--stopped', '--stopped', [CompletionResultType]::ParameterName, 'Delete all clusters that are not running')
            [CompletionResult]::new('--unused', '--unused', [CompletionResultType]::ParameterName, 'Delete all clusters whose project directory no longer exists')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;kubeconfig' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the cluster [default: the project''s cluster inside a project, otherwise `default`]')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'Print the contents of the kubeconfig instead of its path')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;status' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Show only this cluster [default: the project''s cluster inside a project, otherwise all]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show all clusters, also inside a project')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;cluster;exec' {
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Kubernetes version, such as 1.37 or 1.37.2')
            [CompletionResult]::new('--assets', '--assets', [CompletionResultType]::ParameterName, 'Run only the binaries in DIR')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'Number of KWOK nodes')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('--no-controllers', '--no-controllers', [CompletionResultType]::ParameterName, 'Run only etcd and kube-apiserver: faster, but Deployments get no Pods')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'rustop;cluster;detach' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;janitor' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;network' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;tether' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;cluster;help' {
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop''s cache')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a cluster in the background and wait until it is ready')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop a cluster and keep its data for the next start')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Stop a cluster and remove its data')
            [CompletionResult]::new('kubeconfig', 'kubeconfig', [CompletionResultType]::ParameterValue, 'Print the path of a running cluster''s kubeconfig; ~/.kube/config is never changed')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'List clusters and show whether they are running')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command with a temporary cluster, and delete the cluster afterwards')
            [CompletionResult]::new('detach', 'detach', [CompletionResultType]::ParameterValue, 'Start a new session and execute another program')
            [CompletionResult]::new('janitor', 'janitor', [CompletionResultType]::ParameterValue, 'Wait until no process uses a cluster, and stop its remaining processes')
            [CompletionResult]::new('network', 'network', [CompletionResultType]::ParameterValue, 'Send a listening socket over stdin, and hold its network namespace until stdin is closed')
            [CompletionResult]::new('tether', 'tether', [CompletionResultType]::ParameterValue, 'Execute another program, which is terminated when the parent process ends')
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
        'rustop;cluster;help;network' {
            break
        }
        'rustop;cluster;help;tether' {
            break
        }
        'rustop;cluster;help;help' {
            break
        }
        'rustop;completions' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;man' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Use the project in DIR or its parent directories instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colored output')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Use verbose output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only warnings and errors')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'rustop;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a project in an empty directory')
            [CompletionResult]::new('adopt', 'adopt', [CompletionResultType]::ParameterValue, 'Use rustop''s tools for an operator that already exists')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Create a project from an operator in Go: its kinds, permissions, webhooks and samples')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Add an API, webhooks or another optional part to the project')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Remove an API, a version, webhooks or another optional part from the project')
            [CompletionResult]::new('edit', 'edit', [CompletionResultType]::ParameterValue, 'Change settings that were chosen at `rustop init`')
            [CompletionResult]::new('upgrade', 'upgrade', [CompletionResultType]::ParameterValue, 'Upgrade the project to this version of rustop')
            [CompletionResult]::new('manifests', 'manifests', [CompletionResultType]::ParameterValue, 'Generate CRDs from the Rust types, and roles and webhook configurations from the markers')
            [CompletionResult]::new('docs', 'docs', [CompletionResultType]::ParameterValue, 'Generate a reference of the project''s kinds for their users')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a rule, or a finding of `rustop torture` and `rustop simulate`')
            [CompletionResult]::new('lint', 'lint', [CompletionResultType]::ParameterValue, 'Check the project''s types against the Kubernetes API conventions')
            [CompletionResult]::new('dev', 'dev', [CompletionResultType]::ParameterValue, 'Run the operator and its samples on a control plane on this machine')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the operator on this machine with the current kubeconfig')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a recording of `rustop dev --record` in the browser, without a cluster')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Find bugs of the operator in thousands of simulated histories')
            [CompletionResult]::new('torture', 'torture', [CompletionResultType]::ParameterValue, 'Find bugs of the operator by fault injection')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Rewrite stored objects in the storage version of their kind, so that older versions can be removed')
            [CompletionResult]::new('rbac', 'rbac', [CompletionResultType]::ParameterValue, 'Compare the operator''s requests with its permissions')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON schema of the PROJECT file')
            [CompletionResult]::new('cluster', 'cluster', [CompletionResultType]::ParameterValue, 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of a command')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'rustop;help;init' {
            break
        }
        'rustop;help;adopt' {
            break
        }
        'rustop;help;import' {
            break
        }
        'rustop;help;create' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Add a kind with its type, CRD, controller, sample, roles and test')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME')
            [CompletionResult]::new('ci', 'ci', [CompletionResultType]::ParameterValue, 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind')
            [CompletionResult]::new('network-policy', 'network-policy', [CompletionResultType]::ParameterValue, 'Add a `NetworkPolicy` in config/network-policy/')
            [CompletionResult]::new('prometheus', 'prometheus', [CompletionResultType]::ParameterValue, 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml')
            [CompletionResult]::new('simulation', 'simulation', [CompletionResultType]::ParameterValue, 'Add the simulation of the operator in tests/simulation.rs again')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Add defaulting, validating or conversion webhooks to a kind')
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
        'rustop;help;create;ci' {
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
        'rustop;help;create;network-policy' {
            break
        }
        'rustop;help;create;prometheus' {
            break
        }
        'rustop;help;create;release' {
            break
        }
        'rustop;help;create;simulation' {
            break
        }
        'rustop;help;create;webhook' {
            break
        }
        'rustop;help;delete' {
            [CompletionResult]::new('api', 'api', [CompletionResultType]::ParameterValue, 'Remove a kind with all its versions, its controller and its webhooks from the project')
            [CompletionResult]::new('bundle', 'bundle', [CompletionResultType]::ParameterValue, 'Remove the OLM bundle from the project')
            [CompletionResult]::new('chart', 'chart', [CompletionResultType]::ParameterValue, 'Remove the Helm chart from the project')
            [CompletionResult]::new('ci', 'ci', [CompletionResultType]::ParameterValue, 'Remove the workflows and rules that `rustop create ci` added')
            [CompletionResult]::new('dashboard', 'dashboard', [CompletionResultType]::ParameterValue, 'Remove the Grafana dashboards and the alerts from the project')
            [CompletionResult]::new('devcontainer', 'devcontainer', [CompletionResultType]::ParameterValue, 'Remove the development container and CONTRIBUTING.md from the project')
            [CompletionResult]::new('e2e', 'e2e', [CompletionResultType]::ParameterValue, 'Remove the end-to-end tests and their workflow from the project')
            [CompletionResult]::new('network-policy', 'network-policy', [CompletionResultType]::ParameterValue, 'Remove the `NetworkPolicy` from the project')
            [CompletionResult]::new('prometheus', 'prometheus', [CompletionResultType]::ParameterValue, 'Remove the `ServiceMonitor` from the project')
            [CompletionResult]::new('release', 'release', [CompletionResultType]::ParameterValue, 'Remove the release workflow from the project')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Remove a version of a kind from the project')
            [CompletionResult]::new('webhook', 'webhook', [CompletionResultType]::ParameterValue, 'Remove webhooks of a kind from the project')
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
        'rustop;help;delete;ci' {
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
        'rustop;help;delete;network-policy' {
            break
        }
        'rustop;help;delete;prometheus' {
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
        'rustop;help;docs' {
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
        'rustop;help;simulate' {
            break
        }
        'rustop;help;torture' {
            break
        }
        'rustop;help;migrate' {
            break
        }
        'rustop;help;rbac' {
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'List forbidden requests, with the markers that permit them, and unused permissions')
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
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a cluster in the background and wait until it is ready')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop a cluster and keep its data for the next start')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Stop a cluster and remove its data')
            [CompletionResult]::new('kubeconfig', 'kubeconfig', [CompletionResultType]::ParameterValue, 'Print the path of a running cluster''s kubeconfig; ~/.kube/config is never changed')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'List clusters and show whether they are running')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command with a temporary cluster, and delete the cluster afterwards')
            [CompletionResult]::new('detach', 'detach', [CompletionResultType]::ParameterValue, 'Start a new session and execute another program')
            [CompletionResult]::new('janitor', 'janitor', [CompletionResultType]::ParameterValue, 'Wait until no process uses a cluster, and stop its remaining processes')
            [CompletionResult]::new('network', 'network', [CompletionResultType]::ParameterValue, 'Send a listening socket over stdin, and hold its network namespace until stdin is closed')
            [CompletionResult]::new('tether', 'tether', [CompletionResultType]::ParameterValue, 'Execute another program, which is terminated when the parent process ends')
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
        'rustop;help;cluster;network' {
            break
        }
        'rustop;help;cluster;tether' {
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
