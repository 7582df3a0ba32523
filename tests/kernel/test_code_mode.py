"""Code mode: a script calls tools, and each call goes the way of a model's own."""

import asyncio
import importlib.util
from collections import Counter
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from loopwright.kernel.budget import BudgetLimits, CodeLimits
from loopwright.kernel.code_mode import RunCode
from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Cancelled, Failed, Finished, Outcome, Waiting, default_answers
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.state import RunState
from loopwright.kernel.testing import (
    Death,
    MortalJournal,
    ScriptedModel,
    as_response,
    check_journal,
    resume_run,
    start_run,
)
from loopwright.kernel.tools import ToolResult
from tests.kernel.toys import NAMES, TOOLS, Look, Params, Toy, World, answer, journal_of, play, stored, toy_spec
from tests.shape.source import ROOT
from tests.shape.test_readme import blocks

pytest.importorskip("pydantic_monty", reason="the extra `code` is not installed")

IN_CODE = NAMES - {"ask_user"}


def spec(*tools: Any, limits: Limits | None = None, in_code: frozenset[str] = IN_CODE, **more: Any) -> AgentSpec:
    named = {tool.name for tool in tools}
    policy = StagePolicy(NAMES | named, permission=frozenset({"pay"}), code=in_code | named)
    every = (*tools, *(tool for tool in TOOLS if tool.name not in named))
    return toy_spec(stages=[Stage("work", policy)], tools=every, limits=limits, **more)


async def run_script(code: str, *tools: Any, world: World | None = None, **more: Any) -> tuple[AgentRun, Outcome]:
    model = ScriptedModel([[("run_code", {"code": code})], "Done."])
    run = start_run(spec(*tools, **more), model, services=world or World())
    outcome = await play(run)
    check_journal(journal_of(run).events[run.state.run_id], over=not isinstance(outcome, Waiting))
    return run, outcome


async def outcome_of(code: str, *tools: Any, **more: Any) -> dict[str, Any]:
    """The result of the script, as the model reads it."""
    run, _ = await run_script(code, *tools, **more)
    return stored(run, "tool_result")[-1]


async def test_a_script_calls_tools_and_the_model_reads_only_what_it_prints():
    world = World(things={"a": "1", "b": "22"})
    code = 'for name in ["a", "b"]:\n    print(name, len(await look(name)))\nawait put(thing="c", value="3")'
    run, outcome = await run_script(code, world=world)
    assert outcome == Finished("Done.")
    assert world.things["c"] == "3"
    assert stored(run, "tool_result")[-1]["output"] == "a 1\nb 2\nc = 3"
    assert [message.role for message in run.state.context.messages] == ["user", "assistant", "tool", "assistant"]


async def test_each_call_has_its_own_events_below_those_of_the_script():
    run, _ = await run_script('await look("a")\nawait asyncio.gather(look("b"), put("c", "1"))')
    assert [(e["call_id"], [c["id"] for c in e["calls"]]) for e in stored(run, "inner_calls_asked")] == [
        ("s1c1-call_0_0", ["s1c1-call_0_0.1"]),
        ("s1c1-call_0_0", ["s1c1-call_0_0.2", "s1c1-call_0_0.3"]),
    ]
    started = [(call["call_id"], call["name"], call["effect"]) for call in stored(run, "tool_call")]
    assert started == [
        ("s1c1-call_0_0", "run_code", "idempotent"),
        ("s1c1-call_0_0.1", "look", "pure"),
        ("s1c1-call_0_0.2", "look", "pure"),
        ("s1c1-call_0_0.3", "put", "idempotent"),
    ]


async def test_readers_run_side_by_side():
    world = World(barrier=asyncio.Barrier(3))  # each waits for the other two
    run, _ = await run_script('await asyncio.gather(look("a"), look("b"), look("c"))', world=world)
    assert [result["success"] for result in stored(run, "tool_result")] == [True] * 4


async def test_writers_that_may_touch_anything_run_in_the_order_of_the_script():
    world = World()
    await run_script('await asyncio.gather(send("a"), send("b"), send("c"))', world=world)
    assert world.sent == ["a", "b", "c"]


