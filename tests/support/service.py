"""Runs the real `loopwright serve` in a process of its own."""

import asyncio
import json
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.commands import Installation


@dataclass
class Service:
    """A served installation and a client that talks to it."""

    place: Installation
    client: httpx.AsyncClient
    process: "subprocess.Popen[str]"

    async def stream(self, **body: Any) -> list[Any]:
        """The data of a chat turn's SSE frames, `[DONE]` included."""
        async with self.client.stream("POST", "/api/chat/stream", json=body) as response:
            assert response.status_code == 200, (await response.aread()).decode()
            assert response.headers["content-type"].startswith("text/event-stream")
            return sse_data("\n".join([line async for line in response.aiter_lines()]))

    async def get(self, path: str) -> Any:
        """A resource's JSON."""
        response = await self.client.get(path)
        assert response.status_code == 200, response.text
        return response.json()

    async def kill(self) -> None:
        """End the server as a power cut would."""
        self.process.kill()
        await asyncio.to_thread(self.process.wait)

    async def until_over(self, run_id: str) -> dict[str, Any]:
        """The run once it rests."""
        for _ in range(600):
            run: dict[str, Any] = await self.get(f"/api/runs/{run_id}")
            if run["status"] not in ("queued", "running"):
                return run
            await asyncio.sleep(0.1)
        raise AssertionError(f"run {run_id} is still {run['status']}")


def sse_data(body: str) -> list[Any]:
    """The data of server-sent events; `[DONE]` stays as it is."""
    data = [line.removeprefix("data:").strip() for line in body.splitlines() if line.startswith("data:")]
    return [frame if frame == "[DONE]" else json.loads(frame) for frame in data]


def events_of(frames: list[Any], kind: str | None = None) -> list[dict[str, Any]]:
    """The journal's events among a stream's frames, or those of one type."""
    return [f for f in frames if isinstance(f, dict) and "seq" in f and kind in (None, f["type"])]


def tools_of(frames: list[Any]) -> list[str]:
    """The names of the tools that were started, in order."""
    return [event["payload"]["name"] for event in events_of(frames, "tool_call")]


def deltas_of(frames: list[Any]) -> str:
    """The text that came in pieces."""
    return "".join(f["delta"] for f in frames if isinstance(f, dict) and "delta" in f)


def final_of(frames: list[Any]) -> dict[str, Any]:
    """The last payload frame, which stands before `[DONE]`."""
    assert frames[-1] == "[DONE]"
    return next(f for f in reversed(frames[:-1]) if "phase" in f)


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@asynccontextmanager
async def served(
    place: Installation, *arguments: str, headers: dict[str, str] | None = None, **settings: str
) -> AsyncIterator[Service]:
    """The service, up and answering; it is stopped the polite way at the end. `arguments` are more of `serve`'s."""
    port = free_port()
    process = place.start("serve", *arguments, "--port", str(port), **settings)
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
            for _ in range(600):
                try:
                    if (await client.get("/healthz")).status_code == 200:
                        break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
                if process.poll() is not None:
                    raise AssertionError(f"the server ended: {process.communicate()[0]}")
            else:
                raise AssertionError("the server did not come up")
            yield Service(place, client, process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
