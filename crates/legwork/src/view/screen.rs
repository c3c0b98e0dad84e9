//! Draws lines in place: what was drawn last is taken back first.

use std::io::{self, Write};

use super::{Line, Tone};

/// A terminal, or what stands for one.
pub struct Screen<W> {
    pub(super) out: W,
    pub(super) colours: bool,
    /// How many lines were drawn last and are still the last on the screen.
    pub(super) drawn: usize,
}

impl<W: Write> Screen<W> {
    /// Nothing is drawn yet.
    pub fn new(out: W, colours: bool) -> Screen<W> {
        Screen { out, colours, drawn: 0 }
    }

    /// Draws these in place of what was drawn last. No line may be wider than the screen.
    ///
    /// As long as their number is the same, what somebody is typing below them stays as it is.
    pub fn draw(&mut self, lines: &[Line]) -> io::Result<()> {
        let text: String = lines.iter().map(|line| self.written(line)).collect();
        match self.drawn {
            0 => write!(self.out, "{text}")?,
            same if same == lines.len() => write!(self.out, "\x1b7\r\x1b[{same}A{text}\x1b8")?,
            other => write!(self.out, "\r\x1b[{other}A\x1b[J{text}")?,
        }
        self.drawn = lines.len();
        self.out.flush()
    }

    /// Writes these above whatever is drawn next; they stay.
    pub fn keep(&mut self, lines: &[Line]) -> io::Result<()> {
        if self.drawn > 0 {
            write!(self.out, "\r\x1b[{}A\x1b[J", self.drawn)?;
            self.drawn = 0;
        }
        self.draw(lines)?;
        self.drawn = 0;
        Ok(())
    }

    /// The person has ended a line here, which moved everything up by one.
    pub fn typed(&mut self) {
        if self.drawn > 0 {
            self.drawn += 1;
        }
    }

    fn written(&self, line: &Line) -> String {
        let code = match line.tone {
            _ if !self.colours => "",
            Tone::Plain => "",
            Tone::Title => "1",
            Tone::Faint => "2",
            Tone::Busy => "36",
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Attention => "1;33",
        };
        match code {
            "" => format!("{}\x1b[K\n", line.text),
            code => format!("\x1b[{code}m{}\x1b[0m\x1b[K\n", line.text),
        }
    }
}
