//! Players for drawn shapes, and for dragging.

use legwork_engine::Target;

use super::player::{Played, Player};
use super::view::{Item, between};

/// `Click on the grid coordinate (-1,0).`
pub async fn grid_point(player: Player) -> Played {
    let point = between(&player.goal, "(", ")")?;
    let (x, y) = point.split_once(',').ok_or("no point")?;
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{text:?} is no number"));
    let view = player.look().await?;
    let middles: Vec<_> =
        view.role("clickable").filter_map(|item| Some((item, item.middle()?))).collect();
    let (left, right) = span(middles.iter().map(|(_, middle)| middle.0));
    let (top, bottom) = span(middles.iter().map(|(_, middle)| middle.1));
    let x = left + (right - left) * (number(x)? + 2.0) / 4.0;
    let y = bottom - (bottom - top) * (number(y)? + 2.0) / 4.0;
    let near =
        |(_, middle): &&(&Item, (f64, f64))| (middle.0 - x).abs() + (middle.1 - y).abs() < 4.0;
    let (item, _) = middles.iter().find(near).ok_or("no such point")?;
    player.click(&item.reference).await
}

fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

/// Whether a drawn shape is what a few words say: `small green`, `triangle`, `digit`, `x`.
fn fits(item: &Item, words: &str) -> bool {
    let look: Vec<&str> = item.hint.split(", ").collect();
    let [kind, colour, size] = look[..] else { return false };
    let large = size.split('×').next().and_then(|width| width.parse::<f64>().ok()).unwrap_or(0.0);
    let height = between(size, "×", " at").ok().and_then(|h| h.parse::<f64>().ok()).unwrap_or(0.0);
    words.split(' ').all(|word| match word.trim_end_matches('s') {
        "a" | "item" | "shape" | "an" => true,
        "small" => large.max(height) <= 14.0,
        "large" => large.max(height) > 14.0,
        "rectangle" => kind == "rect",
        "circle" => kind == "circle",
        "triangle" => kind == "polygon",
        "letter" => kind == "text" && item.name.chars().all(char::is_alphabetic),
        "digit" | "number" => kind == "text" && item.name.chars().all(|c| c.is_ascii_digit()),
        word if word.chars().count() == 1 => item.name == word,
        colour_word => colour == colour_word,
    })
}

/// `Click on a large red circle`
pub async fn shape(player: Player) -> Played {
    let words = between(&player.goal, "Click on ", "")?;
    let view = player.look().await?;
    let found = view.role("clickable").find(|item| fits(item, &words));
    player.click(&found.ok_or(format!("no {words}"))?.reference).await
}

/// `How many small green items are there?`
pub async fn count(player: Player) -> Played {
    let words = between(&player.goal, "How many ", " are there")?;
    let view = player.look().await?;
    let count = view.role("clickable").filter(|item| fits(item, &words)).count();
    let button = view.role("button").find(|button| button.name == count.to_string());
    player.click(&button.ok_or(format!("no button for {count}"))?.reference).await
}

/// `Click the button that best describes the figure below.`
pub async fn identify(player: Player) -> Played {
    let view = player.look().await?;
    let figure = view.nth("clickable", 1)?;
    let kinds = ["Rectangle", "Circle", "Triangle", "Letter", "Number"];
    let kind = kinds.into_iter().find(|kind| fits(figure, &kind.to_lowercase()));
    player.click_named(kind.ok_or("an odd figure")?).await
}

/// `Drag the smaller box so that it is completely inside the larger box.`
pub async fn box_in_box(player: Player) -> Played {
    let view = player.look().await?;
    let (small, large) = (view.named("s")?, view.named("L")?);
    player.drag(&Target::parse(&small.reference), &Target::parse(&large.reference)).await?;
    player.submit().await
}

/// `Highlight the text in the 1st paragraph and click submit.`
pub async fn highlight(player: Player) -> Played {
    let view = player.look().await?;
    let text = view.text.replace('\n', " ");
    let (_, rest) = text.split_once("click submit.").ok_or("no text")?;
    let rest = rest.split_once("(canvas)").map_or(rest, |(rest, _)| rest);
    let words = rest.split(']').next_back().unwrap_or(rest).trim();
    let words =
        if words.is_empty() { rest.split('[').next().unwrap_or(rest).trim() } else { words };
    player.triple_click(&Target::Text(words.into())).await?;
    player.submit().await
}
