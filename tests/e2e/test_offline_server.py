"""The offline model as a server of its own: any client of the wire can use it, this application's included."""

import asyncio
from pathlib import Path

import httpx

from tests.support.commands import Installation
from tests.support.service import free_port


async def test_an_app_is_built_through_the_served_offline_model(tmp_path: Path) -> None:
    """The same pages as in-process, over a port, without a key; the model says what it is."""
    place, port = Installation(tmp_path), free_port()
    process = place.start("offline-model", "--port", str(port))
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/v1") as client, asyncio.timeout(30):
            while True:
                try:
                    models = (await client.get("/models")).json()
                    break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
        assert models["data"]
        arguments = ("pages", "a coffee shop app with 2 pages", "--yes", "--json")
        url = f"http://127.0.0.1:{port}/v1"
        served = await asyncio.to_thread(place.run, *arguments, OPENAI_BASE_URL=url)
        inside = await asyncio.to_thread(place.run, *arguments)
        assert (served.code, inside.code) == (0, 0), served.out[-500:]
        assert served.last["model"] == inside.last["model"]
        assert "offline" in served.last["model"]
        assert pages_of(served.last["session_dir"]) == pages_of(inside.last["session_dir"])
    finally:
        process.terminate()
        await asyncio.to_thread(process.communicate)


def pages_of(folder: str) -> dict[str, str]:
    """The session's pages by their names."""
    return {path.stem: path.read_text(encoding="utf-8") for path in Path(folder).glob("pages/*.html")}
