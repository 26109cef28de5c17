use super::*;

fn check(self_signed: bool, out: Option<&str>, expected: &[&str]) {
    let args = ServeArgs {
        listen: "127.0.0.1:0".to_owned(),
        tls_cert: None,
        tls_key: None,
        tls_self_signed: self_signed,
        tls_cert_out: out.map(Into::into),
    };
    let text = greeting(&Hints::new(([127, 0, 0, 1], 4711).into(), self_signed), &args);
    assert!(expected.iter().all(|part| text.contains(part)), "{text}");
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    let scheme = if self_signed { "https" } else { "http" };
    assert_eq!(text.lines().next(), Some(format!("listening on {scheme}://127.0.0.1:4711").as_str()));
    assert_eq!(text.contains("certificate"), self_signed, "{text}");
}

#[test]
fn greeting_says_where_and_what_to_try() {
    check(false, None, &["curl http://127.0.0.1:4711/trunkline.echo.v1.EchoService/Echo", "Ctrl-C stops"]);
    check(true, None, &["curl -k https://127.0.0.1:4711/", "--tls-cert-out FILE"]);
    check(true, Some("a.pem"), &["curl -k https://127.0.0.1:4711/", "curl --cacert a.pem"]);
}

#[tokio::test]
async fn address_that_cannot_be_bound_is_told_in_three_lines() {
    let check = async |address: &str, advice: &str| {
        let text = bind(address).await.unwrap_err().to_string();
        assert!(text.starts_with(&format!("error: cannot listen on {address}\n seen: ")), "{text}");
        assert!(text.lines().nth(2).is_some_and(|line| line.contains(advice)), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
    };
    let taken = bind("127.0.0.1:0").await.unwrap();
    check(&taken.local_addr().unwrap().to_string(), "another port").await;
    // An address for documentation (RFC 5737), so no machine's own.
    check("192.0.2.1:0", "an address of this machine").await;
}
