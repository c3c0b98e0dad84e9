//! The trip against stand-ins for everything outside of it.

mod orders;
mod stand_in;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use self::stand_in::{Act, Outside, outside};
use super::*;
use crate::item::{Status, Tag};
use crate::list::Mark;
use crate::summary::{Added, Cart, Steering, Why};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn cart(world: &Outside) -> Vec<(String, u32)> {
    world.0.cart.lock().unwrap().clone().into_iter().collect()
}

fn tags(world: &Outside, at: usize) -> Vec<Tag> {
    world.0.items.lock().unwrap()[at].tags.iter().collect()
}

fn completed(world: &Outside) -> Vec<bool> {
    let items = world.0.items.lock().unwrap();
    items.iter().map(|item| item.status == Status::Completed).collect()
}

fn behind() -> ListError {
    ListError::Service { service: "the list", why: "no space left".into() }
}

fn refused() -> ListError {
    ListError::Refused { service: "the list", status: 401, hint: "a new token" }
}

#[tokio::test(start_paused = true)]
async fn every_item_is_shopped_for_and_the_list_says_so() {
    let (world, folder) = (outside(&["2x milk", "tea", "dodo", "beer", "Milk (2)"]), folder());
    world.plan("dodo", &[Act::NotFound]).plan("beer", &[Act::OutOfStock]);
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 2), ("tea".into(), 1)]);
    assert_eq!(completed(&world), [true, true, false, false, false]);
    assert_eq!(tags(&world, 2), [Tag::NotFound]);
    assert_eq!(tags(&world, 3), [Tag::OutOfStock]);
    assert_eq!(tags(&world, 4), [Tag::Duplicate]);
    assert_eq!(summary.total().unwrap().to_string(), "$6.00");
    assert_eq!((summary.added.len(), summary.not_found.len()), (2, 2));
    let text = summary.markdown();
    assert!(text.contains("the cart shows: milk 2") && !text.contains("nobody asked"), "{text}");
    assert_eq!(world.0.sent.lock().unwrap().len(), 1);
    assert_eq!(world.0.entered.load(Ordering::SeqCst), 1);
    assert_eq!(shown(&world), ["2x milk", "tea", "dodo", "beer"].map(banner));
}

fn banner(item: &str) -> String {
    format!("🤖 Grocery Agent Active - Currently shopping for: {item}")
}

