//! The tables of a comparison with published figures as one page of HTML, which needs no other file.

use super::report::{Outcome, Section};
use std::fmt::Write;

const HEAD: &str = "\
<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<title>Selvedge beside published figures</title>
<style>
body { font-family: sans-serif; margin: 2em; }
table { border-collapse: collapse; font-size: 85%; }
th, td { padding: 0.15em 0.7em; text-align: right; }
th { border-bottom: 1px solid; position: sticky; top: 0; background: white; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2), td:last-child { text-align: left; }
tr.reproduced { background: #e6f5e6; }
tr.explained { background: #fff7d6; }
tr.wrong { background: #ffd0d0; }
tr.missing { color: #777; }
p.legend { white-space: pre-line; font-size: 85%; }
</style>
</head>
<body>
<h1>Selvedge beside published figures</h1>
";

/// The page: the summary, and then every table.
pub fn html(sections: &[Section], summary: &str) -> String {
    let mut text = HEAD.to_owned();
    let _ = writeln!(text, "<p>{}</p>", escaped(summary.trim_end()));
    for section in sections {
        let _ = writeln!(text, "<h2>{}</h2>\n<table>\n<tr>{}</tr>", escaped(section.title), head(section));
        for (cells, outcome) in &section.rows {
            let cells: String =
                cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell.trim()))).collect();
            let _ = writeln!(text, "<tr class=\"{}\">{cells}</tr>", class(outcome));
        }
        let _ = writeln!(text, "</table>\n<p class=\"legend\">{}</p>", escaped(section.legend.trim_end()));
    }
    text + "</body>\n</html>\n"
}

fn head(section: &Section) -> String {
    section.columns.iter().map(|(name, _)| format!("<th>{}</th>", escaped(name))).collect()
}

fn class(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Reproduced => "reproduced",
        Outcome::Explained(_) => "explained",
        Outcome::Wrong => "wrong",
        Outcome::NotReproducible(_) | Outcome::NothingToCompare(_) | Outcome::Cut => "missing",
        Outcome::Description => "description",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_on_the_page_with_its_outcome() {
        let row = |name: &str, outcome| (vec![name.to_owned(), "> 4 h".to_owned()], outcome);
        let rows = vec![row("a", Outcome::Reproduced), row("b", Outcome::Wrong), row("c", Outcome::Cut)];
        let section = Section {
            title: "A & B",
            columns: &[("program", 9), ("time", 9)],
            rows,
            left_out: 0,
            legend: "below".to_owned(),
        };
        let text = html(&[section], "3 rows\n");
        for expected in [
            "<h2>A &amp; B</h2>",
            "<th>program</th><th>time</th>",
            "<tr class=\"reproduced\"><td>a</td><td>&gt; 4 h</td></tr>",
            "<tr class=\"wrong\"><td>b</td>",
            "<tr class=\"missing\"><td>c</td>",
            "<p>3 rows</p>",
            ">below</p>",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }
}
