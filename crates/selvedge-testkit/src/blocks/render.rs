//! Programs on blocks as LLVM IR.

use super::{Encoding, Landmark, Look, Operation, Program, Question, REGISTERS, SHARED};
use std::fmt::Write;

const DECLARATIONS: &str = r#"target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
@format = private constant [16 x i8] c"%ld %ld %ld\0A\00\00\00\00"
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare i32 @printf(ptr, ...)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i64 @pthread_self()
define void @f0() {
  ret void
}
define void @f1() {
  ret void
}
"#;

/// A program that prints what each thread has seen.
pub fn render(program: &Program) -> String {
    let mut out = String::from(DECLARATIONS);
    for shared in 0..SHARED {
        let _ = writeln!(out, "@g{shared} = global ptr null, align 8");
    }
    for (thread, operations) in program.threads.iter().enumerate() {
        let _ = writeln!(out, "@seen{thread} = global i64 0, align 8");
        function(&mut out, thread, operations);
    }
    main(&mut out, program.threads.len());
    out
}

fn main(out: &mut String, threads: usize) {
    out.push_str("define i32 @main() {\n");
    let text = "@format";
    for thread in 0..threads {
        let _ = writeln!(out, "  %h{thread} = alloca i64, align 8");
    }
    for thread in 0..threads {
        let _ = writeln!(
            out,
            "  %c{thread} = call i32 @pthread_create(ptr %h{thread}, ptr null, ptr @t{thread}, ptr null)"
        );
    }
    for thread in 0..threads {
        let _ = writeln!(out, "  %i{thread} = load i64, ptr %h{thread}, align 8");
        let _ = writeln!(out, "  %j{thread} = call i32 @pthread_join(i64 %i{thread}, ptr null)");
    }
    let mut arguments = String::new();
    for thread in 0..threads {
        let _ = writeln!(out, "  %s{thread} = load i64, ptr @seen{thread}, align 8");
        let _ = write!(arguments, ", i64 %s{thread}");
    }
    // The format has room for the most threads; fewer begin further on.
    let skip = 4 * (3 - threads);
    let _ = writeln!(out, "  %f = getelementptr i8, ptr {text}, i64 {skip}");
    let _ = writeln!(out, "  %p = call i32 (ptr, ...) @printf(ptr %f{arguments})");
    out.push_str("  ret i32 0\n}\n");
}

/// Names of the temporary values of a function.
struct Names(usize);

impl Names {
    fn next(&mut self) -> String {
        self.0 += 1;
        format!("%v{}", self.0)
    }
}

fn function(out: &mut String, thread: usize, operations: &[Operation]) {
    let _ = writeln!(out, "define ptr @t{thread}(ptr %unused) {{\n  %seen = alloca i64, align 8");
    let _ = writeln!(out, "  store i64 1, ptr %seen, align 8");
    for register in 0..REGISTERS {
        let _ = writeln!(
            out,
            "  %r{register} = alloca ptr, align 8\n  store ptr null, ptr %r{register}, align 8"
        );
    }
    let mut names = Names(0);
    for &operation in operations {
        step(out, &mut names, operation);
    }
    let last = names.next();
    let _ = writeln!(out, "  {last} = load i64, ptr %seen, align 8");
    let _ = writeln!(out, "  store i64 {last}, ptr @seen{thread}, align 8\n  ret ptr null\n}}");
}

fn load(out: &mut String, names: &mut Names, ty: &str, from: &str) -> String {
    let name = names.next();
    let _ = writeln!(out, "  {name} = load {ty}, ptr {from}, align 8");
    name
}

/// Adds something of 64 bits to what was seen.
fn see(out: &mut String, names: &mut Names, factor: u64, what: &str) {
    let (old, product, sum) = (load(out, names, "i64", "%seen"), names.next(), names.next());
    let _ = writeln!(out, "  {product} = mul i64 {old}, {factor}\n  {sum} = add i64 {product}, {what}");
    let _ = writeln!(out, "  store i64 {sum}, ptr %seen, align 8");
}

