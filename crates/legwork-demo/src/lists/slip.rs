//! What goes wrong when people write: a letter dropped, doubled, changed or swapped, two words written as
//! one, and the words that many people spell wrong in the same way.

use std::collections::HashSet;

use super::dice::Dice;
use crate::catalogue::Catalogue;
use crate::search::{distance, tokens};

/// Words as many people write them.
const COMMON: [(&str, &str); 48] = [
    ("broccoli", "brocolli"),
    ("zucchini", "zuchinni"),
    ("mozzarella", "mozarella"),
    ("parmesan", "parmesean"),
    ("cheddar", "chedder"),
    ("mayonnaise", "mayonaise"),
    ("spaghetti", "spagetti"),
    ("tomatoes", "tomatos"),
    ("tomato", "tomatoe"),
    ("potatoes", "potatos"),
    ("potato", "potatoe"),
    ("bananas", "bannanas"),
    ("avocados", "avacados"),
    ("cauliflower", "cauliflour"),
    ("cinnamon", "cinamon"),
    ("yogurt", "yoghurt"),
    ("croissants", "crossaints"),
    ("baguette", "bagette"),
    ("raspberries", "rasberries"),
    ("blueberries", "bluberries"),
    ("strawberries", "strawberrys"),
    ("lettuce", "letuce"),
    ("cucumbers", "cucumber's"),
    ("mushrooms", "mushroms"),
    ("chicken", "chiken"),
    ("vinegar", "vinager"),
    ("chocolate", "choclate"),
    ("margarine", "margerine"),
    ("toothpaste", "tooth paste"),
    ("detergent", "detergant"),
    ("batteries", "batterys"),
    ("shampoo", "shampo"),
    ("pineapple", "pinapple"),
    ("asparagus", "asparagas"),
    ("hummus", "humus"),
    ("lasagna", "lasagne"),
    ("couscous", "cous cous"),
    ("tortillas", "tortilas"),
    ("espresso", "expresso"),
    ("oregano", "origano"),
    ("cilantro", "cilanto"),
    ("ketchup", "ketchap"),
    ("granola", "granolla"),
    ("sausages", "sausauges"),
    ("bagels", "bagles"),
    ("lemonade", "lemonaid"),
    ("almond", "almon"),
    ("mustard", "musterd"),
];

/// Every word that the store uses for its products.
pub(super) fn words_of(catalogue: &Catalogue) -> HashSet<String> {
    let texts = catalogue.products().iter().flat_map(|product| {
        [&product.name, &product.brand, &product.kind, &product.category, &product.description]
    });
    texts.flat_map(|text| tokens(text)).collect()
}

/// The phrase with a slip in it, at times with two.
pub(super) fn misspelt(dice: &mut Dice, phrase: &str, known: &HashSet<String>) -> String {
    if dice.chance(40)
        && let Some(wrong) = common(phrase)
    {
        return wrong;
    }
    if dice.chance(8)
        && let Some(wrong) = joined(phrase)
    {
        return wrong;
    }
    let once = slipped(dice, phrase, known);
    if dice.chance(20) { slipped(dice, &once, known) } else { once }
}

/// With a word spelt as many spell it.
fn common(phrase: &str) -> Option<String> {
    let words: Vec<&str> = phrase.split(' ').collect();
    let wrong = |word: &str| COMMON.iter().find(|(right, _)| *right == word).map(|(_, many)| *many);
    let (at, many) = words.iter().enumerate().find_map(|(at, word)| Some((at, wrong(word)?)))?;
    let mut words = words.clone();
    words[at] = many;
    Some(words.join(" "))
}

/// Two plain words as one: `peanutbutter`.
fn joined(phrase: &str) -> Option<String> {
    let (one, other) = phrase.split_once(' ')?;
    let plain =
        |word: &str| word.len() > 2 && word.bytes().all(|letter| letter.is_ascii_lowercase());
    (plain(one) && plain(other)).then(|| format!("{one}{other}"))
}

/// The phrase with one slip in one of its longer words, if there is one after which the word can still only
/// be itself.
fn slipped(dice: &mut Dice, phrase: &str, known: &HashSet<String>) -> String {
    let words: Vec<&str> = phrase.split(' ').collect();
    for _ in 0..20 {
        let at = dice.below(words.len());
        let word = words[at];
        // A word that is none of the store's has its slip already.
        let whole = tokens(word).iter().all(|token| known.contains(token));
        if word.len() < 5 || !whole || !word.bytes().all(|letter| letter.is_ascii_alphabetic()) {
            continue;
        }
        let wrong = slip(dice, word);
        if is_clear(word, &wrong, known) {
            let mut words: Vec<&str> = words.clone();
            words[at] = &wrong;
            return words.join(" ");
        }
    }
    phrase.to_owned()
}

/// One letter dropped, doubled, changed, or swapped with the next; never the first.
fn slip(dice: &mut Dice, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + dice.below(letters.len() - 2);
    match dice.below(4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 => letters.swap(at, at + 1),
        _ => letters[at] = *dice.pick(&['a', 'e', 'i', 'o', 'u']),
    }
    letters.into_iter().collect()
}

/// Whether a misspelt word is no word of the store, and one slip away from the one that was meant alone.
fn is_clear(word: &str, wrong: &str, known: &HashSet<String>) -> bool {
    let (Some(meant), Some(read)) = (tokens(word).pop(), tokens(wrong).pop()) else {
        return false;
    };
    let near = |other: &&String| {
        let lengths = other.len().abs_diff(read.len()) <= 1;
        lengths && **other != meant && distance(&read, other) <= 1
    };
    !known.contains(&read)
        && distance(&read, &meant) == 1
        && !known.iter().any(|other| near(&other))
}
