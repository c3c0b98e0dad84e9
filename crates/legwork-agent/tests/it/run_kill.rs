//! A run in a process of its own is killed at random moments and resumed. The browser and the site live on,
//! and the site counts: whatever was sent was sent once, and the end is the same as without a kill.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::run::{Assistant, Step};
use legwork_protocol::assistant::{
    AssistanceRequest, Feedback, Payload, Reaction, RunStatus, StateUpdate, TaskStatus,
};
use legwork_protocol::{Called, Code, Reply, ToolCall, ToolError, ToolHost};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, Command};

use crate::errand::{
    chain, check, choose, click, enter, execute, open, read, reply_to, settings, statuses, wait_for,
};
use crate::support::{Rig, Site, html};

/// How often a run is killed.
const KILLS: usize = 30;

/// What the process that runs says to the one that has the browser.
#[derive(Serialize, Deserialize)]
enum Said {
    Call { session: String, tool: String, arguments: Map<String, Value> },
    Ask(AssistanceRequest),
}

/// And what it hears.
#[derive(Serialize, Deserialize)]
enum Heard {
    Called(Result<Reply, ToolError>),
    Answered(Reaction),
}

/// A line to the process that has the browser: one thing said, one thing heard.
struct Far(PathBuf);

impl Far {
    async fn say(&self, said: &Said) -> std::io::Result<Heard> {
        let mut stream = BufReader::new(UnixStream::connect(&self.0).await?);
        stream.write_all(format!("{}\n", serde_json::to_string(said)?).as_bytes()).await?;
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl ToolHost for Far {
    fn call(&self, call: ToolCall) -> Called<'_> {
        Box::pin(async move {
            let ToolCall { session, tool, arguments, .. } = call;
            match self.say(&Said::Call { session, tool, arguments }).await {
                Ok(Heard::Called(answer)) => answer,
                other => {
                    Err(ToolError::new(Code::Internal, format!("no answer: {}", other.is_ok())))
                }
            }
        })
    }

    fn end<'a>(&'a self, _: &'a str) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {})
    }
}

/// What the process that runs is told by its environment.
#[derive(Serialize, Deserialize)]
struct Orders {
    socket: PathBuf,
    folder: PathBuf,
    session: String,
    origin: String,
    resume: bool,
}

/// The process that runs. Not a test of its own: it is started, and killed, by the one below.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "is started by the test that kills it"]
async fn the_process_that_runs() {
    let orders: Orders = serde_json::from_str(&std::env::var("LEGWORK_ORDERS").unwrap()).unwrap();
    let far = Arc::new(Far(orders.socket.clone()));
    let assistant = Assistant::new(far.clone(), settings(&orders.folder)).unwrap();
    let mut stream = assistant.subscribe();
    let run = match orders.resume {
        true => assistant.runs().unwrap().first().map(|run| run.run_id.clone()),
        false => None,
    };
    let run = match run {
        Some(run) => match assistant.resume(&run) {
            Ok(()) => run,
            // It was killed after its end.
            Err(error) => panic!("{error}"),
        },
        None => {
            let tasks = chain(errand(&orders.origin, &orders.session));
            assistant.start_tasks(execute(&orders.session), tasks, "q").unwrap()
        }
    };
    let answers = async {
        while let Ok(message) = stream.recv().await {
            if let Payload::UserAssistance(Feedback::Request(request)) = message.payload {
                let Ok(Heard::Answered(reaction)) = far.say(&Said::Ask(request.clone())).await
                else {
                    panic!("nobody answers");
                };
                assistant.answer(reply_to(&request, reaction)).unwrap();
            }
        }
    };
    tokio::select! { _ = assistant.wait(&run) => {}, () = answers => {} }
}

