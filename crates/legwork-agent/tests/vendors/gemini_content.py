"""Google's generateContent, by the types of PyPI `google-genai` and the SDK's own writers for the Gemini API."""

import json
import re

from google.genai import models, types

import strict

LEGACY = {
    "open_web_browser", "click_at", "hover_at", "type_text_at", "scroll_document", "scroll_at", "wait_5_seconds",
    "go_back", "go_forward", "search", "navigate", "key_combination", "drag_and_drop",
}
CURRENT = {
    "click", "double_click", "triple_click", "middle_click", "right_click", "mouse_down", "mouse_up", "move", "type",
    "drag_and_drop", "wait", "press_key", "key_down", "key_up", "hotkey", "take_screenshot", "scroll", "go_back",
    "navigate", "go_forward",
}
SEAL = "c2VhbGVk"
FREE = {"args", "response", "parametersJsonSchema", "responseJsonSchema"}


def matches(path):
    return re.fullmatch(r"v1beta/models/[a-z0-9.-]+:(generateContent|streamGenerateContent\?alt=sse)", path)


def authorized(headers):
    return headers.get("x-goog-api-key") == "test-key"


def streams(path, _):
    return "stream" in path


def check(_, __, body):
    known = {"systemInstruction", "contents", "tools", "toolConfig", "generationConfig"}
    assert set(body) <= known, f"not known: {set(body) - known}"
    spelling(body)
    contents = [as_type(types.Content, content) for content in body["contents"]]
    tools = [as_type(types.Tool, tool) for tool in body.get("tools", [])]
    # The SDK's own writers refuse what the Gemini API does not take.
    for content in contents:
        models._Content_to_mldev(content)
    for tool in tools:
        models._Tool_to_mldev(tool)
    if "systemInstruction" in body:
        as_type(types.Content, body["systemInstruction"])
    if "toolConfig" in body:
        models._ToolConfig_to_mldev(as_type(types.ToolConfig, body["toolConfig"]))
    as_type(types.GenerationConfig, body["generationConfig"])
    functions = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    strict.tool_names([function["name"] for function in functions])
    for schema in [function.get("parametersJsonSchema", {}) for function in functions]:
        portable(schema)
    portable(body["generationConfig"].get("responseJsonSchema", {}))
    points = any("computerUse" in tool for tool in body.get("tools", []))
    pairs(body["contents"], points)
    pictures = [part["inlineData"] for part in parts(body["contents"]) if "inlineData" in part]
    for picture in pictures:
        strict.data(picture["mimeType"], picture["data"])
    assert not points or len(pictures) <= 3, f"{len(pictures)} pictures"


def as_type(kind, value):
    return kind.model_validate_json(json.dumps(value))


def spelling(value):
    """The SDK's types take both spellings, the API's documents have one."""
    if isinstance(value, dict):
        for name, part in value.items():
            assert "_" not in name, f"{name} is not how the API spells it"
            if name not in FREE:
                spelling(part)
    if isinstance(value, list):
        for part in value:
            spelling(part)


def portable(schema):
    if isinstance(schema, dict):
        assert not isinstance(schema.get("type"), list), "a schema of several types"
        assert "$schema" not in schema and "oneOf" not in schema and "const" not in schema, f"not portable: {schema}"
        for part in schema.values():
            portable(part)
    if isinstance(schema, list):
        for part in schema:
            portable(part)


def pairs(contents, points):
    """Sides take turns, and each turn of calls is followed by as many responses of the same names and ids."""
    waiting = []
    for at, content in enumerate(contents):
        assert content["role"] in ("user", "model"), content["role"]
        assert at == 0 or contents[at - 1]["role"] != content["role"], "one side twice"
        assert content["parts"], "a turn of nothing"
        assert not any(part.get("text") == "" and len(part) == 1 for part in content["parts"]), "a text of nothing"
        responses = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        assert len(responses) == len(waiting), f"{len(responses)} responses to {len(waiting)} calls"
        for call, response in zip(waiting, responses):
            assert response["name"] == call["name"] and response.get("id") == call.get("id"), "another's response"
            if points and call["name"] in LEGACY | CURRENT:
                assert response["response"].get("url"), "no url beside a picture"
            if "safety_decision" in call.get("args", {}):
                assert response["response"].get("safety_acknowledgement") == "true", "a safety check nobody agreed to"
        waiting = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if waiting:
            first = next(part for part in content["parts"] if "functionCall" in part)
            assert first.get("thoughtSignature") == SEAL, "the thought lost its signature"
    assert not waiting, "no responses"


