use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use trunkline_wire::RequestHead;

use super::Channel;
use crate::codec::Raw;
use crate::transport::pipe::pipe;
use crate::transport::{Driving, Opened, Reset, ResetReason, Transport};
use crate::{CallOptions, Code, Procedure, Request, Streaming};

/// A server that resets each call after a while, as one does whose clock is ahead of ours.
struct Resetting {
    after: Duration,
}

impl Transport for Resetting {
    fn version(&self) -> http::Version {
        http::Version::HTTP_2
    }

    fn open(&self, _: RequestHead, _: Driving) -> Opened {
        let (outgoing, body) = pipe(1 << 10);
        let after = self.after;
        let response = Box::pin(async move {
            tokio::time::sleep(after).await;
            drop(body);
            Err(Reset::new(ResetReason::Canceled, "the server has left"))
        });
        Opened { outgoing: Box::new(outgoing), response }
    }
}

const TIMEOUT: Duration = Duration::from_millis(50);

#[tokio::test(start_paused = true)]
async fn reset_at_the_deadline_means_the_deadline() {
    check(TIMEOUT, Code::DeadlineExceeded).await;
    check(TIMEOUT - Duration::from_millis(1), Code::Canceled).await;
}

async fn check(after: Duration, code: Code) {
    let channel = Channel::over(Arc::new(Resetting { after }), Channel::builder("test"));
    let path = ("test.v1.Test", "Call", "/test.v1.Test/Call");
    let unary = Procedure::<Bytes, Bytes, Raw>::unary(path.0, path.1, path.2);
    let request = Request::new(Bytes::new()).with_timeout(TIMEOUT);
    assert_eq!(channel.unary(&unary, request).await.unwrap_err().code(), code);

    let streamed = Procedure::<Bytes, Bytes, Raw>::server_stream(path.0, path.1, path.2);
    let request = Request::new(Bytes::new()).with_timeout(TIMEOUT);
    assert_eq!(channel.server_stream(&streamed, request).await.unwrap_err().code(), code);

    for requests in [Streaming::from_iter([Bytes::new()]), Streaming::channel(1).1] {
        let streaming = Procedure::<Bytes, Bytes, Raw>::client_stream(path.0, path.1, path.2);
        let request = Request::new(requests).with_timeout(TIMEOUT);
        assert_eq!(channel.client_stream(&streaming, request).await.unwrap_err().code(), code);
    }

    let bidi = Procedure::<Bytes, Bytes, Raw>::bidi(path.0, path.1, path.2);
    let mut call = channel.bidi(&bidi, CallOptions::new().with_timeout(TIMEOUT));
    assert_eq!(call.message().await.unwrap_err().code(), code);
}
