use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A response, read by the rules of plugin.proto.
#[derive(Debug, Default)]
struct Told {
    error: Option<String>,
    numbers: Vec<(u32, u64)>,
    files: Vec<(String, Vec<u8>)>,
}

fn told(mut response: &[u8]) -> Told {
    let mut told = Told::default();
    while !response.is_empty() {
        let (field, value) = take(&mut response);
        match (field, value) {
            (RESPONSE_ERROR, Value::Bytes(error)) => told.error = Some(String::from_utf8(error).unwrap()),
            (RESPONSE_FILE, Value::Bytes(file)) => {
                let mut file = file.as_slice();
                let (name, content) = (take(&mut file), take(&mut file));
                let ((FILE_NAME, Value::Bytes(name)), (FILE_CONTENT, Value::Bytes(content))) =
                    (name, content)
                else {
                    panic!("a file is a name and a content");
                };
                told.files.push((String::from_utf8(name).unwrap(), content));
            }
            (field, Value::Number(number)) => told.numbers.push((field, number)),
            (field, Value::Bytes(_)) => panic!("unknown field {field}"),
        }
    }
    told
}

enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

fn take(rest: &mut &[u8]) -> (u32, Value) {
    let tag = Tag::decode(rest).unwrap();
    let number = decode_varint(rest).unwrap();
    if tag.wire_type() == WireType::Varint {
        return (tag.field_number(), Value::Number(number));
    }
    let (value, left) = rest.split_at(usize::try_from(number).unwrap());
    *rest = left;
    (tag.field_number(), Value::Bytes(value.to_vec()))
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/greet")
}

/// The request that protoc makes for the golden `greet`.
fn request(parameter: &str) -> Vec<u8> {
    let mut compiler = protox::Compiler::new([golden()]).unwrap();
    compiler.include_source_info(true).include_imports(true).open_file("greet.proto").unwrap();
    let set = compiler.encode_file_descriptor_set();
    let mut request = Vec::new();
    put_bytes(&mut request, REQUEST_FILE_TO_GENERATE, b"greet.proto");
    put_bytes(&mut request, REQUEST_PARAMETER, parameter.as_bytes());
    // The version of the compiler, which is of no account.
    put_bytes(&mut request, 3, b"\x08\x05");
    let mut set = set.as_slice();
    while !set.is_empty() {
        let (SET_FILE, Value::Bytes(file)) = take(&mut set) else { panic!("a set has files only") };
        put_bytes(&mut request, REQUEST_PROTO_FILE, &file);
    }
    request
}

#[test]
fn greet_is_what_the_build_helper_writes() {
    let told = told(&plugin(&request("include_file=mod.rs")));
    assert_eq!(told.error, None);
    assert_eq!(told.numbers, [(2, 3), (3, 998), (4, 1001)], "features and editions");
    assert_eq!(told.files[0].0, "mod.rs", "the file to include comes first");
    let mut count = 0;
    for (name, content) in &told.files {
        let expected = fs::read(golden().join("generated").join(name)).unwrap();
        assert!(*content == expected, "{name} differs from its golden");
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn options_are_those_of_the_configuration() {
    let source = |parameter: &str, name: &str| {
        let told = told(&plugin(&request(parameter)));
        assert_eq!(told.error, None, "{parameter}");
        let file = told.files.into_iter().find(|(file, _)| file.ends_with(name));
        String::from_utf8(file.unwrap_or_else(|| panic!("{parameter}: {name}")).1).unwrap()
    };
    let rows = [
        ("", "struct GreetClient", true),
        ("", "struct GreetServer", true),
        ("client=false", "struct GreetClient", false),
        ("server=false, client", "struct GreetServer", false),
        ("server=false,client=true", "struct GreetClient", true),
        ("json=false", "serde", false),
        ("json", "serde", true),
        ("json_feature=text", "feature = \"text\"", true),
        ("default_stubs", "Code::Unimplemented", true),
        (",,", "struct GreetServer", true),
    ];
    for (parameter, text, expected) in rows {
        assert_eq!(source(parameter, "demo.v1.rs").contains(text), expected, "{parameter}: {text}");
    }
    assert!(source("include_file=own.rs", "own.rs").contains("mod demo"));
    assert!(source("extern_path=.google.protobuf=::other", "demo.v1.rs").contains("::other"));
}

#[test]
fn what_is_wrong_goes_into_the_response() {
    let check = |request: &[u8], expected: &str| {
        let told = told(&plugin(request));
        let error = told.error.unwrap_or_else(|| panic!("no error: {expected}"));
        assert!(error.contains(expected), "{error}");
        assert!(told.files.is_empty(), "{expected}");
        assert_eq!(told.numbers.len(), 3, "features are told with an error too");
    };
    for (parameter, expected) in [
        ("jsn=true", "option `jsn=true` is not known"),
        ("json=yes", "option `json=yes` wants true or false"),
        ("include_file=", "wants a name"),
        ("include_file", "wants a name"),
        ("include_file=a/b.rs", "is not a plain name"),
        ("include_file=mod", "is not a plain name"),
        ("extern_path=.a", "wants .package=::rust::path"),
    ] {
        check(&request(parameter), expected);
    }
    check(b"", "nothing to generate");
    check(b"\x0a\x01\xff", "not UTF-8");
    check(b"\x0a\x05abc", "the request");
    check(b"\x7a\x01\xff\x0a\x01a", "");
    check(b"\x0a\x07a.proto", "no file `a.proto`");
}

#[test]
fn hostile_requests_are_errors_and_no_panics() {
    let whole = request("");
    for length in 0..whole.len().min(400) {
        assert!(told(&plugin(&whole[..length])).files.is_empty(), "cut at {length}");
    }
    // Each byte of the head and of the first descriptor, changed in a few ways.
    for at in 0..whole.len().min(250) {
        for flip in [0x01, 0x80, 0xff] {
            let mut broken = whole.clone();
            broken[at] ^= flip;
            let _ = told(&plugin(&broken));
        }
    }
    for bytes in
        [&b"\xff"[..], b"\x00", b"\x7a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x0b\x0b\x0b", b"\x0c"]
    {
        assert!(told(&plugin(bytes)).error.is_some(), "{bytes:?}");
    }
}
