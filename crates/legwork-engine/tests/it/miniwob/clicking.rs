//! Players for tasks that are solved by clicking the right things.

use super::player::{Played, Player};
use super::view::{Item, between, quoted};

/// `Click the button.`
pub async fn first_button(player: Player) -> Played {
    let view = player.look().await?;
    player.click(&view.nth("button", 1)?.reference).await
}

/// `Click on the "Yes" button.`
pub async fn quoted_name(player: Player) -> Played {
    let name = quoted(&player.goal).pop().ok_or("nothing is quoted")?;
    player.click_named(&name).await
}

/// `Click button ONE, then click button TWO.`
pub async fn buttons_in_order(player: Player) -> Played {
    let words = player.goal.split([' ', ',', '.']).filter(|word| ["ONE", "TWO"].contains(word));
    for word in words {
        player.click_named(word).await?;
    }
    Ok(())
}

/// `Click the button in the dialog box labeled "x".`
pub async fn dialog_button(player: Player) -> Played {
    let name = quoted(&player.goal).pop().ok_or("nothing is quoted")?;
    player.click_named(if name == "x" { "Close" } else { &name }).await
}

/// `Click on Tab #2.`
pub async fn tab(player: Player) -> Played {
    let name = between(&player.goal, "Click on ", ".")?;
    player.click_named(&name).await
}

/// `Switch between the tabs to find and click on the link "sit".`
pub async fn link_behind_tabs(player: Player) -> Played {
    let wanted = quoted(&player.goal).pop().ok_or("nothing is quoted")?;
    let view = player.look().await?;
    let tabs: Vec<Item> = view.role("tab").cloned().collect();
    for tab in tabs {
        if player.look().await?.named(&wanted).is_ok() {
            break;
        }
        player.click(&tab.reference).await?;
    }
    player.click_named(&wanted).await
}

/// `Expand the sections below, to find and click on the link "sit".`
pub async fn link_in_sections(player: Player) -> Played {
    let wanted = quoted(&player.goal).pop().ok_or("nothing is quoted")?;
    let view = player.look().await?;
    let sections: Vec<Item> =
        view.role("tab").filter(|tab| !tab.name.is_empty()).cloned().collect();
    for section in sections {
        player.click(&section.reference).await?;
        if player.look().await?.named(&wanted).is_ok() {
            break;
        }
    }
    player.click_named(&wanted).await
}

/// `Expand the section below and click submit.`
pub async fn expand_and_submit(player: Player) -> Played {
    let view = player.look().await?;
    player.click(&view.nth("tab", 1)?.reference).await?;
    player.submit().await
}

/// `Select Ann, Bob and click Submit.`
pub async fn checkboxes(player: Player) -> Played {
    let names = between(&player.goal, "Select ", " and click")?;
    let view = player.look().await?;
    for name in names.split(", ").filter(|name| *name != "nothing") {
        player.check(&view.named(name)?.reference).await?;
    }
    player.submit().await
}

/// `Find and pick the card with the greatest number, then press submit.`
pub async fn greatest_card(player: Player) -> Played {
    let view = player.look().await?;
    let number = |card: &&Item| card.name.parse::<i64>().unwrap_or(i64::MIN);
    let greatest = view.role("clickable").max_by_key(number).ok_or("no cards")?;
    player.click(&greatest.reference).await?;
    player.submit().await
}

/// `Click on the numbers in ascending order.`
pub async fn numbers_in_order(player: Player) -> Played {
    // After the first click they are covered, and stay in order.
    for _ in 0..5 {
        let view = player.look().await?;
        player.click(&view.nth("clickable", 1)?.reference).await?;
    }
    Ok(())
}

/// `Mark the numbers below as odd or even and press submit when done.`
pub async fn odd_or_even(player: Player) -> Played {
    let view = player.look().await?;
    let named = |name: &'static str| view.role("button").filter(move |item| item.name == name);
    for (odd, even) in named("Odd").zip(named("Even")) {
        let number = view.between(&format!("Odd {}", odd.reference), "[")?;
        let number = number.rsplit(']').next().unwrap_or_default().trim();
        let number: i64 = number.parse().map_err(|_| format!("{number:?} is no number"))?;
        player.click(if number % 2 == 0 { &even.reference } else { &odd.reference }).await?;
    }
    player.submit().await
}

/// `Navigate through the file tree. Find and click on the folder or file named "Ann".`
pub async fn tree(player: Player) -> Played {
    let wanted = quoted(&player.goal).pop().ok_or("nothing is quoted")?;
    let mut opened = Vec::new();
    loop {
        let view = player.look().await?;
        if let Ok(item) = view.named(&wanted) {
            return player.click(&item.reference).await;
        }
        let next = view.items.iter().find(|item| !opened.contains(&item.reference));
        let next = next.ok_or("every folder is open")?.reference.clone();
        player.click(&next).await?;
        opened.push(next);
    }
}
