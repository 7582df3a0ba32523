"""What a running tool may say and spend."""

import asyncio

import pytest

from loopwright.kernel.crash import arm, disarm
from loopwright.kernel.events import Pinned
from loopwright.kernel.gates import Finished
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.state import RunState
from loopwright.kernel.testing import (
    Death,
    MemoryJournal,
    MortalJournal,
    ScriptedModel,
    check_journal,
    resume_run,
    start_run,
)
from loopwright.kernel.tools import ToolResult
from tests.kernel.toys import TOOLS, Draft, Toy, World, journal_of, play, stored, toy_spec

DRAFT = ("draft", {"thing": "page"})


@pytest.fixture(autouse=True)
def nothing_stays_armed():
    yield
    disarm()


def with_tool(tool, **more):
    return toy_spec(tools=(tool, *(each for each in TOOLS if each.name != tool.name)), **more)


async def test_nested_calls_are_labelled_metered_and_journalled():
    model = ScriptedModel([[DRAFT], "one", "two", "Done."])
    run = start_run(toy_spec(), model, services=World())
    seen = []
    run.sink = lambda run_id, kind, data: seen.append((kind, data))
    await play(run)
    assert model.requests[1].labels.stage == "draft"
    assert model.requests[1].labels.run_id == run.state.run_id
    assert [answer["text"] for answer in stored(run, "tool_model_response")] == ["one", "two"]
    assert run.state.tokens == 4 * 15
    assert ("progress", {"call_id": "s1c1-call_0_0", "message": "drafting", "thing": "page"}) in seen
    assert model.requests[3].messages[-1].content == "one two"


@pytest.mark.parametrize("hits", [1, 2])
async def test_after_a_crash_stored_answers_are_not_asked_for_again(hits):
    journal, model = MortalJournal(), ScriptedModel([[DRAFT], "one", "two", "Done."])
    run = start_run(toy_spec(), model, journal=journal, services=World())
    arm("tool.model_answered", journal.die, hits=hits)
    with pytest.raises(Death):
        await play(run)
    disarm()
    assert await play(resume_run(run)) == Finished("Done.")
    model.assert_done()
    assert [m.content for m in model.requests[-1].messages if m.role == "tool"] == ["one two"]
    check_journal(journal.events[run.state.run_id])


class Insistent(Draft):
    """Asks the same thing until it likes the answer."""

    async def act(self, params, ctx):
        request = ModelRequest([Message.user("A colour?")])
        texts = [(await ctx.llm_client.complete(request)).text for _ in range(3)]
        return ToolResult(success=True, output=" ".join(texts))


async def test_asking_twice_for_the_same_gives_two_answers_also_after_a_crash():
    journal, model = MortalJournal(), ScriptedModel([[DRAFT], "red", "green", "blue", "Done."])
    run = start_run(with_tool(Insistent()), model, journal=journal, services=World())
    arm("tool.model_answered", journal.die, hits=2)
    with pytest.raises(Death):
        await play(run)
    disarm()
    await play(resume_run(run))
    assert model.requests[-1].messages[-1].content == "red green blue"


class SideBySide(Draft):
    async def act(self, params, ctx):
        requests = [ModelRequest([Message.user(f"part {i}")]) for i in range(5)]
        answers = await asyncio.gather(*(ctx.llm_client.complete(request) for request in requests))
        for number in range(3):
            ctx.event_emitter.progress("written", part=number)
            await ctx.event_emitter.record(Pinned(key=f"part {number}", text="done"))
        return ToolResult(success=True, output=" ".join(answer.text for answer in answers))


class SlowJournal(MemoryJournal):
    """Takes its time for every append."""

    async def append(self, claim, after_seq, payloads, update=None):
        await asyncio.sleep(0.001)
        return await super().append(claim, after_seq, payloads, update)


async def test_nested_calls_side_by_side_keep_the_journal_whole():
    replies = [lambda request: f"<{request.messages[-1].content}>"] * 5
    model = ScriptedModel([[DRAFT], *replies, "Done."], latency=0.001)
    run = start_run(with_tool(SideBySide()), model, journal=SlowJournal(), services=World())
    await play(run)
    assert model.requests[-1].messages[-1].content == "<part 0> <part 1> <part 2> <part 3> <part 4>"
    events = journal_of(run).events[run.state.run_id]
    check_journal(events)
    assert RunState.fold("r", events).context.pins == run.state.context.pins


class RecordsTooLong(Toy):
    """Its time is up while its record is being stored."""

    name, effect, timeout_seconds = "sleep", "idempotent", 0.005

    async def act(self, params, ctx):
        await ctx.event_emitter.record(Pinned(key="plan", text="half stored?"))
        raise AssertionError("the time limit did not hold")


class ThreadedJournal(MemoryJournal):
    """Writes what it was given even when its caller has gone, as a writer in a thread does."""

    async def append(self, claim, after_seq, payloads, update=None):
        writing = asyncio.ensure_future(self.write(claim, after_seq, payloads, update))
        return await asyncio.shield(writing)

    async def write(self, claim, after_seq, payloads, update):
        if any(isinstance(payload, Pinned) for payload in payloads):
            await asyncio.sleep(0.02)
        return await super().append(claim, after_seq, payloads, update)


async def test_a_time_out_never_breaks_off_an_append():
    model = ScriptedModel([[("sleep", {"thing": "x"})], "Done."])
    run = start_run(with_tool(RecordsTooLong()), model, journal=ThreadedJournal(), services=World())
    assert await play(run) == Finished("Done.")
    assert "did not finish" in stored(run, "tool_result")[0]["output"]
    assert [pin["text"] for pin in stored(run, "pinned")] == ["half stored?"]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_an_answer_written_inside_a_tool_is_told_of(monkeypatch: pytest.MonkeyPatch):
    """Who watches sees that something comes; a broken answer counts anew."""
    told = []
    monkeypatch.setattr("loopwright.kernel.emitter.PROGRESS_SECONDS", 0.0)

    class Dripping(ScriptedModel):
        async def complete(self, request, on_delta=None):
            for piece in ("half an ans", "", "an ", "answer") if on_delta and len(self.requests) == 1 else ():
                on_delta(piece)
            return await super().complete(request)

    run = start_run(toy_spec(), Dripping([[("draft", {"thing": "letter"})], "one", "two", "done"]), services=World())
    run.sink = lambda run_id, kind, data: told.append(data["message"]) if kind == "progress" else None
    await play(run)
    assert [message for message in told if "characters" in message] == [
        "draft: 11 characters so far",
        "draft: 0 characters so far",
        "draft: 3 characters so far",
        "draft: 9 characters so far",
    ]
