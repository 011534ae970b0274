//! Prints the CRD.

use kube::CustomResourceExt as _;

fn main() {
    print!("{}", serde_yaml::to_string(&notes::Note::crd()).unwrap());
}
