//! Server-sent events, read as they come: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
//! Knows no vendor.

/// One event: its name (empty where the server gives none) and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) data: String,
}

/// Bytes in, events out. An event that was not ended by an empty line never comes out.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The line under way.
    line: Vec<u8>,
    name: String,
    data: Option<String>,
    /// The last byte was a carriage return, which a line feed may complete.
    returned: bool,
    begun: bool,
}

/// What is too much for one event: no vendor comes near, and memory is finite.
const MOST: usize = 32 << 20;

/// An event is larger than any vendor's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Events {
    /// Takes what came; `heard` is given each event that is complete.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let completes = byte == b'\n' && self.returned;
            self.returned = byte == b'\r';
            match byte {
                b'\n' if completes => {}
                b'\n' | b'\r' => events.extend(self.end_of_line()),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, String::len) > MOST {
                return Err(TooLarge);
            }
        }
        Ok(events)
    }

    fn end_of_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if self.begun { &line } else { line.strip_prefix('\u{feff}').unwrap_or(&line) };
        self.begun = true;
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            return self.data.take().map(|data| Event { name, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.into(),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.into()),
            },
            // Comments keep the connection alive; ids and retry times are for browsers.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut events = Events::default();
        let heard = pieces.iter().flat_map(|piece| events.take(piece).unwrap());
        heard.map(|event| (event.name, event.data)).collect()
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> =
            expected.iter().map(|(n, d)| (n.to_string(), d.to_string())).collect();
        assert_eq!(read(&[text.as_bytes()]), expected, "{text:?} at once");
        let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(read(&single), expected, "{text:?} byte by byte");
    }

    #[test]
    fn events_are_read_in_every_spelling_and_in_pieces_of_any_size() {
        check("data: a\n\n", &[("", "a")]);
        check("event: x\ndata: a\n\ndata: b\n\n", &[("x", "a"), ("", "b")]);
        check("event: x\r\ndata: a\r\n\r\n", &[("x", "a")]);
        check("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]);
        check("\u{feff}data: a\n\n", &[("", "a")]);
        check("data: one\ndata: two\n\n", &[("", "one\ntwo")]);
        check("data:no space\n\n", &[("", "no space")]);
        check("data:  two spaces\n\n", &[("", " two spaces")]);
        check(": a comment\n\ndata: a\nid: 7\nretry: 10\n\n", &[("", "a")]);
        check("data: grün 🌱\n\n", &[("", "grün 🌱")]);
        check("data\n\n", &[("", "")]);
    }

    #[test]
    fn what_was_not_ended_is_no_event() {
        check("data: a\n\ndata: b\n", &[("", "a")]);
        check("event: x\n\n", &[]);
        check("data: half", &[]);
    }

    #[test]
    fn an_endless_line_is_given_up() {
        let mut events = Events::default();
        let piece = vec![b'a'; 1 << 20];
        let mut taken = (0..64).map(|_| events.take(&piece));
        assert!(taken.any(|taken| taken == Err(TooLarge)));
    }
}
