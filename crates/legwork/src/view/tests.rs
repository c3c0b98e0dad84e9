use legwork_protocol::assistant::{
    Activity, AssistanceKind, AssistanceRequest, Click, Finished, Reaction, TaskList, Work,
};

use super::*;

fn task(number: usize, description: &str, status: TaskStatus) -> Task {
    Task {
        id: format!("t{number}"),
        description: description.to_owned(),
        work: Work::Click(Click::default()),
        status,
        dependencies: Vec::new(),
        outcome: None,
    }
}

fn update(status: RunStatus, tasks: Vec<Task>) -> StateUpdate {
    let tasks = (!tasks.is_empty()).then(|| TaskList {
        id: "l1".to_owned(),
        tasks,
        context: Default::default(),
        created_at: "2026-11-16T00:00:00Z".to_owned(),
    });
    StateUpdate {
        run_id: "r1".to_owned(),
        session_id: "default".to_owned(),
        instruction: "log in and look".to_owned(),
        status,
        tasks,
        activity: None,
        assistance: None,
        usage: Usage { elapsed_ms: 2_300, actions: 1, ..Default::default() },
        finished: None,
    }
}

fn working() -> StateUpdate {
    let tasks = vec![
        task(1, "go to http://localhost:3000", TaskStatus::Completed),
        task(2, "press Log in", TaskStatus::Executing),
        Task { outcome: Some("not there".into()), ..task(3, "look", TaskStatus::Failed) },
        task(4, "take a picture", TaskStatus::Pending),
    ];
    let doing = "clicking \"Log in\"".to_owned();
    let activity = Some(Activity { task_id: Some("t2".into()), doing });
    StateUpdate { activity, ..update(RunStatus::Running, tasks) }
}

