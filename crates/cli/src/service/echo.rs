//! `trunkline.echo.v1.EchoService`: says things back, in each shape of call.

use trunkline::{Error, Request, Response, Result, Streaming};

use super::metadata::Echoed;
use crate::proto::trunkline::echo::v1::{EchoReply, EchoRequest, EchoService};

/// The service; it keeps nothing.
pub(crate) struct Echo;

/// Most answers of one `Expand`.
const EXPAND_COUNT_MAX: u32 = 100_000;

/// Longest answer of `Collect`, in bytes.
const COLLECT_BYTES_MAX: usize = 4 << 20;

impl EchoService for Echo {
    async fn echo(&self, request: Request<EchoRequest>) -> Result<Response<EchoReply>> {
        let echoed = Echoed::of(request.metadata())?;
        Ok(echoed.onto(reply(request.into_message().message)))
    }

    async fn expand(&self, request: Request<EchoRequest>) -> Result<Response<Streaming<EchoReply>>> {
        let echoed = Echoed::of(request.metadata())?;
        let EchoRequest { message, count, .. } = request.into_message();
        let count = count.unwrap_or(1);
        if count > EXPAND_COUNT_MAX {
            let message = format!("count is {count}, above the {EXPAND_COUNT_MAX} that are answered");
            return Err(echoed.onto_error(Error::invalid_argument(message)));
        }
        Ok(echoed.onto(Streaming::from_iter((0..count).map(move |_| reply(message.clone())))))
    }

    async fn collect(&self, request: Request<Streaming<EchoRequest>>) -> Result<Response<EchoReply>> {
        let echoed = Echoed::of(request.metadata())?;
        let mut requests = request.into_message();
        let mut joined: Option<String> = None;
        while let Some(said) = requests.message().await? {
            let Some(joined) = &mut joined else {
                joined = Some(said.message);
                continue;
            };
            if joined.len() + 1 + said.message.len() > COLLECT_BYTES_MAX {
                let message = format!(
                    "the messages together are above the {COLLECT_BYTES_MAX} bytes that are answered"
                );
                return Err(echoed.onto_error(Error::resource_exhausted(message)));
            }
            joined.push(' ');
            joined.push_str(&said.message);
        }
        Ok(echoed.onto(reply(joined.unwrap_or_default())))
    }

    async fn chat(&self, request: Request<Streaming<EchoRequest>>) -> Result<Response<Streaming<EchoReply>>> {
        let echoed = Echoed::of(request.metadata())?;
        let replies = Streaming::unfold(request.into_message(), async |mut requests| {
            let said = requests.message().await?;
            Ok(said.map(|said| (reply(said.message), requests)))
        });
        Ok(echoed.onto(replies))
    }
}

fn reply(message: String) -> EchoReply {
    EchoReply { message, ..EchoReply::default() }
}

#[cfg(test)]
mod tests;
