//! A first description of a shop, from one visit: its search, its cart, its way in, what it charges in, and
//! whom it loads from. Nothing is put in a cart and nobody is signed in. What was not seen is not claimed:
//! the text says of every line whether it was tried, seen or guessed, and strangers are not allowed. What was
//! not found out can be asked of somebody who knows the shop.

mod ask;
mod currency;
mod find;
mod hosts;
mod template;
mod visit;
mod write;

use legwork_protocol::{ToolError, ToolHost};
use url::Url;

use super::{Locator, Site, SiteError};
pub use ask::Question;
use currency::Charges;
use find::Form;
use hosts::Sorted;
use visit::{Arrival, Visit};

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drafted {
    /// The description; it can be read by [`Site::parse`].
    pub toml: String,
    /// What has to be looked at before it is used.
    pub notes: Vec<String>,
    /// What is not in it, for nobody knew it.
    pub missing: Vec<String>,
}

/// Why there is no draft.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// The shop could not be opened.
    #[error("{url} cannot be opened: {}", error.told())]
    Closed {
        /// Where the visit began.
        url: Url,
        /// What the browser says.
        error: Box<ToolError>,
    },
    /// The server answered with an error.
    #[error("{url} answers with {status}; shops often do that to browsers without a person")]
    Refused {
        /// Where the visit began.
        url: Url,
        /// What it answered.
        status: u16,
    },
    /// It has nothing that shops have.
    #[error("{url} does not look like a shop: {why}")]
    NoShop {
        /// The page.
        url: Url,
        /// Why there is neither a search nor a cart.
        why: String,
    },
    /// What was found does not fit together.
    #[error("what was found there makes no description that could be used: {0}")]
    Unusable(#[from] SiteError),
}

/// What was found on a visit, and what somebody said of the rest; where nobody knows, why.
#[derive(Debug, Clone)]
pub struct Facts {
    home: Url,
    search: Result<Search, String>,
    cart: Result<Cart, String>,
    charges: Charges,
    hosts: Sorted,
    signed_in: Option<Locator>,
    sign_in: Result<SignInPage, String>,
}

/// How something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Seen,
    /// A link leads there; what is there was not seen.
    Guessed,
    /// Somebody said so.
    Told,
}

/// The address of a search, with `{query}` for the words.
#[derive(Debug, Clone)]
struct Search {
    template: String,
    known: Known,
}

/// The cart's address.
#[derive(Debug, Clone)]
struct Cart {
    url: Url,
    known: Known,
}

/// A page with a form to sign in, as far as one was found.
#[derive(Debug, Clone)]
struct SignInPage {
    url: Url,
    form: Option<Form>,
}

/// The word that is searched for to see where searches lead.
const TRIED: &str = "milk";

/// What a visit may do, as the text of a `policy.toml`: look, search and follow links, on the public web or,
/// for a shop of this machine, here.
pub fn policy(url: &Url) -> String {
    let preset = if hosts::is_this_machine(url) { "local" } else { "web" };
    let never = ["pay", "credentials", "grant", "publish", "upload", "eval", "delete"];
    let never: String = never.iter().map(|what| format!("{what} = \"refuse\"\n")).collect();
    format!("preset = \"{preset}\"\n\n[actions]\n{never}")
}

/// Visits a shop in a session.
pub async fn visit(host: &dyn ToolHost, session: &str, url: &Url) -> Result<Facts, DraftError> {
    look_around(&Visit { host, session }, url).await
}

impl Facts {
    /// The description, as far as it is known.
    pub fn drafted(&self) -> Result<Drafted, DraftError> {
        if let (Err(search), Err(cart)) = (&self.search, &self.cart) {
            let why = format!("{search}, and {cart}");
            return Err(DraftError::NoShop { url: self.home.clone(), why });
        }
        let drafted = write::draft(self);
        Site::parse(&drafted.toml)?;
        Ok(drafted)
    }
}

async fn look_around(visit: &Visit<'_>, url: &Url) -> Result<Facts, DraftError> {
    let closed = |error| DraftError::Closed { url: url.clone(), error: Box::new(error) };
    let arrival = visit.open(url).await.map_err(closed)?;
    if let Some(status) = arrival.status.filter(|status| *status >= 400) {
        return Err(DraftError::Refused { url: url.clone(), status });
    }
    // A shop that sends everybody to another host is at home there.
    let home = match arrival.url.origin() == url.origin() {
        true => url.clone(),
        false => arrival.url.clone(),
    };
    let links = visit.elements("a[href]").await.map_err(closed)?;
    let cart_link = find::cart_link(&links, &arrival.url).filter(|cart| of_shop(&home, cart));
    let sign_in_link = find::sign_in_link(&links, &arrival.url);
    let search = search(visit).await;
    // The results of a search are where prices are, if there is one.
    let page = visit.page().await.unwrap_or_default();
    let charges = currency::charged(&page, &home);
    let cart = cart(visit, cart_link, &home).await;
    let requests = visit.requests().await.map_err(closed)?;
    let hosts = hosts::sort(&home, &requests);
    let sign_in = sign_in(visit, sign_in_link).await;
    Ok(Facts { home, search, cart, charges, hosts, signed_in: None, sign_in })
}

fn of_shop(home: &Url, url: &Url) -> bool {
    hosts::of_one_site(home, url)
}

/// Searches for a word and looks where that leads.
async fn search(visit: &Visit<'_>) -> Result<Search, String> {
    let inputs = visit.elements("input, textarea").await.map_err(|error| error.told())?;
    let field = find::search_field(&inputs).ok_or("no search field was found")?;
    let found = visit.submit(field, TRIED).await;
    let url =
        found.map_err(|error| format!("the search could not be tried: {}", error.told()))?.url;
    let template = template::of(&url, TRIED).ok_or_else(|| {
        format!("a search leads to {url}, which does not say what was searched for")
    })?;
    Ok(Search { template, known: Known::Seen })
}

/// The cart's address, by its link or by what can be clicked.
async fn cart(visit: &Visit<'_>, link: Option<Url>, home: &Url) -> Result<Cart, String> {
    let arrival = match &link {
        Some(url) => visit.open(url).await.map_err(|error| error.told())?,
        None => {
            let buttons = visit.elements("button, [role=button], [role=link]").await;
            let buttons = buttons.map_err(|error| error.told())?;
            let button = find::cart_button(&buttons).ok_or("no way to a cart was found")?;
            visit.click(button).await.map_err(|error| error.told())?
        }
    };
    let Arrival { mut url, status } = arrival;
    if let Some(status) = status.filter(|status| *status >= 400) {
        return Err(format!("the cart at {url} answers with {status}"));
    }
    if !of_shop(home, &url) {
        return Err(format!("what looked like the way to the cart leads to {url}"));
    }
    url.set_fragment(None);
    match (find::is_sign_in(&url), link) {
        (false, _) => Ok(Cart { url, known: Known::Seen }),
        (true, Some(url)) => Ok(Cart { url, known: Known::Guessed }),
        (true, None) => Err("the way to the cart leads to the sign-in".to_owned()),
    }
}

/// The page to sign in, and its form.
async fn sign_in(visit: &Visit<'_>, link: Option<Url>) -> Result<SignInPage, String> {
    let link = link.ok_or("no link says so")?;
    let url = visit.open(&link).await.map_err(|error| error.told())?.url;
    let controls = visit.elements("input, button").await.map_err(|error| error.told())?;
    Ok(SignInPage { url, form: find::sign_in_form(&controls) })
}
