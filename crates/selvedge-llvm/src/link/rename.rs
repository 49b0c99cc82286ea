//! Renaming in the text of LLVM IR: symbols, types, and the numbers of metadata and attributes; what is in quotes stays as it is.

/// A part of a text that can be renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// `@name`, without the sign; in quotes if it has them.
    Symbol(&'t str),
    /// `%name`, a type or a register.
    Type(&'t str),
    /// `!number`.
    Metadata(u64),
    /// `#number`.
    Attributes(u64),
}

/// A text with the parts replaced for which there is something else.
pub fn renamed(text: &str, replace: &mut dyn FnMut(Token) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(at) = rest.find(['@', '%', '!', '#', '"', ';']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.as_bytes()[0] {
            b'"' => quoted(rest),
            b';' => rest.find('\n').unwrap_or(rest.len()),
            sign => {
                let name = name(&rest[1..]);
                let number = || name.parse::<u64>().ok();
                let token = match sign {
                    _ if name.is_empty() => None,
                    b'@' => Some(Token::Symbol(name)),
                    b'%' => Some(Token::Type(name)),
                    b'!' => number().map(Token::Metadata),
                    _ => number().map(Token::Attributes),
                };
                let length = 1 + name.len();
                if let Some(new) = token.and_then(&mut *replace) {
                    out.push_str(&new);
                    rest = &rest[length..];
                    continue;
                }
                length
            }
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out + rest
}

/// The length of what is in quotes at the beginning of a text, with the quotes.
fn quoted(text: &str) -> usize {
    text[1..].find('"').map_or(text.len(), |end| end + 2)
}

/// The name at the beginning of a text, which may be in quotes.
pub fn name(text: &str) -> &str {
    let length = match text.starts_with('"') {
        true => quoted(text),
        false => {
            text.find(|c: char| !(c.is_ascii_alphanumeric() || "-$._".contains(c))).unwrap_or(text.len())
        }
    };
    &text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_outside_of_quotes_and_comments() {
        let text = "call @f(%t* @\"g h\", !12) #3 c\"@f !12\" ; @f\n!{!\"@f\"}";
        let out = renamed(text, &mut |token| match token {
            Token::Symbol(name) => Some(format!("@{}", name.to_uppercase())),
            Token::Metadata(n) => Some(format!("!{}", n + 1)),
            Token::Attributes(n) => Some(format!("#{}", n + 1)),
            Token::Type(_) => None,
        });
        assert_eq!(out, "call @F(%t* @\"G H\", !13) #4 c\"@f !12\" ; @f\n!{!\"@f\"}");
    }
}
