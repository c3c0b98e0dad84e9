"""A local server that stands in for the vendors of models.

    python3 server.py MODULE...        # openai_responses openai_chat ...

It prints its port and ends when its standard input does. Every request body is checked with the vendor's own
SDK types; answers are built with them. What a request gets is in its address:

    http://127.0.0.1:PORT/SCENARIO/RUN/the/vendor's/path

RUN is any word: tries are counted by it. These scenarios are the same for all vendors; every other is the
vendor module's own, given to its `answer`:

    limited     429 with Retry-After: 1, then as `plain`
    failing     500, then as `plain`
    overloaded  529, then as `plain`
    broken      500 always
    late        as `plain`, after a while: before the answer, or halfway through its events
    slow        no answer
    stuck       half of the events, then nothing more
    cut         half of the answer, then the connection ends; the next try gets all of `plain`
    cut-always  the same on every try
    garbage     200 with something that is no JSON

GET /complaints lists what the SDK's types said of requests, GET /requests the requests. GET /held waits until an
answer is kept back for good, and GET /gone until whoever waits for one has hung up; both say whether that came.

A vendor module has: matches(path), authorized(headers), check(path, headers, body) that raises, streams(path,
body), answer(scenario, body) to a JSON value (or a status and one), events(answer) to a list of (name or None, text), and
complaint(status, message) to a JSON value.
"""

import importlib
import json
import select
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "test-key"

# Seconds that a late answer takes.
LATE = 0.4

modules = []
requests = []
complaints = []
tries = {}
lock = threading.Lock()
over = threading.Event()
held = threading.Semaphore(0)
gone = threading.Semaphore(0)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        awaited = {"/held": held, "/gone": gone}.get(self.path)
        if awaited is not None:
            return self.whole(200, [awaited.acquire(timeout=10)])
        found = {"/complaints": complaints, "/requests": requests}.get(self.path)
        self.whole(200 if found is not None else 404, found)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length", 0)))
        _, scenario, run, path = self.path.split("/", 3)
        with lock:
            tried = tries[(scenario, run)] = tries.get((scenario, run), 0) + 1
        try:
            vendor = next(module for module in modules if module.matches(path))
            if not vendor.authorized(self.headers):
                return self.whole(401, vendor.complaint(401, f"Incorrect API key provided: {self.headers}"))
            body = json.loads(text)
            with lock:
                requests.append(body)
            assert self.headers.get("content-type", "").startswith("application/json"), "content-type"
            vendor.check(path, self.headers, body)
        except Exception as problem:
            with lock:
                complaints.append(f"{type(problem).__name__}: {problem}\nin the request: {text.decode()}")
            return self.whole(400, {"error": {"message": f"not as the SDK has it: {problem}"}})
        try:
            self.play(vendor, scenario, tried, path, body)
        except (BrokenPipeError, ConnectionResetError):
            # Who asked did not wait.
            self.close_connection = True
        except Exception:
            with lock:
                complaints.append("the test server failed: " + traceback.format_exc())
            raise

    def play(self, vendor, scenario, tried, path, body):
        if scenario == "limited" and tried == 1:
            return self.whole(429, vendor.complaint(429, "Rate limit reached"), {"retry-after": "1"})
        if scenario == "failing" and tried == 1 or scenario == "broken":
            return self.whole(500, vendor.complaint(500, "The server had an error"))
        if scenario == "overloaded" and tried == 1:
            return self.whole(529, vendor.complaint(529, "Overloaded"))
        if scenario == "slow":
            return self.hold()
        if scenario == "garbage":
            return self.send(200, "application/json", b"<p>This is no JSON")
        common = ("limited", "failing", "overloaded", "late", "stuck", "cut", "cut-always")
        answer = vendor.answer("plain" if scenario in common else scenario, body)
        if isinstance(answer, tuple):
            return self.whole(*answer)
        if not vendor.streams(path, body):
            text = json.dumps(answer).encode()
            if scenario == "late":
                over.wait(LATE)
            if scenario == "cut-always" or scenario == "cut" and tried == 1:
                self.close_connection = True
                return self.begin(200, "application/json", {"content-length": len(text)}, text[: len(text) // 2])
            return self.send(200, "application/json", text)
        self.stream(vendor.events(answer), scenario, tried)

    def stream(self, events, scenario, tried):
        self.begin(200, "text/event-stream; charset=utf-8", {"transfer-encoding": "chunked"})
        half = scenario in ("stuck", "cut-always") or scenario == "cut" and tried == 1
        for at, (name, text) in enumerate(events[: len(events) // 2] if half else events):
            if scenario == "late" and at == len(events) // 2:
                over.wait(LATE)
            event = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
            event = event.encode()
            # In two pieces, which may part a letter from itself.
            for piece in (event[: len(event) // 2], event[len(event) // 2 :]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
        if scenario == "stuck":
            self.hold()
        if half:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def hold(self):
        """Says nothing until whoever asked hangs up. They have said all, so nothing else comes of them."""
        self.close_connection = True
        held.release()
        if select.select([self.connection], [], [], 30)[0]:
            gone.release()

    def whole(self, status, value, headers={}):
        self.send(status, "application/json", json.dumps(value).encode(), headers)

    def send(self, status, kind, text, headers={}):
        self.begin(status, kind, {**headers, "content-length": len(text)}, text)

    def begin(self, status, kind, headers, text=b""):
        self.send_response(status)
        for name, value in {"content-type": kind, **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()


def main():
    modules.extend(importlib.import_module(name) for name in sys.argv[1:])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    main()
