//! Names and values for people, from the debug information: `queue.items[3]`, `&lock`, `-1`.

use crate::code::{Code, Place, Variable};
use crate::memory::{Kind, Memory, ObjectId};
use selvedge_llvm::Module;

/// What an object is, in words.
pub fn describe_object(code: &Code, memory: &Memory, id: ObjectId) -> String {
    let object = memory.object(id);
    match variable(code, object.kind) {
        Some(variable) if !variable.name.is_empty() => format!("`{}`", variable.name),
        _ => match object.kind {
            Kind::Heap => {
                let place = match short_place(code, object.place) {
                    (None, line) => format!("line {line}"),
                    (Some(file), line) => format!("{file}:{line}"),
                };
                format!("a block of {} bytes allocated at {place}", object.size)
            }
            Kind::Arguments => "arguments".to_owned(),
            Kind::Constant(_) => "a constant".to_owned(),
            _ => "a variable without name".to_owned(),
        },
    }
}

/// A place by its line, and by the name of its file if that is not the file of `main`.
fn short_place(code: &Code, place: Place) -> (Option<&str>, u32) {
    let main = code.main.and_then(|main| code.functions.get(main as usize));
    let is_of_main = main.is_none_or(|main| code.place(main.entry).file == place.file);
    let file = code.files.get(place.file as usize).filter(|_| !is_of_main);
    (file.map(|name| name.rsplit('/').next().unwrap_or(name)), place.line)
}

fn variable(code: &Code, kind: Kind) -> Option<&Variable> {
    match kind {
        Kind::Global(number) | Kind::Constant(number) | Kind::ThreadLocal(number) => {
            code.globals.get(number as usize).map(|global| &global.variable)
        }
        Kind::Stack(number) => code.variables.get((number as usize).checked_sub(1)?),
        _ => None,
    }
}

/// The name of what is at an address, and the node of its type.
pub fn describe(
    code: &Code,
    module: &Module,
    memory: &Memory,
    address: u64,
    size: u64,
) -> (String, Option<u32>) {
    let Some(id) = memory.find(address) else { return (format!("{address:#x}"), None) };
    let object = memory.object(id);
    let offset = address.saturating_sub(object.base);
    if let Some(variable) = variable(code, object.kind)
        && !variable.name.is_empty()
    {
        let mut name = variable.name.clone();
        let ty = variable.ty.and_then(|ty| part(module, ty, offset, size, &mut name));
        if ty.is_none() && (offset > 0 || size < object.size) && variable.ty.is_none() {
            name = format!("{name}+{offset}");
        }
        return (name, ty);
    }
    let base = match object.kind {
        Kind::Heap => match short_place(code, object.place) {
            (None, line) => format!("block@{line}"),
            (Some(file), line) => format!("block@{file}:{line}"),
        },
        _ => "?".to_owned(),
    };
    match offset {
        0 => (base, None),
        _ => (format!("{base}+{offset}"), None),
    }
}

/// A type without its other names and qualifiers.
fn plain(module: &Module, ty: u32) -> Option<u32> {
    let mut at = ty;
    for _ in 0..50 {
        let node = module.metadata.node(at)?;
        let is_other_name = node.kind == "DIDerivedType"
            && matches!(
                node.text("tag"),
                Some(
                    "DW_TAG_typedef"
                        | "DW_TAG_const_type"
                        | "DW_TAG_volatile_type"
                        | "DW_TAG_restrict_type"
                        | "DW_TAG_atomic_type"
                )
            );
        if !is_other_name {
            return Some(at);
        }
        at = node.reference("baseType")?;
    }
    None
}

fn size_of(module: &Module, ty: u32) -> Option<u64> {
    let node = module.metadata.node(plain(module, ty)?)?;
    node.number("size").map(|bits| bits as u64 / 8)
}

