//! Rows for the rules: a small tree, and what tidy finds in it.

use super::*;
use crate::workspace::{Dependency, Kind};

/// A tree in which nothing is wrong, to which each row adds something.
fn sound() -> Tree {
    let mut tree = Tree::default();
    tree.add(ARCHITECTURE, &architecture(""));
    tree.add("docs/dependencies.md", "| Crate |\n|---|\n| bytes, `http` (all of it) | why |\n");
    tree.add("crates/wire/src/lib.rs", "//! Wire.\n#![forbid(unsafe_code)]\n/// Doc.\nfn f() {}\n");
    tree
}

fn architecture(exceptions: &str) -> String {
    format!(
        "<!-- read by tidy: crates -->\n| | | | | | | |\n|---|---|---|---|---|---|---|\n\
         | `crates/wire` | t-wire | ground | | | 2, aim 1 | no |\n\
         | `crates/line` | t-line | middle | wire | gen | 1 | no |\n\
         | `crates/gen` | t-gen | middle | | | 1 | `crates/gen/src/raw.rs` |\n\
         | `tool` | tool | aside | | line | 1 | no |\n\n\
         <!-- read by tidy: exceptions -->\n| | | |\n|---|---|---|\n{exceptions}\n"
    )
}

fn sound_packages() -> Vec<Package> {
    let package = |name: &str, folder: &str, is_library| Package {
        name: name.into(),
        folder: folder.into(),
        roots: vec![format!("{folder}/src/{}.rs", if is_library { "lib" } else { "main" })],
        is_library,
        dependencies: Vec::new(),
    };
    vec![
        package("t-wire", "crates/wire", true),
        package("t-line", "crates/line", true),
        package("t-gen", "crates/gen", true),
        package("tool", "tool", false),
    ]
}

/// What tidy says of a tree and of packages.
fn findings(tree: &Tree, packages: &[Package]) -> Vec<String> {
    check(tree, packages).unwrap().findings.iter().map(ToString::to_string).collect()
}

/// One more file makes exactly these findings, told by how they begin.
#[track_caller]
fn file(path: &str, text: &str, expected: &[&str]) {
    let mut tree = sound();
    tree.files.retain(|file| file.path != path);
    tree.add(path, text);
    expect(&findings(&tree, &sound_packages()), expected);
}

/// A source with a proper head, so that a row shows only what it is about.
#[track_caller]
fn code(path: &str, body: &str, expected: &[&str]) {
    file(path, &format!("//! Head.\n#![forbid(unsafe_code)]\n{body}"), expected);
}

/// A change of the packages makes exactly these findings.
#[track_caller]
fn packages(change: impl FnOnce(&mut Vec<Package>), expected: &[&str]) {
    let mut packages = sound_packages();
    change(&mut packages);
    expect(&findings(&sound(), &packages), expected);
}

#[track_caller]
fn expect(seen: &[String], expected: &[&str]) {
    assert_eq!(seen.len(), expected.len(), "{seen:?} instead of {expected:?}");
    for (seen, expected) in seen.iter().zip(expected) {
        assert!(seen.starts_with(expected), "{seen} instead of {expected}");
    }
}

fn dependency(name: &str, kind: Kind, is_ours: bool) -> Dependency {
    Dependency { name: name.into(), kind, optional: false, is_ours }
}

#[test]
fn a_sound_tree_has_no_findings() {
    assert_eq!(findings(&sound(), &sound_packages()), Vec::<String>::new());
}

#[test]
fn crates_are_those_of_the_table() {
    packages(|all| all[0].folder = "wire".into(), &["ARCHITECTURE.md: crates: t-wire lives in wire, not in"]);
    packages(
        |all| all[1].name = "new".into(),
        &[
            "ARCHITECTURE.md: crates: the table lacks new",
            "ARCHITECTURE.md: crates: t-line is in the table but not in the workspace",
        ],
    );
}

