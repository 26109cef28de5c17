use super::*;

#[test]
fn text_values_are_judged() {
    fn check(key: &str, value: &str, expected: Result<(), &str>) {
        let mut metadata = Metadata::new();
        match (metadata.append(key, value), expected) {
            (Ok(()), Ok(())) => assert_eq!(metadata.value(key), Some(value)),
            (Err(error), Err(part)) => {
                assert_eq!(error.code(), trunkline_wire::Code::InvalidArgument);
                assert!(error.message().contains(part), "{error}");
            }
            (seen, expected) => panic!("{key}={value}: {seen:?}, expected {expected:?}"),
        }
    }
    check("tenant", "blue", Ok(()));
    check("tenant", "", Ok(()));
    check("tenant", "two words, and a comma", Ok(()));
    check("Tenant", "blue", Ok(()));
    check("with space", "x", Err("not a header name"));
    check("", "x", Err("not a header name"));
    check("tenant", "über", Err("not printable ASCII"));
    check("tenant", "line\nbreak", Err("not printable ASCII"));
    check("trace-bin", "x", Err("append_bin"));
    check("content-type", "x", Err("belongs to"));
    check("grpc-timeout", "1S", Err("belongs to"));
    check("connect-timeout-ms", "1", Err("belongs to"));
    check("te", "trailers", Err("belongs to"));
}

#[test]
fn bytes_come_out_as_they_went_in() {
    for bytes in [&b""[..], b"a", b"ab", b"abc", b"\x00\xff\xfe"] {
        let mut metadata = Metadata::new();
        metadata.append_bin("trace-bin", bytes).unwrap();
        assert_eq!(metadata.bin("trace-bin").as_deref(), Some(bytes));
    }
    let mut metadata = Metadata::new();
    assert!(metadata.append_bin("trace", b"x").unwrap_err().message().contains("-bin"));
    assert!(metadata.is_empty());
}

#[test]
fn values_repeat_in_order_and_insert_replaces() {
    let mut metadata = Metadata::new();
    for value in ["1", "2", "3"] {
        metadata.append("n", value).unwrap();
    }
    assert_eq!(metadata.values("n").collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_eq!(metadata.len(), 3);
    metadata.insert("n", "4").unwrap();
    assert_eq!(metadata.values("n").collect::<Vec<_>>(), ["4"]);
    assert!(metadata.remove("n"));
    assert!(!metadata.remove("n"));
}

#[test]
fn joined_binary_values_count_as_several() {
    let mut headers = HeaderMap::new();
    headers.append("x-bin", HeaderValue::from_static("YQ==,Yg"));
    headers.append("x-bin", HeaderValue::from_static("Yw"));
    let metadata = Metadata::from_headers(headers);
    let values: Vec<_> = metadata.bins("x-bin").collect();
    assert_eq!(values, [&b"a"[..], b"b", b"c"]);
}
