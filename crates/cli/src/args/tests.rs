use std::fs;
use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::*;

fn parse(words: &str) -> Result<Args, clap::Error> {
    Args::try_parse_from(words.split_whitespace())
}

#[test]
fn command_line_accepts_and_rejects() {
    let check = |words: &str, expected: Result<(), ErrorKind>| {
        assert_eq!(parse(words).map(drop).map_err(|error| error.kind()), expected, "{words}");
    };
    check("trunkline serve", Ok(()));
    check("trunkline serve --listen localhost:0", Ok(()));
    check("trunkline serve --listen [::1]:8080", Ok(()));
    check("trunkline serve --tls-self-signed", Ok(()));
    check("trunkline serve --tls", Ok(()));
    check("trunkline serve --tls-self-signed --tls-cert-out a.pem", Ok(()));
    check("trunkline serve --tls-cert a.pem --tls-key a.key", Ok(()));
    check("trunkline demo --seconds 0.2 --callers 1 --format json", Ok(()));
    check("trunkline demo --callers 256", Ok(()));

    check("trunkline", Err(ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand));
    check("trunkline help", Err(ErrorKind::DisplayHelp));
    check("trunkline help serve", Err(ErrorKind::DisplayHelp));
    check("trunkline serv", Err(ErrorKind::InvalidSubcommand));
    check("trunkline serve --listen 8080", Err(ErrorKind::ValueValidation));
    check("trunkline serve --listen :8080", Err(ErrorKind::ValueValidation));
    check("trunkline serve --listen 127.0.0.1:http", Err(ErrorKind::ValueValidation));
    check("trunkline serve --listen 127.0.0.1:65536", Err(ErrorKind::ValueValidation));
    check("trunkline serve --listen ::1:8080", Err(ErrorKind::ValueValidation));
    check("trunkline serve --tls-cert a.pem", Err(ErrorKind::MissingRequiredArgument));
    check("trunkline serve --tls-key a.key", Err(ErrorKind::MissingRequiredArgument));
    check("trunkline serve --tls-cert-out a.pem", Err(ErrorKind::MissingRequiredArgument));
    check("trunkline serve --tls-self-signed --tls-cert a --tls-key b", Err(ErrorKind::ArgumentConflict));
    check("trunkline demo --callers 0", Err(ErrorKind::ValueValidation));
    check("trunkline demo --callers -1", Err(ErrorKind::ValueValidation));
    check("trunkline demo --callers 65537", Err(ErrorKind::ValueValidation));
    check("trunkline demo --callers 257", Err(ErrorKind::ValueValidation));
    check("trunkline demo --seconds 0", Err(ErrorKind::ValueValidation));
    check("trunkline demo --seconds -1", Err(ErrorKind::ValueValidation));
    check("trunkline demo --seconds 61", Err(ErrorKind::ValueValidation));
    check("trunkline demo --seconds NaN", Err(ErrorKind::ValueValidation));
    check("trunkline demo --seconds x", Err(ErrorKind::ValueValidation));
    check("trunkline demo --format html", Err(ErrorKind::InvalidValue));
}

#[test]
fn wrong_value_is_answered_with_the_right_form() {
    let check = |words: &str, expected: &str| {
        let seen = parse(words).unwrap_err().to_string();
        assert!(seen.contains(expected), "{words}: {seen}");
    };
    check("trunkline serve --listen http://127.0.0.1:80", "an address, not a URL; write 127.0.0.1:80\n");
    check("trunkline serve --listen https://a:1/b/c", "an address, not a URL; write a:1\n");
    check("trunkline serve --listen 8080", "no port; write it as in 127.0.0.1:8080");
    check("trunkline demo --seconds -1", "must be from 0.05 to 60 seconds");
    check("trunkline demo --seconds x", "not a number of seconds");
    check("trunkline demo --callers -1", "must be from 1 to 256 callers");
    check("trunkline demo --callers 70000", "must be from 1 to 256 callers");
    check("trunkline demo --callers x", "not a number of callers");
}

#[test]
fn defaults_are_those_of_the_documentation() {
    let Ok(Args { command: Command::Serve(serve) }) = parse("trunkline serve") else { panic!("serve") };
    assert_eq!(serve.listen, "127.0.0.1:8080");
    let Ok(Args { command: Command::Demo(demo) }) = parse("trunkline demo") else { panic!("demo") };
    assert_eq!((demo.seconds, demo.callers, demo.format), (Duration::from_secs(1), 8, Format::Table));
}

/// The texts of `--help` as files, so that a change of them is seen in review. `UPDATE_GOLDEN=1` writes them again.
#[test]
fn help_is_as_in_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/args/golden");
    let mut command = Args::command().term_width(100);
    command.build();
    let mut check = |name: &str, words: &[&str]| {
        let mut command = &mut command;
        for word in words {
            command = command.find_subcommand_mut(word).expect("the subcommand exists");
        }
        let help = command.render_long_help().to_string();
        let seen: String = help.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        assert!(seen.lines().all(|line| line.chars().count() <= 100), "{name}: a line is too wide");
        let path = folder.join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &seen).unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(seen, golden, "{name} differs: UPDATE_GOLDEN=1 writes it again");
    };
    check("help.txt", &[]);
    check("help-serve.txt", &["serve"]);
    check("help-demo.txt", &["demo"]);
}
