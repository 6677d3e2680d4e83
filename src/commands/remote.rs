//! Commands that talk to a server: `spar runs --server`, `spar watch` and `spar start`.

use crate::args::remote::{StartThere, Watch};
use crate::failure::{Exit, Failure};
use std::path::Path;

#[cfg(not(feature = "serve"))]
fn missing() -> Failure {
    Failure::usage(crate::optional::missing("its client of servers", "serve"))
}

#[cfg(not(feature = "serve"))]
pub(crate) fn list(_server: &str, _token_file: Option<&Path>, _json: bool) -> Result<Exit, Failure> {
    Err(missing())
}

#[cfg(not(feature = "serve"))]
pub(crate) fn watch(_watch: &Watch) -> Result<Exit, Failure> {
    Err(missing())
}

#[cfg(not(feature = "serve"))]
pub(crate) fn start(_start: &StartThere) -> Result<Exit, Failure> {
    Err(missing())
}

#[cfg(feature = "serve")]
pub(crate) use known::{list, start, watch};

#[cfg(feature = "serve")]
mod known {
    use super::{Exit, Failure, Path, StartThere, Watch};
    use crate::commands::{print, print_json};
    use ::serve::client::{Client, ClientError, EventStream};
    use ::serve::own_token;
    use anyhow::anyhow;
    use console::Term;
    use reports::text::counted;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    /// How long the first run of the queue may take to begin: its engines start first.
    const BEGINS_WITHIN: Duration = Duration::from_secs(30);
    /// How often to retry a lost server, and how long to wait before each attempt.
    const TRIES: u32 = 60;
    const PAUSE: Duration = Duration::from_secs(2);

    impl From<ClientError> for Failure {
        fn from(error: ClientError) -> Self {
            if error.is_a_mistake() { Self::Usage(error.into()) } else { Self::Environment(error.into()) }
        }
    }

    fn client(address: &str, token_file: Option<&Path>) -> Result<Client, Failure> {
        let token = token_file.map(own_token).transpose().map_err(|why| Failure::Usage(why.into()))?;
        Ok(Client::new(address, token)?)
    }

