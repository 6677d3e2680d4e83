//! Simulates thousands of workers on one server: `crowd URL WORKERS AT_A_TIME SECONDS_PER_PAIR SECONDS`. Prints the
//! rates of each second.

use fleet::crowd::{Counts, Manner, Settings, work};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [url, workers, at_a_time, pair, seconds] = words.as_slice() else {
        return Err("crowd URL WORKERS AT_A_TIME SECONDS_PER_PAIR SECONDS".into());
    };
    let settings = Settings {
        access: fleet::Access::new(Some(url.clone()), None)?,
        workers: workers.parse()?,
        at_a_time: at_a_time.parse()?,
        pair: Duration::from_secs_f64(pair.parse()?),
        seed: 1,
        called: "crowd",
        manner: Manner::Honest,
    };
    let seconds: u64 = seconds.parse()?;
    let (counts, stop) = (Arc::new(Counts::default()), Arc::new(AtomicBool::new(false)));
    let (watched, flag) = (Arc::clone(&counts), Arc::clone(&stop));
    let watch = std::thread::spawn(move || {
        let Counts { pairs, reports: [reports, lost], heartbeats, orders } = &*watched;
        let all: [&AtomicU64; 5] = [pairs, reports, lost, heartbeats, orders];
        let mut before = [0; 5];
        println!("second   pairs reports    lost  heartbeats  orders");
        for second in 1..=seconds {
            std::thread::sleep(Duration::from_secs(1));
            let now = all.map(|count| count.load(Ordering::Relaxed));
            let [pairs, reports, lost, heartbeats, orders] = std::array::from_fn(|index| now[index] - before[index]);
            println!("{second:>6} {pairs:>7} {reports:>7} {lost:>7} {heartbeats:>7} {orders:>7}");
            before = now;
        }
        flag.store(true, Ordering::SeqCst);
    });
    work(&settings, &counts, &stop)?;
    watch.join().map_err(|_| "the watch has panicked")?;
    Ok(())
}
