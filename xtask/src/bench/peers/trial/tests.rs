//! Rows for what other programs print.

use super::*;

#[test]
fn counts_of_perf_are_read() {
    let check = |line: &str, wants: Option<f64>| assert_eq!(counted(line), wants, "{line}");
    check("12345;;raw_syscalls:sys_enter;501;100.00;;", Some(12345.0));
    check("<not counted>;;raw_syscalls:sys_enter;0;100.00;;", None);
    check("12;;context-switches;501;100.00;;", None);
    check("", None);
}