/// An order in four pages, each sent by another kind of action.
fn errand(origin: &str, case: &str) -> Vec<legwork_protocol::assistant::Work> {
    let note = legwork_protocol::assistant::Work::Input(legwork_protocol::assistant::Input {
        target: Some("Note".into()),
        value: Some(legwork_protocol::assistant::InputValue::Text("leave at the door".into())),
        submit: true,
    });
    vec![
        open(format!("{origin}/{case}/shop")),
        enter("Quantity", "3"),
        choose("Size", "Large"),
        click("Add to basket"),
        click("Like"),
        wait_for("Liked"),
        check("Gift wrap", true),
        click("Order"),
        note,
        wait_for("Thank you"),
        read("#number"),
    ]
}

/// The task that chooses in a list.
const CHOOSES: &str = "t3";

/// What is sent, in this order, by which task.
const SENT: [(&str, &str); 4] = [("basket", "t4"), ("like", "t5"), ("order", "t8"), ("note", "t9")];

fn page(path: &str) -> (&'static str, Vec<u8>) {
    let step = path.rsplit('/').next().unwrap_or_default();
    html(match step {
        "shop" => {
            "<title>Shop</title><form method=post action=basket><label>Quantity <input name=quantity></label>
            <label>Size <select name=size><option>Small<option>Large</select></label>
            <button>Add to basket</button></form>"
        }
        "basket" => {
            "<title>Basket</title><p>In your basket: oat milk</p>
            <button onclick=\"fetch('like', {method: 'POST'}).then(() => this.textContent = 'Liked')\">Like</button>
            <form method=post action=order><label><input type=checkbox name=wrap> Gift wrap</label>
            <button>Order</button></form>"
        }
        "order" => {
            "<title>Order</title><form method=post action=note><label>Note <input name=note></label></form>"
        }
        "note" => "<title>Done</title><h1>Thank you</h1><p id=number>Order 4711</p>",
        _ => "nothing here",
    })
}

/// What the site was sent in a case: path and body.
fn sent(site: &Site, case: &str) -> Vec<String> {
    let heard = site.heard.lock().unwrap();
    let prefix = format!("/{case}/");
    let own = heard.iter().filter_map(|line| line.strip_prefix(&prefix));
    own.filter(|line| !line.starts_with("shop")).map(str::to_owned).collect()
}

/// When a process is killed: at its nth call, or the nth that is not safe to repeat, this far into it.
#[derive(Debug, Clone, Copy)]
struct Moment {
    of_acts: bool,
    call: usize,
    when: When,
}

#[derive(Debug, Clone, Copy)]
enum When {
    /// When it was sent and nothing was done of it.
    Sent,
    /// So long after the browser began with it.
    During(Duration),
    /// When it was done and not answered.
    Done,
    /// So long after it was answered.
    Answered(Duration),
}

/// Has the browser, answers calls and questions, and kills.
struct Keeper {
    host: Arc<dyn ToolHost>,
    site: Arc<Site>,
    calls: AtomicUsize,
    acts: AtomicUsize,
    questions: AtomicUsize,
    moment: Mutex<Option<Moment>>,
    kill: tokio::sync::Notify,
    case: Mutex<String>,
    store: Mutex<PathBuf>,
}

