//! Players for tasks that are solved by filling in fields.

use super::player::{Played, Player};
use super::view::{Item, View, between, ordinals, quoted};

/// `Enter "Ann" into the text field and press Submit.`
pub async fn quoted_text(player: Player) -> Played {
    let text = quoted(&player.goal).swap_remove(0);
    enter(&player, &text).await
}

async fn enter(player: &Player, text: &str) -> Played {
    let view = player.look().await?;
    player.fill(&view.nth("textbox", 1)?.reference, text).await?;
    player.submit().await
}

/// `Type "ann" in all upper case letters in the text input and press Submit.`
pub async fn changed_case(player: Player) -> Played {
    let text = quoted(&player.goal).swap_remove(0);
    let upper = player.goal.contains("upper case");
    enter(&player, &if upper { text.to_uppercase() } else { text.to_lowercase() }).await
}

/// `Enter the password "abc" into both text fields and press submit.`
pub async fn password_twice(player: Player) -> Played {
    let text = quoted(&player.goal).swap_remove(0);
    let view = player.look().await?;
    for field in view.role("textbox") {
        player.type_text(&field.reference, &text).await?;
    }
    player.submit().await
}

/// `Enter the username "ann" and the password "abc" into the text fields and press login.`
pub async fn login(player: Player) -> Played {
    let words = quoted(&player.goal);
    for (field, word) in ["Username", "Password"].into_iter().zip(&words) {
        let view = player.look().await?;
        player.type_text(&view.named(field)?.reference, word).await?;
    }
    let view = player.look().await?;
    let login = view.named("Login").or(view.named("OK"))?;
    player.click(&login.reference).await
}

/// `Enter 09/10/2012 as the date and hit submit.`
pub async fn date(player: Player) -> Played {
    let american = between(&player.goal, "Enter ", " as")?;
    let parts: Vec<&str> = american.split('/').collect();
    let view = player.look().await?;
    let iso = format!("{}-{}-{}", parts[2], parts[0], parts[1]);
    player.fill(&view.nth("date", 1)?.reference, &iso).await?;
    player.submit().await
}

/// `Enter 8:22 AM as the time and press submit.`
pub async fn time(player: Player) -> Played {
    let clock = between(&player.goal, "Enter ", " as")?;
    let (hour, rest) = clock.split_once(':').ok_or("no hour")?;
    let hour: u32 = hour.parse().map_err(|_| format!("{hour} is no hour"))?;
    let hour = hour % 12 + if rest.contains("PM") { 12 } else { 0 };
    let view = player.look().await?;
    let text = format!("{hour:02}:{}", &rest[..2]);
    player.fill(&view.nth("time input", 1)?.reference, &text).await?;
    player.submit().await
}

/// `Focus into the 3rd input textbox.`
pub async fn focus(player: Player) -> Played {
    let place = ordinals(&player.goal).first().copied().unwrap_or(1);
    let view = player.look().await?;
    player.click(&view.nth("textbox", place)?.reference).await
}

/// `Find the 4th word in the paragraph, type that into the textbox and press "Submit".`
pub async fn word(player: Player) -> Played {
    let place = ordinals(&player.goal)[0];
    let view = player.look().await?;
    let paragraph = view.between("press \"Submit\".", "[textbox")?;
    let word = paragraph.split_whitespace().nth(place - 1).ok_or("too few words")?;
    enter(&player, word.trim_end_matches([',', '.'])).await
}

static CLIPBOARD: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// `Copy the text from the 2nd text area below and paste it into the text input …`
pub async fn copy(player: Player) -> Played {
    let place = ordinals(&player.goal).first().copied().unwrap_or(1);
    let view = player.look().await?;
    let mut sources = view.role("textbox").filter(|field| field.hint != "answer input?");
    let from = sources.nth(place - 1).ok_or("too few texts")?;
    let to = view.hinted("answer input")?;
    // All tabs of a browser share one clipboard.
    let _clipboard = CLIPBOARD.lock().await;
    player.press(&from.reference, "Control+A").await?;
    player.press(&from.reference, "Control+C").await?;
    player.press(&to.reference, "Control+V").await?;
    player.submit().await
}

