//! Instructions but for those that access memory.

use super::Parser;
use super::cursor::Parsed;
use super::functions::Names;
use crate::instruction::{
    Argument, BinaryOperator, BlockId, Call, CastOperator, Clause, DebugLocation, FloatPredicate,
    Instruction, MetadataOperand, Operand, Operation, Predicate, Value, Wrap,
};
use crate::lexer::Token;
use crate::types::{Type, TypeId};

/// Words between `call` and the type of the result that say nothing about the meaning.
const FAST_MATH: [&str; 8] = ["fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"];

impl Parser {
    /// An instruction, with the register that receives its result and its place in the source.
    pub(super) fn instruction(&mut self, names: &mut Names) -> Parsed<Instruction> {
        let line = self.cursor.line();
        if let Some(Token::Hash(record)) = self.cursor.peek().cloned() {
            let operation = self.debug_record(&record, names)?;
            return Ok(Instruction { result: None, operation, location: None, lines: [line as u32; 2] });
        }
        let result = match self.cursor.peek().cloned() {
            Some(Token::Local(name)) => {
                self.cursor.next()?;
                self.cursor.expect(b'=')?;
                Some(names.local(&name))
            }
            _ => None,
        };
        let start = self.cursor.place();
        let opcode = match self.cursor.next()? {
            Token::Word(word) => word,
            other => return Err(self.cursor.error(&format!("expected an instruction, found {other:?}"))),
        };
        let operation = match self.operation(&opcode, names) {
            Ok(operation) => operation,
            Err(error) => {
                self.cursor.go_to(start);
                self.cursor.skip_line();
                let message = format!("`{opcode}` (line {line} of the LLVM IR: {})", error.message);
                let lines = [line, self.last_line()].map(|line| line as u32);
                let operation = Operation::Unsupported(message);
                return Ok(Instruction { result, operation, location: None, lines });
            }
        };
        let last = self.last_line();
        let location = self.attachments_of_instruction(last)?.map(DebugLocation);
        Ok(Instruction { result, operation, location, lines: [line, last].map(|line| line as u32) })
    }

    /// The line on which the operation that was just read ends.
    fn last_line(&mut self) -> usize {
        let place = self.cursor.place();
        self.cursor.go_to(place - 1);
        let line = self.cursor.line();
        self.cursor.go_to(place);
        line
    }

    fn attachments_of_instruction(&mut self, line: usize) -> Parsed<Option<u32>> {
        let mut debug = None;
        while self.cursor.is_on(line) {
            match self.cursor.peek().cloned() {
                Some(Token::MetadataName(name)) => {
                    self.cursor.next()?;
                    let number = self.metadata_number()?;
                    if name == "dbg" {
                        debug = number;
                    }
                }
                Some(Token::Sign(b'}')) => break,
                _ => {
                    self.cursor.next()?;
                }
            }
        }
        Ok(debug)
    }

    /// `#dbg_declare(ptr %x, !12, !DIExpression(), !13)` and its like.
    fn debug_record(&mut self, record: &str, names: &mut Names) -> Parsed<Operation> {
        let start = self.cursor.place();
        self.cursor.next()?;
        if record == "dbg_declare" && self.cursor.take(b'(') {
            let address = self.value(names);
            if let Ok(address) = address
                && self.cursor.take(b',')
                && let Some(Token::MetadataNumber(variable)) = self.cursor.peek().cloned()
            {
                self.cursor.go_to(start);
                self.cursor.skip_line();
                return Ok(Operation::Declare { address: address.operand, variable });
            }
        }
        self.cursor.go_to(start);
        self.cursor.skip_line();
        Ok(Operation::Nothing)
    }

    pub(super) fn value(&mut self, names: &mut Names) -> Parsed<Value> {
        let ty = self.ty()?;
        self.attributes()?;
        Ok(Value { ty, operand: self.operand(ty, names)? })
    }

