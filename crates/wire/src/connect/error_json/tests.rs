//! Rows for the rules of this module.
