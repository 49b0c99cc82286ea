//! From LLVM IR to programs that can be proved.
//!
//! [`translate`] makes a [`Program`] of a [`Module`]: the threads that `main` starts become threads of the program,
//! what they share becomes its variables, calls are followed in line. Addresses must be known, up to indices: the translation
//! follows each thread with what is known (partial evaluation) and leaves the rest to be computed. What it does not know is
//! [refused](Refusal), with the line. A step of the new program is one access to memory that several threads use, as in `selvedge-machine`.
//!
//! The parts, from the outside: `Run` all threads, `Thread` one of them with its state,
//! `facts` what is learnt on the way, `layout` how objects are divided, `value` what is known of values.

mod analysis;
mod arithmetic;
mod bytes;
mod calls;
mod constants;
mod counters;
mod destroyed;
mod facts;
mod freed;
mod instructions;
mod intrinsics;
mod layout;
mod library;
mod lifetime;
mod locks;
mod memory;
mod names;
mod output;
mod premises;
mod refusal;
mod residual;
mod run;
mod source;
mod spawn;
mod state;
mod thread;
mod uninitialised;
mod value;

pub use names::{Creation, Names, Occurrence, OccurrenceId};
pub use premises::Premises;
pub use refusal::{Refusal, Scope};
pub use source::SourceFile;

use facts::{Facts, NOWHERE};
use refusal::Stop;
use selvedge_ir::Program;
use selvedge_llvm::Module;

/// What programs are translated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether threads may wake up from condition variables without a signal.
    pub spurious_wakeups: bool,
    /// Whether only failed assertions count: no deadlock, no `abort`.
    pub only_errors: bool,
}

/// A program that was made of a module.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The program.
    pub program: Program,
    /// Which instructions of the module its steps come from.
    pub names: Names,
    /// What a proof of it takes for granted.
    pub premises: Premises,
}

/// How often the translation begins again.
const MOST_ROUNDS: u32 = 2000;

/// Makes a program of a module.
///
/// # Errors
/// When the module has something that programs cannot say.
pub fn translate(module: &Module, source: &SourceFile, options: Options) -> Result<Translated, Refusal> {
    let done = translate_while(module, source, options, &|| true)?;
    done.ok_or_else(|| too_much("a program that takes too long to translate"))
}

/// Makes a program of a module, as long as somebody wants to go on; nothing if it was given up.
///
/// # Errors
/// When the module has something that programs cannot say.
pub fn translate_while(
    module: &Module,
    source: &SourceFile,
    options: Options,
    go_on: &dyn Fn() -> bool,
) -> Result<Option<Translated>, Refusal> {
    if module.types.narrow {
        return Err(too_much("pointers of 32 bits (-m32)"));
    }
    let mut facts = Facts::default();
    for _ in 0..MOST_ROUNDS {
        facts.is_new = false;
        let done = run::Run::round(module, source, options, &mut facts, go_on);
        match done {
            Err(Stop::GivenUp) => return Ok(None),
            // What was assumed in this round may be why it was refused.
            _ if facts.is_new => {}
            Ok(translated) => return Ok(Some(translated)),
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(Stop::Restart) => {}
        }
    }
    Err(too_much("a program about which there is always more to learn"))
}

fn too_much(what: &str) -> Refusal {
    Refusal { what: what.to_owned(), scope: Scope::Proofs, span: NOWHERE }
}
