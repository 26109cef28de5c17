//! Both roles of the `h2` crate.

use std::sync::Arc;

use bytes::Bytes;
use h2::{RecvStream, SendStream, client as h2_client, server as h2_server};
use http::{HeaderMap, Request, Response};
use tokio::io::DuplexStream;
use tokio::task::JoinSet;

use super::{CODE, Cut, Half, Log, Plan, STREAMS_MAX, Side, hear, pieces};

pub(super) async fn server(io: DuplexStream, window: u32, plans: Arc<[Plan]>, log: Log) {
    let mut builder = h2_server::Builder::new();
    builder.initial_window_size(window).max_concurrent_streams(STREAMS_MAX as u32);
    let mut connection = builder.handshake::<_, Bytes>(io).await.unwrap();
    let mut calls = JoinSet::new();
    while let Some(accepted) = connection.accept().await {
        let (request, mut respond) = match accepted {
            // We have what we wanted and are gone.
            Err(error) if error.is_io() => break,
            accepted => accepted.expect("we keep to the rules"),
        };
        let (plans, log) = (plans.clone(), log.clone());
        calls.spawn(async move {
            let call: usize = request.uri().path()[1..].parse().unwrap();
            let plan = &plans[call];
            if plan.cut == Cut::ByServer {
                return respond.send_reset(h2::Reason::from(CODE));
            }
            let ended = plan.down.bytes == 0 && !plan.down.trailers;
            // A client that cuts may have done so already.
            let sending = respond.send_response(Response::new(()), ended);
            let receiving = receive(request.into_body(), call, Side::Server, &log);
            let sending = async {
                if let (Ok(sending), false) = (sending, ended) {
                    send(sending, &plan.down, call, Side::Server).await;
                }
            };
            tokio::join!(receiving, sending);
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
}

pub(super) async fn client(io: DuplexStream, window: u32, plans: Arc<[Plan]>, log: Log) {
    let mut builder = h2_client::Builder::new();
    builder.initial_window_size(window);
    let (handle, connection) = builder.handshake::<_, Bytes>(io).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut calls = JoinSet::new();
    for (call, plan) in plans.iter().cloned().enumerate() {
        let log = log.clone();
        let mut ready = handle.clone().ready().await.expect("the connection goes on");
        calls.spawn(async move {
            let request = Request::post(format!("http://a.example/{call}")).body(()).unwrap();
            let ended = plan.up.bytes == 0 && !plan.up.trailers && plan.cut != Cut::ByClient;
            let (response, mut sending) = ready.send_request(request, ended).unwrap();
            let receiving = async {
                match response.await {
                    Ok(response) => receive(response.into_body(), call, Side::Client, &log).await,
                    Err(error) => fail(&error, call, Side::Client, &log),
                }
            };
            let sending = async {
                if plan.cut == Cut::ByClient {
                    let half = Half { bytes: plan.up.bytes / 2, ..plan.up.clone() };
                    for piece in pieces(&half, call, Side::Client) {
                        let _ = sending.send_data(piece, false);
                    }
                    sending.send_reset(h2::Reason::from(CODE));
                } else if !ended {
                    send(sending, &plan.up, call, Side::Client).await;
                }
            };
            tokio::join!(receiving, sending);
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    drop(handle);
    connection.await.unwrap().expect("we keep to the rules");
}

/// Sends a body and its end. One that is cut meanwhile is left.
async fn send(mut stream: SendStream<Bytes>, half: &Half, call: usize, side: Side) {
    let trailers = half.trailers(call);
    let pieces = pieces(half, call, side);
    if pieces.is_empty() && trailers.is_none() {
        let _ = stream.send_data(Bytes::new(), true);
        return;
    }
    let last = pieces.len().wrapping_sub(1);
    for (place, piece) in pieces.into_iter().enumerate() {
        if stream.send_data(piece, place == last && trailers.is_none()).is_err() {
            return;
        }
    }
    if let Some(trailers) = trailers {
        let _ = stream.send_trailers(trailers);
    }
}

async fn receive(mut body: RecvStream, call: usize, side: Side, log: &Log) {
    while let Some(piece) = body.data().await {
        match piece {
            Ok(piece) => {
                let _ = body.flow_control().release_capacity(piece.len());
                hear(log, call, side, |heard| heard.body.extend_from_slice(&piece));
            }
            Err(error) => return fail(&error, call, side, log),
        }
    }
    match body.trailers().await {
        Ok(trailers) => hear(log, call, side, |heard: &mut super::Heard| {
            let trailers: Option<HeaderMap> = trailers;
            (heard.trailers, heard.ended) = (trailers, true);
        }),
        Err(error) => fail(&error, call, side, log),
    }
}

fn fail(error: &h2::Error, call: usize, side: Side, log: &Log) {
    assert!(error.is_reset() && !error.is_go_away(), "call {call}: {error}");
    hear(log, call, side, |heard| heard.reset = error.reason().map(u32::from));
}
