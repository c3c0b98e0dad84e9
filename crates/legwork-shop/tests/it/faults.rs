//! Whole trips in a real Chrome on the demo store, each with one fault, and then another without: no item is
//! lost, none is in the cart twice, and in the end the list and the cart say the same.

mod case;
mod patience;
mod world;

use std::fmt::Write as _;
use std::time::Instant;

use legwork_demo::{PASSWORD, PASSWORD_VARIABLE, USERNAME, USERNAME_VARIABLE};

use self::case::Case;
use self::world::{Tried, World};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_breaks_the_list_and_the_cart_agree_in_the_end_alone() {
    if !signs_in("whatever_breaks_the_list_and_the_cart_agree_in_the_end_alone") {
        return;
    }
    let cases = case::some();
    let (record, bad) = made(&cases).await;
    println!("{record}");
    assert_eq!(bad, 0, "{record}");
}

/// `make faults`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it takes long: make faults"]
async fn all_faults() {
    if !signs_in("all_faults") {
        return;
    }
    let cases = part(case::all(), std::env::var("LEGWORK_FAULTS").ok().as_deref());
    assert!(!cases.is_empty(), "no fault has that number");
    let (record, bad) = made(&cases).await;
    println!("{record}");
    if let Some(file) = std::env::var_os("LEGWORK_FAULTS_RECORD") {
        std::fs::write(file, &record).unwrap();
    }
    assert_eq!(bad, 0, "{record}");
}

/// A part of the cases: `0/2` are the even ones, `1/2` the odd ones, `1/2+20` those without the first twenty;
/// `33,57` are those with these numbers.
fn part(all: Vec<(usize, Case)>, which: Option<&str>) -> Vec<(usize, Case)> {
    let Some(which) = which else { return all };
    let number = |text: &str| text.parse::<usize>().expect("a number in LEGWORK_FAULTS");
    let Some((part, of)) = which.split_once('/') else {
        let named: Vec<_> = which.split(',').map(number).collect();
        return all.into_iter().filter(|(own, _)| named.contains(own)).collect();
    };
    let (of, skipped) = of.split_once('+').unwrap_or((of, "0"));
    let (part, of, skipped) = (number(part), number(of), number(skipped));
    let own = all.into_iter().enumerate().filter(|(at, _)| at % of == part);
    own.map(|(_, case)| case).skip(skipped).collect()
}

/// Whether the environment says how to sign in. If not, the test is made by a program in whose environment it
/// does, since this one cannot change its own.
fn signs_in(test: &str) -> bool {
    if std::env::var_os(USERNAME_VARIABLE).is_some() {
        return true;
    }
    let made = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--include-ignored", "--exact", "--nocapture", &format!("faults::{test}")])
        .env(USERNAME_VARIABLE, USERNAME)
        .env(PASSWORD_VARIABLE, PASSWORD)
        .status()
        .unwrap();
    assert!(made.success());
    false
}

/// Makes the runs; says how each went, and how many did not go as they should. One whose fault did not come
/// about has shown nothing, and is one of these.
async fn made(cases: &[(usize, Case)]) -> (String, usize) {
    let mut world = World::open().await;
    let (mut record, [mut ok, mut missed, mut wrong]) = (String::new(), [0, 0, 0]);
    let began = Instant::now();
    for (number, case) in cases {
        let since = Instant::now();
        let (word, told) = match world.try_out(*case).await {
            Tried::Ok(told) => (count(&mut ok, "ok"), told),
            Tried::Missed(told) => (count(&mut missed, "MISSED"), told),
            Tried::Wrong(why) => (count(&mut wrong, "WRONG"), why),
            Tried::Impossible(why) => ("not made", why.to_owned()),
        };
        let seconds = since.elapsed().as_secs_f32();
        let line = format!("{number:3} {word:7} {seconds:5.1} s  {case}: {told}");
        eprintln!("{line}");
        writeln!(record, "{line}").unwrap();
    }
    let (all, seconds) = (ok + missed + wrong, began.elapsed().as_secs());
    let share = 100 * (all - missed) / all.max(1);
    let met = format!("{} met their fault ({share} %)", all - missed);
    writeln!(record, "{all} runs in {seconds} s: {met}, {ok} ok, {wrong} wrong, {missed} missed")
        .unwrap();
    world.close().await;
    (record, wrong + missed)
}

fn count<'w>(number: &mut usize, word: &'w str) -> &'w str {
    *number += 1;
    word
}

/// The program that is killed: this test, started by another one. It makes the trip that the environment
/// describes, and does nothing where there is none.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it is the program that other tests kill"]
async fn a_program_to_be_killed() {
    world::be_the_program().await;
}