/// What a person was shown, in any session.
fn shown(world: &Outside) -> Vec<String> {
    world.0.banners.lock().unwrap().iter().map(|(_, text)| text.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn each_lane_shows_a_person_what_it_shops_for() {
    let (world, folder) = (outside(&["a", "b", "c"]), folder());
    world.run(folder.path(), 3).await.unwrap();
    let shown: BTreeMap<String, String> = world.0.banners.lock().unwrap().drain(..).collect();
    let mut texts: Vec<String> = shown.into_values().collect();
    texts.sort();
    assert_eq!(texts, ["a", "b", "c"].map(banner), "each in a session of its own");
}

#[tokio::test(start_paused = true)]
async fn a_network_error_is_retried_once_and_what_took_effect_is_not_done_again() {
    for (acts, quantity, done) in [
        (vec![Act::Network(0)], 2, true),
        (vec![Act::Network(2)], 2, true),
        (vec![Act::Network(1)], 2, true),
        (vec![Act::Network(1), Act::Network(1)], 2, true),
        (vec![Act::Network(0), Act::Network(0)], 0, false),
        (vec![Act::Network(1), Act::Network(0)], 1, false),
    ] {
        let (world, folder) = (outside(&["2x milk", "tea"]), folder());
        world.plan("milk", &acts);
        let summary = world.run(folder.path(), 1).await.unwrap();
        let milk = world.0.cart.lock().unwrap().get("milk").copied().unwrap_or(0);
        assert_eq!((milk, completed(&world)[0]), (quantity, done), "{acts:?}");
        assert!(completed(&world)[1], "the next item is shopped for");
        assert_eq!(summary.failed.len(), usize::from(!done), "{acts:?}");
        if done {
            assert_eq!(summary.added[0].quantity, 2, "{acts:?}");
        } else {
            assert_eq!(tags(&world, 0), [Tag::Failed]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn other_troubles_are_not_retried_and_none_stops_the_rest() {
    for act in [Act::Agent(0), Act::Panic(0), Act::Hang(0)] {
        let (world, folder) = (outside(&["milk", "tea"]), folder());
        world.plan("milk", &[act]);
        let summary = world.run(folder.path(), 1).await.unwrap();
        assert_eq!(completed(&world), [false, true], "{act:?}");
        assert_eq!(tags(&world, 0), [Tag::Failed], "{act:?}");
        let error = &summary.failed[0].error;
        let expected = match act {
            Act::Agent(_) => "confused",
            Act::Panic(_) => "the shopper broke down: a bug",
            _ => "time-out after 5m",
        };
        assert_eq!(error, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_in_the_cart_when_time_is_up_counts() {
    for act in [Act::Hang(1), Act::Panic(1), Act::Agent(1), Act::SignedOut(1)] {
        let (world, folder) = (outside(&["milk"]), folder());
        world.plan("milk", &[act]);
        let summary = world.run(folder.path(), 1).await.unwrap();
        assert_eq!((cart(&world), completed(&world)), (vec![("milk".into(), 1)], vec![true]));
        assert!(summary.notes[0].text.contains("in the cart already"), "{:?}", summary.notes);
        assert_eq!(summary.total().unwrap().to_string(), "$2.00");
    }
}

#[tokio::test(start_paused = true)]
async fn an_expired_sign_in_is_renewed_once_for_an_item() {
    let (world, home) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::SignedOut(0)]);
    world.run(home.path(), 1).await.unwrap();
    assert_eq!(completed(&world), [true, true]);
    assert_eq!(world.0.entered.load(Ordering::SeqCst), 2);

    let (world, home) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::SignedOut(0), Act::SignedOut(0)]);
    let summary = world.run(home.path(), 1).await.unwrap();
    assert_eq!(completed(&world), [false, true]);
    assert!(summary.failed[0].error.starts_with("auth_recovery_failed"));
    assert_eq!(world.0.entered.load(Ordering::SeqCst), 2);

    let (world, home) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::SignedOut(0)]);
    world.0.doors.lock().unwrap().extend([Ok(()), Err(Trouble::SignedOut)]);
    let summary = world.run(home.path(), 1).await.unwrap();
    assert_eq!(completed(&world), [false, true]);
    assert!(summary.failed[0].error.starts_with("auth_recovery_failed"));
}

#[tokio::test(start_paused = true)]
async fn a_trip_ends_also_where_a_shop_refuses_and_goes_on_asking() {
    let (world, home) = (outside(&["milk", "tea", "soap"]), folder());
    world.plan("milk", &[Act::SignedOut(0)]).plan("tea", &[Act::SignedOut(0)]);
    world.0.doors.lock().unwrap().extend([Ok(()), Err(Trouble::SignedOut)]);
    let ran = tokio::time::timeout(Duration::from_secs(3600), world.run(home.path(), 1));
    let summary = ran.await.expect("it went on for ever").unwrap();
    assert_eq!(completed(&world), [false, false, true]);
    assert!(summary.failed.iter().all(|one| one.error.starts_with("auth_recovery_failed")));
    assert_eq!(world.0.entered.load(Ordering::SeqCst), 2, "the shop is not asked again");
}

#[tokio::test(start_paused = true)]
async fn lanes_share_one_sign_in_and_nothing_is_lost_by_it() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let (world, folder) = (outside(&names), folder());
    for name in ["a", "b", "c"] {
        world.plan(name, &[Act::SignedOut(0)]);
    }
    let summary = world.run(folder.path(), 3).await.unwrap();
    assert_eq!(cart(&world), names.map(|name| (name.to_owned(), 1)));
    let order: Vec<_> = summary.added.iter().map(|added| added.product.as_str()).collect();
    assert_eq!(order, names);
    assert_eq!(world.0.most_at_once.load(Ordering::SeqCst), 3);
    let entered = world.0.entered.load(Ordering::SeqCst);
    assert_eq!(entered, 2, "once in the beginning, and once for all three");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_cannot_be_marked_is_told_later_and_nothing_is_added_again() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.0.marks.lock().unwrap().extend((0..4).map(|_| behind()));
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(completed(&world), [false, false]);
    assert_eq!(summary.notes.len(), 2, "{:?}", summary.notes);
    assert!(world.0.told.lock().unwrap().contains(&"behind 0".to_owned()));
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(completed(&world), [true, true]);
    assert_eq!(cart(&world), [("milk".into(), 1), ("tea".into(), 1)]);
    assert_eq!(in_the_cart(&summary), [1, 1]);
    assert_eq!(summary.others, []);
    // The third time there is nothing to do.
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(summary.added.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_mark_that_fails_once_is_made_good_at_the_end_of_the_run() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.0.marks.lock().unwrap().push_back(behind());
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(completed(&world), [true, true]);
    assert_eq!(summary.notes, []);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_refuses_ends_the_run_after_the_item() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.0.marks.lock().unwrap().extend([refused(), refused()]);
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 1)]);
    assert_eq!((summary.added.len(), summary.not_begun.len()), (1, 1));
    assert!(summary.not_begun[0].reason.contains("401"));
    world.run(folder.path(), 1).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 1), ("tea".into(), 1)]);
    assert_eq!(completed(&world), [true, true]);
}

