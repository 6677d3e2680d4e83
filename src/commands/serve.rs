//! `spar serve`: all runs live in the browser.

use crate::args::Serve;
use crate::failure::{Exit, Failure};
use std::path::Path;

#[cfg(not(feature = "serve"))]
pub(crate) fn serve(_serve: Serve, _runs: &Path) -> Result<Exit, Failure> {
    Err(Failure::usage(
        "this spar was built without its server: `cargo build --release --features serve` makes one that has it",
    ))
}

#[cfg(feature = "serve")]
pub(crate) use known::serve;

#[cfg(feature = "serve")]
mod known {
    use super::{Exit, Failure, Path, Serve};
    use crate::host;
    use ::serve::{Leave, Limits, Players, ServeError, Server, Settings, Token};
    use play::child::Launcher;
    use session::Threads;
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
        let Serve { listen, token_file, hosts, control, concurrency, notify } = serve;
        let token = token_file.as_deref().map(Token::read).transpose().map_err(ServeError::from)?;
        let players: Players = Arc::new(|| Box::new(Threads::new().launched_by(Launcher::this_program())));
        let launcher = Some(Launcher::this_program());
        let control = control.then_some(Leave { players, concurrency, launcher });
        let folder = runs;
        let (runs, limits) = (runs.to_owned(), Limits::default());
        let server = Server::bind(Settings { runs, listen, hosts, token, control, notify, limits })?;
        let stopper = server.stopper();
        host::on_ctrl_c(move || stopper.stop())?;
        say!("The runs in {} are shown at http://{}/ until Ctrl-C.", folder.display(), server.address());
        server.run()?;
        Ok(Exit::Done)
    }
}
