//! Linking: the texts of several modules become the text of one, as a linker would join their object files.
//!
//! The result is LLVM IR again, so whatever verifies it and whatever makes a binary of it have the same program, with one numbering of functions
//! and instructions. Symbols of one file alone (`static`) get other names where another file uses theirs; types that differ, too. Metadata and attributes are
//! numbered anew. Of several definitions of one symbol the strongest counts; two strong ones are an error unless they are the same text.

mod item;
mod rename;

use item::{Item, Kind, Linkage, items};
use rename::{Token, renamed};
use std::collections::{BTreeMap, BTreeSet};

/// A module as text.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file that it comes from.
    pub file: String,
    /// The LLVM IR.
    pub text: String,
}

/// Why modules cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A symbol is defined twice.
    #[error("`{symbol}` is defined in `{first}` and in `{second}`")]
    Twice {
        /// The symbol.
        symbol: String,
        /// A file that defines it.
        first: String,
        /// Another one.
        second: String,
    },
    /// The modules are for different machines.
    #[error("`{first}` and `{second}` are compiled for different machines")]
    Targets {
        /// A file.
        first: String,
        /// A file compiled for another machine.
        second: String,
    },
}

/// Links modules, at least one.
///
/// # Errors
/// When a symbol is defined twice, or the modules are for different machines.
pub fn link(units: &[Unit]) -> Result<String, LinkError> {
    let items: Vec<Vec<Item>> = units.iter().map(|unit| items(&unit.text)).collect();
    check_targets(units, &items)?;
    let names = Names::of(&items);
    let mut linked = Linked::default();
    let (mut metadata, mut attributes) = (0, 0);
    for (number, own) in items.iter().enumerate() {
        let conflicting = linked.conflicting_types(own);
        let mut rename = |token: Token| match token {
            Token::Metadata(n) => Some(format!("!{}", n + metadata)),
            Token::Attributes(n) => Some(format!("#{}", n + attributes)),
            Token::Symbol(name) if names.is_ambiguous(number, name) => {
                Some(format!("@{}", suffixed(name, number)))
            }
            Token::Type(name) if conflicting.contains(name) => Some(format!("%{}", suffixed(name, number))),
            _ => None,
        };
        for item in own {
            linked.add(units, number, item, renamed(&item.text, &mut rename))?;
        }
        metadata += count(own, Kind::Node);
        attributes += count(own, Kind::Attributes);
    }
    Ok(linked.text())
}

/// The modules that a program needs whose first module is the first: those that define what is only declared in others that it needs, in their
/// order. Of several that define a symbol the first is taken.
pub fn needed(units: &[Unit]) -> Vec<usize> {
    let items: Vec<Vec<Item>> = units.iter().map(|unit| items(&unit.text)).collect();
    let symbols = |number: usize| items[number].iter().filter(|item| item.kind == Kind::Symbol);
    let mut definers: BTreeMap<&str, usize> = BTreeMap::new();
    for number in (0..units.len()).rev() {
        let defines =
            |item: &&Item| matches!(item.linkage, Linkage::Weak | Linkage::Common | Linkage::Strong);
        definers.extend(symbols(number).filter(defines).map(|item| (item.name.as_str(), number)));
    }
    let mut needed = BTreeSet::from([0]);
    let mut todo = vec![0];
    while let Some(number) = todo.pop() {
        let declared = symbols(number).filter(|item| item.linkage == Linkage::Declared);
        let more = declared.filter_map(|item| definers.get(item.name.as_str()).copied());
        todo.extend(more.filter(|definer| needed.insert(*definer)));
    }
    needed.into_iter().filter(|number| *number < units.len()).collect()
}

/// One more than the greatest number of such an item.
fn count(items: &[Item], kind: Kind) -> u64 {
    let numbers =
        items.iter().filter(|item| item.kind == kind).filter_map(|item| item.name.parse::<u64>().ok());
    numbers.max().map_or(0, |greatest| greatest + 1)
}

/// A name for what only the file with that number knows.
fn suffixed(name: &str, number: usize) -> String {
    match name.strip_suffix('"') {
        Some(quoted) => format!("{quoted}.of.{number}\""),
        None => format!("{name}.of.{number}"),
    }
}

fn check_targets(units: &[Unit], items: &[Vec<Item>]) -> Result<(), LinkError> {
    let targets = |own: &Vec<Item>| -> Vec<String> {
        own.iter().filter(|item| item.kind == Kind::Target).map(|item| item.text.clone()).collect()
    };
    let Some(first) = items.first().map(targets) else { return Ok(()) };
    match items.iter().position(|own| targets(own) != first) {
        None => Ok(()),
        Some(other) => {
            let (first, second) = (units[0].file.clone(), units[other].file.clone());
            Err(LinkError::Targets { first, second })
        }
    }
}

/// The symbols of all modules.
struct Names<'i> {
    /// In which modules each occurs, and in which of them it is local.
    units: BTreeMap<&'i str, (BTreeSet<usize>, BTreeSet<usize>)>,
}

