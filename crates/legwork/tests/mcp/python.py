"""The official Python client signs in. Arguments: the address of the site, then either the program
and its arguments, or `--http` with the address of the server and a token."""

import asyncio
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def transport(arguments):
    if arguments[0] == "--http":
        _, address, token = arguments
        web = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        return streamable_http_client(address, http_client=web)
    return StdioServerParameters(command=arguments[0], args=arguments[1:])


async def main(site, arguments):
    # `auto` asks for the stateless protocol first.
    async with Client(transport(arguments), mode="auto") as client:
        print("protocol", client.protocol_version)
        tools = (await client.list_tools()).tools
        assert any(tool.name == "browser_click" for tool in tools), tools
        page = await client.call_tool("browser_navigate", {"url": f"{site}/login"})
        assert not page.is_error and "Password" in page.content[0].text, page
        heard = []

        async def hear(done, total, message):
            heard.append((done, total, message))

        steps = [
            {"tool": "browser_type", "target": "User", "text": "ada"},
            {"tool": "browser_type", "target": "Password", "text": "secret"},
            {"tool": "browser_click", "target": 'button "Sign in"'},
        ]
        done = await client.call_tool("browser_batch", {"steps": steps}, progress_callback=hear)
        assert not done.is_error and "Welcome, ada" in done.content[0].text, done
        assert [step[0] for step in heard] == [0, 1, 2], heard
        assert len(done.structured_content["steps"]) == 3, done.structured_content
        wrong = await client.call_tool("browser_click", {})
        assert wrong.is_error and "missing field" in wrong.content[0].text, wrong
        shot = await client.call_tool("browser_take_screenshot", {})
        assert shot.content[1].mime_type == "image/png", shot.content[1].type
        seen = await client.read_resource("legwork://page/snapshot")
        assert "Welcome, ada" in seen.contents[0].text, seen
    print("signed in")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
