//! The same tests of the public API for every protocol over every transport.

#![allow(clippy::unwrap_used, reason = "in a test it is an assertion")]

mod backpressure;
mod bad_heads;
mod bad_input;
mod bad_response;
#[cfg(feature = "compression-all")]
mod compression;
#[cfg(feature = "compression-all")]
mod compression_choice;
mod connecting;
mod ending;
mod endless;
mod extensions;
mod facts;
mod formats;
mod grpc_bad_input;
mod grpc_bad_response;
mod handlers;
mod health;
mod hostile;
mod inline;
mod interceptor_outcome;
mod interceptors;
mod metadata;
mod mutual_tls;
mod onward;
mod pages;
mod peers;
mod prost;
mod raw;
mod service_interceptors;
mod services;
mod shapes;
mod slow;
mod support;
mod tonic;
mod tower;
#[cfg(unix)]
mod unix;
mod upgrades;
mod windows;
