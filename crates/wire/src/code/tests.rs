//! Rows for the tables of codes.

use http::StatusCode;

use super::{Code, UnknownCodeName};

#[test]
fn codes_have_the_numbers_names_and_http_statuses_of_the_specifications() {
    let rows = [
        (1, "canceled", 499),
        (2, "unknown", 500),
        (3, "invalid_argument", 400),
        (4, "deadline_exceeded", 504),
        (5, "not_found", 404),
        (6, "already_exists", 409),
        (7, "permission_denied", 403),
        (8, "resource_exhausted", 429),
        (9, "failed_precondition", 400),
        (10, "aborted", 409),
        (11, "out_of_range", 400),
        (12, "unimplemented", 501),
        (13, "internal", 500),
        (14, "unavailable", 503),
        (15, "data_loss", 500),
        (16, "unauthenticated", 401),
    ];
    for (number, name, http) in rows {
        let code = Code::from_number(number);
        assert_eq!(u64::from(code.number()), number);
        assert_eq!(code.to_string(), name);
        assert_eq!(name.parse(), Ok(code));
        assert_eq!(code.http_status().as_u16(), http, "{name}");
    }
    assert_eq!(Code::from_number(0), Code::Ok);
    assert_eq!(Code::Ok.http_status(), StatusCode::OK);
}

#[test]
fn numbers_that_nobody_has_defined_are_unknown() {
    for number in [17, 99, u64::from(u32::MAX), u64::MAX] {
        assert_eq!(Code::from_number(number), Code::Unknown, "{number}");
    }
}

#[test]
fn names_are_read_exactly() {
    for name in ["", "Canceled", "cancelled", "CANCELED", " ok", "not-found", "17"] {
        assert_eq!(name.parse::<Code>(), Err(UnknownCodeName), "{name:?}");
    }
}

#[test]
fn http_statuses_without_a_code_map_to_one() {
    let rows = [
        (200, Code::Unknown),
        (301, Code::Unknown),
        (400, Code::Internal),
        (401, Code::Unauthenticated),
        (403, Code::PermissionDenied),
        (404, Code::Unimplemented),
        (409, Code::Unknown),
        (412, Code::Unknown),
        (413, Code::Unknown),
        (415, Code::Unknown),
        (429, Code::Unavailable),
        (431, Code::Unknown),
        (500, Code::Unknown),
        (502, Code::Unavailable),
        (503, Code::Unavailable),
        (504, Code::Unavailable),
        (505, Code::Unknown),
        (800, Code::Unknown),
    ];
    for (status, code) in rows {
        assert_eq!(Code::from_http_status(StatusCode::from_u16(status).unwrap()), code, "{status}");
    }
}
