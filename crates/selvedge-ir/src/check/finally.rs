//! What runs after all threads have ended: it is alone, so it must neither wait nor synchronise, and neither
//! must the functions that it calls.

use super::declarations::without_parameters;
use super::{Fault, Found, Kind, Report, Spot};
use crate::{Function, FunctionId, InstrKind, Program};

/// Checks the function that runs at the end and all that it calls.
pub(super) fn check(report: &mut Report<'_>) {
    let program = report.program;
    let Some(first) = program.finally else { return };
    let spot = Spot { kind: Kind::Function, name: "finally", block: None, span: None };
    if report.require_id(spot, Kind::Function, first.0, program.functions.len()) == Found::No {
        return;
    }
    let function = &program.functions[first.index()];
    without_parameters(report, Spot::function(function), function);
    for function in reachable(program, first) {
        check_function(report, function);
    }
}

fn check_function<'p>(report: &mut Report<'p>, function: &'p Function) {
    for (block, code) in function.blocks.iter().enumerate() {
        for instr in &code.instrs {
            if let Some(word) = forbidden(&instr.kind) {
                let spot = Spot::in_function(function, block, instr.span);
                report.add(spot, Fault::NotAtTheEnd { instr: word });
            }
        }
    }
}

/// The function and all that it calls, directly or not, in the order of the program.
fn reachable(program: &Program, first: FunctionId) -> impl Iterator<Item = &Function> {
    let mut is_reached = vec![false; program.functions.len()];
    let mut todo = vec![first];
    while let Some(id) = todo.pop() {
        // A call of a function that does not exist is reported elsewhere.
        let Some(function) = program.functions.get(id.index()) else { continue };
        if std::mem::replace(&mut is_reached[id.index()], true) {
            continue;
        }
        let instrs = function.blocks.iter().flat_map(|block| &block.instrs);
        todo.extend(instrs.filter_map(|instr| match instr.kind {
            InstrKind::Call { function, .. } => Some(function),
            _ => None,
        }));
    }
    program.functions.iter().zip(is_reached).filter_map(|(function, reached)| reached.then_some(function))
}

/// The word for an instruction that must not run at the end.
fn forbidden(kind: &InstrKind) -> Option<&'static str> {
    match kind {
        InstrKind::Lock(_) => Some("lock"),
        InstrKind::Unlock(_) => Some("unlock"),
        InstrKind::TryLock { .. } => Some("trylock"),
        InstrKind::Wait { .. } => Some("wait"),
        InstrKind::Signal(_) => Some("signal"),
        InstrKind::Broadcast(_) => Some("broadcast"),
        InstrKind::BarrierWait(_) => Some("arrive"),
        InstrKind::Spawn(_) => Some("spawn"),
        InstrKind::Join(_) => Some("join"),
        InstrKind::Await(_) => Some("await"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{faults_in, faults_of};
    use super::*;
    use crate::parse::parse;

    #[test]
    fn what_runs_at_the_end_does_not_synchronise() {
        for (line, instr) in [
            ("lock @m", "lock"),
            ("unlock @m", "unlock"),
            ("trylock @m", "trylock"),
            ("wait @c, @m", "wait"),
            ("signal @c", "signal"),
            ("broadcast @c", "broadcast"),
            ("arrive @r", "arrive"),
            ("spawn @w", "spawn"),
            ("join @w", "join"),
            ("await @p", "await"),
        ] {
            assert_eq!(faults_in(&format!("b0:\n  {line}\n  return")), [], "{line}");
            let faults = faults_in(&format!(
                "b0:\n  {line}\n  return\n}}\nfinally @f\nfunction @h() {{\nb0:\n  return"
            ));
            assert_eq!(faults, [Fault::NotAtTheEnd { instr }], "{line}");
        }
    }

    #[test]
    fn neither_do_the_functions_it_calls() {
        let text = "mutex @m\nfunction @f() {\nb0:\n  call @g()\n  return\n}\nfunction @g() {\nb0:\n  call @f()\n  \
                    lock @m\n  return\n}\nfunction @other() {\nb0:\n  unlock @m\n  return\n}\nfinally @f\n";
        assert_eq!(faults_of(&parse(text).unwrap()), [Fault::NotAtTheEnd { instr: "lock" }]);
    }

    #[test]
    fn its_function_exists_and_has_no_parameters() {
        let mut program = parse("function @f(%a: int) {\nb0:\n  return\n}\nfinally @f\n").unwrap();
        assert_eq!(faults_of(&program), [Fault::RunsWithParameters { function: "f".into() }]);
        program.finally = Some(FunctionId(1));
        assert_eq!(faults_of(&program), [Fault::NoSuchId { kind: Kind::Function, id: 1, length: 1 }]);
    }
}
