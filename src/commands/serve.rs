//! `spar serve`: shows all runs live in the browser.

use crate::args::Serve;
use crate::failure::{Exit, Failure};
use std::path::Path;

#[cfg(not(feature = "serve"))]
pub(crate) fn serve(_serve: Serve, _runs: &Path) -> Result<Exit, Failure> {
    Err(Failure::usage(crate::optional::missing("its server", "serve")))
}

#[cfg(feature = "serve")]
pub(crate) use known::serve;

#[cfg(feature = "serve")]
mod known {
    use super::{Exit, Failure, Path, Serve};
    use crate::args::fleet::Watching;
    use crate::commands::print;
    use crate::host;
    use crate::optional::PNG;
    #[cfg(feature = "fleet")]
    use ::serve::SteerError;
    use ::serve::{Leave, Limits, Person, Players, ServeError, Server, Settings, Tokens, Webhook, Workers};
    use play::child::Launcher;
    use session::Threads;
    use session::builds::Sources;
    use std::sync::Arc;

    impl From<ServeError> for Failure {
        fn from(error: ServeError) -> Self {
            match error {
                ServeError::Settings(error) => Self::Usage(error.into()),
                error => Self::Environment(error.into()),
            }
        }
    }

    pub(crate) fn serve(serve: Serve, runs: &Path) -> Result<Exit, Failure> {
        let Serve { listen, token_file, new_token, hosts, control, concurrency, repo, cache, .. } = serve;
        let Serve { notify, webhook, webhook_secret, fleet, .. } = serve;
        if let (Some(path), Some(person)) = (&token_file, new_token) {
            return add_token(path, &person);
        }
        let tokens = token_file.as_deref().map(Tokens::read).transpose().map_err(ServeError::from)?;
        let webhook = webhook.zip(webhook_secret).map(|(address, secret)| Webhook::read(&address, &secret));
        let webhook = webhook.transpose().map_err(ServeError::from)?;
        let players: Players = Arc::new(|| Box::new(Threads::new().launched_by(Launcher::this_program())));
        let launcher = Some(Launcher::this_program());
        let control = control.then_some(Leave {
            players,
            concurrency,
            sources: Sources { cache, ..Sources::at(repo) },
            launcher,
        });
        let folder = runs;
        let workers = if fleet.is_asked_for() { Some(workers(fleet)?) } else { None };
        let (runs, limits) = (runs.to_owned(), Limits::default());
        let settings = Settings { runs, listen, hosts, tokens, control, notify, webhook, workers, png: PNG, limits };
        let server = Server::bind(settings)?;
        let stopper = server.stopper();
        host::on_ctrl_c(move || stopper.stop())?;
        let address = server.address();
        server.run(|| say!("The runs in {} are shown at http://{address}/ until Ctrl-C.", folder.display()))?;
        Ok(Exit::Done)
    }

    /// Makes a token for a new person, adds its line to the file, and prints the token.
    fn add_token(path: &Path, person: &str) -> Result<Exit, Failure> {
        let person: Person = person.parse().map_err(Failure::usage)?;
        let token = Tokens::add(path, &person).map_err(ServeError::from)?;
        print(token)?;
        say!(
            "{} has the right `{}` from now on. {} keeps a hash: this is the only time that you see the token.",
            person.name,
            person.right,
            path.display()
        );
        Ok(Exit::Done)
    }

    #[cfg(not(feature = "fleet"))]
    fn workers(_fleet: Watching) -> Result<Workers, Failure> {
        Err(Failure::usage(crate::optional::missing("fleets", "fleet")))
    }

    #[cfg(feature = "fleet")]
    fn workers(fleet: Watching) -> Result<Workers, Failure> {
        let access = ::fleet::Access::new(fleet.fleet, fleet.creds.as_deref())?;
        let steered = access.clone();
        let look = move || {
            let status = ::fleet::read_status(&access).map_err(|error| error.to_string())?;
            Ok(super::machines::all(&status))
        };
        let steer = move |worker: &str, order: &::serve::WorkerOrder, by: &str| {
            let worker = worker.parse().map_err(SteerError::Refused)?;
            ::fleet::steer(&steered, &worker, super::machines::order(order), by).map_err(super::machines::refused)
        };
        Ok(Workers::new(look).steered_by(steer))
    }
}

