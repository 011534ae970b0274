# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_rustop_global_optspecs
    string join \n C/project= v/verbose q/quiet color= h/help V/version
end

function __fish_rustop_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_rustop_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_rustop_using_subcommand
    set -l cmd (__fish_rustop_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c rustop -n "__fish_rustop_needs_command" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_needs_command" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_needs_command" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_needs_command" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_needs_command" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_needs_command" -s V -l version -d 'Print version'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "init" -d 'Create a project in an empty directory'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "adopt" -d 'Use rustop\'s tools for an operator that already exists'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "import" -d 'Create a project from an operator in Go: its kinds, permissions, webhooks and samples'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "create" -d 'Add an API, webhooks or another optional part to the project'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "delete" -d 'Remove an API, a version, webhooks or another optional part from the project'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "edit" -d 'Change settings that were chosen at `rustop init`'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "upgrade" -d 'Upgrade the project to this version of rustop'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "manifests" -d 'Generate CRDs from the Rust types, and roles and webhook configurations from the markers'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "docs" -d 'Generate a reference of the project\'s kinds for their users'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "explain" -d 'Explain a rule, or a finding of `rustop torture` and `rustop simulate`'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "lint" -d 'Check the project\'s types against the Kubernetes API conventions'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "dev" -d 'Run the operator and its samples on a control plane on this machine'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "run" -d 'Run the operator on this machine with the current kubeconfig'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "show" -d 'Show a recording of `rustop dev --record` in the browser, without a cluster'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "simulate" -d 'Find bugs of the operator in thousands of simulated histories'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "torture" -d 'Find bugs of the operator by fault injection'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "migrate" -d 'Rewrite stored objects in the storage version of their kind, so that older versions can be removed'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "rbac" -d 'Compare the operator\'s requests with its permissions'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "schema" -d 'Print the JSON schema of the PROJECT file'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "cluster" -d 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "man" -d 'Print the manual page of a command'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand init" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l domain -d 'Domain suffix of the project\'s API groups; use a domain that you own' -r
complete -c rustop -n "__fish_rustop_using_subcommand init" -l project-name -d 'Name of the project [default: the directory\'s name]' -r
complete -c rustop -n "__fish_rustop_using_subcommand init" -l license -d 'Licence of the project\'s code' -r -f -a "apache2\t'Apache License 2.0'
mit\t'MIT License'
none\t'No licence file'"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l owner -d 'Copyright holder' -r
complete -c rustop -n "__fish_rustop_using_subcommand init" -l manager -d 'Source of the runtime crate `rustop-manager`' -r -f -a "vendored\t'Copy the crate to vendor/'
registry\t'Add the published crate as a dependency in Cargo.toml'"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l kubernetes-version -d 'Newest Kubernetes version whose API the code may use' -r -f -a "1.33\t''
1.34\t''
1.35\t''
1.36\t''
1.37\t''"
complete -c rustop -n "__fish_rustop_using_subcommand init" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand init" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l namespaced -d 'Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole'
complete -c rustop -n "__fish_rustop_using_subcommand init" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand init" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand init" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l crds-command -d 'Shell line that prints the CRDs or writes them to files' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l crds -d 'Committed copy of the CRDs, also as a template of a chart; can be repeated' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l bin -d 'Name of the operator\'s program' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l command -d 'Command line that starts the operator, for a program in any language' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l build -d 'Shell line that builds the operator' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l deploy -d 'Manifests that install the operator: a chart, a kustomization, or files separated by commas, if need be as chart:DIR, kustomize:DIR or files:PATH' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l samples -d 'File with samples of the operator\'s kinds, with `*` for any name; can be repeated' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l name -d 'Name of the project [default: that of the program\'s package]' -r
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l force -d 'Replace an existing rustop.yaml; keys that are not found keep their values'
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -l dry-run -d 'Print rustop.yaml without writing it'
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand adopt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand import" -l domain -d 'Domain suffix of the project\'s API groups [default: the Go project\'s]' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l project-name -d 'Name of the project [default: the Go project\'s]' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l crds -d 'File or directory in DIR that contains the CRDs [default: config/crd/bases or a similar directory]' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l allow -d 'Omit a field of a CRD that Rust types cannot express; can be repeated' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l ignore -d 'Ignore differences at or below a field of a kind: `deployment:metadata.labels`; can be repeated' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l budget -d 'Time limit of the comparison' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l lanes -d 'Number of operator instances to run in parallel' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l scenarios -d 'Directory with your own scenarios, as for `rustop torture`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand import" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand import" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand import" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand import" -l shadow -d 'Compare this project\'s operator with the one that it replaces; exit 1 if they differ'
complete -c rustop -n "__fish_rustop_using_subcommand import" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand import" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "api" -d 'Add a kind with its type, CRD, controller, sample, roles and test'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "bundle" -d 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "chart" -d 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "ci" -d 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "dashboard" -d 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "devcontainer" -d 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "e2e" -d 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "network-policy" -d 'Add a `NetworkPolicy` in config/network-policy/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "prometheus" -d 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "release" -d 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "simulation" -d 'Add the simulation of the operator in tests/simulation.rs again'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "webhook" -d 'Add defaulting, validating or conversion webhooks to a kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release simulation webhook help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l kind -d 'Kind, in `PascalCase`; with --from-crd, the kind to import if the source has several' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l from-crd -d 'Generate the types from an existing CRD: a file, an https:// URL, - or cluster:NAME' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l allow -d 'Omit a field of the CRD that Rust types cannot express; can be repeated' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l group -d 'Part of the API group before the project\'s domain; with --no-resource, the group of an existing kind' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l version -d 'API version [default: v1alpha1, or the version of a built-in kind]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l plural -d 'Plural name of the kind [default: its English plural]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l image -d 'Scaffold a controller that runs this image: a Deployment and a Service for each object' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l image-container-port -d 'Port that the image listens on' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l image-container-command -d 'Command that replaces the image\'s entrypoint, as comma-separated words' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l run-as-user -d 'Non-root user ID that the image runs as; its Pods then comply with the `restricted` Pod security standard' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l namespaced -d 'Make the kind namespaced (kubebuilder\'s flag)' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l controller -d 'Add a controller (kubebuilder\'s flag)' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l resource -d 'Add a CRD (kubebuilder\'s flag)' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l cluster-scoped -d 'Make the kind cluster-scoped instead of namespaced'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l no-controller -d 'Add only the type, its CRD and a sample, without a controller'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l no-resource -d 'Add only a controller, for an existing kind: of Kubernetes, of another project or of this one'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l dry-run -d 'Print the changes without writing any file; with --from-crd, also the types and every field that they cannot express'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l name -d 'Name of the chart [default: the project\'s name]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from ci" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from network-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from prometheus" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from simulation" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l kind -d 'Kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l group -d 'Group of the kind, as passed to `rustop create api`, or a group of Kubernetes' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l version -d 'Version of the kind [default: the first one created, or the version of a built-in kind]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l defaulting -d 'Webhook that sets default values in created and updated objects'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l validation -d 'Webhook that rejects invalid objects'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l conversion -d 'Webhook that converts objects between the versions of the kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "api" -d 'Add a kind with its type, CRD, controller, sample, roles and test'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "bundle" -d 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "chart" -d 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "ci" -d 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "dashboard" -d 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "devcontainer" -d 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "e2e" -d 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "network-policy" -d 'Add a `NetworkPolicy` in config/network-policy/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "prometheus" -d 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "release" -d 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "simulation" -d 'Add the simulation of the operator in tests/simulation.rs again'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "webhook" -d 'Add defaulting, validating or conversion webhooks to a kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "api" -d 'Remove a kind with all its versions, its controller and its webhooks from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "bundle" -d 'Remove the OLM bundle from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "chart" -d 'Remove the Helm chart from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "ci" -d 'Remove the workflows and rules that `rustop create ci` added'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "dashboard" -d 'Remove the Grafana dashboards and the alerts from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "devcontainer" -d 'Remove the development container and CONTRIBUTING.md from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "e2e" -d 'Remove the end-to-end tests and their workflow from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "network-policy" -d 'Remove the `NetworkPolicy` from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "prometheus" -d 'Remove the `ServiceMonitor` from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "release" -d 'Remove the release workflow from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "version" -d 'Remove a version of a kind from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "webhook" -d 'Remove webhooks of a kind from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart ci dashboard devcontainer e2e network-policy prometheus release version webhook help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l kind -d 'Kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l group -d 'Group of the kind, as passed to `rustop create`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l version -d 'Version to remove [default: all versions]' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l no-resource -d 'Remove only the controller, and keep the types and the CRD'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from ci" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from network-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from prometheus" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l kind -d 'Kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l group -d 'Group of the kind, as passed to `rustop create`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l version -d 'Version to remove' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l kind -d 'Kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l group -d 'Group of the kind, as passed to `rustop create`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l version -d 'Version that has the webhooks [default: the only one]' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l defaulting -d 'Webhook that sets default values in created and updated objects'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l validation -d 'Webhook that rejects invalid objects'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l conversion -d 'Webhook that converts objects between the versions of the kind'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "api" -d 'Remove a kind with all its versions, its controller and its webhooks from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "bundle" -d 'Remove the OLM bundle from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "chart" -d 'Remove the Helm chart from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "ci" -d 'Remove the workflows and rules that `rustop create ci` added'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "dashboard" -d 'Remove the Grafana dashboards and the alerts from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "devcontainer" -d 'Remove the development container and CONTRIBUTING.md from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "e2e" -d 'Remove the end-to-end tests and their workflow from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "network-policy" -d 'Remove the `NetworkPolicy` from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "prometheus" -d 'Remove the `ServiceMonitor` from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "release" -d 'Remove the release workflow from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "version" -d 'Remove a version of a kind from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "webhook" -d 'Remove webhooks of a kind from the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l domain -d 'Domain suffix of the project\'s API groups; use a domain that you own' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l project-name -d 'Name of the project' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l license -d 'Licence of the project\'s code' -r -f -a "apache2\t'Apache License 2.0'
mit\t'MIT License'
none\t'No licence file'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l owner -d 'Copyright holder; \'\' removes it' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l namespaced -d 'Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l manager -d 'Source of the runtime crate `rustop-manager`' -r -f -a "vendored\t'Copy the crate to vendor/'
registry\t'Add the published crate as a dependency in Cargo.toml'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l manager-features -d 'Optional features of `rustop-manager` to enable; without a value none' -r -f -a "console\t'support for tokio-console, which shows tasks and what they wait for'
dynamic\t'kinds that are known only at run time: `Controller::of_kind`'
inspect\t'the contents of the caches, for tests: `Manager::inspector`'
otel\t'traces, sent to an OpenTelemetry collector'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l max-description-length -d 'Maximum length of descriptions in CRDs, in characters; 0 omits them, `none` removes the limit' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l kubernetes-version -d 'Newest Kubernetes version whose API the code may use' -r -f -a "1.33\t''
1.34\t''
1.35\t''
1.36\t''
1.37\t''"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l check -d 'Write nothing, and fail if the project was generated by an earlier version of rustop'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l against -d 'Compare the CRDs with those of a commit, a directory, a file or `cluster`, and report changes that break stored objects or clients as errors, unless a comment suppresses them' -r
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s o -l output -d 'Output format' -r -f -a "text\t'Text for people: a diff with `--check`, otherwise nothing'
json\t'JSON for programs: all changes and diagnostics'
sarif\t'SARIF 2.1.0 for code scanning'"
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l check -d 'Write nothing; print the changes as a diff, and fail if there are any'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l deny-warnings -d 'Treat warnings as errors: write nothing if there are any'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l format -d 'Markup language [default: that of the file\'s name, otherwise markdown]' -r -f -a "markdown\t'GitHub-flavored Markdown'
html\t'One static page'"
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l output-path -d 'File to write, relative to the project [default: docs/api.md or docs/api.html]' -r
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l crds -d 'Document the CRDs in these files and directories instead of those of the project' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l samples -d 'Files and directories with examples for --crds' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand docs" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l expand -d 'Document the fields of Kubernetes\' own types, too, instead of linking to their reference'
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l check -d 'Write nothing; fail if the file is missing or stale'
complete -c rustop -n "__fish_rustop_using_subcommand docs" -l dry-run -d 'Print the changes without writing any file'
complete -c rustop -n "__fish_rustop_using_subcommand docs" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand docs" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand docs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand explain" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s o -l output -d 'Output format' -r -f -a "text\t'Text for people: a diff with `--check`, otherwise nothing'
json\t'JSON for programs: all changes and diagnostics'
sarif\t'SARIF 2.1.0 for code scanning'"
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l deny-warnings -d 'Treat warnings as errors'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l list -d 'List all rules, and whether they are enabled'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l baseline -d 'Write all current warnings to rustop-lint.yaml, so that later runs report only new ones'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l timeout -d 'Time that --once waits after the start of the operator' -r
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l kubeconfig -d 'Use the cluster of this kubeconfig instead of a local one' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l record -d 'Record the contents of the web page to a new file, for `rustop show`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l reached-at -d 'Host name or address at which that cluster\'s API server can call webhooks on this machine; without it, they are called only if the API server runs on this machine' -r
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l once -d 'Exit once all samples are Ready, or fail and list those that are not; discards the data of earlier runs if the cluster is not running'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l watch -d 'Rebuild and restart the operator when a source file changes'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l no-page -d 'Do not serve the web page; implied by --once'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l open -d 'Open the web page in a browser'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand run" -l reached-at -d 'Host name or address at which the API server can call webhooks on this machine; without it, they are called only if the API server runs on this machine' -r
complete -c rustop -n "__fish_rustop_using_subcommand run" -l record -d 'Record the contents of the web page to a new file, for `rustop show`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand run" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand run" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand run" -l takeover -d 'Take over the lease of the deployed operator, which becomes a standby while this one runs'
complete -c rustop -n "__fish_rustop_using_subcommand run" -l no-page -d 'Do not serve the web page'
complete -c rustop -n "__fish_rustop_using_subcommand run" -l open -d 'Open the web page in a browser'
complete -c rustop -n "__fish_rustop_using_subcommand run" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand run" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand show" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand show" -l open -d 'Open the web page in a browser'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l seeds -d 'Number of histories of each simulation' -r
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l budget -d 'Time limit of each simulation' -r
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l seed -d 'Seed from which all histories follow [default: random]' -r
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l replay -d 'Replay the finding in FILE, and print its history' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l confirm -d 'Repeat each finding on a local control plane; `--confirm` alone means `always`' -r -f -a "auto\t'New findings are, if a control plane is installed'
always\t'New findings and that of `--replay` are; a missing control plane is installed'
never\t'No finding is'"
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l out -d 'Directory of the report' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -l release -d 'Build with optimizations: the first build takes minutes, and each history a fraction of the time'
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l budget -d 'Time limit for fault injection' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l seed -d 'Seed for the order of the faults [default: random]' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l faults -d 'Maximum number of faults to inject' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l lanes -d 'Number of operator instances to run in parallel' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l count -d 'Kind whose objects must not be created twice, in addition to Pods and persistent volume claims: `deployments.apps` or `Deployment`' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l scenarios -d 'Directory with your own scenarios: additional objects that a sample needs, and changes to it' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l replay -d 'Replay a finding, and print the operator\'s log next to its writes' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l times -d 'Number of times to replay the finding of `--replay`; prints how often it occurred' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l upgrade-from -d 'Rehearse the upgrade from this commit of the project, instead of injecting faults. The old version converges on each sample and on each change of it, then the new version takes over. Reports what it writes although no spec changed, and exits with 1 if Pods restart, data is deleted, old objects stay, or a write is rejected' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l from-command -d 'Old version in any language, as a shell command, instead of a commit' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l from-crds -d 'Directory with the CRDs of the old version in `--from-command`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l from-rbac -d 'Directory with the roles and the ServiceAccount of the old version in `--from-command`; without it, that version has full permissions' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l out -d 'Directory of the report' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l crds -d 'Directory with the CRDs of the operator in COMMAND' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l samples -d 'Directory with its samples' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l rbac -d 'Directory with its roles and its ServiceAccount [default: full permissions]' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l keep -d 'Keep the data and logs of the control plane (60 MiB or more) at exit'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l kind -d 'Migrate only this kind' -r
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l group -d 'Migrate only kinds of this group, as passed to `rustop create api`' -r
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l kubeconfig -d 'Kubeconfig of the cluster [default: KUBECONFIG or ~/.kube/config]' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l dry-run -d 'Print the steps without writing any object'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -f -a "report" -d 'List forbidden requests, with the markers that permit them, and unused permissions'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l cluster -d 'Cluster that the operator ran on, if it is not the project\'s' -r
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l check -d 'Exit 1 if a request was forbidden, or if a rule is missing'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l unused -d 'Always list unused permissions, for tests that exercise all features of the operator'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from help" -f -a "report" -d 'List forbidden requests, with the markers that permit them, and unused permissions'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand schema" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand schema" -l adopted -d 'Print the schema of rustop.yaml, the file of an adopted operator'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "install" -d 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop\'s cache'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "start" -d 'Start a cluster in the background and wait until it is ready'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "stop" -d 'Stop a cluster and keep its data for the next start'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "delete" -d 'Stop a cluster and remove its data'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "kubeconfig" -d 'Print the path of a running cluster\'s kubeconfig; ~/.kube/config is never changed'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "status" -d 'List clusters and show whether they are running'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "exec" -d 'Run a command with a temporary cluster, and delete the cluster afterwards'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "detach" -d 'Start a new session and execute another program'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "janitor" -d 'Wait until no process uses a cluster, and stop its remaining processes'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "network" -d 'Send a listening socket over stdin, and hold its network namespace until stdin is closed'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "tether" -d 'Execute another program, which is terminated when the parent process ends'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor network tether help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l output -d 'Output format' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l kubernetes-version -d 'Kubernetes version, such as 1.37 or 1.37.2' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l from -d 'Source of the binaries: `auto` (download, or build if that is not possible), `download`, `go`, or a directory' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l index -d 'URL of the index of envtest releases' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l release-site -d 'URL of the site that publishes the Kubernetes binaries' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l name -d 'Name of the cluster [default: the project\'s cluster inside a project, otherwise `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l kubernetes-version -d 'Kubernetes version, such as 1.37 or 1.37.2' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l assets -d 'Run only the binaries in DIR' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l nodes -d 'Number of KWOK nodes' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l no-controllers -d 'Run only etcd and kube-apiserver: faster, but Deployments get no Pods'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l fresh -d 'Discard the data of earlier runs'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -l name -d 'Name of the cluster [default: the project\'s cluster inside a project, otherwise `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l name -d 'Name of the cluster [default: the project\'s cluster inside a project, otherwise `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l stopped -d 'Delete all clusters that are not running'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l unused -d 'Delete all clusters whose project directory no longer exists'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -l name -d 'Name of the cluster [default: the project\'s cluster inside a project, otherwise `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -l print -d 'Print the contents of the kubeconfig instead of its path'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -l name -d 'Show only this cluster [default: the project\'s cluster inside a project, otherwise all]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s o -l output -d 'Output format' -r -f -a "table\t'Table for people'
json\t'JSON list with all details, for programs'"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -l all -d 'Show all clusters, also inside a project'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l kubernetes-version -d 'Kubernetes version, such as 1.37 or 1.37.2' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l assets -d 'Run only the binaries in DIR' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l nodes -d 'Number of KWOK nodes' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l no-controllers -d 'Run only etcd and kube-apiserver: faster, but Deployments get no Pods'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from network" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from network" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from network" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from network" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from network" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from tether" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from tether" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from tether" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from tether" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from tether" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "install" -d 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop\'s cache'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "start" -d 'Start a cluster in the background and wait until it is ready'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "stop" -d 'Stop a cluster and keep its data for the next start'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "delete" -d 'Stop a cluster and remove its data'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "kubeconfig" -d 'Print the path of a running cluster\'s kubeconfig; ~/.kube/config is never changed'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "status" -d 'List clusters and show whether they are running'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "exec" -d 'Run a command with a temporary cluster, and delete the cluster afterwards'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "detach" -d 'Start a new session and execute another program'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "janitor" -d 'Wait until no process uses a cluster, and stop its remaining processes'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "network" -d 'Send a listening socket over stdin, and hold its network namespace until stdin is closed'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "tether" -d 'Execute another program, which is terminated when the parent process ends'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand completions" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand man" -s C -l project -d 'Use the project in DIR or its parent directories instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand man" -l color -d 'When to use colored output' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand man" -s v -l verbose -d 'Use verbose output'
complete -c rustop -n "__fish_rustop_using_subcommand man" -s q -l quiet -d 'Print only warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand man" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "init" -d 'Create a project in an empty directory'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "adopt" -d 'Use rustop\'s tools for an operator that already exists'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "import" -d 'Create a project from an operator in Go: its kinds, permissions, webhooks and samples'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "create" -d 'Add an API, webhooks or another optional part to the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "delete" -d 'Remove an API, a version, webhooks or another optional part from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "edit" -d 'Change settings that were chosen at `rustop init`'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "upgrade" -d 'Upgrade the project to this version of rustop'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "manifests" -d 'Generate CRDs from the Rust types, and roles and webhook configurations from the markers'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "docs" -d 'Generate a reference of the project\'s kinds for their users'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "explain" -d 'Explain a rule, or a finding of `rustop torture` and `rustop simulate`'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "lint" -d 'Check the project\'s types against the Kubernetes API conventions'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "dev" -d 'Run the operator and its samples on a control plane on this machine'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "run" -d 'Run the operator on this machine with the current kubeconfig'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "show" -d 'Show a recording of `rustop dev --record` in the browser, without a cluster'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "simulate" -d 'Find bugs of the operator in thousands of simulated histories'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "torture" -d 'Find bugs of the operator by fault injection'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "migrate" -d 'Rewrite stored objects in the storage version of their kind, so that older versions can be removed'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "rbac" -d 'Compare the operator\'s requests with its permissions'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "schema" -d 'Print the JSON schema of the PROJECT file'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "cluster" -d 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "man" -d 'Print the manual page of a command'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init adopt import create delete edit upgrade manifests docs explain lint dev run show simulate torture migrate rbac schema cluster completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "api" -d 'Add a kind with its type, CRD, controller, sample, roles and test'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "bundle" -d 'Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "chart" -d 'Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in charts/NAME'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "ci" -d 'Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/, and rules for its dependencies'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "dashboard" -d 'Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "devcontainer" -d 'Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "e2e" -d 'Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them on kind'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "network-policy" -d 'Add a `NetworkPolicy` in config/network-policy/'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "prometheus" -d 'Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "release" -d 'Add a workflow that publishes a release for each tag in .github/workflows/release.yml'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "simulation" -d 'Add the simulation of the operator in tests/simulation.rs again'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "webhook" -d 'Add defaulting, validating or conversion webhooks to a kind'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "api" -d 'Remove a kind with all its versions, its controller and its webhooks from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "bundle" -d 'Remove the OLM bundle from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "chart" -d 'Remove the Helm chart from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "ci" -d 'Remove the workflows and rules that `rustop create ci` added'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "dashboard" -d 'Remove the Grafana dashboards and the alerts from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "devcontainer" -d 'Remove the development container and CONTRIBUTING.md from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "e2e" -d 'Remove the end-to-end tests and their workflow from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "network-policy" -d 'Remove the `NetworkPolicy` from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "prometheus" -d 'Remove the `ServiceMonitor` from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "release" -d 'Remove the release workflow from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "version" -d 'Remove a version of a kind from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "webhook" -d 'Remove webhooks of a kind from the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from rbac" -f -a "report" -d 'List forbidden requests, with the markers that permit them, and unused permissions'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "install" -d 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop\'s cache'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "start" -d 'Start a cluster in the background and wait until it is ready'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "stop" -d 'Stop a cluster and keep its data for the next start'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "delete" -d 'Stop a cluster and remove its data'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "kubeconfig" -d 'Print the path of a running cluster\'s kubeconfig; ~/.kube/config is never changed'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "status" -d 'List clusters and show whether they are running'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "exec" -d 'Run a command with a temporary cluster, and delete the cluster afterwards'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "detach" -d 'Start a new session and execute another program'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "janitor" -d 'Wait until no process uses a cluster, and stop its remaining processes'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "network" -d 'Send a listening socket over stdin, and hold its network namespace until stdin is closed'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "tether" -d 'Execute another program, which is terminated when the parent process ends'