#[test]
fn arrows_are_those_of_the_table() {
    let arrow = |from: usize, to: &'static str, kind, expected: &[&str]| {
        packages(|all| all[from].dependencies.push(dependency(to, kind, true)), expected);
    };
    arrow(1, "t-wire", Kind::Normal, &[]);
    arrow(1, "t-wire", Kind::TestOrBuild, &[]);
    arrow(1, "t-gen", Kind::TestOrBuild, &[]);
    arrow(1, "t-line", Kind::TestOrBuild, &[]);
    arrow(1, "t-gen", Kind::Normal, &["crates/line/Cargo.toml: arrows: t-line depends on t-gen"]);
    arrow(0, "t-line", Kind::Normal, &["crates/wire/Cargo.toml: arrows: t-wire depends on t-line"]);
    arrow(0, "t-gen", Kind::TestOrBuild, &["crates/wire/Cargo.toml: arrows: t-wire builds or tests with"]);
}

#[test]
fn arrows_of_the_table_go_down() {
    let check = |from: &str, to: &str, expected: &[&str]| {
        let text = architecture("").replace(from, to);
        file(ARCHITECTURE, &text, expected);
    };
    check("t-gen | middle | |", "t-gen | middle | wire |", &[]);
    let same = "ARCHITECTURE.md: arrows: the table lets t-gen depend on t-line, which is no lower floor";
    check("t-gen | middle | |", "t-gen | middle | line |", &[same]);
    let up = "ARCHITECTURE.md: arrows: the table lets t-wire depend on t-gen, which is no lower floor";
    check("t-wire | ground | |", "t-wire | ground | gen |", &[up]);
}

#[test]
fn budgets_count_required_crates_from_outside() {
    let add = |names: &'static [(&str, bool)]| {
        move |all: &mut Vec<Package>| {
            for &(name, optional) in names {
                let outside = Dependency { optional, ..dependency(name, Kind::Normal, false) };
                all[1].dependencies.push(outside);
            }
            all[1].dependencies.push(dependency("t-wire", Kind::Normal, true));
            all[1].dependencies.push(dependency("http", Kind::TestOrBuild, false));
        }
    };
    packages(add(&[("bytes", false)]), &[]);
    packages(add(&[("bytes", false), ("http", true)]), &[]);
    packages(add(&[("bytes", false), ("http", false)]), &["crates/line/Cargo.toml: budget: 2 required"]);
}

#[test]
fn dependencies_need_a_reason() {
    packages(|all| all[2].dependencies.push(dependency("http", Kind::TestOrBuild, false)), &[]);
    let missing = "crates/gen/Cargo.toml: dependency-reason: serde has no row";
    packages(|all| all[2].dependencies.push(dependency("serde", Kind::TestOrBuild, false)), &[missing]);
}

#[test]
fn unsafe_code_is_forbidden_where_it_is_not_granted() {
    file("crates/wire/src/lib.rs", "//! W.\n", &["crates/wire/src/lib.rs: forbid-unsafe:"]);
    file("crates/gen/src/lib.rs", "//! G.\n", &[]);
    code("crates/wire/src/a.rs", "fn f() { unsafe { g() } }", &["crates/wire/src/a.rs:3: unsafe:"]);
    code("crates/gen/src/a.rs", "fn f() { unsafe { g() } }", &["crates/gen/src/a.rs:3: unsafe:"]);
    code("crates/gen/src/raw.rs", "fn f() { unsafe { g() } }", &[]);
    code("crates/wire/src/a.rs", "// unsafe\nconst A: &str = \"unsafe\";", &[]);
}

#[test]
fn files_have_a_longest_length() {
    code("tool/src/a.rs", &"a\n".repeat(1198), &[]);
    code("tool/src/a.rs", &"a\n".repeat(1199), &["tool/src/a.rs: file-lines: 1201 lines"]);
    code("tool/src/generated/a.rs", &"a\n".repeat(1199), &[]);
    file("tool/src/b.rs", &format!("// @generated\n{}", "a\n".repeat(1200)), &[]);
}

#[test]
fn long_functions_are_rare() {
    let long = format!("fn long() {{{}}}\n", "\n".repeat(70));
    let fits = format!("fn fits() {{{}}}\n", "\n".repeat(69));
    code("tool/src/a.rs", &fits, &[]);
    code("tool/src/a.rs", &long, &["tool/src/a.rs:3: long-functions: fn long has 71 lines"]);
    // The tree has one function of its own, so this makes 2 of 100 and 1 of 100.
    let many = "fn f() {}\n".repeat(97);
    code("tool/src/a.rs", &format!("{many}{long}{long}"), &["tool/src/a.rs:100: ", "tool/src/a.rs:171: "]);
    code("tool/src/a.rs", &format!("{many}{fits}{long}"), &[]);
}

