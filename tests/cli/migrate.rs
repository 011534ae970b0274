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

#[test]
fn a_kind_that_is_not_there_is_named() {
    Place::project()
        .rustop("migrate --kind Lolcow")
        .says(&["no kind Lolcow is known", "rustop migrate, for all kinds"])
        .fails(2);
}
