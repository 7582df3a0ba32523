"""Previews with a signed link: they open without the token, one session's and no other's, until they expire."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

import httpx

from loopwright.agents.pages.usecases.live_pages import sign
from tests.support.application import in_process
from tests.support.pages_model import call
from tests.support.scripts import VAGUE, closing

TOKEN = "s3cret-token"
AUTH = {"Authorization": f"Bearer {TOKEN}"}
TWO_PAGES = [
    call("create_design_system", product_type="landing"),
    call("generate_page", slug="index", title="Home", description="A greeting, see menu."),
    call("generate_page", slug="menu", title="Menu", description="Drinks."),
    closing("Two pages.", overview="Two pages."),
]


async def built(client: httpx.AsyncClient) -> str:
    made = await client.post("/api/chat", json={"message": VAGUE}, headers=AUTH)
    assert made.status_code == 200, made.text
    session: str = made.json()["session_id"]
    return session


def later(seconds: int) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def link_to(client: httpx.AsyncClient, session: str, slug: str = "index", **query: str) -> str:
    made = await client.get(f"/api/sessions/{session}/pages/{slug}/preview-link", params=query, headers=AUTH)
    assert made.status_code == 200, made.text
    url: str = made.json()["url"]
    return url


async def test_a_link_opens_the_pages_of_a_session_and_keeps_its_signature(tmp_path: Path) -> None:
    async with in_process(tmp_path, *TWO_PAGES, token=TOKEN) as (client, _):
        session = await built(client)
        plain = f"/api/sessions/{session}/pages/menu"
        assert (await client.get(f"{plain}/preview")).status_code == 401
        assert (await client.get(f"{plain}/preview-link")).status_code == 401
        url = await link_to(client, session, "menu")
        page = await client.get(url)
        assert page.status_code == 200
        assert "<h1>Menu</h1>" in page.text
        policy = page.headers["content-security-policy"]
        assert policy.startswith("sandbox ")
        assert "allow-same-origin" not in policy
        assert "connect-src 'none'" in policy
        assert page.headers["referrer-policy"] == "no-referrer"
        [sibling] = set(re.findall(r'href="(\.\./index/[^"]+)"', page.text))
        home = await client.get(urljoin(url, sibling))
        assert "<h1>Index</h1>" in home.text
        assert (await client.get(f"{url}?version=1")).status_code == 200
        live = await client.get(await link_to(client, session, "menu", live="true"))
        assert live.status_code == 307
        assert (await client.get(urljoin(str(live.url), live.headers["location"]))).text == page.text
        waiting = await client.get(await link_to(client, session, "later", live="true"))
        assert "not being written yet" in waiting.text
        assert (await client.get(f"/api/sessions/{session}/pages/later/preview-link", headers=AUTH)).status_code == 404
        assert (await client.get(f"{plain}/preview-link?seconds=999999", headers=AUTH)).status_code == 422


async def test_a_link_opens_nothing_else(tmp_path: Path) -> None:
    async with in_process(tmp_path, *TWO_PAGES, token=TOKEN) as (client, _):
        session = await built(client)
        grant = sign(TOKEN, session, later(60))
        assert (await client.get(f"/previews/{session}/{grant}/index/preview")).status_code == 200
        until, _, signature = grant.partition("-")
        refused = {
            "another end": f"/previews/{session}/{int(until) + 1}-{signature}/index/preview",
            "another token": f"/previews/{session}/{sign('guess', session, later(60))}/index/preview",
            "another session": f"/previews/{session}/{sign(TOKEN, 'other', later(60))}/index/preview",
            "expired": f"/previews/{session}/{sign(TOKEN, session, later(-1))}/index/preview",
            "cut": f"/previews/{session}/{grant[:-1]}/index/preview",
            "no grant": f"/previews/{session}/x/index/preview",
            "live": f"/previews/{session}/{until}-{'0' * 64}/index/live",
        }
        for why, path in refused.items():
            answer = await client.get(path)
            assert answer.status_code == 403, why
            assert answer.json()["error"]["code"] == "forbidden"
            assert "<h1>" not in answer.text
        assert "expired" in (await client.get(refused["expired"])).text
        for path in (
            f"/previews/{session}/{grant}/index",
            f"/previews/{session}/{grant}/index/versions",
            f"/previews/{session}/{grant}/..%2f..%2findex/preview",
            f"/previews/{session}/{grant}/../../../api/runs",
            "/previews/%2e%2e/api/runs",
            f"/previews/{session}/{grant}",
        ):
            assert (await client.get(path)).status_code in (400, 401, 404), path
        assert (await client.get(f"/previews/{session}/{grant}/%2e%2e%2fsecret/preview")).status_code in (400, 404)
        assert (await client.post(f"/previews/{session}/{grant}/index/preview")).status_code == 405
        assert (await client.get(f"/api/sessions/{session}?grant={grant}")).status_code == 401
        foreign = {"Origin": "https://elsewhere.example"}
        assert (await client.get(f"/previews/{session}/{grant}/index/preview", headers=foreign)).status_code == 403


async def test_without_a_token_the_plain_preview_is_the_link(tmp_path: Path) -> None:
    async with in_process(tmp_path, *TWO_PAGES) as (client, _):
        session = await built(client)
        made = (await client.get(f"/api/sessions/{session}/pages/index/preview-link")).json()
        assert made == {"url": f"/api/sessions/{session}/pages/index/preview", "expires_at": None}
        assert (
            await client.get(f"/previews/{session}/{sign('', session, later(60))}/index/preview")
        ).status_code == 403
