//! Interceptors around one service, inside of those of its server.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use trunkline::health::{Health, HealthCheckRequest, HealthClient};
use trunkline::interceptor::{Interceptor, Next, Payload};
use trunkline::server::Service;
use trunkline::{CallOptions, Request, Response, Result, Server, Shape, Streaming, testkit};

use crate::support::{CHAT, COUNT, ECHO, JOIN, ShapesServer, cases, within_bounds};

type Log = Arc<Mutex<Vec<String>>>;

/// Writes down the procedure of each call, under a name.
#[derive(Clone)]
struct Note(&'static str, Log);

impl Interceptor for Note {
    async fn intercept(
        &self,
        request: Request<Streaming<Payload>>,
        next: Next<'_>,
    ) -> Result<Response<Streaming<Payload>>> {
        self.1.lock().unwrap().push(format!("{} {}", self.0, next.context().spec().method));
        next.run(request).await
    }
}

#[tokio::test]
async fn interceptor_of_a_service_sees_its_calls_and_no_others() {
    for case in cases() {
        let log = Log::default();
        let note = |name| Note(name, Arc::clone(&log));
        // The server's interceptor is the outermost whenever it is added; the service keeps its procedures and its end.
        let shapes = ShapesServer(Arc::default()).intercept(note("first")).intercept(note("second"));
        let server = Server::new().service(shapes).service(Health::new().service()).intercept(note("server"));
        let channel = testkit::pair_with(server, case.builder("memory"));
        for shape in [Shape::Unary, Shape::ServerStream, Shape::ClientStream, Shape::Bidi] {
            let method = within_bounds(case, async {
                match shape {
                    Shape::Unary => channel.unary(&ECHO, Bytes::new()).await.map(|_| "Echo"),
                    Shape::ServerStream => channel.server_stream(&COUNT, Bytes::new()).await.map(|_| "Count"),
                    Shape::ClientStream => {
                        let many = Request::new(Streaming::from_iter([Bytes::new()]));
                        channel.client_stream(&JOIN, many).await.map(|_| "Join")
                    }
                    Shape::Bidi => {
                        let mut call = channel.bidi(&CHAT, CallOptions::new());
                        call.close();
                        call.message().await.map(|_| "Chat")
                    }
                }
            });
            let method = method.await.unwrap();
            let expected = ["server", "first", "second"].map(|name| format!("{name} {method}"));
            assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected, "{case:?} {shape:?}");
        }
        let health = HealthClient::new(channel);
        within_bounds(case, health.check(HealthCheckRequest::default())).await.unwrap();
        assert_eq!(std::mem::take(&mut *log.lock().unwrap()), ["server Check"], "{case:?}");
    }
}

#[test]
fn service_with_an_interceptor_is_what_it_was() {
    let (plain, around) = (Health::new().service(), Health::new().service());
    let around = around.intercept(Note("around", Log::default()));
    assert_eq!((around.name(), around.files().len()), (plain.name(), plain.files().len()));
}