    /// A comma and a value.
    pub(super) fn next_value(&mut self, names: &mut Names) -> Parsed<Value> {
        self.cursor.expect(b',')?;
        self.value(names)
    }

    pub(super) fn operand(&mut self, ty: TypeId, names: &mut Names) -> Parsed<Operand> {
        if self.module.types.get(ty) == &Type::Metadata {
            return self.metadata_operand(names);
        }
        match self.cursor.peek().cloned() {
            Some(Token::Local(name)) => {
                self.cursor.next()?;
                Ok(Operand::Local(names.local(&name)))
            }
            _ => Ok(Operand::Constant(self.constant(ty)?)),
        }
    }

    fn metadata_operand(&mut self, names: &mut Names) -> Parsed<Operand> {
        let operand = match self.cursor.peek() {
            Some(Token::MetadataNumber(_) | Token::MetadataName(_)) => {
                self.metadata_number()?.map_or(MetadataOperand::Other, MetadataOperand::Node)
            }
            Some(Token::Bang) => {
                self.cursor.next()?;
                match self.cursor.is_sign(b'{') {
                    true => self.cursor.skip_group()?,
                    false => drop(self.cursor.next()?),
                }
                MetadataOperand::Other
            }
            _ => MetadataOperand::Value(Box::new(self.value(names)?)),
        };
        Ok(Operand::Metadata(operand))
    }

    fn label(&mut self, names: &mut Names) -> Parsed<BlockId> {
        self.cursor.expect_word("label")?;
        match self.cursor.next()? {
            Token::Local(name) => Ok(names.block(&name)),
            other => Err(self.cursor.error(&format!("expected a label, found {other:?}"))),
        }
    }

    fn operation(&mut self, opcode: &str, names: &mut Names) -> Parsed<Operation> {
        if let Some(operator) = binary_operator(opcode) {
            return self.binary(operator, names);
        }
        if let Some(operator) = cast_operator(opcode) {
            self.cursor.take_words(&FAST_MATH);
            self.cursor.take_words(&["nneg", "nuw", "nsw"]);
            let value = self.value(names)?;
            self.cursor.expect_word("to")?;
            return Ok(Operation::Cast(operator, value, self.ty()?));
        }
        match opcode {
            "ret" => self.ret(names),
            "br" => self.branch(names),
            "switch" => self.switch(names),
            "indirectbr" => self.indirect_branch(names),
            "unreachable" => Ok(Operation::Unreachable),
            "fneg" => {
                self.cursor.take_words(&FAST_MATH);
                Ok(Operation::Negate(self.value(names)?))
            }
            "icmp" => {
                self.cursor.take_words(&["samesign"]);
                let name = self.cursor.word()?;
                let predicate = predicate(&name).ok_or_else(|| self.cursor.error("unknown comparison"))?;
                let (a, b) = self.pair(names)?;
                Ok(Operation::Compare(predicate, a, b))
            }
            "fcmp" => {
                self.cursor.take_words(&FAST_MATH);
                let name = self.cursor.word()?;
                let predicate =
                    float_predicate(&name).ok_or_else(|| self.cursor.error("unknown comparison"))?;
                let (a, b) = self.pair(names)?;
                Ok(Operation::CompareFloat(predicate, a, b))
            }
            "select" => {
                self.cursor.take_words(&FAST_MATH);
                let condition = self.value(names)?;
                Ok(Operation::Select(condition, self.next_value(names)?, self.next_value(names)?))
            }
            "phi" => self.phi(names),
            "call" => Ok(self.call(names)?.1),
            "tail" | "musttail" | "notail" => {
                self.cursor.expect_word("call")?;
                Ok(self.call(names)?.1)
            }
            "invoke" => self.invoke(names),
            "landingpad" => self.landing_pad(),
            "resume" => Ok(Operation::Resume(self.value(names)?)),
            "freeze" => Ok(Operation::Freeze(self.value(names)?)),
            "extractvalue" => {
                let value = self.value(names)?;
                Ok(Operation::ExtractValue(value, self.indices()?))
            }
            "insertvalue" => {
                let (into, value) = (self.value(names)?, self.next_value(names)?);
                Ok(Operation::InsertValue(into, value, self.indices()?))
            }
            "extractelement" => Ok(Operation::ExtractElement(self.value(names)?, self.next_value(names)?)),
            "insertelement" => Ok(Operation::InsertElement(
                self.value(names)?,
                self.next_value(names)?,
                self.next_value(names)?,
            )),
            "shufflevector" => {
                Ok(Operation::Shuffle(self.value(names)?, self.next_value(names)?, self.next_value(names)?))
            }
            "va_arg" => {
                let list = self.value(names)?;
                self.cursor.expect(b',')?;
                Ok(Operation::VaArg(list, self.ty()?))
            }
            _ => self.memory_operation(opcode, names),
        }
    }

