//! Functions of the C library that call back: they are compiled with the program that needs them.
//!
//! What the machine does itself cannot call functions of the program. So these are C, compiled by the same clang, and their
//! text takes the place of their declarations. The text of clang without debug information needs nothing else:
//! registers are numbered within each function, and attributes are skipped.

/// A function, its name and its source.
const FUNCTIONS: [(&str, &str); 2] = [
    (
        "qsort",
        "void qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *)) {
            unsigned char *bytes = base;
            for (unsigned long i = 1; i < count; i++)
                for (unsigned long j = i; j > 0 && compare(bytes + (j - 1) * size, bytes + j * size) > 0; j--)
                    for (unsigned long k = 0; k < size; k++) {
                        unsigned char byte = bytes[j * size + k];
                        bytes[j * size + k] = bytes[(j - 1) * size + k];
                        bytes[(j - 1) * size + k] = byte;
                    }
        }",
    ),
    (
        "bsearch",
        "void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
                       int (*compare)(const void *, const void *)) {
            unsigned long low = 0, high = count;
            while (low < high) {
                unsigned long middle = low + (high - low) / 2;
                void *element = (unsigned char *)base + middle * size;
                int order = compare(key, element);
                if (order == 0) return element;
                if (order < 0) high = middle; else low = middle + 1;
            }
            return 0;
        }",
    ),
];

/// The functions that a module in text form declares and we have: their names with their sources.
pub fn missing(text: &str) -> Vec<(&'static str, &'static str)> {
    FUNCTIONS.iter().copied().filter(|(name, _)| declaration(text, name).is_some()).collect()
}

/// Puts the definition of a function, which is in a module of its own, in the place of its declaration.
pub fn define(text: &str, name: &str, definition: &str) -> Option<String> {
    let declaration = declaration(text, name)?;
    let start = definition.find("\ndefine ")? + 1;
    let end = start + definition[start..].find("\n}\n")? + 3;
    Some(text.replacen(declaration, &definition[start..end], 1))
}

/// The line that declares a function.
fn declaration<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let name = format!("@{name}(");
    text.lines().find(|line| line.starts_with("declare ") && line.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_takes_the_place_of_its_declaration() {
        let text = "declare void @qsort(ptr, i64, i64, ptr) #1\n\ndeclare i32 @puts(ptr)\n";
        assert_eq!(missing(text).iter().map(|function| function.0).collect::<Vec<_>>(), ["qsort"]);
        let module =
            "target triple = \"x\"\n\ndefine void @qsort(ptr %0) {\n  ret void\n}\n\nattributes #0 = {}\n";
        let complete = define(text, "qsort", module).expect("it is declared and defined");
        assert_eq!(complete, "define void @qsort(ptr %0) {\n  ret void\n}\n\n\ndeclare i32 @puts(ptr)\n");
        assert!(missing(&complete).is_empty());
    }
}
