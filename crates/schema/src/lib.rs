//! Protobuf descriptors for Trunkline: loaded from `.proto` sources without protoc, or from descriptor sets.
//!
//! This crate decides what a set of descriptors says: which files there are and in which order they depend on each
//! other, which symbols and services they define, and which bytes describe them. It knows no wire protocol, no
//! generated code and no sockets. Parsing of sources is protox's work; the types of the libraries inside do not
//! appear in this crate's own types.
//!
//! ```
//! # fn main() -> Result<(), trunkline_schema::Error> {
//! # let dir = std::env::temp_dir().join(format!("trunkline-schema-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir).unwrap();
//! # std::fs::write(dir.join("greet.proto"), r#"
//! #     syntax = "proto3"; package demo.v1;
//! #     message Hello {} service Greet { rpc Say(Hello) returns (Hello); }"#).unwrap();
//! let set = trunkline_schema::DescriptorSet::from_sources(&["greet.proto"], &[&dir])?;
//! let file = set.file("greet.proto").expect("it was asked for");
//! assert_eq!(file.services()[0].full_name, "demo.v1.Greet");
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod error;
mod file;
mod raw;
mod service;
mod set;
mod source;

pub use error::{Error, Place};
pub use file::{Extension, File};
pub use service::{Idempotency, Method, Service};
pub use set::DescriptorSet;
