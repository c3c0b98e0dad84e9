"""The request types of an SDK, made strict: what they do not name is refused, and lists are read to their end."""

import base64
import inspect
import re
import sys
from collections.abc import Iterable

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import is_typeddict

PICTURES = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF", "image/gif": b"GIF8"}


def adapter(package, kind):
    """Checks values against a type of an SDK whose package is already imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith(package):
            for _, found in inspect.getmembers(module, is_typeddict):
                found.__pydantic_config__ = ConfigDict(extra="forbid")
    return TypeAdapter(kind)


def check(adapter, value):
    """Raises what the type says of a value. Pydantic reads an Iterable only when somebody does."""
    exhaust(adapter.validate_python(value, strict=False))


def exhaust(value):
    if isinstance(value, dict):
        for part in value.values():
            exhaust(part)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for part in value:
            exhaust(part)


def picture(url):
    """Checks a picture in a data URL: that it is what it says it is."""
    found = re.fullmatch(r"data:(image/[a-z]+);base64,([A-Za-z0-9+/]+=*)", url)
    assert found, f"not a data URL: {url[:60]}"
    data(found[1], found[2])


def data(kind, text):
    assert base64.b64decode(text, validate=True).startswith(PICTURES[kind]), f"not a picture of type {kind}"


def tool_names(names):
    for name in names:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name), f"not a name for a tool: {name}"
    assert len(set(names)) == len(names), f"two tools of one name: {names}"


def strict_schema(schema):
    """What OpenAI asks of a schema that is marked strict."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        assert schema.get("additionalProperties") is False, "strict: additionalProperties has to be false"
        assert set(schema.get("required", [])) == set(schema.get("properties", {})), "strict: all are required"
    for key in ("properties", "$defs"):
        for part in schema.get(key, {}).values():
            strict_schema(part)
    for part in [schema.get("items"), *schema.get("anyOf", [])]:
        strict_schema(part)
