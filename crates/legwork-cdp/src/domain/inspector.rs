//! `Inspector`: the health of a target.

protocol! { "Inspector";
    command Enable = "enable" {}

    event TargetCrashed = "targetCrashed" {}
}
