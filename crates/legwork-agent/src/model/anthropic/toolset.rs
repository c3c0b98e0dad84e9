//! The members of `browser_toolset_20260801` as calls of our tools.
//! <https://platform.claude.com/docs/en/agents-and-tools/tool-use/browser-use-tool>

use legwork_protocol::Button;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::model::pointing::{OurCall, Pointing, Scale, Spot, batch, held, object, towards};

/// The toolset as its calls name it.
pub(super) const NAME: &str = "browser";

/// Members that nothing of ours does, and the one that runs code, which no task may. They are not offered.
pub(super) const WITHHELD: &[&str] =
    &["hold_key", "javascript_exec", "left_mouse_down", "left_mouse_up", "zoom"];

/// A wheel's notch in pixels, as browsers have it.
const NOTCH: f64 = 100.0;

/// The call of ours that does what a member is called for. An error is a sentence for the model.
pub(super) fn call(
    member: &str,
    input: &Map<String, Value>,
    scale: Scale,
) -> Result<OurCall, String> {
    let ours = Member { name: member, input, scale }.call()?;
    let tab = match (member, input.get("tab_id")) {
        ("switch_tab" | "close_tab", _) | (_, None | Some(Value::Null)) => return Ok(ours),
        // A picture would be lost among several calls.
        ("screenshot", Some(tab)) => {
            return Err(format!("Go to tab {tab} with switch_tab first; nothing was done."));
        }
        (_, Some(tab)) => tab_number(tab.as_str().unwrap_or_default())?,
    };
    // Nothing is done in a tab that was not brought to the front.
    Ok(batch(vec![("browser_tabs", object(json!({ "action": "select", "tab": tab }))), ours]))
}

struct Member<'a> {
    name: &'a str,
    input: &'a Map<String, Value>,
    scale: Scale,
}

/// What a member acts on.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Aim {
    Coordinate {
        x: f64,
        y: f64,
    },
    Ref {
        #[serde(rename = "ref")]
        reference: String,
    },
}