    fn binary(&mut self, operator: BinaryOperator, names: &mut Names) -> Parsed<Operation> {
        let mut wrap = Wrap::default();
        loop {
            if self.cursor.take_word("nsw") {
                wrap.no_signed = true;
            } else if self.cursor.take_word("nuw") {
                wrap.no_unsigned = true;
            } else if !self.cursor.take_words(&["exact", "disjoint"]) && !self.cursor.take_words(&FAST_MATH) {
                break;
            }
        }
        let (a, b) = self.pair(names)?;
        Ok(Operation::Binary(operator, wrap, a, b))
    }

    /// Two operands of one type, which is written once.
    fn pair(&mut self, names: &mut Names) -> Parsed<(Value, Value)> {
        let a = self.value(names)?;
        self.cursor.expect(b',')?;
        let b = Value { ty: a.ty, operand: self.operand(a.ty, names)? };
        Ok((a, b))
    }

    fn ret(&mut self, names: &mut Names) -> Parsed<Operation> {
        // `void (i32)*` is the type of a value.
        let ty = self.ty()?;
        if *self.module.types.get(ty) == Type::Void {
            return Ok(Operation::Return(None));
        }
        Ok(Operation::Return(Some(Value { ty, operand: self.operand(ty, names)? })))
    }

    fn branch(&mut self, names: &mut Names) -> Parsed<Operation> {
        if self.cursor.is_word("label") {
            return Ok(Operation::Branch(self.label(names)?));
        }
        let condition = self.value(names)?;
        self.cursor.expect(b',')?;
        let then = self.label(names)?;
        self.cursor.expect(b',')?;
        Ok(Operation::ConditionalBranch(condition, then, self.label(names)?))
    }

    fn switch(&mut self, names: &mut Names) -> Parsed<Operation> {
        let value = self.value(names)?;
        self.cursor.expect(b',')?;
        let default = self.label(names)?;
        self.cursor.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.cursor.take(b']') {
            let case = self.value(names)?;
            self.cursor.expect(b',')?;
            cases.push((case, self.label(names)?));
        }
        Ok(Operation::Switch(value, default, cases))
    }

    fn indirect_branch(&mut self, names: &mut Names) -> Parsed<Operation> {
        let value = self.value(names)?;
        self.cursor.expect(b',')?;
        self.cursor.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.cursor.take(b']') {
            self.cursor.expect_word("label")?;
            let Token::Local(label) = self.cursor.next()? else {
                return Err(self.cursor.error("expected a label"));
            };
            let block = names.block(&label);
            let operand = Operand::Constant(self.label_address(names.symbol, label));
            cases.push((Value { ty: value.ty, operand }, block));
            self.cursor.take(b',');
        }
        Ok(Operation::IndirectBranch(value, cases))
    }