async def test_the_model_is_told_of_the_functions_and_not_of_the_tools():
    model = ScriptedModel(["Done."])
    await play(start_run(spec(), model, services=World()))
    assert set(model.requests[0].tools.names) == {"ask_user", "run_code"}
    told = next(s["function"] for s in model.requests[0].tools.schemas if s["function"]["name"] == "run_code")
    assert "async def look(thing: str, value: str = ...) -> str:" in told["description"]
    assert "thing: The thing's name" in told["description"]


async def test_a_small_model_is_offered_scripts_too():
    names = frozenset({"look", "put", "send"})
    policy = StagePolicy(names, code=frozenset({"put"}), small=frozenset({"look"}))
    model = ScriptedModel(["Done."], kind="small")
    await play(start_run(toy_spec(stages=[Stage("work", policy)]), model, services=World()))
    assert set(model.requests[0].tools.names) == {"look", "run_code", "more_tools"}


async def test_a_stage_without_the_tool_refuses_it_to_scripts_too():
    stages = [
        Stage("work", StagePolicy(frozenset({"look", "move"}), code=frozenset({"look", "move"}))),
        Stage("more", StagePolicy(frozenset({"send"}), code=frozenset({"send"}))),
    ]
    transitions = [Transition("work", "text", COMPLETE), Transition("more", "text", COMPLETE)]
    code = 'try:\n    await send("x")\nexcept RuntimeError as error:\n    print(error)'
    world = World()
    model = ScriptedModel([[("run_code", {"code": code})], "Done."])
    run = start_run(toy_spec(stages=stages, transitions=transitions), model, services=world)
    await play(run)
    assert "send is not available in stage 'work'" in stored(run, "tool_result")[-1]["output"]
    assert world.sent == []


async def test_wrong_arguments_and_failures_are_exceptions_of_the_script():
    code = 'try:\n    await {call}\nexcept RuntimeError as error:\n    print("caught", error)'
    assert "caught Error: break failed" in (await outcome_of(code.format(call='broken("x")'), Named()))["output"]
    unchecked = Limits(code=CodeLimits(checked=False))
    told = (await outcome_of(code.format(call='look("x", "y", nothing=1)'), limits=unchecked))["output"]
    assert "caught Error: Invalid arguments for look:\n- nothing: Extra inputs" in told


class Named(Toy):
    """Fails always; `break` is a keyword, so the tool needs another name to be called by."""

    name, effect = "broken", "pure"

    async def act(self, params: Params, ctx: Any) -> ToolResult:
        return ToolResult.failure(f"break failed for {params.thing}")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('x = 1\ny = x / 0', "ZeroDivisionError: division by zero\n  line 2: y = x / 0"),
        ('await look("a")\nawait fly()', "It was not run:\nscript.py:2:7: error[unresolved-reference] Name `fly`"),
        ('await look("a", fly=1)', "It was not run:\nscript.py:1:17: error[unknown-argument]"),
        ('look("a")', "It was not run:\nscript.py:1:1: warning[unused-awaitable]"),
        ("await look(3)", "RuntimeError: Error: Invalid arguments for look:\n- thing: Input should be a valid string"),
        ("def f(:", "error[invalid-syntax]"),
        ('x = look("a")\nprint("p")', "Not awaited, and so not run: look. Write `await look(...)`."),
        ("while True:\n    pass", "TimeoutError: feed time limit exceeded"),
        ('x = "aaaaaaaaaaaaaaaa"\nwhile True:\n    x += x', "MemoryError: memory limit exceeded"),
        ("for n in range(20):\n    await look(str(n))", "It made more than 10 calls."),
        ("import os\nos.environ", "'os.environ' is not supported in this environment"),
        ("import datetime\ndatetime.datetime.now()", "'datetime.now' is not supported in this environment"),
        ("import pathlib\npathlib.Path('/etc/passwd').read_text()", "PermissionError: Permission denied"),
        ("import socket", "It was not run:\nscript.py:1:8: error[unresolved-import] Cannot resolve"),
    ],
)  # fmt: skip
async def test_what_is_wrong_with_a_script_is_told_with_its_line(code, told):
    limits = Limits(code=CodeLimits(seconds=0.3, memory_mb=20, calls=10))
    result = await outcome_of(code, limits=limits)
    assert not result["success"]
    assert told in result["output"]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('found = re.match("x", "xy")\nprint(found.group(0))', "x"),
        ('rows = {"a": {"n": 1, "t": "x"}, "b": {"n": 2, "t": "y"}}\nmax(rows, key=lambda k: -rows[k]["n"])', "a"),
        ('async def main():\n    print(await look("a"))\nasyncio.run(main())', "nothing"),
        ('print(await look("a"), "ü", json.dumps([1]))', "nothing ü [1]"),
        (
            'print(await asyncio.gather(*[f("a") for f in [look, look]]), await asyncio.sleep(60))',
            "['nothing', 'nothing'] None",
        ),
    ],
)
async def test_doubts_of_the_type_checker_hold_back_no_script(code, told):
    assert (await outcome_of(code))["output"] == told


