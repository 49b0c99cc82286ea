//! Accesses that a schedule leaves unordered: they become sequentially consistent, so that what was verified holds on hardware.

/// Words for how an access is ordered that are weaker than sequential consistency.
const WEAKER: [&str; 5] = ["unordered", "monotonic", "acquire", "release", "acq_rel"];

/// The line of an access, sequentially consistent; nothing if it has no such form.
pub fn sequentially_consistent(line: &str) -> Option<String> {
    let (code, rest) = split(line);
    let words: Vec<&str> = code.split(' ').collect();
    let opcode =
        words.iter().position(|word| ["load", "store", "cmpxchg", "atomicrmw", "fence"].contains(word))?;
    let is_atomic =
        words[opcode] != "load" && words[opcode] != "store" || words.get(opcode + 1) == Some(&"atomic");
    if is_atomic {
        let strengthened: Vec<String> = words.iter().map(|word| strengthen(word)).collect();
        return Some(strengthened.join(" ") + rest);
    }
    // `, align 4` is what says that the access is a plain one of one piece.
    let bytes: u64 =
        rest.strip_prefix(", align ")?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    let is_volatile = words.get(opcode + 1) == Some(&"volatile");
    let ty = words.get(opcode + 1 + usize::from(is_volatile))?.trim_end_matches(',');
    if size(ty)? > bytes {
        return None;
    }
    let head = words[..=opcode].join(" ");
    let operands = words[opcode + 1..].join(" ");
    Some(format!("{head} atomic {operands} seq_cst{rest}"))
}

fn strengthen(word: &str) -> String {
    let (bare, comma) = word.strip_suffix(',').map_or((word, ""), |bare| (bare, ","));
    if WEAKER.contains(&bare) { format!("seq_cst{comma}") } else { word.to_owned() }
}

/// The instruction itself, and what is attached to it.
fn split(line: &str) -> (&str, &str) {
    let at = line.find(", align ").or_else(|| line.find(", !dbg"));
    line.split_at(at.unwrap_or(line.len()))
}

/// The bytes of a type that can be accessed atomically.
fn size(ty: &str) -> Option<u64> {
    match ty {
        "i8" => Some(1),
        "i16" => Some(2),
        "i32" | "float" => Some(4),
        "i64" | "double" | "ptr" => Some(8),
        _ if ty.ends_with('*') => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_weak_accesses_become_sequentially_consistent() {
        for (weak, strong) in [
            (
                "  %3 = load i32, i32* %2, align 4, !dbg !7",
                Some("  %3 = load atomic i32, i32* %2 seq_cst, align 4, !dbg !7"),
            ),
            (
                "  store volatile i8 %3, i8* @x, align 1",
                Some("  store atomic volatile i8 %3, i8* @x seq_cst, align 1"),
            ),
            (
                "  %3 = load atomic i32, ptr @release monotonic, align 4",
                Some("  %3 = load atomic i32, ptr @release seq_cst, align 4"),
            ),
            (
                "  %5 = cmpxchg weak ptr %2, i32 %3, i32 %4 acq_rel monotonic, align 4",
                Some("  %5 = cmpxchg weak ptr %2, i32 %3, i32 %4 seq_cst seq_cst, align 4"),
            ),
            (
                "  %5 = atomicrmw add i32* %2, i32 1 release, align 4",
                Some("  %5 = atomicrmw add i32* %2, i32 1 seq_cst, align 4"),
            ),
            ("  %3 = load { i32, i32 }, ptr %2, align 4", None),
            ("  %3 = load i64, ptr %2, align 4", None),
            ("  call void @f()", None),
        ] {
            assert_eq!(sequentially_consistent(weak).as_deref(), strong, "{weak}");
        }
    }
}
