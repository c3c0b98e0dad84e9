//! `Inspector`: the health of a target.

protocol! { "Inspector";
    event TargetCrashed = "targetCrashed" {}
}
