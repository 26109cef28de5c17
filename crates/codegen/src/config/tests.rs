//! Rows for the door: what a mistake is answered with, which files are generated, and where they go.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// A folder with sources, removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Writes sources into a folder of their own.
pub(crate) fn folder(files: &[(&str, &str)]) -> Folder {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("trunkline-codegen-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = Folder(env::temp_dir().join(name));
    for (name, text) in files {
        let path = folder.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const PROTO3: &str = "syntax = \"proto3\";";

#[test]
fn mistakes_of_a_schema_name_file_line_and_column() {
    check_fault(
        "syntax = \"proto3\";\n\nmessage A {\n  Missing b = 1;\n}\n",
        "a.proto:4:3: name 'Missing' is not defined",
    );
    check_fault("syntax = \"proto3\";\nmessage {}\n", "a.proto:2:9: expected an identifier, but found '{'");
    check_fault(
        "syntax = \"proto3\";\nimport \"none.proto\";\n",
        "a.proto:2:1: import 'none.proto' not found",
    );
    check_fault(
        "syntax = \"proto3\";\nmessage A {}\nmessage A {}\n",
        "a.proto:3:9: name 'A' is defined twice",
    );
    check_fault("syntax = \"proto9\";\n", "a.proto:1:");
}

fn check_fault(source: &str, expected: &str) {
    let folder = folder(&[("a.proto", source)]);
    let fault = Config::new().files(["a.proto"]).includes([folder.path()]).generate().unwrap_err();
    assert!(fault.to_string().starts_with(expected), "{fault}");
    assert_eq!(format!("{fault:?}"), fault.to_string(), "unwrap in a build.rs shows the same text");
}

#[test]
fn mistakes_of_a_build_script_say_what_to_do() {
    let folder = folder(&[("a.proto", PROTO3), ("set.bin", "\u{1}")]);
    let base = || Config::new().includes([folder.path()]);
    for (config, expected) in [
        (base(), "nothing to generate: neither files nor a descriptor set"),
        (base().files(["b.proto"]), "file 'b.proto' is not in any include path"),
        (base().files(["a.proto"]).include_file("a"), "include_file: \"a\" is not a plain name with .rs"),
        (
            base().files(["a.proto"]).include_file("a/b.rs"),
            "include_file: \"a/b.rs\" is not a plain name with .rs",
        ),
        (base().files(["a.proto"]).json_feature("no name"), "messages: codegen error"),
        (base().descriptor_set(folder.path().join("set.bin")), "descriptor set: "),
    ] {
        let fault = config.generate().unwrap_err().to_string();
        assert!(fault.starts_with(expected), "{fault}");
    }
    let fault = base().descriptor_set("none.bin").generate().unwrap_err().to_string();
    assert!(fault.starts_with("none.bin: "), "{fault}");
}

#[test]
fn imports_are_generated_but_for_what_comes_from_elsewhere() {
    let a = format!(
        "{PROTO3} package a; import \"b.proto\"; import \"c/c.proto\"; import \"google/protobuf/any.proto\";
         message A {{ b.B b = 1; c.C c = 2; google.protobuf.Any any = 3; }}"
    );
    let b = format!("{PROTO3} package b; message B {{}}");
    let c = format!("{PROTO3} package c; message C {{}}");
    let folder = folder(&[("a.proto", &a), ("b.proto", &b), ("c/c.proto", &c)]);
    let base = || Config::new().files(["a.proto"]).includes([folder.path()]);
    let descriptors = ["b.bin", "c.c.bin", "google.protobuf.any.bin", "a.bin"];
    check_files(&base(), &["a.rs", "b.rs", "c.rs"], &descriptors);
    check_files(&base().extern_path(".b", "::b"), &["a.rs", "c.rs"], &descriptors);
    check_files(&base().extern_path(".c.C", "::c::C"), &["a.rs", "b.rs", "c.rs"], &descriptors);
}

fn check_files(config: &Config, packages: &[&str], descriptors: &[&str]) {
    let files = config.generate().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let mut expected = vec!["trunkline.rs".to_owned()];
    expected.extend(packages.iter().map(|name| (*name).to_owned()));
    expected.extend(descriptors.iter().map(|name| format!("descriptors/{name}")));
    assert_eq!(names, expected);
}

#[test]
fn sources_and_descriptor_sets_give_the_same_code() {
    let source = format!("{PROTO3} package a; message A {{}} service S {{ rpc Get(A) returns (A); }}");
    let folder = folder(&[("a.proto", &source)]);
    let from_sources = Config::new().files(["a.proto"]).includes([folder.path()]).generate().unwrap();
    let file = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).unwrap();
    let file = file.files()[0].bytes();
    // FileDescriptorSet.file is field 1, a message.
    let mut set =
        vec![0x0a, u8::try_from(file.len() & 0x7f).unwrap() | 0x80, u8::try_from(file.len() >> 7).unwrap()];
    set.extend_from_slice(file);
    let path = folder.path().join("set.bin");
    fs::write(&path, set).unwrap();
    let base = || Config::new().descriptor_set(&path);
    assert_eq!(base().generate().unwrap(), from_sources);
    assert_eq!(base().files(["a.proto"]).generate().unwrap(), from_sources);
    let fault = base().files(["b.proto"]).generate().unwrap_err();
    assert_eq!(fault.to_string(), "the descriptor set has no file `b.proto`");
}

#[test]
fn server_client_and_json_can_be_left_out() {
    let source = format!("{PROTO3} package a; message A {{}} service S {{ rpc Get(A) returns (A); }}");
    let folder = folder(&[("a.proto", &source)]);
    let base = || Config::new().files(["a.proto"]).includes([folder.path()]);
    for (config, [server, client, json]) in [
        (base(), [true, true, true]),
        (base().server(false), [false, true, true]),
        (base().client(false), [true, false, true]),
        (base().json(false), [true, true, false]),
    ] {
        let files = config.generate().unwrap();
        let code = String::from_utf8(files[1].content.clone()).unwrap();
        assert_eq!(code.contains("pub trait S"), server);
        assert_eq!(code.contains("pub struct SServer"), server);
        assert_eq!(code.contains("pub struct SClient"), client);
        assert_eq!(code.contains("serde"), json);
        assert!(code.contains("pub mod s {"), "the procedures are always there");
    }
}

#[test]
fn compile_writes_only_what_changed() {
    let folder = folder(&[("a.proto", PROTO3)]);
    let out = folder.path().join("out");
    let compile = || Config::new().files(["a.proto"]).includes([folder.path()]).out_dir(&out).compile();
    compile().unwrap();
    let file = out.join("trunkline.rs");
    let first = fs::metadata(&file).unwrap().modified().unwrap();
    compile().unwrap();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), first);
    assert!(out.join("descriptors/a.bin").exists());
    fs::remove_dir_all(&out).unwrap();
    fs::write(&out, "a file where a folder should be").unwrap();
    let fault = compile().unwrap_err();
    assert!(matches!(&fault, Error::Io { path, .. } if path.starts_with(&out)), "{fault}");
}
