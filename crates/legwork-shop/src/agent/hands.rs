//! The hands of an agent that shops. Every call goes through its lane. Before the first that may change the
//! cart the cart's turn is waited for, the cart is looked at in a tab of its own and the book is written; the
//! turn is kept until the item is over, so that whatever changes in the cart meanwhile is this item's.

use std::collections::BTreeSet;

use legwork_agent::model::Tokens;
use legwork_agent::run::{Boxed, Hands, Spent, Step};
use legwork_protocol::assistant::{AssistanceKind, AssistanceRequest, Reaction};
use legwork_protocol::{Code, Reply, ToolError, find};
use serde_json::{Map, Value, json};
use tokio::sync::{OwnedMutexGuard, mpsc};
use url::Url;

use crate::cart::{self, Contents, Intent};
use crate::errand::{Errand, Floor, Product, Stage, Trouble};
use crate::steering;
use crate::summary::Steering;
use crate::visible::visible;

/// What an agent works with.
pub(super) struct AgentHands<'a> {
    pub(super) errand: &'a Errand,
    pub(super) floor: &'a Floor<'a>,
    /// Hears why it cannot go on.
    over: mpsc::UnboundedSender<Trouble>,
    /// Turns of the model so far, those of earlier attempts with them.
    turns: u32,
    /// Where the browser is.
    url: String,
    touched: Option<Touched>,
    /// Pages in a row that could not be loaded.
    unloaded: u32,
    told: BTreeSet<(String, String)>,
    wanting: Option<String>,
}

/// The cart's turn, and the cart before anything was done.
struct Touched {
    _turn: OwnedMutexGuard<()>,
    before: Contents,
}

/// Pages in a row that may fail to load before the shop counts as gone.
const UNLOADED: u32 = 3;