/// Adds the way to a part of a variable to its name; the node of the part's type.
fn part(module: &Module, ty: u32, offset: u64, size: u64, name: &mut String) -> Option<u32> {
    let ty = plain(module, ty)?;
    let node = module.metadata.node(ty)?;
    if node.kind != "DICompositeType" {
        return Some(ty);
    }
    let elements = node.reference("elements").and_then(|list| module.metadata.node(list));
    match node.text("tag") {
        Some("DW_TAG_array_type") => {
            let mut base = node.reference("baseType")?;
            let element = size_of(module, base).or_else(|| {
                base = plain(module, base)?;
                size_of(module, base)
            })?;
            if size > element || element == 0 {
                return Some(ty);
            }
            let counts: Vec<u64> = elements
                .map(|list| {
                    list.elements()
                        .filter_map(|e| module.metadata.node(e)?.number("count").map(|n| n.max(1) as u64))
                        .collect()
                })
                .unwrap_or_default();
            let mut index = offset / element;
            let mut texts = Vec::new();
            for count in counts.iter().skip(1).rev() {
                texts.push(format!("[{}]", index % count));
                index /= count;
            }
            texts.push(format!("[{index}]"));
            texts.reverse();
            name.push_str(&texts.concat());
            part(module, base, offset % element, size, name)
        }
        Some("DW_TAG_structure_type" | "DW_TAG_class_type" | "DW_TAG_union_type") => {
            for member in elements?.elements() {
                let Some(member) = module.metadata.node(member) else { continue };
                if !matches!(member.text("tag"), Some("DW_TAG_member" | "DW_TAG_inheritance")) {
                    continue;
                }
                let start = member.number("offset").unwrap_or(0) as u64 / 8;
                let Some(base) = member.reference("baseType") else { continue };
                let length = size_of(module, base).unwrap_or(0);
                let (end, end_of_member) = (offset.saturating_add(size), start.saturating_add(length));
                if offset >= start && end <= end_of_member {
                    if let Some(field) = member.text("name") {
                        name.push('.');
                        name.push_str(field);
                    }
                    return part(module, base, offset - start, size, name);
                }
            }
            Some(ty)
        }
        _ => Some(ty),
    }
}

/// A value as text, by the node of its type if that is known.
pub fn value(code: &Code, module: &Module, memory: &Memory, word: u64, size: u64, ty: Option<u32>) -> String {
    let bits = (size * 8).min(64) as u8;
    let shift = 64 - u32::from(bits);
    let signed = ((word << shift) as i64) >> shift;
    let node = ty.and_then(|ty| module.metadata.node(plain(module, ty)?));
    let encoding = node.and_then(|node| node.text("encoding")).unwrap_or("");
    let is_pointer = node.is_some_and(|node| {
        node.kind == "DIDerivedType" && node.text("tag").is_some_and(|tag| tag.contains("pointer"))
    });
    match encoding {
        "DW_ATE_boolean" => (word != 0).to_string(),
        "DW_ATE_unsigned" | "DW_ATE_unsigned_char" => word.to_string(),
        "DW_ATE_signed_char" if (32..127).contains(&word) => format!("'{}'", word as u8 as char),
        "DW_ATE_float" if size == 4 => f32::from_bits(word as u32).to_string(),
        "DW_ATE_float" => f64::from_bits(word).to_string(),
        _ if is_pointer || (size == 8 && memory.base_of(word).is_some()) => {
            pointer(code, module, memory, word)
        }
        _ => signed.to_string(),
    }
}

fn pointer(code: &Code, module: &Module, memory: &Memory, address: u64) -> String {
    match address {
        0 => "null".to_owned(),
        _ if memory.find(address).is_some() => {
            let (name, _) = describe(code, module, memory, address, u64::MAX);
            format!("&{name}")
        }
        _ => match code.function_addresses.get(&address) {
            Some(crate::code::Callee::Function(function)) => {
                code.functions.get(*function as usize).map_or(String::new(), |f| f.name.clone())
            }
            _ => match memory.landmarks.thread_of(address) {
                Some(thread) => format!("thread {thread}"),
                None => format!("{address:#x}"),
            },
        },
    }
}