async def test_what_was_done_and_printed_before_an_error_is_told():
    told = (await outcome_of('print("so far")\nawait put("a", "1")\n1 / 0'))["output"]
    assert "These calls were made before it, and are not undone: put." in told
    assert told.endswith("Printed before:\nso far")


async def test_output_is_cut_off_and_says_so():
    told = (await outcome_of('print("x" * 500)', limits=Limits(code=CodeLimits(output=100))))["output"]
    assert told == "x" * 100 + "\n… 401 more characters were cut off: print less."


class Item(BaseModel):
    """One line of an order."""

    sku: str
    price: float
    kind: Literal["good", "service"] = "good"


class Order(BaseModel):
    """What the tool promises."""

    number: int
    items: list[Item]


class OrderTool(Toy):
    name, effect, result_model = "get-order", "pure", Order

    async def act(self, params: Params, ctx: Any) -> ToolResult:
        items = [{"sku": "a", "price": 2.5}, {"sku": "b", "price": 4}]
        found: dict[str, Any] = {"number": 7, "items": items} if params.thing == "7" else {"items": items}
        return ToolResult(success=True, output="An order of two items.", artifacts=found)


async def test_a_tool_that_promises_data_gives_data():
    code = 'order = await get_order("7")\nsum(item["price"] for item in order["items"])'
    assert (await outcome_of(code, OrderTool()))["output"] == "6.5"
    text = RunCode([OrderTool()]).signatures.text
    assert "class GetOrderItem(TypedDict):\n    sku: str\n    price: float\n" in text
    assert '    kind: NotRequired[Literal["good", "service"]]' in text.replace("'", '"')
    assert "async def get_order(thing: str, value: str = ...) -> GetOrderResult:" in text


async def test_a_tool_that_breaks_its_promise_of_data_fails():
    told = await outcome_of('await get_order("8")', OrderTool())
    assert "its artifacts are not what it declares: - number: Field required" in told["output"]


async def test_a_budget_that_is_spent_within_a_script_ends_the_run():
    limits = Limits(budget=BudgetLimits(max_tokens_per_run=40))
    model = ScriptedModel([[("run_code", {"code": 'await draft("x")\nawait draft("y")'})], "one", "two", "three"])
    run = start_run(spec(limits=limits), model, services=World())
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "budget_exceeded"


async def test_a_gate_within_a_script_rests_the_run_and_what_was_done_is_not_repeated():
    world = World()
    code = 'await send("letter")\nprint(await pay("rent"))\nprint(await pay("gas"))'
    run, waiting = await run_script(code, world=world)
    assert isinstance(waiting, Waiting)
    assert (waiting.gate.call_id, waiting.gate.title) == ("s1c1-call_0_0.2", "Allow pay?")
    assert world.sent == ["letter"]
    run, waiting = await answer(run, waiting, {"decision": "approve"})
    assert isinstance(waiting, Waiting)
    assert world.sent == ["letter", "rent"]
    run, outcome = await answer(run, waiting, {"decision": "reject", "comment": "too dear"})
    assert outcome == Finished("Done.")
    assert world.sent == ["letter", "rent"]
    told = stored(run, "tool_result")[-1]["output"]
    assert 'The user did not allow pay. They said: "too dear"' in told
    assert "sent rent" in told
    check_journal(journal_of(run).events[run.state.run_id])


