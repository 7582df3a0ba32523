"""Checks of pages over HTTP, and the repairs that need no judgement."""

from pathlib import Path

from tests.support.application import in_process
from tests.support.scripts import VAGUE, one_page


async def test_what_is_wrong_is_told_and_mended(tmp_path: Path) -> None:
    async with in_process(tmp_path, *one_page()) as (client, _):
        session = (await client.post("/api/chat", json={"message": VAGUE})).json()["session_id"]
        root = f"/api/sessions/{session}/check"
        good = (await client.get(root, params={"act": True})).json()
        assert good["good"] is True
        assert {verdict["outcome"] for verdict in good["pages"][0]["act"]} >= {"passed"}
        path = tmp_path / "out" / session / "pages" / "index.html"
        path.write_text(path.read_text(encoding="utf-8").replace(' lang="en"', ""), encoding="utf-8")
        bad = (await client.get(root, params={"page": "index"})).json()
        assert bad["good"] is False
        assert [issue["rule"] for issue in bad["pages"][0]["report"]["issues"]] == ["html-lang"]
        mended = (await client.post(f"{root}/fix")).json()["repaired"]
        assert list(mended) == ["index"]
        assert (await client.get(root)).json()["good"] is True
        assert (await client.get(root, params={"page": "nope"})).status_code == 404
