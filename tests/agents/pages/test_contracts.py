"""The frozen contracts of spec 000, and the ports that the stores have to fit."""

from dataclasses import fields

import pytest
from pydantic import ValidationError

from loopwright.agents.pages.contracts import DataModel, OrchestratorResponse, ProductDoc, SectionPatch
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.spec import AGENT, STAGES
from tests.agents.pages.studio import SESSION, Studio

NINE = (
    "analyze_brief",
    "ask_user",
    "extract_style",
    "create_design_system",
    "generate_page",
    "edit_page",
    "read_page",
    "list_pages",
    "validate_html",
)


def test_the_twelve_fields() -> None:
    assert [field.name for field in fields(OrchestratorResponse)] == [
        "session_id", "phase", "message", "is_complete", "preview_url", "preview_html", "progress", "questions",
        "action", "product_doc_updated", "affected_pages", "active_page_slug",
    ]  # fmt: skip


def test_a_payload_leaves_out_what_is_not_said() -> None:
    response = OrchestratorResponse("s", "complete", "Done.", is_complete=True, affected_pages=[], progress=0)
    assert response.to_payload() == {
        "session_id": "s",
        "phase": "complete",
        "message": "Done.",
        "is_complete": True,
        "affected_pages": [],
        "progress": 0,
    }


def test_every_stage_offers_the_nine_tools_and_those_of_the_house() -> None:
    names = tuple(tool.name for tool in AGENT.tools)
    assert tuple(name for name in names if name in NINE) == NINE
    policy = AGENT.policy()
    for stage in STAGES:
        assert policy.decide(stage).tools == set(names)
        assert policy.decide(stage, "chat").tools == {"ask_user", "list_pages", "read_page", "validate_html"}


def test_the_limits_of_the_spec() -> None:
    assert (AGENT.limits.max_steps, AGENT.limits.max_consecutive_errors) == (30, 3)
    assert AGENT.compaction.name == "au2"
    assert AGENT.compaction.max_messages is None  # type: ignore[attr-defined]  # see docs/decisions/0025-requests.md


def test_the_table_can_be_drawn() -> None:
    drawn = AGENT.controller().mermaid(AGENT.entries)
    for stage in STAGES:
        assert f"{stage} --> complete : text [guarded]" in drawn


def test_a_data_model_has_its_wire_names() -> None:
    wire = {
        "entities": {"A": {"fields": [{"name": "id", "type": "string", "required": True}], "primaryKey": "id"}},
        "relations": [{"from": "A", "to": "A", "type": "one-to-many", "foreignKey": "aId"}],
    }
    assert DataModel.model_validate(wire).to_wire() == wire
    with pytest.raises(ValidationError):
        DataModel.model_validate({"entities": {}, "relations": [{**wire["relations"][0], "type": "many"}]})  # type: ignore[index]


async def test_the_stores_fit_the_ports(studio: Studio) -> None:
    services: PagesServices = studio.stores
    assert await services.product_docs.get(SESSION) is None
    doc = await services.product_docs.apply(
        SESSION, [SectionPatch(name="overview", content="A shop.")], author="llm", idempotency_key="k"
    )
    assert ProductDoc.model_validate(doc.model_dump()).sections["overview"].content == "A shop."  # type: ignore[attr-defined]
