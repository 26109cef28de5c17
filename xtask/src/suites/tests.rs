//! Rows for when the suites count as fetched.

use super::*;

/// A folder that goes away with the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A folder in which everything is there.
pub(crate) fn complete(scratch: &Scratch) -> Suites {
    let suites = Suites { folder: scratch.0.join("suites") };
    for tool in TOOLS {
        write(&suites.program(tool.program), "");
    }
    for name in PROTOS {
        write(&suites.protos().join(name), "");
    }
    write(&suites.stamp(), &stamp());
    suites
}

#[test]
fn complete_needs_the_stamp_the_programs_and_the_protos() {
    let check = |name: &str, spoil: fn(&Suites), expected: bool| {
        let scratch = Scratch::new(name);
        let suites = complete(&scratch);
        spoil(&suites);
        assert_eq!(suites.is_complete(), expected, "{name}");
    };
    check("whole", |_| {}, true);
    check("no-stamp", |suites| remove_if_there(&suites.stamp()).unwrap(), false);
    check("old-stamp", |suites| write(&suites.stamp(), &stamp().replace("v1.0.5", "v1.0.4")), false);
    check("no-program", |suites| remove_if_there(&suites.program("grpcurl")).unwrap(), false);
    check("no-proto", |suites| remove_if_there(&suites.protos().join("service.proto")).unwrap(), false);
}

#[test]
fn complete_suites_are_not_fetched_again() {
    let scratch = Scratch::new("ensure");
    let folder = complete(&scratch).folder;
    assert_eq!(ensure(folder.clone()).unwrap().bin(), folder.join("bin"));
}

#[test]
fn copied_protos_can_be_written_again() {
    let scratch = Scratch::new("copy");
    let module = scratch.0.join("module");
    for name in PROTOS {
        let path = module.join("proto").join(PROTO_FOLDER).join(name);
        write(&path, name);
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
    }
    let suites = Suites { folder: scratch.0.join("suites") };
    for _ in 0..2 {
        suites.copy_protos(&module).unwrap();
    }
    let copy = suites.protos().join("service.proto");
    assert_eq!(fs::read_to_string(&copy).unwrap(), "service.proto");
    assert!(!fs::metadata(&copy).unwrap().permissions().readonly());

    let failure = suites.copy_protos(&scratch.0).unwrap_err().to_string();
    assert!(failure.starts_with("cannot read config.proto of the conformance module"), "{failure}");
}

#[test]
fn the_folder_of_a_module_is_read_from_what_go_prints() {
    let check = |json: &str, expected: std::result::Result<&str, &str>| match (module_folder(json), expected)
    {
        (Ok(seen), Ok(expected)) => assert_eq!(seen, Path::new(expected)),
        (Err(seen), Err(part)) => assert!(seen.to_string().contains(part), "{seen}"),
        (seen, expected) => panic!("{seen:?} instead of {expected:?}"),
    };
    check(r#"{"Path":"m","Dir":"/cache/m@v1"}"#, Ok("/cache/m@v1"));
    check(r#"{"Path":"m","Error":"not found"}"#, Err("names no Dir: {\"Error\":\"not found\""));
    check("go: not found", Err("cannot read what `go mod download` printed"));
}
