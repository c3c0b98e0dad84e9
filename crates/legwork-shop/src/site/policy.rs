//! What a site allows, as the text of a policy file. There are two: one for the agent that shops, and one
//! for the sign-in routine, which runs while no agent does. Only the second may pass the sign-in paths, and
//! only it knows the names of the secrets.

use super::{SignIn, Site};

/// What is being done on the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// An agent shops.
    Shopping,
    /// The sign-in routine runs, and no agent.
    SignIn,
}

/// The policy of a site for a phase.
pub(super) fn text(site: &Site, phase: Phase) -> String {
    let form = site.sign_in.as_ref().filter(|_| phase == Phase::SignIn);
    let mut out = String::from("preset = \"guarded\"\n\n");
    hosts(&mut out, site, form);
    paths(&mut out, site, form.is_some());
    actions(&mut out, phase);
    if let Some(rate) = site.per_minute {
        out += &format!("\n[rate]\nper_minute = {rate}\n");
    }
    if phase == Phase::Shopping {
        cart(&mut out, site);
    }
    form.into_iter().for_each(|form| secrets(&mut out, form));
    out
}

fn hosts(out: &mut String, site: &Site, form: Option<&SignIn>) {
    let groups = &site.hosts;
    let optional =
        groups.optional.iter().filter(|group| group.allow).flat_map(|group| &group.hosts);
    let own = form.into_iter().flat_map(|form| &form.hosts);
    *out += "[hosts]\n";
    list(out, "allow", groups.required.iter().chain(optional).chain(own));
    list(out, "block", blocked(site).filter(|entry| !entry.contains('/')));
}

fn paths(out: &mut String, site: &Site, signing_in: bool) {
    let with_path = blocked(site).filter(|entry| entry.contains('/'));
    let sign_in = site.paths.sign_in.iter().filter(|_| !signing_in);
    *out += "\n[paths]\n";
    list(out, "block", site.paths.blocked.iter().chain(sign_in).chain(with_path));
}

/// Nothing is ever ordered or paid; an agent also changes no account and gives nothing away. A page may be
/// left where a number or words to search for were typed: nobody misses those. Nobody is there to be asked, so
/// that whatever else would be asked about, a yes to a dialog of a page and the reading of a file among it, is
/// refused at once, and not when nobody has answered for a minute.
fn actions(out: &mut String, phase: Phase) {
    let never: &[&str] = match phase {
        Phase::Shopping => &["pay", "credentials", "grant", "publish", "upload"],
        Phase::SignIn => &["pay", "grant", "publish", "upload"],
    };
    *out += "\n[actions]\n";
    never.iter().for_each(|meaning| *out += &format!("{meaning} = \"refuse\"\n"));
    *out += "destructive = \"refuse\"\ndialog = \"refuse\"\nfile = \"refuse\"\nleave = \"allow\"\n";
}

/// What a cart calls the button that takes something out, where that is the word for what is destructive.
const TAKE_OUT: [&str; 2] = ["Delete*", "Supprimer*"];

/// What was put in the cart can be taken out again, in the cart and nowhere else. Where the address of the cart
/// does not tell it from other pages, no page is the cart.
fn cart(out: &mut String, site: &Site) {
    let cart = &site.cart;
    let path = cart.path();
    if path == "/" || path.contains('*') || cart.query().or(cart.fragment()).is_some() {
        return;
    }
    let at = quoted(&format!("{}{path}", cart.origin().ascii_serialization()));
    for name in TAKE_OUT {
        *out += &format!("\n[[target]]\nname = {}\npath = {at}\n", quoted(name));
        *out += "meaning = \"delete\"\nthen = \"allow\"\n";
    }
}

/// The values come from the environment and go to the origin of the form alone.
fn secrets(out: &mut String, form: &SignIn) {
    let origin = form.url.origin().ascii_serialization();
    for field in &form.fields {
        *out += &format!("\n[secrets.{}]\nenv = {}\n", field.secret, quoted(&field.env));
        *out += &format!("origins = [{}]\n", quoted(&origin));
    }
}

fn blocked(site: &Site) -> impl Iterator<Item = &String> {
    site.hosts.blocked.iter().flat_map(|group| &group.hosts)
}

fn list<'a>(out: &mut String, key: &str, entries: impl Iterator<Item = &'a String>) {
    let entries: Vec<_> = entries.map(|entry| format!("    {},\n", quoted(entry))).collect();
    *out += &format!("{key} = [\n{}]\n", entries.concat());
}

/// A basic string of TOML. The letters that would need more than these escapes were refused before.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
