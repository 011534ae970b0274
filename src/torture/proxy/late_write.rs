//! A write of an operator that is no more: another one has taken over, and is at work when it arrives.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use crate::torture::proxy::exchange::Exchange;
use crate::torture::proxy::lock;
use crate::torture::proxy::watch_stream::PendingGuard;

/// How long a successor may take to write the like.
const AT_WORK: Duration = Duration::from_secs(5);
const OFTEN: Duration = Duration::from_millis(10);

/// Waits until the successor of the sender has done the like, and arrives; not at all if that one
/// is gone, too.
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
    // Nobody is there to hear the answer.
    let _ = exchange.pass(body).await;
}
