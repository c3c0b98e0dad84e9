"""Anthropic's Messages API, by the types of PyPI `anthropic`."""

import json
import time

import anthropic.types as types
from anthropic.lib._parse._transform import transform_schema
from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)
from pydantic import TypeAdapter

import strict

WHOLE = strict.adapter("anthropic", MessageCreateParamsNonStreaming)
STREAMED = strict.adapter("anthropic", MessageCreateParamsStreaming)
MESSAGE = TypeAdapter(types.Message)
EVENT = TypeAdapter(types.RawMessageStreamEvent)
MEMBER = TypeAdapter(types.ToolsetToolUseBlock)


def matches(path):
    return path == "v1/messages"


def authorized(headers):
    return headers.get("x-api-key") == "test-key"


def streams(_, body):
    return body.get("stream") is True


def check(_, headers, body):
    assert headers.get("anthropic-version") == "2023-06-01", "anthropic-version"
    strict.check(STREAMED if body.get("stream") else WHOLE, body)
    strict.tool_names([tool["name"] for tool in body.get("tools", []) if "name" in tool])
    format = (body.get("output_config") or {}).get("format")
    if format:
        schema = json.loads(json.dumps(format["schema"]))
        assert transform_schema(schema) == format["schema"], "a schema that the SDK would write otherwise"
    marks = [block for block in blocks(body) if block.get("cache_control")]
    assert 0 < len(marks) <= 4, f"{len(marks)} marks of what is to be kept"
    for block in blocks(body):
        if block.get("type") == "text":
            assert block["text"].strip(), "a text of nothing"
        if block.get("type") == "image":
            strict.data(block["source"]["media_type"], block["source"]["data"])
        if block.get("is_error"):
            assert {part["type"] for part in block["content"]} <= {"text"}, "an error is told in words"
    pairs(body["messages"])


def blocks(value):
    if isinstance(value, dict):
        yield value
        value = [part for name, part in value.items() if name not in ("input", "input_schema", "schema")]
    if isinstance(value, list):
        for part in value:
            yield from blocks(part)


def pairs(messages):
    """Sides take turns, and the results of a turn's calls come first in the next, one for each."""
    assert messages[0]["role"] == "user", "the first turn is the user's"
    waiting = {}
    for at, message in enumerate(messages):
        assert at == 0 or messages[at - 1]["role"] != message["role"], "one side twice"
        results = [block for block in message["content"] if block["type"] == "tool_result"]
        assert message["content"][: len(results)] == results, "results come first"
        for result in results:
            call = waiting.pop(result["tool_use_id"], None)
            assert call, f"no call for {result['tool_use_id']}"
            assert call.get("toolset_name") == result.get("toolset_name"), "the toolset is named by both or none"
        assert not waiting, f"no results for {list(waiting)}"
        if message["role"] == "assistant":
            for block in message["content"]:
                if block["type"] == "tool_use":
                    waiting[block["id"]] = block
                    if block.get("toolset_name"):
                        MEMBER.validate_python({"caller": {"type": "direct"}, **block})
                if block["type"] == "thinking":
                    assert block["signature"] == "c2VhbGVk" and block["thinking"] == "Hm, so.", "a thought was changed"
    assert not waiting, f"no results for {list(waiting)}"


def text(words):
    return {"type": "text", "text": words, "citations": None}


def thought():
    return {"type": "thinking", "thinking": "Hm, so.", "signature": "c2VhbGVk"}


def call(number, name, input, **more):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": input, "caller": {"type": "direct"}, **more}


def member(number, name, **input):
    return call(number, name, input, toolset_name="browser")


AT = {"type": "coordinate", "x": 10, "y": 20}
SAVE = {"target": "Save"}

