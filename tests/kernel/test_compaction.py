"""Long dialogues become short ones, and nothing that matters is lost."""

import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.compaction import AU2, DIMENSIONS, CompactionResult, read_summary, slice_dialogue
from loopwright.kernel.errors import ModelUnavailable
from loopwright.kernel.events import Pinned
from loopwright.kernel.gates import Cancelled, Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.messages import ConversationContext, Message, ToolCall, units
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.testing import ScriptedModel, SummaryModel, check_compaction_strategy, start_run
from loopwright.kernel.testing.conformance import GOOD_SUMMARY, dialogue
from tests.kernel.toys import World, answer, journal_of, play, stored, toy_spec, types

PROMPTS = PromptRepository({})


async def test_au2_keeps_what_every_strategy_must_keep():
    await check_compaction_strategy(AU2(max_messages=20))
    await check_compaction_strategy(AU2(max_messages=12, max_tokens=3_000))


async def lossy(strategy, context, model, prompts):
    return CompactionResult(context.messages[-3:], {})


async def parting(strategy, context, model, prompts):
    return CompactionResult([context.newest_user, *(m for m in context.messages[-4:] if m.role == "tool")], {})


async def changing(strategy, context, model, prompts):
    context.messages.pop()
    return await AU2.compact(strategy, context, model, prompts)


async def trusting(strategy, context, model, prompts):
    text = (await model.complete(None)).text
    return CompactionResult([context.newest_user], {"goal": text})


@pytest.mark.parametrize("method", [lossy, parting, changing, trusting])
async def test_the_check_finds_strategies_that_lose_something(method):
    strategy = type("Bad", (AU2,), {"compact": method})(max_messages=20)
    with pytest.raises(AssertionError):
        await check_compaction_strategy(strategy)


def messages(count: int) -> ConversationContext:
    context = ConversationContext()
    for number in range(count):
        context.add(Message.user(f"{number}") if number % 2 == 0 else Message.assistant(f"{number}"))
    return context


def test_au2_is_due_at_twenty_messages():
    assert not AU2(max_messages=20).due(messages(19))
    assert AU2(max_messages=20).due(messages(20))
    assert not AU2().due(messages(20)), "a count is asked for, it is not the rule"


def test_au2_is_due_at_its_tokens():
    context, strategy = messages(40), AU2(max_messages=1_000, max_tokens=1_000)
    context.add(Message.user("x" * 2_400))
    assert not strategy.due(context)
    context.add(Message.assistant("x" * 300))
    assert strategy.due(context)


def test_nothing_is_due_while_there_is_nothing_to_compress():
    context = messages(6)
    context.add(Message.assistant("x" * 400_000))
    assert not AU2().due(context)


def test_a_giant_that_stays_does_not_make_every_step_pay_for_a_summary():
    context = ConversationContext()
    context.add(Message.user("x" * 30_000))
    due = []
    for number in range(40):
        context.add(Message.assistant(f"step {number}" + "y" * 90))
        due.append(AU2(max_messages=1_000, max_tokens=5_000).due(context))
    assert 15 < due.index(True) < 30


async def test_the_first_two_and_the_last_four_messages_stay():
    context = messages(24)
    result = await AU2().compact(context, SummaryModel(), PROMPTS)
    assert result is not None
    assert [m.content for m in result.messages] == ["0", "1", "20", "21", "22", "23"]
    assert set(result.summary) == set(DIMENSIONS)


async def test_the_summary_comes_from_the_fast_tier_and_is_made_of_the_earlier_one():
    context, model = dialogue(20), SummaryModel()
    context.replace(context.messages, {"goal": "an app for tea"})
    await AU2().compact(context, model, PROMPTS)
    request = model.requests[0]
    assert request.tier == "fast"
    assert request.messages[0].content.startswith("[task: kernel/compact]\n")
    material = json.loads(request.messages[1].content)
    assert material["earlier_summary"] == {"goal": "an app for tea"}
    assert material["conversation"][0]["role"] in ("assistant", "user")
    assert all(f'"step {n}"' in request.messages[1].content for n in range(2, 17))


