//! The shop's folder below the configuration: `config.yaml`, `preferences.yaml`, descriptions of sites,
//! profiles of the browser, lists that cannot be written back, and the books of what was put in a cart. Only
//! its user can look into it, since a profile is as good as a password.

use std::path::{Path, PathBuf};

use anyhow::Context;
use legwork_shop::config::Config;
use legwork_shop::list::ListError;
use legwork_shop::preferences::Preferences;

use crate::config::usual_path;

/// The folder.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Where it usually is: `~/.config/legwork/shop`.
    pub fn usual() -> anyhow::Result<Folder> {
        let path = usual_path("shop").context("there is no home folder: HOME is not set")?;
        Ok(Folder { path })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it, if it is not there.
    pub fn made(&self) -> anyhow::Result<&Folder> {
        make(&self.path)?;
        Ok(self)
    }

    /// What is configured.
    pub fn config(&self) -> Result<Config, ListError> {
        Config::in_folder(&self.path)
    }

    /// What was chosen before.
    pub fn preferences(&self) -> Preferences {
        Preferences::in_folder(&self.path)
    }

    /// The list that is shopped from if no other is named.
    pub fn usual_list(&self) -> PathBuf {
        self.path.join("shopping_list.yaml")
    }

    /// The descriptions of the user's own sites.
    pub fn sites(&self) -> PathBuf {
        self.path.join("sites")
    }

    /// Where a list from standard input is kept.
    pub fn kept_list(&self) -> PathBuf {
        self.path.join("standard_input.yaml")
    }

    /// The browser's profile for a shop.
    pub fn profile(&self, shop: &str) -> PathBuf {
        let plain = |letter: char| match letter {
            letter if letter.is_ascii_alphanumeric() || letter == '-' => letter,
            '.' => '.',
            _ => '_',
        };
        let name: String = shop.to_lowercase().chars().map(plain).collect();
        // A name of dots only would be another folder.
        self.path.join("profiles").join(format!("shop-{name}"))
    }
}

/// Makes a folder that only its user can look into. One that a person made is theirs to open to others.
pub fn make(folder: &Path) -> anyhow::Result<()> {
    legwork_local::folder::make(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_stays_in_its_folder_whatever_a_shop_is_called() {
        let folder = Folder { path: "/c/shop".into() };
        for (shop, profile) in [
            ("metro.ca", "shop-metro.ca"),
            ("Corner shop", "shop-corner_shop"),
            ("..", "shop-.."),
            ("../../etc", "shop-.._.._etc"),
            ("Épicerie", "shop-_picerie"),
        ] {
            assert_eq!(folder.profile(shop), Path::new("/c/shop/profiles").join(profile));
        }
    }
}
