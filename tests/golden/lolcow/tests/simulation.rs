//! Simulates the operator in many histories, each with other faults, in virtual time. `rustop simulate` runs thousands.

#[path = "harness/mod.rs"]
mod harness;

use rustop_manager::simulation::{Simulation, workloads};

use lolcow_operator::{controllers, webhooks};

/// Returns the operator with its samples, which are created and deleted in each history.
fn simulation() -> Simulation {
    Simulation::new(|manager| webhooks::register(controllers::register(manager)))
        .crds(api::crds().unwrap())
        .manifests(harness::MANIFESTS)
        .rbac("config/rbac")
        .webhooks("config/webhook")
        .actors([workloads()])
    // TODO(user): say what must hold in each history, and which changes a user makes (book: docs/simulation.md):
    //
    //     .always("at most one Job", |world| world.count::<Job>() <= 1)
    //     .eventually("each Page has a Service", |world| {
    //         world.count::<Service>() == world.count::<Page>()
    //     })
    //     .edit::<Page>("page-sample", json!({"spec": {"replicas": 3}}))
}

#[test]
fn faults_do_not_change_the_result() {
    simulation().test(200);
}
