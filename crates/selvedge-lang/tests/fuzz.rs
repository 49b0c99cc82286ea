//! No input makes the compiler panic, and what it accepts is well-formed IR.
//!
//! Inputs are pseudo-random but always the same: bytes, words of the language in any order, and damaged copies of the
//! example programs.

use std::collections::BTreeMap;
use std::path::Path;

use selvedge_explore::sampling::Stream;
use selvedge_ir::Program;
use selvedge_lang::Diagnostic;

const ROUNDS: usize = 100_000;

/// One of several things.
fn pick<'a, T>(random: &mut Stream, from: &'a [T]) -> &'a T {
    &from[random.below(from.len())]
}

/// Compiles a text of the modelling language; whether it succeeded.
fn survives(text: &str) -> bool {
    is_sound(text, selvedge_lang::compile("fuzz.sel", text, &BTreeMap::new()))
}

/// Compiles a text in dlang; whether it succeeded.
fn survives_as_dlang(text: &str) -> bool {
    is_sound(text, selvedge_lang::compile_dlang("fuzz.d", text))
}

/// Whether a text was accepted; fails if it was refused without a reason, or accepted without sense.
fn is_sound(text: &str, compiled: Result<Program, Vec<Diagnostic>>) -> bool {
    match compiled {
        Err(errors) => {
            assert!(!errors.is_empty(), "no reason given for:\n{text}");
            let spans = errors.iter().map(|error| error.span);
            for span in spans.chain(errors.iter().flat_map(|error| error.notes.iter().map(|note| note.0))) {
                let is_place = text.get(span.start as usize..span.end as usize).is_some();
                assert!(is_place, "{span:?} is no part of:\n{text}");
            }
            false
        }
        Ok(program) => {
            let well_formed = selvedge_ir::check::check(&program);
            assert!(well_formed.is_ok(), "{well_formed:?}\n{text}");
            true
        }
    }
}

fn examples(wanted: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "benches/seeds", "benches/lazypor"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder exists");
        paths.extend(entries.map(|entry| entry.expect("the folder can be read").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == wanted));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("the program can be read")).collect()
}

/// Words, numbers and symbols of a text, without comments.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or("");
        let mut before = None;
        for c in code.chars() {
            let sort = match c {
                _ if c.is_alphanumeric() || c == '_' => Some("word"),
                _ if "=<>&|+-*/%^!.".contains(c) => Some("operator"),
                _ => None,
            };
            match words.last_mut() {
                Some(last) if sort.is_some() && sort == before => last.push(c),
                _ if c.is_whitespace() => {}
                _ => words.push(c.to_string()),
            }
            before = sort;
        }
    }
    words
}

