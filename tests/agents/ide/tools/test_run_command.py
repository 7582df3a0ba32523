"""`run_command`: what it tells the model, and what needs a yes of its own although running is allowed."""

from pathlib import Path

import pytest

from loopwright.agents.ide.sandbox import can_confine
from loopwright.agents.ide.tools import run_command as tool
from loopwright.kernel.gates import Finished, Waiting
from tests.agents.ide.acting import ENDING, Account, act

confined = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces"),
]


async def call(root: Path, command: str, *, ending: bool = True, tool: str = "run_command") -> Account:
    """A run with one call; running is allowed."""
    return await act(root, [(tool, {"command": command})], *(ENDING if ending else ()), allowed=["run"])


class TestInTheSandbox:
    pytestmark = confined

    async def test_the_model_reads_how_it_ended(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        account = await call(tmp_path, command="cd inner; pwd; echo wrong >&2; exit 3")
        (result,) = account.results("run_command")
        assert not result["success"]
        assert result["output"].startswith("Error: [exit code 3, ")
        assert result["output"].splitlines()[1:] == [str(tmp_path / "inner"), "wrong"]
        assert (result["artifacts"]["exit_code"], result["artifacts"]["confined"]) == (3, True)
        (quiet,) = (await call(tmp_path, command="true")).results("run_command")
        assert quiet["success"]
        assert quiet["output"].endswith("\n(no output)")

    async def test_a_limit_of_time_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tool, "MOST_SECONDS", 1)
        (result,) = (await call(tmp_path, command="sleep 303")).results("run_command")
        assert "stopped: it took more than 1 seconds" in result["output"]

    @pytest.mark.parametrize("wanted", ["with_network", "unsandboxed"])
    async def test_leaving_needs_a_yes_of_its_own(self, tmp_path: Path, wanted: str) -> None:
        account = await call(tmp_path, ending=False, command="touch made", tool=f"run_command_{wanted}")
        assert isinstance(account.outcome, Waiting)
        gate = account.outcome.gate
        assert gate.kind == "permission"
        assert ("outside the sandbox" if wanted == "unsandboxed" else "with the network") in gate.title
        assert gate.details["leaves_sandbox"] is (wanted == "unsandboxed")
        assert gate.details["network"] is True
        assert not (tmp_path / "made").exists()


async def test_without_a_sandbox_every_command_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "can_confine", lambda: False)
    account = await call(tmp_path, ending=False, command="touch made")
    assert isinstance(account.outcome, Waiting)
    assert "outside the sandbox (this machine has no bubblewrap)" in account.outcome.gate.title
    assert not (tmp_path / "made").exists()


async def test_a_sandbox_that_is_gone_is_not_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was there when the call was looked at, and is not when it is made."""
    answers = iter([True])
    monkeypatch.setattr(tool, "can_confine", lambda: next(answers, False))
    account = await call(tmp_path, command="touch made")
    assert isinstance(account.outcome, Finished)
    (result,) = account.results("run_command")
    assert "nobody has allowed to leave it" in result["output"]
    assert not (tmp_path / "made").exists()


async def test_an_argument_that_the_tool_does_not_have_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    account = await act(tmp_path, [("run_command", {"command": "true", "network": True})], *ENDING, allowed=())
    (result,) = account.results("run_command")
    assert "network: Extra inputs are not permitted" in result["output"]
