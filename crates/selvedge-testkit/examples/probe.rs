//! Probe.
use selvedge_explore::*;
use selvedge_interp::Interpreter;
use selvedge_testkit::oracle;
use std::collections::BTreeMap;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let mut d = BTreeMap::new();
    if a.len() > 2 {
        d.insert("N".to_owned(), a[2].parse().unwrap());
    }
    let p = selvedge_lang::compile(&a[1], &text, &d).unwrap();
    if a.len() > 3 {
        let alg = Algorithm::from_name(&a[3]).unwrap();
        let t = std::time::Instant::now();
        let (e, _) = explore(Interpreter::new(&p), alg, Limits::default(), &mut Silent);
        let s = t.elapsed().as_secs_f64();
        println!(
            "{:?} {:?} {s:.3} {:.2} M/s",
            e.violations,
            e.statistics,
            e.statistics.transitions as f64 / s / 1e6
        );
        return;
    }
    let truth = oracle::findings(&p, Algorithm::Exhaustive, 3_000_000).unwrap();
    println!("truth {} traces {:?}", truth.traces.len(), truth.failures);
    for alg in Algorithm::ALL {
        let f = oracle::findings(&p, alg, 3_000_000).unwrap();
        let r = oracle::compare(alg, &f, &truth);
        println!(
            "{} {} {:?}",
            alg.name(),
            f.traces.len(),
            r.err().map(|s| s.chars().take(300).collect::<String>())
        );
    }
}