    fn phi(&mut self, names: &mut Names) -> Parsed<Operation> {
        self.cursor.take_words(&FAST_MATH);
        let ty = self.ty()?;
        let mut incoming = Vec::new();
        loop {
            self.cursor.expect(b'[')?;
            let operand = self.operand(ty, names)?;
            self.cursor.expect(b',')?;
            match self.cursor.next()? {
                Token::Local(name) => incoming.push((operand, names.block(&name))),
                other => return Err(self.cursor.error(&format!("expected a label, found {other:?}"))),
            }
            self.cursor.expect(b']')?;
            if !self.cursor.take(b',') {
                return Ok(Operation::Phi(ty, incoming));
            }
            if !self.cursor.is_sign(b'[') {
                self.cursor.go_to(self.cursor.place() - 1);
                return Ok(Operation::Phi(ty, incoming));
            }
        }
    }

    fn indices(&mut self) -> Parsed<Vec<u32>> {
        let mut indices = Vec::new();
        while self.cursor.is_sign(b',') && matches!(self.cursor.peek_second(), Some(Token::Int(_))) {
            self.cursor.next()?;
            indices.push(self.cursor.integer()? as u32);
        }
        Ok(indices)
    }

    /// The rest of a call. What the debugger wants to know is turned into what it means.
    fn call(&mut self, names: &mut Names) -> Parsed<(Call, Operation)> {
        let call = self.plain_call(names)?;
        let operation = match self.callee_name(&call.callee) {
            Some(name) if name.starts_with("llvm.dbg.") || name == "llvm.experimental.noalias.scope.decl" => {
                declaration(name, &call).unwrap_or(Operation::Nothing)
            }
            _ => Operation::Call(call.clone()),
        };
        Ok((call, operation))
    }

    fn callee_name(&self, callee: &Operand) -> Option<&str> {
        match callee {
            Operand::Constant(crate::constant::Constant::Symbol(symbol)) => Some(self.module.name(*symbol)),
            _ => None,
        }
    }

    fn plain_call(&mut self, names: &mut Names) -> Parsed<Call> {
        self.cursor.take_words(&FAST_MATH);
        self.attributes()?;
        let mut result = self.ty()?;
        if let Type::Function { result: inner, .. } = self.module.types.get(result) {
            result = *inner;
        }
        let mut assembler = None;
        let callee = if self.cursor.take_word("asm") {
            let mut texts = Vec::new();
            while !self.cursor.is_sign(b'(') {
                if let Token::Text(text) = self.cursor.next()? {
                    texts.push(String::from_utf8_lossy(&text).into_owned());
                }
            }
            assembler = Some(texts.first().cloned().unwrap_or_default());
            Operand::Constant(crate::constant::Constant::Undef)
        } else {
            let pointer = self.module.types.intern(Type::Pointer);
            self.operand(pointer, names)?
        };
        self.cursor.expect(b'(')?;
        let mut arguments = Vec::new();
        while !self.cursor.take(b')') {
            let ty = self.ty()?;
            let attributes = self.attributes()?;
            let operand = self.operand(ty, names)?;
            arguments.push(Argument { value: Value { ty, operand }, copied: attributes.copied });
            self.cursor.take(b',');
        }
        self.attributes()?;
        if self.cursor.is_sign(b'[') {
            self.cursor.skip_group()?;
        }
        Ok(Call { result, callee, arguments, assembler })
    }

    fn invoke(&mut self, names: &mut Names) -> Parsed<Operation> {
        let call = self.plain_call(names)?;
        self.cursor.expect_word("to")?;
        let normal = self.label(names)?;
        self.cursor.expect_word("unwind")?;
        Ok(Operation::Invoke(call, normal, self.label(names)?))
    }

    fn landing_pad(&mut self) -> Parsed<Operation> {
        self.ty()?;
        let (mut clauses, mut cleanup) = (Vec::new(), false);
        loop {
            if self.cursor.take_word("cleanup") {
                cleanup = true;
            } else if self.cursor.take_word("catch") {
                clauses.push(Clause::Catch(self.typed_constant()?));
            } else if self.cursor.take_word("filter") {
                clauses.push(Clause::Filter(self.typed_constant()?));
            } else {
                return Ok(Operation::LandingPad { clauses, cleanup });
            }
        }
    }
}