impl Keeper {
    async fn listen(self: Arc<Keeper>, listener: UnixListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().serve(stream));
        }
    }

    async fn serve(self: Arc<Keeper>, stream: UnixStream) {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let heard = match serde_json::from_str(&line).unwrap() {
            Said::Ask(request) => {
                self.questions.fetch_add(1, Ordering::SeqCst);
                Heard::Answered(self.look_and_say(&request))
            }
            Said::Call { session, tool, arguments } => {
                let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
                let moment = *self.moment.lock().unwrap();
                let sends = tool == "browser_click" || arguments.contains_key("submit");
                let act = self.acts.fetch_add(usize::from(sends), Ordering::SeqCst) + 1;
                let now = |moment: &Moment| match moment.of_acts {
                    true => sends && moment.call == act,
                    false => moment.call == number,
                };
                let moment = moment.filter(now).map(|it| it.when);
                if let Some(When::Sent) = moment {
                    self.kill.notify_one();
                    return hung_up(&mut stream).await;
                }
                let call = self.host.call(ToolCall::new(&session, &tool, arguments));
                let gone = hung_up(&mut stream);
                let killed = async {
                    let Some(When::During(time)) = moment else { std::future::pending().await };
                    tokio::time::sleep(time).await;
                    self.kill.notify_one();
                    std::future::pending::<()>().await
                };
                // Who hangs up takes the call back, as the daemon has it.
                let answer = tokio::select! {
                    answer = call => answer,
                    () = gone => return,
                    () = killed => return,
                };
                match moment {
                    Some(When::Done) => {
                        self.kill.notify_one();
                        return hung_up(&mut stream).await;
                    }
                    Some(When::Answered(time)) => {
                        let keeper = self.clone();
                        tokio::spawn(async move {
                            tokio::time::sleep(time).await;
                            keeper.kill.notify_one();
                        });
                    }
                    _ => {}
                }
                Heard::Called(answer)
            }
        };
        let line = format!("{}\n", serde_json::to_string(&heard).unwrap());
        stream.write_all(line.as_bytes()).await.ok();
    }

    /// The person looks whether it was done, as asked to, and says what is so.
    fn look_and_say(&self, request: &AssistanceRequest) -> Reaction {
        assert!(request.message.contains("may have been done"), "{request:?}");
        let state = self.state();
        let under_way = state.tasks.unwrap().tasks.into_iter();
        let task =
            under_way.into_iter().find(|it| it.status == TaskStatus::RequiresAssistance).unwrap();
        let sends = SENT.iter().find(|(_, id)| *id == task.id);
        // Choosing in a list sends nothing here, and may be done again.
        assert!(sends.is_some() || task.id == CHOOSES, "{task:?}");
        let case = self.case.lock().unwrap().clone();
        let sent = sent(&self.site, &case);
        let done = sends.is_some_and(|(path, _)| sent.iter().any(|line| line.starts_with(path)));
        Reaction::Said(if done { "Done" } else { "Do it again" }.to_owned())
    }

    /// The run as it is on disk.
    fn state(&self) -> StateUpdate {
        let folder = self.store.lock().unwrap().clone();
        let reader = Assistant::new(self.host.clone(), settings(&folder)).unwrap();
        reader.runs().unwrap().remove(0)
    }
}

/// Until the other side is gone.
async fn hung_up(stream: &mut BufReader<UnixStream>) {
    let mut rest = String::new();
    stream.read_line(&mut rest).await.ok();
}

fn start(orders: &Orders) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run_kill::the_process_that_runs", "--ignored", "--nocapture"])
        .env("LEGWORK_ORDERS", serde_json::to_string(orders).unwrap())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Numbers that differ from run to run of the test; the seed is printed.
struct Dice(u64);

impl Dice {
    fn up_to(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (most as u64)).unwrap()
    }

    fn moment(&mut self, calls: usize) -> Moment {
        let of_acts = self.up_to(2) == 0;
        let call = self.up_to(if of_acts { SENT.len() } else { calls }) + 1;
        let millis = |dice: &mut Dice| Duration::from_millis(dice.up_to(60) as u64);
        let when = match self.up_to(4) {
            0 => When::Sent,
            1 => When::During(millis(self)),
            2 => When::Done,
            _ => When::Answered(millis(self) / 10),
        };
        Moment { of_acts, call, when }
    }
}

struct Ended {
    sent: Vec<String>,
    page: Value,
    state: StateUpdate,
    killed: usize,
    /// For a person who reads why it failed.
    steps: String,
}