async def test_questions_asked_within_a_script_leave_the_script_open():
    questions = '[{"question": "Which?", "type": "radio", "options": ["A", "B"]}]'
    run, waiting = await run_script(f"print(await ask_user({questions}))", in_code=NAMES)
    assert isinstance(waiting, Waiting)
    run, outcome = await answer(run, waiting, {"0": "B"})
    assert outcome == Finished("Done.")
    assert stored(run, "tool_result")[-1]["output"] == "{'Which?': 'B'}"


async def test_a_call_that_ends_the_run_ends_it_when_the_script_is_done():
    stages = [Stage("work", StagePolicy(frozenset({"move", "look"}), code=frozenset({"move", "look"})))]
    table = [Transition("work", "finish", COMPLETE)]
    model = ScriptedModel([[("run_code", {"code": 'await move("finish")\nprint("last words")'})]])
    run = start_run(toy_spec(stages=stages, transitions=table), model, services=World())
    assert isinstance(await play(run), Finished)
    assert stored(run, "tool_result")[-1]["output"] == "last words"
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_cancelled_run_closes_every_call_of_its_script():
    class Cancelling(Look):
        async def act(self, params, ctx):
            run.cancel()
            await asyncio.sleep(30)
            raise AssertionError("it was not cancelled")

    model = ScriptedModel([[("run_code", {"code": 'await look("a")\nawait send("b")'})]])
    run = start_run(spec(Cancelling()), model, services=World())
    assert await play(run) == Cancelled()
    assert run.services.sent == []
    assert [result["call_id"] for result in stored(run, "tool_result")] == ["s1c1-call_0_0.1", "s1c1-call_0_0"]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_chance_is_the_same_each_time_a_script_runs():
    """Else a script that is run again after a gate would go another way."""
    code = 'n = random.randint(0, 10**9)\nawait put("n", str(n))\nawait pay("x")\nprint(n)'
    world = World()
    run, waiting = await run_script(code, world=world)
    run, outcome = await answer(run, waiting, {"decision": "approve"})
    assert outcome == Finished("Done.")
    assert stored(run, "tool_result")[-1]["output"] == world.things["n"]


def test_without_the_interpreter_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("loopwright.kernel.code_mode.find_spec", lambda name: None)
    with pytest.raises(Misconfigured) as caught:
        spec().registry()
    assert caught.value.hint == "Install it: pip install 'loopwright[code]'."
    assert importlib.util.find_spec("pydantic_monty") is not None


STORY = """
found = await asyncio.gather(look("a"), look("b"))
await put("a", str(len(found)))
await send("letter")
print(await draft("page"))
for name in ["rent", "gas"]:
    try:
        print(await pay(name))
    except RuntimeError as error:
        print(str(error).splitlines()[0])
await asyncio.gather(put("c", "3"), put("d", "4"))
print(await look("a"))
"""


