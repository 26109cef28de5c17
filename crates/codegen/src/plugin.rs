//! What protoc and buf ask a plugin, and what they are told: `google/protobuf/compiler/plugin.proto`.
//!
//! It knows the field numbers of that file and the names of the options. The request is cut into its pieces and never
//! decoded as a whole, so that options in descriptors survive as they are; the response is written by hand because some of
//! our files are encoded descriptors, and its field for contents is a `string` that need not be UTF-8 (it is of proto2).

use buffa::encoding::{Tag, WireType, decode_varint, encode_varint, skip_field};

use crate::{Config, Error, Generated};

/// Answers an encoded `CodeGeneratorRequest` with an encoded `CodeGeneratorResponse`: the files that
/// [`compile`](crate::compile) would write. What is wrong goes into its field `error`.
///
/// This is all of the program `protoc-gen-trunkline`. With protoc:
///
/// ```text
/// protoc --trunkline_out=src/proto --trunkline_opt=include_file=mod.rs -I proto proto/greet.proto
/// ```
///
/// and in a `buf.gen.yaml`, where `strategy: all` makes it one request, for there is one include file:
///
/// ```text
/// plugins:
///   - local: protoc-gen-trunkline
///     out: src/proto
///     strategy: all
///     opt: [include_file=mod.rs]
/// ```
///
/// # Options
///
/// | option | default | is |
/// |---|---|---|
/// | `json` | `true` | [`Config::json`] |
/// | `json_feature=NAME` | none | [`Config::json_feature`] |
/// | `server`, `client` | `true` | [`Config::server`], [`Config::client`] |
/// | `default_stubs` | `false` | [`Config::default_stubs`] |
/// | `include_file=NAME.rs` | `trunkline.rs` | [`Config::include_file`] |
/// | `extern_path=.PACKAGE=::RUST::PATH` | none | [`Config::extern_path`]; may come again |
///
/// A switch without a value is on. Messages of imported files are generated as well, as in a `build.rs`; `extern_path` says
/// which are elsewhere.
///
/// ```
/// // An empty request names no file.
/// let response = trunkline_codegen::plugin(b"");
/// assert!(response.windows(7).any(|text| text == b"nothing"));
/// ```
pub fn plugin(request: &[u8]) -> Vec<u8> {
    let mut response = Vec::new();
    put_varint(&mut response, RESPONSE_FEATURES, FEATURE_PROTO3_OPTIONAL | FEATURE_SUPPORTS_EDITIONS);
    put_varint(&mut response, RESPONSE_EDITION_MIN, EDITION_PROTO2);
    put_varint(&mut response, RESPONSE_EDITION_MAX, EDITION_2024);
    match answer(request) {
        Ok(files) => {
            for file in files {
                let mut encoded = Vec::with_capacity(file.content.len() + file.name.len() + 16);
                put_bytes(&mut encoded, FILE_NAME, file.name.as_bytes());
                put_bytes(&mut encoded, FILE_CONTENT, &file.content);
                put_bytes(&mut response, RESPONSE_FILE, &encoded);
            }
        }
        Err(error) => put_bytes(&mut response, RESPONSE_ERROR, error.to_string().as_bytes()),
    }
    response
}

// CodeGeneratorRequest.
const REQUEST_FILE_TO_GENERATE: u32 = 1;
const REQUEST_PARAMETER: u32 = 2;
const REQUEST_PROTO_FILE: u32 = 15;

// CodeGeneratorResponse, and its File.
const RESPONSE_ERROR: u32 = 1;
const RESPONSE_FEATURES: u32 = 2;
const RESPONSE_EDITION_MIN: u32 = 3;
const RESPONSE_EDITION_MAX: u32 = 4;
const RESPONSE_FILE: u32 = 15;
const FILE_NAME: u32 = 1;
const FILE_CONTENT: u32 = 15;

