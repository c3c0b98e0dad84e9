"""Chat Completions, by the types of PyPI `openai`; and, in scenarios that begin with `odd-`, as servers write it
that are only nearly compatible."""

import json

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import TypeAdapter

import strict

WHOLE = strict.adapter("openai", CompletionCreateParamsNonStreaming)
STREAMED = strict.adapter("openai", CompletionCreateParamsStreaming)
COMPLETION = TypeAdapter(ChatCompletion)
CHUNK = TypeAdapter(ChatCompletionChunk)


def matches(path):
    return path == "v1/chat/completions"


def authorized(headers):
    # Servers at home ask for no key.
    return headers.get("authorization") in (None, "Bearer test-key")


def streams(_, body):
    return body.get("stream") is True


def check(_, __, body):
    strict.check(STREAMED if body.get("stream") else WHOLE, body)
    assert body.get("stream") or "stream_options" not in body, "stream_options without a stream"
    strict.tool_names([tool["function"]["name"] for tool in body.get("tools", [])])
    format = body.get("response_format", {}).get("json_schema", {})
    if format.get("strict"):
        strict.strict_schema(format["schema"])
    pairs(body["messages"])
    for message in body["messages"]:
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            if part["type"] == "image_url":
                strict.picture(part["image_url"]["url"])


def pairs(messages):
    """The results of a turn's calls follow it at once, one for each."""
    waiting = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, f"no call for {message['tool_call_id']}"
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, f"no results for {waiting}"
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict), "templates need an object"
            waiting.append(call["id"])
    assert not waiting, f"no results for {waiting}"


def call(number, name, arguments):
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def said(content, calls=None, refusal=None):
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {**message, "tool_calls": calls} if calls else message


SAVE = '{"target": "Save"}'

SCENARIOS = {
    "plain": (said("Grün ist die Hoffnung 🌱."), "stop"),
    "call": (said(None, [call(1, "browser_click", SAVE)]), "tool_calls"),
    "calls": (said("Both.", [call(1, "browser_click", SAVE), call(2, "browser_snapshot", "")]), "tool_calls"),
    "malformed": (said(None, [call(1, "browser_click", '{"target": ')]), "tool_calls"),
    "refusal": (said(None, refusal="I cannot help with that."), "stop"),
    "schema": (said('{"done": true}'), "stop"),
    "object": (said('{"tool": "browser_click", "arguments": {"target": "Save"}}'), "stop"),
    "length": (said("As far as it we"), "length"),
    "filter": (said("So"), "content_filter"),
}


def answer(scenario, body):
    odd = scenario.startswith("odd-")
    message, finish = SCENARIOS[scenario.removeprefix("odd-")]
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1794800000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": 120,
            "completion_tokens": 15,
            "total_tokens": 135,
            "prompt_tokens_details": {"cached_tokens": 100},
        },
    }
    whole = validated(COMPLETION, whole)
    return oddly(whole) if odd else whole


def oddly(whole):
    """No usage, no ids, arguments as an object, and `stop` where calls were made."""
    del whole["usage"]
    choice = whole["choices"][0]
    choice["finish_reason"] = "stop"
    for call in choice["message"].get("tool_calls", []):
        del call["id"]
        call["function"]["arguments"] = json.loads(call["function"]["arguments"] or "{}")
    return whole


def validated(adapter, value):
    return adapter.dump_python(adapter.validate_python(value), mode="json", by_alias=True, exclude_unset=True)


def events(whole):
    odd = "usage" not in whole
    common = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    told = []

    def tell(delta=None, finish=None, **fields):
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        chunk = {**common, "choices": choices, **fields}
        told.append((None, json.dumps(chunk if odd else validated(CHUNK, chunk), ensure_ascii=False)))

    choice = whole["choices"][0]
    message = choice["message"]
    tell({"role": "assistant", "content": ""})
    for name in ("content", "refusal"):
        for piece in halves(message.get(name) or ""):
            tell({name: piece})
    for at, call in enumerate(message.get("tool_calls", [])):
        if odd:
            tell({"tool_calls": [call]})
            continue
        arguments = call["function"]["arguments"]
        begun = {**call, "index": at, "function": {"name": call["function"]["name"], "arguments": ""}}
        tell({"tool_calls": [begun]})
        for piece in halves(arguments):
            tell({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
    tell({}, choice["finish_reason"])
    if not odd:
        tell(usage=whole["usage"])
        told.append((None, "[DONE]"))
    return told


def halves(words):
    return [piece for piece in (words[: len(words) // 2], words[len(words) // 2 :]) if piece]


def complaint(status, message):
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