async def test_a_malformed_summary_is_asked_for_once_more():
    class SecondTime(SummaryModel):
        async def complete(self, request):
            self.answer = GOOD_SUMMARY if self.requests else "Sure! Here it is."
            return await super().complete(request)

    model = SecondTime()
    assert await AU2().compact(dialogue(20), model, PROMPTS) is not None
    assert "eight keys" in model.requests[1].messages[-1].content


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        (GOOD_SUMMARY, True),
        (f"```json\n{GOOD_SUMMARY}\n```", True),
        (f"Here: {GOOD_SUMMARY} Good luck.", True),
        (json.dumps({key: ["a", "b"] for key in DIMENSIONS}), True),
        (json.dumps(dict.fromkeys(DIMENSIONS, "")), False),
        (json.dumps(dict.fromkeys(DIMENSIONS[:-1], "x")), False),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, False),
        ("} {", False),
    ],
)
def test_reading_a_summary(text, readable):
    assert (read_summary(text) is not None) == readable


@given(st.text())
def test_reading_any_text_as_a_summary(text):
    assert read_summary(text) is None or set(read_summary(text) or ()) == set(DIMENSIONS)


@st.composite
def dialogues(draw):
    made: list[Message] = []
    for number in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(["user", "text", "calls"]))
        if kind == "user":
            made.append(Message.user(draw(st.sampled_from(["yes", "no", "go on"]))))
        elif kind == "text":
            made.append(Message.assistant(f"a{number}"))
        else:
            calls = [ToolCall(id=f"{number}.{i}", name="t") for i in range(draw(st.integers(1, 5)))]
            made += [Message.assistant("", calls), *(Message.tool(call.id, "r") for call in calls)]
    return made


@given(dialogues(), st.integers(0, 4), st.integers(1, 8), st.booleans())
def test_slicing_parts_no_pair_and_loses_nothing(made, head, tail, named):
    users = [m for m in made if m.role == "user"]
    cut = slice_dialogue(made, head, tail, newest_user=users[-1] if named and users else None)
    pieces = [*cut.head, *cut.middle, *cut.tail]
    assert sorted(map(str, pieces)) == sorted(map(str, made))
    for part in (cut.head, cut.middle, cut.tail):
        for unit in units(part):
            assert [call.id for call in unit[0].tool_calls] == [m.tool_call_id for m in unit[1:]]
    assert len(cut.head) >= min(head, len(made))
    assert len(cut.tail) >= min(tail, len(made) - len(cut.head))
    if users:
        place = max(i for i, m in enumerate(made) if m.role == "user")
        assert len(cut.middle) == 0 or made[place] in (*cut.head, *cut.tail)
    assert [m for m in cut.middle if m.role != "user"] == [m for m in made if m in cut.middle and m.role != "user"]


LOOK = [("look", {"thing": "a"})]


def short(**more):
    return toy_spec(compaction=AU2(max_messages=10), **more)


async def test_a_long_run_is_compacted_and_goes_on():
    model = ScriptedModel([*[LOOK] * 5, GOOD_SUMMARY, *[LOOK] * 2, GOOD_SUMMARY, "Done."])
    run = start_run(short(), model, "Make a cup.", services=World())
    assert await play(run) == Finished("Done.")
    model.assert_done()
    first, _ = stored(run, "compacted")
    assert first["tokens_after"] < first["tokens_before"]
    assert first["messages"][0]["content"] == "Make a cup."
    assert "so it was" in model.requests[8].messages[1].content  # the summary of the summary
    assert model.requests[9].messages[0].content.count("so it was") == len(DIMENSIONS)
    assert model.requests[9].messages[1].content == "Make a cup."


