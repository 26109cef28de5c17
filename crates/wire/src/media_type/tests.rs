//! Rows for reading content types.

use http::{HeaderMap, HeaderValue, header};

use super::MediaType;

fn read(value: &[u8]) -> Option<(String, bool)> {
    let mut fields = HeaderMap::new();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_bytes(value).unwrap());
    let media = MediaType::of(&fields)?;
    assert_eq!(media.value(), media.essence());
    Some((media.essence().to_owned(), media.foreign_charset()))
}

#[test]
fn content_types_are_read_without_parameters_and_case() {
    let rows: [(&str, &str, bool); 10] = [
        ("application/proto", "application/proto", false),
        ("Application/JSON", "application/json", false),
        ("application/json;charset=utf-8", "application/json", false),
        ("application/json ; Charset=\"UTF-8\"", "application/json", false),
        ("application/json; charset=utf8; x=y", "application/json", false),
        ("application/json; charset=latin1", "application/json", true),
        ("application/json; boundary=x; charset=utf-16", "application/json", true),
        (" application/grpc ", "application/grpc", false),
        ("", "", false),
        (";", "", false),
    ];
    for (value, essence, foreign) in rows {
        assert_eq!(read(value.as_bytes()), Some((essence.to_owned(), foreign)), "{value:?}");
    }
}

#[test]
fn content_types_that_are_no_text_are_none() {
    assert_eq!(read(b"application/\xff"), None);
    assert_eq!(MediaType::of(&HeaderMap::new()), None);
}

#[test]
fn charsets_are_found_wherever_they_stand() {
    let check = |parameters: &str, foreign: bool| {
        for essence in ["application/json", "APPLICATION/JSON", "application/json "] {
            let value = format!("{essence};{parameters}");
            assert_eq!(read(value.as_bytes()), Some(("application/json".to_owned(), foreign)), "{value:?}");
        }
    };
    check("", false);
    check(";;", false);
    check("charset", false);
    check("charset=utf-8", false);
    check(" CHARSET = UTF8 ", false);
    check("x=charset;y", false);
    check("xcharset=latin1", false);
    check("charset=", true);
    check("charset=utf-8;charset=latin1", true);
    check("a=b; charset=utf-16", true);
    check("charset=\"iso-8859-1\"", true);
    check("charset=utf-80", true);
}
