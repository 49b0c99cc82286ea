//! The items of a module's text: what stands at its top level.

use super::rename::name;

/// An item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its name or number, without the sign.
    pub name: String,
    /// How it is linked, if it is a symbol.
    pub linkage: Linkage,
    /// Its text, several lines for the definition of a function.
    pub text: String,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The machine that the module is for.
    Target,
    /// Assembler for the whole module.
    Assembler,
    /// A type with a name.
    Type,
    /// Symbols that are taken or left together.
    Comdat,
    /// A function, a variable or another name of one.
    Symbol,
    /// Attributes of functions.
    Attributes,
    /// Metadata of which each module has the same.
    Flags,
    /// A list of metadata with a name.
    Named,
    /// A node of metadata.
    Node,
}

/// How a symbol is linked, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Linkage {
    /// It is defined elsewhere.
    Declared,
    /// A definition for the optimiser only.
    Available,
    /// Any definition will do.
    Weak,
    /// C's tentative definition.
    Common,
    /// The definition.
    Strong,
    /// Only its file knows it.
    Local,
    /// A list to which each module adds.
    Appending,
}

/// The items of a text.
pub fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = kind(line) else { continue };
        let mut text = line.to_owned();
        if line.starts_with("define ") {
            for line in lines.by_ref() {
                text.push('\n');
                text.push_str(line);
                if line == "}" {
                    break;
                }
            }
        }
        let name = match kind {
            Kind::Symbol => symbol_of(line).unwrap_or_default(),
            Kind::Attributes => number(line.strip_prefix("attributes #").unwrap_or("")),
            Kind::Node => number(&line[1..]),
            _ => name(line.get(1..).unwrap_or("")),
        };
        items.push(Item { kind, name: name.to_owned(), linkage: linkage(line), text });
    }
    items
}

fn kind(line: &str) -> Option<Kind> {
    let second = line.as_bytes().get(1).copied().unwrap_or(b' ');
    match line.as_bytes().first()? {
        b'%' if line.contains(" = type ") => Some(Kind::Type),
        b'$' => Some(Kind::Comdat),
        b'@' => Some(Kind::Symbol),
        b'!' if second.is_ascii_digit() => Some(Kind::Node),
        b'!' if line.starts_with("!llvm.module.flags") || line.starts_with("!llvm.ident") => {
            Some(Kind::Flags)
        }
        b'!' => Some(Kind::Named),
        _ if line.starts_with("define ") || line.starts_with("declare ") => Some(Kind::Symbol),
        _ if line.starts_with("attributes #") => Some(Kind::Attributes),
        _ if line.starts_with("target ") => Some(Kind::Target),
        _ if line.starts_with("module asm ") => Some(Kind::Assembler),
        _ => None,
    }
}

fn number(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

/// The symbol that a text declares or defines.
pub fn symbol_of(text: &str) -> Option<&str> {
    Some(name(&text[text.find('@')? + 1..]))
}

fn linkage(line: &str) -> Linkage {
    let is_function = line.starts_with("define ") || line.starts_with("declare ");
    let head = match line.split_once(" = ") {
        Some((_, head)) if !is_function => head,
        _ => line,
    };
    let end = head.find(['@', '{', '[', '"', '<']).unwrap_or(head.len());
    let words = head[..end].split_ascii_whitespace();
    let of_word = |word: &str| match word {
        "private" | "internal" => Some(Linkage::Local),
        "linkonce" | "linkonce_odr" | "weak" | "weak_odr" => Some(Linkage::Weak),
        "common" => Some(Linkage::Common),
        "available_externally" => Some(Linkage::Available),
        "external" | "extern_weak" | "declare" => Some(Linkage::Declared),
        "appending" => Some(Linkage::Appending),
        _ => None,
    };
    words
        .take_while(|word| !matches!(*word, "global" | "constant"))
        .find_map(of_word)
        .unwrap_or(Linkage::Strong)
}

/// Two lists to which modules add as one: `… [1 x T] [T a], …` with `… [2 x T] [T b, T c], …`.
pub fn joined(first: &str, second: &str) -> Option<String> {
    let parts = |text: &str| -> Option<(String, u64, String, String, String)> {
        let (head, rest) = text.split_once(" [")?;
        let (count, rest) = rest.split_once(" x ")?;
        let (ty, rest) = rest.split_once("] [")?;
        let (list, tail) = rest.rsplit_once(']')?;
        Some((head.to_owned(), count.parse().ok()?, ty.to_owned(), list.to_owned(), tail.to_owned()))
    };
    let ((head, own, ty, list, tail), (_, others, _, more, _)) = (parts(first)?, parts(second)?);
    Some(format!("{head} [{} x {ty}] [{list}, {more}]{tail}", own + others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linkage_is_known_from_the_words_before_the_type() {
        for (line, expected) in [
            ("@x = global i32 0", Linkage::Strong),
            ("@x = dso_local global i32 0", Linkage::Strong),
            ("@x = external global i32", Linkage::Declared),
            ("@x = internal thread_local global i32 0", Linkage::Local),
            ("@x = private unnamed_addr constant [9 x i8] c\"internal\\00\"", Linkage::Local),
            ("@x = alias i32, i32* @internal", Linkage::Strong),
            ("define dso_local i32 @f() {", Linkage::Strong),
            ("define linkonce_odr void @f() comdat {", Linkage::Weak),
            ("declare i32 @f()", Linkage::Declared),
        ] {
            assert_eq!(linkage(line), expected, "{line}");
        }
    }
}