fn see_bit(out: &mut String, names: &mut Names, bit: &str) {
    let wide = names.next();
    let _ = writeln!(out, "  {wide} = zext i1 {bit} to i64");
    see(out, names, 2, &wide);
}

/// Goes on by a bit, and adds it to what was seen.
fn go_on_by(out: &mut String, names: &mut Names, bit: &str) {
    names.0 += 1;
    let place = names.0;
    let _ = writeln!(out, "  br i1 {bit}, label %yes{place}, label %no{place}\nyes{place}:");
    see(out, names, 2, "1");
    let _ = writeln!(out, "  br label %on{place}\nno{place}:");
    see(out, names, 2, "0");
    let _ = writeln!(out, "  br label %on{place}\non{place}:");
}

/// Adds an instruction on numbers of 64 bits; its result.
fn compute(out: &mut String, names: &mut Names, op: &str, a: &str, b: &str) -> String {
    let result = names.next();
    let _ = writeln!(out, "  {result} = {op} i64 {a}, {b}");
    result
}

/// The number of the address in a register.
fn number(out: &mut String, names: &mut Names, register: usize) -> String {
    let (address, number) = (load(out, names, "ptr", &format!("%r{register}")), names.next());
    let _ = writeln!(out, "  {number} = ptrtoint ptr {address} to i64");
    number
}

/// Turns the address of a register into a number and back.
fn encode(out: &mut String, names: &mut Names, of: usize, other: usize, encoding: Encoding) {
    if encoding == Encoding::Bytes {
        return exchange_bytes(out, names, of, other);
    }
    let n = number(out, names, of);
    let m = number(out, names, other);
    let mut go = |op: &str, a: &str, b: &str| compute(out, names, op, a, b);
    let decoded = match encoding {
        Encoding::LowTag => {
            let tagged = go("or", &n, "5");
            go("and", &tagged, "-8")
        }
        Encoding::HighTag => {
            let tagged = go("add", &n, "1407374883553280");
            go("and", &tagged, "281474976710655")
        }
        Encoding::Shifted => {
            let shifted = go("shl", &n, "16");
            let tagged = go("or", &shifted, "77");
            go("lshr", &tagged, "16")
        }
        Encoding::Halves => {
            let (low, high) = (go("and", &n, "4294967295"), go("lshr", &n, "32"));
            let high = go("shl", &high, "32");
            go("or", &high, &low)
        }
        Encoding::Xor => {
            let both = go("xor", &n, &m);
            go("xor", &m, &both)
        }
        Encoding::Distance => {
            let distance = go("sub", &n, &m);
            go("add", &distance, &m)
        }
        Encoding::Bytes => n,
    };
    let address = names.next();
    let _ = writeln!(out, "  {address} = inttoptr i64 {decoded} to ptr");
    let _ = writeln!(out, "  store ptr {address}, ptr %r{of}, align 8");
}

/// Exchanges two addresses byte by byte, as a sorting function does, and back as a whole.
fn exchange_bytes(out: &mut String, names: &mut Names, of: usize, other: usize) {
    for byte in 0..8 {
        let [a, b, x, y] = [(); 4].map(|()| names.next());
        let _ = writeln!(out, "  {a} = getelementptr i8, ptr %r{of}, i64 {byte}");
        let _ = writeln!(out, "  {b} = getelementptr i8, ptr %r{other}, i64 {byte}");
        let _ = writeln!(out, "  {x} = load i8, ptr {a}, align 1\n  {y} = load i8, ptr {b}, align 1");
        let _ = writeln!(out, "  store i8 {y}, ptr {a}, align 1\n  store i8 {x}, ptr {b}, align 1");
    }
    let (x, y) =
        (load(out, names, "ptr", &format!("%r{of}")), load(out, names, "ptr", &format!("%r{other}")));
    let _ = writeln!(out, "  store ptr {y}, ptr %r{of}, align 8\n  store ptr {x}, ptr %r{other}, align 8");
}

