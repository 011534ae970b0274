//! The operator's flags, with the names that kubebuilder uses. Each can also be set by an
//! environment variable; the flag takes precedence. An empty variable counts as not set.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgAction, Args, ValueEnum, builder::BoolishValueParser};

/// The settings of an operator. [`crate::Manager::from_args`] reads them from the command line;
/// `#[command(flatten)]` adds them to your own arguments. [`Options::default`] is meant for tests:
/// all namespaces, no servers, no leader election.
///
/// ```no_run
/// use clap::Parser;
/// use rustop_manager::{Manager, Options};
///
/// #[derive(Parser)]
/// struct Arguments {
///     #[command(flatten)]
///     options: Options,
///     /// Location of the herd
///     #[arg(long, env = "PASTURE")]
///     pasture: String,
/// }
///
/// let Arguments { options, pasture } = Arguments::parse();
/// let manager = Manager::new("lolcow-operator", "1.0.0", options);
/// ```
#[derive(Args, Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "flags that are independent of one another"
)]
#[non_exhaustive]
pub struct Options {
    /// Namespaces to watch, separated by commas; all of them if empty
    #[arg(
        long,
        env = set("WATCH_NAMESPACE"),
        value_delimiter = ',',
        value_parser = namespace,
        value_name = "NAMESPACES"
    )]
    pub watch_namespace: Vec<String>,

    /// Reconcile only while holding a Lease, so that one of several replicas is active
    #[arg(long, env = set("LEADER_ELECT"), num_args = 0..=1, require_equals = true,
          default_value = "false", default_missing_value = "true", action = ArgAction::Set,
          value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub leader_elect: bool,

    /// Name of the Lease; the operator's name by default
    #[arg(long, env = set("LEADER_ELECTION_ID"), value_parser = lease, value_name = "NAME")]
    pub leader_election_id: Option<String>,

    /// Namespace of the Lease; by default the one the operator runs in
    #[arg(long, env = set("LEADER_ELECTION_NAMESPACE"), value_parser = namespace, value_name = "NAMESPACE")]
    pub leader_election_namespace: Option<String>,

    /// Lease duration: how long the other replicas wait for a holder that does not renew
    #[arg(long, env = set("LEADER_ELECTION_LEASE_SECONDS"), default_value_t = 15,
          value_parser = clap::value_parser!(u32).range(5..=3600), value_name = "SECONDS")]
    pub leader_election_lease_seconds: u32,

    /// Take the Lease even if another replica holds it, as `rustop run --takeover` does; not for
    /// several replicas, which would take it from one another
    #[arg(long, env = set("LEADER_ELECTION_TAKEOVER"), num_args = 0..=1, require_equals = true,
          default_value = "false", default_missing_value = "true", action = ArgAction::Set,
          value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub leader_election_takeover: bool,

    /// Fill the caches as a standby, to reconcile without delay after becoming the leader
    #[arg(long, env = set("LEADER_ELECTION_WARM_UP"), num_args = 0..=1, require_equals = true,
          default_value = "true", default_missing_value = "true", action = ArgAction::Set,
          value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub leader_election_warm_up: bool,

    /// Number of shards that all replicas divide among themselves, with a Lease each; must be the
    /// same for all replicas
    #[arg(long, env = set("SHARDS"), value_parser = clap::value_parser!(u32).range(1..=256), value_name = "SHARDS")]
    pub shards: Option<u32>,

    /// Field that decides the shard of an object
    #[arg(long, env = set("SHARD_BY"), default_value = "uid", value_name = "FIELD")]
    pub shard_by: ShardBy,

    /// Objects per page of a list: larger pages are faster if the API server is far away, and take
    /// more memory
    // With the usual 500, the initial lists need more memory than the caches that they fill.
    #[arg(long, env = set("LIST_PAGE_SIZE"), default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..), value_name = "OBJECTS")]
    pub list_page_size: u32,

    /// Address on which /metrics is served, such as :8443 on all interfaces; 0 turns it off
    #[arg(long, env = set("METRICS_BIND_ADDRESS"), default_value = "0", value_name = "ADDRESS")]
    pub metrics_bind_address: BindAddress,

    /// Serve /metrics over TLS, and only to clients that may `get` it
    #[arg(long, env = set("METRICS_SECURE"), num_args = 0..=1, require_equals = true,
          default_value = "true", default_missing_value = "true", action = ArgAction::Set,
          value_parser = BoolishValueParser::new(), value_name = "BOOL")]
    pub metrics_secure: bool,

    /// Directory with the certificate of /metrics; self-signed if not set
    #[arg(long, env = set("METRICS_CERT_PATH"), value_name = "DIR")]
    pub metrics_cert_path: Option<PathBuf>,

    /// Certificate chain in that directory
    #[arg(long, env = set("METRICS_CERT_NAME"), default_value = "tls.crt", value_name = "FILE")]
    pub metrics_cert_name: String,

    /// Private key in that directory
    #[arg(long, env = set("METRICS_CERT_KEY"), default_value = "tls.key", value_name = "FILE")]
    pub metrics_cert_key: String,

    /// Port of the webhooks, if the operator has any; 0 turns them off
    #[arg(long, env = set("WEBHOOK_PORT"), default_value_t = 9443, value_name = "PORT")]
    pub webhook_port: u16,

    /// Address on which webhooks are served; all interfaces by default
    #[arg(long, env = set("WEBHOOK_HOST"), value_name = "IP")]
    pub webhook_host: Option<IpAddr>,

    /// Directory with the certificate of the webhooks; if not set, the operator creates and renews
    /// one
    #[arg(long, env = set("WEBHOOK_CERT_PATH"), value_name = "DIR")]
    pub webhook_cert_path: Option<PathBuf>,

    /// Certificate chain in that directory
    #[arg(long, env = set("WEBHOOK_CERT_NAME"), default_value = "tls.crt", value_name = "FILE")]
    pub webhook_cert_name: String,

    /// Private key in that directory
    #[arg(long, env = set("WEBHOOK_CERT_KEY"), default_value = "tls.key", value_name = "FILE")]
    pub webhook_cert_key: String,

    /// Address on which /healthz and /readyz are served; 0 turns them off
    #[arg(long, env = set("HEALTH_PROBE_BIND_ADDRESS"), default_value = ":8081", value_name = "ADDRESS")]
    pub health_probe_bind_address: BindAddress,

    /// Shutdown time of the operator: terminationGracePeriodSeconds of its Pod
    #[arg(long, env = set("TERMINATION_GRACE_PERIOD_SECONDS"), default_value_t = 10, value_name = "SECONDS")]
    pub termination_grace_period_seconds: u32,

    /// Part of the shutdown time that has passed when SIGTERM arrives, because of a preStop hook
    #[arg(long, env = set("PRE_STOP_SECONDS"), default_value_t = 0, value_name = "SECONDS")]
    pub pre_stop_seconds: u32,

    /// Log level: error, warn, info, debug or trace, also per target, as in info,kube=debug
    #[arg(long, env = set("RUST_LOG"), default_value = "info", value_name = "LEVEL")]
    pub log_level: String,

    /// Log format; auto is text on a terminal and JSON elsewhere
    #[arg(long, env = set("LOG_FORMAT"), default_value = "auto", value_name = "FORMAT")]
    pub log_format: LogFormat,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            watch_namespace: Vec::new(),
            leader_elect: false,
            leader_election_id: None,
            leader_election_namespace: None,
            leader_election_lease_seconds: 15,
            leader_election_takeover: false,
            leader_election_warm_up: true,
            shards: None,
            shard_by: ShardBy::Uid,
            list_page_size: 100,
            metrics_bind_address: BindAddress::Off,
            metrics_secure: true,
            metrics_cert_path: None,
            metrics_cert_name: "tls.crt".to_owned(),
            metrics_cert_key: "tls.key".to_owned(),
            webhook_port: 0,
            webhook_host: None,
            webhook_cert_path: None,
            webhook_cert_name: "tls.crt".to_owned(),
            webhook_cert_key: "tls.key".to_owned(),
            health_probe_bind_address: BindAddress::Off,
            termination_grace_period_seconds: 10,
            pre_stop_seconds: 0,
            log_level: "info".to_owned(),
            log_format: LogFormat::Auto,
        }
    }
}