#[test]
fn libraries_are_documented() {
    let poor = "crates/line/src/lib.rs: doc-share: 16.7 % of the lines";
    code("crates/line/src/lib.rs", "a\nb\nc\n// d\n", &[poor]);
    code("crates/line/src/lib.rs", "a\nb\nc\n\n", &[]);
    code("tool/src/main.rs", "a\nb\nc\nd\ne\n", &[]);
    code("crates/line/src/lib.rs", "#[cfg(test)]\nmod tests {\na\nb\nc\n}\n", &[]);
}

#[test]
fn headers_stay_in_the_folder_of_their_protocol() {
    let says = |header: &str| format!("const A: &str = \"{header}\";");
    code(
        "crates/line/src/a.rs",
        &says("grpc-status"),
        &["crates/line/src/a.rs:3: header-names: `grpc-status`"],
    );
    code("crates/line/src/a.rs", &says("a, Grpc-Message"), &["crates/line/src/a.rs:3: header-names:"]);
    code("crates/wire/src/connect/a.rs", &says("grpc-timeout"), &["crates/wire/src/connect/a.rs:3:"]);
    code("crates/wire/src/grpc/a.rs", &says("connect-timeout-ms"), &["crates/wire/src/grpc/a.rs:3:"]);
    for free in ["application/grpc-web+proto", "grpc-web-text", "grpc", "connect", "my-grpc-status"] {
        code("crates/line/src/a.rs", &says(free), &[]);
    }
    for home in ["grpc/a.rs", "grpc.rs", "grpc_web/b/c.rs", "grpc_web.rs"] {
        code(&format!("crates/wire/src/{home}"), &says("x-grpc-web"), &[]);
    }
    code("crates/wire/src/connect.rs", &says("connect-protocol-version"), &[]);
    code("crates/line/src/tests.rs", &says("grpc-status"), &[]);
    code("crates/line/tests/it/a.rs", &says("grpc-status"), &[]);
    code("conformance/src/a.rs", &says("grpc-status"), &[]);
    code("crates/line/src/a.rs", "// \"grpc-status\"\n", &[]);
    let inline = format!("#[cfg(test)]\nmod tests {{\n{}\n}}", says("grpc-status"));
    code("crates/line/src/a.rs", &inline, &[]);
}

