"""Who is let in: the token, foreign origins, foreign host names, oversized bodies."""

import asyncio
import signal
from pathlib import Path

import httpx

from tests.support.commands import Installation
from tests.support.service import served


def test_binding_beyond_loopback_needs_a_token(tmp_path: Path) -> None:
    """Refused at start, with what to do."""
    done = Installation(tmp_path).run("serve", "--host", "0.0.0.0", "--port", "0")
    assert done.code == 2
    assert "LOOPWRIGHT_TOKEN" in done.err


async def test_without_a_token_only_this_machine_is_served(tmp_path: Path) -> None:
    """Another site's page, or a name that merely resolves to this machine, gets nothing."""
    async with served(Installation(tmp_path)) as service:
        foreign = await service.client.get("/api/runs", headers={"Origin": "https://elsewhere.example"})
        assert foreign.status_code == 403
        assert "access-control-allow-origin" not in foreign.headers
        rebound = await service.client.get("/api/runs", headers={"Host": "elsewhere.example"})
        assert rebound.status_code == 421
        assert await status_of_declared(service.client.base_url, 10**9) == 413
        api = await service.get("/openapi.json")
        assert "/api/chat/stream" in api["paths"]


async def status_of_declared(url: httpx.URL, length: int) -> int:
    """The status of a request that announces a body of this length and sends none of it."""
    reader, writer = await asyncio.open_connection(url.host, url.port)
    head = f"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"
    writer.write(head.encode())
    line = await asyncio.wait_for(reader.readline(), 10)
    writer.close()
    await writer.wait_closed()
    return int(line.split()[1])


async def test_ctrl_c_is_how_a_server_is_stopped(tmp_path: Path) -> None:
    """It shuts down in order, and that is no failure."""
    async with served(Installation(tmp_path)) as service:
        service.process.send_signal(signal.SIGINT)
        out, _ = await asyncio.to_thread(service.process.communicate, timeout=20)
        assert service.process.returncode == 0
        assert "Finished server process" in out
        assert "Traceback" not in out


async def test_the_token_is_asked_for(tmp_path: Path) -> None:
    """Every route but the health check wants it; a wrong one is refused."""
    headers = {"Authorization": "Bearer s3cret"}
    async with served(Installation(tmp_path), headers=headers, LOOPWRIGHT_TOKEN="s3cret") as service:
        assert (await service.client.get("/api/runs")).status_code == 200
        for wrong in ({"Authorization": "Bearer no"}, {"Authorization": ""}):
            assert (await service.client.get("/api/runs", headers=wrong)).status_code == 401
        assert (await service.client.get("/healthz", headers={"Authorization": ""})).status_code == 200
