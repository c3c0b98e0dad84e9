//! `legwork shop prefs`: what was chosen for items before, to look at and to change.

use clap::{Args, Subcommand};
use legwork_shop::config::near;
use legwork_shop::item::Wanted;
use legwork_shop::list::ListError;
use legwork_shop::money::Price;
use legwork_shop::preferences::{Preference, Preferences, Remembered};
use legwork_shop::site::Site;
use serde_json::json;

use super::super::failure::{Exit, Failure};
use super::super::{Globals, show};
use super::unusable;
use crate::shop::{Folder, chosen_site};

/// What to do with them.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Command>,
    /// The shop: a name or the file of a description; the configured one if nothing is said
    #[arg(long, value_name = "NAME|FILE", value_hint = clap::ValueHint::AnyPath, global = true)]
    site: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Lists what was chosen, in every shop or in the one that --site names
    #[command(after_help = "Example:\n  legwork shop prefs list")]
    List,
    /// Shows what was chosen for an item
    #[command(after_help = "Example:\n  legwork shop prefs show \"oat milk\"")]
    Show {
        /// The item, as the list says it
        item: String,
    },
    /// Chooses a product for an item, or changes what was chosen
    #[command(
        after_help = "Example:\n  legwork shop prefs set \"oat milk\" --product \"Oat 1 L\" --url https://shop.example/p/1\n  legwork shop prefs set \"oat milk\" --price-ceiling 5.00"
    )]
    Set(Set),
    /// Forgets what was chosen for an item
    #[command(after_help = "Example:\n  legwork shop prefs forget \"oat milk\"")]
    Forget {
        /// The item, as the list says it
        item: String,
    },
    /// Opens the file in the editor that VISUAL or EDITOR names
    #[command(after_help = "Example:\n  EDITOR=nano legwork shop prefs edit")]
    Edit,
    /// Says where the file is
    #[command(after_help = "Example:\n  legwork shop prefs path")]
    Path,
}

/// A choice; what is not said stays as it was.
#[derive(Debug, Args)]
struct Set {
    /// The item, as the list says it
    item: String,
    /// What the shop calls the product
    #[arg(long)]
    product: Option<String>,
    /// The product's page
    #[arg(long)]
    url: Option<String>,
    /// Its size
    #[arg(long)]
    size: Option<String>,
    /// Its brand
    #[arg(long)]
    brand: Option<String>,
    /// The most that one may cost, such as 5.00
    #[arg(long, value_name = "PRICE")]
    price_ceiling: Option<String>,
}

pub(super) fn run(globals: &Globals, arguments: Arguments) -> Result<(), Failure> {
    let folder = Folder::usual().map_err(unusable)?;
    let kept = folder.preferences();
    let site = || site(&folder, arguments.site.as_deref());
    let json = globals.json;
    match arguments.action.unwrap_or(Command::List) {
        Command::Path => show::line(&kept.path().display().to_string()),
        Command::List => {
            let shop = arguments.site.as_ref().map(|_| site()).transpose()?;
            list(&kept, shop.as_ref(), json)
        }
        Command::Show { item } => {
            let (site, what) = (site()?, words(&item)?);
            let found = kept.find(&site.name, &what).map_err(failed)?;
            let found = found.ok_or_else(|| unknown(&kept, &site, &what))?;
            let one = Remembered { shop: site.name, item: what, preference: found };
            shown(&[one], json)
        }
        Command::Set(set) => {
            let site = site()?;
            folder.made().map_err(unusable)?;
            let what = words(&set.item)?;
            let before = kept.find(&site.name, &what).map_err(failed)?;
            let preference = set.over(before, &site)?;
            kept.remember(&site.name, &what, &preference).map_err(failed)?;
            shown(&[Remembered { shop: site.name, item: what, preference }], json)
        }
        Command::Forget { item } => {
            let (site, what) = (site()?, words(&item)?);
            let gone = kept.forget(&site.name, &what).map_err(failed)?;
            let gone = gone.ok_or_else(|| unknown(&kept, &site, &what))?;
            show::line(&match json {
                true => json!({ "forgotten": gone }).to_string(),
                false => format!("forgotten: {what} was {}", gone.product),
            })
        }
        Command::Edit => edit(&folder, &kept),
    }
}

fn site(folder: &Folder, said: Option<&str>) -> Result<Site, Failure> {
    let config = folder.config().map_err(failed)?;
    let found = chosen_site(folder, said, config.site.as_deref());
    found.and_then(|found| found.site()).map_err(unusable)
}

/// The words of an item, without its quantity.
fn words(item: &str) -> Result<String, Failure> {
    let wanted = Wanted::read(item).map(|wanted| wanted.what.to_lowercase());
    wanted.ok_or_else(|| refused("the item has to say something".to_owned()))
}