/// The declaration of a variable, if an intrinsic is one.
fn declaration(name: &str, call: &Call) -> Option<Operation> {
    if name != "llvm.dbg.declare" {
        return None;
    }
    let [address, variable, ..] = call.arguments.as_slice() else { return None };
    match (&address.value.operand, &variable.value.operand) {
        (
            Operand::Metadata(MetadataOperand::Value(address)),
            Operand::Metadata(MetadataOperand::Node(variable)),
        ) => Some(Operation::Declare { address: address.operand.clone(), variable: *variable }),
        _ => None,
    }
}

pub(super) fn binary_operator(word: &str) -> Option<BinaryOperator> {
    Some(match word {
        "add" => BinaryOperator::Add,
        "sub" => BinaryOperator::Sub,
        "mul" => BinaryOperator::Mul,
        "udiv" => BinaryOperator::UDiv,
        "sdiv" => BinaryOperator::SDiv,
        "urem" => BinaryOperator::URem,
        "srem" => BinaryOperator::SRem,
        "shl" => BinaryOperator::Shl,
        "lshr" => BinaryOperator::LShr,
        "ashr" => BinaryOperator::AShr,
        "and" => BinaryOperator::And,
        "or" => BinaryOperator::Or,
        "xor" => BinaryOperator::Xor,
        "fadd" => BinaryOperator::FAdd,
        "fsub" => BinaryOperator::FSub,
        "fmul" => BinaryOperator::FMul,
        "fdiv" => BinaryOperator::FDiv,
        "frem" => BinaryOperator::FRem,
        _ => return None,
    })
}

pub(super) fn cast_operator(word: &str) -> Option<CastOperator> {
    Some(match word {
        "trunc" => CastOperator::Trunc,
        "zext" => CastOperator::ZExt,
        "sext" => CastOperator::SExt,
        "fptrunc" => CastOperator::FpTrunc,
        "fpext" => CastOperator::FpExt,
        "fptoui" => CastOperator::FpToUi,
        "fptosi" => CastOperator::FpToSi,
        "uitofp" => CastOperator::UiToFp,
        "sitofp" => CastOperator::SiToFp,
        "ptrtoint" => CastOperator::PtrToInt,
        "inttoptr" => CastOperator::IntToPtr,
        "bitcast" | "addrspacecast" => CastOperator::BitCast,
        _ => return None,
    })
}

pub(super) fn predicate(word: &str) -> Option<Predicate> {
    Some(match word {
        "eq" => Predicate::Eq,
        "ne" => Predicate::Ne,
        "ugt" => Predicate::Ugt,
        "uge" => Predicate::Uge,
        "ult" => Predicate::Ult,
        "ule" => Predicate::Ule,
        "sgt" => Predicate::Sgt,
        "sge" => Predicate::Sge,
        "slt" => Predicate::Slt,
        "sle" => Predicate::Sle,
        _ => return None,
    })
}

fn float_predicate(word: &str) -> Option<FloatPredicate> {
    let outcomes = |less, equal, greater, unordered| FloatPredicate { less, equal, greater, unordered };
    let (kind, unordered) = match word {
        "true" => return Some(outcomes(true, true, true, true)),
        "false" => return Some(FloatPredicate::default()),
        "ord" => return Some(outcomes(true, true, true, false)),
        "uno" => return Some(outcomes(false, false, false, true)),
        _ => (word.get(1..)?, word.starts_with('u')),
    };
    Some(match kind {
        "eq" => outcomes(false, true, false, unordered),
        "ne" => outcomes(true, false, true, unordered),
        "gt" => outcomes(false, false, true, unordered),
        "ge" => outcomes(false, true, true, unordered),
        "lt" => outcomes(true, false, false, unordered),
        "le" => outcomes(true, true, false, unordered),
        _ => return None,
    })
}