impl<'a> AgentHands<'a> {
    pub(super) fn new(
        errand: &'a Errand,
        floor: &'a Floor<'a>,
        over: mpsc::UnboundedSender<Trouble>,
    ) -> AgentHands<'a> {
        let (url, told) = Default::default();
        let (touched, wanting, turns) = (None, None, errand.turns);
        AgentHands { errand, floor, over, turns, url, touched, unloaded: 0, told, wanting }
    }

    /// Opens the search for the item, from which the agent goes on.
    pub(super) async fn open_search(&mut self) -> Result<(), Trouble> {
        let words = &self.errand.item.wanted.what;
        self.tell(Stage::Searching(words.clone()));
        let url = self.floor.lane.site().search_url(words);
        let asked = Map::from_iter([("url".to_owned(), Value::from(url.as_str()))]);
        let reply = self.floor.lane.call("browser_navigate", asked).await?;
        self.read(&reply);
        self.look_for_turned(&reply).await;
        Ok(())
    }

    pub(super) fn tell(&self, stage: Stage) {
        (self.floor.told)(stage);
    }

    /// Tells of something that leads away from the item, each thing on each page once.
    pub(super) fn steered(&mut self, attempt: String) {
        let attempt = visible(&attempt);
        let url = self.url.split(['?', '#']).next().unwrap_or_default().to_owned();
        if self.told.insert((url.clone(), attempt.clone())) {
            let item = self.errand.item.name.clone();
            self.tell(Stage::Steered(Steering { item, url, attempt }));
        }
    }

    /// What a person was needed for, where nobody could be asked.
    pub(super) fn wanting(&self) -> Option<&str> {
        self.wanting.as_deref()
    }

    /// Whether something was done that may have changed the cart.
    pub(super) fn has_touched(&self) -> bool {
        self.touched.is_some()
    }

    /// Nothing of the item is in the cart, whatever else is.
    pub(super) async fn not_added(&self) {
        self.floor.till.not_added(&self.errand.item.id).await;
    }

    /// The cart before anything was done, if anything was, and now.
    pub(super) async fn cart_now(&self) -> Result<(Option<Contents>, Contents), Trouble> {
        let _turn = match &self.touched {
            None => Some(self.floor.till.turn().await),
            Some(_) => None,
        };
        let now = cart::read(self.floor.lane).await?;
        Ok((self.touched.as_ref().map(|touched| touched.before.clone()), now))
    }

    /// Waits for the cart's turn, looks at it, and writes down that something is about to be added.
    async fn touch(&mut self) -> Result<(), Trouble> {
        if self.touched.is_some() {
            return Ok(());
        }
        let turn = self.floor.till.turn().await;
        self.tell(Stage::Checking);
        let before = self.beside(cart::read(self.floor.lane)).await?;
        let wanted = &self.errand.item.wanted;
        let intent = Intent::of_something(&wanted.what, wanted.quantity, before);
        self.floor.till.intend(&self.errand.item.id, &intent).await?;
        self.touched = Some(Touched { _turn: turn, before: intent.before });
        Ok(())
    }

    /// Does something in a tab of its own, so that the page the agent is on stays as it is.
    async fn beside<T>(
        &self,
        doing: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let lane = self.floor.lane;
        let tabs = |asked: Value| {
            let asked = asked.as_object().cloned().unwrap_or_default();
            lane.call("browser_tabs", asked)
        };
        let front = front(&tabs(json!({ "action": "list" })).await?);
        tabs(json!({ "action": "new" })).await?;
        // The tab goes whatever came of it: lanes live on, and so would it.
        let done = doing.await;
        tabs(json!({ "action": "close" })).await?;
        tabs(json!({ "action": "select", "tab": front })).await?;
        done
    }

    async fn make(
        &mut self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Result<Reply, ToolError>, Trouble> {
        if self.may_change_the_cart(tool, &arguments) {
            self.touch().await?;
        }
        let answer = self.floor.lane.attempt(tool, arguments.clone()).await?;
        match &answer {
            Ok(reply) => {
                self.unloaded = 0;
                self.read(reply);
                self.look_for_turned(reply).await;
            }
            Err(error) => self.refused(tool, &arguments, error).await?,
        }
        Ok(answer)
    }

    /// Everything but looking, and going to where one only looks.
    fn may_change_the_cart(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        let Some(spec) = find(tool) else { return true };
        match spec.name {
            _ if spec.hints.read_only => false,
            "browser_back" | "browser_scroll" | "browser_hover" => false,
            "browser_navigate" | "browser_tabs" => match arguments.get("url") {
                Some(url) => !url.as_str().is_some_and(|url| self.only_shows(url)),
                None => spec.name == "browser_navigate",
            },
            _ => true,
        }
    }

    /// Whether an address is one where one only looks: the first page, a search, the cart.
    fn only_shows(&self, url: &str) -> bool {
        let site = self.floor.lane.site();
        Url::parse(url).is_ok_and(|url| {
            let known = [site.home.clone(), site.search_url("x"), site.cart.clone()];
            known.iter().any(|known| asks_the_same(known, &url))
        })
    }

    /// Notes where the browser is, and what the page says to whoever reads it for somebody.
    fn read(&mut self, reply: &Reply) {
        if let Some(url) = reply.data.get("url").and_then(Value::as_str) {
            self.url = url.to_owned();
        }
        for attempt in steering::attempts(&reply.text) {
            self.steered(attempt);
        }
    }

    /// Tells of names on a page that was shown which read otherwise than they look.
    async fn look_for_turned(&mut self, reply: &Reply) {
        if reply.data.get("page").is_some() {
            for name in self.floor.lane.turned().await {
                self.steered(steering::misleading(&name));
            }
        }
    }

    async fn refused(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        error: &ToolError,
    ) -> Result<(), Trouble> {
        for attempt in steering::attempts(&error.message) {
            self.steered(attempt);
        }
        match error.code {
            Code::Denied => {
                self.check_sign_in().await?;
                self.steered(denied(tool, arguments, error));
            }
            Code::NavigationFailed => {
                self.unloaded += 1;
                if self.unloaded >= UNLOADED {
                    return Err(Trouble::Network(error.to_string()));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Who is not signed in any more is sent where an agent may not go. Whether that is why something was
    /// denied is seen on the first page of the shop.
    async fn check_sign_in(&self) -> Result<(), Trouble> {
        let (lane, site) = (self.floor.lane, self.floor.lane.site());
        if site.signed_in.is_some() {
            self.beside(lane.go(&site.home)).await?;
        }
        Ok(())
    }

    /// Has the person choose, where there is one and something to choose from. Nothing else can be asked of
    /// somebody who only reads what is printed.
    async fn put(&mut self, request: AssistanceRequest) -> Reaction {
        let page = Url::parse(&self.url).unwrap_or_else(|_| self.floor.lane.site().home.clone());
        let choices = &request.choices;
        let products: Vec<Product> = choices.iter().map(|one| choice(one, &page)).collect();
        self.wanting = Some(request.message.clone());
        match self.floor.person {
            Some(person) if request.kind == AssistanceKind::Custom && !products.is_empty() => {
                self.tell(Stage::Asking);
                let chosen = person.choose(&self.errand.item, &products).await;
                match chosen.and_then(|at| choices.get(at)) {
                    Some(words) => Reaction::Said(words.clone()),
                    None => Reaction::Skip,
                }
            }
            _ => Reaction::Stop,
        }
    }
}

impl Hands for AgentHands<'_> {
    fn call<'a>(
        &'a mut self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> Boxed<'a, Result<Reply, ToolError>> {
        Box::pin(async move {
            match self.make(tool, arguments).await {
                Ok(answer) => answer,
                Err(trouble) => {
                    // Whoever hears it drops this.
                    let _ = self.over.send(trouble);
                    std::future::pending().await
                }
            }
        })
    }

    fn ask(&mut self, request: AssistanceRequest) -> Boxed<'_, Reaction> {
        Box::pin(self.put(request))
    }

    fn remarks(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn doing(&mut self, what: &str) {
        if what == "thinking" {
            self.tell(Stage::Thinking(self.turns + 1));
        }
    }

    fn may_ask(&self) -> Result<(), Spent> {
        let most = self.errand.budget.turns;
        match self.turns < most {
            true => Ok(()),
            false => Err(Spent { limit: format!("{most} turns of the model") }),
        }
    }

    fn spend(&mut self, _: Tokens) -> Result<(), Spent> {
        self.turns += 1;
        Ok(())
    }

    fn before(&self) -> &[Step] {
        &[]
    }
}

/// Whether an address asks for the same as one that is known, apart from the words that are searched for. What
/// else it asks for, as `/?add-to-cart=7` does, may be done by going there.
fn asks_the_same(known: &Url, url: &Url) -> bool {
    let place = |url: &Url| (url.origin(), url.path().trim_end_matches('/').to_owned());
    let asked = |url: &Url| -> BTreeSet<String> {
        url.query_pairs().map(|(name, _)| name.into_owned()).collect()
    };
    place(known) == place(url) && asked(known) == asked(url)
}

/// The number of the tab in front.
fn front(reply: &Reply) -> u64 {
    let tabs = reply.data.get("tabs").and_then(Value::as_array).into_iter().flatten();
    let mut fronts = tabs.filter(|tab| tab["front"] == true);
    fronts.next().and_then(|tab| tab["tab"].as_u64()).unwrap_or(1)
}

/// What was asked for and denied, in a line.
fn denied(tool: &str, arguments: &Map<String, Value>, error: &ToolError) -> String {
    let on = ["url", "target", "key"].iter().find_map(|name| arguments.get(*name)?.as_str());
    let on = on.map_or(String::new(), |on| format!(" {on}"));
    let why = error.message.lines().next().unwrap_or_default();
    format!("tried {tool}{on}, and was denied: {why}")
}

/// A choice as it is shown to a person: what the model calls it, on the page where it asks.
fn choice(words: &str, page: &Url) -> Product {
    Product {
        name: words.to_owned(),
        brand: None,
        size: None,
        price_text: String::new(),
        price: None,
        url: page.clone(),
        available: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_asks_for_more_than_is_known_may_do_more_than_show() {
        let known = |url: &str| {
            let url = Url::parse(url).unwrap();
            let shows = ["https://shop.test/", "https://shop.test/find?q=x&in=all"];
            shows.iter().any(|known| asks_the_same(&Url::parse(known).unwrap(), &url))
        };
        for url in [
            "https://shop.test",
            "https://shop.test/#top",
            "https://shop.test/find/?in=all&q=oat+milk",
        ] {
            assert!(known(url), "{url}");
        }
        for url in [
            "https://shop.test/?add-to-cart=7",
            "https://shop.test/cart/add?id=7",
            "https://shop.test/find?q=x&in=all&add=7",
            "https://shop.test/find?q=x",
            "https://other.test/",
        ] {
            assert!(!known(url), "{url}");
        }
    }
}
