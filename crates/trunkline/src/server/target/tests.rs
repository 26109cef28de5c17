use super::*;

#[test]
fn target_can_be_connected_to() {
    let rows = [
        ("127.0.0.1:80", "http://127.0.0.1:80", "https://localhost:80"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080", "https://localhost:8080"),
        ("[::1]:80", "http://[::1]:80", "https://localhost:80"),
        ("[::]:80", "http://[::1]:80", "https://localhost:80"),
        ("192.0.2.7:443", "http://192.0.2.7:443", "https://192.0.2.7:443"),
        ("[2001:db8::7]:443", "http://[2001:db8::7]:443", "https://[2001:db8::7]:443"),
    ];
    for (address, plain, secure) in rows {
        let address = address.parse().unwrap();
        assert_eq!([target(address, false), target(address, true)], [plain, secure]);
        for target in [plain, secure] {
            assert!(crate::Channel::builder(target).connect_lazy().is_ok(), "{target}");
        }
    }
}
