//! Two controllers for one kind, each with a field and a condition of its own. The one misbehaves
//! where the message says so.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use api::v1alpha1::herd::Herd;
use rustop_manager::{Action, Conditions as _, Context, Error, Result, condition};

// +kubebuilder:rbac:groups=my.domain,resources=herds,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=herds/status,verbs=patch

#[must_use]
pub fn controller() -> rustop_manager::Controller<Herd> {
    rustop_manager::Controller::new(left)
        .with_name("left")
        .conditions(|status| &mut status.conditions)
        .concurrency(4)
}

#[must_use]
pub fn right() -> rustop_manager::Controller<Herd> {
    rustop_manager::Controller::new(other)
        .with_name("right")
        .conditions(|status| &mut status.conditions)
        .concurrency(4)
}

async fn left(herd: Arc<Herd>, ctx: Context<Herd>) -> Result<Action> {
    let message = &herd.spec.message;
    let uid = herd.metadata.uid.clone().unwrap_or_default();
    let say = |text: &str| {
        ctx.set_status(|status| {
            status.left = Some(text.to_owned());
            status.conditions.set(condition::true_because("Left", "Said", text));
        });
    };
    match message.split_once(' ') {
        Some(("quiet", _)) => {}
        // The status is the newest there is when it is set, so it is set first.
        Some(("sleep", seconds)) => {
            say(message);
            tokio::time::sleep(Duration::from_secs(seconds.parse()?)).await;
        }
        Some(("block", seconds)) => std::thread::sleep(Duration::from_secs(seconds.parse()?)),
        Some(("name", seconds)) => {
            tokio::time::sleep(Duration::from_secs(seconds.parse()?)).await;
            say(&uid);
        }
        Some(("list", seconds)) => {
            ctx.set_status(|status| {
                if !status.seen.iter().any(|seen| seen == "left") {
                    status.seen.push("left".to_owned());
                }
            });
            tokio::time::sleep(Duration::from_secs(seconds.parse()?)).await;
        }
        Some(("record", seconds)) => {
            tokio::time::sleep(Duration::from_secs(seconds.parse()?)).await;
            ctx.update_status(|status| status.left = Some(uid.clone())).await?;
            tracing::info!("recorded");
        }
        Some(("flap", _)) => {
            if is_odd(&uid) {
                return Err(Error::new("Flapped", "every second time"));
            }
            ctx.set_status(|status| status.conditions.set(condition::true_because("Ready", "Said", "it is fine")));
            return Ok(Action::requeue(Duration::from_millis(10)));
        }
        Some(("fight", _)) => {
            ctx.set_status(|status| status.conditions.set(condition::true_because("Ready", "Left", "it is fine")));
        }
        Some(("vary", _)) => {
            let now = std::time::SystemTime::now();
            return Err(Error::new("Varied", format!("failed at {now:?}")));
        }
        Some(("large", megabytes)) => {
            let note = "x".repeat(megabytes.parse::<usize>()? << 20);
            ctx.set_status(|status| status.note = Some(note));
            return Err(Error::new("Told", "the message says so"));
        }
        Some(("talk", megabytes)) => {
            let text = "x".repeat(megabytes.parse::<usize>()? << 20);
            return Err(Error::new("Told", text));
        }
        Some(("fail", _)) => return Err(Error::new("Told", "the message says so")),
        _ => say(message),
    }
    Ok(Action::await_change())
}

/// True the second, fourth, .. time.
fn is_odd(uid: &str) -> bool {
    static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut seen = SEEN.lock().expect("nobody panics with it");
    let new = seen.insert(uid.to_owned());
    if !new {
        seen.remove(uid);
    }
    !new
}

async fn other(herd: Arc<Herd>, ctx: Context<Herd>) -> Result<Action> {
    let message = &herd.spec.message;
    if message.starts_with("fight") {
        ctx.set_status(|status| status.conditions.set(condition::false_because("Ready", "Right", "it is not")));
        return Ok(Action::await_change());
    }
    ctx.set_status(|status| {
        status.right = Some(message.clone());
        status.heard.clone_from(&status.left);
        status.conditions.set(condition::true_because("Right", "Said", message));
    });
    Ok(Action::await_change())
}
