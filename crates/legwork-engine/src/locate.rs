//! Where a target is: in which frame, and as what that frame's walker knows it. A ref leads to its own
//! document; one whose document is gone, to the single thing of the same role and name, or nowhere. A
//! point leads to the innermost frame that is there.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::page::Page;
use crate::prepare::Point;
use crate::refs::{Ref, Shown};
use crate::snapshot::SnapshotOptions;
use crate::target::{Target, Wire};
use crate::walker::World;

#[derive(Serialize)]
struct TargetArgs<'a> {
    target: Wire<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Matches {
    #[serde(default)]
    pub(crate) count: usize,
    #[serde(default)]
    pub(crate) matches: Vec<Match>,
    #[serde(default)]
    pub(crate) near: Vec<Match>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
pub(crate) struct Match {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) description: String,
}

/// What the walker of a document says of a point.
#[derive(Deserialize)]
struct Pointed {
    /// It is outside the window, of this width and height.
    outside: Option<(f64, f64)>,
    /// It is in this child frame, there.
    frame: Option<u32>,
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    /// There is a frame there that nobody can look into.
    #[serde(default)]
    closed: bool,
}

#[derive(Deserialize)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Refusal {
    /// No document could answer such a target.
    pub(crate) fn is_of_syntax(&self) -> bool {
        self.code.ends_with("_selector")
    }
}

impl Page {
    /// The frame in which the target is, and the target as that frame knows it.
    pub(crate) async fn locate(
        &self,
        target: &Target,
        deadline: Instant,
    ) -> Result<(World, Target)> {
        target.check()?;
        if let Target::Ref(reference) = target {
            return self.locate_ref(*reference, deadline).await;
        }
        if let Target::Sealed { reference, .. } = target {
            let living = self.living(*reference);
            let world = living.ok_or_else(|| Error::Changed(reference.to_string()))?;
            return Ok((world, target.clone()));
        }
        if let Some(at) = target.at() {
            return self.locate_point(target, at, deadline).await;
        }
        let worlds = self.worlds(deadline).await?;
        if let [only] = &worlds[..] {
            return Ok((only.clone(), target.clone()));
        }
        let mut holding: Vec<(World, usize, Vec<String>)> = Vec::new();
        let mut near = Vec::new();
        for world in worlds {
            let found = self.matches(&world, target, deadline).await?;
            if found.matches.is_empty() {
                near.extend(found.near.into_iter().map(|one| one.description));
            } else {
                let listed = found.matches.into_iter().map(|m| m.description).collect();
                holding.push((world, found.count, listed));
            }
        }
        match holding.len() {
            0 => Err(missing(target, near)),
            1 => Ok((holding.remove(0).0, target.clone())),
            _ => Err(Error::Ambiguous {
                target: target.to_string(),
                count: holding.iter().map(|(_, count, _)| count).sum(),
                candidates: holding.into_iter().flat_map(|(.., listed)| listed).take(10).collect(),
            }),
        }
    }

    /// The innermost frame at a point of the page's window, and the point as that frame counts it.
    async fn locate_point(
        &self,
        target: &Target,
        at: Point,
        deadline: Instant,
    ) -> Result<(World, Target)> {
        let mut world = self.main_world(deadline).await?;
        let mut point = at;
        loop {
            self.adopt_children(&world).await?;
            let hit: Pointed = self.call(&world, "pointIn", &point, deadline).await?;
            if let Some((width, height)) = hit.outside {
                return Err(Error::Invalid(format!(
                    "{target} is outside the window, which is {width} by {height} CSS pixels; scroll \
                     first, then point at where it is then"
                )));
            }
            let inner = hit.frame.and_then(|key| self.child_world(&world, key));
            match (hit.frame, inner) {
                (Some(_), Some(inner)) => {
                    world = inner;
                    point = Point { x: hit.x, y: hit.y };
                }
                // What is in there cannot be known yet, and so not be judged.
                (Some(_), None) => return Err(missing(target, Vec::new())),
                (None, _) if hit.closed => return Err(missing(target, Vec::new())),
                (None, _) => break,
            }
        }
        if let Target::Pinned { reference, .. } = target
            && self.living(*reference).is_none_or(|known| known.id != world.id)
        {
            return Err(Error::Changed(target.to_string()));
        }
        Ok((world, target.moved_to(point)))
    }