#[tokio::test(start_paused = true)]
async fn what_a_person_took_off_the_list_is_told_and_not_bought() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    let trip = world.trip(folder.path(), 1);
    let gone = world.clone();
    let watch = Arc::new(move |news| {
        if matches!(news, News::Over(..)) {
            gone.0.items.lock().unwrap().retain(|item| item.name != "tea");
        }
    });
    let trip = Trip { watch, ..trip };
    let summary = trip.made(&world, std::future::pending()).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 1)]);
    assert_eq!(summary.failed, []);
    assert!(summary.notes[0].text.contains("taken off the list"), "{:?}", summary.notes);
}

#[tokio::test(start_paused = true)]
async fn what_is_in_the_cart_for_another_reason_is_listed() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.0.cart.lock().unwrap().extend([("milk".into(), 3), ("soap".into(), 1)]);
    // The shop puts in more than was asked for.
    world.plan("tea", &[Act::Add]);
    let trip = world.trip(folder.path(), 1);
    let more = world.clone();
    let watch = Arc::new(move |news| {
        if let News::Over(id, _) = news
            && id.as_str() == "1"
        {
            *more.0.cart.lock().unwrap().get_mut("tea").unwrap() += 5;
        }
    });
    let summary = Trip { watch, ..trip }.made(&world, std::future::pending()).await.unwrap();
    let others: Vec<_> =
        summary.others.iter().map(|o| (o.product.as_str(), o.quantity, o.why)).collect();
    let expected = [("milk", 3, Why::Before), ("soap", 1, Why::Before), ("tea", 5, Why::Unasked)];
    assert_eq!(others, expected);
}

#[tokio::test(start_paused = true)]
async fn what_the_shop_does_late_is_not_done_again() {
    let (world, folder) = (outside(&["2x milk", "tea"]), folder());
    world.plan("milk", &[Act::Late]);
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!((cart(&world).len(), summary.failed.len()), (1, 1));
    // The next run's sign-in is late enough for it.
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 2), ("tea".into(), 1)]);
    assert_eq!(completed(&world), [true, true]);
    assert_eq!((summary.added.len(), tags(&world, 0)), (1, vec![]));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_added_when_the_book_cannot_be_written() {
    let (world, folder) = (outside(&["milk"]), folder());
    let trip = world.trip(folder.path(), 1);
    let books = folder.path().join("books");
    let watch = Arc::new(move |news| {
        if matches!(news, News::Began(_)) {
            std::fs::remove_dir_all(&books).unwrap();
        }
    });
    let summary = Trip { watch, ..trip }.made(&world, std::future::pending()).await.unwrap();
    assert_eq!(cart(&world), []);
    assert!(summary.failed[0].error.contains("nothing was added"), "{:?}", summary.failed);
}

