"""How tools of servers join an agent: which stages and models get them, and how they are told of."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.jobs.spec import AGENT as JOBS
from loopwright.app.tool_servers import ToolServers
from loopwright.kernel.events import ServerTool
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import Stage
from loopwright.kernel.tool_servers import ToolServer
from loopwright.mcp_sdk.client import Connections
from loopwright.mcp_sdk.tools import sent_schema, tool_name, with_server_tools
from tests.engine.toys import TOY

ANYTHING: dict[str, Any] = {"type": "object", "properties": {}}
READ = ServerTool(name="shop__read", server="shop", tool="read", parameters=ANYTHING, read_only=True)
WRITE = ServerTool(name="shop__write", server="shop", tool="write", parameters=ANYTHING)
CONNECTIONS = Connections({"shop": ToolServer(name="shop", command="x")})


def widened(*policies: StagePolicy) -> dict[str, StagePolicy]:
    async def act(run: Any) -> Any:
        raise AssertionError("it is not run")

    stages = [Stage(f"s{number}", policy) for number, policy in enumerate(policies)]
    spec = replace(TOY, stages=(*stages, Stage("act", action=act)))
    made = with_server_tools(spec, [READ, WRITE], CONNECTIONS, Path("files"))
    return {stage.name: stage.policy for stage in made.stages}


def test_every_stage_whose_model_has_tools_gets_them_and_no_other() -> None:
    own = StagePolicy(frozenset({"look"}), chat_tools=frozenset({"look"}))
    stages = widened(own, StagePolicy())
    assert stages["s0"].tools == {"look", "shop__read", "shop__write"}
    assert stages["s0"].chat_tools == {"look", "shop__read"}
    assert stages["s0"].permission == {"shop__write"}
    assert stages["s1"] == StagePolicy()
    assert stages["act"] == StagePolicy()


def test_an_agent_without_tools_of_its_own_gets_them_in_its_one_stage() -> None:
    assert widened(StagePolicy())["s0"].tools == {"shop__read", "shop__write"}


def test_small_models_get_them_by_asking() -> None:
    policy = StagePolicy(frozenset({"look"}), small=frozenset({"look"}))
    spec = with_server_tools(replace(TOY, stages=(Stage("work", policy),)), [READ], CONNECTIONS, Path("files"))
    decision = spec.policy().decide("work").for_small(frozenset())
    assert decision.offered == {"look", "more_tools"}
    assert "shop__read" in decision.tools
    more = spec.registry().get("more_tools")
    assert more is not None
    assert "shop__read" in str(more.get_openai_schema())


def test_the_jobs_agent_takes_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    everybody, named = (ToolServer(name=name, command="x") for name in ("a", "b"))
    servers = ToolServers(tmp_path, {"a": everybody, "b": named.model_copy(update={"agents": frozenset({"jobs"})})})
    assert servers.serving(JOBS) == []
    assert "takes tools of no MCP server: b" in caplog.text
    assert [each.name for each in servers.serving(TOY)] == ["a"]


def test_names_fit_every_endpoint_and_no_two_are_the_same() -> None:
    first = tool_name("shop", "päckchen.send/now")
    assert first == "shop__p_ckchen_send_now"
    assert tool_name("shop", "pöckchen.send/now", {first}) != first
    assert len(tool_name("shop", "x" * 200)) == 64
    assert tool_name("7", "x") == "_7__x"


def test_schemas_are_made_fit_and_names_in_them_are_left_alone() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "examples": {"type": "string", "examples": ["a"], "const": "a"},
            "choice": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/x"}], "default": {"examples": 1}},
        },
        "$defs": {"x": {"type": "integer", "$comment": "…"}},
    }
    assert sent_schema(schema) == {
        "type": "object",
        "properties": {
            "examples": {"type": "string", "enum": ["a"]},
            "choice": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}], "default": {"examples": 1}},
        },
        "$defs": {"x": {"type": "integer"}},
    }