    fn text<'a>(row: &'a Value, key: &str) -> &'a str {
        row[key].as_str().unwrap_or_default()
    }

    fn rows(answer: &Value, key: &str) -> Vec<Value> {
        answer[key].as_array().cloned().unwrap_or_default()
    }

    /// Lists the runs and jobs of a server, as `spar runs` lists those of a folder.
    pub(crate) fn list(server: &str, token_file: Option<&Path>, json: bool) -> Result<Exit, Failure> {
        let client = client(server, token_file)?;
        let mut all = rows(&client.get("/api/runs")?, "runs");
        all.extend(rows(&client.get("/api/jobs")?, "jobs"));
        if json {
            print_json(&all)?;
        } else if all.is_empty() {
            say!("There are no runs at {}.", client.server());
        }
        let width = all.iter().map(|row| text(row, "name").chars().count()).max().unwrap_or(0);
        for row in all.iter().filter(|_| !json) {
            print(crate::shown::shown(&listed(row, width)))?;
        }
        Ok(Exit::Done)
    }

    /// A run or a job as a line.
    fn listed(row: &Value, width: usize) -> String {
        let name = text(row, "name");
        if row["state"] == "unreadable" {
            return format!("{name:<width$}  unreadable: {}", text(row, "says"));
        }
        let verdict = match row["verdict"].as_str() {
            Some("accepted-h1") => "H1 accepted",
            Some("accepted-h0") => "H0 accepted",
            Some(verdict) => verdict,
            None => text(row, "state"),
        };
        let began: String = text(row, "began").chars().take(16).collect();
        let (units, began) = (units(row), began.replace('T', " "));
        format!("{name:<width$}  {verdict:<11}  {units:>16}  {began:<16}  {}", text(row, "short")).trim_end().to_owned()
    }

    fn units(row: &Value) -> String {
        match (row["units"].as_u64(), row["pairs"].as_u64()) {
            (Some(units), _) => counted(units, text(row, "unit")),
            (None, Some(pairs)) => counted(pairs, "pair"),
            (None, None) => String::new(),
        }
    }

    /// The page that an address names.
    #[derive(Clone, Debug, PartialEq, Eq)]
    enum Page {
        All,
        Run(String),
        Job(String),
    }

    impl Page {
        /// The names stay encoded as in the address, so that they fit into another one.
        fn of(path: &str) -> Option<Self> {
            let path = path.split('?').next().unwrap_or_default().trim_matches('/');
            match path.split('/').collect::<Vec<_>>()[..] {
                [""] => Some(Self::All),
                ["runs", name] if !name.is_empty() => Some(Self::Run(name.to_owned())),
                ["jobs", name] if !name.is_empty() => Some(Self::Job(name.to_owned())),
                _ => None,
            }
        }
    }

    /// Shows the events of a server until Ctrl-C, or until the run of the address is over.
    pub(crate) fn watch(watch: &Watch) -> Result<Exit, Failure> {
        let client = client(&watch.address, watch.token_file.as_deref())?;
        let page = Page::of(client.path()).ok_or_else(|| {
            Failure::usage(format!(
                "`{}` is not a page of runs: give the server's address, or that of a page such as {}/runs/NAME",
                watch.address,
                client.server()
            ))
        })?;
        let mut watched = Watched { page, shown: BTreeMap::new(), waits: false, screen: Screen::new() };
        let mut tries = 0;
        loop {
            let ended = watched.follow(&client, &mut tries);
            watched.screen.clear();
            match ended {
                Ok(Some(exit)) => return Ok(exit),
                // The server has ended, or is unreachable for a moment.
                Ok(None) => {}
                Err(Broken::Client(why)) if why.is_passing() && tries > 0 => {}
                Err(Broken::Client(why)) => return Err(why.into()),
                Err(Broken::Other(failure)) => return Err(failure),
            }
            tries += 1;
            if tries > TRIES {
                return Err(Failure::Environment(anyhow!("{} has ended, or is gone", client.server())));
            }
            watched.screen.say_lost(&client);
            std::thread::sleep(PAUSE);
        }
    }

    /// Why watching ends.
    enum Broken {
        Client(ClientError),
        Other(Failure),
    }

    impl From<ClientError> for Broken {
        fn from(why: ClientError) -> Self {
            Self::Client(why)
        }
    }

    impl From<Failure> for Broken {
        fn from(failure: Failure) -> Self {
            Self::Other(failure)
        }
    }

    /// Why a stream of events is over.
    enum Until {
        /// The watched run is over.
        Over(Exit),
        ServerEnds,
        /// Events were missed: the state has to be fetched again.
        Reset,
    }

    /// The watched page, and the lines that were last shown.
    struct Watched {
        page: Page,
        /// Runs and jobs by name, with the state and the line of each.
        shown: BTreeMap<String, (String, String)>,
        /// Whether the watched run or job has stopped, and is still in the queue.
        waits: bool,
        screen: Screen,
    }

    impl Watched {
        /// Shows the current state and the events that follow; `None` when the server ends.
        fn follow(&mut self, client: &Client, tries: &mut u32) -> Result<Option<Exit>, Broken> {
            loop {
                let (first, events) = match self.page.clone() {
                    Page::All => {
                        let all = client.get("/api/runs")?;
                        let path = format!("/api/events?after={}", text(&all, "id"));
                        ([rows(&all, "runs"), rows(&client.get("/api/jobs")?, "jobs")].concat(), path)
                    }
                    Page::Run(name) => {
                        let run = client.get(&format!("/api/runs/{name}"))?;
                        let path = format!("/api/runs/{name}/events?after={}", text(&run, "id"));
                        (vec![run], path)
                    }
                    Page::Job(name) => {
                        // Fetched before the job: an event that arrives twice does no harm.
                        let id = text(&client.get("/api/runs")?, "id").to_owned();
                        (vec![client.get(&format!("/api/jobs/{name}"))?], format!("/api/events?after={id}"))
                    }
                };
                // The server is known to exist now.
                *tries = 1;
                for row in &first {
                    if let Some(exit) = self.take_last(row, client)? {
                        return Ok(Some(exit));
                    }
                }
                match self.take_all(client, &mut client.events(&events)?)? {
                    Until::Over(exit) => return Ok(Some(exit)),
                    Until::ServerEnds => return Ok(None),
                    Until::Reset => {}
                }
            }
        }

        /// Reads the events, and returns why they end.
        fn take_all(&mut self, client: &Client, events: &mut EventStream<'_>) -> Result<Until, Broken> {
            while let Some(event) = events.next_event()? {
                match event.kind.as_str() {
                    "reset" => return Ok(Until::Reset),
                    "gone" => self.lose(text(&event.data, "name"))?,
                    "run" | "job" => {
                        if let Some(exit) = self.take_last(&event.data, client)? {
                            return Ok(Until::Over(exit));
                        }
                    }
                    // The run may have ended since its row was sent: the server looks at runs less often than it
                    // publishes its queue.
                    "queue" if self.waits && !self.is_open(&event.data) => {
                        std::thread::sleep(PAUSE);
                        return Ok(Until::Reset);
                    }
                    _ => {}
                }
            }
            Ok(Until::ServerEnds)
        }

        /// Whether this name is watched.
        fn is_it(&self, name: &str) -> bool {
            match &self.page {
                Page::All => true,
                Page::Run(one) | Page::Job(one) => decoded(one) == name,
            }
        }

        /// Shows a row. Returns the exit code if the row is the watched one and has ended, unless the queue resumes it,
        /// for instance with another limit.
        fn take_last(&mut self, row: &Value, client: &Client) -> Result<Option<Exit>, Broken> {
            let exit = self.take(row)?;
            if self.is_it(text(row, "name")) {
                self.waits = exit == Some(Exit::Interrupted) && self.is_resumed(client)?;
            }
            Ok(exit.filter(|_| !self.waits))
        }

        /// Whether the server's queue resumes the watched run or job; false if the server has no queue.
        fn is_resumed(&self, client: &Client) -> Result<bool, Broken> {
            match client.get("/api/control") {
                Ok(told) => Ok(self.is_open(&told)),
                Err(why) if why.is_a_mistake() => Ok(false),
                Err(why) => Err(why.into()),
            }
        }

        /// Whether the watched run or job is still in the queue, by the server's description of its queue.
        fn is_open(&self, told: &Value) -> bool {
            rows(told, "open").iter().any(|name| name.as_str().is_some_and(|name| self.is_it(name)))
        }

        /// Shows a row. Returns the exit code if the row is the watched one and has ended.
        fn take(&mut self, row: &Value) -> Result<Option<Exit>, Failure> {
            let (name, state) = (text(row, "name").to_owned(), text(row, "state").to_owned());
            // A job's page gets no events of runs, and a run's page none of jobs.
            let is_job = row.get("units").is_none() && row["state"] != "unreadable";
            let is_other = match &self.page {
                Page::All => false,
                Page::Run(_) => is_job,
                Page::Job(_) => !is_job,
            };
            if is_other || !self.is_it(&name) {
                return Ok(None);
            }
            let is_new = self.shown.get(&name).is_none_or(|(before, _)| *before != state);
            self.shown.insert(name.clone(), (state.clone(), moving(row)));
            let runs = ["running", "reading"].contains(&state.as_str());
            if is_new && state != "reading" {
                self.screen.keep(&listed(row, 0))?;
            }
            let lines = self.shown.values().filter(|(state, _)| state == "running").map(|(_, line)| line.as_str());
            self.screen.show(&lines.collect::<Vec<_>>());
            if self.page == Page::All || runs {
                return Ok(None);
            }
            // As on the terminal, a run stopped by faults has no result.
            if ["too faulty", "unreadable"].contains(&state.as_str()) {
                return Err(Failure::Environment(anyhow!("{name}: {}", text(row, "says"))));
            }
            Ok(Some(exit_of(row)))
        }

        fn lose(&mut self, name: &str) -> Result<(), Failure> {
            self.shown.remove(name);
            if self.page != Page::All && self.is_it(name) {
                return Err(Failure::Environment(anyhow!("the folder of {name} was deleted")));
            }
            Ok(())
        }
    }

    /// The exit code of a watched run or job.
    fn exit_of(row: &Value) -> Exit {
        match (text(row, "verdict"), text(row, "state")) {
            ("accepted-h0", _) => Exit::Rejected,
            ("undecided", _) | (_, "undecided") => Exit::Undecided,
            (_, "interrupted") => Exit::Interrupted,
            _ => Exit::Done,
        }
    }

    /// The line that changes while a run is played.
    fn moving(row: &Value) -> String {
        let of = row["of"].as_u64().map(|of| format!(" of {of}")).unwrap_or_default();
        let speed = row["speed"].as_f64().map(|speed| format!("{speed:.1}/s")).unwrap_or_default();
        let left = row["left"].as_str().map(|left| format!("{left} left")).unwrap_or_default();
        let paused = if row["paused"] == true { "paused" } else { "" };
        let parts = [text(row, "short"), paused, &speed, &left];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}  {}{of}  {}", text(row, "name"), units(row), parts.join(", "))
    }

    /// The output: permanent lines on standard output, changing lines below them on a terminal.
    struct Screen {
        terminal: Term,
        lines: usize,
    }

    impl Screen {
        fn new() -> Self {
            Self { terminal: Term::stderr(), lines: 0 }
        }

        fn clear(&mut self) {
            if self.lines > 0 {
                let _nobody_looks = self.terminal.clear_last_lines(std::mem::take(&mut self.lines));
            }
        }

        fn keep(&mut self, line: &str) -> Result<(), Failure> {
            self.clear();
            print(crate::shown::shown(line))
        }

        fn show(&mut self, lines: &[&str]) {
            if !self.terminal.is_term() {
                return;
            }
            self.clear();
            let (height, width) = self.terminal.size();
            for line in lines.iter().take(usize::from(height).saturating_sub(1)) {
                let shown = crate::shown::shown(line).replace('\n', " ");
                let cut = console::truncate_str(&shown, usize::from(width).saturating_sub(1), "…").into_owned();
                if self.terminal.write_line(&cut).is_ok() {
                    self.lines += 1;
                }
            }
        }

        fn say_lost(&mut self, client: &Client) {
            if self.terminal.is_term() {
                self.show(&[&format!("{} does not answer: trying again", client.server())]);
            }
        }
    }

    /// Queues a run, and prints its address.
    pub(crate) fn start(start: &StartThere) -> Result<Exit, Failure> {
        let client = client(&start.server, start.token_file.as_deref())?;
        let toml = fs_err::read_to_string(&start.config).map_err(|why| Failure::Usage(why.into()))?;
        // Fetched before the start, so that no event is missed.
        let seen = text(&client.get("/api/runs")?, "id").to_owned();
        let started = client.post("/api/control/start", &json!({ "toml": toml, "priority": start.priority }));
        let started = started.map_err(|why| match why {
            ClientError::Refused { status: 400, why, .. } => {
                Failure::usage(format!("{}: {why}", start.config.display()))
            }
            other => other.into(),
        })?;
        let id = started["id"].as_u64().unwrap_or_default();
        // A deadline or an error leaves the state unknown: the run is queued in any case.
        match begun(&client, id, &seen).unwrap_or(Begun::Unknown) {
            Begun::As(run, is_job) => {
                let kind = if is_job { "jobs" } else { "runs" };
                print(format!("{}/{kind}/{}", client.server(), encoded(&run)))?;
            }
            Begun::Waits(place) => {
                say!("It is number {place} in the queue.");
                print(format!("{}/", client.server()))?;
            }
            Begun::Ended(says) => return Err(Failure::Environment(anyhow!("it has ended: {says}"))),
            Begun::Unknown => {
                say!("It is entry {id} of the queue, and begins soon.");
                print(format!("{}/", client.server()))?;
            }
        }
        Ok(Exit::Done)
    }

    /// The state of an entry of the queue.
    #[derive(Debug, PartialEq)]
    enum Begun {
        As(String, bool),
        Waits(usize),
        /// It ended before it had a folder.
        Ended(String),
        Unknown,
    }

    impl Begun {
        /// The state of an entry, by the server's description of its queue.
        fn of(told: &Value, id: u64) -> Self {
            let ended = rows(told, "ended");
            let (playing, waiting) = (&told["playing"], rows(told, "queue"));
            let entry = std::iter::once(playing).chain(&ended).find(|entry| entry["id"] == id);
            if let Some(run) = entry.and_then(|entry| entry["run"].as_str()) {
                return Self::As(run.to_owned(), entry.is_some_and(|entry| entry["job"] == true));
            }
            if let Some(ended) = ended.iter().find(|entry| entry["id"] == id) {
                return Self::Ended(text(ended, "says").to_owned());
            }
            match waiting.iter().position(|entry| entry["id"] == id) {
                // The first entry begins at once, if no run plays and the queue is not held.
                Some(0) if playing.is_null() && told["held"] == false => Self::Unknown,
                Some(place) => Self::Waits(place + 1),
                None => Self::Unknown,
            }
        }
    }

    /// Waits until an entry has its folder, if it is the first of the queue.
    fn begun(client: &Client, id: u64, seen: &str) -> Result<Begun, ClientError> {
        let mut begun = Begun::of(&client.get("/api/control")?, id);
        if begun != Begun::Unknown {
            return Ok(begun);
        }
        let mut events = client.events(&format!("/api/events?after={seen}"))?;
        events.end_at(Instant::now() + BEGINS_WITHIN);
        while begun == Begun::Unknown
            && let Some(event) = events.next_event()?
        {
            if event.kind == "queue" {
                begun = Begun::of(&event.data, id);
            }
        }
        Ok(begun)
    }

    /// Encodes a name as a part of an address.
    fn encoded(name: &str) -> String {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let each = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        name.bytes().map(each).collect()
    }

    /// Decodes a part of an address into a name.
    fn decoded(part: &str) -> String {
        let bytes = part.as_bytes();
        let (mut name, mut at) = (Vec::new(), 0);
        while let Some(byte) = bytes.get(at) {
            let escaped = part.get(at + 1..at + 3).filter(|_| *byte == b'%');
            let escaped = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            name.push(escaped.unwrap_or(*byte));
            at += if escaped.is_some() { 3 } else { 1 };
        }
        String::from_utf8_lossy(&name).into_owned()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn pages_are_told_by_their_addresses() {
            assert_eq!(Page::of("/"), Some(Page::All));
            assert_eq!(Page::of("/runs/a%20b/?x=1"), Some(Page::Run("a%20b".to_owned())));
            assert_eq!(Page::of("/jobs/c"), Some(Page::Job("c".to_owned())));
            assert_eq!([Page::of("/api/runs"), Page::of("/runs"), Page::of("/runs/a/b")], [None, None, None]);
        }

        #[test]
        fn an_entry_is_found_where_it_stands() {
            let told = json!({ "held": false, "playing": { "id": 1, "run": "match-a-1", "job": false },
                "queue": [{ "id": 3, "run": null }, { "id": 4, "run": null }],
                "ended": [{ "id": 2, "run": null, "says": "no engine" }] });
            let of = |id| Begun::of(&told, id);
            assert_eq!((of(1), of(4)), (Begun::As("match-a-1".to_owned(), false), Begun::Waits(2)));
            assert_eq!((of(2), of(9)), (Begun::Ended("no engine".to_owned()), Begun::Unknown));
            let free = json!({ "held": false, "playing": null, "queue": [{ "id": 3 }], "ended": [] });
            assert_eq!(Begun::of(&free, 3), Begun::Unknown);
            assert_eq!(encoded("a b/é"), "a%20b%2F%C3%A9");
            assert_eq!([decoded("a%20b%2F%C3%A9"), decoded("50%"), decoded("%zz")], ["a b/é", "50%", "%zz"]);
        }

        #[test]
        fn a_run_that_the_queue_has_not_ended_is_not_over() {
            let page = Page::Run("match-a%20b-1".to_owned());
            let watched = Watched { page, shown: BTreeMap::new(), waits: false, screen: Screen::new() };
            assert!(watched.is_open(&json!({ "open": ["match-c-1", "match-a b-1"] })));
            assert!(!watched.is_open(&json!({ "open": ["match-c-1"] })) && !watched.is_open(&json!({})));
        }

        #[test]
        fn rows_are_listed_as_those_of_a_folder() {
            let row = json!({ "name": "sprt-x-1", "state": "finished", "verdict": "accepted-h1", "units": 1200,
                "unit": "pair", "began": "2026-01-02T03:04:05Z", "short": "Elo 3" });
            assert_eq!(listed(&row, 9), "sprt-x-1   H1 accepted       1,200 pairs  2026-01-02 03:04  Elo 3");
            assert_eq!(exit_of(&row), Exit::Done);
            assert_eq!(exit_of(&json!({ "verdict": "undecided" })), Exit::Undecided);
            assert_eq!(
                moving(&json!({ "name": "m", "units": 3, "unit": "pair", "of": 9, "short": "s" })),
                "m  3 pairs of 9  s"
            );
        }
    }
}
