//! Rules for metadata keys and values.
