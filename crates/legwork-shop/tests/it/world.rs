//! Whole trips in the demo store, by whoever shops.

use std::num::NonZeroUsize;
use std::sync::Arc;

use legwork_demo::{Options, Store};
use legwork_shop::errand::{Budget, Shopper};
use legwork_shop::item::Retry;
use legwork_shop::list::YamlList;
use legwork_shop::site::{Phase, Site};
use legwork_shop::summary::Summary;
use legwork_shop::trip::{Settings, Trip};
use legwork_tools::{Files, Host, Rules};

use crate::customer::Customer;

/// The store, the browser, and a folder for the list and its book.
pub struct World {
    pub store: Store,
    pub host: Host,
    pub site: Arc<Site>,
    folder: tempfile::TempDir,
}

impl World {
    pub async fn open(options: Options) -> World {
        let store = Store::start(options).await.unwrap();
        let site = Arc::new(Site::parse(&store.site_toml()).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let rules = Arc::new(Rules::parse(&site.policy(Phase::Shopping)).unwrap());
        let files = Files::in_folder(folder.path().join("files"));
        let settings = legwork_tools::Settings { files, rules, ..Default::default() };
        World { store, site, host: Host::new(settings), folder }
    }

    /// Makes a trip with a list of these lines, with so many items at a time.
    pub async fn shop(&self, shopper: Arc<dyn Shopper>, lines: &[String], lanes: usize) -> Summary {
        self.trip(shopper, lines, lanes).run().await.unwrap()
    }

    /// Such a trip, not begun.
    pub fn trip(&self, shopper: Arc<dyn Shopper>, lines: &[String], lanes: usize) -> Trip {
        let list = self.folder.path().join("list.yaml");
        let items: Vec<String> = lines.iter().map(|line| format!("- {line}\n")).collect();
        std::fs::write(&list, items.concat()).unwrap();
        Trip {
            host: Arc::new(self.host.clone()),
            site: self.site.clone(),
            list: Arc::new(YamlList::open(&list).unwrap()),
            shopper,
            door: Some(Arc::new(Customer)),
            person: None,
            watch: Arc::new(|_| {}),
            settings: Settings {
                retry: Retry::Again,
                concurrency: NonZeroUsize::new(lanes).unwrap(),
                budget: Budget { turns: 15, ..Budget::default() },
                folder: self.folder.path().to_owned(),
                list: "list".into(),
                picture: None,
            },
        }
    }
}