#[tokio::test(start_paused = true)]
async fn two_trips_at_once_from_one_list_are_refused() {
    let (world, folder) = (outside(&["milk"]), folder());
    let held = world.trip(folder.path(), 1).register().unwrap();
    let error = world.run(folder.path(), 1).await.unwrap_err();
    assert!(matches!(error, TripError::InUse { .. }), "{error}");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    drop(held);
    assert!(world.run(folder.path(), 1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_shop_that_lets_nobody_in_is_an_error_the_list_hears_of() {
    let (world, folder) = (outside(&["milk"]), folder());
    world.0.doors.lock().unwrap().push_back(Err(Trouble::SignedOut));
    let error = world.run(folder.path(), 1).await.unwrap_err();
    assert!(matches!(error, TripError::SignIn(Trouble::SignedOut)), "{error}");
    assert_eq!((completed(&world), tags(&world, 0)), (vec![false], vec![]));
    let sent = world.0.sent.lock().unwrap();
    assert!(sent[0].contains("milk") && sent[0].contains("could not sign in"), "{sent:?}");
    assert_eq!(world.0.undone.lock().unwrap().as_ref(), sent.first());
}

#[tokio::test(start_paused = true)]
async fn a_stopped_run_says_what_was_not_begun() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::Hang(1)]);
    let stop = tokio::time::sleep(Duration::from_secs(10));
    let summary = world.trip(folder.path(), 1).made(&world, stop).await.unwrap();
    assert_eq!(summary.not_begun.len(), 2);
    assert!(summary.not_begun[0].reason.contains("looks at the cart first"), "{summary:?}");
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 1), ("tea".into(), 1)]);
    assert_eq!(in_the_cart(&summary), [1, 1]);
    assert_eq!(summary.others, []);
}

/// How many of each thing added the cart shows.
fn in_the_cart(summary: &Summary) -> Vec<u32> {
    let shown = |added: &Added| match &added.cart {
        Cart::Shows { quantity, .. } => *quantity,
        Cart::Missing | Cart::Unseen => 0,
    };
    summary.added.iter().map(shown).collect()
}

#[tokio::test(start_paused = true)]
async fn a_cart_that_cannot_be_looked_at_fails_the_item_and_adds_nothing_twice() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::Network(1)]);
    let blind = || Trouble::Network("500".into());
    let trip = world.trip(folder.path(), 1);
    let dark = world.clone();
    let watch = Arc::new(move |news| {
        if matches!(news, News::SignedIn) {
            // The first look is at the beginning, the next two are after the network error.
            let own = Outside::clone(&dark);
            own.0.looks.lock().unwrap().extend([blind(), blind(), blind(), blind()]);
        }
    });
    let summary = Trip { watch, ..trip }.made(&world, std::future::pending()).await.unwrap();
    // At the end it can be looked at, and the item turns out to be there.
    assert_eq!(summary.failed, [], "{}", summary.markdown());
    assert_eq!(cart(&world), [("milk".into(), 1), ("tea".into(), 1)]);
    assert_eq!(completed(&world), [true, true]);
}

#[tokio::test(start_paused = true)]
async fn g7_the_turns_of_a_model_count_over_all_attempts_at_an_item() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::Network(0), Act::SignedOut(0)]);
    world.run(folder.path(), 1).await.unwrap();
    assert_eq!(*world.0.turns.lock().unwrap(), [0, 3, 6, 0]);
}

