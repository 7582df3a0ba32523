"""Work on a project without a language model: questions, a rename with its tests, permissions, undo; CLI and HTTP."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.ide.offline.playing import SHOP, project
from tests.support.clock import pinned
from tests.support.service import Service, served

BROKEN = {**SHOP, "shop/orders.py": SHOP["shop/orders.py"].replace("return subtotal", "return subtotal + 1")}


def unchanged(root: Path) -> bool:
    """Whether every file of the project has its first bytes."""
    return all((root / path).read_bytes() == text.encode() for path, text in SHOP.items())


def test_a_question_is_answered_in_chat_and_nothing_is_touched(tmp_path: Path) -> None:
    root = project(tmp_path)
    done = pinned(tmp_path).run("ide", "where is total defined?", "--root", str(root), "--mode", "chat", "--json")
    assert done.code == 0, done.err
    assert (done.last["type"], done.last["mode"]) == ("complete", "chat")
    assert "shop/orders.py:4" in done.last["message"]
    assert unchanged(root)


@pytest.mark.sandbox
def test_a_rename_keeps_the_tests_green_and_is_undone_to_the_byte(tmp_path: Path) -> None:
    place, root = pinned(tmp_path), project(tmp_path)
    wish = "rename total to sum_of and run the tests"
    done = place.run("ide", wish, "--root", str(root), "--yes-to", "write,run", "--reasoning", "on", "--qa", "--json")
    assert done.code == 0, done.err
    assert done.last["delivery"]["state"] == "DONE"
    assert "exit code 0: 2 passed, 0 failed" in done.last["message"]
    assert done.last["changed_files"] == ["shop/__init__.py", "shop/cli.py", "shop/orders.py", "tests/test_orders.py"]
    assert done.last["qa_report"]["findings"] == []
    stages = [line["payload"]["stage"] for line in done.lines if line["type"] == "reasoning_recorded"]
    assert stages[0] == "warmup"
    assert {"act", "tool_followup", "qa_review"} <= set(stages)
    assert not any(line["type"] == "controller_message" for line in done.lines), "nothing had to be sent back"
    undone = place.run("ide", "undo", "--root", str(root), "--yes-to", "write", "--json")
    assert undone.last["delivery"]["state"] == "DONE", undone.last["message"]
    assert unchanged(root)


@pytest.mark.sandbox
def test_failing_tests_are_named_with_their_places(tmp_path: Path) -> None:
    root = project(tmp_path, BROKEN)
    done = pinned(tmp_path).run("ide", "run the tests", "--root", str(root), "--yes-to", "run", "--qa", "--json")
    assert "2 failed, 0 passed" in done.last["message"]
    assert " at tests/test_orders.py:11" in done.last["message"]
    found = {(each["file"], each["line"]) for each in done.last["qa_report"]["findings"]}
    assert found == {("tests/test_orders.py", 11), ("tests/test_orders.py", 14)}


def test_permission_is_waited_for_and_a_yes_goes_on(tmp_path: Path) -> None:
    place, root = pinned(tmp_path), project(tmp_path)
    waiting = place.run("ide", 'replace "adds up" with "sums up" in README.md', "--root", str(root), "--json")
    assert waiting.code == 3, waiting.err
    gate = waiting.last["gate"]
    assert gate["details"]["tool"] == "replace_all_in_file"
    assert "+A small program that sums up orders." in gate["details"]["diff"]
    assert unchanged(root)
    done = place.run("runs", "answer", waiting.last["run_id"], "--approve", "--json")
    assert (done.code, done.last["delivery"]["state"]) == (0, "DONE"), done.err
    assert "sums up" in (root / "README.md").read_text()


def test_a_no_is_respected_and_said(tmp_path: Path) -> None:
    place, root = pinned(tmp_path), project(tmp_path)
    waiting = place.run("ide", "delete README.md", "--root", str(root), "--json")
    assert waiting.code == 3, waiting.err
    done = place.run("runs", "answer", waiting.last["run_id"], "--reject", "--json")
    assert done.last["type"] == "complete"
    assert "The user did not allow delete_file" in done.last["message"]
    assert done.last["delivery"]["state"] == "NEEDS_WORK"
    assert unchanged(root)


def test_what_rules_cannot_do_is_said_plainly(tmp_path: Path) -> None:
    root = project(tmp_path)
    done = pinned(tmp_path).run("ide", "add a cache", "--root", str(root), "--yes", "--json")
    assert "needs a language model" in done.last["message"]
    assert done.last["delivery"]["state"] == "NEEDS_WORK"
    assert unchanged(root)


async def test_a_change_over_http(tmp_path: Path) -> None:
    root = project(tmp_path)
    async with served(pinned(tmp_path)) as service:
        first = await message(service, root=str(root), message="rename total to sum_of")
        assert first["status"] == "waiting_input"
        [gate] = (await service.get("/api/gates"))["gates"]
        yes = {"decision": "approve", "scope": "once"}
        answered = await service.client.post(f"/api/gates/{gate['gate_id']}", json=yes)
        assert answered.status_code < 300, answered.text
        run = await service.until_over(first["run_id"])
        assert run["status"] == "completed"
        assert "def sum_of" in (root / "shop/orders.py").read_text()
        conversation = f"/api/ide/conversations/{run['session_id']}"
        undone = await service.client.post(f"{conversation}/checkpoints/undo", json={})
        assert undone.status_code == 200, undone.text
    assert unchanged(root)


async def message(service: Service, **body: Any) -> dict[str, Any]:
    """Send a message and follow its run until it rests."""
    sent = await service.client.post("/api/ide/messages", json=body)
    assert sent.status_code == 201, sent.text
    return await service.until_over(sent.json()["run_id"])
