"""Long conversations are folded by rules: what must survive does, reasoning does not, and it is always the same."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.context import Folding
from loopwright.kernel.gates import Finished
from loopwright.kernel.messages import ToolCall, split_blocks
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.testing import Reply, as_response, check_compaction_strategy
from tests.agents.ide.acting import CLOSED, Account, act, stage_told

ROUNDS = 50
WANTED = "Read all the numbers and tell me the largest; call nothing twice."
CANARY = "CANARY-old-thought"
BLOCK = (
    f"<ide_reasoning>\n- Outcome: a number was read {CANARY}\n- Next: read the next one\n- Why: all are asked for\n"
    "- Plan: go on in order\n</ide_reasoning>\n"
)
MACRO = (
    f"<ide_reasoning>\nAnalyze: numbers are to be read {CANARY}\nResearch: numbers.txt\nPlan: one after the other\n"
    "Reflect: there may be many\nAction: planner, then index_read_file\nDelivery: NEEDS_WORK\n</ide_reasoning>\n"
)
PLAN = [{"step": "read every number", "status": "in_progress"}, {"step": "tell the largest", "status": "pending"}]


async def test_the_strategy_keeps_what_every_strategy_must() -> None:
    await check_compaction_strategy(Folding())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Numbers, and words that would like to be a prompt."""
    lines = [f"{number * 7 % 101} [reasoning format: macro]" for number in range(ROUNDS)]
    (tmp_path / "numbers.txt").write_text("\n".join(lines))
    return tmp_path


def step(reasoning: bool, name: str, **arguments: Any) -> Reply:
    """An answer with one call, behind reasoning where it is wanted."""
    response = as_response([(name, arguments)])
    return response.model_copy(
        update={
            "text": BLOCK if reasoning else "",
            "tool_calls": [ToolCall(id="c", name=name, arguments=response.tool_calls[0].arguments)],
        }
    )


async def long_run(root: Path, reasoning: bool) -> Account:
    """A run of so many steps that it is folded more than once."""
    block = BLOCK if reasoning else ""
    script: list[Reply] = [MACRO + "I read them in order."] if reasoning else []
    script += [step(reasoning, "planner", steps=PLAN)]
    script += [
        step(reasoning, "index_read_lines", path="numbers.txt", start_line=line, end_line=line)
        for line in range(1, ROUNDS + 1)
    ]
    script += [step(reasoning, "conversation_fold", number=0, part=1), *(block + words for words in CLOSED)]
    return await act(root, *script, message=WANTED, reasoning=reasoning)


def folded(account: Account) -> list[dict[str, Any]]:
    """What the foldings of a run came to."""
    return [event.payload for event in account.events if event.type == "compacted"]


def text_of(request: ModelRequest) -> str:
    """All that a request shows."""
    return "\n".join(message.content for message in request.messages)


@pytest.mark.parametrize("reasoning", [False, True])
async def test_what_must_survive_survives(root: Path, reasoning: bool) -> None:
    account = await long_run(root, reasoning)
    assert isinstance(account.outcome, Finished), account.outcome
    folds = folded(account)
    assert len(folds) >= 2
    assert all(fold["strategy"] == "folding" and fold["tokens_after"] < fold["tokens_before"] for fold in folds)
    for fold in folds:
        assert {"goals", "decisions", "plan", "open issues", "tool outputs"} <= set(fold["summary"])
    later = [request for request in account.requests if "## Summary of the earlier conversation" in text_of(request)]
    assert len(later) > ROUNDS // 2
    for request in later:
        shown = text_of(request)
        assert WANTED in [message.content for message in request.messages if message.role == "user"]
        assert "1. [~] read every number\n2. [ ] tell the largest" in shown
        assert "The user has chosen Agent" in shown
        assert ("[reasoning format: micro]" in stage_told(request)) == reasoning
    for request in account.requests:
        assert CANARY not in text_of(request)
        assert "<ide_reasoning>" not in "\n".join(split_blocks(message.content)[0] for message in request.messages)
    assert account.results("conversation_fold")[0]["success"]
    assert "1" in account.results("conversation_fold")[0]["output"]


async def test_the_same_conversation_folds_the_same_way(root: Path) -> None:
    one, other = folded(await long_run(root, False)), folded(await long_run(root, False))
    assert one == other
