//! Generated messages by hand: what is needed to write, read and nest them outside of a call.
//!
//! This module decides which parts of the message library a user may rely on. No other part of this crate's surface
//! names that library, but for generated code.

pub use buffa::{DecodeError, EnumValue, Message, MessageField, MessageName};

/// The well-known types, `google.protobuf`.
pub use buffa_types::google::protobuf as well_known;

#[cfg(feature = "json")]
pub use self::types::{TypeRegistry, register_types};

#[cfg(feature = "json")]
mod types {
    use std::sync::{Mutex, PoisonError};

    /// Message types by their names, as the `register_types` of each generated package fills it.
    pub use buffa::type_registry::TypeRegistry;

    use crate::generated::google::rpc;

    /// What has been registered so far. A program has as many entries as it has packages.
    static KNOWN: Mutex<Vec<fn(&mut TypeRegistry)>> = Mutex::new(Vec::new());

    /// Makes the messages of generated packages known by name, so that a `google.protobuf.Any` with one of them is
    /// written and read as JSON in the way that the mapping asks for ("ProtoJSON Format", Any). The well-known types
    /// and the usual error details come along. What is not known is written as base64.
    ///
    /// Call it once, before the first message is read or written: each call leaves a table behind that lives as long as
    /// the process.
    ///
    /// ```
    /// # fn register_types(_: &mut trunkline::proto::TypeRegistry) {}
    /// // `register_types` stands beside the messages of each generated package.
    /// trunkline::proto::register_types(&[register_types]);
    /// ```
    pub fn register_types(packages: &[fn(&mut TypeRegistry)]) {
        // Data that is only appended to is whole whatever panics elsewhere.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(packages);
        let mut registry = TypeRegistry::new();
        buffa_types::register_wkt_types(&mut registry);
        rpc::register_types(&mut registry);
        for register in known.iter() {
            register(&mut registry);
        }
        buffa::type_registry::set_type_registry(registry);
    }
}

#[cfg(test)]
mod tests;
