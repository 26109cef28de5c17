//! Rows for services: shapes, promises, comments and names.

use super::*;
use crate::DescriptorSet;

const SOURCE: &str = r#"syntax = "proto3";
package p;

message M { message N {} }

// Detached.

// Serves.
// Twice.
service S {
  // Gets.
  rpc Get(M) returns (M.N) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc Up(stream M) returns (M) { option idempotency_level = IDEMPOTENT; } // Behind.
  /* Down. */
  rpc Down(M) returns (stream M) { option deprecated = true; }
  rpc Both(stream M) returns (stream M);
}

service T { option deprecated = true; }
"#;

#[test]
fn services_are_read_as_declared() {
    let services = compile();
    let [s, t] = &services[..] else { panic!("two services") };
    assert_eq!(
        (&*s.name, &*s.full_name, &*s.comment, s.deprecated),
        ("S", "p.S", " Serves.\n Twice.\n", false)
    );
    assert_eq!((&*t.name, &*t.comment, t.deprecated, t.methods.len()), ("T", "", true, 0));
}

#[test]
fn methods_are_read_as_declared() {
    use Idempotency::{Idempotent, NoSideEffects, Unknown};
    let services = compile();
    let check = |at: usize, expected: (&str, bool, bool, Idempotency, &str, bool)| {
        let method = &services[0].methods[at];
        let Method { name, client_streaming, server_streaming, idempotency, comment, deprecated, .. } =
            method;
        assert_eq!(
            (&**name, *client_streaming, *server_streaming, *idempotency, &**comment, *deprecated),
            expected
        );
        assert_eq!(method.input, "p.M");
    };
    check(0, ("Get", false, false, NoSideEffects, " Gets.\n", false));
    check(1, ("Up", true, false, Idempotent, "", false));
    check(2, ("Down", false, true, Unknown, " Down. ", true));
    check(3, ("Both", true, true, Unknown, "", false));
    assert_eq!(services[0].methods[0].output, "p.M.N");
}

#[test]
fn type_names_must_be_absolute() {
    for (name, expected) in
        [(Some(".p.M"), Some("p.M")), (Some("M"), None), (Some("."), None), (Some(""), None), (None, None)]
    {
        assert_eq!(absolute(name), expected, "{name:?}");
    }
}

fn compile() -> Vec<Service> {
    let folder = crate::source::tests::folder(&[("a.proto", SOURCE)]);
    let set = DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).expect("the row is a schema");
    set.files()[0].services().to_vec()
}
