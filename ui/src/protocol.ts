// Made by `cargo xtask types --write` from `legwork_protocol::assistant`. Change the Rust types instead.
//
// A property with a question mark may be left out.

/** A message to or from the assistant. */
export type Message = {
  /** The request it is, or that it came of. */
  requestId: string;
} & (
  /** To the assistant: do this. */
  | {
    type: "EXECUTE_TASK";
    payload: Execute;
  }
  /** Both ways: asks for the page, and is answered with it. */
  | {
    type: "GET_DOM";
    payload: GetDom;
  }
  /** Both ways: a person is needed, and what the person says, unasked too. */
  | {
    type: "USER_ASSISTANCE";
    payload: Feedback;
  }
  /** From the assistant: how a run is going. */
  | {
    type: "STATE_UPDATE";
    payload: StateUpdate;
  }
  /** From the assistant: the request cannot be done. */
  | {
    type: "ERROR";
    payload: ToolError;
  }
);

/** What to do. */
export type Execute = {
  /** The instruction, in plain language. */
  instruction: string;
  /** The session to do it in; the usual one if none is named. */
  sessionId?: string;
  /** Shows the tasks first and begins when a person agrees. */
  planFirst?: boolean;
  /** What it may cost; as configured if nothing is said. */
  budget?: Budget;
};

/** What a run may cost. */
export type Budget = {
  /** Turns of a model. */
  turns: number;
  /** Seconds at work. */
  seconds: number;
  /** Tokens, read and written. */
  tokens: number;
  /** Millionths of a US dollar; no limit if none is given. */
  costMicros?: number;
};

/** A page, asked for or given. */
export type GetDom =
  /** The page of this session is wanted. */
  | {
    wanted: {
      /** The session. */
      sessionId: string;
    };
  }
  /** This is the page. */
  | {
    page: BrowserState;
  };

/** The page in front. */
export type BrowserState = {
  /** Its address. */
  url: string;
  /** Its title. */
  title: string;
  /** How far it is loaded. */
  readyState: ReadyState;
  /** What can be acted on. */
  elements: Array<ElementSnapshot>;
  /** What is in view. */
  viewport: ViewportInfo;
};

/** How far a page is loaded. */
export type ReadyState =
  /** Coming. */
  | "loading"
  /** Read, and its pictures coming. */
  | "interactive"
  /** All there. */
  | "complete";

/** An element. */
export type ElementSnapshot = {
  /** A target that any tool takes, most often a ref such as `e12`. */
  selector: string;
  /** Its id in the page. */
  id?: string;
  /** Its tag, in lower case. */
  tagName: string;
  /** Its words. */
  text?: string;
  /** Its attributes; never a password's or a code's value. */
  attributes: Record<string, string>;
  /** Where it is, in CSS pixels. */
  boundingBox: Bounds;
  /** Whether it can be seen. */
  visible: boolean;
};

/** A box. */
export type Bounds = {
  x: number;
  y: number;
  width: number;
  height: number;
};

/** What is in view. */
export type ViewportInfo = {
  width: number;
  height: number;
  scrollX: number;
  scrollY: number;
};

/** Help: asked for, given, or a word in between. */
export type Feedback =
  /** A person is needed. */
  | {
    request: AssistanceRequest;
  }
  /** What the person answered. */
  | {
    response: UserResponse;
  }
  /** What a person says of a run while it goes on: "no, the blue one". */
  | {
    remark: {
      /** The run. */
      runId: string;
      /** The words. */
      text: string;
    };
  }
  /** Stop a run. */
  | {
    stop: {
      /** The run. */
      runId: string;
    };
  }
  /** Go on with a run that was put aside because nobody answered, or was stopped, killed or failed. */
  | {
    resume: {
      /** The run. */
      runId: string;
    };
  };

