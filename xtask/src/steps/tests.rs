//! Rows for the order of steps and for the table.

use super::*;

const GOOD: Step<()> = Step { name: "good", needs: &[], run: |()| Ok(()) };
const BAD: Step<()> = Step { name: "bad", needs: &[], run: |()| Err(Failure::new("why\nand more")) };

fn after(name: &'static str, needs: &'static [&'static str]) -> Step<()> {
    Step { name, needs, run: |()| Ok(()) }
}

#[test]
fn steps_run_unless_one_they_need_did_not_pass() {
    let check = |steps: &[Step<()>], expected: &[&str]| {
        let results = run_each(steps.iter(), &());
        let seen: Vec<_> = results.iter().map(|(name, outcome, _)| format!("{name} {outcome:?}")).collect();
        assert_eq!(seen.len(), expected.len());
        for (seen, expected) in seen.iter().zip(expected) {
            assert!(seen.starts_with(expected), "{seen} instead of {expected}");
        }
    };
    check(&[], &[]);
    check(&[GOOD, after("next", &["good"])], &["good Passed", "next Passed"]);
    check(&[BAD, GOOD], &["bad Failed", "good Passed"]);
    check(&[BAD, after("next", &["bad"])], &["bad Failed", "next NotRun"]);
    check(
        &[BAD, after("next", &["bad"]), after("last", &["next"])],
        &["bad Failed", "next NotRun", "last NotRun"],
    );
    check(&[GOOD, BAD, after("next", &["good", "bad"])], &["good Passed", "bad Failed", "next NotRun"]);
    check(&[after("alone", &["not chosen"])], &["alone Passed"]);
}

#[test]
fn the_table_has_each_step_the_sum_and_what_failed() {
    let results = [
        ("one", Outcome::Passed, Duration::from_millis(1500)),
        ("two", Outcome::Failed(Failure::new("why\nand more")), Duration::from_secs(60)),
        ("three", Outcome::NotRun, Duration::ZERO),
    ];
    let expected = "\
step                     wall  result
one                     1.5 s  passed
two                    60.0 s  FAILED
three                   0.0 s  not run
all                    61.5 s
two: why
";
    assert_eq!(table(&results), expected);
}

#[test]
fn a_need_is_the_name_of_an_earlier_step() {
    for (index, step) in STEPS.iter().enumerate() {
        for need in step.needs {
            assert!(STEPS[..index].iter().any(|earlier| earlier.name == *need), "{} needs {need}", step.name);
        }
    }
}

#[test]
fn an_unknown_step_is_refused_before_anything_runs() {
    let workspace = Workspace::parse(r#"{"workspace_root":"/w","target_directory":"/t"}"#).unwrap();
    let failure = run(&workspace, &["tidy", "unheard"]).unwrap_err();
    assert_eq!(failure.exit_code, 2);
    assert!(failure.to_string().contains("there is no step `unheard`; there are: tidy, fmt"), "{failure}");
}