/// The fleet for the pages of the server.
#[cfg(all(feature = "serve", feature = "fleet"))]
mod machines {
    use ::fleet::{FleetError, Residuals, Status, WorkerOrder, WorkerStatus};
    use ::serve::{Residual, Standing, StandingKind, SteerError, Worker, WorkerRun};

    /// The most runs of a worker that are shown.
    const MOST_RUNS: usize = 20;

    /// The connected workers, and the disconnected ones with a standing order.
    pub(super) fn all(status: &Status) -> Vec<Worker> {
        let here = status.workers.iter().map(|(name, worker)| present(status, name, worker));
        let away = status.orders.keys().filter(|name| !status.workers.contains_key(*name));
        let away = away.filter_map(|name| {
            let order = Some(standing(status, name)?);
            Some(Worker { name: name.clone(), order, ..Worker::default() })
        });
        here.chain(away).collect()
    }

    fn present(status: &Status, name: &str, worker: &WorkerStatus) -> Worker {
        let heartbeat = &worker.heartbeat;
        Worker {
            name: name.to_owned(),
            is_heard: true,
            host: heartbeat.host.clone(),
            spar: heartbeat.spar.clone(),
            cores: heartbeat.cores,
            busy: heartbeat.busy,
            pairs: heartbeat.done,
            rate: status.rate(name),
            residual: status.residuals(name).map(|residuals| residuals.score),
            says: status.remarks(name),
            order: standing(status, name),
            runs: runs(status, name, worker),
        }
    }

    fn runs(status: &Status, name: &str, worker: &WorkerStatus) -> Vec<WorkerRun> {
        let of = status.runs.iter().filter_map(|(token, run)| {
            let news = run.workers.get(name)?;
            let playing = worker.heartbeat.holds.get(token).map_or(0, Vec::len);
            Some(WorkerRun {
                name: run.name.clone(),
                playing,
                played: news.played,
                rate: news.rate,
                set_aside: news.set_aside.clone(),
                residual: news.residuals.map(residual),
                faults: news.faults.clone(),
            })
        });
        of.take(MOST_RUNS).collect()
    }

    fn residual(of: Residuals) -> Residual {
        let Residuals { score, scores_p, faulty, faults_p, stands_out } = of;
        Residual { score, scores_p, faulty, faults_p, stands_out }
    }

    /// The order that keeps pairs from a worker.
    fn standing(status: &Status, name: &str) -> Option<Standing> {
        let standing = status.orders.get(name)?;
        let (is, why) = match &standing.order {
            WorkerOrder::Pause => (StandingKind::Paused, None),
            WorkerOrder::SetAside { why } => (StandingKind::SetAside, Some(why.clone())),
            WorkerOrder::Continue | WorkerOrder::TakeBack => return None,
        };
        Some(Standing { is, why, by: standing.by.clone(), unix_ms: standing.unix_ms })
    }

    /// Translates an order of a page for the fleet.
    pub(super) fn order(order: &::serve::WorkerOrder) -> WorkerOrder {
        match order {
            ::serve::WorkerOrder::Pause => WorkerOrder::Pause,
            ::serve::WorkerOrder::Continue => WorkerOrder::Continue,
            ::serve::WorkerOrder::SetAside { why } => WorkerOrder::SetAside { why: why.clone() },
            ::serve::WorkerOrder::TakeBack => WorkerOrder::TakeBack,
        }
    }

    /// Translates the fleet's reason for refusing an order.
    pub(super) fn refused(error: FleetError) -> SteerError {
        match error {
            FleetError::Order(why) => SteerError::Refused(why),
            FleetError::NotAllowed { .. } => {
                SteerError::Refused(format!("{error}; start `spar serve` with the operator's credentials"))
            }
            error => SteerError::Away(error.to_string()),
        }
    }
}
