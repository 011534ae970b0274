//! The command lines and the ports of the programs of a control plane.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::net::TcpListener;
use std::ops::RangeInclusive;

use super::assets::Assets;
use super::component::Component;
use super::error::{Error, Result};
use super::process::{Detached, Process};
use super::state::{Home, Ports, State};

/// Returns the components to run: those that `assets` has programs for, or only etcd and the API
/// server if `controllers` is false or `assets` has no kube-controller-manager.
pub fn components(assets: &Assets, controllers: bool) -> Vec<Component> {
    let controllers = controllers && assets.has_controllers();
    Component::all()
        .filter(|component| {
            !component.is_controller() || (controllers && assets.get(component.program()).is_some())
        })
        .collect()
}

/// Starts `component` and immediately records its process in the state file. `alone` is true if
/// the cluster runs no controllers.
pub fn spawn(home: &Home, state: &mut State, component: Component, alone: bool) -> Result<()> {
    let mut arguments = arguments(component, state.ports);
    if component == Component::ApiServer && alone {
        // The plugin rejects every Pod whose ServiceAccount does not exist, and no controller
        // creates ServiceAccounts.
        arguments.push("--disable-admission-plugins=ServiceAccount".into());
    }
    let child = Detached {
        program: &state.assets.dir.join(component.program()),
        arguments: &arguments,
        cluster: &home.dir,
        log: &home.log(component.program()),
    }
    .spawn()?;
    // A process that has already ended is recorded as well, so that `status` reports it.
    let process = Process::with_pid(child.id()).unwrap_or_else(|| Process::ended(child.id()));
    state.processes.insert(component, process);
    state.save(home)
}

fn arguments(component: Component, ports: Ports) -> Vec<String> {
    let values = BTreeMap::from([
        ("{etcd}", ports.etcd.to_string()),
        ("{peer}", ports.peer.to_string()),
        ("{api}", ports.api.to_string()),
    ]);
    let fill = |argument: &&str| {
        values
            .iter()
            .fold((*argument).to_owned(), |text, (name, value)| {
                text.replace(name, value)
            })
    };
    component.arguments().iter().map(fill).collect()
}

/// These are below the ports that systems use for outgoing connections, any of which may be taken
/// at any moment.
const PORTS: RangeInclusive<u16> = 20_000..=29_999;

/// Returns three free ports: those of `before` that are free, so that kubeconfigs in use stay
/// valid, and new ones for the others.
pub fn free_ports(before: Option<Ports>) -> Result<Ports> {
    let find = |wanted: Option<u16>| {
        let listener = listen(wanted)?;
        Ok((listener.local_addr()?.port(), listener))
    };
    let find = |wanted| find(wanted).map_err(Error::Port);
    // Each listener stays open until the last port is found, so that no two ports are the same.
    let (etcd, _etcd) = find(before.map(|ports| ports.etcd))?;
    let (peer, _peer) = find(before.map(|ports| ports.peer))?;
    let (api, _api) = find(before.map(|ports| ports.api))?;
    Ok(Ports { etcd, peer, api })
}

/// Listens on `wanted`, on a random one of [`PORTS`], or, after 100 failures, on a port that the
/// system selects.
fn listen(wanted: Option<u16>) -> io::Result<TcpListener> {
    let count = u64::from(*PORTS.end() - *PORTS.start()) + 1;
    let random = || RandomState::new().build_hasher().finish() % count;
    let tries =
        std::iter::repeat_with(|| *PORTS.start() + u16::try_from(random()).unwrap_or(0)).take(100);
    let mut candidates = wanted.into_iter().chain(tries).chain([0]).peekable();
    loop {
        let port = candidates.next().unwrap_or(0);
        match TcpListener::bind(("127.0.0.1", port)) {
            Err(_) if candidates.peek().is_some() => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_used_again_where_they_are_free() {
        let first = free_ports(None).unwrap();
        let taken = TcpListener::bind(("127.0.0.1", first.api)).unwrap();
        let second = free_ports(Some(first)).unwrap();
        assert_eq!((second.etcd, second.peer), (first.etcd, first.peer));
        assert_ne!(second.api, first.api);
        drop(taken);
    }
}
