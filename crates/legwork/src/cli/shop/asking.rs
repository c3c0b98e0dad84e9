//! The person at this terminal, who is asked which product is meant. Whoever asks waits for the answer; the
//! terminal takes one question at a time.

use legwork_protocol::Boxed;
use legwork_shop::errand::{Chooser, Product};
use legwork_shop::item::Item;
use tokio::sync::{mpsc, oneshot};

/// A question that waits for its answer. It is taken back when whoever asked is gone.
pub(super) struct Ask {
    pub(super) item: Item,
    pub(super) products: Vec<Product>,
    answer: oneshot::Sender<Option<usize>>,
}

/// What a line that was typed says.
pub(super) enum Typed {
    /// This product, counted from 0.
    One(usize),
    /// None of them.
    None,
    /// Nothing that could be understood.
    Unclear,
}

impl Ask {
    /// What a line answers.
    pub(super) fn read(&self, line: &str) -> Typed {
        match line.trim().parse::<usize>() {
            Ok(0) => Typed::None,
            Ok(number) if number <= self.products.len() => Typed::One(number - 1),
            _ => Typed::Unclear,
        }
    }

    /// Answers.
    pub(super) fn answer(self, chosen: Option<usize>) {
        // Whoever asked may have run out of time.
        let _ = self.answer.send(chosen);
    }

    /// Whether nobody waits for the answer any more.
    pub(super) fn is_over(&self) -> bool {
        self.answer.is_closed()
    }
}

/// Hands questions to the terminal.
pub(super) struct Counter(pub(super) mpsc::UnboundedSender<Ask>);

impl Chooser for Counter {
    fn choose<'a>(&'a self, item: &'a Item, products: &'a [Product]) -> Boxed<'a, Option<usize>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let ask = Ask { item: item.clone(), products: products.to_vec(), answer };
            self.0.send(ask).ok()?;
            answered.await.ok().flatten()
        })
    }
}
