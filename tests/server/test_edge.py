"""What is refused at the edge, before a route or the store sees it: with a clear 4xx, never a 5xx."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import TimeoutError as PoolTimeout

from loopwright.stores.errors import StoreUnavailable
from tests.support.application import in_process
from tests.support.scripts import VAGUE, one_page

HUGE = [2**53, 2**63, 10**19, 10**25, 10**400]


@pytest.fixture
async def done(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, str, str]]:
    """A client, and the addresses of a run that is over and of its session."""
    async with in_process(tmp_path, *one_page()) as (client, _):
        chat = (await client.post("/api/chat", json={"message": VAGUE})).json()
        yield client, f"/api/runs/{chat['run_id']}", f"/api/sessions/{chat['session_id']}"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an empty installation."""
    async with in_process(tmp_path) as (opened, _):
        yield opened


def problem(response: httpx.Response) -> str:
    """The code of a refusal; the test fails on anything else."""
    assert 400 <= response.status_code < 500, (response.status_code, response.text)
    assert response.json()["error"]["message"]
    code: str = response.json()["error"]["code"]
    return code


@pytest.mark.parametrize("number", HUGE)
async def test_numbers_that_the_store_cannot_hold(done: tuple[httpx.AsyncClient, str, str], number: int) -> None:
    client, run, session = done
    assert problem(await client.get(f"{run}/events?since_seq={number}")) == "invalid_input"
    for accept in ("application/json", "text/event-stream"):
        headers = {"Last-Event-ID": str(number), "Accept": accept}
        assert problem(await client.get(f"{run}/events", headers=headers)) == "invalid_input"
    for path in ("", "/preview"):
        assert problem(await client.get(f"{session}/pages/home{path}?version={number}")) == "invalid_input"
    assert problem(await client.get(f"{session}/pages/home/diff?from={number}")) == "invalid_input"
    assert problem(await client.post(f"{session}/pages/home/rollback", json={"version": number}))
    assert problem(await client.post(f"{session}/pages/home/restore", json={"version": number}))
    assert problem(await client.post(f"{session}/pages/home/versions/{number}/pin", json={}))


@pytest.mark.parametrize("identifier", ["-1", "1.5", "x", "²", "１", "1 2", "0x1"])
async def test_an_event_id_of_another_stream_is_left_aside(
    done: tuple[httpx.AsyncClient, str, str], identifier: str
) -> None:
    client, run, _ = done
    raw = {b"Last-Event-ID": identifier.encode("utf-8")}
    assert (await client.get(f"{run}/events", headers=raw)).json()["events"][0]["seq"] == 1


def nested(depth: int, opening: str, closing: str) -> str:
    return opening * depth + closing * depth


