//! dev
use selvedge_explore::*;
use selvedge_machine::*;
use std::sync::Arc;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let alg = std::env::args().nth(2).unwrap_or("source".into());
    let text = std::fs::read_to_string(&path).unwrap();
    let module = selvedge_llvm::read(&text).unwrap();
    let mut options = Options::default();
    if std::env::var("RACES").is_ok() {
        options.checks.races = true;
    }
    if let Ok(u) = std::env::var("UNROLL") {
        options.unroll = u.parse().ok();
    }
    let code = lower::lower(&module, &options).unwrap();
    if std::env::var("DUMP").is_ok() {
        for f in &code.functions {
            println!("{} frame {} saved {}", f.name, f.frame, f.saved);
            for pc in f.entry..f.end {
                println!("  {pc}: {:?} @{}", code.ops[pc as usize], code.place(pc).line);
            }
        }
    }
    let machine = Machine::new(Arc::new(module), Arc::new(code), options);
    println!("threads {} output {:?}", machine.thread_room(), String::from_utf8_lossy(machine.output()));
    let t = std::time::Instant::now();
    let limits = Limits { time: Some(std::time::Duration::from_secs(20)), ..Limits::default() };
    let (e, m) = explore(machine, Algorithm::from_name(&alg).unwrap(), limits, &mut selvedge_explore::Silent);
    let d = t.elapsed();
    println!(
        "{:?}\nviolations {:?} stop {:?} cuts {:?} {:?} {:.1} M instr/s {:.2} M trans/s",
        e.statistics,
        e.violations.iter().map(|v| (&v.failure, v.schedule.len())).collect::<Vec<_>>(),
        e.stop,
        m.cuts(),
        d,
        m.instructions() as f64 / d.as_secs_f64() / 1e6,
        e.statistics.transitions as f64 / d.as_secs_f64() / 1e6
    );
    for v in &e.violations {
        match replay(m.again(), &v.schedule, &v.failure) {
            Err(e) => println!("REPLAY {e}"),
            Ok(_) => {
                let (s, _) = steps::steps(m.again(), &v.schedule);
                for x in s.iter().take(40) {
                    println!("{:?} {}: {:?} {:?}", x.decision.thread.0, x.place.line, x.call, x.effects);
                }
            }
        }
    }
}
