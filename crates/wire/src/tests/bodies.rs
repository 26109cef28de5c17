//! Bodies that are nearly right, made by chance: what the tests of splits and of orders feed.

use bytes::BytesMut;

use crate::envelope;
use crate::tests::chance::Chance;
use crate::tests::machines::{Kind, runs};

impl Kind {
    /// A body that chance makes: mostly right, often with a fault somewhere.
    pub(crate) fn body(self, chance: &mut Chance) -> Vec<u8> {
        let mut body = Vec::new();
        if self == Self::ConnectUnary {
            body = if chance.once_in(2) { runs(&chance.bytes(70)) } else { chance.bytes(70) };
        } else {
            for _ in 0..chance.below(4) {
                let part = self.envelope(chance);
                self.put(&part, &mut body);
            }
        }
        if let Some(flag) = self.end_flag().filter(|_| !chance.once_in(3)) {
            let mut end = BytesMut::new();
            envelope::append(&mut end, flag, self.end_payload());
            self.put(&end, &mut body);
        }
        if chance.once_in(2) && !body.is_empty() {
            let at = chance.below(body.len());
            match chance.below(4) {
                0 => body[at] = chance.next() as u8,
                1 => body.truncate(at),
                2 => body.insert(at, *chance.one_of(b"\0\x01\x02\x80=A#")),
                _ => {
                    body.remove(at);
                }
            }
        }
        body
    }

    fn envelope(self, chance: &mut Chance) -> BytesMut {
        let plain = if chance.once_in(8) { b"not {} JSON: 0\r\n".to_vec() } else { chance.bytes(66) };
        let flags = *chance.one_of(&[0, 0, 0, 0, 1, 1, 1, 2, 3, 0x80, 0x81, 0x10]);
        let payload = if flags & 1 == 1 && !chance.once_in(4) { runs(&plain) } else { plain };
        let mut envelope = BytesMut::new();
        envelope::append(&mut envelope, flags, &payload);
        envelope
    }
}
