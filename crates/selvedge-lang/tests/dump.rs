#[test]
fn dump() {
    let path = std::env::var("SEL").unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    match selvedge_lang::compile(&path, &text, &Default::default()) {
        Ok(p) => {
            println!("{}", selvedge_ir::print::print(&p));
            println!("{:?}", selvedge_ir::check::check(&p));
        }
        Err(e) => println!("{e:#?}"),
    }
}
