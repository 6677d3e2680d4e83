//! Measures the speed of a host: runs the bench of an entrant's engine as many times in parallel as games are played,
//! and computes the factor for the time controls of a run on this host.

use crate::builds::{End, run};
use crate::error::{SessionError, SpeedError};
use crate::warning::Warning;
use arena::config::{HostScale, ReferenceSpeed, RunConfig, ScaleBy, TimeScale, is_factor};
use arena::run::Executables;
use engine::{EngineConfig, signature};
use plan::Loaded;
use play::entrant::{PlayerSpec, ProcessSpec};
use play::players::process::Programs;
use std::io::{self, Read, Seek, SeekFrom};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The least duration of the bench of the built-in engine, which is repeated so long: a single run is too short.
const LONG_ENOUGH: Duration = Duration::from_millis(500);

/// The number of bytes that are read from the end of the output.
const MOST_READ: u64 = 1 << 16;

/// Returns the factor of a run's time controls on this host; `None` if they are not scaled. A bench is run `workers`
/// times in parallel.
///
/// # Errors
/// [`SpeedError`] if the bench does not yield a speed; [`SessionError::Interrupted`] if `stop` is set meanwhile.
pub(crate) fn host_scale(
    loaded: &Loaded,
    programs: &Executables,
    workers: NonZeroUsize,
    stop: &AtomicBool,
) -> Result<Option<HostScale>, SessionError> {
    match (&loaded.run.scale, loaded.scale_by) {
        (Some(TimeScale::Bench(reference)), Some(ScaleBy::Bench { within })) => {
            let player = loaded.run.entrants.iter().find(|entrant| entrant.name == reference.entrant);
            let unknown = || unusable(reference, "is not an entrant".to_owned());
            let player = &player.ok_or_else(unknown)?.player;
            let measured = measure(player, reference, programs, Bench { workers, within, stop })?;
            Ok(Some(scale(reference, measured)?))
        }
        (_, Some(ScaleBy::Factor(factor))) => Ok(Some(HostScale { factor, measured: None })),
        (_, None | Some(ScaleBy::Bench { .. })) => Ok(None),
    }
}

/// The message when a run begins or is resumed.
pub(crate) fn warning(run: &RunConfig, host: HostScale) -> Warning {
    let of = match &run.scale {
        Some(TimeScale::Bench(reference)) => {
            host.measured.map(|measured| (reference.entrant.clone(), measured, reference.nps))
        }
        Some(TimeScale::Given) | None => None,
    };
    Warning::Scaled { thousandths: (host.factor * 1000.0).round() as u64, of }
}

/// Returns the factor of time controls on a host whose bench searches this many nodes per second.
///
/// # Errors
/// [`SpeedError::Factor`] if the factor is out of range.
pub fn scale(reference: &ReferenceSpeed, measured: NonZeroU64) -> Result<HostScale, SpeedError> {
    let factor = reference.nps.get() as f64 / measured.get() as f64;
    if is_factor(factor) {
        return Ok(HostScale { factor, measured: Some(measured) });
    }
    Err(SpeedError::Factor { entrant: reference.entrant.clone(), measured, reference: reference.nps, factor })
}

/// How to run a bench.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    /// The number of runs in parallel.
    pub workers: NonZeroUsize,
    /// The timeout.
    pub within: Duration,
    /// The flag that stops it.
    pub stop: &'a AtomicBool,
}

fn unusable(reference: &ReferenceSpeed, why: String) -> SpeedError {
    SpeedError::Bench { command: reference.entrant.clone(), why, output: String::new() }
}