impl Member<'_> {
    fn call(&self) -> Result<OurCall, String> {
        Ok(match self.name {
            "left_click" => self.click(Button::Left, 1)?.call(),
            "right_click" => self.click(Button::Right, 1)?.call(),
            "middle_click" => self.click(Button::Middle, 1)?.call(),
            "double_click" => self.click(Button::Left, 2)?.call(),
            "triple_click" => self.click(Button::Left, 3)?.call(),
            "hover" | "mouse_move" => Pointing::Move(self.spot("target")?).call(),
            "left_click_drag" => {
                Pointing::Drag { from: self.spot("from")?, to: self.spot("target")? }.call()
            }
            "scroll" => self.scroll()?.call(),
            "scroll_to" => Pointing::Reveal(self.spot("target")?).call(),
            "type" => {
                let text = self.need("text")?;
                Pointing::Type { into: None, text, clear: false, enter: false }.call()
            }
            "key" => Pointing::Press(self.keys()?).call(),
            "wait" => Pointing::Wait(self.need("duration")?).call(),
            "navigate" => self.navigate()?.call(),
            "screenshot" => Pointing::Screenshot.call(),
            _ => self.other()?,
        })
    }

    /// What has nothing to do with pointing.
    fn other(&self) -> Result<OurCall, String> {
        let (tool, arguments) = match self.name {
            "list_tabs" => ("browser_tabs", json!({ "action": "list" })),
            "new_tab" => ("browser_tabs", json!({ "action": "new" })),
            "switch_tab" => ("browser_tabs", json!({ "action": "select", "tab": self.tab()? })),
            "close_tab" => ("browser_tabs", json!({ "action": "close", "tab": self.tab()? })),
            "read_page" => ("browser_snapshot", self.look()?),
            "get_page_text" => ("browser_extract", json!({ "format": "text" })),
            "find" => ("browser_find", json!({ "target": self.need::<String>("query")? })),
            "form_input" => {
                let value: Value = self.need("value")?;
                ("browser_fill_form", json!({ "fields": { self.spot("target")?.target(): value } }))
            }
            "file_upload" => {
                let paths: Vec<String> = self.may("paths")?.unwrap_or_default();
                if paths.is_empty() {
                    return Err(
                        "Only files of this machine can be put in: give paths; nothing was done."
                            .into(),
                    );
                }
                (
                    "browser_upload",
                    json!({ "target": self.spot("target")?.target(), "paths": paths }),
                )
            }
            "read_console" => ("browser_recent_console_logs", json!({})),
            "read_network" => ("browser_get_network_sources", json!({})),
            name if WITHHELD.contains(&name) => {
                return Err(format!(
                    "{name} cannot be done here; do it another way. Nothing was done."
                ));
            }
            name => return Err(format!("{name} is not known here; nothing was done.")),
        };
        Ok((tool, object(arguments)))
    }

    fn click(&self, button: Button, count: u32) -> Result<Pointing, String> {
        let held = held(&self.may::<String>("modifiers")?.unwrap_or_default())?;
        Ok(Pointing::Click { on: self.spot("target")?, button, count, held })
    }

    fn scroll(&self) -> Result<Pointing, String> {
        let notches: f64 = self.may("scroll_amount")?.unwrap_or(3.0);
        let direction: String = self.need("scroll_direction")?;
        let (right, down) = towards(&direction, notches.clamp(1.0, 10.0) * NOTCH)?;
        Ok(Pointing::Scroll { on: Some(self.spot("target")?), right, down })
    }

    /// Chords, one after the other, as often as is said.
    fn keys(&self) -> Result<Vec<String>, String> {
        let text: String = self.need("text")?;
        let times: usize = self.may("repeat")?.unwrap_or(1);
        let chords: Vec<String> = match text.as_str() {
            " " => vec![text],
            text => text.split_whitespace().map(Into::into).collect(),
        };
        if chords.is_empty() || times == 0 || chords.len().saturating_mul(times) > MOST_KEYS {
            return Err(format!("Press from 1 to {MOST_KEYS} keys at once; nothing was done."));
        }
        let all = chords.iter().cycle().take(chords.len() * times);
        Ok(all.cloned().collect())
    }

    fn navigate(&self) -> Result<Pointing, String> {
        let url: String = self.need("url")?;
        Ok(match url.as_str() {
            "back" => Pointing::Back,
            "forward" => Pointing::Forward,
            "reload" => Pointing::Reload,
            _ => Pointing::Navigate(url),
        })
    }

    fn look(&self) -> Result<Value, String> {
        let filter: String = self.may("filter")?.unwrap_or_default();
        let mut look = json!({ "interactive": filter == "interactive", "behind": filter == "all" });
        if let Some(depth) = self.may::<u32>("depth")? {
            look["depth"] = json!(depth);
        }
        if let Some(reference) = self.may::<String>("ref")? {
            look["target"] = json!(ours(&reference));
        }
        Ok(look)
    }

    fn tab(&self) -> Result<usize, String> {
        tab_number(&self.need::<String>("tab_id")?)
    }

    fn spot(&self, name: &str) -> Result<Spot, String> {
        Ok(match self.need(name)? {
            Aim::Coordinate { x, y } => self.scale.spot(x, y),
            Aim::Ref { reference } => Spot::Ref(ours(&reference)),
        })
    }

    fn need<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let missing = || format!("{} needs {name}; nothing was done.", self.name);
        self.may(name)?.ok_or_else(missing)
    }

    fn may<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, String> {
        let Some(value) = self.input.get(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let wrong =
            |error| format!("{name} of {} is wrong ({error}); nothing was done.", self.name);
        T::deserialize(value).map(Some).map_err(wrong)
    }
}

/// More keys at once than anybody wants pressed unseen.
const MOST_KEYS: usize = 100;

