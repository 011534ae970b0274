//! `rustop create`.

mod api;
mod bundle;
mod chart;
mod dashboard;
mod webhook;

use clap::{Args, Subcommand};

use crate::ops::Result;
use crate::session::Session;

/// Add an API, its webhooks, a Helm chart, an OLM bundle or dashboards to the project
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create api --kind Lolcow
  rustop create api --group batch --version v1 --kind CronJob
  rustop create webhook --kind Lolcow --validation
  rustop create chart
  rustop create bundle
  rustop create dashboard")]
pub struct Create {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Api(api::CreateApi),
    Bundle(bundle::CreateBundle),
    Chart(chart::CreateChart),
    Dashboard(dashboard::CreateDashboard),
    Webhook(webhook::CreateWebhook),
}

impl Create {
    pub fn run(self, session: &Session) -> Result<()> {
        match self.what {
            What::Api(args) => args.run(session),
            What::Bundle(args) => args.run(session),
            What::Chart(args) => args.run(session),
            What::Dashboard(args) => args.run(session),
            What::Webhook(args) => args.run(session),
        }
    }
}