/** A request for help. The run waits; what it has done stays done. */
export type AssistanceRequest = {
  /** Names it. */
  id: string;
  /** What kind of help. */
  type: AssistanceKind;
  /** What to do, in a sentence. */
  message: string;
  /** Where and why. */
  context: string;
  /** Answers to choose from, if it is a question with choices. */
  choices?: Array<string>;
  /** Seconds that an answer is waited for; as long as it takes if none are given. */
  timeout?: number;
};

/** What kind of help is needed. */
export type AssistanceKind =
  /** A riddle for people. */
  | "captcha"
  /** A sign-in. */
  | "login"
  /** A second factor. */
  | "two_factor"
  /** Anything else: most often a question. */
  | "custom";

/** What a person answers. */
export type UserResponse = {
  /** The request. */
  requestId: string;
  /** The answer. */
  response: Reaction;
  /** When it was given, as RFC 3339 in UTC. */
  timestamp: string;
};

/** An answer. */
export type Reaction =
  /** Done in the browser; look again. */
  | "done"
  /** In words, or one of the choices. */
  | {
    said: string;
  }
  /** Leave this task out and go on. */
  | "skip"
  /** End the run. */
  | "stop";

/** A run as it is now: whole each time, so that who comes late or misses one knows as much. */
export type StateUpdate = {
  /** The run. */
  runId: string;
  /** The session it acts in. */
  sessionId: string;
  /** The instruction as it was given. */
  instruction: string;
  /** How it is going. */
  status: RunStatus;
  /** What it does, as far as it is understood. */
  tasks?: TaskList;
  /** What is under way. */
  activity?: Activity;
  /** What a person is needed for. */
  assistance?: AssistanceRequest;
  /** What it has cost. */
  usage: Usage;
  /** How it ended, once it has. */
  finished?: Finished;
};

/** How a run is going. */
export type RunStatus =
  /** The instruction is being read. */
  | "interpreting"
  /** The tasks are known, and a person is to agree to them. */
  | "planned"
  /** At work. */
  | "running"
  /** Waits for a person. */
  | "waiting"
  /** Every task is completed. */
  | "completed"
  /** Over, and something was not done. */
  | "failed"
  /** A person stopped it. */
  | "stopped";

/** What is to be done, in order. */
export type TaskList = {
  /** Names it. */
  id: string;
  /** The tasks. */
  tasks: Array<Task>;
  /** What it was understood in. */
  context: TaskContext;
  /** When it was made, as RFC 3339 in UTC. */
  createdAt: string;
};

/** One thing to do. */
export type Task = {
  /** Names it within its list: `t1`, `t2` … */
  id: string;
  /** In words, as a person reads it. */
  description: string;
  /** How far it is. */
  status: TaskStatus;
  /** The tasks that have to be completed before this one begins. */
  dependencies: Array<string>;
  /** What came of it: what was verified, what was read, or why it failed. */
  outcome?: string;
} & (
  /** Clicks an element, or points at it in another way. */
  | {
    type: "click";
    parameters: Click;
  }
  /** Puts something into the page: text, a choice, a tick, a file, a key. */
  | {
    type: "input";
    parameters: Input;
  }
  /** Scrolls. */
  | {
    type: "scroll";
    parameters: Scroll;
  }
  /** Goes somewhere. */
  | {
    type: "navigate";
    parameters: Navigate;
  }
  /** Waits for something. */
  | {
    type: "wait";
    parameters: Wait;
  }
  /** Reads something out of the page. */
  | {
    type: "extract";
    parameters: Extract;
  }
  /** Drags one element to another. */
  | {
    type: "drag";
    parameters: Drag;
  }
);

/** A click. Targets are written as every tool takes them: words, ref, CSS or XPath. */
export type Click = {
  /** What to click. */
  target?: string;
  /** How. */
  gesture?: Gesture;
  /** Again and again until this is so; once if nothing is named. */
  until?: WaitFor;
};

/** How an element is pointed at. */
export type Gesture =
  /** A click. */
  | "click"
  /** Two clicks. */
  | "double"
  /** The other button. */
  | "right"
  /** Only over it. */
  | "hover";

