//! The procedures of `small_frames.proto`.
//!
//! It decides what each answers. It must not know who calls.

use trunkline::{Request, Response, Result, Streaming};
use trunkline_conformance::proto::trunkline::lab::small_frames::v1::{Piece, SmallFrames};

use crate::{MESSAGES, pace};

/// The service.
pub(crate) struct Echo;

impl SmallFrames for Echo {
    async fn pull(&self, request: Request<Piece>) -> Result<Response<Streaming<Piece>>> {
        let piece = request.into_message();
        Ok(Response::new(Streaming::from_iter((0..MESSAGES).map(move |_| piece.clone()))))
    }

    async fn push(&self, request: Request<Streaming<Piece>>) -> Result<Response<Piece>> {
        let is_slow = request.metadata().value("slow").is_some();
        let mut pieces = request.into_message();
        let mut count: u32 = 0;
        while let Some(_piece) = pieces.message().await? {
            count += 1;
            pace(is_slow, count).await;
        }
        Ok(Response::new(Piece { payload: count.to_string().into_bytes(), ..Piece::default() }))
    }

    async fn talk(&self, request: Request<Streaming<Piece>>) -> Result<Response<Streaming<Piece>>> {
        let is_slow = request.metadata().value("slow").is_some();
        let state = (request.into_message(), 0);
        Ok(Response::new(Streaming::unfold(
            state,
            move |(mut pieces, count): (Streaming<Piece>, u32)| async move {
                pace(is_slow, count + 1).await;
                Ok(pieces.message().await?.map(|piece| (piece, (pieces, count + 1))))
            },
        )))
    }
}