    /// The document that gave out a ref, if it is still there.
    fn living(&self, reference: Ref) -> Option<World> {
        let state = self.tab.state();
        let world = state.refs.world_of(reference)?;
        state.frames.by_world(world).and_then(World::of)
    }

    /// A ref's own document, or, if that is gone, the thing of the same role and name in the new one.
    async fn locate_ref(&self, reference: Ref, deadline: Instant) -> Result<(World, Target)> {
        if let Some(world) = self.living(reference) {
            return Ok((world, Target::Ref(reference)));
        }
        let url = self.url();
        let shown = self.tab.state().refs.last_shown(reference, &url);
        let stale = |candidates| self.lost(reference, candidates);
        let Some(shown) = shown.filter(|shown| !shown.name.is_empty()) else {
            return Err(stale(Vec::new()));
        };
        let target = Target::Exactly { role: shown.role.clone(), name: shown.name.clone() };
        let mut found = Vec::new();
        for world in self.worlds(deadline).await? {
            let answer = self.matches(&world, &target, deadline).await?;
            found.extend(answer.matches.into_iter().map(|one| (world.clone(), one)));
        }
        if let [(world, one)] = &found[..] {
            let now: Ref = one.reference.parse()?;
            if self.stands_where(&shown, now, world, deadline).await? {
                return Ok((world.clone(), Target::Ref(now)));
            }
        }
        Err(stale(found.iter().map(|(_, one)| one.description.clone()).take(5).collect()))
    }

    /// Why there is nothing behind a ref: its element is gone, or there never was one.
    pub(crate) fn lost(&self, reference: Ref, candidates: Vec<String>) -> Error {
        let known = self.tab.state().refs.world_of(reference).is_some();
        let reference = reference.to_string();
        match known {
            true => Error::StaleRef { reference, candidates },
            false => Error::UnknownRef(reference),
        }
    }

    /// Whether the same stands before the new element in its row as stood before the old one.
    async fn stands_where(
        &self,
        shown: &Shown,
        now: Ref,
        world: &World,
        deadline: Instant,
    ) -> Result<bool> {
        let options = SnapshotOptions::default();
        let (_, text) = self.frame_text(world, &options, deadline, 0).await?;
        let again = Shown::find(&text, now);
        Ok(again.is_some_and(|again| again.before == shown.before))
    }

    /// Nothing on the page resembles the words: the error says what there is instead. A selector is
    /// not helped by that.
    pub(crate) async fn offering(&self, given: &Target, error: Error) -> Error {
        #[derive(Deserialize)]
        struct Offers {
            offers: Vec<String>,
        }
        if matches!(given, Target::Css(_) | Target::XPath(_)) {
            return error;
        }
        let Error::NotFound { target, near, .. } = error else { return error };
        let mut there = Vec::new();
        let soon = Instant::now() + Duration::from_secs(1);
        if near.is_empty()
            && let Ok(world) = self.main_world(soon).await
        {
            let nothing = serde_json::json!({});
            let answer: Result<Offers> = self.call(&world, "offers", &nothing, soon).await;
            there = answer.map(|answer| answer.offers).unwrap_or_default();
        }
        Error::NotFound { target, near, there }
    }

    pub(crate) async fn matches(
        &self,
        world: &World,
        target: &Target,
        deadline: Instant,
    ) -> Result<Matches> {
        let args = TargetArgs { target: target.wire() };
        let found: Matches = self.call(world, "resolve", &args, deadline).await?;
        match found.error {
            Some(error) => {
                let near = found.near.into_iter().map(|one| one.description).collect();
                Err(refused(target, error, near))
            }
            None => Ok(found),
        }
    }
}

/// A refusal of the walker as an error.
pub(crate) fn refused(target: &Target, refusal: Refusal, near: Vec<String>) -> Error {
    match refusal.code.as_str() {
        "unsupported_selector" => {
            Error::Selector { code: "unsupported_selector", message: refusal.message }
        }
        "invalid_selector" => {
            Error::Selector { code: "invalid_selector", message: refusal.message }
        }
        "changed" => Error::Changed(refusal.message),
        "stale_ref" => Error::StaleRef { reference: target.to_string(), candidates: near },
        "unknown_ref" => Error::UnknownRef(target.to_string()),
        _ => missing(target, near),
    }
}

/// Nothing matches the target; at best something resembles it.
pub(crate) fn missing(target: &Target, near: Vec<String>) -> Error {
    Error::NotFound { target: target.to_string(), near, there: Vec::new() }
}
