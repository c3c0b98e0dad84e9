//! Tells a document's walker what it cannot see by itself: which of its frame elements is which
//! frame, what a closed shadow root holds, and which elements listen for clicks.

use std::time::Duration;

use legwork_cdp::{BackendNodeId, Call, ObjectId, dom, dom_debugger, runtime};
use serde::Deserialize;
use tokio::time::Instant;

use crate::error::Result;
use crate::page::Page;
use crate::snapshot::ROUNDS;
use crate::walker::World;

impl Page {
    /// Names the child frames to the walker of their parent, each once per document.
    pub(crate) async fn adopt_children(&self, world: &World) -> Result<()> {
        let children: Vec<_> = {
            let state = self.tab.state();
            let children = state.frames.children(&world.frame);
            let new = children
                .into_iter()
                .filter(|frame| frame.adopted_by.as_deref() != Some(world.id.unique.as_str()));
            new.map(|frame| (frame.id.clone(), frame.key)).collect()
        };
        let owners: Vec<_> = children
            .into_iter()
            .map(|(id, key)| {
                let owner = world.session.send(&dom::GetFrameOwner { frame_id: id.clone() });
                (id, key, owner)
            })
            .collect();
        let mut resolved = Vec::new();
        for (id, key, owner) in owners {
            let Ok(owner) = self.tab.unless_blocked(owner).await else { continue };
            let ask = in_world(world, owner.backend_node_id, None);
            resolved.push((id, key, world.session.send(&ask)));
        }
        for (id, key, reply) in resolved {
            let Ok(reply) = self.tab.unless_blocked(reply).await else { continue };
            let Some(object) = reply.object.object_id else { continue };
            self.give(
                world,
                "(el, key) => legwork.adoptFrame(el, key)",
                &[Some(object)],
                Some(key),
            );
            if let Some(frame) = self.tab.state().frames.get_mut(&id) {
                frame.adopted_by = Some(world.id.unique.clone());
            }
        }
        Ok(())
    }

    /// Looks for closed shadow roots in every document, so that what they hold is found; true if there is one
    /// that was not known. Roots in roots are found one after the other.
    pub(crate) async fn reveal(&self, deadline: Instant) -> Result<bool> {
        #[derive(Deserialize)]
        struct Hosts {
            count: usize,
        }
        let nothing = serde_json::json!({});
        let mut found = false;
        for world in self.worlds(deadline).await? {
            for _ in 0..ROUNDS {
                let hosts: Hosts = self.call(&world, "hosts", &nothing, deadline).await?;
                if hosts.count == 0 {
                    break;
                }
                found |= self.adopt_closed_roots(&world).await?;
            }
        }
        Ok(found)
    }

    /// Asks the browser about elements that may hold a closed shadow root; true if one does.
    pub(crate) async fn adopt_closed_roots(&self, world: &World) -> Result<bool> {
        let list = self.handle(world, "() => legwork.candidates()", &()).await?;
        let hosts = self.items(world, list).await?;
        let mut found = false;
        for (host, root) in self.closed_roots(world, hosts).await {
            let root = match root {
                Some(reply) => {
                    let reply = self.tab.unless_blocked(reply).await;
                    reply.ok().and_then(|reply| reply.object.object_id)
                }
                None => None,
            };
            found |= root.is_some();
            self.give(
                world,
                "(host, root) => legwork.adoptRoot(host, root ?? null)",
                &[Some(host), root],
                None,
            );
        }
        Ok(found)
    }

    /// Each host with its closed root on the way into the walker's world, if it has one. All are asked
    /// about before the first answer is waited for.
    async fn closed_roots(
        &self,
        world: &World,
        hosts: Vec<ObjectId>,
    ) -> Vec<(ObjectId, Option<Call<dom::ResolveNodeReply>>)> {
        let described: Vec<_> = hosts
            .into_iter()
            .map(|host| {
                let ask = dom::DescribeNode {
                    object_id: Some(host.clone()),
                    depth: Some(1),
                    pierce: Some(true),
                    ..Default::default()
                };
                (host, world.session.send(&ask))
            })
            .collect();
        let mut resolved = Vec::new();
        for (host, description) in described {
            let Ok(reply) = self.tab.unless_blocked(description).await else { continue };
            let roots = reply.node.shadow_roots.unwrap_or_default();
            let closed = roots.iter().find(|r| r.shadow_root_type.as_deref() == Some("closed"));
            let root =
                closed.map(|root| world.session.send(&in_world(world, root.backend_node_id, None)));
            resolved.push((host, root));
        }
        resolved
    }

    /// Handles to the items of an array in the page.
    pub(crate) async fn items(
        &self,
        world: &World,
        list: Option<ObjectId>,
    ) -> Result<Vec<ObjectId>> {
        let Some(object_id) = list else { return Ok(Vec::new()) };
        let ask =
            runtime::GetProperties { object_id, own_properties: Some(true), ..Default::default() };
        let reply = self.tab.unless_blocked(world.session.send(&ask)).await?;
        let indexed = reply.result.into_iter().filter(|p| p.name.parse::<usize>().is_ok());
        Ok(indexed.filter_map(|property| property.value?.object_id).collect())
    }

