#![allow(warnings)]
use tuner::quadratic::{self, Quadratic};
use tuner::regret::instance::{Instance, Surface};
use tuner::regret::oracle::Noise;
use tuner::regret::runner::{Honesty, Session};
use tuner::{Method, Caution};
use tuner::spsa::{self, Spsa};
use tuner::spsa_auto::{self, SpsaAuto};
use tuner::spsa_classic::{self, SpsaClassic};

fn var(name: &str, default: &str) -> String { std::env::var(name).unwrap_or(default.to_owned()) }

#[test]
fn bench() {
    let surfaces = var("SURF", "Real");
    let ks: Vec<usize> = var("K", "4").split(',').map(|x| x.parse().unwrap()).collect();
    let ns: Vec<u64> = var("N", "20000").split(',').map(|x| x.parse().unwrap()).collect();
    let seeds = var("SEEDS", "0..8");
    let (a, b) = seeds.split_once("..").unwrap();
    let (a, b): (u64, u64) = (a.parse().unwrap(), b.parse().unwrap());
    let verbose = var("V", "0") == "1";
    let method_name = var("M", "q");
    for name in surfaces.split(',') {
        let surface = *Surface::ALL.iter().find(|s| format!("{s:?}").to_lowercase() == name.to_lowercase()).unwrap();
        for &k in &ks { for &n in &ns {
            let t = std::time::Instant::now();
            let mut rows = Vec::new();
            for seed in a..b {
                let instance = Instance::new(k, seed, surface);
                let space = instance.space(1.0).unwrap();
                let mut method: Box<dyn Method> = match method_name.as_str() {
                    "q" => Box::new(Quadratic::new(space, quadratic::Config::default(), seed, n).unwrap()),
                    "q2" => Box::new(Quadratic::new(space, quadratic::Config::of_revision(2), seed, n).unwrap()),
                    "spsa" => Box::new(Spsa::new(space, spsa::Config::default(), seed, n).unwrap()),
                    "auto" => Box::new(SpsaAuto::new(space, spsa_auto::Config::default(), seed, n).unwrap()),
                    _ => Box::new(SpsaClassic::new(space, spsa_classic::Config::default(), seed, n).unwrap()),
                };
                let lost = Session { pairs: n, lag: 1, noise: Noise::Chess, seed }.play(method.as_mut(), &instance);
                let answer = method.answer();
                let h = Honesty::of(&answer, &instance, Noise::Chess);
                let g = h.gain.map_or((0.0, 0.0), |g| (g.mean, g.sd));
                let mut c = String::new();
                for x in &answer.cautions { c += match x { Caution::Together(_) => "T", Caution::Unpredicted(_) => "U", Caution::Curves(_) => "C", _ => "M" }; }
                if verbose {
                    println!("   {seed:>3} lost {lost:6.2} said {:6.2} gain {:6.1} ± {:5.1} true {:6.1} {c} {:.2?}", h.regret.unwrap_or(0.0), g.0, g.1, h.gained,
                        instance.coordinates(&answer.exact).iter().zip(&instance.optimum).map(|(x, o)| format!("{x:.2}/{o:.2}")).collect::<Vec<_>>().join(" "));
                }
                rows.push((lost, h, g, c));
            }
            let m = |f: &dyn Fn(&(f64, Honesty, (f64, f64), String)) -> f64| rows.iter().map(|r| f(r)).sum::<f64>() / rows.len() as f64;
            let ml = m(&|r| r.0);
            let se = (m(&|r| (r.0 - ml).powi(2)) / (rows.len() as f64 - 1.0).max(1.0)).sqrt();
            println!("{name:>9} K{k:<2} N{n:<6} lost {ml:6.2} ± {se:4.2} said {:6.2} gain {:6.1} ± {:4.1} true {:6.1} in1 {:3.0}% opt {:3.0}% range {:3.0}% T {:3.0}% U {:3.0}% C {:3.0}% M {:3.0}%  {:.1}s",
                m(&|r| r.1.regret.unwrap_or(0.0)), m(&|r| r.2.0), m(&|r| r.2.1), m(&|r| r.1.gained),
                100.0 * m(&|r| f64::from(u8::from(r.1.gain_within(1.0) == Some(true)))),
                100.0 * m(&|r| r.1.within as f64 / r.1.parameters.max(1) as f64),
                100.0 * m(&|r| r.1.ranged as f64 / r.1.parameters.max(1) as f64),
                100.0 * m(&|r| f64::from(u8::from(r.3.contains('T')))),
                100.0 * m(&|r| f64::from(u8::from(r.3.contains('U')))),
                100.0 * m(&|r| f64::from(u8::from(r.3.contains('C')))),
                100.0 * m(&|r| f64::from(u8::from(r.3.contains('M')))),
                t.elapsed().as_secs_f64() / rows.len() as f64);
        }}
    }
}
