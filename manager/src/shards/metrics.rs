//! Metrics of shards.

use prometheus_client::metrics::{counter::Counter, family::Family, gauge::Gauge};
use prometheus_client::registry::Registry;

use crate::metrics::{Labels, register};

/// The metrics of one replica's shards. Clones share their state.
#[derive(Clone)]
pub(crate) struct ShardMetrics {
    /// The number of shards whose Lease this replica holds.
    pub held: Gauge,
    /// The number of handovers, by result.
    handovers: Family<Labels<1>, Counter>,
}

/// A change of the replica that has a shard.
#[derive(Clone, Copy, Debug)]
pub enum Handover {
    /// This replica took the shard.
    Taken,
    /// This replica gave it back after all reconciles had ended.
    Given,
    /// This replica gave it back while reconciles were still running.
    GivenUp,
}

impl ShardMetrics {
    /// Creates the metrics and adds them to a registry.
    pub fn register(registry: &mut Registry) -> Self {
        let help = "Number of shards whose Lease this replica holds";
        let of_handovers = "Number of shard handovers, by result: taken, given (in order) or given_up (with reconciles running)";
        Self {
            held: register(registry, "shards_held", help),
            handovers: register(registry, "shard_handovers", of_handovers),
        }
    }

    /// Counts a handover.
    pub fn count(&self, handover: Handover) {
        let result = match handover {
            Handover::Taken => "taken",
            Handover::Given => "given",
            Handover::GivenUp => "given_up",
        };
        let by = [("result", result.to_owned())];
        self.handovers.get_or_create(&by).inc();
    }
}
