"""Folding over dialogues of every shape: what must survive does, however often a conversation is folded."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.agents.ide.context import KEYS, LONGEST_LINE, MOST, PINNED, Folding
from loopwright.kernel.messages import ConversationContext, Message, ToolCall, units
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.testing import SummaryModel, check_compaction_strategy

THOUGHT = "<ide_reasoning>CANARY</ide_reasoning>"
PINS = {"plan": "1. [~] first this", "mode": "agent", "reasoning": "on", "open issues": "- a test is missing"}

names = st.sampled_from(["index_read_file", "write_file", "run_command", "planner"])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
sizes = st.sampled_from([0, 10, 4_000])


@st.composite
def rounds(draw: st.DrawFn) -> list[Message]:
    """An answer of the model with its calls and their results, or words of its own, the user's, the controller's."""
    kind = draw(st.sampled_from(["calls", "calls", "calls", "words", "user"]))
    if kind == "user":
        return [Message.user(draw(texts))]
    said = draw(st.sampled_from(["", THOUGHT, f"{THOUGHT} then words", "words alone"]))
    if kind == "words":
        return [Message.assistant(said + "ReasoningOutcome:\nplan_delta: go on\nnext_action: read")]
    calls = [
        ToolCall(id=f"c{draw(st.integers(0, 10**9))}-{n}", name=draw(names), arguments='{"path": "a.py"}')
        for n in range(draw(st.integers(1, 3)))
    ]
    results = [Message.tool(call.id, draw(texts) + "x" * draw(sizes)) for call in calls]
    return [Message.assistant(said, calls), *results]


def conversation(pieces: Sequence[Sequence[Message]], said_at: int) -> ConversationContext:
    """A dialogue in which the user spoke last before this piece."""
    context = ConversationContext(system="You are an agent.", pins=dict(PINS))
    context.set_system(context.system)
    for number, piece in enumerate(pieces):
        if number == said_at:
            context.newest_user = Message.user(f"what I want, said at {number}")
            context.add(context.newest_user)
        for message in piece:
            context.add(message)
    return context


async def test_it_holds_what_every_strategy_must_at_other_thresholds() -> None:
    await check_compaction_strategy(Folding())
    await check_compaction_strategy(Folding(max_messages=12))
    await check_compaction_strategy(Folding(max_messages=1_000, max_tokens=5_000))


@settings(max_examples=60)
@given(
    st.lists(rounds(), min_size=8, max_size=40),
    st.integers(0, 7),
    st.builds(Folding, max_messages=st.sampled_from([8, 20, 40]), max_tokens=st.sampled_from([2_000, 40_000])),
)
async def test_folded_again_and_again(pieces: list[list[Message]], said_at: int, folding: Folding) -> None:
    context = conversation(pieces, said_at)
    for grown in range(4):
        before, earlier = list(context.messages), dict(context.summary)
        if folding.due(context):
            result = await folding.compact(context, SummaryModel(), PromptRepository({}))
            again = await folding.compact(context, SummaryModel(), PromptRepository({}))
            assert result is not None
            assert result == again
            context.replace(result.messages, result.summary)
            assert len(context.messages) < len(before)
            check_kept(context, before)
            check_summary(context, earlier)
            assert not folding.due(context)
        context.add(Message.assistant("", [ToolCall(id=f"later{grown}", name="planner")]))
        context.add(Message.tool(f"later{grown}", "done"))
        for piece in pieces:
            for message in piece:
                context.add(message)


def check_kept(context: ConversationContext, before: Sequence[Message]) -> None:
    """The newest user message is there; calls stand with their results; nothing is new, and the order is the same."""
    assert context.newest_user in context.messages
    older = iter(before)
    assert all(message in older for message in context.messages)
    for unit in units(context.messages):
        assert [call.id for call in unit[0].tool_calls] == [message.tool_call_id for message in unit[1:]]
    head = context.build_messages()[0].content
    assert all(text in head for text in PINS.values())


def check_summary(context: ConversationContext, earlier: dict[str, str]) -> None:
    """All dimensions, each bounded; no reasoning; what stands pinned is not said twice."""
    assert set(context.summary) == set(KEYS)
    assert (context.summary["plan"], context.summary["open issues"]) == (PINNED, PINNED)
    for key, most in MOST.items():
        lines = context.summary[key].splitlines()
        assert len(lines) <= most
        assert all(len(line) <= LONGEST_LINE for line in lines)
    assert "CANARY" not in context.build_messages()[0].content
    first = earlier.get("goals", "").splitlines()[:1]
    assert context.summary["goals"].splitlines()[:1] == (first or context.summary["goals"].splitlines()[:1])


async def test_results_of_what_changed_something_go_before_those_of_readers() -> None:
    context = ConversationContext()
    context.newest_user = Message.user("do it")
    context.add(context.newest_user)
    for number in range(30):
        name = "run_command" if number == 2 else "index_read_file"
        context.add(Message.assistant("", [ToolCall(id=f"c{number}", name=name, arguments='{"command": "make"}')]))
        context.add(Message.tool(f"c{number}", "[exit code 2] Error 1" if number == 2 else f"line {number}"))
    result = await Folding().compact(context, SummaryModel(), PromptRepository({}))
    assert result is not None
    outputs = result.summary["tool outputs"].splitlines()
    assert len(outputs) == MOST["tool outputs"]
    assert outputs[-1] == "run_command(make): [exit code 2] Error 1"
