//! Tokens: the words of the language.

use selvedge_ir::Span;

/// A token and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An integer without sign; negative numbers are made by the operator `-`.
    Integer(u64),
    /// A name, which is the text of the span.
    Name,
    /// A keyword or symbol: always this text.
    Fixed(&'static str),
    /// A text in quotes; only dlang has them.
    Text,
    /// Something that is no token and has been reported.
    Unknown,
    /// The end of the text.
    End,
}

/// Words with a meaning of their own.
pub const KEYWORDS: [&str; 25] = [
    "const", "shared", "mutex", "condvar", "barrier", "fn", "thread", "finally", "let", "if", "else",
    "while", "loop", "for", "in", "break", "continue", "return", "atomic", "spawn", "join", "skip", "true",
    "false", "self",
];

/// Words that begin a declaration and never stand inside one.
pub const DECLARATIONS: [&str; 8] =
    ["const", "shared", "mutex", "condvar", "barrier", "fn", "thread", "finally"];

/// Operations that look like calls. Their names cannot be declared.
pub const BUILTINS: [&str; 14] = [
    "lock",
    "unlock",
    "try_lock",
    "trylock",
    "wait",
    "signal",
    "broadcast",
    "assert",
    "assume",
    "await",
    "cas",
    "fetch_add",
    "swap",
    "nondet",
];

/// Symbols, longer ones before their prefixes.
pub const SYMBOLS: [&str; 44] = [
    "<<=", ">>=", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "++", "--", "..", "{", "}", "(", ")", "[", "]", ";", ",", ":", "?", "=", "<", ">", "+", "-", "*",
    "/", "%", "&", "|", "^", "!", "~",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_symbol_hides_a_longer_one() {
        for (i, first) in SYMBOLS.iter().enumerate() {
            assert!(SYMBOLS[i + 1..].iter().all(|later| !later.starts_with(first)), "{first}");
        }
    }
}