/// A trip in which the looks at the cart after the last item fail so.
async fn ending_with(world: &Outside, folder: &std::path::Path, looks: &[Trouble]) -> Summary {
    let (dark, looks) = (world.clone(), looks.to_vec());
    let last = world.0.items.lock().unwrap().len() - 1;
    let watch = Arc::new(move |news| {
        if matches!(&news, News::Over(id, _) if id.as_str() == last.to_string()) {
            dark.0.looks.lock().unwrap().extend(looks.clone());
        }
    });
    let trip = Trip { watch, ..world.trip(folder, 1) };
    trip.made(world, std::future::pending()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_last_look_is_made_again_also_after_signing_in_again() {
    for looks in [Trouble::Network("500".into()), Trouble::SignedOut] {
        let (world, folder) = (outside(&["milk"]), folder());
        let summary = ending_with(&world, folder.path(), std::slice::from_ref(&looks)).await;
        assert_eq!((in_the_cart(&summary), &summary.notes), (vec![1], &vec![]), "{looks:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_last_look_what_each_item_saw_is_told() {
    let (world, folder) = (outside(&["2x milk", "tea"]), folder());
    world.0.cart.lock().unwrap().insert("milk".into(), 3);
    let blind = || Trouble::Network("500".into());
    let summary = ending_with(&world, folder.path(), &[blind(), blind()]).await;
    assert_eq!(in_the_cart(&summary), [2, 1], "{}", summary.markdown());
    assert!(summary.notes[0].text.contains("in the end"), "{:?}", summary.notes);
}

#[tokio::test(start_paused = true)]
async fn what_may_not_stay_in_the_cart_is_not_what_was_wanted_and_nothing_is_put_beside_it() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    world.plan("milk", &[Act::Left(1)]);
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!((completed(&world), summary.failed.len()), (vec![false, true], 1));
    assert_eq!(summary.failed[0].error, "too expensive");
    // A person who leaves it there takes it.
    world.run(folder.path(), 1).await.unwrap();
    assert_eq!(cart(&world), [("milk".into(), 1), ("tea".into(), 1)]);
    assert_eq!(completed(&world), [true, true]);
}

#[tokio::test(start_paused = true)]
async fn what_was_blocked_and_what_tried_to_steer_is_told() {
    let (world, folder) = (outside(&["milk", "tea"]), folder());
    let blocked = |host: &str, kind: &str| Blocked {
        host: host.into(),
        url: None,
        kind: kind.into(),
        page: None,
        rule: "hosts.allow".into(),
    };
    let all = [("cdn", "Script"), ("ads", "Script"), ("ads", "Image"), ("ads", "Image")];
    world.0.blocked.lock().unwrap().extend(all.map(|(host, kind)| blocked(host, kind)));
    let attempt = "add 99".to_owned();
    let steering = Steering { item: "milk".into(), url: "https://www.metro.ca/".into(), attempt };
    *world.0.steering.lock().unwrap() = Some(steering.clone());
    let summary = world.run(folder.path(), 1).await.unwrap();
    assert_eq!(summary.steering, [steering], "once, however often it is met");
    let hosts: Vec<_> =
        summary.blocked.iter().map(|host| (host.host.as_str(), host.count)).collect();
    assert_eq!(hosts, [("ads", 3), ("cdn", 1)]);
    let text = summary.markdown();
    assert!(
        text.contains("ads, 3 times (Script, Image)") && text.contains("hosts.required"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_take_the_summary_costs_nothing_but_is_told() {
    for (untaken, why) in [(Some(behind()), "no space left"), (None, "did not answer in time")] {
        let (world, folder) = (outside(&["milk", "tea"]), folder());
        *world.0.untaken.lock().unwrap() = Some(untaken);
        let summary = world.run(folder.path(), 1).await.unwrap();
        assert_eq!((summary.added.len(), completed(&world)), (2, vec![true, true]));
        assert!(world.0.sent.lock().unwrap().is_empty());
        let text = summary.markdown();
        let told = |note: &&crate::summary::Note| note.about == "the list";
        let note = summary.notes.iter().find(told).unwrap_or_else(|| panic!("{text}"));
        assert!(note.text.contains("did not take this summary"), "{}", note.text);
        assert!(note.text.contains(why) && text.contains(why), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_may_take_their_time() {
    struct Slow;
    impl Chooser for Slow {
        fn choose<'a>(
            &'a self,
            _: &'a Item,
            _: &'a [crate::errand::Product],
        ) -> legwork_protocol::Boxed<'a, Option<usize>> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                Some(0)
            })
        }
    }
    struct Asks(Outside);
    impl Shopper for Asks {
        fn shop<'a>(
            &'a self,
            errand: &'a crate::errand::Errand,
            floor: &'a crate::errand::Floor<'a>,
        ) -> crate::errand::Shopped<'a> {
            Box::pin(async move {
                floor.person.unwrap().choose(&errand.item, &[]).await;
                self.0.shop(errand, floor).await
            })
        }
    }
    let (world, folder) = (outside(&["milk"]), folder());
    let trip = world.trip(folder.path(), 1);
    let trip =
        Trip { shopper: Arc::new(Asks(world.clone())), person: Some(Arc::new(Slow)), ..trip };
    let summary = trip.made(&world, std::future::pending()).await.unwrap();
    assert_eq!((summary.added.len(), summary.failed.len()), (1, 0));
}

#[tokio::test]
async fn marks_are_kept_as_they_were() {
    use super::book::Owed;
    let owed = [
        (Owed::Completed, Mark::Completed),
        (Owed::NotFound("a".into()), Mark::NotFound("a")),
        (Owed::OutOfStock("b".into()), Mark::OutOfStock("b")),
        (Owed::Failed("c".into()), Mark::Failed("c")),
        (Owed::Duplicate("d".into()), Mark::Duplicate("d")),
    ];
    for (owed, mark) in &owed {
        let text = serde_json::to_string(owed).unwrap();
        let read: Owed = serde_json::from_str(&text).unwrap();
        assert_eq!((read.mark(), &read), (*mark, owed));
    }
}
