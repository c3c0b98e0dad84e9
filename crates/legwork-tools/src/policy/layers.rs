//! A file on top of a preset. Lists are added to, everything else is replaced; who said what is kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::actions::{Actions, Word};
use super::addresses::Zone;
use super::decision::Verdict;
use super::error::PolicyError;
use super::file::{ApprovalsTable, File, HostsTable, PathsTable, RateTable, SiteTable};
use super::hosts::Hosts;
use super::network::Network;
use super::paths::Paths;
use super::presets::Preset;
use super::rules::{ApprovalRules, Rules, Site};
use super::said::{Said, Source, Stance};
use super::transfer::{Downloads, Uploads};
use crate::secrets::{SecretRule, SecretSource};

/// How long an answer is waited for, unless the policy says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a preset says.
fn below(preset: Preset) -> File {
    File::parse(preset.text).expect("the presets have a test")
}

/// The rules of a file that starts from a preset. Relative paths count from `base`.
pub(super) fn rules(preset: Preset, file: File, base: &Path) -> Rules {
    let under = below(preset);
    let from = Source::Preset(preset.name);
    let mut sites: Vec<SiteTable> = under.site;
    sites.extend(file.site);
    let network = Network {
        hosts: hosts(under.hosts, file.hosts, from),
        paths: paths(under.paths, file.paths, from),
        sites: sites.iter().map(site_paths).collect(),
    };
    let mut targets = under.target;
    targets.extend(file.target);
    let secrets = file.secrets.into_iter().map(|(name, rule)| (name.0, whole_secret(rule, base)));
    Rules {
        preset,
        file: None,
        text: String::new(),
        network: Arc::new(network),
        actions: Actions { said: verdicts(under.actions, from, file.actions) },
        targets,
        sites: sites.into_iter().map(site).collect(),
        downloads: downloads(file.downloads, base),
        uploads: uploads(file.uploads, base),
        rate: rate(under.rate, file.rate, from),
        approvals: approvals(under.approvals, file.approvals),
        secrets: secrets.collect(),
        permissions: file.permissions,
        hours: file.hours.or(under.hours),
    }
}

/// A host that the preset allows anyway is only listed by who wants the others refused, and has to say so.
pub(super) fn check(preset: Preset, file: &File, text: &str) -> Result<(), PolicyError> {
    let under = below(preset);
    for pattern in &file.hosts.allow {
        let zone = pattern.get_ref().zone();
        let (said, before) = match zone {
            Zone::Public => (file.hosts.public, under.hosts.public),
            Zone::Private => (file.hosts.private, under.hosts.private),
            Zone::Metadata => (file.hosts.metadata, under.hosts.metadata),
        };
        if said.is_none() && before == Some(Stance::Allow) {
            let (zone, name) = (zone.word(), preset.name);
            let message = format!(
                "the preset {name:?} allows every {zone} host already; write {zone} = \"refuse\" under \
                 [hosts] to allow only those that are listed"
            );
            return Err(PolicyError::new(message).at(text, pattern.span().start));
        }
    }
    Ok(())
}

/// What the preset says of something, unless the file says otherwise.
fn either<T>(under: Option<T>, from: Source, file: Option<T>) -> Option<Said<T>> {
    let file = file.map(|value| Said { value, source: Source::File });
    file.or(under.map(|value| Said { value, source: from }))
}

/// What the preset lists and what the file lists.
fn both<T>(under: Vec<T>, from: Source, file: Vec<T>) -> Vec<Said<T>> {
    let under = under.into_iter().map(|value| Said { value, source: from });
    under.chain(file.into_iter().map(|value| Said { value, source: Source::File })).collect()
}

fn hosts(under: HostsTable, file: HostsTable, from: Source) -> Hosts {
    let zone = |under: Option<Stance>, file: Option<Stance>| {
        // A preset that forgot to say something would say no.
        let unsaid = Said { value: Stance::Refuse, source: from };
        either(under, from, file).unwrap_or(unsaid)
    };
    let plain = |patterns: Vec<toml::Spanned<_>>| {
        patterns.into_iter().map(toml::Spanned::into_inner).collect()
    };
    let schemes = either(under.schemes, from, file.schemes);
    Hosts {
        allow: both(plain(under.allow), from, plain(file.allow)),
        block: both(under.block, from, file.block),
        public: zone(under.public, file.public),
        private: zone(under.private, file.private),
        metadata: zone(under.metadata, file.metadata),
        schemes: schemes.map(|said| Said {
            value: said.value.into_iter().map(|scheme| scheme.0).collect(),
            source: said.source,
        }),
    }
}

fn paths(under: PathsTable, file: PathsTable, from: Source) -> Paths {
    Paths { allow: both(under.allow, from, file.allow), block: both(under.block, from, file.block) }
}

fn verdicts(
    under: BTreeMap<Word, Verdict>,
    from: Source,
    file: BTreeMap<Word, Verdict>,
) -> BTreeMap<Word, Said<Verdict>> {
    let said = |source: Source| move |(word, value)| (word, Said { value, source });
    under.into_iter().map(said(from)).chain(file.into_iter().map(said(Source::File))).collect()
}

fn site(table: SiteTable) -> Site {
    let actions = Actions { said: verdicts(BTreeMap::new(), Source::File, table.actions) };
    Site { hosts: table.hosts.0, actions, rate: table.per_minute.map(|rate| rate.0) }
}

fn site_paths(table: &SiteTable) -> (Vec<super::hosts::HostPattern>, Paths) {
    let said = |patterns: &Vec<_>| both(Vec::new(), Source::File, patterns.clone());
    let paths = Paths { allow: said(&table.paths.allow), block: said(&table.paths.block) };
    (table.hosts.0.clone(), paths)
}

fn rate(under: RateTable, file: RateTable, from: Source) -> Option<Said<u32>> {
    let rate = either(under.per_minute, from, file.per_minute)?;
    Some(Said { value: rate.value.0, source: rate.source })
}

fn approvals(under: ApprovalsTable, file: ApprovalsTable) -> ApprovalRules {
    let expires = file.expires.or(under.expires);
    ApprovalRules {
        expires: expires.map_or(PATIENCE, |span| span.0),
        unanswered: file.unanswered.or(under.unanswered).unwrap_or(Stance::Refuse),
        hook: file.hook.or(under.hook).map(|hook| hook.0),
    }
}

fn downloads(downloads: Downloads, base: &Path) -> Downloads {
    Downloads { folder: downloads.folder.map(|folder| whole(&folder, base)), ..downloads }
}

fn uploads(uploads: Uploads, base: &Path) -> Uploads {
    // Files are compared by where they really lie, so folders are as well.
    let real = |folder: &PathBuf| {
        let folder = whole(folder, base);
        folder.canonicalize().unwrap_or(folder)
    };
    let all = |folders: Vec<PathBuf>| folders.iter().map(real).collect();
    Uploads { folders: uploads.folders.map(all), ..uploads }
}

fn whole_secret(mut rule: SecretRule, base: &Path) -> SecretRule {
    if let SecretSource::File(path) = &mut rule.from {
        *path = whole(path, base);
    }
    rule
}

/// A path as people write it, made whole: `~` is the home folder.
fn whole(path: &Path, base: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => base.join(path),
    }
}
