//! Rows for names: conversion, keywords, and what gives way to what.

use trunkline_schema::DescriptorSet;

use super::*;

#[test]
fn snake_case_splits_at_words() {
    for (name, expected) in [
        ("Hello", "hello"),
        ("SayHello", "say_hello"),
        ("GetHTTPInfo", "get_http_info"),
        ("get_http_info", "get_http_info"),
        ("HTTP", "http"),
        ("V2Get", "v2_get"),
        ("getX", "get_x"),
        ("A", "a"),
        ("_A", "_a"),
        ("_", "_method"),
        ("__", "__method"),
    ] {
        assert_eq!(snake(name), expected, "{name}");
    }
}

#[test]
fn camel_case_joins_words() {
    for (name, expected) in [
        ("Greet", "Greet"),
        ("greet_service", "GreetService"),
        ("HTTPServer", "HTTPServer"),
        ("greet", "Greet"),
        ("_1", "Service1"),
        ("_", "Service"),
        ("self", "ServiceSelf"),
    ] {
        assert_eq!(upper_camel(name), expected, "{name}");
    }
}

#[test]
fn keywords_are_escaped() {
    for (name, expected) in [
        ("type", "r#type"),
        ("async", "r#async"),
        ("gen", "r#gen"),
        ("self", "self_"),
        ("super", "super_"),
        ("Self", "Self_"),
        ("hello", "hello"),
        ("union", "union"),
    ] {
        assert_eq!(escape(name), expected, "{name}");
    }
    assert_eq!(escape_path("super::google::type::LatLng"), "super::google::r#type::LatLng");
    assert_eq!(escape_path("::a::B"), "::a::B");
}

#[test]
fn methods_give_way_to_the_client_and_to_each_other() {
    check_methods(&["New", "Connect", "Clone", "Into"], &["new_", "connect_", "clone_", "into_"]);
    check_methods(&["GetX", "get_x", "GETX"], &["get_x", "get_x_", "getx"]);
    check_methods(&["Self", "self_", "Type"], &["self_", "self__", "r#type"]);
    check_methods(&["NewOne"], &["new_one"]);
}

#[test]
fn constants_give_way_to_each_other_only() {
    let names = named("rpc New(M) returns (M); rpc GetX(M) returns (M); rpc get_x(M) returns (M);", &[]);
    let constants: Vec<&str> = names.methods.iter().map(|names| names.constant.as_str()).collect();
    assert_eq!(constants, ["NEW", "GET_X", "GET_X_"]);
}

#[test]
fn options_of_a_bidi_method_give_way_to_methods() {
    let chat = "rpc Chat(stream M) returns (stream M);";
    assert_eq!(named(chat, &[]).methods[0].with_options, "chat_with");
    let names = named(&format!("{chat} rpc ChatWith(M) returns (M);"), &[]);
    assert_eq!(names.methods[0].with_options, "chat_with_");
    assert_eq!(names.methods[1].function, "chat_with");
    let names = named("rpc Type(stream M) returns (stream M);", &[]);
    assert_eq!(names.methods[0].with_options, "type_with");
}

#[test]
fn services_give_way_to_items_of_the_package() {
    check_service(&[], ["Greet", "GreetServer", "GreetClient", "greet"]);
    check_service(&["GreetClient"], ["Greet", "GreetServer", "GreetClient_", "greet"]);
    check_service(&["greet"], ["Greet", "GreetServer", "GreetClient", "greet_"]);
    check_service(&["GreetServer", "GreetServer_"], ["Greet", "GreetServer__", "GreetClient", "greet"]);
}

#[test]
fn services_give_way_to_traits_of_other_services() {
    let set = set("", "service GreetServer {}");
    let services: Vec<&Service> = set.files()[0].services().iter().collect();
    let names = of_services(&services, &mut BTreeSet::new());
    assert_eq!(names[0].server, "GreetServer_");
    assert_eq!(names[1].service, "GreetServer");
}

fn check_methods(methods: &[&str], expected: &[&str]) {
    let text: String = methods.iter().map(|name| format!("rpc {name}(M) returns (M);")).collect();
    let names = named(&text, &[]);
    let functions: Vec<&str> = names.methods.iter().map(|names| names.function.as_str()).collect();
    assert_eq!(functions, expected, "{methods:?}");
}

fn check_service(taken: &[&str], expected: [&str; 4]) {
    let names = named("", taken);
    assert_eq!([&*names.service, &*names.server, &*names.client, &*names.module], expected, "{taken:?}");
}

fn named(methods: &str, taken: &[&str]) -> ServiceNames {
    let set = set(methods, "");
    let mut taken = taken.iter().map(|name| (*name).to_owned()).collect();
    of_services(&[&set.files()[0].services()[0]], &mut taken).remove(0)
}

fn set(methods: &str, more: &str) -> DescriptorSet {
    let text = format!("syntax = \"proto3\"; message M {{}} service Greet {{ {methods} }} {more}");
    let folder = crate::config::tests::folder(&[("a.proto", &text)]);
    DescriptorSet::from_sources(&["a.proto"], &[folder.path()]).expect("the row is a schema")
}
