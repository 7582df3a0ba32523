"""Functions as tools: what the model is told of them, what they are given, and what becomes of what they return."""

import dataclasses
import threading
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from loopwright import Agent, Context, Done, Failed, LoopwrightError, ToolError, tool
from loopwright.testing import ScriptedModel, call, say


class Line(BaseModel):
    text: str
    amount: Decimal


@dataclasses.dataclass
class Sent:
    number: int
    on: date


class Books:
    def __init__(self) -> None:
        self.sent: list[str] = []


def schema_of(*tools: Any) -> dict[str, Any]:
    """The schema of the first tool, as the model gets it."""
    (told, *_) = Agent("a", "…", tools=tools, deps=Books).spec().registry().get_openai_tools()
    return told["function"]


async def calls_of(home: Path, agent: Agent[Any, Any], *lines: Any, **options: Any) -> Any:
    """Run the agent on these calls; gives what became of them."""
    result = await agent.run("Go.", model=ScriptedModel(*lines, say("Done.")), home=home, **options)
    assert isinstance(result, Done), result
    return result.calls


def test_a_signature_and_its_docstring_become_the_schema() -> None:
    def invoice(  # noqa: D417 — the others are told by their types
        to: str, lines: list[Line], ctx: Context[Books], kind: Literal["paper", "mail"] = "mail", json: bool = False
    ) -> Sent:
        """Send an invoice.

        It cannot be taken back.

        Args:
            to (str): who gets it,
                by name.
            kind: how it is sent.

        Returns:
            The number.
        """
        raise NotImplementedError

    told = schema_of(invoice)
    assert told["name"] == "invoice"
    assert told["description"] == "Send an invoice.\n\nIt cannot be taken back."
    properties = told["parameters"]["properties"]
    assert list(properties) == ["to", "lines", "kind", "json"]
    assert properties["to"] == {"type": "string", "description": "who gets it, by name."}
    assert properties["kind"] == {
        "enum": ["paper", "mail"],
        "type": "string",
        "default": "mail",
        "description": "how it is sent.",
    }
    assert told["parameters"]["required"] == ["to", "lines"]


def test_what_pydantic_says_of_a_parameter_is_told_too() -> None:
    def wait(minutes: Annotated[int, Field(ge=1, description="whole minutes")] = 5) -> str:
        """Wait."""
        return ""

    told = schema_of(wait)["parameters"]["properties"]["minutes"]
    assert told == {"type": "integer", "minimum": 1, "default": 5, "description": "whole minutes"}


async def test_arguments_arrive_as_their_types_and_results_stay_as_data(tmp_path: Path) -> None:
    seen: list[Any] = []

    @tool
    async def send(lines: list[Line], on: date) -> Sent:
        """Send it."""
        seen.append((lines, on))
        return Sent(7, on)

    agent = Agent("sender", "Send.", tools=[send])
    asked = call("send", lines=[{"text": "work", "amount": "310.00"}], on="2026-03-01")
    (made,) = await calls_of(tmp_path, agent, asked)
    assert seen == [([Line(text="work", amount=Decimal("310.00"))], date(2026, 3, 1))]
    assert made.value == {"number": 7, "on": "2026-03-01"}
    assert made.text == '{"number": 7, "on": "2026-03-01"}'


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [("words", "words", "words"), (None, "Done.", "Done."), (3, "3", 3), ([1, "é"], '[1, "é"]', [1, "é"])],
)
async def test_any_json_value_can_be_returned(tmp_path: Path, value: Any, text: str, data: Any) -> None:
    @tool(effect="pure")
    def look():
        """Look."""
        return value

    (made,) = await calls_of(tmp_path, Agent("looker", "Look.", tools=[look]), call("look"))
    assert (made.success, made.text, made.value) == (True, text, data)


async def test_wrong_arguments_are_told_to_the_model_by_the_names_it_knows(tmp_path: Path) -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    (made,) = await calls_of(tmp_path, Agent("adder", "Add.", tools=[add]), call("add", a="x", c=1))
    assert not made.success
    assert "- a: Input should be a valid integer" in made.text
    assert "- b: Field required" in made.text
    assert "- c: Extra inputs are not permitted" in made.text


async def test_the_context_brings_dependencies_a_key_progress_and_a_place_for_files(tmp_path: Path) -> None:
    threads: list[int] = []

    @tool(effect="idempotent")
    def export(name: str, ctx: Context[Books]) -> str:
        """Export."""
        threads.append(threading.get_ident())
        ctx.progress("1 of 1")
        ctx.deps.sent.append(ctx.key)
        ctx.artifact(f"out/{name}").write_text("content")
        return f"{name} is written"

    books = Books()
    agent = Agent("exporter", "Export.", tools=[export], deps=Books)
    shown = []
    model = ScriptedModel(call("export", name="a.csv"), say("Done."))
    result: Any = None
    async for item in agent.stream("Go.", model=model, home=tmp_path, deps=books):
        result = item
        shown.append(item)
    (made,) = result.calls
    assert made.files == ("out/a.csv",)
    assert (tmp_path / "sessions" / result.session_id / "out" / "a.csv").read_text() == "content"
    assert books.sent == [f"{result.run_id}:{next(e.data['call_id'] for e in shown if e.type == 'tool_call')}"]
    assert [each.text for each in shown if getattr(each, "type", "") == "progress"] == ["1 of 1"]
    assert threads != [threading.get_ident()]


