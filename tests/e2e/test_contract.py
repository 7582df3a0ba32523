"""The contracts that spec 000 freezes in phase 0: items 1 to 3, on the Python side."""

import dataclasses
import inspect
import typing
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.contracts import OrchestratorResponse
from loopwright.agents.pages.usecases.soul import SoulOrchestrator
from loopwright.kernel.state import TERMINAL, TRANSITIONS
from tests.support.application import journal_of, opened
from tests.support.event_types import event_types
from tests.support.pages_model import call
from tests.support.scripts import QUESTIONS, VAGUE, one_page

FROZEN_TYPES = Path(__file__).with_name("event_types.txt")

TWELVE = {
    "session_id": "str",
    "phase": "str",
    "message": "str",
    "is_complete": "bool",
    "preview_url": "str | None",
    "preview_html": "str | None",
    "progress": "int | None",
    "questions": "list[dict[str, typing.Any]] | None",
    "action": "str | None",
    "product_doc_updated": "bool | None",
    "affected_pages": "list[str] | None",
    "active_page_slug": "str | None",
}
"""Item 1: the fields and what they hold."""

PARAMETERS = {
    "session_id": str,
    "user_message": str,
    "output_dir": str,
    "history": list[dict],
    "trigger_interview": False,
    "generate_now": False,
    "style_reference": None,
    "target_pages": None,
    "resume": None,
}
"""Spec 000, phase 3: parameters in their order, with their defaults where they have one there."""


def test_1_the_twelve_fields() -> None:
    """Names, order and types; those beyond the fourth default to None, and None is not sent."""
    fields = dataclasses.fields(OrchestratorResponse)
    hints = typing.get_type_hints(OrchestratorResponse)
    described = {
        field.name: hints[field.name].__name__ if isinstance(hints[field.name], type) else str(hints[field.name])
        for field in fields
    }
    assert list(described.items()) == list(TWELVE.items())
    assert [field.default for field in fields[4:]] == [None] * 8
    sent = OrchestratorResponse("s", "soul_loop", "", is_complete=False).to_payload()
    assert sent == {"session_id": "s", "phase": "soul_loop", "message": "", "is_complete": False}


def test_1_the_signature_of_stream_responses() -> None:
    """An async generator with the spec's parameters, which may be given by position or by name."""
    method = SoulOrchestrator.stream_responses
    assert inspect.isasyncgenfunction(method)
    _, *parameters = inspect.signature(method).parameters.values()
    assert [p.name for p in parameters] == list(PARAMETERS)
    assert {p.kind for p in parameters} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}
    assert {p.name: p.default for p in parameters[4:]} == dict(list(PARAMETERS.items())[4:])


async def test_1_what_a_caller_of_the_orchestrator_sees(tmp_path: Path) -> None:
    """The whole life of a run as responses: work, questions, pause; after the answers the end with what was made."""
    script = [call("ask_user", questions=QUESTIONS), *one_page()]
    async with opened(tmp_path, *script) as (application, _):
        soul = SoulOrchestrator(application)
        out = str(tmp_path / "elsewhere")
        seen = [r async for r in soul.stream_responses(None, VAGUE, out, [], False, False, None, None, None)]
        assert all(type(response) is OrchestratorResponse for response in seen)
        pause = seen[-1]
        assert (pause.phase, pause.is_complete, pause.action) == ("waiting_input", False, "ask_user")
        assert pause.questions is not None
        assert [question["question"] for question in pause.questions] == [q["question"] for q in QUESTIONS]
        answers = {"answers": {"0": "Warm"}}
        more = [r async for r in soul.stream_responses(pause.session_id, "", out, [], resume=answers)]
        assert {r.session_id for r in [*seen, *more]} == {pause.session_id}
        assert {r.phase for r in more} <= {"soul_loop", "tool_call", "complete"}
        calls = [(r.action, r.active_page_slug) for r in more if r.phase == "tool_call" and r.action]
        assert calls == [("ask_user", None), ("create_design_system", None), ("generate_page", "index")]
        assert any(r.product_doc_updated for r in more[:-1])
        end = more[-1]
        assert (end.phase, end.is_complete, end.progress) == ("complete", True, 100)
        assert end.message.endswith("Your page is ready.")
        assert end.action == "pages_generated"
        assert (end.affected_pages, end.active_page_slug, end.product_doc_updated) == (["index"], "index", True)
        assert end.preview_url is not None
        assert end.preview_url.startswith(f"/api/sessions/{end.session_id}/")
        assert (tmp_path / "elsewhere" / end.session_id / "pages" / "index.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"trigger_interview": True}, {"interview": True, "generate_now": False}),
        ({"generate_now": True}, {"interview": None, "generate_now": True}),
        ({"target_pages": ["index"]}, {"target_pages": ["index"]}),
        ({"style_reference": {"mode": "style_only", "images": []}}, {"style_reference": {"mode": "style_only"}}),
    ],
)
async def test_1_the_orchestrators_options_reach_the_run(
    tmp_path: Path, arguments: dict[str, Any], options: dict[str, Any]
) -> None:
    """Each parameter arrives in the run's options, where prompts and playbook read it."""
    async with opened(tmp_path, *one_page()) as (application, _):
        stream = SoulOrchestrator(application).stream_responses(None, VAGUE, **arguments)
        session_id = [response async for response in stream][-1].session_id
        [run] = await application.stores.runs.find(session_id=session_id)
        [created] = await journal_of(application, run.run_id, "run_created")
        assert {name: created.payload["options"][name] for name in options} == options


def test_2_event_types_are_only_ever_added() -> None:
    """Every name of the frozen list is still there; a new one is added to the list when it is made."""
    frozen = set(FROZEN_TYPES.read_text(encoding="utf-8").split())
    assert frozen - event_types() == set(), "event types may not be removed or renamed"
    assert event_types() - frozen == set(), f"add the new types to {FROZEN_TYPES.name}"


def test_2_the_families_of_the_spec_are_there() -> None:
    """Spec 000 and the field notes name these to clients; decision 11 leaves the rest to us."""
    states = {f"run_{status}" for status in TRANSITIONS if status not in ("queued", "running")}
    told = {"run_created", "run_started", "run_resumed", "tool_call", "tool_result", "page_created"}
    assert event_types() >= states | told | {"page_version_created", "product_doc_updated"}


def test_3_the_state_machine() -> None:
    """Field notes, 000 and decision 21; a run whose owners keep dying is parked (0022)."""
    assert {old: set(new) for old, new in TRANSITIONS.items()} == {
        "queued": {"running", "cancelled", "parked"},
        "running": {"waiting_input", "completed", "failed", "cancelled", "parked"},
        "parked": {"running", "cancelled"},
        "waiting_input": {"running", "failed", "cancelled"},
        "completed": set(),
        "failed": set(),
        "cancelled": set(),
    }
    assert {"completed", "failed", "cancelled"} == TERMINAL
