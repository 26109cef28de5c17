use std::error::Error as _;

use super::*;

#[test]
fn error_is_small() {
    assert!(size_of::<Error>() <= 128);
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
}

#[test]
fn error_says_code_message_and_side() {
    let check = |error: Error, expected: &str| assert_eq!(error.to_string(), expected);
    check(Error::new(Code::NotFound, "no such order"), "not_found: no such order");
    check(Error::new(Code::Internal, ""), "internal");
    check(
        Error::from_status(Status::new(Code::Aborted, "conflict"), Metadata::new(), true),
        "aborted: conflict (from peer)",
    );
}

#[test]
fn debug_is_for_people_unless_everything_is_asked_for() {
    let io = std::io::Error::other("disk full");
    let error = Error::unavailable("no store").with_detail("a.B", &b"x"[..]).with_source(io);
    assert_eq!(format!("{error:?}"), "unavailable: no store");
    let all = format!("{error:#?}");
    for part in ["Unavailable", "no store", "a.B", "disk full"] {
        assert!(all.contains(part), "{all}");
    }
}

#[test]
fn error_is_never_a_success() {
    assert_eq!(Error::new(Code::Ok, "fine").code(), Code::Unknown);
}

#[test]
fn source_stays_on_this_side() {
    let io = std::io::Error::other("disk");
    let error = Error::unavailable("no store").with_source(io);
    assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("disk"));
    let status = error.into_status();
    assert_eq!((status.code, status.message.as_str()), (Code::Unavailable, "no store"));
}

#[test]
fn question_mark_turns_own_errors_into_errors() {
    #[derive(Debug)]
    struct Mine;
    impl From<Mine> for Error {
        fn from(_: Mine) -> Self {
            Self::already_exists("mine")
        }
    }
    fn fails() -> Result<()> {
        Err(Mine)?
    }
    assert_eq!(fails().unwrap_err().code(), Code::AlreadyExists);
}

#[test]
fn every_constructor_has_its_code() {
    type Make = fn(&'static str) -> Error;
    let rows: &[(Make, Code)] = &[
        (Error::canceled, Code::Canceled),
        (Error::unknown, Code::Unknown),
        (Error::invalid_argument, Code::InvalidArgument),
        (Error::deadline_exceeded, Code::DeadlineExceeded),
        (Error::not_found, Code::NotFound),
        (Error::already_exists, Code::AlreadyExists),
        (Error::permission_denied, Code::PermissionDenied),
        (Error::resource_exhausted, Code::ResourceExhausted),
        (Error::failed_precondition, Code::FailedPrecondition),
        (Error::aborted, Code::Aborted),
        (Error::out_of_range, Code::OutOfRange),
        (Error::unimplemented, Code::Unimplemented),
        (Error::internal, Code::Internal),
        (Error::unavailable, Code::Unavailable),
        (Error::data_loss, Code::DataLoss),
        (Error::unauthenticated, Code::Unauthenticated),
    ];
    for (make, code) in rows {
        assert_eq!(make("x").code(), *code);
    }
}
