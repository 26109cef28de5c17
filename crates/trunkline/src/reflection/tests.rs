use super::*;

static FILES: &[File] = &[
    File {
        name: "base.proto",
        dependencies: &[],
        symbols: &["base.Message", "base.Message.field"],
        extensions: &[],
        bytes: b"base",
    },
    File {
        name: "middle.proto",
        dependencies: &["base.proto"],
        symbols: &["middle.Other"],
        extensions: &[("base.Message", 100), ("base.Message", 7)],
        bytes: b"middle",
    },
    File {
        name: "top.proto",
        dependencies: &["middle.proto", "base.proto", "missing.proto"],
        symbols: &["top.Service", "top.Service.Call"],
        extensions: &[],
        bytes: b"top",
    },
];

fn files(names: &[&str]) -> Answer {
    Answer::Files(names.iter().map(|name| name.as_bytes().to_vec()).collect())
}

fn unknown(message: &str) -> Answer {
    Answer::Unknown(Code::NotFound, message.to_owned())
}

#[test]
fn index_answers_each_question() {
    let index = Index::new(&["top.Service", "another.Service"], FILES.iter());
    let rows = [
        (index.file("base.proto"), files(&["base"])),
        (index.file("top.proto"), files(&["top", "middle", "base"])),
        (index.file("none.proto"), unknown("file \"none.proto\" is not known to this server")),
        (index.symbol("top.Service.Call"), files(&["top", "middle", "base"])),
        (index.symbol(".base.Message"), files(&["base"])),
        (index.symbol("base.None"), unknown("symbol \"base.None\" is not known to this server")),
        (index.extension("base.Message", 7), files(&["middle", "base"])),
        (
            index.extension("base.Message", 8),
            unknown("extension 8 of \"base.Message\" is not known to this server"),
        ),
        (
            index.extension("base.Message", -1),
            unknown("extension -1 of \"base.Message\" is not known to this server"),
        ),
        (
            index.extension_numbers("base.Message"),
            Answer::ExtensionNumbers("base.Message".to_owned(), vec![7, 100]),
        ),
        (
            index.extension_numbers("middle.Other"),
            Answer::ExtensionNumbers("middle.Other".to_owned(), vec![]),
        ),
        (index.extension_numbers("none"), unknown("message \"none\" is not known to this server")),
        (index.list(), Answer::Services(vec!["another.Service".to_owned(), "top.Service".to_owned()])),
    ];
    for (seen, expected) in rows {
        assert_eq!(seen, expected);
    }
}