#[test]
fn words_are_allowed_only_where_they_belong() {
    let check = |path: &str, body: &str, rule: Option<&str>| {
        let expected = rule.map(|rule| format!("{path}:3: {rule}: "));
        code(path, body, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    };
    check("crates/wire/src/a.rs", "Instant::now()", Some("pure"));
    check("crates/wire/src/a.rs", "SystemTime::now()", Some("pure"));
    check("crates/wire/src/a.rs", "rand::random()", Some("pure"));
    check("crates/wire/src/a.rs", "fn f(now: Instant) {} operand::x()", None);
    check("crates/line/src/a.rs", "Instant::now()", None);

    check("crates/line/src/a.rs", "mpsc::unbounded_channel()", Some("unbounded"));
    check("crates/line/src/a.rs", "mpsc::channel()", Some("unbounded"));
    check("crates/line/src/tests.rs", "mpsc::channel::<u8>()", Some("unbounded"));
    check("crates/line/src/a.rs", "mpsc::channel(limits.calls_max) // unbounded_channel", None);

    check("crates/line/src/tests.rs", "#[ignore]", Some("ignored-test"));
    check("crates/line/src/tests.rs", "#[ignore = \"slow\"]", Some("ignored-test"));
    check("crates/line/src/tests.rs", "// #[ignore]", None);

    check("crates/line/tests/it/a.rs", "std::thread::sleep(a)", Some("sleep"));
    check("crates/line/tests/it/a.rs", "tokio::time::sleep(a)", None);

    check("crates/line/src/a.rs", "struct CallManager;", Some("names"));
    check("crates/line/src/a.rs", "trait CallInfo {}", Some("names"));
    check("crates/line/src/a.rs", "fn get_call() {}", Some("names"));
    check("crates/line/src/a.rs", "struct Information; fn gets() {} let CallImpl;", None);
}

#[test]
fn each_file_says_first_what_it_decides() {
    file("tool/src/a.rs", "fn f() {}", &["tool/src/a.rs:1: file-header:"]);
    file("tool/src/generated/a.rs", "fn f() {}", &[]);
    file("tool/src/a/tests.rs", "fn f() {}", &[]);
    file("README.md", "text", &[]);
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    // The rows are put together here, because the rule reads this file as well.
    let check = |before: &str, after: &str, is_found: bool| {
        let text = format!("first\n{before}/{}{after}", "tmp");
        file("docs/a.md", &text, if is_found { &["docs/a.md:2: absolute-path:"] } else { &[] });
    };
    check("", "/x", true);
    check("cd ", "", true);
    check("(", ")", true);
    check("'", "/a'", true);
    check("target", "/x", false);
    check("https://example.org", "", false);
    check("$ROOT}", "/x", false);
    check("cd ", "late", false);
    check("cd ", ".txt", false);
}

#[test]
fn each_limit_is_described() {
    let declared = "/// L.\npub struct Limits {\n    /// A.\n    pub a_max: u32,\n    hidden: u8,\n    pub b_max: u8,\n}\npub struct Other { pub c: u8 }";
    let path = "crates/trunkline/src/limits.rs";
    code(
        path,
        declared,
        &[
            "crates/trunkline/src/limits.rs:6: limits: `a_max` has no row",
            "crates/trunkline/src/limits.rs:8: limits: `b_max` has no row",
        ],
    );
    code(path, "pub struct Bounds {}", &["crates/trunkline/src/limits.rs: limits: there is no"]);
    let mut tree = sound();
    tree.add(path, &format!("//! Head.\n{declared}"));
    tree.add("docs/limits.md", "| `a_max` | 4 |\nand b_max\n");
    expect(&findings(&tree, &sound_packages()), &["crates/trunkline/src/limits.rs:7: limits: `b_max`"]);
}

#[test]
fn exceptions_excuse_what_they_name_and_nothing_else() {
    let check = |exceptions: &str, expected: &[&str]| {
        let mut tree = sound();
        tree.files.retain(|file| file.path != ARCHITECTURE);
        tree.add(ARCHITECTURE, &architecture(exceptions));
        tree.add("crates/line/src/a.rs", "//! Head.\nstd::thread::sleep(a)");
        expect(&findings(&tree, &sound_packages()), expected);
    };
    let found = "crates/line/src/a.rs:2: sleep: ";
    let stale = "ARCHITECTURE.md: exception: ";
    check("", &[found]);
    check("| sleep | `crates/line/src/a.rs` | why |", &[]);
    check("| sleep | `crates/line/` | why |", &[]);
    check("| sleep | `crates/li/` | why |", &[found, stale]);
    check("| names | `crates/line/src/a.rs` | why |", &[found, stale]);
}

#[test]
fn measures_say_what_is_missed() {
    let mut tree = sound();
    tree.add("crates/wire/src/tests.rs", "//! T.\na\nb\nc\n");
    tree.add("crates/line/src/lib.rs", "//! L.\n#![forbid(unsafe_code)]\na\n\nb\n");
    let mut all = sound_packages();
    for name in ["bytes", "http"] {
        all[0].dependencies.push(dependency(name, Kind::Normal, false));
    }
    let report = check(&tree, &all).unwrap();
    let measure = |start: &str, seen: &str, is_met: bool| {
        let found = report.measures.iter().find(|measure| measure.name.starts_with(start)).unwrap();
        assert_eq!((found.seen.as_str(), found.is_met), (seen, is_met), "{start}");
    };
    measure("lines of a file, median", "4", true);
    measure("lines of the longest file", "5", true);
    measure("functions above 70 lines, of 1", "0.00 %", true);
    measure("test lines for a line of code (3 : 5)", "0.60", false);
    measure("doc lines of t-wire", "50.0 %", true);
    measure("doc lines of t-gen", "100.0 %", true);
    measure("direct dependencies of t-wire", "2", false);
    measure("direct dependencies of t-line", "0", true);
    assert_eq!(report.findings, []);
}
