//! The attributes of the crate `selvedge`.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Turns a function into a test that checks its body in every interleaving that matters.
///
/// `#[selvedge::test]` is `#[test]` with `selvedge::check` around the body. Arguments are calls of the builder
/// `selvedge::Checker`: `#[selvedge::test(max_executions(1000), keep_going())]`. Other attributes, such as
/// `#[should_panic]`, stay as they are. The function may return a `Result`, as with `#[test]`. Where the crate has another name, or
/// is re-exported, the first argument says where it is: `#[checked::test(crate = checked, keep_going())]`.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let (library, arguments) = library_path(arguments);
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop().filter(is_block) else {
        return error("`#[selvedge::test]` goes on a function with a body");
    };
    // The body becomes a function of its own, so that `return` and `?` mean what they mean in a test.
    let returned = tokens.split_off(position_of_arrow(&tokens).unwrap_or(tokens.len()));
    let mut inner = parsed("fn body()");
    inner.extend(returned);
    inner.extend([TokenTree::Group(body)]);
    inner.extend(library.clone());
    inner.extend(parsed("::outcome::Outcome::conclude(body())"));
    let mut closure = parsed("||");
    closure.extend([TokenTree::Group(Group::new(Delimiter::Brace, inner))]);
    let mut checked = library;
    checked.extend(parsed("::Checker::new()"));
    checked.extend(calls(arguments));
    checked.extend(parsed(".jobs_of_environment().check"));
    checked.extend([TokenTree::Group(Group::new(Delimiter::Parenthesis, closure))]);
    let mut test = parsed("#[::core::prelude::v1::test]");
    test.extend(tokens);
    test.extend([TokenTree::Group(Group::new(Delimiter::Brace, checked))]);
    test
}

/// Makes a static anew for each execution, like `selvedge::statics!`, without a change of the static itself:
/// `#[cfg_attr(selvedge, selvedge::per_execution)] static HITS: AtomicUsize = AtomicUsize::new(0);`. The argument `crate = path` says where
/// the crate is, if it has another name.
#[proc_macro_attribute]
pub fn per_execution(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (library, arguments) = library_path(arguments);
    if !arguments.is_empty() {
        return error("`#[selvedge::per_execution]` takes no arguments but `crate = path`");
    }
    let mut tokens = item.clone().into_iter();
    if !tokens.any(|token| is_word(&token, "static")) || tokens.next().is_some_and(|t| is_word(&t, "mut")) {
        return error("`#[selvedge::per_execution]` goes on a static that is not `mut`");
    }
    let mut made = library;
    made.extend(parsed(match has_type_lazy_lock(item.clone()) {
        true => "::lazy_lock_of_each_execution!",
        false => "::static_of_each_execution!",
    }));
    made.extend([TokenTree::Group(Group::new(Delimiter::Brace, item))]);
    made
}

/// Where the library is, and the other arguments: `crate = path`, if the arguments begin with that, and `::selvedge` otherwise.
fn library_path(arguments: TokenStream) -> (TokenStream, TokenStream) {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let is_mark = |token: &TokenTree, mark: char| matches!(token, TokenTree::Punct(p) if p.as_char() == mark);
    match &tokens[..] {
        [word, equals, rest @ ..] if is_word(word, "crate") && is_mark(equals, '=') => {
            let comma = rest.iter().position(|token| is_mark(token, ',')).unwrap_or(rest.len());
            let others = rest.iter().skip(comma + 1).cloned().collect();
            (rest[..comma].iter().cloned().collect(), others)
        }
        _ => (parsed("::selvedge"), tokens.into_iter().collect()),
    }
}

/// Whether the type of a static is a path that ends in `LazyLock`, but for what is in angle brackets.
fn has_type_lazy_lock(item: TokenStream) -> bool {
    let mut tokens = item.into_iter().skip_while(|token| !is_word(token, "static"));
    let is_mark = |token: &TokenTree, mark: char| matches!(token, TokenTree::Punct(p) if p.as_char() == mark);
    let _name = tokens.by_ref().find(|token| is_mark(token, ':'));
    let mut last = None;
    for token in tokens.flat_map(without_group) {
        match &token {
            TokenTree::Ident(word) => last = Some(word.to_string()),
            TokenTree::Punct(mark) if mark.as_char() == ':' => {}
            _ => break,
        }
    }
    last.is_some_and(|word| word == "LazyLock")
}

/// The tokens of something that a macro has passed on as a whole.
fn without_group(token: TokenTree) -> Vec<TokenTree> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            group.stream().into_iter().flat_map(without_group).collect()
        }
        token => vec![token],
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(i) if i.to_string() == word)
}

/// Where the type that a function returns begins, with its arrow.
fn position_of_arrow(tokens: &[TokenTree]) -> Option<usize> {
    let is = |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    tokens.windows(2).position(|pair| is(&pair[0], '-') && is(&pair[1], '>'))
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// The arguments, separated by commas, as calls of a builder.
fn calls(arguments: TokenStream) -> TokenStream {
    let mut calls = TokenStream::new();
    let mut is_first = true;
    for token in arguments {
        if is_first {
            calls.extend(parsed("."));
        }
        is_first = matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',');
        if !is_first {
            calls.extend([token]);
        }
    }
    calls
}

fn parsed(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

fn error(message: &str) -> TokenStream {
    parsed(&format!("::core::compile_error!({message:?});"))
}
