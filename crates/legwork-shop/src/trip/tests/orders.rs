//! Failures in any order, kills at any step: nothing is lost, nothing is added twice.

use proptest::prelude::*;

use super::stand_in::{Act, Outside, outside};
use super::{behind, completed};
use crate::errand::Trouble;

const NAMES: [&str; 4] = ["milk", "2x tea", "3x soap", "bread"];
const WANTED: [(&str, u32); 4] = [("milk", 1), ("tea", 2), ("soap", 3), ("bread", 1)];

/// What goes wrong in a run.
#[derive(Debug, Clone)]
struct Plan {
    acts: Vec<Vec<Act>>,
    looks: Vec<bool>,
    marks: usize,
    doors: Vec<bool>,
    lanes: usize,
    /// The steps at which it is killed, run by run.
    kills: Vec<usize>,
    shared: bool,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Add),
        3 => (0..=3_u32).prop_map(Act::Network),
        2 => (0..=3_u32).prop_map(Act::SignedOut),
        1 => (0..=3_u32).prop_map(Act::Agent),
        1 => (0..=3_u32).prop_map(Act::Panic),
        1 => (0..=3_u32).prop_map(Act::Hang),
        1 => Just(Act::Late),
        1 => Just(Act::NotFound),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let acts = prop::collection::vec(prop::collection::vec(act(), 0..4), NAMES.len());
    let looks = prop::collection::vec(prop::bool::weighted(0.7), 0..4);
    let doors = prop::collection::vec(prop::bool::weighted(0.8), 0..4);
    let kills = prop::collection::vec(1..60_usize, 0..4);
    (acts, looks, 0..4_usize, doors, 1..4_usize, kills, any::<bool>()).prop_map(
        |(acts, looks, marks, doors, lanes, kills, shared)| Plan {
            acts,
            looks,
            marks,
            doors,
            lanes,
            kills,
            shared,
        },
    )
}

fn prepared(plan: &Plan) -> Outside {
    let world = outside(&NAMES);
    for ((name, _), acts) in WANTED.iter().zip(&plan.acts) {
        world.plan(name, acts);
    }
    let trouble = || Trouble::Network("cut".into());
    let looks = plan.looks.iter().filter(|fine| !**fine).map(|_| trouble());
    world.0.looks.lock().unwrap().extend(looks);
    let doors = plan.doors.iter().map(|fine| if *fine { Ok(()) } else { Err(trouble()) });
    world.0.doors.lock().unwrap().extend(doors);
    world.0.marks.lock().unwrap().extend((0..plan.marks).map(|_| behind()));
    world.0.shared_product.store(plan.shared, std::sync::atomic::Ordering::SeqCst);
    world
}

fn never_too_much(world: &Outside, shared: bool) -> Result<(), TestCaseError> {
    let cart = world.0.cart.lock().unwrap();
    let wanted: u32 = WANTED.iter().map(|(_, quantity)| quantity).sum();
    for (product, quantity) in cart.iter() {
        let most = if shared {
            wanted
        } else {
            WANTED.iter().find(|(name, _)| name == product).unwrap().1
        };
        prop_assert!(*quantity <= most, "{quantity} of {product}");
    }
    Ok(())
}

fn agree(world: &Outside, shared: bool) -> Result<(), TestCaseError> {
    never_too_much(world, shared)?;
    let cart = world.0.cart.lock().unwrap().clone();
    let completed = completed(world);
    if shared {
        let wanted: u32 = WANTED
            .iter()
            .zip(&completed)
            .filter(|(_, completed)| **completed)
            .map(|((_, quantity), _)| quantity)
            .sum();
        prop_assert!(cart.values().sum::<u32>() >= wanted, "{cart:?} {completed:?}");
        return Ok(());
    }
    for ((name, quantity), completed) in WANTED.iter().zip(completed) {
        let there = cart.get(*name).copied().unwrap_or(0);
        prop_assert!(!completed || there == *quantity, "{name}: {there}, and the list says done");
    }
    Ok(())
}

async fn held(plan: &Plan) -> Result<(), TestCaseError> {
    // In memory where that is possible: what is tried here is the order of things, not the disk.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let world = prepared(plan);
    for kill in &plan.kills {
        world.run_until_killed(folder.path(), plan.lanes, *kill).await;
        never_too_much(&world, plan.shared)?;
    }
    // What the plans left over is used up; then runs go well, and everything comes to an end.
    let mut last = String::new();
    for _ in 0..12 {
        let ran = world.run(folder.path(), plan.lanes).await;
        last = ran.map_or_else(|error| error.to_string(), |summary| summary.markdown());
        agree(&world, plan.shared)?;
        if completed(&world).iter().all(|completed| *completed) {
            return Ok(());
        }
    }
    prop_assert!(false, "never done: {last}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn nothing_is_lost_and_nothing_added_twice_in_any_order(plan in plan()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(held(&plan))?;
    }
}
