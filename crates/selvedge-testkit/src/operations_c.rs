//! Programs that compute every operator on integers at the edges of its types, and know the results.
//!
//! The results are those of the [domain of known words](selvedge_code::words). The types are `_BitInt(N)`, which C does not widen before it computes, so
//! that the compiler makes operations of just that width.

use selvedge_code::words::{self, masked, signed};
use selvedge_llvm::instruction::{BinaryOperator, Predicate};
use std::fmt::Write;

/// Where a program has its operands from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// From local variables: they are known while a program is translated.
    Known,
    /// From variables that another thread has written: they are computed when it runs.
    Shared,
    /// From inputs, which an assumption narrows to one value.
    Inputs,
}

/// The widths.
pub const WIDTHS: [u8; 4] = [8, 16, 32, 64];

/// An operator of C on words without sign, or with one, and what it is of LLVM.
const OPERATORS: [(&str, &str, BinaryOperator); 13] = [
    ("u", "+", BinaryOperator::Add),
    ("u", "-", BinaryOperator::Sub),
    ("u", "*", BinaryOperator::Mul),
    ("u", "&", BinaryOperator::And),
    ("u", "|", BinaryOperator::Or),
    ("u", "^", BinaryOperator::Xor),
    ("u", "<<", BinaryOperator::Shl),
    ("u", ">>", BinaryOperator::LShr),
    ("s", ">>", BinaryOperator::AShr),
    ("u", "/", BinaryOperator::UDiv),
    ("u", "%", BinaryOperator::URem),
    ("s", "/", BinaryOperator::SDiv),
    ("s", "%", BinaryOperator::SRem),
];

const PREDICATES: [(&str, &str, Predicate); 10] = [
    ("u", "==", Predicate::Eq),
    ("u", "!=", Predicate::Ne),
    ("u", ">", Predicate::Ugt),
    ("u", ">=", Predicate::Uge),
    ("u", "<", Predicate::Ult),
    ("u", "<=", Predicate::Ule),
    ("s", ">", Predicate::Sgt),
    ("s", ">=", Predicate::Sge),
    ("s", "<", Predicate::Slt),
    ("s", "<=", Predicate::Sle),
];

/// Numbers around which operations change.
pub fn edges(bits: u8) -> [u64; 7] {
    let (top, half) = (masked(u64::MAX, bits), 1u64 << (bits - 1));
    [0, 1, 5, half - 1, half, top - 1, top]
}

/// What a program tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// All but what follows.
    Most,
    /// Unsigned division and shifts to the right, of which proofs do not support all.
    Unsigned,
}

fn declarations(bits: u8) -> String {
    format!(
        "#include <pthread.h>\nextern void reach_error(void);\nextern void __VERIFIER_assume(int);\nextern unsigned long __VERIFIER_nondet_ulong(void);\n\
         typedef unsigned _BitInt({bits}) u;\ntypedef _BitInt({bits}) s;\nu x[1000], y[1000];\n"
    )
}

/// A test: the operands, the result, and how C computes it from `a` and `b`.
struct Test {
    operands: (u64, u64),
    result: u64,
    expression: String,
}

fn pairs(bits: u8) -> impl Iterator<Item = (u64, u64)> {
    edges(bits).into_iter().flat_map(move |a| edges(bits).into_iter().map(move |b| (a, b)))
}

fn operators(bits: u8, tested: Tested) -> Vec<Test> {
    use BinaryOperator::{LShr, UDiv, URem};
    let is_tested = |op| matches!(op, UDiv | URem | LShr) == (tested == Tested::Unsigned);
    let rows = OPERATORS.iter().filter(|row| is_tested(row.2));
    let test = |(sign, text, op): &(&str, &str, BinaryOperator), (a, b)| {
        let expression = format!("(({sign})a {text} ({sign})b)");
        Some(Test { operands: (a, b), result: words::binary(*op, bits, a, b).ok()?, expression })
    };
    rows.flat_map(|row| pairs(bits).filter_map(move |pair| test(row, pair))).collect()
}

/// The outcomes of all comparisons of a pair in one number.
fn comparisons(bits: u8) -> impl Iterator<Item = Test> {
    let rows = || PREDICATES.iter().enumerate().map(|(i, row)| (1u64 << (i % 8), row));
    let terms: Vec<String> = rows()
        .map(|(bit, (sign, text, _))| format!("((({sign})a {text} ({sign})b) ? (u){bit} : (u)0)"))
        .collect();
    let expression = terms.join(" ^ ");
    pairs(bits).map(move |(a, b)| {
        let holds = |row: &(&str, &str, Predicate)| u64::from(words::compare(row.2, bits, a, b));
        let result = rows().fold(0, |all, (bit, row)| all ^ (bit * holds(row)));
        Test { operands: (a, b), result, expression: expression.clone() }
    })
}

/// Conversions to 64 bits and to 8, and back, in one number.
fn conversions(bits: u8) -> impl Iterator<Item = Test> {
    let result = move |a: u64| {
        let wide = signed(a, bits) as u64 ^ a;
        masked(wide >> 32 ^ masked(a, 8) ^ masked(signed(a, 8) as u64, bits), bits)
    };
    let wide = "(u)(((unsigned long)(long)(s)a ^ (unsigned long)a) >> 32)";
    let expression = format!("{wide} ^ (u)(unsigned _BitInt(8))a ^ (u)(s)(_BitInt(8))a");
    edges(bits).into_iter().map(move |a| Test {
        operands: (a, a),
        result: result(a),
        expression: expression.clone(),
    })
}

/// A program that fails if an operation has another result than that of known words.
pub fn program(bits: u8, operands: Operands, tested: Tested) -> String {
    let mut tests = operators(bits, tested);
    if tested == Tested::Most {
        tests.extend(comparisons(bits).chain(conversions(bits)));
    }
    let mut text = declarations(bits);
    if operands == Operands::Shared {
        text += "static void *fill(void *unused) {\n";
        for (i, Test { operands: (a, b), .. }) in tests.iter().enumerate() {
            let _ = writeln!(text, "    x[{i}] = (u){a}ul; y[{i}] = (u){b}ul;");
        }
        text += "    return 0;\n}\n";
    }
    text += "int main(void) {\n";
    if operands == Operands::Shared {
        text += "    x[0] = 1; y[0] = 1;\n    pthread_t t;\n    pthread_create(&t, 0, fill, 0);\n    pthread_join(t, 0);\n";
    }
    for (i, Test { operands: (a, b), result, expression }) in tests.iter().enumerate() {
        let input = "(u)__VERIFIER_nondet_ulong()".to_owned();
        let (first, second, assumed) = match operands {
            Operands::Known => (format!("(u){a}ul"), format!("(u){b}ul"), String::new()),
            Operands::Shared => (format!("x[{i}]"), format!("y[{i}]"), String::new()),
            Operands::Inputs => {
                (input.clone(), input, format!("__VERIFIER_assume(a == (u){a}ul && b == (u){b}ul); "))
            }
        };
        let _ = writeln!(
            text,
            "    {{ u a = {first}, b = {second}; {assumed}if ((u)({expression}) != (u){result}ul) reach_error(); }}"
        );
    }
    text + "    return 0;\n}\n"
}
