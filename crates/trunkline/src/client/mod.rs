//! A client: a channel to one server, and the calls on it.

mod bidi;
mod builder;
mod channel;
mod intercepted;
mod options;
mod receiver;
mod sender;

pub use self::bidi::Bidi;
pub use self::builder::{ChannelBuilder, HttpVersion};
pub use self::channel::Channel;
pub use self::options::CallOptions;
pub(crate) use self::options::SendCompression;
pub use self::sender::Sender;