/// Goes on by the answer to a question about the number of an address.
fn ask(out: &mut String, names: &mut Names, of: usize, other: usize, question: Question) {
    let n = number(out, names, of);
    let (computed, test) = match question {
        Question::Aligned => (compute(out, names, "and", &n, "7"), "eq i64 {}, 0"),
        Question::Bits => {
            let shifted = compute(out, names, "lshr", &n, "5");
            (compute(out, names, "urem", &shifted, "4"), "eq i64 {}, 1")
        }
        Question::Large => (n, "ugt i64 {}, 4294967295"),
        Question::Less => {
            let m = number(out, names, other);
            (compute(out, names, "sub", &n, &m), "slt i64 {}, 0")
        }
    };
    let bit = names.next();
    let _ = writeln!(out, "  {bit} = icmp {}", test.replace("{}", &computed));
    go_on_by(out, names, &bit);
}

fn step(out: &mut String, names: &mut Names, operation: Operation) {
    let register = |register: usize| format!("%r{register}");
    let mut get = |out: &mut String, from: usize| load(out, names, "ptr", &register(from));
    match operation {
        Operation::Allocate(to, size) => {
            let block = names.next();
            let _ = writeln!(out, "  {block} = call ptr @malloc(i64 {size})");
            let _ = writeln!(out, "  store ptr {block}, ptr %r{to}, align 8");
        }
        Operation::Free(of) => {
            let block = get(out, of);
            let _ = writeln!(out, "  call void @free(ptr {block})");
        }
        Operation::Resize(of, old, size) => {
            let block = get(out, of);
            let new = names.next();
            let _ = writeln!(out, "  {new} = call ptr @realloc(ptr {block}, i64 {size})");
            let _ = writeln!(out, "  store ptr {block}, ptr %r{old}, align 8");
            let _ = writeln!(out, "  store ptr {new}, ptr %r{of}, align 8");
        }
        Operation::Write(of, value) => {
            let block = get(out, of);
            let _ = writeln!(out, "  store i64 {value}, ptr {block}, align 8");
        }
        Operation::Read(of) => {
            let block = get(out, of);
            let value = load(out, names, "i64", &block);
            see(out, names, 5, &value);
        }
        Operation::Publish(from, to) => {
            let address = get(out, from);
            let _ = writeln!(out, "  store atomic ptr {address}, ptr @g{to} seq_cst, align 8");
        }
        Operation::Take(to, from) => {
            let address = names.next();
            let _ = writeln!(out, "  {address} = load atomic ptr, ptr @g{from} seq_cst, align 8");
            let _ = writeln!(out, "  store ptr {address}, ptr %r{to}, align 8");
        }
        Operation::Compare(a, b) => {
            let (a, b) = (get(out, a), get(out, b));
            let equal = names.next();
            let _ = writeln!(out, "  {equal} = icmp eq ptr {a}, {b}");
            see_bit(out, names, &equal);
        }
        Operation::Exchange(at, expected, new) => {
            let (expected, new) = (get(out, expected), get(out, new));
            let (pair, done) = (names.next(), names.next());
            let _ = writeln!(
                out,
                "  {pair} = cmpxchg ptr @g{at}, ptr {expected}, ptr {new} seq_cst seq_cst, align 8\n  {done} = extractvalue {{ ptr, i1 }} {pair}, 1"
            );
            see_bit(out, names, &done);
        }
        Operation::Order(a, b, look) => {
            let (a, b) = (get(out, a), get(out, b));
            let less = names.next();
            let _ = writeln!(out, "  {less} = icmp ult ptr {a}, {b}");
            match look {
                Look::Value => see_bit(out, names, &less),
                Look::Branch => go_on_by(out, names, &less),
            }
        }
        Operation::Name(to, Landmark::Function(function)) => {
            let _ = writeln!(out, "  store ptr @f{function}, ptr %r{to}, align 8");
        }
        Operation::Name(to, Landmark::Thread) => {
            let (handle, address) = (names.next(), names.next());
            let _ = writeln!(out, "  {handle} = call i64 @pthread_self()");
            let _ = writeln!(out, "  {address} = inttoptr i64 {handle} to ptr");
            let _ = writeln!(out, "  store ptr {address}, ptr %r{to}, align 8");
        }
        Operation::Encode(of, other, encoding) => encode(out, names, of, other, encoding),
        Operation::Number(of, other, question) => ask(out, names, of, other, question),
    }
}
