"""A yes reaches as far as the gate has said, and no further."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.contracts import Category
from loopwright.agents.ide.lifecycle import granted
from loopwright.agents.ide.permissions import offered, rule_named
from loopwright.agents.ide.sandbox import can_confine
from loopwright.agents.ide.spec import AGENT
from loopwright.agents.ide.tools import IdeTool
from loopwright.agents.ide.tools.writing import WriteFile
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import GateAnswered, RunResumed
from loopwright.kernel.gates import Finished, Gate, Outcome, Waiting, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.testing import Reply, ScriptedModel, resume_run, start_run
from loopwright.kernel.tools import ToolContext, ToolResult
from tests.agents.ide.acting import ENDING, Account, act

confined = pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces")


def command(text: str, **more: Any) -> Reply:
    return [("run_command", {"command": text, **more})]


def gate_of(outcome: Outcome) -> Gate:
    assert isinstance(outcome, Waiting), outcome
    return outcome.gate


async def answered(account: Account, scope: str, *then: Reply) -> Outcome:
    """How the run goes on after a yes of this scope."""
    gate = gate_of(account.outcome)
    answer = read_answer(gate, {"decision": "approve", "scope": scope})
    events = [GateAnswered(gate_id=gate.gate_id, answer=answer), RunResumed(owner="o", reason="answered")]
    run = resume_run(account.run, payloads=events)
    run.model.script = [*run.model.script, *then]
    return await run_agentic_loop(run)


@pytest.mark.sandbox
@confined
async def test_a_yes_for_the_run_is_one_for_the_prefix(tmp_path: Path) -> None:
    account = await act(tmp_path, command("echo one"), allowed=())
    assert gate_of(account.outcome).details["allows"] == ["run:echo"]
    outcome = await answered(account, "run", command("echo two && echo three"), command("echo four && ls"))
    gate = gate_of(outcome)
    assert gate.details["arguments"]["command"] == "echo four && ls"
    assert gate.details["allows"] == ["run:echo", "run:ls"]


@pytest.mark.sandbox
@confined
@pytest.mark.parametrize(
    "text",
    ["./echo x", "sh -c 'echo x'", "PATH=. echo x", "export PATH=.; echo x", "echo $(ls)", "echo x > y", "env echo x"],
)
async def test_what_only_looks_like_the_prefix_is_asked_about_and_allowed_once(text: str, tmp_path: Path) -> None:
    account = await act(tmp_path, command("echo one"), allowed=())
    gate = gate_of(await answered(account, "run", command(text)))
    assert gate.details["arguments"]["command"] == text
    assert gate.details["allows"] == []
    for scope in ("run", "always"):
        with pytest.raises(InvalidInput, match="this call alone"):
            read_answer(gate, {"decision": "approve", "scope": scope})
    assert read_answer(gate, {"decision": "approve", "scope": "once"})["scope"] == "once"


@pytest.mark.sandbox
@confined
async def test_a_yes_for_once_is_for_once(tmp_path: Path) -> None:
    account = await act(tmp_path, command("echo one"), allowed=())
    gate_of(await answered(account, "once", command("echo one")))


@pytest.mark.parametrize("risk", ["with_network", "unsandboxed"])
async def test_a_risk_of_its_own_is_offered_for_this_call_alone(risk: str, tmp_path: Path) -> None:
    account = await act(
        tmp_path, [(f"run_command_{risk}", {"command": "pytest"})], always=["run:pytest"], allowed=("run",)
    )
    assert gate_of(account.outcome).details["allows"] == []


@pytest.mark.sandbox
@confined
async def test_what_is_allowed_for_good_is_not_asked_about(tmp_path: Path) -> None:
    done = await act(tmp_path, command("echo one; ls"), *ENDING, allowed=(), always=["run:echo", "run:ls"])
    assert isinstance(done.outcome, Finished)
    asked = await act(tmp_path, command("echo one; ls"), allowed=(), always=["run:ls", "write", "protected", "run"])
    gate_of(asked.outcome)


@pytest.mark.sandbox
@confined
async def test_yes_to_run_is_for_all_commands_in_the_sandbox(tmp_path: Path) -> None:
    done = await act(tmp_path, command("sh -c 'echo $((1 + 1))' > two"), *ENDING, allowed=("run",))
    assert isinstance(done.outcome, Finished)
    assert (tmp_path / "two").read_text() == "2\n"


async def test_no_category_implies_another(tmp_path: Path) -> None:
    write = [("write_file", {"path": "a.txt", "content": "a"})]
    for allowed in (("run",), ("protected",), ("run", "protected")):
        asked = await act(tmp_path, write, allowed=allowed, always=["run:write", "protected"])
        assert gate_of(asked.outcome).details["allows"] == ["write"]
    assert isinstance((await act(tmp_path, write, *ENDING, allowed=(), always=["write"])).outcome, Finished)


class TouchesGit(IdeTool[Any]):
    """A tool whose call changes a file that other programs trust."""

    name = "touches_git"
    category = "write"

    def category_of(self, arguments: Mapping[str, Any], root: Path) -> Category:
        return "protected"

    async def execute(self, params: Any, ctx: ToolContext[Any]) -> ToolResult:
        raise AssertionError("it is not run here")


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"allowed": ["read", "write", "run"]}, False),
        ({"allowed": ["protected"]}, True),
        ({"allowed": [], "always": ["write", "run", "run:git commit"]}, False),
        ({"allowed": [], "always": ["protected"]}, True),
    ],
)
def test_what_other_programs_trust_needs_a_yes_of_its_own(options: dict[str, Any], allowed: bool) -> None:
    run = start_run(AGENT, ScriptedModel([]), options=options)
    assert granted(run, TouchesGit(), {}) is allowed


async def test_a_yes_to_writing_for_the_run_is_none_to_what_other_programs_trust(tmp_path: Path) -> None:
    write = [("write_file", {"path": "a.txt", "content": "a"})]
    account = await act(tmp_path, write, allowed=())
    gate = gate_of(account.outcome)
    events = [GateAnswered(gate_id=gate.gate_id, answer={"decision": "approve", "scope": "run"})]
    run = resume_run(account.run, payloads=[*events, RunResumed(owner="o", reason="answered")])
    assert granted(run, WriteFile(), write[0][1])
    assert not granted(run, TouchesGit(), {})


@pytest.mark.parametrize(
    ("text", "rule"),
    [("write", "write"), ("protected", "protected"), ("pytest", "run:pytest"), ("run:git  commit", "run:git commit")],
)
def test_a_rule_is_named_by_the_user(text: str, rule: str) -> None:
    assert rule_named(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "run",
        "run:",
        "",
        "git",
        "git commit -m x",
        "pytest tests",
        "a && b",
        "sh",
        "python",
        "*",
        "./x",
        "x" * 300,
        "read -r",
    ],
)
def test_what_says_more_or_less_than_a_prefix_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        rule_named(text)


def test_a_gate_shows_what_a_lasting_yes_allows() -> None:
    assert offered({"allows": ["run:git commit", "run:pytest"]}) == "git commit …, pytest …"
    assert offered({"allows": []}) == offered({}) == ""
    assert "other programs trust" in offered({"allows": ["protected"]})
