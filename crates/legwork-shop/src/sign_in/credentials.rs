//! Signing in with credentials of the environment (G4). They are named here and never read: the host reads
//! them, enters them in pages of the form's origin alone, and masks them in whatever it tells.

use std::time::Duration;

use legwork_protocol::{
    Boxed, Code, FillForm, FormFields, FormValue, Observe, Submit, WaitState, Warden,
};

use super::calls::{Calls, target};
use super::{Door, in_phase};
use crate::errand::Trouble;
use crate::lane::trouble;
use crate::site::{SignIn, Site};

/// How long a shop may take to let somebody in.
const PATIENCE: Duration = Duration::from_secs(15);

/// Fills in the form of the site's description.
#[derive(Debug, Clone, Copy, Default)]
pub struct Credentials;

impl Credentials {
    /// The variables that the form of a site needs and that are not set.
    pub fn missing(site: &Site) -> Vec<String> {
        let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
        let fields = site.sign_in.iter().flat_map(|form| &form.fields);
        fields.filter(|field| unset(&field.env)).map(|field| field.env.clone()).collect()
    }
}

impl Door for Credentials {
    fn enter<'a>(
        &'a self,
        host: &'a dyn Warden,
        session: &'a str,
        site: &'a Site,
    ) -> Boxed<'a, Result<(), Trouble>> {
        Box::pin(async move {
            let Some(form) = &site.sign_in else {
                let reason = format!("the description of {} has no [sign_in]", site.name);
                return Err(Trouble::Agent(reason));
            };
            let missing = Credentials::missing(site);
            if !missing.is_empty() {
                return Err(Trouble::Agent(format!(
                    "to sign in to {} these variables have to be set: {}; or sign in by hand, once, with \
                     `legwork authenticate`",
                    site.name,
                    missing.join(", ")
                )));
            }
            in_phase(host, site, sign_in(Calls::new(host, session, site), form)).await
        })
    }
}

async fn sign_in(calls: Calls<'_>, form: &SignIn) -> Result<(), Trouble> {
    if let Some(check) = &calls.site.signed_in
        && calls.is_known_at_home(check).await?
    {
        return Ok(());
    }
    calls.open(&form.url).await?;
    send(calls, form).await?;
    let entered = match (&calls.site.signed_in, form.fields.last()) {
        // Where the form leads to may show nothing of it.
        (Some(check), _) => {
            calls.becomes(check, WaitState::Attached, PATIENCE).await?
                || calls.is_known_at_home(check).await?
        }
        // A form that is still there did not let us in.
        (None, Some(field)) => calls.becomes(&field.at, WaitState::Hidden, PATIENCE).await?,
        (None, None) => false,
    };
    if entered { Ok(()) } else { Err(Trouble::SignedOut) }
}

/// Fills in the form and sends it by its button. A page may say the same elsewhere, above the form say: then
/// it is the form's own button that is meant.
async fn send(calls: Calls<'_>, form: &SignIn) -> Result<(), Trouble> {
    let secret = |name: &str| FormValue::Text(format!("{{{{secret:{name}}}}}"));
    let fields = form.fields.iter().map(|field| (target(&field.at), secret(&field.secret)));
    let fields = FormFields(fields.collect());
    let fill = async |submit: Submit| {
        let (fields, observe) = (fields.clone(), Some(Observe::None));
        let fill = FillForm { fields, submit: Some(submit), observe, timeout: None };
        calls.call("browser_fill_form", &fill).await
    };
    let sent = match fill(Submit::Button(target(&form.submit))).await {
        Err(error) if error.code == Code::Ambiguous => fill(Submit::Own(true)).await,
        sent => sent,
    };
    sent.map(drop).map_err(trouble)
}
