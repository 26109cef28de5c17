use super::*;

#[test]
fn sent_message_is_cut_between_characters() {
    let check = |message: String, bytes: usize| {
        let status = Status::new(Code::Unknown, message);
        assert_eq!(status.sent_message().len(), bytes);
        assert!(status.message.starts_with(status.sent_message()));
    };
    check(String::new(), 0);
    check("a".repeat(MESSAGE_BYTES_MAX), MESSAGE_BYTES_MAX);
    check("a".repeat(MESSAGE_BYTES_MAX + 1), MESSAGE_BYTES_MAX);
    check("ä".repeat(MESSAGE_BYTES_MAX), MESSAGE_BYTES_MAX);
    // One byte in front, so that the limit falls into a character.
    check(format!("a{}", "ä".repeat(MESSAGE_BYTES_MAX)), MESSAGE_BYTES_MAX - 1);
    check(format!("a{}", "🦀".repeat(MESSAGE_BYTES_MAX)), MESSAGE_BYTES_MAX - 3);
}
