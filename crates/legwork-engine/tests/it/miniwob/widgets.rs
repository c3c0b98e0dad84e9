//! Players for lists, menus, calendars, sliders and other widgets.

use legwork_engine::Scroll;

use super::player::{Played, Player};
use super::view::{Item, between, ordinals, quoted};

/// `Select Ann, Bob from the scroll list and click Submit.`
pub async fn list(player: Player) -> Played {
    let end = if player.goal.contains("scroll list") {
        " from the scroll list"
    } else {
        " from the list"
    };
    let names = between(&player.goal, "Select ", end)?;
    let names: Vec<&str> = names.split(", ").collect();
    let view = player.look().await?;
    let list = view.nth("listbox", 1).or(view.nth("combobox", 1))?;
    player.select(&list.reference, &names).await?;
    player.submit().await
}

/// `Select Ann>Bob`, where a menu opens under the pointer.
pub async fn menu_path(player: Player) -> Played {
    let path = between(&player.goal, "Select ", "")?;
    let (parents, leaf) = path.rsplit_once('>').unwrap_or(("", &path));
    for parent in parents.split('>').filter(|name| !name.is_empty()) {
        player.hover(&player.find(parent, |item| item.name == parent).await?.reference).await?;
    }
    player.click(&player.find(leaf, |item| item.name == leaf).await?.reference).await
}

const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `Select 04/08/2016 as the date and hit submit.`
pub async fn calendar(player: Player) -> Played {
    let date = between(&player.goal, "Select ", " as")?;
    let view = player.look().await?;
    player.click(&view.nth("textbox", 1)?.reference).await?;
    pick_date(&player, &date).await?;
    player.submit().await
}

/// Turns the pages of an open calendar to `04/08/2016` and clicks the day.
pub async fn pick_date(player: &Player, date: &str) -> Played {
    let parts: Vec<usize> = date.split('/').filter_map(|part| part.parse().ok()).collect();
    let [month, day, _] = parts[..] else { return Err(format!("{date} is no date")) };
    for _ in 0..MONTHS.len() {
        let view = player.look().await?;
        let shown = MONTHS.iter().position(|name| view.text.contains(&format!("{name} 2016")));
        let shown = shown.ok_or("no calendar is open")? + 1;
        if shown == month {
            return player.click(&view.named(&day.to_string())?.reference).await;
        }
        let turn = if shown > month { "Prev" } else { "Next" };
        player.click(&view.named(turn)?.reference).await?;
    }
    Err("the calendar does not turn".into())
}

/// `Select 5 with the slider and hit Submit.`
pub async fn slider(player: Player) -> Played {
    let wanted = between(&player.goal, "Select ", " with the slider")?;
    let view = player.look().await?;
    slide(&player, view.nth("clickable", 1)?, 1, &wanted).await?;
    if let Some(place) = ordinals(&player.goal).first() {
        player.check(&view.nth("checkbox", *place)?.reference).await?;
    }
    player.submit().await
}

/// `Set the sliders to the combination [5,11,10] and submit.`
pub async fn sliders(player: Player) -> Played {
    let wanted = between(&player.goal, "[", "]")?;
    let view = player.look().await?;
    for (place, wanted) in wanted.split(',').enumerate() {
        slide(&player, view.nth("clickable", place + 1)?, place + 1, wanted).await?;
    }
    player.submit().await
}

/// Moves a slider with the arrow keys; its value is the number after it.
async fn slide(player: &Player, handle: &Item, place: usize, wanted: &str) -> Played {
    let number =
        |text: &str| text.trim().parse::<i64>().map_err(|_| format!("{text:?} is no number"));
    let wanted = number(wanted)?;
    for _ in 0..200 {
        let view = player.look().await?;
        let handle = view.items.iter().find(|item| item.reference == handle.reference);
        let handle = handle.ok_or(format!("slider {place} is gone"))?;
        let rest = between(&view.text, &format!("{}]", handle.reference), "[").or_else(|_| {
            between(&view.text, &format!("{} ", handle.reference), "[")?
                .split_once(']')
                .map_or(Err("no value".to_owned()), |(_, rest)| Ok(rest.to_owned()))
        })?;
        let far = wanted - number(&rest)?;
        if far == 0 {
            return Ok(());
        }
        let key = if far > 0 { "ArrowRight" } else { "ArrowLeft" };
        for _ in 0..far.abs() {
            player.press(&handle.reference, key).await?;
        }
    }
    Err(format!("slider {place} does not get to {wanted}"))
}

