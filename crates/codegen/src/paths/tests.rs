//! Rows for the one rewrite: what is led through `trunkline`, and what must stay as it is.

use super::through_trunkline;

fn check(code: &str, expected: &str) {
    // The expectations say `@` for the route, which keeps the rows readable.
    assert_eq!(through_trunkline(code), expected.replace('@', "::trunkline::__rt"), "{code}");
}

fn check_stays(code: &str) {
    check(code, code);
}

#[test]
fn absolute_paths_of_the_runtime_are_led_through() {
    check("fn a(b: &mut ::buffa::SizeCache) {}", "fn a(b: &mut @::buffa::SizeCache) {}");
    check("impl ::buffa::Message for A {}", "impl @::buffa::Message for A {}");
    check("<A as ::buffa::Message>::decode()", "<A as @::buffa::Message>::decode()");
    check("use ::serde::ser::SerializeMap;", "use @::serde::ser::SerializeMap;");
    check("::buffa::impl_default_instance!(A);", "@::buffa::impl_default_instance!(A);");
    check("Vec<::bytes::Bytes>", "Vec<@::bytes::Bytes>");
    check("&'a ::serde_json::Value", "&'a @::serde_json::Value");
    check("::buffa_types::google::protobuf::Any", "@::buffa_types::google::protobuf::Any");
    check("f::<::buffa::map_codec::Str, _>(a)", "f::<@::buffa::map_codec::Str, _>(a)");
    check("(::buffa_descriptor::x)", "(@::buffa_descriptor::x)");
}

#[test]
fn other_paths_stay() {
    check_stays("::core::option::Option<::std::string::String>");
    check_stays("a::serde::b");
    check_stays("super::buffa::x");
    check_stays("<T>::serde::b");
    check_stays("Vec<u8>::bytes");
    check_stays("r#type::serde::x");
    check_stays("::serde_derive::Serialize");
    check_stays("::buffalo::x");
    check_stays("::trunkline::__rt::buffa::x");
    check_stays("serde::Serialize");
}

#[test]
fn strings_are_values_outside_of_attributes_and_paths_inside() {
    check_stays(r#"let a = "::serde::b";"#);
    check_stays(r#"let a = b"::serde::b";"#);
    check(r#"let a = "\"::serde::b"; ::serde::c"#, r#"let a = "\"::serde::b"; @::serde::c"#);
    check(r#"let a = '"'; ::serde::c; let d = '"';"#, r#"let a = '"'; @::serde::c; let d = '"';"#);
    check(r#"let a = '\''; "::serde::c""#, r#"let a = '\''; "::serde::c""#);
    check(r#"let a = '\u{22}'; ::serde::c"#, r#"let a = '\u{22}'; @::serde::c"#);
    check(r#"fn a<'b>(c: &'b str) -> ::serde::d"#, r#"fn a<'b>(c: &'b str) -> @::serde::d"#);
    check(
        r#"#[serde(with = "::buffa::json_helpers::int32")] a: i32"#,
        r#"#[serde(with = "@::buffa::json_helpers::int32")] a: i32"#,
    );
    check(r#"#[a = "]"] "::serde::b""#, r#"#[a = "]"] "::serde::b""#);
}

#[test]
fn comments_follow_so_that_links_work() {
    check(
        "/// [`::buffa::MAX`] isn't \"small\n::buffa::a",
        "/// [`@::buffa::MAX`] isn't \"small\n@::buffa::a",
    );
    check("/** it's ::buffa::A */ ::buffa::b", "/** it's @::buffa::A */ @::buffa::b");
}

#[test]
fn derives_of_serde_are_told_where_serde_is() {
    check(
        "#[derive(::serde::Serialize, ::serde::Deserialize)]\nstruct A;",
        "#[derive(@::serde::Serialize, @::serde::Deserialize)]\n#[serde(crate = \"@::serde\")]\nstruct A;",
    );
    check(
        "#[cfg_attr(feature = \"json\", derive(::serde::Serialize))]\nstruct A;",
        "#[cfg_attr(feature = \"json\", derive(@::serde::Serialize))]\n\
         #[cfg_attr(feature = \"json\", serde(crate = \"@::serde\"))]\nstruct A;",
    );
    check(
        "#[cfg_attr(\n    feature = \"json\",\n    derive(::serde::Serialize)\n)]\nstruct A;",
        "#[cfg_attr(\n    feature = \"json\",\n    derive(@::serde::Serialize)\n)]\n\
         #[cfg_attr(feature = \"json\", serde(crate = \"@::serde\"))]\nstruct A;",
    );
    check_stays("#[derive(Clone, PartialEq)]\nstruct A;");
}

#[test]
fn cut_code_is_copied_to_its_end() {
    for code in ["\"abc", "'", "'\\", "#[abc", "// abc", "/* abc", "::", "a:"] {
        check_stays(code);
    }
    check("::buffa", "@::buffa");
}
