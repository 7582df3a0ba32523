"""Work is replayed against what was answered: the next calls are those that have no result yet."""

import pytest

from loopwright.kernel.messages import Message, ToolCall
from loopwright.kits.dialogue import (
    Call,
    Progress,
    Replay,
    Result,
    Script,
    UnreadableRequest,
    call,
    exchanges,
    follow,
    one,
    read_state,
)

Work = Script[str]
TOOLS = ("read", "add", "next")


def replay(script: Work, called: list[tuple[Call, Result]]) -> tuple[Call, ...] | str:
    """The next calls, or what the script has come to."""
    progress: Progress[str] = Replay(called, TOOLS).carry(script)
    return progress.upcoming or str(progress.outcome)


def work() -> Work:
    read = yield from one(call("read", path="a"))
    added = yield [call("add", text=line) for line in read.text.split()]
    return f"{sum(not each.failed for each in added)} of {len(added)}"


def answered(*pairs: tuple[Call, str]) -> list[tuple[Call, Result]]:
    return [(made, Result(text)) for made, text in pairs]


def test_the_next_calls_are_those_without_a_result() -> None:
    read = (call("read", path="a"), "x y")
    assert replay(work(), []) == (call("read", path="a"),)
    assert replay(work(), answered(read)) == (call("add", text="x"), call("add", text="y"))
    one_done = answered(read, (call("add", text="x"), "ok"))
    assert replay(work(), one_done) == (call("add", text="y"),)
    both = answered(read, (call("add", text="y"), "Error: no"), (call("add", text="x"), "ok"))
    assert replay(work(), both) == "1 of 2"


def test_what_a_compaction_has_cut_is_asked_again_and_nothing_else() -> None:
    kept = answered((call("add", text="x"), "ok"), (call("add", text="y"), "ok"))
    assert replay(work(), kept) == (call("read", path="a"),)
    again = [*kept, *answered((call("read", path="a"), "x y"))]
    assert replay(work(), again) == "2 of 2"


def test_the_same_call_made_twice_has_two_results() -> None:
    def polling() -> Work:
        first = yield from one(call("next"))
        second = yield from one(call("next"))
        return f"{first.text}, then {second.text}"

    assert replay(polling(), answered((call("next"), "1"))) == (call("next"),)
    assert replay(polling(), answered((call("next"), "1"), (call("next"), "2"))) == "1, then 2"


def test_a_tool_that_is_not_there_fails_without_being_called() -> None:
    def careful() -> Work:
        result = yield from one(call("gone"))
        return "went" if not result.failed else result.text

    assert "gone is not available" in str(replay(careful(), []))


def test_arguments_are_compared_as_json_and_many_calls_come_in_portions() -> None:
    def many() -> Work:
        yield [call("add", text=str(number), more=None) for number in range(45)]
        return "done"

    first = replay(many(), [])
    assert not isinstance(first, str)
    assert len(first) == 20
    assert first[0] == Call("add", {"text": "0"})


def test_what_a_dialogue_says_is_read_answer_by_answer() -> None:
    """A call without a result has not happened, and arguments that are no object are like none of a script."""
    made = [ToolCall(id="1", name="read", arguments='{"path": "a"}'), ToolCall(id="2", name="read", arguments="[")]
    messages = [
        Message(role="assistant", content="", tool_calls=made),
        Message(role="tool", content="x", tool_call_id="1"),
        Message(role="tool", content="Error: no\nmore", tool_call_id="2"),
        Message(role="assistant", content="", tool_calls=[ToolCall(id="3", name="add", arguments='{"text": "x"}')]),
    ]
    found = exchanges(messages)
    assert [[each.name for each in exchange.calls] for exchange in found] == [["read", "read"]]
    assert found[0].calls[1].arguments == {"unreadable": "["}
    assert [result.failed for result in found[0].results] == [False, True]
    assert found[0].results[1].first_line == "no"
    progress = follow(work(), found)
    assert progress.upcoming == (call("add", text="x"),)
    assert progress.newest is not None
    assert progress.newest.calls == (call("read", path="a"),)


def test_without_a_state_that_can_be_read_the_request_is_refused_with_the_reason() -> None:
    """No block, no JSON, no object: each is said."""
    assert read_state('{"a": 1}', "state") == {"a": 1}
    for text, why in ((None, "has no state"), ("{", "is not JSON"), ("[]", "is not an object")):
        with pytest.raises(UnreadableRequest, match=why):
            read_state(text, "state")
