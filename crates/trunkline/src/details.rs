//! The usual typed details of an error (`google.rpc`), and how generated messages are put into one and taken out.

use buffa::{Message, MessageName};

pub use crate::generated::google::rpc::{
    BadRequest, DebugInfo, ErrorInfo, Help, LocalizedMessage, PreconditionFailure, QuotaFailure, RequestInfo,
    ResourceInfo, RetryInfo, Status, bad_request, help, precondition_failure, quota_failure,
};

use crate::Error;

impl Error {
    /// Adds a generated message as a detail.
    ///
    /// ```
    /// use trunkline::{Error, details::ErrorInfo};
    /// let info = ErrorInfo { reason: "SOLD_OUT".into(), ..ErrorInfo::default() };
    /// let error = Error::failed_precondition("no seats left").with_message_detail(&info);
    /// assert_eq!(error.message_detail::<ErrorInfo>().map(|found| found.reason), Some("SOLD_OUT".into()));
    /// ```
    #[must_use]
    pub fn with_message_detail<M: Message + MessageName>(self, detail: &M) -> Self {
        self.with_detail(M::FULL_NAME, detail.encode_to_vec())
    }

    /// The first detail of type `M` that can be decoded. The raw ones, those of unknown types included, are in
    /// [`Error::details`].
    pub fn message_detail<M: Message + MessageName>(&self) -> Option<M> {
        let mut found = self.details().iter().filter(|detail| detail.type_name == M::FULL_NAME);
        found.find_map(|detail| M::decode_from_slice(&detail.value).ok())
    }
}
