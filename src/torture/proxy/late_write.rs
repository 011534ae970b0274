//! A write of an operator that is no more: another one has taken over, and is at work when it arrives.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hyper::body::Bytes;

use crate::torture::proxy::exchange::Exchange;
use crate::torture::proxy::lock;
use crate::torture::proxy::watch_stream::Held;

/// How long a successor may take to write the like.
const AT_WORK: Duration = Duration::from_secs(5);
const OFTEN: Duration = Duration::from_millis(10);

/// Waits until the successor of the sender has done the like, and arrives; not at all if that one
/// is gone, too.
pub async fn arrive(mut exchange: Exchange, body: Bytes) {
    let proxy = exchange.proxy.clone();
    let _held = Held::new(&proxy);
    let (successor, since) = (exchange.life + 1, Instant::now());
    let call = &exchange.asked.call;
    let same = (successor, call.verb, call.resource.clone());
    while !lock(&proxy.0.worked).contains(&same) && since.elapsed() < AT_WORK {
        tokio::time::sleep(OFTEN).await;
        if proxy.0.life.load(Ordering::SeqCst) != successor {
            return;
        }
    }
    // Nobody is there to hear the answer.
    let _ = exchange.pass(body).await;
}
