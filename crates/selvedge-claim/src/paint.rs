//! Colours, used sparingly: what a text says never depends on them.

/// Whether to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// No colours.
    #[default]
    Plain,
    /// The colours of a terminal.
    Terminal,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The name of a thread.
    Name,
    /// Numbers and lines that hold the rest together.
    Frame,
    /// What a step read and wrote.
    Effect,
    /// Something wrong.
    Bad,
    /// Something right.
    Good,
    /// Something unknown.
    Unknown,
}

impl Palette {
    /// A text in the colour of its role. Pad it first: the codes take no room but have a length.
    pub fn paint(self, role: Role, text: &str) -> String {
        let code = match (self, role) {
            (Palette::Plain, _) => return text.to_owned(),
            (Palette::Terminal, Role::Name) => "1",
            (Palette::Terminal, Role::Frame) => "2",
            (Palette::Terminal, Role::Effect) => "36",
            (Palette::Terminal, Role::Bad) => "1;31",
            (Palette::Terminal, Role::Good) => "1;32",
            (Palette::Terminal, Role::Unknown) => "1;33",
        };
        match text.trim_end() {
            "" => text.to_owned(),
            visible => format!("\x1b[{code}m{visible}\x1b[0m{}", &text[visible.len()..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_palette_changes_nothing() {
        assert_eq!(Palette::Plain.paint(Role::Bad, "text "), "text ");
    }

    #[test]
    fn padding_is_not_painted() {
        assert_eq!(Palette::Terminal.paint(Role::Bad, "text "), "\x1b[1;31mtext\x1b[0m ");
        assert_eq!(Palette::Terminal.paint(Role::Bad, "  "), "  ");
    }
}
