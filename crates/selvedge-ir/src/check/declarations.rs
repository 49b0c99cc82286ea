//! Declarations: unique names, initial values, lengths, and functions that threads can run.

use std::collections::BTreeMap;

use super::{Fault, Found, Kind, Report, Spot};
use crate::limits::MAX_VALUES;
use crate::{Function, Span, SyncArray, ThreadFamily, Type};

/// Checks everything but the code of functions.
pub(super) fn check(report: &mut Report<'_>) {
    let program = report.program;
    names(report);
    initial_values(report);
    for (kind, table) in [(Kind::Mutex, &program.mutexes), (Kind::Condvar, &program.condvars)] {
        for sync in table {
            if !sync.is_array {
                single(report, sync_spot(kind, sync), sync.length as usize);
            }
        }
    }
    for barrier in &program.barriers {
        if barrier.width == 0 {
            report.add(spot(Kind::Barrier, &barrier.name, barrier.span), Fault::NoWidth);
        }
    }
    for family in &program.families {
        self::family(report, family);
    }
    for function in &program.functions {
        shape(report, function);
    }
}

fn spot(kind: Kind, name: &str, span: Span) -> Spot<'_> {
    Spot { kind, name, block: None, span: Some(span) }
}

fn sync_spot(kind: Kind, sync: &SyncArray) -> Spot<'_> {
    spot(kind, &sync.name, sync.span)
}

/// The names of variables, of functions and of families are three spaces: a family is often called like the
/// function it runs.
fn names(report: &mut Report<'_>) {
    let program = report.program;
    let mut variables = Vec::new();
    variables.extend(program.objects.iter().map(|object| spot(Kind::Object, &object.name, object.span)));
    variables.extend(program.mutexes.iter().map(|mutex| sync_spot(Kind::Mutex, mutex)));
    variables.extend(program.condvars.iter().map(|condvar| sync_spot(Kind::Condvar, condvar)));
    variables.extend(program.barriers.iter().map(|barrier| spot(Kind::Barrier, &barrier.name, barrier.span)));
    let functions = program.functions.iter().map(Spot::function).collect();
    let families =
        program.families.iter().map(|family| spot(Kind::Family, &family.name, family.span)).collect();
    for space in [variables, functions, families] {
        let mut taken = BTreeMap::new();
        for spot in space {
            report.require_file(spot);
            if let Some(kind) = taken.insert(spot.name, spot.kind) {
                report.add(spot, Fault::NameTaken { kind, name: spot.name.to_owned() });
            }
        }
    }
}

fn initial_values(report: &mut Report<'_>) {
    let program = report.program;
    let mut count = 0;
    for object in &program.objects {
        let spot = spot(Kind::Object, &object.name, object.span);
        if !object.is_array {
            single(report, spot, object.initial.len());
        }
        booleans(report, spot, object.ty, &object.initial);
        too_many(report, spot, &mut count, object.initial.len());
    }
    for function in &program.functions {
        for array in &function.arrays {
            booleans(report, Spot::function(function), array.ty, &array.initial);
            too_many(report, Spot::function(function), &mut count, array.initial.len());
        }
    }
}

fn single(report: &mut Report<'_>, spot: Spot<'_>, length: usize) {
    if length != 1 {
        report.add(spot, Fault::NotSingle { length });
    }
}

fn booleans(report: &mut Report<'_>, spot: Spot<'_>, ty: Type, initial: &[i64]) {
    let wrong = initial.iter().find(|&&value| ty == Type::Bool && !matches!(value, 0 | 1));
    if let Some(&value) = wrong {
        report.add(spot, Fault::NotABoolean { value });
    }
}

/// Adds `length` to `count` and reports when that is the first to pass the limit.
fn too_many(report: &mut Report<'_>, spot: Spot<'_>, count: &mut usize, length: usize) {
    let before = *count;
    *count += length;
    if before <= MAX_VALUES && *count > MAX_VALUES {
        report.add(spot, Fault::TooManyValues { count: *count });
    }
}

fn family(report: &mut Report<'_>, family: &ThreadFamily) {
    let program = report.program;
    let spot = spot(Kind::Family, &family.name, family.span);
    if !family.is_array {
        single(report, spot, family.count as usize);
    }
    if report.require_id(spot, Kind::Function, family.function.0, program.functions.len()) == Found::Yes {
        without_parameters(report, spot, &program.functions[family.function.index()]);
    }
}

/// Reports when the function that `spot` runs has parameters.
pub(super) fn without_parameters(report: &mut Report<'_>, spot: Spot<'_>, function: &Function) {
    if function.parameters > 0 {
        report.add(spot, Fault::RunsWithParameters { function: function.name.clone() });
    }
}