SCENARIOS = {
    "plain": ([text("Grün ist die Hoffnung 🌱.")], "end_turn"),
    "call": ([thought(), call(1, "browser_click", SAVE)], "tool_use"),
    "calls": ([text("Both."), call(1, "browser_click", SAVE), call(2, "browser_snapshot", {})], "tool_use"),
    "malformed": ([call(1, "browser_click", SAVE)], "tool_use"),
    "refusal": ([], "refusal"),
    "schema": ([text('{"done": true}')], "end_turn"),
    "length": ([text("As far as it we")], "max_tokens"),
    "cut-call": ([text("So:"), call(1, "browser_click", SAVE)], "max_tokens"),
    "full": ([text("No room")], "model_context_window_exceeded"),
    "toolset": (
        [
            thought(),
            member(1, "left_click", target=AT),
            member(2, "form_input", target={"type": "ref", "ref": "e7"}, value="Bern"),
            member(3, "type", text="Bern"),
            member(4, "zoom", region=[0, 0, 9, 9]),
        ],
        "tool_use",
    ),
}


def answer(scenario, body):
    if scenario == "unforced" and body.get("tool_choice"):
        return 400, complaint(400, "tool_choice: forced tool use is not supported for this model")
    if scenario == "bound" and any(block.get("type") == "thinking" for block in blocks(body["messages"])):
        return 400, complaint(400, "messages.1.content.0: thinking block does not belong to this conversation")
    if scenario == "paused":
        again = body["messages"][-1]["role"] == "assistant"
        content, stop = ([text(" Went on.")], "end_turn") if again else ([text("Began.")], "pause_turn")
    elif scenario == "pausing":
        # Two in a row fit into no short deadline.
        time.sleep(0.4)
        content, stop = [text("More.")], "pause_turn"
    else:
        content, stop = SCENARIOS["plain" if scenario in ("unforced", "bound", "error-event") else scenario]
    details = None
    if stop == "refusal":
        details = {"type": "refusal", "category": "cyber", "explanation": "This could do harm."}
    whole = validated(
        MESSAGE,
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "stop_details": details,
            "usage": {
                "input_tokens": 20,
                "cache_creation_input_tokens": 30,
                "cache_read_input_tokens": 70,
                "output_tokens": 15,
            },
        },
    )
    if scenario == "malformed":
        # The SDK's types have an object here; a model that writes none breaks them.
        whole["content"][0]["input"] = "Save"
    return {**whole, "broken": scenario} if scenario in ("malformed", "cut-call", "error-event") else whole


def validated(adapter, value):
    return adapter.dump_python(adapter.validate_python(value), mode="json", by_alias=True, exclude_unset=True)


def events(whole):
    broken = whole.pop("broken", None)
    told = []

    def tell(**event):
        event = validated(EVENT, event)
        if event["type"] == "content_block_start" and "input" in event["content_block"]:
            # The arguments come afterwards; the types of members have no empty ones.
            event["content_block"]["input"] = {}
        told.append((event["type"], json.dumps(event, ensure_ascii=False)))

    usage = whole["usage"]
    begun = {**whole, "content": [], "stop_reason": None, "stop_details": None, "usage": {**usage, "output_tokens": 1}}
    tell(type="message_start", message=begun)
    told.append(("ping", '{"type": "ping"}'))
    if broken == "error-event":
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        return [*told, ("error", json.dumps(error))]
    for index, block in enumerate(whole["content"]):
        blank, deltas = parted(block, broken)
        tell(type="content_block_start", index=index, content_block=blank)
        for delta in deltas:
            tell(type="content_block_delta", index=index, delta=delta)
        if not (broken == "cut-call" and block["type"] == "tool_use"):
            tell(type="content_block_stop", index=index)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None, "stop_details": whole.get("stop_details")}
    tell(type="message_delta", delta=ending, usage=usage)
    tell(type="message_stop")
    return told


def parted(block, broken):
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in halves(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in halves(block["thinking"])]
        sealed = {"type": "signature_delta", "signature": block["signature"]}
        return {**block, "thinking": "", "signature": ""}, [*deltas, sealed]
    written = json.dumps(block["input"]) if block["input"] else ""
    written = '{"target": ' if broken else written
    return {**block, "input": {}} if broken else block, [{"type": "input_json_delta", "partial_json": piece} for piece in halves(written)]


def halves(words):
    return [piece for piece in (words[: len(words) // 2], words[len(words) // 2 :]) if piece]


def complaint(status, message):
    kinds = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}, "request_id": "req_1"}
