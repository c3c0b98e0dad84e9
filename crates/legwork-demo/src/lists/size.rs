//! How people write a size: `2 L`, `2l`, `2 litres`, `2000 ml`, and in pounds what is packed by the pound.

use super::dice::Dice;

/// Whether people write a size of this kind; nobody writes `each`.
pub(super) fn is_written(size: &str) -> bool {
    matches!(unit(size), "L" | "mL" | "g" | "kg" | "pack" | "rolls")
}

/// Whether a number with this unit could be read as a number of packages where it stands first.
pub(super) fn is_count(size: &str) -> bool {
    matches!(unit(size), "pack" | "rolls")
}

/// The size in one of its spellings.
pub(super) fn spelt(dice: &mut Dice, kind: &str, size: &str) -> String {
    if kind == "eggs" && size == "12 pack" && dice.chance(60) {
        return "dozen".into();
    }
    let other = other(size);
    match dice.below(10) {
        0..3 if !is_count(size) => size.replace(' ', ""),
        3 if !is_count(size) => size.to_lowercase(),
        4..6 => other.unwrap_or_else(|| size.to_owned()),
        6 => size.replace(" pack", "-pack"),
        _ => size.to_owned(),
    }
}

/// The same amount in other words.
fn other(size: &str) -> Option<String> {
    let pounds = match size {
        "454 g" => Some("1 lb"),
        "907 g" => Some("2 lb"),
        "1.36 kg" => Some("3 lbs"),
        "2.27 kg" => Some("5 lb"),
        "4.54 kg" => Some("10 lb"),
        _ => None,
    };
    let said = |text: &str| Some(text.to_owned());
    match size {
        _ if pounds.is_some() => pounds.and_then(said),
        "1 L" => said("1 litre"),
        "2 L" => said("2 litres"),
        "4 L" => said("4 liters"),
        "1.5 L" => said("1500 ml"),
        "1 kg" => said("1000 g"),
        "2 kg" => said("2 kilos"),
        "500 g" => said("0.5 kg"),
        "500 mL" => said("0.5 L"),
        "250 g" => said("0.25kg"),
        _ => None,
    }
}

/// Whether two sizes are the same but for rounding, so that either may be taken for the other.
pub(super) fn is_near(one: &str, other: &str) -> bool {
    let amount = |size: &str| {
        let number: f64 = size.split(' ').next()?.parse().ok()?;
        let times = if matches!(unit(size), "kg" | "L") { 1000.0 } else { 1.0 };
        Some(number * times)
    };
    match (amount(one), amount(other)) {
        (Some(one), Some(other)) => (one - other).abs() < 0.1 * one.max(other),
        _ => true,
    }
}

fn unit(size: &str) -> &str {
    size.rsplit(' ').next().unwrap_or_default()
}