    /// Tells the walker which elements listen for clicks, as only the browser knows. True if one of
    /// them is new. Asked at any rate without `stir`, else only when the document says by it that it
    /// changed since.
    pub(crate) async fn mark_listeners(&self, world: &World, stir: Option<u64>) -> Result<bool> {
        let known = self.listening(world);
        let same = |known: &Listening| known.stir == stir || known.stir.is_none();
        if stir.is_some() && known.as_ref().is_some_and(same) {
            self.keep_listening(world, known.map(|known| Listening { stir, ..known }));
            return Ok(false);
        }
        let (document, before) = match known {
            Some(known) => (known.document, known.nodes),
            None => match self.page_document(world).await? {
                Some(document) => (document, Vec::new()),
                None => return Ok(false),
            },
        };
        let ask = dom_debugger::GetEventListeners {
            object_id: document.clone(),
            depth: Some(-1),
            pierce: Some(true),
        };
        let sent = world.session.send(&ask).within(Duration::from_secs(5));
        let Ok(reply) = self.tab.unless_blocked(sent).await else { return Ok(false) };
        let mut nodes: Vec<_> = reply
            .listeners
            .into_iter()
            .filter(|listener| CLICKS.contains(&listener.kind.as_str()))
            .filter_map(|listener| listener.backend_node_id)
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let new: Vec<_> =
            nodes.iter().copied().filter(|node| before.binary_search(node).is_err()).collect();
        let mut told = false;
        for some in new.chunks(MOST) {
            told |= self.tell_listeners(world, some).await;
        }
        let unique = world.id.unique.clone();
        self.keep_listening(world, Some(Listening { world: unique, document, nodes, stir }));
        Ok(told)
    }

    /// The listeners of a document that is looked at for the first time; true if this is one.
    pub(crate) async fn first_listeners(&self, world: &World) -> Result<bool> {
        let first = self.listening(world).is_none();
        if first {
            self.mark_listeners(world, None).await?;
        }
        Ok(first)
    }

    async fn tell_listeners(&self, world: &World, nodes: &[BackendNodeId]) -> bool {
        let asked: Vec<_> = nodes
            .iter()
            .map(|node| world.session.send(&in_world(world, *node, Some(LISTENERS))))
            .collect();
        let mut objects = Vec::new();
        for reply in asked {
            let found = self.tab.unless_blocked(reply).await.ok().and_then(|r| r.object.object_id);
            objects.extend(found.map(Some));
        }
        if objects.is_empty() {
            return false;
        }
        let mark = "(...all) => legwork.markListeners(...all.filter((n) => n.nodeType === 1 && n.ownerDocument === document))";
        self.give(world, mark, &objects, None);
        // The page would otherwise keep every one of these elements for good.
        let group = LISTENERS.into();
        world.session.notify(&runtime::ReleaseObjectGroup { object_group: group });
        true
    }

    fn listening(&self, world: &World) -> Option<Listening> {
        let state = self.tab.state();
        let known = state.frames.get(&world.frame)?.listening.clone()?;
        (known.world == world.id.unique).then_some(known)
    }

    fn keep_listening(&self, world: &World, listening: Option<Listening>) {
        if let Some(frame) = self.tab.state().frames.get_mut(&world.frame) {
            frame.listening = listening;
        }
    }

    /// The document as the page's own world has it: asked through any other world, the browser
    /// tells the listeners of that world only.
    async fn page_document(&self, world: &World) -> Result<Option<ObjectId>> {
        let main = self.tab.state().frames.get(&world.frame).and_then(|frame| frame.main.clone());
        let Some(main) = main else { return Ok(None) };
        let ask = runtime::Evaluate {
            expression: "document".into(),
            unique_context_id: Some(main),
            ..Default::default()
        };
        let reply = self.tab.unless_blocked(world.session.send(&ask)).await;
        Ok(reply.ok().and_then(|reply| reply.result.object_id))
    }
}

/// What is known of the listeners of a document.
#[derive(Debug, Clone)]
pub(crate) struct Listening {
    /// The walker that was told.
    world: String,
    document: ObjectId,
    /// The listening nodes, in order.
    nodes: Vec<BackendNodeId>,
    /// How often the document had changed by then.
    stir: Option<u64>,
}

fn in_world(world: &World, node: BackendNodeId, group: Option<&str>) -> dom::ResolveNode {
    dom::ResolveNode {
        backend_node_id: Some(node),
        execution_context_id: Some(world.id.number),
        object_group: group.map(Into::into),
        ..Default::default()
    }
}

const CLICKS: &[&str] = &["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick"];

/// Handles that are let go together.
const LISTENERS: &str = "legwork-listeners";

/// So many listening elements are told at once.
const MOST: usize = 500;