impl Options {
    /// Returns true if replicas elect a leader, or a holder for each shard.
    pub(crate) fn elects(&self) -> bool {
        self.leader_elect || self.shards.is_some()
    }

    /// Returns the namespaces to watch, sorted, without duplicates and empty names. If there are
    /// none, the operator watches all namespaces.
    pub(crate) fn namespaces(&self) -> Vec<String> {
        let mut namespaces: Vec<String> = self
            .watch_namespace
            .iter()
            .map(|name| name.trim().to_owned())
            .collect();
        namespaces.retain(|name| !name.is_empty());
        namespaces.sort();
        namespaces.dedup();
        namespaces
    }
}

/// Returns `name` unless the variable is set to an empty string: a manifest writes `X: ""` for a
/// setting that it leaves open.
fn set(name: &'static str) -> Option<&'static str> {
    let empty = std::env::var_os(name).is_some_and(|value| value.is_empty());
    (!empty).then_some(name)
}

/// Parses the name of a namespace, which is a DNS label. Surrounding spaces and empty names are
/// accepted, as they occur in lists.
fn namespace(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || is_label(text) && text.len() <= 63 {
        return Ok(text.to_owned());
    }
    Err("expected at most 63 lower case letters, digits and `-`, with a letter or digit at the start and the end".to_owned())
}

/// Parses the name of a Lease, which is a DNS subdomain.
fn lease(text: &str) -> Result<String, String> {
    if text.split('.').all(is_label) && text.len() <= 253 {
        return Ok(text.to_owned());
    }
    Err("expected at most 253 lower case letters, digits, `-` and `.`, with a letter or digit at the start and the end".to_owned())
}

fn is_label(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// The field that decides which shard an object belongs to, and so which replica reconciles it.
///
/// `--shards=12` divides the objects of each controller's own kind into twelve shards, which the
/// replicas divide evenly among themselves. Any number of replicas works; choose a number of shards
/// that is divisible by the likely numbers of replicas. Each shard costs one read and one write of
/// its Lease every 2 s. `--shards` replaces `--leader-elect`.
///
/// - A replica caches its own objects, and all objects of the kinds that it owns or watches. An API
///   server with sharded lists and watches (`ShardedListAndWatch`, KEP-5866, alpha in Kubernetes
///   1.36) sends only the replica's own objects; any other API server sends all, and the replica
///   drops the rest. [`Context::get`](crate::Context::get) fails with `NotSelected` for an object
///   of another replica.
/// - When a replica joins, the others hand over shards within seconds. Running reconciles finish,
///   within the shutdown time, and the new shard owner starts once its caches contain all writes of
///   the previous one. When a replica crashes, its shards are taken over after about one and a half
///   times
///   [`Options::leader_election_lease_seconds`](crate::Options::leader_election_lease_seconds).
/// - A reconcile can write only while this replica holds the shard of its object, also through
///   `ctx.client()`. Other write requests fail with [`NotLeader`](crate::NotLeader).
/// - [`Manager::task`](crate::Manager::task) runs in one replica: the owner of shard 0, which keeps
///   that shard for as long as it lives. A stream of
///   [`Controller::triggered_by`](crate::Controller::triggered_by) runs in all replicas; each
///   ignores the objects of the others.
/// - All replicas need the same `--shards` and `--shard-by`. A replica with other values, or
///   without `--shards`, waits until the last active replica has stopped, and logs that it waits.
///   So a rolling update that changes the number never leads to two writers.
///   `--leader-election-takeover` is as safe: without `--shards`, a single developer can use it to
///   take over the objects of all replicas.
///
/// The Leases of the shards have the name of the leader's Lease with `-shard-0` and so on appended.
/// All replicas register on the Lease without this suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum ShardBy {
    /// By UID, which spreads objects evenly
    Uid,
    /// By namespace, so that one replica has all objects of a namespace; cluster-scoped objects go
    /// by UID. The API server sends all objects and the replica drops those of others, because the
    /// API server's hash puts namespaces with similar names into one shard
    Namespace,
}

impl fmt::Display for ShardBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uid => "uid",
            Self::Namespace => "namespace",
        })
    }
}