def parts(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from parts(part)


def text(words):
    return {"text": words}


def call(name, args, id=None, signed=True):
    part = {"functionCall": {"name": name, "args": args}}
    if id:
        part["functionCall"]["id"] = id
    return {**part, "thoughtSignature": SEAL} if signed else part


ASKS = {"decision": "require_confirmation", "explanation": "This accepts terms for you."}

SCENARIOS = {
    "plain": ([text("Grün ist die Hoffnung 🌱.")], "STOP"),
    "call": ([{"text": "Hm, so.", "thought": True}, call("browser_click", {"target": "Save"}, "c1")], "STOP"),
    "calls": (
        [text("Both."), call("browser_click", {"target": "Save"}), call("browser_snapshot", {}, signed=False)],
        "STOP",
    ),
    "schema": ([text('{"done": true}')], "STOP"),
    "length": ([text("As far as it we")], "MAX_TOKENS"),
    "filter": ([], "SAFETY"),
    "blocked": (None, "SAFETY"),
    "malformed": ([], "MALFORMED_FUNCTION_CALL"),
    "legacy": (
        [
            call("click_at", {"x": 500, "y": 250}, "c1"),
            call("type_text_at", {"x": 500, "y": 250, "text": "Bern"}, "c2", signed=False),
        ],
        "STOP",
    ),
    "current": (
        [
            call("click", {"x": 500, "y": 250, "intent": "Open it"}, "c1"),
            call("key_down", {"key": "a", "intent": "Hold it"}, "c2", signed=False),
        ],
        "STOP",
    ),
    "safety": ([call("click", {"x": 500, "y": 250, "safety_decision": ASKS}, "c1")], "STOP"),
    "legacy-safety": ([call("click_at", {"x": 500, "y": 250, "safety_decision": ASKS}, "c1")], "STOP"),
    "no-object": ([call("browser_click", {"target": "Save"}, "c1")], "STOP"),
}


def answer(scenario, body):
    content, finish = SCENARIOS["plain" if scenario == "error-event" else scenario]
    whole = {
        "usageMetadata": {
            "promptTokenCount": 120,
            "cachedContentTokenCount": 100,
            "candidatesTokenCount": 10,
            "thoughtsTokenCount": 5,
            "totalTokenCount": 135,
        },
        "modelVersion": "gemini",
        "responseId": "r1",
    }
    if content is None:
        whole["promptFeedback"] = {"blockReason": finish, "blockReasonMessage": "Not this."}
    else:
        candidate = {"index": 0, "finishReason": finish}
        if content:
            candidate["content"] = {"role": "model", "parts": content}
        if finish == "MALFORMED_FUNCTION_CALL":
            candidate["finishMessage"] = "Malformed function call: browser_click(target="
        whole["candidates"] = [candidate]
    as_type(types.GenerateContentResponse, whole)
    if scenario == "no-object":
        # The SDK's types have an object here; a model that writes none breaks them.
        whole["candidates"][0]["content"]["parts"] = [call("browser_click", ["Save"], "c1")]
        return {**whole, "broken": "arguments"}
    return {**whole, "broken": "event"} if scenario == "error-event" else whole


def events(whole):
    broken = whole.pop("broken", None)
    if broken == "event":
        error = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
        return [(None, json.dumps(error))]
    said = whole.get("candidates", [{}])[0].get("content", {}).get("parts", [])
    told = []
    for part in said:
        for piece in halves(part):
            chunk = {"candidates": [{"index": 0, "content": {"role": "model", "parts": [piece]}}], "modelVersion": "gemini"}
            if broken != "arguments":
                as_type(types.GenerateContentResponse, chunk)
            told.append((None, json.dumps(chunk, ensure_ascii=False)))
    last = json.loads(json.dumps(whole))
    if "candidates" in last:
        last["candidates"][0]["content"] = {"role": "model", "parts": [text("")]}
    as_type(types.GenerateContentResponse, last)
    return [*told, (None, json.dumps(last))]


def halves(part):
    if "text" not in part:
        return [part]
    words = part["text"]
    return [{**part, "text": piece} for piece in (words[: len(words) // 2], words[len(words) // 2 :]) if piece]


def complaint(status, message):
    names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL"}
    return {"error": {"code": status, "message": message, "status": names.get(status, "UNAVAILABLE")}}