/** What is waited for. */
export type WaitFor =
  /** Words or an element are there. */
  | {
    visible: string;
  }
  /** They are gone. */
  | {
    gone: string;
  }
  /** The address contains this. */
  | {
    url: string;
  }
  /** Nothing loads any more. */
  | "quiet"
  /** So much time has passed, such as `2s`. */
  | {
    time: string;
  };

/** Something put into the page. */
export type Input = {
  /** Into what; a key goes to what has the focus if nothing is named. */
  target?: string;
  /** What is put in. */
  value?: InputValue;
  /** Whether Enter follows. */
  submit?: boolean;
};

/** What is put into an element. */
export type InputValue =
  /** Text that replaces what is there. May name a secret, `{{secret:NAME}}`, or what another task of the list has read, `{{result:t1}}`. */
  | {
    text: string;
  }
  /** Options of a list, by their labels. */
  | {
    options: Array<string>;
  }
  /** A box ticked or not. */
  | {
    checked: boolean;
  }
  /** Files to upload. */
  | {
    files: Array<string>;
  }
  /** A key or chord: `Enter`, `Control+A`. */
  | {
    key: string;
  };

/** Scrolling. */
export type Scroll = {
  /** What scrolls, or what is scrolled to; the page if nothing is named. */
  target?: string;
  /** How far. */
  by: ScrollBy;
};

/** How far to scroll. */
export type ScrollBy =
  /** Until the target is in view. */
  | "into_view"
  /** To the beginning. */
  | "top"
  /** To the end. */
  | "bottom"
  /** By pixels; up if negative. */
  | {
    pixels: number;
  };

/** Going somewhere. */
export type Navigate =
  /** To an address. */
  | {
    url: string;
  }
  /** To the page before. */
  | "back"
  /** To the page after. */
  | "forward"
  /** To the same page again. */
  | "reload"
  /** To a tab by its number, from 1. */
  | {
    tab: number;
  }
  /** Not known yet. */
  | "open";

/** Waiting. */
export type Wait = {
  /** For what. */
  until?: WaitFor;
  /** How long at most, such as `15s`. */
  timeout?: string;
};

/** Reading. */
export type Extract = {
  /** What is wanted, in words, if it is not simply all of the target. */
  what?: string;
  /** From what; the page if nothing is named. */
  target?: string;
  /** As what. */
  as?: ExtractAs;
};

/** The form of what is read. */
export type ExtractAs =
  /** Its text. */
  | "text"
  /** Markdown. */
  | "markdown"
  /** A table or list as data. */
  | "data"
  /** A picture. */
  | "picture";

/** Dragging. */
export type Drag = {
  /** What is dragged. */
  from?: string;
  /** Where to. */
  to?: string;
};

/** How far a task is. */
export type TaskStatus =
  /** Not begun. */
  | "pending"
  /** Being done. */
  | "executing"
  /** Done, and seen to be done. */
  | "completed"
  /** Not done; the outcome says why. */
  | "failed"
  /** Waits for a person. */
  | "requires_assistance";

/** What an instruction is understood in. */
export type TaskContext = {
  /** The browser session. */
  sessionId: string;
  /** What was done before, oldest first. */
  previousTasks: Array<CompletedTask>;
  /** How many older tasks are left out of them: a session remembers its last 50. */
  previousTasksLeftOut?: number;
  /** Where the browser is. */
  currentUrl: string;
  /** What the person said they like. */
  userPreferences: Preferences;
  /** The page as it was last seen. */
  browserState: BrowserState;
};