impl<'i> Names<'i> {
    fn of(items: &'i [Vec<Item>]) -> Names<'i> {
        let mut units: BTreeMap<&str, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
        for (number, own) in items.iter().enumerate() {
            for item in own.iter().filter(|item| item.kind == Kind::Symbol) {
                let (all, local) = units.entry(&item.name).or_default();
                all.insert(number);
                if item.linkage == Linkage::Local {
                    local.insert(number);
                }
            }
        }
        Names { units }
    }

    /// Whether a symbol of a module is local and another module has one of the same name.
    fn is_ambiguous(&self, number: usize, name: &str) -> bool {
        self.units.get(name).is_some_and(|(all, local)| local.contains(&number) && all.len() > 1)
    }
}

/// What is linked so far.
#[derive(Default)]
struct Linked {
    head: Vec<String>,
    types: Vec<(String, String)>,
    comdats: Vec<String>,
    /// Symbols in the order in which they came.
    symbols: Vec<Definition>,
    places: BTreeMap<String, usize>,
    attributes: Vec<String>,
    named: Vec<(String, Vec<String>)>,
    nodes: Vec<String>,
}

/// The definition of a symbol, or a declaration if there is none yet.
struct Definition {
    linkage: Linkage,
    unit: usize,
    text: String,
}

impl Linked {
    /// The types of a module that are not those of the same name before.
    fn conflicting_types<'i>(&self, own: &'i [Item]) -> BTreeSet<&'i str> {
        let known: Vec<(&Item, &str)> = own
            .iter()
            .filter(|item| item.kind == Kind::Type)
            .filter_map(|item| {
                Some((item, self.types.iter().find(|(name, _)| *name == item.name)?.1.as_str()))
            })
            .collect();
        let differ = known
            .iter()
            .filter(|(item, text)| item.text != *text && !is_opaque(text) && !is_opaque(&item.text));
        let mut conflicting: BTreeSet<&str> = differ.map(|(item, _)| item.name.as_str()).collect();
        loop {
            let more: Vec<&str> = known
                .iter()
                .map(|(item, _)| *item)
                .filter(|item| {
                    !conflicting.contains(item.name.as_str()) && mentions(&item.text, &conflicting)
                })
                .map(|item| item.name.as_str())
                .collect();
            if more.is_empty() {
                return conflicting;
            }
            conflicting.extend(more);
        }
    }

    /// Adds an item of a module in its new text.
    fn add(&mut self, units: &[Unit], number: usize, item: &Item, text: String) -> Result<(), LinkError> {
        match item.kind {
            Kind::Target | Kind::Flags if number > 0 => {}
            Kind::Target | Kind::Assembler => self.head.push(text),
            Kind::Type => self.add_type(text),
            Kind::Comdat if self.comdats.contains(&text) => {}
            Kind::Comdat => self.comdats.push(text),
            Kind::Symbol => return self.add_symbol(units, number, item.linkage, text),
            Kind::Attributes => self.attributes.push(text),
            Kind::Flags | Kind::Named => self.add_named(&text),
            Kind::Node => self.nodes.push(text),
        }
        Ok(())
    }

    fn add_type(&mut self, text: String) {
        let name = text.split(" = ").next().unwrap_or("").trim_start_matches('%').to_owned();
        match self.types.iter_mut().find(|(other, _)| *other == name) {
            Some((_, known)) if is_opaque(known) => *known = text,
            Some(_) => {}
            None => self.types.push((name, text)),
        }
    }

    fn add_named(&mut self, text: &str) {
        let Some((name, list)) = text.split_once(" = !{") else { return };
        let list = list.trim_end_matches('}').split(", ").filter(|node| !node.is_empty()).map(str::to_owned);
        match self.named.iter_mut().find(|(other, _)| other == name) {
            Some((_, known)) => known.extend(list),
            None => self.named.push((name.to_owned(), list.collect())),
        }
    }

    fn add_symbol(
        &mut self,
        units: &[Unit],
        number: usize,
        linkage: Linkage,
        text: String,
    ) -> Result<(), LinkError> {
        let symbol = item::symbol_of(&text).unwrap_or_default().to_owned();
        let Some(&place) = self.places.get(&symbol) else {
            self.places.insert(symbol, self.symbols.len());
            self.symbols.push(Definition { linkage, unit: number, text });
            return Ok(());
        };
        let known = &mut self.symbols[place];
        match (known.linkage, linkage) {
            (Linkage::Appending, Linkage::Appending) => {
                if let Some(joined) = item::joined(&known.text, &text) {
                    known.text = joined;
                }
            }
            (Linkage::Strong, Linkage::Strong) if !is_same_code(&known.text, &text) => {
                let (first, second) = (units[known.unit].file.clone(), units[number].file.clone());
                return Err(LinkError::Twice { symbol, first, second });
            }
            (before, now) if now > before => *known = Definition { linkage, unit: number, text },
            _ => {}
        }
        Ok(())
    }

    fn text(self) -> String {
        let types = self.types.into_iter().map(|(_, text)| text);
        let symbols = self.symbols.into_iter().map(|symbol| symbol.text);
        let named = self.named.into_iter().map(|(name, list)| format!("{name} = !{{{}}}", list.join(", ")));
        let parts = self.head.into_iter().chain(types).chain(self.comdats).chain(symbols);
        let lines = parts.chain(self.attributes).chain(named).chain(self.nodes);
        lines.flat_map(|text| [text, "\n".to_owned()]).collect()
    }
}

