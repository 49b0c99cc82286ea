//! Random programs with threads whose statements each stand on a line of their own, as C and as data.

use super::numbers::Numbers;
use std::fmt::Write;

/// A statement of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Notes what a variable holds.
    Load(usize),
    /// Writes a constant.
    Store(usize, i32),
    /// Adds a constant atomically and notes what was there.
    Add(usize, i32),
    Lock(usize),
    Unlock(usize),
    Post,
    Wait,
}

/// A function that threads run: statements, repeated.
#[derive(Clone, Debug)]
pub struct Body {
    pub statements: Vec<Statement>,
    pub rounds: usize,
}

/// A program: `main` makes a thread for each entry and joins them all.
#[derive(Clone, Debug)]
pub struct Random {
    pub bodies: Vec<Body>,
    /// Which function each thread runs.
    pub threads: Vec<usize>,
}

pub const VARIABLES: usize = 3;
const MUTEXES: usize = 2;
/// The lines of the text before the first function.
const HEAD_LINES: usize = 12;
/// The lines of a function before its first statement, and after its last.
const BEFORE: usize = 4;
const AFTER: usize = 4;

impl Random {
    pub fn of(numbers: &mut Numbers) -> Random {
        let bodies: Vec<Body> = (0..1 + numbers.below(3)).map(|_| Body::of(numbers)).collect();
        let threads = (0..2 + numbers.below(3)).map(|_| numbers.below(bodies.len())).collect();
        let mut program = Random { bodies, threads };
        program.balance_semaphore();
        program
    }

    /// As many posts as waits: a last function for one thread posts what others wait for.
    fn balance_semaphore(&mut self) {
        let waits: usize = self.threads.iter().map(|&body| self.bodies[body].waits()).sum();
        if waits > 0 {
            self.bodies.push(Body { statements: vec![Statement::Post], rounds: waits });
            self.threads.push(self.bodies.len() - 1);
        }
    }

    /// The line of a statement, counted from 1.
    pub fn line(&self, body: usize, statement: usize) -> u32 {
        let before: usize = self.bodies[..body].iter().map(|b| BEFORE + b.statements.len() + AFTER).sum();
        (HEAD_LINES + before + BEFORE + statement + 1) as u32
    }

    /// The line on which `main` makes threads, and the one on which it joins them.
    pub fn main_lines(&self) -> [u32; 2] {
        let first = self.line(self.bodies.len(), 0) - BEFORE as u32;
        [first + 3, first + 5]
    }

    pub fn text(&self) -> String {
        let mut c = String::from(
            "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdio.h>\n\
             static int x0;\nstatic atomic_int x1;\nstatic atomic_int x2;\n\
             static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;\n\
             static sem_t s;\nstatic int seen[16][1000], counts[16];\n",
        );
        for (number, body) in self.bodies.iter().enumerate() {
            let rounds = body.rounds;
            let _ = write!(
                c,
                "static void *body{number}(void *argument) {{\n  int self = (int)(intptr_t)argument;\n  int n = 0;\n  \
                 for (int round = 0; round < {rounds}; round++) {{\n"
            );
            for statement in &body.statements {
                let _ = writeln!(c, "    {}", statement.text());
            }
            c += "  }\n  counts[self] = n;\n  return 0;\n}\n";
        }
        let threads = self.threads.len();
        let functions: Vec<String> = self.threads.iter().map(|body| format!("body{body}")).collect();
        let functions = functions.join(", ");
        let _ = write!(
            c,
            "int main(void) {{\n  void *(*functions[])(void *) = {{{functions}}}; pthread_t threads[{threads}]; sem_init(&s, 0, 0);\n  \
             for (intptr_t i = 0; i < {threads}; i++)\n    pthread_create(&threads[i], 0, functions[i], (void *)i);\n  \
             for (int i = 0; i < {threads}; i++)\n    pthread_join(threads[i], 0);\n  \
             for (int i = 0; i < {threads}; i++) {{ printf(\"%d:\", i); for (int k = 0; k < counts[i]; k++) printf(\" %d\", seen[i][k]); puts(\"\"); }}\n  \
             printf(\"%d %d %d\\n\", x0, x1, x2);\n  return 0;\n}}\n"
        );
        c
    }
}

impl Body {
    fn of(numbers: &mut Numbers) -> Body {
        let mut statements = Vec::new();
        for _ in 0..1 + numbers.below(3) {
            let mutex = (numbers.below(3) == 0).then(|| numbers.below(MUTEXES));
            statements.extend(mutex.map(Statement::Lock));
            for _ in 0..1 + numbers.below(3) {
                statements.push(Statement::of(numbers));
            }
            statements.extend(mutex.map(Statement::Unlock));
        }
        // A wait while a mutex is held may be for one who wants the mutex; here the poster wants none.
        Body { statements, rounds: 1 + numbers.below(3) }
    }

    fn waits(&self) -> usize {
        self.rounds * self.statements.iter().filter(|statement| **statement == Statement::Wait).count()
    }
}

impl Statement {
    fn of(numbers: &mut Numbers) -> Statement {
        let variable = numbers.below(VARIABLES);
        let constant = 1 + numbers.below(9) as i32;
        match numbers.below(8) {
            0..3 => Statement::Load(variable),
            3..6 => Statement::Store(variable, constant),
            6 => Statement::Add(1 + variable % 2, constant),
            _ => Statement::Wait,
        }
    }

    fn text(self) -> String {
        match self {
            Statement::Load(0) => "seen[self][n++] = x0;".to_owned(),
            Statement::Load(x) => {
                format!("seen[self][n++] = atomic_load_explicit(&x{x}, memory_order_relaxed);")
            }
            Statement::Store(0, c) => format!("x0 = {c};"),
            Statement::Store(x, c) => format!("atomic_store_explicit(&x{x}, {c}, memory_order_relaxed);"),
            Statement::Add(x, c) => {
                format!("seen[self][n++] = atomic_fetch_add_explicit(&x{x}, {c}, memory_order_relaxed);")
            }
            Statement::Lock(m) => format!("pthread_mutex_lock(&m{m});"),
            Statement::Unlock(m) => format!("pthread_mutex_unlock(&m{m});"),
            Statement::Post => "sem_post(&s);".to_owned(),
            Statement::Wait => "sem_wait(&s);".to_owned(),
        }
    }
}