/// `Type the text below into the text field and press Submit.`
pub async fn captcha(player: Player) -> Played {
    let view = player.look().await?;
    let letters = view.between("press Submit.", "[textbox")?;
    enter(&player, &letters.replace([' ', '\n'], "")).await
}

/// `Solve the math problem …`, where the problem is the field's label.
pub async fn arithmetic(player: Player) -> Played {
    let view = player.look().await?;
    let problem = view.nth("textbox", 1)?.name.clone();
    let result = compute(problem.trim_end_matches('=').trim())?;
    enter(&player, &result.to_string()).await
}

fn compute(problem: &str) -> Result<i64, String> {
    let parts: Vec<&str> = problem.split(' ').collect();
    let [left, operator, right] = parts[..] else { return Err(format!("not a sum: {problem}")) };
    let number = |text: &str| text.parse::<i64>().map_err(|_| format!("not a sum: {problem}"));
    let (left, right) = (number(left)?, number(right)?);
    match operator {
        "+" => Ok(left + right),
        "-" => Ok(left - right),
        "x" | "*" => Ok(left * right),
        _ => Err(format!("not a sum: {problem}")),
    }
}

/// `Solve for x and type your answer into the textbox.`: `x + 2 = 43`, `7 - x = 3`.
pub async fn algebra(player: Player) -> Played {
    let view = player.look().await?;
    let equation = view.between("when done.", "[textbox")?;
    let (left, right) = equation.split_once('=').ok_or("no equation")?;
    let number =
        |text: &str| text.trim().parse::<i64>().map_err(|_| format!("odd equation {equation}"));
    let right = number(right)?;
    let parts: Vec<&str> = left.split_whitespace().collect();
    let x = match parts[..] {
        ["x", "+", b] => right - number(b)?,
        ["x", "-", b] => right + number(b)?,
        [a, "+", "x"] => right - number(a)?,
        [a, "-", "x"] => number(a)? - right,
        _ => return Err(format!("odd equation {equation}")),
    };
    enter(&player, &x.to_string()).await
}

/// `Enter the value of Gender into the text field and press Submit.`
pub async fn table_cell(player: Player) -> Played {
    let label = between(&player.goal, "value of ", " into")?;
    let value = cell(&player.look().await?, &label)?;
    enter(&player, &value).await
}

/// `Enter the value that corresponds with each label into the form and submit when done.`
pub async fn table_cells(player: Player) -> Played {
    let view = player.look().await?;
    for field in view.role("textbox") {
        player.fill(&field.reference, &cell(&view, field.name.trim_end_matches(':'))?).await?;
    }
    player.submit().await
}

const LABELS: &[&str] = &[
    "Color",
    "Year of Birth",
    "Gender",
    "Religion",
    "First name",
    "Last name",
    "Language",
    "Country",
    "Fruit",
];

/// The cell beside a label in `Color | aqua Gender | Male`, over one line or several.
fn cell(view: &View, label: &str) -> Result<String, String> {
    let rest = view.between(&format!("{label} | "), "[textbox")?;
    let line = rest.lines().next().unwrap_or_default();
    let next = LABELS.iter().filter_map(|label| line.find(label)).min().unwrap_or(line.len());
    Ok(line[..next].trim().to_owned())
}

/// In one layout the labels stand below their fields.
fn label_after(view: &View, field: &Item) -> String {
    let rest = view.between(&format!("{}]", field.reference), "[").unwrap_or_default();
    rest.trim().to_lowercase()
}

/// `Search for drama movies directed by Holloway from year 2011.`
pub async fn movie(player: Player) -> Played {
    let genre = between(&player.goal, "for ", " movies")?;
    let director = between(&player.goal, "directed by ", " from")?;
    let year = between(&player.goal, "year ", ".")?;
    let view = player.look().await?;
    let labels_after = view.nth("textbox", 1)?.name.is_empty();
    for field in view.role("textbox") {
        let name = if labels_after { label_after(&view, field) } else { field.name.to_lowercase() };
        let value = if name.contains("genre") {
            &genre
        } else if name.contains("director") {
            &director
        } else {
            &year
        };
        player.fill(&field.reference, value).await?;
    }
    let last = view.items.last().ok_or("no button")?;
    player.click(&last.reference).await
}