/// Runs the errand once, killed at these moments one after the other, and gives what came of it.
async fn run(keeper: &Arc<Keeper>, socket: &Path, case: &str, moments: &[Moment]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    *keeper.case.lock().unwrap() = case.to_owned();
    *keeper.store.lock().unwrap() = folder.path().to_owned();
    let mut orders = Orders {
        socket: socket.to_owned(),
        folder: folder.path().to_owned(),
        session: case.to_owned(),
        origin: keeper.site.origin(),
        resume: false,
    };
    let mut killed = 0;
    for moment in moments.iter().copied().map(Some).chain([None]) {
        keeper.calls.store(0, Ordering::SeqCst);
        keeper.acts.store(0, Ordering::SeqCst);
        *keeper.moment.lock().unwrap() = moment;
        // A moment that came when the last one had ended is not this one's.
        let _ = tokio::time::timeout(Duration::ZERO, keeper.kill.notified()).await;
        let mut child = start(&orders);
        let over = tokio::select! {
            status = child.wait() => Some(status.unwrap()),
            () = keeper.kill.notified() => None,
            () = tokio::time::sleep(Duration::from_secs(60)) => panic!("{case} does not end"),
        };
        match over {
            Some(status) => {
                assert!(status.success(), "{case}");
                break;
            }
            None => {
                child.kill().await.unwrap();
                killed += 1;
            }
        }
        orders.resume = true;
        // Killed after its last step: nothing is left to be resumed.
        if keeper.state().status == RunStatus::Completed {
            break;
        }
    }
    let look = ToolCall::new(case, "browser_snapshot", Map::new());
    let page = keeper.host.call(look).await.unwrap().data["page"].clone();
    keeper.host.end(case).await;
    let (state, sent) = (keeper.state(), sent(&keeper.site, case));
    let reader = Assistant::new(keeper.host.clone(), settings(folder.path())).unwrap();
    let line = |step: &Step| {
        let first = step.told.lines().next().unwrap_or_default();
        format!("{} {} {} {:?}: {first}\n", step.number, step.task, step.tool, step.state)
    };
    let steps = reader.steps(&state.run_id).unwrap().iter().map(line).collect();
    Ended { sent, page, state, killed, steps }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_ends_as_if_it_was_not_killed_and_does_nothing_twice() {
    let site = Arc::new(Site::start(page).await);
    let rig = Rig::new();
    let socket = rig.folder.path().join("socket");
    let keeper = Arc::new(Keeper {
        host: rig.host.clone(),
        site,
        calls: AtomicUsize::new(0),
        acts: AtomicUsize::new(0),
        questions: AtomicUsize::new(0),
        moment: Mutex::default(),
        kill: tokio::sync::Notify::new(),
        case: Mutex::default(),
        store: Mutex::default(),
    });
    let listener = UnixListener::bind(&socket).unwrap();
    let listening = tokio::spawn(keeper.clone().listen(listener));
    let whole = run(&keeper, &socket, "whole", &[]).await;
    let calls = keeper.calls.load(Ordering::SeqCst);
    assert_eq!(whole.state.status, RunStatus::Completed, "{:#?}", whole.state);
    let paths: Vec<&str> = whole.sent.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(paths, SENT.map(|(path, _)| path), "{:?}", whole.sent);
    let seed = std::env::var("LEGWORK_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        now.as_nanos() as u64 | 1
    });
    println!("LEGWORK_SEED={seed}; {calls} calls in all; sent {:?}", whole.sent);
    let (mut dice, mut killed, mut case) = (Dice(seed), 0, 0);
    while killed < KILLS {
        case += 1;
        let moments: Vec<Moment> = (0..=dice.up_to(2)).map(|_| dice.moment(calls)).collect();
        let ended = run(&keeper, &socket, &format!("case{case}"), &moments).await;
        killed += ended.killed;
        assert_eq!(ended.sent, whole.sent, "case {case}, {moments:?}\n{}", ended.steps);
        assert_eq!(ended.page, whole.page, "case {case}, {moments:?}");
        assert_eq!(ended.state.status, RunStatus::Completed, "case {case}, {moments:?}");
        assert_eq!(statuses(&ended.state), statuses(&whole.state), "case {case}, {moments:?}");
        let results = |state: &StateUpdate| state.finished.as_ref().unwrap().results.clone();
        assert_eq!(results(&ended.state), results(&whole.state), "case {case}, {moments:?}");
    }
    let questions = keeper.questions.load(Ordering::SeqCst);
    println!("{killed} kills in {case} runs, {questions} questions to the person");
    listening.abort();
}
