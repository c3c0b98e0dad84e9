//! What a description leaves open: places that every shop has and nobody who shops for another has to reach.
//! It is not wrong to leave one open, since this shop may call it otherwise; it is told.

use super::Site;

/// A sort of places, and what shops call them in their addresses.
struct Sort {
    name: &'static str,
    words: &'static [&'static str],
}

const SORTS: &[Sort] = &[
    Sort {
        name: "checkout",
        words: &["checkout", "check-out", "caisse", "kasse", "afrekenen", "cassa", "tramitar"],
    },
    Sort {
        name: "payment",
        words: &["pay", "paiement", "zahlung", "betal", "pago", "pagamento", "wallet", "billing"],
    },
    Sort {
        name: "order",
        words: &["order", "commande", "bestell", "pedido", "ordin", "encomenda"],
    },
    Sort {
        name: "account",
        words: &["account", "compte", "konto", "cuenta", "minha-conta", "profil", "perfil"],
    },
];

/// What is told of a site that can be used and leaves something open.
pub(super) fn warnings(site: &Site) -> Vec<String> {
    let paths = site.paths.blocked.iter().chain(&site.paths.sign_in);
    let blocked: Vec<String> = paths.map(|path| path.to_lowercase()).collect();
    let is_open = |sort: &&Sort| {
        !blocked.iter().any(|path| sort.words.iter().any(|word| path.contains(word)))
    };
    let told = |Sort { name, words }: &Sort| {
        format!(
            "paths.blocked names no {name} pages, so an agent may open them; block \"**/{}*\", or what this \
             shop calls them",
            words[0]
        )
    };
    SORTS.iter().filter(is_open).map(told).collect()
}
