//! Rows for the command line.

use super::*;

#[test]
fn command_lines_that_mean_nothing_are_refused_with_two() {
    let check = |line: &str, part: &str| {
        let failure = dispatch(&line.split_whitespace().collect::<Vec<_>>()).unwrap_err();
        assert!(failure.to_string().contains(part), "{line}: {failure}");
        assert_eq!(failure.exit_code, 2, "{line}");
    };
    check("tests", "`tests` is not understood");
    check("tidy now", "`tidy` is not understood");
    check("lint --fix", "`lint` is not understood");
    check("gen --dry", "`gen` is not understood");
    check("conformance", "say which role");
    check("fuzz --seconds", "`--seconds` needs a value");
}

#[test]
fn help_names_every_command() {
    dispatch(&["help"]).unwrap();
    for command in ["test", "tidy", "lint", "gen", "suites", "conformance", "fuzz", "readme"] {
        assert!(HELP.contains(&format!("\n  {command} ")), "{command}");
    }
}
