//! No simulation: this operator calls a cloud over HTTP, and simulated histories have no network.
