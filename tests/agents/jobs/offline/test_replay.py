"""Work is replayed against what was answered: the next calls are those that have no result yet."""

from loopwright.agents.jobs.offline.replay import Work, call, one, replay
from loopwright.agents.jobs.offline.view import Call, Result

TOOLS = ("read", "add", "next")


def work() -> Work:
    read = yield from one(call("read", path="a"))
    added = yield [call("add", text=line) for line in read.text.split()]
    return f"{sum(each.ok for each in added)} of {len(added)}"


def answered(*pairs: tuple[Call, str]) -> list[tuple[Call, Result]]:
    return [(made, Result(not text.startswith("Error:"), text)) for made, text in pairs]


def test_the_next_calls_are_those_without_a_result() -> None:
    read = (call("read", path="a"), "x y")
    assert replay(work(), [], TOOLS) == [call("read", path="a")]
    assert replay(work(), answered(read), TOOLS) == [call("add", text="x"), call("add", text="y")]
    one_done = answered(read, (call("add", text="x"), "ok"))
    assert replay(work(), one_done, TOOLS) == [call("add", text="y")]
    both = answered(read, (call("add", text="y"), "Error: no"), (call("add", text="x"), "ok"))
    assert replay(work(), both, TOOLS) == "1 of 2"


def test_what_a_compaction_has_cut_is_asked_again_and_nothing_else() -> None:
    kept = answered((call("add", text="x"), "ok"), (call("add", text="y"), "ok"))
    assert replay(work(), kept, TOOLS) == [call("read", path="a")]
    again = [*kept, *answered((call("read", path="a"), "x y"))]
    assert replay(work(), again, TOOLS) == "2 of 2"


def test_the_same_call_made_twice_has_two_results() -> None:
    def polling() -> Work:
        first = yield from one(call("next"))
        second = yield from one(call("next"))
        return f"{first.text}, then {second.text}"

    assert replay(polling(), answered((call("next"), "1")), TOOLS) == [call("next")]
    assert replay(polling(), answered((call("next"), "1"), (call("next"), "2")), TOOLS) == "1, then 2"


def test_a_tool_that_is_not_there_fails_without_being_called() -> None:
    def careful() -> Work:
        result = yield from one(call("gone"))
        return "went" if result.ok else result.text

    assert "gone is not available" in str(replay(careful(), [], TOOLS))


def test_arguments_are_compared_as_json_and_many_calls_come_in_portions() -> None:
    def many() -> Work:
        yield [call("add", text=str(number), more=None) for number in range(45)]
        return "done"

    first = replay(many(), [], TOOLS)
    assert not isinstance(first, str)
    assert len(first) == 20
    assert first[0] == Call("add", {"text": "0"})
