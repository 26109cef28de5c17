use super::*;
use crate::service;

fn page(tls: bool) -> String {
    html(&Hints::new(([127, 0, 0, 1], 4711).into(), tls), &service::listed())
}

#[test]
fn page_shows_services_methods_and_commands() {
    let text = page(false);
    let check = |part: &str| assert!(text.contains(part), "{part} is missing");
    for service in service::listed() {
        check(service.name);
        for (method, _) in service.methods {
            check(&format!("<code>{method}</code>"));
        }
    }
    check("curl http://127.0.0.1:4711/trunkline.echo.v1.EchoService/Echo");
    check("{&quot;message&quot;:&quot;hello&quot;}");
    check("prefers-color-scheme: dark");
    assert!(page(true).contains("curl -k https://127.0.0.1:4711/"));
}

#[test]
fn page_needs_nothing_from_elsewhere() {
    let text = page(false);
    for part in ["<script", "src=", "@import", "url(", "href=\"http"] {
        assert!(!text.contains(part), "{part}");
    }
    assert!(text.len() < 16_000, "{} bytes", text.len());
}

#[test]
fn text_is_escaped() {
    let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected);
    check("plain ä", "plain ä");
    check("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;");
}
