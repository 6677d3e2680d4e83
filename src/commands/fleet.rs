//! `spar worker` and `spar fleet`: play on many machines.

use crate::args::fleet::{Fleet, Worker};
use crate::failure::{Exit, Failure};

#[cfg(not(feature = "fleet"))]
fn missing() -> Failure {
    Failure::usage(crate::optional::missing("fleets", "fleet"))
}

#[cfg(not(feature = "fleet"))]
pub(crate) fn worker(_worker: Worker) -> Result<Exit, Failure> {
    Err(missing())
}

#[cfg(not(feature = "fleet"))]
pub(crate) fn fleet(_fleet: Fleet, _runs: &std::path::Path) -> Result<Exit, Failure> {
    Err(missing())
}

#[cfg(feature = "fleet")]
pub(crate) use known::{fleet, worker};

#[cfg(feature = "fleet")]
mod known {
    use super::{Exit, Failure, Fleet, Worker};
    use crate::args::Arguments;
    use crate::args::fleet::{Door, Keys, SetAside, Status, Steered, Up};
    use crate::commands::{print, print_json};
    use crate::host;
    use clap::Parser;
    use fleet::{Access, FleetError, WorkerName, WorkerOrder, WorkerSettings};
    use play::child::Launcher;
    use session::Blame;
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    impl From<FleetError> for Failure {
        fn from(error: FleetError) -> Self {
            match error.blame() {
                Blame::User => Self::Usage(error.into()),
                Blame::Machine | Blame::Nobody => Self::Environment(error.into()),
            }
        }
    }

    fn access(door: Door) -> Result<Access, Failure> {
        if door.nats.is_none() && door.creds.is_none() {
            return Err(Failure::usage("give the NATS server: `--nats URL`, or `--creds FILE` with its address"));
        }
        Ok(Access::new(door.nats, door.creds.as_deref())?)
    }

    pub(crate) fn worker(worker: Worker) -> Result<Exit, Failure> {
        let Worker { door, cores: wanted, name, cache, grace } = worker;
        let access = access(door)?;
        let known = access.credentials.as_ref().map(|credentials| credentials.name.clone());
        let name = known.or(name).unwrap_or_else(|| format!("{}-{}", plain_host_name(), std::process::id()));
        let name: WorkerName = name.parse().map_err(Failure::usage)?;
        let cache = cache.map_or_else(session::builds::default_cache, Ok);
        let cache = cache.map_err(|_| {
            Failure::usage("there is no home folder to keep programs in: give another by `--cache DIR`")
        })?;
        let cache = cache.join("content");
        let settings = WorkerSettings {
            access,
            name,
            cores: wanted.unwrap_or_else(host::processors),
            cache,
            grace: Duration::from_secs(grace),
            launcher: Some(Launcher::this_program()),
        };
        fleet::work(&settings, host::stop_flag()?, &mut |line| say!("{line}"))?;
        Ok(Exit::Done)
    }

    /// The machine's name, in letters that a subject allows.
    fn plain_host_name() -> String {
        let name = play::platform::Machine::this().host_name().unwrap_or_default();
        let plain: String =
            name.trim().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        if plain.is_empty() { "worker".to_owned() } else { plain }
    }

    pub(crate) fn fleet(fleet: Fleet, runs: &Path) -> Result<Exit, Failure> {
        match fleet {
            Fleet::Up(up) => bring_up(&up, runs),
            Fleet::Status(status) => show(status),
            Fleet::Pause(asked) => steer(asked, WorkerOrder::Pause),
            Fleet::Continue(asked) => steer(asked, WorkerOrder::Continue),
            Fleet::SetAside(asked) => set_aside(asked),
            Fleet::TakeBack(asked) => steer(asked, WorkerOrder::TakeBack),
            Fleet::Keys(keys) => make_keys(keys),
        }
    }

    fn bring_up(up: &Up, runs: &Path) -> Result<Exit, Failure> {
        let stop = host::stop_flag()?;
        let share = NonZeroUsize::new(host::processors().get() / up.workers.get()).unwrap_or(NonZeroUsize::MIN);
        let started = fleet::LocalFleet::start(up.workers.get(), up.cores.unwrap_or(share).get())?;
        let creds = started.coordinator();
        if up.command.is_empty() {
            say!("A fleet of {} workers is at {}. To use it from another terminal:", up.workers, started.url);
            print(format!("export SPAR_FLEET={} SPAR_FLEET_CREDS={}", started.url, creds.display()))?;
            say!("Ctrl-C ends it.");
            while !stop.load(Ordering::SeqCst) {
                std::thread::park_timeout(Duration::from_millis(50));
            }
            return Ok(Exit::Done);
        }
        // Runs in this process, so that no other process can be left behind.
        let runs = runs.display().to_string();
        let creds = creds.display().to_string();
        let before = ["spar", "--runs", &runs].map(str::to_owned);
        let after = ["--fleet", &started.url, "--creds", &creds].map(str::to_owned);
        let words = before.into_iter().chain(up.command.iter().cloned()).chain(after);
        let arguments = Arguments::try_parse_from(words).map_err(|error| {
            Failure::usage(format!("`{}` is not a command that plays: {}", up.command.join(" "), first_line(&error)))
        })?;
        crate::run(arguments)
    }