fn is_opaque(text: &str) -> bool {
    text.ends_with("= type opaque")
}

/// Whether a text mentions one of some types.
fn mentions(text: &str, types: &BTreeSet<&str>) -> bool {
    let mut found = false;
    renamed(text, &mut |token| {
        found |= matches!(token, Token::Type(name) if types.contains(name));
        None
    });
    found
}

/// Whether two definitions are the same but for what is said for debuggers: a function of ours, compiled with each file that needs it.
fn is_same_code(a: &str, b: &str) -> bool {
    let code = |text: &str| {
        let code = renamed(text, &mut |token| match token {
            Token::Metadata(_) => Some("!".to_owned()),
            Token::Attributes(_) => Some("#".to_owned()),
            _ => None,
        });
        let lines = code
            .lines()
            .filter(|line| !line.contains("@llvm.dbg.") && !line.trim_start().starts_with("#dbg"));
        lines.map(|line| line.replace(", !dbg !", "").replace(" !dbg !", "")).collect::<Vec<_>>()
    };
    code(a) == code(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(file: &str, text: &str) -> Unit {
        Unit { file: file.to_owned(), text: format!("target triple = \"x\"\n{text}") }
    }

    #[test]
    fn declarations_find_definitions_and_local_symbols_stay_apart() {
        let a = unit(
            "a.c",
            "%struct.s = type { i32 }\n@n = internal global i32 1, !dbg !0\n\
             define i32 @main() #0 {\n  %1 = load i32, i32* @n\n  ret i32 %1\n}\ndeclare void @f()\n\
             attributes #0 = { nounwind }\n!llvm.dbg.cu = !{!0}\n!0 = !{!\"a !0 @n\"}\n",
        );
        let b = unit(
            "b.c",
            "%struct.s = type { i64 }\n@n = internal global %struct.s zeroinitializer, !dbg !0\ndefine void @f() #0 {\n  ret void\n}\n\
             attributes #0 = { noinline }\n!llvm.dbg.cu = !{!0}\n!0 = !{!\"b\"}\n",
        );
        let text = link(&[a, b]).expect("they link");
        for line in [
            "@n.of.0 = internal global i32 1, !dbg !0",
            "@n.of.1 = internal global %struct.s.of.1 zeroinitializer, !dbg !1",
            "%struct.s.of.1 = type { i64 }",
            "  %1 = load i32, i32* @n.of.0",
            "define void @f() #1 {",
            "!llvm.dbg.cu = !{!0, !1}",
            "!0 = !{!\"a !0 @n\"}",
            "!1 = !{!\"b\"}",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("declare"));
        crate::read(&text).expect("it reads");
    }

    #[test]
    fn two_strong_definitions_are_an_error_and_weak_ones_are_not() {
        let define = |file: &str, what: &str| unit(file, &format!("@x = {what}\n"));
        let twice = link(&[define("a.c", "global i32 1"), define("b.c", "global i32 2")]);
        assert!(matches!(twice, Err(LinkError::Twice { symbol, .. }) if symbol == "x"));
        let weak = link(&[define("a.c", "weak global i32 1"), define("b.c", "global i32 2")]).expect("links");
        assert!(weak.contains("@x = global i32 2") && !weak.contains("weak"));
        let common = link(&[define("a.c", "common global i32 0"), define("b.c", "external global i32")]);
        assert!(common.expect("links").contains("@x = common global i32 0"));
    }

    #[test]
    fn only_what_defines_something_that_is_needed_is_linked() {
        let units = [
            unit("main.c", "declare void @f()\ndefine void @main() {\n  ret void\n}\n"),
            unit("test.c", "declare void @f()\ndefine void @other() {\n  ret void\n}\n"),
            unit("f.c", "declare void @g()\ndefine void @f() {\n  ret void\n}\n"),
            unit("g.c", "define void @g() {\n  ret void\n}\n"),
        ];
        assert_eq!(needed(&units), [0, 2, 3]);
    }

    #[test]
    fn lists_of_constructors_are_joined() {
        let list = |file: &str, f: &str| {
            unit(
                file,
                &format!("@llvm.global_ctors = appending global [1 x ptr] [ptr @{f}]\ndeclare void @{f}()\n"),
            )
        };
        let text = link(&[list("a.cpp", "f"), list("b.cpp", "g")]).expect("they link");
        assert!(text.contains("@llvm.global_ctors = appending global [2 x ptr] [ptr @f, ptr @g]"), "{text}");
    }
}