/// The declarations inside a function.
fn shape(report: &mut Report<'_>, function: &Function) {
    let spot = Spot::function(function);
    let (parameters, registers) = (function.parameters, function.registers.len());
    if parameters > registers {
        report.add(spot, Fault::TooFewRegisters { parameters, registers });
    }
    if function.blocks.is_empty() {
        report.add(spot, Fault::NoEntry);
    }
    let registers = function.registers.iter().map(|register| (Kind::Register, &register.name)).collect();
    let arrays = function.arrays.iter().map(|array| (Kind::Array, &array.name)).collect();
    for space in [registers, arrays] {
        local_names(report, spot, space);
    }
}

fn local_names(report: &mut Report<'_>, spot: Spot<'_>, space: Vec<(Kind, &String)>) {
    let mut taken = BTreeMap::new();
    for (kind, name) in space {
        if let Some(kind) = taken.insert(name, kind) {
            report.add(spot, Fault::NameTaken { kind, name: name.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults_of;
    use super::*;
    use crate::FunctionId;
    use crate::parse::parse;

    fn faults(text: &str) -> Vec<Fault> {
        faults_of(&parse(text).unwrap())
    }

    const MAIN: &str = "function @main() {\nb0:\n  return\n}\n";

    #[test]
    fn variables_share_one_space_of_names() {
        let taken = |kind| Fault::NameTaken { kind, name: "x".into() };
        assert_eq!(faults("object @x: int = 0\nmutex @x\n"), [taken(Kind::Object)]);
        assert_eq!(faults("condvar @x\nbarrier @x width 1\n"), [taken(Kind::Condvar)]);
    }

    #[test]
    fn a_family_may_be_called_like_its_function() {
        assert_eq!(faults(&format!("{MAIN}family @main runs @main at once\n")), []);
    }

    #[test]
    fn names_are_unique_in_their_space() {
        let mut program = parse(&format!("{MAIN}family @t runs @main at once\n")).unwrap();
        program.functions.push(program.functions[0].clone());
        program.families.push(program.families[0].clone());
        assert_eq!(faults_of(&program).len(), 2);
        let mut program =
            parse("function @f(%a: int, %b: int) {\n  array $a: int[] = []\nb0:\n  return\n}\n").unwrap();
        assert_eq!(faults_of(&program), []);
        program.functions[0].registers[1].name = "a".into();
        assert_eq!(faults_of(&program), [Fault::NameTaken { kind: Kind::Register, name: "a".into() }]);
    }

    #[test]
    fn initial_values_of_booleans_are_0_or_1() {
        assert_eq!(faults("object @x: bool[] = [0, 1, 2]\n"), [Fault::NotABoolean { value: 2 }]);
        let local = "function @f() {\n  array $a: bool[] = [-1]\nb0:\n  return\n}\n";
        assert_eq!(faults(local), [Fault::NotABoolean { value: -1 }]);
    }

    #[test]
    fn what_is_not_an_array_has_one_element() {
        let mut program =
            parse(&format!("object @x: int = 0\nmutex @m\n{MAIN}family @t runs @main at once\n")).unwrap();
        program.objects[0].initial.clear();
        program.mutexes[0].length = 2;
        program.families[0].count = 3;
        let lengths = [0, 2, 3].map(|length| Fault::NotSingle { length });
        assert_eq!(faults_of(&program), lengths);
    }

    #[test]
    fn a_barrier_has_a_width() {
        assert_eq!(faults("barrier @b width 0\n"), [Fault::NoWidth]);
    }

    #[test]
    fn threads_run_functions_without_parameters() {
        let text = "function @f(%a: int) {\nb0:\n  return\n}\nfamily @t runs @f at once\n";
        assert_eq!(faults(text), [Fault::RunsWithParameters { function: "f".into() }]);
        let mut program = parse(&format!("{MAIN}family @t runs @main at once\n")).unwrap();
        program.families[0].function = FunctionId(1);
        assert_eq!(faults_of(&program), [Fault::NoSuchId { kind: Kind::Function, id: 1, length: 1 }]);
    }

    #[test]
    fn a_function_has_an_entry_and_registers_for_its_parameters() {
        let mut program = parse("function @f() {\n}\n").unwrap();
        program.functions[0].parameters = 1;
        assert_eq!(
            faults_of(&program),
            [Fault::TooFewRegisters { parameters: 1, registers: 0 }, Fault::NoEntry]
        );
    }

    #[test]
    fn the_number_of_initial_values_is_limited() {
        let mut program = parse("object @a: int[] = [0]\nobject @b: int[] = []\n").unwrap();
        program.objects[1].initial = vec![0; MAX_VALUES];
        assert_eq!(faults_of(&program), [Fault::TooManyValues { count: MAX_VALUES + 1 }]);
    }
}
