//! Fingerprints of programs in LLVM IR, by which a schedule for another program is recognised.

/// The fingerprint of a module: BLAKE3 of its text without the lines that only say where its files are, in hexadecimal digits. So it
/// does not depend on the directory in which the program was compiled.
pub fn fingerprint(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines().filter(|line| !is_about_files(line)) {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn is_about_files(line: &str) -> bool {
    line.starts_with("; ModuleID")
        || line.starts_with("source_filename =")
        || line.starts_with('!') && line.contains(" = !DIFile(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_file_makes_no_difference_and_its_content_does() {
        let text = |file: &str, value: u32| {
            format!(
                "; ModuleID = '{file}'\nsource_filename = \"{file}\"\n@x = global i32 {value}\n\
                 !1 = !DIFile(filename: \"{file}\", directory: \"/\")\n"
            )
        };
        assert_eq!(fingerprint(&text("a.c", 1)), fingerprint(&text("./a.c", 1)));
        assert_ne!(fingerprint(&text("a.c", 1)), fingerprint(&text("a.c", 2)));
        assert_eq!(fingerprint("").len(), 64);
    }
}
