//! The rules in force, line by line as a policy file has them, each with who said it.

use super::actions::Actions;
use super::rules::{Rules, Site};
use super::said::{Said, Source};
use crate::secrets::SecretSource;

/// A line of the rules in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line.
    pub text: String,
    /// Who said it; nobody said a heading.
    pub source: Option<Source>,
}

impl Line {
    fn heading(text: &str) -> Line {
        Line { text: text.to_owned(), source: None }
    }

    fn said<T>(text: String, said: &Said<T>) -> Line {
        Line { text, source: Some(said.source) }
    }

    fn of_file(text: String) -> Line {
        Line { text, source: Some(Source::File) }
    }
}

impl Rules {
    /// The rules in force, line by line.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut table = |heading: &str, inside: Vec<Line>| {
            if !inside.is_empty() {
                lines.push(Line::heading(heading));
                lines.extend(inside);
            }
        };
        table("[hosts]", self.host_lines());
        table("[paths]", self.path_lines());
        table("[actions]", action_lines(&self.actions));
        for target in &self.targets {
            let then = format!("then = {:?}", target.then.word());
            let said = target.said().into_iter().chain([then]).map(Line::of_file);
            table("[[target]]", said.collect());
        }
        for (site, (_, paths)) in self.sites.iter().zip(&self.network.sites) {
            let mut inside = site_lines(site);
            inside.extend(listed("paths.allow", &paths.allow, |pattern| pattern.text()));
            inside.extend(listed("paths.block", &paths.block, |pattern| pattern.text()));
            table("[[site]]", inside);
        }
        table("[downloads]", self.download_lines());
        table("[uploads]", self.upload_lines());
        let rate =
            self.rate.iter().map(|rate| Line::said(format!("per_minute = {}", rate.value), rate));
        table("[rate]", rate.collect());
        table("[approvals]", self.approval_lines());
        for (name, secret) in &self.secrets {
            let inside = vec![
                Line::of_file(source_told(&secret.from)),
                Line::of_file(format!("totp = {}", secret.totp)),
                Line::of_file(format!("origins = {:?}", secret.origins())),
            ];
            table(&format!("[secrets.{name}]"), inside);
        }
        let granted = super::permissions::told(&self.permissions).map(Line::of_file);
        table("[permissions]", granted.collect());
        let hours = self.hours.iter().map(|hours| Line::of_file(hours.told()));
        table("[hours]", hours.collect());
        lines
    }

    fn host_lines(&self) -> Vec<Line> {
        let hosts = &self.network.hosts;
        let zones =
            [("public", &hosts.public), ("private", &hosts.private), ("metadata", &hosts.metadata)];
        let zone = |(name, said): (&str, &Said<super::said::Stance>)| {
            Line::said(format!("{name} = {:?}", said.value.word()), said)
        };
        let mut lines: Vec<Line> = zones.into_iter().map(zone).collect();
        let schemes = hosts.schemes.iter();
        lines.extend(schemes.map(|said| Line::said(format!("schemes = {:?}", said.value), said)));
        lines.extend(listed("allow", &hosts.allow, |pattern| pattern.text()));
        lines.extend(listed("block", &hosts.block, |pattern| pattern.text()));
        lines
    }

    fn path_lines(&self) -> Vec<Line> {
        let mut lines = listed("allow", &self.network.paths.allow, |pattern| pattern.text());
        lines.extend(listed("block", &self.network.paths.block, |pattern| pattern.text()));
        lines
    }

    fn download_lines(&self) -> Vec<Line> {
        let rules = &self.downloads;
        let folder = rules.folder.as_ref().map(|folder| format!("folder = {folder:?}"));
        let size = rules.max_size.map(|size| format!("max_size = \"{size}\""));
        let types = rules.types.as_ref().map(|types| format!("types = {:?}", types.endings()));
        [folder, size, types].into_iter().flatten().map(Line::of_file).collect()
    }

    fn upload_lines(&self) -> Vec<Line> {
        let rules = &self.uploads;
        let folders = rules.folders.as_ref().map(|folders| format!("folders = {folders:?}"));
        let size = rules.max_size.map(|size| format!("max_size = \"{size}\""));
        let types = rules.types.as_ref().map(|types| format!("types = {:?}", types.endings()));
        [folders, size, types].into_iter().flatten().map(Line::of_file).collect()
    }

    fn approval_lines(&self) -> Vec<Line> {
        let rules = &self.approvals;
        let mut lines = vec![
            format!("expires = \"{}ms\"", rules.expires.as_millis()),
            format!("unanswered = {:?}", rules.unanswered.word()),
        ];
        lines.extend(rules.hook.as_ref().map(|hook| format!("hook = {hook:?}")));
        lines.into_iter().map(|text| Line { text, source: None }).collect()
    }
}

fn site_lines(site: &Site) -> Vec<Line> {
    let hosts: Vec<&str> = site.hosts.iter().map(|host| host.text()).collect();
    let mut lines = vec![Line::of_file(format!("hosts = {hosts:?}"))];
    let actions = action_lines(&site.actions).into_iter();
    lines.extend(actions.map(|line| Line { text: format!("actions.{}", line.text), ..line }));
    lines.extend(site.rate.map(|rate| Line::of_file(format!("per_minute = {rate}"))));
    lines
}

fn action_lines(actions: &Actions) -> Vec<Line> {
    let line = |(word, said): (&super::actions::Word, &Said<super::decision::Verdict>)| {
        Line::said(format!("{} = {:?}", word.0, said.value.word()), said)
    };
    actions.said.iter().map(line).collect()
}

fn listed<T>(key: &str, all: &[Said<T>], text: impl Fn(&T) -> &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for source in all.iter().map(|said| said.source) {
        if lines.iter().any(|line| line.source == Some(source)) {
            continue;
        }
        let own: Vec<&str> =
            all.iter().filter(|said| said.source == source).map(|said| text(&said.value)).collect();
        lines.push(Line { text: format!("{key} = {own:?}"), source: Some(source) });
    }
    lines
}

fn source_told(source: &SecretSource) -> String {
    match source {
        SecretSource::Env(name) => format!("env = {name:?}"),
        SecretSource::File(path) => format!("file = {path:?}"),
        SecretSource::Command(words) => format!("command = {words:?}"),
        SecretSource::Keyring(name) => format!("keyring = {name:?}"),
    }
}