/// Models may write refs as the vendor's examples do; ours are those that our tools showed them.
fn ours(reference: &str) -> String {
    match reference.strip_prefix("ref_") {
        Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => format!("e{number}"),
        _ => reference.into(),
    }
}

/// Our tabs have numbers.
fn tab_number(id: &str) -> Result<usize, String> {
    let digits = id.trim().trim_start_matches("tab").trim_start_matches(['_', '-', ' ']);
    digits
        .parse()
        .map_err(|_| format!("There is no tab {id:?}: list_tabs numbers them; nothing was done."))
}

#[cfg(test)]
mod tests {
    use legwork_protocol::Action;

    use super::*;

    fn done(member: &str, input: Value) -> Result<OurCall, String> {
        call(member, &object(input), Scale(2.0, 0.5))
    }

    fn check(member: &str, input: Value, tool: &str, arguments: Value) {
        let (called, given) =
            done(member, input).unwrap_or_else(|error| panic!("{member}: {error}"));
        assert_eq!((called, &Value::Object(given.clone())), (tool, &arguments), "{member}");
        Action::parse(called, given).unwrap_or_else(|error| panic!("{member}: {error:?}"));
    }

    #[test]
    fn every_member_that_is_offered_is_a_call_that_our_tools_take() {
        let at = json!({ "type": "coordinate", "x": 100, "y": 200 });
        let e7 = json!({ "type": "ref", "ref": "e7" });
        let click = |more: Value| {
            let mut click = json!({ "target": "point=200,100", "button": "left" });
            object(more).into_iter().for_each(|(name, value)| click[name] = value);
            click
        };
        check("left_click", json!({ "target": at }), "browser_click", click(json!({})));
        let held = json!({ "target": at, "modifiers": "ctrl+shift", "tab_id": null });
        check(
            "left_click",
            held,
            "browser_click",
            click(json!({ "modifiers": ["Control", "Shift"] })),
        );
        check(
            "right_click",
            json!({ "target": at }),
            "browser_click",
            click(json!({ "button": "right" })),
        );
        let middle = click(json!({ "button": "middle", "target": "e7" }));
        check("middle_click", json!({ "target": e7 }), "browser_click", middle);
        check(
            "double_click",
            json!({ "target": at }),
            "browser_click",
            click(json!({ "count": 2 })),
        );
        check(
            "triple_click",
            json!({ "target": at }),
            "browser_click",
            click(json!({ "count": 3 })),
        );
        let vendors = json!({ "type": "ref", "ref": "ref_12" });
        check("hover", json!({ "target": vendors }), "browser_hover", json!({ "target": "e12" }));
        check(
            "mouse_move",
            json!({ "target": at }),
            "browser_hover",
            json!({ "target": "point=200,100" }),
        );
        let drag = json!({ "from": at, "target": { "type": "coordinate", "x": 1, "y": 2 } });
        let dragged = json!({ "from": "point=200,100", "to": "point=2,1" });
        check("left_click_drag", drag, "browser_drag", dragged);
        let scroll = json!({ "scroll_direction": "up", "target": at });
        let scrolled = json!({ "dx": 0.0, "dy": -300.0, "target": "point=200,100" });
        check("scroll", scroll, "browser_scroll", scrolled);
        check("scroll_to", json!({ "target": e7 }), "browser_scroll", json!({ "target": "e7" }));
        let typed = json!({ "target": ":focus", "text": "Bern", "clear": false, "submit": false });
        check("type", json!({ "text": "Bern" }), "browser_type", typed);
        check("key", json!({ "text": "ctrl+a" }), "browser_press_key", json!({ "key": "ctrl+a" }));
        check("wait", json!({ "duration": 2 }), "browser_wait", json!({ "time": "2000ms" }));
        check("navigate", json!({ "url": "back" }), "browser_back", json!({}));
        check("navigate", json!({ "url": "forward" }), "browser_forward", json!({}));
        check("navigate", json!({ "url": "reload" }), "browser_reload", json!({}));
        check(
            "navigate",
            json!({ "url": "a.example" }),
            "browser_navigate",
            json!({ "url": "a.example" }),
        );
        check("screenshot", json!({}), "browser_take_screenshot", json!({}));
        check("list_tabs", json!({}), "browser_tabs", json!({ "action": "list" }));
        check("new_tab", json!({}), "browser_tabs", json!({ "action": "new" }));
        let second = json!({ "tab_id": "2" });
        check(
            "switch_tab",
            second.clone(),
            "browser_tabs",
            json!({ "action": "select", "tab": 2 }),
        );
        check("close_tab", second, "browser_tabs", json!({ "action": "close", "tab": 2 }));
        let look = json!({ "filter": "interactive", "depth": 4, "ref": "e7" });
        let seen = json!({ "interactive": true, "behind": false, "depth": 4, "target": "e7" });
        check("read_page", look, "browser_snapshot", seen);
        check("get_page_text", json!({}), "browser_extract", json!({ "format": "text" }));
        check("find", json!({ "query": "Log in" }), "browser_find", json!({ "target": "Log in" }));
        let form = json!({ "target": e7, "value": true });
        check("form_input", form, "browser_fill_form", json!({ "fields": { "e7": true } }));
        let upload = json!({ "target": e7, "paths": ["/tmp/a.txt"] });
        let put = json!({ "target": "e7", "paths": ["/tmp/a.txt"] });
        check("file_upload", upload, "browser_upload", put);
        check("read_console", json!({}), "browser_recent_console_logs", json!({}));
        check("read_network", json!({}), "browser_get_network_sources", json!({}));
    }

