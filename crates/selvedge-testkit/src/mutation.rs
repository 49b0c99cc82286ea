//! Schedules and certificates with one line changed.

use crate::random::Random;

/// A text with one of its lines, by number, changed in some way: left out, said twice, exchanged with the next, replaced by another line of the same kind,
/// or with a word changed.
pub fn mutated(text: &str, line: usize, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match random.below(8) {
        0 => drop(lines.remove(line)),
        1 => lines.insert(line, lines[line].clone()),
        2 if line + 1 < lines.len() => lines.swap(line, line + 1),
        3 => {
            let head = |line: &str| line.split_whitespace().next().unwrap_or("").to_owned();
            let kind = head(&lines[line]);
            let alike: Vec<String> = lines.iter().filter(|other| head(other) == kind).cloned().collect();
            lines[line] = random.pick(&alike).clone();
        }
        _ => lines[line] = changed(&lines[line], random),
    }
    lines.join("\n") + "\n"
}

/// A line with a word changed.
fn changed(line: &str, random: &mut Random) -> String {
    let body = line.trim_start();
    let indent = &line[..line.len() - body.len()];
    let (head, rest) = body.split_once(' ').unwrap_or((body, ""));
    let rest = match head {
        "when" | "holds" | "label" => formula(rest, random),
        "program" => rest.chars().rev().collect(),
        _ => number(rest, random),
    };
    format!("{indent}{head} {rest}")
}

fn formula(text: &str, random: &mut Random) -> String {
    match random.below(5) {
        0 => "false".to_owned(),
        1 => "true".to_owned(),
        2 => format!("(not {text})"),
        3 => text.replacen("<=", "=", 1),
        _ => number(text, random),
    }
}

/// A text with one of its numbers changed.
fn number(text: &str, random: &mut Random) -> String {
    let digits: Vec<usize> =
        text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    if digits.is_empty() {
        return format!("{text} 1");
    }
    let at = *random.pick(&digits);
    let other = (b'0' + random.below(10) as u8) as char;
    format!("{}{other}{}", &text[..at], &text[at + 1..])
}