class Story:
    """A model that knows by the run's steps what it has to say; its drafts are told by what is asked of it."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.steps = ScriptedModel([])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.steps, name)

    async def complete(self, request: Any, on_delta: Any = None) -> Any:
        if request.labels.stage == "draft":
            self.asked[request.messages[-1].content] += 1
            return as_response(f"<{request.messages[-1].content}>")
        asked = any(message.tool_calls for message in request.messages)
        return as_response("All done." if asked else [("run_code", {"code": STORY})])


async def carry(journal: MortalJournal) -> tuple[AgentRun, World, Story]:
    world, model = World(), Story()
    run = start_run(spec(), model, journal=journal, services=world)
    while True:
        try:
            outcome = await play(run)
        except Death:
            disarm()
            if stored(run, "run_completed"):
                return resume_run(run), world, model
            run = resume_run(run)
            continue
        if not isinstance(outcome, Waiting):
            assert outcome == Finished("All done.")
            return run, world, model
        answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=default_answers(outcome.gate))
        run = resume_run(run, payloads=[answered])


def check_story(journal: MortalJournal, run: AgentRun, world: World, model: Story) -> None:
    events = journal.events[run.state.run_id]
    check_journal(events)
    told_unknown = [r["name"] for r in stored(run, "tool_result") if "outcome is unknown" in (r["error"] or "")]
    asked_again = sum("run it again?" in opened["title"] for opened in stored(run, "gate_opened"))
    assert world.sent.count("letter") in ((0, 1) if told_unknown else (1,)), "never repeated unasked"
    assert world.sent.count("rent") + world.sent.count("gas") <= 2 + asked_again
    done = Counter((call["call_id"], call["attempt"]) for call in stored(run, "tool_call"))
    assert set(done.values()) == {1}
    results = Counter(result["call_id"] for result in stored(run, "tool_result"))
    assert set(results.values()) == {1}, "a finished call is never repeated"
    if "send" not in told_unknown:  # the script was not told of an unknown outcome: it came to its own end
        assert world.things == {"a": "2", "c": "3", "d": "4"}
        last = stored(run, "tool_result")[-1]
        assert (last["name"], last["output"].splitlines()[-1]) == ("run_code", "2")
        assert sum(model.asked.values()) <= 2 + journal.deaths
    folded = RunState.fold("r", events)
    assert [m.to_dict() for m in folded.context.messages] == [m.to_dict() for m in run.state.context.messages]


@pytest.mark.parametrize("stored_first", [False, True], ids=["before", "after"])
async def test_a_script_survives_a_death_at_every_append(stored_first):
    calm = MortalJournal()
    check_story(calm, *await carry(calm))
    for nth in range(1, calm.appends + 1):
        journal = MortalJournal(dies_at=[nth], stored=stored_first)
        run, world, model = await carry(journal)
        assert journal.deaths == 1
        check_story(journal, run, world, model)


@pytest.mark.parametrize("point", ["calls.nested", "tool.executed"])
async def test_a_script_survives_a_death_at_every_hit_of_a_crash_point(point):
    hit = 0
    while True:
        hit += 1
        journal = MortalJournal()
        arm(point, journal.die, hits=hit)
        try:
            run, world, model = await carry(journal)
        finally:
            disarm()
        if not journal.deaths:
            break
        check_story(journal, run, world, model)
    assert hit > 1


async def test_a_script_survives_many_deaths():
    journal = MortalJournal(dies_at=range(3, 60, 4))
    run, world, model = await carry(journal)
    assert journal.deaths > 5
    check_story(journal, run, world, model)


async def test_the_document_shows_what_runs():
    """The policy of `docs/code-mode.md`, and the script that it lets a model write."""
    policy, script = blocks((ROOT / "docs" / "code-mode.md").read_text(encoding="utf-8"), "python")
    made: dict[str, Any] = {}
    exec(policy, made)
    model = ScriptedModel([[("run_code", {"code": script})], "Done."])
    run = start_run(toy_spec(stages=[Stage("work", made["policy"])]), model, services=World(things={"a": "due"}))
    run, outcome = await answer(run, await play(run), {"decision": "approve"})
    assert outcome == Finished("Done.")
    assert run.services.sent == ["rent"]
    assert stored(run, "tool_result")[-1]["output"] == "2 looked at"


async def test_what_a_script_has_not_begun_when_the_stage_changes_is_not_run():
    names = frozenset({"move", "send"})
    stages = [Stage("work", StagePolicy(names, code=names))]
    code = 'try:\n    await asyncio.gather(move("finish"), send("x"))\nexcept RuntimeError as error:\n    print(error)'
    model = ScriptedModel([[("run_code", {"code": code}), ("send", {"thing": "y"})]])
    spec = toy_spec(stages=stages, transitions=[Transition("work", "finish", COMPLETE)])
    run = start_run(spec, model, services=World())
    assert isinstance(await play(run), Finished)
    assert run.services.sent == []
    told = {result["call_id"]: result["output"] for result in stored(run, "tool_result")}
    assert sum("Not run: the stage changed first." in output for output in told.values()) == 3
    check_journal(journal_of(run).events[run.state.run_id])
