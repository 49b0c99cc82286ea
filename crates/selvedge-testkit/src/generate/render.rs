//! Random programs as text of the modelling language.

use super::{Expression, Place, RandomProgram, Statement};
use std::fmt::{self, Display, Write};

impl Display for RandomProgram {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "shared x = 0, y = 1, z = 0;\nshared a[2] = [0, 1];")?;
        writeln!(f, "mutex m, n[2];\ncondvar c;\nbarrier b({});", self.barrier)?;
        writeln!(
            f,
            "fn f(l0) {{\n  let l1 = 1;\n  let v[2] = [0, 1];\n{}  return l0 + 1;\n}}",
            body(&self.function, 1)
        )?;
        for (i, statements) in self.threads.iter().enumerate() {
            let is_last = i + 1 == self.threads.len();
            writeln!(f, "thread t{i} {{\n  let l0 = 0;\n  let l1 = 1;\n  let v[2] = [1, 0];")?;
            if self.spawns && i == 0 && !is_last {
                writeln!(f, "  spawn t{};", self.threads.len() - 1)?;
            }
            let join = if is_last { "skip".to_owned() } else { format!("join t{}", self.threads.len() - 1) };
            write!(f, "{}", body(statements, 1).replace("@JOIN", &join))?;
            writeln!(f, "}}")?;
        }
        if let Some(condition) = &self.finally {
            writeln!(f, "finally {{ let l0 = 0; let l1 = 1; let v[2]; assert({condition}); }}")?;
        }
        Ok(())
    }
}

fn body(statements: &[Statement], depth: usize) -> String {
    let mut text = String::new();
    for statement in statements {
        statement.render(&mut text, depth);
    }
    text
}

const SCALARS: [&str; 3] = ["x", "y", "z"];
const MUTEXES: [&str; 2] = ["m", "n[0]"];

impl Statement {
    fn render(&self, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        let nested = |statements: &[Statement]| format!("{{\n{}{indent}}}", body(statements, depth + 1));
        let line = match self {
            Statement::Assign(place, value) => format!("{place} = {value};"),
            Statement::Let(local, value) => format!("l{local} = {value};"),
            Statement::If(condition, then, otherwise) => {
                format!("if {condition} {} else {}", nested(then), nested(otherwise))
            }
            Statement::For(times, statements) => format!("for i{depth} in 0..{times} {}", nested(statements)),
            Statement::Atomic(statements) => format!("atomic {}", nested(statements)),
            Statement::Locked(mutex, statements) => {
                let mutex = MUTEXES[*mutex];
                format!("lock({mutex});\n{}{indent}unlock({mutex});", body(statements, depth))
            }
            Statement::TryLocked(mutex, statements) => {
                let mutex = MUTEXES[*mutex];
                format!("if try_lock({mutex}) {}\n{indent}", nested(statements).trim_end_matches('}'))
                    + &format!("unlock({mutex});\n{indent}}}")
            }
            Statement::Lock(mutex) => format!("lock({});", MUTEXES[*mutex]),
            Statement::Unlock(mutex) => format!("unlock({});", MUTEXES[*mutex]),
            Statement::LockIndexed(index) => format!("lock(n[{index}]);"),
            Statement::Wait(condition) => {
                format!("lock(m);\n{indent}if {condition} {{ wait(c, m); }}\n{indent}unlock(m);")
            }
            Statement::Signal => "signal(c);".to_owned(),
            Statement::Broadcast => "broadcast(c);".to_owned(),
            Statement::Cas(local, place, expected, new) => {
                format!("l{local} = cas({place}, {expected}, {new});")
            }
            Statement::CasAnd(place, new, condition) => {
                format!("if cas({place}, 0, {new}) && {condition} {{ y = y + 1; }}")
            }
            Statement::FetchAdd(local, place, value) => format!("l{local} = fetch_add({place}, {value});"),
            Statement::Swap(local, place, value) => format!("l{local} = swap({place}, {value});"),
            Statement::Assert(condition) => format!("assert({condition});"),
            Statement::Assume(condition) => format!("assume({condition});"),
            Statement::Await(condition) => format!("await({condition});"),
            Statement::Choose(local, bound) => format!("l{local} = nondet(0..{bound});"),
            Statement::Barrier => "wait(b);".to_owned(),
            Statement::Join => "@JOIN;".to_owned(),
            Statement::Call(local, argument) => format!("l{local} = f({argument});"),
        };
        writeln!(text, "{indent}{line}").expect("writing to a string succeeds");
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::Scalar(i) => f.write_str(SCALARS[*i]),
            Place::Element(index) => write!(f, "a[{index}]"),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Expression::Constant(value) => write!(f, "{value}"),
            Expression::Local(local) => write!(f, "l{local}"),
            Expression::Shared(place) => write!(f, "{place}"),
            Expression::LocalElement(index) => write!(f, "v[{index}]"),
            Expression::Binary(operator, left, right) => write!(f, "({left} {operator} {right})"),
            Expression::Select(condition, then, otherwise) => {
                write!(f, "({condition} ? {then} : {otherwise})")
            }
        }
    }
}
