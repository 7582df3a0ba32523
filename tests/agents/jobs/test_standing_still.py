"""A phase whose model goes round in circles ends, and one that gets on does not."""

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from loopwright.agents.jobs.phases.entering import MOST_REPEATS, repeats
from loopwright.kernel.messages import Message, ToolCall
from loopwright.kernel.testing.runs import Reply
from tests.support.reading_job import STANDARD, read

LOOK: Reply = [("list_files", {"path": ""})]
READ: Reply = [("read_file", {"path": "instructions.md"})]


@pytest.mark.parametrize("answers", [[LOOK], [LOOK, READ]])
async def test_a_model_that_only_repeats_itself_is_sent_back_and_then_stopped(
    tmp_path: Path, answers: list[Reply]
) -> None:
    again: Iterator[Reply] = cycle(answers)
    async with read(tmp_path, {"lamps.txt": STANDARD}, lambda _: next(again), kind="frontier") as (_, played):
        failed = played.events[-1]
        assert failed.type == "run_failed", failed.payload
        assert failed.payload["code"] == "no_usable_answer"
        assert "repeat earlier calls" in failed.payload["message"]
        assert played.state.steps < 4 * MOST_REPEATS


def test_a_repeat_is_the_same_call_with_the_same_result() -> None:
    def step(number: int, arguments: str, result: str) -> list[Message]:
        call = ToolCall(id=f"c{number}", name="read_file", arguments=arguments)
        return [Message.assistant("", [call]), Message.tool(call.id, result)]

    same = [message for number in range(4) for message in step(number, "{}", "a")]
    assert repeats(same) == 3
    assert repeats([*same, Message.user("Go on."), *step(4, "{}", "a")]) == 4
    assert repeats([*same, *step(4, "{}", "b")]) == 0, "another result tells something new"
    assert repeats([*same, *step(4, '{"page": 2}', "a")]) == 0, "another call does something new"
