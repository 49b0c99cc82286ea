//! From tokens to a module.

mod constants;
mod cursor;
mod functions;
mod globals;
mod instructions;
mod memory;
mod metadata;
mod types;

use crate::constant::Constant;
use crate::module::SymbolId;
use crate::{Module, ReadError, lexer};
use cursor::Cursor;
use std::collections::HashMap;

/// Reads a module.
///
/// # Errors
/// When the text is not the LLVM IR that clang writes. Instructions that the reader does not know are no errors.
pub fn read(text: &str) -> Result<Module, ReadError> {
    let tokens = lexer::tokens(text)?;
    let module = Module::default();
    let mut parser = Parser { cursor: Cursor::new(tokens), module, labels: HashMap::new() };
    parser.module()?;
    Ok(parser.module)
}

/// A module in the making.
struct Parser {
    cursor: Cursor,
    module: Module,
    /// The labels whose addresses are taken, by function and name, with their numbers.
    labels: HashMap<(SymbolId, String), u32>,
}

impl Parser {
    /// The address of a label of a function.
    fn label_address(&mut self, function: SymbolId, label: String) -> Constant {
        let next = self.labels.len() as u32;
        Constant::Label(*self.labels.entry((function, label)).or_insert(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_after_a_call_without_debug_information_is_read() {
        let text = "define i32 @f(ptr %p) {\n  %1 = call i32 @g(i32 noundef 6) nounwind\n  store i32 %1, ptr %p, align 4\n  \
                    call void @h()\n  ret i32 %1\n}\ndeclare i32 @g(i32)\ndeclare void @h()\n";
        let module = read(text).expect("it is well formed");
        let function = module.function("f").expect("it is there");
        assert_eq!(function.blocks[0].instructions.len(), 4);
    }
    #[test]
    fn every_alias_is_read_whatever_its_target_looks_like() {
        let text = "@a = alias void (), ptr @f\n@b = alias void (), ptr @f\n\
                    @c = alias void (i8*), bitcast (void (i32*)* @f to void (i8*)*)\ndefine void @f() {\n  ret void\n}\n";
        let module = read(text).expect("it is well formed");
        for name in ["a", "b", "c"] {
            let symbol = module.find(name).expect("it is there");
            assert!(matches!(module.definition(symbol), Some(crate::module::Definition::Alias(_))), "{name}");
        }
    }
}
