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
    use ::serve::{Limits, ServeError, Server, Settings, Token};

    impl From<ServeError> for Failure {
        fn from(error: ServeError) -> Self {
            match error {
                ServeError::Settings(error) => Self::Usage(error.into()),
                error => Self::Environment(error.into()),
            }
        }
    }

    pub(crate) fn serve(serve: Serve, runs: &Path) -> Result<Exit, Failure> {
        let Serve { listen, token_file, hosts } = serve;
        let token = token_file.as_deref().map(Token::read).transpose().map_err(ServeError::from)?;
        let server = Server::bind(Settings { runs: runs.to_owned(), listen, hosts, token, limits: Limits::default() })?;
        let stopper = server.stopper();
        host::on_ctrl_c(move || stopper.stop())?;
        say!("The runs in {} are shown at http://{}/ until Ctrl-C.", runs.display(), server.address());
        server.run()?;
        Ok(Exit::Done)
    }
}