async def test_a_file_outside_the_session_is_refused(tmp_path: Path) -> None:
    @tool
    def export(name: str, ctx: Context) -> str:
        """Export."""
        ctx.artifact(name).write_text("content")
        return "written"

    (made,) = await calls_of(tmp_path, Agent("exporter", "Export.", tools=[export]), call("export", name="../../x"))
    assert "../../x is not a place in the session's folder." in made.text


async def test_an_expected_failure_is_told_with_its_hint_and_any_other_as_a_defect(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    @tool(effect="pure")
    def look(place: str) -> str:
        """Look there."""
        if place == "here":
            raise ToolError("Nothing is here.", hint="Look there.")
        raise RuntimeError("broken")

    lines = call("look", place="here"), call("look", place="there")
    expected, defect = await calls_of(tmp_path, Agent("looker", "Look.", tools=[look]), *lines)
    assert expected.text == "Error: Nothing is here.\nLook there."
    assert "look failed unexpectedly: RuntimeError: broken" in defect.text
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == ["tool look failed"]


async def test_a_function_that_takes_too_long_is_given_up_and_told_so(tmp_path: Path) -> None:
    told = threading.Event()

    @tool(effect="pure", timeout=0.05)
    def dawdle(ctx: Context) -> str:
        """Take long."""
        while not ctx.cancelled:
            pass
        told.set()
        return "late"

    (made,) = await calls_of(tmp_path, Agent("dawdler", "…", tools=[dawdle]), call("dawdle"))
    assert "dawdle did not finish within 0.05 seconds" in made.text
    assert told.wait(5)


async def test_dependencies_are_made_once_for_each_run(tmp_path: Path) -> None:
    made: list[Books] = []

    def open_books() -> Books:
        made.append(Books())
        return made[-1]

    @tool
    def note(text: str, ctx: Context[Books]) -> int:
        """Note it."""
        ctx.deps.sent.append(text)
        return len(ctx.deps.sent)

    agent = Agent("noter", "Note.", tools=[note], deps=open_books)
    first = await calls_of(tmp_path, agent, call("note", text="a"), call("note", text="b"))
    second = await calls_of(tmp_path, agent, call("note", text="c"))
    assert [each.value for each in (*first, *second)] == [1, 2, 1]
    assert agent.built().deps.of_runs == {}, "what a run had is let go of with its end"
    assert len(made) == 2


def test_a_tool_can_still_be_called() -> None:
    @tool
    def double(number: int) -> int:
        """Double it."""
        return 2 * number

    assert double(4) + 1 == 9


def no_hint(a) -> str:
    """Do."""
    return ""


def many(*a: str) -> str:
    """Do."""
    return ""


def undocumented(a: str) -> str:
    return ""


def hidden(a: "Nowhere") -> str:  # noqa: F821
    """Do."""
    return ""


def formless(a: threading.Lock) -> str:  # type: ignore[valid-type]
    """Do."""
    return ""


def formless_result() -> threading.Event:
    """Do."""
    return threading.Event()


def wants_books(ctx: Context[Books]) -> str:
    """Do."""
    return ""


@pytest.mark.parametrize(
    ("function", "message", "hint"),
    [
        (no_hint, "Tool 'no_hint' has the parameter 'a' without a type hint.", "a: str"),
        (many, "Tool 'many' takes *a: str, which a model cannot give by name.", "a list"),
        (undocumented, "Tool 'undocumented' of agent 'a' has no description.", "Write a docstring"),
        (hidden, "A type hint of tool 'hidden' of agent 'a' cannot be resolved", "at the top of"),
        (formless, "A type hint of tool 'formless' of agent 'a' has no JSON form", "ctx.deps"),
        (formless_result, "A type hint of tool 'formless_result' of agent 'a' has no JSON form", "Pydantic"),
        (wants_books, "Tool 'wants_books' wants ctx.deps of type Books, and agent 'a' has no deps.", "deps="),
    ],
)
def test_a_declaration_that_cannot_work_is_refused_by_name(function: Any, message: str, hint: str) -> None:
    with pytest.raises(LoopwrightError) as caught:
        Agent("a", "…", tools=[function]).spec()
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.__notes__ == [f"hint: {caught.value.hint}"]


def test_an_effect_that_does_not_exist_is_refused() -> None:
    with pytest.raises(LoopwrightError, match="Tool 'double' has the effect 'twice'"):
        tool(effect="twice", name="double")(undocumented)  # type: ignore[call-overload]


async def test_a_run_that_uses_up_its_steps_fails_as_a_value(tmp_path: Path) -> None:
    from loopwright import Budget

    @tool(effect="pure")
    def look() -> str:
        """Look."""
        return ""

    agent = Agent("looker", "…", tools=[look], budget=Budget(steps=2))
    result = await agent.run("Go.", model=ScriptedModel(call("look"), call("look")), home=tmp_path)
    assert isinstance(result, Failed)
    assert (result.code, result.steps) == ("max_steps", 2)
