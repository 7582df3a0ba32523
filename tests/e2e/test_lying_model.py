"""A model that says "all done" and has done nothing is believed by no agent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Finished, Installation
from tests.support.lying_model import LyingServer

SECTIONS = ("not_used", "refused", "asked", "assumed")


def _project(folder: Path) -> Path:
    root = folder / "project"
    root.mkdir()
    (root / "shop.py").write_text("def total(prices):\n    return sum(prices)\n", encoding="utf-8")
    return root


def _document(folder: Path) -> Path:
    path = folder / "rules.txt"
    path.write_text("The door MUST close within 3 seconds. The lamp SHOULD be green.\n", encoding="utf-8")
    return path


ASKED: dict[str, Callable[[Path], list[str]]] = {
    "pages": lambda folder: ["pages", "An app called Nettle with a list of 12 herbs, in dark green", "--yes"],
    "designspec": lambda folder: [
        "designspec", "--project-dir", str(folder / "part"), "--message",
        "A box of 40 x 30 x 20 mm with 4 holes of 3 mm", "--approve", "all",
    ],
    "ide": lambda folder: [
        "ide", "Rename total to grand_total in shop.py and add 2 tests", "--root", str(_project(folder)),
        "--mode", "agent", "--yes-to", "read,write,run",
    ],
    "plan": lambda folder: ["plan", "Learn 300 words of Basque by 1 March 2027, never on Sundays", "--yes"],
    "jobs": lambda folder: [
        "jobs", "run", "creator", "--document", str(_document(folder)), "--workspace", str(folder / "work"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("tools", ["native", "schema"])
@pytest.mark.parametrize("agent", ASKED)
async def test_nothing_is_kept_of_what_was_only_said(agent: str, tools: str, tmp_path: Path) -> None:
    arguments = ASKED[agent](tmp_path)
    async with LyingServer() as model:
        done = await _run(Installation(tmp_path), arguments, OPENAI_BASE_URL=model.base_url, MODEL_TOOLS=tools)
    last = done.last
    assert last["type"] in ("complete", "error", "waiting"), done.err
    account: dict[str, list[dict[str, Any]]] = last.get("account") or {}
    for entry in account.get("kept", []):  # what the controller did by itself may be kept: it was measured
        assert entry["evidence"], entry
        assert all(found["after"] for found in entry["evidence"]), entry
    if last["type"] == "complete" and agent in ("ide", "designspec"):  # nothing is done there without the model
        assert not account.get("kept")
        assert any(account.get(section) for section in SECTIONS), "the ending says nothing of what was asked"


async def _run(installation: Installation, arguments: list[str], **settings: str) -> Finished:
    import asyncio

    return await asyncio.to_thread(installation.run, *arguments, "--json", timeout=300, **settings)
