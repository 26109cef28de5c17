use trunkline::{Error, Metadata};
use trunkline_conformance::proto::connectrpc::conformance::v1 as messages;

use self::messages::client_compat_response::Result as Told;
use self::messages::{ClientResponseResult, Code, ConformancePayload};
use super::{Report, left, response};

#[test]
fn report_tells_what_has_arrived() {
    let mut report = Report::default();
    report.headers(&metadata("x-head"));
    report.payload(Some(ConformancePayload { data: b"a".to_vec(), ..Default::default() }));
    report.payload(None);
    assert_eq!(report.responses(), 2);
    report.trailers(&metadata("x-tail"));
    let told = told(report);
    assert_eq!((names(&told), told.payloads.len()), (("x-head", "x-tail"), 2));
    assert!(told.error.is_unset());
}

#[test]
fn report_of_a_failure_keeps_what_came_before() {
    let mut report = Report::default();
    report.headers(&metadata("x-head"));
    report.payload(None);
    report.unsent(3);
    report.failed(&Error::aborted("no").with_metadata(metadata("x-tail")));
    let failed = told(report);
    assert_eq!((names(&failed), failed.payloads.len()), (("x-head", "x-tail"), 1));
    assert_eq!((failed.num_unsent_requests, failed.error.message.as_deref()), (3, Some("no")));
    assert_eq!(failed.error.code, Code::CODE_ABORTED);

    let mut report = Report::default();
    report.failed(&left());
    assert_eq!(told(report).error.code, Code::CODE_CANCELED);
}

#[test]
fn call_that_could_not_be_made_is_an_error() {
    match response("name".into(), Err("why".into())).result {
        Some(Told::Error(error)) => assert_eq!(error.message, "why"),
        other => panic!("{other:?}"),
    }
}

fn told(report: Report) -> ClientResponseResult {
    let told = response("name".into(), Ok(report));
    assert_eq!(told.test_name, "name");
    match told.result {
        Some(Told::Response(result)) => *result,
        other => panic!("{other:?}"),
    }
}

fn names(told: &ClientResponseResult) -> (&str, &str) {
    (&told.response_headers[0].name, &told.response_trailers[0].name)
}

fn metadata(name: &str) -> Metadata {
    let mut metadata = Metadata::new();
    metadata.append(name, "1").unwrap();
    metadata
}
