use super::*;

#[test]
fn response_derefs_to_its_message_and_comes_apart() {
    let mut response =
        Response::from(vec![1]).with_metadata("h", "1").unwrap().with_trailer("t", "2").unwrap();
    response.push(2);
    response.metadata_mut().append("h", "3").unwrap();
    response.trailers_mut().append("t", "4").unwrap();
    assert_eq!(response.len(), 2);
    let (message, headers, trailers) = response.into_parts();
    assert_eq!(message, [1, 2]);
    assert_eq!(headers.values("h").collect::<Vec<_>>(), ["1", "3"]);
    assert_eq!(trailers.values("t").collect::<Vec<_>>(), ["2", "4"]);
}

#[test]
fn wrong_metadata_is_refused_where_it_is_set() {
    let rows = ["content-type", "grpc-message", "connect-protocol-version", "no name"];
    for key in rows {
        assert_eq!(
            Response::new(()).with_metadata(key, "x").unwrap_err().code(),
            crate::Code::InvalidArgument,
            "{key}"
        );
        assert_eq!(
            Response::new(()).with_trailer(key, "x").unwrap_err().code(),
            crate::Code::InvalidArgument,
            "{key}"
        );
    }
}
