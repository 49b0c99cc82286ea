//! The time limit before a search begins: reading, compiling and preparing a large program does not look at the clock.
//!
//! Until then there is nothing to lose, so somebody else looks at the clock: when the time is over, the verdict of a search that has found
//! nothing is told and the program ends. [`Preparing`] is dropped when the search begins, which then watches its limits itself.

use crate::args::{CheckArgs, Format, ProveArgs};
use crate::{check, output};
use selvedge_explore::{Exploration, Plan, Statistics, Stop};
use selvedge_interp::Failure;
use selvedge_report::proof::ProofReport;
use selvedge_report::report::Run;
use selvedge_report::{Report, Reservations, Source, Terms, Verdict};
use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How much later than the prover somebody else looks at the clock.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lives as long as a program is prepared.
pub struct Preparing {
    _ends_when_dropped: Option<Sender<()>>,
}

impl Preparing {
    /// Begins to look at the clock, if there is a limit. When it is reached, `told` is printed and the program ends with `code`.
    pub fn begin(limit: Option<Duration>, told: String, code: u8) -> Preparing {
        let Some(limit) = limit else { return Preparing { _ends_when_dropped: None } };
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            if receiver.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                // Nobody may be left to read it.
                let _ = output::print(&told);
                std::process::exit(code.into());
            }
        });
        Preparing { _ends_when_dropped: Some(sender) }
    }

    /// Begins to look at the clock for `selvedge check`.
    pub fn check(args: &CheckArgs, plan: &Plan) -> Preparing {
        let exploration: Exploration<Failure> =
            Exploration { violations: Vec::new(), statistics: Statistics::default(), stop: Some(Stop::Time) };
        let (name, defines) = (args.program.path.display().to_string(), BTreeMap::new());
        let run = Run {
            algorithm: plan.algorithm,
            chosen_because: None,
            limits: plan.limits,
            reached: None,
            elapsed: plan.limits.time.unwrap_or_default(),
            terms: Terms::default(),
        };
        let source = Source { name: &name, text: "" };
        let report = Report::with(source, &defines, run, &exploration, Vec::new(), &Reservations::default());
        let is_property = args.property.is_some() && args.format == Format::Text;
        let property = if is_property { "VERDICT: unknown\n" } else { "" };
        let told = format!("{}{property}", check::told(&report, args));
        Preparing::begin(args.max_time, told, Verdict::Inconclusive.exit_code())
    }

    /// Begins to look at the clock for `selvedge prove`, a little later than the prover does itself.
    pub fn prove(args: &ProveArgs) -> Preparing {
        let reason = selvedge_impact::Stop::Time.to_string();
        let (name, seconds) = (args.program.path.display(), args.max_time.unwrap_or_default().as_secs_f64());
        let told = match args.format {
            Format::Json => {
                let (program, reason) = (name.to_string(), Some(reason));
                let verdict = "inconclusive";
                ProofReport { program, verdict, reason, seconds, ..ProofReport::default() }.to_text()
            }
            Format::Text => format!("\ninconclusive: {reason} before the search began\n"),
        };
        let is_property = args.language.property.is_some() && args.format == Format::Text;
        let told = if is_property { format!("{told}VERDICT: unknown\n") } else { told };
        let limit = args.max_time.map(|time| time + time / 8 + PATIENCE);
        Preparing::begin(limit, told, Verdict::Inconclusive.exit_code())
    }
}