fn damage(words: &mut Vec<String>, others: &[String], random: &mut Stream) {
    let at = random.below(words.len());
    let length = 1 + random.below(4);
    let end = (at + length).min(words.len());
    match random.below(5) {
        0 => drop(words.drain(at..end)),
        1 => {
            let copy = words[at..end].to_vec();
            let target = random.below(words.len() + 1);
            words.splice(target..target, copy);
        }
        2 => {
            let other = random.below(words.len());
            words.swap(at, other);
        }
        3 => words[at] = pick(random, others).clone(),
        _ => words.insert(at, pick(random, others).clone()),
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = Stream::new(1);
    for _ in 0..ROUNDS {
        let length = random.below(120);
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        let text = String::from_utf8_lossy(&bytes);
        survives(&text);
        survives_as_dlang(&text);
    }
}

#[test]
fn random_words_do_no_harm() {
    let mut vocabulary: Vec<String> = examples("sel").iter().flat_map(|text| words(text)).collect();
    vocabulary.sort();
    vocabulary.dedup();
    let symbols =
        "+= ++ << >> && || == .. ? : nondet atomic swap self true 0 1 -1 9223372036854775807 x a m ( ) { }";
    vocabulary.extend(symbols.split(' ').map(str::to_string));
    let mut random = Stream::new(2);
    for _ in 0..ROUNDS {
        let length = random.below(60);
        let soup: Vec<&str> = (0..length).map(|_| pick(&mut random, &vocabulary).as_str()).collect();
        let soup = soup.join(" ");
        survives(&soup);
        survives(&format!("shared x, a[3]; mutex m; thread t {{ {soup} }}"));
    }
}

#[test]
fn damaged_examples_do_no_harm() {
    let examples: Vec<Vec<String>> = examples("sel").iter().map(|text| words(text)).collect();
    let vocabulary: Vec<String> = examples.iter().flatten().cloned().collect();
    let mut random = Stream::new(3);
    let mut accepted = 0;
    for _ in 0..ROUNDS {
        let mut words = pick(&mut random, &examples).clone();
        for _ in 0..1 + random.below(3) {
            damage(&mut words, &vocabulary, &mut random);
            if words.is_empty() {
                break;
            }
        }
        accepted += usize::from(survives(&words.join(" ")));
    }
    // The damage must leave some programs alive, or lowering is not tested at all.
    assert!(accepted > ROUNDS / 100, "only {accepted} programs were accepted");
}

#[test]
fn random_words_of_dlang_do_no_harm() {
    let vocabulary = "<{2 <{3 }> $ x$ < > [ ] [ ] { } ( ) , := := == + - * / % = if then else while indexer( comp-swap( cas( \
                      local const 0 1 2 7 99 x y a t c v v-1 \"name\" // \n é";
    let vocabulary: Vec<&str> = vocabulary.split(' ').collect();
    let statements = "x := 1;a[v] := x + c % 3;if x == a[1];if x < v then {;} else {;};while v > 2 {;cas(t[v], 0, x);\
                      indexer(c, c, v, v, v, t[v], 3);v := v - 1;<{3;}>;a[$] := $;] [;x := v / ( x % 2 )";
    let statements: Vec<&str> = statements.split(';').collect();
    let mut random = Stream::new(4);
    let mut accepted = 0;
    for _ in 0..ROUNDS {
        let length = random.below(40);
        let soup: Vec<&str> = (0..length).map(|_| *pick(&mut random, &vocabulary)).collect();
        survives_as_dlang(&soup.join(" "));
        let lines: Vec<&str> = (0..1 + random.below(6)).map(|_| *pick(&mut random, &statements)).collect();
        let (before, after) = soup.split_at(random.below(2 * soup.len() + 1).min(soup.len()) / 8);
        let body =
            format!("{} {} {}", before.join(" "), lines.join(" "), after[..after.len() / 16].join(" "));
        let text = format!("<1, x 1, y 1 5, a 4 1, t 9, const c 1 3, local v 1> [{body}]");
        accepted += usize::from(survives_as_dlang(&text));
    }
    assert!(accepted > ROUNDS / 100, "only {accepted} programs were accepted");
}

#[test]
fn damaged_examples_of_dlang_do_no_harm() {
    let split = |text: &String| {
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
        lines.flat_map(str::split_whitespace).map(str::to_string).collect()
    };
    let examples: Vec<Vec<String>> = examples("d").iter().map(split).collect();
    assert_eq!(examples.len(), 5);
    let vocabulary: Vec<String> = examples.iter().flatten().cloned().collect();
    let mut random = Stream::new(5);
    let mut accepted = 0;
    for _ in 0..ROUNDS {
        let mut words = pick(&mut random, &examples).clone();
        damage(&mut words, &vocabulary, &mut random);
        let mut text = words.join(" ");
        if random.below(4) == 0 {
            let at = random.below(text.len());
            let patches = ["", "$", "}>", "<{2", "[", "]", "\n", "9"];
            let patch = patches[random.below(patches.len())];
            text.replace_range(at..at + 1, patch);
        }
        accepted += usize::from(survives_as_dlang(&text));
    }
    assert!(accepted > ROUNDS / 100, "only {accepted} programs were accepted");
}
