//! `rustop migrate`, as far as it needs no cluster.

use crate::dsl::Place;

#[test]
fn a_kubeconfig_that_cannot_be_used_is_named() {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    place
        .rustop("migrate --kubeconfig nowhere")
        .says(&["cannot use the kubeconfig `nowhere`"])
        .fails(1);
}

/// Nothing listens on port 1.
#[test]
fn an_api_server_that_does_not_answer_is_named() {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    let cluster = "{name: a, cluster: {server: 'https://127.0.0.1:1'}}";
    let context = "{name: a, context: {cluster: a, user: a}}";
    place.write(
        "kubeconfig",
        format!(
            "apiVersion: v1\nkind: Config\nclusters: [{cluster}]\ncontexts: [{context}]\n\
             users: [{{name: a, user: {{}}}}]\ncurrent-context: a\n"
        ),
    );
    place
        .rustop("migrate --kubeconfig kubeconfig")
        .says(&[
            "a request for lolcows.my.domain\n",
            "the API server at https://127.0.0.1:1/ does not answer",
            "help: start its cluster, or choose another one: `export KUBECONFIG=FILE`",
        ])
        .fails(1);
}

#[test]
fn a_kind_that_is_not_there_is_named() {
    Place::project()
        .rustop("migrate --kind Lolcow")
        .says(&["no kind Lolcow is known", "rustop migrate, for all kinds"])
        .fails(2);
}

#[test]
fn a_kind_that_is_misspelt_is_answered_with_the_one_that_is_there() {
    let place = Place::project();
    place
        .rustop("create api --group farm --kind Lolcow -q")
        .ok();
    let meant = "--group farm --kind Lolcow";
    for (line, command) in [
        ("migrate", format!("rustop migrate {meant}")),
        (
            "create webhook --validation",
            format!("rustop create webhook {meant} --validation"),
        ),
        (
            "create api --no-resource",
            format!("rustop create api {meant} --no-resource"),
        ),
        (
            "delete api --version v1alpha1",
            format!("rustop delete version {meant} --version v1alpha1"),
        ),
        (
            "delete api --no-resource",
            format!("rustop delete api {meant} --no-resource"),
        ),
    ] {
        place
            .rustop(&format!("{line} --kind Lolkow"))
            .says(&["Lolkow", &command])
            .fails(2);
    }
}
