//! Entering text that only certain origins may have. The document is asked whose it is before the text is
//! sent to it, and takes it in one task: no other document can be there instead, none can have the focus.
//! From then on a field that holds the text is masked like a password.

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::act::Acting;
use crate::error::{Error, Obstacle, Result};
use crate::input::Sent;
use crate::outcome::Outcome;
use crate::page::Page;
use crate::prepare::{Need, Prepared};
use crate::target::Target;

/// Says whether documents of an origin may have it, as browsers write origins: `https://example.com`, and
/// `null` where there is none.
pub type Allows<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// Text for documents of certain origins only. Not to be printed.
#[derive(Clone, Copy)]
pub struct Confidence<'a> {
    /// The text.
    pub text: &'a str,
    /// Who may have it.
    pub allows: Allows<'a>,
    /// Replaces what the field holds; is added to it otherwise.
    pub clear: bool,
}

#[derive(Serialize)]
struct Confided<'a> {
    #[serde(rename = "ref")]
    reference: &'a str,
    text: &'a str,
    clear: bool,
}

#[derive(Deserialize)]
struct Whose {
    origin: String,
}

#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
enum Taken {
    /// The field was given the text, and should hold it as a whole, or among other things.
    Entered { whole: bool },
    /// It does not take it.
    Refused { reason: String },
}

impl Page {
    /// Makes sure that a field's document is of an origin that is allowed.
    pub async fn whose(&self, target: &Target, allows: Allows<'_>, acting: &Acting) -> Result<()> {
        let deadline = acting.deadline();
        let prepared = self.prepare(target, acting.need(Need::FIELD), None, deadline).await?;
        self.only_of(&prepared, allows, deadline).await
    }

    async fn only_of(
        &self,
        prepared: &Prepared,
        allows: Allows<'_>,
        deadline: Instant,
    ) -> Result<()> {
        let nothing = serde_json::json!({});
        let Whose { origin } = self.call(&prepared.world, "whose", &nothing, deadline).await?;
        match allows(&origin) {
            true => Ok(()),
            false => Err(Error::WrongOrigin { target: prepared.description.clone(), origin }),
        }
    }

    /// Enters text in a field, if its document is of an origin that may have it.
    pub async fn confide(
        &self,
        target: &Target,
        confidence: &Confidence<'_>,
        acting: &Acting,
    ) -> Result<Outcome> {
        let deadline = acting.deadline();
        let prepared = self.prepare(target, acting.need(Need::FIELD), None, deadline).await?;
        self.only_of(&prepared, confidence.allows, deadline).await?;
        let mut sending = self.sending(Some(target), prepared, acting).await;
        let Prepared { world, reference, .. } = &sending.prepared;
        let Confidence { text, clear, .. } = *confidence;
        let confided = Confided { reference, text, clear };
        match self.call(world, "confide", &confided, deadline).await? {
            Taken::Entered { whole } => sending.expect = whole.then(|| text.to_owned()),
            Taken::Refused { reason } => {
                let target = sending.prepared.description;
                return Err(Error::NotActionable {
                    target,
                    obstacle: Obstacle::Unsuitable(reason),
                });
            }
        }
        sending.prepared.field.secret = true;
        self.finish(sending, Sent::default()).await
    }
}