@pytest.mark.parametrize("failure", [ModelUnavailable("away"), "not JSON at all"])
async def test_a_failed_summary_changes_nothing_and_is_tried_again_later(failure):
    twice = [failure] if isinstance(failure, Exception) else [failure] * 2
    model = ScriptedModel([*[LOOK] * 5, *twice, *[LOOK] * 5, GOOD_SUMMARY, "Done."])
    run = start_run(short(), model, services=World())
    assert await play(run) == Finished("Done.")
    model.assert_done()
    assert types(run).count("compaction_failed") == types(run).count("compacted") == 1
    after = model.requests[5 + len(twice)]
    assert len(after.messages) == 1 + 1 + 2 * 5


async def test_cancelled_while_a_summary_is_made_the_model_is_asked_no_more():
    def cancels(request):
        journal_of(run).cancel_requested.add(run.state.run_id)
        return GOOD_SUMMARY

    model = ScriptedModel([*[LOOK] * 5, cancels])
    run = start_run(short(), model, services=World())
    assert await play(run) == Cancelled()
    assert types(run)[-3:] == ["compacted", "prompt_set", "run_cancelled"]


async def test_pins_and_the_users_word_and_an_open_gate_survive():
    async def prompt(run):
        return "You are a toy."

    ask = ("ask_user", {"questions": [{"question": "Which?", "type": "text"}]})
    model = ScriptedModel([*[LOOK] * 5, GOOD_SUMMARY, [ask], "Done."])
    run = start_run(short(system_prompt=prompt), model, "Make a cup.", services=World())
    await run.enter("start")
    await run.append(Pinned(key="plan", text="cup first"))
    outcome = await run_agentic_loop(run)
    assert isinstance(outcome, Waiting)
    assert "cup first" in model.requests[6].messages[0].content
    _, outcome = await answer(run, outcome, {"0": "blue"})
    assert outcome == Finished("Done.")
    assert "blue" in model.requests[7].messages[-1].content
    assert "Make a cup." in [m.content for m in model.requests[7].messages]


async def test_the_prefix_keeps_its_bytes_between_compactions_and_messages_are_serialised_once():
    model = ScriptedModel([*[LOOK] * 5, GOOD_SUMMARY, *[LOOK] * 2, GOOD_SUMMARY, "Done."])
    await play(start_run(short(), model, services=World()))
    turns = [request for request in model.requests if request.labels.stage == "work"]
    grown = 0
    for before, after in itertools.pairwise(turns):
        if len(after.messages) > len(before.messages):
            grown += 1
            for old, new in zip(before.messages, after.messages, strict=False):
                assert old.wire is new.wire
    assert grown == 5


def test_a_pin_is_shown_from_the_next_change_on_and_the_same_after_a_resume():
    context = ConversationContext()
    context.set_system("You are a toy.")
    head = context.build_messages()[0]
    context.pins["plan"] = "late"
    assert context.build_messages()[0] is head
    context._head = None  # what a resumed run starts with
    assert context.build_messages()[0] == head
    context.set_system("You are a toy.")
    assert "late" in context.build_messages()[0].content


def test_the_controller_is_not_the_user():
    context = dialogue(12, said_at=5)
    assert context.messages[-1] != context.newest_user
    assert replace(context).newest_user == Message.user("request 5")
    cut = slice_dialogue(context.messages, newest_user=context.newest_user)
    assert context.newest_user in cut.tail


@pytest.mark.parametrize(("windows", "due"), [(None, False), (3, False), (1, True)])
def test_it_is_due_at_half_of_the_models_window(windows, due):
    context = messages(40)
    context.window = None if windows is None else windows * context.estimate_tokens()
    assert AU2().due(context) == due


async def test_the_window_is_that_of_the_model_which_answers_next():
    look = [("look", {"thing": "a"})]
    run = start_run(toy_spec(compaction=AU2()), ScriptedModel([look, "Done."], window=8_192), services=World())
    await play(run)
    assert run.state.context.window == 8_192
