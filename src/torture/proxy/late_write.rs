//! The late write of a former leader: it arrives after another instance has become leader and
//! reconciles.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use crate::torture::proxy::exchange::Exchange;
use crate::torture::proxy::lock;
use crate::torture::proxy::watch_stream::PendingGuard;

/// The time for which the late write waits for a similar write of the new leader. Then it arrives
/// in any case.
const AT_WORK: Duration = Duration::from_secs(5);
const OFTEN: Duration = Duration::from_millis(10);

/// Delivers a write of an operator that was killed, after the next incarnation has made a similar
/// one, or after [`AT_WORK`]. Drops it if that incarnation was killed, too. `body` is the write's.
pub async fn deliver(mut exchange: Exchange, body: Bytes) {
    let proxy = exchange.proxy.clone();
    let _held = PendingGuard::new(&proxy);
    let (successor, since) = (exchange.incarnation + 1, Instant::now());
    let call = &exchange.recorded.call;
    let same = (successor, call.verb, call.resource.clone());
    while !lock(&proxy.operator).writes.contains(&same) && since.elapsed() < AT_WORK {
        tokio::time::sleep(OFTEN).await;
        if proxy.incarnation.load(Ordering::SeqCst) != successor {
            return;
        }
    }
    // The sender was killed, so the response has no recipient.
    let _ = exchange.pass(body).await;
}
