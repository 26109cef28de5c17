use trunkline_wire::Code;

use super::*;

#[test]
fn http2_code_becomes_the_code_of_grpc() {
    // The table "HTTP2 Code -> GRPC Code" of gRPC over HTTP/2.
    let rows = [
        (Reason::NO_ERROR, Code::Internal),
        (Reason::PROTOCOL_ERROR, Code::Internal),
        (Reason::INTERNAL_ERROR, Code::Internal),
        (Reason::FLOW_CONTROL_ERROR, Code::Internal),
        (Reason::FRAME_SIZE_ERROR, Code::Internal),
        (Reason::REFUSED_STREAM, Code::Unavailable),
        (Reason::CANCEL, Code::Canceled),
        (Reason::COMPRESSION_ERROR, Code::Internal),
        (Reason::CONNECT_ERROR, Code::Internal),
        (Reason::ENHANCE_YOUR_CALM, Code::ResourceExhausted),
        (Reason::INADEQUATE_SECURITY, Code::PermissionDenied),
    ];
    for (reason, code) in rows {
        assert_eq!(reason_of(reason).code(), code, "{reason:?}");
        assert_eq!(judge_h2(&h2::Error::from(reason)).code(), code, "{reason:?}");
    }
}

#[test]
fn reason_survives_the_wire() {
    for reason in [
        ResetReason::Canceled,
        ResetReason::Refused,
        ResetReason::Calm,
        ResetReason::Insecure,
        ResetReason::Broken,
    ] {
        assert_eq!(reason_of(code_of(reason)), reason);
    }
}
