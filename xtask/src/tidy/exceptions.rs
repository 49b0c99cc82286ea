//! What breaks a rule about functions and is not mended yet. The list only gets shorter: a line that is no longer needed is a complaint, too.

use super::Complaint;

/// The list, a complaint without its line number on each line.
const LIST: &str = include_str!("exceptions.txt");

/// Where the list is.
const PATH: &str = "xtask/src/tidy/exceptions.txt";

/// The complaints that are not on the list, and the lines of the list that nothing needs.
pub fn apply(complaints: Vec<Complaint>) -> Vec<Complaint> {
    apply_list(LIST, complaints)
}

fn apply_list(list: &str, complaints: Vec<Complaint>) -> Vec<Complaint> {
    let (known, mut left): (Vec<Complaint>, Vec<Complaint>) =
        complaints.into_iter().partition(|complaint| list.lines().any(|line| line == key(complaint)));
    let is_needed = |line: &str| known.iter().any(|complaint| key(complaint) == line);
    let message = |line| format!("nothing breaks this rule any more, remove the line: {line}");
    left.extend(
        list.lines().filter(|line| !is_needed(line)).map(|line| Complaint::about(PATH, message(line))),
    );
    left
}

fn key(complaint: &Complaint) -> String {
    format!("{}: {}", complaint.path.display(), complaint.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_left_out_and_what_is_not_needed_is_told() {
        let complaint =
            |message: &str| Complaint { path: "a.rs".into(), line: Some(3), message: message.to_owned() };
        let list = "a.rs: old\na.rs: mended\n";
        let left = apply_list(list, vec![complaint("old"), complaint("new")]);
        let left: Vec<String> = left.iter().map(|complaint| complaint.message.clone()).collect();
        assert_eq!(left, ["new", "nothing breaks this rule any more, remove the line: a.rs: mended"]);
    }
}
