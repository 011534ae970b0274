//! `rustop torture` before a control plane is started.

use crate::dsl::{Place, state};

/// Each path of the command line is checked first, and its error names the option.
#[test]
fn a_path_that_cannot_be_used_is_named_with_its_option() {
    let place = Place::empty();
    let sample = "apiVersion: farm.org/v1\nkind: Cow\nmetadata: {name: a}\n";
    place.write("crds/cow.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: cows.farm.org}\n");
    place.write("samples/cow.yaml", sample);
    for (line, error, help) in [
        (
            "torture --crds nope --samples samples -- true",
            "cannot read `nope`, the value of `--crds`",
            "name a directory with the CRDs of the operator, relative to the current one: --crds config/crd/bases",
        ),
        (
            "torture --crds crds --samples nope -- true",
            "cannot read `nope`, the value of `--samples`",
            "--samples config/samples",
        ),
        (
            "torture --crds crds --samples samples --rbac nope -- true",
            "cannot read `nope`, the value of `--rbac`",
            "--rbac config/rbac",
        ),
        (
            "torture --crds samples --samples samples -- true",
            "found no CRD in `samples`, the value of `--crds`",
            "--crds config/crd/bases",
        ),
        (
            "torture --crds crds --samples samples -- ./nope",
            "cannot run `./nope`",
            "build the operator first, and name its program: -- ./bin/manager",
        ),
        (
            "torture --crds crds --samples samples --from-command ./nope --from-crds crds -- true",
            "cannot run `./nope`",
            "--from-command './bin/old-manager --flags'",
        ),
    ] {
        place
            .rustop(line)
            .env("RUSTOP_CACHE", place.path("cache"))
            .says(&[&format!("error: {error}\n"), "help: ", help])
            .lacks("Started")
            .fails(2);
        assert!(!state(place.dir()).exists(), "{line}");
    }
    place
        .rustop("torture --lanes 0 --crds crds --samples samples -- true")
        .says(&["0 is not in 1.."])
        .fails(2);
    place
        .rustop(
            "torture --crds crds --samples samples --from-command true --from-crds samples -- true",
        )
        .env("RUSTOP_CACHE", place.path("cache"))
        .says(&[
            "error: found no CRD in `samples`, the value of `--from-crds`\n",
            "with the CRDs of the old version",
        ])
        .lacks("Started")
        .fails(2);
}
