//! Writes the CRD into the kustomization.

use kube::CustomResourceExt as _;

fn main() {
    let crd = serde_yaml::to_string(&barn_api::Barn::crd()).unwrap();
    std::fs::write("deploy/base/crd.yaml", crd).unwrap();
}
