//! Tables: which hold data and which only lay out a page, and the cells of those that hold data.

use dom_query::NodeRef;

/// A cell beyond these spans is a mistake of the page or an attack on the reader.
const MOST_COLUMNS: usize = 100;

/// One row: its cells, and whether it heads the columns.
pub(super) struct Row<'a> {
    pub(super) cells: Vec<NodeRef<'a>>,
    pub(super) heads: bool,
}

/// The rows of a table that holds data. None for a table that only lays things out.
pub(super) fn data(table: NodeRef<'_>) -> Option<Vec<Row<'_>>> {
    let role = table.attr("role").unwrap_or_default();
    if matches!(&*role, "presentation" | "none") {
        return None;
    }
    let is_nested = |node: &NodeRef<'_>| node.id != table.id && node.has_name("table");
    let mut rows = Vec::new();
    for node in table.descendants_it() {
        if is_nested(&node) {
            return None;
        }
        if node.has_name("tr") {
            rows.push(row(node));
        }
    }
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let headed = rows.iter().any(|row| row.cells.iter().any(|cell| cell.has_name("th")));
    (columns > 1 && (rows.len() > 1 || headed)).then_some(rows)
}

fn row(tr: NodeRef<'_>) -> Row<'_> {
    let cells = tr.element_children().into_iter();
    let cells: Vec<_> = cells.filter(|cell| cell.has_name("td") || cell.has_name("th")).collect();
    let in_head = tr.parent().is_some_and(|parent| parent.has_name("thead"));
    let all_head = !cells.is_empty() && cells.iter().all(|cell| cell.has_name("th"));
    Row { cells, heads: in_head || all_head }
}

/// Lays the texts of the cells out in a grid. A cell over several columns is followed by empty
/// ones; a cell over several rows is repeated, so that each row can be read by itself.
pub(super) fn grid(
    rows: &[Row<'_>],
    mut text: impl FnMut(NodeRef<'_>) -> String,
) -> Vec<Vec<String>> {
    let mut grid: Vec<Vec<Option<String>>> = vec![Vec::new(); rows.len()];
    for (line, row) in rows.iter().enumerate() {
        let mut column = 0;
        for cell in &row.cells {
            while grid[line].get(column).is_some_and(Option::is_some) {
                column += 1;
            }
            let (columns, lines) = (span(*cell, "colspan"), span(*cell, "rowspan"));
            let text = text(*cell);
            for below in grid.iter_mut().skip(line).take(lines) {
                if below.len() < column + columns {
                    below.resize(column + columns, None);
                }
                for place in below.iter_mut().skip(column).take(columns) {
                    *place = Some(String::new());
                }
                below[column] = Some(text.clone());
            }
            column += columns;
        }
    }
    let filled =
        |row: Vec<Option<String>>| row.into_iter().map(Option::unwrap_or_default).collect();
    grid.into_iter().map(filled).collect()
}

fn span(cell: NodeRef<'_>, name: &str) -> usize {
    let span = cell.attr(name).and_then(|value| value.trim().parse().ok());
    span.unwrap_or(1usize).clamp(1, MOST_COLUMNS)
}

/// A table in the pipe form. The first row heads the columns if it says so, else nothing does.
pub(super) fn markdown(rows: &[Row<'_>], grid: &[Vec<String>]) -> String {
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    let headed = rows.first().is_some_and(|row| row.heads);
    let line = |cells: &[String]| {
        let mut line = String::from("|");
        for column in 0..columns {
            let cell = cells.get(column).map_or("", String::as_str);
            line.push_str(if cell.is_empty() { "" } else { " " });
            line.push_str(cell);
            line.push_str(" |");
        }
        line
    };
    let (head, body) = if headed { grid.split_at(1) } else { grid.split_at(0) };
    let mut lines = vec![line(head.first().map_or(&[], Vec::as_slice))];
    lines.push(format!("|{}", " --- |".repeat(columns)));
    lines.extend(
        body.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).map(|row| line(row)),
    );
    lines.join("\n")
}

/// A table as plain text, cells apart by tabs.
pub(super) fn plain(grid: &[Vec<String>]) -> String {
    grid.iter().map(|row| row.join("\t").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