fn look(width: usize, rows: usize) -> Look {
    Look { width, rows, tick: 0, since: Duration::ZERO, window: Window::Shown }
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn a_run_at_work_shows_tasks_activity_and_cost() {
    let update = StateUpdate {
        usage: Usage {
            turns: 3,
            input_tokens: 12_000,
            output_tokens: 345,
            cost_micros: Some(12_300),
            ..working().usage
        },
        ..working()
    };
    let lines = whole(&update, Look { since: Duration::from_secs(1), ..look(80, 24) });
    assert_eq!(
        texts(&lines),
        [
            "log in and look",
            "  ✓ 1. go to http://localhost:3000",
            "  ⠋ 2. press Log in",
            "  ✗ 3. look: not there",
            "  · 4. take a picture",
            "⠋ clicking \"Log in\"",
            "running · 1 of 4 done · 3.3 s · 1 action · 3 turns · 12,345 tokens · $0.0123",
        ]
    );
    let turned = whole(&update, Look { tick: 1, ..look(80, 24) });
    assert!(turned[2].text.contains('⠙'), "the spinner turns: {:?}", turned[2]);
}

#[test]
fn what_does_not_fit_is_counted_and_what_counts_now_is_shown() {
    let tasks = (1..=30)
        .map(|at| {
            let status = if at < 20 { TaskStatus::Completed } else { TaskStatus::Pending };
            task(at, &format!("step {at}"), status)
        })
        .collect();
    let lines = whole(&update(RunStatus::Running, tasks), look(80, 12));
    assert!(lines.len() < 12, "{lines:#?}");
    let texts = texts(&lines);
    assert!(texts.contains(&"  · 20. step 20"), "{texts:#?}");
    assert!(texts.contains(&"  … 16 more, 16 done"), "{texts:#?}");
    assert!(texts.contains(&"  … 8 more, 0 done"), "{texts:#?}");
}

#[test]
fn nothing_of_a_page_reaches_the_terminal_as_a_command() {
    for (text, shown) in [
        ("a\x1b[2Jb", "a[2Jb"),
        ("one\ntwo\r\tthree", "one two three"),
        ("\u{9b}31mred", "31mred"),
        ("abc\u{202e}fed\u{200b}", "abcfed"),
        ("ok\u{7}", "ok"),
        ("\u{e0041}x", "x"),
        ("  Zürich 東京  ", "Zürich 東京"),
    ] {
        assert_eq!(clean(text), shown, "{text:?}");
    }
}

#[test]
fn words_are_cut_and_wrapped_by_the_columns_they_take() {
    for (text, width, expected) in [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("東京東京", 5, "東京…"),
        ("東京", 4, "東京"),
    ] {
        assert_eq!(cut(text, width), expected, "{text} in {width}");
    }
    assert_eq!(words::wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(words::wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(words::wrap("", 3), [""]);
}

#[test]
fn numbers_are_written_for_people() {
    assert_eq!(number(1, "turn"), "1 turn");
    assert_eq!(number(1_234_567, "token"), "1,234,567 tokens");
    assert_eq!(words::dollars(1_500_000), "$1.5000");
    assert_eq!(words::dollars(70), "$0.0000");
    for (millis, expected) in [(800, "0.8 s"), (12_300, "12 s"), (185_000, "3 min 05 s")] {
        assert_eq!(span(Duration::from_millis(millis)), expected);
    }
}

#[test]
fn each_change_is_one_plain_line() {
    let first = working();
    let lines = changes(None, &first, Window::Shown);
    assert_eq!(
        texts(&lines),
        [
            "run r1: log in and look",
            "done 1. go to http://localhost:3000",
            "doing 2. press Log in",
            "failed 3. look: not there",
            "to do 4. take a picture",
            "  … clicking \"Log in\"",
        ]
    );
    assert_eq!(changes(Some(&first), &first, Window::Shown), []);
    let mut second = first.clone();
    let tasks = &mut second.tasks.as_mut().unwrap().tasks;
    tasks[1].status = TaskStatus::Completed;
    tasks[1].outcome = Some("→ /dashboard".to_owned());
    second.activity = None;
    assert_eq!(
        texts(&changes(Some(&first), &second, Window::Shown)),
        ["done 2. press Log in: → /dashboard"]
    );
}

#[test]
fn the_end_says_what_was_done_and_what_was_not() {
    let finished = Finished {
        summary: "One of two things was done.".to_owned(),
        results: Vec::new(),
        undone: vec!["press Pay: denied".to_owned(), "something else".to_owned()],
    };
    let unsaid = Finished { undone: Vec::new(), ..finished.clone() };
    let tasks = vec![
        task(1, "look", TaskStatus::Completed),
        Task { outcome: Some("denied".into()), ..task(2, "press Pay", TaskStatus::Failed) },
    ];
    let update = StateUpdate { finished: Some(finished), ..update(RunStatus::Failed, tasks) };
    assert_eq!(
        texts(&ending(&update)),
        [
            "done: look",
            "not done: press Pay: denied",
            "not done: something else",
            "One of two things was done.",
            "failed · 1 of 2 done · 2.3 s · 1 action",
        ]
    );
    let update = StateUpdate { finished: Some(unsaid), ..update };
    assert_eq!(texts(&ending(&update))[..2], ["done: look", "not done: press Pay: denied"]);
    let completed = StateUpdate { status: RunStatus::Completed, ..update };
    assert_eq!(ending(&completed).len(), 2, "the tasks were told while they were done");
}

fn asked(kind: AssistanceKind, choices: &[&str]) -> AssistanceRequest {
    AssistanceRequest {
        id: "a1".to_owned(),
        kind,
        message: "Which one is meant?".to_owned(),
        context: "Two match".to_owned(),
        choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        timeout: Some(300),
    }
}

#[test]
fn a_request_is_set_apart_with_what_to_do() {
    let shown = request(&asked(AssistanceKind::Custom, &["Save", "Save all"]), 80, Window::Shown);
    assert_eq!(
        texts(&shown),
        [
            "!! You are needed: a question",
            "!! Which one is meant?",
            "   Two match",
            "   1. Save",
            "   2. Save all",
            "-> Type the number of your choice, or your answer, and press Enter. /skip leaves",
            "-> this task out, /stop ends the run. It waits for 5 min 00 s.",
        ]
    );
    for (kind, said) in [
        (AssistanceKind::Captcha, "Solve it"),
        (AssistanceKind::Login, "Sign in"),
        (AssistanceKind::TwoFactor, "Confirm it"),
        (AssistanceKind::Custom, "Type your answer"),
    ] {
        let shown = request(&asked(kind, &[]), 200, Window::Shown);
        assert!(shown.last().unwrap().text.contains(said), "{shown:?}");
        // Where there is no window, nobody is sent to it.
        let shown = request(&asked(kind, &[]), 300, Window::None);
        let text = &shown.last().unwrap().text;
        assert!(text.contains("has no window") && text.contains("--headed shows one"), "{text}");
        assert!(!text.contains("in the browser"), "{text}");
    }
}

#[test]
fn what_a_person_types_is_an_answer_or_none() {
    let choices = asked(AssistanceKind::Custom, &["Save", "Save all"]);
    let open = asked(AssistanceKind::Login, &[]);
    let missed = asked(AssistanceKind::Custom, &["7", "Look again"]);
    let said = |text: &str| Some(Reaction::Said(text.to_owned()));
    for (request, line, expected) in [
        (&choices, "2", said("Save all")),
        (&choices, " 1. ", said("Save")),
        (&choices, "3", None),
        (&choices, "0", None),
        (&choices, "", None),
        (&choices, "the last", said("the last")),
        (&choices, "/bogus", None),
        (&missed, "", Some(Reaction::Done)),
        (&missed, "7", said("7")),
        (&missed, "2", said("Look again")),
        (&choices, "/skip", Some(Reaction::Skip)),
        (&open, "", Some(Reaction::Done)),
        (&open, "2", said("2")),
        (&open, "/stop", Some(Reaction::Stop)),
    ] {
        assert_eq!(reaction(request, line), expected, "{line:?}");
    }
}

/// As much of a terminal as the screen needs.
#[derive(Default)]
struct Terminal {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    saved: (usize, usize),
}

impl Terminal {
    fn show(&mut self, text: &str) -> String {
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            while self.rows.len() <= self.row {
                self.rows.push(Vec::new());
            }
            match letter {
                '\n' => (self.row, self.column) = (self.row + 1, 0),
                '\r' => self.column = 0,
                '\x1b' => self.command(&mut letters),
                letter => {
                    let row = &mut self.rows[self.row];
                    row.resize(row.len().max(self.column + 1), ' ');
                    row[self.column] = letter;
                    self.column += 1;
                }
            }
        }
        let rows = self.rows.iter().map(|row| row.iter().collect::<String>());
        rows.collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    fn command(&mut self, letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        match letters.next() {
            Some('7') => self.saved = (self.row, self.column),
            Some('8') => (self.row, self.column) = self.saved,
            Some('[') => {
                let mut number = String::new();
                let end = loop {
                    match letters.next().unwrap() {
                        letter if letter.is_ascii_digit() || letter == ';' => number.push(letter),
                        letter => break letter,
                    }
                };
                match end {
                    'A' => self.row -= number.parse::<usize>().unwrap(),
                    'J' => self.rows.truncate(self.row),
                    'K' => self.rows[self.row].truncate(self.column),
                    'm' => {}
                    other => panic!("{other} is not used"),
                }
            }
            other => panic!("{other:?} is not used"),
        }
    }
}

#[test]
fn what_was_drawn_is_replaced_and_what_is_typed_stays() {
    let lines = |texts: &[&str]| -> Vec<Line> {
        texts.iter().map(|text| Line::new(Tone::Good, *text)).collect()
    };
    let mut terminal = Terminal::default();
    let mut screen = Screen::new(Vec::new(), true);
    let mut shown = |screen: &mut Screen<Vec<u8>>, typed: &str| {
        let written = String::from_utf8(std::mem::take(&mut screen.out)).unwrap();
        terminal.show(&written);
        terminal.show(typed)
    };
    screen.draw(&lines(&["one", "two long"])).unwrap();
    assert_eq!(shown(&mut screen, "no,"), "one\ntwo long\nno,");
    screen.draw(&lines(&["eins", "zwei"])).unwrap();
    assert_eq!(shown(&mut screen, " blue"), "eins\nzwei\nno, blue");
    screen.draw(&lines(&["last"])).unwrap();
    assert_eq!(shown(&mut screen, ""), "last");
    screen.keep(&lines(&["kept"])).unwrap();
    assert_eq!(shown(&mut screen, ""), "kept");
    screen.draw(&lines(&["below"])).unwrap();
    assert_eq!(shown(&mut screen, "x\n"), "kept\nbelow\nx");
    screen.typed();
    screen.draw(&lines(&["b", "c"])).unwrap();
    assert_eq!(shown(&mut screen, ""), "kept\nb\nc");
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    for (colours, expected) in [(false, "x\x1b[K\n"), (true, "\x1b[31mx\x1b[0m\x1b[K\n")] {
        let mut out = Vec::new();
        Screen::new(&mut out, colours).draw(&[Line::new(Tone::Bad, "x")]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
