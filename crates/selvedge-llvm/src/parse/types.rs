//! Types, and the attributes that stand beside them.

use super::Parser;
use super::cursor::Parsed;
use crate::lexer::Token;
use crate::types::{Type, TypeId};

/// Words before a type or value that say nothing about its meaning.
const ATTRIBUTES_WITH_ARGUMENT: [&str; 13] = [
    "align",
    "dereferenceable",
    "dereferenceable_or_null",
    "sret",
    "byref",
    "preallocated",
    "inalloca",
    "elementtype",
    "memory",
    "nofpclass",
    "range",
    "captures",
    "initializes",
];

/// What the attributes of a parameter say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    /// The type of which the callee gets a copy.
    pub copied: Option<TypeId>,
}

impl Parser {
    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        let mut ty = self.simple_type()?;
        loop {
            if self.cursor.take_word("addrspace") {
                self.cursor.skip_group()?;
            } else if self.cursor.take(b'*') {
                ty = self.module.types.intern(Type::Pointer);
            } else if self.cursor.is_sign(b'(') {
                ty = self.function_type(ty)?;
            } else {
                return Ok(ty);
            }
        }
    }

    fn function_type(&mut self, result: TypeId) -> Parsed<TypeId> {
        self.cursor.expect(b'(')?;
        let mut parameters = Vec::new();
        let mut varargs = false;
        while !self.cursor.take(b')') {
            if self.cursor.peek() == Some(&Token::Dots) {
                self.cursor.next()?;
                varargs = true;
            } else {
                parameters.push(self.ty()?);
                self.attributes()?;
            }
            self.cursor.take(b',');
        }
        Ok(self.module.types.intern(Type::Function { result, parameters, varargs }))
    }

    fn simple_type(&mut self) -> Parsed<TypeId> {
        let ty = match self.cursor.next()? {
            Token::Word(word) => match word.as_str() {
                "void" => Type::Void,
                "half" | "bfloat" => Type::Half,
                "float" => Type::Float,
                "double" => Type::Double,
                "x86_fp80" => Type::X86Fp80,
                "fp128" | "ppc_fp128" => Type::Fp128,
                "ptr" => Type::Pointer,
                "label" => Type::Label,
                "metadata" => Type::Metadata,
                "token" => Type::Token,
                "opaque" => Type::Opaque,
                _ => match word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
                    Some(bits) => Type::Int(bits),
                    None => return Err(self.cursor.error(&format!("`{word}` is no type"))),
                },
            },
            Token::Local(name) => return Ok(self.module.types.named(&name)),
            Token::Sign(b'[') => {
                let (count, element) = self.counted()?;
                self.cursor.expect(b']')?;
                Type::Array(count, element)
            }
            Token::Sign(b'{') => Type::Struct { fields: self.fields()?, packed: false },
            Token::Sign(b'<') if self.cursor.take(b'{') => {
                let fields = self.fields()?;
                self.cursor.expect(b'>')?;
                Type::Struct { fields, packed: true }
            }
            Token::Sign(b'<') => {
                if self.cursor.is_word("vscale") {
                    return Err(self.cursor.error("scalable vectors are not supported"));
                }
                let (count, element) = self.counted()?;
                self.cursor.expect(b'>')?;
                Type::Vector(count, element)
            }
            other => return Err(self.cursor.error(&format!("expected a type, found {other:?}"))),
        };
        Ok(self.module.types.intern(ty))
    }

    fn counted(&mut self) -> Parsed<(u64, TypeId)> {
        let count = self.cursor.integer()? as u64;
        self.cursor.expect_word("x")?;
        Ok((count, self.ty()?))
    }

    fn fields(&mut self) -> Parsed<Vec<TypeId>> {
        let mut fields = Vec::new();
        while !self.cursor.take(b'}') {
            fields.push(self.ty()?);
            self.cursor.take(b',');
        }
        Ok(fields)
    }

    /// Passes the attributes of a parameter, argument or result. Unknown words are attributes, too: each release
    /// of LLVM has new ones. But the first word of the next line is an instruction.
    pub(super) fn attributes(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            if !self.cursor.is_on_same_line() {
                return Ok(attributes);
            }
            match self.cursor.peek() {
                Some(Token::Word(word)) if is_attribute(word) => {
                    let word = self.cursor.word()?;
                    if word == "byval" && self.cursor.take(b'(') {
                        attributes.copied = Some(self.ty()?);
                        self.cursor.expect(b')')?;
                    } else if self.cursor.is_sign(b'(') {
                        self.cursor.skip_group()?;
                    } else if word == "align" {
                        self.cursor.integer()?;
                    }
                }
                Some(Token::Hash(_)) => {
                    self.cursor.next()?;
                }
                Some(Token::Text(_)) => {
                    self.cursor.next()?;
                    if self.cursor.take(b'=') {
                        self.cursor.next()?;
                    }
                }
                _ => return Ok(attributes),
            }
        }
    }
}

/// Whether a word in front of a value or type is an attribute: everything that is neither.
fn is_attribute(word: &str) -> bool {
    ATTRIBUTES_WITH_ARGUMENT.contains(&word) || !is_value_word(word) && !is_type_word(word)
}

fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "half"
            | "bfloat"
            | "float"
            | "double"
            | "x86_fp80"
            | "fp128"
            | "ppc_fp128"
            | "ptr"
            | "label"
            | "metadata"
            | "token"
            | "opaque"
    ) || word.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok())
}

fn is_value_word(word: &str) -> bool {
    matches!(
        word,
        "null"
            | "undef"
            | "poison"
            | "none"
            | "true"
            | "false"
            | "zeroinitializer"
            | "asm"
            | "splat"
            | "blockaddress"
            | "dso_local_equivalent"
            | "no_cfi"
            | "getelementptr"
            | "bitcast"
            | "inttoptr"
            | "ptrtoint"
            | "addrspacecast"
            | "trunc"
            | "zext"
            | "sext"
            | "add"
            | "sub"
            | "mul"
            | "and"
            | "or"
            | "xor"
            | "shl"
            | "lshr"
            | "ashr"
            | "icmp"
            | "fcmp"
            | "select"
            | "extractelement"
            | "insertelement"
            | "shufflevector"
            | "fptrunc"
            | "fpext"
            | "uitofp"
            | "sitofp"
            | "fptoui"
            | "fptosi"
            | "to"
            | "unwind"
    )
}
