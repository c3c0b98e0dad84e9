//! A summary for a terminal: our own Markdown without its marks.

/// The text without the marks. A link shows its words; alone on a line, also where it leads. It reads what
/// [`super::Summary::markdown`] writes, in which all text of others is escaped.
pub(super) fn of(markdown: &str) -> String {
    markdown.lines().map(|text| line(text.trim_start_matches('#').trim_start()) + "\n").collect()
}

fn line(text: &str) -> String {
    let alone = text.starts_with('[');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '*', '`', '[', ']']) {
        out += &rest[..at];
        let mark = &rest[at..];
        rest = &mark[1..];
        if mark.starts_with('\\') {
            let escaped = rest.chars().next().map_or(0, char::len_utf8);
            out += &rest[..escaped];
            rest = &rest[escaped..];
        } else if let Some((url, behind)) =
            mark.strip_prefix("](<").and_then(|link| link.split_once(">)"))
        {
            out += &if alone { format!(": {url}") } else { String::new() };
            rest = behind;
        }
    }
    out + rest
}
