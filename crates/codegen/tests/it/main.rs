//! Generated code: compared with its golden as text, compiled, and used as a user would.

mod golden;
mod plugin;
mod usage;

#[path = "../golden/binary/generated/mod.rs"]
mod binary;
#[path = "../golden/elsewhere/generated/mod.rs"]
mod elsewhere;
#[path = "../golden/greet/generated/mod.rs"]
mod greet;
#[path = "../golden/names/generated/mod.rs"]
mod names;
#[path = "../golden/packages/generated/mod.rs"]
mod packages;
#[path = "../golden/stubs/generated/mod.rs"]
mod stubs;
