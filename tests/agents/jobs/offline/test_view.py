"""What the rules see of a request: which calls belong to the todo under way, also after a compaction or a resume."""

from collections.abc import Sequence
from typing import Any

from loopwright.agents.jobs.offline.job_rules import View
from loopwright.kernel.compaction import slice_dialogue
from loopwright.kernel.messages import Message
from tests.agents.jobs.offline.requests import request, state

Exchange = list[tuple[str, dict[str, Any], str]]


def ask(number: int) -> Exchange:
    return [("next_requirements", {"limit": 8}, f"rows {number}")]


def finish(todo: int, text: str = "Todo is completed.") -> Exchange:
    return [("todo_complete", {"todo_id": todo, "notes": f"note {todo}"}, text)]


def view(exchanges: Sequence[Exchange], *finished: int, briefing: str = "", cut: bool = False) -> View:
    """The view of a phase with four todos; `cut` as a compaction would, `finished` as its new prompt tells."""
    todos = [
        {"id": n, "content": f"Part {n}"} | ({"status": "completed"} if n in finished else {}) for n in range(1, 5)
    ]
    made = request(state(todos=todos), exchanges)
    system, user, *rest = made.messages
    messages = [Message.user(briefing) if briefing else user, *rest]
    if cut:
        kept = slice_dialogue(messages)
        messages = [*kept.head, *kept.tail]
    return View.of([system, *messages], made.tools)


def seen(given: View) -> tuple[int | None, list[str]]:
    return given.todo.id if given.todo else None, [result.text for _, result in given.called]


def test_calls_belong_to_the_todo_after_the_last_one_that_was_completed() -> None:
    assert seen(view([ask(1)])) == (1, ["rows 1"])
    assert seen(view([ask(1), finish(1), ask(2), ask(3)])) == (2, ["rows 2", "rows 3"])
    assert view([ask(1), finish(1)]).todos[0].notes == "note 1"
    refused = view([ask(1), finish(1, "Error: the file is missing")])
    assert seen(refused) == (1, [])
    assert refused.refusals == ("Error: the file is missing",)


def test_after_a_compaction_the_first_exchange_is_not_taken_for_the_todo_under_way() -> None:
    dialogue = [ask(1), finish(1), ask(2), finish(2), ask(3), [("get_requirement", {}, "a")], [("other", {}, "b")]]
    whole = view(dialogue)
    assert seen(whole) == (3, ["rows 3", "a", "b"])
    after = view(dialogue, 1, 2, cut=True)
    assert after.todo is not None
    assert after.todo.id == 3
    assert [result.text for _, result in after.called] == ["a", "b"], "rows 1 is of the first todo, rows 3 was cut out"


def test_a_compaction_within_the_first_todo_loses_no_boundary() -> None:
    dialogue = [ask(1), *([("other", {"n": n}, str(n))] for n in range(6))]
    assert seen(view(dialogue, cut=True)) == (1, ["rows 1", "4", "5"])


def test_a_resumed_phase_goes_on_with_the_todo_that_was_open() -> None:
    briefing = "Phase 2 (tactical) goes on\n\nTodos:\n- [x] 1. Part 1\n- [ ] 2. Part 2\n- [ ] 3. Part 3"
    assert seen(view([ask(2)], 1, briefing=briefing)) == (2, ["rows 2"])
    assert seen(view([ask(2), finish(2)], 1, 2, briefing=briefing)) == (3, [])