// CodeGeneratorResponse.Feature.
const FEATURE_PROTO3_OPTIONAL: u64 = 1;
const FEATURE_SUPPORTS_EDITIONS: u64 = 2;

// Edition of descriptor.proto, as far as messages can be generated for them.
const EDITION_PROTO2: u64 = 998;
const EDITION_2024: u64 = 1001;

/// `FileDescriptorSet.file` of descriptor.proto.
const SET_FILE: u32 = 1;

/// What a request says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    files: Vec<String>,
    parameter: String,
    /// An encoded `FileDescriptorSet` of all files.
    set: Vec<u8>,
}

fn answer(request: &[u8]) -> Result<Vec<Generated>, Error> {
    let asked =
        read(request).map_err(|message| Error::Config { message: format!("the request: {message}") })?;
    if asked.files.is_empty() {
        return Err(Error::Config { message: "nothing to generate: the request names no file".to_owned() });
    }
    let config = Config::new().files(&asked.files).descriptors(asked.set);
    configure(config, &asked.parameter)?.generate()
}

/// Cuts a request into its pieces.
fn read(request: &[u8]) -> Result<Asked, String> {
    let mut asked = Asked::default();
    let mut rest = request;
    while !rest.is_empty() {
        let tag = Tag::decode(&mut rest).map_err(|fault| fault.to_string())?;
        let mut value = rest;
        skip_field(tag, &mut rest).map_err(|fault| fault.to_string())?;
        if tag.wire_type() != WireType::LengthDelimited {
            continue;
        }
        let length = value.len();
        decode_varint(&mut value).map_err(|fault| fault.to_string())?;
        let prefix = length - value.len();
        let value = &value[..length - prefix - rest.len()];
        match tag.field_number() {
            REQUEST_FILE_TO_GENERATE => asked.files.push(text(value)?),
            REQUEST_PARAMETER => asked.parameter = text(value)?,
            REQUEST_PROTO_FILE => put_bytes(&mut asked.set, SET_FILE, value),
            _ => {}
        }
    }
    Ok(asked)
}

fn text(value: &[u8]) -> Result<String, String> {
    String::from_utf8(value.to_vec()).map_err(|_| "a name or parameter is not UTF-8".to_owned())
}

/// Reads `key=value,key=value`, as protoc joins them.
fn configure(mut config: Config, parameter: &str) -> Result<Config, Error> {
    for option in parameter.split(',').map(str::trim).filter(|option| !option.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        config = match key {
            "json" => config.json(switch(option, value)?),
            "server" => config.server(switch(option, value)?),
            "client" => config.client(switch(option, value)?),
            "default_stubs" => config.default_stubs(switch(option, value)?),
            "json_feature" if !value.is_empty() => config.json_feature(value),
            "include_file" if !value.is_empty() => config.include_file(value),
            "extern_path" => {
                let Some((proto, rust)) = value.split_once('=') else {
                    return Err(wrong(option, "wants .package=::rust::path"));
                };
                config.extern_path(proto, rust)
            }
            "json_feature" | "include_file" => return Err(wrong(option, "wants a name")),
            _ => {
                let known = "json, json_feature, server, client, default_stubs, include_file and extern_path";
                return Err(wrong(option, &format!("is not known; there are {known}")));
            }
        };
    }
    Ok(config)
}

fn switch(option: &str, value: &str) -> Result<bool, Error> {
    match value {
        "" | "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(wrong(option, "wants true or false")),
    }
}

fn wrong(option: &str, what: &str) -> Error {
    Error::Config { message: format!("option `{option}` {what}") }
}

fn put_varint(target: &mut Vec<u8>, field: u32, value: u64) {
    Tag::new(field, WireType::Varint).encode(target);
    encode_varint(value, target);
}

fn put_bytes(target: &mut Vec<u8>, field: u32, value: &[u8]) {
    Tag::new(field, WireType::LengthDelimited).encode(target);
    encode_varint(value.len() as u64, target);
    target.extend_from_slice(value);
}

#[cfg(test)]
mod tests;
