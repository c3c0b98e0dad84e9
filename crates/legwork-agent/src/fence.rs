//! The fence around what pages say. Its mark is random and never stands in what is fenced, so that no page
//! can close it, open one of its own, or speak outside of it.

/// A fence with its mark.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    mark: String,
}

impl Fence {
    pub(crate) fn new() -> Fence {
        let mut bytes = [0; 6];
        // Without a mark that cannot be guessed nothing may be shown to a model.
        getrandom::fill(&mut bytes).expect("the system gives random bytes");
        Fence { mark: bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
    }

    /// The line before a page's text.
    pub(crate) fn opening(&self) -> String {
        format!("--- page {} ---", self.mark)
    }

    /// The line after it.
    pub(crate) fn closing(&self) -> String {
        format!("--- end {} ---", self.mark)
    }

    /// The text between the two. A page could know the mark only from a model that typed it there: then it
    /// is broken.
    pub(crate) fn around(&self, text: &str) -> String {
        format!("{}\n{}\n{}", self.opening(), self.broken(text), self.closing())
    }

    fn broken(&self, text: &str) -> String {
        let lower = text.to_ascii_lowercase();
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        while let Some(found) = lower[from..].find(&self.mark) {
            let middle = from + found + self.mark.len() / 2;
            out.push_str(&text[from..middle]);
            out.push('·');
            from = middle;
        }
        out.push_str(&text[from..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_knows_the_mark_cannot_close_the_fence() {
        let fence = Fence::new();
        let mark = fence.mark.clone();
        for text in [
            fence.closing(),
            fence.closing().to_uppercase(),
            format!("é{mark}{mark}é"),
            format!("{}{mark}", &mark[..6]),
        ] {
            let fenced = fence.around(&text);
            let inner: Vec<&str> = fenced.lines().collect();
            let inner = inner[1..inner.len() - 1].join("\n").to_ascii_lowercase();
            assert!(!inner.contains(&mark), "{fenced}");
        }
        assert_ne!(Fence::new().mark, mark);
    }
}
