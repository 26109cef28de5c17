//! Rows for sets: their order, what makes one whole, and that no bytes can do more than be refused.

use buffa::Message;
use buffa_descriptor::generated::descriptor::{
    DescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto, ServiceDescriptorProto,
};

use super::*;

fn file(name: &str, imports: &[&str]) -> FileDescriptorProto {
    let dependency = imports.iter().map(|import| (*import).to_owned()).collect();
    FileDescriptorProto { name: Some(name.to_owned()), dependency, ..Default::default() }
}

fn message(name: &str) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), ..Default::default() }
}

fn encode(files: &[FileDescriptorProto]) -> Vec<u8> {
    FileDescriptorSet { file: files.to_vec(), ..Default::default() }.encode_to_vec()
}

fn load(files: &[FileDescriptorProto]) -> Result<DescriptorSet, Error> {
    DescriptorSet::from_bytes(&encode(files))
}

fn names<'a>(files: impl IntoIterator<Item = &'a File>) -> Vec<&'a str> {
    files.into_iter().map(File::name).collect()
}

#[test]
fn files_stand_behind_their_imports() {
    let check = |files: &[FileDescriptorProto], expected: &[&str]| {
        assert_eq!(names(load(files).unwrap().files()), expected);
    };
    check(&[], &[]);
    check(&[file("a", &["b"]), file("b", &[])], &["b", "a"]);
    check(&[file("a", &["b", "c"]), file("b", &["c"]), file("c", &[])], &["c", "b", "a"]);
    // In order already: it stays.
    check(&[file("z", &[]), file("y", &[]), file("x", &["y"])], &["z", "y", "x"]);
    // Importing a file twice is strange, and harmless.
    check(&[file("a", &["b", "b"]), file("b", &[])], &["b", "a"]);
}

#[test]
fn sets_that_are_not_whole_are_refused() {
    let check = |files: &[FileDescriptorProto], expected: &str| {
        assert_eq!(load(files).unwrap_err().to_string(), format!("descriptor set: {expected}"));
    };
    check(&[file("a", &["b"])], "a: the set lacks the import \"b\"; was it made with its imports included?");
    check(&[file("a", &["b"]), file("b", &["a"])], "a: it imports itself, directly or through others");
    check(&[file("a", &["a"])], "a: it imports itself, directly or through others");
    check(&[file("a", &[]), file("a", &[])], "a: the set has this file twice");
    let twice = |name| FileDescriptorProto { message_type: vec![message("M")], ..file(name, &[]) };
    check(&[twice("a"), twice("b")], "b: `M` is defined twice, the first time in a");
}

#[test]
fn methods_must_name_messages_of_the_set() {
    let with_method = |input: &str, output: &str| {
        let method = MethodDescriptorProto {
            name: Some("Get".into()),
            input_type: Some(input.into()),
            output_type: Some(output.into()),
            ..Default::default()
        };
        let service =
            ServiceDescriptorProto { name: Some("S".into()), method: vec![method], ..Default::default() };
        load(&[FileDescriptorProto {
            message_type: vec![message("M")],
            service: vec![service],
            ..file("a", &[])
        }])
    };
    with_method(".M", ".M").unwrap();
    for (input, output, expected) in [
        (".M", ".N", "a: S.Get: no message `N`"),
        (".S", ".M", "a: S.Get: no message `S`"),
        ("M", ".M", "a: S.Get: the request type `M` is not a full name with a leading dot"),
        (".M", "", "a: S.Get: the reply type `` is not a full name with a leading dot"),
    ] {
        let fault = with_method(input, output).unwrap_err();
        assert_eq!(fault.to_string(), format!("descriptor set: {expected}"));
    }
}

#[test]
fn closures_have_all_imports_and_nothing_else() {
    let set = load(&[file("c", &[]), file("b", &["c"]), file("x", &[]), file("a", &["b"])]).unwrap();
    for (of, expected) in
        [(&["a"][..], &["c", "b", "a"][..]), (&["b", "x"], &["c", "b", "x"]), (&["none"], &[]), (&[], &[])]
    {
        assert_eq!(names(set.closure(of)), expected, "{of:?}");
    }
}

#[test]
fn broken_bytes_are_refused_without_a_panic() {
    let service = ServiceDescriptorProto { name: Some("S".into()), ..Default::default() };
    let whole = encode(&[
        FileDescriptorProto {
            package: Some("p".into()),
            message_type: vec![message("M")],
            service: vec![service],
            ..file("a.proto", &["b.proto"])
        },
        file("b.proto", &[]),
    ]);
    DescriptorSet::from_bytes(&whole).unwrap();
    for cut in 0..whole.len() {
        DescriptorSet::from_bytes(&whole[..cut]).ok();
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            DescriptorSet::from_bytes(&flipped).ok();
        }
    }
}
