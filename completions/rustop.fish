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

complete -c rustop -n "__fish_rustop_needs_command" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_needs_command" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_needs_command" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_needs_command" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_needs_command" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_needs_command" -s V -l version -d 'Print version'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "init" -d 'Start a project in an empty directory'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "import" -d 'Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "create" -d 'Add an API, its webhooks, or what else an operator has to the project'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "delete" -d 'Take an API, a version of it, its webhooks, or what else create has added out of the project'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "edit" -d 'Change what `rustop init` decided'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "upgrade" -d 'Bring the project to this version of rustop'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "manifests" -d 'Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "explain" -d 'Say what a warning means, and how to allow it'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "lint" -d 'Check the project\'s types against the conventions of Kubernetes\' APIs'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "dev" -d 'Run the operator and its samples on a control plane on this machine'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "run" -d 'Run the operator on this machine with the current kubeconfig'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "show" -d 'Show a recording of `rustop dev --record` in the browser, without a cluster'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "torture" -d 'Find the bugs of the operator that show when something goes wrong'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "migrate" -d 'Write stored objects anew in the storage version of their kind, so that an older version can go'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "rbac" -d 'Compare what the operator asked of the API server with what it was granted'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "schema" -d 'Print the JSON schema of the PROJECT file'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "cluster" -d 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "completions" -d 'Print the completion script for a shell'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "man" -d 'Print the manual page of a command'
complete -c rustop -n "__fish_rustop_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand init" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l domain -d 'The suffix of the project\'s API groups, a domain that is yours' -r
complete -c rustop -n "__fish_rustop_using_subcommand init" -l project-name -d 'The project\'s name [default: the directory\'s name]' -r
complete -c rustop -n "__fish_rustop_using_subcommand init" -l license -d 'The licence of the project\'s code' -r -f -a "apache2\t'Apache License 2.0'
mit\t'MIT License'
none\t'No licence file'"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l owner -d 'Whoever holds the copyright' -r
complete -c rustop -n "__fish_rustop_using_subcommand init" -l manager -d 'Where the project has the crate from that its operator runs on' -r -f -a "vendored\t'A copy of the crate, in vendor/'
registry\t'A line in Cargo.toml: the crate as it is published'"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l kubernetes-version -d 'The newest Kubernetes whose API the code may use' -r -f -a "1.33\t''
1.34\t''
1.35\t''
1.36\t''
1.37\t''"
complete -c rustop -n "__fish_rustop_using_subcommand init" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand init" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand init" -l namespaced -d 'Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster'
complete -c rustop -n "__fish_rustop_using_subcommand init" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand init" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand init" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand import" -l domain -d 'The suffix of the project\'s API groups [default: that of the Go project]' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l project-name -d 'The project\'s name [default: that of the Go project]' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l crds -d 'The file or directory in DIR that has the CRDs [default: config/crd/bases and its like]' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l allow -d 'Leave a place of a CRD out that no Rust type says; may be given more than once' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l ignore -d 'A field of a kind that may differ, and all below it: `deployment:metadata.labels`; may be given more than once' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l budget -d 'How long to compare' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l lanes -d 'How many operators run beside each other' -r
complete -c rustop -n "__fish_rustop_using_subcommand import" -l scenarios -d 'Where stories of your own are, as for `rustop torture`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand import" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand import" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand import" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand import" -l shadow -d 'Compare this project\'s operator with the one that it replaces; exits with 1 where they differ'
complete -c rustop -n "__fish_rustop_using_subcommand import" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand import" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "api" -d 'Add a kind: its type, its CRD, a controller, a sample, roles and a test'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "bundle" -d 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "chart" -d 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "dashboard" -d 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "devcontainer" -d 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "e2e" -d 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "release" -d 'Add a workflow that makes a release of a tag, .github/workflows/release.yml'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "webhook" -d 'Add webhooks to a kind: what completes, refuses or converts its objects'
complete -c rustop -n "__fish_rustop_using_subcommand create; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release webhook help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l kind -d 'The kind, in `PascalCase`; with --from-crd, the one of several that is meant' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l from-crd -d 'The types of a CRD that exists: a file, an https:// address, - or cluster:NAME' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l allow -d 'Leave a place of the CRD out that no Rust type says; may be given more than once' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l group -d 'What stands before the domain in the API group; with --no-resource, someone else\'s group' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l version -d 'The API version [default: v1alpha1, or that of a built-in kind]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l plural -d 'The plural [default: the English plural of the kind]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l image -d 'Begin with an operator of this image: a Deployment and a Service for each object' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l image-container-port -d 'The port that the image listens on' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l image-container-command -d 'The command that takes the place of the image\'s own, its words separated by commas' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l run-as-user -d 'The user that the image runs as, other than root; its Pods are then as restricted as can be' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l namespaced -d 'Objects live in namespaces, as kubebuilder says it' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l controller -d 'Add a controller, as kubebuilder says it' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l resource -d 'Add a CRD, as kubebuilder says it' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l cluster-scoped -d 'Objects live in the cluster, not in namespaces'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l no-controller -d 'No controller: the type, its CRD and a sample only'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l no-resource -d 'No CRD: a controller for a kind of Kubernetes, of someone else or already in the project'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -l dry-run -d 'Say what would be written and write nothing; with --from-crd, show the types and all that cannot be said'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from bundle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l name -d 'The chart\'s name [default: that of the project]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from chart" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from dashboard" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from devcontainer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from e2e" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l kind -d 'The kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l group -d 'Its group, as it was given to create api, or a group of Kubernetes' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l version -d 'Its version [default: the one created first, or that of a built-in kind]' -r
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l defaulting -d 'What completes new and changed objects'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l validation -d 'What refuses objects that break a rule'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l conversion -d 'What converts objects between the versions of the kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from webhook" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "api" -d 'Add a kind: its type, its CRD, a controller, a sample, roles and a test'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "bundle" -d 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "chart" -d 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "dashboard" -d 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "devcontainer" -d 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "e2e" -d 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "release" -d 'Add a workflow that makes a release of a tag, .github/workflows/release.yml'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "webhook" -d 'Add webhooks to a kind: what completes, refuses or converts its objects'
complete -c rustop -n "__fish_rustop_using_subcommand create; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "api" -d 'Take a kind out of the project, with all of its versions, its controller and its webhooks'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "bundle" -d 'Take the OLM bundle out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "chart" -d 'Take the Helm chart out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "dashboard" -d 'Take the Grafana dashboards and the alerts out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "devcontainer" -d 'Take the development container and CONTRIBUTING.md out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "e2e" -d 'Take the end-to-end tests and their workflow out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "release" -d 'Take the release workflow out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "version" -d 'Take a version of a kind out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "webhook" -d 'Take webhooks of a kind out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and not __fish_seen_subcommand_from api bundle chart dashboard devcontainer e2e release version webhook help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l kind -d 'The kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l group -d 'Its group, as it was given when it was created' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l version -d 'The version that goes [default: all of them]' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -l no-resource -d 'The controller alone goes: types and CRD stay'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from api" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from bundle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from chart" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from dashboard" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from devcontainer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from e2e" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from release" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l kind -d 'The kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l group -d 'Its group, as it was given when it was created' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l version -d 'The version that goes' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l kind -d 'The kind, in `PascalCase`' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l group -d 'Its group, as it was given when it was created' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l version -d 'The version that has it [default: the only one]' -r
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l defaulting -d 'What completes new and changed objects'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l validation -d 'What refuses objects that break a rule'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -l conversion -d 'What converts objects between the versions of the kind'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from webhook" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "api" -d 'Take a kind out of the project, with all of its versions, its controller and its webhooks'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "bundle" -d 'Take the OLM bundle out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "chart" -d 'Take the Helm chart out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "dashboard" -d 'Take the Grafana dashboards and the alerts out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "devcontainer" -d 'Take the development container and CONTRIBUTING.md out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "e2e" -d 'Take the end-to-end tests and their workflow out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "release" -d 'Take the release workflow out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "version" -d 'Take a version of a kind out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "webhook" -d 'Take webhooks of a kind out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand delete; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l domain -d 'The suffix of the project\'s API groups, a domain that is yours' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l project-name -d 'The project\'s name' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l license -d 'The licence of the project\'s code' -r -f -a "apache2\t'Apache License 2.0'
mit\t'MIT License'
none\t'No licence file'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l owner -d 'Whoever holds the copyright; \'\' for nobody' -r
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l namespaced -d 'Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster' -r -f -a "true\t''
false\t''"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l manager -d 'Where the project has the crate from that its operator runs on' -r -f -a "vendored\t'A copy of the crate, in vendor/'
registry\t'A line in Cargo.toml: the crate as it is published'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l manager-features -d 'The parts of that crate which not every operator needs, and this one has; without a value none' -r -f -a "console\t'what tokio-console shows: tasks, and what they wait for'
dynamic\t'kinds that are known only at run time: `Controller::of_kind`'
inspect\t'what the caches hold, for tests: `Manager::inspector`'
otel\t'traces, sent to an OpenTelemetry collector'
shards\t'objects shared among replicas: `--shards`'"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l kubernetes-version -d 'The newest Kubernetes whose API the code may use' -r -f -a "1.33\t''
1.34\t''
1.35\t''
1.36\t''
1.37\t''"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand edit" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l check -d 'Write nothing, and fail if the project is of an earlier rustop'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand upgrade" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l against -d 'Compare the CRDs with those of a commit, a directory, a file or `cluster`: what breaks stored objects or clients is an error, unless it is allowed in place' -r
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s o -l output -d 'What to print on stdout' -r -f -a "text\t'For people: with `--check` a diff, else nothing'
json\t'For programs: all changes and diagnostics'
sarif\t'For code scanning: SARIF 2.1.0'"
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l check -d 'Write nothing: print what would change as a diff, and fail if anything would'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l dry-run -d 'Say what would be written and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -l deny-warnings -d 'Take warnings for errors: write nothing when there is one'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand manifests" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand explain" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand explain" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s o -l output -d 'What to print on stdout' -r -f -a "text\t'For people: with `--check` a diff, else nothing'
json\t'For programs: all changes and diagnostics'
sarif\t'For code scanning: SARIF 2.1.0'"
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l deny-warnings -d 'Take warnings for errors'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -l list -d 'Print the rules, and which of them look'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l timeout -d 'How long --once waits, from the operator\'s start on' -r
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l kubeconfig -d 'Use the cluster of this kubeconfig instead of one of rustop\'s own' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l record -d 'Record all that the page shows into a new file, for `rustop show`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l reached-at -d 'Name or address at which that cluster\'s API server reaches this machine, for webhooks; needed unless it runs on this machine itself' -r
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l once -d 'End as soon as every sample is Ready, or fail with what is missing; on a cluster that does not run yet, without the data of earlier runs'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l watch -d 'Build and start the operator again when a source changes'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l no-page -d 'Show no page in the browser; with --once there is none'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -l open -d 'Open the page in a browser'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand dev" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand run" -l reached-at -d 'Name or address at which the API server reaches this machine, for webhooks; needed unless it runs on this machine itself' -r
complete -c rustop -n "__fish_rustop_using_subcommand run" -l record -d 'Record all that the page shows into a new file, for `rustop show`' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand run" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand run" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand run" -l takeover -d 'Hold the lease of the operator that is deployed, so that it stands by as long as this one runs'
complete -c rustop -n "__fish_rustop_using_subcommand run" -l no-page -d 'Show no page in the browser'
complete -c rustop -n "__fish_rustop_using_subcommand run" -l open -d 'Open the page in a browser'
complete -c rustop -n "__fish_rustop_using_subcommand run" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand run" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand show" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand show" -l open -d 'Open the page in a browser'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand show" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l budget -d 'How long to try faults' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l seed -d 'The order in which faults are tried; another one each time by default' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l faults -d 'Try this many faults at most' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l lanes -d 'How many operators run beside each other' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l count -d 'Objects of which none may be made twice, beside Pods and claims: `deployments.apps` or `Deployment`' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l scenarios -d 'Where stories of your own are: what a sample needs beside its schema, and what is done to it' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l replay -d 'Show a finding again, with the operator\'s log beside its writes' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l times -d 'Show it this many times, and count' -r
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l out -d 'Where the report goes' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l crds -d 'The CRDs of an operator that is not this project\'s' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l samples -d 'Its samples' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l rbac -d 'Its roles and its ServiceAccount; without, it may do everything' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand torture" -l keep -d 'Keep the data and logs of the control plane, 60 MiB and more, when it ends'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand torture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l kind -d 'This kind only' -r
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l group -d 'Kinds of this group only, as it was given to create api' -r
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l kubeconfig -d 'The cluster [default: that of KUBECONFIG or of ~/.kube/config]' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -l dry-run -d 'Say what would be done and write nothing'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -f -a "report" -d 'Print what was forbidden, with the marker that grants it, and what was granted and never used'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and not __fish_seen_subcommand_from report help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l cluster -d 'The cluster the operator ran on, if it is not the project\'s' -r
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l check -d 'Exit 1 if anything was forbidden'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -l unused -d 'Tell what was never used whatever ran: for tests that make the operator do all that it can'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from help" -f -a "report" -d 'Print what was forbidden, with the marker that grants it, and what was granted and never used'
complete -c rustop -n "__fish_rustop_using_subcommand rbac; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand schema" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand schema" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "install" -d 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop\'s cache'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "start" -d 'Start a cluster in the background, and return when it is ready'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "stop" -d 'Stop a cluster; its data stays for the next start'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "delete" -d 'Stop a cluster and remove its data'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "kubeconfig" -d 'Print the path of a running cluster\'s kubeconfig; your own is never touched'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "status" -d 'Show which clusters there are and whether they run'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "exec" -d 'Run a command on a fresh cluster of its own, and leave nothing behind'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "detach" -d 'Leave the session and become another program'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "janitor" -d 'Wait until nobody holds a cluster, and end what is left of it'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and not __fish_seen_subcommand_from install start stop delete kubeconfig status exec detach janitor help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l output -d 'What to print on stdout' -r -f -a "text\t'Only what the command shows to people'
json\t'One JSON document with the result or the error'"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l kubernetes-version -d 'The version of Kubernetes, as 1.36 or 1.36.3' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l from -d '`auto` (download, or build where that is not possible), `download`, `go`, or a directory' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l index -d 'The index of envtest releases' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l release-site -d 'Where Kubernetes publishes its programs' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l name -d 'The cluster\'s name; several run side by side [default: the project\'s in a project, else `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l kubernetes-version -d 'The version of Kubernetes, as 1.36 or 1.36.3' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l assets -d 'Run the programs in DIR and no others' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l nodes -d 'The number of KWOK nodes' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l no-controllers -d 'Run etcd and kube-apiserver alone: faster, but Deployments get no Pods'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -l fresh -d 'Throw away the data of an earlier start'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -l name -d 'The cluster\'s name; several run side by side [default: the project\'s in a project, else `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l name -d 'The cluster\'s name; several run side by side [default: the project\'s in a project, else `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l stopped -d 'All clusters that do not run'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -l unused -d 'All clusters whose project\'s directory no longer exists'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -l name -d 'The cluster\'s name; several run side by side [default: the project\'s in a project, else `default`]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -l print -d 'Print what is in it instead of its path'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from kubeconfig" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -l name -d 'Only the cluster of this name [default: the project\'s in a project, else all]' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s o -l output -d 'How to print it' -r -f -a "table\t'For people'
json\t'For programs: a list of all there is to know'"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -l all -d 'All clusters, and which project each belongs to'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l kubernetes-version -d 'The version of Kubernetes, as 1.36 or 1.36.3' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l assets -d 'Run the programs in DIR and no others' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l nodes -d 'The number of KWOK nodes' -r
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -l no-controllers -d 'Run etcd and kube-apiserver alone: faster, but Deployments get no Pods'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from exec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from detach" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from janitor" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "install" -d 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop\'s cache'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "start" -d 'Start a cluster in the background, and return when it is ready'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "stop" -d 'Stop a cluster; its data stays for the next start'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "delete" -d 'Stop a cluster and remove its data'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "kubeconfig" -d 'Print the path of a running cluster\'s kubeconfig; your own is never touched'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "status" -d 'Show which clusters there are and whether they run'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "exec" -d 'Run a command on a fresh cluster of its own, and leave nothing behind'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "detach" -d 'Leave the session and become another program'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "janitor" -d 'Wait until nobody holds a cluster, and end what is left of it'
complete -c rustop -n "__fish_rustop_using_subcommand cluster; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand completions" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand completions" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand man" -s C -l project -d 'Work on the project in DIR, or above it, instead of the current directory' -r -F
complete -c rustop -n "__fish_rustop_using_subcommand man" -l color -d 'When to use colors' -r -f -a "auto\t''
always\t''
never\t''"
complete -c rustop -n "__fish_rustop_using_subcommand man" -s v -l verbose -d 'Say more'
complete -c rustop -n "__fish_rustop_using_subcommand man" -s q -l quiet -d 'Say nothing but warnings and errors'
complete -c rustop -n "__fish_rustop_using_subcommand man" -s h -l help -d 'Print help'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "init" -d 'Start a project in an empty directory'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "import" -d 'Begin a project with what an operator in Go has: its kinds, its permissions, and what is left to write'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "create" -d 'Add an API, its webhooks, or what else an operator has to the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "delete" -d 'Take an API, a version of it, its webhooks, or what else create has added out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "edit" -d 'Change what `rustop init` decided'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "upgrade" -d 'Bring the project to this version of rustop'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "manifests" -d 'Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "explain" -d 'Say what a warning means, and how to allow it'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "lint" -d 'Check the project\'s types against the conventions of Kubernetes\' APIs'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "dev" -d 'Run the operator and its samples on a control plane on this machine'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "run" -d 'Run the operator on this machine with the current kubeconfig'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "show" -d 'Show a recording of `rustop dev --record` in the browser, without a cluster'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "torture" -d 'Find the bugs of the operator that show when something goes wrong'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "migrate" -d 'Write stored objects anew in the storage version of their kind, so that an older version can go'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "rbac" -d 'Compare what the operator asked of the API server with what it was granted'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "schema" -d 'Print the JSON schema of the PROJECT file'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "cluster" -d 'Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "completions" -d 'Print the completion script for a shell'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "man" -d 'Print the manual page of a command'
complete -c rustop -n "__fish_rustop_using_subcommand help; and not __fish_seen_subcommand_from init import create delete edit upgrade manifests explain lint dev run show torture migrate rbac schema cluster completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "api" -d 'Add a kind: its type, its CRD, a controller, a sample, roles and a test'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "bundle" -d 'Add an OLM bundle, bundle/: the operator as the Operator Lifecycle Manager takes it (registry+v1)'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "chart" -d 'Add a Helm chart, charts/NAME: CRDs, roles, webhooks and the operator, with values for what differs between clusters'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "dashboard" -d 'Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "devcontainer" -d 'Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "e2e" -d 'Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "release" -d 'Add a workflow that makes a release of a tag, .github/workflows/release.yml'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from create" -f -a "webhook" -d 'Add webhooks to a kind: what completes, refuses or converts its objects'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "api" -d 'Take a kind out of the project, with all of its versions, its controller and its webhooks'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "bundle" -d 'Take the OLM bundle out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "chart" -d 'Take the Helm chart out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "dashboard" -d 'Take the Grafana dashboards and the alerts out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "devcontainer" -d 'Take the development container and CONTRIBUTING.md out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "e2e" -d 'Take the end-to-end tests and their workflow out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "release" -d 'Take the release workflow out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "version" -d 'Take a version of a kind out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from delete" -f -a "webhook" -d 'Take webhooks of a kind out of the project'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from rbac" -f -a "report" -d 'Print what was forbidden, with the marker that grants it, and what was granted and never used'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "install" -d 'Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop\'s cache'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "start" -d 'Start a cluster in the background, and return when it is ready'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "stop" -d 'Stop a cluster; its data stays for the next start'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "delete" -d 'Stop a cluster and remove its data'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "kubeconfig" -d 'Print the path of a running cluster\'s kubeconfig; your own is never touched'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "status" -d 'Show which clusters there are and whether they run'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "exec" -d 'Run a command on a fresh cluster of its own, and leave nothing behind'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "detach" -d 'Leave the session and become another program'
complete -c rustop -n "__fish_rustop_using_subcommand help; and __fish_seen_subcommand_from cluster" -f -a "janitor" -d 'Wait until nobody holds a cluster, and end what is left of it'
