//! Players for tasks that are solved by finding the right row first: mail, posts, results, tickets.

use super::player::{Played, Player};
use super::view::{Item, View, between, ordinals, quoted};

/// `Find the email by Ann and click the trash icon to delete it.`, and its sisters.
pub async fn email(player: Player) -> Played {
    let sender = between(&player.goal, "email by ", " and")?;
    let view = player.look().await?;
    let row = view.line_with(&format!("{sender} "))?;
    if player.goal.contains("trash icon") {
        return player.click(&view.on_line(row, "trash")?.reference).await;
    }
    if player.goal.contains("star icon") {
        return player.click(&view.on_line(row, "star")?.reference).await;
    }
    // The row itself is the control whose name the line is.
    let open = view.items.iter().rfind(|item| item.line == row && item.hint.is_empty());
    player.click(&open.ok_or("the row cannot be opened")?.reference).await?;
    if player.goal.contains("reply") {
        player.click_named("Reply").await?;
        let view = player.look().await?;
        player.fill(&view.nth("textbox", 1)?.reference, &quoted(&player.goal)[0]).await?;
        return player.click(&view.hinted("send reply")?.reference).await;
    }
    player.click_named("Forward").await?;
    let view = player.look().await?;
    let to = between(&player.goal, "that email to ", ".")?;
    player.fill(&view.nth("textbox", 1)?.reference, &to).await?;
    player.click(&view.hinted("send forward")?.reference).await
}

/// `For the user @ann, click on the "Like" button.`
pub async fn post(player: Player) -> Played {
    let user = between(&player.goal, "the user ", ",")?;
    let action = quoted(&player.goal).swap_remove(0);
    let view = player.look().await?;
    let row = view.line_with(&format!("{user} "))?;
    if let Ok(button) = view.on_line(row, &action.to_lowercase()) {
        return player.click(&button.reference).await;
    }
    player.click(&view.on_line(row, "more")?.reference).await?;
    let view = player.look().await?;
    let entry = view.items.iter().find(|item| item.name.starts_with(&action));
    player.click(&entry.ok_or(format!("no {action} in the menu"))?.reference).await
}

/// `Click the "Like" button on 2 posts by @ann and then click Submit.`
pub async fn posts(player: Player) -> Played {
    let action = quoted(&player.goal).swap_remove(0).to_lowercase();
    let user = between(&player.goal, "by ", " and")?;
    let count = between(&player.goal, "button on ", " post")?.parse().unwrap_or(usize::MAX);
    let view = player.look().await?;
    let lines = view.text.lines().enumerate().skip(1);
    let rows = lines.filter(|(_, line)| line.contains(&format!("{user} "))).map(|(row, _)| row);
    for row in rows.take(count) {
        player.click(&view.on_line(row, &action)?.reference).await?;
    }
    player.submit().await
}

/// `Use the textbox to enter "Ann" and press "Search", then find and click the 9th search result.`
pub async fn search(player: Player) -> Played {
    let place = ordinals(&player.goal)[0] - 1;
    let view = player.look().await?;
    player.fill(&view.nth("textbox", 1)?.reference, &quoted(&player.goal)[0]).await?;
    player.click_named("Search").await?;
    if place >= 3 {
        player.click_named(&(place / 3 + 1).to_string()).await?;
    }
    let view = player.look().await?;
    let result = view.role("link").nth(place % 3).ok_or("too few results")?;
    player.click(&result.reference).await
}

/// `Find Ann in the contact book and click on their phone number.`
pub async fn contact(player: Player) -> Played {
    let name = between(&player.goal, "Find ", " in")?;
    let what = between(&player.goal, "click on their ", ".")?;
    let place = match what.as_str() {
        "email" => 1,
        "address" => 2,
        _ => 0,
    };
    for _ in 0..5 {
        let view = player.look().await?;
        if view.line_with(&name).is_ok() {
            let found = view.role("clickable").nth(place).ok_or("no details")?;
            return player.click(&found.reference).await;
        }
        player.click(&view.named(">")?.reference).await?;
    }
    Err(format!("{name} is not in the book"))
}

/// `Buy the ticket with the shortest duration.`
pub async fn ticket(player: Player) -> Played {
    let view = player.look().await?;
    let buttons: Vec<&Item> =
        view.items.iter().filter(|item| item.name.starts_with("Book for")).collect();
    let price = |item: &&&Item| number(between(&item.name, "$", "").ok()?.as_str());
    let length = |item: &&&Item| duration(&view, item);
    let found = match between(&player.goal, "with the ", ".")?.as_str() {
        "shortest duration" => buttons.iter().min_by_key(length),
        "longest duration" => buttons.iter().max_by_key(length),
        "cheapest cost" => buttons.iter().min_by_key(price),
        _ => buttons.iter().max_by_key(price),
    };
    player.click(&found.ok_or("no tickets")?.reference).await
}

fn number(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

/// Minutes of the last `3h 43m` before a button.
fn duration(view: &View, button: &Item) -> Option<i64> {
    let (before, _) = view.text.split_once(&format!("{}]", button.reference))?;
    let (_, length) = before.rsplit_once("Duration:")?;
    let mut words = length.split_whitespace();
    let hours = number(words.next()?.trim_end_matches('h'))?;
    Some(hours * 60 + number(words.next()?.trim_end_matches('m'))?)
}

/// `Order one of each item: Ann, Bob`, or `Order 3 items that are vegan`.
pub async fn food(player: Player) -> Played {
    let view = player.look().await?;
    let lines: Vec<&str> = view.text.lines().collect();
    let rows: Vec<usize> = match between(&player.goal, "items that are ", "") {
        Ok(kind) => {
            let count = between(&player.goal, "Order ", " items")?.parse().unwrap_or(0);
            let fits = |row: &usize| lines[*row].contains(&format!("img: {kind}"));
            (0..lines.len()).filter(fits).take(count).map(|row| row + 1).collect()
        }
        Err(_) => {
            let names = between(&player.goal, "each item: ", "")?;
            let row = |name: &str| view.line_with(name).map(|row| row + 2);
            names.split(", ").map(row).collect::<Result<_, _>>()?
        }
    };
    for row in rows {
        player.click(&view.on_line(row, "+")?.reference).await?;
    }
    player.click_named("Order!").await
}
