//! Rows for one file: which names it defines, and names that no file may have.

use buffa::Message;
use buffa_descriptor::generated::descriptor::EnumValueDescriptorProto;

use super::*;
use crate::DescriptorSet;

#[test]
fn symbols_are_all_that_a_file_defines() {
    let file = compile(
        r#"syntax = "proto2"; package p.q;
        message M {
          optional int32 f = 1;
          oneof o { string g = 2; }
          message N { enum E { A = 0; } }
          extensions 100 to 199;
          extend M { optional int32 inner = 101; }
        }
        enum F { B = 0; }
        extend M { optional int32 outer = 100; }
        service S { rpc Get(M) returns (M.N); }"#,
    );
    let expected = [
        "p.q.M",
        "p.q.M.f",
        "p.q.M.g",
        "p.q.M.o",
        "p.q.M.N",
        "p.q.M.N.E",
        "p.q.M.N.A",
        "p.q.M.inner",
        "p.q.F",
        "p.q.B",
        "p.q.outer",
        "p.q.S",
        "p.q.S.Get",
    ];
    assert_eq!(file.symbols(), expected);
    assert_eq!(file.messages(), ["p.q.M", "p.q.M.N"]);
    let extension = |name: &str, number| Extension { name: name.into(), extendee: "p.q.M".into(), number };
    assert_eq!(file.extensions(), [extension("p.q.M.inner", 101), extension("p.q.outer", 100)]);
    assert_eq!((file.name(), file.package()), ("a.proto", "p.q"));
}

#[test]
fn names_without_a_package_have_no_dot() {
    let file = compile(r#"syntax = "proto3"; message M {} service S { rpc Get(M) returns (M); }"#);
    assert_eq!(file.symbols(), ["M", "S", "S.Get"]);
    assert_eq!(file.package(), "");
}

#[test]
fn embedded_bytes_say_the_same_without_comments() {
    let file = compile("syntax = \"proto3\"; // A remark.\n message M {}");
    let loaded = FileDescriptorProto::decode_from_slice(file.bytes()).unwrap();
    let mut embedded = FileDescriptorProto::decode_from_slice(file.embedded_bytes()).unwrap();
    assert!(loaded.source_code_info.is_set());
    assert!(!embedded.source_code_info.is_set());
    embedded.source_code_info = loaded.source_code_info.clone();
    assert_eq!(embedded, loaded);
}

#[test]
fn names_that_are_none_are_refused() {
    let good = || FileDescriptorProto { name: Some("a.proto".into()), ..Default::default() };
    let message = |name: &str| DescriptorProto { name: Some(name.into()), ..Default::default() };
    let refused = |file: FileDescriptorProto, expected: &str| {
        let fault = File::decode(&file.encode_to_vec()).unwrap_err().to_string();
        assert!(fault.contains(expected), "{fault}");
    };
    File::decode(&good().encode_to_vec()).unwrap();
    for name in ["", "/a", "a//b", "../a", "a/./b", "a\nb", "a\\b", "a\0"] {
        let named = FileDescriptorProto { name: Some(name.into()), ..Default::default() };
        refused(named, "is not a file name");
        refused(FileDescriptorProto { dependency: vec![name.into()], ..good() }, "is not a file name");
    }
    for name in ["", "a b", "1a", "a-b", "a\"", "ä", "a.b"] {
        refused(
            FileDescriptorProto { message_type: vec![message(name)], ..good() },
            "is not a name for a message",
        );
    }
    for package in ["a..b", ".a", "a.", "a b", "a.1"] {
        refused(
            FileDescriptorProto { package: Some(package.into()), ..good() },
            "is not a name for a package",
        );
    }
    refused(
        FileDescriptorProto { message_type: vec![message(&"a".repeat(SYMBOL_BYTES_MAX + 1))], ..good() },
        "above SYMBOL_BYTES_MAX (2048)",
    );
    refused(
        FileDescriptorProto { message_type: vec![Default::default()], ..good() },
        "is not a name for a message",
    );
    let value = EnumValueDescriptorProto { name: Some("-".into()), ..Default::default() };
    let bad_enum = EnumDescriptorProto { name: Some("E".into()), value: vec![value], ..Default::default() };
    refused(FileDescriptorProto { enum_type: vec![bad_enum], ..good() }, "is not a name for a enum value");
    let extension = |extendee: &str, number| FieldDescriptorProto {
        name: Some("x".into()),
        extendee: Some(extendee.into()),
        number: Some(number),
        ..Default::default()
    };
    for extension in [extension("M", 1), extension(".M", 0), extension(".M", -1), extension("", 1)] {
        refused(FileDescriptorProto { extension: vec![extension], ..good() }, "does not say what it extends");
    }
}

#[test]
fn bytes_that_do_not_decode_are_refused() {
    for bytes in [&b"\x0a"[..], b"\x0a\x01\xff", b"\x22\x05\x0a"] {
        assert!(matches!(File::decode(bytes), Err(Error::Set { .. })), "{bytes:x?}");
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let mut message = DescriptorProto { name: Some("M".into()), ..Default::default() };
    for _ in 0..90 {
        message =
            DescriptorProto { name: Some("M".into()), nested_type: vec![message], ..Default::default() };
    }
    let file = |message| FileDescriptorProto {
        name: Some("a.proto".into()),
        message_type: vec![message],
        ..Default::default()
    };
    File::decode(&file(message.clone()).encode_to_vec()).unwrap();
    for _ in 0..20 {
        message =
            DescriptorProto { name: Some("M".into()), nested_type: vec![message], ..Default::default() };
    }
    let fault = File::decode(&file(message).encode_to_vec()).unwrap_err();
    assert!(fault.to_string().contains("does not decode"), "{fault}");
}

fn compile(source: &str) -> File {
    let folder = crate::source::tests::folder(&[("a.proto", source)]);
    let set = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).expect("the row is a schema");
    set.file("a.proto").expect("it was asked for").clone()
}
