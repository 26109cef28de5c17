//! Rows for the command line.

use super::*;

fn parse(line: &str) -> Result<Request> {
    Request::parse(&line.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn words_choose_rounds_stacks_cells_and_parts() {
    let request = parse("--rounds 5 --seconds 0.5 --only ours,tonic --cells unary,bidi-50 --free").unwrap();
    assert_eq!((request.rounds, request.seconds), (5, 0.5));
    assert_eq!(request.stacks(|_| true), [Stack::Ours, Stack::Tonic]);
    let names: Vec<_> = request.chosen(&cells::servers()).into_iter().map(Cell::name).collect();
    assert_eq!(names, ["unary-1/1", "unary-50/1", "unary-50/10", "bidi-50/1", "bidi-50/10"]);
    assert_eq!(request.parts, [Part::Free]);
    assert_eq!(parse("").unwrap().parts, [Part::Pinned, Part::Free, Part::Clients, Part::Idle]);
    assert_eq!(parse("--syscalls").unwrap().parts, [Part::SystemCalls]);
}

#[test]
fn words_that_mean_nothing_are_refused() {
    let check = |line: &str, part: &str| {
        let failure = parse(line).unwrap_err();
        assert!(failure.to_string().contains(part), "{line}: {failure}");
        assert_eq!(failure.exit_code, 2, "{line}");
    };
    check("--rounds", "needs a value");
    check("--rounds --free", "needs a value");
    check("--rounds 0", "`--rounds 0` is not a number");
    check("--seconds nan", "`--seconds nan` is not a number");
    check("--seconds inf", "`--seconds inf` is not a number");
    check("--only volo", "no stack `volo`");
    check("--cells duplex", "no cell begins like that");
    check("fast", "`fast` means nothing");
}

#[test]
fn every_bar_has_a_cell() {
    let count =
        |cells: Vec<Cell>, is_client| cells.into_iter().filter_map(|cell| cell.bars(is_client)).count();
    assert_eq!((count(cells::servers(), false), count(cells::clients(), true)), (12, 4));
}
