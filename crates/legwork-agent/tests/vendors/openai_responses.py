"""OpenAI's Responses API, by the types of PyPI `openai`."""

import json

import openai.types.responses as types
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import TypeAdapter

import strict

WHOLE = strict.adapter("openai", ResponseCreateParamsNonStreaming)
STREAMED = strict.adapter("openai", ResponseCreateParamsStreaming)
RESPONSE = TypeAdapter(types.Response)
EVENT = TypeAdapter(types.ResponseStreamEvent)


def matches(path):
    return path == "v1/responses"


def authorized(headers):
    return headers.get("authorization") == "Bearer test-key"


def streams(_, body):
    return body.get("stream") is True


def check(_, __, body):
    strict.check(STREAMED if body.get("stream") else WHOLE, body)
    tools = body.get("tools", [])
    strict.tool_names([tool["name"] for tool in tools if tool["type"] == "function"])
    format = body.get("text", {}).get("format", {})
    if format.get("strict"):
        strict.strict_schema(format["schema"])
    pairs(body["input"])
    for part in parts(body["input"]):
        if part.get("type") in ("input_image", "computer_screenshot"):
            strict.picture(part["image_url"])
    assert body["store"] is False, "pages are not kept"


def pairs(items):
    """Every call has its result, after it; every thought is followed by what came of it and keeps its seal."""
    calls = {}
    for at, item in enumerate(items):
        kind = item.get("type")
        if kind in ("function_call", "computer_call"):
            calls[item["call_id"]] = item
        elif kind in ("function_call_output", "computer_call_output"):
            call = calls.pop(item["call_id"], None)
            assert call, f"no call for the output {item['call_id']}"
            assert kind == call["type"] + "_output", f"{kind} for a {call['type']}"
            pending = [check["id"] for check in call.get("pending_safety_checks", [])]
            given = [check["id"] for check in item.get("acknowledged_safety_checks", [])]
            assert given == pending, f"safety checks {pending} are pending, {given} are acknowledged"
        elif kind == "reasoning":
            assert item.get("encrypted_content"), "a thought without its seal"
            after = items[at + 1] if at + 1 < len(items) else {}
            assert after.get("role") != "user" and after, "a thought without what came of it"
    assert not calls, f"no output for the calls {list(calls)}"


def parts(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from parts(part)


def message(*content):
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": list(content)}


def text(words):
    return {"type": "output_text", "text": words, "annotations": [], "logprobs": []}


def call(number, name, arguments):
    return {
        "id": f"fc_{number}",
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": arguments,
    }


def computer(number, *actions, checks=()):
    return {
        "id": f"cu_{number}",
        "type": "computer_call",
        "status": "completed",
        "call_id": f"call_{number}",
        "actions": list(actions),
        "pending_safety_checks": list(checks),
    }


THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk"}
CLICK = {"type": "click", "button": "left", "x": 10, "y": 20}
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "The page may try to mislead."}

SCENARIOS = {
    "plain": [message(text("Grün ist die Hoffnung 🌱."))],
    "call": [THOUGHT, call(1, "browser_click", '{"target": "Save"}')],
    "calls": [
        THOUGHT,
        message(text("Both.")),
        call(1, "browser_click", '{"target": "Save"}'),
        call(2, "browser_snapshot", ""),
    ],
    "malformed": [call(1, "browser_click", '{"target": ')],
    "refusal": [message({"type": "refusal", "refusal": "I cannot help with that."})],
    "schema": [message(text('{"done": true}'))],
    "length": [message(text("As far as it we"))],
    "filter": [message(text("So"))],
    "computer": [THOUGHT, computer(1, CLICK, {"type": "type", "text": "Ada"}, {"type": "pinch"})],
    "picture": [computer(1, {"type": "screenshot"})],
    "safety": [THOUGHT, computer(1, CLICK, checks=[CHECK])],
}


def answer(scenario, body):
    incomplete = {"length": "max_output_tokens", "filter": "content_filter"}.get(scenario)
    failed = {"code": "server_error", "message": "It went wrong."} if scenario == "failed" else None
    status = "failed" if failed else "incomplete" if incomplete else "completed"
    output = SCENARIOS.get(scenario, [])
    if scenario == "computer":
        # This action is not in the types: the API may learn a new one.
        known = [dict(output[1], actions=output[1]["actions"][:2])]
        validated(RESPONSE, response(body, "completed", [THOUGHT, *known]))
        return response(body, status, output)
    return validated(RESPONSE, response(body, status, output, incomplete, failed))


def response(body, status, output, incomplete=None, failed=None):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1794800000.0,
        "status": status,
        "error": failed,
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "model": body["model"],
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 120,
            "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
            "output_tokens": 15,
            "output_tokens_details": {"reasoning_tokens": 7},
            "total_tokens": 135,
        },
    }


def validated(adapter, value):
    return adapter.dump_python(adapter.validate_python(value), mode="json", by_alias=True, exclude_unset=True)


def events(whole):
    told = []

    def tell(kind, **fields):
        event = {"type": kind, "sequence_number": len(told), **fields}
        if not any("pinch" in str(part) for part in fields.values()):
            event = validated(EVENT, event)
        told.append((kind, json.dumps(event, ensure_ascii=False)))

    begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None, "error": None}
    tell("response.created", response=begun)
    for at, item in enumerate(whole["output"]):
        place = {"output_index": at, "item_id": item["id"]}
        tell("response.output_item.added", output_index=at, item=started(item))
        for index, part in enumerate(item.get("content", [])):
            pieces(tell, {**place, "content_index": index}, part)
        if item["type"] == "function_call":
            for piece in halves(item["arguments"]):
                tell("response.function_call_arguments.delta", delta=piece, **place)
        tell("response.output_item.done", output_index=at, item=item)
    # The seal of a thought may be missing in the last event; it is the finished item that counts.
    output = [{key: value for key, value in item.items() if key != "encrypted_content"} for item in whole["output"]]
    tell(f"response.{whole['status']}", response={**whole, "output": output})
    return told


def started(item):
    empty = {"message": {"content": []}, "function_call": {"arguments": ""}}.get(item["type"], {})
    return {**item, **empty, **({} if item["type"] == "reasoning" else {"status": "in_progress"})}


def pieces(tell, place, part):
    if part["type"] == "refusal":
        for piece in halves(part["refusal"]):
            tell("response.refusal.delta", delta=piece, **place)
    else:
        for piece in halves(part["text"]):
            tell("response.output_text.delta", delta=piece, logprobs=[], **place)


def halves(words):
    return [piece for piece in (words[: len(words) // 2], words[len(words) // 2 :]) if piece]


def complaint(status, message):
    kind = {401: "invalid_api_key", 429: "rate_limit_exceeded"}.get(status)
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": kind}}