/// Returns the nodes per second of the bench of a reference's player on this host: the mean of all parallel runs.
///
/// # Errors
/// [`SpeedError`] if the bench does not yield a speed; [`SessionError::Interrupted`] if it was stopped.
pub fn measure(
    player: &PlayerSpec,
    reference: &ReferenceSpeed,
    programs: &dyn Programs,
    bench: Bench<'_>,
) -> Result<NonZeroU64, SessionError> {
    let unusable = |why| unusable(reference, why);
    let one = || match player {
        PlayerSpec::Process(process) => {
            let program = programs.find(process).map_err(|why| unusable(format!("cannot be started: {why}")))?;
            of_process(process, &program, &reference.arguments, &bench)
        }
        PlayerSpec::Native(native) => {
            let weights = play::weights(native, Some(programs)).map_err(unusable)?;
            in_process(&native.engine_config(weights), &bench)
        }
        PlayerSpec::Random | PlayerSpec::Custom(_) => Err(unusable("has no bench".to_owned()).into()),
    };
    let speeds = std::thread::scope(|scope| {
        let start = |_| Builder::new().name("bench".to_owned()).spawn_scoped(scope, one);
        let started: Vec<_> = (0..bench.workers.get()).map(start).collect();
        let refused = |cause| SessionError::io("cannot start a thread for each worker", cause);
        let died = || unusable("ended in a panic".to_owned()).into();
        let speed = |thread: io::Result<ScopedJoinHandle<'_, _>>| {
            thread.map_err(refused)?.join().unwrap_or_else(|_| Err(died()))
        };
        started.into_iter().map(speed).collect::<Result<Vec<u64>, _>>()
    })?;
    let sum: u128 = speeds.iter().map(|&speed| u128::from(speed)).sum();
    let mean = u64::try_from(sum / speeds.len().max(1) as u128).unwrap_or(u64::MAX);
    NonZeroU64::new(mean).ok_or_else(|| unusable("says that it does 0 nodes a second".to_owned()).into())
}

fn in_process(config: &EngineConfig, settings: &Bench<'_>) -> Result<u64, SessionError> {
    let (started, mut nodes) = (Instant::now(), 0);
    while started.elapsed() < LONG_ENOUGH.min(settings.within) {
        if settings.stop.load(Ordering::Relaxed) {
            return Err(SessionError::Interrupted);
        }
        nodes += signature(config).nodes;
    }
    Ok((nodes as f64 / started.elapsed().as_secs_f64()) as u64)
}

fn of_process(
    process: &ProcessSpec,
    program: &Path,
    arguments: &[String],
    settings: &Bench<'_>,
) -> Result<u64, SessionError> {
    let arguments: Vec<&str> = process.arguments.iter().chain(arguments).map(String::as_str).collect();
    let mut command = Command::new(program);
    command.args(&arguments).envs(&process.environment);
    if let Some(directory) = &process.directory {
        command.current_dir(directory);
    }
    let log =
        tempfile::NamedTempFile::new().map_err(|cause| SessionError::io("cannot write a temporary file", cause))?;
    let end = run(&mut command, log.path(), settings.within, settings.stop);
    let output = last_words(log.path());
    let command_line = std::iter::once(process.command.as_str()).chain(arguments).collect::<Vec<_>>().join(" ");
    let unusable = |why: String| SpeedError::Bench { command: command_line, why, output: output.clone() };
    match end {
        Ok(End::Stopped) => Err(SessionError::Interrupted),
        Ok(End::TooLong) => Err(unusable(format!("did not end within {:?}", settings.within)).into()),
        Ok(End::Exited(status)) if !status.success() => Err(unusable(format!("failed ({status})")).into()),
        Ok(End::Exited(_)) => find(&output).ok_or_else(|| unusable("printed no nodes a second".to_owned()).into()),
        Err(error) => Err(unusable(format!("cannot be run: {error}")).into()),
    }
}

