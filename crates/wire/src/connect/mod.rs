//! The connect protocol.