impl Set {
    /// What was chosen before, with what is said now.
    fn over(self, before: Option<Preference>, site: &Site) -> Result<Preference, Failure> {
        let url = self.url.as_deref().map(|url| page(url, site)).transpose()?;
        if let Some(price) = &self.price_ceiling {
            Price::read(price, site.currency).map_err(|error| refused(error.to_string()))?;
        }
        let former = before.as_ref();
        let (Some(product), Some(url)) = (
            self.product.or_else(|| former.map(|one| one.product.clone())),
            url.or_else(|| former.map(|one| one.url.clone())),
        ) else {
            let why = "nothing was chosen for it yet: --product and --url are needed".to_owned();
            return Err(refused(why));
        };
        let keep = |new: Option<String>, old: fn(&Preference) -> &Option<String>| {
            new.or_else(|| former.and_then(|one| old(one).clone()))
        };
        Ok(Preference {
            product,
            url,
            size: keep(self.size, |one| &one.size),
            brand: keep(self.brand, |one| &one.brand),
            price_ceiling: keep(self.price_ceiling, |one| &one.price_ceiling),
        })
    }
}

/// A page of the shop: another one could not be opened when it is shopped there.
fn page(url: &str, site: &Site) -> Result<url::Url, Failure> {
    let parsed = url::Url::parse(url).map_err(|error| refused(format!("{url:?}: {error}")))?;
    match site.is_shop_page(&parsed) {
        true => Ok(parsed),
        false => Err(refused(format!("{url} is not a page of {} ({})", site.name, site.home))),
    }
}

fn list(kept: &Preferences, shop: Option<&Site>, json: bool) -> Result<(), Failure> {
    let mut all = kept.all().map_err(failed)?;
    all.retain(|one| shop.is_none_or(|site| site.name.to_lowercase() == one.shop.to_lowercase()));
    match all.is_empty() && !json {
        true => show::line("nothing was chosen yet"),
        false => shown(&all, json),
    }
}

fn shown(all: &[Remembered], json: bool) -> Result<(), Failure> {
    if json {
        return show::line(&json!({ "preferences": all }).to_string());
    }
    let mut lines = Vec::new();
    let mut shop = None;
    for Remembered { shop: of, item, preference } in all {
        if shop != Some(of) {
            lines.push(format!("{of}:"));
            shop = Some(of);
        }
        let Preference { product, url, size, brand, price_ceiling } = preference;
        let more = [size.clone(), brand.clone()].into_iter().flatten();
        let ceiling = price_ceiling.iter().map(|price| format!("at most {price}"));
        let pieces: Vec<String> =
            std::iter::once(product.clone()).chain(more).chain(ceiling).collect();
        lines.push(format!("  {item}: {}\n    {url}", pieces.join(", ")));
    }
    show::line(&lines.join("\n"))
}

/// Opens the file in the user's editor, and reads it when they are done.
fn edit(folder: &Folder, kept: &Preferences) -> Result<(), Failure> {
    folder.made().map_err(unusable)?;
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok());
    let editor = named.filter(|editor| !editor.trim().is_empty());
    let Some(editor) = editor else {
        let why = format!("set VISUAL or EDITOR, or open {} yourself", kept.path().display());
        return Err(refused(why));
    };
    let words = shell_words::split(&editor).unwrap_or_else(|_| vec![editor.clone()]);
    let Some((program, arguments)) = words.split_first() else {
        return Err(refused("EDITOR names no program".to_owned()));
    };
    let ran = std::process::Command::new(program).args(arguments).arg(kept.path()).status();
    let ran = ran.map_err(|error| refused(format!("{program} cannot be run: {error}")))?;
    if !ran.success() {
        return Err(Failure::new(Exit::Tool, "editor_failed", format!("{program}: {ran}")));
    }
    let count = kept.all().map_err(failed)?.len();
    show::line(&format!("{count} remembered in {}", kept.path().display()))
}

/// Nothing was chosen for an item.
fn unknown(kept: &Preferences, site: &Site, what: &str) -> Failure {
    let all = kept.all().unwrap_or_default();
    let meant = near(what, all.iter().map(|one| one.item.as_str()));
    let hint = meant.map(|item| format!("did you mean {item:?}? "));
    let hint = format!("{}`legwork shop prefs` lists them", hint.unwrap_or_default());
    let message = format!("nothing was chosen for {what:?} at {}", site.name);
    Failure::new(Exit::Tool, "not_found", message).with_hint(hint)
}

fn refused(why: String) -> Failure {
    Failure::new(Exit::Usage, "invalid_input", why)
}

fn failed(error: ListError) -> Failure {
    unusable(error.into())
}
