//! Each step of a translated program is known by the instruction of the LLVM IR that it comes from.

use selvedge_interp::code::Op;
use selvedge_llvm::Module;
use selvedge_sections::Sources;
use selvedge_smt::{Patience, Terms};
use selvedge_symbolic::{LocationKind, System};
use selvedge_testkit::random::Random;
use selvedge_testkit::{native, provable_c};
use selvedge_translate::{Options, SourceFile, Translated, translate};
use std::path::Path;

fn translated(path: &Path, cflags: &[String]) -> Option<(Module, Translated)> {
    let module = native::module(path, cflags).ok()?;
    let text = std::fs::read_to_string(path).ok()?;
    let source = SourceFile::new(SourceFile::of_main(&module), &text);
    let translated = translate(&module, &source, Options::default()).ok()?;
    Some((module, translated))
}

/// Takes a mutex and frees it again, so that one that is held is noticed.
const DESTROYED: &str = "pthread_mutex_destroy";

/// What instructions may begin a step with this operation; nothing if it says too little.
fn kinds(op: Op) -> Option<&'static [&'static str]> {
    Some(match op {
        Op::Lock { .. } => &["pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_timedwait"],
        Op::Unlock { .. } => {
            &["pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_timedwait", DESTROYED]
        }
        Op::TryLock { .. } => &["pthread_mutex_trylock", DESTROYED],
        Op::BeginWait { .. } | Op::EndWait { .. } => &["pthread_cond_wait", "pthread_cond_timedwait"],
        Op::Signal { .. } => &["pthread_cond_signal"],
        Op::Broadcast { .. } => &["pthread_cond_broadcast"],
        Op::Arrive { .. } | Op::Pass { .. } => &["pthread_barrier_wait"],
        Op::Spawn { .. } => &["pthread_create"],
        Op::Join { .. } => &["pthread_join"],
        _ => return None,
    })
}

/// The wrong or missing names of a program, and how many steps have right ones.
fn examine(module: &Module, translated: &Translated) -> (Vec<String>, u64) {
    let (sources, mut terms) = (Sources::new(translated, module), Terms::new());
    let Ok(system) = System::new(&translated.program, &mut terms, &Patience::default()) else {
        return (Vec::new(), 0);
    };
    let (mut wrong, mut right) = (Vec::new(), 0);
    for (thread, of) in system.threads.iter().enumerate() {
        for location in of.locations.iter().filter(|location| location.kind == LocationKind::Visible) {
            let ops = &system.code.ops[location.pc as usize + 1..];
            let shared = ops.iter().take_while(|op| !matches!(op, Op::Commit | Op::Visible(_)));
            let expected = shared.filter_map(|&op| kinds(op)).next();
            let found = sources.instruction(location.pc).map(|instruction| instruction.kind.as_str());
            let begins =
                location.pc == system.code.functions[system.code.threads[thread].function as usize].entry;
            match (expected, found) {
                (Some(kinds), Some(kind)) if kinds.contains(&kind) => right += 1,
                (None, Some(_)) => {}
                // A thread reads its argument before its first instruction.
                (None, None) if begins && thread > 0 => {}
                (expected, found) => {
                    wrong.push(format!(
                        "{} at {}: {expected:?}, named {found:?}",
                        system.names[thread], location.pc
                    ));
                }
            }
        }
    }
    (wrong, right)
}

#[test]
fn every_step_of_a_translated_program_has_the_name_of_its_instruction() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let programs: u64 = std::env::var("SELVEDGE_PROGRAMS").map_or(60, |n| n.parse().expect("a number"));
    let mut named = 0;
    for seed in 0..programs {
        let path = folder.join(format!("{seed}.c"));
        std::fs::write(&path, provable_c::program(&mut Random::new(seed))).expect("a file is written");
        let cflags = vec![["-O0", "-O1", "-O2"][seed as usize % 3].to_owned()];
        let Some((module, translated)) = translated(&path, &cflags) else { continue };
        let (wrong, right) = examine(&module, &translated);
        assert!(wrong.is_empty(), "seed {seed} {cflags:?}: {wrong:#?}");
        named += right;
    }
    assert!(named >= 2 * programs, "too few steps were named");
}

#[test]
fn an_instruction_that_is_called_from_two_places_is_two_occurrences() {
    let text = "#include <pthread.h>\nint x;\nstatic void add(void) { x++; }\n\
                static void *run(void *unused) { add(); add(); return 0; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); x = 1; pthread_join(t, 0); return 0; }\n";
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let path = temporary.path().join("twice.c");
    std::fs::write(&path, text).expect("a file is written");
    let (module, translated) = translated(&path, &["-O0".to_owned()]).expect("can be translated");
    let names = &translated.names;
    let in_add = |o: &&selvedge_translate::Occurrence| {
        let name = module.site_name(o.site);
        name.function == "add" && name.kind == "store"
    };
    let stores: Vec<_> = names.occurrences().iter().filter(in_add).collect();
    assert_eq!(stores.len(), 2, "{stores:?}");
    assert_eq!(stores[0].site, stores[1].site);
    assert_ne!(stores[0].calls, stores[1].calls);
    assert_eq!(names.creations.len(), 2);
    let creation = names.creations[1].expect("main created it");
    assert_eq!((names.creations[0], creation.creator, creation.which), (None, 0, 1));
}
