//! The five-byte prefix in front of streamed messages.
