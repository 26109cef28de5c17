use super::*;

type Proc = Procedure<u8, u16>;

#[test]
fn constructor_decides_the_shape() {
    let check = |procedure: Proc, shape: Shape, client: bool, server: bool| {
        let spec = procedure.spec();
        assert_eq!((spec.service, spec.method, spec.path), ("a.B", "C", "/a.B/C"));
        assert_eq!((spec.shape, spec.idempotency), (shape, Idempotency::Unknown));
        assert_eq!((spec.shape.client_streams(), spec.shape.server_streams()), (client, server));
    };
    check(Proc::unary("a.B", "C", "/a.B/C"), Shape::Unary, false, false);
    check(Proc::server_stream("a.B", "C", "/a.B/C"), Shape::ServerStream, false, true);
    check(Proc::client_stream("a.B", "C", "/a.B/C"), Shape::ClientStream, true, false);
    check(Proc::bidi("a.B", "C", "/a.B/C"), Shape::Bidi, true, true);
}

#[test]
fn side_effects_are_said_by_the_schema() {
    const QUIET: Proc = Proc::unary("a.B", "C", "/a.B/C").no_side_effects();
    const TWICE: Proc = Proc::unary("a.B", "C", "/a.B/C").idempotent();
    assert_eq!(QUIET.spec().idempotency, Idempotency::NoSideEffects);
    assert_eq!(TWICE.spec().idempotency, Idempotency::Idempotent);
}
