//! `spar serve`: all runs live in the browser.

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
    use ::serve::Worker;
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

    /// Prints a token for a new person, whose line is in the file then.
    fn add_token(path: &Path, person: &str) -> Result<Exit, Failure> {
        let person: Person = person.parse().map_err(Failure::usage)?;
        let token = Tokens::add(path, &person).map_err(ServeError::from)?;
        print(token)?;
        say!(
            "{} has the right `{}` once the server is started again. {} keeps a hash: this is the only time that you \
             see the token.",
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
        let worker = |status: &::fleet::Status, name: &str, worker: &::fleet::WorkerStatus| {
            let heartbeat = &worker.heartbeat;
            let residuals = status.residuals(name);
            Worker {
                name: name.to_owned(),
                host: heartbeat.host.clone(),
                spar: heartbeat.spar.clone(),
                cores: heartbeat.cores,
                busy: heartbeat.busy,
                pairs: heartbeat.done,
                rate: status.rate(name),
                residual: residuals.map(|residuals| residuals.score),
                says: status.remarks(name),
            }
        };
        Ok(Workers::new(move || {
            let status = ::fleet::read_status(&access).map_err(|error| error.to_string())?;
            Ok(status.workers.iter().map(|(name, one)| worker(&status, name, one)).collect())
        }))
    }
}
