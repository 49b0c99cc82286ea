//! Places in the source text of a program.

use selvedge_ir::Span;
use selvedge_llvm::Module;
use selvedge_llvm::instruction::DebugLocation;

/// The source file of `main`, which spans refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    file: Option<(String, String)>,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl SourceFile {
    /// A file with its name, as the debug information says it, and its text.
    pub fn new(file: Option<(String, String)>, text: &str) -> SourceFile {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        SourceFile { file, text: text.to_owned(), lines: std::iter::once(0).chain(ends).collect() }
    }

    /// The file that `main` is in, without its text: its name, and the directory that is relative to.
    pub fn of_main(module: &Module) -> Option<(String, String)> {
        let main = module.function("main")?.debug?;
        module.metadata.file_of(main).map(|(name, directory)| (name.to_owned(), directory.to_owned()))
    }

    /// A text with as many empty lines as the program has, for a file that cannot be read.
    pub fn blank(module: &Module) -> String {
        let instructions = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
        let lines = instructions.filter_map(|i| module.line_column(i.location?)).map(|(line, _)| line);
        "\n".repeat(lines.max().unwrap_or(0) as usize)
    }

    /// The line of a place, if it is in this file.
    pub fn span(&self, module: &Module, location: DebugLocation) -> Option<Span> {
        let scope = module.metadata.node(location.0)?.reference("scope")?;
        let file = module.metadata.file_of(scope)?;
        if self.file.as_ref().is_some_and(|(name, directory)| (name.as_str(), directory.as_str()) != file) {
            return None;
        }
        let (line, _) = module.line_column(location).filter(|(line, _)| *line > 0)?;
        self.at(line)
    }

    /// The span of a declaration.
    pub fn declaration(&self, module: &Module, debug: Option<u32>) -> Option<Span> {
        let node = module.metadata.node(debug?)?;
        match node.kind.as_str() {
            "DIGlobalVariableExpression" => self.declaration(module, node.reference("var")),
            _ => self.at(node.number("line")? as u32),
        }
    }

    fn at(&self, line: u32) -> Option<Span> {
        let start = *self.lines.get((line as usize).checked_sub(1)?)?;
        let text = self.text.get(start..)?.lines().next().unwrap_or("").trim_end();
        let indent = text.len() - text.trim_start().len();
        Some(Span::new((start + indent) as u32, (start + text.len()) as u32))
    }
}