    #[test]
    fn keys_in_a_row_and_other_tabs_are_one_call_that_stops_at_the_first_failure() {
        let (tool, arguments) = done("key", json!({ "text": "Tab Return", "repeat": 2 })).unwrap();
        let steps = arguments["steps"].as_array().unwrap();
        let keys: Vec<_> =
            steps.iter().filter_map(|step| step["arguments"]["key"].as_str()).collect();
        assert_eq!((tool, keys), ("browser_batch", vec!["Tab", "Return", "Tab", "Return"]));
        let (tool, arguments) = done("read_page", json!({ "tab_id": "tab_3" })).unwrap();
        assert_eq!(tool, "browser_batch");
        assert_eq!(arguments["steps"][0]["arguments"], json!({ "action": "select", "tab": 3 }));
        assert_eq!(arguments["steps"][1]["tool"], "browser_snapshot");
    }

    #[test]
    fn what_cannot_be_done_is_a_sentence_for_the_model() {
        for (member, input, says) in [
            ("zoom", json!({ "region": [0, 0, 9, 9] }), "zoom cannot be done here"),
            ("hold_key", json!({ "text": "a", "duration": 1 }), "cannot be done here"),
            ("left_mouse_down", json!({}), "cannot be done here"),
            ("javascript_exec", json!({ "text": "1 + 1" }), "cannot be done here"),
            ("dance", json!({}), "dance is not known here"),
            ("left_click", json!({}), "left_click needs target"),
            (
                "left_click",
                json!({ "target": { "type": "somewhere" } }),
                "target of left_click is wrong",
            ),
            (
                "scroll",
                json!({ "target": { "type": "ref", "ref": "e1" }, "scroll_direction": "in" }),
                "no direction",
            ),
            ("key", json!({ "text": "  " }), "from 1 to 100"),
            ("key", json!({ "text": "a", "repeat": 4000 }), "from 1 to 100"),
            ("switch_tab", json!({ "tab_id": "first" }), "There is no tab"),
            ("screenshot", json!({ "tab_id": "2" }), "switch_tab first"),
            (
                "file_upload",
                json!({ "target": { "type": "ref", "ref": "e1" }, "document_ids": ["d"] }),
                "give paths",
            ),
        ] {
            let error = done(member, input).unwrap_err();
            assert!(error.contains(says), "{member}: {error}");
            assert!(error.to_lowercase().contains("nothing was done"), "{error}");
        }
    }
}