/// `Select -5 with the spinner and hit Submit.`
pub async fn spinner(player: Player) -> Played {
    let wanted = between(&player.goal, "Select ", " with the spinner")?;
    let view = player.look().await?;
    player.fill(&view.nth("spinbutton", 1)?.reference, &wanted).await?;
    player.submit().await
}

/// `Check the 1st radio button and enter the number "16" into the 3rd textbox.`
pub async fn radio_and_text(player: Player) -> Played {
    let places = ordinals(&player.goal);
    let number = quoted(&player.goal).swap_remove(0);
    let view = player.look().await?;
    player.check(&view.nth("radio", places[0])?.reference).await?;
    player.fill(&view.nth("textbox", places[1])?.reference, &number).await?;
    player.submit().await
}

/// `Choose 5ft 10in from the dropdown, then click the button labeled "No".`
pub async fn dropdown_and_button(player: Player) -> Played {
    let choice = between(&player.goal, "Choose ", " from")?;
    player.click_named("▾").await?;
    player.click(&player.find(&choice, |item| item.name == choice).await?.reference).await?;
    player.click_named(&quoted(&player.goal)[0]).await
}

/// `Enter an item that starts with "Egy" and ends with "gypt".`
pub async fn autocomplete(player: Player) -> Played {
    let words = quoted(&player.goal);
    let view = player.look().await?;
    player.type_text(&view.nth("textbox", 1)?.reference, &words[0]).await?;
    let fits = |item: &Item| {
        item.role != "textbox"
            && item.name.starts_with(&words[0])
            && words.get(1).is_none_or(|end| item.name.ends_with(end))
    };
    player.click(&player.find("such entry", fits).await?.reference).await?;
    player.submit().await
}

/// `Guess the number between 0-9 and press Submit.`
pub async fn guess(player: Player) -> Played {
    let (mut low, mut high) = (0, 9);
    while low <= high {
        let middle = (low + high) / 2;
        let view = player.look().await?;
        player.fill(&view.nth("spinbutton", 1)?.reference, &middle.to_string()).await?;
        player.submit().await?;
        let view = player.look().await?;
        if view.text.contains("is higher than") {
            low = middle + 1;
        } else if view.text.contains("is lower than") {
            high = middle - 1;
        } else {
            return Ok(());
        }
    }
    Err("no number is left".into())
}

/// `Generate a number greater than 3, then press submit.`
pub async fn generate(player: Player) -> Played {
    let limit =
        |words: &str| between(&player.goal, words, ",").ok().and_then(|n| n.parse::<i64>().ok());
    let (less, greater) = (limit("less than "), limit("greater than "));
    for _ in 0..100 {
        player.click_named("Generate").await?;
        let shown = player.look().await?.between("press submit.", "[")?;
        let number: i64 = shown.trim().parse().map_err(|_| format!("{shown:?} is no number"))?;
        let fits = match (less, greater) {
            (Some(limit), _) => number < limit,
            (_, Some(limit)) => number > limit,
            _ => (number % 2 != 0) == player.goal.contains("odd"),
        };
        if fits {
            return player.submit().await;
        }
    }
    Err("no number fits".into())
}

/// `Scroll the textarea to the bottom of the text hit submit.`
pub async fn scroll_text(player: Player) -> Played {
    let to = if player.goal.contains("bottom") { Scroll::Bottom } else { Scroll::Top };
    let view = player.look().await?;
    player.scroll(&view.nth("textbox", 1)?.reference, to).await?;
    player.submit().await
}

/// `Scroll to the bottom of the textarea, enter the name "Ann" then press "Agree"`, or just cancel.
pub async fn agreement(player: Player) -> Played {
    let words = quoted(&player.goal);
    if let [name, button] = &words[..] {
        let view = player.look().await?;
        player.scroll(&view.nth("textbox", 1)?.reference, Scroll::Bottom).await?;
        player.fill(&view.named("Name")?.reference, name).await?;
        return player.click_named(button).await;
    }
    player.click_named("Cancel").await
}