/** A task that is over. */
export type CompletedTask = {
  /** Names it within its list: `t1`, `t2` … */
  id: string;
  /** In words, as a person reads it. */
  description: string;
  /** How far it is. */
  status: TaskStatus;
  /** The tasks that have to be completed before this one begins. */
  dependencies: Array<string>;
  /** What came of it: what was verified, what was read, or why it failed. */
  outcome?: string;
  /** The instruction it came from. */
  instruction: string;
  /** The list it was part of: the same words, said again, are another. */
  listId?: string;
  /** When it ended, as RFC 3339 in UTC. */
  endedAt: string;
} & (
  /** Clicks an element, or points at it in another way. */
  | {
    type: "click";
    parameters: Click;
  }
  /** Puts something into the page: text, a choice, a tick, a file, a key. */
  | {
    type: "input";
    parameters: Input;
  }
  /** Scrolls. */
  | {
    type: "scroll";
    parameters: Scroll;
  }
  /** Goes somewhere. */
  | {
    type: "navigate";
    parameters: Navigate;
  }
  /** Waits for something. */
  | {
    type: "wait";
    parameters: Wait;
  }
  /** Reads something out of the page. */
  | {
    type: "extract";
    parameters: Extract;
  }
  /** Drags one element to another. */
  | {
    type: "drag";
    parameters: Drag;
  }
);

/** What a person said they like, by topic: `size` to `large`. Also corrections given while a run went on. */
export type Preferences = Record<string, string>;

/** What is under way. */
export type Activity = {
  /** The task. */
  taskId?: string;
  /** In words: `clicking "Log in"`, `thinking`. */
  doing: string;
};

/** What a run has cost so far. */
export type Usage = {
  /** Turns of a model. */
  turns: number;
  /** Calls of tools. */
  actions: number;
  /** Tokens that a model read. */
  inputTokens: number;
  /** Of these, tokens that cost less because they were read before. */
  cachedTokens: number;
  /** Tokens that a model wrote. */
  outputTokens: number;
  /** Millionths of a US dollar; nothing is said where the price is not known. */
  costMicros?: number;
  /** Milliseconds at work, without waiting for people. */
  elapsedMs: number;
};

/** How a run ended. */
export type Finished = {
  /** What was done, in a sentence or a few. */
  summary: string;
  /** What was read out of pages, one piece for each task that asked for some. */
  results?: Array<string>;
  /** What was not done and why. */
  undone?: Array<string>;
};

/** Why a tool did not do what was asked. */
export type ToolError = {
  /** For programs. */
  code: Code;
  /** For people and models. */
  message: string;
  /** What to do about it. */
  hint?: string;
};

/** What went wrong, for programs. Codes are never renamed. */
export type Code =
  /** No Chrome was found. */
  | "browser_not_found"
  /** No sidecar was found. */
  | "sidecar_not_found"
  /** The sidecar ended, or does not speak as it should. */
  | "sidecar_failed"
  /** Chrome did not start. */
  | "launch_failed"
  /** Another process holds the profile. */
  | "profile_in_use"
  /** The browser ended. */
  | "browser_crashed"
  /** The page's process ended. */
  | "page_crashed"
  /** The tab was closed. */
  | "page_closed"
  /** A frame went away. */
  | "frame_gone"
  /** The session was closed. */
  | "session_closed"
  /** A deadline passed. */
  | "timeout"
  /** The page could not be loaded. */
  | "navigation_failed"
  /** Nothing matches. */
  | "not_found"
  /** Several things match. */
  | "ambiguous_target"
  /** A ref's element is gone. */
  | "stale_ref"
  /** The element cannot be acted on. */
  | "not_actionable"
  /** Another element received the event. */
  | "intercepted"
  /** The field holds something else than what was entered. */
  | "value_differs"
  /** A dialog blocks the page. */
  | "dialog_open"
  /** Selector syntax that is not known. */
  | "unsupported_selector"
  /** A selector that is not valid. */
  | "invalid_selector"
  /** Arguments that cannot be used. */
  | "invalid_input"
  /** No such tool. */
  | "unknown_tool"
  /** JavaScript threw. */
  | "script_error"
  /** A file cannot be read or written. */
  | "file_error"
  /** The browser refused. */
  | "protocol_error"
  /** Policy does not allow it. */
  | "denied"
  /** The caller gave up. */
  | "cancelled"
  /** A step of a batch did not do what it said. */
  | "step_failed"
  /** A defect of this program. */
  | "internal_error";