/// The format of log lines on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum LogFormat {
    /// Text if standard error is a terminal, else JSON
    Auto,
    /// One JSON object per line
    Json,
    /// Text, for people
    Text,
}

/// The address on which a server listens, in Go's notation: `:8081` is this port on all interfaces,
/// `127.0.0.1:8081` is one address, and `0` turns the server off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindAddress {
    /// The server is off.
    Off,
    /// This port on all interfaces, IPv6 and IPv4.
    Everywhere(u16),
    /// This address and port; port 0 lets the system choose one.
    At(SocketAddr),
}

impl FromStr for BindAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "0" || text.is_empty() {
            return Ok(Self::Off);
        }
        if let Some(port) = text.strip_prefix(':') {
            let port = port
                .parse()
                .map_err(|_| format!("`{port}` is not a port"))?;
            return Ok(Self::Everywhere(port));
        }
        let address = text.replace("localhost:", "127.0.0.1:");
        let wrong = || "expected `:8081`, `127.0.0.1:8081` or `0`".to_owned();
        address.parse().map(Self::At).map_err(|_| wrong())
    }
}

impl fmt::Display for BindAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("0"),
            Self::Everywhere(port) => write!(f, ":{port}"),
            Self::At(address) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn parse(line: &[&str]) -> Options {
        Line::parse_from([&["operator"], line].concat()).options
    }

    fn refusal(flag: &str) -> String {
        let refused = Line::try_parse_from(["operator", flag]);
        refused.err().unwrap().to_string()
    }

    #[test]
    fn the_defaults_are_kubebuilders() {
        let options = parse(&[]);
        assert!(!options.leader_elect && options.metrics_secure);
        assert_eq!(options.metrics_bind_address, BindAddress::Off);
        assert_eq!(
            options.health_probe_bind_address,
            BindAddress::Everywhere(8081)
        );
    }

    #[test]
    fn shards_need_no_feature_and_replace_leader_election() {
        let options = parse(&["--shards=12", "--shard-by=namespace"]);
        assert_eq!(options.shards, Some(12));
        assert_eq!(options.shard_by, ShardBy::Namespace);
        assert!(!options.leader_elect && options.elects());
        assert!(!parse(&[]).elects());
    }

    #[test]
    fn booleans_work_as_in_go() {
        assert!(parse(&["--leader-elect"]).leader_elect);
        assert!(!parse(&["--leader-elect=false"]).leader_elect);
        assert!(!parse(&["--metrics-secure=false"]).metrics_secure);
    }

    #[test]
    fn booleans_are_written_as_people_write_them() {
        for (text, meant) in [("1", true), ("True", true), ("0", false), ("no", false)] {
            assert_eq!(
                parse(&[&format!("--leader-elect={text}")]).leader_elect,
                meant
            );
            assert_eq!(
                parse(&[&format!("--metrics-secure={text}")]).metrics_secure,
                meant
            );
        }
        assert!(refusal("--leader-elect=maybe").contains("maybe"));
    }

    #[test]
    fn an_empty_variable_is_none() {
        assert_eq!(set("PATH"), Some("PATH"));
        assert_eq!(set("NO_SUCH_VARIABLE"), Some("NO_SUCH_VARIABLE"));
        // Cargo sets it, and this crate leaves it empty.
        assert_eq!(std::env::var("CARGO_PKG_HOMEPAGE").as_deref(), Ok(""));
        assert_eq!(set("CARGO_PKG_HOMEPAGE"), None);
    }

    #[test]
    fn names_that_cannot_be_are_refused() {
        for name in ["Team_A", "-a", "a.b", "ä", &"a".repeat(64)] {
            assert!(refusal(&format!("--watch-namespace=ok,{name}")).contains(name));
            assert!(refusal(&format!("--leader-election-namespace={name}")).contains(name));
        }
        for name in ["Lolcow", "a..b", "a-", "a/b"] {
            assert!(refusal(&format!("--leader-election-id={name}")).contains(name));
        }
        let named = parse(&[
            "--leader-election-id=a.my.domain",
            "--watch-namespace=team-1",
        ]);
        assert_eq!(named.leader_election_id.as_deref(), Some("a.my.domain"));
        assert_eq!(named.namespaces(), ["team-1"]);
    }

    #[test]
    fn every_flag_can_be_set_by_the_environment() {
        for flag in Line::command()
            .get_arguments()
            .filter(|flag| flag.get_id() != "help")
        {
            assert!(flag.get_env().is_some(), "{}", flag.get_id());
        }
    }

    #[test]
    fn numbers_that_would_do_harm_are_refused() {
        for flag in ["--leader-election-lease-seconds=4", "--list-page-size=0"] {
            assert!(refusal(flag).contains("is not in"), "{}", refusal(flag));
        }
        let set = parse(&[
            "--leader-election-lease-seconds=137",
            "--list-page-size=500",
        ]);
        let set = (set.leader_election_lease_seconds, set.list_page_size);
        assert_eq!(set, (137, 500));
    }

    #[test]
    fn namespaces_are_a_comma_list() {
        assert_eq!(
            parse(&["--watch-namespace", "b,a, a,"]).namespaces(),
            ["a", "b"]
        );
        assert!(parse(&["--watch-namespace", ""]).namespaces().is_empty());
    }

    #[test]
    fn addresses_are_read_and_written_alike() {
        for text in ["0", ":8443", "127.0.0.1:8081", "[::1]:80"] {
            assert_eq!(text.parse::<BindAddress>().unwrap().to_string(), text);
        }
        assert!("8081".parse::<BindAddress>().is_err());
        assert!(":port".parse::<BindAddress>().is_err());
    }
}
