//! Instructions that access memory.

use super::Parser;
use super::cursor::Parsed;
use super::functions::Names;
use crate::instruction::{Atomicity, Operation, Ordering, RmwOperator};
use crate::lexer::Token;

impl Parser {
    pub(super) fn memory_operation(&mut self, opcode: &str, names: &mut Names) -> Parsed<Operation> {
        match opcode {
            "alloca" => self.alloca(names),
            "load" => self.load(names),
            "store" => self.store(names),
            "getelementptr" => self.element(names),
            "cmpxchg" => self.compare_exchange(names),
            "atomicrmw" => self.read_modify_write(names),
            "fence" => self.fence(),
            _ => Err(self.cursor.error("unknown instruction")),
        }
    }

    fn alloca(&mut self, names: &mut Names) -> Parsed<Operation> {
        let line = self.cursor.line();
        self.cursor.take_words(&["inalloca"]);
        let ty = self.ty()?;
        let has_count = self.cursor.is_sign(b',')
            && !matches!(self.cursor.peek_second(), Some(Token::Word(w)) if w == "align" || w == "addrspace")
            && !matches!(self.cursor.peek_second(), Some(Token::MetadataName(_)));
        let count = match has_count {
            true => Some(self.next_value(names)?),
            false => None,
        };
        let alignment = self.alignment_on(line);
        Ok(Operation::Alloca { ty, count, alignment })
    }

    fn load(&mut self, names: &mut Names) -> Parsed<Operation> {
        let is_atomic = self.cursor.take_word("atomic");
        self.cursor.take_words(&["volatile"]);
        let ty = self.ty()?;
        let pointer = self.next_value(names)?;
        let atomicity = self.atomicity(is_atomic)?;
        Ok(Operation::Load { ty, pointer, atomicity })
    }

    fn store(&mut self, names: &mut Names) -> Parsed<Operation> {
        let is_atomic = self.cursor.take_word("atomic");
        self.cursor.take_words(&["volatile"]);
        let value = self.value(names)?;
        let pointer = self.next_value(names)?;
        let atomicity = self.atomicity(is_atomic)?;
        Ok(Operation::Store { value, pointer, atomicity })
    }

    fn atomicity(&mut self, is_atomic: bool) -> Parsed<Atomicity> {
        match is_atomic {
            true => Ok(Atomicity::Atomic(self.ordering()?)),
            false => Ok(Atomicity::Plain),
        }
    }

    /// A fence. One against signal handlers orders nothing between threads.
    fn fence(&mut self) -> Parsed<Operation> {
        let begin = self.cursor.place();
        let single = Token::Text(b"singlethread".to_vec());
        let is_local = self.cursor.take_word("syncscope") && self.cursor.peek_second() == Some(&single);
        self.cursor.go_to(begin);
        let ordering = self.ordering()?;
        Ok(if is_local { Operation::Nothing } else { Operation::Fence(ordering) })
    }

    fn ordering(&mut self) -> Parsed<Ordering> {
        if self.cursor.take_word("syncscope") {
            self.cursor.skip_group()?;
        }
        match self.cursor.word()?.as_str() {
            "unordered" | "monotonic" => Ok(Ordering::Relaxed),
            "acquire" => Ok(Ordering::Acquire),
            "release" => Ok(Ordering::Release),
            "acq_rel" => Ok(Ordering::AcquireRelease),
            "seq_cst" => Ok(Ordering::SequentiallyConsistent),
            other => Err(self.cursor.error(&format!("`{other}` is no memory order"))),
        }
    }

    fn element(&mut self, names: &mut Names) -> Parsed<Operation> {
        self.cursor.take_words(&["inbounds", "nusw", "nuw"]);
        let source = self.ty()?;
        let base = self.next_value(names)?;
        let mut indices = Vec::new();
        while self.cursor.is_sign(b',') && !matches!(self.cursor.peek_second(), Some(Token::MetadataName(_)))
        {
            indices.push(self.next_value(names)?);
        }
        Ok(Operation::Element { source, base, indices })
    }

    fn compare_exchange(&mut self, names: &mut Names) -> Parsed<Operation> {
        self.cursor.take_words(&["weak", "volatile"]);
        let pointer = self.value(names)?;
        let expected = self.next_value(names)?;
        let new = self.next_value(names)?;
        let orderings = [self.ordering()?, self.ordering()?];
        Ok(Operation::CompareExchange { pointer, expected, new, orderings })
    }

    fn read_modify_write(&mut self, names: &mut Names) -> Parsed<Operation> {
        self.cursor.take_words(&["volatile"]);
        let operator = match self.cursor.word()?.as_str() {
            "xchg" => RmwOperator::Xchg,
            "add" => RmwOperator::Add,
            "sub" => RmwOperator::Sub,
            "and" => RmwOperator::And,
            "nand" => RmwOperator::Nand,
            "or" => RmwOperator::Or,
            "xor" => RmwOperator::Xor,
            "max" => RmwOperator::Max,
            "min" => RmwOperator::Min,
            "umax" => RmwOperator::UMax,
            "umin" => RmwOperator::UMin,
            "fadd" => RmwOperator::FAdd,
            "fsub" => RmwOperator::FSub,
            other => return Err(self.cursor.error(&format!("unknown operation `{other}`"))),
        };
        let pointer = self.value(names)?;
        let value = self.next_value(names)?;
        let ordering = self.ordering()?;
        Ok(Operation::ReadModifyWrite { operator, pointer, value, ordering })
    }
}