@pytest.mark.parametrize("depth", [65, 900, 5_000, 500_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
async def test_nesting_has_a_limit(client: httpx.AsyncClient, depth: int, opening: str, closing: str) -> None:
    closing_value = "1" + closing if opening != "[" else closing
    value = opening * depth + closing_value + closing * (depth - 1)
    for path, name in (("/api/runs", "options"), ("/api/chat", "resume"), ("/api/gates/x", "answers")):
        body = f'{{"message": "hi", "agent": "pages", "{name}": {{"a": {value}}}}}'
        response = await client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert problem(response) == "unusable_body"


async def test_brackets_in_texts_are_no_nesting(client: httpx.AsyncClient) -> None:
    message = '[{"' * 200
    response = await client.post("/api/runs", json={"message": message, "agent": "nobody"})
    assert response.status_code == 404


@pytest.mark.parametrize(
    "value",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "9223372036854775808",
        "-9223372036854775809",
        "1" * 5_000,
        r'"\ud800"',
        r'"a\udfff"',
        r'{"\ud800": 1}',
    ],
)
async def test_values_that_no_store_holds(client: httpx.AsyncClient, value: str) -> None:
    body = f'{{"message": "a coffee shop", "options": {{"a": [{value}]}}}}'
    response = await client.post("/api/runs", content=body, headers={"Content-Type": "application/json"})
    assert problem(response) == "unusable_body"
    assert (await client.get("/api/runs")).json()["runs"] == []


async def test_many_small_values_have_a_limit(client: httpx.AsyncClient) -> None:
    """Memory for a parsed value is a hundred times its text."""
    body = '{"options": [' + "[]," * 1_000_000 + "[]]}"
    response = await client.post("/api/runs", content=body, headers={"Content-Type": "application/json"})
    assert problem(response) == "unusable_body"


async def test_a_body_over_the_limit_is_told_as_such(client: httpx.AsyncClient) -> None:
    """Also where its length is not declared."""

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(60):
            yield b"x" * 1_000_000

    response = await client.post("/api/chat", content=pieces(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    assert problem(response) == "too_large"


@pytest.mark.parametrize("host", ["[::1", "[", "]", "[x]", "a@b", "a/b", "a b", "", "localhost:x", "localhost:99999"])
@pytest.mark.parametrize("path", ["/api/runs", "/healthz", "/nowhere", "/previews/a/b/c/preview"])
async def test_a_host_that_is_none(client: httpx.AsyncClient, host: str, path: str) -> None:
    response = await client.get(path, headers={"Host": host})
    assert response.status_code == 400
    assert problem(response) == "bad_host"


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "https://elsewhere.example", "http://127.0.0.1:1", "x"])
async def test_foreign_origins_change_nothing(done: tuple[httpx.AsyncClient, str, str], origin: str) -> None:
    client, run, _ = done
    for method, path in (("POST", f"{run}/cancel"), ("GET", "/api/runs"), ("DELETE", "/api/sessions/x")):
        assert problem(await client.request(method, path, headers={"Origin": origin})) == "foreign_origin"


async def test_nobody_in_particular_changes_nothing(done: tuple[httpx.AsyncClient, str, str]) -> None:
    """Sandboxed frames, and pages that hide where they are, send `null`; it may read, as any link may."""
    client, run, session = done
    for method, path in (
        ("POST", f"{run}/cancel"),
        ("DELETE", session),
        ("PUT", "/api/plans/policy"),
        ("PATCH", f"{session}/product-doc"),
    ):
        assert problem(await client.request(method, path, headers={"Origin": "null"})) == "foreign_origin"
        for site in ("cross-site", "same-site"):
            headers = {"Sec-Fetch-Site": site}
            assert problem(await client.request(method, path, headers=headers)) == "foreign_origin"
    assert (await client.get("/api/runs", headers={"Origin": "null"})).status_code == 200
    own = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
    assert (await client.post(f"{run}/cancel", headers=own)).status_code == 200


@pytest.mark.parametrize("error", [StoreUnavailable("locked"), PoolTimeout("no connection")])
async def test_a_store_that_is_away_is_503(
    done: tuple[httpx.AsyncClient, str, str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    client, run, session = done

    async def away(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr("loopwright.stores.database.Database.read", away)
    for path in ("/healthz", "/api/runs", run, f"{run}/events", session, f"{session}/pages"):
        response = await client.get(path)
        assert response.status_code == 503, path
        assert int(response.headers["Retry-After"]) > 0
        assert response.json()["error"]["code"] == "store_unavailable"


async def test_the_document_bounds_every_number(client: httpx.AsyncClient) -> None:
    """A new parameter without bounds would bring the same failure back."""
    document = (await client.get("/openapi.json")).json()
    unbounded: list[str] = []
    seen: set[str] = set()

    def walk(node: Any, where: str) -> None:
        if isinstance(node, dict):
            if "$ref" in node and node["$ref"] not in seen:
                seen.add(node["$ref"])
                walk(document["components"]["schemas"][node["$ref"].rpartition("/")[2]], node["$ref"])
            if node.get("type") == "integer" and node.get("maximum", node.get("exclusiveMaximum", 2**64)) >= 2**63:
                unbounded.append(where)
            for name, value in node.items():
                walk(value, f"{where}/{name}")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                walk(value, f"{where}/{index}")

    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            walk(operation.get("parameters", []), f"{method} {path}")
            walk(operation.get("requestBody", {}), f"{method} {path}")
    assert not unbounded, json.dumps(unbounded, indent=1)