/// Returns the end of a file, since an engine may print any amount.
fn last_words(path: &Path) -> String {
    let read = || {
        let mut file = fs_err::File::open(path)?;
        let length = file.metadata()?.len();
        let _place = file.seek(SeekFrom::Start(length.saturating_sub(MOST_READ)))?;
        let mut bytes = Vec::new();
        file.take(MOST_READ).read_to_end(&mut bytes).map(|_| bytes)
    };
    read().map_or_else(|_: std::io::Error| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Finds the nodes per second in the last such line of a bench, e.g. `Nodes/second : 1234`, `567 nodes 1234 nps` or
/// `NPS: 1234`.
fn find(output: &str) -> Option<u64> {
    output.lines().rev().find_map(|line| {
        let line = line.to_ascii_lowercase();
        let unit = |name: &str| line.find(name).map(|at| (&line[..at], &line[at + name.len()..]));
        let (before, after) = unit("nodes/second").or_else(|| unit("nodes per second")).or_else(|| unit("nps"))?;
        // The unit must be a whole word.
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if before.ends_with(is_part) || after.starts_with(is_part) {
            return None;
        }
        number_at_start(after.trim_start_matches([' ', '\t', ':', '='])).or_else(|| number_at_end(before.trim_end()))
    })
}

/// Reads a whole number, whose digits may be grouped; ignores decimals.
fn number_at_start(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '_')).unwrap_or(text.len());
    whole(&text[..end])
}

fn number_at_end(text: &str) -> Option<u64> {
    let start = text.rfind(|c: char| !c.is_ascii_digit() && !matches!(c, ',' | '_' | '.')).map_or(0, |at| {
        // Skips the character, which may have several bytes.
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    number_at_start(&text[start..])
}

fn whole(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_found_in_what_engines_print() {
        let stockfish = "===========================\nTotal time (ms) : 3210\nNodes searched  : \
            2593605\nNodes/second    : 807976\n";
        assert_eq!(find(stockfish), Some(807_976));
        for (text, nps) in [
            ("4567890 nodes 1234567 nps", 1_234_567),
            ("Bench: 4567890 nodes 1,234,567 nps\n\n", 1_234_567),
            ("NPS: 999", 999),
            ("info depth 9 nodes 5 nps 1\n12 nodes 34 NPS\nbye", 34),
            ("nps = 12.9", 12),
            ("speed 12345.678 nps", 12_345),
            ("1 nodes 0 nps", 0),
            ("Nodes per second: 5", 5),
            ("größe 7 nps", 7),
        ] {
            assert_eq!(find(text), Some(nps), "{text}");
        }
        for text in ["", "2593605 nodes", "nps", "snaps 12", "12 npsx", "99999999999999999999999 nps", "nps: many"] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    fn speed(n: u64) -> NonZeroU64 {
        NonZeroU64::new(n).unwrap()
    }

    #[test]
    fn a_host_half_as_fast_has_twice_the_time() {
        let reference = ReferenceSpeed { entrant: "base".to_owned(), arguments: Vec::new(), nps: speed(1_000_000) };
        let of = |measured| scale(&reference, speed(measured));
        assert_eq!(of(500_000).unwrap(), HostScale { factor: 2.0, measured: Some(speed(500_000)) });
        assert_eq!(of(4_000_000).unwrap().factor.to_bits(), 0.25_f64.to_bits());
        let refused = of(1000).unwrap_err().to_string();
        assert!(
            refused.contains("1,000 nodes/s here, and 1,000,000 on the reference host")
                && refused.contains("bench.nps"),
            "{refused}"
        );
        assert!(of(u64::MAX).is_err());
    }

    #[test]
    fn the_engine_of_0_1_is_measured_in_process() {
        let stop = AtomicBool::new(false);
        let settings = Bench { workers: NonZeroUsize::MIN, within: Duration::from_millis(1), stop: &stop };
        let config = EngineConfig { table_bytes: 1 << 16, ..EngineConfig::default() };
        assert!(in_process(&config, &settings).unwrap() > 0);
        stop.store(true, Ordering::Relaxed);
        assert!(matches!(in_process(&config, &settings), Err(SessionError::Interrupted)));
    }
}