    fn first_line(error: &clap::Error) -> String {
        error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    }

    fn show(status: Status) -> Result<Exit, Failure> {
        let seen = fleet::read_status(&access(status.door)?)?;
        if status.json {
            print_json(&seen)?;
            return Ok(Exit::Done);
        }
        if seen.workers.is_empty() {
            print("No worker is there: `spar worker` starts one.")?;
        } else {
            print(format!(
                "{:<24} {:>5} {:>5} {:>10} {:>9} {:>8} {:>6}  {:<8} host",
                "worker", "cores", "busy", "pairs", "pairs/s", "residual", "faults", "spar"
            ))?;
        }
        for (name, worker) in &seen.workers {
            let heartbeat = &worker.heartbeat;
            let (rate, residuals) = (seen.rate(name), seen.residuals(name));
            print(format!(
                "{name:<24} {:>5} {:>5} {:>10} {rate:>9.2} {:>8} {:>6}  {:<8} {}{}",
                heartbeat.cores,
                heartbeat.busy,
                reports::text::grouped(heartbeat.done),
                residuals.map_or_else(String::new, |residuals| format!("{:+.1}", residuals.score)),
                residuals.map_or_else(String::new, |residuals| reports::text::grouped(residuals.faulty)),
                heartbeat.spar,
                heartbeat.host,
                if heartbeat.leaving { "  (leaving)" } else { "" },
            ))?;
            for remark in seen.remarks(name) {
                print(format!("  {remark}"))?;
            }
        }
        for (name, why) in seen.barred_and_away() {
            print(format!("{name} is away; it {why}"))?;
        }
        for run in seen.runs.values() {
            let given: usize = run.workers.values().map(|worker| worker.given).sum();
            let played: u64 = run.workers.values().map(|worker| worker.played).sum();
            print(format!(
                "run {}: {} pairs played, {given} being played, {} waiting, {} being checked, weight {}{}",
                run.name,
                reports::text::grouped(played),
                run.waiting,
                run.checking,
                run.weight,
                run.homogeneity.map_or_else(String::new, |p| format!(", machines alike: p = {p:.2}"))
            ))?;
        }
        Ok(Exit::Done)
    }

    fn set_aside(asked: SetAside) -> Result<Exit, Failure> {
        let SetAside { worker, run, why, door } = asked;
        let Some(run) = run else {
            return steer(Steered { worker, door }, WorkerOrder::SetAside { why });
        };
        let worker: WorkerName = worker.parse().map_err(Failure::usage)?;
        fleet::set_aside(&access(door)?, &run, &worker, &why)?;
        say!("Worker {worker} is set aside: its pairs of run {run} are withdrawn, and others play them.");
        Ok(Exit::Done)
    }

    /// Sends an order about a worker to all runs.
    fn steer(asked: Steered, order: WorkerOrder) -> Result<Exit, Failure> {
        let Steered { worker, door } = asked;
        let worker: WorkerName = worker.parse().map_err(Failure::usage)?;
        let access = access(door)?;
        let does = match &order {
            WorkerOrder::Pause => "finishes its pairs and is given no further ones",
            WorkerOrder::Continue => "is given pairs again",
            WorkerOrder::SetAside { .. } => {
                "is set aside: its pairs of all runs that are being played are withdrawn, and others play them"
            }
            WorkerOrder::TakeBack => "is given pairs again; those that were withdrawn stay withdrawn",
        };
        let text = format!("Worker {worker} {does}.");
        fleet::steer(&access, &worker, order, &access.who())?;
        say!("{text}");
        Ok(Exit::Done)
    }

    fn make_keys(keys: Keys) -> Result<Exit, Failure> {
        let workers = keys.workers.iter().map(|name| name.parse::<WorkerName>().map_err(Failure::usage));
        let workers = workers.collect::<Result<Vec<_>, _>>()?;
        let Keys { folder, hosts, port, no_tls, .. } = keys;
        let written = fleet::make_keys(&fleet::Keys { folder, hosts, port, tls: !no_tls, workers })?;
        for path in written {
            print(path.display())?;
        }
        Ok(Exit::Done)
    }
}
